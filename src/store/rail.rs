//! Sections of the rail with their counts (`spec/store.md` P1, P3).

use std::collections::HashMap;

use crate::domain::rail::{Section, SectionKey, SectionKind, ZoneCounts};
use crate::domain::status::Zone;

use super::columns::Columns;
use super::error::Outcome;
use super::{Scope, Store, StoreError};

impl Store {
    /// Sections in order: pinned if any, projects in the operator's order, conversations (P1).
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn sections(&self) -> Result<Vec<Section>, StoreError> {
        self.read("read the rail", sections).await
    }
}

/// What is counted of one section.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    attention: u64,
    zones: ZoneCounts,
}

/// The sections of the rail; their order is made here, as no index has it.
pub(super) const SECTIONS: &str = "SELECT s.section, s.key, s.total, p.name, p.position
     FROM sections s LEFT JOIN projects p ON p.section = s.section
     WHERE s.workspace = ?1 AND p.removed_at IS NULL
       AND (s.kind <> 'project' OR p.section IS NOT NULL)";

fn sections(scope: &Scope<'_>) -> Outcome<Vec<Section>> {
    let (pinned, counts) = counts(scope)?;
    let mut statement = scope.conn.prepare_cached(SECTIONS)?;
    let mut rows = statement.query([scope.workspace])?;
    let mut sections = vec![((0, 0), empty(SectionKey::conversations()))];
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of(row);
        let number: i64 = columns.get()?;
        let Some(key) = SectionKey::parse(columns.text()?) else {
            continue;
        };
        let total = columns.get::<i64>()?.unsigned_abs();
        let (name, position) = (columns.get::<Option<String>>()?, columns.get::<Option<i64>>()?);
        let of_section = match key.kind() {
            SectionKind::Pinned => pinned,
            _ => counts.get(&number).copied().unwrap_or_default(),
        };
        let mut section = Section { total, attention: of_section.attention, ..empty(key) };
        section.zones = of_section.zones;
        let awake: u64 = of_section.zones.0.iter().sum();
        section.zones.add(Zone::Resting, total.saturating_sub(awake));
        match section.kind {
            SectionKind::Conversations => sections[0].1 = section,
            SectionKind::Pinned if total == 0 => {}
            _ => {
                section.name = name.unwrap_or(section.name);
                sections.push(((position.unwrap_or_default(), number), section));
            }
        }
    }
    sections.sort_by_key(|(place, section)| (section.kind, *place));
    Ok(sections.into_iter().map(|(_, section)| section).collect())
}

fn empty(key: SectionKey) -> Section {
    let name = match key.kind() {
        SectionKind::Pinned => "Pinned",
        SectionKind::Project => "",
        SectionKind::Conversations => "Chats",
    };
    Section {
        kind: key.kind(),
        name: name.to_owned(),
        path: key.path().map(Into::into),
        key,
        total: 0,
        attention: 0,
        zones: ZoneCounts::default(),
    }
}

/// The statement that counts what is awake; few rows, from their own index.
pub(super) const AWAKE: &str = "SELECT section, head_pin IS NOT NULL, zone, attention IS NOT NULL
     FROM sessions INDEXED BY sessions_awake
     WHERE workspace = ?1 AND deleted_at IS NULL AND (zone < 5 OR attention IS NOT NULL)";

/// Attention, and the zones but resting: of the pinned section, and of the others by number.
fn counts(scope: &Scope<'_>) -> Outcome<(Counts, HashMap<i64, Counts>)> {
    let mut pinned = Counts::default();
    let mut others: HashMap<i64, Counts> = HashMap::new();
    let mut statement = scope.conn.prepare_cached(AWAKE)?;
    let mut rows = statement.query([scope.workspace])?;
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of(row);
        let (section, under_pin): (i64, bool) = (columns.get()?, columns.get()?);
        let (zone, attention): (usize, bool) = (columns.get::<u32>()? as usize, columns.get()?);
        let counts = if under_pin { &mut pinned } else { others.entry(section).or_default() };
        counts.attention += u64::from(attention);
        if let Some(zone) = Zone::ALL.get(zone).filter(|zone| **zone != Zone::Resting) {
            counts.zones.add(*zone, 1);
        }
    }
    Ok((pinned, others))
}
