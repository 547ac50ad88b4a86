//! What a keeper has to know of an agent program, as plain data (`spec/agents.md` G2).
//!
//! Agent definitions produce these values, launch specs carry them, keepers apply them: neither
//! side knows the other.

use serde::{Deserialize, Serialize};

use super::activity::Activity;
use super::words::words;

/// Version of the rule engine that definitions are written for.
pub const ENGINE: u32 = 1;

/// Detection rules of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// A plain shell: active while a foreground command runs, else idle (A1).
    pub shell: bool,
    /// The verdict while no rule matches; `unknown` unless given.
    pub otherwise: Option<Activity>,
    /// The rules; of those that match the highest priority wins, then the first.
    pub rule: Vec<Rule>,
}

words! {
    /// The part of the screen that a rule looks at.
    Region {
        /// The title that the program set.
        Title = "title",
        /// The last lines that are not blank.
        Bottom = "bottom",
        /// The line that the cursor stands in, for programs that ask line by line.
        Cursor = "cursor",
        /// The whole visible screen.
        Screen = "screen",
    }
}

/// One detection rule. All of `all`, one of `any` (where given) and none of `not` must match, each a
/// regular expression, tried on every line of the region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Name of the rule, as shown by `why`.
    pub id: String,
    /// What is concluded.
    pub activity: Activity,
    /// Where to look.
    pub region: Region,
    /// How many lines [`Region::Bottom`] has.
    #[serde(default = "default_lines")]
    pub lines: u16,
    /// Higher ones win.
    #[serde(default)]
    pub priority: i32,
    /// All of them match.
    #[serde(default)]
    pub all: Vec<String>,
    /// At least one of them matches.
    #[serde(default)]
    pub any: Vec<String>,
    /// None of them matches.
    #[serde(default)]
    pub not: Vec<String>,
    /// How the question is read, where one is shown.
    #[serde(default)]
    pub question: Option<QuestionRule>,
}

fn default_lines() -> u16 {
    20
}

/// How a question is read from the lines of a rule's region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionRule {
    /// `permission`, `question`, `trust`, `auth` or `dialog`.
    pub kind: String,
    /// The line that asks; the first group, else the whole match.
    pub text: String,
    /// The options, from the line that asks on; the first group of each match, else the whole match.
    #[serde(default)]
    pub option: Option<String>,
    /// What the question is about where its text does not say so, as the command of a permission: the line between
    /// the asking one and the options, else the nearest above, that matches. It tells two questions apart.
    #[serde(default)]
    pub about: Option<String>,
    /// Which of these lines is selected, for a list whose options have no keys of their own: an answer
    /// is walked to from there, and Enter takes it.
    #[serde(default)]
    pub selected: Option<String>,
    /// Lines after the asking one that belong to the text, as the command of a permission.
    #[serde(default)]
    pub detail_lines: u16,
    /// The options have no numbers to press, and nothing tells which is selected: only the agent's own
    /// keys for yes and no answer it.
    #[serde(default)]
    pub unnumbered: bool,
}

/// How an agent is asked to end politely before TERM (X3).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StopWay {
    /// Keys to press, as in `keymap.toml`.
    pub keys: Vec<String>,
    /// A signal to send instead: `TERM`, `HUP` or `INT`.
    pub signal: Option<String>,
    /// Signals go to the whole process group instead of the one process.
    pub group: bool,
}

/// How a text is typed in and submitted (K5).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SubmitRule {
    /// Milliseconds between the text and Enter.
    pub pause_ms: u64,
    /// Keys that clear the composer first.
    pub clear: Vec<String>,
    /// Press Enter once more where the first one did not start a turn.
    pub verify: bool,
}

/// Keys that answer a permission whose options cannot be read (K6); an empty list refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnswerWay {
    /// For yes.
    pub yes: Vec<String>,
    /// For no.
    pub no: Vec<String>,
}

impl Default for AnswerWay {
    fn default() -> Self {
        Self { yes: vec!["y".to_owned()], no: vec!["n".to_owned()] }
    }
}
