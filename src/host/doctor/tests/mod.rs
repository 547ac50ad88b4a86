//! Every check that can fail, failing, and what is mended; on an installation that is told what it is.

mod fake;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, UNIX_EPOCH};

use rstest::rstest;

use crate::domain::check::{Check, RepairedStore, StoreHealth};
use crate::domain::time::Timestamp;
use crate::host::ports::doctor::{AgentState, KeeperState, TargetState};
use crate::os::paths::private_dir;

use self::fake::{Fake, failed};
use super::{folders, installation, limits};

/// The checks that are not as they should be; what the machine itself allows is not judged here.
async fn wrong(fake: &Fake, repair: bool) -> Vec<Check> {
    let mut checks = installation(fake, repair).await;
    checks.retain(|check| !check.ok && !check.name.starts_with("limits: open files"));
    checks.retain(|check| !check.name.starts_with("limits: watches"));
    checks
}

async fn one_wrong(fake: &Fake) -> Check {
    let mut found = wrong(fake, false).await;
    assert_eq!(found.len(), 1, "{found:?}");
    let check = found.remove(0);
    assert!(check.hint.as_ref().is_some_and(|hint| !hint.is_empty()), "{check:?}");
    check
}

/// What was mended is said, and nothing is wrong any more.
async fn mended(fake: &Fake, name: &str) -> String {
    let checks = installation(fake, true).await;
    let found = checks.iter().find(|check| check.name == name).unwrap();
    assert!(found.ok, "{found:?}");
    let mended = found.mended.as_ref().unwrap();
    assert!(found.detail.starts_with(&format!("{mended}; now: ")), "{found:?}");
    assert_eq!(wrong(fake, false).await, []);
    found.detail.clone()
}

#[tokio::test]
async fn nothing_is_wrong_with_a_whole_installation() {
    let fake = Fake::new();
    assert_eq!(wrong(&fake, false).await, []);
    assert!(installation(&fake, false).await.iter().all(|check| !check.detail.is_empty()));
}

/// W3: a damaged store is moved aside and a copy restored; what was lost is said.
#[tokio::test]
async fn a_damaged_store_is_repaired_and_what_was_lost_is_said() {
    let mut fake = Fake::with_store(|store| {
        store.version = None;
        store.damage = vec!["the store is damaged: it is empty".to_owned()];
    });
    fake.repaired = Err(failed("the store is in use: process 7 (callboard)"));
    assert_eq!(one_wrong(&fake).await.name, "store");
    let still = wrong(&fake, true).await;
    assert!(still[0].detail.starts_with("not mended: the store is in use"), "{still:?}");
    assert_eq!(still[0].mended, None, "a repair that failed is none");
    fake.repaired = Ok(None);
    let damaged = fake.store.lock().unwrap().clone();
    let now = installation(&fake, true).await;
    let whole_again = now.iter().find(|check| check.name == "store").unwrap();
    assert!(whole_again.ok && whole_again.detail.contains("nothing of it is damaged any more"));
    *fake.store.lock().unwrap() = damaged;
    fake.looks.store(0, Ordering::Relaxed);
    fake.repaired = Ok(Some(RepairedStore {
        aside: "/d/damaged/1".into(),
        restored: Some(("/d/backups/b.db".into(), 7)),
        bad: vec![("/d/backups/c.db".into(), "torn".to_owned())],
    }));
    let said = mended(&fake, "store").await;
    assert_eq!(fake.looks.load(Ordering::Relaxed), 3, "before, after, and in the end");
    for part in ["/d/damaged/1", "/d/backups/b.db with 7 sessions", "lost", "c.db: torn"] {
        assert!(said.contains(part), "{said}");
    }
}

#[tokio::test]
async fn a_page_that_is_not_whole_counts_as_damage() {
    let mut fake = Fake::with_store(|store| {
        store.damage = vec!["Page 4: never used".to_owned()];
    });
    assert!(one_wrong(&fake).await.detail.contains("Page 4"));
    fake.repaired =
        Ok(Some(RepairedStore { aside: "/d/1".into(), restored: None, bad: Vec::new() }));
    assert!(mended(&fake, "store").await.contains("a new store begins"));
}

#[rstest]
#[case::counts(|store: &mut StoreHealth| store.totals = vec!["sessions: 2 wrong".to_owned()], "store: counts")]
#[case::index(|store: &mut StoreHealth| store.search = vec!["malformed".to_owned()], "store: search index")]
#[tokio::test]
async fn counts_and_index_are_set_right(#[case] change: fn(&mut StoreHealth), #[case] name: &str) {
    let fake = Fake::with_store(change);
    assert_eq!(one_wrong(&fake).await.name, name);
    let said = mended(&fake, "store").await;
    assert!(said.contains("counted anew"), "{said}");
}

/// W2: a store of a newer callboard, or one that cannot be read, is not repaired.
#[tokio::test]
async fn what_is_no_damage_is_not_moved_aside() {
    let fake = Fake::new();
    *fake.store.lock().unwrap() = Err(failed("it has version 9"));
    assert_eq!(one_wrong(&fake).await.detail, "it has version 9");
    assert_eq!(wrong(&fake, true).await[0].detail, "it has version 9");
    let fake = Fake::with_store(|store| store.references = vec!["a row of facts".to_owned()]);
    assert_eq!(one_wrong(&fake).await.name, "store: references");
    let fake = Fake::with_store(|store| store.version = Some(3));
    assert_eq!(wrong(&fake, false).await, []);
}

#[tokio::test]
async fn a_backup_that_is_no_good_is_told() {
    let mut fake = Fake::new();
    fake.backups = vec![("/b/2.db".into(), Err("torn".to_owned())), ("/b/1.db".into(), Ok(3))];
    let check = one_wrong(&fake).await;
    assert!(check.name == "store: backups" && check.detail.contains("/b/2.db"), "{check:?}");
}

/// W7: wider modes are told, and mended.
#[tokio::test]
async fn wide_modes_are_told_and_mended() {
    let fake = Fake::new();
    let log = fake.home.state.join("log");
    private_dir(&log).unwrap();
    std::fs::write(log.join("a.log"), "x").unwrap();
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set(&log.join("a.log"), 0o640);
    set(&fake.home.data, 0o755);
    let check = one_wrong(&fake).await;
    assert!(check.name == "folders: modes" && check.detail.contains("2 files"), "{check:?}");
    let said = mended(&fake, "folders: modes").await;
    assert!(said.contains("a.log private (it was 640)"), "{said}");
    let mode = std::fs::metadata(log.join("a.log")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// W4: what belongs to someone else.
#[test]
fn a_foreign_owner_is_told() {
    let fake = Fake::new();
    let found = folders::ours(&fake.home);
    let own = crate::os::spawn::own_user();
    assert!(folders::owner(&found, own).ok);
    let check = folders::owner(&found, own + 1);
    let told = format!("belongs to user {own}, this is user {}", own + 1);
    assert!(!check.ok && check.detail.contains(&told), "{check:?}");
    assert!(check.hint.unwrap().contains("chown"));
}

/// W4: the folder with the least room counts; one that cannot be asked is told.
#[test]
fn little_room_is_told() {
    let fake = Fake::new();
    let room = |bytes: u64| {
        folders::room(&fake.home, |folder| {
            Ok(if folder == fake.home.state { bytes } else { 1 << 40 })
        })
    };
    assert!(room(300 << 20).ok);
    let check = room(150 << 20);
    assert!(!check.ok && check.detail.starts_with("150 MiB are left below"), "{check:?}");
    assert!(check.hint.unwrap().contains("purge"));
    let check = folders::room(&fake.home, |_| Err(std::io::Error::other("no disk")));
    assert!(!check.ok && check.detail.contains("no disk"), "{check:?}");
}

#[tokio::test]
async fn a_socket_path_that_is_too_long_is_told() {
    let mut fake = Fake::new();
    fake.sockets = PathBuf::from("/").join("long".repeat(30));
    assert_eq!(one_wrong(&fake).await.name, "folders: socket paths");
}

#[tokio::test]
async fn stale_sockets_are_told_and_removed() {
    let fake = Fake::new();
    fake.stale.lock().unwrap().extend(["/run/a.sock".into(), "/run/a.keeper".into()]);
    let check = one_wrong(&fake).await;
    assert!(check.name == "sockets" && check.detail.contains("2 files"), "{check:?}");
    assert!(mended(&fake, "sockets").await.contains("removed 2 files"));
}

#[tokio::test]
async fn a_silent_keeper_is_told_and_an_old_program_is_no_fault() {
    let mut fake = Fake::new();
    let session: crate::domain::ids::SessionId = "shop-1".parse().unwrap();
    let keeper = KeeperState { session, pid: 7, silent: None, other_program: true };
    fake.keepers = vec![keeper.clone()];
    let checks = installation(&fake, false).await;
    let told = checks.iter().find(|check| check.name == "keepers").unwrap();
    assert!(told.ok && told.detail.contains("another program") && told.detail.contains("shop-1"));
    fake.keepers = vec![KeeperState { silent: Some("hangs".to_owned()), ..keeper }];
    assert!(one_wrong(&fake).await.detail.contains("shop-1 (process 7) does not answer: hangs"));
}

#[tokio::test]
async fn a_missing_git_is_told() {
    let mut fake = Fake::new();
    fake.git = Err(failed("there is no git"));
    assert_eq!(one_wrong(&fake).await.name, "git");
}

#[tokio::test]
async fn an_agent_is_missed_only_where_it_was_chosen() {
    let mut fake = Fake::new();
    let agent = AgentState {
        name: "claude".to_owned(),
        program: None,
        version: None,
        verified: Some("2.0".to_owned()),
        is_chosen: false,
    };
    fake.agents = vec![agent.clone()];
    assert_eq!(wrong(&fake, false).await, []);
    fake.agents = vec![AgentState { is_chosen: true, ..agent }];
    assert_eq!(one_wrong(&fake).await.name, "agent: claude");
}

/// U1: a target says where it runs and what is missing; a fault is one whoever uses it.
#[tokio::test]
async fn a_target_that_cannot_be_launched_is_told_u1() {
    let mut fake = Fake::new();
    let target = TargetState {
        name: "far".to_owned(),
        agent: "claude".to_owned(),
        runs: Some("ssh box, without hooks".to_owned()),
        fault: None,
    };
    fake.targets = vec![target.clone()];
    let checks = installation(&fake, false).await;
    let far = checks.iter().find(|check| check.name == "target: far").unwrap();
    assert_eq!((far.ok, far.detail.as_str()), (true, "claude, ssh box, without hooks"));
    fake.targets = vec![TargetState { fault: Some(("no ssh".to_owned(), None)), ..target }];
    let found = one_wrong(&fake).await;
    assert_eq!(found.detail, "no ssh");
    assert!(found.hint.unwrap().contains("[targets.far]"));
}

#[tokio::test]
async fn mistakes_in_files_are_told_one_by_one() {
    let mut fake = Fake::new();
    fake.mistakes = vec![
        ("config.toml, line 2: unknown key".to_owned(), Some("did you mean".to_owned())),
        ("agents/x.toml: no program".to_owned(), None),
    ];
    let found = wrong(&fake, false).await;
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|check| check.name == "configuration" && check.hint.is_some()));
}

#[tokio::test]
async fn history_beyond_its_bound_is_told_and_dropped() {
    let fake = Fake::new();
    *fake.history.lock().unwrap() = (12 << 20, 9 << 20);
    assert!(one_wrong(&fake).await.detail.contains("12 of at most 9 MiB"));
    assert!(mended(&fake, "limits: terminal history").await.contains("dropped 3 MiB"));
}

#[tokio::test]
async fn a_clock_before_the_last_write_is_told() {
    let mut fake = Fake::new();
    std::fs::write(fake.home.database(), "x").unwrap();
    std::fs::set_permissions(fake.home.database(), std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(wrong(&fake, false).await, []);
    let file = std::fs::File::options().write(true).open(fake.home.database()).unwrap();
    let written = u64::try_from(fake.now.0).unwrap() + 3_600_000;
    file.set_modified(UNIX_EPOCH + Duration::from_millis(written)).unwrap();
    assert_eq!(one_wrong(&fake).await.name, "clock");
    fake.now = Timestamp(0);
    assert_eq!(one_wrong(&fake).await.name, "clock");
}

/// X1: what becomes of agents after a logout is told, and is no fault.
#[test]
fn what_becomes_of_agents_after_a_logout_is_told() {
    assert!([None, Some(true), Some(false)].map(limits::logout).iter().all(|check| check.ok));
    assert!(limits::logout(Some(false)).detail.contains("enable-linger"));
}

#[test]
fn few_descriptors_or_watches_are_told() {
    assert!(!limits::descriptors(Some(256)).ok);
    assert!(limits::descriptors(Some(65_536)).ok && limits::descriptors(None).ok);
    assert!(!limits::watches(Some((100, 128))).ok && !limits::watches(Some((8_192, 8))).ok);
    assert!(limits::watches(Some((8_192, 128))).ok && limits::watches(None).ok);
}
