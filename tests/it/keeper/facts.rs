use callboard::domain::activity::{Activity, ActivityFact};
use callboard::domain::agent::Rules;
use callboard::domain::hook::HookReport;
use callboard::domain::ids::{SessionId, WorkspaceName};
use callboard::domain::launch::{Initialised, Seed};
use callboard::domain::lifecycle::State;
use callboard::domain::rail::Placement;
use callboard::domain::session::{FolderKind, Kind, LaunchFacts};
use callboard::os::clock::Clock;
use callboard::os::paths::Home;
use callboard::os::proctree::Process;
use callboard::runtime::client::{self, Input, Keeper};
use callboard::runtime::launch::LaunchSpec;
use callboard::runtime::wire;
use callboard::store::Store;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::support::{Bench, QUICK, until, within};

/// The first launch of a session.
pub(super) fn launch(keeper_pid: u32, pid: u32) -> Initialised {
    Initialised {
        generation: 1,
        keeper_pid,
        pid,
        started_at: Clock::System.now(),
        token_hash: "hash".to_owned(),
        agent_session_id: None,
    }
}

/// The home of a bench with the row that its launches belong to.
pub(super) async fn store(bench: &Bench) -> (Store, SessionId) {
    let home = Home::at(&bench.path("")).unwrap();
    home.create().unwrap();
    assert_eq!(home.database(), bench.path("data/callboard.db"));
    let store = Store::open(&home, WorkspaceName::default(), Clock::System).unwrap();
    let id = SessionId::new("shop-1").unwrap();
    let seed = Seed {
        id: id.clone(),
        kind: Kind::Worker,
        parent: None,
        launch: LaunchFacts {
            agent: "shell".into(),
            target: "shell".into(),
            ..LaunchFacts::default()
        },
        title: "A shell".to_owned(),
        prompt: None,
        placement: Placement::conversations(),
        folder_kind: FolderKind::None,
        folder: bench.path(""),
        pinned: false,
    };
    store.insert_seed(&seed).await.unwrap();
    (store, id)
}

#[tokio::test]
async fn facts_are_stored_and_folded_until_the_end() {
    let bench = Bench::new();
    let (store, id) = store(&bench).await;
    let spec = LaunchSpec {
        rules: Rules { shell: true, ..Rules::default() },
        ..bench.script("printf '\\033]2;the title\\007'; read _; exit 3")
    };
    let launching = bench.start(&spec).await;
    let ready = launching.ready();
    store.initialise(&id, &launch(ready.keeper_pid, ready.pid)).await.unwrap();
    within(launching.publish()).await.unwrap();
    store.publish(&id, 1).await.unwrap();
    let session = async || store.session(&id).await.unwrap().unwrap();
    until(async || session().await.condition.activity.value == Activity::Idle).await;
    let activity: ActivityFact = session().await.condition.activity;
    assert_eq!(activity.witness, "process");
    let mut keeper =
        within(callboard::runtime::client::Keeper::connect(&spec.socket)).await.unwrap();
    keeper.send(1, Input::Text("\r".to_owned()), None).await.unwrap();
    until(async || session().await.condition.lifecycle.state == State::Terminated).await;
    let stopped = within(keeper.stop(None, QUICK)).await.unwrap();
    assert_eq!(stopped.exit.unwrap().code, Some(3));
    assert!(!bench.log().contains("WARN"), "{}", bench.log());
    drop(store);
    bench.left_nothing(&[]).await;
}

/// W4: what a keeper notes is lost while the disk is full; it goes on and can be ended.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_keeper_whose_log_takes_nothing_goes_on() {
    let bench = Bench::new();
    let spec = bench.script("exec cat");
    std::fs::create_dir_all(spec.log.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink("/dev/full", &spec.log).unwrap();
    let (mut keeper, process, agent) = bench.run(&spec).await;
    // That this client speaks an older protocol is noted while it is answered.
    let mut client = UnixStream::connect(&spec.socket).await.unwrap();
    let mut hello = Vec::new();
    wire::put_control(&mut hello, &json!({"id": 1, "type": "hello", "protocol": 0}));
    client.write_all(&hello).await.unwrap();
    assert!(within(client.read(&mut [0; 16])).await.unwrap() > 0, "closed without an answer");
    within(keeper.stop(None, QUICK)).await.unwrap();
    std::fs::remove_file(&spec.log).unwrap();
    bench.left_nothing(&[process, agent]).await;
}

#[tokio::test]
async fn a_keeper_without_a_store_works_and_says_so_in_its_log() {
    let bench = Bench::new();
    let (mut keeper, process, agent) = bench.run(&bench.script("exec cat")).await;
    until(async || bench.log().contains("facts cannot be stored now")).await;
    let (store, id) = store(&bench).await;
    store.initialise(&id, &launch(process.pid, agent.pid)).await.unwrap();
    store.publish(&id, 1).await.unwrap();
    // the newest facts were kept and arrive by themselves
    until(async || store.session(&id).await.unwrap().unwrap().condition.last_activity_at.is_some())
        .await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// G2, H3: the id that the agent prints at its end is kept, also where the line is too long for a row;
/// of several the last one counts.
#[tokio::test]
async fn the_id_that_an_agent_tells_at_its_end_is_kept_h3() {
    let bench = Bench::new();
    let (store, id) = store(&bench).await;
    let long =
        "to go on with all of this some other day, be so kind and do run: tool -r id_1234567890";
    let script = format!("read _; echo 'tool -r id_no'; echo; echo '{long}'; echo bye");
    let exit_text = "tool -r (id_[0-9a-z]+)".to_owned();
    let spec = LaunchSpec { exit_text, linger_ms: 50, ..bench.script(&script) };
    let launching = bench.start(&spec).await;
    let ready = launching.ready();
    let processes = [ready.keeper_pid, ready.pid].map(|pid| Process::of(pid).unwrap());
    store.initialise(&id, &launch(ready.keeper_pid, ready.pid)).await.unwrap();
    within(launching.publish()).await.unwrap();
    store.publish(&id, 1).await.unwrap();
    let keeper = within(Keeper::connect(&spec.socket)).await.unwrap();
    let (_feed, mut typist) = keeper.subscribe_screen(0).await.unwrap();
    typist.bytes(b"\r").await.unwrap();
    until(async || {
        let session = store.session(&id).await.unwrap().unwrap();
        session.launch.agent_session_id.as_deref() == Some("id_1234567890")
    })
    .await;
    drop(store);
    bench.left_nothing(&processes).await;
}

/// G2: an `exit_text` that is no pattern is told in the log, and nothing else suffers.
#[tokio::test]
async fn an_exit_text_that_cannot_be_read_is_told_g2() {
    let bench = Bench::new();
    let spec = LaunchSpec { exit_text: "(".to_owned(), linger_ms: 50, ..bench.script("exit 0") };
    let (_, process, agent) = bench.run(&spec).await;
    bench.left_nothing(&[process, agent]).await;
    assert!(bench.log().contains("`exit_text` cannot be read"), "{}", bench.log());
}

/// H2: a report that a keeper could not take waits in a file beside its socket, and is picked up.
#[tokio::test]
async fn reports_that_were_left_in_a_file_are_picked_up_h2() {
    let bench = Bench::new();
    let (store, id) = store(&bench).await;
    let spec = bench.script("exec cat");
    let launching = bench.start(&spec).await;
    let ready = launching.ready();
    store.initialise(&id, &launch(ready.keeper_pid, ready.pid)).await.unwrap();
    let report = |message: &str| HookReport {
        event: "Stop".to_owned(),
        at: Clock::System.now(),
        activity: Some(Activity::Idle),
        tool: None,
        before_tool: false,
        question: None,
        agent_session_id: Some("c-1".to_owned()),
        message: Some(message.to_owned()),
    };
    let (token, guessed) = (spec.token.as_str(), "guessed");
    for (generation, token, message) in [(1, token, "mine"), (1, guessed, "no"), (2, token, "no")] {
        client::hook::leave(&spec.socket, generation, token, &report(message)).unwrap();
    }
    let file = client::spool(&spec.socket);
    assert!(!std::fs::read_to_string(&file).unwrap().contains(token));
    let mut keeper = within(Keeper::connect(&spec.socket)).await.unwrap();
    assert!(within(keeper.status()).await.is_ok() && !file.exists());
    // C4, C8: before publish nothing of it counts.
    assert!(store.messages(&id, usize::MAX).await.unwrap().is_empty());
    within(launching.publish()).await.unwrap();
    store.publish(&id, 1).await.unwrap();
    until(async || !store.messages(&id, usize::MAX).await.unwrap().is_empty()).await;
    let messages = store.messages(&id, usize::MAX).await.unwrap();
    assert_eq!((messages.len(), messages[0].text.as_str()), (1, "mine"));
    let session = store.session(&id).await.unwrap().unwrap();
    assert_eq!(session.launch.agent_session_id.as_deref(), Some("c-1"));
    until(async || {
        let session = store.session(&id).await.unwrap().unwrap();
        session.condition.activity.value == Activity::Idle
    })
    .await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    drop(store);
    bench.left_nothing(&[]).await;
}

/// X7: however fast an agent changes, its facts are told four times a second at most, and the last of
/// them arrives.
#[tokio::test]
async fn transitions_are_told_four_times_a_second_x7() {
    let bench = Bench::new();
    let script = "read _; for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do \
        for state in working idle; do printf '\\033]7501;state=%s\\007' $state; sleep 0.01; done; done; \
        printf '\\033]2;last\\007'; exec cat";
    let (mut keeper, process, agent) = bench.run(&bench.script(script)).await;
    let mut feed =
        within(Keeper::connect(&bench.socket())).await.unwrap().subscribe_facts().await.unwrap();
    let first = within(feed.next()).await.unwrap();
    let begin = callboard::os::clock::monotonic();
    keeper.send(1, Input::Text("\r".to_owned()), None).await.unwrap();
    let (mut told, mut changes, mut facts) = (0_u32, 0, first);
    while facts.title.as_deref() != Some("last") {
        let next = within(feed.next()).await.unwrap();
        assert!(next.sequence > facts.sequence);
        changes += u32::from(next.activity.value != facts.activity.value);
        facts = next;
        told += 1;
    }
    let most = begin.elapsed().as_millis() / 250 + 2;
    assert!(u128::from(told) <= most, "{told} in place of {most}");
    assert!(changes > 0, "{facts:?}");
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// X7: a store that somebody else holds keeps nothing of the terminal waiting, and gets the newest facts
/// once it is free.
#[tokio::test]
async fn a_busy_store_holds_up_nothing_and_gets_the_newest_x7() {
    let bench = Bench::new();
    let (store, id) = store(&bench).await;
    let spec = bench.script(
        "while read state; do printf '\\033]7501;state=%s\\007' $state; echo seen $state; done",
    );
    let launching = bench.start(&spec).await;
    let ready = launching.ready();
    store.initialise(&id, &launch(ready.keeper_pid, ready.pid)).await.unwrap();
    within(launching.publish()).await.unwrap();
    store.publish(&id, 1).await.unwrap();
    let mut keeper = within(Keeper::connect(&spec.socket)).await.unwrap();
    let other = rusqlite::Connection::open(&spec.database).unwrap();
    let held = std::time::Duration::from_secs(20);
    other.busy_timeout(held).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for name in ["idle", "working", "blocked"] {
        keeper.send(1, Input::Text(format!("{name}\r")), None).await.unwrap();
        super::support::shows(&mut keeper, &format!("seen {name}")).await;
    }
    other.execute_batch("COMMIT").unwrap();
    until(async || {
        let session = store.session(&id).await.unwrap().unwrap();
        session.condition.activity.value == Activity::Blocked
    })
    .await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    drop(store);
    bench.left_nothing(&[]).await;
}
