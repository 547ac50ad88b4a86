//! Made-up sessions, the same ones every time: what a store looks like after years of use.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::adapters::SeededSession;
use crate::domain::activity::{Activity, ActivityFact, Question};
use crate::domain::condition::Condition;
use crate::domain::ids::{ProjectName, SessionId};
use crate::domain::lifecycle::{State, TerminationReason};
use crate::domain::pr::{Ci, Mergeability, PrFacts, PrState, Review};
use crate::domain::rail::Placement;
use crate::domain::session::{FolderKind, Kind, LaunchFacts};
use crate::domain::time::Timestamp;

use super::words::{AGENTS, OBJECTS, PROJECTS, REASONS, VERBS};

/// The newest so many sessions are at work or wait for something; nearly all older ones rest.
const LIVELY: usize = 300;
/// Every so many sessions one spawns others.
const ORCHESTRATOR_EVERY: usize = 40;
/// How many it spawns.
const CHILDREN: usize = 4;
/// One of so many sessions is in the trash.
const TRASHED_EVERY: usize = 17;
/// Pinned sessions, by number.
const PINNED: [usize; 7] = [3, 9, 21, 44, 70, 130, 400];
/// From one session to the next older one.
const STEP: Duration = Duration::from_secs(150);
/// Older ones are further apart.
const STRETCH: Duration = Duration::from_secs(5);

/// A project to register.
pub(crate) struct MadeUpProject {
    pub(crate) name: ProjectName,
    pub(crate) path: PathBuf,
}

/// Names of as many projects as suit so many sessions.
pub(crate) fn project_names(sessions: usize) -> Vec<ProjectName> {
    let count = (sessions / 25).clamp(3, 200);
    (0..count)
        .map(|at| {
            let name = ProjectName::from_folder(PROJECTS[at % PROJECTS.len()]);
            match u32::try_from(at / PROJECTS.len()) {
                Ok(0) | Err(_) => name,
                Ok(round) => name.numbered(round + 1),
            }
        })
        .collect()
}

/// Makes up `count` sessions in these projects, parents before their children.
pub(crate) fn sessions(
    count: usize,
    projects: &[MadeUpProject],
    now: Timestamp,
) -> Vec<SeededSession> {
    let mut numbers: BTreeMap<Option<&ProjectName>, u64> = BTreeMap::new();
    let mut parent: Option<SeededSession> = None;
    let mut all = Vec::with_capacity(count);
    for at in 0..count {
        let dice = Dice(at as u64);
        let spawned = (1..=CHILDREN).contains(&(at % ORCHESTRATOR_EVERY));
        let above = parent.as_ref().filter(|_| spawned);
        let project = match above {
            Some(parent) => {
                let path = parent.placement.project_path();
                projects.iter().find(|project| Some(project.path.as_path()) == path)
            }
            None => dice.project(projects),
        };
        let number = numbers.entry(project.map(|project| &project.name)).or_default();
        *number += 1;
        let id = SessionId::numbered(project.map(|project| &project.name), *number);
        let session = session(at, id, project, above, now);
        if at.is_multiple_of(ORCHESTRATOR_EVERY) {
            parent = Some(session.clone());
        }
        all.push(session);
    }
    all
}

/// Those that belong in the trash: single ones, none that has or is a child.
pub(crate) fn trashed(sessions: &[SeededSession]) -> Vec<SessionId> {
    let single = |(at, _): &(usize, &SeededSession)| {
        at % TRASHED_EVERY == TRASHED_EVERY - 1 && at % ORCHESTRATOR_EVERY > CHILDREN
    };
    sessions.iter().enumerate().filter(single).map(|(_, session)| session.id.clone()).collect()
}

fn session(
    at: usize,
    id: SessionId,
    project: Option<&MadeUpProject>,
    parent: Option<&SeededSession>,
    now: Timestamp,
) -> SeededSession {
    let dice = Dice(at as u64);
    let steps = at as u32;
    let created_at = now.minus(STEP * steps + STRETCH * (steps / 100).pow(2));
    let look = Look::of(at, dice);
    let title = title(dice);
    // They have no worktree: whoever deletes them for practice moves nothing.
    let (folder, folder_kind) = match project {
        Some(project) => (project.path.clone(), FolderKind::InPlace),
        None => (PathBuf::from("/"), FolderKind::None),
    };
    let agent = AGENTS[dice.of(1, AGENTS.len())].to_owned();
    SeededSession {
        kind: if at.is_multiple_of(ORCHESTRATOR_EVERY) { Kind::Orchestrator } else { Kind::Worker },
        parent: parent.map(|parent| parent.id.clone()),
        launch: LaunchFacts { target: agent.clone(), agent, ..LaunchFacts::default() },
        prompt: Some(format!("{title}. Run the tests before you finish.")),
        placement: project.map_or_else(Placement::conversations, |project| {
            Placement::in_project(project.path.clone())
        }),
        pinned_at: PINNED.contains(&at).then_some(created_at),
        condition: look.condition(created_at, now, dice),
        folder_kind,
        folder,
        branch: project.map(|_| format!("callboard/{id}")),
        dirty: (dice.of(2, 4) == 0).then(|| 1 + dice.of(3, 12) as u32),
        prs: look.pr(&id, at as u64, now).into_iter().collect(),
        created_at,
        title,
        id,
    }
}

fn title(dice: Dice) -> String {
    let verb = VERBS[dice.of(4, VERBS.len())];
    let object = OBJECTS[dice.of(5, OBJECTS.len())];
    match REASONS[dice.of(6, REASONS.len())] {
        "" => format!("{verb} {object}"),
        reason => format!("{verb} {object} {reason}"),
    }
}

/// What a made-up session looks like. None of them runs: nothing ever asks for its keeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Working,
    Idle,
    Permission,
    Question,
    Stuck,
    Failed,
    Ended(TerminationReason),
    Done,
    Pr { ci: Ci, review: Review, mergeability: Mergeability, draft: bool, state: PrState },
}

impl Look {
    fn of(at: usize, dice: Dice) -> Self {
        let pr = |ci, review, mergeability, draft| Self::Pr {
            ci,
            review,
            mergeability,
            draft,
            state: PrState::Open,
        };
        let merged = Self::Pr {
            ci: Ci::Passing,
            review: Review::Approved,
            mergeability: Mergeability::Unknown,
            draft: false,
            state: PrState::Merged,
        };
        if at >= LIVELY && dice.of(7, 500) > 0 {
            return match dice.of(8, 20) {
                0..=8 => Self::Ended(TerminationReason::ManuallyKilled),
                9..=12 => Self::Ended(TerminationReason::AgentProcessExited),
                13..=15 => Self::Done,
                16 => Self::Ended(TerminationReason::PrMerged),
                17 | 18 => merged,
                _ => Self::Idle,
            };
        }
        match dice.of(8, 20) {
            0..=4 => Self::Working,
            5..=8 => Self::Idle,
            9 => Self::Permission,
            10 => Self::Question,
            11 => pr(Ci::Failing, Review::Required, Mergeability::Blocked, false),
            12 => pr(Ci::Passing, Review::ChangesRequested, Mergeability::Blocked, false),
            13 => pr(Ci::Passing, Review::Approved, Mergeability::Mergeable, false),
            14 => pr(Ci::Pending, Review::Approved, Mergeability::Unknown, false),
            15 => pr(Ci::Passing, Review::Required, Mergeability::Blocked, false),
            16 => pr(Ci::Pending, Review::None, Mergeability::Unknown, dice.of(9, 2) == 0),
            17 => merged,
            18 if dice.of(9, 3) == 0 => Self::Stuck,
            18 if dice.of(9, 3) == 1 => Self::Failed,
            _ => Self::Ended(TerminationReason::AgentProcessExited),
        }
    }

    fn condition(self, created_at: Timestamp, now: Timestamp, dice: Dice) -> Condition {
        let age = now.since(created_at);
        // Somewhere in the younger two thirds of its life.
        let since = now.minus(age * (35 + dice.of(10, 60) as u32) / 100);
        let (activity, state, reason) = match self {
            Self::Working => (Activity::Active, State::Working, None),
            Self::Idle | Self::Pr { .. } => (Activity::Idle, State::Idle, None),
            Self::Permission => (Activity::Blocked, State::NeedsInput, None),
            Self::Question => (Activity::WaitingInput, State::NeedsInput, None),
            Self::Stuck => (Activity::Unknown, State::Stuck, None),
            Self::Failed => {
                (Activity::Exited, State::Terminated, Some(TerminationReason::ErrorInProcess))
            }
            Self::Ended(reason) => (Activity::Exited, State::Terminated, Some(reason)),
            Self::Done => (Activity::Exited, State::Done, None),
        };
        let mut condition = Condition::new(created_at);
        condition.lifecycle.generation = 1;
        condition.lifecycle.published = 1;
        condition.lifecycle.state = state;
        condition.lifecycle.reason = reason;
        condition.activity = ActivityFact { value: activity, since, witness: "made up".to_owned() };
        condition.question = self.question();
        condition.turn = 1 + dice.of(11, 9) as u32;
        condition.sorted_at = since;
        condition.status_since = since;
        condition.last_activity_at = Some(since);
        condition.seen_at = (dice.of(12, 2) == 0).then_some(now);
        condition
    }

    fn question(self) -> Option<Question> {
        let (kind, text, options) = match self {
            Self::Permission => ("permission", "cargo test --workspace", ["Yes", "No"]),
            Self::Question => ("question", "Which database?", ["The one we have", "A new one"]),
            _ => return None,
        };
        let options = options.map(str::to_owned).to_vec();
        Some(Question {
            id: "made-up".to_owned(),
            kind: kind.to_owned(),
            text: text.to_owned(),
            options,
            selected: None,
            unnumbered: false,
        })
    }

    fn pr(self, id: &SessionId, number: u64, now: Timestamp) -> Option<PrFacts> {
        let Self::Pr { ci, review, mergeability, draft, state } = self else {
            return None;
        };
        let number = number + 1;
        Some(PrFacts {
            url: format!("https://example.invalid/{id}/pull/{number}"),
            number,
            state,
            draft,
            ci,
            review,
            mergeability,
            unresolved: u32::from(review == Review::ChangesRequested) * 2,
            stale: false,
            read_at: now,
        })
    }
}

/// Numbers that look thrown and are the same every time.
#[derive(Debug, Clone, Copy)]
struct Dice(u64);

impl Dice {
    /// The `salt`th throw of a number below `sides`.
    fn of(self, salt: u64, sides: usize) -> usize {
        let mut bits = (self.0 << 8 | salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ bits >> 31) % sides.max(1) as u64) as usize
    }

    /// A project; the first ones more often, and sometimes none.
    fn project(self, projects: &[MadeUpProject]) -> Option<&MadeUpProject> {
        if self.of(13, 20) == 0 {
            return None;
        }
        let part = self.of(14, 1_000);
        projects.get(part * part * projects.len() / 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::domain::status::Zone;

    fn some(count: usize) -> Vec<SeededSession> {
        let projects: Vec<_> = project_names(count)
            .into_iter()
            .map(|name| MadeUpProject { path: format!("/src/{name}").into(), name })
            .collect();
        sessions(count, &projects, Timestamp(1_796_000_000_000))
    }

    #[test]
    fn they_are_the_same_every_time_and_have_one_id_each() {
        let sessions = some(3_000);
        assert_eq!(sessions, some(3_000));
        let ids: BTreeSet<_> = sessions.iter().map(|session| &session.id).collect();
        assert_eq!(ids.len(), 3_000);
    }

    #[test]
    fn every_zone_is_there_and_none_runs() {
        let mut zones = BTreeSet::new();
        for session in some(300) {
            assert!(!session.condition.lifecycle.alive);
            zones.insert(
                session.condition.settle(&session.prs, Timestamp(1_796_000_000_000)).zone(),
            );
        }
        assert_eq!(zones.len(), Zone::ALL.len());
    }

    #[test]
    fn children_follow_their_parent_in_its_place() {
        let sessions = some(500);
        let children: Vec<_> = sessions.iter().filter(|session| session.parent.is_some()).collect();
        assert!(!children.is_empty());
        for child in children {
            let at =
                |id: &SessionId| sessions.iter().position(|session| session.id == *id).unwrap();
            let parent = at(child.parent.as_ref().unwrap());
            assert!(parent < at(&child.id));
            assert_eq!(sessions[parent].placement, child.placement);
        }
        let parents: BTreeSet<_> = sessions.iter().filter_map(|s| s.parent.clone()).collect();
        for id in trashed(&sessions) {
            assert!(!parents.contains(&id));
        }
    }
}
