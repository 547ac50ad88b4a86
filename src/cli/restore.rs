//! `restore`.

use crate::domain::error::ErrorKind;
use crate::domain::plan::{Back, Plan, PlanItem};
use crate::host::ports::{LaunchedHow, Ports};
use crate::host::report::{Note, RestoreReport, RestoreRequest, RestoreTarget, SkippedRow};

use super::args::RestoreArgs;
use super::console::Console;
use super::error::{CliError, CommandResult, Ending};
use super::select;

/// `restore`
///
/// # Errors
/// Not found, not restorable, or failed.
pub(crate) async fn run<P: Ports>(console: &Console<P>, args: RestoreArgs) -> CommandResult {
    let target = match args.batch {
        Some(batch) => RestoreTarget::Batch(batch),
        None if args.last => RestoreTarget::Last,
        None => RestoreTarget::Ids(select::ids(&args.ids)?),
    };
    if let (Some(_), RestoreTarget::Ids(ids)) = (&args.to, &target)
        && ids.len() != 1
    {
        return Err(CliError::Usage {
            message: "--to names the folder of one session".to_owned(),
            hint: None,
        });
    }
    if args.dry_run {
        let to = args.to.as_deref();
        let plan = console.host.plan_restore(&console.context, &target, to, &|_, _| {}).await?;
        let report = foreseen(plan, args.launch);
        console.out.answer(&report, |report| text(report, true))?;
        return Ok(ending(&report));
    }
    let request =
        RestoreRequest { target, launch: args.launch, to: args.to, actor: console.actor.clone() };
    let restored = console.host.restore(&console.context, request);
    let report = console.starting(restored).await?;
    console.out.report(&report, |report| text(report, false))?;
    Ok(ending(&report))
}

/// A plan in the words of what it would come to.
fn foreseen(plan: Plan, launch: bool) -> RestoreReport {
    let mut report = RestoreReport::default();
    for PlanItem { row, advice, .. } in plan.items {
        let from_trash = advice.back != Some(Back::Launched);
        if from_trash {
            report.restored_session_ids.push(row.id.clone());
            if row.live {
                report.was_live_ids.push(row.id.clone());
            }
        }
        let note = advice.back.as_ref().and_then(Back::note);
        report.notes.extend(note.map(|text| Note { id: row.id.clone(), text: text.to_owned() }));
        if launch || !from_trash {
            report.launched_ids.push(row.id);
        }
    }
    report.not_restored = plan.skipped.iter().map(SkippedRow::from).collect();
    report
}

/// How a command ends that restored something.
pub(crate) fn ending(report: &RestoreReport) -> Ending {
    let back = report.restored_session_ids.len() + report.launched_ids.len();
    Ending::of(back, report.not_restored.len(), ErrorKind::Refused)
}

fn text(report: &RestoreReport, foreseen: bool) -> String {
    let would = if foreseen { "would be " } else { "" };
    let mut text = String::new();
    let mut line = |words: String| {
        text.push_str(&words);
        text.push('\n');
    };
    if !report.restored_session_ids.is_empty() {
        let names = super::ask::names(&report.restored_session_ids);
        line(format!("{would}restored: {names}"));
    }
    for id in &report.launched_ids {
        let how = report.how.iter().find(|(launched, _)| launched == id).map(|(_, how)| how);
        line(match how {
            Some(LaunchedHow::Resumed) => format!("{id} runs again and resumed its conversation"),
            Some(LaunchedHow::PromptAgain) => format!("{id} runs again and got its prompt again"),
            Some(LaunchedHow::Fresh) => format!("{id} runs again, fresh"),
            None => format!("{would}launched: {id}"),
        });
    }
    let waiting: Vec<_> = report
        .was_live_ids
        .iter()
        .filter(|id| !report.launched_ids.contains(id))
        .cloned()
        .collect();
    if !waiting.is_empty() && !foreseen {
        let names = super::ask::names(&waiting);
        line(format!("{} were running; callboard restore launches them: {names}", waiting.len()));
    }
    // How a session came back was told above.
    let told = |note: &&Note| {
        report.how.iter().any(|(id, how)| *id == note.id && note.text == how.words())
    };
    for note in report.notes.iter().filter(|note| !told(note)) {
        line(format!("{}: {}", note.id, note.text));
    }
    for row in &report.not_restored {
        line(format!("not restored: {}: {}", row.id, row.reason));
    }
    if text.is_empty() { "nothing to restore\n".to_owned() } else { text }
}
