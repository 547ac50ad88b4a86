//! Glyph and colour of states (`spec/look.md` sections 2 and 6).

use ratatui::style::{Modifier, Style};

use super::pen::Pen;
use crate::domain::session::Session;
use crate::domain::status::{Status, Zone};
use crate::tui::theme::Role;

/// The glyph of a status and its role.
pub(super) fn status_sign(pen: &Pen<'_>, status: Status) -> (&'static str, Style) {
    let glyphs = pen.glyphs;
    let (glyph, role, bold) = match status {
        Status::NeedsInput => (glyphs.needs_input, Role::Respond, true),
        Status::Stuck => (glyphs.stuck, Role::Respond, true),
        Status::Errored => (glyphs.errored, Role::Danger, true),
        Status::Detecting => (glyphs.detecting, Role::Respond, false),
        Status::CiFailed | Status::ChangesRequested => (glyphs.review, Role::Review, true),
        Status::Mergeable | Status::Approved => (glyphs.merge, Role::Merge, true),
        Status::PrOpen | Status::Draft | Status::ReviewPending => {
            (glyphs.pending, Role::Pending, false)
        }
        Status::Working => (glyphs.working, Role::Working, false),
        Status::Spawning => (glyphs.spawning, Role::Working, false),
        Status::Idle => (glyphs.idle, Role::Muted, false),
        Status::Done | Status::Merged => (glyphs.done, Role::Muted, false),
        Status::Killed | Status::Cleanup | Status::Terminated => (glyphs.ended, Role::Muted, false),
    };
    (glyph, if bold { pen.bold(role) } else { pen.role(role) })
}

/// The glyph of a zone in counts, and its role.
pub(super) fn zone_sign(pen: &Pen<'_>, zone: Zone) -> (&'static str, Style) {
    let status = match zone {
        Zone::Respond => Status::NeedsInput,
        Zone::Review => Status::CiFailed,
        Zone::Merge => Status::Approved,
        Zone::Pending => Status::PrOpen,
        Zone::Working => Status::Working,
        Zone::Resting => Status::Idle,
    };
    status_sign(pen, status)
}

/// The role of a status word: only zones that need the operator have colour.
pub(super) fn status_role(status: Status) -> Role {
    match status.zone() {
        _ if status == Status::Errored => Role::Danger,
        Zone::Respond => Role::Respond,
        Zone::Review => Role::Review,
        Zone::Merge => Role::Merge,
        Zone::Pending => Role::Text,
        Zone::Working | Zone::Resting => Role::Muted,
    }
}

/// Whether the row shows that its agent is at work although its state says something else.
pub(super) fn is_active_beside(session: &Session) -> bool {
    let condition = &session.condition;
    session.is_live() && condition.activity.value.is_working() && condition.zone() != Zone::Working
}

/// Reverse, for a chosen button and the like.
pub(super) fn reversed(style: Style) -> Style {
    style.add_modifier(Modifier::REVERSED)
}
