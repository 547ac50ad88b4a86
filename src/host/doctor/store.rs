//! The store: whole, its counts, its search index, its copies (`spec/store.md` W2, W3).

use crate::domain::check::Check;
use crate::host::ports::doctor::{DoctorPort, StoreHealth};

use super::{count, outcome};

const REPAIR: &str = "leave every dashboard, then run `callboard doctor --repair`: it moves the store aside and restores the newest good copy";
const RECOUNT: &str = "`callboard doctor --repair` sets it right";

pub(super) async fn look(port: &impl DoctorPort) -> Vec<Check> {
    let found = port.store().await;
    let Some(version) = found.version.filter(|_| found.fault.is_none()) else {
        return vec![unseen(port, found)];
    };
    let list = |name: &str, good: &str, faults: &[String], hint: &str| match faults {
        [] => Check::good(name, good),
        faults => Check::bad(name, faults.join("; "), hint),
    };
    let mut checks = vec![list("store", "every page is whole", &found.damage, REPAIR)];
    checks.push(if version == found.known {
        Check::good("store: version", version.to_string())
    } else {
        let text = format!("{version}; the next start migrates it to {}", found.known);
        Check::good("store: version", text)
    });
    checks.push(list(
        "store: references",
        "every row has the row it belongs to",
        &found.references,
        "a copy from before it happened is in the folder of backups; the store works meanwhile",
    ));
    checks.push(list("store: counts", "as counted anew", &found.totals, RECOUNT));
    checks.push(list("store: search index", "whole", &found.search, RECOUNT));
    checks
}

/// A store that could not be looked into, or that is not there yet.
fn unseen(port: &impl DoctorPort, found: StoreHealth) -> Check {
    match found.fault {
        None => {
            let path = port.home().database();
            Check::good("store", format!("there is none at {} yet", path.display()))
        }
        Some(fault) if found.damaged => Check::bad("store", fault.message, REPAIR),
        Some(fault) => {
            let hint = fault.hint.unwrap_or_else(|| "try again".to_owned());
            Check::bad("store", fault.message, hint)
        }
    }
}

/// Moves a damaged store aside and restores a copy; sets counts and index right in a whole one.
pub(super) async fn mend(port: &impl DoctorPort) -> Vec<String> {
    let found = port.store().await;
    if !found.damaged && (!found.totals.is_empty() || !found.search.is_empty()) {
        let done = "counted anew and built the search index anew".to_owned();
        return vec![outcome(done, port.recount_store().await)];
    }
    if !found.damaged {
        return Vec::new();
    }
    let repaired = match port.repair_store().await {
        Ok(repaired) => repaired,
        Err(error) => {
            let hint = error.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            return vec![format!("not mended: {}{hint}", error.message)];
        }
    };
    let mut said = vec![format!("moved the damaged store to {}", repaired.aside.display())];
    said.extend(
        repaired.bad.iter().map(|(copy, why)| format!("passed over {}: {why}", copy.display())),
    );
    said.push(match repaired.restored {
        Some((copy, sessions)) => format!(
            "restored {} with {}: what was done since then is lost to the store, worktrees and agents are not touched",
            copy.display(),
            count(usize::try_from(sessions).unwrap_or(usize::MAX), "session"),
        ),
        None => "no copy is good, so a new store begins with the next start: its sessions are lost to it, worktrees and agents are not touched".to_owned(),
    });
    said
}

/// The copies.
pub(super) async fn backups(port: &impl DoctorPort) -> Vec<Check> {
    let name = "store: backups";
    let copies = port.backups().await;
    let (good, bad): (Vec<_>, Vec<_>) = copies.iter().partition(|(_, state)| state.is_ok());
    let mut checks: Vec<Check> = bad
        .iter()
        .filter_map(|(path, state)| {
            let why = state.as_ref().err()?;
            let hint = format!("remove it: rm {}", path.display());
            Some(Check::bad(name, format!("{} is no good: {why}", path.display()), hint))
        })
        .collect();
    if checks.is_empty() {
        let newest = good.first().and_then(|(path, _)| path.file_name());
        let text = newest.map_or_else(
            || "none yet: one is made before the store is migrated".to_owned(),
            |newest| {
                format!(
                    "{}, newest {}",
                    count(good.len(), "good copy").replace("copys", "copies"),
                    newest.display()
                )
            },
        );
        checks.push(Check::good(name, text));
    }
    checks
}
