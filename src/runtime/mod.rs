//! runtime

pub mod screen;
