//! `attach` in a real terminal: an agent's bytes straight to it, keys straight back.

use callboard::runtime::screen::InputModes;
use rustix::process::Signal;

use crate::driver::Terminal;
use crate::support::TestHome;

/// Starts an agent that is a shell script; answers its id.
pub(crate) fn shell(home: &TestHome, script: &str) -> String {
    let args = ["spawn", "--json", "--chat", "--agent", "command", "--", "sh", "-c", script];
    home.run(args).ok().json()["id"].as_str().unwrap().to_owned()
}

pub(crate) fn attach(home: &TestHome, args: &[&str], cols: u16, rows: u16) -> Terminal {
    let args: Vec<&str> = ["attach"].iter().chain(args).copied().collect();
    Terminal::start(home.path(), home.path(), &args, cols, rows)
}

/// Everything that an agent may have set, on the way out.
#[track_caller]
pub(crate) fn assert_restored(terminal: &Terminal) {
    let modes = terminal.modes();
    assert_eq!(
        modes,
        InputModes { alternate_scroll: modes.alternate_scroll, ..InputModes::default() }
    );
    assert!(!terminal.alternate() && terminal.cursor_visible());
    assert_eq!(terminal.title(), "");
    for undone in [
        "\x1b[?1000l",
        "\x1b[?1002l",
        "\x1b[?1003l",
        "\x1b[?1006l",
        "\x1b[?1004l",
        "\x1b[?2004l",
        "\x1b[?2026l",
        "\x1b[?1l",
        "\x1b>",
        "\x1b[?7h",
        "\x1b[?6l",
        "\x1b[r",
        "\x1b(B",
        "\x0f",
        "\x1b[0 q",
        "\x1b[?25h",
        "\x1b[<1u",
        "\x1b[23;0t",
        "\x1b[4l",
        "\x1b[0m",
    ] {
        assert!(terminal.received(undone), "{undone:?}");
    }
}

/// Attach: keys go to the agent, its echo to the terminal, and the leave key, in each of the forms in
/// which a terminal may send it, gives the terminal back.
#[test]
fn what_is_typed_is_echoed_and_the_leave_key_leaves_in_each_form() {
    let home = TestHome::new();
    let id = home.scripted("print ready;forever;prompt;end");
    for (nth, leave) in ["\x1d", "\x1b[93;5u", "\x1b[27;5;93~"].into_iter().enumerate() {
        let mut terminal = attach(&home, &[&id], 80, 24);
        terminal.see("ready");
        terminal.see_title("the hint", |title| title == format!("{id} | Ctrl+] leaves"));
        assert!(!terminal.alternate(), "its own screen, not one drawn by us");
        terminal.write(format!("hello {nth}\r").as_bytes());
        terminal.see(&format!("You said: hello {nth}"));
        let (first, rest) = leave.as_bytes().split_at(leave.len() / 2);
        terminal.write(first);
        terminal.write(rest);
        assert!(terminal.exit().success());
        terminal.see(&format!("left {id}; it goes on"));
        assert!(!terminal.asked(), "nothing was asked of the terminal");
        assert_restored(&terminal);
    }
    home.finish();
}

/// What was on the terminal before is scrolled out and not lost; a paste that holds the leave key does
/// not leave.
#[test]
fn a_paste_that_holds_the_leave_key_goes_to_the_agent() {
    let home = TestHome::new();
    let script = "printf '\\033[?2004h'; stty raw -echo; echo ready; dd bs=1 count=16 2>/dev/null | od -c; cat";
    let id = shell(&home, script);
    let mut terminal = attach(&home, &[&id], 80, 24);
    terminal.see("ready");
    terminal.see_bytes("\x1b[?2004h");
    let before = format!("attached to {id}; Ctrl+] leaves");
    assert!(terminal.scrolled().contains(&before), "{:?}", terminal.scrolled());
    terminal.write(b"\x1b[200~a\x1dbc\x1b[201~");
    terminal.see("0   0   ~   a 035   b   c");
    terminal.write(b"\x1d");
    assert!(terminal.exit().success());
    home.finish();
}

/// Everything that an agent sets is undone: by the leave key, by signals, and where the agent ends.
#[test]
fn the_terminal_is_given_back_as_it_was_on_every_way_out() {
    let home = TestHome::new();
    let script = "printf '\\033[?1049h\\033[?1003h\\033[?1006h\\033[?1004h\\033[?2004h\\033[?1h\\033=\
                  \\033[>5u\\033[>4;2m\\033[5 q\\033[?25l\\033]0;work\\007\\033[2;5r\\033[?7l\\033[4h\\033(0\\016\
                  \\033]4;1;#112233\\007\\033]11;#223344\\007\\033]9;4;1;50\\007\\033[?2026h\\033[1;31m'; \
                  stty -echo; read line; exit 3";
    let colours = ["\x1b]104\x1b\\", "\x1b]111\x1b\\", "\x1b[>4m"];
    let id = shell(&home, script);
    for signal in [Some(Signal::TERM), Some(Signal::INT), None] {
        let mut terminal = attach(&home, &[&id], 80, 24);
        terminal.see_title("its title", |title| title == "work | Ctrl+] leaves");
        terminal.see_bytes("\x1b[5 q");
        assert!(terminal.alternate() && !terminal.cursor_visible());
        assert!(terminal.modes().app_cursor && terminal.modes().kitty == 5);
        match signal {
            Some(signal) => terminal.signal(signal),
            None => terminal.write(b"\x1d"),
        }
        assert_eq!(terminal.exit().success(), signal.is_none());
        assert_restored(&terminal);
        for undone in colours {
            assert!(terminal.received(undone), "{undone:?}");
        }
    }
    let mut terminal = attach(&home, &[&id], 80, 24);
    terminal.see_title("its title", |title| title.starts_with("work"));
    terminal.write(b"\r");
    assert!(terminal.exit().success());
    assert_restored(&terminal);
    terminal.see(&format!("{id} ended"));
    home.finish();
}

/// A terminal that goes away takes attach with it, and not the agent.
#[test]
fn a_dead_terminal_ends_attach_and_not_the_agent() {
    let home = TestHome::new();
    let id = home.scripted("print ready;forever;prompt;end");
    let mut terminal = attach(&home, &[&id], 80, 24);
    terminal.see("ready");
    terminal.hang_up();
    let mut terminal = attach(&home, &[&id], 80, 24);
    terminal.see("ready");
    terminal.write(b"still there\r");
    terminal.see("You said: still there");
    terminal.write(b"\x1d");
    assert!(terminal.exit().success());
    home.finish();
}

/// A shell that tells the size of its terminal for each line.
pub(crate) const SIZES: &str =
    "stty -echo; echo ready; while read line; do echo \"$line: $(stty size)\"; done";

/// The agent follows the size of the terminal, and the picture is right again after each change.
#[test]
fn another_size_and_back() {
    let home = TestHome::new();
    let id = shell(&home, SIZES);
    let mut terminal = attach(&home, &[&id], 80, 24);
    terminal.see("ready");
    for (nth, (cols, rows)) in [(60, 20), (100, 30), (80, 24)].into_iter().enumerate() {
        terminal.resize(cols, rows);
        // What is typed before the agent has the new size would be answered with the old one.
        home.wait_size(&id, cols, rows);
        terminal.write(format!("n{nth}\r").as_bytes());
        terminal.see(&format!("n{nth}: {rows} {cols}"));
        assert!(!terminal.alternate());
    }
    terminal.write(b"\x1d");
    assert!(terminal.exit().success());
    home.finish();
}

/// Several viewers: the agent's size is that of who typed last; others crop, and looking changes
/// nothing. A dashboard's pane is one of them.
#[test]
fn the_size_is_that_of_who_typed_last() {
    let home = TestHome::new();
    let id = shell(&home, SIZES);
    let mut large = attach(&home, &[&id], 100, 30);
    large.see("ready");
    large.write(b"a\r");
    large.see("a: 30 100");
    let mut small = attach(&home, &[&id], 60, 20);
    small.see("a: 30 100");
    // A smaller one that came later has it now; the larger one shows a part of its window.
    home.wait_size(&id, 60, 20);
    small.write(b"b\r");
    small.see("b: 20 60");
    large.see("b: 20 60");
    large.see_alternate(true);
    let mut looker = attach(&home, &[&id, "--read-only"], 30, 10);
    looker.see("b: 20 60");
    looker.write(b"nothing\r");
    looker.resize(40, 12);
    large.write(b"c\r");
    large.see("c: 30 100");
    large.see_alternate(false);
    small.see("c: 30 100");
    looker.see("c: 30 100");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&[&id]);
    console.see("c: 30 100");
    large.write(b"d\r");
    large.see("d: 30 100");
    console.press("Enter");
    console.see(&format!("typing to {id}"));
    console.write(b"e\r");
    console.see("e: ");
    assert!(!console.text().contains("e: 30 100"), "the pane is smaller");
    large.write(b"f\r");
    large.see("f: 30 100");
    console.write(b"g\r");
    console.see("g: ");
    assert!(!console.text().contains("g: 30 100"), "the pane has it again");
    assert!(!large.text().contains("nothing"), "who only looks types nothing");
    looker.write(b"q");
    assert!(looker.exit().success());
    console.press("C-]");
    console.see_no(&format!("typing to {id}"));
    console.press("q");
    assert!(console.exit().success());
    for terminal in [&mut large, &mut small] {
        terminal.write(b"\x1d");
        assert!(terminal.exit().success());
        assert_restored(terminal);
    }
    home.finish();
}

/// A terminal that does not read holds nobody: the agent goes on, and the terminal shows how it is
/// once it reads again.
#[test]
fn a_slow_terminal_does_not_hold_the_agent() {
    let home = TestHome::new();
    let flood = "stty -echo; echo ready; read line; yes 0123456789abcdef | head -c 20000000; echo; echo flood-end; cat";
    let id = shell(&home, flood);
    let mut terminal = attach(&home, &[&id], 80, 24);
    terminal.see("ready");
    terminal.hold(true);
    terminal.write(b"\r");
    home.wait_screen(&id, "flood-end");
    terminal.hold(false);
    terminal.see("flood-end");
    terminal.write(b"after\r");
    terminal.see("after");
    terminal.write(b"\x1d");
    assert!(terminal.exit().success());
    assert_restored(&terminal);
    home.finish();
}

/// What an agent copies reaches the clipboard of who types to it, and of nobody who only looks.
#[test]
fn who_only_looks_has_nothing_copied() {
    let home = TestHome::new();
    let id = shell(
        &home,
        "stty -echo; echo ready; \
         while read line; do printf '\\033]52;c;bmV3\\007'; echo \"$line done\"; done",
    );
    let folder = home.path().join("config");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "clipboard = \"on\"\n").unwrap();
    let mut typist = attach(&home, &[&id], 80, 24);
    typist.see("ready");
    let mut looker = attach(&home, &[&id, "--read-only"], 80, 24);
    looker.see("ready");
    typist.write(b"one\r");
    typist.see("one done");
    looker.see("one done");
    assert!(!typist.alternate() && !looker.alternate(), "both see the agent's own bytes");
    assert_eq!(typist.copied(), ["new"]);
    assert!(looker.copied().is_empty() && !looker.received("\x1b]52"));
    looker.write(b"q");
    assert!(looker.exit().success());
    typist.write(b"\x1d");
    assert!(typist.exit().success());
    home.finish();
}

/// Without a terminal one cannot attach, and is not told that one had.
#[test]
fn without_a_terminal_nothing_is_attached_to() {
    let home = TestHome::new();
    let id = shell(&home, "echo ready; cat");
    let answer = home.command(["attach", &id]).output().unwrap();
    assert!(!answer.status.success());
    let told = [answer.stdout, answer.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    assert!(told.contains("the terminal cannot be used"), "{told}");
    assert!(!told.contains("attached to"), "{told}");
    home.finish();
}

/// The dashboard gives its terminal away and takes it back, as often as one likes, with nothing left
/// on the shell's screen.
#[test]
fn the_dashboard_gives_its_terminal_to_an_agent() {
    let home = TestHome::new();
    let id = shell(&home, SIZES);
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    for nth in 0..2 {
        console.see_row(&[&id]);
        console.press("Z");
        console.see_title("the hint", |title| title.contains("Ctrl+] leaves"));
        console.see_alternate(false);
        console.see("ready");
        home.wait_size(&id, 120, 40);
        console.write(format!("z{nth}\r").as_bytes());
        console.see(&format!("z{nth}: 40 120"));
        console.write(b"\x1d");
        console.see_alternate(true);
    }
    // What is read with the key that zooms is the agent's already, up to the key that leaves.
    console.see_row(&[&id]);
    console.write(b"Zahead\r\x1d");
    console.see_bytes("\x1b]2;");
    home.wait_screen(&id, "ahead: 40 120");
    console.see_alternate(true);
    console.see_row(&[&id]);
    console.press("q");
    assert!(console.exit().success());
    assert!(!console.text().contains("ready"));
    assert_eq!(console.title(), "");
    home.finish();
}

/// More than the terminal's reader takes at once, without the marks of a paste, arrives whole.
#[test]
fn a_long_line_that_is_typed_at_once_arrives_whole() {
    let home = TestHome::new();
    let id =
        shell(&home, "stty -echo; echo ready; while read line; do echo \"${#line} came\"; done");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&[&id]);
    console.press("Enter");
    console.see(&format!("typing to {id}"));
    console.see("ready");
    console.write(format!("{}\r", "a".repeat(3_000)).as_bytes());
    console.see("3000 came");
    console.press("C-]");
    console.see_no(&format!("typing to {id}"));
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}
