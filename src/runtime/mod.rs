//! runtime

pub mod keys;
pub mod screen;
