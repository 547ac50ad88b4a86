//! Programs of the operator's: the one that opens links, the one that is told of notices, and tmux, which has a
//! clipboard of its own.

use super::Effects;
use crate::host::ports::Ports;
use crate::monitor::notice::{Notice, tell};
use crate::os::spawn;
use crate::tui::event::{Event, Failure, Outcome};

impl<P: Ports> Effects<P> {
    /// Opens a link in the background with `opener`, or with the system's own program. Only how it
    /// started and ended is told, and only where it failed.
    pub fn open_link(&self, opener: &[String], link: String) {
        let mut words = opener.to_vec();
        if words.is_empty() {
            words.push(spawn::OPENER.to_owned());
        }
        words.push(link.clone());
        self.answer(|_| async move {
            let program = words.remove(0);
            let failure = match spawn::aside(&program, &words, &[], b"").await {
                Ok(status) if status.success() => return Event::Ended(Outcome::Quiet),
                Ok(status) => format!("{program} ended with {status}"),
                Err(error) => format!("{program} cannot be started: {error}"),
            };
            let hint = Some("name another program as `opener` in config.toml".to_owned());
            let failure = Failure { message: failure, hint };
            Event::Ended(Outcome::Failed { what: format!("{link} was not opened"), failure })
        });
    }

    /// Runs the operator's program for notices. Where it fails, a fault says so until it goes well.
    pub fn tell(&self, command: Vec<String>, notice: Notice) {
        self.answer(|_| async move {
            let text = tell::run(&command, &notice).await.err();
            Event::Fault { source: "notifications".to_owned(), text }
        });
    }

    /// Gives a text to the tmux that we are in, for its buffer and the clipboard of its terminal: as it
    /// comes, it takes no sequence for the clipboard from the programs in it.
    pub fn give_to_tmux(&self, text: String) {
        let words = ["load-buffer", "-w", "-"].map(str::to_owned);
        self.tracker.spawn(async move {
            match spawn::aside("tmux", &words, &[], text.as_bytes()).await {
                Ok(status) if status.success() => {}
                Ok(status) => tracing::info!(%status, "tmux took no text"),
                Err(error) => tracing::info!(%error, "tmux took no text"),
            }
        });
    }
}
