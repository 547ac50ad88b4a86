//! Keepers and their terminals: the processes that own a PTY, and how to talk to them.

pub mod client;
pub mod detect;
pub mod history;
pub mod keeper;
pub mod keys;
pub mod launch;
pub mod screen;
pub mod strays;
pub mod wire;
