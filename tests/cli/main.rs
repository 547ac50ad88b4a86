//! The command line as outside tests use it (`spec/cli.md`): the real binary on a home of its own.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod audit;
mod callers;
mod choices;
mod choosing;
mod codes;
mod contract;
mod create;
mod diff;
mod doctor;
mod ends;
mod environment;
mod explain;
mod golden;
mod hooked;
mod hooks;
mod log;
mod parsing;
mod places;
mod prs;
mod runners;
mod scripted;
mod search;
mod session;
mod settings;
mod store;
mod talk;
mod terminal;
mod trash;
mod walk;
mod watch;
