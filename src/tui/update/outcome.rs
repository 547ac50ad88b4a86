//! What became of what the operator asked for, in one line (`spec/look.md` section 9).

use crate::domain::ids::SessionId;
use crate::domain::rail::SectionKey;
use crate::domain::text::names;
use crate::host::ports::LaunchedHow;
use crate::host::report::{
    CreateOutcome, DeleteReport, PurgeReport, RestoreReport, SendResult, SkippedRow, StopReport,
    StopResult,
};
use crate::tui::action::Action;
use crate::tui::app::list::Wanted;
use crate::tui::app::toast::ToastKind;
use crate::tui::app::words::{count, sentence};
use crate::tui::app::{App, View};
use crate::tui::event::{Effect, Failure, Outcome};

use super::settle::reread_now;
use super::{filters, notify, notify_with, place};

/// Takes in how an effect ended.
pub(super) fn ended(app: &mut App, outcome: Outcome, effects: &mut Vec<Effect>) {
    match outcome {
        Outcome::Quiet => {
            app.stale = true;
            return;
        }
        Outcome::Created(outcome) => created(app, outcome, effects),
        Outcome::NotCreated(failure) => {
            let title = "The session was not created".to_owned();
            if let Some((form, _)) = app.submitted.take() {
                app.draft = Some(form);
            }
            notify_with(app, ToastKind::Error, title, reasons(failure), vec![Action::NewSession]);
        }
        Outcome::Deleted(report) => deleted(app, &report),
        Outcome::Restored { undo, report } => {
            restored(app, undo, &report);
            // What is marked now is in the list.
            if !report.was_live_ids.is_empty() && app.view != View::Sessions {
                place::view(app, View::Sessions, effects);
            }
        }
        Outcome::Stopped(report) => stopped(app, &report),
        Outcome::Killed(report) => killed(app, &report),
        Outcome::Purged(report) => purged(app, &report),
        Outcome::Settled { id, how } => super::jobs::settled(app, &id, how),
        Outcome::Cancelled { what, failure } => {
            notify(app, ToastKind::Partly, sentence(&what), reasons(failure));
        }
        Outcome::Sent(results) => sent(app, &results),
        Outcome::FilterSaved(name) => filters::saved(app, name, effects),
        Outcome::ProjectAdded(project) => {
            place::section(app, SectionKey::project(&project.path), Wanted::First, effects);
        }
        Outcome::NotPinned { ids, pinned, what, failure } => {
            // The store may be out of reach for the next read too: what was shown ahead goes back.
            let at = (!pinned).then_some(app.now);
            app.list.change(|rows| {
                let rows = rows.iter_mut().filter(|row| ids.contains(&row.id));
                rows.for_each(|row| row.pinned_at = at);
            });
            notify_with(app, ToastKind::Error, sentence(&what), reasons(failure), vec![]);
        }
        Outcome::Failed { what, failure } => {
            notify_with(app, ToastKind::Error, sentence(&what), reasons(failure), vec![]);
        }
    }
    reread_now(app, effects);
}

fn reasons(failure: Failure) -> Vec<String> {
    let mut lines = vec![sentence(&failure.message)];
    lines.extend(failure.hint.map(|hint| sentence(&hint)));
    lines
}

fn created(app: &mut App, outcome: CreateOutcome, effects: &mut Vec<Effect>) {
    let (session, trouble) = match outcome {
        CreateOutcome::Created(session) => (session, None),
        CreateOutcome::CreatedWithError { session, error } => {
            let title = format!("{} runs, but its prompt may not have arrived", session.id);
            (session, Some((ToastKind::Partly, title, error)))
        }
        CreateOutcome::Parked { session, error } => {
            let title = format!("{} could not be started", session.id);
            (session, Some((ToastKind::Error, title, error)))
        }
    };
    if let Some((kind, title, error)) = trouble {
        notify(app, kind, title, vec![sentence(&error)]);
    }
    // Who did something else meanwhile stays there.
    let asked_at = app.submitted.take().map(|(_, at)| at).or(app.forked.take());
    if asked_at == Some(app.last_key) {
        place::session(app, &session, effects);
    }
}

fn deleted(app: &mut App, report: &DeleteReport) {
    let gone = report.removed_session_ids.len();
    app.list.marks.retain(|id| !report.removed_session_ids.contains(id));
    app.list.drop_rows(&report.removed_session_ids);
    let skipped: Vec<&SkippedRow> =
        report.skipped.iter().filter(|row| row.reason != "dropped").collect();
    let mut title = match report.removed_session_ids.as_slice() {
        [one] => format!("{one} deleted"),
        many => format!("{} deleted", many.len()),
    };
    if !skipped.is_empty() {
        title = format!("{title}, {} skipped: {}", skipped.len(), why_skipped(&skipped));
    }
    title.push('.');
    let mut lines: Vec<String> =
        report.notes.iter().map(|note| format!("{}: {}", note.id, note.text)).collect();
    if !report.cleanup_failed_ids.is_empty() {
        let n = count(report.cleanup_failed_ids.len(), "worktree");
        lines.push(format!("{n} could not be moved yet; that is tried again at the next start."));
    }
    let kind =
        if skipped.is_empty() && lines.is_empty() { ToastKind::Result } else { ToastKind::Partly };
    let keys = if gone > 0 { vec![Action::Undo] } else { vec![] };
    notify_with(app, kind, title, lines, keys);
}

/// `shop-3 pinned since, api-9 did not end`: two by name, the rest by number.
fn why_skipped(skipped: &[&SkippedRow]) -> String {
    let mut parts: Vec<String> = skipped
        .iter()
        .take(2)
        .map(|row| format!("{} {}", row.id, skip_words(&row.reason)))
        .collect();
    if skipped.len() > 2 {
        parts.push(format!("{} more", skipped.len() - 2));
    }
    parts.join(", ")
}

/// The words for the reason that a report names.
fn skip_words(reason: &str) -> String {
    match reason {
        "pinned" => "pinned since".to_owned(),
        "other_section" => "moved since".to_owned(),
        "other_status" => "changed since".to_owned(),
        "too_young" => "active again".to_owned(),
        "not_found" => "not there any more".to_owned(),
        "in_trash" => "in the trash already".to_owned(),
        other => other.replace('_', " "),
    }
}

fn restored(app: &mut App, undo: bool, report: &RestoreReport) {
    let failed = &report.not_restored;
    // How a single one came back is in the title, how many came back is counted.
    let told = report.notes.iter().filter(|note| {
        !report.how.iter().any(|(id, how)| *id == note.id && note.text == how.words())
    });
    let single = report.restored_session_ids.is_empty() && report.launched_ids.len() == 1;
    let counted = ways(report).filter(|_| !single);
    let mut lines: Vec<String> = failed
        .iter()
        .map(|row| format!("{} was not brought back: {}", row.id, row.reason))
        .chain(counted)
        .chain(told.map(|note| format!("{}: {}", note.id, note.text)))
        .collect();
    let kind = if failed.is_empty() { ToastKind::Result } else { ToastKind::Partly };
    let was_live = report.was_live_ids.len();
    let mut keys = Vec::new();
    let title = match (report.restored_session_ids.as_slice(), report.launched_ids.as_slice()) {
        ([], []) if failed.is_empty() => "There was nothing to bring back.".to_owned(),
        ([], []) => "Nothing was brought back.".to_owned(),
        ([], [one]) => format!("{one} is back{}", how(report, one)),
        ([], many) => format!("{} are back.", count(many.len(), "session")),
        ([one], _) if !undo => format!("{one} brought back."),
        (many, _) => format!("{} brought back.", many.len()),
    };
    if was_live > 0 {
        let verb = if was_live == 1 { "was running and is" } else { "were running and are" };
        let key = app.setup.keymap.key_label(&[crate::tui::action::Context::List], Action::Restore);
        let key = key.map_or_else(String::new, |key| format!(": {key} launches them"));
        lines.insert(0, format!("{was_live} {verb} now marked{key}."));
        app.list.marks.clear();
        app.list.marks.ids.extend(report.was_live_ids.iter().cloned());
        keys.push(Action::Restore);
    } else {
        let launched = &report.launched_ids;
        app.list.marks.retain(|id| !launched.contains(id));
    }
    app.trash.marks.retain(|id| !report.restored_session_ids.contains(id));
    app.trash.drop_rows(&report.restored_session_ids);
    notify_with(app, kind, title, lines, keys);
}

/// How many came back in which way: `38 resumed, 2 started fresh`; nothing where none was launched.
fn ways(report: &RestoreReport) -> Option<String> {
    let all = [
        (LaunchedHow::Resumed, "resumed"),
        (LaunchedHow::PromptAgain, "given the prompt again"),
        (LaunchedHow::Fresh, "started fresh"),
    ];
    let counted = all.map(|(way, word)| {
        let n = report.how.iter().filter(|(_, how)| *how == way).count();
        (n > 0).then(|| format!("{n} {word}"))
    });
    let words: Vec<String> = counted.into_iter().flatten().collect();
    (!words.is_empty()).then(|| format!("{}.", words.join(", ")))
}

fn how(report: &RestoreReport, id: &SessionId) -> &'static str {
    let how = report.how.iter().find(|(known, _)| known == id).map(|(_, how)| *how);
    match how {
        Some(LaunchedHow::Resumed) => ", resumed.",
        Some(LaunchedHow::PromptAgain) => " with its prompt; there was nothing to resume.",
        Some(LaunchedHow::Fresh) => "; there was nothing to resume.",
        None => ".",
    }
}

fn stopped(app: &mut App, report: &StopReport) {
    let (done, failed): (Vec<_>, Vec<_>) =
        report.results.iter().partition(|result| result.stopped || result.reason.is_none());
    let title = match (done.as_slice(), failed.as_slice()) {
        ([one], []) => format!("{} stopped.", one.id),
        ([], [one]) => format!("{} was not stopped", one.id),
        (done, []) => format!("{} stopped.", done.len()),
        (done, failed) => format!("{} stopped, {} not.", done.len(), failed.len()),
    };
    let lines: Vec<String> = failed
        .iter()
        .filter_map(|result| {
            let reason = result.reason.as_ref()?;
            Some(if failed.len() == 1 {
                sentence(reason)
            } else {
                format!("{}: {reason}", result.id)
            })
        })
        .collect();
    app.list.marks.retain(|id| !done.iter().any(|result| result.id == *id));
    let kind = match (done.is_empty(), failed.is_empty()) {
        (_, true) => ToastKind::Result,
        (false, false) => ToastKind::Partly,
        (true, false) => ToastKind::Error,
    };
    notify(app, kind, title, lines);
}

/// `shop-9 killed. Its worktree stays: 3 uncommitted files.`
fn killed(app: &mut App, report: &StopReport) {
    let (freed, kept): (Vec<_>, Vec<_>) = report.results.iter().partition(|result| result.freed);
    let why = |result: &StopResult| result.reason.clone().unwrap_or_default();
    let failed = kept.iter().filter(|result| result.trouble.is_some()).count();
    let (title, lines) = match report.results.as_slice() {
        [one] if one.freed => (format!("{} killed. Its worktree was given back.", one.id), vec![]),
        [one] if failed == 0 => {
            (format!("{} killed. Its worktree stays: {}.", one.id, why(one)), vec![])
        }
        [one] => (format!("{} was not killed", one.id), vec![sentence(&why(one))]),
        many => {
            let lines = kept.iter().map(|result| format!("{}: {}", result.id, why(result)));
            let title =
                format!("{} killed, {} worktrees given back.", many.len() - failed, freed.len());
            (title, lines.collect())
        }
    };
    let kind = match (failed, kept.is_empty()) {
        (0, true) => ToastKind::Result,
        (n, _) if n == report.results.len() => ToastKind::Error,
        _ => ToastKind::Partly,
    };
    let done = |id: &SessionId| {
        report.results.iter().any(|row| row.id == *id && (row.stopped || row.freed))
    };
    app.list.marks.retain(|id| !done(id));
    notify(app, kind, title, lines);
}

fn purged(app: &mut App, report: &PurgeReport) {
    let title = match report.purged_session_ids.as_slice() {
        [] => "Nothing was purged.".to_owned(),
        [one] => format!("{one} purged."),
        many => format!("{} purged.", many.len()),
    };
    let skipped =
        report.skipped.iter().map(|row| format!("{}: {}", row.id, skip_words(&row.reason)));
    let left =
        report.files_left.iter().map(|note| format!("{}: files left: {}", note.id, note.text));
    let lines: Vec<String> = skipped.chain(left).collect();
    app.trash.marks.retain(|id| !report.purged_session_ids.contains(id));
    app.trash.drop_rows(&report.purged_session_ids);
    let kind = if lines.is_empty() { ToastKind::Result } else { ToastKind::Partly };
    notify(app, kind, title, lines);
}

/// Who was reached is unmarked, as after every verb; who was not stays marked, to be told again.
fn sent(app: &mut App, results: &[SendResult]) {
    app.list.marks.retain(|id| !results.iter().any(|result| result.id == *id && result.sent));
    let refused: Vec<&SendResult> = results.iter().filter(|result| !result.sent).collect();
    if refused.is_empty() {
        let ids: Vec<&SessionId> = results.iter().map(|result| &result.id).collect();
        notify(app, ToastKind::Result, format!("Sent to {}.", names(&ids)), vec![]);
        return;
    }
    let lines: Vec<String> = refused
        .iter()
        .map(|result| match &result.reason {
            Some(reason) => format!("{}: {reason}", result.id),
            None => result.id.to_string(),
        })
        .collect();
    let sent = results.len() - refused.len();
    let (kind, title) = match (sent, refused.as_slice()) {
        (0, [one]) => (ToastKind::Error, format!("Not sent to {}", one.id)),
        (0, _) => (ToastKind::Error, "Not sent".to_owned()),
        (n, refused) => (ToastKind::Partly, format!("Sent to {n}, not to {}.", refused.len())),
    };
    notify(app, kind, title, lines);
}
