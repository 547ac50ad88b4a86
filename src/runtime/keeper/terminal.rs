//! The PTY and the agent's process in it.

use std::cell::RefCell;

use portable_pty::{CommandBuilder, MasterPty, PtySize, SlavePty};

use crate::os::duplex::Duplex;
use crate::os::proctree::{self, Process};
use crate::os::terminal;
use crate::runtime::launch::{LaunchSpec, StartError, find_program};
use crate::runtime::screen::Size;

/// A terminal with an agent in it.
pub(super) struct Terminal {
    master: Box<dyn MasterPty + Send>,
    /// The agent's end of it, open while the agent lives: one that closes its terminal for a while would
    /// else have to be asked again and again whether it has opened it once more (X6).
    far_end: RefCell<Option<Box<dyn SlavePty + Send>>>,
    /// To read and write.
    pub(super) descriptor: Duplex,
    /// The agent's process: leader of a session and of a process group of its own.
    pub(super) agent: Process,
}

impl Terminal {
    /// Opens a terminal and starts the agent in it.
    ///
    /// # Errors
    /// Folder or program are not fit for it, or the system refuses (X2).
    pub(super) fn start(spec: &LaunchSpec, size: Size) -> Result<Self, StartError> {
        let (program, arguments) = spec
            .argv
            .split_first()
            .ok_or_else(|| StartError::system("start", &"no program is named"))?;
        let path = spec.env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, path)| path);
        let program = find_program(program, &spec.cwd, path)?;
        let pair = portable_pty::native_pty_system()
            .openpty(pty_size(size))
            .map_err(|error| StartError::system("a terminal cannot be opened", &error))?;
        let mut command = CommandBuilder::new(&program);
        command.args(arguments);
        command.cwd(&spec.cwd);
        command.env_clear();
        for (name, value) in &spec.env {
            command.env(name, value);
        }
        let failed = |error: &dyn std::fmt::Display| {
            StartError::system(&format!("{} cannot be started", program.display()), error)
        };
        // never waited for through the library: one thread reaps every child (X3)
        let child = pair.slave.spawn_command(command).map_err(|error| failed(&error))?;
        let agent = child
            .process_id()
            .and_then(Process::of)
            .ok_or_else(|| failed(&"its process cannot be found"))?;
        let number =
            pair.master.as_raw_fd().ok_or_else(|| failed(&"its terminal has no descriptor"))?;
        let descriptor = terminal::duplicate(number).map_err(|error| failed(&error))?;
        let far_end = RefCell::new(Some(pair.slave));
        Ok(Self { master: pair.master, far_end, descriptor, agent })
    }

    /// The agent ended: what is read ends once no other program has the terminal open.
    pub(super) fn let_go(&self) {
        self.far_end.take();
    }

    /// Leader of the process group in the foreground.
    pub(super) fn foreground(&self) -> Option<u32> {
        proctree::foreground(&self.descriptor)
    }

    /// Tells the programs of their new size.
    pub(super) fn resize(&self, size: Size) {
        if let Err(error) = self.master.resize(pty_size(size)) {
            tracing::warn!(%error, "the terminal cannot be resized");
        }
    }
}

fn pty_size(size: Size) -> PtySize {
    PtySize { cols: size.cols, rows: size.rows, pixel_width: 0, pixel_height: 0 }
}
