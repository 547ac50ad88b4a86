//! The matrix of V5 on real parts: every coordinator fails or is cut short before and after each of its
//! steps and journal writes; afterwards store, git and folders agree, and no file is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::adapters::Real;
use crate::domain::event::Actor;
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::operation::OperationState;
use crate::domain::session::Session;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::faults::{Fault, Faults};
use crate::host::ports::StorePort as _;

use super::bench::{Bench, Files, Puppets, files, id};
use super::scenes::Scene;

/// A scene, and what its sessions held before it.
struct Stage {
    scene: Scene,
    bench: Bench,
    rows: BTreeSet<SessionId>,
    held: BTreeMap<SessionId, Files>,
}

/// All rows, in their place or in the trash.
async fn rows(host: &Host<Real<Puppets>>) -> Vec<Session> {
    let ports = host.ports();
    let mut ids = ports.all_ids().await.unwrap();
    let deleted = crate::host::ports::PurgePort::tombstones(ports).await.unwrap();
    ids.extend(deleted.into_iter().map(|row| row.id));
    ports.sessions(&ids).await.unwrap()
}

/// Where a session's worktree lies; none where it has none.
fn place(session: &Session) -> Option<PathBuf> {
    let folder = session.worktree()?.to_owned();
    Some(session.deletion.as_ref().and_then(|it| it.trash_path.clone()).unwrap_or(folder))
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

impl Stage {
    async fn new(scene: Scene) -> Self {
        let mut bench = Bench::new().await;
        scene.ground(&bench).await;
        let host = bench.host().await;
        let all = rows(&host).await;
        drop(host);
        bench.keep();
        let held = |session: &Session| Some((session.id.clone(), files(&place(session)?)));
        let rows = all.iter().map(|session| session.id.clone()).collect();
        Self { scene, bench, rows, held: all.iter().filter_map(held).collect() }
    }

    /// Runs `work` until its end or the crash, then lets go of everything as the end of a process
    /// would.
    async fn cut(&self, faults: &Faults, work: impl Future<Output = ()>) {
        let crashed = tokio::select! {
            biased;
            () = faults.crashed() => true,
            () = work => false,
        };
        if crashed {
            self.bench.puppets.with(|all| all.retain(|_, published| *published));
        }
    }

    /// Plays the scene with a plan of faults; answers the points it passed.
    async fn play(&self, faults: Faults, case: &str) -> Vec<String> {
        let faults = Arc::new(faults);
        let ctx = Context::new().with_faults(Arc::clone(&faults));
        let host = self.bench.host().await;
        self.cut(&faults, Box::pin(self.scene.run(&self.bench, &host, &ctx))).await;
        drop(host);
        self.bench.end_of_process().await;
        let host = self.bench.host().await;
        host.recover(&Context::new()).await.unwrap();
        let first = self.state(&host).await;
        let again = host.recover(&Context::new()).await.unwrap();
        assert_eq!(self.state(&host).await, first, "{case}: a second recovery changed something");
        assert!(again.resumed.is_empty() && again.undone.is_empty(), "{case}: {again:?}");
        assert!(again.stuck.is_empty() && again.orphans.is_empty(), "{case}: {again:?}");
        self.check(&host, !faults.fails(), case).await;
        if self.scene == Scene::Create {
            Self::retry(&host, case).await;
        }
        faults.passed()
    }

    /// What a recovery may not change any more.
    async fn state(&self, host: &Host<Real<Puppets>>) -> (Vec<Session>, Vec<String>, String) {
        let operations = host.ports().operations(100).await.unwrap();
        let operations = operations.iter().map(|one| format!("{} {}", one.id, one.state));
        let worktrees = self.bench.git(&["worktree", "list", "--porcelain"]);
        (rows(host).await, operations.collect(), worktrees)
    }

    /// C7: what is parked can be restored, which makes its worktree anew.
    async fn retry(host: &Host<Real<Puppets>>, case: &str) {
        let parked = host.ports().session(&id("a")).await.unwrap();
        if parked.is_some_and(|session| session.condition.lifecycle.state.is_terminal()) {
            let (now, _) = host.launch(&Context::new(), &id("a"), &Actor::Operator).await.unwrap();
            assert!(now.folder.join("lib.txt").exists() && now.is_live(), "{case}");
        }
    }

    async fn check(&self, host: &Host<Real<Puppets>>, whole: bool, case: &str) {
        let rows = rows(host).await;
        self.check_rows(&rows, case);
        if whole {
            let batch = self.scene.batch();
            let batch = rows.iter().filter(|session| batch.contains(&session.id.as_str()));
            let deleted: BTreeSet<bool> = batch.map(|one| one.deletion.is_some()).collect();
            assert!(deleted.len() <= 1, "{case}: half a batch is in the trash");
        }
        for operation in host.ports().operations(100).await.unwrap() {
            let open = matches!(operation.state, OperationState::Running | OperationState::Stuck);
            assert!(!open, "{case}: {} is {}", operation.kind, operation.state);
        }
        let aside = self.check_files(&rows, case);
        self.check_git(&rows, &aside, case);
    }

    /// No row is lost, doubled, or half gone; each live one has its keeper.
    fn check_rows(&self, rows: &[Session], case: &str) {
        let ids: BTreeSet<SessionId> = rows.iter().map(|session| session.id.clone()).collect();
        assert_eq!(ids.len(), rows.len(), "{case}: a row is there twice");
        let optional: BTreeSet<SessionId> = self.scene.optional().into_iter().map(id).collect();
        let there = ids.intersection(&optional).count();
        assert!(there == 0 || there == optional.len(), "{case}: part of a tree is left");
        let fixed = |ids: &BTreeSet<SessionId>| -> BTreeSet<SessionId> {
            ids.difference(&optional).cloned().collect()
        };
        assert_eq!(fixed(&ids), fixed(&self.rows), "{case}: rows were lost or came by themselves");
        let keepers = self.bench.puppets.with(|all| all.clone());
        for session in rows {
            let id = &session.id;
            let lifecycle = &session.condition.lifecycle;
            let live = session.is_live() && session.deletion.is_none();
            assert_eq!(
                keepers.get(id).copied(),
                live.then_some(true),
                "{case}: {id} {lifecycle:?}"
            );
            assert!(!live || lifecycle.published == lifecycle.generation, "{case}: {id}");
            assert!(live || lifecycle.state.is_terminal() || session.deletion.is_some(), "{case}");
        }
        let rowless = keepers.keys().find(|id| !ids.contains(*id));
        assert_eq!(rowless, None, "{case}: a keeper without a row");
    }

    /// Every file that was there is there, in its place, or in the trash; answers the folders there
    /// that no tombstone names.
    fn check_files(&self, rows: &[Session], case: &str) -> BTreeSet<PathBuf> {
        let trash = self.bench.home().trash(&WorkspaceName::default());
        let trashed: Vec<PathBuf> =
            subfolders(&trash).iter().flat_map(|batch| subfolders(batch)).collect();
        let mut aside = BTreeSet::new();
        for session in rows {
            let id = &session.id;
            let held = self.held.get(id);
            let Some(place) = place(session) else {
                assert!(self.scene.frees(), "{case}: {id} has no worktree");
                let named = |path: &&PathBuf| path.file_name().unwrap() == id.as_str();
                if let Some(moved) = trashed.iter().find(named) {
                    assert_eq!(Some(&files(moved)), held, "{case}: files of {id}");
                    aside.insert(moved.clone());
                } else {
                    let only = ["lib.txt", ".gitignore", ".env"].map(PathBuf::from);
                    let held: BTreeSet<&PathBuf> =
                        held.into_iter().flat_map(BTreeMap::keys).collect();
                    assert!(
                        held.iter().all(|path| only.contains(path)),
                        "{case}: {held:?} is lost"
                    );
                }
                continue;
            };
            let now = files(&place);
            match held {
                Some(held) => {
                    assert_eq!(&now, held, "{case}: files of {id} in {}", place.display())
                }
                None => assert!(now.contains_key(Path::new("lib.txt")), "{case}: {id}: {now:?}"),
            }
        }
        aside
    }

    /// git knows exactly the folders that rows name, with their branches, and has lost no object.
    fn check_git(&self, rows: &[Session], aside: &BTreeSet<PathBuf>, case: &str) {
        let list = self.bench.git(&["worktree", "list", "--porcelain"]);
        assert!(!list.lines().any(|line| line.starts_with("prunable")), "{case}: {list}");
        let registered: BTreeSet<PathBuf> = list
            .lines()
            .filter_map(|line| line.strip_prefix("worktree "))
            .map(PathBuf::from)
            .collect();
        let mut wanted = aside.clone();
        wanted.insert(self.bench.repository());
        wanted.extend(rows.iter().filter_map(place));
        assert_eq!(registered, wanted, "{case}");
        let made = self.bench.worktree("z");
        for folder in subfolders(made.parent().unwrap()) {
            assert!(wanted.contains(&folder), "{case}: {} has no row", folder.display());
        }
        let branches = self.bench.git(&["branch", "--format=%(refname:short)"]);
        let branches: BTreeSet<&str> =
            branches.lines().filter_map(|name| name.strip_prefix("callboard/")).collect();
        for session in rows {
            let id = session.id.as_str();
            let Some(place) = place(session) else { continue };
            assert!(branches.contains(id), "{case}: the branch of {id} is gone");
            let head = std::fs::read_to_string(git_dir(&place).join("HEAD")).unwrap();
            let attached = head.trim_end() == format!("ref: refs/heads/callboard/{id}");
            assert_eq!(attached, session.deletion.is_none(), "{case}: {id} is on {head}");
        }
        let rowless = branches.iter().find(|id| !rows.iter().any(|one| one.id.as_str() == **id));
        assert_eq!(rowless, None, "{case}: a branch without a row");
        self.bench.git(&["fsck", "--connectivity-only", "--no-dangling"]);
    }
}

/// The git folder of a worktree.
fn git_dir(worktree: &Path) -> PathBuf {
    let link = std::fs::read_to_string(worktree.join(".git")).unwrap();
    PathBuf::from(link.strip_prefix("gitdir: ").unwrap().trim_end())
}

/// V5, V1, V2: whatever is cut short or fails, store, git and folders agree after one recovery.
async fn after_a_fault_at_any_point_store_git_and_files_agree(scene: Scene) {
    let stage = Stage::new(scene).await;
    let points = stage.play(Faults::none(), "no fault").await;
    assert!(points.len() >= 6, "{scene:?} has {points:?} only");
    for (at, point) in points.iter().enumerate() {
        for fault in [Fault::Fail, Fault::Crash] {
            if fault == Fault::Fail && point.starts_with("after") {
                continue;
            }
            stage.bench.rewind();
            let case = format!("{scene:?}: {fault:?} at {at}, {point}");
            stage.play(Faults::none().and(at, fault), &case).await;
        }
    }
}

macro_rules! matrix {
    ($($name:ident: $scene:ident,)*) => {$(
        /// V5, V1, V2: see [`after_a_fault_at_any_point_store_git_and_files_agree`].
        #[tokio::test]
        async fn $name() {
            after_a_fault_at_any_point_store_git_and_files_agree(Scene::$scene).await;
        }
    )*};
}

matrix! {
    create_on_real_parts: Create,
    delete_on_real_parts: Delete,
    clear_on_real_parts: Clear,
    restore_on_real_parts: Restore,
    restore_to_on_real_parts: RestoreTo,
    purge_on_real_parts: Purge,
    stop_on_real_parts: Stop,
    kill_on_real_parts: Kill,
    cleanup_on_real_parts: Cleanup,
    launch_on_real_parts: Launch,
    launch_anew_on_real_parts: LaunchAnew,
}
