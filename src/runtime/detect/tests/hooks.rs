//! What hooks tell beside the screen, and how long a screen must agree.

use crate::domain::agent::{Region, Rule};
use crate::domain::hook::HookReport;

use super::*;

fn hook(event: &str, activity: Activity) -> HookReport {
    HookReport {
        event: event.to_owned(),
        at: Timestamp(0),
        activity: Some(activity),
        tool: None,
        before_tool: false,
        question: activity.is_waiting().then(|| ("permission".to_owned(), "May I?".to_owned())),
        agent_session_id: None,
        message: None,
    }
}

/// The second witness: before titles and screens, behind what the program itself says.
#[test]
fn a_hook_counts_before_the_screen_and_behind_the_program() {
    let mut detector = Detector::new(&rules(), Timestamp(0)).unwrap();
    let lines = ["> ".to_owned()];
    let look = |detector: &mut Detector, at| {
        let inputs = shown(&lines, at);
        detector.observe(&inputs, Timestamp(at));
        let verdict = detector.verdict();
        (verdict.activity.value, verdict.activity.witness.clone())
    };
    look(&mut detector, 10);
    assert_eq!(look(&mut detector, 710), (Activity::Idle, "screen: composer".to_owned()));
    assert!(detector.hear_hook(&hook("Work", Activity::Active), Timestamp(720)));
    assert_eq!(look(&mut detector, 720), (Activity::Active, "hook: Work".to_owned()));
    // The composer was there before: it is no news.
    assert_eq!(look(&mut detector, 60_000).0, Activity::Active);
    let idle = ProgramStatus { state: "idle".to_owned(), ..ProgramStatus::default() };
    detector.hear(&ScreenEvent::ProgramStatus(idle), Timestamp(60_010));
    assert_eq!(look(&mut detector, 60_010), (Activity::Idle, "osc7501".to_owned()));
    let reports = detector.witnesses();
    assert_eq!(reports[1].rule.as_deref(), Some("Work"));
}

/// A2, G6: hooks tell neither of a denial nor of an interruption; the screen that follows does.
#[test]
fn what_no_hook_tells_is_seen_on_the_screen_a2() {
    let after = |reported: Activity, at: i64| {
        let mut detector = Detector::new(&rules(), Timestamp(0)).unwrap();
        detector.hear_hook(&hook("E", reported), Timestamp(0));
        let mut look = |lines: &[&str], at| {
            let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
            let inputs = shown(&lines, at);
            detector.observe(&inputs, Timestamp(at));
            detector.next_deadline()
        };
        look(&["esc to interrupt"], 0);
        let mut due = look(&["> "], 100);
        while let Some(next) = due.filter(|next| next.0 <= at) {
            due = look(&["> "], next.0);
        }
        detector.verdict().activity.value
    };
    assert_eq!(after(Activity::Blocked, 1_000), Activity::Blocked);
    assert_eq!(after(Activity::Blocked, 1_500), Activity::Idle);
    assert_eq!(after(Activity::Active, 3_000), Activity::Active);
    assert_eq!(after(Activity::Active, 4_500), Activity::Idle);
}

/// G7: rules are tried once for each change; a screen that is as it was is not even read.
#[test]
fn nothing_runs_while_the_screen_is_unchanged_g7() {
    let mut detector = Detector::new(&rules(), Timestamp(0)).unwrap();
    let working = ["esc to interrupt".to_owned()];
    detector.observe(&shown(&working, 5), Timestamp(5));
    let other = ["Do you want this?".to_owned()];
    let unchanged = Inputs { since: None, ..shown(&other, 6) };
    assert_eq!(detector.observe(&unchanged, Timestamp(6)), None);
    assert_eq!(detector.verdict().activity.value, Activity::Active);
    assert_eq!(detector.next_deadline(), None, "nothing is pending, so nobody looks again");

    let size = crate::runtime::screen::Size { cols: 80, rows: 24 };
    let mut screen = crate::runtime::screen::Screen::new(size, 0);
    let mut watch = Watch::new(&rules(), Timestamp(0)).unwrap();
    assert_eq!(watch.due(&screen), None);
    let events = screen.feed(b"esc to interrupt");
    watch.changed(&events, Timestamp(10));
    let due = watch.due(&screen).unwrap();
    assert!(watch.look(&screen, None, false, due).is_some());
    assert_eq!(watch.due(&screen), None);
}

/// G6: a composer that is drawn before the first dialog is no rest yet.
#[test]
fn the_first_rest_must_last_g6() {
    let mut board = Board::new(&rules());
    assert_eq!(board.show("> "), None);
    board.now.0 += 650;
    assert_eq!(board.show("Do you want to trust it?"), Some(Activity::Blocked));
    let mut board = Board::new(&rules());
    assert_eq!(board.show("> "), None);
    assert_eq!(board.after(700), Some(Activity::Idle));
}

/// The third witness: progress that is told to the terminal counts before a screen that rests, behind
/// a question that the screen shows, and ends when it is told so.
#[test]
fn progress_counts_before_a_screen_at_rest() {
    let mut board = Board::new(&rules());
    board.show("> ");
    assert_eq!(board.after(700), Some(Activity::Idle));
    let progress = |state| ScreenEvent::Progress { state, percent: 0 };
    assert!(board.detector.hear(&progress(3), board.now));
    assert_eq!(board.look(), Some(Activity::Active));
    assert_eq!(board.detector.verdict().activity.witness, "progress");
    assert_eq!(board.show("Do you want this?"), Some(Activity::Blocked));
    assert!(board.detector.hear(&progress(0), board.now));
    assert_eq!(board.show("> "), None);
    assert_eq!(board.after(700), Some(Activity::Idle));
}

/// Where a program asks line by line, only the line of the cursor counts.
#[test]
fn the_line_of_the_cursor_counts() {
    let rules = Rules {
        rule: vec![
            Rule { priority: 1, ..rule("prompt", Activity::Idle, Region::Cursor, "^> ?$") },
            rule("output", Activity::Active, Region::Screen, "."),
        ],
        ..Rules::default()
    };
    let mut board = Board::new(&rules);
    board.cursor = 1;
    assert_eq!(board.show("> do it\n"), Some(Activity::Active));
    assert_eq!(board.show("> do it\n>"), None);
    assert_eq!(board.after(700), Some(Activity::Idle));
}

/// G6: work after an error is seen at once; an error that work leaves behind must last.
#[test]
fn work_ends_an_error_at_once_g6() {
    let mut rules = rules();
    rules.rule.push(rule("error", Activity::Error, Region::Bottom, "^ERROR"));
    let mut board = Board::new(&rules);
    assert_eq!(board.show("ERROR"), Some(Activity::Error));
    assert_eq!(board.show("ERROR\nesc to interrupt"), Some(Activity::Active));
    assert_eq!(board.show("ERROR"), None);
    assert_eq!(board.after(700), Some(Activity::Error));
}

/// G6: a report of work that was there before is no news: it ends no retry at once.
#[test]
fn an_old_report_of_work_ends_nothing_at_once_g6() {
    let mut board = Board::new(&rules());
    board.status("working", None);
    board.now.0 += 10;
    assert_eq!(board.show("500 retrying in 1s"), Some(Activity::Retrying));
    board.now.0 += 10;
    assert_eq!(board.show("trying"), None);
    assert_eq!(board.after(100), None);
    assert_eq!(board.show("500 retrying in 2s"), None, "still the same retry");
    board.now.0 += 10;
    assert_eq!(board.show("esc to interrupt"), None);
    assert_eq!(board.after(700), Some(Activity::Active));
}

/// G8: another question of the same activity is told with the rule that knows it.
#[test]
fn the_witness_follows_the_question_g8() {
    let mut rules = rules();
    let other = Rule {
        priority: 20,
        question: rules.rule[3].question.clone(),
        ..rule("other", Activity::Blocked, Region::Bottom, "trust")
    };
    rules.rule.push(other);
    let mut board = Board::new(&rules);
    board.show("Do you want it?");
    assert_eq!(board.detector.verdict().activity.witness, "screen: permission");
    assert_eq!(board.show("Do you want to trust it?"), Some(Activity::Blocked));
    assert_eq!(board.detector.verdict().activity.witness, "screen: other");
}
