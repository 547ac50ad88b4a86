//! Operations: what is shown of them and done with them, and leaving while some run.

use callboard::domain::ids::OperationId;
use callboard::domain::operation::{Operation, OperationState, StepResult, Verb};
use callboard::domain::plan::Conditions;
use callboard::host::report::{Progress, RestoreTarget, StopReport, StopResult};
use callboard::tui::action::Action;
use callboard::tui::app::View;
use callboard::tui::app::plan::PlanRequest;
use callboard::tui::event::{Effect, Event, Failure, Outcome, Settled, StopHow};

use crate::fixture::{Bench, id, minutes_ago, page, session};

fn operation(name: &str, kind: Verb, state: OperationState, ids: &[&str]) -> Operation {
    Operation {
        id: op(name),
        kind,
        state,
        step: None,
        started_at: minutes_ago(12),
        ended_at: (state != OperationState::Running).then(|| minutes_ago(11)),
        session_ids: ids.iter().map(|name| id(name)).collect(),
        results: Vec::new(),
        error: None,
        asked: None,
    }
}

fn op(name: &str) -> OperationId {
    name.parse().unwrap()
}

fn result(name: &str, state: &str, detail: Option<&str>) -> StepResult {
    StepResult { id: id(name), state: state.to_owned(), detail: detail.map(str::to_owned) }
}

/// The jobs view: one of another process, a stuck one, one partly done.
pub(crate) fn bench(cols: u16, rows: u16) -> Bench {
    let mut elsewhere =
        operation("0192-aaaa", Verb::Delete, OperationState::Running, &["api-1", "api-2", "api-3"]);
    elsewhere.results = vec![
        result("api-1", "moved", None),
        result("api-2", "intended", Some("/trash/api-2")),
        result("api-3", "intended", Some("/trash/api-3")),
    ];
    let stuck = operation("0192-bbbb", Verb::Restore, OperationState::Stuck, &["docs-4"]);
    let mut partly =
        operation("0192-cccc", Verb::Delete, OperationState::Partly, &["api-9", "api-8", "api-7"]);
    partly.results = vec![
        result("api-8", "skipped", Some("pinned")),
        result("api-9", "failed", Some("its folder is in use")),
        result("api-7", "skipped", Some("did_not_end")),
    ];
    let mut bench = Bench::new(cols, rows);
    bench.keys("J");
    bench.send(Event::Operations(vec![elsewhere, stuck, partly]));
    bench.take();
    bench
}

#[test]
fn operations_of_other_processes_show_their_progress() {
    let bench = bench(120, 40);
    insta::assert_snapshot!("jobs_elsewhere_120x40", bench.screen());
    assert!(!bench.app.is_legal(Action::CancelJob), "it cannot be reached");
}

#[test]
fn a_stuck_operation_is_resumed_or_abandoned() {
    let mut bench = bench(120, 40);
    bench.keys("j r");
    assert!(bench.take().contains(&Effect::ResumeJob(op("0192-bbbb"))));
    bench.keys("A Enter");
    let abandon = Effect::AbandonJob(op("0192-bbbb"));
    assert!(!bench.take().contains(&abandon), "Cancel is the default");
    bench.keys("A Tab Enter");
    assert!(bench.take().contains(&abandon));
    let settled = Outcome::Settled { id: op("0192-bbbb"), how: Settled::Abandoned };
    bench.send(Event::Ended(settled));
    assert!(bench.screen().contains("Restore of docs-4 is abandoned."), "{}", bench.screen());
}

#[test]
fn a_finished_delete_is_undone_from_its_row() {
    let mut bench = bench(120, 40);
    bench.keys("u");
    assert!(bench.take().is_empty(), "one that runs cannot be undone");
    bench.keys("j j u");
    let target = RestoreTarget::Batch(op("0192-cccc"));
    assert!(bench.take().contains(&Effect::Restore { target, undo: true }));
}

#[test]
fn the_failed_ones_are_marked_in_the_list() {
    let mut bench = bench(120, 40);
    bench.keys("j j *");
    assert_eq!(bench.app.view, View::Sessions);
    let marked: Vec<_> = bench.app.list.marks.ids.iter().cloned().collect();
    assert_eq!(marked, [id("api-7"), id("api-9")], "a pinned one was left alone on purpose");
}

/// D14: what a delete closed and did not delete is not done, and can be marked.
#[test]
fn what_a_cancelled_delete_closed_is_not_done() {
    let names = ["api-1", "api-2"];
    let mut cancelled = operation("0192-dddd", Verb::Delete, OperationState::Cancelled, &names);
    cancelled.results =
        vec![result("api-1", "closed", None), result("api-2", "live", Some("/trash/api-2"))];
    let mut bench = Bench::new(120, 40);
    bench.keys("J");
    bench.send(Event::Operations(vec![cancelled.clone()]));
    let states: Vec<String> =
        bench.app.jobs.results(&cancelled).into_iter().map(|row| row.state).collect();
    assert_eq!(states, ["not done", "not done"]);
    assert_eq!(bench.app.jobs.not_done(&cancelled), names.map(id));
}

#[test]
fn leaving_while_a_job_runs_asks_what_becomes_of_it() {
    let quits =
        |effects: &[Effect]| effects.iter().any(|effect| matches!(effect, Effect::Quit { .. }));
    let ended = Progress::Ended { operation: op("0192-aaaa") };

    let mut bench = Bench::new(80, 24).with_job();
    bench.keys("q");
    assert!(!quits(&bench.take()));
    insta::assert_snapshot!("leave_80x24", bench.screen());
    bench.keys("Esc");
    assert!(bench.app.overlays.is_empty(), "Esc stays");

    bench.keys("q Enter");
    assert!(!quits(&bench.take()));
    insta::assert_snapshot!("leaving_80x24", bench.screen());
    bench.send(Event::Progress(ended.clone()));
    assert!(quits(&bench.take()), "wait: left when the last job has ended");

    let mut bench = Bench::new(80, 24).with_job();
    bench.keys("q j Enter");
    let handed = bench.take().into_iter().find_map(|effect| match effect {
        Effect::Quit { hand_over, .. } => Some(hand_over),
        _ => None,
    });
    assert_eq!(handed, Some(vec![op("0192-aaaa")]));

    let mut bench = Bench::new(80, 24).with_job();
    bench.keys("q j j Enter");
    let effects = bench.take();
    assert!(effects.contains(&Effect::CancelJob(op("0192-aaaa"))) && !quits(&effects));
    bench.send(Event::Progress(ended));
    assert!(quits(&bench.take()));
}

#[test]
fn a_start_keeps_nobody_from_leaving() {
    let mut bench = Bench::new(80, 24);
    let (operation, verb) = (op("0192-aaaa"), Verb::Create);
    bench.send(Event::Progress(Progress::Began { operation, verb, total: 1 }));
    bench.keys("q");
    assert!(matches!(bench.take().last(), Some(Effect::Quit { .. })));
}

#[test]
fn a_kill_asks_and_says_what_became_of_the_worktree() {
    let mut bench = Bench::new(120, 40);
    bench.keys("j j X");
    insta::assert_snapshot!("kill_120x40", bench.screen());
    bench.keys("Tab Enter");
    let kill = Effect::Stop { ids: vec![id("shop-9")], how: StopHow::Kill };
    assert!(bench.take().contains(&kill));
    let result = StopResult {
        id: id("shop-9"),
        stopped: true,
        freed: false,
        reason: Some("3 uncommitted files".to_owned()),
        escalated: false,
        trouble: None,
    };
    bench.send(Event::Ended(Outcome::Killed(StopReport { results: vec![result] })));
    let text = "shop-9 killed. Its worktree stays: 3";
    assert!(bench.screen().contains(text), "{}", bench.screen());
}

#[test]
fn a_restart_asks_only_for_several() {
    let mut bench = Bench::new(120, 40);
    bench.keys("R");
    assert!(bench.take().contains(&Effect::Restart(vec![id("shop-12")])));
    bench.keys("Space Space R Tab Enter");
    assert!(bench.take().contains(&Effect::Restart(vec![id("shop-12"), id("shop-14")])));
}

#[test]
fn what_was_cancelled_is_no_error() {
    let mut bench = Bench::new(120, 40);
    let failure = Failure { message: "deleting sessions: cancelled".to_owned(), hint: None };
    let what = "3 sessions were not deleted".to_owned();
    bench.send(Event::Ended(Outcome::Cancelled { what, failure }));
    assert!(bench.screen().contains("! 3 sessions were not deleted"), "{}", bench.screen());
}

/// D5: the words of a filter mark are conditions of the delete.
#[test]
fn a_filter_mark_passes_its_words_to_the_delete() {
    let conditions = |bench: &mut Bench| -> Conditions {
        let plan = bench.take().into_iter().rev().find_map(|effect| match effect {
            Effect::Plan { request: PlanRequest::Delete(request), .. } => Some(request.conditions),
            _ => None,
        });
        plan.unwrap()
    };
    let idle = || session("shop-7", "Idle", "claude", callboard::domain::status::Status::Idle, 9);
    let mut bench = Bench::new(120, 40);
    bench.keys("/");
    bench.text("status:idle age:>5m");
    bench.keys("Enter");
    bench.answer_page(page(vec![idle()]));
    bench.keys("* d");
    let asked = conditions(&mut bench);
    assert_eq!(asked.section, bench.app.section);
    assert_eq!(asked.statuses, [callboard::domain::status::Status::Idle]);
    assert_eq!(asked.older_than.map(|age| age.as_secs()), Some(300));
    assert!(asked.exclude_pinned);
    bench.keys("Esc Esc Space d");
    let asked = conditions(&mut bench);
    assert_eq!((asked.section, asked.statuses.len()), (None, 0), "marked one by one: no words");
}

/// A fault is shown beside running and stuck jobs, and how many there are.
#[test]
fn faults_are_shown_beside_jobs() {
    let fault = |bench: &mut Bench, source: &str, text: Option<&str>| {
        let (source, text) = (source.to_owned(), text.map(str::to_owned));
        bench.send(Event::Fault { source, text });
        bench.screen().lines().next().unwrap().to_owned()
    };
    let mut bench = Bench::new(160, 40);
    let line = fault(&mut bench, "git", Some("git is not found"));
    assert!(line.trim_end().ends_with("git is not found"), "{line}");
    let began = Progress::Began { operation: op("0192-aaaa"), verb: Verb::Delete, total: 40 };
    bench.send(Event::Progress(began));
    let line = fault(&mut bench, "git", Some("git is not found"));
    assert!(line.contains("git is not found  delete  0/40"), "{line}");
    let long = "the store is held by another process, which is slow to let go of it";
    let line = fault(&mut bench, "store", Some(long));
    assert!(line.contains("git is not found 1 of 2  delete  0/40"), "{line}");
    let line = fault(&mut bench, "git", None);
    assert!(line.contains("the store is held by another process, w"), "{line}");
    assert!(line.contains("delete  0/40") && !line.contains("1 of"), "{line}");
    bench.send(Event::Progress(Progress::Ended { operation: op("0192-aaaa") }));
    bench.app.board.stuck = 1;
    let line = fault(&mut bench, "git", Some("git is not found"));
    assert!(line.contains("git is not found 1 of 2  ? 1 job stuck"), "{line}");
}
