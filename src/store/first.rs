//! The first pages of many sections by one statement (`spec/store.md` P4).

use rusqlite::types::Null;
use rusqlite::{ToSql, params};

use crate::domain::query::{Glance, Order};
use crate::domain::rail::SectionKey;

use super::columns::{Columns, id_list};
use super::error::Outcome;
use super::{Scope, Store, StoreError};

impl Store {
    /// The first `rows` sessions of each of `sections`, or of every section of the rail, in the
    /// order of their pages. Sections without sessions are left out.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn first_pages(
        &self,
        sections: Option<&[SectionKey]>,
        order: Order,
        rows: usize,
    ) -> Result<Vec<(SectionKey, Vec<Glance>)>, StoreError> {
        let keys = sections.map(id_list);
        self.read("read the first pages of the rail", move |scope| {
            first_pages(scope, keys.as_deref(), order, rows)
        })
        .await
    }
}

/// `?1` is the workspace, `?2` a JSON list of keys or NULL, `?3` the number of rows.
pub(super) fn sql(order: Order) -> String {
    let zone = match order {
        Order::Recent | Order::Found => "",
        Order::Zone => "y.head_zone, ",
    };
    format!(
        "SELECT home.section, home.key, s.head_zone, s.head_sort, s.head_pin, s.own_key,
           s.id, s.head, s.title, s.agent, s.status, s.attention, s.sorted_at
         FROM sections home
         LEFT JOIN projects p ON p.section = home.section
         CROSS JOIN sessions s ON s.rid IN (
           SELECT y.rid FROM sessions y
           WHERE y.section = home.section AND y.deleted_at IS NULL AND y.head_pin IS NULL
           ORDER BY {zone}y.head_sort, y.head, y.own_key, y.id LIMIT ?3)
         WHERE home.workspace = ?1 AND home.kind <> 'pinned' AND p.removed_at IS NULL
           AND (home.kind <> 'project' OR p.section IS NOT NULL)
           AND (?2 IS NULL OR home.key IN (SELECT value FROM json_each(?2)))
         UNION ALL
         SELECT home.section, home.key, s.head_zone, s.head_sort, s.head_pin, s.own_key,
           s.id, s.head, s.title, s.agent, s.status, s.attention, s.sorted_at
         FROM sections home
         CROSS JOIN sessions s ON s.rid IN (
           SELECT y.rid FROM sessions y
           WHERE y.workspace = ?1 AND y.deleted_at IS NULL AND y.head_pin IS NOT NULL
           ORDER BY {zone}y.head_pin, y.head, y.own_key, y.id LIMIT ?3)
         WHERE home.workspace = ?1 AND home.key = 'pinned'
           AND (?2 IS NULL OR home.key IN (SELECT value FROM json_each(?2)))"
    )
}

/// Place of a row in its section; ties are broken by head, `own` and id (P2).
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    zone: i64,
    time: i64,
    own: i64,
}

fn first_pages(
    scope: &Scope<'_>,
    keys: Option<&str>,
    order: Order,
    rows: usize,
) -> Outcome<Vec<(SectionKey, Vec<Glance>)>> {
    let limit = i64::try_from(rows).unwrap_or(i64::MAX);
    let keys: &dyn ToSql = match &keys {
        Some(keys) => keys,
        None => &Null,
    };
    let mut statement = scope.conn.prepare_cached(&sql(order))?;
    let mut found = statement.query(params![scope.workspace, keys, limit])?;
    let mut pages: Vec<(SectionKey, Vec<Glance>)> = Vec::new();
    let mut page: Vec<(Place, Glance)> = Vec::with_capacity(rows.min(100));
    let mut current = None;
    while let Some(row) = found.next()? {
        let mut columns = Columns::of(row);
        let section: i64 = columns.get()?;
        // Rows of a section come together.
        if current == Some(section) {
            columns.skip();
        } else {
            close(&mut pages, &mut page);
            current = Some(section);
            if let Some(key) = SectionKey::parse(columns.text()?) {
                pages.push((key, Vec::new()));
            }
        }
        page.push(read(&mut columns, order)?);
    }
    close(&mut pages, &mut page);
    Ok(pages)
}

fn read(columns: &mut Columns<'_, '_>, order: Order) -> rusqlite::Result<(Place, Glance)> {
    let zone: i64 = columns.get()?;
    let (sort, pin): (i64, Option<i64>) = (columns.get()?, columns.get()?);
    let place = Place {
        zone: if order == Order::Zone { zone } else { 0 },
        time: pin.unwrap_or(sort),
        own: columns.get()?,
    };
    let glance = Glance {
        id: columns.word()?,
        root: columns.word()?,
        title: columns.get()?,
        agent: columns.get()?,
        status: columns.word()?,
        attention: columns.word_or_none()?,
        sorted_at: columns.time()?,
    };
    Ok((place, glance))
}

/// Puts the rows of a section, which come by number, into the order of its page.
fn close(pages: &mut [(SectionKey, Vec<Glance>)], page: &mut Vec<(Place, Glance)>) {
    page.sort_unstable_by(|(a, left), (b, right)| {
        (a.zone, a.time, &left.root, a.own, &left.id).cmp(&(
            b.zone,
            b.time,
            &right.root,
            b.own,
            &right.id,
        ))
    });
    if let Some((_, glances)) = pages.last_mut() {
        glances.extend(page.drain(..).map(|(_, glance)| glance));
    }
}
