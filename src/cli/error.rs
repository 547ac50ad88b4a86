//! Errors of commands, and how a command ends.

use std::io;
use std::process::ExitCode;

use schemars::JsonSchema;
use serde::Serialize;

use crate::adapters::OpenError;
use crate::config::ConfigError;
use crate::domain::error::ErrorKind;
use crate::domain::ids::{InvalidName, SessionId};
use crate::domain::text::clean_block;
use crate::host::context::Ended;
use crate::host::error::HostError;
use crate::host::ports::PortError;
use crate::os::limits;
use crate::runtime::client::ClientError;
use crate::tui::attach::AttachError;
use crate::tui::run::RunError;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// A coordinator refused or failed.
    #[error(transparent)]
    Host(#[from] HostError),
    /// A query failed.
    #[error(transparent)]
    Port(#[from] PortError),
    /// A name is not legal.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// Wrong use that the parser cannot see.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// It asks, and there is nobody to answer.
    #[error("{0} asks first, and standard input is not a terminal")]
    NobodyToAsk(&'static str),
    /// The operator answered no.
    #[error("nothing was done")]
    Declined,
    /// The session has no keeper.
    #[error("session {0} does not run")]
    NotRunning(SessionId),
    /// A session ended before it was in one of the states waited for.
    #[error("session {id} ended with status {status} before it was in one of the states")]
    EndedFirst {
        /// Which.
        id: SessionId,
        /// Its status, or `deleted`.
        status: String,
    },
    /// `wait` gave up.
    #[error("none of the sessions was in one of the states in time")]
    WaitedTooLong,
    /// A signal ended the command.
    #[error("interrupted")]
    Interrupted,
    /// Reading or writing failed.
    #[error("{what}: {source}")]
    Io {
        /// What was attempted.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
    /// Whoever read the output has left: a success (`spec/cli.md`, exit codes).
    #[error("the output was closed")]
    ClosedPipe,
    /// Another part of the program failed, already in words.
    #[error("{message}")]
    Part {
        /// What a caller can do about it.
        kind: ErrorKind,
        /// What was attempted and why it failed.
        message: String,
        /// What to do.
        hint: Option<String>,
        /// The session it is about.
        id: Option<SessionId>,
    },
}

impl CliError {
    /// Names what was attempted when reading or writing failed.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }

    /// The same for what a reader may have closed, which is no failure.
    pub(crate) fn writing(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |error| match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::io(what)(error),
        }
    }

    /// Nothing says which sessions.
    pub(crate) fn no_session() -> Self {
        Self::Usage {
            message: "no session was named".to_owned(),
            hint: Some("give ids, a filter such as --project NAME, or --all".to_owned()),
        }
    }

    /// What the parser says: its first paragraph is the message, its advice and usage the hint.
    pub(crate) fn misused(error: &clap::Error) -> Self {
        if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            let hint = Some("--help lists them".to_owned());
            return Self::Usage { message: "a command is missing".to_owned(), hint };
        }
        let text = error.to_string();
        let mut paragraphs = text.split("\n\n").map(clean_block).map(|part| one_line(&part));
        let message = paragraphs.next().unwrap_or_default();
        let message = message.trim_start_matches("error: ").to_owned();
        let advice: Vec<String> = paragraphs
            .filter(|part| !part.is_empty() && !part.starts_with("For more information"))
            .map(|part| part.trim_start_matches("tip: ").replace("Usage: ", "usage: "))
            .collect();
        let hint =
            if advice.is_empty() { "--help says more".to_owned() } else { advice.join("; ") };
        Self::Usage { message, hint: Some(hint) }
    }

    /// What a caller can do about it.
    pub(crate) fn kind(&self) -> ErrorKind {
        match self {
            Self::Host(error) => error.kind(),
            Self::Port(error) => error.kind,
            Self::Name(_) | Self::Usage { .. } => ErrorKind::Usage,
            Self::NobodyToAsk(_)
            | Self::Declined
            | Self::NotRunning(_)
            | Self::EndedFirst { .. } => ErrorKind::Refused,
            Self::WaitedTooLong => ErrorKind::TimedOut,
            Self::Interrupted => ErrorKind::Interrupted,
            Self::Io { .. } | Self::ClosedPipe => ErrorKind::Failed,
            Self::Part { kind, .. } => *kind,
        }
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        if limits::is_lack_of_descriptors(&self.to_string()) {
            return Some("raise the limit for the shell: ulimit -n 4096".to_owned());
        }
        match self {
            Self::Host(error) => error.hint(),
            Self::Port(error) => error.hint.clone(),
            Self::Usage { hint, .. } | Self::Part { hint, .. } => hint.clone(),
            Self::NobodyToAsk(_) => {
                Some("add --yes to go on without being asked, or --dry-run to see the plan".into())
            }
            Self::NotRunning(id) => Some(format!("launch it again with: callboard restore {id}")),
            _ => None,
        }
    }

    /// Says which session it is about, where it does not say so itself.
    pub(crate) fn about(self, id: &SessionId) -> Self {
        if matches!(self, Self::ClosedPipe | Self::Interrupted) || self.id().is_some() {
            return self;
        }
        let (kind, message, hint) = (self.kind(), self.to_string(), self.hint());
        Self::Part { kind, message, hint, id: Some(id.clone()) }
    }

    /// The session it is about.
    pub(crate) fn id(&self) -> Option<&SessionId> {
        match self {
            Self::Part { id, .. } => id.as_ref(),
            Self::NotRunning(id)
            | Self::EndedFirst { id, .. }
            | Self::Host(
                HostError::NotFound(id)
                | HostError::IdInTrash(id)
                | HostError::IdInUse(id)
                | HostError::RailPlacementConflict(id)
                | HostError::NoParent(id)
                | HostError::NotRestorable(id)
                | HostError::Detecting(id)
                | HostError::NothingToResume(id)
                | HostError::IncompleteHandle(id)
                | HostError::Incomplete { id, .. },
            ) => Some(id),
            _ => None,
        }
    }
}

/// The words of a text on one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

macro_rules! parts {
    ($($error:ty),+) => {
        $(impl From<$error> for CliError {
            fn from(error: $error) -> Self {
                Self::Part { kind: error.kind(), message: error.to_string(), hint: error.hint(), id: None }
            }
        })+
    };
}
parts!(ConfigError, OpenError, AttachError, RunError, ClientError);

impl From<Ended> for CliError {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Cancelled => Self::Interrupted,
            Ended::TimedOut => Self::WaitedTooLong,
        }
    }
}

/// How a command that printed its report ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Everything was done.
    Done,
    /// Not everything was; the report says what.
    Short(ErrorKind),
    /// With the exit code of a script.
    Code(u8),
}

impl Ending {
    /// From the results of many: `kind` where none succeeded, partly done where some did.
    pub(crate) fn of(succeeded: usize, failed: usize, kind: ErrorKind) -> Self {
        match (succeeded, failed) {
            (_, 0) => Self::Done,
            (0, _) => Self::Short(kind),
            _ => Self::Short(ErrorKind::Partial),
        }
    }
}

/// Result of a command.
pub(crate) type CommandResult = Result<Ending, CliError>;

/// The exit code of a result.
pub(crate) fn exit_code(result: &CommandResult) -> ExitCode {
    match result {
        Ok(Ending::Done) | Err(CliError::ClosedPipe) => ExitCode::SUCCESS,
        Ok(Ending::Code(code)) => ExitCode::from(*code),
        Ok(Ending::Short(kind)) => ExitCode::from(kind.exit_code()),
        Err(error) => ExitCode::from(error.kind().exit_code()),
    }
}

/// An error, on standard error.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub(crate) struct ErrorReport<'a> {
    /// The error.
    error: ErrorBody<'a>,
}

/// What is told of an error.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ErrorBody")]
struct ErrorBody<'a> {
    /// What a caller can do about it, as the exit code says too.
    kind: ErrorKind,
    /// What was attempted and why it failed.
    message: String,
    /// What to do.
    hint: Option<String>,
    /// The session it is about.
    id: Option<&'a SessionId>,
}

impl<'a> From<&'a CliError> for ErrorReport<'a> {
    fn from(error: &'a CliError) -> Self {
        Self {
            error: ErrorBody {
                kind: error.kind(),
                message: error.to_string(),
                hint: error.hint(),
                id: error.id(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_printed_with_all_four_fields() {
        let id = SessionId::new("shop-4").unwrap();
        let error = CliError::Host(HostError::IdInTrash(id));
        let json = serde_json::to_value(ErrorReport::from(&error)).unwrap();
        assert_eq!(json["error"]["kind"], "refused");
        assert_eq!(json["error"]["id"], "shop-4");
        assert!(json["error"]["hint"].as_str().unwrap().contains("restore shop-4"));
        let error = CliError::WaitedTooLong;
        let json = serde_json::to_value(ErrorReport::from(&error)).unwrap();
        assert!(json["error"]["hint"].is_null() && json["error"]["id"].is_null());
    }

    #[test]
    fn an_error_is_about_the_session_that_it_names_itself_or_that_was_asked_for() {
        let (own, asked) = (SessionId::new("shop-4").unwrap(), SessionId::new("shop-5").unwrap());
        let error = CliError::Host(HostError::IdInTrash(own.clone())).about(&asked);
        assert_eq!(error.id(), Some(&own));
        let hint = Some("ask".to_owned());
        let refused = HostError::Refused { message: "no".to_owned(), hint: hint.clone() };
        let error = CliError::Host(refused).about(&asked);
        assert_eq!(
            (error.id(), error.hint(), error.kind()),
            (Some(&asked), hint, ErrorKind::Refused)
        );
        // A reader that has left is a success.
        assert!(matches!(CliError::ClosedPipe.about(&asked), CliError::ClosedPipe));
    }

    #[test]
    fn many_results_end_as_done_partly_done_or_by_their_kind() {
        assert_eq!(Ending::of(3, 0, ErrorKind::Failed), Ending::Done);
        assert_eq!(Ending::of(0, 2, ErrorKind::Refused), Ending::Short(ErrorKind::Refused));
        assert_eq!(Ending::of(1, 1, ErrorKind::Failed), Ending::Short(ErrorKind::Partial));
    }
}
