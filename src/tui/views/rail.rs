//! The sections with their counts.

use std::ops::Range;

use ratatui::layout::Rect;

use super::pen::Pen;
use super::signs::zone_sign;
use crate::domain::rail::{SavedFilter, Section};
use crate::domain::status::Zone;
use crate::tui::action::{Action, Context};
use crate::tui::app::layout::Layout;
use crate::tui::app::words::short_number;
use crate::tui::app::{App, Focus, View};
use crate::tui::theme::Role;

/// From this width on sections have numbers.
const NUMBERS_FROM: u16 = 18;

/// One line of the sections.
pub(super) enum Entry<'a> {
    /// A section with its place.
    Section(usize, &'a Section),
    /// A saved filter with its place.
    Filter(usize, &'a SavedFilter),
    /// The empty line before the filters, and before the trash.
    Gap,
    /// The trash.
    Trash,
}

/// The lines on view in an area of this height: the selected one is always among them, the trash keeps the
/// last line, and saved filters stay above it, however many sections there are.
pub(super) fn entries(app: &App, height: usize) -> Vec<Entry<'_>> {
    let (sections, filters) = (&app.board.sections, &app.board.filters);
    let selected = app.rail_index().unwrap_or(0);
    let saved = filters.len().min(height / 3);
    let room = height.saturating_sub(2 + if saved > 0 { saved + 1 } else { 0 }).max(1);
    let shown = window(sections.len(), selected, room);
    let mut entries: Vec<Entry<'_>> =
        shown.filter_map(|at| Some(Entry::Section(at, sections.get(at)?))).collect();
    if saved > 0 {
        entries.push(Entry::Gap);
        let shown = window(filters.len(), selected.saturating_sub(sections.len()), saved);
        let filter = |at: usize| Some(Entry::Filter(sections.len() + at, filters.get(at)?));
        entries.extend(shown.filter_map(filter));
    }
    if height >= entries.len() + 2 {
        entries.push(Entry::Gap);
        entries.push(Entry::Trash);
    }
    entries
}

/// So many of `n` lines that the selected one is among them, or the last where it is beyond.
fn window(n: usize, selected: usize, room: usize) -> Range<usize> {
    let first = (selected.min(n.saturating_sub(1)) + 1).saturating_sub(room);
    first..(first + room).min(n)
}

/// The cells of one line.
struct Line<'a> {
    number: &'a str,
    name: &'a str,
    attention: u64,
    /// None until it was counted.
    total: Option<u64>,
    selected: bool,
}

/// Draws them.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, layout: &Layout) {
    let area = layout.rail;
    let sections = &app.board.sections;
    let totals = sections.iter().map(|section| section.total);
    let waiting = sections.iter().map(|section| section.attention);
    let counts = || app.filter_counts.values();
    let slots = Slots {
        total: slot(totals.chain(counts().map(|count| count.total)).chain([app.board.trash])),
        attention: slot(waiting.chain(counts().map(|count| count.attention))),
    };
    let shown = app.rail_index();
    let trash_key = app.setup.keymap.key_label(&[Context::Global], Action::Trash);
    let trash_key = trash_key.filter(|key| key.len() == 1).unwrap_or_default();
    // A saved filter is known by the sign that its words were typed behind.
    let find_key = app.setup.keymap.key_label(&[Context::Global], Action::Find);
    let find_key = find_key.filter(|key| key.len() == 1).unwrap_or_else(|| "/".to_owned());
    for (row, entry) in entries(app, usize::from(area.height)).iter().enumerate() {
        let (number, name): (String, String);
        let line = match entry {
            Entry::Gap => continue,
            Entry::Section(at, section) => {
                number = if *at < 9 { (at + 1).to_string() } else { String::new() };
                Line {
                    number: &number,
                    name: &section.name,
                    attention: section.attention,
                    total: Some(section.total),
                    selected: shown == Some(*at),
                }
            }
            Entry::Filter(at, filter) => {
                number = if *at < 9 { (at + 1).to_string() } else { String::new() };
                name = format!("{find_key}{}", filter.name);
                let count = app.filter_counts.get(&filter.name).copied();
                Line {
                    number: &number,
                    name: &name,
                    attention: count.map_or(0, |count| count.attention),
                    total: count.map(|count| count.total),
                    selected: shown == Some(*at),
                }
            }
            Entry::Trash => Line {
                number: &trash_key,
                name: "Trash",
                attention: 0,
                total: Some(app.board.trash),
                selected: app.view == View::Trash,
            },
        };
        let at = Rect { y: area.y + row as u16, height: 1, ..area };
        draw_line(&mut pen.within(at), app.focus == Focus::Rail, at, &slots, &line);
    }
}

/// Cells of the numbers, sized for the largest of all sections so that nothing moves.
struct Slots {
    total: u16,
    attention: u16,
}

fn slot(numbers: impl Iterator<Item = u64>) -> u16 {
    short_number(numbers.max().unwrap_or(0)).len().max(2) as u16
}

fn draw_line(pen: &mut Pen<'_>, focused: bool, at: Rect, slots: &Slots, line: &Line<'_>) {
    if line.selected {
        pen.select(at, focused);
    }
    let (y, right) = (at.y, at.right().saturating_sub(1));
    let mut x = at.x + 1;
    if at.width >= NUMBERS_FROM {
        pen.text(x, y, 1, line.number, pen.role(Role::Muted));
        x += 2;
    }
    let counts =
        if line.attention > 0 { slots.total + slots.attention + 4 } else { slots.total + 1 };
    let style = match line.total {
        _ if line.selected => pen.bold(Role::Text),
        Some(0) => pen.role(Role::Muted),
        _ => pen.role(Role::Text),
    };
    pen.text(x, y, right.saturating_sub(x + counts), line.name, style);
    if let Some(total) = line.total {
        pen.right(right, y, slots.total, &short_number(total), pen.role(Role::Muted));
    }
    if line.attention > 0 {
        let (glyph, sign) = zone_sign(pen, Zone::Respond);
        let end = right.saturating_sub(slots.total + 2);
        pen.right(end, y, slots.attention, &short_number(line.attention), sign);
        pen.text(end.saturating_sub(slots.attention + 1), y, 1, glyph, sign);
    }
}
