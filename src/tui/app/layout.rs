//! Where everything is, by the size of the window (`spec/look.md` section 5). Pure geometry: used by
//! the drawing, and by the update for what it must know (pages, clicks, the size given to agents).

use ratatui::layout::Rect;

/// From this width on there is a right pane.
pub const THREE_COLUMNS: u16 = 120;
/// From this width on there are sections beside the list.
pub const TWO_COLUMNS: u16 = 80;
/// Width of the list while an agent is typed to in place.
const TYPING_LIST: u16 = 36;

/// What is on view, as far as the geometry depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Sections, list, right pane or peek.
    Board {
        /// The right pane takes the place of the list where there is no room for both.
        right: bool,
        /// The sections have the focus: they are all there is on a narrow window.
        rail: bool,
    },
    /// Typing in place.
    Typing,
    /// One session over the whole window.
    Zoom,
    /// Sections and one wide pane.
    Wide,
    /// Two panes: operations and results; one of them where there is no room for both.
    Pair {
        /// The results have the focus.
        right: bool,
    },
    /// One pane.
    Single,
    /// Tiles.
    Wall,
}

/// The areas; an area without width or height is not drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout {
    /// Top line.
    pub top: Rect,
    /// Rules with titles.
    pub rules: Rect,
    /// Sections, without rules.
    pub rail: Rect,
    /// The middle pane, without rules.
    pub list: Rect,
    /// Rule of the peek.
    pub peek_rule: Rect,
    /// The peek.
    pub peek: Rect,
    /// The right pane, without rules and strip.
    pub right: Rect,
    /// Rule above the strip.
    pub strip_rule: Rect,
    /// The strip under the screen.
    pub strip: Rect,
    /// The tiles, with their rules.
    pub wall: Rect,
    /// Closing rule.
    pub closing: Rect,
    /// Bottom line.
    pub keys: Rect,
}

impl Layout {
    /// The areas of a window.
    pub fn of((cols, rows): (u16, u16), shape: Shape) -> Self {
        let line = |y, on: bool| Rect::new(0, y, cols, u16::from(on));
        let (top, rules, keys) = (rows >= 8, rows >= 12, rows >= 6);
        let zoom = shape == Shape::Zoom;
        let body_y = u16::from(top) + u16::from(rules);
        let keys_y = rows.saturating_sub(u16::from(keys && !zoom));
        let closing_y = keys_y.saturating_sub(u16::from(rules && !zoom));
        let body = Rect::new(0, body_y, cols, closing_y.saturating_sub(body_y));
        let mut layout = Self {
            top: line(0, top),
            rules: line(u16::from(top), rules),
            closing: line(closing_y, rules && !zoom),
            keys: line(keys_y, keys && !zoom),
            ..Self::default()
        };
        match shape {
            Shape::Zoom => layout.right = body,
            Shape::Single => layout.list = body,
            Shape::Wall => {
                let y = layout.top.bottom();
                layout.wall = Rect { y, height: closing_y.saturating_sub(y), ..body };
            }
            Shape::Typing => {
                let (list, right) = beside(body, TYPING_LIST.min(cols));
                layout.list = list;
                layout.take_right(right, 1);
            }
            Shape::Pair { right: true } if cols < THREE_COLUMNS => layout.right = body,
            Shape::Pair { .. } if cols < THREE_COLUMNS => layout.list = body,
            Shape::Pair { .. } => {
                let (list, right) = beside(body, (cols * 5 / 12).min(60));
                layout.list = list;
                layout.right = right;
            }
            Shape::Wide => {
                let (rail, list) = beside(body, rail_width(cols));
                layout.rail = rail;
                layout.list = list;
            }
            Shape::Board { right, rail } => layout.board(body, cols, rows, right, rail),
        }
        layout
    }

    fn board(&mut self, body: Rect, cols: u16, rows: u16, right: bool, rail: bool) {
        if cols < TWO_COLUMNS && rail {
            self.rail = body;
            return;
        }
        let (sections, rest) = beside(body, rail_width(cols));
        self.rail = sections;
        if cols >= THREE_COLUMNS {
            let width = if cols >= 180 { 82 } else { 46 };
            let (list, pane) = beside(rest, rest.width - width - 1);
            self.list = list;
            self.take_right(pane, 2);
        } else if right {
            self.take_right(rest, 2);
        } else {
            let peek = peek_rows(cols, rows).min(rest.height.saturating_sub(2));
            self.list = rest;
            if peek > 0 {
                self.list.height = rest.height - peek - 1;
                let y = rest.y + self.list.height;
                self.peek_rule = Rect { y, height: 1, ..rest };
                self.peek = Rect { y: y + 1, height: peek, ..rest };
            }
        }
    }

    /// Gives an area to the right pane, with `strip` lines below it where there is room.
    fn take_right(&mut self, area: Rect, strip: u16) {
        self.right = area;
        if area.height >= strip + 8 {
            self.right.height = area.height - strip - 1;
            let y = area.y + self.right.height;
            self.strip_rule = Rect { y, height: 1, ..area };
            self.strip = Rect { y: y + 1, height: strip, ..area };
        }
    }

    /// Lines of the list, without its header.
    pub fn list_rows(&self) -> Rect {
        let header = u16::from(self.has_header());
        let list = self.list;
        Rect { y: list.y + header, height: list.height.saturating_sub(header), ..list }
    }

    /// Whether the list has a line with the names of its columns.
    pub fn has_header(&self) -> bool {
        self.rules.width >= THREE_COLUMNS && self.list.height >= 4 && self.list.width > TYPING_LIST
    }
}

/// Columns and rows of an agent that is typed to in a window of this size; also what a new one is
/// given (`spec/look.md` section 5).
pub fn typing_size(size: (u16, u16)) -> (u16, u16) {
    let shape = if size.0 >= THREE_COLUMNS { Shape::Typing } else { Shape::Zoom };
    pane_size(&Layout::of(size, shape))
}

/// Cells of the right pane that an agent's screen gets: one empty cell at its left.
pub fn pane_size(layout: &Layout) -> (u16, u16) {
    let inner = inset(layout.right);
    (inner.width.max(2), inner.height.max(1))
}

/// The area of a screen in its pane: one empty cell at the left.
pub fn inset(area: Rect) -> Rect {
    let left = area.width.min(1);
    Rect { x: area.x + left, width: area.width - left, ..area }
}

/// Splits an area at `left` cells; one cell between the two is the line between columns.
fn beside(area: Rect, left: u16) -> (Rect, Rect) {
    let left = left.min(area.width);
    if left == 0 {
        return (Rect::default(), area);
    }
    let gap = (area.width - left).min(1);
    let first = Rect { width: left, ..area };
    let second = Rect { x: area.x + left + gap, width: area.width - left - gap, ..area };
    (first, second)
}

/// Width of the sections; 0 where they are not beside the list.
fn rail_width(cols: u16) -> u16 {
    match cols {
        160.. => 24,
        120..=159 => 18,
        80..=119 => 17,
        _ => 0,
    }
}

fn peek_rows(cols: u16, rows: u16) -> u16 {
    match rows {
        _ if cols < 24 => 0,
        24.. => 6,
        18..=23 => 4,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_the_width() {
        let board =
            |cols, rows| Layout::of((cols, rows), Shape::Board { right: false, rail: false });
        let wide = board(200, 60);
        assert_eq!((wide.rail.width, wide.list.width, wide.right.width), (24, 92, 82));
        let middle = board(120, 40);
        assert_eq!((middle.rail.width, middle.list.width, middle.right.width), (18, 54, 46));
        let small = board(80, 24);
        assert_eq!((small.rail.width, small.list.width, small.peek.height), (17, 62, 6));
        assert_eq!(board(50, 20).peek.height, 4);
        assert_eq!(board(20, 5).list, Rect::new(0, 0, 20, 5));
    }

    #[test]
    fn an_agent_gets_the_typing_pane() {
        assert_eq!(typing_size((120, 40)), (82, 34));
        assert_eq!(typing_size((80, 24)), (79, 22));
    }
}
