//! The dashboard ends well whatever becomes of its terminal, and leaves agents and terminal as they should be
//! (`spec/console.md`, Behaviour: terminal restored on every way out).

use portable_pty::CommandBuilder;
use rustix::process::{Pid, Signal, kill_process};

use crate::driver::Terminal;
use crate::support::{TestHome, binary, until};

/// An agent at rest.
fn agent(home: &TestHome) {
    let id = home.scripted("print painted;forever;prompt;end");
    home.wait(&id, "idle");
}

/// A dashboard that shows it.
fn console(home: &TestHome) -> Terminal {
    let console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["chat-1", "idle"]);
    console.see("painted");
    console
}

fn restored(console: &Terminal) {
    assert!(!console.alternate() && console.cursor_visible(), "screen and cursor");
    let modes = console.modes();
    assert!(!modes.bracketed_paste && !modes.focus, "{modes:?}");
    assert_eq!(console.title(), "", "the title");
}

#[test]
fn a_dashboard_that_is_terminated_gives_the_terminal_back() {
    let home = TestHome::new();
    agent(&home);
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let mut console = console(&home);
        console.signal(signal);
        console.exit();
        restored(&console);
    }
    home.finish();
}

/// The terminal is closed: no signal of ours, only what the system does.
#[test]
fn a_dashboard_without_a_terminal_ends_and_its_agents_go_on() {
    let home = TestHome::new();
    agent(&home);
    let mut console = console(&home);
    console.close();
    console.wait_end();
    assert_eq!(home.show("chat-1")["alive"], true);
    assert_eq!(home.show("chat-1")["status"], "idle");
    home.finish();
}

/// Also while a job runs, which a worker then goes on with.
#[test]
fn a_dashboard_whose_terminal_goes_in_the_middle_of_a_job_hands_it_over() {
    let home = TestHome::new();
    for script in ["print ready;wait", "ignore TERM;print ready;wait"] {
        let id = home.scripted(script);
        home.wait_screen(&id, "ready");
    }
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["chat-2", "working"]);
    console.press("*");
    console.see("2 marked");
    console.press("d");
    console.see("[ Delete 2 ]");
    console.press("Tab");
    console.press("Enter");
    console.see_row(&["delete", "0/2"]);
    console.close();
    console.wait_end();
    until("the worker to finish the delete", || {
        (home.run(["list", "--deleted", "--json"]).ok().json()["total"] == 2).then_some(())
    });
    home.finish();
}

/// A terminal that does not read holds back frames, and nothing else.
#[test]
fn a_dashboard_whose_terminal_never_reads_ends_at_a_signal() {
    let home = TestHome::new();
    let id = home.scripted("rate 2000000");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&[&id, "working"]);
    console.hold(true);
    // More frames than the system keeps for a reader.
    for _ in 0..200 {
        console.press("? Esc");
    }
    home.run(["rename", &id, "Named meanwhile"]).ok();
    console.signal(Signal::TERM);
    console.wait_end();
    console.hold(false);
    assert_eq!(home.show(&id)["alive"], true);
    home.finish();
}

/// And what it did not read is drawn once it reads again.
#[test]
fn a_terminal_that_reads_again_shows_the_newest_frame() {
    let home = TestHome::new();
    let id = home.scripted("rate 2000000");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&[&id, "working"]);
    console.hold(true);
    home.run(["rename", &id, "Named meanwhile"]).ok();
    console.press("?");
    console.hold(false);
    console.see("Keys for the");
    console.press("Esc");
    console.see("Named meanwhile");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// The dashboard that runs as a job of a shell.
fn child(shell: u32) -> Pid {
    let path = format!("/proc/{shell}/task/{shell}/children");
    let found = until("the dashboard", || {
        let children = std::fs::read_to_string(&path).unwrap();
        children.split_whitespace().next()?.parse().ok()
    });
    Pid::from_raw(found).unwrap()
}

/// Suspended by its key, by TSTP or by STOP: the shell has its terminal until the job goes on, which draws
/// everything again.
#[test]
fn a_suspended_dashboard_gives_the_terminal_to_the_shell_and_draws_again() {
    let home = TestHome::new();
    agent(&home);
    let mut command = CommandBuilder::new("bash");
    let script = "set -m; \"$0\"; while [ -n \"$(jobs -s)\" ]; do echo it stopped; read line; \
                  fg >/dev/null; done; echo it ended";
    command.args(["-c", script, binary()]);
    let mut console = Terminal::run(command, home.path(), home.path(), 120, 40);
    for way in ["key", "TSTP", "STOP"] {
        console.see_row(&["chat-1", "idle"]);
        console.see("painted");
        console.see_alternate(true);
        match way {
            "key" => console.press("C-z"),
            "TSTP" => kill_process(child(console.pid()), Signal::TSTP).unwrap(),
            // Nobody can give the terminal back then: the shell draws over it.
            _ => kill_process(child(console.pid()), Signal::STOP).unwrap(),
        }
        console.see("it stopped");
        if way != "STOP" {
            restored(&console);
        }
        console.write(b"\n");
        console.see_no("it stopped");
        let modes = console.modes();
        assert!(console.alternate() && modes.bracketed_paste && modes.focus, "{way}: {modes:?}");
        console.press("?");
        console.see("Keys for the");
        console.press("Esc");
        console.see_no("Keys for the");
    }
    console.press("q");
    console.see("it ended");
    console.exit();
    restored(&console);
    home.finish();
}
