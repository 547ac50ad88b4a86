//! `config`: the effective values and where each came from.

use schemars::JsonSchema;
use serde::Serialize;
use toml::{Table as Toml, Value};

use crate::config::{self, Config};
use crate::os::paths::Home;

use super::error::{CliError, CommandResult, Ending};
use super::output::{Output, Table};

/// The effective configuration.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Configuration")]
pub(crate) struct ConfigJson {
    /// Every value.
    values: Vec<ValueJson>,
}

/// One value of the configuration.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConfiguredValue")]
struct ValueJson {
    /// Its key, keys of tables with dots: `notifications.bell`.
    key: String,
    /// The value.
    #[schemars(with = "serde_json::Value")]
    value: Value,
    /// Path of the file that sets it, or `default`.
    source: String,
}

/// `config`; `text` is what the file says.
///
/// # Errors
/// The answer cannot be printed.
pub(crate) fn run(home: &Home, config: &Config, text: &str, out: Output) -> CommandResult {
    let path = config::path(home);
    let unreadable = |what: String| CliError::io(what)(std::io::ErrorKind::InvalidData.into());
    let file: Toml = text.parse().map_err(|_| unreadable(format!("reading {}", path.display())))?;
    let all =
        Toml::try_from(config).map_err(|_| unreadable("writing the configuration".to_owned()))?;
    let mut values = Vec::new();
    flatten("", all, Some(&file), &path.display().to_string(), &mut values);
    out.answer(&ConfigJson { values }, |config| {
        let mut table = Table::new(&["key", "value", "from"]);
        for one in &config.values {
            table.row([&one.key, &one.value.to_string(), &one.source]);
        }
        table.to_string()
    })?;
    Ok(Ending::Done)
}

/// Values of tables one by one: a file that sets one of them leaves the others at their defaults.
fn flatten(above: &str, table: Toml, file: Option<&Toml>, path: &str, values: &mut Vec<ValueJson>) {
    for (name, value) in table {
        let set = file.and_then(|file| file.get(&name));
        let key = format!("{above}{name}");
        match value {
            Value::Table(inner) if !inner.is_empty() => {
                let below = set.and_then(Value::as_table);
                flatten(&format!("{key}."), inner, below, path, values);
            }
            value => {
                let source = if set.is_some() { path } else { "default" }.to_owned();
                values.push(ValueJson { key, value, source });
            }
        }
    }
}
