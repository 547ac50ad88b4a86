//! What `doctor` answers (`spec/cli.md`): one check each, with what to do where it fails.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

/// One check of an installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// What was looked at: a subject, or `subject: part`.
    pub name: String,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found, and what was mended.
    pub detail: String,
    /// What to do where it is not.
    pub hint: Option<String>,
    /// What was mended, for the audit; `detail` says it too, and what could not be.
    #[serde(skip)]
    pub mended: Option<String>,
}

impl Check {
    /// As it should be.
    pub fn good(name: &str, detail: impl Into<String>) -> Self {
        Self { name: name.to_owned(), ok: true, detail: detail.into(), hint: None, mended: None }
    }

    /// Not as it should be.
    pub fn bad(name: &str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        let hint = Some(hint.into());
        Self { name: name.to_owned(), ok: false, detail: detail.into(), hint, mended: None }
    }
}

/// What a look at the whole store found (`spec/store.md` W3).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreHealth {
    /// Its version; none where there is no database yet, or it cannot be told.
    pub version: Option<i64>,
    /// The version that this callboard writes.
    pub known: i64,
    /// Pages and tables that are not whole: what a repair moves aside.
    pub damage: Vec<String>,
    /// Rows that are of no row.
    pub references: Vec<String>,
    /// Faults of the search index.
    pub search: Vec<String>,
    /// Kept counts that differ from a recount, in words.
    pub totals: Vec<String>,
}

/// What became of a damaged store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairedStore {
    /// The folder that the damaged files are in now.
    pub aside: PathBuf,
    /// The copy that was put in their place and how many sessions it holds; none where no copy is
    /// good.
    pub restored: Option<(PathBuf, u64)>,
    /// Copies that are no good, and why.
    pub bad: Vec<(PathBuf, String)>,
}
