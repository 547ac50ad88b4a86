//! The dialog of a delete, a restore or a purge: counts first, then the sessions, then the buttons.

use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::dialog::{buttons, centred, cross, frame};
use super::pen::{Pen, Span};
use super::signs::status_sign;
use crate::domain::plan::{Back, Plan, PlanItem};
use crate::tui::action::{Action, Context};
use crate::tui::app::App;
use crate::tui::app::plan::{Button, Group, PlanDialog, PlanRequest, Planning, Row};
use crate::tui::app::words::{count, sentence, skip_word};
use crate::tui::theme::Role;

/// Widest and highest the dialog gets.
const SIZE: (u16, u16) = (84, 27);
/// From this height of the dialog on there are empty lines between its parts.
const AIRY: u16 = 24;

/// The parts of the dialog that depend on its height.
struct Parts {
    area: Rect,
    /// First line of the text.
    text_y: u16,
    /// First line of the counts.
    counts_y: u16,
    /// The rule with the tabs.
    tabs_y: u16,
    /// Lines of the list.
    rows: u16,
}

fn parts(app: &App, dialog: &PlanDialog) -> Parts {
    let area = centred(app, SIZE.0, SIZE.1, (4, 1));
    let air = u16::from(area.height >= AIRY);
    let groups = groups(dialog).len() as u16;
    let text_y = area.y + 1 + air;
    let text = 2 + u16::from(dialog.note.is_some());
    let counts_y = text_y + text + 1;
    // The list keeps at least three lines; the counts give way.
    let limit = area.bottom().saturating_sub(7).max(counts_y);
    let tabs_y = (counts_y + groups + air).min(limit);
    let rows = area.bottom().saturating_sub(tabs_y + 4);
    Parts { area, text_y, counts_y, tabs_y, rows }
}

/// Lines of the list that are on view, for the one who scrolls.
pub(in crate::tui) fn list_rows(app: &App, dialog: &PlanDialog) -> usize {
    usize::from(parts(app, dialog).rows)
}

/// The groups that have a line in the counts.
fn groups(dialog: &PlanDialog) -> Vec<Group> {
    let groups = Group::of(&dialog.request).iter().copied();
    let listed = groups.filter(|group| *group != Group::All);
    listed.filter(|group| dialog.size(*group) > 0).collect()
}

/// Draws it.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, dialog: &PlanDialog) {
    let parts = parts(app, dialog);
    let area = parts.area;
    let mut pen = pen.within(area);
    let n = match &dialog.planning {
        Planning::Ready(_) => dialog.size(Group::All),
        _ => dialog.request.named(),
    };
    let (verb, purges) = (dialog.request.verb(), matches!(dialog.request, PlanRequest::Purge(_)));
    let end = if purges { "?" } else { "" };
    let inner = frame(&mut pen, area, &format!("{verb} {}{end}", count(n, "session")));
    text(&mut pen, app, dialog, inner, parts.text_y);
    counts(&mut pen, dialog, inner, &parts);
    tabs(&mut pen, dialog, area, parts.tabs_y);
    list(&mut pen, app, dialog, &parts);
    let bottom = area.bottom();
    let total = dialog.listed();
    let place: Span =
        (format!("{} of {total}", (dialog.index + 1).min(total)), pen.role(Role::Muted));
    let place = if total > 0 { vec![place] } else { Vec::new() };
    if bottom > parts.tabs_y + 3 {
        cross(&mut pen, area, bottom - 3, &[], &place);
    }
    let going = dialog.going();
    let ready = going > 0;
    let act = if dialog.plan().is_some() { format!("{verb} {going}") } else { verb.to_owned() };
    let role = match dialog.request {
        _ if !ready => Role::Muted,
        PlanRequest::Restore(_) => Role::Accent,
        PlanRequest::Delete(_) | PlanRequest::Purge(_) => Role::Danger,
    };
    buttons(&mut pen, inner, bottom.saturating_sub(2), &act, role, Some(dialog.button));
}

/// The first sentences.
fn text(pen: &mut Pen<'_>, app: &App, dialog: &PlanDialog, inner: Rect, mut y: u16) {
    let (bold, muted) = (pen.bold(Role::Text), pen.role(Role::Muted));
    let warn = pen.bold(Role::Respond);
    let key = |context, action| app.setup.keymap.key_label(&[context], action).unwrap_or_default();
    if let Some(note) = &dialog.note {
        pen.text(inner.x, y, inner.width, note, pen.bold(Role::Respond));
        y += 1;
    }
    let lines: [Vec<Span>; 2] = match &dialog.planning {
        Planning::Looking(done, total) => {
            [vec![(format!("Looking at {done} of {}", count(*total, "worktree")), muted)], vec![]]
        }
        Planning::Failed(failure) => [
            vec![(sentence(&failure.message), pen.bold(Role::Danger))],
            vec![(failure.hint.clone().unwrap_or_default(), muted)],
        ],
        Planning::Ready(_) if dialog.all_pinned() => {
            let n = dialog.left_alone();
            let who =
                if n == 1 { "It is pinned.".to_owned() } else { format!("All {n} are pinned.") };
            let what = format!(
                "Unpin, or delete without the pin check: {}",
                key(Context::Dialog, Action::DropPinCheck)
            );
            [vec![(who, bold)], vec![(what, muted)]]
        }
        Planning::Ready(counted) => [
            vec![(outcome(dialog), bold), (who(counted.plan()), muted)],
            vec![match &dialog.request {
                PlanRequest::Delete(_) => {
                    let undo = key(Context::Global, Action::Undo);
                    let days = app.setup.purge_days;
                    let text =
                        format!("{undo} brings everything back until it is purged in {days} days.");
                    (text, muted)
                }
                PlanRequest::Restore(_) => {
                    if let [one] = counted.plan().skipped.as_slice() {
                        // In the list it would be cut.
                        (format!("{}: {}", one.id, skip_word(&one.reason)), warn)
                    } else {
                        let text = "Worktrees go back to their places; no agent is launched.";
                        (text.to_owned(), muted)
                    }
                }
                PlanRequest::Purge(_) => match dialog.lost_files() {
                    0 => ("Nothing brings them back; unmerged branches stay.".to_owned(), muted),
                    1 => ("1 uncommitted file is lost for good.".to_owned(), warn),
                    n => (format!("{n} uncommitted files are lost for good."), warn),
                },
            }],
        ],
    };
    for line in lines {
        pen.spans(inner.x, y, inner.width, &line);
        y += 1;
    }
}

/// `44 go to the trash, 3 are skipped.`
fn outcome(dialog: &PlanDialog) -> String {
    let go = dialog.going();
    let one = go < 2;
    let what = match dialog.request {
        PlanRequest::Delete(_) if one => "goes to the trash",
        PlanRequest::Delete(_) => "go to the trash",
        PlanRequest::Restore(_) if one => "comes back",
        PlanRequest::Restore(_) => "come back",
        PlanRequest::Purge(_) if one => "is removed for good",
        PlanRequest::Purge(_) => "are removed for good",
    };
    let skipped = match dialog.left_alone() {
        0 => ".".to_owned(),
        1 => ", 1 is skipped.".to_owned(),
        n => format!(", {n} are skipped."),
    };
    match go {
        0 => format!("Nothing {what}{skipped}"),
        n => format!("{n} {what}{skipped}"),
    }
}

/// ` 41 marked and 6 children.`
fn who(plan: &Plan) -> String {
    let children = plan.items.iter().filter(|item| item.pulled_in_by.is_some()).count();
    let marked = plan.items.len() + plan.skipped.len() - children;
    match children {
        0 => format!(" {marked} marked."),
        1 => format!(" {marked} marked and 1 child."),
        n => format!(" {marked} marked and {n} children."),
    }
}

fn counts(pen: &mut Pen<'_>, dialog: &PlanDialog, inner: Rect, parts: &Parts) {
    for (row, group) in groups(dialog).into_iter().enumerate() {
        let y = parts.counts_y + row as u16;
        if y >= parts.tabs_y {
            return;
        }
        let (sign, number, word) = match group {
            group if group.warns() => (pen.glyphs.stuck, Role::Respond, Role::Text),
            Group::Skipped => (" ", Role::Text, Role::Muted),
            _ => (" ", Role::Text, Role::Text),
        };
        pen.text(inner.x, y, 1, sign, pen.bold(Role::Respond));
        pen.right(inner.x + 4, y, 4, &dialog.size(group).to_string(), pen.bold(number));
        pen.text(inner.x + 6, y, 12, group.word(), pen.role(word));
        let room = inner.width.saturating_sub(20);
        pen.text(inner.x + 20, y, room, dialog.remark(group), pen.role(Role::Muted));
    }
}

fn tabs(pen: &mut Pen<'_>, dialog: &PlanDialog, area: Rect, y: u16) {
    let mut spans: Vec<Span> = Vec::new();
    for group in dialog.tabs() {
        if !spans.is_empty() {
            spans.push(("  ".to_owned(), pen.role(Role::Muted)));
        }
        let word = sentence(group.word());
        let style = if group == dialog.group() {
            pen.bold(Role::Text).add_modifier(Modifier::UNDERLINED)
        } else {
            pen.role(Role::Muted)
        };
        spans.push((word, style));
        spans.push((format!(" {}", dialog.size(group)), pen.role(Role::Muted)));
    }
    if dialog.plan().is_none() {
        spans.clear();
    }
    cross(pen, area, y, &spans, &[]);
}

fn list(pen: &mut Pen<'_>, app: &App, dialog: &PlanDialog, parts: &Parts) {
    let area = parts.area;
    let ids = dialog.widest().clamp(6, 14) as u16;
    let inner = Rect::new(area.x + 1, 0, area.width.saturating_sub(2), 1);
    let title_at = 6 + ids + 2;
    let title_cells = (inner.width.saturating_sub(title_at) * 9 + 10) / 20;
    let remark_at = title_at + title_cells + 2;
    for (at, row) in dialog.rows().enumerate().skip(dialog.top).take(usize::from(parts.rows)) {
        let place = Rect { y: parts.tabs_y + 1 + (at - dialog.top) as u16, ..inner };
        let mut pen = pen.within(place);
        if at == dialog.index {
            pen.select(place, dialog.button == Button::Cancel);
        }
        let (x, y) = (place.x, place.y);
        let muted = pen.role(Role::Muted);
        let put_title = |pen: &mut Pen<'_>, text: &str, role| {
            let style = pen.role(role);
            pen.text(x + title_at, y, title_cells, text, style);
        };
        pen.text(x + 6, y, ids, row.id().as_str(), muted);
        let remark = match row {
            Row::Item(item, keeps) => {
                let (mark, role) = match (keeps, &item.pulled_in_by) {
                    (false, _) => (pen.glyphs.ended, Role::Muted),
                    (true, None) => (pen.glyphs.mark, Role::Mark),
                    (true, Some(_)) => (pen.glyphs.pulled, Role::Mark),
                };
                pen.text(x + 2, y, 1, mark, pen.role(role));
                let (glyph, sign) = status_sign(&pen, item.row.status);
                pen.text(x + 4, y, 1, glyph, sign);
                put_title(&mut pen, &item.row.title, if keeps { Role::Text } else { Role::Muted });
                remark(dialog, item, keeps)
            }
            Row::Skipped(skipped) => {
                pen.text(x + 2, y, 1, pen.glyphs.ended, muted);
                let rows = app.current_list().rows();
                let known = rows.iter().find(|session| session.id == skipped.id);
                if let Some(session) = known {
                    let (glyph, _) = status_sign(&pen, session.condition.status);
                    pen.text(x + 4, y, 1, glyph, muted);
                    put_title(&mut pen, &session.title, Role::Muted);
                }
                format!("skipped: {}", skip_word(&skipped.reason))
            }
        };
        let room = place.width.saturating_sub(remark_at + 2);
        pen.text(x + remark_at, y, room, &remark, muted);
    }
}

/// What a session of the plan has that the operator should know.
fn remark(dialog: &PlanDialog, item: &PlanItem, keeps: bool) -> String {
    let mut parts: Vec<String> = Vec::new();
    if !keeps {
        parts.push("dropped".to_owned());
    }
    let restores = matches!(dialog.request, PlanRequest::Restore(_));
    if item.row.live {
        parts.push(if restores { "was live" } else { "live" }.to_owned());
    }
    parts.extend(item.advice.back.as_ref().and_then(Back::note).map(str::to_owned));
    if item.advice.unanswered {
        parts.push("unchecked".to_owned());
    }
    if let Some(n) = item.advice.dirty_files.filter(|n| *n > 0) {
        parts.push(format!("{n} dirty"));
    }
    if let Some(n) = item.advice.unpushed_commits.filter(|n| *n > 0) {
        parts.push(format!("{n} unpushed"));
    }
    if let Some(n) = item.row.open_pr {
        parts.push(format!("PR #{n}"));
    }
    if item.row.pinned && !restores {
        parts.push("pinned".to_owned());
    }
    if let Some(above) = &item.pulled_in_by {
        parts.push(format!("child of {above}"));
    }
    parts.join("  ")
}
