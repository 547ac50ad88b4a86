//! Kinds of failure: what a caller can do about an error, and with which code a command ends.

/// What went wrong, as far as a caller decides on it (`spec/cli.md`, exit codes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The attempt failed; trying again may work.
    Failed,
    /// Wrong use or wrong configuration.
    Usage,
    /// What was named does not exist.
    NotFound,
    /// Refused, or in conflict with what is there; nothing was changed.
    Refused,
    /// Part of it was done.
    Partial,
    /// A deadline passed.
    TimedOut,
    /// The operator or a signal ended it.
    Interrupted,
}

impl ErrorKind {
    /// The exit code of a command that ends with this kind.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Refused => 4,
            Self::Partial => 5,
            Self::TimedOut => 6,
            Self::Interrupted => 130,
        }
    }

    /// The word used in `{error {kind}}` of the JSON output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::NotFound => "not_found",
            Self::Refused => "refused",
            Self::Partial => "partial",
            Self::TimedOut => "timed_out",
            Self::Interrupted => "interrupted",
        }
    }
}
