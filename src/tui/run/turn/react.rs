//! What a turn does with what it waited for.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio_util::task::AbortOnDropHandle;

use super::{ANSWER, Breaks, Dashboard, Rest, RunSummary, Woke};
use crate::domain::ids::SessionId;
use crate::host::ports::Ports;
use crate::monitor::notice::tell;
use crate::os::clock;
use crate::tui::app::reading::Document;
use crate::tui::event::{Effect, Event, Failure, Tab, TabContent};
use crate::tui::input::{Input, Reader};
use crate::tui::live::Picture;
use crate::tui::run::care::care;
use crate::tui::run::files::SETTLE;
use crate::tui::run::pace::Urgency;
use crate::tui::{update, views};

/// Answers that are taken in one turn, so that input never waits behind them.
const A_TURN: usize = 64;
/// Answers that are kept while another has the terminal; whoever sends more waits.
const MISSED: usize = 4_096;

/// Waits for the end of whoever has the terminal. Who answers or cares for sessions meanwhile need not
/// wait for the dashboard.
pub(super) async fn meanwhile<T>(
    lent: impl Future<Output = T>,
    answers: &mut mpsc::Receiver<Event>,
) -> (T, Vec<Event>) {
    let mut lent = pin!(lent);
    let mut missed = Vec::new();
    loop {
        tokio::select! {
            done = &mut lent => return (done, missed),
            Some(event) = answers.recv(), if missed.len() < MISSED => missed.push(event),
        }
    }
}

impl<P: Ports> Dashboard<P> {
    pub(super) async fn handle(&mut self, woke: Woke) -> std::io::Result<()> {
        match woke {
            Woke::Signal | Woke::Input(None | Some(Err(_))) => self.end(),
            Woke::Terminal(taken) => taken?,
            Woke::Stop => self.suspend = true,
            // Whoever had the terminal meanwhile left it as it likes.
            Woke::GoOn => {
                self.terminal.resume()?;
                self.draw_anew()?;
            }
            Woke::Input(Some(Ok(inputs))) => {
                for input in inputs {
                    if let Some((id, ahead)) = &mut self.pass_to {
                        match input {
                            Input::Keys(keys) => ahead.extend(self.live.encoded(id, &keys)),
                            Input::Paste(text) => ahead.extend(self.live.encoded_paste(id, &text)),
                            // The dashboard takes them for others than what is on its screen then.
                            _ => {}
                        }
                    } else if !self.suspend && self.lend_to.is_none() {
                        self.input(input);
                    }
                }
            }
            Woke::Progress(Ok(progress)) => {
                self.effects.note(&progress);
                self.show_event(Event::Progress(progress), Urgency::Calm);
            }
            // What was missed is in the store.
            Woke::Progress(Err(_)) => self.apply(Event::Changed),
            Woke::Answer(event) => {
                for event in event.into_iter().chain(self.more_answers()) {
                    self.show_event(event, Urgency::Frame);
                }
            }
            Woke::Changed => {
                self.live.retry();
                self.apply(Event::Changed);
            }
            Woke::Screen => self.screen(),
            Woke::Files => {
                if let Some(rest) = &mut self.rest {
                    rest.reload_at = Some(clock::monotonic() + SETTLE);
                }
            }
            Woke::Time => self.time(),
        }
        if std::mem::take(&mut self.suspend) {
            self.suspend().await?;
        }
        if let Some((to, folder)) = self.lend_to.take() {
            self.lend(to, &folder).await?;
        }
        if let Some((id, ahead)) = self.pass_to.take() {
            self.pass_through(id, ahead).await?;
        }
        Ok(())
    }

    /// Ends without being asked to by a key: what is under way is left to others.
    pub(super) fn end(&mut self) {
        let hand_over = self.app.jobs.running.iter().map(|job| job.id.clone()).collect();
        self.summary = Some(RunSummary { farewell: String::new(), interrupted: true, hand_over });
    }

    fn more_answers(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.answers.try_recv().ok()).take(A_TURN).collect()
    }

    fn input(&mut self, input: Input) {
        let event = match input {
            Input::Keys(keys) => Event::Keys(keys),
            Input::Paste(text) => Event::Paste(text),
            Input::Mouse(event) => Event::Mouse(event),
            Input::Focus(focused) => {
                if let Some(typing) = &self.app.typing {
                    self.live.focus(&typing.id, focused);
                }
                if focused {
                    self.ask_ground();
                }
                Event::Focus(focused)
            }
            Input::Resize(cols, rows) => Event::Resize { cols, rows },
            Input::Ground(background) => {
                self.answer_by = None;
                self.files.set_background(background);
                return self.reload_theme();
            }
        };
        // What is typed into an agent shows by its echo alone: a frame before it would only delay it.
        let before = (self.app.only_types().cloned(), self.app.toasts.version());
        self.apply(event);
        let same =
            self.app.only_types() == before.0.as_ref() && self.app.toasts.version() == before.1;
        if before.0.is_none() || !same {
            self.want(Urgency::Frame);
        }
    }

    /// Asks the terminal for its ground again: who comes back to it may have changed the colours of the desktop
    /// meanwhile. (Its own notices of that, mode 2031, cannot be read by the event parser.)
    fn ask_ground(&mut self) {
        if let Some(reader) = self.reader.as_mut().filter(|_| self.follows_ground) {
            reader.wait_for_answer();
            self.answer_by = Some(clock::monotonic() + ANSWER);
            self.terminal.ask_ground();
        }
    }

    /// A picture of a live screen changed. It is taken when the frame is drawn.
    fn screen(&mut self) {
        for (id, signal) in self.live.signals() {
            self.show_event(Event::Signal { id, signal }, Urgency::Frame);
        }
        let due = |id: &SessionId| self.live.is_due(id);
        let typed = self.app.typing.as_ref().is_some_and(|typing| due(&typing.id));
        let urgency = match self.app.shows_wall() {
            _ if typed => Urgency::Echo,
            true if self.app.in_focus().is_some_and(due) => Urgency::Frame,
            true => Urgency::Beside,
            false => Urgency::Calm,
        };
        self.want(urgency);
    }

    fn time(&mut self) {
        let now = clock::monotonic();
        if self.answer_by.is_some_and(|at| at <= now) {
            self.answer_by = None;
            self.follows_ground = false;
            if let Some(reader) = &mut self.reader {
                reader.stop_waiting();
            }
        }
        let reload = self.rest.as_mut().and_then(|rest| rest.reload_at.take_if(|at| *at <= now));
        if reload.is_some() {
            self.reload_keymap();
            self.reload_theme();
        }
        if self.must_tick() {
            self.ticked = now;
            self.show_event(Event::Tick, Urgency::Frame);
        }
    }

    fn reload_keymap(&mut self) {
        match self.files.keymap() {
            Ok(keymap) if keymap == self.app.setup.keymap => {}
            Ok(keymap) => self.show_event(Event::Keymap(Box::new(keymap)), Urgency::Frame),
            Err(error) => self.show_event(Event::Trouble(error.into()), Urgency::Frame),
        }
    }

    fn reload_theme(&mut self) {
        match self.files.theme() {
            Ok(theme) if theme == self.app.setup.theme => {}
            Ok(theme) => self.show_event(Event::Theme(Box::new(theme)), Urgency::Frame),
            Err(error) => self.show_event(Event::Trouble(error.into()), Urgency::Frame),
        }
    }

    /// Applies an event that changes what is shown.
    fn show_event(&mut self, event: Event, urgency: Urgency) {
        self.apply(event);
        self.want(urgency);
    }

    /// Before the first frame nothing is drawn until there are sessions, or it has waited enough.
    fn want(&mut self, urgency: Urgency) {
        if self.pace.began() || self.app.list.loaded {
            self.pace.want(urgency, clock::monotonic());
        }
    }

    pub(super) fn apply(&mut self, event: Event) {
        let effects = update::update(&mut self.app, event, self.clock.now());
        for effect in effects {
            self.carry_out(effect);
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Watch(ids) => {
                self.live.watch(&ids);
                self.watched = ids;
            }
            Effect::OnView(projects) => {
                self.on_view.send_replace(projects);
            }
            Effect::Size { id, cols, rows } => self.live.resize(&id, cols, rows),
            Effect::PointAt { id, mouse } => {
                self.live.point_at(&id, mouse);
                self.pace.typed(clock::monotonic());
            }
            Effect::Read(id) => {
                let document = self.live.document(&id);
                self.apply(Event::Document { id, document });
            }
            Effect::ReadOlder { id, document } => self.read_older(id, document),
            Effect::Copy(text) => {
                self.terminal.copy(&text);
                if self.in_tmux {
                    self.effects.give_to_tmux(text);
                }
            }
            Effect::Ring => self.terminal.push(tell::BELL.as_bytes()),
            Effect::Notify(text) => self.terminal.push(self.manner.banner(&text).as_bytes()),
            Effect::Tell(notice) => {
                self.terminal.push(self.manner.signs(&notice.text).as_bytes());
                let command = &self.app.setup.notifications.command;
                if !command.is_empty() {
                    self.effects.tell(command.clone(), notice);
                }
            }
            Effect::Title(title) => self.terminal.title(title),
            Effect::OpenLink(link) => self.effects.open_link(&self.opener, link),
            Effect::Type { id, keys } => {
                let typed = self.live.type_keys(&id, &keys);
                self.typed(&id, typed);
            }
            Effect::PasteTo { id, text } => {
                let typed = self.live.paste(&id, text);
                self.typed(&id, typed);
            }
            Effect::PassThrough { id, ahead } => {
                let ahead = self.live.encoded(&id, &ahead);
                self.pass_to = Some((id, ahead));
            }
            Effect::LoadTab { id, tab: Tab::Details } => self.ask_witnesses(id),
            // What is saved is counted once the first frame is drawn.
            Effect::CountFilters(_) if self.begin.is_some() => {}
            Effect::Lend { to, folder } => self.lend_to = Some((to, folder)),
            Effect::Suspend => self.suspend = true,
            Effect::Quit { farewell, hand_over } => {
                self.summary = Some(RunSummary { farewell, interrupted: false, hand_over });
            }
            other => self.effects.run(other),
        }
    }

    fn read_older(&self, id: SessionId, of: Arc<Document>) {
        let (read, out) = (self.live.with_older(&id, Arc::clone(&of)), self.out.clone());
        tokio::spawn(async move {
            let whole = read.await;
            // Nobody waits for it any more where the dashboard was left.
            let _ = out.send(Event::Older { id, of, whole }).await;
        });
    }

    fn ask_witnesses(&self, id: SessionId) {
        let (asked, out) = (self.live.witnesses(&id), self.out.clone());
        tokio::spawn(async move {
            let content = TabContent::Witnesses(asked.await);
            // Nobody waits for it any more where the dashboard was left.
            let _ = out.send(Event::Tab { id, content }).await;
        });
    }

    /// The echo of what was typed is drawn at once.
    fn typed(&mut self, id: &SessionId, typed: bool) {
        if typed {
            self.pace.typed(clock::monotonic());
        } else {
            let message = format!("{id} takes no input now");
            let hint = Some("Its agent does not read, or does not run.".to_owned());
            self.apply(Event::Trouble(Failure { message, hint }));
        }
    }

    pub(super) fn draw(&mut self, now: Instant) -> std::io::Result<()> {
        let (pictures, held) = self.pictures(now);
        for (id, cells) in pictures {
            self.apply(Event::Screen { id, cells });
        }
        let app = &self.app;
        self.terminal.draw(|frame, links| views::view(app, frame, links))?;
        self.pace.drawn(clock::monotonic());
        if let Some(wait) = held {
            self.pace.want_at(now + wait);
        }
        if let Some(begin) = self.begin.take() {
            self.start_rest(begin());
        }
        Ok(())
    }

    /// Pictures that changed, and how long to wait for others: beside a tile with the focus they come
    /// less often.
    fn pictures(&mut self, now: Instant) -> (Vec<Picture>, Option<Duration>) {
        if !self.app.shows_wall() {
            return self.live.take(now, |_| Duration::ZERO);
        }
        let beside = self.pace.beside_in(now);
        if beside.is_zero() {
            self.pace.beside_drawn(now);
        }
        let focus = self.app.in_focus();
        self.live.take(now, |id| if Some(id) == focus { Duration::ZERO } else { beside })
    }

    /// Starts what need not be there for the first frame.
    fn start_rest(&mut self, changes: watch::Receiver<u64>) {
        self.effects.run(Effect::LoadWaiting);
        if let Some(count) = self.app.to_count() {
            self.effects.run(count);
        }
        if let Some(look) = self.agents.take() {
            let out = self.out.clone();
            // Nobody waits for them any more where the dashboard was left.
            tokio::task::spawn_blocking(move || drop(out.blocking_send(Event::Targets(look()))));
        }
        let keep_days = self.app.setup.purge_days;
        let care = care(
            self.host.clone(),
            changes.clone(),
            self.out.clone(),
            keep_days,
            self.on_view.subscribe(),
        );
        self.rest = Some(Rest {
            changes,
            watch: self.files.watch(),
            reload_at: None,
            _care: AbortOnDropHandle::new(tokio::spawn(care)),
        });
    }

    /// Gives the terminal to the shell until this process is continued.
    async fn suspend(&mut self) -> std::io::Result<()> {
        // The reader would go on eating what is typed into the shell.
        self.reader = None;
        self.terminal.suspend().await?;
        self.take_back()
    }

    /// Reads and draws again after another had the terminal.
    pub(super) fn take_back(&mut self) -> std::io::Result<()> {
        // An answer that was waited for may still come, and is nothing that was typed.
        let asked = self.answer_by.is_some();
        self.reader = Some(Reader::again(asked));
        // What these brought is done.
        self.signals.breaks = Breaks::new()?;
        self.draw_anew()
    }

    fn draw_anew(&mut self) -> std::io::Result<()> {
        let (cols, rows) = self.terminal.size()?;
        self.show_event(Event::Resize { cols, rows }, Urgency::Frame);
        Ok(())
    }
}
