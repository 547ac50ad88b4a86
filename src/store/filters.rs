//! Filters that the operator saved (`spec/console.md`), and how many sessions a filter lets through.

use rusqlite::{params, params_from_iter};

use crate::domain::query::{Filter, PageQuery};
use crate::domain::rail::{FilterCount, SavedFilter, SectionKey};

use super::columns::Columns;
use super::connection::Durability;
use super::error::Outcome;
use super::page::Rows;
use super::{Scope, Store, StoreError};

impl Store {
    /// Saved filters in the order in which they were saved.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn filters(&self) -> Result<Vec<SavedFilter>, StoreError> {
        self.read("list the saved filters", list).await
    }

    /// Saves a filter; one of the same name is replaced and keeps its place.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn save_filter(&self, filter: &SavedFilter) -> Result<(), StoreError> {
        let filter = filter.clone();
        let attempt = format!("save filter {}", filter.name);
        self.write(Durability::Normal, attempt, move |scope| save(scope, &filter)).await
    }

    /// Gives a saved filter another name; false where there is none of the old one, or one of the new.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn rename_filter(&self, from: &str, to: &str) -> Result<bool, StoreError> {
        let (from, to) = (from.to_owned(), to.to_owned());
        self.write(Durability::Normal, format!("rename filter {from}"), move |scope| {
            let mut statement = scope.conn.prepare_cached(
                "UPDATE OR IGNORE filters SET name = ?3 WHERE workspace = ?1 AND name = ?2",
            )?;
            Ok(statement.execute(params![scope.workspace, from, to])? > 0)
        })
        .await
    }

    /// Removes a saved filter; false where there is none of this name.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn remove_filter(&self, name: &str) -> Result<bool, StoreError> {
        let name = name.to_owned();
        self.write(Durability::Normal, format!("remove filter {name}"), move |scope| {
            let mut statement = scope
                .conn
                .prepare_cached("DELETE FROM filters WHERE workspace = ?1 AND name = ?2")?;
            Ok(statement.execute(params![scope.workspace, name])? > 0)
        })
        .await
    }

    /// How many sessions a filter lets through, and how many of them want the operator. Costs as much as
    /// the filter: without words that few sessions satisfy, every one is looked at.
    ///
    /// # Errors
    /// There is no such project, or the database cannot be read.
    pub async fn count(&self, filter: &Filter) -> Result<FilterCount, StoreError> {
        let query = PageQuery { filter: filter.clone(), ..PageQuery::default() };
        self.read("count sessions", move |scope| count(scope, &query)).await
    }
}

fn list(scope: &Scope<'_>) -> Outcome<Vec<SavedFilter>> {
    let mut statement = scope.conn.prepare_cached(
        "SELECT name, section, words FROM filters WHERE workspace = ?1 ORDER BY position, name",
    )?;
    let rows = statement.query_map([scope.workspace], |row| {
        let mut columns = Columns::of(row);
        let (name, section) = (columns.get()?, columns.get::<Option<String>>()?);
        let section = section.as_deref().and_then(SectionKey::parse);
        Ok(SavedFilter { name, section, words: columns.get()? })
    })?;
    rows.collect::<rusqlite::Result<_>>().map_err(Into::into)
}

fn save(scope: &Scope<'_>, filter: &SavedFilter) -> Outcome<()> {
    scope
        .conn
        .prepare_cached(
            "INSERT INTO filters (workspace, name, section, words, position)
             VALUES (?1, ?2, ?3, ?4,
               (SELECT coalesce(max(position), -1) + 1 FROM filters WHERE workspace = ?1))
             ON CONFLICT (workspace, name) DO UPDATE SET section = ?3, words = ?4",
        )?
        .execute(params![
            scope.workspace,
            filter.name,
            filter.section.as_ref().map(SectionKey::as_str),
            filter.words
        ])?;
    Ok(())
}

fn count(scope: &Scope<'_>, query: &PageQuery) -> Outcome<FilterCount> {
    let Some(rows) = Rows::of(scope, query)? else {
        return Ok(FilterCount::default());
    };
    let (source, parameters) = rows.source();
    let sql = format!("SELECT count(*), count(s.attention) {source}");
    let mut statement = scope.conn.prepare_cached(&sql)?;
    let counted = statement.query_row(params_from_iter(parameters), |row| {
        let (total, attention): (i64, i64) = (row.get(0)?, row.get(1)?);
        Ok(FilterCount { total: total.unsigned_abs(), attention: attention.unsigned_abs() })
    })?;
    Ok(counted)
}
