//! The dashboard of the board, to be sent events.

use std::sync::Arc;
use std::time::Duration;

use callboard::domain::ids::OperationId;
use callboard::domain::key::Key;
use callboard::domain::operation::Verb;
use callboard::domain::query::Page;
use callboard::domain::time::Timestamp;
use callboard::host::report::Progress;
use callboard::tui::app::{App, Passes, Setup};
use callboard::tui::event::{Effect, Event, WorkFacts};
use callboard::tui::glyph::Glyphs;
use callboard::tui::keymap::Keymap;
use callboard::tui::links::Links;
use callboard::tui::theme::{Depth, Theme};
use callboard::tui::update::update;
use callboard::tui::views::view;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use crate::fixture::{NOW, agent_screen, board, id, page, shop, waiting};

/// The dashboard under test.
pub(crate) struct Bench {
    pub(crate) app: App,
    pub(crate) now: Timestamp,
    pub(crate) effects: Vec<Effect>,
}

impl Bench {
    /// Before anything is known.
    pub(crate) fn blank(cols: u16, rows: u16) -> Self {
        let setup = Setup {
            workspace: "default".parse().unwrap(),
            keymap: Keymap::shipped(),
            theme: Theme::shipped("dark", Depth::Rgb).unwrap(),
            glyphs: Glyphs::UNICODE,
            folder: "/home/me/src".into(),
            user_home: Some("/home/me".into()),
            repository: Some("/src/shop".into()),
            agent: "claude".to_owned(),
            agents: ["claude", "codex", "shell"]
                .map(|name| (name.to_owned(), true))
                .into_iter()
                .chain(["gemini", "opencode", "aider"].map(|name| (name.to_owned(), false)))
                .collect(),
            targets: Vec::new(),
            purge_days: 30,
            passes: Passes::default(),
            notifications: callboard::config::Notifications::default(),
            size: (cols, rows),
            now: NOW,
        };
        Self { app: App::new(setup), now: NOW, effects: Vec::new() }
    }

    /// One that was made elsewhere.
    pub(crate) fn of(app: App, now: Timestamp) -> Self {
        Self { app, now, effects: Vec::new() }
    }

    /// The board of the drawings, with `shop` open.
    pub(crate) fn new(cols: u16, rows: u16) -> Self {
        let mut bench = Self::blank(cols, rows);
        bench.send(Event::Changed);
        bench.send(Event::Board(Box::new(board())));
        bench.send(Event::Waiting(waiting()));
        bench.answer_page(page(shop()));
        let screen = Some(Arc::new(agent_screen()));
        bench.send(Event::Screen { id: id("shop-12"), cells: screen });
        let work = WorkFacts { added: 41, removed: 7, files: 3, ..WorkFacts::default() };
        let more = WorkFacts { added: 310, removed: 122, files: 14, ..WorkFacts::default() };
        bench.send(Event::Work(vec![(id("shop-12"), work), (id("shop-9"), more)]));
        bench.take();
        bench
    }

    pub(crate) fn send(&mut self, event: Event) {
        self.effects.extend(update(&mut self.app, event, self.now));
    }

    /// Presses keys, each with a pause after it.
    pub(crate) fn keys(&mut self, keys: &str) {
        for key in keys.split(' ') {
            self.wait(100);
            self.send(Event::Keys(vec![key.parse::<Key>().unwrap()]));
        }
    }

    /// Types a text, letter by letter.
    pub(crate) fn text(&mut self, text: &str) {
        for c in text.chars() {
            self.wait(100);
            let key = Key::plain(callboard::domain::key::KeyCode::Char(c));
            self.send(Event::Keys(vec![key]));
        }
    }

    pub(crate) fn wait(&mut self, milliseconds: u64) {
        self.now = self.now.plus(Duration::from_millis(milliseconds));
    }

    /// Lets time pass as a runner does: the event of the time that was asked for.
    pub(crate) fn tick(&mut self, milliseconds: u64) {
        self.wait(milliseconds);
        self.send(Event::Tick);
    }

    /// What was asked for since the last time.
    pub(crate) fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Answers the newest request for a page.
    pub(crate) fn answer_page(&mut self, page: Page) {
        let asked = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::LoadPage { ticket, query } => Some((*ticket, query.offset)),
            _ => None,
        });
        let (ticket, offset) = asked.expect("a page was asked for");
        self.send(Event::Page { ticket, offset, page });
    }

    /// A delete of 120 sessions that is at 41.
    pub(crate) fn with_job(mut self) -> Self {
        let operation: OperationId = "0192-aaaa".parse().unwrap();
        self.send(Event::Progress(Progress::Began {
            operation: operation.clone(),
            verb: Verb::Delete,
            total: 120,
        }));
        let mut report = |name: &str, state| {
            let (operation, id) = (operation.clone(), id(name));
            self.send(Event::Progress(Progress::Session { operation, id, state }));
        };
        for n in 0..41 {
            report(&format!("api-{n}"), "moved");
        }
        report("shop-4", "deleted");
        report("shop-3", "waiting");
        self.take();
        self
    }

    pub(crate) fn buffer(&self) -> Buffer {
        let (cols, rows) = self.app.setup.size;
        let mut terminal = Terminal::new(TestBackend::new(cols, rows)).unwrap();
        terminal.draw(|frame| view(&self.app, frame, &mut Links::default())).unwrap();
        terminal.backend().buffer().clone()
    }

    /// What is drawn, as text.
    pub(crate) fn screen(&self) -> String {
        let buffer = self.buffer();
        let mut text = String::new();
        for y in 0..buffer.area.height {
            let line: String = (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect();
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// The selected session, or nothing.
pub(crate) fn selected(bench: &Bench) -> String {
    bench.app.list.selected.as_ref().map(ToString::to_string).unwrap_or_default()
}
