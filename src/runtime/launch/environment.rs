//! The environment of an agent (`spec/runtime.md`, Environment of an agent).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use crate::domain::ids::{SessionId, WorkspaceName};
use crate::os::{ssh, variables};

/// Variables of git, of other terminal programs, and of ours.
const PREFIXES: &[&str] = &[
    "ALACRITTY_",
    "BYOBU_",
    "CALLBOARD_",
    "GHOSTTY_",
    "GIT_",
    "GNOME_TERMINAL_",
    "ITERM_",
    "KITTY_",
    "KONSOLE_",
    "LC_TERMINAL",
    "TERM_PROGRAM",
    "TERM_SESSION_",
    "TMUX",
    "VSCODE_",
    "WARP_",
    "WEZTERM_",
    "WT_",
    "XTERM_",
    "ZELLIJ",
];

/// The same by whole name: what names or describes the outer terminal or shell, and what one agent sets to
/// tell another that it runs inside it.
const NAMES: &[&str] = &[
    "_",
    "ABDUCO_SESSION",
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SSE_PORT",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "COLORFGBG",
    "COLUMNS",
    "CURSOR_AGENT",
    "DVTM",
    "GEMINI_CLI",
    "GPG_TTY",
    "INSIDE_EMACS",
    "LINES",
    "NVIM",
    "NVIM_LISTEN_ADDRESS",
    "OLDPWD",
    "OPENCODE",
    "PWD",
    "QWEN_CODE",
    "SHLVL",
    "SSH_TTY",
    "STY",
    "TERMCAP",
    "TERMINAL_EMULATOR",
    "TERMINFO",
    "TILIX_ID",
    "VIM_TERMINAL",
    "VTE_VERSION",
    "WINDOW",
    "WINDOWID",
];

/// What the environment of one launch is made from, beside the operator's.
#[derive(Debug, Clone, Copy)]
pub struct AgentEnvironment<'a> {
    /// Workspace.
    pub workspace: &'a WorkspaceName,
    /// `CALLBOARD_HOME`, absolute, where it is set.
    pub home: Option<&'a Path>,
    /// The session.
    pub session: &'a SessionId,
    /// The launch.
    pub generation: u32,
    /// The secret that identifies the agent.
    pub token: &'a str,
    /// The agent's folder.
    pub cwd: &'a Path,
    /// The link to the operator's key agent, where there is one.
    pub ssh_agent: Option<&'a Path>,
    /// Variables of the target; they win.
    pub set: &'a [(String, String)],
    /// Variables that the agent's definition drops.
    pub drop: &'a [String],
}

/// The agent's whole environment, sorted by name. A variable that is no UTF-8 is left out.
pub fn build(
    operator: impl IntoIterator<Item = (OsString, OsString)>,
    of: &AgentEnvironment<'_>,
) -> Vec<(String, String)> {
    let mut env: BTreeMap<String, String> = operator
        .into_iter()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| is_kept(name) && !of.drop.contains(name))
        .collect();
    let mut set = |name: &str, value: String| env.insert(name.to_owned(), value);
    set("TERM", "xterm-256color".to_owned());
    set("COLORTERM", "truecolor".to_owned());
    set("PWD", of.cwd.to_string_lossy().into_owned());
    if let Some(link) = of.ssh_agent {
        set(ssh::SOCKET, link.to_string_lossy().into_owned());
    }
    set(variables::WORKSPACE, of.workspace.to_string());
    if let Some(home) = of.home {
        set(variables::HOME, home.to_string_lossy().into_owned());
    }
    set(variables::SESSION, of.session.to_string());
    set(variables::GENERATION, of.generation.to_string());
    set(variables::TOKEN, of.token.to_owned());
    env.extend(of.set.iter().cloned());
    env.into_iter().collect()
}

fn is_kept(name: &str) -> bool {
    !name.is_empty()
        && !name.contains('=')
        && !NAMES.contains(&name)
        && !PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn built(operator: &[(&str, &str)]) -> BTreeMap<String, String> {
        let session = SessionId::new("shop-1").unwrap();
        let of = AgentEnvironment {
            workspace: &WorkspaceName::default(),
            home: Some(Path::new("/home/me/board")),
            session: &session,
            generation: 3,
            token: "secret",
            cwd: Path::new("/work"),
            ssh_agent: None,
            set: &[
                ("MODEL".to_owned(), "large".to_owned()),
                ("EDITOR".to_owned(), "vi".to_owned()),
            ],
            drop: &["ANTHROPIC_LOG".to_owned()],
        };
        let operator = operator.iter().map(|(name, value)| (name.into(), value.into()));
        build(operator, &of).into_iter().collect()
    }

    #[rstest]
    #[case("GIT_DIR")]
    #[case("GIT_INDEX_FILE")]
    #[case("TMUX")]
    #[case("TMUX_PANE")]
    #[case("STY")]
    #[case("ZELLIJ_SESSION_NAME")]
    #[case("TERM_PROGRAM_VERSION")]
    #[case("CLAUDECODE")]
    #[case("CLAUDE_CODE_ENTRYPOINT")]
    #[case("CALLBOARD_LOG")]
    #[case("LINES")]
    #[case("SSH_TTY")]
    #[case("TERMINFO")]
    #[case("ANTHROPIC_LOG")]
    fn what_belongs_to_others_is_dropped(#[case] name: &str) {
        assert!(!built(&[(name, "x")]).contains_key(name));
    }

    #[rstest]
    #[case("PATH", "/bin", "/bin")]
    #[case("LANG", "C.UTF-8", "C.UTF-8")]
    #[case("SSH_AUTH_SOCK", "/tmp/agent", "/tmp/agent")]
    #[case("ANTHROPIC_API_KEY", "k", "k")]
    #[case("TERM", "screen", "xterm-256color")]
    #[case("COLORTERM", "", "truecolor")]
    #[case("EDITOR", "emacs", "vi")]
    #[case("PWD", "/elsewhere", "/work")]
    #[case("CALLBOARD_TOKEN", "of another", "secret")]
    #[case("CALLBOARD_SESSION_ID", "of-another", "shop-1")]
    #[case("CALLBOARD_GENERATION", "9", "3")]
    #[case("CALLBOARD_WORKSPACE", "other", "default")]
    #[case("CALLBOARD_HOME", "relative", "/home/me/board")]
    fn what_the_agent_sees(#[case] name: &str, #[case] given: &str, #[case] seen: &str) {
        assert_eq!(built(&[(name, given)])[name], seen);
    }
}
