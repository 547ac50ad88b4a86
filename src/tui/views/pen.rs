//! Drawing into cells: text is set, never patched over what was there (`spec/look.md` section 4).

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::domain::text::{cut, graphemes, width};
use crate::tui::app::App;
use crate::tui::glyph::Glyphs;
use crate::tui::links::Links;
use crate::tui::theme::{Ground, Role, Theme};

/// A piece of text with its style.
pub(super) type Span = (String, Style);

/// What views draw with. Nothing lands outside the clip.
pub(super) struct Pen<'a> {
    buffer: &'a mut Buffer,
    /// Hyperlinks; none where nothing is shown.
    links: Option<&'a mut Links>,
    /// Theme in force.
    pub(super) theme: &'a Theme,
    /// Glyphs in force.
    pub(super) glyphs: Glyphs,
    /// Laid under everything that is drawn.
    pub(super) ground: Style,
    clip: Rect,
}

impl<'a> Pen<'a> {
    /// A pen for the whole window, with its hyperlinks.
    pub(super) fn linking(buffer: &'a mut Buffer, links: &'a mut Links, app: &'a App) -> Self {
        Self { links: Some(links), ..Self::new(buffer, app) }
    }

    /// A pen for what is only measured.
    pub(super) fn new(buffer: &'a mut Buffer, app: &'a App) -> Self {
        let clip = buffer.area;
        Self {
            buffer,
            links: None,
            theme: &app.setup.theme,
            glyphs: app.setup.glyphs,
            ground: Style::new(),
            clip,
        }
    }

    /// The same pen, kept inside an area.
    pub(super) fn within(&mut self, area: Rect) -> Pen<'_> {
        Pen {
            clip: self.clip.intersection(area),
            buffer: self.buffer,
            links: self.links.as_deref_mut(),
            theme: self.theme,
            glyphs: self.glyphs,
            ground: self.ground,
        }
    }

    /// Style of a role.
    pub(super) fn role(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// Style of a role, bold.
    pub(super) fn bold(&self, role: Role) -> Style {
        self.theme.style(role).add_modifier(Modifier::BOLD)
    }

    /// Sets one cell.
    pub(super) fn cell(&mut self, x: u16, y: u16, symbol: &str, style: Style) {
        if !self.clip.contains((x, y).into()) {
            return;
        }
        if let Some(cell) = self.buffer.cell_mut((x, y)) {
            cell.reset();
            cell.set_symbol(symbol).set_style(self.ground.patch(style));
        }
        if let Some(links) = &mut self.links {
            links.remove((x, y));
        }
    }

    /// Has a cell that was drawn belong to a hyperlink.
    pub(super) fn link(&mut self, x: u16, y: u16, target: &Arc<str>) {
        if let Some(links) = self.links.as_mut().filter(|_| self.clip.contains((x, y).into())) {
            links.put((x, y), target);
        }
    }

    /// Writes a text over at most `room` cells, cut with the mark for it; answers the cells used.
    pub(super) fn text(&mut self, x: u16, y: u16, room: u16, text: &str, style: Style) -> u16 {
        let text = cut(text, usize::from(room), self.glyphs.cut);
        self.raw(x, y, room, &text, style)
    }

    /// Writes a text, dropping what goes beyond `room`.
    pub(super) fn raw(&mut self, x: u16, y: u16, room: u16, text: &str, style: Style) -> u16 {
        let mut used = 0;
        for grapheme in graphemes(text) {
            let cells = width(grapheme) as u16;
            if cells == 0 {
                continue;
            }
            if used + cells > room {
                break;
            }
            let at = x.saturating_add(used);
            if cells == 2 && !self.clip.contains((at + 1, y).into()) {
                break;
            }
            self.cell(at, y, grapheme, style);
            for covered in 1..cells {
                self.cell(at + covered, y, "", style);
            }
            used += cells;
        }
        used
    }

    /// Writes a text that ends before `right`.
    pub(super) fn right(&mut self, right: u16, y: u16, room: u16, text: &str, style: Style) {
        let text = cut(text, usize::from(room), self.glyphs.cut);
        let cells = width(&text) as u16;
        self.raw(right.saturating_sub(cells), y, room, &text, style);
    }

    /// Writes spans one after the other; answers the cells used.
    pub(super) fn spans(&mut self, x: u16, y: u16, room: u16, spans: &[Span]) -> u16 {
        let mut used = 0;
        for (text, style) in spans {
            if used >= room {
                break;
            }
            used += self.text(x.saturating_add(used), y, room - used, text, *style);
        }
        used
    }

    /// Fills a row with blanks on the ground.
    pub(super) fn blank(&mut self, area: Rect) {
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                self.cell(x, y, " ", Style::new());
            }
        }
    }

    /// Makes a row the selected one: the bar, and the ground under the rest of it from here on.
    /// The bar itself is never reversed.
    pub(super) fn select(&mut self, row: Rect, focused: bool) {
        let (ground, role) =
            if focused { (Ground::Select, Role::Accent) } else { (Ground::SelectOff, Role::Muted) };
        self.ground = Style { bg: self.theme.ground(ground).bg, ..Style::new() };
        self.cell(row.x, row.y, self.glyphs.bar, self.role(role));
        self.on(ground);
        self.blank(Rect { x: row.x + 1, width: row.width.saturating_sub(1), height: 1, ..row });
    }

    /// Draws on a ground from here on.
    pub(super) fn on(&mut self, ground: Ground) {
        self.ground = self.theme.ground(ground);
    }

    /// A rule with a title on its left and a remark on its right, as far as there is room.
    pub(super) fn rule(
        &mut self,
        x: u16,
        y: u16,
        cells: u16,
        heavy: bool,
        left: &[Span],
        right: &[Span],
    ) {
        let (glyph, role) = if heavy {
            (self.glyphs.heavy, Role::Accent)
        } else {
            (self.glyphs.rule, Role::Border)
        };
        let style = self.role(role);
        for at in 0..cells {
            self.cell(x + at, y, glyph, style);
        }
        let left_cells = spans_width(left).min(cells.saturating_sub(4));
        if left_cells > 0 {
            self.cell(x + 1, y, " ", Style::new());
            let used = self.spans(x + 2, y, left_cells, left);
            self.cell(x + 2 + used, y, " ", Style::new());
        }
        let right_cells = spans_width(right);
        if right_cells > 0 && left_cells + right_cells + 8 <= cells {
            let start = x + cells - right_cells - 2;
            self.cell(start - 1, y, " ", Style::new());
            self.spans(start, y, right_cells, right);
            self.cell(start + right_cells, y, " ", Style::new());
        }
    }

    /// Everything so far in the colour of what lies under a dialog, without bold or grounds.
    pub(super) fn veil(&mut self) {
        let style = self.role(Role::Veil);
        let area = self.clip;
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.set_style(Style::reset());
                    cell.set_style(style);
                }
            }
        }
    }
}

/// Cells of spans.
pub(super) fn spans_width(spans: &[Span]) -> u16 {
    spans.iter().map(|(text, _)| width(text) as u16).sum()
}
