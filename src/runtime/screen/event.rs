//! What a program tells its terminal beside the picture: titles, bells, notifications, status.

use super::text::{clean, decode_base64, truncate};

/// Longest OSC 7501 payload that is looked at, in bytes.
const STATUS_LIMIT: usize = 4096;
/// Longest message of a program status, in bytes after decoding.
const MESSAGE_LIMIT: usize = 2048;
/// Longest other field of a program status, in bytes after decoding.
const FIELD_LIMIT: usize = 256;

/// Something that happened while bytes were fed, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScreenEvent {
    /// The title changed (OSC 0, 2, the title stack, a reset); control characters removed.
    Title(String),
    /// The bell rang.
    Bell,
    /// The program wants this put on the clipboard (OSC 52). Reads are never answered.
    Clipboard(Vec<u8>),
    /// A desktop notification (OSC 9, 99, 777); control characters removed.
    Notification {
        /// Heading, where the program gave one.
        title: Option<String>,
        /// Text.
        body: String,
    },
    /// Progress (OSC 9;4).
    Progress {
        /// 0 none, 1 normal, 2 error, 3 indeterminate, 4 paused.
        state: u8,
        /// 0 to 100.
        percent: u8,
    },
    /// The program reported its status (OSC 7501).
    ProgramStatus(ProgramStatus),
    /// A prompt mark of shell integration (OSC 133): `A`, `B`, `C`, `D` ...
    PromptMark(char),
    /// The working directory as the program named it (OSC 7 or 9;9). The host is not checked.
    Directory(String),
    /// The engine failed on the bytes and was rebuilt empty.
    Faulted,
}

/// A report of the Program Status Protocol (OSC 7501), bounded and without control characters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProgramStatus {
    /// `idle`, `working`, `done`, `blocked`, `error` or `clear`.
    pub state: String,
    /// What blocks: `permission`, `question`, `auth`.
    pub kind: Option<String>,
    /// Short heading.
    pub title: Option<String>,
    /// Message, at most 2,048 bytes.
    pub msg: Option<String>,
    /// Name the program gives itself.
    pub app: Option<String>,
    /// 0 to 100.
    pub progress: Option<u8>,
}

impl ProgramStatus {
    /// Reads the payload after `7501;`. Unknown states and overlong payloads give nothing.
    pub(super) fn parse(payload: &[u8]) -> Option<Self> {
        if payload.len() > STATUS_LIMIT {
            return None;
        }
        let text = std::str::from_utf8(payload).ok()?;
        let fields: Vec<(&str, &str)> = text.split(':').filter_map(|f| f.split_once('=')).collect();
        let field =
            |name: &str| fields.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        let plain = |name: &str| {
            field(name).map(|v| truncate(&clean(v), FIELD_LIMIT)).filter(|v| !v.is_empty())
        };
        let encoded = |name: &str, limit: usize| {
            let bytes = decode_base64(field(name)?.as_bytes())?;
            let text = truncate(&clean(&String::from_utf8_lossy(&bytes)), limit);
            (!text.is_empty()).then_some(text)
        };
        let state = field("state").filter(|s| {
            matches!(*s, "idle" | "working" | "done" | "blocked" | "error" | "clear")
        })?;
        Some(Self {
            state: state.to_owned(),
            kind: plain("kind"),
            title: encoded("title", FIELD_LIMIT),
            msg: encoded("msg", MESSAGE_LIMIT),
            app: plain("app"),
            progress: field("progress").and_then(|v| v.parse().ok()).map(|v: u8| v.min(100)),
        })
    }
}
