//! Real agent programs, driven through callboard against a model server of our own, without a network: what
//! they are seen to do, answers, stops, and their conversations after it.
//!
//! A program is looked for in `CALLBOARD_TEST_AGENTS`, a folder of `scripts/agents.sh`. The tests of one that is
//! not there are skipped, and say so.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests are tests, which the lint does not see outside of #[test]; what was skipped is said"
)]

mod bench;
mod lives;
mod model;
mod programs;
mod sizes;
#[path = "../support/mod.rs"]
mod support;
mod times;
