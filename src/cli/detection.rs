//! `agents explain` and `agents test`: why an activity was concluded (`spec/agents.md` G8).

use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::agents::Registry;
use crate::config::Config;
use crate::domain::activity::{Activity, ActivityFact};
use crate::domain::ids::SessionId;
use crate::domain::session::Session;
use crate::domain::text::clean_line;
use crate::domain::time::{Timestamp, age};
use crate::host::ports::Ports;
use crate::os::paths::Home;
use crate::runtime::client::{Keeper, StatusReply};
use crate::runtime::detect::{Played, replay};
use crate::runtime::screen::Size;

use super::args::{self, TestArgs};
use super::console::Console;
use super::error::{CliError, CommandResult, Ending};
use super::output::{Output, Table};

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
    /// `osc7501`, `hook`, `screen` or `title`, `progress`, `process`.
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
    format!("{head}{table}")
}

/// `agents test`: `transitions, final`.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct TestJson {
    /// Each change of the activity, in order.
    transitions: Vec<TransitionJson>,
    /// What is concluded at the end.
    #[serde(rename = "final")]
    last: Activity,
}

/// One change of the activity.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct TransitionJson {
    /// Seconds of the recording.
    at: f64,
    /// What is concluded from then on.
    activity: Activity,
    /// Who concluded it.
    witness: String,
    /// The rule behind it.
    rule: Option<String>,
}

/// `agents test`
///
/// # Errors
/// There is no such agent, or the file is no recording.
pub(crate) fn test(home: &Home, config: &Config, args: &TestArgs, out: Output) -> CommandResult {
    let (registry, mistakes) = Registry::load(home, config);
    for mistake in &mistakes {
        out.remark(&format!("warning: {mistake}"));
    }
    if registry.find(&args.agent).is_none() {
        return Err(CliError::Part {
            kind: crate::domain::error::ErrorKind::NotFound,
            message: format!("there is no agent {:?}", args.agent),
            hint: Some(format!("known are {}", registry.names().join(", "))),
            id: None,
        });
    }
    let recording = read(&args.file)?;
    let played = recording.events.iter().map(|(at, event)| {
        let event = match event {
            Recorded::Output(text) => Played::Output(text.as_bytes()),
            Recorded::Size(size) => Played::Size(*size),
        };
        (*at, event)
    });
    let rules = registry.rules(&args.agent);
    let verdicts = replay(&rules, recording.size, played, false);
    let verdicts =
        verdicts.map_err(|error| CliError::Usage { message: error.to_string(), hint: None })?;
    let transitions: Vec<TransitionJson> = verdicts
        .iter()
        .scan(None, |last, verdict| {
            let changed = last.replace(verdict.activity.value) != Some(verdict.activity.value);
            Some(changed.then_some(&verdict.activity))
        })
        .flatten()
        .map(|activity| {
            let (witness, rule) = parts(activity);
            let at = activity.since.since(Timestamp(0)).as_secs_f64();
            TransitionJson { at, activity: activity.value, witness, rule }
        })
        .collect();
    let last = transitions.last().map_or(Activity::Unknown, |last| last.activity);
    out.answer(&TestJson { transitions, last }, test_text)?;
    Ok(Ending::Done)
}

fn test_text(test: &TestJson) -> String {
    let mut table = Table::new(&["at", "activity", "witness", "rule"]);
    for step in &test.transitions {
        table.row([
            &format!("{:.3}", step.at),
            step.activity.as_str(),
            &step.witness,
            step.rule.as_deref().unwrap_or(""),
        ]);
    }
    format!("{table}at the end: {}\n", test.last)
}

/// An asciicast: times in milliseconds since its beginning.
struct Asciicast {
    size: Size,
    events: Vec<(Timestamp, Recorded)>,
}

enum Recorded {
    Output(String),
    Size(Size),
}

fn read(file: &Path) -> Result<Asciicast, CliError> {
    let text = std::fs::read_to_string(file)
        .map_err(CliError::io(format!("reading {}", file.display())))?;
    parse(&text).map_err(|(line, reason)| CliError::Usage {
        message: format!("{}, line {line}: {reason}", file.display()),
        hint: Some("recordings are asciicasts of version 2".to_owned()),
    })
}

/// Reads a recording; a mistake comes with its line.
fn parse(text: &str) -> Result<Asciicast, (usize, String)> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let json = |(at, line): (usize, &str)| {
        serde_json::from_str::<Value>(line).map_err(|error| (at + 1, error.to_string()))
    };
    let header = json(lines.next().ok_or_else(|| (1, "it is empty".to_owned()))?)?;
    if header["version"] != 2 {
        return Err((1, "it is no asciicast of version 2".to_owned()));
    }
    let extent = |name: &str, usual| {
        header[name].as_u64().and_then(|side| u16::try_from(side).ok()).unwrap_or(usual)
    };
    let size = Size { cols: extent("width", 80), rows: extent("height", 24) }.clamped();
    let mut events = Vec::new();
    for (at, line) in lines {
        let event = json((at, line))?;
        let (Some(seconds), Some(kind), Some(data)) =
            (event[0].as_f64(), event[1].as_str(), event[2].as_str())
        else {
            return Err((at + 1, "an event is a time, a kind and a text".to_owned()));
        };
        let recorded = match kind {
            "o" => Recorded::Output(data.to_owned()),
            "r" => {
                let args::Size(cols, rows) =
                    data.parse().map_err(|_| (at + 1, format!("{data:?} is no size")))?;
                Recorded::Size(Size { cols, rows })
            }
            _ => continue,
        };
        let time = Duration::try_from_secs_f64(seconds);
        let time = time.map_err(|error| (at + 1, error.to_string()))?;
        events.push((Timestamp(0).plus(time), recorded));
    }
    Ok(Asciicast { size, events })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_read_and_a_mistake_names_its_line() {
        let text = "{\"version\":2,\"width\":100,\"height\":30}\n[0.5,\"o\",\"hi\"]\n\n[1,\"i\",\"x\"]\n\
                    [2.25,\"r\",\"90x20\"]\n";
        let cast = parse(text).unwrap();
        assert_eq!((cast.size.cols, cast.size.rows, cast.events.len()), (100, 30, 2));
        assert_eq!(cast.events[1].0, Timestamp(2_250));
        assert!(matches!(cast.events[1].1, Recorded::Size(Size { cols: 90, rows: 20 })));
        let line = |text: &str| parse(text).err().unwrap().0;
        assert_eq!(line(""), 1);
        assert_eq!(line("{\"version\":3}"), 1);
        assert_eq!(line("{\"version\":2}\n[1,\"o\"]"), 2);
        assert_eq!(line("{\"version\":2}\n[1,\"o\",\"a\"]\n[-1,\"o\",\"a\"]"), 3);
        assert_eq!(line("{\"version\":2}\n[1,\"r\",\"axb\"]"), 2);
    }
}
