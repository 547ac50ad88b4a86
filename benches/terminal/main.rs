//! callboard's terminal beside tmux's, in one run: echo, throughput, start, many at once, memory, rest
//! (`spec/runtime.md`, Figures to reach).

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench stops where it cannot go on"
)]

mod agent;
mod echo;
mod flow;
mod many;
mod outer;
mod rest;
mod start;
mod subjects;
#[path = "../support/mod.rs"]
mod support;

use std::process::ExitCode;

use support::Figures;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["agent", "echo", flood] => agent::echo(flood.parse().unwrap()),
        ["agent", "still", rows] => agent::still(rows.parse().unwrap()),
        _ => compare(&words),
    }
    ExitCode::SUCCESS
}

/// Measures what is named, or everything.
fn compare(words: &[&str]) {
    let parts: Vec<&&str> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let asked = |name: &str| parts.is_empty() || parts.contains(&&name);
    let mut figures = Figures::default();
    if asked("echo") {
        echo::measure(&mut figures);
    }
    if asked("flow") {
        flow::measure(&mut figures);
    }
    if asked("start") {
        start::measure(&mut figures);
    }
    if asked("many") {
        many::measure(&mut figures);
    }
    if asked("rest") {
        rest::measure(&mut figures);
    }
    figures.print();
}
