use callboard::domain::activity::Activity;
use callboard::domain::agent::{QuestionRule, Region, Rule, Rules, SubmitRule};
use callboard::runtime::client::{ClientError, Input, Keeper, ScreenUpdate};
use callboard::runtime::launch::LaunchSpec;
use callboard::runtime::screen::{Screen, Size};
use callboard::runtime::wire::{Condition, Reason};

use super::support::{Bench, QUICK, shows, until, within};

#[tokio::test]
async fn snapshot_and_live_bytes_give_the_same_screen() {
    let bench = Bench::new();
    let script = "printf '\\033[1;31mred\\033[0m before\\r\\n'; read _; printf 'a\\tb\\033[5;10Hthere'; \
        for i in 1 2 3 4 5 6 7 8 9; do printf '\\033[38;5;%dmline %d\\r\\n' $i $i; done; printf 'done'; exec cat";
    let (mut keeper, process, agent) = bench.run(&bench.script(script)).await;
    shows(&mut keeper, "red before").await;
    let second = within(Keeper::connect(&bench.socket())).await.unwrap();
    let (mut feed, mut typist) = second.subscribe_screen(100).await.unwrap();
    let mut screen = Screen::new(Size { cols: 80, rows: 24 }, 100);
    typist.bytes(b"\r").await.unwrap();
    let mut resized = false;
    loop {
        match within(feed.next()).await {
            ScreenUpdate::Snapshot { cols, rows, bytes } => {
                screen = Screen::new(Size { cols, rows }, 100);
                screen.replay(&bytes);
            }
            ScreenUpdate::Bytes(bytes) => drop(screen.feed(&bytes)),
            ScreenUpdate::Resized { cols, rows } => {
                screen.resize(Size { cols, rows });
                resized = true;
            }
            other => panic!("{other:?}"),
        }
        if resized && screen.lines().iter().any(|line| line.contains("again")) {
            break;
        }
        if !resized && screen.lines().iter().any(|line| line.contains("done")) {
            typist.resize(60, 20, false).await.unwrap();
            typist.bytes(b"again\r").await.unwrap();
        }
    }
    let text = keeper.text(0).await.unwrap();
    until(async || {
        keeper.text(0).await.unwrap().lines.iter().filter(|l| l.contains("again")).count() == 2
    })
    .await;
    until(async || {
        if let Ok(ScreenUpdate::Bytes(bytes)) =
            tokio::time::timeout(std::time::Duration::from_millis(50), feed.next()).await
        {
            screen.feed(&bytes);
        }
        screen.lines() == keeper.text(0).await.unwrap().lines
    })
    .await;
    assert_eq!((text.cols, text.rows), (60, 20));
    assert_eq!(screen.snapshot(0), {
        let third = within(Keeper::connect(&bench.socket())).await.unwrap();
        let (mut feed, _typist) = third.subscribe_screen(0).await.unwrap();
        let ScreenUpdate::Snapshot { bytes, .. } = within(feed.next()).await else { panic!() };
        bytes
    });
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// Attach: the size is that of the viewer that typed last, for as long as that one is there. Neither what a
/// terminal says of its focus nor a text of one who sees nothing is typed by a viewer.
#[tokio::test]
async fn a_size_that_yields_is_not_taken_from_who_typed_since() {
    let bench = Bench::new();
    let (mut keeper, process, agent) = bench.run(&bench.script("echo ready; exec cat")).await;
    shows(&mut keeper, "ready").await;
    let viewer = async || {
        let keeper = within(Keeper::connect(&bench.socket())).await.unwrap();
        let (mut feed, typist) = keeper.subscribe_screen(0).await.unwrap();
        assert!(matches!(within(feed.next()).await, ScreenUpdate::Snapshot { .. }));
        (feed, typist)
    };
    let (_feed, mut first) = viewer().await;
    let (second_feed, mut second) = viewer().await;
    first.resize(50, 10, true).await.unwrap();
    until(async || keeper.text(0).await.unwrap().cols == 50).await;
    first.bytes(b"typed ").await.unwrap();
    shows(&mut keeper, "typed").await;
    second.resize(60, 12, true).await.unwrap();
    second.bytes(b"\x1b[I").await.unwrap();
    shows(&mut keeper, "^[[I").await;
    assert_eq!(keeper.text(0).await.unwrap().cols, 50);
    keeper.send(1, Input::Text("told ".to_owned()), None).await.unwrap();
    shows(&mut keeper, "told").await;
    first.resize(51, 10, true).await.unwrap();
    until(async || keeper.text(0).await.unwrap().cols == 51).await;
    second.bytes(b"second ").await.unwrap();
    shows(&mut keeper, "second").await;
    first.resize(52, 10, true).await.unwrap();
    second.resize(62, 12, true).await.unwrap();
    until(async || keeper.text(0).await.unwrap().cols == 62).await;
    drop((second_feed, second));
    until(async || {
        first.resize(53, 10, true).await.unwrap();
        keeper.text(0).await.unwrap().cols == 53
    })
    .await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

#[tokio::test]
async fn text_comes_with_scrollback() {
    let bench = Bench::new();
    let (mut keeper, process, agent) =
        bench.run(&bench.script("seq 1 100; printf '\\033]2;my title\\007end'; exec cat")).await;
    shows(&mut keeper, "end").await;
    let text = keeper.text(10).await.unwrap();
    assert_eq!(text.lines.len(), 34);
    assert_eq!(text.lines.last().unwrap(), "end");
    assert_eq!(text.lines[32], "100");
    assert_eq!((text.cursor_row, text.cursor_col, text.cursor_visible), (23, 3, true));
    assert_eq!(text.title, "my title");
    assert_eq!(text.scrollback_lines, 77);
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

fn asking() -> Rules {
    let rule = Rule {
        id: "ask".to_owned(),
        activity: Activity::Blocked,
        region: Region::Bottom,
        lines: 10,
        priority: 0,
        all: vec!["^Run it".to_owned()],
        any: Vec::new(),
        not: Vec::new(),
        question: Some(QuestionRule {
            kind: "permission".to_owned(),
            text: r"^(Run it.*\?)".to_owned(),
            option: Some(r"^\d\. (.*)".to_owned()),
            about: None,
            selected: None,
            detail_lines: 0,
            unnumbered: false,
        }),
    };
    Rules { rule: vec![rule], ..Rules::default() }
}

/// K6: where arrows walk to an option, nothing is confirmed unless the walk has come there.
#[tokio::test]
async fn a_walk_that_is_not_where_it_should_be_confirms_nothing() {
    let bench = Bench::new();
    let ask = |first: &str, second: &str| {
        format!("printf '\\033[2J\\033[HRun it?\\r\\n{first} 1. Yes\\r\\n{second} 2. No\\r\\n'; ")
    };
    let script = format!(
        "stty raw -echo; {first}{arrow}{second}{arrow}{first}{arrow}{first}{arrow}{second}dd bs=1 count=1 of=/dev/null 2>&-; printf '\\033[2J\\033[Htaken\\r\\n'; exec cat",
        first = ask(">", " "),
        second = ask(" ", ">"),
        arrow = "dd bs=3 count=1 of=/dev/null 2>&-; ",
    );
    let mut rules = asking();
    let asked = rules.rule[0].question.as_mut().unwrap();
    asked.option = Some(r"^[> ] \d\. (.*)".to_owned());
    asked.selected = Some("^>".to_owned());
    let spec = LaunchSpec { rules, ..bench.script(&script) };
    let (mut keeper, process, agent) = bench.run(&spec).await;
    shows(&mut keeper, "2. No").await;
    let question = keeper.status().await.unwrap().facts.question.unwrap();
    assert_eq!(question.selected, Some(0));
    let mut answer = async |keys: &[&str], selected| {
        let keys = keys.iter().map(|&key| key.to_owned()).collect();
        let condition = Some(Condition::IfQuestion(question.id.clone()));
        keeper.send(1, Input::Answer { keys, selected: Some(selected) }, condition).await
    };
    // Another option is selected than was meant.
    let refused = answer(&["Enter"], 1).await.unwrap_err();
    assert!(matches!(refused, ClientError::QuestionChanged { .. }), "{refused:?}");
    // The list goes round from its first option.
    let refused = answer(&["Up", "Enter"], 0).await.unwrap_err();
    assert!(matches!(refused, ClientError::QuestionChanged { .. }), "{refused:?}");
    answer(&["Up"], 1).await.unwrap();
    // The first arrow is not taken by the program.
    let refused = answer(&["Down", "Enter"], 0).await.unwrap_err();
    assert!(matches!(refused, ClientError::QuestionChanged { .. }), "{refused:?}");
    answer(&["Down", "Enter"], 0).await.unwrap();
    shows(&mut keeper, "taken").await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// K6: a question that its program draws again in two parts, as it does after each key on a machine that does other
/// things too, is the same one, and its answer is not refused.
#[tokio::test]
async fn a_question_that_is_half_drawn_is_the_same_one_k6() {
    let bench = Bench::new();
    let script = "stty raw -echo; printf 'Run it?\\r\\n> 1. Yes\\r\\n  2. Always\\r\\n  3. No\\r\\n'; \
        dd bs=3 count=1 of=/dev/null 2>&-; \
        printf '\\033[2J\\033[HRun it?\\r\\n  1. Yes\\r\\n> 2. Always\\r\\n'; sleep 0.2; printf '  3. No\\r\\n'; \
        dd bs=1 count=1 of=/dev/null 2>&-; printf '\\033[2J\\033[Htaken\\r\\n'; exec cat";
    let mut rules = asking();
    let asked = rules.rule[0].question.as_mut().unwrap();
    asked.option = Some(r"^[> ] \d\. (.*)".to_owned());
    asked.selected = Some("^>".to_owned());
    let spec = LaunchSpec { rules, ..bench.script(script) };
    let (mut keeper, process, agent) = bench.run(&spec).await;
    shows(&mut keeper, "3. No").await;
    let question = keeper.status().await.unwrap().facts.question.unwrap();
    let keys = ["Down", "Enter"].map(str::to_owned).into();
    let condition = Some(Condition::IfQuestion(question.id));
    keeper.send(1, Input::Answer { keys, selected: Some(0) }, condition).await.unwrap();
    shows(&mut keeper, "taken").await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// K6: where the operator moves the mark too, while the dialog is drawn again, the key that takes an option is
/// not pressed.
#[tokio::test]
async fn an_option_that_was_not_meant_is_not_taken_k6() {
    let bench = Bench::new();
    let script = "stty raw -echo; printf 'Run it?\\r\\n> 1. Yes\\r\\n  2. Always\\r\\n  3. No\\r\\n'; \
        dd bs=3 count=1 of=/dev/null 2>&-; \
        printf '\\033[2J\\033[HRun it?\\r\\n  1. Yes\\r\\n> 2. Always\\r\\n'; sleep 0.2; \
        printf '\\033[2J\\033[HRun it?\\r\\n  1. Yes\\r\\n  2. Always\\r\\n> 3. No\\r\\n'; \
        dd bs=1 count=1 of=/dev/null 2>&-; printf '\\033[2J\\033[Htaken\\r\\n'; exec cat";
    let mut rules = asking();
    let asked = rules.rule[0].question.as_mut().unwrap();
    asked.option = Some(r"^[> ] \d\. (.*)".to_owned());
    asked.selected = Some("^>".to_owned());
    let spec = LaunchSpec { rules, ..bench.script(script) };
    let (mut keeper, process, agent) = bench.run(&spec).await;
    shows(&mut keeper, "3. No").await;
    let question = keeper.status().await.unwrap().facts.question.unwrap();
    let keys = ["Down", "Enter"].map(str::to_owned).into();
    let condition = Some(Condition::IfQuestion(question.id));
    let refused = keeper.send(1, Input::Answer { keys, selected: Some(0) }, condition).await;
    assert!(matches!(refused, Err(ClientError::QuestionChanged { .. })), "{refused:?}");
    shows(&mut keeper, "> 3. No").await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

#[tokio::test]
async fn nothing_is_typed_into_a_question_that_was_not_meant() {
    let bench = Bench::new();
    let script = "stty -echo; echo ready; read a; printf 'Run it once?\\n1. Yes\\n2. No\\n'; read b; \
        printf '\\033[2J\\033[HRun it twice?\\n1. Yes\\n2. No\\n'; read c; printf '\\033[2J\\033[Hgot %s %s %s\\n' \"$a\" \"$b\" \"$c\"; exec cat";
    let spec = LaunchSpec { rules: asking(), ..bench.script(script) };
    let (mut keeper, process, agent) = bench.run(&spec).await;
    shows(&mut keeper, "ready").await;
    let unless = || Some(Condition::UnlessQuestion);
    let paste = |text: &str| Input::Paste { text: text.to_owned(), submit: true };
    assert_eq!(keeper.send(1, paste("one"), unless()).await.unwrap(), None);
    shows(&mut keeper, "once?").await;
    let refused = keeper.send(1, paste("two"), unless()).await.unwrap_err();
    assert!(
        matches!(refused, ClientError::Refused { reason: Reason::QuestionShown, .. }),
        "{refused:?}"
    );
    let question = keeper.status().await.unwrap().facts.question.unwrap();
    assert_eq!(
        (question.text.as_str(), &question.options[..]),
        ("Run it once?", &["Yes".to_owned(), "No".to_owned()][..])
    );
    let yes = || Input::Keys(vec!["1".to_owned(), "Enter".to_owned()]);
    let answer = Some(Condition::IfQuestion(question.id.clone()));
    keeper.send(1, yes(), answer.clone()).await.unwrap();
    shows(&mut keeper, "twice?").await;
    let changed = keeper.send(1, yes(), answer).await.unwrap_err();
    let ClientError::QuestionChanged { question: Some(now) } = changed else {
        panic!("{changed:?}")
    };
    assert_eq!(now.text, "Run it twice?");
    keeper
        .send(
            1,
            Input::Keys(vec!["2".to_owned(), "Enter".to_owned()]),
            Some(Condition::IfQuestion(now.id)),
        )
        .await
        .unwrap();
    shows(&mut keeper, "got one 1 2").await;
    // another launch's input never arrives
    let other = keeper.send(2, paste("late"), None).await.unwrap_err();
    assert!(matches!(other, ClientError::Refused { reason: Reason::OtherLaunch, .. }));
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

#[tokio::test]
async fn nothing_is_typed_after_the_agent_has_exited() {
    let bench = Bench::new();
    let (mut keeper, process, agent) = bench.run(&bench.script("exit 0")).await;
    until(async || keeper.status().await.unwrap().facts.exit.is_some()).await;
    let refused = keeper.send(1, Input::Text("rm -rf\r".to_owned()), None).await.unwrap_err();
    assert!(matches!(refused, ClientError::Refused { reason: Reason::Exited, .. }), "{refused:?}");
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

#[tokio::test]
async fn a_shell_is_active_while_a_command_runs() {
    let bench = Bench::new();
    let rules = Rules { shell: true, ..Rules::default() };
    let spec = LaunchSpec { rules, ..bench.spec(&["/bin/sh", "-i"]) };
    let (mut keeper, process, agent) = bench.run(&spec).await;
    let watcher = within(Keeper::connect(&bench.socket())).await.unwrap();
    let mut facts = watcher.subscribe_facts().await.unwrap();
    let mut seen = Vec::new();
    let mut next = async |wanted: Activity| {
        while seen.last() != Some(&wanted) {
            seen.push(within(facts.next()).await.unwrap().activity.value);
        }
    };
    next(Activity::Idle).await;
    keeper.send(1, Input::Text("cat\r".to_owned()), None).await.unwrap();
    next(Activity::Active).await;
    keeper.send(1, Input::Keys(vec!["C-c".to_owned()]), None).await.unwrap();
    next(Activity::Idle).await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

#[tokio::test]
async fn the_program_reports_its_own_state() {
    let bench = Bench::new();
    let script = "stty raw -echo; printf '\\033]7501;?\\007\\033[c'; dd bs=1 count=20 2>/dev/null | tr -d '\\033' ; \
        printf '\\033]7501;state=blocked:kind=permission:msg=YXBwcm92ZQ==\\007'; exec cat";
    let (mut keeper, process, agent) = bench.run(&bench.script(script)).await;
    until(async || keeper.status().await.unwrap().facts.activity.value == Activity::Blocked).await;
    let status = keeper.status().await.unwrap();
    assert_eq!(status.facts.activity.witness, "osc7501");
    assert_eq!(status.facts.question.unwrap().text, "approve");
    shows(&mut keeper, "]7501;?:states=idle").await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

#[tokio::test]
async fn a_submit_that_was_not_taken_is_pressed_again() {
    let bench = Bench::new();
    let rule = |id: &str, activity, pattern: &str| Rule {
        id: id.to_owned(),
        activity,
        region: Region::Bottom,
        lines: 3,
        priority: 0,
        all: vec![pattern.to_owned()],
        any: Vec::new(),
        not: Vec::new(),
        question: None,
    };
    let rules = Rules {
        rule: vec![
            rule("work", Activity::Active, "^working"),
            rule("rest", Activity::Idle, "^idle>"),
        ],
        ..Rules::default()
    };
    // the first Enter is swallowed
    let script = "stty raw -echo; printf 'idle> '; n=0; \
        while [ $n -lt 2 ]; do c=$(dd bs=1 count=1 2>/dev/null | od -An -c | tr -d ' \\n'); \
        case $c in '\\r') n=$((n+1));; *) printf %s \"$c\";; esac; done; \
        printf '\\r\\nworking'; exec cat";
    let submit = SubmitRule { pause_ms: 20, verify: true, ..SubmitRule::default() };
    let spec = LaunchSpec { rules, submit, ..bench.script(script) };
    let (mut keeper, process, agent) = bench.run(&spec).await;
    until(async || keeper.status().await.unwrap().facts.activity.value == Activity::Idle).await;
    let paste = Input::Paste { text: "go".to_owned(), submit: true };
    let taken = within(keeper.send(1, paste, Some(Condition::UnlessQuestion))).await.unwrap();
    assert_eq!(taken, Some(true));
    shows(&mut keeper, "idle> go").await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}
