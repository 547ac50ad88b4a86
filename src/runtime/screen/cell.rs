//! Cells as the rest of the program sees them: our own colours and styles.

use rio_vt::config::colors::{AnsiColor, NamedColor};
use rio_vt::crosswords::grid::{Dimensions, Grid};
use rio_vt::crosswords::pos::{Column, Line};
use rio_vt::crosswords::square::{Extras, Hyperlink, Square, Wide};
use rio_vt::crosswords::style::{Style as EngineStyle, StyleFlags, UnderlineKind};

/// A colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Color {
    /// The terminal's own foreground, background or (for underlines) text colour.
    #[default]
    Default,
    /// One of the 256 palette colours.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// Kind of underline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Underline {
    /// No underline.
    #[default]
    None,
    /// One line.
    Single,
    /// Two lines.
    Double,
    /// A wave.
    Curly,
    /// Dots.
    Dotted,
    /// Dashes.
    Dashed,
}

/// How a cell looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "independent attributes of a cell")]
pub struct Style {
    /// Text colour.
    pub fg: Color,
    /// Background colour.
    pub bg: Color,
    /// Underline colour; [`Color::Default`] is the text colour.
    pub underline_color: Color,
    /// Underline kind.
    pub underline: Underline,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Foreground and background exchanged.
    pub inverse: bool,
    /// Text not shown.
    pub hidden: bool,
    /// Struck through.
    pub strike: bool,
    /// Blinking, slow or fast.
    pub blink: bool,
}

/// One cell of a row, as [`super::Screen::row`] shows it. The second column of a wide character
/// has no cell of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellRef<'a> {
    /// Column, from 0.
    pub col: u16,
    /// Character with its combining marks; a space where nothing is.
    pub text: &'a str,
    /// Columns taken: 1 or 2.
    pub width: u8,
    /// Look.
    pub style: Style,
    /// Target of the hyperlink (OSC 8) the cell belongs to.
    pub link: Option<&'a str>,
}

impl From<AnsiColor> for Color {
    fn from(color: AnsiColor) -> Self {
        match color {
            AnsiColor::Named(named) if (named as usize) < 16 => Self::Indexed(named as u8),
            AnsiColor::Named(_) => Self::Default,
            AnsiColor::Indexed(index) => Self::Indexed(index),
            AnsiColor::Spec(rgb) => Self::Rgb(rgb.r, rgb.g, rgb.b),
        }
    }
}

impl From<EngineStyle> for Style {
    fn from(style: EngineStyle) -> Self {
        let has = |flag| style.flags.intersects(flag);
        Self {
            fg: style.fg.into(),
            bg: style.bg.into(),
            underline_color: style.underline_color.map_or(Color::Default, Into::into),
            underline: match style.flags.underline_kind() {
                None => Underline::None,
                Some(UnderlineKind::Single) => Underline::Single,
                Some(UnderlineKind::Double) => Underline::Double,
                Some(UnderlineKind::Curly) => Underline::Curly,
                Some(UnderlineKind::Dotted) => Underline::Dotted,
                Some(UnderlineKind::Dashed) => Underline::Dashed,
            },
            bold: has(StyleFlags::BOLD),
            dim: has(StyleFlags::DIM),
            italic: has(StyleFlags::ITALIC),
            inverse: has(StyleFlags::INVERSE),
            hidden: has(StyleFlags::HIDDEN),
            strike: has(StyleFlags::STRIKEOUT),
            blink: has(StyleFlags::ALL_BLINK),
        }
    }
}

impl Style {
    /// Parameters of the SGR sequence that sets exactly this style (`0;1;38;5;4`).
    pub(super) fn sgr(&self) -> String {
        let mut out = String::from("0");
        let attributes = [
            (self.bold, ";1"),
            (self.dim, ";2"),
            (self.italic, ";3"),
            (self.blink, ";5"),
            (self.inverse, ";7"),
            (self.hidden, ";8"),
            (self.strike, ";9"),
        ];
        for (on, code) in attributes {
            if on {
                out.push_str(code);
            }
        }
        out.push_str(match self.underline {
            Underline::None => "",
            Underline::Single => ";4",
            Underline::Double => ";4:2",
            Underline::Curly => ";4:3",
            Underline::Dotted => ";4:4",
            Underline::Dashed => ";4:5",
        });
        out.push_str(&color_sgr(self.fg, 30, 90));
        out.push_str(&color_sgr(self.bg, 40, 100));
        let underline_color = match self.underline_color {
            Color::Default => String::new(),
            Color::Indexed(index) => format!(";58:5:{index}"),
            Color::Rgb(r, g, b) => format!(";58:2::{r}:{g}:{b}"),
        };
        out.push_str(&underline_color);
        out
    }
}

fn color_sgr(color: Color, base: u8, bright: u8) -> String {
    match color {
        Color::Default => String::new(),
        Color::Indexed(index @ 0..8) => format!(";{}", base + index),
        Color::Indexed(index @ 8..16) => format!(";{}", bright + index - 8),
        Color::Indexed(index) => format!(";{};5;{index}", base + 8),
        Color::Rgb(r, g, b) => format!(";{};2;{r};{g};{b}", base + 8),
    }
}

/// The side data of a cell: combining marks and hyperlink. Cells that hold only a background keep
/// a colour where others keep the key to it.
pub(super) fn extras(grid: &Grid<Square>, cell: Square) -> Option<&Extras> {
    cell.extras_id_checked().and_then(|id| grid.extras_table.get(id))
}

/// The hyperlink kept with a cell or a pen.
pub(super) fn hyperlink(grid: &Grid<Square>, cell: Square) -> Option<&Hyperlink> {
    if !cell.has_hyperlink() {
        return None;
    }
    extras(grid, cell).and_then(|extras| extras.hyperlink.as_ref())
}

/// The hyperlink that a cell shows.
pub(super) fn link(grid: &Grid<Square>, cell: Square) -> Option<&Hyperlink> {
    if is_erased(grid, cell) { None } else { hyperlink(grid, cell) }
}

/// Combining marks of a cell.
pub(super) fn marks(grid: &Grid<Square>, cell: Square) -> &[char] {
    extras(grid, cell).map_or(&[], |extras| extras.zerowidth.as_slice())
}

/// Whether nothing is printed in the cell: it was never written to, or it was erased.
pub(super) fn is_erased(grid: &Grid<Square>, cell: Square) -> bool {
    cell.c() == '\0' && cell.wide() == Wide::Narrow && marks(grid, cell).is_empty()
}

/// Whether a row shows nothing at all.
pub(super) fn is_blank_row(grid: &Grid<Square>, row: i32) -> bool {
    (0..grid.columns()).all(|column| {
        let cell = grid[Line(row)][Column(column)];
        is_erased(grid, cell) && look(grid, cell) == Style::default()
    })
}

/// The character of a cell as drawn.
pub(super) fn shown(cell: Square) -> char {
    match cell.c() {
        '\0' => ' ',
        c => c,
    }
}

/// The look of a cell. Cells where nothing was printed have the background they were erased with
/// and nothing else; the engine gives them the whole pen where a scroll brings in a new row.
pub(super) fn look(grid: &Grid<Square>, cell: Square) -> Style {
    let style = Style::from(grid.style_of(&cell));
    if cell.c() == '\0' { Style { bg: style.bg, ..Style::default() } } else { style }
}

/// Columns that the cell at `column` takes: 2 for a wide character that has room.
pub(super) fn span(grid: &Grid<Square>, row: i32, column: usize) -> usize {
    let wide = grid[Line(row)][Column(column)].is_wide() && column + 1 < grid.columns();
    usize::from(wide) + 1
}

/// Shows every cell of a row but the second columns of wide characters.
pub(super) fn visit_row(grid: &Grid<Square>, row: i32, visit: &mut dyn FnMut(CellRef<'_>)) {
    let mut text = String::new();
    let line = Line(row);
    let mut column = 0;
    while column < grid.columns() {
        let cell = grid[line][Column(column)];
        let width = span(grid, row, column);
        text.clear();
        text.push(shown(cell));
        text.extend(marks(grid, cell));
        visit(CellRef {
            col: column as u16,
            text: &text,
            width: width as u8,
            style: look(grid, cell),
            link: link(grid, cell).map(Hyperlink::uri),
        });
        column += width;
    }
}

/// Whether a row goes on in the next one.
pub(super) fn wraps(grid: &Grid<Square>, row: i32) -> bool {
    let last = Column(grid.columns() - 1);
    let line = &grid[Line(row)];
    // Before a wide character that had no room the row ends with a placeholder.
    line[last].wrapline() || line[last].wide() == Wide::LeadingSpacer
}

/// Text of a row, trailing blanks trimmed.
pub(super) fn row_text(grid: &Grid<Square>, row: i32) -> String {
    let mut text = String::new();
    visit_row(grid, row, &mut |cell| text.push_str(cell.text));
    text.truncate(text.trim_end_matches(' ').len());
    text
}

/// The engine's names for the default colours.
pub(super) const DEFAULT_COLORS: [(usize, &str); 3] = [
    (NamedColor::Foreground as usize, "10"),
    (NamedColor::Background as usize, "11"),
    (NamedColor::Cursor as usize, "12"),
];
