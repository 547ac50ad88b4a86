//! The command line as outside tests use it (`spec/cli.md`): the real binary on a home of its own.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod callers;
mod contract;
mod create;
mod diff;
mod ends;
mod hooks;
mod log;
mod parsing;
mod places;
mod scripted;
mod session;
mod talk;
mod terminal;
mod trash;
