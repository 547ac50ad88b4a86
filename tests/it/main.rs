//! Tests with real processes.

mod keeper;
