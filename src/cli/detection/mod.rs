//! `agents explain` and `agents test`: why an activity was concluded (`spec/agents.md` G8).

#[cfg(test)]
mod recordings;
mod replayed;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::activity::{Activity, ActivityFact};
use crate::domain::ids::SessionId;
use crate::domain::session::Session;
use crate::domain::text::clean_line;
use crate::domain::time::{Timestamp, age};
use crate::host::ports::Ports;
use crate::runtime::client::{Keeper, StatusReply};

use super::console::Console;
use super::error::{CliError, CommandResult, Ending};
use super::output::Table;

pub(crate) use replayed::{TestJson, test};

/// How long a keeper may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// `agents explain`
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExplainJson<'a> {
    /// The session.
    id: &'a SessionId,
    /// Its agent.
    agent: &'a str,
    /// What is concluded.
    activity: Activity,
    /// Since when.
    since: Timestamp,
    /// Who concluded it.
    witness: String,
    /// The rule behind it, or the event of a hook.
    rule: Option<String>,
    /// Whether its keeper was asked; else it is what was stored last.
    live: bool,
    /// Every witness, the most trusted first.
    witnesses: Vec<WitnessJson>,
}

/// What one witness says.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WitnessJson {
    /// `osc7501`, `hook`, `title`, `progress`, `screen`, `process`.
    witness: String,
    /// What it says; none where it is silent.
    says: Option<Activity>,
    /// Since when it says so.
    since: Option<Timestamp>,
    /// The same as an age.
    age_seconds: Option<f64>,
    /// The rule that matched, or the event of a hook.
    rule: Option<String>,
    /// The text that matched.
    text: Option<String>,
    /// It says something else than what is concluded.
    contradicts: bool,
}

/// `agents explain`
///
/// # Errors
/// There is no such session.
pub(crate) async fn explain<P: Ports>(console: &Console<P>, id: &SessionId) -> CommandResult {
    let session = console.session(id).await?;
    let now = console.host.ports().now();
    let status = if session.is_live() { ask(console, id).await? } else { None };
    let explained = explained(&session, status.as_ref(), now);
    console.out.answer(&explained, |explained| text(explained, now))?;
    Ok(Ending::Done)
}

/// What its keeper says; none where it is gone.
async fn ask<P: Ports>(
    console: &Console<P>,
    id: &SessionId,
) -> Result<Option<StatusReply>, CliError> {
    let socket = console.home.socket(console.host.ports().workspace(), id);
    let asking = async { Keeper::connect(&socket).await?.status().await };
    let asked = console.context.within(PATIENCE).run(asking).await?;
    Ok(asked.ok())
}

fn explained<'a>(
    session: &'a Session,
    status: Option<&StatusReply>,
    now: Timestamp,
) -> ExplainJson<'a> {
    let activity = status.map_or(&session.condition.activity, |status| &status.facts.activity);
    let (witness, rule) = parts(activity);
    let witnesses = status.map_or_else(Vec::new, |status| {
        let reports = status.witnesses.iter();
        let json = reports.map(|report| WitnessJson {
            witness: report.witness.clone(),
            says: report.says,
            since: report.since,
            age_seconds: report.since.map(|since| now.since(since).as_secs_f64()),
            rule: report.rule.clone(),
            text: report.text.as_deref().map(clean_line),
            contradicts: report.says.is_some_and(|says| says != activity.value),
        });
        json.collect()
    });
    ExplainJson {
        id: &session.id,
        agent: &session.launch.agent,
        activity: activity.value,
        since: activity.since,
        witness,
        rule,
        live: status.is_some(),
        witnesses,
    }
}

/// Who concluded an activity, and the rule or event behind it.
fn parts(activity: &ActivityFact) -> (String, Option<String>) {
    match activity.witness.split_once(": ") {
        Some((witness, rule)) => (witness.to_owned(), Some(rule.to_owned())),
        None => (activity.witness.clone(), None),
    }
}

fn text(explained: &ExplainJson<'_>, now: Timestamp) -> String {
    let ago = |since: Timestamp| match now.since(since).as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        _ => age(now, since),
    };
    let by = match &explained.rule {
        _ if explained.witness.is_empty() => "by nobody: no witness knows".to_owned(),
        Some(rule) => format!("by {}: {rule}", explained.witness),
        None => format!("by {}", explained.witness),
    };
    let head = format!(
        "{} ({}): {} for {}, {by}\n",
        explained.id,
        explained.agent,
        explained.activity,
        ago(explained.since)
    );
    if !explained.live {
        return format!("{head}no keeper runs: this is what was stored last\n");
    }
    let mut table = Table::new(&["witness", "says", "for", "rule", "text"]);
    for witness in &explained.witnesses {
        table.row([
            &witness.witness,
            witness.says.map_or("-", Activity::as_str),
            &witness.since.map(ago).unwrap_or_default(),
            witness.rule.as_deref().unwrap_or(""),
            witness.text.as_deref().unwrap_or(""),
        ]);
    }
    let against = explained.witnesses.iter().filter(|witness| witness.contradicts);
    let against: Vec<&str> = against.map(|witness| witness.witness.as_str()).collect();
    let tail = match against.join(", ") {
        none if none.is_empty() => none,
        some => format!("something else is said by: {some}\n"),
    };
    format!("{head}{table}{tail}")
}
