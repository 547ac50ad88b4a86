//! What the store has acknowledged is there after `kill -9` (`spec/store.md` W1, W3).

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use callboard::domain::ids::WorkspaceName;
use callboard::domain::launch::Seed;
use callboard::domain::rail::Placement;
use callboard::domain::session::{FolderKind, Kind, LaunchFacts};
use callboard::os::clock::Clock;
use callboard::os::paths::Home;
use callboard::store::Store;

use crate::kills::Dice;

/// Names the home to the process that writes.
const HOME: &str = "CALLBOARD_COMMITS_HOME";
/// Begins a line that acknowledges one session.
const ACKNOWLEDGED: &str = "acknowledged ";

/// Commits that are made in all; more with `CALLBOARD_CRASH_COMMITS`.
fn wanted() -> usize {
    std::env::var("CALLBOARD_CRASH_COMMITS").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

/// The process that writes, started by the test below, which alone names a home. It says each session
/// once the store has said that it is there.
#[tokio::test]
async fn the_process_that_writes() {
    let Some(home) = std::env::var_os(HOME) else { return };
    let home = Home::at(Path::new(&home)).unwrap();
    let store = Store::open(&home, WorkspaceName::default(), Clock::System).unwrap();
    loop {
        let id = store.reserve_id(None).await.unwrap();
        let seed = Seed {
            id: id.clone(),
            kind: Kind::Worker,
            parent: None,
            launch: LaunchFacts::default(),
            title: format!("Title of {id}"),
            prompt: Some("word ".repeat(200)),
            placement: Placement::conversations(),
            folder_kind: FolderKind::None,
            folder: PathBuf::from("/nowhere"),
            pinned: false,
        };
        store.insert_seed(&seed).await.unwrap();
        let mut out = std::io::stdout().lock();
        out.write_all(format!("{ACKNOWLEDGED}{id}\n").as_bytes()).unwrap();
        out.flush().unwrap();
    }
}

/// W1, W3: a process that writes is killed again and again at random moments. Every session that it
/// acknowledged is there and whole, no number is used twice, and the counts are right.
#[test]
fn what_was_acknowledged_survives_kill_9_w1() {
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged: BTreeSet<String> = BTreeSet::new();
    let mut told = 0;
    while told < wanted() {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "commits::the_process_that_writes", "--nocapture"])
            .env(HOME, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(writer.stdout.take().unwrap());
        let mut take = |line: &mut String| {
            line.clear();
            let read = lines.read_line(line).unwrap_or(0);
            // The harness may have begun the line with words of its own.
            if let Some((_, id)) = line.split_once(ACKNOWLEDGED).filter(|_| line.ends_with('\n')) {
                assert!(acknowledged.insert(id.trim().to_owned()), "{id} twice");
                told += 1;
            }
            read > 0
        };
        let mut line = String::new();
        for _ in 0..dice.below(60) {
            assert!(take(&mut line), "the writer ended by itself");
        }
        // The random moment is what this test is about.
        std::thread::sleep(Duration::from_micros(dice.below(3_000)));
        assert_eq!(writer.try_wait().unwrap(), None, "the writer ended by itself");
        writer.kill().unwrap();
        writer.wait().unwrap();
        while take(&mut line) {}
    }
    let home = Home::at(folder.path()).unwrap();
    let store = rusqlite::Connection::open(home.database()).unwrap();
    let whole: String = store.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(whole, "ok");
    let mut ids = store.prepare("SELECT id FROM sessions JOIN details USING (rid)").unwrap();
    let found: BTreeSet<String> =
        ids.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(acknowledged.is_subset(&found), "lost: {:?}", acknowledged.difference(&found));
    let placed: i64 = store
        .query_row("SELECT placed FROM sections WHERE kind = 'conversations'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(usize::try_from(placed).unwrap(), found.len());
}
