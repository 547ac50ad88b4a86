//! callboard: the operator console for coding agents.
//!
//! `ARCHITECTURE.md` has the map. Data flows from the top of this list to the bottom: the command
//! line and the dashboard call the coordinators in [`host`], whose ports are put on the real parts
//! by [`adapters`].

pub mod adapters;
pub mod agents;
pub mod cli;
pub mod config;
pub mod domain;
pub mod host;
pub mod monitor;
pub mod os;
pub mod runtime;
pub mod store;
pub mod tui;
pub mod workspace;
