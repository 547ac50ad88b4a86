//! Clear messages where something is wrong, and any size of terminal.

use crate::driver::Terminal;
use crate::support::{Repository, TestHome};

#[test]
fn no_size_breaks_it() {
    let home = TestHome::new();
    home.scripted("title 日本語 title;rate 20000");
    let mut console = Terminal::start(home.path(), home.path(), &[], 5, 3);
    for (cols, rows) in [(20, 5), (40, 10), (200, 60), (1, 1), (80, 24), (119, 17), (120, 40)] {
        console.resize(cols, rows);
    }
    console.see_row(&["chat-1", "working"]);
    console.see("callboard  default");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

#[test]
fn a_start_that_fails_says_why_and_leaves_nothing() {
    let home = TestHome::new();
    let folder = home.path().join("config/agents");
    std::fs::create_dir_all(&folder).unwrap();
    let missing = "engine = 1\ntitle = \"Gone\"\nprogram = \"no-such-program-here\"\n";
    std::fs::write(folder.join("gone.toml"), missing).unwrap();
    let repository: Repository = home.project("shop");
    let answer = home.run(["spawn", "--project", "shop", "--agent", "gone"]).code(4);
    assert!(answer.stderr.contains("no-such-program-here"), "{}", answer.stderr);

    let mut console = Terminal::start(home.path(), repository.path(), &[], 120, 40);
    console.see_row(&["shop", "0"]);
    console.press("n");
    console.see("New session");
    console.press("Tab Tab");
    console.paste("main");
    console.press("C-s");
    console.see("Branch main is in use in");
    console.press("Esc");
    console.press("C-c");
    assert!(console.exit().success());
    assert_eq!(home.run(["list", "--json"]).ok().json()["total"], 0);
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);
    home.finish();
}

#[test]
fn a_pasted_text_runs_no_actions() {
    let home = TestHome::new();
    home.scripted("print ready;wait");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["chat-1"]);
    console.paste("dxq please delete everything and quit at once, thank you");
    console.see("Pasted text ignored");
    console.press("Esc");
    console.see_row(&["chat-1"]);
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

#[test]
fn help_is_generated_from_the_key_map_and_follows_a_change() {
    let home = TestHome::new();
    let folder = home.path().join("config");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("keymap.toml"), "[list]\nd = \"unbound\"\nF5 = \"delete\"\n")
        .unwrap();
    home.scripted("print ready;wait");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["chat-1"]);
    console.press("?");
    console.see_row(&["F5", "delete, plan first"]);
    console.press("Esc");
    std::fs::write(folder.join("keymap.toml"), "[list]\nF5 = \"delet\"\n").unwrap();
    console.see("delet");
    console.see("The old keys stay");
    console.press("Esc");
    console.press("F5");
    console.see("[ Cancel ]");
    console.press("Esc");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// W3: a dashboard whose store a newer callboard has migrated changes nothing any more and asks to be
/// started anew.
#[test]
fn a_dashboard_asks_to_be_restarted_once_the_store_is_newer() {
    let home = TestHome::new();
    home.run(["list"]).ok();
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see("callboard  default");
    let database = home.path().join("data/callboard.db");
    let store = rusqlite::Connection::open(&database).unwrap();
    let version: i64 = store.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    store.pragma_update(None, "user_version", version + 1).unwrap();
    console.see("start the newer callboard");
    store.pragma_update(None, "user_version", version).unwrap();
    console.see_no("start the newer callboard");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}
