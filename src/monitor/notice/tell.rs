//! How the operator is told: the bell, a notification of the terminal, a program.

use std::io;

use crate::config::{Banner, Notifications};
use crate::domain::ids::SessionId;
use crate::domain::text::clean_line;
use crate::os::{spawn, variables};

use super::Notice;

/// What every notification of ours is headed with, where the terminal shows a heading.
const HEADING: &str = "callboard";
/// A bell.
pub const BELL: &str = "\x07";

/// How this terminal is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    bell: bool,
    desktop: bool,
    /// What the terminal knows.
    sequence: Banner,
    in_tmux: bool,
}

impl Manner {
    /// As it is configured, in the terminal that the environment describes.
    pub fn of(how: &Notifications, variable: impl Fn(&str) -> Option<String>) -> Self {
        let term = variable("TERM").unwrap_or_default();
        let only_777 = variable("VTE_VERSION").is_some()
            || ["rxvt", "foot"].iter().any(|name| term.starts_with(name));
        let sequence = match how.sequence {
            Banner::Auto if only_777 => Banner::Osc777,
            Banner::Auto => Banner::Osc9,
            named => named,
        };
        Self { bell: how.bell, desktop: how.desktop, sequence, in_tmux: variable("TMUX").is_some() }
    }

    /// As this process is configured, in the terminal it runs in.
    pub fn here(how: &Notifications) -> Self {
        Self::of(how, |name| std::env::var(name).ok())
    }

    /// The same, with the bell where nothing at all is configured.
    #[must_use]
    pub fn or_bell(self, how: &Notifications) -> Self {
        Self { bell: self.bell || !how.is_on(), ..self }
    }

    /// The bytes that tell the terminal of a notice; empty where it is not to be told.
    pub fn signs(self, text: &str) -> String {
        let banner = if self.desktop { self.banner(text) } else { String::new() };
        banner + if self.bell { BELL } else { "" }
    }

    /// The bytes that have the terminal show a notification.
    pub fn banner(self, text: &str) -> String {
        let text = clean_line(text);
        let sequence = if self.sequence == Banner::Osc777 {
            // What follows a semicolon would be another part of it.
            format!("\x1b]777;notify;{HEADING};{}\x07", text.replace(';', ","))
        } else {
            format!("\x1b]9;{text}\x07")
        };
        // tmux takes no notification for itself; it hands on what is wrapped, where `allow-passthrough` is on.
        if self.in_tmux {
            format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b"))
        } else {
            sequence
        }
    }
}

/// Runs the configured program, with the notice in its environment, and waits for its end.
///
/// # Errors
/// It cannot be started, or it failed; in words.
pub async fn run(command: &[String], notice: &Notice) -> Result<(), String> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(());
    };
    let joined = |words: Vec<&str>| words.join(" ");
    let ids = joined(notice.ids.iter().map(SessionId::as_str).collect());
    let reasons = joined(notice.reasons.iter().map(|reason| reason.as_str()).collect());
    let told = [
        (variables::SESSION, ids.as_str()),
        (variables::ATTENTION, reasons.as_str()),
        (variables::NOTICE, notice.text.as_str()),
    ];
    let ended: io::Result<_> = spawn::aside(program, arguments, &told, b"").await;
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} ended with {status}")),
        Err(error) => Err(format!("{program} cannot be started: {error}")),
    }
}
