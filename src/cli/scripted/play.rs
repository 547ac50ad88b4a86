//! Playing the steps of a script.

use std::io;
use std::ops::ControlFlow;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::domain::text::{cut, fit, width};

use super::script::{Asks, Report, Step, Survive};
use super::terminal::{Key, Terminal, report, write};

/// Inner width of a question's box.
const BOX: usize = 56;
/// How often a flood writes.
const FLOOD_EVERY: Duration = Duration::from_millis(10);

/// Plays `steps` to their end; answers the exit code.
pub(crate) fn play(greeting: &[String], steps: &[Step]) -> io::Result<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let _entered = runtime.enter();
    let mut player = Player { terminal: Terminal::new()?, survived: Vec::new() };
    for greeting in greeting {
        write(&format!("{greeting}\n"))?;
    }
    Ok(match player.all(steps)? {
        ControlFlow::Break(code) => code,
        ControlFlow::Continue(()) => 0,
    })
}

/// Goes on, or ends with an exit code.
type Flow = io::Result<ControlFlow<u8>>;

struct Player {
    terminal: Terminal,
    /// Signals that have a handler now and end nothing any more.
    survived: Vec<Signal>,
}

impl Player {
    fn all(&mut self, steps: &[Step]) -> Flow {
        for step in steps {
            if let ControlFlow::Break(code) = self.step(step)? {
                return Ok(ControlFlow::Break(code));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn step(&mut self, step: &Step) -> Flow {
        match step {
            Step::Print(text) => write(&format!("{text}\n"))?,
            Step::Title(text) => write(&format!("\x1b]2;{text}\x07"))?,
            Step::Status { report: state, asks, text } => report(*state, *asks, text.as_deref())?,
            Step::Work(time) => {
                report(Report::Working, None, None)?;
                sleep(*time);
            }
            Step::Sleep(time) => sleep(*time),
            Step::Ask { asks, text, options } => return self.ask(*asks, text, options),
            Step::Prompt => return self.prompt(),
            Step::Loop(times, body) => return self.repeat(*times, body),
            Step::Exit(code) => return Ok(ControlFlow::Break(*code)),
            Step::Ignore(which) => self.survived.push(signal(kind(*which))?),
            Step::Fork(time) => fork(*time)?,
            Step::Detach => {
                rustix::process::setsid()?;
            }
            Step::Wait => {
                if self.terminal.key()?.is_none() {
                    return Ok(ControlFlow::Break(0));
                }
            }
            Step::Write { path, text } => {
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder)?;
                }
                let text = text.as_ref().map(|text| format!("{text}\n")).unwrap_or_default();
                std::fs::write(path, text)?;
            }
            Step::Rate(bytes) => flood(*bytes)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    fn repeat(&mut self, times: Option<u32>, body: &[Step]) -> Flow {
        let mut left = times;
        while left != Some(0) {
            if let ControlFlow::Break(code) = self.all(body)? {
                return Ok(ControlFlow::Break(code));
            }
            left = left.map(|left| left - 1);
        }
        Ok(ControlFlow::Continue(()))
    }

    fn prompt(&mut self) -> Flow {
        report(Report::Idle, None, None)?;
        write("> ")?;
        let mut line = String::new();
        loop {
            match self.terminal.key()? {
                None => return Ok(ControlFlow::Break(0)),
                Some(Key::Enter) => break,
                Some(Key::Text(text) | Key::Paste(text)) => {
                    write(&text)?;
                    line.push_str(&text);
                }
                Some(Key::Backspace) => {
                    let last = line.pop().map(String::from).unwrap_or_default();
                    write(&"\u{8} \u{8}".repeat(width(&last)))?;
                }
                Some(_) => {}
            }
        }
        write("\n")?;
        report(Report::Working, None, None)?;
        write(&format!("You said: {line}\n"))?;
        Ok(ControlFlow::Continue(()))
    }

    fn ask(&mut self, asks: Asks, text: &str, options: &[String]) -> Flow {
        let height = options.len() + 3;
        let mut chosen = 0;
        // Drawn before it is reported, so that whoever hears the report can read the options.
        write(&question(asks, text, options, chosen))?;
        report(Report::Blocked, Some(asks), Some(text))?;
        let answer = loop {
            match self.terminal.key()? {
                None => return Ok(ControlFlow::Break(0)),
                Some(Key::Enter) => break options.get(chosen),
                Some(Key::Escape) => break None,
                Some(Key::Up) => chosen = chosen.saturating_sub(1),
                Some(Key::Down) => chosen = (chosen + 1).min(options.len() - 1),
                Some(Key::Text(key)) => {
                    if let Some(option) = by_key(&key, options) {
                        break Some(option);
                    }
                }
                Some(_) => {}
            }
            write(&format!("\x1b[{height}A{}", question(asks, text, options, chosen)))?;
        };
        let answer = answer.map_or("cancelled", String::as_str);
        write(&format!("\x1b[{height}A\x1b[JAnswer: {answer}\n"))?;
        report(Report::Working, None, None)?;
        Ok(ControlFlow::Continue(()))
    }
}

/// The option that a key chooses: its number, or `y` and `n` by the first letter.
fn by_key<'a>(key: &str, options: &'a [String]) -> Option<&'a String> {
    if let Ok(number) = key.parse::<usize>() {
        return options.get(number.checked_sub(1)?);
    }
    let key = key.to_lowercase();
    let letter = matches!(key.as_str(), "y" | "n").then_some(key)?;
    options.iter().find(|option| option.to_lowercase().starts_with(&letter))
}

/// The box of a question.
fn question(asks: Asks, text: &str, options: &[String], chosen: usize) -> String {
    let line = |text: &str| format!("│ {} │\n", fit(text, BOX, "…"));
    let edge = "─".repeat(BOX + 2);
    let kind = format!("─ {} ", asks.word());
    let rest = "─".repeat(BOX + 2 - width(&kind));
    let rows: String = options
        .iter()
        .enumerate()
        .map(|(at, option)| {
            let mark = if at == chosen { '❯' } else { ' ' };
            line(&format!("{mark} {}. {option}", at + 1))
        })
        .collect();
    format!("╭{kind}{rest}╮\n{}{rows}╰{edge}╯\n", line(&cut(text, BOX, "…")))
}

fn kind(which: Survive) -> SignalKind {
    match which {
        Survive::Term => SignalKind::terminate(),
        Survive::Hup => SignalKind::hangup(),
        Survive::Int => SignalKind::interrupt(),
    }
}

/// Leaves a sleeping process behind, in a session of its own.
fn fork(time: Duration) -> io::Result<()> {
    let script = format!("detach;sleep {}", time.as_secs_f64());
    Command::new(std::env::current_exe()?)
        .args(["scripted", "-e", &script])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(drop)
}

/// Prints coloured lines for ever, `rate` bytes a second.
fn flood(rate: u64) -> io::Result<()> {
    let line = |n| format!("\x1b[3{}mline {n:02} of a long listing\x1b[0m of words\n", n % 8);
    let text: String = (0..64).map(line).collect();
    let each = (rate * FLOOD_EVERY.as_millis() as u64 / 1_000).max(1) as usize;
    let chunk: String = text.chars().cycle().take(each).collect();
    loop {
        write(&chunk)?;
        sleep(FLOOD_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_drawn_as_a_box() {
        let options = vec!["Yes".to_owned(), "No".to_owned()];
        let drawn = question(Asks::Permission, "Run tests?", &options, 1);
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines.len(), options.len() + 3);
        assert!(lines.iter().all(|line| width(line) == BOX + 4), "{drawn}");
        assert!(lines[2].contains("  1. Yes") && lines[3].contains("❯ 2. No"), "{drawn}");
    }

    #[test]
    fn keys_choose_options() {
        let options = vec!["Yes".to_owned(), "Yes, always".to_owned(), "No".to_owned()];
        assert_eq!(by_key("2", &options), options.get(1));
        assert_eq!(by_key("y", &options), options.first());
        assert_eq!(by_key("N", &options), options.get(2));
        assert_eq!(by_key("9", &options), None);
        assert_eq!(by_key("0", &options), None);
    }
}
