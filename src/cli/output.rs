//! What commands print: JSON or plain text on standard output, errors on standard error.

use std::io::{self, Write};

use serde::Serialize;

use crate::domain::text::{clean_line, width};

use super::error::{CliError, ErrorReport};

/// What is attempted where the answer is printed.
pub(crate) const STDOUT: &str = "writing to standard output";

/// How to print.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Output {
    /// As JSON.
    pub(crate) json: bool,
    /// Without reports.
    pub(crate) quiet: bool,
}

impl Output {
    /// Prints what was asked for.
    ///
    /// # Errors
    /// [`CliError::ClosedPipe`], or writing failed.
    pub(crate) fn answer<T: Serialize>(
        self,
        value: &T,
        human: impl FnOnce(&T) -> String,
    ) -> Result<(), CliError> {
        if self.json { write_json(value) } else { write_text(&human(value)) }
    }

    /// Prints what was done; as text only where not told to be quiet.
    ///
    /// # Errors
    /// As [`Output::answer`].
    pub(crate) fn report<T: Serialize>(
        self,
        value: &T,
        human: impl FnOnce(&T) -> String,
    ) -> Result<(), CliError> {
        if self.quiet && !self.json { Ok(()) } else { self.answer(value, human) }
    }

    /// Prints a remark on standard error, where people read it.
    pub(crate) fn remark(self, text: &str) {
        if !self.json && !self.quiet {
            // Nobody is left to tell where that fails.
            let _gone = writeln!(io::stderr().lock(), "{}", clean_line(text));
        }
    }

    /// Prints an error on standard error; nobody is left to tell where that fails.
    pub(crate) fn error(self, error: &CliError) {
        let text = if self.json {
            serde_json::to_string(&ErrorReport::from(error)).unwrap_or_else(|_| error.to_string())
        } else {
            let hint = error.hint().map(|hint| format!("\nhint: {}", clean_line(&hint)));
            format!("error: {}{}", clean_lines(&error.to_string()), hint.unwrap_or_default())
        };
        let _gone = writeln!(io::stderr().lock(), "{text}");
    }
}

/// Writes one JSON value and a line end.
fn write_json<T: Serialize>(value: &T) -> Result<(), CliError> {
    let text = serde_json::to_string(value)
        .map_err(|error| CliError::io("writing JSON")(io::Error::other(error)))?;
    write_text(&text)
}

/// Writes a text, with a line end where it has none; nothing where it is empty.
///
/// # Errors
/// As [`Output::answer`].
pub(crate) fn write_text(text: &str) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.write_all(end.as_bytes()))
        .and_then(|()| stdout.flush())
        .map_err(CliError::writing(STDOUT))
}

/// Cleans a text line by line.
fn clean_lines(text: &str) -> String {
    text.lines().map(clean_line).collect::<Vec<_>>().join("\n")
}

/// One line for each item.
pub(crate) fn lines<T>(items: impl IntoIterator<Item = T>, line: impl Fn(T) -> String) -> String {
    items.into_iter().flat_map(|item| [line(item), "\n".to_owned()]).collect()
}

/// Columns of text, each as wide as its widest cell; control characters are removed.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings.
    pub(crate) fn new(headings: &[&str]) -> Self {
        Self { rows: vec![headings.iter().map(|text| text.to_uppercase()).collect()] }
    }

    /// A table without headings, for names and values.
    pub(crate) fn plain() -> Self {
        Self::default()
    }

    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        self.rows.push(cells.iter().map(|text| clean_line(text)).collect());
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|at| self.rows.iter().filter_map(|row| row.get(at)).map(|c| width(c)).max())
            .map(Option::unwrap_or_default)
            .collect();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, wide) in row.iter().zip(&widths) {
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', wide - width(cell) + 2));
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_cells_and_cleaned() {
        let mut table = Table::new(&["id", "title"]);
        table.row(["shop-1", "日本"]);
        table.row(["a", "b\u{1b}[31m\nc"]);
        assert_eq!(table.to_string(), "ID      TITLE\nshop-1  日本\na       b[31m c\n");
    }
}
