//! domain

pub mod key;
