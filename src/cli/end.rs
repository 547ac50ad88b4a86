//! `stop` and `delete`.

use std::collections::BTreeSet;

use crate::domain::error::ErrorKind;
use crate::domain::ids::SessionId;
use crate::domain::plan::{Advice, Plan, PlanItem};
use crate::host::ports::Ports;
use crate::host::report::{DeleteReport, DeleteRequest, StopReport};

use super::args::{DeleteArgs, StopArgs};
use super::ask::{Guard, confirm, names, plan_text};
use super::console::Console;
use super::error::{CliError, CommandResult, Ending};
use super::json::PlanJson;
use super::select;

/// The reason of a stop that had nothing to do.
const NOT_RUNNING: &str = "not running";

/// `delete`
///
/// # Errors
/// Refused, declined or failed; nothing was deleted then.
pub(crate) async fn delete<P: Ports>(console: &Console<P>, args: DeleteArgs) -> CommandResult {
    let chosen = select::choose(console, &args.selector).await?;
    let request = DeleteRequest {
        ids: chosen.ids,
        conditions: chosen.conditions,
        with_rowless: chosen.plainly_named,
        actor: console.actor.clone(),
    };
    let plan = console.host.plan_delete(&console.context, &request).await?;
    if args.dry_run {
        console.out.answer(&PlanJson::from(&plan), |_| plan_text(&plan))?;
        return Ok(Ending::Done);
    }
    if !args.yes && !plan.is_empty() {
        confirm("delete", &question(&plan))?;
    }
    let guard = Guard::new(&plan, args.yes);
    let report = console.host.delete(&console.context, request, &|plan| guard.admits(plan)).await?;
    console.out.report(&report, delete_text)?;
    let held = report.skipped.iter().filter(|skip| skip.reason.contains("did_not_end")).count();
    Ok(Ending::of(report.removed_session_ids.len(), held, ErrorKind::Failed))
}

fn question(plan: &Plan) -> String {
    let live = plan.items.iter().filter(|item| item.row.live).count();
    let dirty = plan.items.iter().filter(|item| item.advice.dirty_files > Some(0)).count();
    let stops =
        if live > 0 { format!("; {live} running agents will be stopped") } else { String::new() };
    let keeps = if dirty > 0 {
        format!("; {dirty} have uncommitted work, kept in the trash")
    } else {
        String::new()
    };
    format!("Delete {}{stops}{keeps}?", names(&plan.ids()))
}

fn delete_text(report: &DeleteReport) -> String {
    let mut text = match report.batch.as_ref() {
        Some(batch) => format!(
            "{} deleted; undo with: callboard restore --batch {batch}\n",
            report.removed_session_ids.len()
        ),
        None => "nothing was deleted\n".to_owned(),
    };
    let remarks = report.notes.iter().map(|note| format!("{}: {}\n", note.id, note.text));
    let skipped =
        report.skipped.iter().map(|skip| format!("skipped {}: {}\n", skip.id, skip.reason));
    let late = report.cleanup_failed_ids.iter().map(|id| {
        format!("{id}: its folder could not be moved yet; tried again at the next start\n")
    });
    text.extend(remarks.chain(skipped).chain(late));
    text
}

/// `stop`
///
/// # Errors
/// Refused, declined or failed.
pub(crate) async fn stop<P: Ports>(console: &Console<P>, args: StopArgs) -> CommandResult {
    let chosen = select::choose(console, &args.selector).await?;
    let plan = stop_plan(console, &chosen.ids).await?;
    if args.dry_run {
        console.out.answer(&PlanJson::from(&plan), |_| plan_text(&plan))?;
        return Ok(Ending::Done);
    }
    let live: Vec<SessionId> =
        plan.items.iter().filter(|item| item.row.live).map(|item| item.row.id.clone()).collect();
    if !args.yes && !live.is_empty() {
        confirm("stop", &format!("Stop {}?", names(&live)))?;
    }
    let ids: Vec<SessionId> = chosen.ids.into_iter().collect();
    let report = console.host.stop(&console.context, &ids, args.done, &console.actor).await?;
    console.out.report(&report, stop_text)?;
    Ok(stop_ending(&report))
}

/// What a stop touches: the sessions themselves, not their children (`spec/lifecycle.md` K1).
async fn stop_plan<P: Ports>(
    console: &Console<P>,
    ids: &BTreeSet<SessionId>,
) -> Result<Plan, CliError> {
    let rows = console.host.ports().plan_rows(ids).await?;
    let items = rows
        .rows
        .into_iter()
        .filter(|row| ids.contains(&row.id))
        .map(|row| PlanItem { row, pulled_in_by: None, advice: Advice::default() })
        .collect();
    Ok(Plan { items, skipped: rows.missing })
}

fn stop_ending(report: &StopReport) -> Ending {
    let reasons = report.results.iter().filter_map(|result| result.reason.as_deref());
    let failed: Vec<&str> = reasons.filter(|reason| *reason != NOT_RUNNING).collect();
    let kind = match failed.first() {
        Some(&("not_found" | "in_trash")) => ErrorKind::NotFound,
        _ => ErrorKind::Failed,
    };
    Ending::of(report.results.len() - failed.len(), failed.len(), kind)
}

fn stop_text(report: &StopReport) -> String {
    let line = |result: &crate::host::report::StopResult| match &result.reason {
        Some(reason) => format!("{}: {reason}\n", result.id),
        None if result.stopped && result.escalated => {
            format!("{} stopped; it did not end when asked politely\n", result.id)
        }
        None if result.stopped => format!("{} stopped\n", result.id),
        None => format!("{} had ended\n", result.id),
    };
    report.results.iter().map(line).collect()
}
