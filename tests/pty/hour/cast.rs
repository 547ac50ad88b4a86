//! The agents of the hour: what each plays, in which project.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Repository, TestHome, until};

/// The projects, in the order of their sections.
pub(super) const PROJECTS: [&str; 3] = ["shop", "api", "docs"];
/// Starts that are asked for side by side.
const TOGETHER: usize = 4;

/// What an agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Asks for a permission, then talks.
    Permission,
    /// Asks a question, then talks.
    Question,
    /// Leaves a file behind, then talks.
    Finishes,
    /// Runs into an error of its service.
    Fails,
    /// Ends by itself, with a code.
    Dies,
    /// Works until it is ended; TERM does not end it.
    Works,
}

impl Part {
    const ALL: [Self; 6] =
        [Self::Permission, Self::Question, Self::Finishes, Self::Fails, Self::Dies, Self::Works];

    fn script(self) -> &'static str {
        match self {
            Self::Permission => {
                "print begun;ask permission cargo test | Yes | No;print * tests pass;forever;prompt;end"
            }
            Self::Question => {
                "print begun;ask question Which rounding? | Half up | Half even;forever;prompt;end"
            }
            Self::Finishes => "write notes.md what was found;print begun;forever;prompt;end",
            Self::Fails => "write half.md half of it;print begun;status error overloaded;wait",
            Self::Dies => "write last.md last words;print begun;exit 3",
            Self::Works => "ignore TERM;print begun;status working;forever;wait;end",
        }
    }

    /// The state that it comes to by itself.
    fn status(self) -> &'static str {
        match self {
            Self::Permission | Self::Question | Self::Fails => "needs_input",
            Self::Finishes => "idle",
            Self::Dies => "killed",
            Self::Works => "working",
        }
    }

    /// A file that it leaves in its worktree, which git does not know.
    fn leaves(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Finishes => Some(("notes.md", "what was found\n")),
            Self::Fails => Some(("half.md", "half of it\n")),
            Self::Dies => Some(("last.md", "last words\n")),
            _ => None,
        }
    }
}

/// Projects with agents of every kind in each.
pub(super) struct Cast {
    pub(super) home: TestHome,
    pub(super) repositories: BTreeMap<&'static str, Repository>,
    /// Who plays what.
    pub(super) parts: BTreeMap<String, Part>,
}

impl Cast {
    /// The projects, with nobody in them.
    pub(super) fn new() -> Self {
        let home = TestHome::new();
        let repositories = PROJECTS.map(|name| (name, home.project(name)));
        Self { home, repositories: repositories.into(), parts: BTreeMap::new() }
    }

    /// Starts so many agents, several at once, as a script of the operator does.
    pub(super) fn start(&mut self, count: usize) {
        let wanted: Vec<(&str, Part)> = (0..count)
            .map(|n| {
                let round = n / Part::ALL.len();
                (PROJECTS[(n + round) % PROJECTS.len()], Part::ALL[n % Part::ALL.len()])
            })
            .collect();
        let home = &self.home;
        let hands: Vec<_> = (0..TOGETHER)
            .map(|hand| wanted.iter().copied().skip(hand).step_by(TOGETHER).collect::<Vec<_>>())
            .collect();
        let started = std::thread::scope(|scope| {
            let hands: Vec<_> = hands
                .into_iter()
                .map(|hand| {
                    scope.spawn(move || -> Vec<(String, Part)> {
                        hand.into_iter().map(|(at, part)| (spawn(home, at, part), part)).collect()
                    })
                })
                .collect();
            hands.into_iter().flat_map(|hand| hand.join().unwrap()).collect::<Vec<_>>()
        });
        self.parts.extend(started);
        assert_eq!(self.parts.len(), count, "an id was given twice");
        self.wait_parts(&self.parts.keys().cloned().collect::<Vec<_>>());
    }

    /// Waits until each of these has come to the state that its part ends in.
    pub(super) fn wait_parts(&self, ids: &[String]) {
        until("each to come to a state", || {
            let rows = self.rows(false);
            ids.iter().all(|id| rows[id]["status"] == self.parts[id].status()).then_some(())
        });
    }

    /// Those of a project that play a part.
    pub(super) fn of(&self, project: &str, part: Part) -> Vec<String> {
        let here = |id: &str| id.rsplit_once('-').is_some_and(|(name, _)| name == project);
        let found = self.parts.iter().filter(|(id, played)| here(id) && **played == part);
        found.map(|(id, _)| id.clone()).collect()
    }

    /// How many of a project play one of these parts.
    pub(super) fn count(&self, project: &str, parts: &[Part]) -> usize {
        parts.iter().map(|part| self.of(project, *part).len()).sum()
    }

    /// How many play one of these parts, anywhere.
    pub(super) fn count_all(&self, parts: &[Part]) -> usize {
        PROJECTS.iter().map(|project| self.count(project, parts)).sum()
    }

    /// What `list` says of each session, those in the trash or the others.
    pub(super) fn rows(&self, trash: bool) -> BTreeMap<String, Value> {
        let mut args = vec!["list", "--json", "--limit", "500"];
        args.extend(trash.then_some("--deleted"));
        let list = self.home.run(args).ok().json();
        let rows = list["sessions"].as_array().unwrap().iter();
        rows.map(|row| (row["id"].as_str().unwrap().to_owned(), row.clone())).collect()
    }

    /// Waits until so many of a project have a status.
    pub(super) fn wait_status(&self, project: &str, status: &str, count: usize) {
        until(&format!("{count} of {project} to be {status}"), || {
            let rows = self.rows(false);
            let there = rows.iter().filter(|(id, row)| {
                id.rsplit_once('-').is_some_and(|(name, _)| name == project)
                    && row["status"] == status
            });
            (there.count() == count).then_some(())
        });
    }

    /// Nothing is lost: each session is in the list or in the trash, with its worktree, its branch and what
    /// its agent left there; git knows of every worktree and of no other; no operation is left half done.
    pub(super) fn account(&self) {
        let (present, trash) = (self.rows(false), self.rows(true));
        let both: Vec<&String> = present.keys().filter(|id| trash.contains_key(*id)).collect();
        assert!(both.is_empty(), "in the list and in the trash: {both:?}");
        for (id, part) in &self.parts {
            let folder = match (present.get(id), trash.get(id)) {
                (Some(row), _) => PathBuf::from(row["folder"].as_str().unwrap()),
                (None, Some(row)) => {
                    let batch = row["batch"].as_str().unwrap();
                    self.home.path().join("data/trash/default").join(batch).join(id)
                }
                (None, None) => panic!("{id} is lost"),
            };
            assert!(folder.is_dir(), "{id}: {} is gone", folder.display());
            if let Some((name, text)) = part.leaves() {
                let found = std::fs::read_to_string(folder.join(name)).unwrap();
                assert_eq!(found, text, "{id}: {name}");
            }
            let git = Repository::at(&folder);
            assert!(!git.git(&["rev-parse", "HEAD"]).is_empty(), "{id} is a worktree");
        }
        assert_eq!(present.len() + trash.len(), self.parts.len(), "a session came by itself");
        for (name, repository) in &self.repositories {
            let branches = repository.git(&["branch", "--format=%(refname:short)"]);
            let mut branches: Vec<&str> = branches.lines().collect();
            branches.sort_unstable();
            let own = self.parts.keys().filter(|id| id.starts_with(&format!("{name}-")));
            let mut wanted: Vec<String> = own.map(|id| format!("callboard/{id}")).collect();
            wanted.push("main".to_owned());
            wanted.sort_unstable();
            assert_eq!(branches, wanted, "branches of {name}");
            let listed = repository.git(&["worktree", "list", "--porcelain"]);
            let trees = listed.lines().filter(|line| line.starts_with("worktree ")).count();
            assert_eq!(trees, wanted.len(), "worktrees of {name}\n{listed}");
            assert!(!listed.contains("prunable"), "{listed}");
            repository.git(&["fsck", "--connectivity-only"]);
        }
        let operations = self.home.run(["ops", "--json"]).ok().json();
        for operation in operations["operations"].as_array().unwrap() {
            assert!(!operation["ended_at"].is_null(), "has not ended: {operation}");
        }
    }
}

fn spawn(home: &TestHome, project: &str, part: Part) -> String {
    let title = format!("{part:?}");
    let options =
        ["spawn", "--json", "--project", project, "--agent", "scripted", "--title", &title];
    let agent = ["--", "-e", part.script()];
    let answer = home.run(options.into_iter().chain(agent)).ok().json();
    answer["id"].as_str().unwrap().to_owned()
}
