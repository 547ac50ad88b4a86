//! The dashboard: the only place that knows ratatui and crossterm.

pub mod action;
