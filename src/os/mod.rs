//! The operating system: the only `cfg(target_os)`, the only `unsafe`. Knows nothing of sessions.

pub mod clock;
pub mod command;
pub mod duplex;
pub mod fs;
pub mod limits;
pub mod lock;
pub mod log;
pub mod memory;
pub mod paths;
pub mod proctree;
pub mod random;
pub mod signals;
pub mod spawn;
pub mod ssh;
pub mod terminal;
pub mod variables;
