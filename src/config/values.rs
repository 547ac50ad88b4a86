//! The values of the configuration and their defaults.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::Runner;

use crate::domain::status::Attention;

/// Everything that can be configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Agent or target of a session that names none.
    pub agent: String,
    /// How many starts run at once, over all processes (`spec/lifecycle.md` C10).
    pub max_starting: u32,
    /// How many live sessions agents as callers may bring about (K7).
    pub max_live: u32,
    /// Whether agents as callers may use keys, answers, purge, clear and others' sessions (K7).
    pub agents_may_everything: bool,
    /// Branch of a session that names none, with `{session}` and, where wanted, `{workspace}`;
    /// empty means `callboard/{session}`, outside the workspace `default`
    /// `callboard-{workspace}/{session}` (`spec/agents.md` Z1).
    pub branch: String,
    /// Seconds that the set-up commands of a fresh worktree may take together (Z2).
    pub setup_timeout_seconds: u64,
    /// Key that leaves an agent's terminal.
    pub leave_key: String,
    /// Name of a theme, or `auto`.
    pub theme: String,
    /// What glyphs are drawn with.
    pub glyphs: Glyphs,
    /// Days after which the trash is purged; 0 never purges (R5).
    pub retention_days: u32,
    /// Lines of history that a terminal keeps.
    pub scrollback_lines: u32,
    /// Mebibytes of terminal history that all sessions together keep on disk (`spec/store.md` W7).
    pub history_mebibytes: u64,
    /// Minutes of work without any sign after which a session counts as stalled (G5).
    pub stalled_minutes: u32,
    /// What follows when the pull request of a session is merged (F3).
    pub on_merge: OnMerge,
    /// Whether an agent that is typed to may write the clipboard (OSC 52). Nobody may read it.
    pub clipboard: Clipboard,
    /// Program and arguments that open a link, which comes as the last one; empty means the
    /// system's own.
    pub opener: Vec<String>,
    /// How the operator is told that a session wants attention.
    pub notifications: Notifications,
    /// Named ways to launch.
    pub targets: BTreeMap<String, Target>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            agent: "claude".to_owned(),
            max_starting: 4,
            max_live: 50,
            agents_may_everything: false,
            branch: String::new(),
            setup_timeout_seconds: 600,
            leave_key: "Ctrl+]".to_owned(),
            theme: "auto".to_owned(),
            glyphs: Glyphs::Auto,
            retention_days: 30,
            scrollback_lines: 5000,
            history_mebibytes: 4096,
            stalled_minutes: 10,
            on_merge: OnMerge::Nothing,
            clipboard: Clipboard::default(),
            opener: Vec::new(),
            notifications: Notifications::default(),
            targets: BTreeMap::new(),
        }
    }
}

impl Config {
    /// Checks what types cannot say; answers the key or table and what is wrong with it.
    pub(super) fn check(&self) -> Result<(), (String, String)> {
        if self.max_starting == 0 {
            let message = "`max_starting` must be at least 1";
            return Err(("max_starting".to_owned(), message.to_owned()));
        }
        if !self.branch.is_empty() && !self.branch.contains("{session}") {
            let message = "`branch` must hold {session}, so that every session has its own branch";
            return Err(("branch".to_owned(), message.to_owned()));
        }
        if let Some((name, _)) = self.targets.iter().find(|(_, target)| target.agent.is_empty()) {
            return Err((format!("[targets.{name}]"), format!("target `{name}` names no agent")));
        }
        Ok(())
    }
}

/// What glyphs are drawn with (`spec/look.md` section 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Glyphs {
    /// As the terminal allows.
    #[default]
    Auto,
    /// Box drawing and symbols.
    Unicode,
    /// Plain letters and signs.
    Ascii,
}

/// What follows when the pull request of a session is merged (F3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnMerge {
    /// Only its status changes.
    #[default]
    Nothing,
    /// It is killed once no pull request of it is open.
    Kill,
}

/// Whether an agent that is typed to may write the clipboard (OSC 52).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clipboard {
    /// It may not.
    Off,
    /// It is offered, and written when the operator takes it.
    Ask,
    /// It may.
    #[default]
    On,
}

/// How the operator is told that a session wants attention.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Notifications {
    /// Ring the terminal's bell.
    pub bell: bool,
    /// Send the terminal a desktop notification.
    pub desktop: bool,
    /// The sequence that does it.
    pub sequence: Banner,
    /// Program and arguments to run, with the notice in its environment; empty runs none.
    pub command: Vec<String>,
    /// What is told of: reasons of rule T4.
    pub reasons: Vec<Attention>,
    /// Most notices at once, and in a minute after that; what is held back is told as one.
    pub limit: NonZeroU32,
}

impl Notifications {
    /// Whether the operator is told at all.
    pub fn is_on(&self) -> bool {
        self.bell || self.desktop || !self.command.is_empty()
    }
}

impl Default for Notifications {
    fn default() -> Self {
        Self {
            bell: false,
            desktop: false,
            sequence: Banner::default(),
            command: Vec::new(),
            reasons: Attention::ALL.to_vec(),
            limit: NonZeroU32::MIN.saturating_add(5),
        }
    }
}

/// The sequence that has a terminal show a desktop notification. Many know both, so one is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Banner {
    /// As the terminal is known to want it.
    #[default]
    Auto,
    /// OSC 9.
    Osc9,
    /// OSC 777.
    Osc777,
}

/// A named way to launch an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Name of the agent.
    pub agent: String,
    /// Model.
    #[serde(default)]
    pub model: Option<String>,
    /// Permission mode.
    #[serde(default)]
    pub permission_mode: Option<String>,
    /// Arguments before those of the session.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables to set.
    #[serde(default, deserialize_with = "variables")]
    pub env: BTreeMap<String, String>,
    /// Where it runs (`spec/agents.md` U1).
    #[serde(default)]
    pub runner: Runner,
}

/// Variables that every engine takes for what they are.
fn variables<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    let variables = BTreeMap::<String, String>::deserialize(from)?;
    let wrong = |name: &str| name.is_empty() || name.starts_with('-') || name.contains(['=', '\0']);
    if let Some(name) = variables.keys().find(|name| wrong(name)) {
        return Err(D::Error::custom(format!("a name of a variable cannot be {name:?}")));
    }
    if let Some((name, _)) = variables.iter().find(|(_, value)| value.contains('\0')) {
        return Err(D::Error::custom(format!("a variable holds no NUL: {name:?}")));
    }
    Ok(variables)
}
