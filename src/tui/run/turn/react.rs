//! What a turn does with what it waited for.

use std::time::Instant;

use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::{Dashboard, Rest, RunSummary, Woke};
use crate::domain::ids::SessionId;
use crate::host::ports::Ports;
use crate::os::clock;
use crate::tui::event::{Effect, Event, Failure, Tab, TabContent};
use crate::tui::input::{Input, Reader};
use crate::tui::run::care::care;
use crate::tui::run::files::SETTLE;
use crate::tui::run::pace::Urgency;
use crate::tui::{update, views};

/// Answers that are taken in one turn, so that input never waits behind them.
const A_TURN: usize = 64;

impl<P: Ports> Dashboard<P> {
    pub(super) async fn handle(&mut self, woke: Woke) -> std::io::Result<()> {
        match woke {
            Woke::Signal | Woke::Input(None | Some(Err(_))) => {
                self.summary = Some(RunSummary { interrupted: true, ..RunSummary::default() });
            }
            Woke::Input(Some(Ok(inputs))) => inputs.into_iter().for_each(|input| self.input(input)),
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
        Ok(())
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
                Event::Focus(focused)
            }
            Input::Resize(cols, rows) => Event::Resize { cols, rows },
            Input::Ground(background) => {
                self.answer_by = None;
                self.files.set_background(background);
                return self.reload_theme();
            }
        };
        self.show_event(event, Urgency::Frame);
    }

    /// A picture of a live screen changed. It is taken when the frame is drawn.
    fn screen(&mut self) {
        let typed = self.app.typing.as_ref().map(|typing| &typing.id);
        let urgency = match typed.filter(|id| self.live.is_due(id)) {
            Some(id) if self.echo.as_ref() == Some(id) => {
                self.echo = None;
                Urgency::Echo
            }
            Some(_) => Urgency::Frame,
            None => Urgency::Calm,
        };
        self.want(urgency);
    }

    fn time(&mut self) {
        let now = clock::monotonic();
        if self.answer_by.is_some_and(|at| at <= now) {
            self.answer_by = None;
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
            Effect::Watch(ids) => self.live.watch(&ids),
            Effect::Size { id, cols, rows } => self.live.resize(&id, cols, rows),
            Effect::Scroll { id, by, view } => self.live.scroll(&id, by, view),
            Effect::Type { id, keys } => {
                let typed = self.live.type_keys(&id, &keys);
                self.typed(id, typed);
            }
            Effect::PasteTo { id, text } => {
                let typed = self.live.paste(&id, text);
                self.typed(id, typed);
            }
            Effect::LoadTab { id, tab: Tab::Details } => self.ask_witnesses(id),
            Effect::Suspend => self.suspend = true,
            Effect::Quit { farewell, hand_over } => {
                self.summary = Some(RunSummary { farewell, interrupted: false, hand_over });
            }
            other => self.effects.run(other),
        }
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
    fn typed(&mut self, id: SessionId, typed: bool) {
        if typed {
            self.echo = Some(id);
        } else {
            let message = format!("{id} takes no input now");
            let hint = Some("Its agent does not read, or does not run.".to_owned());
            self.apply(Event::Trouble(Failure { message, hint }));
        }
    }

    pub(super) fn draw(&mut self, now: Instant) -> std::io::Result<()> {
        let (pictures, held) = self.live.take(now);
        for (id, cells) in pictures {
            self.apply(Event::Screen { id, cells });
        }
        let app = &self.app;
        self.terminal.draw(|frame| views::view(app, frame))?;
        self.pace.drawn(clock::monotonic());
        if let Some(wait) = held {
            self.pace.want_at(now + wait);
        }
        if let Some(begin) = self.begin.take() {
            self.start_rest(begin());
        }
        Ok(())
    }

    /// Starts what need not be there for the first frame.
    fn start_rest(&mut self, changes: watch::Receiver<u64>) {
        let keep_days = self.app.setup.purge_days;
        let care = care(self.host.clone(), changes.clone(), self.out.clone(), keep_days);
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
        self.answer_by = None;
        self.terminal.suspend().await?;
        self.reader = Some(Reader::new(false));
        let (cols, rows) = self.terminal.size()?;
        self.show_event(Event::Resize { cols, rows }, Urgency::Frame);
        Ok(())
    }
}
