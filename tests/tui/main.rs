//! The dashboard as the operator sees it: what is drawn, and what keys do.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod aside;
mod bench;
mod board;
mod everywhere;
mod filters;
mod fixture;
mod jobs;
mod mouse;
mod moving;
mod notices;
mod palette;
mod pictures;
mod plan;
mod pointing;
mod properties;
mod reading;
mod starting;
mod svg;
mod tabs;
mod trash_plan;
mod update;
mod wall;
