use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::*;
use crate::host::OnView;
use crate::host::care::{CALM, Care, Round, TOGETHER};
use crate::host::context::Context;

fn on_view() -> watch::Receiver<OnView> {
    watch::channel(OnView::new()).1
}

fn failed(round: &Round) -> Vec<&'static str> {
    let failed = round.attempts.iter().filter(|(_, attempt)| attempt.is_err());
    failed.map(|(what, _)| *what).collect()
}

/// A4, A5, T4: what is due is settled however often the store changes meanwhile.
#[tokio::test(start_paused = true)]
async fn changes_that_keep_coming_put_off_no_timed_rule() {
    let (host, recorder) = host(vec![running("a", None)]);
    let (tell, changes) = watch::channel(0);
    let mut care = Care::new(host, Context::new(), changes, TOGETHER, on_view());
    care.round().await;
    recorder.change(|m| m.sessions.get_mut(&id("a")).unwrap().condition.due_at = Some(NOW));
    let began = Instant::now();
    while began.elapsed() < CALM * 3 {
        care.round().await;
        tell.send_modify(|number| *number += 1);
        assert!(care.next().await);
    }
    let settled = recorder.calls().iter().filter(|call| *call == "settle_due").count();
    assert!((1..=3).contains(&settled), "{settled} times in 3 s");
}

/// V3, A4: a recovery or a probe that failed is tried again soon, and once it went well no more.
#[tokio::test(start_paused = true)]
async fn what_failed_is_tried_again_soon() {
    let (host, recorder) = host(vec![running("a", None)]);
    let (_tell, changes) = watch::channel(0);
    // Nothing but the care itself wakes it.
    recorder.change(|m| m.sessions.get_mut(&id("a")).unwrap().branch = None);
    let mut care = Care::new(host, Context::new(), changes, CALM, on_view());
    recorder.fail("unfinished");
    assert_eq!(failed(&care.round().await), ["recovery"]);
    recorder.heal("unfinished");
    let began = Instant::now();
    assert!(care.next().await);
    assert!(began.elapsed() <= CALM, "{:?}", began.elapsed());
    let round = care.round().await;
    assert_eq!(failed(&round), [""; 0]);
    assert!(round.attempts.iter().any(|(what, _)| *what == "recovery"));
    assert!(care.next().await);
    assert!(began.elapsed() > Duration::from_secs(50), "nothing is left to be tried again");
    let round = care.round().await;
    assert!(round.attempts.iter().all(|(what, _)| *what != "recovery"));
    assert!(round.attempts.iter().any(|(what, _)| *what == "probe"));
}
