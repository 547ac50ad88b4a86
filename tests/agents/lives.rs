//! The life of a session with each program, from its first prompt to what is left of it.

use serde_json::json;

use crate::bench::Bench;
use crate::programs::{CLAUDE, CODEX, GEMINI, OPENCODE, Program};

/// G2, G3, G5, K5, K6: the first prompt goes along and begins one turn; permission, question, refusal, error and
/// retry are told apart, and each is answered as a caller would.
fn turns(bench: &Bench, id: &str) {
    let asked = bench.asked(id, "blocked", "permission");
    assert_eq!(asked["attention"], "permission");
    assert_eq!((asked["status"].as_str(), asked["turn"].as_u64()), (Some("needs_input"), Some(1)));
    // Nothing is typed into a dialog.
    let refused = bench.run(["send", id, "say no", "--json"]).code(4);
    assert!(refused.stdout.contains("question_shown"), "{}{}", refused.stdout, refused.stderr);
    assert!(!bench.made("first"));
    bench.answer(id, "yes");
    let rested = bench.wait(id, "idle");
    assert!(bench.made("first"), "the answer was a yes");
    assert_eq!((rested["turn"].as_u64(), rested["question"].is_null()), (Some(1), true));
    // It was set by us, or told by a hook.
    assert!(rested["agent_session_id"].is_string(), "{rested}");

    let turn = bench.send(id, "run touch second");
    bench.asked(id, "blocked", "permission");
    bench.answer(id, "no");
    bench.wait(id, "idle");
    assert!(!bench.made("second"), "the answer was a no");
    assert_eq!(bench.show(id)["turn"], turn + 1, "a prompt is one turn");

    bench.send(id, "Which one?\nIt has two lines:\nask");
    let asked = bench.asked(id, "waiting_input", "question");
    assert_eq!(asked["question"]["options"][1], "Blue", "{asked}");
    bench.answer(id, "2");
    bench.wait(id, "idle");

    bench.send(id, "bad");
    bench.activity(id, if bench.program.tells_errors { "error" } else { "idle" });
    let (retry, told) = bench.program.retry;
    bench.send(id, retry);
    if told {
        bench.activity(id, "retrying");
    }
    bench.wait(id, "idle");

    let turn = bench.send(id, "say once more");
    bench.wait(id, "idle");
    bench.shows(id, "once more");
    assert_eq!(bench.show(id)["turn"], turn + 1);
}

/// K7, X3, B2, B3, H3: a stop while a tool runs leaves nothing; the conversation comes back with its own id and
/// without its first prompt once more; a fork has one of its own.
fn ends(bench: &Bench, id: &str, (cols, rows): (u16, u16)) {
    bench.send(id, "run tail -f /dev/null");
    bench.asked(id, "blocked", "permission");
    bench.answer(id, "yes");
    bench.activity(id, "active");
    let folder = bench.folder.to_str().unwrap().to_owned();
    bench.until(id, "the tool to run", |_| !tools(&folder).is_empty());
    bench.run(["stop", id, "--yes"]).ok();
    assert_eq!(tools(&folder), Vec::<u32>::new(), "the tool ends with its agent");
    let ended = bench.show(id);
    assert_eq!(ended["alive"], false);
    let conversation = ended["agent_session_id"].as_str().unwrap().to_owned();

    let (turns, before) = (ended["turn"].clone(), bench.model.asked());
    let restored = bench.run(["restore", id, "--json"]).ok().json();
    let expected = json!([{ "id": id, "text": "resumed its conversation" }]);
    assert_eq!((&restored["launched_ids"], &restored["notes"]), (&json!([id]), &expected));
    bench.resize(id, cols, rows);
    let back = bench.wait(id, "idle");
    bench.shows(id, "run tail -f");
    assert_eq!((&back["turn"], bench.model.asked()), (&turns, before), "nothing was asked again");
    bench.send(id, "say here again");
    bench.wait(id, "idle");
    bench.shows(id, "here again");
    assert_eq!(bench.show(id)["agent_session_id"], *conversation);

    if bench.program.forks {
        let fork = bench.run(["fork", id, "--json"]).ok().json()["id"].as_str().unwrap().to_owned();
        bench.resize(&fork, cols, rows);
        bench.wait(&fork, "idle");
        bench.shows(&fork, "here again");
        bench.send(&fork, "say in the fork");
        bench.wait(&fork, "idle");
        bench.shows(&fork, "in the fork");
        bench.run(["stop", &fork, "--yes"]).ok();
        let own = bench.show(&fork)["agent_session_id"].clone();
        assert!(own.is_string() && own != *conversation, "{own} is the fork's own");
    } else {
        bench.run(["fork", id]).code(4);
    }
}

/// H1: nothing of ours is in the settings that the program has for all folders.
fn leaves_settings_alone(bench: &Bench) {
    let ours = format!("{}/state/hooks", bench.home.path().display());
    let settings = bench.settings();
    assert!(!settings.is_empty());
    for (path, text) in settings {
        let found =
            ["callboard hook ", "callboard' hook ", &ours].iter().any(|it| text.contains(it));
        assert!(!found, "{}: {text}", path.display());
    }
}

/// The tools that run in a folder.
fn tools(folder: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
    pids.filter(|pid| {
        let read = |file: &str| std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let there = std::fs::read_link(format!("/proc/{pid}/cwd"));
        read("cmdline").starts_with(b"tail\0-f\0")
            && there.is_ok_and(|path| path.to_str() == Some(folder))
    })
    .collect()
}

fn life(program: &'static Program, size: (u16, u16)) {
    let Some(bench) = Bench::of(program, true) else { return };
    let id = bench.spawn("run touch first", &format!("{}x{}", size.0, size.1));
    turns(&bench, &id);
    ends(&bench, &id, size);
    leaves_settings_alone(&bench);
    bench.finish();
}

/// The whole of it on a wide screen.
fn wide(program: &'static Program) {
    life(program, (120, 40));
}

/// G9: the rules hold on a narrow screen too, also for what is restored and forked.
fn narrow(program: &'static Program) {
    life(program, (80, 24));
}

/// G2: a dialog of the start is told as such, nothing is typed into it, and it is answered by what it says: yes
/// goes on with the prompt that went along.
fn trust(program: &'static Program) {
    let Some(kind) = program.trust else { return };
    let Some(bench) = Bench::of(program, false) else { return };
    let id = bench.spawn("run touch first", "80x24");
    let asked = bench.asked(&id, "waiting_input", kind);
    assert_eq!(asked["status"], "needs_input");
    bench.run(["send", &id, "yes", "--json"]).code(4);
    assert_eq!(bench.model.asked(), Vec::<String>::new());
    bench.answer(&id, "yes");
    bench.asked(&id, "blocked", "permission");
    bench.answer(&id, "yes");
    bench.wait(&id, "idle");
    assert!(bench.made("first"));
    bench.finish();
}

#[test]
fn claude_lives() {
    wide(&CLAUDE);
}

#[test]
fn claude_asks_for_trust() {
    trust(&CLAUDE);
}

#[test]
fn codex_lives() {
    wide(&CODEX);
}

#[test]
fn codex_asks_for_trust() {
    trust(&CODEX);
}

#[test]
fn opencode_lives() {
    wide(&OPENCODE);
}

#[test]
fn gemini_lives() {
    wide(&GEMINI);
}

#[test]
fn claude_lives_on_a_narrow_screen() {
    narrow(&CLAUDE);
}

#[test]
fn codex_lives_on_a_narrow_screen() {
    narrow(&CODEX);
}

#[test]
fn opencode_lives_on_a_narrow_screen() {
    narrow(&OPENCODE);
}

#[test]
fn gemini_lives_on_a_narrow_screen() {
    narrow(&GEMINI);
}
