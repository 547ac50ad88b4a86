//! Tests with real processes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests are tests, which the lint does not see outside of #[test]"
)]

mod keeper;
