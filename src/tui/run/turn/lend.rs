//! Programs of the operator's that get the terminal for a time: an editor, a shell.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitStatus;

use super::react::meanwhile;
use super::{Dashboard, Signals};
use crate::host::ports::Ports;
use crate::os::spawn;
use crate::tui::event::{Event, Failure, Lent};
use crate::tui::terminal::stop_group;

/// A program with its arguments, and what it is called in messages.
struct Program {
    name: String,
    words: Vec<String>,
}

impl Program {
    /// What the environment names; its words are the shell's, as everywhere.
    fn of(to: Lent) -> Self {
        let named = |name: &str| std::env::var(name).ok().filter(|it| !it.trim().is_empty());
        match to {
            Lent::Editor => {
                let name = named("EDITOR").or_else(|| named("VISUAL"));
                let name = name.unwrap_or_else(|| "vi".to_owned());
                let script = format!("{name} \"$@\"");
                let words = ["/bin/sh", "-c", &script, "sh", "."].map(str::to_owned).to_vec();
                Self { name, words }
            }
            Lent::Shell => {
                let name = named("SHELL").unwrap_or_else(|| "/bin/sh".to_owned());
                Self { words: vec![name.clone()], name }
            }
        }
    }

    /// Runs it in a folder; answers how it ended, and whether we were told to end meanwhile.
    async fn run(&self, folder: &Path, signals: &mut Signals) -> (io::Result<ExitStatus>, bool) {
        let mut told = false;
        let mut ending = match spawn::foreground(&self.words, folder) {
            Ok(ending) => ending,
            Err(error) => return (Err(error), told),
        };
        loop {
            tokio::select! {
                ended = ending.wait() => return (ended, told),
                _ = signals.terminate.recv(), if !told => told = true,
                _ = signals.hang_up.recv(), if !told => told = true,
                _ = signals.breaks.stop.recv() => {
                    stop_together();
                    continue;
                }
            }
            ending.hang_up();
        }
    }
}

/// A program that stops itself stops its group, but for us, who heed that signal: we follow, for a shell
/// to continue all. Where there is none the program goes on at once.
fn stop_together() {
    use rustix::process::{Signal, kill_current_process_group};
    let _ = stop_group();
    let _ = kill_current_process_group(Signal::CONT);
}

impl<P: Ports> Dashboard<P> {
    /// Gives the terminal, as it was, to an editor or a shell until it ends.
    pub(super) async fn lend(&mut self, to: Lent, folder: &Path) -> io::Result<()> {
        self.reader = None;
        // An engine for a screen that nobody sees would only slow the agent down.
        self.live.watch(&[]);
        let program = Program::of(to);
        let run = async {
            if to == Lent::Shell {
                let mut out = io::stdout().lock();
                // Where it cannot be written the shell will say so.
                let _ =
                    writeln!(out, "A shell in {}. exit goes back to callboard.", folder.display());
            }
            program.run(folder, &mut self.signals).await
        };
        let (ended, missed) = meanwhile(self.terminal.lend_cooked(run), &mut self.answers).await;
        let (ended, told) = ended?;
        self.signals.forget_interrupts();
        self.live.watch(&self.watched);
        for event in missed {
            self.apply(event);
        }
        if told {
            self.end();
        }
        if let Some(failure) = failure(&program.name, to, folder, ended) {
            self.apply(Event::Trouble(failure));
        }
        // Its work is not known yet.
        self.apply(Event::Focus(true));
        self.apply(Event::Changed);
        self.take_back()
    }
}

/// What the operator is told of the end; how a shell ends is its own affair.
fn failure(name: &str, to: Lent, folder: &Path, ended: io::Result<ExitStatus>) -> Option<Failure> {
    let what = match to {
        Lent::Editor => "editor",
        Lent::Shell => "shell",
    };
    let (message, hint) = match ended {
        Err(error) => (
            format!("{what} {name} cannot be started in {}: {error}", folder.display()),
            "EDITOR names the editor, SHELL the shell; the folder must be there.",
        ),
        Ok(status) if to == Lent::Editor && !status.success() => {
            (format!("{what} {name} ended with {status}"), "EDITOR names another editor.")
        }
        Ok(_) => return None,
    };
    Some(Failure { message, hint: Some(hint.to_owned()) })
}
