//! Reading an agent's terminal: back and forth, copying, links, and what is left when it ended.

use std::fmt::Write as _;

use crate::attach::shell;
use crate::driver::Terminal;
use crate::support::{TestHome, until};

/// A script that prints lines `line 1 of 60` to `line 60 of 60`, with a link in one of them.
fn lines(then: &str) -> String {
    let mut script = String::new();
    for n in 1..=60 {
        let link = if n == 58 { " see https://callboard.example/58." } else { "" };
        let _ = write!(script, "print line {n} of 60{link};");
    }
    script + then
}

fn console(home: &TestHome, status: &str) -> Terminal {
    let console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["chat-1", status]);
    console.see("line 60 of 60");
    console
}

#[test]
fn typing_scrolls_back_with_shift_and_returns_with_the_next_letter() {
    let home = TestHome::new();
    home.scripted(&lines("forever;prompt;end"));
    let mut console = console(&home, "idle");
    console.press("Enter");
    console.see("typing to chat-1");
    console.press("S-PgUp");
    console.see("back");
    console.see("line 20 of 60");
    console.see_no("line 60 of 60");
    console.write(b"hello there\r");
    console.see("You said: hello there");
    console.see_no("back");
    // The wheel, in the middle of the pane.
    console.write(b"\x1b[<64;80;20M");
    console.see("3 of");
    console.press("C-]");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

#[test]
fn what_is_searched_for_is_selected_and_copied_by_the_outer_terminal() {
    let home = TestHome::new();
    home.scripted(&lines("forever;prompt;end"));
    let mut console = console(&home, "idle");
    console.press("[");
    console.see("reading chat-1");
    console.press("? l i n e Space 7 Space");
    console.see("1 of 1");
    console.press("Enter");
    console.press("V j y");
    console.see("25 characters copied.");
    let copied = || Some(console.copied()).filter(|copied| !copied.is_empty());
    assert_eq!(until("the clipboard", copied), ["line 7 of 60\nline 8 of 60"]);
    console.see_no("reading chat-1");

    // With the mouse: from one cell to another, copied as the button goes up.
    let (x, y) = console.find("line 60 of 60");
    let (x, y) = (x + 1, y + 1);
    console
        .write(format!("\x1b[<0;{x};{y}M\x1b[<32;{};{y}M\x1b[<0;{};{y}m", x + 3, x + 6).as_bytes());
    let copied = || console.copied().get(1).cloned();
    assert_eq!(until("the second text", copied), "line 60");
    console.press("Esc");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

#[test]
fn a_click_with_ctrl_opens_a_link_with_the_configured_program() {
    let home = TestHome::new();
    let file = home.path().join("opened");
    let opener = format!("opener = [\"sh\", \"-c\", 'printf %s \"$0\" > {}']\n", file.display());
    std::fs::create_dir_all(home.path().join("config")).unwrap();
    std::fs::write(home.path().join("config/config.toml"), opener).unwrap();
    home.scripted(&lines("forever;prompt;end"));
    let mut console = console(&home, "idle");
    let (x, y) = console.find("https://callboard");
    let (x, y) = (x + 6, y + 1);
    console.write(format!("\x1b[<16;{x};{y}M\x1b[<16;{x};{y}m").as_bytes());
    let link = || std::fs::read_to_string(&file).ok().filter(|text| !text.is_empty());
    assert_eq!(until("the link to be opened", link), "https://callboard.example/58");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// History outlives the keeper, a delete and a restore (`spec/runtime.md`, History on disk).
#[test]
fn the_last_screen_of_a_session_is_read_after_its_end_its_delete_and_its_restore() {
    let home = TestHome::new();
    let id = home.scripted(&lines("exit 0"));
    home.wait(&id, "exit");
    let mut console = console(&home, "");
    console.see("Not running.");
    console.press("[");
    console.press("g g");
    console.see("line 1 of 60");
    console.press("Esc");

    home.run(["delete", &id, "--yes"]).ok();
    console.press("t");
    console.see("deleted");
    console.see_row(&["▐", "chat-1"]);
    console.see_no("line 60 of 60");
    console.press("[");
    console.see("line 60 of 60");
    console.press("g g");
    console.see("line 1 of 60");
    console.press("V y");
    console.see("12 characters copied.");
    assert_eq!(console.copied(), ["line 1 of 60"]);
    console.see_no("line 1 of 60");
    console.press("r");
    console.see("The trash is empty.");
    console.press("q");
    console.see("line 60 of 60");
    console.see("Not running.");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// Where there is nothing to scroll back to, that is said at once, also while typing.
#[test]
fn what_has_no_scrollback_says_so_while_typing() {
    let home = TestHome::new();
    home.scripted("print ready;forever;prompt;end");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["chat-1", "idle"]);
    console.press("Enter");
    console.see("typing to chat-1");
    console.press("S-PgUp");
    console.see("chat-1 has no scrollback");
    console.see("Nothing scrolled out of its screen yet.");
    console.press("C-]");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// Scrollback: what no engine keeps is read from the history on the disk, by going up and by searching.
/// Hyperlinks of the program reach the terminal.
#[test]
fn older_lines_are_read_from_the_disk_and_links_reach_the_terminal() {
    let home = TestHome::new();
    let link = "\\033]8;;https://callboard.example/8\\007here\\033]8;;\\007";
    let script = format!("seq -f 'row %g.' 1 3000; printf '{link}'; exec sleep 1000");
    let id = shell(&home, &script);
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&[&id]);
    console.see("here");
    console.see_bytes("\x1b]8;;https://callboard.example/8\x1b\\");
    console.press("[");
    console.see(&format!("reading {id}"));
    console.press("g g");
    console.see("row 1.");
    console.press("Esc");
    console.see_no(&format!("reading {id}"));
    console.press("[");
    console.see(&format!("reading {id}"));
    console.press("? r o w Space 2 3 4 .");
    console.see("0 found");
    console.press("Enter");
    console.see("1 of 1");
    console.see("row 234.");
    console.press("Esc");
    console.see_no(&format!("reading {id}"));
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}
