//! The coordinators on real SQLite and real git; only the keepers are puppets.

mod bench;
mod matrix;
mod scenes;
mod twice;
