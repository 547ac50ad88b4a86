//! The operator's own files: key map and themes, read at the start and again when they change.

use std::path::PathBuf;
use std::time::Duration;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::watch;

use crate::domain::key::Chord;
use crate::os::paths::{Home, private_dir};
use crate::tui::event::Failure;
use crate::tui::keymap::{Keymap, KeymapError};
use crate::tui::theme::{Background, Depth, Theme, ThemeChoice, ThemeError};

/// Editors write a file in several steps: it is read this long after the last one.
pub(super) const SETTLE: Duration = Duration::from_millis(50);

/// Where the files are, and what else decides about them.
pub(super) struct Files {
    config: PathBuf,
    leave_key: Option<Chord>,
    theme: ThemeChoice,
}

impl Files {
    pub(super) fn new(home: &Home, leave_key: Option<Chord>, theme: ThemeChoice) -> Self {
        Self { config: home.config.clone(), leave_key, theme }
    }

    /// The key map.
    pub(super) fn keymap(&self) -> Result<Keymap, KeymapError> {
        self.plain_keymap().with_file(&self.config.join("keymap.toml"))
    }

    /// The key map when the operator's own cannot be used.
    pub(super) fn plain_keymap(&self) -> Keymap {
        match &self.leave_key {
            Some(chord) => Keymap::shipped().leaving_by(chord),
            None => Keymap::shipped(),
        }
    }

    /// The theme.
    pub(super) fn theme(&self) -> Result<Theme, ThemeError> {
        self.theme.load(&self.config.join("themes"))
    }

    /// The theme when the operator's own cannot be used.
    pub(super) fn plain_theme(&self) -> Theme {
        self.theme.fallback()
    }

    /// The terminal told its ground.
    pub(super) fn set_background(&mut self, background: Background) {
        self.theme.background = background;
    }

    /// Watches the files; the number grows when one of them may have changed.
    pub(super) fn watch(&self) -> Option<Watch> {
        let (changed, seen) = watch::channel(0_u64);
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                let ours = |path: &PathBuf| path.extension().is_some_and(|end| end == "toml");
                let written = |event: &notify::Event| !matches!(event.kind, EventKind::Access(_));
                if event.is_ok_and(|event| written(&event) && event.paths.iter().any(ours)) {
                    changed.send_modify(|number| *number += 1);
                }
            })
            .inspect_err(not_watched)
            .ok()?;
        // Made, so that files which are put there later are noticed too.
        let made = if self.config.is_dir() { Ok(()) } else { private_dir(&self.config) };
        made.map_err(notify::Error::io)
            .and_then(|()| watcher.watch(&self.config, RecursiveMode::Recursive))
            .inspect_err(not_watched)
            .ok()?;
        Some(Watch { seen, _watcher: watcher })
    }
}

fn not_watched(error: &notify::Error) {
    tracing::warn!(%error, "key map and themes are not watched");
}

/// What is wrong with the operator's key map and theme, and what to do about each.
pub fn mistakes(home: &Home, setting: &str) -> Vec<(String, Option<String>)> {
    let theme = ThemeChoice {
        setting: setting.to_owned(),
        depth: Depth::Rgb,
        background: Background::Dark,
    };
    let files = Files::new(home, None, theme);
    let keymap = files.keymap().err().map(|error| (error.to_string(), error.hint()));
    let theme = files.theme().err().map(|error| (error.to_string(), error.hint()));
    keymap.into_iter().chain(theme).collect()
}

/// A watch on the operator's files, until it is dropped.
pub(super) struct Watch {
    seen: watch::Receiver<u64>,
    _watcher: RecommendedWatcher,
}

impl Watch {
    /// Waits for the next change.
    pub(super) async fn changed(&mut self) {
        if self.seen.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl From<KeymapError> for Failure {
    fn from(error: KeymapError) -> Self {
        Self { message: error.to_string(), hint: error.hint() }
    }
}

impl From<ThemeError> for Failure {
    fn from(error: ThemeError) -> Self {
        Self { message: error.to_string(), hint: error.hint() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_that_is_written_is_noticed() {
        let root = tempfile::tempdir().unwrap();
        let home = Home::at(root.path()).unwrap();
        let theme = ThemeChoice {
            setting: "auto".to_owned(),
            depth: Depth::Rgb,
            background: Background::Dark,
        };
        let files = Files::new(&home, None, theme);
        let mut watch = files.watch().unwrap();
        std::fs::write(home.config.join("keymap.toml"), "[list]\n\"d\" = \"unbound\"\n").unwrap();
        watch.changed().await;
        std::fs::create_dir(home.config.join("themes")).unwrap();
        std::fs::write(home.config.join("themes/dark.toml"), "name = \"mine\"").unwrap();
        assert_eq!(files.theme().unwrap().name(), "mine");
        assert_ne!(files.keymap().unwrap(), files.plain_keymap());
    }
}
