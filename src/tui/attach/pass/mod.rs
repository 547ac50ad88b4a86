//! The loop of a pass-through: one thread that waits for the operator's terminal and for the keeper.
//! What one of them sent is written to the other before anything else is waited for.

mod output;

use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};

use crate::os::clock;
use crate::runtime::client::{Direct, Reason};
use crate::tui::attach::drawn::Drawn;
use crate::tui::attach::filter::{Filter, Titles};
use crate::tui::attach::input::{Heard, Recogniser};
use crate::tui::attach::restore::{Touched, restore, save, undo};
use crate::tui::attach::{Attach, Left, Order, Over, Return};
use crate::tui::terminal;
use crate::tui::terminal::tty::{Tty, timespec};
use crate::tui::theme::Depth;

/// Rings the terminal.
const BELL: u8 = 0x07;
/// Bytes of input that are read at a time.
const READ: usize = 64 << 10;
/// Rows of history that go into the terminal's own scrollback at the entry.
const HISTORY: usize = 500;
/// What began as a sequence of the terminal is one within this time, or it was keys.
const SEQUENCE: Duration = Duration::from_millis(10);
/// With the policy `ask`, who typed within this time is there to see what is copied.
const THERE: Duration = Duration::from_secs(5);
/// A terminal that does not take the last bytes within this time does not get them.
const LAST: Duration = Duration::from_secs(2);
/// Sizes that were asked for and not heard of yet; a keeper says nothing of one that changes nothing.
const ASKED: usize = 16;

/// What the terminal shows.
enum View {
    /// What it showed; a snapshot is on its way.
    Waiting,
    /// The agent's own bytes.
    Raw,
    /// What an engine made of them.
    Drawn(Box<Drawn>),
}

/// One pass-through.
#[expect(clippy::struct_excessive_bools, reason = "independent things that may be so")]
pub(super) struct Pass {
    what: Attach,
    depth: Depth,
    /// Whether this terminal understands what agents send.
    capable: bool,
    tty: Tty,
    keeper: Direct,
    orders: UnixStream,
    recogniser: Recogniser,
    filter: Filter,
    view: View,
    titles: Titles,
    /// For the terminal, which took the first so many bytes of it.
    pending: Vec<u8>,
    written: usize,
    /// For the agent.
    typed: Vec<u8>,
    buffer: Vec<u8>,
    size: (u16, u16),
    agent: (u16, u16),
    asked: VecDeque<(u16, u16)>,
    /// The title says that something typed was not taken.
    untaken: bool,
    /// Snapshots come with history.
    history: bool,
    /// A sequence of the terminal is over at this time.
    sequence_by: Option<Instant>,
    typed_at: Option<Instant>,
    focused: bool,
    /// What the terminal would be given back by.
    back: Touched,
    exited: bool,
}

/// What there is to do.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent things that may be ready")]
struct Ready {
    orders: bool,
    input: bool,
    gone: bool,
    keeper: bool,
}

impl Pass {
    /// Everything but the taking of the terminal.
    ///
    /// # Errors
    /// Standard output is no terminal.
    pub(super) fn new(
        what: Attach,
        depth: Depth,
        capable: bool,
        keeper: Direct,
        orders: UnixStream,
    ) -> io::Result<Self> {
        let tty = Tty::open()?;
        let size = tty.size()?;
        let titles = Titles { name: what.id.to_string(), hint: what.hint() };
        Ok(Self {
            depth,
            capable,
            keeper,
            orders,
            recogniser: Recogniser::new(&what.leaves()),
            filter: Filter::new(titles.clone()),
            view: View::Waiting,
            titles,
            pending: Vec::new(),
            written: 0,
            typed: Vec::new(),
            buffer: vec![0; READ],
            size,
            agent: size,
            asked: VecDeque::new(),
            untaken: false,
            history: true,
            sequence_by: None,
            typed_at: None,
            focused: true,
            back: Touched::default(),
            exited: false,
            tty,
            what,
        })
    }

    /// Passes through until it is left; the terminal is as before then, but for raw keys where the
    /// dashboard gets it back.
    ///
    /// # Errors
    /// The terminal fails otherwise than by going away.
    pub(super) fn run(mut self) -> io::Result<Return> {
        self.take_terminal()?;
        let left = self.work();
        self.leave_terminal();
        if self.what.over == Over::Shell {
            terminal::give_back();
        }
        Ok(Return { left: left?, focused: self.focused })
    }

    fn take_terminal(&mut self) -> io::Result<()> {
        terminal::claim(self.last_words())?;
        self.pending.extend_from_slice(&save());
        // What the shell showed is scrolled out, not written over.
        self.pending.extend_from_slice(format!("\x1b[{};1H", self.size.1).as_bytes());
        self.pending.extend(std::iter::repeat_n(b'\n', usize::from(self.size.1)));
        self.titles.set(&mut self.pending, b"");
        self.write()
    }

    /// What gives the terminal back as it was.
    fn last_words(&self) -> Vec<u8> {
        let mut out = undo(&self.filter.touched);
        match self.what.over {
            // The agent's last screen stays above the prompt.
            Over::Shell => out.extend_from_slice(format!("\x1b[{};1H\r\n", self.size.1).as_bytes()),
            Over::Dashboard => out.extend_from_slice(b"\x1b[2J"),
        }
        out.extend_from_slice(restore());
        out
    }

    fn leave_terminal(&mut self) {
        let words = self.last_words();
        self.tty.write_within(&words, LAST);
        terminal::give_back_by(Vec::new());
    }

    fn work(&mut self) -> io::Result<Left> {
        if !self.what.read_only {
            self.claim_size();
        }
        // A keeper that is gone is noticed by its silence.
        let _ = self.keeper.watch(HISTORY);
        let ahead = std::mem::take(&mut self.what.ahead);
        if let Some(left) = self.hear(&ahead) {
            return Ok(left);
        }
        loop {
            let ready = self.wait()?;
            if ready.orders
                && let Some(left) = self.obey()?
            {
                return Ok(left);
            }
            if ready.input {
                if let Some(left) = self.input() {
                    return Ok(left);
                }
            } else if ready.gone {
                return Ok(Left::Interrupted);
            }
            if self.sequence_by.is_some_and(|by| by <= clock::monotonic()) {
                self.sequence_by = None;
                self.recogniser.give_up(&mut self.typed);
                self.send(Heard { typed: true, ..Heard::default() });
            }
            let there = self.keeper.flush().is_ok() && (!ready.keeper || self.output()?);
            self.draw()?;
            self.write()?;
            if self.exited || !there {
                self.tty.write_within(&self.pending[self.written..], LAST);
                return Ok(if self.exited { Left::Ended } else { Left::Lost });
            }
        }
    }

    /// Waits for something to do.
    fn wait(&mut self) -> io::Result<Ready> {
        let now = clock::monotonic();
        let frame = match &self.view {
            View::Drawn(drawn) if self.pending.is_empty() => drawn.due(),
            _ => None,
        };
        let until = [self.sequence_by, frame].into_iter().flatten().min();
        let time = until.and_then(|until| timespec(until.saturating_duration_since(now)));
        let flag = |wanted, flag| if wanted { flag } else { PollFlags::empty() };
        let pending = !self.pending.is_empty();
        let keeper = flag(!pending, PollFlags::IN) | flag(self.keeper.waits(), PollFlags::OUT);
        let mut looked = [
            PollFd::new(&self.tty, PollFlags::IN | flag(pending, PollFlags::OUT)),
            PollFd::new(&self.orders, PollFlags::IN),
            PollFd::new(&self.keeper, keeper),
        ];
        // Who cannot be written to is not read for, nor asked whether it is there: a keeper then falls
        // back to a snapshot.
        let count = if keeper.is_empty() { 2 } else { 3 };
        match poll(&mut looked[..count], time.as_ref()) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(Ready::default()),
            Err(error) => return Err(error.into()),
        }
        let over = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        let [tty, orders, keeper] = looked.each_ref().map(PollFd::revents);
        Ok(Ready {
            orders: !orders.is_empty(),
            input: tty.contains(PollFlags::IN),
            gone: tty.intersects(over),
            keeper: !pending && keeper.intersects(PollFlags::IN | over),
        })
    }

    /// What the signals of this process say.
    fn obey(&mut self) -> io::Result<Option<Left>> {
        let mut orders = [0; 64];
        let Ok(count @ 1..) = self.orders.read(&mut orders) else {
            return Ok(Some(Left::Interrupted));
        };
        let has = |order: Order| orders[..count].contains(&(order as u8));
        if has(Order::End) {
            return Ok(Some(Left::Interrupted));
        }
        if has(Order::Stop) {
            self.stop()?;
        }
        let Ok(size) = self.tty.size() else { return Ok(Some(Left::Interrupted)) };
        if size != self.size {
            self.size = size;
            if !self.what.read_only {
                // Who typed since has the say; with the next key we have it.
                let _ = self.keeper.resize(size.0, size.1, true);
            }
            self.show_anew();
            self.update_back();
        }
        Ok(None)
    }

    /// Gives the terminal to the shell until this process is continued.
    fn stop(&mut self) -> io::Result<()> {
        self.leave_terminal();
        terminal::give_back();
        self.pending.clear();
        self.written = 0;
        self.view = View::Waiting;
        terminal::stop_group()?;
        // The stop may reach another thread first: only its end says that it is over.
        let mut looked = [PollFd::new(&self.orders, PollFlags::IN)];
        let _ = poll(&mut looked, timespec(terminal::NO_STOP).as_ref());
        self.filter.touched = Touched::default();
        self.take_terminal()?;
        self.show_anew();
        Ok(())
    }

    /// Reads the terminal and types.
    fn input(&mut self) -> Option<Left> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let left = match self.tty.read(&mut buffer) {
            Ok(0) => Some(Left::Interrupted),
            Ok(count) => self.hear(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
            Err(_) => Some(Left::Interrupted),
        };
        self.buffer = buffer;
        left
    }

    /// Types what came from the terminal.
    fn hear(&mut self, bytes: &[u8]) -> Option<Left> {
        let heard = self.recogniser.feed(bytes, &mut self.typed);
        self.send(heard);
        let waits = self.recogniser.waits();
        self.sequence_by = waits.then(|| clock::monotonic() + SEQUENCE);
        heard.leave.then_some(Left::Detached)
    }

    fn send(&mut self, heard: Heard) {
        if let Some(focus) = heard.focus {
            self.focused = focus;
        }
        if !self.what.read_only && !self.typed.is_empty() {
            if heard.typed {
                self.typed_at = Some(clock::monotonic());
                if std::mem::take(&mut self.untaken) {
                    self.name_again();
                }
                if self.agent != self.size && self.asked.is_empty() {
                    self.claim_size();
                }
            }
            // A keeper that is gone is noticed by its silence.
            if self.keeper.type_bytes(&self.typed).is_ok_and(|taken| !taken) {
                self.tell_of_loss(Reason::Full);
            }
        }
        self.typed.clear();
    }

    /// Tells the operator that the agent did not get what was typed.
    /// In its title, since all of the terminal is the agent's.
    fn tell_of_loss(&mut self, reason: Reason) {
        let id = &self.what.id;
        tracing::warn!(%id, ?reason, "what was typed was not taken");
        let text = format!("{id} did not take what was typed: {}", reason.text());
        self.titles.set(&mut self.pending, text.as_bytes());
        self.pending.push(BELL);
        self.untaken = true;
    }

    /// Gives the terminal the program's title again.
    fn name_again(&mut self) {
        match &mut self.view {
            View::Drawn(drawn) => drawn.name_again(clock::monotonic()),
            View::Raw | View::Waiting => self.filter.name_again(&mut self.pending),
        }
    }

    /// Has the agent take our size.
    fn claim_size(&mut self) {
        self.asked.push_back(self.size);
        if self.asked.len() > ASKED {
            self.asked.pop_front();
        }
        let _ = self.keeper.resize(self.size.0, self.size.1, false);
    }

    /// Has the keeper send a snapshot, which decides how it is shown.
    fn show_anew(&mut self) {
        if matches!(self.view, View::Raw) {
            self.view = View::Waiting;
        }
        self.history = false;
        let _ = self.keeper.watch(0);
    }

    /// A panic must find what there is to undo.
    fn update_back(&mut self) {
        if self.back != self.filter.touched {
            self.back = self.filter.touched;
            terminal::give_back_by(self.last_words());
        }
    }

    /// Writes to the terminal what it takes.
    fn write(&mut self) -> io::Result<()> {
        if !self.pending.is_empty() {
            self.written += self.tty.write(&self.pending[self.written..])?;
            if self.written == self.pending.len() {
                self.pending.clear();
                self.written = 0;
            }
        }
        Ok(())
    }
}
