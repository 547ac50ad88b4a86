//! Promise 2 on the real binary: after `kill -9` at any moment the next start finishes or undoes what was
//! half done (`spec/lifecycle.md` section 10), and locks hold between processes (section 3).

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a failed round is repeated with the seed it prints")]

#[path = "../support/mod.rs"]
mod support;

mod board;
mod commits;
mod keepers;
mod kills;
mod locks;
mod orphans;
mod recovery;
