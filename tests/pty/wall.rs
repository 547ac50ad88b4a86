//! The wall with real agents.

use crate::driver::Terminal;
use crate::support::TestHome;

/// Six agents that wait are on view side by side; one is answered by `y`, another typed to in its
/// tile; nobody's size changes by looking.
#[test]
fn six_agents_are_watched_and_answered_from_the_wall() {
    let home = TestHome::new();
    let ids: Vec<String> = (1..=6)
        .map(|n| {
            let script = format!("print I am number {n};ask permission Run test {n}? | Yes | No;print Done {n};forever;prompt;end");
            let id = home.scripted(&script);
            home.wait(&id, "needs_input");
            id
        })
        .collect();
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["chat-1", "needs input"]);
    console.press("T");
    console.see("6 of 6 waiting or marked");
    for n in 1..=6 {
        console.see(&format!("I am number {n}"));
        console.see(&format!("Run test {n}?"));
    }
    console.see_row(&["y yes", "Enter type here"]);
    console.press("g g y");
    console.see("Done 1");
    for n in 2..=6 {
        console.see(&format!("Run test {n}?"));
    }
    console.press("Enter");
    console.see("every other key goes to");
    console.write(b"hello from the wall\r");
    console.see("You said: hello");
    console.press("C-]");
    console.see("6 of 6 waiting or marked");
    for id in &ids[1..] {
        home.wait_size(id, 120, 40);
    }
    console.press("q");
    console.see("Sections");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}
