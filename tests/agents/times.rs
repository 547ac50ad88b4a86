//! How soon it is known what a program does (`spec/agents.md` G6).

use crate::bench::Bench;
use crate::programs::{CLAUDE, CODEX, GEMINI, OPENCODE, Program};

/// G6: work, its end, a permission, its answer and a question are known within a second of when they can be.
fn times(program: &'static Program) {
    let Some(bench) = Bench::of(program, true) else { return };
    let id = bench.spawn("say hello", "100x30");
    bench.wait(&id, "idle");
    bench.send(&id, "slow 3");
    bench.until(&id, "its model to be asked", |_| bench.model.asked_at("slow 3").is_some());
    bench.in_time(&id, "active", bench.model.asked_at("slow 3").unwrap());
    // The last of four words a second; the program ends its turn a moment later.
    bench.shows(&id, "word12");
    let rests = bench.hides(&id, program.works);
    bench.in_time(&id, "idle", rests);

    bench.send(&id, "run touch file");
    let (permission, question) = program.asks;
    let seen = bench.shows(&id, permission);
    bench.in_time(&id, "blocked", seen);
    bench.answer(&id, "yes");
    bench.wait(&id, "idle");

    bench.send(&id, "ask");
    let seen = bench.shows(&id, question);
    bench.in_time(&id, "waiting_input", seen);
    bench.answer(&id, "1");
    bench.wait(&id, "idle");
    bench.finish();
}

#[test]
fn claude_is_seen_in_time() {
    times(&CLAUDE);
}

#[test]
fn codex_is_seen_in_time() {
    times(&CODEX);
}

#[test]
fn opencode_is_seen_in_time() {
    times(&OPENCODE);
}

#[test]
fn gemini_is_seen_in_time() {
    times(&GEMINI);
}
