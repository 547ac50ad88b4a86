//! Everything the dashboard knows, as one value.

pub mod screen;
