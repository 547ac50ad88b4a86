use std::time::Duration;

use crate::domain::error::ErrorKind;
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::operation::{Operation, Verb};
use crate::host::context::Context;
use crate::host::locks::{BATCH, FileLocks};
use crate::os::clock::Clock;
use crate::os::paths::Home;

use super::{NOW, host, id, ids};

struct Two {
    root: tempfile::TempDir,
    /// As two processes would have them: the same files, lanes of their own.
    one: FileLocks,
    other: FileLocks,
    operation: Operation,
}

fn two() -> Two {
    let root = tempfile::tempdir().unwrap();
    let home = Home::at(root.path()).unwrap();
    let locks = || {
        let clock = Clock::fixed(NOW);
        FileLocks::new(&home, &WorkspaceName::default(), 2, clock).unwrap()
    };
    let (one, other) = (locks(), locks());
    let operation = host(vec![]).0.operation(Verb::Delete, vec![]);
    Two { root, one, other, operation }
}

fn many() -> Vec<SessionId> {
    (0..=BATCH).map(|n| id(&format!("s{n}"))).collect()
}

#[tokio::test]
async fn two_processes_exclude_each_other_by_session_l1() {
    let Two { root: _root, one, other, operation } = two();
    let held = one.acquire(&Context::new(), &ids(&["a", "b"]), &operation).await.unwrap();
    let beside = other.acquire(&Context::new(), &ids(&["c"]), &operation).await.unwrap();
    let short = Context::new().within(Duration::from_millis(30));
    let error = other.acquire(&short, &ids(&["b"]), &operation).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::TimedOut);
    assert_eq!(error.message, "waiting for delete of b, 0 s: timed out");
    assert_eq!(other.holder(&id("b")).unwrap().pid, std::process::id());
    drop(held);
    assert!(other.holder(&id("b")).is_none());
    drop(other.acquire(&Context::new(), &ids(&["b"]), &operation).await.unwrap());
    drop(beside);
    assert!(one.lanes().is_empty() && other.lanes().is_empty());
}

#[tokio::test]
async fn a_large_batch_holds_the_workspace_alone_l4() {
    let Two { root: _root, one, other, operation } = two();
    let single = one.acquire(&Context::new(), &ids(&["x"]), &operation).await.unwrap();
    let short = || Context::new().within(Duration::from_millis(30));
    other.acquire(&short(), &many(), &operation).await.unwrap_err();
    drop(single);
    let batch = other.acquire(&Context::new(), &many(), &operation).await.unwrap();
    one.acquire(&short(), &ids(&["x"]), &operation).await.unwrap_err();
    drop(batch);
    let first = one.acquire(&Context::new(), &ids(&["x"]), &operation).await.unwrap();
    let second = other.acquire(&Context::new(), &ids(&["y"]), &operation).await.unwrap();
    drop((first, second));
}

/// D15, L4: ten thousand sessions need two descriptors.
#[tokio::test]
async fn ten_thousand_sessions_need_two_descriptors_d15() {
    let Two { root, one, other: _, operation } = two();
    let ids: Vec<SessionId> = (0..10_000).map(|n| id(&format!("s{n}"))).collect();
    let held = one.acquire(&Context::new(), &ids, &operation).await.unwrap();
    let folder = root.path().canonicalize().unwrap();
    let open = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let open = open
        .filter_map(|entry| std::fs::read_link(entry.path()).ok())
        .filter(|path| path.starts_with(&folder));
    assert!(open.count() <= 2);
    drop(held);
    assert!(one.lanes().is_empty());
}

#[tokio::test]
async fn who_waits_for_the_workspace_goes_before_those_who_come_later_l4() {
    let Two { root: _root, one, other, operation } = two();
    let single = one.acquire(&Context::new(), &ids(&["x"]), &operation).await.unwrap();
    let batch = {
        let operation = operation.clone();
        tokio::spawn(async move { other.acquire(&Context::new(), &many(), &operation).await })
    };
    // Once the batch waits it holds the gate, and a later one cannot share the workspace before it.
    let short = || Context::new().within(Duration::from_millis(20));
    while let Ok(passed) = one.acquire(&short(), &ids(&["y"]), &operation).await {
        drop(passed);
        tokio::task::yield_now().await;
    }
    drop(single);
    drop(batch.await.unwrap().unwrap());
}

#[tokio::test]
async fn waiting_can_be_cancelled_l2() {
    let Two { root: _root, one, other, operation } = two();
    let held = one.acquire(&Context::new(), &ids(&["a"]), &operation).await.unwrap();
    let caller = Context::new();
    let waiting = {
        let (caller, other, operation) = (caller.clone(), other.clone(), operation.clone());
        tokio::spawn(async move { other.acquire(&caller, &ids(&["a"]), &operation).await })
    };
    while other.lanes().is_empty() {
        tokio::task::yield_now().await;
    }
    caller.cancel.cancel();
    assert_eq!(waiting.await.unwrap().unwrap_err().kind, ErrorKind::Interrupted);
    assert!(other.lanes().is_empty());
    drop(held);
    // Free, but cancelled already: no work starts.
    let error = one.acquire(&caller, &ids(&["a"]), &operation).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Interrupted);
}

#[tokio::test]
async fn an_operation_is_held_once_and_leaves_no_file_v3() {
    let Two { root, one, other, operation } = two();
    let held = one.acquire_operation(&operation.id).await.unwrap();
    assert!(held.is_some());
    assert!(other.acquire_operation(&operation.id).await.unwrap().is_none());
    drop(held);
    let held = other.acquire_operation(&operation.id).await.unwrap();
    assert!(held.is_some());
    drop(held);
    let left = std::fs::read_dir(root.path().join("state/locks")).unwrap().count();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn starts_are_bounded_over_processes_c10() {
    let Two { root: _root, one, other, operation: _ } = two();
    let first = one.acquire_start(&Context::new()).await.unwrap();
    let second = other.acquire_start(&Context::new()).await.unwrap();
    let short = Context::new().within(Duration::from_millis(30));
    other.acquire_start(&short).await.unwrap_err();
    drop(first);
    let third = other.acquire_start(&Context::new()).await.unwrap();
    drop((second, third));
}

/// L1: a panic and a cancellation free lanes and files as an error does.
#[tokio::test]
async fn locks_go_with_a_panic_and_with_a_cancellation_l1() {
    let Two { root: _root, one, other, operation } = two();
    let panicking = {
        let (one, operation) = (one.clone(), operation.clone());
        tokio::spawn(async move {
            let _held = one.acquire(&Context::new(), &ids(&["a", "b"]), &operation).await.unwrap();
            panic!("a coordinator has a bug");
        })
    };
    assert!(panicking.await.unwrap_err().is_panic());
    assert!(one.lanes().is_empty() && other.holder(&id("a")).is_none());
    let hanging = {
        let (one, operation) = (one.clone(), operation.clone());
        tokio::spawn(async move {
            let _held = one.acquire(&Context::new(), &ids(&["a", "b"]), &operation).await.unwrap();
            std::future::pending::<()>().await;
        })
    };
    while other.holder(&id("b")).is_none() {
        tokio::task::yield_now().await;
    }
    hanging.abort();
    hanging.await.unwrap_err();
    assert!(one.lanes().is_empty());
    drop(other.acquire(&Context::new(), &ids(&["a", "b"]), &operation).await.unwrap());
}

/// L1: lanes are taken in ascending order, whatever order was asked for, so that two never wait for
/// each other; clones share them.
#[tokio::test]
async fn crossing_requests_never_wait_for_each_other_l1() {
    let Two { root: _root, one, other, operation } = two();
    let mut tasks = Vec::new();
    for n in 0..40 {
        let locks = if n % 4 < 2 { one.clone() } else { other.clone() };
        let wanted = if n % 2 == 0 { ids(&["a", "b", "c"]) } else { ids(&["c", "a"]) };
        let operation = operation.clone();
        tasks.push(tokio::spawn(async move {
            let held = locks.acquire(&Context::new(), &wanted, &operation).await.unwrap();
            tokio::task::yield_now().await;
            drop(held);
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert!(one.lanes().is_empty() && other.lanes().is_empty());
}

/// L2: who waits for a file keeps no thread: on a single one, everything else goes on.
#[tokio::test(flavor = "current_thread")]
async fn waiting_sticks_no_thread_and_has_a_deadline_l2() {
    let Two { root: _root, one, other, operation } = two();
    let held = one.acquire(&Context::new(), &ids(&["a"]), &operation).await.unwrap();
    let waiting = {
        let (other, operation) = (other.clone(), operation.clone());
        let short = Context::new().within(Duration::from_millis(60));
        tokio::spawn(async move { other.acquire(&short, &ids(&["a"]), &operation).await })
    };
    let mut turns = 0;
    while !waiting.is_finished() {
        turns += 1;
        tokio::task::yield_now().await;
    }
    assert!(turns > 10, "{turns}");
    assert_eq!(waiting.await.unwrap().unwrap_err().kind, ErrorKind::TimedOut);
    assert!(other.lanes().is_empty());
    drop(held);
}

/// L4: a batch never upgrades a shared lock: it waits until that is let go, and takes it from nobody.
#[tokio::test]
async fn a_shared_workspace_lock_is_never_upgraded_l4() {
    let Two { root: _root, one, other, operation } = two();
    let single = one.acquire(&Context::new(), &ids(&["x"]), &operation).await.unwrap();
    let short = || Context::new().within(Duration::from_millis(30));
    // By the same process: its own shared lock keeps it out, and stays.
    one.acquire(&short(), &many(), &operation).await.unwrap_err();
    other.acquire(&short(), &many(), &operation).await.unwrap_err();
    other.acquire(&short(), &ids(&["x"]), &operation).await.unwrap_err();
    drop(single);
    drop(one.acquire(&Context::new(), &many(), &operation).await.unwrap());
}
