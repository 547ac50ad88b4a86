//! The store: whole, its counts, its search index, its copies (`spec/store.md` W2, W3).

use crate::domain::check::{Check, StoreHealth};
use crate::host::ports::PortResult;
use crate::host::ports::doctor::DoctorPort;

use super::{Mending, count, outcome, said};

const REPAIR: &str = "leave every dashboard, then run `callboard doctor --repair`: it moves the store aside and restores the newest good copy";
const RECOUNT: &str = "`callboard doctor --repair` sets it right";

/// Looks; where that is asked for, mends what is wrong and looks again.
pub(super) async fn look(port: &impl DoctorPort, repair: bool) -> Vec<Check> {
    let found = port.store().await;
    let done = match &found {
        Ok(found) if repair => mend(port, found).await,
        _ => Vec::new(),
    };
    if done.is_empty() {
        return checks(port, found);
    }
    said(done, checks(port, port.store().await))
}

fn checks(port: &impl DoctorPort, found: PortResult<StoreHealth>) -> Vec<Check> {
    let found = match found {
        Ok(found) => found,
        Err(fault) => {
            let hint = fault.hint.unwrap_or_else(|| "try again".to_owned());
            return vec![Check::bad("store", fault.message, hint)];
        }
    };
    let list = |name: &str, good: &str, faults: &[String], hint: &str| match faults {
        [] => Check::good(name, good),
        faults => Check::bad(name, faults.join("; "), hint),
    };
    let Some(version) = found.version else {
        let none = format!("there is none at {} yet", port.home().database().display());
        return vec![list("store", &none, &found.damage, REPAIR)];
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

/// Moves a damaged store aside and restores a copy; sets counts and index right in a whole one.
async fn mend(port: &impl DoctorPort, found: &StoreHealth) -> Vec<Mending> {
    let index = !found.search.is_empty();
    if found.damage.is_empty() {
        if !index && found.totals.is_empty() {
            return Vec::new();
        }
        let built = if index { " and built the search index anew" } else { "" };
        return vec![outcome(format!("counted anew{built}"), port.recount_store(index).await)];
    }
    let repaired = match port.repair_store().await {
        Ok(Some(repaired)) => repaired,
        Ok(None) => {
            return vec![Err("nothing of it is damaged any more, so it stays".to_owned())];
        }
        Err(error) => {
            let hint = error.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            return vec![Err(format!("not mended: {}{hint}", error.message))];
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
    said.into_iter().map(Ok).collect()
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
                    if good.len() == 1 {
                        "1 good copy".to_owned()
                    } else {
                        format!("{} good copies", good.len())
                    },
                    newest.display()
                )
            },
        );
        checks.push(Check::good(name, text));
    }
    checks
}
