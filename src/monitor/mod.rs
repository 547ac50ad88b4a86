//! Observes sessions from outside their keepers and concludes. Changes nothing: what it finds is
//! folded by the store.

pub mod notice;
pub mod probe;
pub mod prs;
pub mod usage;
