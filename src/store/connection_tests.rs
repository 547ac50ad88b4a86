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

/// W1: pauses of 0.2 to 0.9 ms, longer once it takes long, short again before it is given up.
#[test]
fn pauses_grow_and_shrink_again() {
    let pause = |attempt, waited| pause(attempt, Duration::from_millis(waited), 1.0).as_micros();
    assert_eq!((pause(0, 0), pause(15, 9), pause(16, 10)), (900, 900, 1_800));
    assert_eq!((pause(200, 900), pause(400, 2_000), pause(500, 3_000)), (14_400, 14_400, 7_200));
    assert_eq!((pause(900, 4_000), pause(i32::MAX, 4_999)), (900, 900));
    assert_eq!(super::pause(0, Duration::ZERO, 0.0).as_micros(), 200);
}
