//! What `doctor` answers (`spec/cli.md`): one check each, with what to do where it fails.

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
}

impl Check {
    /// As it should be.
    pub fn good(name: &str, detail: impl Into<String>) -> Self {
        Self { name: name.to_owned(), ok: true, detail: detail.into(), hint: None }
    }

    /// Not as it should be.
    pub fn bad(name: &str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        let hint = Some(hint.into());
        Self { name: name.to_owned(), ok: false, detail: detail.into(), hint }
    }
}
