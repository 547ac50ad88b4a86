//! Names and ids (`spec/lifecycle.md` S3): each a checked text of its own type.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a text is no legal name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what} {text:?} is not legal: it begins with a letter or digit and holds only a-z, 0-9, '.', '_', '-', at most {limit} characters, no '..'"
)]
pub struct InvalidName {
    what: &'static str,
    text: String,
    limit: usize,
}

fn check(what: &'static str, text: &str, limit: usize) -> Result<(), InvalidName> {
    let first = text.bytes().next().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let rest = text
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-'));
    if first && rest && text.len() <= limit && !text.contains("..") {
        return Ok(());
    }
    let text = text.chars().filter(|c| !c.is_control()).take(80).collect();
    Err(InvalidName { what, text, limit })
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $what:literal, $limit:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        pub struct $type(String);

        impl $type {
            /// Most characters.
            pub const LIMIT: usize = $limit;

            /// Checks `text` and takes it.
            ///
            /// # Errors
            /// The text breaks the pattern of `spec/lifecycle.md` S3.
            pub fn new(text: impl Into<String>) -> Result<Self, InvalidName> {
                let text = text.into();
                check($what, &text, Self::LIMIT)?;
                Ok(Self(text))
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl FromStr for $type {
            type Err = InvalidName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $type {
            type Error = InvalidName;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::new(text)
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> Self {
                name.0
            }
        }

        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $type {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

name!(
    /// Scope of everything else; `default` unless given.
    WorkspaceName, "workspace", 40
);
name!(
    /// Short name of a registered folder.
    ProjectName, "project", 40
);
name!(
    /// Id of a session, unique in its workspace.
    SessionId, "session id", 64
);
name!(
    /// Id of one operation; the operation of a delete is also its batch.
    OperationId, "operation", 64
);

/// Id of a batch of tombstones: the id of the operation that made them.
pub type BatchId = OperationId;

/// The prefix of sessions outside projects; no project may have this name.
pub const CHAT: &str = "chat";

impl Default for WorkspaceName {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl ProjectName {
    /// The default name of a project: its folder's name in lower case, other characters as `-`.
    pub fn from_folder(folder: &str) -> Self {
        let mut text: String = folder
            .to_lowercase()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') { c } else { '-' })
            .take(36)
            .collect();
        for twice in ["..", "--"] {
            while text.contains(twice) {
                text = text.replace(twice, "-");
            }
        }
        let text = text.trim_matches(|c| matches!(c, '-' | '_' | '.'));
        if text.is_empty() || text == CHAT {
            Self("project".to_owned())
        } else {
            Self(text.to_owned())
        }
    }

    /// This name with `-n` at its end, for the second and later of the same folder name; shortened
    /// where it would be too long.
    pub fn numbered(&self, n: u32) -> Self {
        let end = format!("-{n}");
        let room = Self::LIMIT - end.len();
        Self(self.0.chars().take(room).chain(end.chars()).collect())
    }
}

impl SessionId {
    /// The `n`th id of a project, or of the sessions outside projects.
    pub fn numbered(project: Option<&ProjectName>, n: u64) -> Self {
        Self(format!("{}-{n}", project.map_or(CHAT, ProjectName::as_str)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// S3: the pattern of ids and names.
    #[test]
    fn ids_follow_the_pattern_and_refuse_paths() {
        for good in ["shop-1", "a", "0", "x.y_z-9"] {
            assert!(SessionId::new(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", ".a", "a..b", "A", "a/b", "a b", "é", &"a".repeat(65)] {
            assert!(SessionId::new(bad).is_err(), "{bad}");
        }
    }

    /// S3: the default name of a project; `chat` is reserved.
    #[test]
    fn a_project_is_named_after_its_folder() {
        assert_eq!(ProjectName::from_folder("My Shop (2)").as_str(), "my-shop-2");
        assert_eq!(ProjectName::from_folder("Shop.v2_b").as_str(), "shop.v2_b");
        assert_eq!(ProjectName::from_folder(".shop..x.").as_str(), "shop-x");
        assert_eq!(ProjectName::from_folder("chat").as_str(), "project");
        assert_eq!(ProjectName::from_folder("日本").as_str(), "project");
        let long = ProjectName::new("x".repeat(40)).unwrap().numbered(12);
        assert_eq!(long.as_str(), format!("{}-12", "x".repeat(37)));
    }

    proptest! {
        /// S3: any folder gives a legal name.
        #[test]
        fn every_folder_gives_a_legal_project_name(folder in ".{0,60}") {
            let name = ProjectName::from_folder(&folder).numbered(12);
            prop_assert!(ProjectName::new(name.as_str()).is_ok(), "{name}");
            prop_assert!(name.as_str().len() <= 40);
        }
    }
}
