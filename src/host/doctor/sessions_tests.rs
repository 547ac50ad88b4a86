//! What needs rows, on the recording fake.

use std::path::PathBuf;

use crate::domain::ids::SessionId;
use crate::domain::operation::Verb;
use crate::host::context::Context;
use crate::host::ports::doctor::RemainsPort;
use crate::host::ports::{PortResult, RuntimePort, StorePort};
use crate::host::tests::{Recorder, host, id, ids, running};

impl RemainsPort for Recorder {
    async fn keepers_listed(&self) -> Vec<SessionId> {
        RuntimePort::keepers(self).await.unwrap_or_default()
    }
    async fn strays(&self) -> PortResult<Vec<u32>> {
        Ok(self.read(|model| model.strays.clone()))
    }
    async fn in_trash(&self) -> PortResult<Vec<(SessionId, PathBuf)>> {
        Ok([("a", "/trash/b/a"), ("gone", "/trash/b/gone")]
            .map(|(name, path)| (id(name), path.into()))
            .to_vec())
    }
}

/// V4, R6: keepers and processes without a session, and folders in the trash without a row, are told;
/// nothing is ended or removed, also where it is asked to mend.
#[tokio::test]
async fn what_belongs_to_no_session_is_told_and_left_alone() {
    let (host, recorder) = host(vec![running("a", None)]);
    recorder.change(|model| {
        model.keepers.extend([id("a"), id("b")]);
        model.strays = vec![5];
    });
    for repair in [false, true] {
        let checks = host.examine(&Context::new(), repair).await;
        let bad: Vec<(&str, &str)> = checks
            .iter()
            .filter(|check| !check.ok)
            .map(|check| (check.name.as_str(), check.detail.as_str()))
            .collect();
        assert_eq!(
            bad,
            [
                ("orphans: trash", "1: /trash/b/gone"),
                ("orphans: keepers", "1: b"),
                ("orphans: processes", "1: 5")
            ]
        );
    }
    assert_eq!(recorder.read(|model| (model.keepers.len(), model.strays.len())), (2, 1));
}

/// V2: an operation that was cut short is told, and finished where that is asked for.
#[tokio::test]
async fn an_operation_that_was_cut_short_is_told_and_finished() {
    let (host, recorder) = host(vec![running("a", None)]);
    let operation = host.operation(Verb::Stop, ids(&["a"]));
    host.ports().begin(&operation).await.unwrap();
    recorder.forget();
    let told = |checks: Vec<crate::domain::check::Check>| {
        checks.into_iter().find(|check| check.name == "operations").unwrap()
    };
    let check = told(host.examine(&Context::new(), false).await);
    assert!(!check.ok && check.detail.contains(operation.id.as_str()), "{check:?}");
    let check = told(host.examine(&Context::new(), true).await);
    assert!(check.ok && check.detail.starts_with("finished or undid 1 operation"), "{check:?}");
}
