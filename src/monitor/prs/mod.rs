//! Pull requests as `gh api graphql` tells them: the question, and what its answer means. Pure; every text
//! of an answer is someone else's (`spec/lifecycle.md` F4).

mod answer;
mod query;
#[cfg(test)]
mod tests;

pub use answer::{failure, read};
pub use query::{BRANCHES, question};
