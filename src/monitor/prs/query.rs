//! One question for all branches of a repository (`spec/lifecycle.md` F2).

use std::fmt::Write as _;

use crate::domain::forge::Repository;

/// Branches that one question asks for at most, so that it stays far from what a forge allows.
pub const BRANCHES: usize = 50;

/// What is asked of each pull request: the newest few of a branch.
const FACTS: &str = "fragment facts on PullRequestConnection { nodes { \
    number url state isDraft headRefName isCrossRepository headRepository { nameWithOwner } \
    mergedAt closedAt reviewDecision mergeable mergeStateStatus \
    reviewThreads(first: 100) { nodes { isResolved } } \
    commits(last: 1) { nodes { commit { statusCheckRollup { state } } } } } }";

/// Arguments of `gh` that ask for the pull requests of these branches. Names travel as variables, never as
/// part of the question.
pub fn question(repository: &Repository, branches: &[String]) -> Vec<String> {
    let (mut variables, mut fields) = (String::new(), String::new());
    for at in 0..branches.len() {
        // Writing to a string cannot fail.
        let _ = write!(variables, ", $b{at}: String!");
        let _ = write!(
            fields,
            " b{at}: pullRequests(headRefName: $b{at}, first: 5, \
             orderBy: {{field: CREATED_AT, direction: DESC}}) {{ ...facts }}"
        );
    }
    let query = format!(
        "query($owner: String!, $name: String!{variables}) {{ \
         repository(owner: $owner, name: $name) {{{fields} }} }} {FACTS}"
    );
    let mut arguments: Vec<String> =
        ["api", "graphql", "--hostname", &repository.host].map(str::to_owned).into();
    let names =
        [("query", query.as_str()), ("owner", &repository.owner), ("name", &repository.name)];
    let names = names.map(|(name, value)| (name.to_owned(), value));
    let branches = branches.iter().enumerate().map(|(at, name)| (format!("b{at}"), name.as_str()));
    for (name, value) in names.into_iter().chain(branches) {
        arguments.push("--raw-field".to_owned());
        arguments.push(format!("{name}={value}"));
    }
    arguments
}
