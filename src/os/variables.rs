//! Names of the variables that callboard reads, and sets for agents (`spec/cli.md`).

/// Root of an installation that is kept apart from the others.
pub const HOME: &str = "CALLBOARD_HOME";
/// The workspace, where the command line names none.
pub const WORKSPACE: &str = "CALLBOARD_WORKSPACE";
/// The session that an agent is.
pub const SESSION: &str = "CALLBOARD_SESSION_ID";
/// The launch of that session.
pub const GENERATION: &str = "CALLBOARD_GENERATION";
/// What shows that a process belongs to that launch.
pub const TOKEN: &str = "CALLBOARD_TOKEN";
/// What sessions wait for, told to the program of `notifications.command`.
pub const ATTENTION: &str = "CALLBOARD_ATTENTION";
/// What the operator is told of them in words.
pub const NOTICE: &str = "CALLBOARD_NOTICE";
/// Filter of the log.
pub const LOG: &str = "CALLBOARD_LOG";
