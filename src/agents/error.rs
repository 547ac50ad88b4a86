//! Why an agent cannot be launched.

use std::path::PathBuf;

use crate::domain::error::ErrorKind;

/// Why an agent cannot be launched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// No definition has this name.
    #[error("there is no agent {agent:?}")]
    Unknown {
        /// As given.
        agent: String,
        /// Those that there are.
        known: String,
    },
    /// Its program is not installed.
    #[error("the program {program:?} of agent {agent} is not found")]
    ProgramMissing {
        /// The agent.
        agent: String,
        /// What was looked for.
        program: String,
    },
    /// Its program is there, but may not be started.
    #[error("the program {} of agent {agent} is not executable", path.display())]
    NotExecutable {
        /// The agent.
        agent: String,
        /// What was found.
        path: PathBuf,
    },
    /// The path of a program is no text.
    #[error("the path {} of agent {agent}'s program is not UTF-8", path.display())]
    PathNotText {
        /// The agent.
        agent: String,
        /// The path.
        path: PathBuf,
    },
    /// The program that starts the agent elsewhere is not installed.
    #[error("the program {program:?}, by which target {target} runs its agent, is not found")]
    RunnerMissing {
        /// The target.
        target: String,
        /// What was looked for.
        program: String,
    },
    /// A session was launched by a target that is configured no more, or otherwise.
    #[error("there is no target {target:?} of agent {agent} any more")]
    TargetGone {
        /// The target.
        target: String,
        /// Its agent.
        agent: String,
    },
    /// The file of the conversation would have to be brought to where the agent runs.
    #[error("agent {agent} cannot fork a conversation that target {target} holds elsewhere")]
    ForkElsewhere {
        /// The agent.
        agent: String,
        /// The target.
        target: String,
    },
    /// `command` without a program.
    #[error("agent {0} needs a program to run")]
    NoProgram(String),
    /// The agent has no way to choose this.
    #[error("agent {agent} has no way to choose its {what}")]
    NotOffered {
        /// The agent.
        agent: String,
        /// Model or permission mode.
        what: &'static str,
    },
    /// The agent has no such permission mode.
    #[error("agent {agent} has no permission mode {mode:?}")]
    NoSuchMode {
        /// The agent.
        agent: String,
        /// As given.
        mode: String,
        /// Those that there are.
        known: String,
    },
    /// The conversation that is to be forked is not where the agent keeps them.
    #[error("agent {agent} has stored no such conversation: {} is missing", path.display())]
    NotStored {
        /// The agent.
        agent: String,
        /// Where it should be.
        path: PathBuf,
    },
    /// A NUL, which no argument can hold.
    #[error("the {0} holds a NUL character")]
    Nul(&'static str),
    /// A prompt beyond the limit.
    #[error("the prompt has {bytes} bytes, the limit is {limit}", limit = super::launch::PROMPT_LIMIT)]
    PromptTooLong {
        /// Its length.
        bytes: usize,
    },
}

impl AgentError {
    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unknown { .. } => ErrorKind::NotFound,
            Self::ProgramMissing { .. }
            | Self::NotExecutable { .. }
            | Self::PathNotText { .. }
            | Self::RunnerMissing { .. }
            | Self::TargetGone { .. }
            | Self::ForkElsewhere { .. }
            | Self::NotStored { .. } => ErrorKind::Refused,
            Self::NoProgram(_)
            | Self::NotOffered { .. }
            | Self::NoSuchMode { .. }
            | Self::Nul(_)
            | Self::PromptTooLong { .. } => ErrorKind::Usage,
        }
    }

    /// What to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { known, .. } | Self::NoSuchMode { known, .. } => {
                Some(format!("known are {known}"))
            }
            Self::ProgramMissing { .. } => Some(
                "install it, or name its path as `program` in a definition of your own".to_owned(),
            ),
            Self::RunnerMissing { program, .. } => {
                Some(format!("install {program}, or choose another target"))
            }
            Self::TargetGone { target, agent } => Some(format!(
                "write [targets.{target}] with agent = \"{agent}\" into config.toml: without it nobody knows where \
                 the agent may run"
            )),
            Self::NotExecutable { path, .. } => {
                Some(format!("name a program, or run: chmod +x {}", path.display()))
            }
            Self::NoProgram(_) => Some("give program and arguments after --".to_owned()),
            Self::PromptTooLong { .. } => Some("put the text into a file and name that".to_owned()),
            Self::NotStored { .. } => {
                Some("an agent stores a conversation once something was said in it".to_owned())
            }
            Self::ForkElsewhere { .. } => Some("start a new session there".to_owned()),
            Self::PathNotText { .. } | Self::NotOffered { .. } | Self::Nul(_) => None,
        }
    }
}
