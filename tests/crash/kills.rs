//! Spawn, bulk delete and restore, killed at random moments.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::board::Board;

/// Sessions on the board.
const SESSIONS: usize = 12;

/// A seeded stream of numbers (xorshift).
struct Dice(u64);

impl Dice {
    fn new() -> Self {
        let given = std::env::var("CALLBOARD_CRASH_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or_else(|| std::hash::RandomState::new().build_hasher().finish());
        eprintln!("CALLBOARD_CRASH_SEED={seed}");
        Self(seed | 1)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}

fn rounds() -> usize {
    std::env::var("CALLBOARD_CRASH_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(8)
}

/// Runs a command to its end and answers how long it took.
fn timed(board: &Board, args: &[&str]) -> Duration {
    #[expect(clippy::disallowed_methods, reason = "the moment of the kill is drawn from it")]
    let start = Instant::now();
    board.home.run(args.iter().copied()).ok();
    start.elapsed()
}

/// Starts a command and kills it after a random part of the time that it needs.
fn killed(board: &Board, dice: &mut Dice, needs: Duration, args: &[&str]) -> Duration {
    let mut child = board
        .home
        .command(args.iter().copied())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let after = Duration::from_micros(dice.below(needs.as_micros() as u64));
    // The random moment is what this test is about.
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    after
}

fn ids_of(rows: &[serde_json::Value]) -> BTreeSet<String> {
    rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_killed_spawn_delete_or_restore_is_finished_or_undone_v2() {
    let mut dice = Dice::new();
    let mut board = Board::new(SESSIONS);
    let ids: Vec<String> = board.ids.iter().cloned().collect();
    let mut delete = vec!["delete"];
    delete.extend(ids.iter().map(String::as_str));
    delete.push("--yes");
    let delete_time = timed(&board, &delete);
    let restore = ["restore", "--last"];
    let restore_time = timed(&board, &restore);
    board.recover_and_check();
    let spawn = ["spawn", "--project", "shop", "--id", "extra", "--agent", "command", "--"];
    let spawn =
        [&spawn[..], &[crate::support::binary(), "scripted", "-e", "fork 600;wait"]].concat();
    let spawn_time = timed(&board, &spawn);
    board.ids.insert("extra".to_owned());
    board.home.run(["delete", "extra", "--yes"]).ok();
    let mut spawned = 0;
    for round in 0..rounds() {
        let what = ["delete", "restore", "spawn"][round % 3];
        let after = match what {
            "delete" => {
                relaunch(&board, &ids);
                killed(&board, &mut dice, delete_time, &delete)
            }
            "restore" => {
                board.home.run(delete.iter().copied()).ok();
                killed(&board, &mut dice, restore_time, &restore)
            }
            _ => {
                spawned += 1;
                let id = format!("new-{spawned}");
                let mut args = spawn.clone();
                args[4] = &id;
                let after = killed(&board, &mut dice, spawn_time, &args);
                board.home.run(["recover"]).ok();
                if ids_of(&board.rows(false)).contains(&id) {
                    board.ids.insert(id);
                }
                after
            }
        };
        eprintln!("round {round}: {what} killed after {after:?}");
        board.recover_and_check();
        let trash = ids_of(&board.rows(true));
        let mine = ids.iter().filter(|id| trash.contains(*id)).count();
        assert!(mine == 0 || mine == ids.len(), "half a batch is in the trash: {trash:?}");
        if mine > 0 {
            restore_all(&board, &ids, &trash);
        }
    }
    board.home.finish();
}

/// Some of them run again.
fn relaunch(board: &Board, ids: &[String]) {
    let mut args = vec!["restore"];
    args.extend(ids.iter().step_by(3).map(String::as_str));
    // Those that run already are refused; that does not matter here.
    let _ = board.home.run(args);
}

fn restore_all(board: &Board, ids: &[String], trash: &BTreeSet<String>) {
    let mut args = vec!["restore"];
    args.extend(ids.iter().filter(|id| trash.contains(*id)).map(String::as_str));
    board.home.run(args).ok();
}
