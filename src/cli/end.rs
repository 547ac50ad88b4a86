//! `stop`, `kill` and `cleanup`.

use crate::domain::error::ErrorKind;
use crate::domain::ids::SessionId;
use crate::domain::plan::Plan;
use crate::host::error::HostError;
use crate::host::ports::Ports;
use crate::host::report::{StopReport, StopResult};

use super::args::{CleanupArgs, DeleteArgs, StopArgs};
use super::ask::{confirm, names, plan_text};
use super::console::Console;
use super::error::{CommandResult, Ending};
use super::json::PlanJson;
use super::select;

/// `stop`
///
/// # Errors
/// Refused, declined or failed.
pub(crate) async fn stop<P: Ports>(console: &Console<P>, args: StopArgs) -> CommandResult {
    let chosen = select::choose(console, &args.selector).await?;
    let plan = console.host.plan_each(&console.context, &chosen.ids).await?;
    if args.dry_run {
        return foresee(console, &plan);
    }
    let live = live(&plan);
    if !args.yes && !live.is_empty() {
        confirm("stop", &format!("Stop {}?", names(&live)))?;
    }
    let ids: Vec<SessionId> = chosen.ids.into_iter().collect();
    let (ctx, actor) = (&console.context, &console.actor);
    let report = console.host.stop(ctx, &ids, &chosen.conditions, args.done, actor).await?;
    let (ended, had) =
        if args.done { ("stopped; done", "had ended; done") } else { ("stopped", "had ended") };
    console.out.report(&report, |report| text(report, ended, had))?;
    Ok(ending(&report.results, |_| true))
}

/// `kill`
///
/// # Errors
/// Refused, declined or failed.
pub(crate) async fn kill<P: Ports>(console: &Console<P>, args: DeleteArgs) -> CommandResult {
    let chosen = select::choose(console, &args.selector).await?;
    let plan = console.host.plan_each(&console.context, &chosen.ids).await?;
    if args.dry_run {
        return foresee(console, &plan);
    }
    if !args.yes && !plan.is_empty() {
        confirm("kill", &question(&plan))?;
    }
    let ids: Vec<SessionId> = chosen.ids.into_iter().collect();
    let (ctx, actor) = (&console.context, &console.actor);
    let report = console.host.kill(ctx, &ids, &chosen.conditions, actor).await?;
    console.out.report(&report, |report| text(report, "killed", "had ended"))?;
    // What is not there cannot be killed, and need not be (`spec/lifecycle.md` K2).
    Ok(ending(&report.results, |kind| kind != ErrorKind::NotFound))
}

/// `cleanup`
///
/// # Errors
/// There is no such project, or the sessions cannot be listed.
pub(crate) async fn cleanup<P: Ports>(console: &Console<P>, args: CleanupArgs) -> CommandResult {
    let project = args.project.as_ref();
    if let Some(name) = project {
        let projects = console.host.ports().projects().await?;
        if !projects.iter().any(|known| known.name == *name) {
            return Err(HostError::NoProject(name.to_string()).into());
        }
    }
    if args.dry_run {
        let plan = console.host.plan_cleanup(&console.context, project).await?;
        return foresee(console, &plan);
    }
    let report = console.host.cleanup(&console.context, project, &console.actor).await?;
    console.out.report(&report, |report| text(report, "ended", "had ended"))?;
    Ok(ending(&report.results, |_| true))
}

fn foresee<P>(console: &Console<P>, plan: &Plan) -> CommandResult {
    console.out.answer(&PlanJson::from(plan), |_| plan_text(plan))?;
    Ok(Ending::Done)
}

fn live(plan: &Plan) -> Vec<SessionId> {
    plan.items.iter().filter(|item| item.row.live).map(|item| item.row.id.clone()).collect()
}

fn question(plan: &Plan) -> String {
    let dirty = plan.items.iter().filter(|item| item.advice.dirty_files > Some(0)).count();
    let keeps = if dirty > 0 {
        format!("; the worktrees of {dirty} hold uncommitted work and stay")
    } else {
        String::new()
    };
    format!("Kill {} and give back clean worktrees{keeps}?", names(&plan.ids()))
}

/// What counts as a failure is a trouble that `counts`; a worktree that is kept is none.
fn ending(results: &[StopResult], counts: impl Fn(ErrorKind) -> bool) -> Ending {
    let troubles = results.iter().filter_map(|result| result.trouble);
    let troubles: Vec<ErrorKind> = troubles.filter(|kind| counts(*kind)).collect();
    let kind = troubles.first().copied().unwrap_or(ErrorKind::Failed);
    Ending::of(results.len() - troubles.len(), troubles.len(), kind)
}

fn text(report: &StopReport, ended: &str, had_ended: &str) -> String {
    let line = |result: &StopResult| {
        let mut words = Vec::new();
        if result.stopped && result.escalated {
            words.push(format!("{ended}; it did not end when asked politely"));
        } else if result.stopped {
            words.push(ended.to_owned());
        }
        if result.freed {
            words.push("worktree given back".to_owned());
        }
        words.extend(result.reason.clone());
        if words.is_empty() {
            words.push(had_ended.to_owned());
        }
        format!("{}: {}\n", result.id, words.join("; "))
    };
    let text: String = report.results.iter().map(line).collect();
    if text.is_empty() { "nothing to do\n".to_owned() } else { text }
}
