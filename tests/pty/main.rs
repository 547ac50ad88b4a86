//! The dashboard as a person uses it: the real program in a terminal, real keepers, real git, keys.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests are tests, which the lint does not see outside of #[test]"
)]

mod apart;
mod asking;
mod colours;
mod driver;
mod ends;
mod everywhere;
mod faults;
mod hour;
mod jobs;
mod lend;
mod notices;
#[path = "../support/mod.rs"]
mod support;

mod attach;
mod bulk;
mod outlive;
mod places;
mod prs;
mod question;
mod reading;
mod viewers;
mod wall;
