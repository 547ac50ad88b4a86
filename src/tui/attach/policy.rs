//! Which control sequences of an agent reach the operator's terminal. Everything that is known and
//! can be undone does; queries do not, since the keeper's engine answers them (`spec/runtime.md`,
//! Attach), nor does what prints, resizes the window, or reaches beyond the screen.

use super::restore::{ALTERNATE, KEYBOARD_DEPTH, MODES, SAVE_CURSOR, Touched};
use crate::tui::app::reading::may_open;

/// What becomes of a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is passed on as it is.
    Pass,
    /// It is left out.
    Drop,
    /// This takes its place.
    Instead(Vec<u8>),
    /// Full reset: everything is undone and the screen cleared.
    Reset,
}

use Verdict::{Drop, Instead, Pass};

/// The parts of `CSI prefix parameters intermediates final`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Csi<'a> {
    prefix: u8,
    parameters: &'a [u8],
    intermediates: &'a [u8],
    last: u8,
}

impl<'a> Csi<'a> {
    /// Takes the bytes between introducer and end apart; none where they are no sequence.
    pub(super) fn parse(body: &'a [u8]) -> Option<Self> {
        let (last, body) = body.split_last()?;
        let (prefix, body) = match body.split_first() {
            Some((prefix @ b'<'..=b'?', rest)) => (*prefix, rest),
            _ => (0, body),
        };
        let cut = body.iter().position(|byte| !(b'0'..=b';').contains(byte));
        let (parameters, intermediates) = body.split_at(cut.unwrap_or(body.len()));
        intermediates.iter().all(|byte| (b' '..=b'/').contains(byte)).then_some(Self {
            prefix,
            parameters,
            intermediates,
            last: *last,
        })
    }

    /// The parameter at this place; 0 where it is missing.
    fn number(&self, at: usize) -> u16 {
        self.numbers().nth(at).unwrap_or(0)
    }

    fn numbers(&self) -> impl Iterator<Item = u16> + 'a {
        self.parameters.split(|byte| *byte == b';').map(|number| {
            number.iter().take_while(|byte| byte.is_ascii_digit()).fold(0_u16, |sum, digit| {
                sum.saturating_mul(10).saturating_add(u16::from(digit - b'0'))
            })
        })
    }
}

/// A control sequence.
pub(super) fn csi(csi: Csi<'_>, touched: &mut Touched) -> Verdict {
    let alone = csi.parameters.is_empty();
    let verdict = |passes: bool| if passes { Pass } else { Drop };
    match (csi.prefix, csi.intermediates, csi.last) {
        // Not what has scrolled out: it is the operator's.
        (0 | b'?', b"", b'J') => verdict(csi.number(0) < 3),
        (0, b"", b'g') => {
            touched.tabs = true;
            Pass
        }
        (0, b"", b'h' | b'l') => verdict(csi.numbers().all(|mode| mode == 4 || mode == 20)),
        // With more numbers it starts mouse tracking that waits for the program.
        (0, b"", b'T') => verdict(csi.numbers().count() < 2),
        (0, b"", b's') => verdict(alone),
        (
            0,
            b"",
            b'@'
            | b'A'..=b'I'
            | b'K'..=b'M'
            | b'P'
            | b'S'
            | b'X'
            | b'Z'
            | b'`'..=b'b'
            | b'd'..=b'f'
            | b'm'
            | b'r'
            | b'u',
        )
        | (b'?', b"", b'K')
        | (0, b" ", b'@' | b'A' | b'q')
        | (0, b"!", b'p')
        | (0, b"\"", b'q')
        | (0, b"'", b'}' | b'~')
        | (b'=', b"", b'u') => Pass,
        (b'?', b"", b'h' | b'l') => modes(csi, touched),
        (b'?', b"", b'W') => {
            touched.tabs = true;
            verdict(csi.number(0) == 5)
        }
        (b'>', b"", b'm' | b'n') if csi.number(0) == 4 => {
            touched.other_keys = true;
            Pass
        }
        (b'>', b"", b'u') => push(csi.number(0), touched),
        (b'<', b"", b'u') => pop(csi.number(0).max(1), touched),
        _ => Drop,
    }
}

/// Lets those modes through that can be undone.
fn modes(csi: Csi<'_>, touched: &mut Touched) -> Verdict {
    let known = |mode: &u16| {
        ALTERNATE.contains(mode)
            || *mode == SAVE_CURSOR
            || MODES.iter().any(|(known, _)| known == mode)
    };
    let passed: Vec<u16> = csi.numbers().filter(known).collect();
    if passed.iter().any(|mode| ALTERNATE.contains(mode)) {
        touched.alternate = csi.last == b'h';
    }
    if passed.len() == csi.numbers().count() {
        return Pass;
    }
    if passed.is_empty() {
        return Drop;
    }
    let numbers: Vec<String> = passed.iter().map(u16::to_string).collect();
    Instead(format!("\x1b[?{}{}", numbers.join(";"), char::from(csi.last)).into_bytes())
}

fn push(flags: u16, touched: &mut Touched) -> Verdict {
    let depth = &mut touched.keyboards[usize::from(touched.alternate)];
    if *depth == KEYBOARD_DEPTH {
        // The terminal would drop the oldest entry, which is not the agent's.
        return Instead(format!("\x1b[={flags}u").into_bytes());
    }
    *depth += 1;
    Pass
}

/// Takes no more off the stack than the agent put there.
fn pop(count: u16, touched: &mut Touched) -> Verdict {
    let depth = &mut touched.keyboards[usize::from(touched.alternate)];
    let left = u16::from(*depth);
    if count <= left {
        *depth -= count as u8;
        return Pass;
    }
    *depth = 0;
    let pops = if left > 0 { format!("\x1b[<{left}u") } else { String::new() };
    Instead(format!("{pops}\x1b[=0u").into_bytes())
}

/// An escape sequence without the escape.
pub(super) fn escape(body: &[u8], touched: &mut Touched) -> Verdict {
    match body {
        b"c" => Verdict::Reset,
        b"H" => {
            touched.tabs = true;
            Pass
        }
        [b'(' | b')' | b'*' | b'+', b'0' | b'A' | b'B']
        | b"#8"
        | [
            b'7' | b'8' | b'=' | b'>' | b'D' | b'E' | b'M' | b'N' | b'O' | b'n' | b'o' | b'|'
            | b'}' | b'~',
        ] => Pass,
        _ => Drop,
    }
}

/// What an operating system command is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Osc<'a> {
    /// Passed or dropped as it is.
    As(Verdict),
    /// A title.
    Title(&'a [u8]),
    /// A text for the clipboard.
    Clipboard,
}

/// An operating system command.
pub(super) fn osc<'a>(payload: &'a [u8], touched: &mut Touched) -> Osc<'a> {
    let cut = payload.iter().position(|byte| *byte == b';');
    let (number, rest) = cut.map_or((payload, &b""[..]), |at| (&payload[..at], &payload[at + 1..]));
    let asks = || rest.split(|byte| *byte == b';').any(|part| part == b"?");
    let pass = Osc::As(Pass);
    match number {
        b"0" | b"2" => Osc::Title(rest),
        b"4" if !asks() => {
            touched.palette = true;
            pass
        }
        b"10" | b"11" | b"12" if !asks() => {
            // Those that follow are for the next colours.
            let first = usize::from(number[1] - b'0');
            let count = rest.split(|byte| *byte == b';').count();
            if first + count > 3 {
                return Osc::As(Drop);
            }
            touched.defaults[first..first + count].fill(true);
            pass
        }
        b"8" if !is_link(rest) => Osc::As(Instead(b"\x1b]8;;\x1b\\".to_vec())),
        b"104" | b"110" | b"111" | b"112" | b"8" | b"133" | b"777" => pass,
        b"9" if rest.starts_with(b"4;") => {
            touched.progress = !rest.starts_with(b"4;0");
            pass
        }
        b"9" if !is_command(rest) => pass,
        b"50" if rest.starts_with(b"CursorShape=") => pass,
        b"52" if !rest.ends_with(b";?") => Osc::Clipboard,
        b"99" if !rest.windows(3).any(|part| part == b"p=?") => pass,
        _ => Osc::As(Drop),
    }
}

/// Whether the terminal may open the target of a hyperlink; the end of one has none.
fn is_link(rest: &[u8]) -> bool {
    let target = rest.iter().position(|byte| *byte == b';').map_or(rest, |at| &rest[at + 1..]);
    target.is_empty() || str::from_utf8(target).is_ok_and(may_open)
}

/// Whether this is a command of `ConEmu`, a number before its arguments, and no text of a notification.
fn is_command(rest: &[u8]) -> bool {
    let number = rest.split(|byte| *byte == b';').next().unwrap_or_default();
    number.len() < rest.len() && number.len() <= 2 && number.iter().all(u8::is_ascii_digit)
}
