//! `agents test`: what a recording leads to.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::parts;
use crate::agents::Registry;
use crate::cli::args::TestArgs;
use crate::cli::error::{CliError, CommandResult, Ending};
use crate::cli::output::{Output, Table};
use crate::config::Config;
use crate::domain::activity::Activity;
use crate::domain::error::ErrorKind;
use crate::domain::time::Timestamp;
use crate::os::paths::Home;
use crate::runtime::detect::{self, Asciicast, replay};

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
            kind: ErrorKind::NotFound,
            message: format!("there is no agent {:?}", args.agent),
            hint: Some(format!("known are {}", registry.names().join(", "))),
            id: None,
        });
    }
    let recording = read(&args.file)?;
    let rules = registry.rules(&args.agent);
    let verdicts = replay(&rules, recording.size, recording.played(), false);
    let verdicts =
        verdicts.map_err(|error| CliError::Usage { message: error.to_string(), hint: None })?;
    let transitions: Vec<TransitionJson> = verdicts
        .iter()
        .scan(None, |last, (_, verdict)| {
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

/// Reads the file of a recording.
///
/// # Errors
/// It cannot be read, or is no recording; the message names its line.
pub(super) fn read(file: &Path) -> Result<Asciicast, CliError> {
    let text = std::fs::read_to_string(file)
        .map_err(CliError::io(format!("reading {}", file.display())))?;
    detect::parse(&text).map_err(|(line, reason)| CliError::Usage {
        message: format!("{}, line {line}: {reason}", file.display()),
        hint: Some("recordings are asciicasts of version 2".to_owned()),
    })
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
