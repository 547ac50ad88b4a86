//! Registered projects (`spec/store.md` P6).

use std::path::Path;

use rusqlite::{OptionalExtension, params};

use crate::domain::ids::{CHAT, ProjectName};
use crate::domain::rail::{Placement, Project, ProjectSetup, SectionKey};

use super::columns::{Columns, path_text, to_json};
use super::connection::Durability;
use super::error::Outcome;
use super::{Scope, Store, StoreError, shown};

impl Store {
    /// Registered projects in the operator's order.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn projects(&self) -> Result<Vec<Project>, StoreError> {
        self.read("list projects", list).await
    }

    /// Registers a folder by its canonical path, after the others. A name that was not chosen is
    /// made unique. A folder that was registered before comes back with its section, place, name
    /// and set-up, as far as nothing else is given.
    ///
    /// # Errors
    /// The folder is registered already, the chosen name is taken or reserved, or the path is not
    /// UTF-8.
    pub async fn add_project(
        &self,
        path: &Path,
        name: Option<ProjectName>,
        git: bool,
        setup: ProjectSetup,
    ) -> Result<Project, StoreError> {
        let path = path.to_owned();
        let attempt = format!("register {}", path.display());
        self.write(Durability::Normal, attempt, move |scope| add(scope, &path, name, git, &setup))
            .await
    }

    /// Unregisters; its section is hidden, nothing is lost (P6).
    ///
    /// # Errors
    /// There is no such project.
    pub async fn remove_project(&self, name: &ProjectName) -> Result<(), StoreError> {
        let name = name.clone();
        self.write(Durability::Normal, format!("unregister project {name}"), move |scope| {
            let section = section_of(scope, &name)?;
            scope
                .conn
                .prepare_cached("UPDATE projects SET removed_at = ?2 WHERE section = ?1")?
                .execute(params![section, scope.now.0])?;
            Ok(())
        })
        .await
    }

    /// Moves a project in the rail; a position beyond the end is the end.
    ///
    /// # Errors
    /// There is no such project.
    pub async fn move_project(&self, name: &ProjectName, position: u32) -> Result<(), StoreError> {
        let name = name.clone();
        self.write(Durability::Normal, format!("move project {name}"), move |scope| {
            let section = section_of(scope, &name)?;
            move_to(scope, section, position as usize)
        })
        .await
    }
}

/// The section of a registered project.
pub(super) fn section_of(scope: &Scope<'_>, name: &ProjectName) -> Outcome<i64> {
    let found = by_name(scope, name)?;
    found.ok_or_else(|| StoreError::NoProject { name: name.clone() }.into())
}

fn by_name(scope: &Scope<'_>, name: &ProjectName) -> Outcome<Option<i64>> {
    scope
        .conn
        .prepare_cached(
            "SELECT section FROM projects
             WHERE workspace = ?1 AND name = ?2 AND removed_at IS NULL",
        )?
        .query_row([scope.workspace, name.as_str()], |row| row.get(0))
        .optional()
        .map_err(Into::into)
}

/// Registered projects; few, and sorted.
pub(super) const PROJECTS: &str = "SELECT p.name, p.path, p.git, p.setup, s.placed
     FROM projects p CROSS JOIN sections s ON s.section = p.section
     WHERE p.workspace = ?1 AND p.removed_at IS NULL ORDER BY p.position, p.section";

fn list(scope: &Scope<'_>) -> Outcome<Vec<Project>> {
    let mut statement = scope.conn.prepare_cached(PROJECTS)?;
    let rows = statement.query_map([scope.workspace], |row| {
        let mut columns = Columns::of(row);
        Ok(Project {
            name: columns.word()?,
            path: columns.get::<String>()?.into(),
            git: columns.get()?,
            setup: columns.json()?,
            sessions: columns.get::<i64>()?.unsigned_abs(),
            position: 0,
        })
    })?;
    let mut projects = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    for (position, project) in (0..).zip(&mut projects) {
        project.position = position;
    }
    Ok(projects)
}

/// What is kept of a folder that was registered before.
struct Former {
    name: ProjectName,
    setup: ProjectSetup,
    removed: bool,
}

fn add(
    scope: &Scope<'_>,
    path: &Path,
    name: Option<ProjectName>,
    git: bool,
    setup: &ProjectSetup,
) -> Outcome<Project> {
    let placement = Placement::in_project(path.to_owned());
    let former = former(scope, &placement.key())?;
    if let Some(former) = former.as_ref().filter(|former| !former.removed) {
        let (name, path) = (former.name.clone(), path.to_owned());
        return Err(StoreError::ProjectExists { name, path }.into());
    }
    let name = free_name(scope, path, name, former.as_ref())?;
    let kept = former.filter(|_| *setup == ProjectSetup::default());
    let setup = kept.map_or_else(|| setup.clone(), |former| former.setup);
    let section = shown::section(scope, &placement)?;
    scope
        .conn
        .prepare_cached(
            "INSERT INTO projects (section, workspace, name, path, git, setup, position)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6,
               (SELECT coalesce(max(position), -1) + 1 FROM projects WHERE workspace = ?2))
             ON CONFLICT (section) DO UPDATE SET name = excluded.name, git = excluded.git,
               setup = excluded.setup, removed_at = NULL",
        )?
        .execute(params![
            section,
            scope.workspace,
            name.as_str(),
            path_text(path)?,
            git,
            to_json(&setup)?
        ])?;
    let added = list(scope)?.into_iter().find(|project| project.name == name);
    added.ok_or_else(|| StoreError::NoProject { name }.into())
}

fn former(scope: &Scope<'_>, key: &SectionKey) -> Outcome<Option<Former>> {
    let Some(section) = shown::find_section(scope, key)? else {
        return Ok(None);
    };
    scope
        .conn
        .prepare_cached(
            "SELECT name, setup, removed_at IS NOT NULL FROM projects WHERE section = ?1",
        )?
        .query_row([section], |row| {
            let mut columns = Columns::of(row);
            let (name, setup) = (columns.word()?, columns.json()?);
            Ok(Former { name, setup, removed: columns.get()? })
        })
        .optional()
        .map_err(Into::into)
}

/// The chosen name, else the former one, else that of the folder; numbered where it was not chosen
/// and is taken (S3).
fn free_name(
    scope: &Scope<'_>,
    path: &Path,
    chosen: Option<ProjectName>,
    former: Option<&Former>,
) -> Outcome<ProjectName> {
    if let Some(name) = chosen {
        if name.as_str() == CHAT || by_name(scope, &name)?.is_some() {
            return Err(StoreError::NameTaken { name }.into());
        }
        return Ok(name);
    }
    let folder = path.file_name().unwrap_or_default().to_string_lossy();
    let base =
        former.map_or_else(|| ProjectName::from_folder(&folder), |former| former.name.clone());
    let mut name = base.clone();
    let mut number = 2;
    while by_name(scope, &name)?.is_some() {
        name = base.numbered(number);
        number += 1;
    }
    Ok(name)
}

fn move_to(scope: &Scope<'_>, section: i64, position: usize) -> Outcome<()> {
    let mut order: Vec<i64> = scope
        .conn
        .prepare_cached(
            "SELECT section FROM projects WHERE workspace = ?1 AND removed_at IS NULL
             ORDER BY position, section",
        )?
        .query_map([scope.workspace], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    order.retain(|other| *other != section);
    order.insert(position.min(order.len()), section);
    let mut statement =
        scope.conn.prepare_cached("UPDATE projects SET position = ?2 WHERE section = ?1")?;
    for (position, section) in (0_i64..).zip(order) {
        statement.execute([section, position])?;
    }
    Ok(())
}
