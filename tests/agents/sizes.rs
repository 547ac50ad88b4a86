//! Screens of other sizes: what is asked stays the same question (`spec/lifecycle.md` K6).

use std::cell::Cell;

use crate::bench::Bench;
use crate::programs::{CLAUDE, CODEX, GEMINI, OPENCODE, Program};

/// A command that no narrow screen shows in one line.
const PROMPT: &str =
    "run touch a-file-with-a-long-name-in-it second-file-with-a-long-name third-file-of-them last";
/// So many looks after one another, each a process: far longer than a program takes to draw itself anew.
const LOOKS: usize = 20;

/// K6, G9: a question has the same id, text and options on screens of 60 to 200 columns, and an answer that names it is
/// taken on another one than it was seen on.
fn sizes(program: &'static Program) {
    let Some(bench) = Bench::of(program, true) else { return };
    let id = bench.spawn(PROMPT, "120x40");
    let asked = bench.asked(&id, "blocked", "permission");
    let question = &asked["question"];
    for (cols, rows) in [(60, 40), (80, 24), (200, 50), (100, 30), (72, 36)] {
        bench.resize(&id, cols, rows);
        let looks = Cell::new(0);
        bench.until(&id, &format!("{question} at {cols}x{rows}"), |shown| {
            let same = ["id", "kind"].iter().all(|part| shown["question"][part] == question[part]);
            looks.set(if same && shown["activity"] == "blocked" { looks.get() + 1 } else { 0 });
            looks.get() == LOOKS
        });
    }
    let question = question["id"].as_str().unwrap();
    bench.run(["send", &id, "--answer", "yes", "--question", question]).ok();
    bench.wait(&id, "idle");
    assert!(bench.made("last"));
    bench.finish();
}

#[test]
fn claude_asks_the_same_at_any_size() {
    sizes(&CLAUDE);
}

#[test]
fn codex_asks_the_same_at_any_size() {
    sizes(&CODEX);
}

#[test]
fn opencode_asks_the_same_at_any_size() {
    sizes(&OPENCODE);
}

#[test]
fn gemini_asks_the_same_at_any_size() {
    sizes(&GEMINI);
}
