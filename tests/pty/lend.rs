//! The terminal is lent to an editor and to a shell, and taken back.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::driver::Terminal;
use crate::support::{TestHome, binary};

/// A program of the operator's.
fn script(home: &TestHome, name: &str, text: &str) -> PathBuf {
    let path = home.folder("bin").join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// `o`: the worktree in EDITOR, which has the terminal as it was; afterwards everything is ours again.
#[test]
fn an_editor_and_a_shell_have_the_terminal_until_they_end() {
    let home = TestHome::new();
    let repository = home.project("shop");
    let id = home.spawn(["--project", "shop"], "print ready;wait");
    let folder = home.show(&id)["folder"].as_str().unwrap().to_owned();
    // Lines are edited by the terminal only where it is as it was before us.
    let text = r#"echo "edits $1 $2 in $PWD"; read line; echo "read: $line"; read line; exit 0"#;
    let editor = script(&home, "editor", text);
    let shell = script(&home, "shell", r#"echo "shell in $PWD"; read line; exit 3"#);
    let mut console = Terminal::start_program(
        binary().as_ref(),
        home.path(),
        repository.path(),
        &[("EDITOR", &format!("{} --wait", editor.display())), ("SHELL", &shell.to_string_lossy())],
    );
    console.see_row(&[&id, "working"]);
    console.see_alternate(true);
    // The keyboard is taken with the end of the first frame.
    console.see_modes("the keyboard taken", |modes| modes.kitty == 1);
    let modes = console.modes();

    console.press("o");
    console.see_alternate(false);
    console.see(&format!("edits --wait . in {folder}"));
    console.write(b"abx\x7fc\r");
    console.see("read: abc");
    // An interrupt is the editor's; it ends it, and nothing else.
    console.write(b"\x03");
    console.see_alternate(true);
    console.see("ended with");
    console.see_row(&[&id]);
    console.see_modes("paste, mouse and keys as before", |now| *now == modes);
    console.press("Esc");
    console.see_no("ended with");

    console.press("s");
    console.see_alternate(false);
    console.see(&format!("shell in {folder}"));
    console.write(b"bye\r");
    console.see_alternate(true);
    console.see_row(&[&id]);
    assert!(!console.text().contains("ended with"), "how a shell ends is its own affair");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// A folder or an editor that is not there is told, and the dashboard goes on; a signal to us ends the
/// editor and then us.
#[test]
fn an_editor_that_cannot_start_is_told_and_a_signal_ends_both() {
    let home = TestHome::new();
    let id = home.scripted("print ready;wait");
    let start = |editor: &str| {
        Terminal::start_program(
            binary().as_ref(),
            home.path(),
            home.path(),
            &[("EDITOR", editor), ("SHELL", "/no/such/shell")],
        )
    };
    let mut console = start("no-such-editor-here");
    console.see_row(&[&id]);
    console.press("o");
    console.see("Editor no-such-editor-here ended with");
    console.see_modes("the keyboard taken", |modes| modes.kitty == 1);
    console.press("Esc");
    console.see_no("ended with");
    console.press("s");
    console.see("cannot be started in");
    console.see_modes("the keyboard taken", |modes| modes.kitty == 1);
    console.press("Esc");
    console.see_no("cannot be started in");
    console.see_row(&[&id]);
    console.press("q");
    assert!(console.exit().success());

    let editor = script(&home, "waits", "echo waiting; read line");
    let mut console = start(&editor.to_string_lossy());
    console.see_row(&[&id]);
    console.press("o");
    console.see("waiting");
    console.signal(rustix::process::Signal::TERM);
    console.exit();
    assert!(!console.alternate());
    home.finish();
}
