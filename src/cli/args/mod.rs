//! The command line as types (`spec/cli.md`, commands).

#[cfg(test)]
mod help_tests;
mod looks;
mod selector;
mod values;
mod verbs;

use clap::{Args, Parser, Subcommand};

use crate::domain::ids::{InvalidName, OperationId, SessionId, WorkspaceName};
use crate::domain::rail::SectionKey;
use crate::os::variables::WORKSPACE;

use super::error::CliError;
pub(crate) use looks::{AgentsCommand, DiffArgs, ForkArgs, HookArgs, LogArgs, TestArgs, WatchArgs};

pub(crate) use selector::{IdArg, Selector};
pub(crate) use values::Goal;
pub(crate) use verbs::{
    AttachArgs, CleanupArgs, ClearArgs, DeleteArgs, DemoArgs, EventsArgs, IdsArgs, KeysArgs,
    ListArgs, ProjectAdd, ProjectCommand, PurgeArgs, RenameArgs, RestoreArgs, ScreenArgs,
    ScriptedArgs, SendArgs, SpawnArgs, StopArgs, WaitArgs,
};

/// The operator console for coding agents.
///
/// Without a command it opens the dashboard.
#[derive(Debug, Parser)]
#[command(
    name = "callboard",
    version,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_long_help = AFTER_HELP
)]
pub(crate) struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub(crate) global: Global,
    /// Options of the dashboard.
    #[command(flatten)]
    pub(crate) board: BoardArgs,
    /// The command; none opens the dashboard.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What the long help and the manual page end with.
pub(crate) const AFTER_HELP: &str = "\
Exit codes: 0 done, or nothing to do; 1 failed; 2 wrong use or configuration; 3 not found; 4 refused \
or in conflict; 5 partly done; 6 timed out; 130 interrupted.

CALLBOARD_HOME puts configuration, data, state and sockets into one folder; without it they are below \
XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME and XDG_RUNTIME_DIR. CALLBOARD_LOG is the filter of \
the log; NO_COLOR is honoured. `callboard config` prints every configured value and its source.";

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Workspace; default unless given, or set in the environment.
    #[arg(long, help = "Workspace; else CALLBOARD_WORKSPACE, else default", global = true, value_name = "NAME", value_parser = workspace, help_heading = EVERYWHERE)]
    workspace: Option<WorkspaceName>,
    /// Print JSON
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(crate) json: bool,
    /// Print no reports, only answers and errors
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(crate) quiet: bool,
}

/// Heading of the options that every command has.
const EVERYWHERE: &str = "Options of every command";

impl Global {
    /// The workspace: the option's, else the environment's, else `default`.
    ///
    /// # Errors
    /// The environment names one that is not legal.
    pub(crate) fn workspace(&self) -> Result<WorkspaceName, CliError> {
        if let Some(workspace) = &self.workspace {
            return Ok(workspace.clone());
        }
        let named = std::env::var_os(WORKSPACE).unwrap_or_default();
        match named.to_string_lossy().trim() {
            "" => Ok(WorkspaceName::default()),
            name => WorkspaceName::new(name).map_err(|error| CliError::Usage {
                message: format!("{WORKSPACE}: {error}"),
                hint: Some(format!("set {WORKSPACE} to a legal name, or unset it")),
            }),
        }
    }
}

/// The name of a workspace; blanks around it are dropped (`spec/lifecycle.md` D1).
fn workspace(text: &str) -> Result<WorkspaceName, InvalidName> {
    WorkspaceName::new(text.trim())
}

/// Where the dashboard opens.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct BoardArgs {
    /// Open in this section: pinned, conversations, project:PATH
    #[arg(long, value_name = "KEY", value_parser = values::section)]
    pub(crate) section: Option<SectionKey>,
    /// Select this session
    #[arg(long, value_name = "ID")]
    pub(crate) select: Option<SessionId>,
}

impl BoardArgs {
    /// Whether nothing was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.section.is_none() && self.select.is_none()
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Try the dashboard on a throwaway home with scripted agents
    Demo(DemoArgs),
    /// Register folders
    #[command(subcommand)]
    Project(ProjectCommand),
    /// Create a session
    Spawn(Box<SpawnArgs>),
    /// Create a session from the conversation of another
    Fork(ForkArgs),
    /// List sessions
    List(Box<ListArgs>),
    /// List the sections of the rail with their counts
    Sections,
    /// Show everything known of a session
    Show {
        /// Session
        #[arg(value_name = "ID")]
        id: SessionId,
    },
    /// Work in the terminal of a session, full screen
    Attach(AttachArgs),
    /// Print what the agent's screen shows now
    Screen(ScreenArgs),
    /// Type a text into agents, or answer the question that one shows
    Send(SendArgs),
    /// Press keys in a session
    Keys(KeysArgs),
    /// Wait until a session is in a state
    Wait(WaitArgs),
    /// End the runtime of sessions; their folders stay
    Stop(Box<StopArgs>),
    /// Stop sessions and give back worktrees that hold no work
    Kill(Box<DeleteArgs>),
    /// Give back worktrees of ended sessions that hold no work
    Cleanup(CleanupArgs),
    /// Delete sessions into the trash
    Delete(Box<DeleteArgs>),
    /// Delete every session of the workspace into the trash
    Clear(ClearArgs),
    /// Remove sessions from the trash for good
    Purge(Box<PurgeArgs>),
    /// Bring sessions back from the trash, or launch ended ones
    Restore(RestoreArgs),
    /// Pin sessions
    Pin(IdsArgs),
    /// Take the pins off sessions
    Unpin(IdsArgs),
    /// Rename a session
    Rename(RenameArgs),
    /// Note that the operator looked at sessions
    Seen(IdsArgs),
    /// Print the terminal history of a session
    Log(LogArgs),
    /// Print what a session changed, with uncommitted and new files
    Diff(DiffArgs),
    /// Print prompts and reports of a session
    Messages {
        /// Session
        #[arg(value_name = "ID")]
        id: SessionId,
        /// At most so many, the newest
        #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
        limit: usize,
    },
    /// Print what was done to sessions, when and by whom
    Events(EventsArgs),
    /// Watch without a screen: print what changes
    Watch(WatchArgs),
    /// List operations; resume, undo or abandon one
    #[command(subcommand_required = false)]
    Ops {
        /// What to do; the list unless given
        #[command(subcommand)]
        command: Option<OpsCommand>,
    },
    /// Finish or undo what was left half done
    Recover,
    /// Check store, folders, keepers, programs and limits
    Doctor {
        /// Mend what is safe to mend, and say what was done
        #[arg(long)]
        repair: bool,
    },
    /// Agent definitions
    #[command(subcommand)]
    Agents(AgentsCommand),
    /// Report an event of the agent that calls; JSON on standard input
    Hook(HookArgs),
    /// Print a short guide for agents
    Guide,
    /// Print the effective configuration and its sources
    Config,
    /// Print the JSON Schema of all outputs
    Schema {
        /// Output of this command only, as list or ops show; also plan and error
        #[arg(value_name = "NAME")]
        name: Vec<String>,
    },
    /// Print completions for a shell
    Completions {
        /// bash, elvish, fish, powershell or zsh
        #[arg(value_name = "SHELL", hide_possible_values = true)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
    /// Go on with an operation that a dashboard left
    #[command(hide = true)]
    Work {
        /// Operation
        #[arg(value_name = "OP")]
        id: crate::domain::ids::OperationId,
    },
    /// Play an agent by a script
    #[command(hide = true)]
    Scripted(ScriptedArgs),
}

/// What to do with operations.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum OpsCommand {
    /// List operations, newest first
    List,
    /// Show one operation
    Show {
        /// Operation
        #[arg(value_name = "OP")]
        id: OperationId,
    },
    /// Try an unfinished operation once more
    Resume {
        /// Operation
        #[arg(value_name = "OP")]
        id: OperationId,
    },
    /// Undo an operation; for a delete, bring its sessions back
    Undo {
        /// Operation
        #[arg(value_name = "OP")]
        id: OperationId,
    },
    /// Let an unfinished operation be as it is
    Abandon {
        /// Operation
        #[arg(value_name = "OP")]
        id: OperationId,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(line.split(' '))
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn global_options_are_taken_on_both_sides_of_the_command() {
        for line in ["callboard --json list", "callboard list --json"] {
            assert!(parse(line).unwrap().global.json, "{line}");
        }
        let cli = parse("callboard --workspace w2 sections").unwrap();
        assert_eq!(cli.global.workspace().unwrap().as_str(), "w2");
    }

    /// D1: workspace and ids are trimmed, blanks dropped.
    #[test]
    fn blanks_around_workspace_and_ids_are_dropped() {
        let line = ["callboard", "--workspace", " w2\t", "delete", " shop-2 ", " ", "", "shop-1\n"];
        let cli = Cli::try_parse_from(line).unwrap();
        assert_eq!(cli.global.workspace().unwrap().as_str(), "w2");
        let Some(Command::Delete(delete)) = cli.command else { panic!("not delete") };
        let id = |text: &str| IdArg::Session(text.parse().unwrap());
        let expected = [id("shop-2"), IdArg::Blank, IdArg::Blank, id("shop-1")];
        assert_eq!(delete.selector.ids, expected);
    }

    #[test]
    fn arguments_after_two_dashes_belong_to_the_agent() {
        let cli = parse("callboard spawn --agent command -- sh -c --json").unwrap();
        let Some(Command::Spawn(spawn)) = cli.command else { panic!("not spawn") };
        assert_eq!(spawn.args, ["sh", "-c", "--json"]);
        assert!(!cli.global.json);
    }

    #[test]
    fn wrong_use_is_refused() {
        for line in [
            "callboard nonsense",
            "callboard show",
            "callboard show UPPER",
            "callboard list --status nonsense",
            "callboard list --section nowhere",
            "callboard list --dirty --clean",
            "callboard wait shop-1",
            "callboard wait shop-1 --for nonsense",
            "callboard spawn --project p --chat",
            "callboard spawn --size 80",
            "callboard restore shop-1 --last",
            "callboard restore",
            "callboard send",
            "callboard send shop-1 --answer maybe",
            "callboard send shop-1 --question q1",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn wait_knows_its_goals() {
        let cli =
            parse("callboard wait shop-1 - --for needs_input,exit,idle --timeout 30s").unwrap();
        let Some(Command::Wait(wait)) = cli.command else { panic!("not wait") };
        assert_eq!(wait.goals.len(), 3);
        assert_eq!(wait.goals[2], Goal::Idle);
        assert_eq!(wait.timeout, Some(std::time::Duration::from_secs(30)));
        assert_eq!(wait.ids[1], IdArg::Input);
    }
}
