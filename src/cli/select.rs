//! From SELECTOR to ids.

use std::collections::BTreeSet;

use crate::domain::ids::{InvalidName, SessionId};
use crate::domain::plan::Conditions;
use crate::domain::query::{Filter, Order, PageQuery};
use crate::domain::trash::PurgeChoice;
use crate::host::ports::Ports;

use super::args::{IdArg, Selector};
use super::console::{Console, read_input};
use super::error::CliError;

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
    let ids = among(console, named, choosing, false).await?;
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
        Some(among(console, named, choosing, true).await?)
    } else if selector.ids.is_empty() {
        None
    } else {
        Some(named.into_iter().collect())
    };
    let Selector { older_than, exclude_pinned, .. } = *selector;
    Ok(PurgeChoice { ids, older_than, exclude_pinned })
}

/// What `choosing` lets through; ids of `named` that are not there, deleted or not as asked, stay, so that
/// the report says so.
async fn among<P: Ports>(
    console: &Console<P>,
    named: Vec<SessionId>,
    choosing: Filter,
    deleted: bool,
) -> Result<BTreeSet<SessionId>, CliError> {
    let known = console.host.ports().sessions(&named).await?;
    let there = known.iter().filter(|session| session.deletion.is_some() == deleted);
    let there: BTreeSet<&SessionId> = there.map(|session| &session.id).collect();
    let mut ids: BTreeSet<SessionId> =
        matching(console, choosing, deleted).await?.into_iter().collect();
    ids.extend(named.into_iter().filter(|id| !there.contains(id)));
    Ok(ids)
}

fn bad_line(index: usize, error: &InvalidName) -> CliError {
    let message = format!("line {} of standard input: {error}", index + 1);
    CliError::Usage { message, hint: Some("give one id a line".to_owned()) }
}

fn must_name(selector: &Selector) -> Result<(), CliError> {
    if selector.is_empty() {
        return Err(CliError::no_session());
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
    // What is listed for these words is what they choose, to the last one.
    let query = PageQuery { filter, deleted, order: Order::Found, ..PageQuery::default() };
    Ok(console.host.ports().matching(&query).await?)
}
