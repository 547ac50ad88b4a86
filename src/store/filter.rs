//! Filters of a page as SQL (`spec/store.md` P5).

use rusqlite::types::Value;

use crate::domain::query::Filter;
use crate::domain::status::Zone;
use crate::domain::time::Timestamp;

use super::columns::id_list;

/// What narrows the sessions `s` of a query: conditions with their parameters, in order.
#[derive(Debug)]
pub(super) struct Narrowing {
    /// The index of a filter that few rows satisfy; else the one of the order is used.
    pub(super) index: Option<&'static str>,
    conditions: Vec<String>,
    /// Values of the question marks in the conditions.
    pub(super) parameters: Vec<Value>,
}

impl Narrowing {
    /// Nothing yet but the index that suits `filter`.
    pub(super) fn for_filter(filter: &Filter, deleted: bool) -> Self {
        let index = special_index(filter, deleted);
        Self { index, conditions: Vec::new(), parameters: Vec::new() }
    }

    /// Adds a condition.
    pub(super) fn add(&mut self, condition: impl Into<String>) {
        self.conditions.push(condition.into());
    }

    /// Adds a condition with one question mark.
    pub(super) fn with(&mut self, condition: &str, parameter: impl Into<Value>) {
        self.add(condition);
        self.parameters.push(parameter.into());
    }

    /// The filters beside section and project (P5).
    pub(super) fn filter(&mut self, filter: &Filter, deleted: bool, now: Timestamp) {
        if !filter.ids.is_empty() {
            self.with("s.id IN (SELECT value FROM json_each(?))", id_list(&filter.ids));
        }
        if !filter.agents.is_empty() {
            self.with("s.agent IN (SELECT value FROM json_each(?))", id_list(&filter.agents));
        }
        if !filter.statuses.is_empty() {
            let words: Vec<String> =
                filter.statuses.iter().map(|status| format!("'{status}'")).collect();
            self.add(format!("s.status IN ({})", words.join(", ")));
        }
        if !filter.zones.is_empty() {
            let numbers: Vec<String> =
                filter.zones.iter().map(|zone| (*zone as i64).to_string()).collect();
            self.add(format!("s.zone IN ({})", numbers.join(", ")));
        }
        let since =
            if deleted { "s.deleted_at" } else { "coalesce(s.last_activity_at, s.created_at)" };
        if let Some(age) = filter.older_than {
            self.with(&format!("{since} <= ?"), now.minus(age).0);
        }
        if let Some(age) = filter.younger_than {
            self.with(&format!("{since} >= ?"), now.minus(age).0);
        }
        if let Some(dirty) = filter.dirty {
            self.add(if dirty { "s.dirty > 0" } else { "s.dirty = 0" });
        }
        if let Some(pr) = filter.pr {
            self.add(if pr { "s.prs > 0" } else { "s.prs = 0" });
        }
        if let Some(parent) = &filter.parent {
            self.with("s.parent = ?", parent.as_str().to_owned());
        }
        if filter.exclude_pinned {
            self.add("s.head_pin IS NULL");
        }
        if filter.attention {
            self.add("s.attention IS NOT NULL");
        }
        if let Some(batch) = &filter.batch {
            self.with("s.batch = ?", batch.as_str().to_owned());
        }
        if self.index == Some("sessions_awake") {
            self.add("(s.zone < 5 OR s.attention IS NOT NULL)");
        }
    }

    /// Those that a search found, and those with `text` somewhere in id or title: what an operator
    /// types is found letter by letter where it is seen.
    pub(super) fn text(&mut self, text: &str, found: &[i64]) {
        self.add(
            "(s.rid IN (SELECT value FROM json_each(?))
               OR s.id LIKE ? ESCAPE '\\' OR s.title LIKE ? ESCAPE '\\')",
        );
        let found = serde_json::Value::from(found).to_string();
        self.parameters.extend([found, like(text), like(text)].map(Value::from));
    }

    /// The rows, from FROM on, for a further condition on `s.rid`.
    pub(super) fn source_by_number(&self) -> String {
        format!("FROM sessions s WHERE {}", self.conditions.join(" AND "))
    }

    /// The rows, from FROM on.
    pub(super) fn source(&self) -> String {
        let index = self.index.map(|name| format!("INDEXED BY {name}")).unwrap_or_default();
        format!("FROM sessions s {index} WHERE {}", self.conditions.join(" AND "))
    }
}

/// An index by which fewer rows are read than by that of the order.
fn special_index(filter: &Filter, deleted: bool) -> Option<&'static str> {
    let awake = |zone: &Zone| *zone != Zone::Resting;
    let zones_awake = !filter.zones.is_empty() && filter.zones.iter().all(awake);
    let statuses_awake =
        !filter.statuses.is_empty() && filter.statuses.iter().all(|status| awake(&status.zone()));
    if !filter.ids.is_empty() {
        Some("sessions_id")
    } else if filter.parent.is_some() {
        Some("sessions_children")
    } else if filter.batch.is_some() {
        Some("sessions_batch")
    } else if !deleted && (filter.attention || zones_awake || statuses_awake) {
        Some("sessions_awake")
    } else {
        None
    }
}

/// A pattern that matches `text` anywhere, literally.
fn like(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_literally() {
        assert_eq!(like("50%_\\"), "%50\\%\\_\\\\%");
    }
}
