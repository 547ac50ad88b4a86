//! What the operator's terminal sends, in our words.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use crossterm::event::{self as ct, EventStream, KeyEventKind, MouseEvent};
use futures_util::StreamExt as _;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use crate::domain::key::{Key, KeyCode, Modifiers};
use crate::os::terminal::input_gone;

use super::theme::{Background, background_from_osc};

/// Most events that are taken at once, so that a flood of input cannot keep the screen from being
/// drawn.
const AT_ONCE: usize = 4_096;
/// Longest answer to a colour query; what is longer is none.
const ANSWER_LIMIT: usize = 64;

/// Something that the terminal sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Keys that arrived together.
    Keys(Vec<Key>),
    /// A bracketed paste.
    Paste(String),
    /// The mouse.
    Mouse(MouseEvent),
    /// Focus won or lost.
    Focus(bool),
    /// A new size, columns and rows.
    Resize(u16, u16),
    /// The answer to the question for the ground.
    Ground(Background),
}

/// Reads the terminal. Dropping it stops the reading at once, which must be done before the terminal
/// is given to someone else.
pub struct Reader {
    events: EventStream,
    answers: Answers,
}

impl Reader {
    /// Starts reading; `asked` says that a colour query is out.
    pub fn new(asked: bool) -> Self {
        Self { events: EventStream::new(), answers: Answers { asked, body: None } }
    }

    /// Reads again after another had the terminal; `asked` as for [`Self::new`].
    pub fn again(asked: bool) -> Self {
        let reader = Self::new(asked);
        // The end of the last stream woke the poll, which may have come too late for it: a wake-up that
        // is left would be taken for an input, and the input that comes with it for none.
        let _ = ct::poll(Duration::ZERO);
        tell_again();
        reader
    }

    /// Waits for input and takes all that is there, in order. None at the end of input.
    ///
    /// Cancel-safe: what was read is answered before the next wait.
    ///
    /// # Errors
    /// The terminal cannot be read.
    pub async fn next(&mut self) -> Option<std::io::Result<Vec<Input>>> {
        let next = poll_fn(|context| {
            // The event parser never returns from a terminal that is gone.
            if input_gone() { Poll::Ready(None) } else { self.events.poll_next_unpin(context) }
        });
        let first = match next.await? {
            Ok(event) => event,
            Err(error) => return Some(Err(error)),
        };
        let mut batch = Batch::default();
        batch.push(first, &mut self.answers);
        // Not by polling the stream: it would keep the waker of that poll and never wake us again.
        for _ in 0..AT_ONCE {
            if input_gone() {
                return None;
            }
            match ct::poll(Duration::ZERO).and_then(|more| more.then(ct::read).transpose()) {
                Ok(Some(event)) => batch.push(event, &mut self.answers),
                Ok(None) if tell_again() => {}
                Ok(None) => return Some(Ok(batch.inputs)),
                Err(error) => return Some(Err(error)),
            }
        }
        tell_again();
        Some(Ok(batch.inputs))
    }

    /// A colour query is out again.
    pub fn wait_for_answer(&mut self) {
        self.answers.asked = true;
    }

    /// The terminal did not answer in time: what looks like an answer is input again.
    pub fn stop_waiting(&mut self) {
        self.answers = Answers::default();
    }
}

/// Has the system tell of input that waits as if it came now; false where none does. It tells of each only
/// once, and the event parser may stop before it read all of it: at its buffer's end, or where something
/// else was told of at the same time.
fn tell_again() -> bool {
    let stdin = rustix::stdio::stdin();
    let mut looked = [PollFd::new(&stdin, PollFlags::IN)];
    let waits = poll(&mut looked, Some(&Timespec::default())).is_ok();
    // A terminal that is gone is always ready and has nothing to read.
    if !waits || looked[0].revents() != PollFlags::IN {
        return false;
    }
    // To set the modes wakes whoever waits for the terminal, also where they stay as they are.
    tcgetattr(stdin).is_ok_and(|modes| tcsetattr(stdin, OptionalActions::Now, &modes).is_ok())
}

/// Inputs in order, keys side by side joined.
#[derive(Debug, Default)]
struct Batch {
    inputs: Vec<Input>,
}

impl Batch {
    fn push(&mut self, event: ct::Event, answers: &mut Answers) {
        let input = match event {
            ct::Event::Key(event) => match key(&event).map(|key| answers.feed(key)) {
                Some(Fed::Key(key)) => return self.push_key(key),
                Some(Fed::Ground(background)) => Input::Ground(background),
                Some(Fed::Held) | None => return,
            },
            ct::Event::Paste(text) => Input::Paste(text),
            ct::Event::Mouse(event) => Input::Mouse(event),
            ct::Event::FocusGained => Input::Focus(true),
            ct::Event::FocusLost => Input::Focus(false),
            ct::Event::Resize(cols, rows) => Input::Resize(cols, rows),
        };
        self.inputs.push(input);
    }

    fn push_key(&mut self, key: Key) {
        match self.inputs.last_mut() {
            Some(Input::Keys(keys)) => keys.push(key),
            _ => self.inputs.push(Input::Keys(vec![key])),
        }
    }
}

/// A key press in our words; none for releases and for keys that we have no name for.
pub fn key(event: &ct::KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let mut mods = Modifiers {
        ctrl: event.modifiers.contains(ct::KeyModifiers::CONTROL),
        alt: event.modifiers.contains(ct::KeyModifiers::ALT),
        shift: event.modifiers.contains(ct::KeyModifiers::SHIFT),
        sup: event.modifiers.contains(ct::KeyModifiers::SUPER),
    };
    let code = match event.code {
        ct::KeyCode::Char(c) => KeyCode::Char(control_character(c, mods.ctrl)),
        ct::KeyCode::Enter => KeyCode::Enter,
        ct::KeyCode::Esc => KeyCode::Esc,
        ct::KeyCode::Tab => KeyCode::Tab,
        ct::KeyCode::BackTab => {
            mods.shift = true;
            KeyCode::Tab
        }
        ct::KeyCode::Backspace => KeyCode::Backspace,
        ct::KeyCode::Delete => KeyCode::Delete,
        ct::KeyCode::Insert => KeyCode::Insert,
        ct::KeyCode::Home => KeyCode::Home,
        ct::KeyCode::End => KeyCode::End,
        ct::KeyCode::PageUp => KeyCode::PageUp,
        ct::KeyCode::PageDown => KeyCode::PageDown,
        ct::KeyCode::Up => KeyCode::Up,
        ct::KeyCode::Down => KeyCode::Down,
        ct::KeyCode::Left => KeyCode::Left,
        ct::KeyCode::Right => KeyCode::Right,
        ct::KeyCode::F(number) => KeyCode::F(number),
        ct::KeyCode::Null => {
            mods.ctrl = true;
            KeyCode::Char(' ')
        }
        _ => return None,
    };
    let key = Key::new(code, mods);
    // An upper-case letter alone is the character; with Ctrl or Alt the shift says more.
    Some(if mods.ctrl || mods.alt || mods.sup { key } else { key.canonical() })
}

/// The four control characters above Z reach us as Ctrl with a digit; their usual names are these.
fn control_character(c: char, ctrl: bool) -> char {
    match c {
        '4' if ctrl => '\\',
        '5' if ctrl => ']',
        '6' if ctrl => '^',
        '7' if ctrl => '_',
        _ => c,
    }
}

/// Finds the answer to a colour query among the keys: the event parser takes `ESC ] 11;rgb:... ESC \`
/// for Alt and a bracket with letters after it.
#[derive(Debug, Default)]
struct Answers {
    asked: bool,
    /// What came since the introducer.
    body: Option<String>,
}

/// What became of a key.
#[derive(Debug, PartialEq, Eq)]
enum Fed {
    /// It is a key.
    Key(Key),
    /// It belongs to an answer that goes on, or to one that says nothing.
    Held,
    /// It ended the answer.
    Ground(Background),
}

impl Answers {
    fn feed(&mut self, key: Key) -> Fed {
        if !self.asked {
            return Fed::Key(key);
        }
        let alone = |c, mods| key == Key::new(KeyCode::Char(c), mods);
        let Some(body) = &mut self.body else {
            if alone(']', Modifiers::ALT) {
                self.body = Some(String::new());
                return Fed::Held;
            }
            return Fed::Key(key);
        };
        match key.code {
            // An escape that stands alone is followed by its backslash.
            KeyCode::Esc => return Fed::Held,
            KeyCode::Char(c) if key.mods.is_empty() && c != '\\' && body.len() < ANSWER_LIMIT => {
                body.push(c);
                return Fed::Held;
            }
            _ => {}
        }
        let answer = background_from_osc(body);
        *self = Self::default();
        answer.map_or(Fed::Held, Fed::Ground)
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyEvent, KeyEventState, KeyModifiers};
    use rstest::rstest;

    use super::*;

    fn pressed(code: ct::KeyCode, modifiers: KeyModifiers) -> ct::Event {
        ct::Event::Key(KeyEvent::new(code, modifiers))
    }

    #[rstest]
    #[case(ct::KeyCode::Char('G'), KeyModifiers::SHIFT, "G")]
    #[case(ct::KeyCode::Char('g'), KeyModifiers::SHIFT, "G")]
    #[case(ct::KeyCode::Char('5'), KeyModifiers::CONTROL, "C-]")]
    #[case(ct::KeyCode::Char(']'), KeyModifiers::CONTROL, "C-]")]
    #[case(ct::KeyCode::Char('5'), KeyModifiers::NONE, "5")]
    #[case(ct::KeyCode::BackTab, KeyModifiers::SHIFT, "S-Tab")]
    #[case(ct::KeyCode::BackTab, KeyModifiers::NONE, "S-Tab")]
    #[case(ct::KeyCode::Enter, KeyModifiers::ALT, "M-Enter")]
    #[case(ct::KeyCode::Char(' '), KeyModifiers::CONTROL, "C-Space")]
    #[case(ct::KeyCode::F(5), KeyModifiers::NONE, "F5")]
    fn keys_have_our_names(
        #[case] code: ct::KeyCode,
        #[case] modifiers: KeyModifiers,
        #[case] name: &str,
    ) {
        assert_eq!(key(&KeyEvent::new(code, modifiers)), Some(name.parse().unwrap()));
    }

    #[test]
    fn releases_and_unknown_keys_are_nothing() {
        let release = KeyEvent {
            code: ct::KeyCode::Char('a'),
            modifiers: KeyModifiers::NONE,
            kind: KeyEventKind::Release,
            state: KeyEventState::NONE,
        };
        assert_eq!(key(&release), None);
        assert_eq!(key(&KeyEvent::new(ct::KeyCode::CapsLock, KeyModifiers::NONE)), None);
    }

    /// Feeds `text` as the event parser would show it.
    fn answer(text: &str, end: &[ct::Event]) -> Vec<Input> {
        let mut batch = Batch::default();
        let mut answers = Answers { asked: true, body: None };
        batch.push(pressed(ct::KeyCode::Char('x'), KeyModifiers::NONE), &mut answers);
        batch.push(pressed(ct::KeyCode::Char(']'), KeyModifiers::ALT), &mut answers);
        for c in text.chars() {
            batch.push(pressed(ct::KeyCode::Char(c), KeyModifiers::NONE), &mut answers);
        }
        for event in end {
            batch.push(event.clone(), &mut answers);
        }
        batch.push(pressed(ct::KeyCode::Char('y'), KeyModifiers::NONE), &mut answers);
        batch.inputs
    }

    #[test]
    fn the_answer_about_the_ground_is_not_typed() {
        let keys = |name: &str| Input::Keys(vec![name.parse().unwrap()]);
        let light = [keys("x"), Input::Ground(Background::Light), keys("y")];
        let st = [pressed(ct::KeyCode::Char('\\'), KeyModifiers::ALT)];
        assert_eq!(answer("11;rgb:fdfd/f6f6/E3E3", &st), light);
        let bell = [pressed(ct::KeyCode::Char('g'), KeyModifiers::CONTROL)];
        assert_eq!(answer("11;rgb:ff/ff/ff", &bell), light);
        let split = [
            pressed(ct::KeyCode::Esc, KeyModifiers::NONE),
            pressed(ct::KeyCode::Char('\\'), KeyModifiers::NONE),
        ];
        assert_eq!(answer("11;rgb:ff/ff/ff", &split), light);
        let both = Input::Keys(vec!["x".parse().unwrap(), "y".parse().unwrap()]);
        assert_eq!(answer("11;what", &st), [both]);
    }

    #[test]
    fn keys_that_arrive_together_stay_together_and_in_order() {
        let mut batch = Batch::default();
        let mut answers = Answers::default();
        for c in ['a', 'b'] {
            batch.push(pressed(ct::KeyCode::Char(c), KeyModifiers::NONE), &mut answers);
        }
        batch.push(ct::Event::Paste("p".to_owned()), &mut answers);
        batch.push(pressed(ct::KeyCode::Char(']'), KeyModifiers::ALT), &mut answers);
        let key = |name: &str| name.parse::<Key>().unwrap();
        let expected = [
            Input::Keys(vec![key("a"), key("b")]),
            Input::Paste("p".to_owned()),
            Input::Keys(vec![key("M-]")]),
        ];
        assert_eq!(batch.inputs, expected);
    }
}
