//! Several viewers of one agent: whose size it has, what each is told, and what it shows after a change.

use rustix::process::{Pid, Signal, kill_process};

use crate::attach::{SIZES, assert_restored, attach, shell};
use crate::driver::Terminal;
use crate::support::{TestHome, binary, until};

fn kill_keeper(home: &TestHome, id: &str) {
    let pid = home.show(id)["runtime"]["keeper_pid"].as_i64().unwrap();
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL).unwrap();
}

fn detach(mut terminal: Terminal) {
    terminal.write(b"\x1d");
    assert!(terminal.exit().success());
}

/// Attach: a session whose keeper died while shown says so, with the last screen kept above it and the
/// terminal as it was.
#[test]
fn a_keeper_that_dies_is_told_of_in_attach() {
    let home = TestHome::new();
    let id = shell(&home, "printf '\\033[?1000h\\033[?2004h\\n\\n\\n\\nready'; exec sleep 1000");
    let mut terminal = attach(&home, &[&id], 80, 24);
    terminal.see("ready");
    terminal.see_bytes("\x1b[?2004h");
    kill_keeper(&home, &id);
    assert!(terminal.exit().success());
    terminal.see("ready");
    terminal.see(&format!("the keeper of {id} is gone"));
    assert_restored(&terminal);
    home.run(["recover"]).ok();
    home.finish();
}

/// The same for an agent that has the dashboard's terminal: its pane says so, with its last screen.
#[test]
fn a_keeper_that_dies_while_it_is_zoomed_is_told_of_in_its_pane() {
    let home = TestHome::new();
    let id = shell(&home, "echo ready; exec sleep 1000");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&[&id]);
    console.see("ready");
    console.press("Z");
    console.see_title("the hint", |title| title.contains("Ctrl+] leaves"));
    console.see_alternate(false);
    console.see("ready");
    kill_keeper(&home, &id);
    console.see_alternate(true);
    console.see_row(&[&id]);
    console.see("Its keeper is gone.");
    console.see("ready");
    console.press("q");
    assert!(console.exit().success());
    home.run(["recover"]).ok();
    home.finish();
}

/// Attach: the agent's size is that of the console that typed into it last. One that only begins to type, or
/// whose window changes, takes it from nobody who typed since; its first key does.
#[test]
fn only_what_is_typed_takes_the_size_from_who_typed_last() {
    let home = TestHome::new();
    let id = shell(&home, SIZES);
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&[&id]);
    let large = attach(&home, &[&id], 100, 30);
    large.see("ready");
    large.write(b"a\r");
    large.see("a: 30 100");
    console.see("a: 30 100");
    console.press("Enter");
    console.see(&format!("typing to {id}"));
    large.write(b"b\r");
    large.see("b: 30 100");
    console.see("b: 30 100");
    console.write(b"c\r");
    console.see("c: ");
    assert!(!console.text().contains("c: 30 100"), "what is typed takes it");
    large.write(b"d\r");
    large.see("d: 30 100");
    console.see("d: 30 100");
    console.resize(110, 38);
    console.see(&format!("typing to {id}"));
    large.write(b"e\r");
    large.see("e: 30 100");
    assert!(!large.alternate(), "it was never drawn in another size");
    console.write(b"f\r");
    console.see("f: ");
    assert!(!console.text().contains("f: 30 100"), "what is typed takes it");
    // Now this window is the one that typed last, and its changes are followed.
    let size = || {
        let screen = home.run(["screen", &id, "--json"]).ok().json();
        (screen["cols"].as_u64(), screen["rows"].as_u64())
    };
    let before = size();
    console.resize(130, 42);
    until("the size of the window", || (size() != before).then_some(()));
    let had = || {
        let recording = home.run(["log", &id, "--cast", "-"]).ok().stdout;
        let sizes = recording.lines().filter(|line| line.contains("\"r\""));
        sizes.map(|line| line.split('"').nth(3).unwrap_or_default().to_owned()).collect()
    };
    let had = until("all sizes", || Some(had()).filter(|had: &Vec<String>| had.len() > 4));
    assert_eq!(had[..3], ["100x30", "82x34", "100x30"], "what only begins to type takes none");
    assert_eq!(had.len(), 5, "nor does a window that changes: {had:?}");
    console.press("C-]");
    console.see_no(&format!("typing to {id}"));
    detach(large);
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// Attach: who begins to type where nobody else does has the size at once.
#[test]
fn who_begins_to_type_alone_has_the_size_at_once() {
    let home = TestHome::new();
    let id = shell(&home, SIZES);
    let large = attach(&home, &[&id], 100, 30);
    large.see("ready");
    home.wait_size(&id, 100, 30);
    detach(large);
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&[&id]);
    console.see("ready");
    home.wait_size(&id, 100, 30);
    console.press("Enter");
    console.see(&format!("typing to {id}"));
    home.wait_size(&id, 82, 34);
    console.press("C-]");
    console.see_no(&format!("typing to {id}"));
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// Attach: a viewer of another size shows the keeper's screen, also after the agent's size changed: rows
/// that come back from the history come back there too.
#[test]
fn after_a_change_of_size_a_viewer_shows_what_the_keeper_has() {
    let home = TestHome::new();
    let id = shell(&home, "stty -echo; trap '' WINCH; seq -f 'row %g.' 1 100; exec sleep 1000");
    let large = attach(&home, &[&id], 100, 30);
    large.see("row 100.");
    let mut looker = attach(&home, &[&id, "--read-only"], 60, 20);
    looker.see("row 72.");
    large.resize(100, 38);
    home.wait_size(&id, 100, 38);
    looker.see("row 64.");
    looker.see("row 83.");
    looker.see_no("row 84.");
    large.resize(100, 25);
    looker.see("row 77.");
    looker.see_no("row 76.");
    looker.write(b"q");
    assert!(looker.exit().success());
    detach(large);
    home.finish();
}

/// What was typed and not taken is told with the reason: in the pane, and in the title of a terminal that is
/// the agent's.
#[test]
fn what_is_not_taken_is_told_where_it_was_typed() {
    let home = TestHome::new();
    let id = shell(&home, "stty raw -echo; echo ready; exec sleep 1000");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&[&id]);
    console.see("ready");
    console.press("Enter");
    console.see(&format!("typing to {id}"));
    let text = [b"\x1b[200~", &vec![b'p'; 5 << 20][..], b"\x1b[201~"].concat();
    console.write(&text);
    console.see("What was typed was not taken: the agent does not read what is typed.");
    console.press("C-]");
    console.see_no(&format!("typing to {id}"));
    let terminal = attach(&home, &[&id], 80, 24);
    terminal.see("ready");
    terminal.write(&text);
    terminal.see_title("why", |title| {
        title.contains("did not take what was typed: the agent does not read what is typed")
    });
    detach(terminal);
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// Environment of an agent: `Z` brings the key agent of the present login, as `attach` does, also where
/// another login brought its own since the dashboard began.
#[test]
fn a_zoom_brings_the_key_agent_of_this_login() {
    let home = TestHome::new();
    let id = shell(&home, "echo ready; exec sleep 1000");
    let socket = home.path().join("agent");
    let _agent = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let variables = [("SSH_AUTH_SOCK", socket.to_str().unwrap())];
    let program = std::path::Path::new(binary());
    let mut console = Terminal::start_program(program, home.path(), home.path(), &variables);
    console.see_row(&[&id]);
    let link = home.path().join("run/ssh-agent");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(home.path().join("other"), &link).unwrap();
    console.press("Z");
    console.see_title("the hint", |title| title.contains("Ctrl+] leaves"));
    assert_eq!(std::fs::read_link(&link).unwrap(), socket);
    console.write(b"\x1d");
    console.see_alternate(true);
    console.see_row(&[&id]);
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}
