//! Ending the agent with its whole process tree (`spec/runtime.md` X3).

use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use super::{Keeper, registry};
use crate::domain::key::Key;
use crate::os::clock;
use crate::os::proctree::{self, Process};
use crate::os::signals::{self, Signal};
use crate::os::spawn;
use crate::os::variables;
use crate::runtime::keys::{KeyKind, encode_key};
use crate::runtime::wire::message::StopPace;

/// Least often the tree is looked at while it is being ended; the end of each child is noticed at once.
const TICK: Duration = Duration::from_millis(20);
/// Between the keys of a polite way: what one of them ends, as a tool that runs, takes a moment.
const BETWEEN_KEYS: Duration = Duration::from_millis(500);
/// What the end of the tree here needs at least, of the time that a stop has.
const LOCAL_END_MS: u64 = 1_500;
/// For the agent's last output and exit code, once its tree is gone.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How far a stop has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopState {
    /// None is under way.
    NotAsked,
    /// One is under way.
    Running,
    /// It is over.
    Over(StopOutcome),
}

/// What a stop came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StopOutcome {
    /// The whole tree is gone.
    pub(super) ended: bool,
    /// The agent did not follow the polite way in time, or KILL was needed.
    pub(super) escalated: bool,
}

impl Keeper {
    /// Ends the tree and leaves; a second caller waits for the first one's stop. After an end the
    /// keeper is about to exit; after giving up it goes on as before.
    pub(super) async fn stop(self: &Rc<Self>, pace: StopPace, polite: bool) -> StopOutcome {
        let mut state = self.stop.subscribe();
        let ours = !matches!(
            *state.borrow_and_update(),
            StopState::Running | StopState::Over(StopOutcome { ended: true, .. })
        );
        if ours {
            self.stop.send_replace(StopState::Running);
            let keeper = Rc::clone(self);
            // on its own: it goes on if the caller goes away
            tokio::task::spawn_local(async move {
                let outcome = keeper.stop_now(pace, polite).await;
                keeper.stop.send_replace(StopState::Over(outcome));
            });
        }
        let over = state.wait_for(|state| matches!(state, StopState::Over(_))).await;
        match over.as_deref() {
            Ok(StopState::Over(outcome)) => *outcome,
            _ => StopOutcome { ended: false, escalated: false },
        }
    }

    async fn stop_now(self: &Rc<Self>, pace: StopPace, polite: bool) -> StopOutcome {
        self.core.borrow_mut().stopping = true;
        let asked = polite && self.ask_politely().await;
        let outcome = self.end_tree(pace, asked).await;
        if outcome.ended {
            let mut exited = self.exited.subscribe();
            let last_words = exited.wait_for(|exited| *exited);
            if tokio::time::timeout(LAST_WORDS, last_words).await.is_err() {
                tracing::warn!("the agent's exit code was not learnt in time");
            }
            self.leave().await;
        } else {
            tracing::error!("the agent's processes did not end");
            self.core.borrow_mut().stopping = false;
        }
        outcome
    }

    /// Asks by the agent's own way; false where it has none.
    async fn ask_politely(&self) -> bool {
        let way = &self.spec.stop;
        if self.core.borrow().exit().is_some() {
            return false;
        }
        // A signal would reach the program here, not the agent: the way there sends one.
        let signal = way.signal.as_deref().filter(|_| self.spec.end.is_empty());
        if let Some(signal) = signal.and_then(signals::by_name) {
            let sent = if way.group {
                signals::send_group(self.terminal.agent, signal)
            } else {
                signals::send(self.terminal.agent, signal)
            };
            return sent.unwrap_or(false);
        }
        let mut typed = false;
        for key in way.keys.iter().filter_map(|name| name.parse::<Key>().ok()) {
            if typed {
                // two presses in one read are one to some programs
                let mut exited = self.exited.subscribe();
                let ended = exited.wait_for(|exited| *exited);
                if tokio::time::timeout(BETWEEN_KEYS, ended).await.is_ok() {
                    break;
                }
            }
            let mut core = self.core.borrow_mut();
            let bytes = encode_key(&key, KeyKind::Press, &core.screen().modes());
            typed |= core.type_bytes(&bytes).is_ok();
            self.input.notify_one();
        }
        typed
    }

    /// Ends what runs elsewhere, once the polite time is over. What runs here is ended afterwards, whatever
    /// came of it: the program there may be out of reach.
    async fn end_elsewhere(&self, pace: StopPace, asked: bool) {
        if self.spec.end.is_empty() {
            return;
        }
        let begin = clock::monotonic();
        let over = |limit: u64| begin.elapsed().as_millis() >= u128::from(limit);
        while asked && self.terminal.agent.is_alive() && !over(pace.term_ms) {
            self.next_end().await;
        }
        let ending = match spawn::unwaited(&self.spec.end, &self.spec.env) {
            Ok(pid) => Process::of(pid),
            Err(error) => {
                tracing::warn!(%error, "what runs elsewhere cannot be ended");
                return;
            }
        };
        let limit = pace.give_up_ms.saturating_sub(LOCAL_END_MS).max(pace.kill_ms);
        while ending.is_some_and(Process::is_alive) && !over(limit) {
            self.next_end().await;
        }
    }

    /// The end of a child, or a while.
    async fn next_end(&self) {
        tokio::select! {
            () = self.reaped.notified() => {}
            () = tokio::time::sleep(TICK) => {}
        }
    }

    /// TERM after the polite time, KILL after that, until nothing is left or the time is over.
    async fn end_tree(&self, pace: StopPace, asked: bool) -> StopOutcome {
        let begin = clock::monotonic();
        self.end_elsewhere(pace, asked).await;
        let mut escalated = false;
        let mut told = BTreeSet::new();
        loop {
            // looked at twice: a fork may have been under way
            let mut tree = self.tree();
            if tree.is_empty() {
                tree = self.tree();
            }
            if tree.is_empty() {
                return StopOutcome { ended: true, escalated };
            }
            let elapsed = begin.elapsed().as_millis();
            let alive = tree.contains(&self.terminal.agent);
            if elapsed >= u128::from(pace.give_up_ms) {
                return StopOutcome { ended: false, escalated };
            }
            if elapsed >= u128::from(pace.kill_ms) {
                escalated = true;
                for process in tree {
                    signal(process, Signal::KILL);
                }
            } else if !asked || !alive || elapsed >= u128::from(pace.term_ms) {
                // what the agent leaves behind needs no more patience
                escalated |= asked && alive;
                for process in tree.into_iter().filter(|process| told.insert(*process)) {
                    signal(process, Signal::TERM);
                    signal(process, Signal::CONT);
                }
            }
            self.next_end().await;
        }
    }

    /// Ends everything without asking.
    pub(super) async fn end_tree_now(&self) {
        let pace = StopPace { term_ms: 0, kill_ms: 0, ..StopPace::default() };
        self.end_tree(pace, false).await;
    }

    /// What runs below this keeper and below no other one.
    fn tree(&self) -> Vec<Process> {
        let Some(own) = Process::own() else {
            return Vec::new();
        };
        let folder = self.spec.socket.parent().unwrap_or(Path::new("/"));
        let others: BTreeSet<Process> = registry::listed(folder)
            .into_iter()
            .map(|listed| listed.keeper)
            .filter(|keeper| *keeper != own)
            .collect();
        let mut tree = proctree::descendants(own, &others);
        if !spawn::ADOPTS_ORPHANS {
            let carriers = proctree::with_environment(variables::TOKEN, &self.spec.token);
            tree.extend(carriers.into_iter().filter(|process| process.is_alive()));
            tree.sort_unstable();
            tree.dedup();
        }
        tree
    }
}

fn signal(process: Process, signal: Signal) {
    if let Err(error) = signals::send(process, signal) {
        tracing::warn!(pid = process.pid, %error, "a process cannot be signalled");
    }
}
