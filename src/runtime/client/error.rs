//! What can go wrong with a keeper.

use std::io;
use std::path::{Path, PathBuf};

use crate::domain::activity::Question;
use crate::domain::error::ErrorKind;
use crate::runtime::launch::StartError;
use crate::runtime::wire::{Body, Reason, WireError};

/// What went wrong with a keeper.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody listens at the socket: the keeper is gone.
    #[error("no keeper listens at {}", socket.display())]
    Gone {
        /// The socket.
        socket: PathBuf,
    },
    /// The connection failed.
    #[error("the keeper at {} cannot be reached: {source}", socket.display())]
    Io {
        /// The socket.
        socket: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The socket belongs to another user.
    #[error("the keeper at {} belongs to another user", socket.display())]
    OtherUser {
        /// The socket.
        socket: PathBuf,
    },
    /// The other side does not speak the protocol.
    #[error("the keeper does not speak our protocol: {0}")]
    Wire(#[from] WireError),
    /// It refused; nothing was done.
    #[error("the keeper refused: {message}")]
    Refused {
        /// Why.
        reason: Reason,
        /// The same in words.
        message: String,
    },
    /// Another question is shown than the one that was answered (K6).
    #[error("the question has changed")]
    QuestionChanged {
        /// The one that is shown now.
        question: Option<Question>,
    },
    /// It is an older keeper that does not know the request.
    #[error("the keeper does not understand {what:?}: {message}")]
    NotUnderstood {
        /// Type of the request.
        what: String,
        /// What is wrong with it.
        message: String,
    },
    /// Its answer is none that we know.
    #[error("the keeper gave an answer that does not fit")]
    Unexpected,
    /// The keeper could not start the agent.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The keeper's process could not be started, or ended without a word.
    #[error("the keeper cannot be started: {0}")]
    Spawn(io::Error),
}

impl ClientError {
    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Gone { .. } => ErrorKind::NotFound,
            Self::Refused { .. } | Self::QuestionChanged { .. } | Self::OtherUser { .. } => {
                ErrorKind::Refused
            }
            Self::Start(error) => error.kind(),
            Self::Io { .. }
            | Self::Wire(_)
            | Self::NotUnderstood { .. }
            | Self::Unexpected
            | Self::Spawn(_) => ErrorKind::Failed,
        }
    }

    /// What to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Start(error) => error.hint(),
            Self::QuestionChanged { .. } => {
                Some("look at the new question, then answer it".to_owned())
            }
            Self::Refused { reason: Reason::QuestionShown, .. } => {
                Some("answer the question first".to_owned())
            }
            Self::Gone { .. } => Some("restore the session to launch it again".to_owned()),
            Self::NotUnderstood { .. } => {
                Some("its keeper is older; stop and restore the session to use this".to_owned())
            }
            _ => None,
        }
    }
}

/// The answers that no request expects.
pub(super) fn unexpected(body: Body) -> ClientError {
    match body {
        Body::Refused { reason, message } => ClientError::Refused { reason, message },
        Body::QuestionChanged { question } => ClientError::QuestionChanged { question },
        Body::NotUnderstood { what, message } => ClientError::NotUnderstood { what, message },
        _ => ClientError::Unexpected,
    }
}

/// A message that was not sent: the same as its refusal, without asking.
pub(super) fn unsent(error: WireError) -> ClientError {
    match error {
        WireError::TooLong(_) => {
            ClientError::Refused { reason: Reason::TooLong, message: error.to_string() }
        }
        other => other.into(),
    }
}

/// A connection that failed: where nobody listens any more, the keeper is gone.
pub(super) fn lost(socket: &Path, source: io::Error) -> ClientError {
    use io::ErrorKind::{BrokenPipe, ConnectionRefused, ConnectionReset, NotFound, UnexpectedEof};
    let socket = socket.to_owned();
    match source.kind() {
        NotFound | ConnectionRefused | ConnectionReset | BrokenPipe | UnexpectedEof => {
            ClientError::Gone { socket }
        }
        _ => ClientError::Io { socket, source },
    }
}
