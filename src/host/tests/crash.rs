//! The matrix of V5 on the fakes: every coordinator fails or is cut short before and after each of its
//! steps and journal writes, in its compensations and in its recovery too; afterwards every rule holds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::domain::ids::SessionId;
use crate::domain::lifecycle::TerminationReason;
use crate::domain::operation::OperationState;
use crate::domain::plan::Conditions;
use crate::domain::session::{Kind, Session};
use crate::domain::trash::PurgeChoice;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::faults::{Fault, Faults};
use crate::host::report::{
    CreateRequest, DeleteRequest, Place, PurgeRequest, RestoreRequest, RestoreTarget,
};

use super::fake_world::Model;
use super::restore::deleted;
use super::{NOW, OPERATOR, Recorder, host, id, ids, launch_facts, running, seeded, shop};

/// What is cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scene {
    Create,
    Delete,
    Clear,
    Restore,
    /// To another place.
    RestoreTo,
    Purge,
    Launch,
    /// Of a session whose worktree was given back.
    LaunchAnew,
    Stop,
    Kill,
    Cleanup,
    /// Of worktrees that hold ignored files alone.
    CleanupAside,
}

const SCENES: [Scene; 12] = [
    Scene::Create,
    Scene::Delete,
    Scene::Clear,
    Scene::Restore,
    Scene::RestoreTo,
    Scene::Purge,
    Scene::Launch,
    Scene::LaunchAnew,
    Scene::Stop,
    Scene::Kill,
    Scene::Cleanup,
    Scene::CleanupAside,
];

impl Scene {
    fn sessions(self) -> Vec<Session> {
        let ended = |text: &str, parent| {
            let condition = running("x", None).condition;
            let condition = condition.terminated(TerminationReason::ManuallyKilled, &[], NOW);
            Session { condition, prompt: Some("Go".into()), ..seeded(text, parent) }
        };
        let bystander = running("z", None);
        let mut sessions = match self {
            Self::Create => vec![],
            Self::Delete | Self::Clear => vec![
                running("a", None),
                running("b", Some("a")),
                ended("c", Some("b")),
                ended("d", None),
                running("e", None),
            ],
            Self::Restore => vec![
                deleted("a", None, "b1"),
                deleted("b", Some("a"), "b1"),
                deleted("c", None, "b1"),
            ],
            Self::RestoreTo => vec![deleted("a", None, "b1")],
            Self::Purge => vec![
                deleted("a", None, "b1"),
                deleted("b", Some("a"), "b1"),
                deleted("c", None, "b2"),
            ],
            Self::Launch => vec![ended("a", None)],
            Self::LaunchAnew => vec![Session { folder: "".into(), ..ended("a", None) }],
            Self::Stop | Self::Kill => vec![running("a", None)],
            Self::Cleanup | Self::CleanupAside => vec![ended("a", None), ended("b", Some("a"))],
        };
        sessions.push(bystander);
        sessions
    }

    /// Makes the worktrees what the scene is about.
    fn set(self, m: &mut Model) {
        m.only_ignored = self == Self::CleanupAside;
        m.folders.remove(Path::new(""));
        if self == Self::Purge {
            let trash = |s: &Session| Some((s.id.clone(), s.deletion.clone()?.trash_path?));
            m.trashed = m.sessions.values().filter_map(trash).collect();
        }
    }

    /// Sessions whose rows may go, all or none.
    fn optional(self) -> Vec<SessionId> {
        match self {
            Self::Create => ids(&["a"]),
            Self::Purge => ids(&["a", "b"]),
            _ => Vec::new(),
        }
    }

    /// Whether a session may come to have no worktree.
    fn frees(self, dirty: bool) -> bool {
        let clean = matches!(self, Self::Create | Self::Kill | Self::Cleanup | Self::LaunchAnew);
        (clean && !dirty) || matches!(self, Self::CleanupAside | Self::LaunchAnew)
    }

    /// Runs the coordinator; whether it was a success does not matter here.
    async fn run(self, host: &Host<Recorder>, ctx: &Context) {
        match self {
            Self::Create => drop(host.create(ctx, create()).await),
            Self::Delete => {
                let ids = ids(&["a", "d", "e"]).into_iter().collect();
                let conditions = Conditions::default();
                let request = DeleteRequest {
                    ids,
                    conditions,
                    with_rowless: false,
                    closed: BTreeSet::new(),
                    actor: OPERATOR,
                };
                drop(host.delete(ctx, request, &|_| true).await);
            }
            Self::Restore => {
                let target = RestoreTarget::Last;
                let request = RestoreRequest { target, launch: false, to: None, actor: OPERATOR };
                drop(host.restore(ctx, request).await);
            }
            Self::Clear => {
                let request = host.clear_request(OPERATOR).await.unwrap();
                drop(host.delete(ctx, request, &|_| true).await);
            }
            Self::RestoreTo => {
                let target = RestoreTarget::Ids(ids(&["a"]));
                let to = Some(PathBuf::from("/elsewhere/a"));
                let request = RestoreRequest { target, launch: false, to, actor: OPERATOR };
                drop(host.restore(ctx, request).await);
            }
            Self::Purge => {
                let choice = PurgeChoice {
                    ids: Some(ids(&["b"]).into_iter().collect()),
                    ..PurgeChoice::default()
                };
                let request = PurgeRequest { choice, branches: BTreeSet::new(), actor: OPERATOR };
                drop(host.purge(ctx, &request, &|_| true).await);
            }
            Self::Cleanup | Self::CleanupAside => drop(host.cleanup(ctx, None, &OPERATOR).await),
            Self::Launch | Self::LaunchAnew => drop(host.launch(ctx, &id("a"), &OPERATOR).await),
            Self::Stop => {
                drop(host.stop(ctx, &ids(&["a"]), &Conditions::default(), false, &OPERATOR).await);
            }
            Self::Kill => {
                drop(host.kill(ctx, &ids(&["a"]), &Conditions::default(), &OPERATOR).await);
            }
        }
    }
}

fn create() -> CreateRequest {
    CreateRequest {
        place: Place::Project(shop().name),
        fork: None,
        launch: launch_facts(),
        id: Some(id("a")),
        title: None,
        prompt: Some("Round VAT per line.".into()),
        goal: Some("Ship it".into()),
        branch: None,
        base: None,
        in_place: false,
        size: (120, 40),
        kind: Kind::Worker,
        parent: None,
        pin: false,
        actor: OPERATOR,
    }
}

/// One world of the matrix.
#[derive(Debug, Clone, Copy)]
struct World {
    scene: Scene,
    /// Worktrees hold uncommitted work.
    dirty: bool,
    /// Keepers that were not published have not noticed yet that their creator is gone.
    slow_keepers: bool,
}

/// Runs until the end or the crash, then lets go of everything, as the end of a process would.
async fn cut(recorder: &Recorder, faults: &Faults, slow: bool, work: impl Future<Output = ()>) {
    let crashed = tokio::select! {
        biased;
        () = faults.crashed() => true,
        () = work => false,
    };
    // Aborted jobs let go of what they hold when they are next looked at.
    for _ in 0..64 {
        tokio::task::yield_now().await;
    }
    if crashed {
        assert!(recorder.lanes().is_empty(), "a crash frees every lane");
        assert!(recorder.read(|m| m.held.is_empty()), "a crash frees every operation's lock");
        recorder.change(|m| {
            let published = m.published.clone();
            m.keepers.retain(|id| slow || published.contains(id));
        });
    }
}

/// What recovery may not change any more.
type Settled = (BTreeMap<SessionId, Session>, BTreeSet<SessionId>, BTreeSet<PathBuf>, Vec<String>);

fn settled(recorder: &Recorder) -> Settled {
    recorder.read(|m| {
        let operations = m.operations.iter().map(|one| format!("{} {}", one.id, one.state));
        (m.sessions.clone(), m.keepers.clone(), m.folders.clone(), operations.collect())
    })
}

/// Recovers twice and checks every rule.
async fn recover_and_check(
    host: &Host<Recorder>,
    recorder: &Recorder,
    world: World,
    whole: bool,
    case: &str,
) {
    host.recover(&Context::new()).await.unwrap();
    let first = settled(recorder);
    let again = host.recover(&Context::new()).await.unwrap();
    assert_eq!(settled(recorder), first, "{case}: a second recovery changed something");
    assert!(again.resumed.is_empty() && again.undone.is_empty() && again.stuck.is_empty());
    recorder.read(|m| {
        let before: BTreeSet<SessionId> =
            world.scene.sessions().into_iter().map(|session| session.id).collect();
        let mut now: BTreeSet<SessionId> = m.sessions.keys().cloned().collect();
        let optional = world.scene.optional();
        let there = optional.iter().filter(|id| now.contains(*id)).count();
        assert!(there == 0 || there == optional.len(), "{case}: part of a tree is left");
        now.extend(optional.iter().filter(|id| before.contains(*id)).cloned());
        now.retain(|id| before.contains(id) || !optional.contains(id));
        assert_eq!(now, before, "{case}: a row was lost or doubled");
        for operation in &m.operations {
            let open = matches!(operation.state, OperationState::Running | OperationState::Stuck);
            assert!(!open, "{case}: {} is {}", operation.kind, operation.state);
        }
        for session in m.sessions.values() {
            let id = &session.id;
            let lifecycle = &session.condition.lifecycle;
            let runs = m.keepers.contains(id) && m.published.contains(id);
            let live = session.is_live() && session.deletion.is_none();
            assert_eq!(live, runs, "{case}: row of {id} {lifecycle:?}, its runtime: {runs}");
            assert!(!live || lifecycle.published == lifecycle.generation, "{case}: {id}");
            assert!(live || lifecycle.state.is_terminal() || session.deletion.is_some());
            let place = match &session.deletion {
                Some(deletion) => deletion.trash_path.clone().unwrap(),
                None => session.folder.clone(),
            };
            let there = m.folders.contains(&place);
            let none = place.as_os_str().is_empty() && !live && world.scene.frees(world.dirty);
            assert!(there || none, "{case}: {} is lost", place.display());
        }
        for id in &m.keepers {
            assert!(m.sessions.contains_key(id), "{case}: a runtime of {id} without a row");
        }
        for folder in &m.folders {
            let named = m.sessions.values().any(|session| match &session.deletion {
                Some(deletion) => deletion.trash_path.as_ref() == Some(folder),
                None => session.folder == *folder,
            });
            let aside = folder.starts_with("/trash") && world.scene == Scene::CleanupAside;
            let named = named || aside;
            assert!(named, "{case}: worktree {} without a row", folder.display());
        }
        let batches: BTreeSet<bool> = m
            .sessions
            .values()
            .filter(|session| world.scene == Scene::Clear || session.id != id("z"))
            .filter(|session| world.scene != Scene::Purge || session.id != id("c"))
            .map(|session| session.deletion.is_some())
            .collect();
        // A runtime that does not end leaves the plan (D6).
        assert!(batches.len() <= 1 || !whole, "{case}: half a batch is in the trash");
    });
    assert!(recorder.lanes().is_empty(), "{case}");
}

/// Plays one world: `faults` for the coordinator, then `later` for the first recovery. Answers the points
/// that either passed.
async fn play(world: World, faults: Faults, later: Faults, case: &str) -> (usize, usize) {
    let (host, recorder) = host(world.scene.sessions());
    recorder.change(|m| {
        m.dirty = world.dirty;
        world.scene.set(m);
    });
    let (faults, later) = (Arc::new(faults), Arc::new(later));
    let ctx = Context::new().with_faults(Arc::clone(&faults));
    let run = Box::pin(world.scene.run(&host, &ctx));
    cut(&recorder, &faults, world.slow_keepers, run).await;
    let ctx = Context::new().with_faults(Arc::clone(&later));
    let recovered = Box::pin(async { drop(host.recover(&ctx).await) });
    cut(&recorder, &later, world.slow_keepers, recovered).await;
    recover_and_check(&host, &recorder, world, !faults.fails(), case).await;
    (faults.passed().len(), later.passed().len())
}

fn worlds() -> Vec<World> {
    let each = |scene| {
        [(false, false), (false, true), (true, false), (true, true)]
            .map(|(dirty, slow_keepers)| World { scene, dirty, slow_keepers })
    };
    SCENES.into_iter().flat_map(each).collect()
}

#[tokio::test]
async fn after_a_fault_at_any_point_all_rules_hold_v5() {
    for world in worlds() {
        let (points, _) = play(world, Faults::none(), Faults::none(), "no fault").await;
        assert!(points >= 6, "{world:?} has {points} points only");
        for at in 0..points {
            for fault in [Fault::Fail, Fault::Crash] {
                let case = format!("{world:?} {fault:?} at {at}");
                play(world, Faults::none().and(at, fault), Faults::none(), &case).await;
            }
        }
    }
}

/// Half of them, where each is played very often.
fn some_worlds() -> Vec<World> {
    worlds().into_iter().filter(|world| world.dirty == world.slow_keepers).collect()
}

#[tokio::test]
async fn a_crash_while_a_failure_is_compensated_changes_nothing_of_that_v5() {
    for world in some_worlds() {
        let (points, _) = play(world, Faults::none(), Faults::none(), "no fault").await;
        for failed in 0..points {
            let mut at = failed + 1;
            loop {
                let case = format!("{world:?} fails at {failed}, crashes at {at}");
                let faults = Faults::none().and(failed, Fault::Fail).and(at, Fault::Crash);
                let (passed, _) = play(world, faults, Faults::none(), &case).await;
                if passed <= at {
                    break;
                }
                at += 1;
            }
        }
    }
}

#[tokio::test]
async fn a_recovery_that_crashes_itself_is_done_by_the_next_one_v5() {
    for world in some_worlds() {
        let (points, _) = play(world, Faults::none(), Faults::none(), "no fault").await;
        for crashed in 0..points {
            let mut at = 0;
            loop {
                let case = format!("{world:?} crashes at {crashed}, its recovery at {at}");
                let faults = Faults::none().and(crashed, Fault::Crash);
                let later = Faults::none().and(at, Fault::Crash);
                let (_, passed) = play(world, faults, later, &case).await;
                if passed <= at {
                    break;
                }
                at += 1;
            }
        }
    }
}
