//! Commands and keepers, killed at random moments.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::board::Board;
use crate::support::TestHome;

/// Sessions on the board.
const SESSIONS: usize = 12;

/// A seeded stream of numbers (xorshift).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new() -> Self {
        let given = std::env::var("CALLBOARD_CRASH_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or_else(|| std::hash::RandomState::new().build_hasher().finish());
        eprintln!("CALLBOARD_CRASH_SEED={seed}");
        Self(seed | 1)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}

fn rounds() -> usize {
    std::env::var("CALLBOARD_CRASH_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(8)
}

/// How long something takes.
fn took(work: impl FnOnce()) -> Duration {
    #[expect(clippy::disallowed_methods, reason = "the moment of the kill is drawn from it")]
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Runs a command to its end and answers how long it took.
fn timed(board: &Board, args: &[&str]) -> Duration {
    took(|| drop(board.home.run(args.iter().copied()).ok()))
}

fn quietly(home: &TestHome, args: &[&str]) -> Child {
    let mut command = home.command(args.iter().copied());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Starts a command, and draws after which part of the time that it needs it is killed.
fn start(board: &Board, dice: &mut Dice, needs: Duration, args: &[&str]) -> (Child, Duration) {
    (quietly(&board.home, args), Duration::from_micros(dice.below(needs.as_micros() as u64)))
}

/// Starts a command and kills it after a random part of the time that it needs.
fn killed(board: &Board, dice: &mut Dice, needs: Duration, args: &[&str]) {
    let (mut child, after) = start(board, dice, needs, args);
    // The random moment is what this test is about.
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
}

fn ids_of(rows: &[serde_json::Value]) -> BTreeSet<String> {
    rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

/// What is cut short in a round.
const ROUNDS: [&str; 6] = ["delete", "keepers", "spawn", "restore", "purge", "several"];

/// V2, V3, V5: after `kill -9` of a command, of keepers, or of several commands at once, one recovery
/// makes rows, worktrees, branches, processes and files agree.
#[test]
fn a_killed_spawn_delete_restore_or_purge_is_finished_or_undone_v2() {
    let mut dice = Dice::new();
    let mut board = Board::new(SESSIONS);
    let ids: Vec<String> = board.ids.iter().cloned().collect();
    let delete = all_of("delete", &ids);
    let delete_time = timed(&board, &delete);
    let restore = ["restore", "--last"];
    let restore_time = timed(&board, &restore);
    board.recover_and_check();
    let spawn_time = timed(&board, &spawn("extra"));
    board.home.run(["delete", "extra", "--yes"]).ok();
    let purge_time = timed(&board, &["purge", "extra", "--yes"]);
    board.check();
    for round in 0..rounds() {
        let what = ROUNDS[round % ROUNDS.len()];
        let new = format!("new-{round}");
        let mut fleeting = Vec::new();
        match what {
            "delete" => {
                relaunch(&board, &ids);
                killed(&board, &mut dice, delete_time, &delete);
            }
            "keepers" => {
                relaunch(&board, &ids);
                let keepers = board.keepers();
                killed(&board, &mut dice, delete_time, &delete);
                keepers.into_iter().for_each(kill);
            }
            "restore" => {
                board.home.run(delete.iter().copied()).ok();
                killed(&board, &mut dice, restore_time, &restore);
            }
            "purge" => {
                let child = format!("{new}-child");
                board.home.run(spawn(&new)).ok();
                let parent = ["--parent", &new];
                board.home.run([&spawn(&child)[..3], &parent, &spawn(&child)[3..]].concat()).ok();
                board.home.run(["delete", &new, "--yes"]).ok();
                killed(&board, &mut dice, purge_time, &["purge", &new, "--yes"]);
                fleeting = vec![new.clone(), child];
            }
            "spawn" => {
                killed(&board, &mut dice, spawn_time, &spawn(&new));
                fleeting = vec![new.clone()];
            }
            _ => {
                relaunch(&board, &ids);
                let (some, others) = ids.split_at(ids.len() / 2);
                let (some, others) = (all_of("delete", some), all_of("stop", others));
                let spawn = spawn(&new);
                let mut all: Vec<(Child, Duration)> = [&some, &others, &spawn]
                    .map(|args| start(&board, &mut dice, delete_time.max(spawn_time), args))
                    .into();
                all.sort_by_key(|(_, after)| *after);
                let mut slept = Duration::ZERO;
                for (mut child, after) in all {
                    std::thread::sleep(after.saturating_sub(slept));
                    slept = after;
                    child.kill().unwrap();
                    child.wait().unwrap();
                }
                fleeting = vec![new.clone()];
            }
        }
        eprintln!("round {round}: {what}");
        board.home.run(["recover"]).ok();
        let there: BTreeSet<String> =
            ids_of(&board.rows(false)).union(&ids_of(&board.rows(true))).cloned().collect();
        let left = fleeting.iter().filter(|id| there.contains(*id)).count();
        assert!(left == 0 || left == fleeting.len(), "part of a tree is left: {there:?}");
        board.ids.extend(fleeting.into_iter().filter(|id| there.contains(id)));
        board.end_dead();
        board.recover_and_check();
        let trash = ids_of(&board.rows(true));
        let mine: Vec<&str> =
            ids.iter().filter(|id| trash.contains(*id)).map(String::as_str).collect();
        let whole = mine.is_empty() || mine.len() == ids.len() || what == "several";
        assert!(whole, "half a batch is in the trash: {trash:?}");
        if !mine.is_empty() {
            board.home.run([&["restore"], &mine[..]].concat()).ok();
        }
        board.purge_others(&ids);
    }
    board.home.finish();
}

fn all_of<'a>(verb: &'a str, ids: &'a [String]) -> Vec<&'a str> {
    let ids = ids.iter().map(String::as_str);
    [verb].into_iter().chain(ids).chain(["--yes"]).collect()
}

fn spawn(id: &str) -> Vec<&str> {
    let binary = crate::support::binary();
    let agent = ["--agent", "command", "--", binary, "scripted", "-e", "fork 600;wait"];
    [&["spawn", "--id", id, "--project", "shop"], &agent[..]].concat()
}

fn kill(pid: u64) {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw).unwrap();
    // It may have been ended by the command that was killed.
    let _gone = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}

/// Some of them run again.
fn relaunch(board: &Board, ids: &[String]) {
    let mut args = vec!["restore"];
    args.extend(ids.iter().step_by(3).map(String::as_str));
    // Those that run already are refused; that does not matter here.
    let _ = board.home.run(args);
}

/// K4, V2: a killed cleanup gives back each worktree once, and none that holds work.
#[test]
fn a_killed_cleanup_loses_nothing_k4() {
    let mut dice = Dice::new();
    let home = TestHome::new();
    let repository = home.project("depot");
    repository.write(".gitignore", "*.log\n");
    repository.commit("ignored files");
    let folder = |id: &str| home.path().join("data/worktrees/default/depot").join(id);
    let mut needs = Duration::ZERO;
    for round in 0..=rounds().div_ceil(4) {
        let made = ["clean", "dirty", "aside"].map(|id| format!("{id}-{round}"));
        for id in &made {
            home.spawn(["--project", "depot", "--id", id], "wait");
        }
        std::fs::write(folder(&made[1]).join("new"), "work").unwrap();
        std::fs::write(folder(&made[2]).join("run.log"), "a log").unwrap();
        home.run(["stop", &made[0], &made[1], &made[2], "--yes"]).ok();
        let cleanup = ["cleanup", "--project", "depot", "--yes"];
        if round == 0 {
            needs = took(|| drop(home.run(cleanup)));
        } else {
            let mut child = quietly(&home, &cleanup);
            std::thread::sleep(Duration::from_micros(dice.below(needs.as_micros() as u64)));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        home.run(["recover"]).ok();
        let again = home.run(["recover", "--json"]).ok().json();
        for (field, list) in again.as_object().unwrap() {
            assert_eq!(list, &serde_json::json!([]), "{field} of a second recovery: {again}");
        }
        assert_eq!(std::fs::read_to_string(folder(&made[1]).join("new")).unwrap(), "work");
        for id in &made {
            let named = home.show(id)["folder"].as_str().is_some_and(|path| !path.is_empty());
            assert_eq!(named, folder(id).is_dir(), "row and folder of {id}");
        }
        let trash = crate::board::listing(&home.path().join("data"));
        let logs = trash.iter().filter(|(path, _)| path.ends_with(format!("{}/run.log", made[2])));
        let logs: Vec<&[u8]> = logs.map(|(_, (_, _, content))| &content[..]).collect();
        assert_eq!(logs, [b"a log"], "in its place or in the trash");
        Board::git_in(repository.path(), &["fsck", "--connectivity-only"]);
        let list = Board::git_in(repository.path(), &["worktree", "list", "--porcelain"]);
        assert!(!list.contains("prunable"), "{list}");
        home.run(["delete", &made[0], &made[1], &made[2], "--yes"]).ok();
        home.run(["purge", &made[0], &made[1], &made[2], "--yes"]).ok();
        let left = Board::git_in(repository.path(), &["worktree", "list"]);
        assert_eq!(left.lines().count(), 1, "{left}");
    }
    home.finish();
}
