//! SELECTOR: ids and filters, and how their words are read.

use std::str::FromStr;
use std::time::Duration;

use clap::Args;

use crate::domain::ids::{InvalidName, ProjectName, SessionId};
use crate::domain::plan::Conditions;
use crate::domain::query::Filter;
use crate::domain::rail::SectionKey;
use crate::domain::status::{Status, Zone};
use crate::domain::time::parse_duration;

/// One `ID` of the command line. Blanks around it are dropped (`spec/lifecycle.md` D1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IdArg {
    /// A session.
    Session(SessionId),
    /// `-`: more ids on standard input.
    Input,
    /// Nothing but blanks.
    Blank,
}

impl FromStr for IdArg {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "" => Ok(Self::Blank),
            "-" => Ok(Self::Input),
            id => SessionId::new(id).map(Self::Session),
        }
    }
}

/// `ID...`, at least one.
#[derive(Debug, Clone, Args)]
pub(crate) struct IdArgs {
    /// Sessions; - reads ids from standard input, one a line
    #[arg(value_name = "ID", required = true)]
    ids: Vec<IdArg>,
}

impl std::ops::Deref for IdArgs {
    type Target = [IdArg];

    fn deref(&self) -> &[IdArg] {
        &self.ids
    }
}

/// Which sessions: ids, filters, or both.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct Selector {
    /// Sessions; - reads ids from standard input, one a line
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<IdArg>,
    /// Shown in this section: pinned, conversations, project:PATH
    #[arg(long, value_name = "KEY", value_parser = section)]
    pub(crate) section: Option<SectionKey>,
    /// In this project, pinned ones included
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<ProjectName>,
    /// Of this agent
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Vec<String>,
    /// In this status
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Vec<Status>,
    /// In this zone
    #[arg(long, value_name = "ZONE")]
    pub(crate) zone: Vec<Zone>,
    /// With these words in title, prompt, branch or one message, the last word maybe only begun
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
    /// Last active (in the trash: deleted) longer ago, as 7d or 12h
    #[arg(long, value_name = "AGE", value_parser = duration)]
    pub(crate) older_than: Option<Duration>,
    /// With uncommitted files
    #[arg(long, conflicts_with = "clean")]
    pub(crate) dirty: bool,
    /// Without uncommitted files
    #[arg(long)]
    pub(crate) clean: bool,
    /// Children of this session
    #[arg(long, value_name = "ID")]
    pub(crate) parent: Option<SessionId>,
    /// Without pinned ones
    #[arg(long)]
    pub(crate) exclude_pinned: bool,
    /// Every session of the workspace
    #[arg(long)]
    pub(crate) all: bool,
}

impl Selector {
    /// Whether neither ids nor filters nor `--all` were given.
    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty() && !self.all && self.filter(Vec::new()) == Filter::default()
    }

    /// The query for `ids` (all where empty) and every filter.
    pub(crate) fn filter(&self, ids: Vec<SessionId>) -> Filter {
        Filter {
            ids,
            section: self.section.clone(),
            project: self.project.clone(),
            agents: self.agent.clone(),
            statuses: self.status.clone(),
            zones: self.zone.clone(),
            text: self.search.clone(),
            older_than: self.older_than,
            younger_than: None,
            dirty: (self.dirty || self.clean).then_some(self.dirty),
            parent: self.parent.clone(),
            exclude_pinned: self.exclude_pinned,
            attention: false,
            batch: None,
        }
    }

    /// The words that are tested again at both fences (`spec/lifecycle.md` D5).
    pub(crate) fn conditions(&self) -> Conditions {
        Conditions {
            section: self.section.clone(),
            exclude_pinned: self.exclude_pinned,
            statuses: self.status.clone(),
            older_than: self.older_than,
        }
    }

    /// The words that choose the ids once: every filter that is no condition.
    pub(crate) fn choosing(&self, ids: Vec<SessionId>) -> Filter {
        Filter {
            section: None,
            exclude_pinned: false,
            statuses: Vec::new(),
            older_than: None,
            ..self.filter(ids)
        }
    }
}

/// Reads the key of a section.
pub(crate) fn section(text: &str) -> Result<SectionKey, String> {
    SectionKey::parse(text)
        .ok_or_else(|| "a section is pinned, conversations or project:/absolute/path".to_owned())
}

/// Reads a duration such as `90s`, `12h`, `7d`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "a duration is a number with s, m, h, d or w".to_owned())
}
