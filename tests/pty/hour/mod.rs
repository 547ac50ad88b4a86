//! One hour of an operator with many agents (`docs/hour.md` tells the same): started by a script, answered,
//! told, stopped, deleted, brought back, through a console that is killed; nothing is lost, nothing is left.

mod cast;

use std::collections::BTreeSet;

use crate::driver::Terminal;
use crate::support::until;
use cast::{Cast, PROJECTS, Part};

/// Agents unless `CALLBOARD_HOUR_AGENTS` says how many; each kind is in each project from 18 on.
const AGENTS: usize = 18;
/// Where the list begins in a terminal of 120 columns.
const LIST: usize = 19;

fn agents() -> usize {
    let wanted = std::env::var("CALLBOARD_HOUR_AGENTS").ok().and_then(|it| it.parse().ok());
    wanted.unwrap_or(AGENTS)
}

/// The session under the bar of the list.
fn selected(lines: &[String]) -> Option<String> {
    let mut rows = lines.iter().map(|line| line.chars().skip(LIST).collect::<String>());
    let row = rows.find(|row| row.starts_with('▐'))?;
    let known = |word: &&str| {
        let (name, number) = word.rsplit_once('-').unwrap_or_default();
        PROJECTS.contains(&name) && number.parse::<u32>().is_ok()
    };
    row.split_whitespace().find(known).map(str::to_owned)
}

/// Shows the section of a project, and of it what a find leaves.
fn show(console: &Terminal, project: &str, find: &str, count: usize) {
    let section = PROJECTS.iter().position(|name| *name == project).unwrap() + 1;
    console.press(&section.to_string());
    console.see(&format!("{project} ∙ "));
    console.press("/");
    console.see("Enter keep");
    console.paste(find);
    console.press("Enter");
    console.see(&format!("{project} ∙ {count} of "));
}

/// Takes notice, marks and filter away, each by an Esc of its own.
fn show_all(console: &Terminal) {
    let shown = |lines: &[String]| {
        let notice = lines.iter().any(|line| line.contains("Esc dismiss"));
        (notice, lines.iter().any(|line| line.contains(" marked ")), lines[1].contains(" of "))
    };
    while shown(&console.lines()).2 {
        let before = shown(&console.lines());
        console.press("Esc");
        console.wait("Esc to take something away", |lines| shown(lines) != before);
    }
}

fn mark_all(console: &Terminal, count: usize) {
    console.press("*");
    console.see(&format!("{count} marked"));
}

/// Presses the red button of a dialog.
fn confirm(console: &Terminal, button: &str) {
    console.see(&format!("[ {button} ]"));
    console.press("Tab");
    console.press("Enter");
    console.see_no(&format!("[ {button} ]"));
}

/// Goes from one who waits to the next with `w` and does what each wants.
fn answer_everybody(cast: &Cast, console: &Terminal) {
    let waits = [Part::Permission, Part::Question, Part::Fails];
    let mut left = cast.count_all(&waits);
    let mut done = BTreeSet::new();
    console.see(&format!("{left} need you"));
    while left > 0 {
        let mut at = selected(&console.wait("a whole frame", |_| true));
        while at.as_ref().is_none_or(|id| done.contains(id) || !waits.contains(&cast.parts[id])) {
            console.press("w");
            let lines = console.wait("another one to be selected", |lines| {
                let now = selected(lines);
                now.is_some() && now != at
            });
            at = selected(&lines);
        }
        let id = at.unwrap();
        match cast.parts[&id] {
            Part::Permission => {
                console.see("cargo test");
                console.press("y");
            }
            Part::Question => {
                console.see("Which rounding?");
                console.press("a");
                console.see(&format!("Answer {id}"));
                console.press("j");
                console.press("Enter");
            }
            _ => {
                console.see("Reports an error: overloaded");
                console.press("x");
            }
        }
        left -= 1;
        console.see(&format!("{left} need you"));
        done.insert(id);
    }
    for (id, part) in &cast.parts {
        match part {
            Part::Permission => drop(cast.home.wait_screen(id, "Answer: Yes")),
            Part::Question => drop(cast.home.wait_screen(id, "Answer: Half even")),
            _ => {}
        }
    }
}

/// Tells all who are idle in a project to go on.
fn message_the_idle(cast: &Cast, console: &Terminal, project: &str) {
    let talkers = [Part::Permission, Part::Question, Part::Finishes];
    let count = cast.count(project, &talkers);
    cast.wait_status(project, "idle", count);
    show(console, project, "status:idle", count);
    mark_all(console, count);
    console.press("m");
    console.see(&format!("Message to {count} sessions"));
    console.paste("Go on with the next part.");
    console.press("C-s");
    console.see("Sent to");
    console.see_no(" marked ");
    for part in talkers {
        for id in cast.of(project, part) {
            cast.home.wait_screen(&id, "You said: Go on with the next part.");
        }
    }
    show_all(console);
}

/// Stops all who work in a project.
fn stop_the_working(cast: &Cast, console: &Terminal, project: &str) {
    let count = cast.count(project, &[Part::Works]);
    show(console, project, "status:working", count);
    mark_all(console, count);
    console.press("x");
    if count > 1 {
        confirm(console, &format!("Stop {count}"));
    }
    console.see("stopped.");
    show_all(console);
}

/// Deletes who ended in a project, by filter; what it leaves is brought back by `u`, deleted again, and one of
/// them restored from the trash.
fn delete_undo_restore(cast: &Cast, console: &Terminal, project: &str) {
    let count = cast.count(project, &[Part::Fails, Part::Dies, Part::Works]);
    let before = cast.rows(false);
    for round in ["undone", "kept"] {
        show(console, project, "status:killed", count);
        mark_all(console, count);
        console.press("d");
        console.see(&format!("Delete {count} sessions"));
        console.see_row(&["uncommitted", "kept in the trash"]);
        confirm(console, &format!("Delete {count}"));
        console.see(&format!("{count} deleted"));
        assert_eq!(cast.rows(false).len(), before.len() - count);
        if round == "undone" {
            console.press("u");
            console.see(&format!("{count} brought back"));
            let after = cast.rows(false);
            let branch = |row: &serde_json::Value| (row["branch"].clone(), row["folder"].clone());
            assert_eq!(after.len(), before.len());
            assert!(after.iter().all(|(id, row)| branch(row) == branch(&before[id])), "{after:?}");
        }
        cast.account();
        show_all(console);
    }
    console.press("t");
    console.see("deleted together");
    console.press("r");
    console.see("brought back.");
    console.see_row(&["Trash", &(count - 1).to_string()]);
    console.press("q");
    console.see(&format!("{project} ∙ "));
}

/// Kills the console in the middle of a delete; the next one finds everybody, and launches who was ended.
fn killed_in_a_delete(cast: &Cast, mut console: Terminal, project: &str) -> Terminal {
    let all = cast.parts.keys().filter(|id| id.starts_with(&format!("{project}-"))).count();
    let section = PROJECTS.iter().position(|name| *name == project).unwrap() + 1;
    console.press(&section.to_string());
    console.see(&format!("{project} ∙ {all} "));
    mark_all(&console, all);
    console.press("d");
    confirm(&console, &format!("Delete {all}"));
    // Its working ones do not heed TERM: this is before the transaction, with some closed already.
    let stubborn = cast.of(project, Part::Works);
    console.see_row(&[&stubborn[0], "closing"]);
    until("some of them to be closed", || {
        let rows = cast.rows(false);
        let talkers = cast.of(project, Part::Finishes);
        talkers.iter().all(|id| rows[id]["alive"] == false).then_some(())
    });
    console.kill();
    drop(console);

    let console =
        Terminal::start(cast.home.path(), cast.repositories[project].path(), &[], 120, 40);
    console.see_row(&[project, &all.to_string()]);
    until("the delete to be taken back", || {
        let operations = cast.home.run(["ops", "--json"]).ok().json();
        let mut operations = operations["operations"].as_array().unwrap().iter();
        operations.all(|operation| !operation["ended_at"].is_null()).then_some(())
    });
    cast.account();
    let rows = cast.rows(false);
    let ended: Vec<String> = rows
        .iter()
        .filter(|(id, row)| id.starts_with(&format!("{project}-")) && row["status"] == "killed")
        .map(|(id, _)| id.clone())
        .collect();
    show(&console, project, "status:killed", ended.len());
    mark_all(&console, ended.len());
    console.press("r");
    console.see(&format!("{} sessions are back.", ended.len()));
    cast.wait_parts(&ended);
    show_all(&console);
    console
}

/// How many run, once the board has it too.
fn live(cast: &Cast, console: &Terminal) -> usize {
    let rows = cast.rows(false);
    let count = |status: &str| rows.values().filter(|row| row["status"] == status).count();
    for (status, words) in [("needs_input", "need you"), ("working", "working")] {
        console.see(&format!(" {} {words}", count(status)));
    }
    rows.values().filter(|row| row["alive"] == true).count()
}

/// The operator's hour; what is seen, and that nothing is lost and nothing is left.
#[test]
fn an_hour_with_many_agents_loses_nothing_and_leaves_nothing() {
    let mut cast = Cast::new();
    let folder = cast.repositories["shop"].path().to_owned();
    let console = Terminal::start(cast.home.path(), &folder, &[], 120, 40);
    console.see_row(&["3 docs", "0"]);
    cast.start(agents());
    cast.account();

    answer_everybody(&cast, &console);
    message_the_idle(&cast, &console, "shop");
    stop_the_working(&cast, &console, "shop");
    delete_undo_restore(&cast, &console, "shop");
    let mut console = killed_in_a_delete(&cast, console, "api");

    let running = live(&cast, &console);
    console.press("q");
    assert!(console.exit().success());
    assert!(console.text().contains(&format!("{running} agents go on")), "{}", console.text());
    let mut console = Terminal::start(cast.home.path(), &folder, &[], 120, 40);
    assert_eq!(live(&cast, &console), running);
    console.press("q");
    assert!(console.exit().success());
    cast.account();
    cast.home.finish();
}
