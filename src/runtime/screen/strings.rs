//! Control strings (OSC and DCS) that are answered or reported here and never reach the engine.

use rio_vt::ansi::mode::NamedPrivateMode;
use rio_vt::crosswords::square::Hyperlink;
use rio_vt::performer::handler::Handler;

use super::cell::Style;
use super::core::Core;
use super::event::{ProgramStatus, ScreenEvent};
use super::print::MARK_LIMIT;
use super::text::{clean, decode_base64, decode_percent, truncate};

/// Answer to the support query of the Program Status Protocol, revision 0.4.
const STATUS_SUPPORT: &str =
    "\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth\x1b\\";
/// Longest hyperlink target, in bytes.
const LINK_LIMIT: usize = 2083;
/// Longest hyperlink identifier, in bytes.
const LINK_ID_LIMIT: usize = 250;
/// Longest notification text and directory, in bytes.
const TEXT_LIMIT: usize = 2048;
/// Number of the private OSC in which a snapshot carries what no standard sequence sets.
pub(super) const PRIVATE_OSC: &str = "88187";

/// OSC numbers that the engine handles: palette and default colours, and the cursor shape.
pub(super) fn is_engine_osc(payload: &[u8]) -> bool {
    let number = payload.split(|&b| b == b';').next().unwrap_or_default();
    [&b"4"[..], b"10", b"11", b"12", b"50", b"104", b"110", b"111", b"112"].contains(&number)
}

impl Core {
    /// An OSC that is not the engine's.
    pub(super) fn osc(&mut self, payload: &[u8]) {
        let text = String::from_utf8_lossy(payload);
        let (number, rest) = text.split_once(';').unwrap_or((&text, ""));
        match number {
            "0" | "2" => self.set_title_text(rest),
            "7" => self.directory_url(rest),
            "8" => self.link(rest),
            "9" => self.osc_9(rest),
            "52" => self.clipboard(rest),
            "99" => self.kitty_notification(rest),
            "133" => {
                if let Some(mark) = rest.chars().next().filter(char::is_ascii_alphabetic) {
                    self.event(ScreenEvent::PromptMark(mark));
                }
            }
            "777" => {
                if let Some((title, body)) =
                    rest.strip_prefix("notify;").map(|r| r.split_once(';').unwrap_or((r, "")))
                {
                    self.notify(title, body);
                }
            }
            "7501" if rest.starts_with('?') => self.reply(STATUS_SUPPORT),
            "7501" => {
                if let Some(status) = ProgramStatus::parse(rest.as_bytes()) {
                    self.event(ScreenEvent::ProgramStatus(status));
                }
            }
            PRIVATE_OSC if self.replays => self.restore_private(rest),
            _ => {}
        }
    }

    fn osc_9(&mut self, rest: &str) {
        let (command, argument) = rest.split_once(';').unwrap_or((rest, ""));
        // A number before a `;` is a ConEmu command, anything else the text of a notification.
        let command = command.parse::<u8>().ok().filter(|n| (1..=12).contains(n));
        match command {
            Some(4) => {
                let mut numbers = argument.split(';').map(|n| n.parse::<u32>().ok());
                if let Some(state) = numbers.next().flatten().filter(|state| *state <= 4) {
                    let percent = numbers.next().flatten().unwrap_or(0).min(100) as u8;
                    self.event(ScreenEvent::Progress { state: state as u8, percent });
                }
            }
            Some(9) => self.directory(argument.trim_matches('"')),
            Some(_) if rest.contains(';') => {}
            _ => self.notify("", rest),
        }
    }

    fn notify(&mut self, title: &str, body: &str) {
        let (title, body) =
            (truncate(&clean(title), TEXT_LIMIT), truncate(&clean(body), TEXT_LIMIT));
        if title.is_empty() && body.is_empty() {
            return;
        }
        self.event(ScreenEvent::Notification {
            title: Some(title).filter(|t| !t.is_empty()),
            body,
        });
    }

    /// OSC 99: `key=value:key=value ; payload`, possibly in several parts.
    fn kitty_notification(&mut self, rest: &str) {
        let Some((metadata, payload)) = rest.split_once(';') else {
            return;
        };
        let value = |key: &str| {
            metadata.split(':').filter_map(|f| f.split_once('=')).find(|(k, _)| *k == key)
        };
        let decoded = match value("e") {
            Some((_, "1")) => decode_base64(payload.as_bytes()).unwrap_or_default(),
            _ => payload.as_bytes().to_vec(),
        };
        let part = String::from_utf8_lossy(&decoded);
        let slot = match value("p") {
            None | Some((_, "title")) => &mut self.notification.0,
            Some((_, "body")) => &mut self.notification.1,
            Some(_) => return,
        };
        *slot = truncate(&format!("{slot}{part}"), TEXT_LIMIT);
        if !matches!(value("d"), Some((_, "0"))) {
            let (title, body) = std::mem::take(&mut self.notification);
            if body.is_empty() {
                self.notify("", &title);
            } else {
                self.notify(&title, &body);
            }
        }
    }

    fn clipboard(&mut self, rest: &str) {
        let Some((_, data)) = rest.split_once(';') else {
            return;
        };
        // Reads (`?`) are never answered.
        if let Some(bytes) = decode_base64(data.as_bytes()) {
            self.event(ScreenEvent::Clipboard(bytes));
        }
    }

    fn directory_url(&mut self, url: &str) {
        let Some((scheme, rest)) = url.split_once("://") else {
            return;
        };
        let Some(path) = rest.find('/').map(|at| &rest[at..]) else {
            return;
        };
        match scheme {
            "file" => self.directory(&decode_percent(path)),
            "kitty-shell-cwd" => self.directory(path),
            _ => {}
        }
    }

    fn directory(&mut self, path: &str) {
        let path = truncate(&clean(path), TEXT_LIMIT);
        if !path.is_empty() {
            self.event(ScreenEvent::Directory(path));
        }
    }

    /// OSC 8: `params ; uri`. The target may hold `;`, so it is not left to the engine.
    fn link(&mut self, rest: &str) {
        let Some((params, uri)) = rest.split_once(';') else {
            return;
        };
        let (params, uri) = (clean(params), clean(uri));
        let id = params.split(':').find_map(|p| p.strip_prefix("id=")).filter(|id| !id.is_empty());
        let length = uri.len() + id.map_or(0, str::len);
        let fits = uri.len() <= LINK_LIMIT && id.is_none_or(|id| id.len() <= LINK_ID_LIMIT);
        // What cannot be kept links nothing, rather than to the target before.
        let kept = !uri.is_empty() && fits && self.has_room(length);
        self.term.set_hyperlink(kept.then(|| Hyperlink::new(id, &uri)));
    }

    /// A DCS: requests for settings (DECRQSS), for terminfo entries (XTGETTCAP), and the older form
    /// of synchronized updates.
    pub(super) fn dcs(&mut self, payload: &[u8]) {
        if let Some(setting) = payload.strip_prefix(b"$q") {
            self.report_setting(setting);
        } else if let Some(names) = payload.strip_prefix(b"+q") {
            self.report_capabilities(names);
        } else if payload == b"=1s" {
            self.term.set_private_mode(NamedPrivateMode::SyncUpdate.into());
        } else if payload == b"=2s" {
            self.term.unset_private_mode(NamedPrivateMode::SyncUpdate.into());
        }
    }

    fn report_setting(&self, setting: &[u8]) {
        let value = match setting {
            b"m" => Style::from(self.term.grid.template_style()).sgr() + "m",
            b"r" => format!("{};{}r", self.region.0 + 1, self.region.1),
            b" q" => format!("{} q", self.cursor_style()),
            _ => return self.reply("\x1bP0$r\x1b\\"),
        };
        self.reply(&format!("\x1bP1$r{value}\x1b\\"));
    }

    fn report_capabilities(&self, names: &[u8]) {
        for name in names.split(|&b| b == b';') {
            let Some(decoded) = decode_hex(name) else {
                continue;
            };
            let hex = String::from_utf8_lossy(name).to_ascii_uppercase();
            let value = match decoded.as_slice() {
                b"TN" | b"name" => "xterm-256color",
                b"Co" | b"colors" => "256",
                b"RGB" => "8/8/8",
                _ => {
                    self.reply(&format!("\x1bP0+r{hex}\x1b\\"));
                    continue;
                }
            };
            let value = encode_hex(value.as_bytes());
            self.reply(&format!("\x1bP1+r{hex}={value}\x1b\\"));
        }
    }

    /// Parameter of DECSCUSR for the cursor as it is.
    pub(super) fn cursor_style(&self) -> u8 {
        use super::modes::CursorShape;
        let steady = match self.cursor().shape {
            CursorShape::Block => 2,
            CursorShape::Underline => 4,
            CursorShape::Bar => 6,
        };
        steady - u8::from(self.term.blinking_cursor)
    }

    /// What a snapshot says about state that no standard sequence sets: `c=row,col,wrap` the exact
    /// cursor, `v=1` that the row above goes on here,
    /// `w=1` that the last row goes on below, `g=1` that the cell before the cursor
    /// is a gap, `m=hex,hex` its marks, `l=hex` the character that REP repeats.
    fn restore_private(&mut self, rest: &str) {
        for (key, value) in rest.split(';').filter_map(|field| field.split_once('=')) {
            match key {
                "c" => {
                    let numbers: Vec<usize> =
                        value.split(',').filter_map(|n| n.parse().ok()).collect();
                    if let [row, column, wrap] = numbers[..] {
                        self.place(row, column);
                        let last = usize::from(self.size().cols) - 1;
                        self.term.grid.cursor.should_wrap = wrap == 1 && self.position().1 == last;
                    }
                }
                "v" => self.mark_wrap(self.position().0 as i32 - 1),
                "w" => self.mark_wrap(i32::from(self.size().rows) - 1),
                "g" => self.mark_gap(),
                "m" => {
                    let marks = value.split(',').filter_map(|m| u32::from_str_radix(m, 16).ok());
                    self.attach(marks.filter_map(char::from_u32).take(MARK_LIMIT).collect());
                }
                "l" => self.last = u32::from_str_radix(value, 16).ok().and_then(char::from_u32),
                _ => {}
            }
        }
    }
}

fn encode_hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or_default();
    bytes
        .iter()
        .flat_map(|b| [digit(b >> 4), digit(b & 15)])
        .map(|c| c.to_ascii_uppercase())
        .collect()
}

fn decode_hex(text: &[u8]) -> Option<Vec<u8>> {
    if text.is_empty() || !text.len().is_multiple_of(2) {
        return None;
    }
    let digit = |b: u8| char::from(b).to_digit(16);
    text.chunks(2).map(|pair| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8)).collect()
}
