use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::*;

/// One of many writers, in a time that is counted in microseconds: when it asks next, which it is,
/// how often it has asked, and since when.
type Asking = (u64, u64, i32, Option<u64>);

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap()
}

/// Numbers between 0 and 1, always the same ones.
fn numbers() -> impl FnMut() -> f64 {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        f64::from(u32::try_from(state >> 33).unwrap()) / f64::from(1_u32 << 31)
    }
}

/// How many of 200 that write four times a second each are refused, and how many get through, in 20 s
/// in which each write holds the others up for so long on average.
fn refused_and_done(held: Duration) -> (usize, usize) {
    let mut number = numbers();
    let mut after = |mean: f64| Duration::from_secs_f64(-mean * (1.0 - number()).ln());
    let mut waiting: BinaryHeap<Reverse<Asking>> =
        (0..200).map(|who| Reverse((micros(after(0.25)), who, 0, None))).collect();
    let (mut free, mut refused, mut done) = (0, 0, 0);
    let mut jitter = numbers();
    while let Some(Reverse((now, who, attempt, since))) =
        waiting.pop().filter(|it| it.0.0 < 20_000_000)
    {
        let began = since.unwrap_or(now);
        let waited = Duration::from_micros(now - began);
        let next = if now >= free {
            done += 1;
            free = now + micros(after(held.as_secs_f64()));
            (free + micros(after(0.25)), who, 0, None)
        } else if waited >= PATIENCE {
            refused += 1;
            (now + micros(after(0.25)), who, 0, None)
        } else {
            (now + micros(pause(attempt, waited, jitter())), who, attempt + 1, Some(began))
        };
        waiting.push(Reverse(next));
    }
    (refused, done)
}

/// W1: many writers on a machine that is too busy for them all get their turn before they give up:
/// those who have just come do not pass those who have waited long.
#[test]
fn nobody_is_passed_by_until_it_gives_up() {
    for held in [1, 3, 5, 7] {
        let (refused, done) = refused_and_done(Duration::from_millis(held));
        assert!(done > 2_000, "{held} ms: {done}");
        assert_eq!(refused, 0, "{held} ms, {done} done");
    }
}

/// W3: what others write and put away meanwhile is seen by one that only looks: were it taken for a file
/// that nobody writes to, it would take what it reads for damage.
#[test]
fn one_that_only_looks_sees_what_others_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (x)").unwrap();
    other.close().unwrap();
    assert!(!damage::with_suffix(&path, "-wal").exists());
    let looks = open_still(&path).unwrap();
    let rows = || looks.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0));
    assert_eq!(rows().unwrap(), 0);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("INSERT INTO t VALUES (1); PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    assert_eq!(rows().unwrap(), 1);
    looks.execute("INSERT INTO t VALUES (2)", []).unwrap_err();
}

/// W1: a transaction that writes takes its place before it reads: it is never refused in the middle
/// because another wrote meanwhile.
#[test]
fn who_writes_begins_by_writing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    let other = Connection::open(&path).unwrap();
    other.busy_timeout(Duration::ZERO).unwrap();
    begin(&mut open(&path).unwrap(), Durability::Normal, |_| {
        let refused = other.execute_batch("BEGIN IMMEDIATE").unwrap_err();
        assert_eq!(refused.sqlite_error_code(), Some(rusqlite::ErrorCode::DatabaseBusy));
        Ok(())
    })
    .unwrap();
    other.execute_batch("BEGIN IMMEDIATE; COMMIT").unwrap();
}

/// W1: pauses of 0.2 to 0.9 ms, longer once it takes long, short again before it is given up.
#[test]
fn pauses_grow_and_shrink_again() {
    let pause = |attempt, waited| pause(attempt, Duration::from_millis(waited), 1.0).as_micros();
    assert_eq!((pause(0, 0), pause(15, 9), pause(16, 10)), (900, 900, 1_800));
    assert_eq!((pause(200, 900), pause(400, 2_000), pause(500, 3_000)), (14_400, 14_400, 7_200));
    assert_eq!((pause(900, 4_000), pause(i32::MAX, 4_999)), (900, 900));
    assert_eq!(super::pause(0, Duration::ZERO, 0.0).as_micros(), 200);
}
