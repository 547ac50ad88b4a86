//! Pure values and pure rules. No I/O, no clock, no SQL, no agent by name.

pub mod activity;
pub mod agent;
pub mod answer;
pub mod check;
pub mod condition;
pub mod error;
pub mod event;
pub mod facts;
pub mod hook;
pub mod ids;
pub mod key;
pub mod launch;
pub mod lifecycle;
pub mod operation;
pub mod plan;
pub mod pr;
pub mod probe;
pub mod query;
pub mod rail;
pub mod session;
pub mod status;
pub mod text;
pub mod time;
pub mod trash;
pub mod words;
pub mod worktree;
