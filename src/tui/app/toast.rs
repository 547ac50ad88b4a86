//! Short notices at the bottom right (`spec/look.md` section 8, First start and errors).

use std::time::Duration;

use crate::domain::time::Timestamp;

/// A result stays at least this long.
const RESULT_STAYS: Duration = Duration::from_secs(8);
/// More than this many notices are not kept.
const KEPT: usize = 20;

/// How a notice is coloured, and what ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToastKind {
    /// Something failed; stays until dismissed.
    Error,
    /// Part of it was done.
    Partly,
    /// It was done.
    Result,
}

/// A notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    /// Colour and end.
    pub kind: ToastKind,
    /// What happened, one sentence.
    pub title: String,
    /// Why, and what to do.
    pub lines: Vec<String>,
    /// Keys that act on it, as the last line: action name and key come from the caller.
    pub keys: Vec<super::super::action::Action>,
    /// When it appeared.
    pub at: Timestamp,
    /// A key acted since.
    pub acted: bool,
}

/// The notices, newest last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Toasts {
    kept: Vec<Toast>,
    version: u64,
}

impl Toasts {
    /// Shows a notice. A newer result takes the place of an older one.
    pub fn show(&mut self, toast: Toast) {
        self.version += 1;
        if toast.kind != ToastKind::Error {
            self.kept.retain(|old| old.kind == ToastKind::Error);
        }
        self.kept.push(toast);
        if self.kept.len() > KEPT {
            self.kept.remove(0);
        }
    }

    /// Grows when one comes or goes.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The notice on view: the newest.
    pub fn shown(&self) -> Option<&Toast> {
        self.kept.last()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Takes the shown notice away; false where there is none.
    pub fn dismiss(&mut self) -> bool {
        let shown = self.kept.pop();
        self.version += u64::from(shown.is_some());
        shown.is_some()
    }

    /// A key acted.
    pub fn acted(&mut self) {
        for toast in &mut self.kept {
            toast.acted = true;
        }
    }

    /// Takes away what has stayed long enough: results after 8 s and a key that acted.
    pub fn expire(&mut self, now: Timestamp) {
        let stays = |toast: &Toast| {
            toast.kind == ToastKind::Error || !toast.acted || now < toast.at.plus(RESULT_STAYS)
        };
        if !self.kept.iter().all(stays) {
            self.version += 1;
            self.kept.retain(stays);
        }
    }

    /// Whether the shown one appeared just now: over an agent's screen none stays longer.
    pub fn is_fresh(&self, now: Timestamp) -> bool {
        self.shown().is_some_and(|toast| now < toast.at.plus(RESULT_STAYS))
    }

    /// When the next one ends, or is no longer fresh.
    pub fn wake(&self, now: Timestamp) -> Option<Timestamp> {
        let ends = self.kept.iter().map(|toast| toast.at.plus(RESULT_STAYS));
        ends.filter(|at| *at > now).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toast(kind: ToastKind, at: i64) -> Toast {
        let at = Timestamp(at);
        Toast { kind, title: "x".into(), lines: vec![], keys: vec![], at, acted: false }
    }

    #[test]
    fn errors_stay_and_results_go_after_eight_seconds_and_a_key() {
        let mut toasts = Toasts::default();
        toasts.show(toast(ToastKind::Error, 0));
        toasts.show(toast(ToastKind::Result, 0));
        let shown = toasts.version();
        toasts.expire(Timestamp(60_000));
        assert_eq!(toasts.len(), 2, "no key acted yet");
        toasts.acted();
        toasts.expire(Timestamp(7_999));
        assert_eq!((toasts.len(), toasts.version()), (2, shown));
        toasts.expire(Timestamp(8_000));
        assert_eq!((toasts.len(), toasts.version()), (1, shown + 1));
        assert!(toasts.dismiss() && toasts.is_empty());
        assert!(!toasts.dismiss());
        assert_eq!(toasts.version(), shown + 2);
    }
}
