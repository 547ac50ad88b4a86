//! A create that is asked for again, or for an id that is taken.

use crate::domain::error::ErrorKind;
use crate::domain::rail::Placement;
use crate::domain::session::{LaunchFacts, Session};
use crate::host::context::Context;
use crate::host::error::HostError;
use crate::host::report::CreateRequest;

use super::create::{acts, created, request};
use super::{host, id, launch_facts, running, seeded};

/// C1: an existing session with another placement is left alone.
#[tokio::test]
async fn another_placement_is_a_conflict_and_touches_nothing_c1() {
    let elsewhere = Placement::in_project("/src/api".into());
    let (host, recorder) = host(vec![Session { placement: elsewhere, ..running("mine", None) }]);
    let mine = CreateRequest { id: Some(id("mine")), ..request() };
    let error = host.create(&Context::new(), mine).await.unwrap_err();
    assert!(matches!(error, HostError::RailPlacementConflict(_)), "{error}");
    assert_eq!(recorder.acts(), ["check_agent"]);
    assert!(recorder.read(|m| m.operations.is_empty() && m.keepers.contains("mine")));
    assert!(recorder.session_now("mine").unwrap().is_live());
}

/// C1: a session that got there first, with another placement, is met under the locks.
#[tokio::test]
async fn a_conflict_that_is_met_under_the_locks_touches_nothing_c1() {
    let (host, recorder) = host(vec![]);
    let elsewhere = Placement::in_project("/src/api".into());
    recorder.at("acquire_start", move |m| {
        let mine = Session { placement: elsewhere, ..running("mine", None) };
        m.keepers.insert(mine.id.clone());
        m.sessions.insert(mine.id.clone(), mine);
    });
    let mine = CreateRequest { id: Some(id("mine")), ..request() };
    let error = host.create(&Context::new(), mine).await.unwrap_err();
    assert!(matches!(error, HostError::RailPlacementConflict(_)), "{error}");
    assert_eq!(acts(&recorder), [""; 0]);
    assert!(recorder.session_now("mine").unwrap().is_live());
}

/// C2: a retry prepares nothing, finds the runtime, and sends no delivered prompt again.
#[tokio::test]
async fn a_retry_reuses_the_runtime_and_sends_nothing_twice_c2() {
    let (host, recorder) = host(vec![]);
    let mine = CreateRequest { id: Some(id("mine")), ..request() };
    created(host.create(&Context::new(), mine.clone()).await.unwrap());
    recorder.forget();
    let again = created(host.create(&Context::new(), mine).await.unwrap());
    assert_eq!(again.id, id("mine"));
    assert_eq!(acts(&recorder), ["start mine", "publish_runtime mine", "publish mine"]);
    assert_eq!(recorder.read(|m| m.messages.len()), 1);
}

/// S3: the id of a tombstone, and that of a session that ended, with what to do
#[tokio::test]
async fn an_id_that_is_taken_says_by_what() {
    let deletion = crate::domain::session::Deletion {
        at: super::NOW,
        batch: "batch".parse().unwrap(),
        was_live: false,
        trash_path: None,
    };
    let buried = Session { deletion: Some(deletion), ..seeded("buried", None) };
    let mut ended = running("ended", None);
    ended.condition = ended.condition.done(&[], super::NOW);
    let (host, recorder) = host(vec![buried, ended]);
    for (name, hint) in [("buried", "restore buried"), ("ended", "restore ended")] {
        let wanted = CreateRequest { id: Some(id(name)), ..request() };
        let error = host.create(&Context::new(), wanted).await.unwrap_err();
        match error {
            HostError::IdInTrash(_) => assert_eq!(name, "buried"),
            HostError::IdInUse(_) => assert_eq!(name, "ended"),
            ref other => panic!("{other}"),
        }
        assert!(error.hint().unwrap().contains(hint), "{error:?}");
    }
    assert_eq!(acts(&recorder), [""; 0]);
}

/// C2: whatever fails in a retry, nothing is closed and nothing rolled back that it did not make.
#[tokio::test]
async fn a_retry_that_fails_closes_nothing_and_rolls_back_nothing_c2() {
    for failing in ["start", "publish_runtime", "publish"] {
        let (host, recorder) = host(vec![]);
        let mine = CreateRequest { id: Some(id("mine")), ..request() };
        created(host.create(&Context::new(), mine.clone()).await.unwrap());
        recorder.forget();
        recorder.fail(failing);
        let error = host.create(&Context::new(), mine).await.unwrap_err();
        assert_eq!(error.to_string(), format!("{failing} mine fails"));
        assert_eq!(acts(&recorder).last().unwrap(), &format!("{failing} mine"));
        assert!(recorder.session_now("mine").unwrap().is_live(), "{failing}");
        assert!(recorder.read(|m| m.keepers.contains("mine")), "{failing}");
        assert_eq!(recorder.calls().last().unwrap(), "finish failed");
    }
}

/// C2: a prompt whose delivery failed is given by the retry, in a session that stays.
#[tokio::test]
async fn a_retry_sends_what_was_not_delivered_c2() {
    let (host, recorder) = host(vec![]);
    let mine = CreateRequest { id: Some(id("mine")), ..request() };
    recorder.fail("type Round VAT per line. into");
    host.create(&Context::new(), mine.clone()).await.unwrap();
    recorder.forget();
    recorder.heal("type Round VAT per line. into");
    created(host.create(&Context::new(), mine).await.unwrap());
    assert_eq!(acts(&recorder)[3..], ["type Round VAT per line. into mine", "prompted mine"]);
}

/// C2: another agent, target, prompt or other arguments are another session: the id is in use.
#[tokio::test]
async fn what_is_no_retry_is_refused_c2() {
    let (host, recorder) = host(vec![]);
    let launch = LaunchFacts { args: vec!["make".into(), "all".into()], ..launch_facts() };
    let mine = CreateRequest { id: Some(id("mine")), launch: launch.clone(), ..request() };
    created(host.create(&Context::new(), mine.clone()).await.unwrap());
    let others = [
        CreateRequest { prompt: None, ..mine.clone() },
        CreateRequest { prompt: Some("Other.".into()), ..mine.clone() },
        CreateRequest {
            launch: LaunchFacts { agent: "codex".into(), ..launch.clone() },
            ..mine.clone()
        },
        CreateRequest {
            launch: LaunchFacts { target: "fast".into(), ..launch.clone() },
            ..mine.clone()
        },
        CreateRequest {
            launch: LaunchFacts { args: vec!["make".into()], ..launch },
            ..mine.clone()
        },
    ];
    for other in others {
        recorder.forget();
        let error = host.create(&Context::new(), other).await.unwrap_err();
        assert!(matches!(error, HostError::IdInUse(_)), "{error}");
        assert_eq!(recorder.acts(), ["check_agent"]);
    }
    created(host.create(&Context::new(), mine).await.unwrap());
}

/// C2: a retry starts no second runtime in the place of a lost one: that is a restore.
#[tokio::test]
async fn a_retry_of_a_session_that_lost_its_runtime_is_refused_c2() {
    let (host, recorder) = host(vec![]);
    let mine = CreateRequest { id: Some(id("mine")), ..request() };
    created(host.create(&Context::new(), mine.clone()).await.unwrap());
    recorder.change(|m| m.keepers.clear());
    recorder.forget();
    let error = host.create(&Context::new(), mine.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
    assert_eq!(acts(&recorder), [""; 0]);
    // Lost after the look at it: what the start made is closed, the row is left alone.
    recorder.change(|m| m.keepers.insert(id("mine")));
    recorder.at("start", |m| m.keepers.clear());
    recorder.forget();
    host.create(&Context::new(), mine).await.unwrap_err();
    assert_eq!(acts(&recorder), ["start mine", "close mine"]);
    assert!(recorder.session_now("mine").is_some());
}
