//! Finding in all sections, messages and the trash, with the real store.

use crate::driver::Terminal;
use crate::support::TestHome;

/// Q1: what is in no title of the section on view is found where it is: in another section, in a message,
/// in the trash; Enter goes there, Esc comes back.
#[test]
fn what_is_elsewhere_is_found_and_gone_to_q1() {
    let home = TestHome::new();
    let repository = home.project("shop");
    home.spawn(["--project", "shop", "--title", "Round the cart"], "print ready;wait");
    home.spawn(["--chat", "--title", "Notes on pricing"], "print ready;forever;prompt;end");
    home.spawn(["--chat", "--title", "An old cart"], "print ready;wait");
    home.wait("chat-1", "idle");
    home.run(["send", "chat-1", "Ask the zeppelin about its cargo"]).ok();
    home.run(["delete", "--yes", "chat-2"]).ok();

    let mut console =
        Terminal::start(home.path(), repository.path(), &["--select", "shop-1"], 120, 40);
    console.see_row(&["shop-1", "Round the cart"]);
    // In a message of another section.
    console.press("/");
    for letter in "zeppelin".chars() {
        console.press(&letter.to_string());
    }
    console.see("1 elsewhere");
    console.press("C-f");
    console.see("Find everywhere");
    console.see_row(&["chat-1", "Notes on pricing", "Chats"]);
    console.see("Ask the zeppelin about its cargo");
    // Back to the find that is still open, and from there to the list.
    console.press("Esc");
    console.see_no("Find everywhere");
    console.press("Esc");
    console.see_row(&["shop-1", "Round the cart"]);
    console.press("C-f");
    console.see("also deleted ones");
    console.paste("zeppelin");
    console.see_row(&["chat-1", "Notes on pricing", "Chats"]);
    console.press("Enter");
    console.see_no("Find everywhere");
    console.see_row(&["Chats ∙ 1", "Messages"]);
    console.see("Ask the zeppelin about its cargo");
    // In the trash.
    console.press("C-f");
    console.see("also deleted ones");
    console.paste("old ca");
    console.see_row(&["chat-2", "An old cart", "Trash"]);
    console.press("Enter");
    console.see("Trash ∙ 1");
    console.see_row(&["▐", "chat-2", "An old cart"]);
    // By id.
    console.press("C-f");
    console.see("also deleted ones");
    console.paste("shop-1");
    console.see_row(&["shop-1", "Round the cart", "shop"]);
    console.press("Enter");
    console.see("shop ∙ 1");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// A filter in force is saved under a name, is a line of the sections with its counts, also after a restart,
/// and what it matches is deleted as by any filter.
#[test]
fn a_saved_filter_outlives_the_dashboard() {
    let home = TestHome::new();
    let repository = home.project("shop");
    home.spawn(
        ["--project", "shop", "--title", "Round the cart"],
        "print ready;forever;prompt;end",
    );
    home.spawn(["--project", "shop", "--title", "Round the VAT"], "print ready;forever;prompt;end");
    home.spawn(["--chat", "--title", "A round of notes"], "print ready;forever;prompt;end");
    for id in ["shop-1", "shop-2", "chat-1"] {
        home.wait(id, "idle");
    }
    let mut console =
        Terminal::start(home.path(), repository.path(), &["--select", "shop-1"], 120, 40);
    console.see_row(&["shop-1", "Round the cart"]);
    console.press("/");
    console.paste("round status:idle");
    console.see("shop ∙ 2 of 2");
    console.press("Enter");
    console.see("save filter");
    console.press("F");
    console.see("Save the filter ∙ in shop");
    console.press("C-f");
    console.see("Save the filter ∙ in all sections");
    console.paste("rounds");
    console.press("Enter");
    console.see("rounds ∙ 3");
    console.see_row(&["/rounds", "3"]);
    console.see_row(&["chat-1", "A round of notes"]);
    console.press("q");
    assert!(console.exit().success());

    let mut console = Terminal::start(home.path(), repository.path(), &[], 120, 40);
    console.see_row(&["/rounds", "3"]);
    // A title that matches no more is counted off.
    home.run(["rename", "shop-2", "Only the VAT"]).ok();
    console.see_row(&["/rounds", "2"]);
    console.press("3");
    console.see("rounds ∙ 2");
    console.press("*");
    console.see("2 marked");
    console.press("d");
    console.see("will be stopped");
    console.press("Tab");
    console.see("Enter delete");
    console.press("Enter");
    console.see("2 deleted");
    console.see_row(&["/rounds", "0"]);
    console.see("Nothing matches this filter.");
    console.press("h");
    console.press("d");
    console.see("Remove the filter rounds");
    console.press("Tab");
    console.press("Enter");
    console.see_no("/rounds");
    console.see_row(&["shop-2", "Only the VAT"]);
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}
