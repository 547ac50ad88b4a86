//! The command line as outside tests use it (`spec/cli.md`): the real binary on a home of its own.

#[path = "../support/mod.rs"]
mod support;

mod create;
mod parsing;
mod places;
mod scripted;
mod session;
mod talk;
mod trash;
