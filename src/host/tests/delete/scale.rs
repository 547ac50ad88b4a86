//! Ten thousand sessions at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::host::report::Progress;

use super::super::{OPERATOR, host, running};
use super::delete;

/// D12, D15: ten thousand running sessions are closed and deleted in one batch, by one transaction; there is
/// never a task of its own for a session, and never more than sixteen closes at work.
#[tokio::test]
async fn ten_thousand_sessions_go_in_one_batch_d15() {
    let names: Vec<String> = (0..10_000).map(|n| format!("s{n:05}")).collect();
    let (host, recorder) = host(names.iter().map(|name| running(name, None)).collect());
    let most = Arc::new(AtomicUsize::new(0));
    let metrics = tokio::runtime::Handle::current().metrics();
    for name in &names {
        let (most, metrics) = (Arc::clone(&most), metrics.clone());
        recorder.at(&format!("close {name}"), move |_| {
            most.fetch_max(metrics.num_alive_tasks(), Ordering::Relaxed);
        });
    }
    let all = host.clear_request(OPERATOR).await.unwrap();
    let mut progress = host.subscribe();
    let (report, admitted) = delete(&host, all).await;
    let report = report.unwrap();
    assert_eq!(report.removed_session_ids.len(), 10_000);
    assert_eq!(report.runtime_closed_ids.len(), 10_000);
    assert_eq!(admitted.len(), 1);
    let acts = recorder.acts();
    assert_eq!(acts.iter().filter(|call| *call == "tombstone").count(), 1);
    assert!(acts[..10_000].is_sorted(), "closed in ascending order");
    assert_eq!(most.load(Ordering::Relaxed), 0, "no task was started");
    assert!(recorder.read(|m| m.most_closing) <= 16);
    assert!(recorder.lanes().is_empty());
    // Who listens too slowly misses reports, and holds up nobody.
    let mut heard = 0;
    loop {
        match progress.try_recv() {
            Ok(Progress::Ended { .. }) => break,
            Err(tokio::sync::broadcast::error::TryRecvError::Empty) => panic!("no end was told"),
            _ => heard += 1,
        }
    }
    assert!(heard < 10_000, "{heard}");
}
