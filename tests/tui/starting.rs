//! New sessions: the form, its choices, and what it asks for.

use callboard::domain::status::Status;
use callboard::host::report::{CreateOutcome, Place};
use callboard::tui::app::form::{Target, Targets};
use callboard::tui::app::overlay::Overlay;
use callboard::tui::event::{Effect, Event, Outcome};

use crate::fixture::{Bench, page, selected, session, shop};

#[test]
fn a_new_session_is_started_and_selected() {
    let mut bench = Bench::new(120, 40);
    bench.keys("n");
    bench.text("Round VAT");
    bench.keys("S-Tab Right C-s");
    let request = bench.take().into_iter().find_map(|effect| match effect {
        Effect::Create(request) => Some(request),
        _ => None,
    });
    let request = request.unwrap();
    assert_eq!(request.place, Place::Project("shop".parse().unwrap()));
    assert_eq!(request.launch.agent, "codex");
    assert_eq!(request.prompt.as_deref(), Some("Round VAT"));
    assert_eq!(request.size, (82, 34));
    let created = session("shop-18", "Round VAT", "codex", Status::Spawning, 0);
    let outcome = CreateOutcome::Created(Box::new(created.clone()));
    bench.send(Event::Ended(Outcome::Created(outcome)));
    bench.answer_page(page(shop().into_iter().chain([created]).collect()));
    assert_eq!(selected(&bench), "shop-18");
    bench.keys("n");
    assert!(!bench.screen().contains("▐ Round VAT"), "the form is empty again");
    bench.text("Broken");
    bench.keys("C-s");
    let failure =
        callboard::tui::event::Failure { message: "the branch is taken".to_owned(), hint: None };
    bench.send(Event::Ended(Outcome::NotCreated(failure)));
    bench.keys("n");
    assert!(bench.screen().contains("▐ Broken"), "{}", bench.screen());
}

/// `spec/agents.md` U1: a target is chosen as an agent is, in form and details it is seen where it runs and
/// what is missing there; one that cannot be started is not offered.
#[test]
fn a_target_is_chosen_and_says_where_it_runs_u1() {
    let mut bench = Bench::new(120, 40);
    let runs = "ssh box, without hooks and process facts";
    let target = |name: &str, found| Target {
        name: name.to_owned(),
        agent: "claude".to_owned(),
        found,
        runs: Some(runs.to_owned()),
    };
    bench.send(Event::Targets(Targets {
        agents: vec![("shell".to_owned(), true)],
        targets: vec![target("away", false), target("far", true)],
    }));
    bench.keys("n");
    assert!(!bench.screen().contains(runs), "{}", bench.screen());
    bench.text("Round VAT");
    bench.keys("S-Tab Right");
    assert!(bench.screen().contains(runs), "{}", bench.screen());
    bench.keys("C-s");
    let request = bench.take().into_iter().find_map(|effect| match effect {
        Effect::Create(request) => Some(request),
        _ => None,
    });
    let launch = request.unwrap().launch;
    assert_eq!((launch.agent.as_str(), launch.target.as_str()), ("claude", "far"));

    let mut far = session("shop-18", "Round VAT", "claude", Status::Working, 0);
    far.launch.target = "far".to_owned();
    let outcome = CreateOutcome::Created(Box::new(far.clone()));
    bench.send(Event::Ended(Outcome::Created(outcome)));
    bench.answer_page(page(vec![far]));
    bench.keys("i");
    assert!(bench.screen().contains("ssh box, without hooks"), "{}", bench.screen());
}

/// The form remembers: what was launched last in the project of the section, else what was launched last,
/// else what the configuration names.
#[test]
fn the_form_suggests_what_the_project_was_launched_by_last() {
    let mut bench = Bench::new(120, 40);
    let agent = |bench: &Bench| match bench.app.overlays.last() {
        Some(Overlay::NewSession(form)) => form.agent.clone(),
        other => panic!("{other:?}"),
    };
    bench.keys("3");
    bench.answer_page(page(vec![
        session("api-1", "Health endpoint", "codex", Status::Idle, 5),
        session("api-2", "Of a program that is gone", "aider", Status::Idle, 5),
    ]));
    let now = bench.now;
    bench.app.list.change(|rows| rows[0].created_at = now);
    bench.keys("n");
    assert_eq!(agent(&bench), "codex");
    bench.keys("Esc 4");
    bench.answer_page(page(vec![]));
    bench.keys("n");
    assert_eq!(agent(&bench), "claude", "the configuration's");
    bench.text("Say hello");
    bench.keys("S-Tab Right Right C-s Esc");
    bench.keys("2");
    bench.answer_page(page(shop()));
    bench.keys("n");
    assert_eq!(agent(&bench), "claude", "that of the newest session in the section");
    bench.keys("Esc 5");
    bench.answer_page(page(vec![]));
    bench.keys("n");
    assert_eq!(agent(&bench), "shell", "the last one");
}

#[test]
fn a_form_that_is_closed_keeps_what_was_typed() {
    let mut bench = Bench::new(120, 40);
    bench.keys("n");
    bench.text("Half a tho");
    bench.keys("Esc n");
    bench.text("ught");
    assert!(bench.screen().contains("Half a thought"), "{}", bench.screen());
}

#[test]
fn quick_new_asks_for_the_prompt_alone() {
    let mut bench = Bench::new(120, 40);
    bench.keys("N");
    bench.text("Fix it");
    bench.keys("Enter");
    let created = bench.take().into_iter().any(|effect| match effect {
        Effect::Create(request) => request.prompt.as_deref() == Some("Fix it"),
        _ => false,
    });
    assert!(created);
}

#[test]
fn a_folder_is_typed_as_in_a_shell() {
    for (typed, path) in [
        ("~/src/other", "/home/me/src/other"),
        ("~", "/home/me"),
        ("other", "/home/me/src/other"),
        ("/srv/x", "/srv/x"),
        ("~x", "/home/me/src/~x"),
    ] {
        let mut bench = Bench::new(80, 24);
        bench.keys("A");
        bench.text(typed);
        bench.keys("Enter");
        assert!(bench.take().contains(&Effect::AddProject(path.into())), "{typed}");
    }
}
