//! What runs in the terminals that are compared.

use std::fmt::Write as _;
use std::io::{Read, Write};

use rustix::termios::{self, OptionalActions};

/// Drawn once the agent reads.
pub(crate) const READY: &str = "READY";
/// Asks for a flood; no key of the echo.
pub(crate) const FLOOD: &[u8] = b"G";
/// Drawn when a flood is over.
pub(crate) const OVER: &[u8] = b"[flood-over]";

/// Draws each byte in the same cell; floods on request.
pub(crate) fn echo(flood: usize) {
    let mut input = std::io::stdin();
    let mut modes = termios::tcgetattr(&input).unwrap();
    modes.make_raw();
    termios::tcsetattr(&input, OptionalActions::Now, &modes).unwrap();
    let mut out = std::io::stdout();
    let lines = lines();
    out.write_all(format!("{READY}\r\n").as_bytes()).unwrap();
    out.flush().unwrap();
    let mut buffer = [0; 256];
    while let Ok(read @ 1..) = input.read(&mut buffer) {
        for &byte in &buffer[..read] {
            if [byte] == FLOOD {
                let mut left = flood;
                while left > 0 {
                    let part = &lines[..lines.len().min(left)];
                    out.write_all(part).unwrap();
                    left -= part.len();
                }
                out.write_all(b"\x1b[m\r\n").unwrap();
                out.write_all(OVER).unwrap();
                out.write_all(b"\r\n").unwrap();
            } else {
                out.write_all(&[byte, 8]).unwrap();
            }
            out.flush().unwrap();
        }
    }
}

/// Fills a screen and its history, then does nothing.
pub(crate) fn still(rows: usize) {
    let mut out = std::io::stdout();
    for row in 0..rows {
        let text = format!("{row:06} {}", "the quick brown fox jumps over it ".repeat(4));
        out.write_all(&text.as_bytes()[..118]).unwrap();
        out.write_all(b"\r\n").unwrap();
    }
    out.write_all(READY.as_bytes()).unwrap();
    out.flush().unwrap();
    let mut rest = [0; 64];
    while let Ok(1..) = std::io::stdin().read(&mut rest) {}
}

/// Coloured lines of a build, about 1 MiB.
fn lines() -> Vec<u8> {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < 1 << 20 {
        number += 1;
        let colour = 31 + number % 7;
        let _written = write!(
            text,
            "\x1b[{colour}m   Compiling\x1b[m part-{number} v0.{number}.0 \x1b[2m(src/part/{number}/mod.rs)\x1b[m \x1b[38;5;{}mok\x1b[0m\r\n",
            number % 256
        );
    }
    text.into_bytes()
}
