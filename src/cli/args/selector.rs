//! SELECTOR: ids and filters, and how their words are read.

use std::str::FromStr;
use std::time::Duration;

use clap::Args;

use crate::domain::ids::{InvalidName, ProjectName, SessionId};
use crate::domain::plan::Conditions;
use crate::domain::query::Filter;
use crate::domain::rail::SectionKey;
use crate::domain::status::{Status, Zone};

use super::values::{duration, section, word};

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

/// Heading of the filters.
const FILTERS: &str = "Filters";

/// Which sessions: ids, filters, or both.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct Selector {
    /// Sessions; - reads ids from standard input, one a line
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<IdArg>,
    /// Shown in section pinned, conversations or project:PATH
    #[arg(long, help_heading = FILTERS, value_name = "KEY", value_parser = section)]
    pub(crate) section: Option<SectionKey>,
    /// In this project, pinned ones included
    #[arg(long, help_heading = FILTERS, value_name = "NAME")]
    pub(crate) project: Option<ProjectName>,
    /// Of this agent
    #[arg(long, help_heading = FILTERS, value_name = "AGENT")]
    pub(crate) agent: Vec<String>,
    /// In this status; may be repeated
    #[arg(long, help_heading = FILTERS, value_name = "STATUS", value_parser = word(Status::ALL, Status::as_str), hide_possible_values = true)]
    pub(crate) status: Vec<Status>,
    /// respond, review, merge, pending, working or resting
    #[arg(long, help_heading = FILTERS, value_name = "ZONE", value_parser = word(Zone::ALL, Zone::as_str), hide_possible_values = true)]
    pub(crate) zone: Vec<Zone>,
    /// With this text
    #[arg(long, help_heading = FILTERS, value_name = "TEXT")]
    pub(crate) search: Option<String>,
    /// Last active longer ago, as 7d or 12h (purge: deleted)
    #[arg(long, help_heading = FILTERS, value_name = "AGE", value_parser = duration)]
    pub(crate) older_than: Option<Duration>,
    /// With uncommitted files
    #[arg(long, help_heading = FILTERS, conflicts_with = "clean")]
    pub(crate) dirty: bool,
    /// Without uncommitted files
    #[arg(long, help_heading = FILTERS)]
    pub(crate) clean: bool,
    /// Children of this session
    #[arg(long, help_heading = FILTERS, value_name = "ID")]
    pub(crate) parent: Option<SessionId>,
    /// Without pinned ones
    #[arg(long, help_heading = FILTERS)]
    pub(crate) exclude_pinned: bool,
    /// Every session of the workspace
    #[arg(long, help_heading = FILTERS)]
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
