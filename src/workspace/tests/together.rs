//! Moves beside other git commands in the same repository.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::trash::state;
use super::*;

/// Worktrees that go and come back together.
const BATCH: usize = 3;

/// D9, R1: whatever other git commands do meanwhile, each round trip keeps every byte, and the
/// repository stays sound. `CALLBOARD_TRASH_ROUNDS` sets how many rounds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bulk_round_trips_beside_other_git_commands_lose_nothing() {
    let rounds = std::env::var("CALLBOARD_TRASH_ROUNDS");
    let rounds: usize = rounds.ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let bench = Bench::new();
    let repository = bench.repository();
    let upstream = bench.folder.path().join("upstream.git");
    git(&repository, ["clone", "-q", "--bare", ".", &*upstream.to_string_lossy()]);
    git(&repository, ["remote", "add", "origin", &*upstream.to_string_lossy()]);
    git(&repository, ["config", "gc.auto", "20"]);
    git(&repository, ["config", "gc.autoDetach", "false"]);
    let mut worktrees = Vec::new();
    for number in 1..=BATCH {
        let made = bench.make(&format!("shop-{number}")).await;
        write(&made.path.join("a.txt"), &format!("commit of {number}\n"));
        commit(&made.path, "work");
        write(&made.path.join("a.txt"), &format!("staged by {number}\n"));
        git(&made.path, ["add", "a.txt"]);
        write(&made.path.join("untracked"), "untracked\n");
        write(&made.path.join("target/out"), "ignored\n");
        let before = state(&made.path);
        worktrees.push((format!("shop-{number}"), made, before));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let commands: [&[&str]; 5] = [
        &["commit", "-q", "--allow-empty", "-m", "beside"],
        &["fetch", "-q", "origin"],
        &["gc", "-q", "--auto"],
        &["worktree", "prune", "--expire=now"],
        &["status", "--porcelain"],
    ];
    let others: Vec<_> = commands
        .into_iter()
        .map(|command| {
            let (stop, repository) = (Arc::clone(&stop), repository.clone());
            thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    // One may find a lock of another; what matters is what is left at the end.
                    try_git(&repository, command);
                }
            })
        })
        .collect();
    for round in 0..rounds {
        let trash = |session: &str| {
            let batch = BatchId::new(format!("round-{round}")).unwrap();
            bench.workspace.trash_path(&batch, &SessionId::new(session).unwrap())
        };
        for (session, made, _) in &worktrees {
            let to = trash(session);
            bench.workspace.move_to_trash(&repository, &made.path, &to).await.unwrap();
        }
        for (session, made, _) in &worktrees {
            let (from, branch) = (trash(session), Some(made.branch.as_str()));
            let moved =
                bench.workspace.move_back(&way(&repository, &from, &made.path, branch)).await;
            assert_eq!(moved.unwrap().note, None, "round {round}");
        }
    }
    stop.store(true, Ordering::Relaxed);
    for other in others {
        other.join().unwrap();
    }
    for (session, made, before) in &worktrees {
        assert_eq!(&state(&made.path), before, "{session}");
    }
    assert_eq!(git(&repository, ["fsck", "--full", "--strict", "--no-dangling"]), "");
    assert_eq!(git(&repository, ["worktree", "list"]).lines().count(), BATCH + 1);
}
