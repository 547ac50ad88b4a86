//! The same question on screens of any width (`spec/lifecycle.md` K6): dialogs laid out as their programs do.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::domain::text::width;
use crate::runtime::detect::{Played, replay};
use crate::runtime::screen::Size;

/// What is asked, and how it is drawn at one moment.
#[derive(Debug, Clone)]
struct Asked {
    command: String,
    /// An option with something long in it.
    always: String,
    cols: u16,
    selected: usize,
    tick: usize,
}

/// Lines of at most `cells`, broken where a word ends; all but the first begin with `hang`.
fn wrapped(text: &str, first: &str, hang: &str, cells: usize) -> Vec<String> {
    let mut lines = vec![first.to_owned()];
    for word in text.split(' ') {
        let line = lines.last_mut().unwrap();
        let begun = line.trim_start_matches([' ', '│', '❯', '›', '●', '┃']);
        let gap = if begun.is_empty() || line == first || line == hang { "" } else { " " };
        if width(line) + gap.len() + width(word) > cells && line != first {
            lines.push(format!("{hang}{word}"));
        } else {
            line.extend([gap, word]);
        }
    }
    lines
}

/// Lines in a box.
fn boxed(lines: &[String], cols: usize) -> Vec<String> {
    let bar = "─".repeat(cols - 2);
    let line = |line: &String| format!("│ {line:<inner$} │", inner = cols - 4);
    let inner = lines.iter().map(line);
    [format!("╭{bar}╮")].into_iter().chain(inner).chain([format!("╰{bar}╯")]).collect()
}

impl Asked {
    fn cols(&self) -> usize {
        usize::from(self.cols)
    }

    /// Options with their numbers; the mark is at the selected one.
    fn options(&self, mark: char, margin: &str, texts: &[&str], cells: usize) -> Vec<String> {
        let each = texts.iter().enumerate().flat_map(|(at, text)| {
            let mark = if at == self.selected % texts.len() { mark } else { ' ' };
            let (first, hang) = (format!("{margin}{mark} {}. ", at + 1), format!("{margin}     "));
            wrapped(text, &first, &hang, cells)
        });
        each.collect()
    }

    fn claude(&self) -> Vec<String> {
        let cols = self.cols();
        let (rule, dashes) = ("─".repeat(cols), "╌".repeat(cols));
        let mut lines = vec![rule, " Bash command".to_owned(), " Run a command".to_owned()];
        lines.push(dashes.clone());
        let command = wrapped(&self.command, " ", " ", cols - 2);
        let several = command.len() > 1;
        lines.extend(
            command.iter().map(|line| if several { format!(" │{line}") } else { line.clone() }),
        );
        lines.extend([dashes, " Do you want to proceed?".to_owned()]);
        let options = ["Yes", &self.always, "No"];
        lines.extend(self.options('❯', " ", &options, cols - 2));
        lines.extend([String::new(), " Esc to cancel · Tab to amend".to_owned()]);
        lines
    }

    fn codex(&self) -> Vec<String> {
        let cols = self.cols();
        let mut lines = vec!["  Would you like to run the following command?".to_owned()];
        lines.extend([
            String::new(),
            "  Reason: Shall this command run?".to_owned(),
            String::new(),
        ]);
        lines.extend(wrapped(&self.command, "  $ ", "  ", cols - 1));
        lines.extend([String::new(), String::new()]);
        let no = "No, and tell Codex what to do differently (esc)";
        let options = ["Yes, proceed (y)", &self.always, no];
        lines.extend(self.options('›', "", &options, cols - 1));
        lines.extend([String::new(), "  Press enter to confirm or esc to cancel".to_owned()]);
        lines
    }

    fn gemini(&self) -> Vec<String> {
        let cols = self.cols();
        let mut lines = vec![format!("? Shell {}", &self.command[..20])];
        lines.extend(boxed(&wrapped(&self.command, "", "", cols - 8), cols - 4));
        lines.extend(["Allow execution of [Shell]?".to_owned(), String::new()]);
        let options = ["Allow once", &self.always, "No, suggest changes (esc)"];
        lines.extend(self.options('●', "", &options, cols - 4));
        boxed(&lines, cols)
    }

    fn copilot(&self) -> Vec<String> {
        let cols = self.cols();
        let mut lines = vec!["Run a command".to_owned()];
        lines.extend(boxed(&wrapped(&self.command, "", "", cols - 8), cols - 4));
        lines.extend([String::new(), "Do you want to run this command?".to_owned(), String::new()]);
        let no = "No, and tell Copilot what to do differently (Esc to stop)";
        lines.extend(self.options('❯', "", &["Yes", &self.always, no], cols - 4));
        lines.extend([
            String::new(),
            "↑/↓ to navigate · enter to select · esc to cancel".to_owned(),
        ]);
        boxed(&lines, cols)
    }

    fn opencode(&self) -> Vec<String> {
        let side = |line: &str| format!("  ┃  {line}");
        let mut lines = vec![side(""), side("△ Permission required"), side("  # Shell command")];
        lines.push(side(""));
        lines.extend(wrapped(&self.command, "  ┃  $ ", "  ┃  ", self.cols() - 6));
        lines.extend([side(""), side(" Allow once   Allow always   Reject"), side("")]);
        lines
    }

    fn qwen(&self) -> Vec<String> {
        let cols = self.cols();
        let mut lines = vec![format!("  ? Shell {} ←", &self.command[..20]), String::new()];
        lines.extend(wrapped(&self.command, "     ", "     ", cols - 2));
        lines.extend([String::new(), "   Allow execution of: 'touch'?".to_owned()]);
        let options = ["Yes, allow once", &self.always, "No, suggest changes (esc)"];
        lines.extend(self.options('›', "   ", &options, cols - 2));
        let glyph = ["⠋", "⠙", "⠹"][self.tick % 3];
        lines.extend([String::new(), format!("  {glyph} Waiting for user confirmation...")]);
        lines
    }

    fn kimi(&self) -> Vec<String> {
        let cols = self.cols();
        let mut lines = vec!["─".repeat(cols), "   ▶ Run this command?".to_owned()];
        lines.push("   cwd: /srv/w/demo".to_owned());
        lines.extend(wrapped(&self.command, "   $ ", "   ", cols - 2));
        let options = ["Approve once", &self.always, "Reject"];
        lines.extend(self.options('▶', "   ", &options, cols - 2));
        lines.extend([String::new(), "   ↑/↓ select · 1/2/3 choose · ↵ confirm".to_owned()]);
        lines
    }

    fn drawn(&self, agent: &str) -> Vec<String> {
        match agent {
            "claude" => self.claude(),
            "codex" => self.codex(),
            "copilot" => self.copilot(),
            "gemini" => self.gemini(),
            "kimi" => self.kimi(),
            "opencode" => self.opencode(),
            "qwen" => self.qwen(),
            other => panic!("{other} asks otherwise"),
        }
    }

    /// The question that is read from it.
    fn read(&self, rules: &Rules, agent: &str) -> Option<Question> {
        let mut bytes = String::new();
        for line in self.drawn(agent) {
            write!(bytes, "{line}\r\n").unwrap();
        }
        let size = Size { cols: self.cols, rows: 40 };
        let recording = [(Timestamp(0), Played::Output(bytes.as_bytes()))];
        let verdicts = replay(rules, size, recording, false).unwrap();
        let (_, verdict) = verdicts.last()?;
        assert_eq!(verdict.activity.value, Activity::Blocked, "{agent} {self:?}");
        verdict.question.clone()
    }
}

/// A line of words as of a command, without a question in it.
fn words(count: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let word = "[a-z./_-]{0,12}[a-z]";
    prop::collection::vec(word, count).prop_map(|words| words.join(" "))
}

fn asked() -> impl Strategy<Value = Asked> {
    (words(1..14), words(2..14), 60u16..=200, 0usize..3, 0usize..3).prop_map(
        |(command, always, cols, selected, tick)| Asked {
            command: format!("touch a-file-of-some-name {command}"),
            always: format!("Always allow {always}"),
            cols,
            selected,
            tick,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(
        std::env::var("PROPTEST_CASES").ok().and_then(|asked| asked.parse().ok()).unwrap_or(24)
    ) })]

    /// K6: the id of a question does not depend on the width that it is drawn in, on what is selected and on what moves
    /// beside it; it does on the command and the options.
    #[test]
    fn a_question_is_the_same_one_at_any_width_k6(
        one in asked(),
        other in asked(),
        agent in prop::sample::select(vec![
            "claude", "codex", "copilot", "gemini", "kimi", "opencode", "qwen",
        ]),
    ) {
        let rules = registry().rules(agent);
        let read = |asked: &Asked| asked.read(&rules, agent).unwrap();
        let first = read(&one);
        let Asked { cols, selected, tick, .. } = other;
        let again = Asked { cols, selected, tick, ..one.clone() };
        let second = read(&again);
        prop_assert_eq!(&first.id, &second.id, "{:?}\n{:?}\n{:?}\n{:?}", first, second,
            one.drawn(agent), again.drawn(agent));
        prop_assume!(one.command != other.command);
        let another = Asked { command: other.command, ..again };
        prop_assert_ne!(first.id, read(&another).id, "{:?}", another.drawn(agent));
    }
}
