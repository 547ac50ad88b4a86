//! `doctor` on the real binary: what it finds, what it mends, and that it works where nothing else
//! does.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Answer, TestHome, until};

/// The checks that are not as they should be, by name; what the machine allows is not ours to judge.
fn wrong(answer: &Answer) -> BTreeMap<String, String> {
    let checks = answer.json()["checks"].as_array().unwrap().clone();
    let bad = checks.iter().filter(|check| check["ok"] == false);
    bad.map(|check| {
        assert!(check["hint"].is_string(), "{check}");
        let text = |key: &str| check[key].as_str().unwrap().to_owned();
        (text("name"), text("detail"))
    })
    .filter(|(name, _)| !name.starts_with("limits: ") && name != "folders: free space")
    .collect()
}

fn detail(answer: &Answer, name: &str) -> String {
    let checks = answer.json();
    let found = checks["checks"].as_array().unwrap().iter().find(|check| check["name"] == name);
    found.unwrap_or_else(|| panic!("no check {name}"))["detail"].as_str().unwrap().to_owned()
}

fn doctor(home: &TestHome) -> Answer {
    home.run(["doctor", "--json"])
}

/// Everything below a folder with its mode and length.
fn everything(home: &Path) -> Vec<(String, u32, u64)> {
    let mut open = vec![home.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let (path, metadata) = (entry.path(), entry.metadata().unwrap());
            if metadata.is_dir() {
                open.push(path.clone());
            }
            let mode = metadata.permissions().mode();
            let length = if metadata.is_dir() { 0 } else { metadata.len() };
            found.push((path.display().to_string(), mode, length));
        }
    }
    found.sort();
    found
}

#[test]
fn a_home_that_is_well_ends_with_0_and_is_not_changed() {
    let home = TestHome::new();
    let answer = doctor(&home);
    assert_eq!(wrong(&answer), BTreeMap::new());
    assert_eq!(everything(home.path()), [], "a look makes nothing");
    home.project("shop");
    home.spawn(["--project", "shop"], "print ready;wait");
    let before = everything(home.path());
    let answer = doctor(&home);
    assert_eq!(wrong(&answer), BTreeMap::new());
    let after = everything(home.path());
    let names = |all: &[(String, u32, u64)]| all.iter().map(|it| it.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&before), names(&after));
    assert!(detail(&answer, "keepers").starts_with("1 running"));
    assert!(!detail(&answer, "git").is_empty());
    for key in answer.json()["checks"].as_array().unwrap() {
        let keys: Vec<&String> = key.as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), 4, "{keys:?}");
    }
    let plain = home.run(["doctor"]);
    assert!(plain.stdout.contains("ok    store: every page is whole"), "{}", plain.stdout);
    home.finish();
}

/// W3: a damaged store with a keeper at work: told with exit 1 and what to do, moved aside and restored
/// by `--repair`, which says what was lost; the keeper goes on in the restored store.
#[test]
fn a_damaged_store_is_found_and_repaired_while_an_agent_works() {
    let home = TestHome::new();
    let id = home.scripted("print ready;wait");
    let database = home.path().join("data/callboard.db");
    let backups = home.path().join("data/backups");
    std::fs::create_dir(&backups).unwrap();
    std::fs::set_permissions(&backups, std::fs::Permissions::from_mode(0o700)).unwrap();
    let copy = backups.join("callboard-2026-01-01T00-00-00Z-v1.db");
    let statement = format!("VACUUM INTO '{}'", copy.display());
    rusqlite::Connection::open(&database).unwrap().execute_batch(&statement).unwrap();
    std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o600)).unwrap();
    home.run(["rename", &id, "since then"]).ok();
    std::fs::write(&database, "this is no database").unwrap();
    let damaged = std::fs::metadata(&database).unwrap().ino();
    let refused = home.run(["list", "--json"]).code(4).error();
    assert!(refused["hint"].as_str().unwrap().contains("doctor --repair"), "{refused}");
    // The keeper may write into the file at any time; which file it is stays.
    assert_eq!(std::fs::metadata(&database).unwrap().ino(), damaged);
    let answer = doctor(&home).code(1);
    assert_eq!(wrong(&answer).keys().collect::<Vec<_>>(), ["sessions", "store"]);
    let answer = home.run(["doctor", "--repair", "--json"]);
    assert_eq!(wrong(&answer), BTreeMap::new());
    let said = detail(&answer, "store");
    assert!(said.contains("moved the damaged store") && said.contains("with 1 session"), "{said}");
    assert!(said.contains("lost"), "{said}");
    let aside = std::fs::read_dir(home.path().join("data/damaged")).unwrap().next().unwrap();
    let kept = std::fs::metadata(aside.unwrap().path().join("callboard.db")).unwrap();
    assert_eq!(kept.ino(), damaged, "it is moved as it is");
    assert_ne!(std::fs::metadata(&database).unwrap().ino(), damaged);
    assert_ne!(home.show(&id)["title"], "since then");
    let events = home.run(["events", "--json"]).ok().json();
    let repair = events["events"].as_array().unwrap().iter().find(|it| it["verb"] == "repair");
    assert_eq!(repair.unwrap()["actor"], "command");
    home.run(["stop", &id, "--yes"]).ok();
    until("the keeper to tell the end", || (home.show(&id)["alive"] == false).then_some(()));
    assert_eq!(wrong(&doctor(&home)), BTreeMap::new());
    home.finish();
}

/// W3: a repair does not take a store from a command that has it open.
#[test]
fn a_repair_waits_for_nobody_and_takes_the_store_from_nobody() {
    let home = TestHome::new();
    let id = home.scripted("print ready;wait");
    let mut waits = home
        .command(["wait", &id, "--for", "exit", "--timeout", "60s"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It would end by itself once it meets the damage; and it may close what it has opened at first.
    let pid = rustix::process::Pid::from_raw(waits.id() as i32).unwrap();
    let signal = |signal| rustix::process::kill_process(pid, signal).unwrap();
    let is_open = || {
        let files = std::fs::read_dir(format!("/proc/{}/fd", waits.id())).ok()?;
        let mut names = files.flatten().filter_map(|file| std::fs::read_link(file.path()).ok());
        names.any(|path| path.ends_with("callboard.db-shm")).then_some(())
    };
    until("the command to have the store open", || {
        is_open()?;
        signal(rustix::process::Signal::STOP);
        until("the command to stand still", || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", waits.id())).ok()?;
            stat.contains(") T ").then_some(())
        });
        is_open().or_else(|| {
            signal(rustix::process::Signal::CONT);
            None
        })
    });
    let database = home.path().join("data/callboard.db");
    let whole = std::fs::read(&database).unwrap();
    std::fs::write(&database, "x").unwrap();
    let answer = home.run(["doctor", "--repair", "--json"]).code(1);
    let said = wrong(&answer)["store"].clone();
    assert!(said.contains("not mended") && said.contains("in use"), "{said}");
    assert!(said.contains(&format!("process {}", waits.id())), "{said}");
    std::fs::write(&database, whole).unwrap();
    waits.kill().unwrap();
    waits.wait().unwrap();
    home.finish();
}

/// Each on its own, by name; `--repair` mends those that it can mend.
#[test]
fn what_is_wrong_is_found_and_what_is_safe_is_mended() {
    let home = TestHome::new();
    home.project("shop");
    home.run(["list"]).ok();
    let file = |name: &str| home.path().join(name);
    std::fs::set_permissions(file("state"), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(file("run/0123456789abcdef.sock"), "").unwrap();
    std::fs::create_dir_all(file("data/worktrees/default/shop/shop-77")).unwrap();
    std::fs::create_dir_all(file("data/trash/default/batch/shop-78")).unwrap();
    std::fs::create_dir_all(file("data/backups")).unwrap();
    std::fs::write(file("data/backups/callboard-2026-v1.db"), "torn").unwrap();
    let statement = "UPDATE sections SET placed = placed + 1;
        INSERT INTO operations VALUES ('default', 'stuck1', 'stop', 'stuck', 'close', 1, NULL, '[]', 'no', NULL);
        INSERT INTO operations VALUES ('default', 'left1', 'stop', 'running', 'close', 1, NULL, '[]', NULL, NULL);";
    rusqlite::Connection::open(file("data/callboard.db"))
        .unwrap()
        .execute_batch(statement)
        .unwrap();
    let answer = doctor(&home).code(1);
    let names = |answer: &Answer| wrong(answer).into_keys().collect::<Vec<_>>();
    let unmendable = ["operations", "orphans: trash", "orphans: worktrees", "store: backups"];
    let mut all = unmendable.to_vec();
    all.extend(["folders: modes", "sockets", "store: counts"]);
    all.sort_unstable();
    assert_eq!(names(&answer), all);
    let mended = home.run(["doctor", "--repair", "--json"]).code(1);
    assert_eq!(names(&mended), unmendable);
    for (check, said) in
        [("folders: modes", "private"), ("sockets", "removed 1 file"), ("store", "counted anew")]
    {
        assert!(detail(&mended, check).contains(said), "{check}: {}", detail(&mended, check));
    }
    let left = &wrong(&mended)["operations"];
    assert!(left.contains("stuck1") && !left.contains("left1"), "{left}");
    assert!(file("data/worktrees/default/shop/shop-77").exists(), "no folder is ever removed");
    assert!(file("data/trash/default/batch/shop-78").exists(), "no folder is ever removed");
    home.finish();
}

/// It works without git, with mistakes in every file, and where the store is of a newer callboard.
#[test]
fn it_works_where_nothing_else_does() {
    let home = TestHome::new();
    home.run(["list"]).ok();
    let file = |name: &str| home.path().join(name);
    std::fs::create_dir_all(file("config/agents")).unwrap();
    std::fs::write(file("config/config.toml"), "max_startin = 2\n").unwrap();
    std::fs::write(file("config/agents/mine.toml"), "nonsense = 1\n").unwrap();
    std::fs::write(file("config/keymap.toml"), "[list]\n\"d\" = \"fly\"\n").unwrap();
    let newer = "PRAGMA user_version = 999";
    rusqlite::Connection::open(file("data/callboard.db")).unwrap().execute_batch(newer).unwrap();
    let before = std::fs::read(file("data/callboard.db")).unwrap();
    for args in [&["doctor", "--json"][..], &["doctor", "--repair", "--json"]] {
        let mut command = home.command(args.iter().copied());
        let output = command.env("PATH", "/nowhere").output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let bad = |name: &str| {
            let checks = answer["checks"].as_array().unwrap();
            checks.iter().filter(|it| it["name"] == name && it["ok"] == false).count()
        };
        assert_eq!((bad("git"), bad("configuration"), bad("store")), (1, 3, 1), "{answer}");
    }
    assert!(std::fs::read(file("data/callboard.db")).unwrap() == before, "changed");
}

/// W7: the terminal history of all sessions is bounded as the configuration says.
#[test]
fn history_beyond_the_bound_is_dropped() {
    let home = TestHome::new();
    std::fs::create_dir_all(home.path().join("config")).unwrap();
    std::fs::write(home.path().join("config/config.toml"), "history_mebibytes = 1\n").unwrap();
    let id = home.scripted("print ready;wait");
    home.wait_screen(&id, "ready");
    let old = home.path().join("state/history/default/old-1");
    std::fs::create_dir_all(&old).unwrap();
    let segment = old.join("0000000001-00000001.seg");
    std::fs::write(&segment, vec![0; 2 << 20]).unwrap();
    let file = std::fs::File::options().write(true).open(&segment).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let answer = doctor(&home).code(1);
    assert_eq!(detail(&answer, "limits: terminal history"), "2 of at most 1 MiB");
    let answer = home.run(["doctor", "--repair", "--json"]);
    assert!(detail(&answer, "limits: terminal history").contains("dropped 2 MiB"));
    assert!(!segment.exists());
    let live = home.path().join("state/history/default").join(&id);
    assert_eq!(std::fs::read_dir(live).unwrap().count(), 1);
    home.finish();
}
