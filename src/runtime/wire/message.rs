//! The control messages of protocol 1. Fields are only added, each with a default.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{PROTOCOL, Reason};
use crate::domain::activity::{Activity, Question};
use crate::domain::facts::{ExitFacts, Facts};
use crate::domain::hook::HookReport;
use crate::domain::ids::SessionId;
use crate::domain::time::Timestamp;

/// What a side can do beyond the bare protocol.
pub const FEATURES: &[&str] = &["facts", "screen", "input", "stop", "text"];

/// The first message of both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Version of the protocol.
    pub protocol: u32,
    /// What the side can do.
    #[serde(default)]
    pub features: Vec<String>,
    /// The keeper's session; from a client the one it means to reach.
    #[serde(default)]
    pub session: Option<SessionId>,
    /// The keeper's launch; from a client the one it means to reach. Byte frames of a client are
    /// input for this launch.
    #[serde(default)]
    pub generation: Option<u32>,
}

impl Hello {
    /// The hello of this version.
    pub fn new(session: Option<SessionId>, generation: Option<u32>) -> Self {
        let features = FEATURES.iter().map(|feature| (*feature).to_owned()).collect();
        Self { protocol: PROTOCOL, features, session, generation }
    }
}

/// What must hold at the moment of the write (K5, K6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// No question is shown.
    UnlessQuestion,
    /// The question with this id is shown.
    IfQuestion(String),
}

/// A message to the keeper. Each is answered, once, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// First message.
    Hello(Hello),
    /// Sends the facts now and at each change.
    SubscribeFacts,
    /// Sends a snapshot with up to so many rows of history, then live bytes.
    SubscribeScreen {
        /// Rows of history in a snapshot.
        #[serde(default)]
        history: usize,
    },
    /// Types a text as it is.
    Input {
        /// The launch it is for.
        generation: u32,
        /// When it may be typed; always where none is given.
        #[serde(default)]
        condition: Option<Condition>,
        /// The text.
        text: String,
    },
    /// Pastes a text, bracketed where the program asked for it, and submits it where asked (K5).
    Paste {
        /// The launch it is for.
        generation: u32,
        /// When it may be typed.
        #[serde(default)]
        condition: Option<Condition>,
        /// The text; control characters are removed.
        text: String,
        /// Whether Enter follows, by the agent's submit rule.
        #[serde(default)]
        submit: bool,
    },
    /// Presses keys by name, encoded as the program asked for them.
    Keys {
        /// The launch they are for.
        generation: u32,
        /// When they may be pressed.
        #[serde(default)]
        condition: Option<Condition>,
        /// Names as in `keymap.toml`.
        keys: Vec<String>,
        /// The option from which arrow keys walk: each key only where the walk has come that far (K6).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        selected: Option<usize>,
    },
    /// Changes the size of the terminal.
    Resize {
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
        /// Not where another viewer that is still there typed since.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        yields: bool,
    },
    /// Sends a signal to the agent's process, or to the group in the foreground.
    Signal {
        /// The launch it is for.
        generation: u32,
        /// `INT`, `TERM` ...
        signal: String,
        /// To the group in the foreground of the terminal.
        #[serde(default)]
        foreground: bool,
    },
    /// Ends the agent with its whole process tree (X3). The keeper exits after its answer.
    Stop {
        /// The launch it is for; any where none is given.
        #[serde(default)]
        generation: Option<u32>,
        /// When to go how far.
        #[serde(default)]
        pace: StopPace,
    },
    /// Asks for the screen as text with up to so many rows of history before it.
    Text {
        /// Rows of history.
        #[serde(default)]
        scrollback: usize,
    },
    /// What the agent reported through a hook (H2). Nothing is done for another launch or token.
    Hook {
        /// The launch.
        generation: u32,
        /// Its secret.
        token: String,
        /// The report.
        report: Box<HookReport>,
    },
    /// Asks for facts and witnesses.
    Status,
}

/// Times of a stop, in milliseconds from its beginning (section 4 of `spec/lifecycle.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StopPace {
    /// TERM to the whole tree. At once where the agent has no polite way.
    pub term_ms: u64,
    /// KILL to the whole tree.
    pub kill_ms: u64,
    /// The answer says that it did not end.
    pub give_up_ms: u64,
}

impl Default for StopPace {
    fn default() -> Self {
        Self { term_ms: 3_000, kill_ms: 6_000, give_up_ms: 10_000 }
    }
}

/// One witness of the verdict, as `why` shows it (G8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WitnessReport {
    /// `osc7501`, `hook`, `title`, `progress`, `screen`, `process`.
    pub witness: String,
    /// What it says; nothing where it is silent.
    pub says: Option<Activity>,
    /// Since when.
    pub since: Option<Timestamp>,
    /// Id of the rule that matched.
    pub rule: Option<String>,
    /// The text that matched.
    pub text: Option<String>,
}

/// The screen as text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TextReply {
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
    /// History asked for, then the visible rows; trailing blanks are trimmed.
    pub lines: Vec<String>,
    /// Row of the cursor, from 0.
    pub cursor_row: u16,
    /// Column of the cursor, from 0.
    pub cursor_col: u16,
    /// Whether it shows.
    pub cursor_visible: bool,
    /// Title.
    pub title: String,
    /// Whether the alternate screen is shown.
    pub alternate: bool,
    /// Rows of history that the keeper has.
    pub scrollback_lines: usize,
}

/// What the keeper knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusReply {
    /// The facts as they are now, stored or not yet.
    pub facts: Facts,
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
    /// Whether the creator has published the launch (C4).
    pub published: bool,
    /// What each witness says.
    #[serde(default)]
    pub witnesses: Vec<WitnessReport>,
}

/// The answer to one request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Body {
    /// The keeper's hello.
    Hello(Hello),
    /// Done.
    Done {
        /// Of a submit: whether the agent was seen to take it; nothing where that was not looked at.
        #[serde(default)]
        verified: Option<bool>,
    },
    /// The screen.
    Text(TextReply),
    /// Facts and witnesses.
    Status(Box<StatusReply>),
    /// What a stop came to.
    Stopped {
        /// Whether the whole tree is gone.
        ended: bool,
        /// The agent did not follow the polite way in time, or KILL was needed.
        escalated: bool,
        /// How the agent's process ended.
        exit: Option<ExitFacts>,
    },
    /// Nothing was done.
    Refused {
        /// Why.
        reason: Reason,
        /// The same in words.
        message: String,
    },
    /// Nothing was done: another question is shown, or none (K6).
    QuestionChanged {
        /// The one that is shown now.
        question: Option<Question>,
    },
    /// The message is not part of this keeper's protocol; nothing was done.
    NotUnderstood {
        /// Its type.
        what: String,
        /// What is wrong with it.
        message: String,
    },
    /// An answer of a newer keeper.
    #[serde(other)]
    Other,
}

/// What a keeper tells its subscribers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The facts changed.
    Facts(Box<Facts>),
    /// So many bytes follow that rebuild the screen in an empty one of this size; then live bytes.
    Snapshot {
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
        /// Length of the snapshot in bytes.
        bytes: usize,
    },
    /// The size changed; the bytes that follow are for the new one.
    Resized {
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
    },
    /// The agent's process ended, and all that it wrote was sent. What it left behind may still write.
    Exit(Box<ExitFacts>),
    /// Byte frames of this client were not typed.
    InputRefused {
        /// Why.
        reason: Reason,
    },
    /// An event of a newer keeper.
    #[serde(other)]
    Other,
}

/// A request with the number that its answer repeats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Incoming {
    /// Chosen by the client.
    #[serde(default)]
    pub id: u64,
    /// The request.
    #[serde(flatten)]
    pub request: Request,
}

impl Incoming {
    /// Reads a control frame. What cannot be read gives the number and the typed answer to it.
    ///
    /// # Errors
    /// The message is unknown or malformed.
    pub fn read(json: &[u8]) -> Result<Self, Box<(u64, Body)>> {
        read(json).map_err(|(value, error)| {
            let id = value["id"].as_u64().unwrap_or(0);
            let what: String = value["type"].as_str().unwrap_or("").chars().take(80).collect();
            Box::new((id, Body::NotUnderstood { what, message: error }))
        })
    }
}

/// What a keeper sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Outgoing {
    /// An answer.
    Answer {
        /// Number of the request.
        id: u64,
        /// The answer.
        #[serde(flatten)]
        body: Body,
    },
    /// An event.
    Event(Event),
}

impl Outgoing {
    /// Reads a control frame.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(json: &[u8]) -> Result<Self, String> {
        read(json).map_err(|(_, error)| error)
    }
}

fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, (serde_json::Value, String)> {
    let value: serde_json::Value =
        serde_json::from_slice(json).map_err(|e| (serde_json::Value::Null, e.to_string()))?;
    T::deserialize(&value).map_err(|error| (value, error.to_string()))
}
