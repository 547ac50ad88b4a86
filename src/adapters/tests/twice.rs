//! Every act and its undo, done twice: the second time changes nothing (`spec/lifecycle.md` V1).

use regex::Regex;

use crate::adapters::Real;
use crate::domain::ids::{BatchId, ProjectName};
use crate::domain::lifecycle::TerminationReason;
use crate::domain::plan::Conditions;
use crate::domain::rail::Placement;
use crate::domain::rail::ProjectSetup;
use crate::domain::session::{FolderKind, Kind, Session};
use crate::domain::worktree::WayBack;
use crate::host::context::Context;
use crate::host::ports::{
    Initialised, PurgePort as _, RuntimePort as _, Seed, StorePort as _, TombstoneRow, Tombstoned,
    Untombstone, WorkspacePort as _, WorktreeRequest,
};

use super::bench::{Bench, Files, Puppets, files, id, ids, request};

/// Rows, what git says, and every file of worktrees and trash. Only times may
/// differ.
async fn state(bench: &Bench, ports: &Real<Puppets>) -> (Vec<String>, String, Files) {
    let mut all = ports.all_ids().await.unwrap();
    all.extend(ports.tombstones().await.unwrap().into_iter().map(|row| row.id));
    let times = Regex::new(r"Timestamp\(\d+\)").unwrap();
    let without = |row: &Session| times.replace_all(&format!("{row:?}"), "").into_owned();
    let rows = ports.sessions(&all).await.unwrap().iter().map(without).collect();
    let git = bench.git(&["worktree", "list", "--porcelain"])
        + &bench.git(&["branch", "--format=%(refname) %(objectname)"]);
    let mut found = files(&bench.home().data.join("worktrees"));
    found.extend(files(&bench.home().data.join("trash")));
    (rows, git, found)
}

/// Does an act, notes how things are, does it again, and compares.
macro_rules! twice {
    ($bench:expr, $ports:expr, $act:expr) => {{
        let first = $act.await.unwrap();
        let before = state($bench, $ports).await;
        let _second = $act.await.unwrap();
        assert_eq!(state($bench, $ports).await, before, "{}", stringify!($act));
        first
    }};
}

/// V1: apply and undo are idempotent.
#[tokio::test]
async fn every_act_and_its_undo_change_nothing_the_second_time_v1() {
    let bench = Bench::new().await;
    let host = bench.host().await;
    let (b, ports, ctx) = (&bench, host.ports(), &Context::new());
    let (a, repository) = (&id("a"), bench.repository());
    let repository = repository.as_path();
    let setup = ProjectSetup { copy: vec![".env".into()], ..ProjectSetup::default() };
    let wanted = WorktreeRequest {
        session: a.clone(),
        project: ProjectName::new("shop").unwrap(),
        repository: repository.to_owned(),
        branch: None,
        free_branch: None,
        base: None,
    };
    let seed = Seed {
        id: a.clone(),
        kind: Kind::Worker,
        parent: None,
        launch: request("a", None).launch,
        title: "a".into(),
        prompt: None,
        placement: Placement::in_project(repository.to_owned()),
        folder_kind: FolderKind::Worktree,
        folder: std::path::PathBuf::new(),
        pinned: false,
    };
    // A create and its undo. Row and worktree are never made twice: what was begun is undone.
    ports.insert_seed(&seed).await.unwrap();
    let made = ports.create_worktree(ctx, &wanted).await.unwrap();
    let path = made.path.as_path();
    twice!(b, ports, ports.set_worktree(a, &made));
    twice!(b, ports, ports.prepare(ctx, repository, path, &setup));
    twice!(b, ports, ports.unprepare(ctx, repository, path, &setup));
    twice!(b, ports, ports.give_back(ctx, repository, &made));
    twice!(b, ports, ports.clear_worktree(a));
    twice!(b, ports, ports.rollback_seed(a));
    assert!(state(b, ports).await.0.is_empty());

    ports.insert_seed(&seed).await.unwrap();
    let made = ports.create_worktree(ctx, &wanted).await.unwrap();
    ports.set_worktree(a, &made).await.unwrap();
    twice!(b, ports, ports.park(a, "it did not start"));
    let started = Initialised {
        generation: 1,
        keeper_pid: 7,
        pid: 8,
        started_at: ports.now(),
        token_hash: "hash".into(),
        agent_session_id: None,
    };
    twice!(b, ports, ports.initialise(a, &started));
    twice!(b, ports, ports.publish_runtime(ctx, a, 1));
    twice!(b, ports, ports.publish(a, 1));
    twice!(b, ports, ports.close(ctx, a));
    twice!(b, ports, ports.end(a, Some(TerminationReason::ManuallyKilled)));
    twice!(b, ports, ports.ensure_worktree(ctx, repository, path, Some(&made.branch)));

    // A delete, its undo, and the purge.
    std::fs::write(path.join("lib.txt"), "changed\n").unwrap();
    let batch = BatchId::new("batch-1").unwrap();
    let trash = ports.trash_path(&batch, a);
    let rows = [TombstoneRow {
        id: a.clone(),
        was_live: false,
        closed: false,
        trash_path: Some(trash.clone()),
    }];
    let (requested, always) = (ids(&["a"]), Conditions::default());
    let first = twice!(b, ports, ports.tombstone(&requested, &always, &rows, &batch));
    assert!(matches!(first, Tombstoned::Done { .. }));
    twice!(b, ports, ports.move_to_trash(ctx, repository, path, &trash));
    let way = WayBack {
        repository: repository.to_owned(),
        from: trash.clone(),
        to: path.to_owned(),
        branch: Some(made.branch.clone()),
    };
    twice!(b, ports, ports.move_back(ctx, &way));
    // The one transaction of a restore is never done again: its rows tell. A second one is refused.
    let rows_back = [Untombstone { id: a.clone(), folder: None }];
    ports.untombstone(&rows_back).await.unwrap();
    let before = state(b, ports).await;
    ports.untombstone(&rows_back).await.unwrap_err();
    assert_eq!(state(b, ports).await, before);
    ports.tombstone(&requested, &always, &rows, &batch).await.unwrap();
    ports.move_to_trash(ctx, repository, path, &trash).await.unwrap();
    // Never done again: what it committed is seen by the rows that are gone.
    ports.purge_rows(&[vec![a.clone()]]).await.unwrap();
    twice!(b, ports, ports.remove_trashed(ctx, Some(repository), &trash));
    let branches = [made.branch.clone()];
    twice!(b, ports, ports.delete_branches(ctx, repository, &branches, true));
    twice!(b, ports, ports.remove_history(a));
    let (rows, git, found) = state(b, ports).await;
    assert!(rows.is_empty() && !git.contains("callboard/"), "{git}");
    assert!(!found.values().any(Option::is_some), "{found:?}");
}
