//! What a plan says of its groups.

use std::collections::BTreeSet;

use crate::domain::ids::SessionId;
use crate::domain::plan::{Plan, PlanItem};
use crate::domain::text::names;

use super::super::words::{count, skip_kind};
use super::{Group, PlanRequest};

/// What a line of the counts says beside its number of those of a group that go.
pub(super) fn remark(request: &PlanRequest, group: Group, of: &[&PlanItem]) -> String {
    let purges = matches!(request, PlanRequest::Purge(_));
    match group {
        Group::Live => format!("will be stopped: {}", agents(of)),
        Group::WasLive => {
            format!("{}; they come back ended and marked, to be launched", agents(of))
        }
        Group::Unchecked => match request {
            PlanRequest::Delete(_) => "git did not answer; all files are kept in the trash",
            PlanRequest::Restore(_) => "git did not answer in time",
            PlanRequest::Purge(_) => "git did not answer; whatever it holds is lost",
        }
        .to_owned(),
        Group::Uncommitted => {
            let fate = if purges { "lost for good" } else { "kept in the trash" };
            format!("{}, {fate}", count(lost_files(of), "file"))
        }
        Group::Unpushed => {
            let commits: u32 = of.iter().filter_map(|item| item.advice.unpushed_commits).sum();
            let stay = if purges { "only unmerged branches stay" } else { "the branches stay" };
            format!("{}, {stay}", count(commits as usize, "commit"))
        }
        Group::Detached => "their files come back, without the branch".to_owned(),
        Group::MadeAgain => "from the branch; what was not committed is gone".to_owned(),
        Group::OpenPr => {
            let numbers: Vec<String> =
                of.iter().filter_map(|item| item.row.open_pr).map(|n| format!("#{n}")).collect();
            let verb = if numbers.len() == 1 { "stays" } else { "stay" };
            format!("{} {verb} open", names(&numbers))
        }
        Group::Children => {
            let by: BTreeSet<&SessionId> =
                of.iter().filter_map(|item| item.pulled_in_by.as_ref()).collect();
            format!("pulled in by {}", names(&by.into_iter().collect::<Vec<_>>()))
        }
        Group::Pinned if purges => "go too".to_owned(),
        Group::Pinned => "go too, without the pin check".to_owned(),
        Group::Skipped | Group::All | Group::Safe | Group::AsItWas => String::new(),
    }
}

/// `2 pinned, 1 dropped`: why sessions are left alone.
pub(super) fn skip_remark(plan: &Plan, dropped: usize) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    let skipped = plan.skipped.iter().map(|skip| skip_kind(&skip.reason));
    for kind in skipped.chain(std::iter::repeat_n("dropped", dropped)) {
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, n)) => *n += 1,
            None => kinds.push((kind, 1)),
        }
    }
    let kinds: Vec<String> = kinds.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    kinds.join(", ")
}

/// Uncommitted files of sessions.
pub(super) fn lost_files(of: &[&PlanItem]) -> usize {
    of.iter().map(|item| item.advice.dirty_files.unwrap_or(0) as usize).sum()
}

/// `5 claude, 2 codex`: the most frequent first.
fn agents(items: &[&PlanItem]) -> String {
    let mut agents: Vec<(&str, usize)> = Vec::new();
    for item in items {
        match agents.iter_mut().find(|(name, _)| *name == item.row.agent) {
            Some((_, n)) => *n += 1,
            None => agents.push((&item.row.agent, 1)),
        }
    }
    agents.sort_by_key(|(name, n)| (std::cmp::Reverse(*n), *name));
    let agents: Vec<String> = agents.iter().map(|(name, n)| format!("{n} {name}")).collect();
    agents.join(", ")
}
