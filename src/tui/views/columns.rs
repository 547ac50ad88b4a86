//! The columns of the list by its width (`spec/look.md` section 5). Their places depend on nothing
//! but the width and the longest id.

/// Cells before the id: bar, mark, gap, state, activity, gap.
pub(super) const ID_AT: u16 = 6;
/// The title keeps at least these.
const TITLE: u16 = 12;

/// Columns at the right of the title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    /// The agent.
    Agent,
    /// The branch.
    Branch,
    /// Added and removed lines.
    Diff,
    /// The worst open pull request.
    Pr,
    /// The status word.
    Status,
    /// How long it is so.
    Age,
}

impl Column {
    /// Cells of its content.
    pub(super) fn cells(self) -> u16 {
        match self {
            Self::Agent => 8,
            Self::Branch => 14,
            Self::Diff => 10,
            Self::Pr => 5,
            Self::Status => 11,
            Self::Age => 3,
        }
    }

    /// Its name in the header.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Branch => "branch",
            Self::Diff => "diff",
            Self::Pr => "PR",
            Self::Status => "status",
            Self::Age => "age",
        }
    }

    /// Whether its content ends at its right edge.
    pub(super) fn is_right(self) -> bool {
        matches!(self, Self::Diff | Self::Pr | Self::Age)
    }

    /// The list's width from which it is shown.
    fn from(self) -> u16 {
        match self {
            Self::Age => 30,
            Self::Status => 40,
            Self::Pr => 60,
            Self::Agent => 72,
            Self::Diff => 84,
            Self::Branch => 108,
        }
    }
}

/// All columns from left to right.
const ORDER: [Column; 6] =
    [Column::Agent, Column::Branch, Column::Diff, Column::Pr, Column::Status, Column::Age];
/// The order in which they leave.
const LEAVING: [Column; 6] =
    [Column::Branch, Column::Diff, Column::Agent, Column::Pr, Column::Status, Column::Age];

/// Where everything in a row is, from the left edge of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns {
    /// Cells of the id.
    pub id: u16,
    /// Start of the title.
    pub title_at: u16,
    /// Cells of the title.
    pub title: u16,
    /// The columns that are shown with their start.
    pub shown: Vec<(Column, u16)>,
}

impl Columns {
    /// The columns of a list of this width.
    pub(super) fn of(list: u16, id: u16) -> Self {
        let title_at = ID_AT + id + 2;
        let mut shown: Vec<Column> =
            ORDER.into_iter().filter(|column| list >= column.from()).collect();
        let taken =
            |shown: &[Column]| shown.iter().map(|column| column.cells() + 2).sum::<u16>() + 1;
        for column in LEAVING {
            if list >= title_at + TITLE + taken(&shown) {
                break;
            }
            shown.retain(|shown| *shown != column);
        }
        let title = list.saturating_sub(title_at + taken(&shown));
        let mut at = title_at + title;
        let shown = shown
            .into_iter()
            .map(|column| {
                let start = at + 2;
                at = start + column.cells();
                (column, start)
            })
            .collect();
        Self { id, title_at, title, shown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: u16) -> Vec<&'static str> {
        Columns::of(list, 7).shown.iter().map(|(column, _)| column.name()).collect()
    }

    #[test]
    fn columns_come_with_width_and_the_title_keeps_twelve_cells() {
        assert_eq!(names(20), [""; 0]);
        assert_eq!(names(36), ["age"]);
        assert_eq!(names(54), ["status", "age"]);
        assert_eq!(names(62), ["PR", "status", "age"]);
        assert_eq!(names(92), ["agent", "diff", "PR", "status", "age"]);
        assert_eq!(names(120).len(), 6);
        for list in 30..300 {
            let columns = Columns::of(list, 14);
            assert!(columns.title >= TITLE || columns.shown.is_empty(), "{list}");
        }
    }

    #[test]
    fn the_last_column_ends_one_cell_before_the_edge() {
        let columns = Columns::of(62, 7);
        assert_eq!(columns.title, 21);
        let (age, start) = columns.shown[2];
        assert_eq!(start + age.cells(), 61);
    }
}
