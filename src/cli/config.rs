//! `config`: the effective values and where each came from.

use serde::Serialize;

use crate::config::Config;
use crate::os::paths::Home;

use super::error::{CliError, CommandResult, Ending};
use super::json::Named;
use super::output::{Output, Table};

/// One value.
#[derive(Debug, Serialize)]
struct ValueJson {
    key: String,
    value: toml::Value,
    /// The file, or `default`.
    source: String,
}

/// `config`
///
/// # Errors
/// The configuration cannot be read.
pub(crate) fn run(home: &Home, config: &Config, out: Output) -> CommandResult {
    let path = home.config.join("config.toml");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(CliError::io(format!("reading {}", path.display()))(error)),
    };
    let unreadable = |what: String| CliError::io(what)(std::io::ErrorKind::InvalidData.into());
    let file: toml::Table =
        text.parse().map_err(|_| unreadable(format!("reading {}", path.display())))?;
    let all = toml::Table::try_from(config)
        .map_err(|_| unreadable("writing the configuration".to_owned()))?;
    let values: Vec<ValueJson> = all
        .into_iter()
        .map(|(key, value)| {
            let source = if file.contains_key(&key) {
                path.display().to_string()
            } else {
                "default".to_owned()
            };
            ValueJson { key, value, source }
        })
        .collect();
    out.answer(&Named("values", &values), |list| {
        let mut table = Table::new(&["key", "value", "from"]);
        for one in list.1 {
            table.row([&one.key, &one.value.to_string(), &one.source]);
        }
        table.to_string()
    })?;
    Ok(Ending::Done)
}
