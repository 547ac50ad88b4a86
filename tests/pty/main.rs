//! The dashboard as a person uses it: the real program in a terminal, real keepers, real git, keys.

mod driver;
#[path = "../support/mod.rs"]
mod support;

mod bulk;
mod outlive;
mod places;
mod question;
