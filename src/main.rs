//! The `callboard` program: parse, dispatch, exit code.

fn main() {}
