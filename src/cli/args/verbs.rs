//! Options of single commands.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::domain::answer::Answer;
use crate::domain::ids::{BatchId, ProjectName, SessionId};
use crate::domain::launch::DEFAULT_SIZE;
use crate::domain::session::Kind;

use super::selector::{IdArgs, Selector};
use super::values::{Goal, Size, duration, goal, word};

/// `demo`
#[derive(Debug, Clone, Args)]
pub(crate) struct DemoArgs {
    /// Fill a home with made-up sessions and leave
    #[arg(long, requires = "home")]
    pub(crate) seed_only: bool,
    /// How many made-up sessions
    #[arg(long, value_name = "N", default_value_t = 200, requires = "seed_only")]
    pub(crate) sessions: usize,
    /// The home to fill
    #[arg(long, value_name = "DIR", requires = "seed_only")]
    pub(crate) home: Option<PathBuf>,
}

/// `project ...`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ProjectCommand {
    /// Register a folder
    Add(ProjectAdd),
    /// List registered folders in order
    List,
    /// Unregister; nothing is lost
    Remove {
        /// Project
        #[arg(value_name = "NAME")]
        name: ProjectName,
    },
    /// Move a project in the rail
    Move {
        /// Project
        #[arg(value_name = "NAME")]
        name: ProjectName,
        /// New place, from 0
        #[arg(value_name = "POS")]
        position: u32,
    },
}

/// `project add`
#[derive(Debug, Clone, Args)]
pub(crate) struct ProjectAdd {
    /// Folder
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    /// Short name; the folder's unless given
    #[arg(long, value_name = "N")]
    pub(crate) name: Option<ProjectName>,
    /// Command to run in a fresh worktree
    #[arg(long, value_name = "CMD")]
    pub(crate) setup: Vec<String>,
    /// Ignored files to copy into a fresh worktree
    #[arg(long, value_name = "GLOB")]
    pub(crate) copy: Vec<String>,
    /// Path to link into a fresh worktree
    #[arg(long, value_name = "PATH")]
    pub(crate) link: Vec<PathBuf>,
}

/// `spawn`
#[derive(Debug, Clone, Args)]
pub(crate) struct SpawnArgs {
    /// In this project; the one that holds the present folder unless given
    #[arg(long, value_name = "P", conflicts_with = "chat")]
    pub(crate) project: Option<ProjectName>,
    /// Outside projects, in the present folder
    #[arg(long)]
    pub(crate) chat: bool,
    /// Agent
    #[arg(long, value_name = "A", conflicts_with = "target")]
    pub(crate) agent: Option<String>,
    /// Target: a named way to launch
    #[arg(long, value_name = "T")]
    pub(crate) target: Option<String>,
    /// Id; the next of its project unless given
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<SessionId>,
    /// Title
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) title: Option<String>,
    /// First prompt
    #[arg(long, value_name = "T", conflicts_with = "prompt_file", allow_hyphen_values = true)]
    pub(crate) prompt: Option<String>,
    /// File with the first prompt; - reads standard input
    #[arg(long, value_name = "F")]
    pub(crate) prompt_file: Option<PathBuf>,
    /// Message sent once the session is live
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) goal: Option<String>,
    /// Branch
    #[arg(long, value_name = "B")]
    pub(crate) branch: Option<String>,
    /// What the branch starts from
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
    /// Work in the project folder itself, without a worktree
    #[arg(long, conflicts_with_all = ["branch", "base"])]
    pub(crate) in_place: bool,
    /// Size of the terminal until a console types into it
    #[arg(long, value_name = "COLSxROWS", default_value_t = Size(DEFAULT_SIZE.0, DEFAULT_SIZE.1))]
    pub(crate) size: Size,
    /// worker or orchestrator
    #[arg(long, value_name = "KIND", default_value = "worker", value_parser = word(Kind::ALL, Kind::as_str), hide_possible_values = true)]
    pub(crate) kind: Kind,
    /// The session it is a child of
    #[arg(long, value_name = "ID")]
    pub(crate) parent: Option<SessionId>,
    /// Pin it at once
    #[arg(long)]
    pub(crate) pin: bool,
    /// Arguments of the agent; the whole command for --agent command
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) args: Vec<String>,
}

/// `list`
#[derive(Debug, Clone, Args)]
pub(crate) struct ListArgs {
    /// Which sessions.
    #[command(flatten)]
    pub(crate) selector: Selector,
    /// What is in the trash
    #[arg(long)]
    pub(crate) deleted: bool,
    /// At most so many sessions
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
    /// Where the page before ended
    #[arg(long, value_name = "C", conflicts_with = "offset")]
    pub(crate) cursor: Option<String>,
    /// Sessions to leave out first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: usize,
}

/// `attach`
#[derive(Debug, Clone, Args)]
pub(crate) struct AttachArgs {
    /// Session
    #[arg(value_name = "ID")]
    pub(crate) id: SessionId,
    /// Look only
    #[arg(long)]
    pub(crate) read_only: bool,
}

/// `screen`
#[derive(Debug, Clone, Args)]
pub(crate) struct ScreenArgs {
    /// Session
    #[arg(value_name = "ID")]
    pub(crate) id: SessionId,
    /// Rows of history before it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) scrollback: usize,
    /// With colours, as escape sequences
    #[arg(long)]
    pub(crate) ansi: bool,
}

/// `send`
#[derive(Debug, Clone, Args)]
pub(crate) struct SendArgs {
    /// Sessions, then the text; - as the text reads standard input
    #[arg(value_names = ["ID", "TEXT"], num_args = 1.., required = true)]
    pub(crate) words: Vec<String>,
    /// Answer the question that the session shows: yes, no, or the number of an option
    #[arg(long, value_name = "ANSWER", conflicts_with = "no_enter")]
    pub(crate) answer: Option<Answer>,
    /// Only while it shows this question
    #[arg(long, value_name = "QID", requires = "answer")]
    pub(crate) question: Option<String>,
    /// Press no Enter after the text
    #[arg(long)]
    pub(crate) no_enter: bool,
    /// Then wait until one of them is in this state
    #[arg(long, value_name = "STATUS", value_delimiter = ',', value_parser = goal(), hide_possible_values = true)]
    pub(crate) wait: Vec<Goal>,
    /// Give up waiting after this time
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "wait")]
    pub(crate) timeout: Option<Duration>,
}

/// `keys`
#[derive(Debug, Clone, Args)]
pub(crate) struct KeysArgs {
    /// Session
    #[arg(value_name = "ID")]
    pub(crate) id: SessionId,
    /// Names of keys: Enter, Esc, C-c, Up
    #[arg(value_name = "KEY", required = true)]
    pub(crate) keys: Vec<String>,
}

/// `wait`
#[derive(Debug, Clone, Args)]
pub(crate) struct WaitArgs {
    /// Which sessions.
    #[command(flatten)]
    pub(crate) ids: IdArgs,
    /// A status, several with commas, or exit, idle, attention
    #[arg(long = "for", value_name = "STATUS", value_delimiter = ',', required = true, value_parser = goal(), hide_possible_values = true)]
    pub(crate) goals: Vec<Goal>,
    /// Give up after this time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Ignore states while the turn is not beyond this one
    #[arg(long, value_name = "N")]
    pub(crate) after_turn: Option<u32>,
}

/// `stop`
#[derive(Debug, Clone, Args)]
pub(crate) struct StopArgs {
    /// Which sessions.
    #[command(flatten)]
    pub(crate) selector: Selector,
    /// The work is complete
    #[arg(long)]
    pub(crate) done: bool,
    /// Say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

/// `delete` and `kill`
#[derive(Debug, Clone, Args)]
pub(crate) struct DeleteArgs {
    /// Which sessions.
    #[command(flatten)]
    pub(crate) selector: Selector,
    /// Say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

/// `clear`
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ClearArgs {
    /// Say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

/// `purge`
#[derive(Debug, Clone, Args)]
pub(crate) struct PurgeArgs {
    /// Which sessions of the trash; ages count since their deletion.
    #[command(flatten)]
    pub(crate) selector: Selector,
    /// Delete this branch of a purged session too, merged or not
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Vec<String>,
    /// Say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

/// `cleanup`
#[derive(Debug, Clone, Args)]
pub(crate) struct CleanupArgs {
    /// Of this project; of all unless given
    #[arg(long, value_name = "P")]
    pub(crate) project: Option<ProjectName>,
    /// Say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// `restore`
#[derive(Debug, Clone, Args)]
#[command(group = clap::ArgGroup::new("which").required(true).args(["ids", "last", "batch"]))]
pub(crate) struct RestoreArgs {
    /// Sessions; - reads ids from standard input, one a line
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<super::IdArg>,
    /// The last batch
    #[arg(long)]
    pub(crate) last: bool,
    /// Exactly the sessions of this batch
    #[arg(long, value_name = "B")]
    pub(crate) batch: Option<BatchId>,
    /// Launch them too
    #[arg(long)]
    pub(crate) launch: bool,
    /// Another folder for the worktree
    #[arg(long, value_name = "PATH", conflicts_with_all = ["last", "batch"])]
    pub(crate) to: Option<PathBuf>,
    /// Say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Commands that take nothing but sessions.
#[derive(Debug, Clone, Args)]
pub(crate) struct IdsArgs {
    /// Which sessions.
    #[command(flatten)]
    pub(crate) ids: IdArgs,
}

/// `rename`
#[derive(Debug, Clone, Args)]
pub(crate) struct RenameArgs {
    /// Session
    #[arg(value_name = "ID")]
    pub(crate) id: SessionId,
    /// Title
    #[arg(value_name = "TITLE", allow_hyphen_values = true)]
    pub(crate) title: String,
}

/// `events`
#[derive(Debug, Clone, Args)]
pub(crate) struct EventsArgs {
    /// Session; all unless given
    #[arg(value_name = "ID")]
    pub(crate) id: Option<SessionId>,
    /// At most so many, the newest
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
}

/// `scripted`
#[derive(Debug, Clone, Args)]
pub(crate) struct ScriptedArgs {
    /// The script itself, lines parted by ;
    #[arg(short = 'e', value_name = "SCRIPT")]
    pub(crate) script: Option<String>,
    /// The conversation to begin
    #[arg(long, value_name = "ID")]
    pub(crate) session_id: Option<String>,
    /// The conversation to resume
    #[arg(long, value_name = "ID", conflicts_with_all = ["session_id", "fork"])]
    pub(crate) resume: Option<String>,
    /// The conversation to go on with in one of its own
    #[arg(long, value_name = "ID")]
    pub(crate) fork: Option<String>,
    /// The model, for show
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The permission mode, for show
    #[arg(long, value_name = "NAME")]
    pub(crate) permission_mode: Option<String>,
    /// The first prompt
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) prompt: String,
    /// The file of the script
    #[arg(value_name = "FILE", required_unless_present = "script", conflicts_with = "script")]
    pub(crate) file: Option<PathBuf>,
}
