//! The dashboard: the only place that knows ratatui and crossterm.
//!
//! A key or an answer from outside is an [`event::Event`]; [`update`] turns it into a new [`app`]
//! and a list of [`event::Effect`]s; [`views`] draws. None of the three does I/O or reads a clock.

pub mod action;
pub mod app;
pub mod attach;
pub mod effects;
pub mod event;
pub mod glyph;
pub mod input;
pub mod keymap;
pub mod links;
pub mod live;
mod nearest;
pub mod run;
pub mod terminal;
pub mod theme;
pub mod update;
pub mod views;
