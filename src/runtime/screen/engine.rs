//! Parser, tap and state put together, and the fence round them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rio_vt::performer::handler::Processor;

use super::core::Core;
use super::event::ScreenEvent;
use super::modes::Size;
use super::palette::Rgb;
use super::strings::is_engine_osc;
use super::tap::{SEQUENCE_LIMIT, Sink, StringKind, Tap};

pub(super) struct Engine {
    pub(super) core: Core,
    pub(super) tap: Tap,
    processor: Processor,
    history: usize,
}

impl Engine {
    pub(super) fn new(size: Size, history: usize, defaults: (Rgb, Rgb)) -> Self {
        Self {
            core: Core::new(size, history, defaults),
            tap: Tap::new(),
            processor: Processor::default(),
            history,
        }
    }

    /// Feeds bytes; after a panic in the engine the screen starts again empty.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<ScreenEvent> {
        for slice in bytes.chunks(SEQUENCE_LIMIT) {
            self.fenced(|engine| {
                let mut sink = Feed { core: &mut engine.core, processor: &mut engine.processor };
                engine.tap.feed(slice, &mut sink);
            });
        }
        std::mem::take(&mut self.core.events)
    }

    /// Feeds a snapshot: its private sequences are heeded.
    pub(super) fn replay(&mut self, snapshot: &[u8]) -> Vec<ScreenEvent> {
        self.core.replays = true;
        let events = self.feed(snapshot);
        self.core.replays = false;
        events
    }

    pub(super) fn resize(&mut self, size: Size) {
        self.fenced(|engine| engine.core.resize(size));
        if self.core.size() != size {
            *self = Self::new(size, self.history, self.core.defaults);
        }
    }

    /// What a fault of the engine does.
    #[cfg(test)]
    pub(super) fn fault(&mut self) {
        self.fenced(|_| std::panic::resume_unwind(Box::new("fault")));
    }

    fn fenced(&mut self, work: impl FnOnce(&mut Self)) {
        let size = self.core.size();
        let sound = catch_unwind(AssertUnwindSafe(|| work(self))).is_ok();
        if !sound {
            let mut events = std::mem::take(&mut self.core.events);
            events.push(ScreenEvent::Faulted);
            *self = Self::new(size, self.history, self.core.defaults);
            self.core.events = events;
        }
    }
}

struct Feed<'a> {
    core: &'a mut Core,
    processor: &'a mut Processor,
}

impl Sink for Feed<'_> {
    fn run(&mut self, bytes: &[u8]) {
        // The engine waits for the rest of a character that is cut off, and prints others in place of
        // what is no text in long runs.
        self.processor.advance(self.core, String::from_utf8_lossy(bytes).as_bytes());
    }

    fn sequence(&mut self, bytes: &[u8]) {
        // Controls inside a sequence act at once.
        let (controls, sequence): (Vec<u8>, Vec<u8>) =
            bytes[1..].iter().partition(|&&byte| byte < 0x20 || byte == 0x7f);
        self.run(&controls);
        if !self.core.sequence(&sequence) {
            self.run(&[b"\x1b", &sequence[..]].concat());
        }
    }

    fn string(&mut self, kind: StringKind, payload: &[u8], raw: &[u8]) {
        match kind {
            StringKind::Osc if is_engine_osc(payload) => self.run(raw),
            StringKind::Osc => self.core.osc(payload),
            StringKind::Dcs => self.core.dcs(payload),
            StringKind::Ignored => {}
        }
    }
}
