//! Who recovers what a crash left, and who does not (`spec/lifecycle.md` V3).

use callboard::adapters;
use callboard::config::Config;
use callboard::domain::ids::{OperationId, SessionId, WorkspaceName};
use callboard::domain::operation::{Operation, OperationState, Verb};
use callboard::host::ports::StorePort as _;
use callboard::os::paths::Home;

use crate::support::TestHome;

/// A stop of `id` that was cut short right after its intent was written.
fn leave_behind(home: &TestHome, id: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let files = Home::at(home.path()).unwrap();
        let host =
            adapters::open(&files, &Config::default(), WorkspaceName::default()).await.unwrap();
        let operation = Operation {
            id: OperationId::new("00000000000000000000000000000001").unwrap(),
            kind: Verb::Stop,
            state: OperationState::Running,
            step: None,
            started_at: host.ports().now(),
            ended_at: None,
            session_ids: vec![SessionId::new(id).unwrap()],
            results: Vec::new(),
            error: None,
            asked: None,
        };
        host.ports().begin(&operation).await.unwrap();
    });
}

fn is_open(home: &TestHome) -> bool {
    let operations = home.run(["ops", "--json"]).ok().json();
    operations["operations"].as_array().unwrap().iter().any(|one| one["ended_at"].is_null())
}

/// V3: list, show, screen and what else only reads recover nothing, nor do keepers; a changing verb
/// recovers first.
#[test]
fn reading_recovers_nothing_and_a_changing_verb_does_v3() {
    let home = TestHome::new();
    let id = home.scripted("print up;wait");
    home.wait_screen(&id, "up");
    leave_behind(&home, &id);
    let reads: [&[&str]; 7] = [
        &["list"],
        &["sections"],
        &["show", &id],
        &["screen", &id],
        &["messages", &id],
        &["events", &id],
        &["ops"],
    ];
    for args in reads {
        home.run(args.iter().copied()).ok();
        assert!(is_open(&home), "{args:?} recovered");
    }
    assert_eq!(home.show(&id)["alive"], true);
    let other = home.scripted("wait");
    assert!(!is_open(&home));
    assert_eq!(home.show(&id)["status"], "killed", "the stop was carried out");
    assert_eq!(home.show(&other)["alive"], true);
    home.finish();
}
