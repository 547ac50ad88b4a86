//! `restore`.

use crate::domain::error::ErrorKind;
use crate::domain::session::Session;
use crate::host::error::HostError;
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
        let report = foresee(console, &target, args.launch).await?;
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

/// What a restore would bring back, as far as the rows tell.
async fn foresee<P: Ports>(
    console: &Console<P>,
    target: &RestoreTarget,
    launch: bool,
) -> Result<RestoreReport, CliError> {
    let ports = console.host.ports();
    let mut report = RestoreReport::default();
    let add = |report: &mut RestoreReport, rows: Vec<Session>| {
        for row in rows {
            if row.deletion.is_some_and(|deletion| deletion.was_live) {
                report.was_live_ids.push(row.id.clone());
            }
            if launch {
                report.launched_ids.push(row.id.clone());
            }
            report.restored_session_ids.push(row.id);
        }
    };
    match target {
        RestoreTarget::Batch(batch) => {
            let rows = ports.batch(batch).await?;
            if rows.is_empty() {
                return Err(HostError::NoBatch(batch.clone()).into());
            }
            add(&mut report, rows);
        }
        RestoreTarget::Last => {
            if let Some(batch) = ports.last_batch().await? {
                add(&mut report, ports.batch(&batch).await?);
            }
        }
        RestoreTarget::Ids(ids) => {
            for session in console.sessions(ids).await? {
                if session.deletion.is_some() {
                    add(&mut report, ports.component(&session.id).await?);
                } else if session.is_live() {
                    let reason = HostError::not_restorable(&session).to_string();
                    report.not_restored.push(SkippedRow { id: session.id, reason });
                } else {
                    report.launched_ids.push(session.id);
                }
            }
        }
    }
    for list in
        [&mut report.restored_session_ids, &mut report.launched_ids, &mut report.was_live_ids]
    {
        list.sort();
        list.dedup();
    }
    Ok(report)
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
