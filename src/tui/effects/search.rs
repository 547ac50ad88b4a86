//! Looking for a text in all sections, messages and the trash (`spec/store.md` Q1).

use crate::domain::error::ErrorKind;
use crate::domain::ids::SessionId;
use crate::domain::query::{Filter, Order, Page, PageQuery};
use crate::domain::rail::FilterCount;
use crate::domain::search::Snippet;
use crate::host::ports::{PortResult, Ports};
use crate::tui::event::Found;

/// Places that are told of, in sections and in the trash each.
const FOUND: usize = 100;

/// Where a text is found, or what other words let through: in all sections, and in the trash. A session
/// whose id was typed comes first.
pub(super) async fn everywhere<P: Ports>(ports: &P, filter: &Filter) -> PortResult<Found> {
    let query = |deleted| PageQuery {
        filter: filter.clone(),
        deleted,
        order: Order::Found,
        limit: FOUND,
        ..PageQuery::default()
    };
    Ok(Found {
        sessions: with_id(ports, &query(false)).await?,
        trash: with_id(ports, &query(true)).await?,
    })
}

/// The page, begun with the session that the text is the id of.
async fn with_id<P: Ports>(ports: &P, query: &PageQuery) -> PortResult<Page> {
    let mut found = page(ports, query).await?;
    let id = query.filter.text.as_ref().and_then(|text| text.trim().parse::<SessionId>().ok());
    let Some(id) = id.filter(|id| found.sessions.iter().all(|session| session.id != *id)) else {
        return Ok(found);
    };
    let filter = Filter { ids: vec![id], text: None, ..query.filter.clone() };
    let named = page(ports, &PageQuery { filter, ..query.clone() }).await?;
    for session in named.sessions {
        found.total += 1;
        found.sessions.insert(0, session);
        found.snippets.insert(0, Snippet::default());
    }
    Ok(found)
}

/// A page; nothing where a filter names a project that is not there, as one that is still being typed.
pub(super) async fn page<P: Ports>(ports: &P, query: &PageQuery) -> PortResult<Page> {
    match ports.page(query).await {
        Err(error) if error.kind == ErrorKind::NotFound => Ok(Page::default()),
        page => page,
    }
}

/// What saved filters let through, by name.
pub(super) async fn counts<P: Ports>(
    ports: &P,
    filters: &[(String, Filter)],
) -> PortResult<Vec<(String, FilterCount)>> {
    let mut counts = Vec::with_capacity(filters.len());
    for (name, filter) in filters {
        let count = match ports.count(filter).await {
            Err(error) if error.kind == ErrorKind::NotFound => FilterCount::default(),
            count => count?,
        };
        counts.push((name.clone(), count));
    }
    Ok(counts)
}
