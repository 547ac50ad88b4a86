use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use super::*;
use crate::domain::condition::Condition;
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::domain::rail::{Placement, Shown};
use crate::domain::session::{FolderKind, Kind, LaunchFacts, RuntimeFacts};
use crate::domain::time::Timestamp;

const NOW: Timestamp = Timestamp(1_796_000_000_000);

fn session(pid: Option<u32>) -> Session {
    let id = SessionId::new("probe-1").unwrap();
    let placement = Placement::conversations();
    Session {
        workspace: WorkspaceName::default(),
        id: id.clone(),
        project: None,
        kind: Kind::Worker,
        parent: None,
        root: id.clone(),
        launch: LaunchFacts::default(),
        title: String::new(),
        prompt: None,
        shown: Shown { section: placement.key(), root: id },
        placement,
        pinned_at: None,
        condition: Condition::new(NOW).launched(1, NOW).published(1, &[], NOW),
        folder_kind: FolderKind::None,
        folder: "/".into(),
        branch: None,
        base: None,
        dirty: None,
        prs: Vec::new(),
        runtime: RuntimeFacts { pid, ..RuntimeFacts::default() },
        created_at: NOW,
        updated_at: NOW,
        deletion: None,
        error: None,
    }
}

async fn asked(pid: Option<u32>) -> Evidence {
    let folder = tempfile::tempdir().unwrap();
    evidence(&folder.path().join("none.sock"), &session(pid)).await
}

/// A4: no keeper and no process, a number of another process included
#[tokio::test]
async fn who_is_gone_reads_dead() {
    assert!(asked(None).await.reads_dead());
    assert!(asked(Some(std::process::id())).await.reads_dead(), "it is not the agent");
}

/// A4: the agent outlived its keeper: the two disagree
#[tokio::test]
async fn an_agent_without_keeper_is_seen() {
    let mut agent = Command::new("cat")
        .env("CALLBOARD_SESSION_ID", "probe-1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Its answer shows that it has become the program, with its environment.
    agent.stdin.as_mut().unwrap().write_all(b"?").unwrap();
    agent.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    let found = asked(Some(agent.id())).await;
    // Its input ends, and with it the agent.
    drop(agent.stdin.take());
    agent.wait().unwrap();
    assert_eq!((found.keeper, found.process), (Answer::No, Answer::Yes));
    assert_eq!(found.kill_requested, None);
}

/// A4: a socket that answers nonsense could not be asked, which is no death
#[tokio::test]
async fn a_keeper_that_answers_nonsense_is_a_failed_probe() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("keeper.sock");
    let listener = tokio::net::UnixListener::bind(&socket).unwrap();
    let nonsense = tokio::spawn(async move {
        use tokio::io::AsyncWriteExt as _;
        let (mut stream, _) = listener.accept().await.unwrap();
        let _refused = stream.write_all(&[0xff; 64]).await;
    });
    let found = evidence(&socket, &session(None)).await;
    nonsense.await.unwrap();
    assert_eq!(found.keeper, Answer::Failed);
}
