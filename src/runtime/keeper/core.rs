//! The state of a keeper: screen, detection, facts, and who listens. Nothing here waits.

use std::collections::VecDeque;
use std::rc::{Rc, Weak};
use std::time::Duration;

use super::facts::Gate;
use super::outbox::Outbox;
use crate::domain::activity::ActivityFact;
use crate::domain::facts::{ExitFacts, Facts};
use crate::domain::hook::HookReport;
use crate::domain::text;
use crate::domain::time::Timestamp;
use crate::runtime::detect::Watch;
use crate::runtime::history::Recorder;
use crate::runtime::screen::{Screen, ScreenEvent, Size};
use crate::runtime::wire::Reason;
use crate::runtime::wire::message::{StatusReply, TextReply};

/// Most bytes that are written to the agent at a time.
const CHUNK: usize = 4_096;
/// Most bytes that wait for the agent to read them.
const INPUT_LIMIT: usize = 4 << 20;
/// An agent that dies sooner than this after its start shows its output in its facts (X5).
const AT_ONCE: Duration = Duration::from_secs(2);
/// Most lines of that output.
const OUTPUT_LINES: usize = 20;
/// Longest text answer, below the limit of a frame.
const TEXT_LIMIT: usize = 900 << 10;

/// What has to be done after a change of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// The facts are due: hand them to the store.
    Facts,
    /// Nothing.
    Nothing,
}

pub(super) struct Core {
    screen: Screen,
    watch: Watch,
    recorder: Option<Recorder>,
    facts: Facts,
    gate: Gate,
    outboxes: Vec<Weak<Outbox>>,
    /// Who typed last, or took the size to type.
    typist: Weak<Outbox>,
    input: VecDeque<u8>,
    /// When the agent was last seen at work.
    worked_at: Option<Timestamp>,
    pub(super) published: bool,
    pub(super) stopping: bool,
}

impl Core {
    pub(super) fn new(
        screen: Screen,
        watch: Watch,
        recorder: Option<Recorder>,
        facts: Facts,
    ) -> Self {
        let mut gate = Gate::default();
        gate.transition();
        Self {
            screen,
            watch,
            recorder,
            facts,
            gate,
            outboxes: Vec::new(),
            typist: Weak::new(),
            input: VecDeque::new(),
            worked_at: None,
            published: false,
            stopping: false,
        }
    }

    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    pub(super) fn exit(&self) -> Option<&ExitFacts> {
        self.facts.exit.as_ref()
    }

    pub(super) fn screen(&self) -> &Screen {
        &self.screen
    }

    pub(super) fn worked_since(&self, at: Timestamp) -> bool {
        self.facts.activity.value.is_working() || self.worked_at.is_some_and(|worked| worked >= at)
    }

    /// Takes what the agent wrote. `busy` tells whether a shell has a program in its foreground.
    pub(super) fn output(&mut self, bytes: &[u8], busy: Option<bool>, now: Timestamp) {
        // Who looks on comes first: it is an echo that is waited for.
        self.share(bytes);
        if let Some(recorder) = &mut self.recorder {
            let screen = &mut self.screen;
            recorder.output(bytes, now, || sized_snapshot(screen));
        }
        let events = self.screen.feed(bytes);
        let replies = self.screen.take_replies();
        if self.has_room(replies.len()) {
            self.input.extend(replies);
        }
        self.facts.last_sign_at = now;
        self.gate.change();
        if events.contains(&ScreenEvent::Faulted) {
            tracing::error!("the terminal engine failed and was rebuilt; the screen is lost");
            self.fall_back();
        }
        if self.watch.changed(&events, now) {
            self.observe(busy, now);
        }
    }

    /// Takes what the agent reported through a hook.
    pub(super) fn hook(&mut self, report: &HookReport, busy: Option<bool>, now: Timestamp) {
        self.facts.last_sign_at = now;
        self.gate.change();
        if self.watch.reported(report, now) {
            self.observe(busy, now);
        }
    }

    fn share(&mut self, bytes: &[u8]) {
        let mut shared: Option<Rc<[u8]>> = None;
        for outbox in self.listeners() {
            if outbox.wants_screen() && !outbox.pass(bytes) {
                outbox.put_bytes(shared.get_or_insert_with(|| bytes.into()));
            }
        }
    }

    /// The engine was rebuilt: what clients have is another screen.
    fn fall_back(&mut self) {
        for outbox in self.listeners() {
            outbox.restart();
        }
    }

    /// Clients that are connected.
    pub(super) fn listeners(&mut self) -> Vec<Rc<Outbox>> {
        self.outboxes.retain(|outbox| outbox.strong_count() > 0);
        self.outboxes.iter().filter_map(Weak::upgrade).collect()
    }

    /// This client typed. One that sees no screen has no pane whose size the agent could have.
    pub(super) fn typed_by(&mut self, outbox: &Rc<Outbox>) {
        if outbox.wants_screen() {
            self.typist = Rc::downgrade(outbox);
        }
    }

    /// Whether another one typed last, and is still there.
    pub(super) fn is_typed_by_other(&self, outbox: &Rc<Outbox>) -> bool {
        self.typist.upgrade().is_some_and(|typist| !Rc::ptr_eq(&typist, outbox))
    }

    pub(super) fn add(&mut self, outbox: &Rc<Outbox>) {
        self.outboxes.push(Rc::downgrade(outbox));
    }

    /// Changes the size; answers the one that was taken.
    pub(super) fn resize(&mut self, size: Size, now: Timestamp) -> Size {
        let size = size.clamped();
        if size == self.screen.size() {
            return size;
        }
        if let Some(recorder) = &mut self.recorder {
            let screen = &mut self.screen;
            recorder.size(size.cols, size.rows, now, || sized_snapshot(screen));
        }
        self.screen.resize(size);
        for outbox in self.listeners() {
            outbox.put_resized(size);
        }
        self.watch.changed(&[], now);
        size
    }

    pub(super) fn snapshot(&mut self, history: usize) -> (Size, Vec<u8>) {
        (self.screen.size(), self.screen.snapshot(history))
    }

    /// Whether a shell's foreground is to be looked at.
    pub(super) fn watches_foreground(&self) -> bool {
        self.watch.watches_foreground()
    }

    /// Looks at the screen now. What was recorded until then goes to the disk.
    pub(super) fn observe(&mut self, busy: Option<bool>, now: Timestamp) {
        if let Some(recorder) = &mut self.recorder {
            recorder.flush();
        }
        let title = self.screen.title();
        if self.facts.title.as_deref().unwrap_or("") != title {
            self.facts.title = Some(text::clean_line(title)).filter(|title| !title.is_empty());
            self.gate.change();
        }
        let exited = self.facts.exit.is_some();
        if let Some(verdict) = self.watch.look(&self.screen, busy, exited, now) {
            if verdict.activity.value.is_working() || self.facts.activity.value.is_working() {
                self.worked_at = Some(now);
            }
            self.facts.activity = verdict.activity;
            self.facts.question = verdict.question;
            self.gate.transition();
        }
    }

    /// Whether the screen changed since it was last looked at.
    pub(super) fn is_unseen(&self) -> bool {
        self.watch.is_unseen()
    }

    /// Whether something else is shown than is concluded, which is not believed yet.
    pub(super) fn doubts(&self) -> bool {
        self.watch.doubts()
    }

    /// When [`Self::attend`] has something to do, if ever.
    pub(super) fn due(&self) -> Option<Timestamp> {
        [self.watch.due(&self.screen), self.gate.due()].into_iter().flatten().min()
    }

    /// Does what is due.
    pub(super) fn attend(&mut self, busy: Option<bool>, now: Timestamp) -> Told {
        if self.watch.due(&self.screen).is_some_and(|due| due <= now) {
            self.observe(busy, now);
        }
        if self.gate.due().is_some_and(|due| due <= now) { self.tell(now) } else { Told::Nothing }
    }

    /// Tells the facts to those who listen.
    pub(super) fn tell(&mut self, now: Timestamp) -> Told {
        self.gate.told(now);
        self.facts.sequence += 1;
        let facts = self.facts.clone();
        for outbox in self.listeners() {
            outbox.put_facts(&facts);
        }
        Told::Facts
    }

    /// The agent's process ended (X4, X5).
    pub(super) fn exited(&mut self, code: Option<i32>, signal: Option<i32>, now: Timestamp) {
        let output = if now.since(self.facts.started_at) < AT_ONCE {
            self.last_output()
        } else {
            String::new()
        };
        self.facts.exit = Some(ExitFacts { code, signal, at: now, output });
        self.observe(None, now);
        self.facts.question = None;
        self.gate.transition();
        for outbox in self.listeners() {
            outbox.put_exit();
        }
    }

    fn last_output(&self) -> String {
        let mut lines = self.screen.scrollback(OUTPUT_LINES);
        lines.extend(self.screen.lines());
        let lines: Vec<String> = lines
            .iter()
            .map(|line| text::clean_line(line))
            .filter(|line| !line.is_empty())
            .collect();
        lines[lines.len().saturating_sub(OUTPUT_LINES)..].join("\n")
    }

    /// Takes bytes for the agent.
    ///
    /// # Errors
    /// The agent ended, or does not read.
    pub(super) fn type_bytes(&mut self, bytes: &[u8]) -> Result<(), Reason> {
        if self.facts.exit.is_some() {
            return Err(Reason::Exited);
        }
        if !self.has_room(bytes.len()) {
            return Err(Reason::Full);
        }
        self.input.extend(bytes);
        Ok(())
    }

    /// Whether so many bytes for the agent can wait beside those that do.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.input.len() + bytes <= INPUT_LIMIT
    }

    /// The next bytes for the agent, if any: whole characters (K5).
    pub(super) fn next_input(&self) -> Option<Vec<u8>> {
        let cut = whole_characters(&self.input, CHUNK);
        (cut > 0).then(|| self.input.range(..cut).copied().collect())
    }

    /// So many bytes reached the agent.
    pub(super) fn input_written(&mut self, count: usize) {
        self.input.drain(..count.min(self.input.len()));
        if self.input.is_empty() {
            self.drop_input();
        }
    }

    /// Drops what waits for the agent, and the memory that a long text took.
    pub(super) fn drop_input(&mut self) {
        self.input.clear();
        self.input.shrink_to(CHUNK);
    }

    pub(super) fn text(&self, scrollback: usize) -> TextReply {
        let size = self.screen.size();
        let cursor = self.screen.cursor();
        let mut lines = self.screen.scrollback(scrollback);
        lines.extend(self.screen.lines());
        // the oldest give way where all of it is too long for one frame; control characters and
        // quotes, which grow in JSON, are not part of cells or rare
        let mut room = TEXT_LIMIT;
        let kept = lines.iter().rev().take_while(|line| {
            let length = line.len() + line.matches(['"', '\\']).count() + 3;
            room = room.saturating_sub(length);
            room > 0
        });
        let kept = kept.count();
        lines.drain(..lines.len() - kept);
        TextReply {
            cols: size.cols,
            rows: size.rows,
            lines,
            cursor_row: cursor.row,
            cursor_col: cursor.col,
            cursor_visible: cursor.visible,
            title: self.screen.title().to_owned(),
            alternate: self.screen.alternate(),
            scrollback_lines: self.screen.scrollback_len(),
        }
    }

    pub(super) fn status(&self) -> StatusReply {
        let size = self.screen.size();
        StatusReply {
            facts: self.facts.clone(),
            cols: size.cols,
            rows: size.rows,
            published: self.published,
            witnesses: self.watch.witnesses(),
        }
    }

    /// Gives up the history file, so that its end is written.
    pub(super) fn take_recorder(&mut self) -> Option<Recorder> {
        self.recorder.take()
    }
}

fn sized_snapshot(screen: &mut Screen) -> (u16, u16, Vec<u8>) {
    let size = screen.size();
    (size.cols, size.rows, screen.snapshot(0))
}

/// Facts of a launch of which nothing was observed yet.
pub(super) fn first_facts(generation: u32, pid: u32, now: Timestamp) -> Facts {
    Facts {
        generation,
        sequence: 0,
        activity: ActivityFact::unknown(now),
        question: None,
        title: None,
        last_sign_at: now,
        keeper_pid: std::process::id(),
        pid,
        started_at: now,
        exit: None,
    }
}

/// How many of the first `limit` bytes are whole characters; all of them where they are no text.
fn whole_characters(bytes: &VecDeque<u8>, limit: usize) -> usize {
    let continues = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let most = bytes.len().min(limit);
    // A character has four bytes at most.
    let cut = (0..4).map(|back| most.saturating_sub(back)).find(|&at| !continues(at));
    cut.filter(|&at| at > 0).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K5: what is typed is cut between characters.
    #[test]
    fn a_chunk_ends_between_characters() {
        let cut = |text: &[u8], limit| whole_characters(&text.iter().copied().collect(), limit);
        let text = "aé日🙂".as_bytes();
        let cuts: Vec<usize> = (1..=10).map(|limit| cut(text, limit)).collect();
        assert_eq!(cuts, [1, 1, 3, 3, 3, 6, 6, 6, 6, 10]);
        assert_eq!(cut(text, 100), 10);
        assert_eq!(cut(&[0x80; 9], 6), 6, "no text");
        assert_eq!(cut(&[], 6), 0);
    }
}
