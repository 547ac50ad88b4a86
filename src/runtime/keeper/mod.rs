//! The keeper: the small process that owns one PTY (`spec/runtime.md` X1 to X8).
//!
//! One thread does everything that may not wait: it reads and feeds the terminal, detects, and serves
//! clients. Beside it are a thread that reaps children, one that stores facts, one that writes history.
//! All of them sleep while nothing happens.

mod core;
mod facts;
mod farewell;
mod hooks;
mod outbox;
mod registry;
mod serve;
mod setup;
mod stop;
mod tasks;
mod terminal;
mod typing;

use std::cell::RefCell;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use regex::Regex;
use tokio::sync::{Mutex, Notify, watch};

use self::core::{Core, Told};
use self::facts::Storing;
use self::registry::Claim;
pub use self::registry::{Listed, listed, stale, sweep};
use self::stop::StopState;
use self::terminal::Terminal;
use crate::domain::hook::HookReport;
use crate::domain::time::Timestamp;
use crate::os::clock::Clock;
use crate::os::spawn::Reaped;
use crate::runtime::launch::LaunchSpec;
use crate::runtime::screen::Size;

/// How long the store may take for the last facts.
const LAST_FACTS: Duration = Duration::from_secs(2);

/// Runs a keeper: reads the launch spec from standard input, answers on standard output, and stays
/// until its agent is gone. The hidden command `callboard keeper` is nothing but this.
pub fn run() -> ExitCode {
    setup::run()
}

/// What all tasks of the keeper share.
struct Keeper {
    spec: LaunchSpec,
    clock: Clock,
    core: RefCell<Core>,
    terminal: Terminal,
    claim: Claim,
    storing: RefCell<Option<Storing>>,
    /// The times of [`Core::due`] changed.
    replan: Notify,
    /// There is input for the agent.
    input: Notify,
    /// A client came: it may leave a report in the file.
    visited: Notify,
    /// Some or all input was taken by the agent.
    drained: Notify,
    /// The verdict may have changed.
    judged: Notify,
    /// A process below this one ended.
    reaped: Arc<Notify>,
    /// The agent's output ended.
    silent: watch::Sender<bool>,
    /// The agent's end was recorded.
    exited: watch::Sender<bool>,
    /// Held by whoever types more than one write.
    typing: Mutex<()>,
    stop: watch::Sender<StopState>,
    /// Socket and entry are gone, the last facts stored: time to exit.
    left: watch::Sender<bool>,
}

impl Keeper {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Whether a shell has a program in its foreground; asked only where rules want it.
    fn busy(&self, core: &Core) -> Option<bool> {
        if !core.watches_foreground() {
            return None;
        }
        self.terminal.foreground().map(|leader| leader != self.terminal.agent.pid)
    }

    /// Takes what the agent wrote.
    fn output(&self, bytes: &[u8]) {
        let mut core = self.core.borrow_mut();
        let due = core.due();
        let busy = self.busy(&core);
        core.output(bytes, busy, self.now());
        self.after(&mut core, due);
    }

    /// Does what is due, and gives the time of what is due next.
    fn attend(&self) -> Option<Timestamp> {
        let mut core = self.core.borrow_mut();
        let busy = self.busy(&core);
        if core.attend(busy, self.now()) == Told::Facts {
            self.store(&core);
        }
        self.judged.notify_waiters();
        core.due()
    }

    /// Looks at the screen now if it changed.
    fn look(&self, core: &mut Core) {
        if core.is_unseen() {
            let due = core.due();
            let busy = self.busy(core);
            core.observe(busy, self.now());
            self.after(core, due);
        }
    }

    /// Wakes whoever has to act on a change of the core.
    fn after(&self, core: &mut Core, due_before: Option<Timestamp>) {
        if core.next_input().is_some() {
            self.input.notify_one();
        }
        // a later time is found out at the earlier one
        let earlier = match (core.due(), due_before) {
            (Some(now), Some(before)) => now < before,
            (now, None) => now.is_some(),
            (None, Some(_)) => false,
        };
        if earlier {
            self.replan.notify_one();
        }
        self.judged.notify_waiters();
    }

    fn resize(&self, size: Size) {
        let mut core = self.core.borrow_mut();
        let due = core.due();
        let before = core.screen().size();
        let size = core.resize(size, self.now());
        if size != before {
            self.terminal.resize(size);
        }
        self.after(&mut core, due);
    }

    fn store(&self, core: &Core) {
        if let Some(storing) = &*self.storing.borrow() {
            storing.put(core.facts().clone());
        }
    }

    /// The agent's process ended.
    fn record_exit(&self, end: Reaped) {
        self.take_spool();
        let mut core = self.core.borrow_mut();
        core.drop_input();
        self.drained.notify_waiters();
        core.exited(end.code, end.signal, self.now());
        core.tell(self.now());
        self.store(&core);
        self.note_conversation(&core);
        self.judged.notify_waiters();
        self.exited.send_replace(true);
    }

    /// Keeps the id of the conversation that the agent told at its end (H3: of this launch only).
    fn note_conversation(&self, core: &Core) {
        if self.spec.exit_text.is_empty() {
            return;
        }
        let exit_text = match Regex::new(&self.spec.exit_text) {
            Ok(exit_text) => exit_text,
            Err(error) => {
                tracing::warn!(%error, "the agent's `exit_text` cannot be read");
                return;
            }
        };
        let told = farewell::conversation(core.screen(), &exit_text);
        if let (Some(id), Some(storing)) = (told, &*self.storing.borrow()) {
            storing.note(self.spec.generation, HookReport::of_conversation(id, self.now()));
        }
    }

    /// Stores the last facts, gives back the place, and lets the process end.
    async fn leave(self: &Rc<Self>) {
        let recorder = self.core.borrow_mut().take_recorder();
        drop(recorder);
        let storing = self.storing.borrow_mut().take();
        if let Some(storing) = storing
            && !storing.finish(LAST_FACTS).await
        {
            tracing::warn!("the last facts could not be stored in time");
        }
        self.claim.release().await;
        self.left.send_replace(true);
    }
}
