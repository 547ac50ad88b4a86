//! What a plan says of its groups.

use std::collections::BTreeSet;

use crate::domain::ids::SessionId;
use crate::domain::plan::PlanItem;

use super::super::words::{count, names, skip_kind};
use super::{Group, PlanDialog, PlanRequest};

impl PlanDialog {
    /// What a line of the counts says beside its number.
    pub fn remark(&self, group: Group) -> String {
        let purges = matches!(self.request, PlanRequest::Purge(_));
        let kept = self.kept();
        let of = || kept.iter().filter(|item| group.holds(item));
        match group {
            Group::Live => format!("will be stopped: {}", agents(of())),
            Group::WasLive => {
                format!("{}; they come back ended and marked, to be launched", agents(of()))
            }
            Group::Unchecked => match self.request {
                PlanRequest::Delete(_) => "git did not answer; all files are kept in the trash",
                PlanRequest::Restore(_) => "git did not answer in time",
                PlanRequest::Purge(_) => "git did not answer; whatever it holds is lost",
            }
            .to_owned(),
            Group::Uncommitted => {
                let fate = if purges { "lost for good" } else { "kept in the trash" };
                format!("{}, {fate}", count(self.lost_files(), "file"))
            }
            Group::Unpushed => {
                let commits: u32 = of().filter_map(|item| item.advice.unpushed_commits).sum();
                let stay = if purges { "only unmerged branches stay" } else { "the branches stay" };
                format!("{}, {stay}", count(commits as usize, "commit"))
            }
            Group::Detached => "their files come back, without the branch".to_owned(),
            Group::MadeAgain => "from the branch; what was not committed is gone".to_owned(),
            Group::OpenPr => {
                let numbers: Vec<String> =
                    of().filter_map(|item| item.row.open_pr).map(|n| format!("#{n}")).collect();
                let verb = if numbers.len() == 1 { "stays" } else { "stay" };
                format!("{} {verb} open", names(&numbers))
            }
            Group::Children => {
                let by: BTreeSet<&SessionId> =
                    of().filter_map(|item| item.pulled_in_by.as_ref()).collect();
                format!("pulled in by {}", names(&by.into_iter().collect::<Vec<_>>()))
            }
            Group::Pinned if purges => "go too".to_owned(),
            Group::Pinned => "go too, without the pin check".to_owned(),
            Group::Skipped => self.skip_remark(),
            Group::All | Group::Safe | Group::AsItWas => String::new(),
        }
    }

    fn skip_remark(&self) -> String {
        let Some(plan) = self.plan() else {
            return String::new();
        };
        let mut kinds: Vec<(&str, usize)> = Vec::new();
        let dropped = plan.items.iter().filter(|item| !self.keeps(item)).map(|_| "dropped");
        for kind in plan.skipped.iter().map(|skip| skip_kind(&skip.reason)).chain(dropped) {
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, n)) => *n += 1,
                None => kinds.push((kind, 1)),
            }
        }
        let kinds: Vec<String> = kinds.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
        kinds.join(", ")
    }

    /// Uncommitted files of what goes.
    pub fn lost_files(&self) -> usize {
        let dirty = |item: &&PlanItem| item.advice.dirty_files.unwrap_or(0) as usize;
        self.kept().iter().map(dirty).sum()
    }
}

/// `5 claude, 2 codex`: the most frequent first.
fn agents<'a>(items: impl Iterator<Item = &'a &'a PlanItem>) -> String {
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
