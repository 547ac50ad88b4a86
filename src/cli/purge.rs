//! `purge`.

use crate::domain::error::ErrorKind;
use crate::domain::plan::Plan;
use crate::host::ports::Ports;
use crate::host::report::{PurgeReport, PurgeRequest};

use super::args::PurgeArgs;
use super::ask::{Guard, confirm, names, plan_text};
use super::console::Console;
use super::error::{CommandResult, Ending};
use super::json::PlanJson;
use super::select;

/// `purge`
///
/// # Errors
/// Refused, declined or failed; nothing was purged then.
pub(crate) async fn run<P: Ports>(console: &Console<P>, args: PurgeArgs) -> CommandResult {
    let mut request = PurgeRequest {
        choice: select::choose_in_trash(console, &args.selector).await?,
        branches: args.branch.into_iter().collect(),
        actor: console.actor.clone(),
    };
    let plan = console.host.plan_purge(&console.context, &request, &|_, _| {}).await?;
    if args.dry_run {
        console.out.answer(&PlanJson::from(&plan), |_| plan_text(&plan))?;
        return Ok(Ending::Done);
    }
    if !args.yes && !plan.is_empty() {
        confirm(&console.context, "purge", &question(&plan))?;
    }
    // What is deleted from now on was not shown, and stays.
    request.choice.ids.get_or_insert_default().extend(plan.ids());
    let guard = Guard::new(&console.context, &plan, args.yes);
    let report = console.host.purge(&console.context, &request, &|plan| guard.admits(plan)).await?;
    console.out.report(&report, text)?;
    Ok(ending(&report))
}

fn question(plan: &Plan) -> String {
    format!("Remove {} from the trash for good? Nothing brings them back.", names(&plan.ids()))
}

/// Sessions that a condition left alone are no failure.
fn ending(report: &PurgeReport) -> Ending {
    let reasons = report.skipped.iter().map(|skip| skip.reason.as_str());
    let failed: Vec<&str> =
        reasons.filter(|reason| !matches!(*reason, "pinned" | "too_young")).collect();
    let unknown = failed.iter().all(|reason| *reason == "not_found");
    let kind = if unknown { ErrorKind::NotFound } else { ErrorKind::Refused };
    Ending::of(report.purged_session_ids.len(), failed.len(), kind)
}

fn text(report: &PurgeReport) -> String {
    let count = report.purged_session_ids.len();
    let mut text = if count == 0 {
        "nothing was purged\n".to_owned()
    } else {
        format!("{count} purged; {} freed\n", size(report.freed_bytes))
    };
    let skipped =
        report.skipped.iter().map(|skip| format!("skipped {}: {}\n", skip.id, skip.reason));
    let left = report.files_left.iter().map(|note| {
        format!("{}: files left, tried again at the next start: {}\n", note.id, note.text)
    });
    text.extend(skipped.chain(left));
    text
}

/// Bytes in the unit that suits them.
fn size(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => {
            let tenths = u128::from(bytes) * 10 / u128::from(*unit);
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size(12), "12 bytes");
        assert_eq!(size(1 << 10), "1.0 KiB");
        assert_eq!(size((5 << 30) / 2), "2.5 GiB");
    }
}
