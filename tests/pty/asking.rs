//! What a command asks before it takes something away, answered by a person at a terminal.

use crate::driver::Terminal;
use crate::support::TestHome;

/// Starts a command in a terminal.
fn ask(home: &TestHome, line: &str) -> Terminal {
    let args: Vec<&str> = line.split(' ').collect();
    Terminal::start(home.path(), home.path(), &args, 100, 12)
}

/// stop, kill, delete, purge and clear ask on a terminal; no, nothing and Ctrl-C leave everything.
#[test]
fn what_takes_away_asks_and_does_what_is_answered() {
    let home = TestHome::new();
    for (verb, question) in [
        ("stop", "Stop chat-"),
        ("kill", "Kill chat-"),
        ("delete", "Delete chat-"),
        ("clear", "Delete chat-"),
        ("purge", "from the trash for good?"),
    ] {
        let id = home.scripted("print ready;wait");
        if verb == "purge" {
            home.run(["delete", &id, "--yes"]).ok();
        }
        let before = home.show(&id)["state"].clone();
        let line = if verb == "clear" { verb.to_owned() } else { format!("{verb} {id}") };
        for (answer, code) in
            [("n\r", 4), ("\r", 4), ("nonsense\r", 4), ("\u{4}", 4), ("\u{3}", 130)]
        {
            let mut terminal = ask(&home, &line);
            terminal.see_row(&[question, "[y/N]"]);
            terminal.write(answer.as_bytes());
            assert_eq!(terminal.exit().exit_code(), code, "{verb} {answer:?}\n{}", terminal.text());
            assert_eq!(home.show(&id)["state"], before, "{verb} {answer:?}");
        }
        let mut terminal = ask(&home, &line);
        terminal.see_row(&[question, "[y/N]"]);
        terminal.write(b"yes\r");
        assert_eq!(terminal.exit().exit_code(), 0, "{verb}\n{}", terminal.text());
        match verb {
            "purge" => drop(home.run(["show", &id]).code(3)),
            _ => assert_eq!(home.show(&id)["alive"], false, "{verb}"),
        }
    }
    home.finish();
}

/// restore, `--dry-run` and `--yes` never ask, and neither does what has nothing to do.
#[test]
fn what_brings_back_or_only_tells_does_not_ask() {
    let home = TestHome::new();
    let id = home.scripted("wait");
    for line in [
        format!("stop {id} --dry-run"),
        format!("kill {id} --dry-run"),
        format!("delete {id} --dry-run"),
        "clear --dry-run".to_owned(),
        "purge --all --dry-run".to_owned(),
        "purge --all".to_owned(),
        format!("delete {id} --yes"),
        "restore --last --dry-run".to_owned(),
        "restore --last".to_owned(),
        format!("stop {id}"),
        "cleanup".to_owned(),
        "delete no-1".to_owned(),
    ] {
        let mut terminal = ask(&home, &line);
        assert_eq!(terminal.exit().exit_code(), 0, "{line}\n{}", terminal.text());
        assert!(!terminal.text().contains("[y/N]"), "{line}\n{}", terminal.text());
    }
    home.finish();
}
