//! The loop. In this order: signals, input, what the coordinators report, answers and changes of the
//! store, live screens, files, time.

mod lend;
mod react;
mod zoom;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{broadcast, mpsc, watch};
use tokio_util::task::AbortOnDropHandle;

use crate::config::Clipboard;
use crate::domain::ids::SessionId;
use crate::host::ports::Ports;
use crate::host::report::Progress;
use crate::host::{Host, OnView};
use crate::monitor::notice::tell::Manner;
use crate::os::clock::{self, Clock};
use crate::os::paths::Home;
use crate::tui::app::form::Targets;
use crate::tui::app::{App, Setup, Start};
use crate::tui::effects::Effects;
use crate::tui::event::{Event, Failure, Lent};
use crate::tui::input::{Input, Reader};
use crate::tui::live::Live;
use crate::tui::terminal::Terminal;
use crate::tui::theme::Depth;

use super::RunSummary;
use super::files::{Files, Watch};
use super::pace::Pace;

/// Answers that wait for the loop; whoever sends more waits.
const WAITING: usize = 256;
/// The first frame waits this long for the first sessions, so that it is not empty.
const FIRST: Duration = Duration::from_millis(30);
/// The terminal answers a question in this time, slow lines included, or not at all.
const ANSWER: Duration = Duration::from_secs(10);
/// For so long after another had the terminal an interrupt was meant for that one: no key of ours is one.
const FORGETS: Duration = Duration::from_secs(1);
/// Time between two ticks at least, whatever the state of the dashboard asks for.
const TICK: Duration = Duration::from_millis(20);

/// Looks for agents and targets.
type AgentLook = Box<dyn FnOnce() -> Targets + Send>;

/// What the loop is made of.
pub(super) struct Parts<P> {
    pub(super) host: Host<P>,
    pub(super) home: Home,
    pub(super) depth: Depth,
    /// Rows of history that an agent's terminal is read back.
    pub(super) scrollback: usize,
    pub(super) clock: Clock,
    pub(super) changes: Box<dyn FnOnce() -> watch::Receiver<u64> + Send>,
    pub(super) agents: AgentLook,
    pub(super) files: Files,
    /// What becomes of texts that an agent copies while it has the terminal.
    pub(super) clipboard: Clipboard,
    /// Program and arguments that open links; the system's own where there are none.
    pub(super) opener: Vec<String>,
    /// How the terminal is told of notices.
    pub(super) manner: Manner,
    /// The terminal is one of tmux.
    pub(super) in_tmux: bool,
    /// The terminal was asked for its ground.
    pub(super) asked: bool,
}

/// The dashboard while it runs.
pub(super) struct Dashboard<P> {
    app: App,
    terminal: Terminal,
    reader: Option<Reader>,
    /// The theme follows the ground of the terminal, which answers when asked for it.
    follows_ground: bool,
    /// When the reader stops to look for an answer of the terminal.
    answer_by: Option<Instant>,
    signals: Signals,
    host: Host<P>,
    home: Home,
    clipboard: Clipboard,
    effects: Effects<P>,
    answers: mpsc::Receiver<Event>,
    out: mpsc::Sender<Event>,
    progress: broadcast::Receiver<Progress>,
    live: Live,
    clock: Clock,
    files: Files,
    opener: Vec<String>,
    manner: Manner,
    in_tmux: bool,
    pace: Pace,
    ticked: Instant,
    /// Begins to watch the store; taken after the first frame.
    begin: Option<Box<dyn FnOnce() -> watch::Receiver<u64> + Send>>,
    /// Looks for agents; taken after the first frame.
    agents: Option<AgentLook>,
    rest: Option<Rest>,
    /// The operator asked to suspend.
    suspend: bool,
    /// Tells the projects whose sessions are in the list.
    on_view: watch::Sender<OnView>,
    /// The sessions whose screens are on view.
    watched: Vec<SessionId>,
    /// This program of the operator's is to have the terminal, in this folder.
    lend_to: Option<(Lent, PathBuf)>,
    /// This agent is to have the terminal, and what was typed for it already.
    pass_to: Option<(SessionId, Vec<u8>)>,
    summary: Option<RunSummary>,
}

/// What runs from the first frame on.
struct Rest {
    changes: watch::Receiver<u64>,
    watch: Option<Watch>,
    /// When the files are read again.
    reload_at: Option<Instant>,
    _care: AbortOnDropHandle<()>,
}

struct Signals {
    terminate: Signal,
    hang_up: Signal,
    interrupt: Signal,
    /// From when an interrupt is meant for us.
    interrupts_from: Instant,
    breaks: Breaks,
}

/// Signals of job control.
struct Breaks {
    stop: Signal,
    go_on: Signal,
}

impl Breaks {
    fn new() -> std::io::Result<Self> {
        let of = |number: rustix::process::Signal| signal(SignalKind::from_raw(number.as_raw()));
        let (stop, go_on) = (rustix::process::Signal::TSTP, rustix::process::Signal::CONT);
        Ok(Self { stop: of(stop)?, go_on: of(go_on)? })
    }
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            interrupts_from: clock::monotonic(),
            breaks: Breaks::new()?,
        })
    }

    /// An interrupt that was meant for another, who had the terminal. It may be told of a little later.
    fn forget_interrupts(&mut self) {
        self.interrupts_from = clock::monotonic() + FORGETS;
    }

    async fn any(&mut self) -> Woke {
        loop {
            return tokio::select! {
                _ = self.terminate.recv() => Woke::Signal,
                _ = self.hang_up.recv() => Woke::Signal,
                _ = self.interrupt.recv() => {
                    if clock::monotonic() < self.interrupts_from {
                        continue;
                    }
                    Woke::Signal
                }
                _ = self.breaks.stop.recv() => Woke::Stop,
                _ = self.breaks.go_on.recv() => Woke::GoOn,
            };
        }
    }
}

/// What a turn waited for.
enum Woke {
    /// To end.
    Signal,
    /// To stop until continued.
    Stop,
    /// It was stopped and goes on.
    GoOn,
    /// The terminal took more, or is gone.
    Terminal(std::io::Result<()>),
    Input(Option<std::io::Result<Vec<Input>>>),
    Progress(Result<Progress, broadcast::error::RecvError>),
    Answer(Option<Event>),
    Changed,
    Screen,
    Files,
    Time,
}

async fn next_input(reader: &mut Option<Reader>) -> Option<std::io::Result<Vec<Input>>> {
    match reader {
        Some(reader) => reader.next().await,
        None => std::future::pending().await,
    }
}

/// A change of the store, or of the operator's files.
async fn next_change(rest: &mut Option<Rest>) -> Woke {
    let Some(rest) = rest else {
        return std::future::pending().await;
    };
    let files = async {
        match &mut rest.watch {
            Some(watch) => watch.changed().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        changed = rest.changes.changed() => match changed {
            Ok(()) => Woke::Changed,
            Err(_) => std::future::pending().await,
        },
        () = files => Woke::Files,
    }
}

impl<P: Ports> Dashboard<P> {
    /// Begins at this place once the board is there.
    pub(super) fn start_at(&mut self, start: Option<Start>) {
        self.app.start = start;
    }

    pub(super) fn new(terminal: Terminal, setup: Setup, parts: Parts<P>) -> std::io::Result<Self> {
        let now = clock::monotonic();
        let (out, answers) = mpsc::channel(WAITING);
        let live =
            Live::new(parts.home.clone(), setup.workspace.clone(), parts.depth, parts.scrollback);
        Ok(Self {
            app: App::new(setup),
            terminal,
            reader: Some(Reader::new(parts.asked)),
            follows_ground: parts.asked,
            answer_by: parts.asked.then_some(now + ANSWER),
            signals: Signals::new()?,
            progress: parts.host.subscribe(),
            effects: Effects::new(parts.host.clone(), out.clone()),
            host: parts.host,
            home: parts.home,
            clipboard: parts.clipboard,
            answers,
            out,
            live,
            clock: parts.clock,
            files: parts.files,
            opener: parts.opener,
            manner: parts.manner,
            in_tmux: parts.in_tmux,
            pace: Pace::default(),
            ticked: now,
            begin: Some(parts.changes),
            agents: Some(parts.agents),
            rest: None,
            suspend: false,
            on_view: watch::Sender::default(),
            watched: Vec::new(),
            lend_to: None,
            pass_to: None,
            summary: None,
        })
    }

    /// Runs until the operator leaves, a signal comes, or the terminal goes.
    pub(super) async fn show(&mut self, troubles: Vec<Failure>) -> RunSummary {
        self.pace.want_at(clock::monotonic() + FIRST);
        self.apply(Event::Changed);
        for trouble in troubles {
            self.apply(Event::Trouble(trouble));
        }
        while self.summary.is_none() {
            let now = clock::monotonic();
            let due = self.terminal.is_idle() && self.pace.due().is_some_and(|due| due <= now);
            let drawn = if due { self.draw(now) } else { Ok(()) };
            let turned = match drawn {
                Ok(()) => {
                    let woke = self.wait().await;
                    self.handle(woke).await
                }
                gone => gone,
            };
            if let Err(error) = turned {
                tracing::info!(%error, "the terminal is gone");
                self.end();
            }
        }
        self.summary.take().unwrap_or_default()
    }

    /// Gives the terminal back; what is under way goes on.
    pub(super) fn leave(self) -> Effects<P> {
        drop(self.reader);
        drop(self.terminal);
        self.effects
    }

    async fn wait(&mut self) -> Woke {
        let deadline = self.deadline();
        let time = async {
            match deadline {
                Some(at) => tokio::time::sleep_until(at.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            woke = self.signals.any() => woke,
            taken = self.terminal.attend() => Woke::Terminal(taken),
            input = next_input(&mut self.reader) => Woke::Input(input),
            progress = self.progress.recv() => Woke::Progress(progress),
            answer = self.answers.recv() => Woke::Answer(answer),
            woke = next_change(&mut self.rest) => woke,
            () = self.live.changed() => Woke::Screen,
            () = time => Woke::Time,
        }
    }

    /// The next time at which something is to be done without any event.
    fn deadline(&self) -> Option<Instant> {
        let reload = self.rest.as_ref().and_then(|rest| rest.reload_at);
        let frame = self.pace.due().filter(|_| self.terminal.is_idle());
        [frame, self.tick_at(), self.answer_by, reload].into_iter().flatten().min()
    }

    /// When the time alone changes something.
    fn tick_at(&self) -> Option<Instant> {
        let wait = self.app.wake()?.since(self.clock.now());
        Some((clock::monotonic() + wait).max(self.ticked + TICK))
    }

    /// Whether it does so now.
    fn must_tick(&self) -> bool {
        let due = self.app.wake().is_some_and(|at| at <= self.clock.now());
        due && self.ticked + TICK <= clock::monotonic()
    }
}
