//! Commands that look at sessions, and those that agents and tests call.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::domain::ids::SessionId;

/// `log`
#[derive(Debug, Clone, Args)]
pub(crate) struct LogArgs {
    /// Session, deleted ones too
    #[arg(value_name = "ID")]
    pub(crate) id: SessionId,
    /// Go on until the session ends
    #[arg(long)]
    pub(crate) follow: bool,
    /// Write an asciicast to this file; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) cast: Option<PathBuf>,
}

/// `diff`
#[derive(Debug, Clone, Args)]
pub(crate) struct DiffArgs {
    /// Session, deleted ones too
    #[arg(value_name = "ID")]
    pub(crate) id: SessionId,
    /// Only the files, with the number of changed lines
    #[arg(long)]
    pub(crate) stat: bool,
}

/// `fork`
#[derive(Debug, Clone, Args)]
pub(crate) struct ForkArgs {
    /// The session whose conversation is gone on with
    #[arg(value_name = "ID")]
    pub(crate) id: SessionId,
    /// First prompt in the new session
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) prompt: Option<String>,
}

/// `watch`
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct WatchArgs {
    /// Notify when a session wants attention, as the configuration says; with the bell unless it says how
    #[arg(long)]
    pub(crate) notify: bool,
}

/// `hook`
#[derive(Debug, Clone, Args)]
pub(crate) struct HookArgs {
    /// Agent whose definition knows the event
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
    /// Name of the event, as the agent calls it
    #[arg(value_name = "EVENT")]
    pub(crate) event: String,
}

/// What to do with agent definitions.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum AgentsCommand {
    /// List definitions and the programs that were found
    List,
    /// Say why an activity was concluded: what every witness says
    Explain {
        /// Session
        #[arg(value_name = "ID")]
        id: SessionId,
    },
    /// Play a recording to the detection of an agent
    Test(TestArgs),
}

/// `agents test`
#[derive(Debug, Clone, Args)]
pub(crate) struct TestArgs {
    /// Recording, an asciicast of version 2
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Agent
    #[arg(long, value_name = "A")]
    pub(crate) agent: String,
}
