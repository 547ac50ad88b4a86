//! The decision on screens that are shown to it.

mod hooks;

use crate::domain::agent::{QuestionRule, Region, Rule};

use super::*;

fn rule(id: &str, activity: Activity, region: Region, pattern: &str) -> Rule {
    Rule {
        id: id.to_owned(),
        activity,
        region,
        lines: 20,
        priority: 0,
        all: vec![pattern.to_owned()],
        any: Vec::new(),
        not: Vec::new(),
        question: None,
    }
}

fn rules() -> Rules {
    let permission = Rule {
        priority: 10,
        question: Some(QuestionRule {
            kind: "permission".to_owned(),
            text: r"^ *(Do you want .*\?)".to_owned(),
            option: Some(r"^ *❯? *\d\. (.*)$".to_owned()),
            about: None,
            selected: None,
            detail_lines: 0,
            unnumbered: false,
        }),
        ..rule("permission", Activity::Blocked, Region::Bottom, "Do you want")
    };
    Rules {
        shell: false,
        otherwise: None,
        rule: vec![
            rule("spinner", Activity::Active, Region::Bottom, "esc to interrupt"),
            rule("composer", Activity::Idle, Region::Bottom, "^>"),
            rule("retry", Activity::Retrying, Region::Bottom, "retrying in"),
            permission,
            rule("ready", Activity::Idle, Region::Title, "Ready"),
        ],
    }
}

struct Board {
    detector: Detector,
    now: Timestamp,
    lines: Vec<String>,
    title: String,
    cursor: usize,
    busy: Option<bool>,
    exited: bool,
}

fn shown(lines: &[String], at: i64) -> Inputs<'_> {
    let since = Some(Timestamp(at));
    Inputs { lines, cols: 80, cursor: 0, title: "", since, busy: None, exited: false }
}

impl Board {
    fn new(rules: &Rules) -> Self {
        Self {
            detector: Detector::new(rules, Timestamp(0)).unwrap(),
            now: Timestamp(0),
            lines: Vec::new(),
            title: String::new(),
            cursor: 0,
            busy: None,
            exited: false,
        }
    }

    fn show(&mut self, text: &str) -> Option<Activity> {
        self.lines = text.lines().map(str::to_owned).collect();
        self.look()
    }

    fn look(&mut self) -> Option<Activity> {
        let inputs = Inputs {
            lines: &self.lines,
            cols: 80,
            cursor: self.cursor,
            title: &self.title,
            since: Some(self.now),
            busy: self.busy,
            exited: self.exited,
        };
        self.detector.observe(&inputs, self.now).map(|verdict| verdict.activity.value)
    }

    fn after(&mut self, milliseconds: i64) -> Option<Activity> {
        self.now.0 += milliseconds;
        self.look()
    }

    fn status(&mut self, state: &str, kind: Option<&str>) -> Option<Activity> {
        let status = ProgramStatus {
            state: state.to_owned(),
            kind: kind.map(str::to_owned),
            title: None,
            msg: None,
            app: None,
            progress: None,
        };
        assert!(self.detector.hear(&ScreenEvent::ProgramStatus(status), self.now));
        self.look()
    }

    fn is(&self) -> Activity {
        self.detector.verdict().activity.value
    }
}

#[test]
fn nothing_is_guessed() {
    let mut board = Board::new(&Rules::default());
    assert_eq!(board.show("busy output\n> "), None);
    assert_eq!(board.after(10_000), None);
    assert_eq!(board.is(), Activity::Unknown);
    assert_eq!(board.detector.next_deadline(), None);
}

#[test]
fn leaving_work_needs_agreement_and_a_flicker_is_nothing() {
    let mut board = Board::new(&rules());
    assert_eq!(board.show("esc to interrupt"), Some(Activity::Active));
    assert_eq!(board.show("> "), None);
    assert_eq!(board.detector.next_deadline(), Some(Timestamp(700)));
    board.now.0 = 400;
    assert_eq!(board.show("esc to interrupt"), None);
    assert_eq!(board.detector.next_deadline(), None);
    assert_eq!(board.show("> "), None);
    assert_eq!(board.after(699), None);
    assert_eq!(board.after(1), Some(Activity::Idle));
    assert_eq!(board.show("esc to interrupt"), Some(Activity::Active));
}

/// A2: blocked clears once the screen no longer shows the question
#[test]
fn a_question_is_seen_at_once_and_read() {
    let mut board = Board::new(&rules());
    board.show("esc to interrupt");
    let asked = "esc to interrupt\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n";
    assert_eq!(board.show(asked), Some(Activity::Blocked));
    let question = board.detector.verdict().question.clone().unwrap();
    assert_eq!(question.text, "Do you want to proceed?");
    assert_eq!(question.options, ["Yes", "No"]);
    // the mark moves to another option: the same question
    assert_eq!(board.show(" Do you want to proceed?\n   1. Yes\n ❯ 2. No\n"), None);
    // another question of the same kind is another one at once
    assert_eq!(board.show(" Do you want to stop?\n ❯ 1. Yes\n   2. No\n"), Some(Activity::Blocked));
    assert_ne!(board.detector.verdict().question.as_ref().unwrap().id, question.id);
    // when in doubt it stays
    assert_eq!(board.show(""), None);
    assert_eq!(board.after(699), None);
    assert_eq!(board.after(1), Some(Activity::Unknown));
    assert_eq!(board.detector.verdict().question, None);
}

/// K6: a question without its last options is half drawn, and stays what it was; one that stays so is another one.
#[test]
fn a_half_drawn_question_is_no_other_one_k6() {
    let mut board = Board::new(&rules());
    let whole = " Do you want to proceed?\n ❯ 1. Yes\n   2. No\n";
    let half = " Do you want to proceed?\n   1. Yes\n";
    board.show(whole);
    let question = board.detector.verdict().question.clone();
    assert_eq!(board.show(half), None);
    assert!(board.detector.doubts(), "nothing may be pressed");
    assert_eq!(board.after(299), None);
    assert_eq!(board.show(whole), None);
    assert!(!board.detector.doubts());
    assert_eq!(board.detector.verdict().question, question);
    let since = board.detector.verdict().activity.since;
    assert_eq!(board.show(half), None);
    assert_eq!(board.after(300), Some(Activity::Blocked));
    let verdict = board.detector.verdict();
    assert_ne!(verdict.question, question);
    assert_eq!(verdict.activity.since, since, "it is blocked all the time");
}

/// K6: a question that is gone from the screen is doubted at once, before its agent is said to go on.
#[test]
fn a_question_that_is_gone_is_doubted_k6() {
    let mut board = Board::new(&rules());
    board.show(" Do you want to proceed?\n ❯ 1. Yes\n   2. No\n");
    assert!(!board.detector.doubts());
    assert_eq!(board.show("esc to interrupt"), None);
    assert!(board.detector.doubts() && board.is() == Activity::Blocked);
    assert_eq!(board.after(700), Some(Activity::Active));
    assert!(!board.detector.doubts());
}

/// K6: a question that no rule reads may be another than the one before: nothing is pressed for that one.
#[test]
fn a_question_that_cannot_be_read_is_doubted_k6() {
    let mut rules = rules();
    rules.rule[3].any = vec!["Do you want|Press enter".to_owned()];
    let mut board = Board::new(&rules);
    board.show(" Do you want to proceed?\n ❯ 1. Yes\n   2. No\n");
    assert!(!board.detector.doubts());
    board.show(" Press enter\n ❯ 1. Erase\n   2. Keep\n");
    assert!(board.detector.doubts() && board.is() == Activity::Blocked);
    board.show(" Do you want to proceed?\n ❯ 1. Yes\n   2. No\n");
    assert!(!board.detector.doubts());
}

/// K6: commands that end alike and begin otherwise are asked about by other questions.
#[test]
fn all_lines_of_a_command_belong_to_its_question_k6() {
    let mut rules = rules();
    rules.rule[3].question.as_mut().unwrap().about = Some(r"^ +│ (.*)$".to_owned());
    let asks = |command: &str| {
        let mut board = Board::new(&rules);
        board.show(&format!("─\n   │ {command}\n   │ EOF\n─\n Do you want to proceed?\n 1. Yes\n"));
        board.detector.verdict().question.clone().unwrap().id
    };
    assert_eq!(asks("cat <<EOF"), asks("cat <<EOF"));
    assert_ne!(asks("cat <<EOF"), asks("tee /etc/x <<EOF"));
}

/// A2: blocked clears where OSC 7501 says so
#[test]
fn the_program_itself_is_trusted_most_and_needs_no_waiting() {
    let mut board = Board::new(&rules());
    board.show("esc to interrupt");
    assert_eq!(board.status("done", None), Some(Activity::Idle));
    assert_eq!(board.status("working", None), Some(Activity::Active));
    assert_eq!(board.status("blocked", Some("question")), Some(Activity::WaitingInput));
    assert_eq!(board.status("blocked", Some("permission")), Some(Activity::Blocked));
    assert_eq!(board.status("error", None), Some(Activity::Error));
    assert_eq!(board.status("idle", None), Some(Activity::Idle));
    // forgotten, the screen counts again
    assert_eq!(board.status("clear", None), Some(Activity::Active));
    let witnesses = board.detector.witnesses();
    assert_eq!(witnesses[0].says, None);
    assert_eq!(witnesses[4].rule.as_deref(), Some("spinner"));
    assert_eq!(witnesses[4].text.as_deref(), Some("esc to interrupt"));
}

#[test]
fn a_wide_claim_to_work_gives_way_to_what_the_screen_shows() {
    let mut board = Board::new(&rules());
    board.status("working", None);
    assert_eq!(board.show("Do you want this?"), Some(Activity::Blocked));
    assert_eq!(board.status("working", None), None, "the question is still shown");
    assert_eq!(board.show("500 retrying in 1s"), Some(Activity::Retrying));
    assert_eq!(board.status("idle", None), Some(Activity::Idle));
}

#[test]
fn priority_counts_then_titles() {
    let mut board = Board::new(&rules());
    board.title = "Ready".to_owned();
    assert_eq!(board.show("esc to interrupt"), None);
    assert_eq!(board.after(700), Some(Activity::Idle));
    assert_eq!(board.detector.verdict().activity.witness, "title: ready");
    // What the screen says is told too (G8).
    let said = board.detector.witnesses();
    let says = |at: usize| (said[at].witness.as_str(), said[at].says);
    assert_eq!(says(2), ("title", Some(Activity::Idle)));
    assert_eq!(says(4), ("screen", Some(Activity::Active)));
    assert_eq!(board.show("Do you want"), Some(Activity::Blocked));
    assert_eq!(board.detector.verdict().activity.witness, "screen: permission");
}

/// A1: a plain shell
#[test]
fn a_shell_is_active_while_a_command_is_in_the_foreground() {
    let mut board = Board::new(&Rules { shell: true, ..Rules::default() });
    assert!(board.detector.watches_foreground());
    board.busy = Some(false);
    assert_eq!(board.look(), Some(Activity::Idle));
    board.busy = Some(true);
    assert_eq!(board.look(), Some(Activity::Active));
    board.busy = Some(false);
    assert_eq!(board.look(), None);
    assert_eq!(board.after(700), Some(Activity::Idle));
    assert_eq!(board.detector.verdict().activity.witness, "process");
}

#[test]
fn a_dead_process_ends_every_doubt() {
    let mut board = Board::new(&rules());
    board.status("working", None);
    board.exited = true;
    assert_eq!(board.look(), Some(Activity::Exited));
}

#[test]
fn a_broken_pattern_names_its_rule() {
    let rules = Rules { rule: vec![rule("bad", Activity::Idle, Region::Screen, "(")], ..rules() };
    let error = Detector::new(&rules, Timestamp(0)).unwrap_err();
    assert_eq!((error.rule.as_str(), error.pattern.as_str()), ("bad", "("));
}

/// A turn as a program draws it, with and without its own reports.
#[test]
fn a_replay_gives_one_transition_for_each_change() {
    let size = crate::runtime::screen::Size { cols: 80, rows: 24 };
    let frames: Vec<(Timestamp, &[u8])> = vec![
        (Timestamp(0), b"\x1b[H\x1b[2J> "),
        (Timestamp(1_000), b"\x1b]7501;state=working\x07\x1b[Hesc to interrupt"),
        // half a frame: the spinner is gone for a moment
        (Timestamp(1_500), b"\x1b[2J"),
        (Timestamp(1_550), b"\x1b[Hesc to interrupt"),
        (Timestamp(3_000), b"\x1b[2J\x1b[H Do you want this?\r\n 1. Yes\x1b]7501;state=blocked:kind=permission\x07"),
        (Timestamp(5_000), b"\x1b[2J\x1b[Hesc to interrupt\x1b]7501;state=working\x07"),
        (Timestamp(7_000), b"\x1b[2J\x1b[H> \x1b]7501;state=done\x07"),
    ];
    let expected =
        [Activity::Idle, Activity::Active, Activity::Blocked, Activity::Active, Activity::Idle];
    for without_reports in [false, true] {
        let played = frames.iter().map(|(at, bytes)| (*at, Played::Output(bytes)));
        let verdicts = replay(&rules(), size, played, without_reports).unwrap();
        let values: Vec<Activity> =
            verdicts.iter().map(|(_, verdict)| verdict.activity.value).collect();
        assert_eq!(values, expected, "without reports: {without_reports}");
        let changes = [0, 1_000, 3_000, 5_000, 7_000];
        for ((at, verdict), change) in verdicts.iter().zip(changes) {
            let lag = at.0 - change;
            assert!((0..1_000).contains(&lag), "{verdict:?} comes {lag} ms late");
        }
    }
}

/// K6: where an answer is walked to, what is selected is read; moving it makes no other question, and
/// without it the options count as unreadable.
#[test]
fn the_selected_option_is_read() {
    let mut rules = rules();
    let asked = rules.rule[3].question.as_mut().unwrap();
    asked.selected = Some("^ *❯".to_owned());
    let mut detector = Detector::new(&rules, Timestamp(0)).unwrap();
    let mut read = |first: &str, second: &str| {
        let lines = ["Do you want it?", first, second].map(str::to_owned);
        let inputs = shown(&lines, 5);
        detector.observe(&inputs, Timestamp(5));
        detector.verdict().question.clone().unwrap()
    };
    let (first, second) = (read("❯ 1. Yes", "  2. No"), read("  1. Yes", "❯ 2. No"));
    assert_eq!((first.selected, second.selected), (Some(0), Some(1)));
    assert_eq!((&first.id, first.options.len()), (&second.id, 2));
    let lines = ["Do you want it?", "  1. Yes", "  2. No"].map(str::to_owned);
    detector.observe(&shown(&lines, 5), Timestamp(5));
    assert!(detector.doubts(), "it may be half drawn");
    detector.observe(&shown(&lines, 5), Timestamp(305));
    assert!(detector.verdict().question.as_ref().unwrap().options.is_empty());
}

/// G5: a program that was started with a prompt draws its composer, or reports a rest, before it begins; that
/// is no end of a turn, unless nothing is ever begun. What it asks first counts.
#[test]
fn a_rest_before_the_prompt_of_the_start_is_begun_is_none() {
    for reports in [false, true] {
        let prompted = || {
            let mut board = Board::new(&rules());
            board.detector = Detector::new(&rules(), Timestamp(0)).unwrap().prompted();
            board
        };
        let rest = |board: &mut Board| {
            if reports { board.status("idle", None) } else { board.show("> ") }
        };
        let mut board = prompted();
        rest(&mut board);
        assert_eq!((board.after(5_000), board.is()), (None, Activity::Unknown));
        if reports {
            board.status("working", None);
        } else {
            board.show("esc to interrupt");
        }
        assert_eq!(board.is(), Activity::Active);
        rest(&mut board);
        board.after(700);
        assert_eq!(board.is(), Activity::Idle, "an end of its turn");

        let mut board = prompted();
        board.show("Do you want to trust it?");
        assert_eq!(board.is(), Activity::Blocked);
        rest(&mut board);
        board.after(700);
        assert_eq!(board.is(), Activity::Unknown, "the question is gone");
        let by = board.detector.next_deadline().unwrap();
        assert!(by <= board.now.plus(FIRST_WORK));
        board.now = by;
        board.look();
        board.after(700);
        assert_eq!(board.is(), Activity::Idle, "it begins nothing");

        let mut board = prompted();
        rest(&mut board);
        if reports {
            board.status("other", None);
        }
        board.show("no composer");
        board.now = board.detector.next_deadline().unwrap();
        board.look();
        assert_eq!(board.detector.next_deadline(), None, "nothing is looked for again and again");
    }
}
