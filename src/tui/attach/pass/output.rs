//! From the keeper to the terminal: passed through, or drawn.

use std::io;
use std::time::Instant;

use super::{Pass, THERE, View};
use crate::config::Clipboard;
use crate::os::clock;
use crate::runtime::client::ScreenUpdate;
use crate::runtime::screen::Size;
use crate::tui::attach::drawn::Drawn;
use crate::tui::attach::restore::{Touched, undo};

impl Pass {
    /// Takes what the keeper sent; false once it is gone.
    pub(super) fn output(&mut self) -> io::Result<bool> {
        let mut updates = Vec::new();
        let there = self.keeper.receive(|update| updates.push(update)).is_ok();
        for update in updates {
            self.update(update)?;
        }
        self.update_back();
        Ok(there)
    }

    fn update(&mut self, update: ScreenUpdate) -> io::Result<()> {
        let now = clock::monotonic();
        match update {
            ScreenUpdate::Bytes(bytes) => match &mut self.view {
                View::Raw => {
                    self.filter.clipboard = self.may_copy(now);
                    self.filter.feed(&bytes, &mut self.pending);
                }
                View::Drawn(drawn) => drawn.feed(&bytes, now),
                View::Waiting => {}
            },
            ScreenUpdate::Resized { cols, rows } => self.resized((cols, rows)),
            ScreenUpdate::Snapshot { cols, rows, bytes } => {
                if !self.asked.contains(&(cols, rows)) {
                    // It may stand for changes that were left out.
                    self.asked.clear();
                }
                self.note_size((cols, rows));
                self.snapshot(Size { cols, rows }, &bytes, now)?;
            }
            ScreenUpdate::Refused { reason } => self.tell_of_loss(reason),
            ScreenUpdate::Exit(_) => self.exited = true,
            ScreenUpdate::Closed => {}
        }
        Ok(())
    }

    /// Whether what the agent copies reaches the clipboard: never of one who only looks.
    fn may_copy(&self, now: Instant) -> bool {
        let there = |at: Instant| now.saturating_duration_since(at) < THERE;
        let wanted = match self.what.clipboard {
            Clipboard::On => true,
            Clipboard::Off => false,
            Clipboard::Ask => self.focused && self.typed_at.is_some_and(there),
        };
        wanted && !self.what.read_only
    }

    /// The agent has this size, by our wish or another's.
    fn note_size(&mut self, size: (u16, u16)) {
        self.agent = size;
        if let Some(at) = self.asked.iter().position(|asked| *asked == size) {
            drop(self.asked.drain(..=at));
        }
    }

    fn resized(&mut self, size: (u16, u16)) {
        self.note_size(size);
        match &mut self.view {
            View::Raw if size != self.size => self.show_anew(),
            View::Drawn(_) if size == self.size && self.capable => self.show_anew(),
            View::Drawn(drawn) => {
                drawn.screen.resize(Size { cols: size.0, rows: size.1 });
                drawn.redraw(clock::monotonic());
                // It has no history to fill a taller one with, as the keeper's engine has.
                self.show_anew();
            }
            View::Raw | View::Waiting => {}
        }
    }

    fn snapshot(&mut self, size: Size, bytes: &[u8], now: Instant) -> io::Result<()> {
        if (size.cols, size.rows) == self.size && self.capable {
            if self.history && matches!(self.view, View::Raw) {
                // We were too slow. What has scrolled out is in the terminal's history already.
                self.show_anew();
                return Ok(());
            }
            self.show_raw(bytes);
        } else if let View::Drawn(drawn) = &mut self.view
            && drawn.terminal == self.size
        {
            drawn.renew(size, bytes, now);
        } else {
            Drawn::begin(&mut self.filter.touched, &mut self.pending);
            self.view = View::Drawn(Box::new(Drawn::new(self.size, size, bytes, self.depth, now)?));
        }
        Ok(())
    }

    /// Clears the terminal and replays a snapshot, as one frame.
    fn show_raw(&mut self, bytes: &[u8]) {
        self.view = View::Raw;
        self.pending.extend_from_slice(&undo(&self.filter.touched));
        self.filter.touched = Touched::default();
        self.filter.restart();
        self.pending.extend_from_slice(b"\x1b[?2026h");
        self.filter.feed(bytes, &mut self.pending);
        // A character of which the rest comes later must stay the last.
        let cut = self.pending.len() - unfinished(&self.pending);
        let rest = self.pending.split_off(cut);
        self.pending.extend_from_slice(b"\x1b[?2026l");
        self.pending.extend_from_slice(&rest);
    }

    /// Draws a frame where one is due.
    pub(super) fn draw(&mut self) -> io::Result<()> {
        let View::Drawn(drawn) = &mut self.view else { return Ok(()) };
        let now = clock::monotonic();
        if self.pending.is_empty() && drawn.due().is_some_and(|due| due <= now) {
            drawn.draw(&mut self.filter.touched, &self.titles, now, &mut self.pending)?;
            self.update_back();
        }
        Ok(())
    }
}

/// Length of the character at the end that has not ended yet.
fn unfinished(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    let Some(start) = tail.iter().rposition(|byte| *byte >= 0xc0) else { return 0 };
    let length = match tail[start] {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    };
    let has = tail.len() - start;
    if has < length { has } else { 0 }
}
