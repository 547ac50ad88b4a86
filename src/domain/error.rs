//! Kinds of failure: what a caller can do about an error, and with which code a command ends.

use super::words::words;

words! {
    /// What went wrong, as far as a caller decides on it (`spec/cli.md`, exit codes).
    ErrorKind {
        /// The attempt failed; trying again may work.
        Failed = "failed",
        /// Wrong use or wrong configuration.
        Usage = "usage",
        /// What was named does not exist.
        NotFound = "not_found",
        /// Refused, or in conflict with what is there; nothing was changed.
        Refused = "refused",
        /// Part of it was done.
        Partial = "partial",
        /// A deadline passed.
        TimedOut = "timed_out",
        /// The operator or a signal ended it.
        Interrupted = "interrupted",
    }
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
}
