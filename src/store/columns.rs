//! Reading rows: columns in the order of the statement, turned into domain values.

use std::path::PathBuf;
use std::str::FromStr;

use rusqlite::Row;
use rusqlite::types::{FromSql, Type};
use serde::de::DeserializeOwned;

use crate::domain::time::Timestamp;

use super::error::{Fault, Outcome, StoreError};

/// Takes the columns of a row one after the other.
pub(super) struct Columns<'r, 's> {
    row: &'r Row<'s>,
    next: usize,
}

impl<'r, 's> Columns<'r, 's> {
    /// From the first column on.
    pub(super) fn of(row: &'r Row<'s>) -> Self {
        Self { row, next: 0 }
    }

    /// Passes over a column.
    pub(super) fn skip(&mut self) {
        self.next += 1;
    }

    /// A plain value.
    pub(super) fn get<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        let at = self.next;
        self.next += 1;
        self.row.get(at)
    }

    /// A text where it lies, for what needs no copy of it.
    pub(super) fn text(&mut self) -> rusqlite::Result<&'r str> {
        let at = self.next;
        self.next += 1;
        self.row.get_ref(at)?.as_str().map_err(|error| self.illegal(error))
    }

    /// As [`Columns::text`], or nothing.
    fn text_or_none(&mut self) -> rusqlite::Result<Option<&'r str>> {
        let at = self.next;
        self.next += 1;
        self.row.get_ref(at)?.as_str_or_null().map_err(|error| self.illegal(error))
    }

    /// A value kept as text: a word, a name.
    pub(super) fn word<T>(&mut self) -> rusqlite::Result<T>
    where
        T: FromStr,
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        self.text()?.parse().map_err(|error| self.illegal(error))
    }

    /// As [`Columns::word`], or nothing.
    pub(super) fn word_or_none<T>(&mut self) -> rusqlite::Result<Option<T>>
    where
        T: FromStr,
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        let text = self.text_or_none()?;
        text.map(|text| text.parse().map_err(|error| self.illegal(error))).transpose()
    }

    /// A value kept as JSON.
    pub(super) fn json<T: DeserializeOwned>(&mut self) -> rusqlite::Result<T> {
        serde_json::from_str(self.text()?).map_err(|error| self.illegal(error))
    }

    /// As [`Columns::json`], or nothing.
    pub(super) fn json_or_none<T: DeserializeOwned>(&mut self) -> rusqlite::Result<Option<T>> {
        let text = self.text_or_none()?;
        text.map(|text| serde_json::from_str(text).map_err(|error| self.illegal(error))).transpose()
    }

    /// A time.
    pub(super) fn time(&mut self) -> rusqlite::Result<Timestamp> {
        self.get().map(Timestamp)
    }

    /// A time, or nothing.
    pub(super) fn time_or_none(&mut self) -> rusqlite::Result<Option<Timestamp>> {
        Ok(self.get::<Option<i64>>()?.map(Timestamp))
    }

    /// A path, or nothing.
    pub(super) fn path_or_none(&mut self) -> rusqlite::Result<Option<PathBuf>> {
        Ok(self.get::<Option<String>>()?.map(PathBuf::from))
    }

    /// An error about the column that was read last.
    pub(super) fn illegal(
        &self,
        error: impl std::error::Error + Send + Sync + 'static,
    ) -> rusqlite::Error {
        rusqlite::Error::FromSqlConversionFailure(self.next - 1, Type::Text, Box::new(error))
    }
}

/// A value as JSON text.
pub(super) fn to_json(value: &impl serde::Serialize) -> Outcome<String> {
    serde_json::to_string(value)
        .map_err(|error| Fault::Sql(rusqlite::Error::ToSqlConversionFailure(Box::new(error))))
}

/// As [`to_json`], or nothing.
pub(super) fn to_json_or_none(value: Option<&impl serde::Serialize>) -> Outcome<Option<String>> {
    value.map(to_json).transpose()
}

/// Ids as a JSON list, for `json_each`.
pub(super) fn id_list<'i, T: AsRef<str> + 'i>(ids: impl IntoIterator<Item = &'i T>) -> String {
    let ids: Vec<&str> = ids.into_iter().map(AsRef::as_ref).collect();
    serde_json::Value::from(ids).to_string()
}

/// A path as it is stored. Others than UTF-8 are refused: they would not come back as they were.
pub(super) fn path_text(path: &std::path::Path) -> Outcome<&str> {
    path.to_str().ok_or_else(|| Fault::Refused(StoreError::Path { path: path.to_owned() }))
}
