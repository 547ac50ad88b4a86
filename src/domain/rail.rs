//! Sections of the rail and the placement of sessions in them (`spec/store.md` P1 to P6).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::ids::ProjectName;
use super::status::Zone;
use super::words::words;

/// Version of a placement.
pub const PLACEMENT_VERSION: u32 = 1;

words! {
    /// Kind of a section.
    SectionKind {
        /// Sessions pinned by the operator.
        Pinned = "pinned",
        /// Sessions of one project.
        Project = "project",
        /// Sessions outside projects.
        Conversations = "conversations",
    }
}

/// Key of a section: `pinned`, `project:<canonical path>` or `conversations`.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct SectionKey(String);

impl SectionKey {
    /// The section of pinned sessions.
    pub fn pinned() -> Self {
        Self("pinned".to_owned())
    }

    /// The section of sessions outside projects.
    pub fn conversations() -> Self {
        Self("conversations".to_owned())
    }

    /// The section of a project at a canonical path.
    pub fn project(path: &Path) -> Self {
        Self(format!("project:{}", path.display()))
    }

    /// Reads a key; `None` where it has none of the three forms.
    pub fn parse(text: &str) -> Option<Self> {
        let legal = matches!(text, "pinned" | "conversations")
            || text.strip_prefix("project:").is_some_and(|path| path.starts_with('/'));
        legal.then(|| Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The kind that the key says.
    pub fn kind(&self) -> SectionKind {
        match self.0.as_str() {
            "pinned" => SectionKind::Pinned,
            "conversations" => SectionKind::Conversations,
            _ => SectionKind::Project,
        }
    }

    /// The path of a project's section.
    pub fn path(&self) -> Option<&Path> {
        self.0.strip_prefix("project:").map(Path::new)
    }
}

impl AsRef<str> for SectionKey {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SectionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a session belongs. Never changes after insert (S4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// Canonical path of the project; none for conversations.
    project_path: Option<PathBuf>,
}

impl Placement {
    /// In a project. `path` must be canonical: resolved when the project was registered (P6).
    pub fn in_project(path: PathBuf) -> Self {
        Self { project_path: Some(path) }
    }

    /// Outside projects.
    pub fn conversations() -> Self {
        Self { project_path: None }
    }

    /// Takes a stored placement; `None` unless version, kind, path and key agree (S4).
    pub fn from_stored(
        version: u32,
        kind: SectionKind,
        path: Option<&Path>,
        key: &SectionKey,
    ) -> Option<Self> {
        let placement = match (kind, path) {
            (SectionKind::Project, Some(path)) => Self::in_project(path.to_owned()),
            (SectionKind::Conversations, None) => Self::conversations(),
            _ => return None,
        };
        (version == PLACEMENT_VERSION && placement.key() == *key).then_some(placement)
    }

    /// Kind of the section.
    pub fn kind(&self) -> SectionKind {
        if self.project_path.is_some() { SectionKind::Project } else { SectionKind::Conversations }
    }

    /// Canonical path of the project.
    pub fn project_path(&self) -> Option<&Path> {
        self.project_path.as_deref()
    }

    /// Key of the section, computed from the path, never taken from a caller.
    pub fn key(&self) -> SectionKey {
        self.project_path.as_deref().map_or_else(SectionKey::conversations, SectionKey::project)
    }
}

/// Where a session is shown (P2): the section, and the session that heads its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown<Id> {
    /// Section in which it is listed.
    pub section: SectionKey,
    /// The session under which it is listed; itself where it heads its own rows.
    pub root: Id,
}

/// Rule P2. `parent` is how the parent is shown, with the key of the parent's stored placement.
pub fn shown<Id: Clone>(
    id: &Id,
    placement: &Placement,
    pinned: bool,
    parent: Option<(&Shown<Id>, &SectionKey)>,
) -> Shown<Id> {
    let own = placement.key();
    match parent {
        _ if pinned => Shown { section: SectionKey::pinned(), root: id.clone() },
        Some((parent_shown, parent_key)) if *parent_key == own => parent_shown.clone(),
        _ => Shown { section: own, root: id.clone() },
    }
}

/// Sessions of one section by zone, in the order of [`Zone::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ZoneCounts(pub [u64; 6]);

impl ZoneCounts {
    /// The count of one zone.
    pub fn of(&self, zone: Zone) -> u64 {
        self.0[zone as usize]
    }

    /// Adds `n` sessions to a zone.
    pub fn add(&mut self, zone: Zone, n: u64) {
        self.0[zone as usize] += n;
    }
}

impl Serialize for ZoneCounts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Zone::ALL.iter().map(|zone| (zone.as_str(), self.of(*zone))))
    }
}

impl JsonSchema for ZoneCounts {
    fn schema_name() -> Cow<'static, str> {
        "ZoneCounts".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let count = generator.subschema_for::<u64>();
        let zones: BTreeMap<&str, &Schema> =
            Zone::ALL.iter().map(|zone| (zone.as_str(), &count)).collect();
        let names: Vec<&str> = zones.keys().copied().collect();
        json_schema!({
            "description": "Sessions of one section by zone.",
            "type": "object",
            "properties": zones,
            "required": names,
        })
    }
}

/// One section of the rail with its counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Section {
    /// The key.
    pub key: SectionKey,
    /// The kind.
    pub kind: SectionKind,
    /// What is shown: `Pinned`, the project's name, `Chats`.
    pub name: String,
    /// Canonical path of a project.
    pub path: Option<PathBuf>,
    /// Sessions listed in it, children too.
    pub total: u64,
    /// How many want the operator.
    pub attention: u64,
    /// By zone.
    pub zones: ZoneCounts,
}

/// A filter that the operator saved under a name: a line of the rail below the sections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedFilter {
    /// The name, unique in the workspace.
    pub name: String,
    /// The section that it looks in; none for all of them.
    pub section: Option<SectionKey>,
    /// Its words, as typed.
    pub words: String,
}

/// What a filter lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FilterCount {
    /// Sessions.
    pub total: u64,
    /// How many of them want the operator.
    pub attention: u64,
}

/// A registered folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Project {
    /// Short name.
    pub name: ProjectName,
    /// Canonical path.
    pub path: PathBuf,
    /// Whether it is a git repository.
    pub git: bool,
    /// Sessions placed in it that are not deleted.
    pub sessions: u64,
    /// Place in the rail, from 0.
    pub position: u32,
    /// How worktrees in it are set up (`spec/agents.md` Z2).
    #[serde(skip)]
    pub setup: ProjectSetup,
}

/// How a fresh worktree is made ready (`spec/agents.md` Z2).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ProjectSetup {
    /// Commands, each a shell line of the operator's own.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Globs of ignored files to copy.
    #[serde(default)]
    pub copy: Vec<String>,
    /// Paths to link.
    #[serde(default)]
    pub link: Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S4: version, kind, path and key agree, or it is not valid
    #[test]
    fn a_placement_is_valid_only_if_all_parts_agree_s4() {
        let path = Path::new("/src/shop");
        let key = SectionKey::project(path);
        let stored = |version, kind, path| Placement::from_stored(version, kind, path, &key);
        assert!(stored(1, SectionKind::Project, Some(path)).is_some());
        assert!(stored(2, SectionKind::Project, Some(path)).is_none());
        assert!(stored(1, SectionKind::Conversations, None).is_none());
        assert!(stored(1, SectionKind::Project, Some(Path::new("/src/api"))).is_none());
        assert!(stored(1, SectionKind::Pinned, None).is_none());
    }

    /// P2: under its parent where both belong to the same section, also where that one is pinned
    #[test]
    fn a_session_is_shown_under_its_parent_in_the_same_section_p2() {
        let shop = Placement::in_project("/src/shop".into());
        let api = Placement::in_project("/src/api".into());
        let parent = shown(&"shop-1", &shop, true, None);
        assert_eq!(parent.section, SectionKey::pinned());
        let child = shown(&"shop-2", &shop, false, Some((&parent, &shop.key())));
        assert_eq!(child, parent);
        let other = shown(&"api-1", &api, false, Some((&parent, &shop.key())));
        assert_eq!(other, Shown { section: api.key(), root: "api-1" });
    }

    #[test]
    fn section_keys_have_three_forms() {
        assert!(SectionKey::parse("pinned").is_some());
        assert!(SectionKey::parse("project:/x").is_some());
        assert!(SectionKey::parse("project:x").is_none());
        assert!(SectionKey::parse("trash").is_none());
    }
}
