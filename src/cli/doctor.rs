//! `doctor`: checks of the installation, and mending what is safe to mend.

use schemars::JsonSchema;
use serde::Serialize;

use crate::adapters::doctor::Installation;
use crate::adapters::{open, open_still};
use crate::config::Config;
use crate::domain::check::Check;
use crate::domain::error::ErrorKind;
use crate::domain::event::Actor;
use crate::domain::ids::WorkspaceName;
use crate::host::context::Context;
use crate::host::doctor;
use crate::os::paths::Home;
use crate::tui::run::mistakes;

use super::caller;
use super::error::{CliError, CommandResult, Ending};
use super::output::{Output, lines};

/// What `doctor` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Doctor")]
pub(crate) struct DoctorJson<'a> {
    /// Every check, good ones too.
    checks: &'a [Check],
}

/// `doctor`
///
/// # Errors
/// The answer cannot be printed. What is wrong is in the answer, and makes it end with 1.
pub(crate) async fn run(
    home: Home,
    workspace: WorkspaceName,
    repair: bool,
    out: Output,
) -> CommandResult {
    let config = crate::config::load(&home);
    let theme = config.as_ref().map_or_else(|_| Config::default().theme, |it| it.theme.clone());
    let usable = config.as_ref().ok().cloned();
    let actor = caller::actor(&home, &workspace);
    let may = usable.as_ref().is_some_and(|config| config.agents_may_everything);
    if repair && !may && matches!(actor, Actor::Session(_) | Actor::Elsewhere { .. }) {
        return Err(CliError::Part {
            kind: ErrorKind::Refused,
            message: "an agent may not repair the installation".to_owned(),
            hint: Some("without --repair it says what is wrong and changes nothing".to_owned()),
            id: None,
        });
    }
    let more = mistakes(&home, &theme);
    let parts = Installation::new(home.clone(), workspace.clone(), config, more);
    let mut checks = doctor::installation(&parts, repair).await;
    // Without a store there are no sessions, and nothing is made for a look.
    if let Some(config) = usable.filter(|_| home.database().exists()) {
        let context = Context::new();
        let opened = if repair {
            open(&home, &config, workspace).await
        } else {
            open_still(&home, &config, workspace).await
        };
        match opened {
            Ok(host) => {
                checks.extend(Box::pin(host.examine(&context, repair)).await);
                host.record_repair(&checks, &actor).await;
            }
            Err(error) => {
                let hint = error.hint().unwrap_or_else(|| "see the check of the store".to_owned());
                checks.push(Check::bad("sessions", format!("not looked at: {error}"), hint));
            }
        }
    }
    let whole = checks.iter().all(|check| check.ok);
    out.answer(&DoctorJson { checks: &checks }, |doctor| lines(doctor.checks, line))?;
    Ok(if whole { Ending::Done } else { Ending::Short(ErrorKind::Failed) })
}

fn line(check: &Check) -> String {
    use crate::domain::text::clean_line;
    let sign = if check.ok { "ok  " } else { "BAD " };
    let hint = match &check.hint {
        Some(hint) if !check.ok => format!("\n      hint: {}", clean_line(hint)),
        _ => String::new(),
    };
    format!("{sign}  {}: {}{hint}", check.name, clean_line(&check.detail))
}
