//! `watch`: the monitor without a screen. It applies the timed rules and probes what has to be probed, as
//! a dashboard does (`spec/lifecycle.md` A4, A5, F2, T4), and prints what changes.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::pin::pin;

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::Notifications;
use crate::domain::activity::Activity;
use crate::domain::ids::SessionId;
use crate::domain::session::Session;
use crate::domain::status::{Attention, Status};
use crate::domain::text::clean_line;
use crate::domain::time::Timestamp;
use crate::host::OnView;
use crate::host::care::{Care, TOGETHER};
use crate::host::error::HostResult;
use crate::host::ports::Ports;
use crate::monitor::notice::tell::{self, Manner};
use crate::monitor::notice::{Notices, waiting_query};
use crate::os::terminal::reader_gone;

use super::args::WatchArgs;
use super::console::Console;
use super::error::{CliError, CommandResult};
use super::output::Output;

/// What of a session is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Seen {
    /// Its status.
    status: Status,
    /// Its activity.
    activity: Activity,
    /// Why it wanted the operator.
    attention: Option<Attention>,
}

impl Seen {
    fn of(session: &Session) -> Self {
        let condition = &session.condition;
        Self {
            status: condition.status,
            activity: condition.activity.value,
            attention: condition.attention,
        }
    }
}

/// One line of `watch --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangeJson<'a> {
    /// When it was noticed.
    at: Timestamp,
    /// The session.
    id: &'a SessionId,
    /// Its title.
    title: &'a str,
    /// Its status now.
    status: Status,
    /// Its activity now.
    activity: Activity,
    /// Why it wants the operator; none where it does not.
    attention: Option<Attention>,
    /// Whether it is in the trash now.
    deleted: bool,
    /// What was before; none for a session that was not there.
    before: Option<Seen>,
}

/// `watch`
///
/// # Errors
/// The output is closed, or interrupted: that is how it ends. What else goes wrong is said, and it goes on.
pub(crate) async fn run<P: Ports>(console: &Console<P>, args: WatchArgs) -> CommandResult {
    let mut faults = Faults::new(console.out);
    let changes = console.changes.clone();
    // No list is on view.
    let (_, on_view) = tokio::sync::watch::channel(OnView::new());
    let (host, ctx) = (console.host.clone(), console.context.clone());
    let mut care = Care::new(host, ctx, changes, TOGETHER, on_view);
    let mut teller = args.notify.then(|| Teller::new(&console.config.notifications));
    let mut known: Option<BTreeMap<SessionId, Seen>> = None;
    loop {
        let round = care.round().await;
        for (what, attempt) in round.attempts {
            faults.note(what, attempt);
        }
        if let Some(live) = round.live {
            match compare(console, known.as_ref(), &live).await {
                Ok((now, news)) => {
                    show(console, &news)?;
                    known = Some(now);
                    faults.note("changes", Ok(()));
                }
                Err(error) => faults.note("changes", Err(error)),
            }
        }
        if let Some(teller) = &mut teller {
            faults.note("notifications", teller.look(console).await);
        }
        let next = async {
            let mut more = pin!(care.next());
            loop {
                if let Some(teller) = &mut teller {
                    teller.tell(console);
                }
                tokio::select! {
                    more = &mut more => return more,
                    () = reader_gone() => return false,
                    () = Teller::held_back(teller.as_ref(), console) => {}
                }
            }
        };
        if !console.context.run(next).await? {
            return Err(CliError::ClosedPipe);
        }
    }
}

/// What went wrong and is not over yet, so that each is said once.
struct Faults {
    out: Output,
    said: BTreeMap<&'static str, String>,
}

impl Faults {
    fn new(out: Output) -> Self {
        Self { out, said: BTreeMap::new() }
    }

    fn note(&mut self, what: &'static str, attempt: HostResult<()>) {
        let Err(error) = attempt else {
            self.said.remove(what);
            return;
        };
        let text = format!("warning: {what}: {error}");
        if self.said.get(what) != Some(&text) {
            tracing::warn!(what, %error, "watching goes on");
            self.out.remark(&text);
            self.said.insert(what, text);
        }
    }
}

/// Prints changes.
fn show<P: Ports>(console: &Console<P>, news: &[Change]) -> Result<(), CliError> {
    let now = console.host.ports().now();
    for (session, before) in news {
        print(console.out, now, session, *before)?;
    }
    Ok(())
}

/// A session as it is now, and what was before.
type Change = (Session, Option<Seen>);

/// What runs now, and what changed: sessions that came, are otherwise, or run no more. At the beginning
/// nothing changed.
async fn compare<P: Ports>(
    console: &Console<P>,
    before: Option<&BTreeMap<SessionId, Seen>>,
    live: &[Session],
) -> HostResult<(BTreeMap<SessionId, Seen>, Vec<Change>)> {
    let now: BTreeMap<SessionId, Seen> =
        live.iter().map(|session| (session.id.clone(), Seen::of(session))).collect();
    let Some(before) = before else {
        return Ok((now, Vec::new()));
    };
    let mut changed: Vec<Change> = live
        .iter()
        .map(|session| (session, before.get(&session.id).copied()))
        .filter(|(session, before)| *before != Some(Seen::of(session)))
        .map(|(session, before)| (session.clone(), before))
        .collect();
    let gone: Vec<SessionId> = before.keys().filter(|id| !now.contains_key(*id)).cloned().collect();
    if !gone.is_empty() {
        let gone = console.host.ports().sessions(&gone).await?;
        changed.extend(gone.into_iter().map(|session| {
            let seen = before.get(&session.id).copied();
            (session, seen)
        }));
    }
    changed.sort_by(|a, b| a.0.id.cmp(&b.0.id));
    Ok((now, changed))
}

fn print(
    out: Output,
    at: Timestamp,
    session: &Session,
    before: Option<Seen>,
) -> Result<(), CliError> {
    let Seen { status, activity, attention } = Seen::of(session);
    let deleted = session.deletion.is_some();
    let (id, title) = (&session.id, session.title.as_str());
    let change = ChangeJson { at, id, title, status, activity, attention, deleted, before };
    out.answer(&change, line)
}

fn line(change: &ChangeJson<'_>) -> String {
    let was = |word: Option<&str>, now: &str| match word {
        Some(before) if before != now => format!(" (was {before})"),
        _ => String::new(),
    };
    let before = change.before;
    let status = change.status.as_str();
    let activity = change.activity.as_str();
    let parts = [
        format!("{}  {}  {status}", change.at, change.id),
        was(before.map(|seen| seen.status.as_str()), status),
        format!(", {activity}"),
        was(before.map(|seen| seen.activity.as_str()), activity),
        change.attention.map(|reason| format!(", wants attention: {reason}")).unwrap_or_default(),
        if change.deleted { ", in the trash".to_owned() } else { String::new() },
        format!("  {}", clean_line(change.title)),
    ];
    parts.concat()
}

/// Tells the operator of who begins to want something, as a dashboard does; rings the bell unless the
/// configuration says how.
struct Teller {
    how: Notifications,
    manner: Manner,
    notices: Notices,
    waiting: Vec<Session>,
}

impl Teller {
    fn new(how: &Notifications) -> Self {
        let manner = Manner::here(how).or_bell(how);
        // Who asked to be told is, also where the configuration names no way.
        let how = Notifications { bell: how.bell || !how.is_on(), ..how.clone() };
        Self { how, manner, notices: Notices::default(), waiting: Vec::new() }
    }

    /// Looks who waits now.
    async fn look<P: Ports>(&mut self, console: &Console<P>) -> HostResult<()> {
        self.waiting = console.host.ports().page(&waiting_query()).await?.sessions;
        self.notices.arrive(&self.waiting, &self.how);
        Ok(())
    }

    /// Says what is to be said by now.
    fn tell<P: Ports>(&mut self, console: &Console<P>) {
        let now = console.host.ports().now();
        let Some(notice) = self.notices.take(&self.waiting, None, &self.how, now) else {
            return;
        };
        ring(&self.manner.signs(&notice.text));
        let (command, out) = (self.how.command.clone(), console.out);
        tokio::spawn(async move {
            if let Err(error) = tell::run(&command, &notice).await {
                out.remark(&format!("warning: {error}"));
            }
        });
    }

    /// Waits until there is something that the limit held back.
    async fn held_back<P: Ports>(teller: Option<&Self>, console: &Console<P>) {
        match teller.and_then(|teller| teller.notices.wake(&teller.how)) {
            Some(at) => tokio::time::sleep(at.since(console.host.ports().now())).await,
            None => std::future::pending().await,
        }
    }
}

/// To the terminal, wherever it is: never into what is read by a program.
fn ring(signs: &str) {
    // A bell that nobody hears is no failure.
    let _heard = if io::stdout().is_terminal() {
        io::stdout().lock().write_all(signs.as_bytes()).and_then(|()| io::stdout().flush())
    } else if io::stderr().is_terminal() {
        io::stderr().lock().write_all(signs.as_bytes())
    } else {
        Ok(())
    };
}
