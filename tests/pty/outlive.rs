//! Agents outlive the screen; consoles and commands see each other.

use crate::driver::Terminal;
use crate::support::{TestHome, until};

/// A session whose screen shows something; the process that shows it.
fn painted(home: &TestHome) -> u64 {
    let id = home.scripted("print painted by chat-1;forever;prompt;end");
    home.wait(&id, "idle");
    home.show(&id)["runtime"]["pid"].as_u64().unwrap()
}

#[test]
fn agents_go_on_after_quit_kill_and_hang_up_and_show_the_same_screen() {
    let home = TestHome::new();
    let pid = painted(&home);
    for way in ["quit", "kill", "hang up"] {
        let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
        console.see_row(&["chat-1", "idle"]);
        console.see("painted by chat-1");
        match way {
            "quit" => {
                console.press("q");
                assert!(console.exit().success());
                assert!(!console.alternate() && console.cursor_visible(), "terminal restored");
                let said = console.text();
                assert!(said.contains("1 agent goes on"), "{said}");
            }
            "kill" => console.kill(),
            _ => drop(console.hang_up()),
        }
        let shown = home.show("chat-1");
        assert_eq!(shown["runtime"]["pid"].as_u64(), Some(pid), "after {way}");
        assert_eq!(shown["alive"], true, "after {way}");
    }
    home.finish();
}

#[test]
fn two_consoles_and_a_command_see_each_other() {
    let home = TestHome::new();
    painted(&home);
    let mut one = Terminal::start(home.path(), home.path(), &[], 120, 40);
    let mut two = Terminal::start(home.path(), home.path(), &[], 80, 24);
    one.see_row(&["chat-1", "idle"]);
    two.see_row(&["chat-1", "idle"]);
    home.run(["rename", "chat-1", "Named by a command"]).ok();
    one.see("Named by a command");
    two.see("Named by a command");
    one.press("p");
    two.see_row(&["Pinned", "1"]);
    until("the command to see the pin", || (home.show("chat-1")["pinned"] == true).then_some(()));
    two.press("1");
    two.see("Pinned ∙ 1");
    two.see_row(&["▐", "chat-1"]);
    two.press("p");
    one.see_no("Pinned");
    for console in [&mut one, &mut two] {
        console.press("q");
        assert!(console.exit().success());
    }
    home.finish();
}

#[test]
fn a_keeper_that_was_killed_is_told_in_place() {
    let home = TestHome::new();
    painted(&home);
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["chat-1", "idle"]);
    let keeper = home.show("chat-1")["runtime"]["keeper_pid"].as_i64().unwrap();
    let keeper = rustix::process::Pid::from_raw(i32::try_from(keeper).unwrap()).unwrap();
    rustix::process::kill_process(keeper, rustix::process::Signal::KILL).unwrap();
    console.wait("another status", |lines| {
        lines.iter().any(|line| {
            line.contains("chat-1") && (line.contains("detecting") || line.contains("killed"))
        })
    });
    console.press("q");
    assert!(console.exit().success());
    home.run(["recover"]).ok();
    home.finish();
}
