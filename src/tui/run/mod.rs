//! Runs the dashboard: the only part that waits. Everything that happens becomes an event for
//! [`update`](super::update), everything it asks for is carried out, and what changed is drawn.

mod care;
mod files;
mod pace;
mod turn;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::watch;

use crate::config::{self, Config};
use crate::domain::error::ErrorKind;
use crate::domain::ids::{OperationId, WorkspaceName};
use crate::domain::key::Chord;
use crate::host::Host;
use crate::host::ports::Ports;
use crate::os::clock::Clock;
use crate::os::paths::Home;
use crate::os::terminal::end_with_input;

pub use super::app::form::{Target, Targets};
use super::app::{Passes, Setup, Start};
use super::event::Failure;
use super::glyph::{Glyphs, Surroundings};
use super::terminal::{Terminal, Wishes};
use super::theme::{Depth, ThemeChoice, background_from_colorfgbg};
use crate::monitor::notice::tell::Manner;
use files::Files;
pub use files::mistakes;
use turn::Dashboard;

/// How long a job may take to end after the dashboard was left; what is not done then is finished by
/// whoever starts next.
const GRACE: Duration = Duration::from_secs(5);

/// The same where a signal or the end of the terminal ended it.
const HASTE: Duration = Duration::from_millis(300);
/// After the end of the terminal this process ends in this time, whatever it is doing.
const OUTLIVES: Duration = Duration::from_millis(900);

/// What the dashboard is started with.
pub struct Options<P> {
    /// The coordinators.
    pub host: Host<P>,
    /// Folders.
    pub home: Home,
    /// The configuration.
    pub config: Config,
    /// The workspace.
    pub workspace: WorkspaceName,
    /// Begins to watch the store, after the first frame; the number changes with every commit.
    pub changes: Box<dyn FnOnce() -> watch::Receiver<u64> + Send>,
    /// The folder the program was started in.
    pub folder: PathBuf,
    /// Its repository, where it is in one.
    pub repository: Option<PathBuf>,
    /// Looks for agents and targets, after the first frame.
    pub agents: Box<dyn FnOnce() -> Targets + Send>,
    /// Where to begin; the first section with attention where nothing is said.
    pub start: Option<Start>,
    /// The time.
    pub clock: Clock,
}

/// How the dashboard was left.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunSummary {
    /// A line for the operator: how many agents go on.
    pub farewell: String,
    /// A signal or the end of the terminal ended it.
    pub interrupted: bool,
    /// Operations that a detached worker goes on with.
    pub hand_over: Vec<OperationId>,
}

/// Why the dashboard cannot run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Standard input or output is no terminal.
    #[error("the dashboard needs a terminal")]
    NoTerminal,
    /// The terminal failed.
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] std::io::Error),
}

impl RunError {
    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoTerminal => ErrorKind::Usage,
            Self::Terminal(_) => ErrorKind::Failed,
        }
    }

    /// What to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoTerminal => Some("callboard list prints the sessions instead".to_owned()),
            Self::Terminal(_) => None,
        }
    }
}

/// Shows the dashboard until it is left. The terminal is as before afterwards, however it ends.
///
/// # Errors
/// There is no terminal, or it failed.
pub async fn run<P: Ports>(options: Options<P>) -> Result<RunSummary, RunError> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(RunError::NoTerminal);
    }
    let around = Around::read();
    let theme = around.theme(&options.config);
    let auto = theme.setting == "auto" && theme.depth != Depth::Mono;
    let ask_ground = auto && !matches!(around.term.as_str(), "dumb" | "linux");
    let depth = theme.depth;
    let (leave_key, mut troubles) = leave_key(&options.config);
    let files = Files::new(&options.home, leave_key, theme);
    let keymap = files.keymap().unwrap_or_else(|error| {
        troubles.push(error.into());
        files.plain_keymap()
    });
    let theme = files.theme().unwrap_or_else(|error| {
        troubles.push(error.into());
        files.plain_theme()
    });

    end_with_input(OUTLIVES)?;
    let terminal = Terminal::take(Wishes { mouse: true, ask_ground })?;
    let setup = Setup {
        workspace: options.workspace.clone(),
        keymap,
        theme,
        glyphs: around.glyphs(&options.config),
        folder: options.folder,
        user_home: std::env::var_os("HOME").map(PathBuf::from),
        repository: options.repository,
        agent: options.config.agent.clone(),
        agents: Vec::new(),
        targets: Vec::new(),
        purge_days: options.config.retention_days,
        passes: Passes {
            clipboard: options.config.clipboard,
            bell: options.config.notifications.bell,
            desktop: options.config.notifications.desktop,
        },
        notifications: options.config.notifications.clone(),
        size: terminal.size()?,
        now: options.clock.now(),
    };
    let parts = turn::Parts {
        host: options.host,
        clipboard: options.config.clipboard,
        home: options.home,
        depth,
        scrollback: options.config.scrollback_lines as usize,
        clock: options.clock,
        changes: options.changes,
        agents: options.agents,
        files,
        opener: options.config.opener,
        manner: Manner::here(&options.config.notifications),
        in_tmux: std::env::var_os("TMUX").is_some(),
        asked: ask_ground,
    };
    let mut dashboard = Dashboard::new(terminal, setup, parts)?;
    dashboard.start_at(options.start);
    let summary = dashboard.show(troubles).await;
    let effects = dashboard.leave();
    if !summary.hand_over.is_empty() {
        // What can still be ended safely is; the workers begin where that leaves it.
        effects.cancel_all();
    }
    // The terminal is back; a job that is under way may still end.
    let grace = if summary.interrupted { HASTE } else { GRACE };
    let _ = tokio::time::timeout(grace, effects.finish()).await;
    Ok(summary)
}

/// The key that leaves an agent, where the configuration names another one than the shipped map.
fn leave_key(config: &Config) -> (Option<Chord>, Vec<Failure>) {
    match config.leave_key.parse() {
        Ok(chord) => (Some(chord), Vec::new()),
        Err(error) => {
            let message = format!("leave_key {:?} of the configuration: {error}", config.leave_key);
            (None, vec![Failure { message, hint: error.hint() }])
        }
    }
}

/// What the environment tells of the terminal.
struct Around {
    no_color: String,
    colorterm: String,
    term: String,
    colorfgbg: String,
    locale: String,
}

impl Around {
    fn read() -> Self {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(variable);
        Self {
            no_color: variable("NO_COLOR"),
            colorterm: variable("COLORTERM"),
            term: variable("TERM"),
            colorfgbg: variable("COLORFGBG"),
            locale: locale.into_iter().find(|value| !value.is_empty()).unwrap_or_default(),
        }
    }

    fn theme(&self, config: &Config) -> ThemeChoice {
        ThemeChoice {
            setting: config.theme.clone(),
            depth: Depth::choose(&self.no_color, &self.colorterm, &self.term),
            background: background_from_colorfgbg(&self.colorfgbg).unwrap_or_default(),
        }
    }

    fn glyphs(&self, config: &Config) -> Glyphs {
        let setting = match config.glyphs {
            config::Glyphs::Auto => "auto",
            config::Glyphs::Unicode => "unicode",
            config::Glyphs::Ascii => "ascii",
        };
        Glyphs::choose(Surroundings { setting, locale: &self.locale, term: &self.term })
    }
}
