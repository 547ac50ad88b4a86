//! `schema`: the JSON Schema of every output, generated from the types that are printed.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use crate::domain::rail::Project;
use crate::domain::words::nearest;
use crate::host::report::{DeleteReport, PurgeReport, RecoverReport, RestoreReport, StopReport};

use super::agents::AgentsJson;
use super::config::ConfigJson;
use super::demo::SeededJson;
use super::detection::{ExplainJson, TestJson};
use super::diff::DiffJson;
use super::doctor::DoctorJson;
use super::error::{CliError, CommandResult, Ending, ErrorReport};
use super::guide::GuideJson;
use super::json::{
    Events, Ids, Messages, Operations, PageJson, PlanJson, Projects, ScreenJson, Sections, Sent,
    SessionJson, WaitJson,
};
use super::log::LogJson;
use super::output::write_text;
use super::watch::ChangeJson;

/// Adds a type to a schema; answers what refers to it.
type Make = fn(&mut SchemaGenerator) -> Schema;

/// What each command prints with `--json`; also `plan`, which `--dry-run` prints (of `restore`: a
/// foreseen report), and `error`, which goes to standard error.
const OUTPUTS: &[(&str, Make)] = &[
    ("agents explain", of::<ExplainJson<'_>>),
    ("agents list", of::<AgentsJson>),
    ("agents test", of::<TestJson>),
    ("cleanup", of::<StopReport>),
    ("clear", of::<DeleteReport>),
    ("config", of::<ConfigJson>),
    ("delete", of::<DeleteReport>),
    ("demo", of::<SeededJson>),
    ("diff", of::<DiffJson<'_>>),
    ("doctor", of::<DoctorJson<'_>>),
    ("error", of::<ErrorReport<'_>>),
    ("events", of::<Events<'_>>),
    ("fork", of::<SessionJson<'_>>),
    ("guide", of::<GuideJson>),
    ("keys", of::<Sent<'_>>),
    ("kill", of::<StopReport>),
    ("list", of::<PageJson<'_>>),
    ("log", of::<LogJson<'_>>),
    ("messages", of::<Messages<'_>>),
    ("ops", of::<Operations<'_>>),
    ("ops abandon", of::<Operations<'_>>),
    ("ops list", of::<Operations<'_>>),
    ("ops resume", of::<Operations<'_>>),
    ("ops show", of::<Operations<'_>>),
    ("ops undo", of::<Operations<'_>>),
    ("pin", of::<Ids<'_>>),
    ("plan", of::<PlanJson<'_>>),
    ("project add", of::<Project>),
    ("project list", of::<Projects<'_>>),
    ("project move", of::<Project>),
    ("project remove", of::<Project>),
    ("purge", of::<PurgeReport>),
    ("recover", of::<RecoverReport>),
    ("rename", of::<SessionJson<'_>>),
    ("restore", of::<RestoreReport>),
    ("screen", of::<ScreenJson<'_>>),
    ("sections", of::<Sections<'_>>),
    ("seen", of::<Ids<'_>>),
    ("send", of::<Sent<'_>>),
    ("show", of::<SessionJson<'_>>),
    ("spawn", of::<SessionJson<'_>>),
    ("stop", of::<StopReport>),
    ("unpin", of::<Ids<'_>>),
    ("wait", of::<WaitJson<'_>>),
    ("watch", of::<ChangeJson<'_>>),
];

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// `schema`
///
/// # Errors
/// There is no such output, or it cannot be printed.
pub(crate) fn run(name: &[String]) -> CommandResult {
    let name = name.join(" ");
    let schema = if name.is_empty() {
        whole()
    } else {
        let known = OUTPUTS.iter().find(|(output, _)| *output == name);
        known.map(|(output, make)| one(output, *make)).ok_or_else(|| unknown(&name))?
    };
    let text = serde_json::to_string_pretty(&schema);
    write_text(&text.map_err(|error| CliError::io("writing JSON")(error.into()))?)?;
    Ok(Ending::Done)
}

fn unknown(name: &str) -> CliError {
    let names: Vec<&str> = OUTPUTS.iter().map(|(output, _)| *output).collect();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("outputs are {}", names.join(", ")),
    };
    let message = format!("there is no output of the name {name}");
    CliError::Usage { message, hint: Some(hint) }
}

/// The schema of an object that has every output by the name of its command.
fn whole() -> Value {
    let mut generator = generator();
    let outputs: Map<String, Value> = OUTPUTS
        .iter()
        .map(|(output, make)| ((*output).to_owned(), make(&mut generator).to_value()))
        .collect();
    let mut schema = Map::new();
    schema.insert("title".to_owned(), "outputs of callboard by command".into());
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), outputs.into());
    finished(schema, &mut generator)
}

/// The schema of one output.
fn one(output: &str, make: Make) -> Value {
    let mut generator = generator();
    let reference = make(&mut generator).to_value();
    let mut schema = Map::new();
    schema.insert("title".to_owned(), format!("callboard {output}").into());
    schema.extend(reference.as_object().cloned().unwrap_or_default());
    finished(schema, &mut generator)
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}

fn finished(mut schema: Map<String, Value>, generator: &mut SchemaGenerator) -> Value {
    let version = "https://json-schema.org/draft/2020-12/schema";
    schema.insert("$schema".to_owned(), version.into());
    schema.insert("$defs".to_owned(), generator.take_definitions(true).into());
    schema.into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;
    use crate::cli::args::Cli;

    /// Commands that print no JSON of their own.
    const PLAIN: &[&str] = &["attach", "completions", "hook", "man", "schema", "scripted", "work"];

    /// Every command without subcommands, and those that do without one.
    fn commands(command: &clap::Command, prefix: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for sub in command.get_subcommands() {
            let name = format!("{prefix}{}", sub.get_name());
            found.extend(commands(sub, &format!("{name} ")));
            if !sub.is_subcommand_required_set() {
                found.insert(name);
            }
        }
        found
    }

    /// A new command is listed with what it prints, here or among those that print no JSON.
    #[test]
    fn the_output_of_every_command_is_described() {
        let mut known: BTreeSet<String> =
            OUTPUTS.iter().map(|(output, _)| (*output).to_owned()).collect();
        known.remove("error");
        known.remove("plan");
        known.extend(PLAIN.iter().map(|name| (*name).to_owned()));
        assert_eq!(known, commands(&Cli::command(), ""));
        assert!(OUTPUTS.is_sorted_by(|a, b| a.0 < b.0));
    }

    /// Every field is required, and every type and field says what it is.
    #[test]
    fn every_field_is_there_and_described() {
        let schema = whole();
        for (name, one) in schema["$defs"].as_object().unwrap() {
            assert!(one["description"].is_string(), "{name}");
            let Some(fields) = one["properties"].as_object() else { continue };
            let required: BTreeSet<&str> =
                one["required"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
            for (field, it) in fields {
                // Where matches of a search are listed, and only there (`spec/store.md` Q1).
                let searched = (name.as_str(), field.as_str()) == ("Listed", "snippet");
                assert!(searched || required.contains(field.as_str()), "{name}.{field}");
                let described = it["description"].is_string() || name == "ZoneCounts";
                assert!(described, "{name}.{field} {it}");
            }
        }
    }

    /// The file that tests and other programs read is what is printed. `CALLBOARD_RENEW=1 cargo
    /// test --lib schema` writes it anew.
    #[test]
    fn the_file_is_what_is_printed() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/schema.json");
        let text = format!("{}\n", serde_json::to_string_pretty(&whole()).unwrap());
        if std::env::var_os("CALLBOARD_RENEW").is_some() {
            std::fs::write(path, &text).unwrap();
        }
        assert!(
            std::fs::read_to_string(path).unwrap() == text,
            "assets/schema.json is old: CALLBOARD_RENEW=1 cargo test --lib schema renews it"
        );
    }
}
