//! store
pub mod facts;
