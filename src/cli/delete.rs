//! `delete` and `clear`.

use std::collections::BTreeSet;

use crate::domain::error::ErrorKind;
use crate::domain::plan::Plan;
use crate::host::ports::Ports;
use crate::host::report::{DeleteReport, DeleteRequest};

use super::args::{ClearArgs, DeleteArgs};
use super::ask::{Guard, confirm, names, plan_text};
use super::console::Console;
use super::error::{CommandResult, Ending};
use super::json::PlanJson;
use super::select;

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
        closed: BTreeSet::new(),
        actor: console.actor.clone(),
    };
    carry_out(console, "delete", request, args.dry_run, args.yes).await
}

/// `clear`
///
/// # Errors
/// As [`delete`].
pub(crate) async fn clear<P: Ports>(console: &Console<P>, args: ClearArgs) -> CommandResult {
    let request = console.host.clear_request(console.actor.clone()).await?;
    carry_out(console, "clear", request, args.dry_run, args.yes).await
}

async fn carry_out<P: Ports>(
    console: &Console<P>,
    verb: &'static str,
    request: DeleteRequest,
    dry_run: bool,
    yes: bool,
) -> CommandResult {
    let plan = console.host.plan_delete(&console.context, &request, &|_, _| {}).await?;
    if dry_run {
        console.out.answer(&PlanJson::from(&plan), |_| plan_text(&plan))?;
        return Ok(Ending::Done);
    }
    if !yes && !plan.is_empty() {
        confirm(verb, &question(&plan))?;
    }
    let guard = Guard::new(&plan, yes);
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
