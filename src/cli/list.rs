//! `list`, `sections`, `show`.

use std::collections::BTreeMap;
use std::iter::repeat;

use crate::agents::elsewhere;
use crate::domain::ids::SessionId;
use crate::domain::query::{Order, Page, PageQuery};
use crate::domain::rail::Section;
use crate::domain::session::{Session, Usage};
use crate::domain::status::Zone;
use crate::domain::text::cut;
use crate::domain::time::{Timestamp, age};
use crate::host::ports::Ports;

use super::args::ListArgs;
use super::console::Console;
use super::error::{CommandResult, Ending};
use super::json::{PageJson, SEARCH_COUNTED, Sections, SessionJson, why};
use super::output::Table;
use super::select;

/// Titles of the table are cut to so many cells.
const TITLE: usize = 48;

/// `list`
///
/// # Errors
/// The store cannot be read.
pub(crate) async fn list<P: Ports>(console: &Console<P>, args: ListArgs) -> CommandResult {
    let named = select::ids(&args.selector.ids)?;
    // Ids that are nothing but blanks select nothing, not everything.
    let nothing = named.is_empty() && !args.selector.ids.is_empty();
    let query = PageQuery {
        filter: args.selector.filter(named),
        deleted: args.deleted,
        order: Order::Found,
        limit: if nothing { 0 } else { args.limit },
        cursor: args.cursor,
        offset: args.offset,
        around: None,
    };
    let ports = console.host.ports();
    console.by_the_way(console.host.settle_due().await);
    select::count_if_asked(console, &query.filter, query.deleted).await?;
    let mut page = if nothing { Page::default() } else { ports.page(&query).await? };
    if !args.deleted && console.by_the_way(console.reconcile(&page.sessions).await) {
        page = ports.page(&query).await?;
    }
    if console.out.json {
        measure(console, &mut page.sessions).await;
    }
    let searched = query.filter.text.is_some();
    let now = ports.now();
    console.out.answer(&PageJson::new(&page, searched), |_| table(&page, searched, now))?;
    Ok(Ending::Done)
}

/// What the process trees of those take that run.
async fn measure<P: Ports>(console: &Console<P>, sessions: &mut [Session]) {
    let live: Vec<Session> = sessions.iter().filter(|it| it.is_live()).cloned().collect();
    if live.is_empty() {
        return;
    }
    let usage = console.host.ports().usage(&live).await;
    let usage: BTreeMap<SessionId, Usage> = usage.into_iter().collect();
    for session in sessions {
        if let Some(usage) = usage.get(&session.id) {
            session.runtime.cpu_percent = usage.cpu_percent;
            session.runtime.rss_bytes = Some(usage.rss_bytes);
        }
    }
}

fn table(page: &Page, searched: bool, now: Timestamp) -> String {
    let mut heads = vec!["id", "status", "attention", "agent", "age", "title"];
    heads.extend(searched.then_some("found"));
    let mut table = Table::new(&heads);
    let snippets = page.snippets.iter().map(|snippet| snippet.marked("[", "]"));
    for (session, snippet) in page.sessions.iter().zip(snippets.chain(repeat(String::new()))) {
        let condition = &session.condition;
        // Where rows stand by what was found, a child need not be below its parent.
        let indent = if session.parent.is_some() && !searched { "  " } else { "" };
        table.row([
            session.id.as_str(),
            condition.status.as_str(),
            condition.attention.map_or("", |reason| reason.as_str()),
            &session.launch.agent,
            &age(now, condition.sorted_at),
            &format!("{indent}{}", cut(&session.title, TITLE, "…")),
            &snippet,
        ]);
    }
    let rest = page.total.saturating_sub(page.sessions.len() as u64);
    match &page.next_cursor {
        Some(cursor) if searched && page.total > SEARCH_COUNTED => {
            format!("{table}{SEARCH_COUNTED}+ found, more: --cursor {cursor}\n")
        }
        Some(cursor) if rest > 0 => format!("{table}{rest} more: --cursor {cursor}\n"),
        _ => table.to_string(),
    }
}

/// `sections`
///
/// # Errors
/// The store cannot be read.
pub(crate) async fn sections<P: Ports>(console: &Console<P>) -> CommandResult {
    console.by_the_way(console.host.settle_due().await);
    let sections = console.host.ports().sections().await?;
    console.out.answer(&Sections { sections: &sections }, |list| section_table(list.sections))?;
    Ok(Ending::Done)
}

fn section_table(sections: &[Section]) -> String {
    let mut table = Table::new(&["section", "total", "attention", "zones", "key"]);
    for section in sections {
        let zones: Vec<String> = Zone::ALL
            .iter()
            .filter(|zone| section.zones.of(**zone) > 0)
            .map(|zone| format!("{zone} {}", section.zones.of(*zone)))
            .collect();
        table.row([
            &section.name,
            &section.total.to_string(),
            &section.attention.to_string(),
            &zones.join(", "),
            section.key.as_str(),
        ]);
    }
    table.to_string()
}

/// `show`
///
/// # Errors
/// There is no such session, or the store cannot be read.
pub(crate) async fn show<P: Ports>(console: &Console<P>, id: &SessionId) -> CommandResult {
    let session = console.session(id).await?;
    console.by_the_way(console.host.settle_due().await);
    let asked = vec![session.clone()];
    console.by_the_way(console.host.count_uncommitted_of(&console.context, asked).await);
    console.by_the_way(console.reconcile(&[session]).await);
    let mut session = console.session(id).await?;
    measure(console, std::slice::from_mut(&mut session)).await;
    let now = console.host.ports().now();
    let target = console.config.targets.get(&session.launch.target);
    let runs = target.and_then(elsewhere).map(|there| there.line());
    console.out.answer(&SessionJson::from(&session), |_| details(&session, runs, now))?;
    Ok(Ending::Done)
}

/// Everything known of a session, a line each; what is absent has none.
fn details(session: &Session, runs: Option<String>, now: Timestamp) -> String {
    let condition = &session.condition;
    let mut table = Table::plain();
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            table.row([name, &value]);
        }
    };
    let text = |value: &dyn std::fmt::Display| Some(value.to_string());
    let attention = condition.attention.map(|reason| format!(", wants you: {reason}"));
    line("id", text(&session.id));
    line("title", Some(session.title.clone()));
    line("status", Some(format!("{}{}", condition.status, attention.unwrap_or_default())));
    line("why", Some(why(session)));
    line(
        "activity",
        Some(format!("{}, {}", condition.activity.value, age(now, condition.activity.since))),
    );
    if let Some(question) = &condition.question {
        line("question", Some(format!("{}: {}", question.kind, question.text)));
        line("options", Some(question.options.join(" | ")));
    }
    line("error", session.error.clone());
    let launch = &session.launch;
    line("agent", Some(launch.agent.clone()));
    line("target", Some(launch.target.clone()).filter(|target| *target != launch.agent));
    line("runs", runs);
    line("section", text(&session.shown.section));
    line("kind", text(&session.kind));
    line("parent", session.parent.as_ref().map(ToString::to_string));
    line("folder", text(&session.folder.display()));
    line("branch", session.branch.clone());
    line("base", session.base.clone());
    line("dirty", session.dirty.map(|files| format!("{files} files")));
    for pr in &session.prs {
        let stale = if pr.stale { ", stale" } else { "" };
        line(
            "pr",
            Some(format!("#{} {}, checks {}{stale} {}", pr.number, pr.state, pr.ci, pr.url)),
        );
    }
    line("turn", text(&condition.turn));
    line("generation", text(&condition.lifecycle.generation));
    line("keeper", session.runtime.keeper_pid.map(|pid| format!("process {pid}")));
    line("process", session.runtime.pid.map(|pid| pid.to_string()));
    line(
        "cpu",
        session.runtime.cpu_percent.map(|cpu| format!("{cpu:.0} % of a core since its start")),
    );
    line("memory", session.runtime.rss_bytes.map(|bytes| format!("{} MiB", bytes >> 20)));
    line("exit code", session.runtime.exit_code.map(|code| code.to_string()));
    line("signal", session.runtime.signal.map(|signal| signal.to_string()));
    line("conversation", session.launch.agent_session_id.clone());
    line("created", text(&session.created_at));
    line("last activity", condition.last_activity_at.as_ref().map(ToString::to_string));
    line("deleted", session.deletion.as_ref().map(|deletion| deletion.at.to_string()));
    line("batch", session.deletion.as_ref().map(|deletion| deletion.batch.to_string()));
    line("prompt", session.prompt.clone());
    table.to_string()
}
