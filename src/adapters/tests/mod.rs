//! The coordinators on real `SQLite` and real git; only the keepers are puppets.
#![expect(clippy::large_futures, reason = "what a test waits for is made where it waits")]

mod bench;
mod matrix;
mod scenes;
mod twice;
