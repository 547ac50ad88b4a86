use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::*;
use crate::domain::forge::{PullRequest, Repository, Unread};
use crate::domain::lifecycle::TerminationReason;
use crate::domain::operation::Verb;
use crate::domain::pr::{Ci, Mergeability, PrFacts, PrState, Review};
use crate::host::OnView;
use crate::host::care::{Care, TOGETHER};
use crate::host::context::Context;

const ASKED: &str = "gh acme/shop callboard/a callboard/b";

fn pull(branch: &str, number: u64, state: PrState) -> PullRequest {
    PullRequest {
        branch: format!("callboard/{branch}"),
        head: Repository::new("github.com", "acme", "shop"),
        finished_at: (state != PrState::Open).then(|| NOW.plus(Duration::from_secs(1))),
        facts: PrFacts {
            url: format!("https://github.com/acme/shop/pull/{number}"),
            number,
            state,
            draft: false,
            ci: Ci::Failing,
            review: Review::None,
            mergeability: Mergeability::Unknown,
            unresolved: 0,
            stale: false,
            read_at: NOW,
        },
    }
}

/// Two sessions that run, the care for them, and a forge with an open pull request of the first.
struct Fixture {
    recorder: Recorder,
    care: Care<Recorder>,
    _changes: watch::Sender<u64>,
    on_view: watch::Sender<OnView>,
    said: Vec<Result<(), String>>,
}

impl Fixture {
    fn new() -> Self {
        let (host, recorder) = host(vec![running("a", None), running("b", None)]);
        recorder.change(|m| {
            m.forge.remotes.extend(Repository::new("github.com", "acme", "shop"));
            m.forge.pulls.push(pull("a", 12, PrState::Open));
        });
        let (changes, noticed) = watch::channel(0);
        let on_view = watch::Sender::new(OnView::new());
        let shown = on_view.subscribe();
        let care = Care::new(host, Context::new(), noticed, TOGETHER, shown);
        Self { recorder, care, _changes: changes, on_view, said: Vec::new() }
    }

    /// Cares for so long.
    async fn run(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end {
            let round = self.care.round().await;
            let told = round.attempts.into_iter().filter(|(source, _)| *source == "gh");
            self.said.extend(told.map(|(_, how)| how.map_err(|error| error.to_string())));
            let _ = tokio::time::timeout_at(end, self.care.next()).await;
        }
    }

    /// How often the forge was asked since the last time.
    fn asked(&self) -> usize {
        let asked = self.recorder.calls().iter().filter(|call| *call == ASKED).count();
        self.recorder.forget();
        asked
    }

    fn prs(&self, id: &str) -> Vec<PrFacts> {
        self.recorder.session_now(id).unwrap().prs
    }
}

/// F1, F2: one question for all branches of a repository; what is read belongs to the session of its head
/// branch. It is asked every five minutes, and every minute while a session of it is on view.
#[tokio::test(start_paused = true)]
async fn pull_requests_are_read_as_often_as_they_are_looked_at() {
    let mut fixture = Fixture::new();
    fixture.run(Duration::from_secs(299)).await;
    assert_eq!(fixture.asked(), 1);
    assert_eq!(fixture.prs("a"), [pull("a", 12, PrState::Open).facts]);
    assert_eq!(fixture.prs("b"), []);
    fixture.on_view.send_replace(OnView::from([shop().path]));
    fixture.run(Duration::from_secs(299)).await;
    assert_eq!(fixture.asked(), 5);
    assert_eq!(fixture.said, []);
}

/// F2: a push is followed by a read at once.
#[tokio::test(start_paused = true)]
async fn a_push_is_read_at_once() {
    let mut fixture = Fixture::new();
    fixture.run(Duration::from_secs(1)).await;
    assert_eq!(fixture.asked(), 1);
    fixture.recorder.change(|m| m.forge.pushed.insert("origin/callboard/a".into(), "abc".into()));
    fixture.run(Duration::from_mins(2)).await;
    assert_eq!(fixture.asked(), 1);
}

/// F2, T2: what cannot be read is said once with the time of the facts, which are stale; when it can be
/// again, that is over.
#[tokio::test(start_paused = true)]
async fn a_fault_is_said_once() {
    let mut fixture = Fixture::new();
    fixture.run(Duration::from_secs(1)).await;
    let out = Unread::LoggedOut("github.com".into());
    fixture.recorder.change(|m| m.forge.unread = Some(out));
    fixture.run(Duration::from_mins(30)).await;
    assert!(fixture.asked() <= 7, "no more than every five minutes");
    let [Err(said)] = &fixture.said[..] else { panic!("{:?}", fixture.said) };
    assert!(said.starts_with("gh is not logged in to github.com; PR states are from "), "{said}");
    assert!(said.ends_with(" UTC"), "{said}");
    assert!(fixture.prs("a")[0].stale);
    fixture.recorder.change(|m| m.forge.unread = None);
    fixture.run(Duration::from_mins(6)).await;
    assert_eq!(fixture.said.last(), Some(&Ok(())));
    assert!(!fixture.prs("a")[0].stale);
}

/// F2: without `gh` it is looked for every five minutes, whatever the number of sessions, and that is said.
#[tokio::test(start_paused = true)]
async fn without_gh_there_is_no_storm() {
    let mut fixture = Fixture::new();
    fixture.recorder.change(|m| m.forge.unread = Some(Unread::Missing));
    fixture.on_view.send_replace(OnView::from([shop().path]));
    fixture.run(Duration::from_mins(29)).await;
    assert_eq!(fixture.asked(), 6);
    assert_eq!(fixture.said, [Err("gh not found; PR states are not known".to_owned())]);
}

/// F2: one that hangs is given up after a while, and keeps no care for sessions waiting meanwhile.
#[tokio::test(start_paused = true)]
async fn a_gh_that_hangs_holds_nothing_up() {
    let mut fixture = Fixture::new();
    fixture.recorder.hang(ASKED);
    fixture.care.round().await;
    fixture.recorder.change(|m| {
        m.sessions.get_mut(&id("a")).unwrap().condition.due_at = Some(NOW);
    });
    fixture.run(Duration::from_secs(10)).await;
    assert!(fixture.recorder.calls().iter().any(|call| call == "settle_due"));
    fixture.run(Duration::from_secs(25)).await;
    let said = [Err("gh did not answer within 30 s; PR states are not known".to_owned())];
    assert_eq!(fixture.said, said);
}

/// F1: nothing is asked where no remote names a repository of a forge.
#[tokio::test(start_paused = true)]
async fn without_remotes_nobody_is_asked() {
    let mut fixture = Fixture::new();
    fixture.recorder.change(|m| m.forge.remotes.clear());
    fixture.run(Duration::from_hours(1)).await;
    assert_eq!((fixture.asked(), fixture.said), (0, Vec::new()));
}

/// F3: a merge ends the session with its reason where that is configured, once none of its pull requests is
/// open; a worktree that holds work is kept.
#[tokio::test(start_paused = true)]
async fn a_merge_ends_the_session_where_that_is_wanted() {
    for (kills, open) in [(false, false), (true, true), (true, false)] {
        let mut fixture = Fixture::new();
        fixture.recorder.change(|m| {
            m.dirty = true;
            m.forge.kills_merged = kills;
            m.forge.pulls = vec![pull("a", 12, PrState::Merged)];
            m.forge.pulls.extend(open.then(|| pull("a", 13, PrState::Open)));
        });
        fixture.run(Duration::from_secs(20)).await;
        let session = fixture.recorder.session_now("a").unwrap();
        let reason = (kills && !open).then_some(TerminationReason::PrMerged);
        assert_eq!(session.condition.lifecycle.reason, reason);
        assert!(fixture.recorder.read(|m| m.folders.contains(&session.folder)));
        assert!(fixture.recorder.session_now("b").unwrap().is_live());
    }
}

/// F3: who launches it again after the merge has a reason: it is not ended again.
#[tokio::test(start_paused = true)]
async fn a_launch_after_the_merge_goes_on() {
    let mut fixture = Fixture::new();
    fixture.recorder.change(|m| {
        m.forge.kills_merged = true;
        m.forge.pulls = vec![pull("a", 12, PrState::Merged)];
        let session = m.sessions.get_mut(&id("a")).unwrap();
        session.runtime.started_at = Some(NOW.plus(Duration::from_secs(2)));
    });
    fixture.run(Duration::from_secs(20)).await;
    assert!(fixture.recorder.session_now("a").unwrap().is_live());
    assert_eq!(fixture.prs("a").len(), 1);
}

/// F3: nor is one ended that was launched again while the forge was read.
#[tokio::test(start_paused = true)]
async fn a_launch_during_the_read_goes_on() {
    let mut fixture = Fixture::new();
    fixture.recorder.change(|m| {
        m.forge.kills_merged = true;
        m.forge.pulls = vec![pull("a", 12, PrState::Merged)];
        m.forge.relaunched = Some((id("a"), NOW.plus(Duration::from_secs(2))));
    });
    fixture.run(Duration::from_secs(20)).await;
    assert!(fixture.recorder.session_now("a").unwrap().is_live());
    assert_eq!(fixture.prs("a").len(), 1);
}

/// T2: what is as it was is not written again at each read.
#[tokio::test(start_paused = true)]
async fn facts_that_stay_are_written_seldom() {
    let mut fixture = Fixture::new();
    fixture.on_view.send_replace(OnView::from([shop().path]));
    fixture.run(Duration::from_secs(241)).await;
    let calls = fixture.recorder.calls();
    let count = |what: &str| calls.iter().filter(|call| call.starts_with(what)).count();
    assert_eq!((count("gh "), count("set_pull_requests")), (5, 1), "{calls:?}");
}

/// F3, V2: an end for a merge that was cut short is finished with its reason.
#[tokio::test]
async fn a_kill_for_a_merge_that_was_cut_short_keeps_its_reason() {
    let (host, recorder) = host(vec![running("a", None)]);
    let mut operation = host.operation(Verb::Kill, ids(&["a"]));
    operation.asked = Some(crate::domain::operation::Asked {
        reason: Some(TerminationReason::PrMerged),
        ..Default::default()
    });
    recorder.change(|m| m.operations.push(operation));
    host.recover(&Context::new()).await.unwrap();
    let session = recorder.session_now("a").unwrap();
    assert_eq!(session.condition.lifecycle.reason, Some(TerminationReason::PrMerged));
}
