//! What waits to be sent to one client. Bounded: answers by not reading further requests, facts by
//! keeping the newest, terminal bytes by falling back to a snapshot.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use tokio::sync::Notify;

use super::core::Core;
use crate::domain::facts::Facts;
use crate::os::duplex::Duplex;
use crate::runtime::screen::Size;
use crate::runtime::wire::{self, Event, Outgoing};

/// Most bytes of answers that wait; beyond it no more requests are read.
const ANSWERS_LIMIT: usize = 1 << 20;
/// Most terminal bytes that wait; beyond it they are dropped for a snapshot.
const SCREEN_LIMIT: usize = 1 << 20;
/// Most bytes of one write.
const BATCH: usize = 256 << 10;

#[derive(Debug)]
enum Item {
    Bytes(Rc<[u8]>),
    Resized(Size),
}

/// A subscription to the screen.
#[derive(Debug)]
struct Feed {
    history: usize,
    snapshot_due: bool,
    items: VecDeque<Item>,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Waiting {
    /// The rest of what was written in part: nothing else may come before it.
    begun: Vec<u8>,
    answers: Vec<u8>,
    wants_facts: bool,
    facts: Option<Box<Facts>>,
    feed: Option<Feed>,
    exit_told: bool,
    /// A batch was taken and is not written yet.
    in_flight: bool,
}

/// The queue of one client.
#[derive(Debug)]
pub(super) struct Outbox {
    to: Rc<Duplex>,
    waiting: RefCell<Waiting>,
    filled: Notify,
    emptied: Notify,
}

impl Outbox {
    /// A queue before this connection.
    pub(super) fn new(to: Rc<Duplex>) -> Self {
        let (filled, emptied) = (Notify::new(), Notify::new());
        Self { to, waiting: RefCell::default(), filled, emptied }
    }

    /// Queues an answer or an event of its own.
    pub(super) fn put(&self, message: &Outgoing) {
        wire::put_control(&mut self.waiting.borrow_mut().answers, message);
        self.filled.notify_one();
    }

    /// Subscribes to facts, beginning with these.
    pub(super) fn subscribe_facts(&self, now: &Facts) {
        self.waiting.borrow_mut().wants_facts = true;
        self.put_facts(now);
    }

    /// Subscribes to the screen, beginning with a snapshot.
    pub(super) fn subscribe_screen(&self, history: usize) {
        let feed = Feed { history, snapshot_due: true, items: VecDeque::new(), bytes: 0 };
        self.waiting.borrow_mut().feed = Some(feed);
        self.filled.notify_one();
    }

    /// The facts changed.
    pub(super) fn put_facts(&self, facts: &Facts) {
        let mut waiting = self.waiting.borrow_mut();
        if waiting.wants_facts {
            waiting.facts = Some(Box::new(facts.clone()));
            self.filled.notify_one();
        }
    }

    /// Whether terminal bytes are wanted.
    pub(super) fn wants_screen(&self) -> bool {
        self.waiting.borrow().feed.is_some()
    }

    /// Writes terminal bytes at once, as far as the client takes them; false where they have to wait their
    /// turn.
    pub(super) fn pass(&self, bytes: &[u8]) -> bool {
        if !self.is_empty() {
            return false;
        }
        let mut frame = Vec::new();
        wire::put_bytes(&mut frame, bytes);
        // A client that is gone is noticed by who reads from it.
        let Ok(written) = self.to.write_now(&frame) else { return false };
        if written < frame.len() {
            self.waiting.borrow_mut().begun = frame.split_off(written);
            self.filled.notify_one();
        }
        true
    }

    /// Queues terminal bytes.
    pub(super) fn put_bytes(&self, bytes: &Rc<[u8]>) {
        self.put_item(Item::Bytes(Rc::clone(bytes)), bytes.len());
    }

    /// Queues a change of size.
    pub(super) fn put_resized(&self, size: Size) {
        // counted, so that a storm of them is bounded too
        self.put_item(Item::Resized(size), 64);
    }

    fn put_item(&self, item: Item, bytes: usize) {
        if let Some(feed) = &mut self.waiting.borrow_mut().feed {
            if feed.snapshot_due {
                return;
            }
            feed.bytes += bytes;
            if feed.bytes > SCREEN_LIMIT {
                feed.fall_back();
            } else {
                feed.items.push_back(item);
            }
            self.filled.notify_one();
        }
    }

    /// Drops what waits of the screen for a snapshot.
    pub(super) fn restart(&self) {
        if let Some(feed) = &mut self.waiting.borrow_mut().feed {
            feed.fall_back();
            self.filled.notify_one();
        }
    }

    /// The agent ended: subscribers are told once they have the rest.
    pub(super) fn put_exit(&self) {
        self.filled.notify_one();
    }

    /// Whether this client has no subscription, or was told of the agent's end.
    pub(super) fn knows_exit(&self) -> bool {
        let waiting = self.waiting.borrow();
        waiting.exit_told || (waiting.feed.is_none() && !waiting.wants_facts)
    }

    /// Whether this client has a subscription.
    pub(super) fn is_subscribed(&self) -> bool {
        let waiting = self.waiting.borrow();
        waiting.feed.is_some() || waiting.wants_facts
    }

    /// Waits until everything was written.
    pub(super) async fn flushed(&self) {
        while !self.is_empty() {
            self.emptied.notified().await;
        }
    }

    fn is_empty(&self) -> bool {
        let waiting = self.waiting.borrow();
        let feed = waiting.feed.as_ref();
        waiting.begun.is_empty()
            && waiting.answers.is_empty()
            && waiting.facts.is_none()
            && !waiting.in_flight
            && feed.is_none_or(|feed| feed.items.is_empty() && !feed.snapshot_due)
    }

    /// Waits until another request may be taken.
    pub(super) async fn has_room(&self) {
        while self.waiting.borrow().answers.len() > ANSWERS_LIMIT {
            self.emptied.notified().await;
        }
    }

    /// Waits for something to send and gives it in the form it is sent in.
    pub(super) async fn next(&self, core: &RefCell<Core>) -> Vec<u8> {
        loop {
            let batch = self.batch(&mut core.borrow_mut());
            self.waiting.borrow_mut().in_flight = !batch.is_empty();
            // whatever was written before is gone now
            self.emptied.notify_waiters();
            if !batch.is_empty() {
                return batch;
            }
            self.filled.notified().await;
        }
    }

    fn batch(&self, core: &mut Core) -> Vec<u8> {
        let mut waiting = self.waiting.borrow_mut();
        let mut out = std::mem::take(&mut waiting.begun);
        out.append(&mut waiting.answers);
        if let Some(facts) = waiting.facts.take() {
            wire::put_control(&mut out, &Outgoing::Event(Event::Facts(facts)));
        }
        let fed = waiting.feed.as_mut().is_none_or(|feed| feed.write(core, &mut out));
        let listens = waiting.feed.is_some() || waiting.wants_facts;
        if fed
            && listens
            && !waiting.exit_told
            && let Some(exit) = core.exit()
        {
            wire::put_control(&mut out, &Outgoing::Event(Event::Exit(Box::new(exit.clone()))));
            waiting.exit_told = true;
        }
        out
    }
}

impl Feed {
    fn fall_back(&mut self) {
        self.items.clear();
        self.bytes = 0;
        self.snapshot_due = true;
    }

    /// Appends what fits into one batch; true once nothing is left.
    fn write(&mut self, core: &mut Core, out: &mut Vec<u8>) -> bool {
        if self.snapshot_due {
            self.snapshot_due = false;
            let (size, snapshot) = core.snapshot(self.history);
            let (cols, rows, bytes) = (size.cols, size.rows, snapshot.len());
            wire::put_control(out, &Outgoing::Event(Event::Snapshot { cols, rows, bytes }));
            wire::put_bytes(out, &snapshot);
            return true;
        }
        let mut run = Vec::new();
        while run.len() < BATCH {
            match self.items.pop_front() {
                Some(Item::Bytes(bytes)) => {
                    self.bytes -= bytes.len();
                    run.extend_from_slice(&bytes);
                }
                Some(Item::Resized(size)) => {
                    self.bytes -= 64;
                    wire::put_bytes(out, &std::mem::take(&mut run));
                    let (cols, rows) = (size.cols, size.rows);
                    wire::put_control(out, &Outgoing::Event(Event::Resized { cols, rows }));
                }
                None => break,
            }
        }
        wire::put_bytes(out, &run);
        self.items.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::net::UnixStream;

    use super::*;
    use crate::runtime::wire::{Decoder, Frame};

    /// Wire protocol: what is passed on at once, what has to wait, and what was written in part arrive
    /// whole and in order.
    #[tokio::test]
    async fn bytes_are_passed_on_at_once_while_nothing_waits() {
        let (own, mut other) = UnixStream::pair().unwrap();
        let outbox = Outbox::new(Rc::new(Duplex::new(own.into()).unwrap()));
        let feed = Feed { history: 0, snapshot_due: false, items: VecDeque::new(), bytes: 0 };
        outbox.waiting.borrow_mut().feed = Some(feed);
        let mut decoder = Decoder::default();
        let mut read = |expected: usize| {
            let mut buffer = vec![0; expected];
            other.read_exact(&mut buffer).unwrap();
            decoder.push(&buffer);
            let frames = std::iter::from_fn(|| decoder.next_frame().unwrap());
            frames.collect::<Vec<Frame>>()
        };
        assert!(outbox.pass(b"a"));
        assert_eq!(read(6), [Frame::Bytes(b"a".to_vec())]);

        outbox.put(&Outgoing::Event(Event::Snapshot { cols: 1, rows: 1, bytes: 0 }));
        assert!(!outbox.pass(b"b"), "an answer waits");
        outbox.waiting.borrow_mut().answers.clear();

        let piece = vec![b'c'; 100_000];
        let whole =
            std::iter::repeat_with(|| outbox.pass(&piece)).take_while(|taken| *taken).count();
        let rest = std::mem::take(&mut outbox.waiting.borrow_mut().begun);
        assert!(!rest.is_empty() && rest.len() < piece.len());
        let frames = read(whole * (piece.len() + 5) - rest.len());
        assert_eq!(frames.len(), whole - 1);
        decoder.push(&rest);
        assert_eq!(decoder.next_frame().unwrap(), Some(Frame::Bytes(piece)));
    }
}
