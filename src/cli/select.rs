//! From SELECTOR to ids.

use std::collections::BTreeSet;

use crate::domain::ids::{InvalidName, SessionId};
use crate::domain::plan::Conditions;
use crate::domain::query::{Filter, PageQuery};
use crate::domain::trash::PurgeChoice;
use crate::host::ports::Ports;

use super::args::{IdArg, Selector};
use super::console::{Console, read_input};
use super::error::CliError;

/// Sessions read at a time while a filter becomes ids.
const PAGE: usize = 1_000;

/// Sessions that a changing verb is asked for.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// Which, sorted and unique (`spec/lifecycle.md` D1).
    pub(crate) ids: BTreeSet<SessionId>,
    /// What is tested again at both fences.
    pub(crate) conditions: Conditions,
    /// They were named, and nothing else was asked.
    pub(crate) plainly_named: bool,
}

/// The ids of `args` in their order, each once; `-` reads standard input.
///
/// # Errors
/// A line of standard input is no id.
pub(crate) fn ids(args: &[IdArg]) -> Result<Vec<SessionId>, CliError> {
    let mut ids = Vec::new();
    let mut seen = BTreeSet::new();
    let mut add = |id: SessionId| {
        if seen.insert(id.clone()) {
            ids.push(id);
        }
    };
    for arg in args {
        match arg {
            IdArg::Session(id) => add(id.clone()),
            IdArg::Blank => {}
            IdArg::Input => {
                for (index, line) in read_input()?.lines().enumerate() {
                    match line.trim() {
                        "" => {}
                        id => add(SessionId::new(id).map_err(|error| bad_line(index, &error))?),
                    }
                }
            }
        }
    }
    Ok(ids)
}

/// The sessions that a changing verb is asked for.
///
/// # Errors
/// Nothing was given, a line of standard input is no id, or the store cannot be read.
pub(crate) async fn choose<P: Ports>(
    console: &Console<P>,
    selector: &Selector,
) -> Result<Chosen, CliError> {
    must_name(selector)?;
    let conditions = selector.conditions();
    if selector.ids.is_empty() {
        let ids = matching(console, selector.filter(Vec::new()), false).await?;
        return Ok(Chosen { ids: ids.into_iter().collect(), conditions, plainly_named: false });
    }
    let named = ids(&selector.ids)?;
    let choosing = selector.choosing(named.clone());
    let plain = Filter { ids: named.clone(), ..Filter::default() };
    if choosing == plain || named.is_empty() {
        let plainly_named = conditions.is_empty();
        return Ok(Chosen { ids: named.into_iter().collect(), conditions, plainly_named });
    }
    // Ids that lead nowhere stay, so that the report says so.
    let known = console.host.ports().sessions(&named).await?;
    let present: BTreeSet<&SessionId> =
        known.iter().filter(|session| session.deletion.is_none()).map(|one| &one.id).collect();
    let mut ids: BTreeSet<SessionId> =
        matching(console, choosing, false).await?.into_iter().collect();
    ids.extend(named.into_iter().filter(|id| !present.contains(id)));
    Ok(Chosen { ids, conditions, plainly_named: false })
}

/// What a purge is asked for: sessions of the trash, whose ages count since their deletion.
///
/// # Errors
/// As [`choose`].
pub(crate) async fn choose_in_trash<P: Ports>(
    console: &Console<P>,
    selector: &Selector,
) -> Result<PurgeChoice, CliError> {
    must_name(selector)?;
    let named = ids(&selector.ids)?;
    // Age and pins are tested on whole trees.
    let choosing =
        Filter { older_than: None, exclude_pinned: false, ..selector.filter(named.clone()) };
    let plain = Filter { ids: named.clone(), ..Filter::default() };
    let ids = if choosing != plain {
        let mut ids: BTreeSet<SessionId> =
            matching(console, choosing, true).await?.into_iter().collect();
        let known = console.host.ports().sessions(&named).await?;
        let deleted: BTreeSet<&SessionId> =
            known.iter().filter(|session| session.deletion.is_some()).map(|one| &one.id).collect();
        // Ids that lead nowhere stay, so that the report says so.
        ids.extend(named.into_iter().filter(|id| !deleted.contains(id)));
        Some(ids)
    } else if selector.ids.is_empty() {
        None
    } else {
        Some(named.into_iter().collect())
    };
    let Selector { older_than, exclude_pinned, .. } = *selector;
    Ok(PurgeChoice { ids, older_than, exclude_pinned })
}

fn bad_line(index: usize, error: &InvalidName) -> CliError {
    let message = format!("line {} of standard input: {error}", index + 1);
    CliError::Usage { message, hint: Some("give one id a line".to_owned()) }
}

fn must_name(selector: &Selector) -> Result<(), CliError> {
    if selector.is_empty() {
        return Err(CliError::Usage {
            message: "no session was named".to_owned(),
            hint: Some("give ids, a filter such as --project NAME, or --all".to_owned()),
        });
    }
    Ok(())
}

/// Uncommitted files are counted anew before a filter asks by them.
///
/// # Errors
/// The store cannot be read or written.
pub(crate) async fn count_if_asked<P: Ports>(
    console: &Console<P>,
    filter: &Filter,
    deleted: bool,
) -> Result<(), CliError> {
    if filter.dirty.is_some() {
        console.host.count_uncommitted(&console.context, filter, deleted).await?;
    }
    Ok(())
}

/// Every session that `filter` lets through.
async fn matching<P: Ports>(
    console: &Console<P>,
    filter: Filter,
    deleted: bool,
) -> Result<Vec<SessionId>, CliError> {
    count_if_asked(console, &filter, deleted).await?;
    let mut query = PageQuery { filter, deleted, limit: PAGE, ..PageQuery::default() };
    let mut ids = Vec::new();
    loop {
        let page = console.host.ports().page(&query).await?;
        ids.extend(page.sessions.into_iter().map(|session| session.id));
        query.cursor = page.next_cursor;
        if query.cursor.is_none() {
            return Ok(ids);
        }
    }
}
