use super::*;
use crate::domain::agent::{QuestionRule, Region, Rule};
use crate::domain::hook::HookReport;

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
