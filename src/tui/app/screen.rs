//! An agent's screen as the dashboard draws it: a picture made by the runner when it changed.

use std::sync::Arc;

use ratatui::style::Style;

/// One cell that is not blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenCell {
    /// Column, from 0.
    pub col: u16,
    /// Character with its combining marks.
    pub text: String,
    /// Columns taken: 1 or 2.
    pub width: u16,
    /// Its own colours; ours never touch them.
    pub style: Style,
    /// Target of its hyperlink, where that may be opened.
    pub link: Option<Arc<str>>,
}

/// The visible rows of an agent's screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScreenCells {
    /// Columns and rows of the agent.
    pub size: (u16, u16),
    /// Rows from the top; cells ascending by column, blank ones left out.
    pub rows: Vec<Vec<ScreenCell>>,
    /// Column and row of the cursor, where the agent shows it.
    pub cursor: Option<(u16, u16)>,
    /// What of the mouse the program wants.
    pub takes: Takes,
    /// Nobody runs behind it any more: it is the last one.
    pub ended: bool,
    /// Its keeper does not answer: it is the last that is known.
    pub silent: bool,
    /// What was typed last was not taken, and why.
    pub refused: Option<&'static str>,
}

/// What of the mouse a program wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Takes {
    /// Clicks and drags.
    pub clicks: bool,
    /// The wheel.
    pub wheel: bool,
}

impl ScreenCells {
    /// The picture of plain text, for tests and for a screen that was only read as text.
    pub fn from_lines(cols: u16, lines: &[&str]) -> Self {
        let rows = lines
            .iter()
            .map(|line| {
                let chars = line.chars().enumerate().filter(|(_, c)| *c != ' ');
                let cells = chars.map(|(col, c)| ScreenCell {
                    col: col as u16,
                    text: c.to_string(),
                    width: 1,
                    style: Style::new(),
                    link: None,
                });
                cells.collect()
            })
            .collect();
        Self { size: (cols, lines.len() as u16), rows, ..Self::default() }
    }

    /// The first row on view in a pane of this height. Where the agent is typed to, its whole screen is;
    /// else its last used line is the last one on view.
    pub fn first(&self, height: u16, typing: bool) -> usize {
        let used = if typing { self.rows.len() } else { self.used() };
        used.saturating_sub(usize::from(height))
    }

    /// Index behind the last row that has something on it.
    pub fn used(&self) -> usize {
        self.rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1)
    }
}
