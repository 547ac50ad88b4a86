//! What a running keeper does at the same time.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::UnixListener;
use tokio::net::unix::pipe::Receiver;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::{JoinSet, spawn_local};

use super::setup::{Started, say};
use super::{Keeper, serve};
use crate::os::spawn::{self, Reaped};
use crate::runtime::launch::{LaunchNote, PUBLISH};
use crate::runtime::wire::message::StopPace;

/// Most clients at a time.
const CLIENTS: usize = 64;
/// By then a hook that was not answered in time has left its report in the file.
const LEFT: Duration = Duration::from_millis(300);
/// Bytes read from the terminal at a time.
const READ: usize = 64 << 10;
/// The agent's output counts as complete when nothing came for this long after its end; others may
/// keep the terminal open.
const LAST_OUTPUT: Duration = Duration::from_millis(100);
/// How long clients may take for the last answers.
const LAST_ANSWERS: Duration = Duration::from_secs(1);
/// Longest line on the launch pipe, in bytes.
const LINE_LIMIT: u64 = 4_096;
/// Pace for what nobody waits for politely.
const BRISK: StopPace = StopPace { term_ms: 0, kill_ms: 1_000, give_up_ms: 5_000 };

/// Runs until the keeper has left.
pub(super) async fn run(started: Started, pipe: OwnedFd, answers: File) {
    let Started { keeper, listener, ended } = started;
    let mut tasks = JoinSet::new();
    tasks.spawn_local(accept(Rc::clone(&keeper), listener));
    tasks.spawn_local(take_late_reports(Rc::clone(&keeper)));
    tasks.spawn_local(read(Rc::clone(&keeper)));
    tasks.spawn_local(write(Rc::clone(&keeper)));
    tasks.spawn_local(attend(Rc::clone(&keeper)));
    tasks.spawn_local(follow_launch(Rc::clone(&keeper), pipe, answers));
    tasks.spawn_local(see_off(Rc::clone(&keeper), ended));
    tasks.spawn_local(heed_signals(Rc::clone(&keeper)));
    let mut left = keeper.left.subscribe();
    loop {
        tokio::select! {
            _ = left.wait_for(|left| *left) => break,
            Some(ended) = tasks.join_next() => {
                if let Err(error) = ended {
                    // a keeper that does half its work is worse than none
                    tracing::error!(%error, "the keeper failed and ends its agent");
                    keeper.end_tree_now().await;
                    keeper.leave().await;
                }
            }
        }
    }
    let clients = keeper.core.borrow_mut().listeners();
    let last = async {
        for client in clients {
            client.flushed().await;
        }
    };
    if tokio::time::timeout(LAST_ANSWERS, last).await.is_err() {
        tracing::info!("a client does not read its last answers");
    }
}

async fn accept(keeper: Rc<Keeper>, listener: UnixListener) {
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a client cannot be accepted");
                tokio::time::sleep(LAST_OUTPUT).await;
                continue;
            }
        };
        let clients = keeper.core.borrow_mut().listeners().len();
        let admitted = admit(spawn::peer_user(&stream).ok(), clients);
        keeper.take_spool();
        keeper.visited.notify_one();
        match admitted {
            // the failure of one client's task is its own
            Ok(()) => drop(spawn_local(serve::serve(Rc::clone(&keeper), stream))),
            Err(why) => tracing::warn!(why, "a client was turned away"),
        }
    }
}

/// Takes what hooks leave that were not answered. One look serves all who came before it; who comes
/// meanwhile gets the next one.
async fn take_late_reports(keeper: Rc<Keeper>) {
    loop {
        keeper.visited.notified().await;
        tokio::time::sleep(LEFT).await;
        keeper.take_spool();
    }
}

/// Whether to talk to a client of this user while there are so many others.
fn admit(user: Option<u32>, clients: usize) -> Result<(), &'static str> {
    if user != Some(spawn::own_user()) {
        return Err("it belongs to another user");
    }
    if clients >= CLIENTS { Err("there are too many") } else { Ok(()) }
}

async fn read(keeper: Rc<Keeper>) {
    let mut buffer = vec![0; READ];
    loop {
        let length = keeper.terminal.descriptor.read(&mut buffer).await.unwrap_or_else(|error| {
            tracing::error!(%error, "the terminal cannot be read");
            0
        });
        if length == 0 {
            keeper.silent.send_replace(true);
            return;
        }
        keeper.output(&buffer[..length]);
        tokio::task::yield_now().await;
    }
}

async fn write(keeper: Rc<Keeper>) {
    loop {
        let next = keeper.core.borrow().next_input();
        let Some(bytes) = next else {
            keeper.drained.notify_waiters();
            keeper.input.notified().await;
            continue;
        };
        match keeper.terminal.descriptor.write(&bytes).await {
            Ok(count) => {
                keeper.core.borrow_mut().input_written(count);
                keeper.drained.notify_waiters();
            }
            Err(error) => {
                tracing::info!(%error, "the agent takes no input");
                keeper.core.borrow_mut().drop_input();
            }
        }
    }
}

async fn attend(keeper: Rc<Keeper>) {
    loop {
        let due = keeper.attend();
        match due {
            // a millisecond more, as the clock counts whole ones
            Some(due) => {
                let pause = due.since(keeper.now()) + Duration::from_millis(1);
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = keeper.replan.notified() => {}
                }
            }
            None => keeper.replan.notified().await,
        }
    }
}

/// Until publish the launch lives and dies with its creator (X2, C4).
async fn follow_launch(keeper: Rc<Keeper>, pipe: OwnedFd, mut answers: File) {
    let published = async {
        let pipe = BufReader::new(Receiver::from_owned_fd(pipe)?);
        let mut lines = pipe.take(LINE_LIMIT).lines();
        while let Some(line) = lines.next_line().await? {
            if line == PUBLISH {
                return Ok(true);
            }
        }
        Ok::<bool, io::Error>(false)
    };
    let published = published.await.unwrap_or_else(|error| {
        tracing::warn!(%error, "the launch pipe cannot be read");
        false
    });
    if published {
        keeper.core.borrow_mut().published = true;
        say(&mut answers, &LaunchNote::Published);
    } else {
        tracing::warn!("the creator is gone before it published: ending the agent");
        end_and_leave(&keeper, BRISK).await;
    }
}

/// After the agent ended by itself the keeper lingers, then ends what was left behind (X4).
async fn see_off(keeper: Rc<Keeper>, ended: oneshot::Receiver<Reaped>) {
    let Ok(ended) = ended.await else { return };
    keeper.terminal.let_go();
    wait_for_silence(&keeper).await;
    keeper.record_exit(ended);
    let linger = Duration::from_millis(keeper.spec.linger_ms);
    // a timeout is as good as everyone having heard of it
    let _ = tokio::time::timeout(linger, everyone_knows(&keeper)).await;
    if !keeper.core.borrow().stopping {
        end_and_leave(&keeper, StopPace { term_ms: 0, ..StopPace::default() }).await;
    }
}

/// Ends what runs, and leaves even where something does not end: nobody would ask again.
async fn end_and_leave(keeper: &Rc<Keeper>, pace: StopPace) {
    if !keeper.stop(pace, false).await.ended {
        keeper.leave().await;
    }
}

/// The end of the output, or a pause in it.
async fn wait_for_silence(keeper: &Keeper) {
    let mut silent = keeper.silent.subscribe();
    let pause = async {
        loop {
            let sign = keeper.core.borrow().facts().last_sign_at;
            let end = tokio::time::timeout(LAST_OUTPUT, silent.wait_for(|silent| *silent)).await;
            if end.is_ok() || keeper.core.borrow().facts().last_sign_at == sign {
                return;
            }
        }
    };
    if tokio::time::timeout(LAST_OUTPUT * 10, pause).await.is_err() {
        tracing::info!("what the agent left behind still writes");
    }
}

/// Waits until every subscriber was told of the end, if there are subscribers.
async fn everyone_knows(keeper: &Keeper) {
    loop {
        let clients = keeper.core.borrow_mut().listeners();
        if clients.iter().any(|client| client.is_subscribed()) {
            for client in &clients {
                client.flushed().await;
            }
            if clients.iter().all(|client| client.knows_exit()) {
                return;
            }
        }
        drop(clients);
        tokio::time::sleep(LAST_OUTPUT).await;
    }
}

async fn heed_signals(keeper: Rc<Keeper>) {
    // registered and never looked at: a hang-up is no reason to end
    let hangup = signal(SignalKind::hangup());
    if let Err(error) = hangup.as_ref() {
        tracing::warn!(%error, "hang-ups cannot be ignored");
    }
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            terminate.recv().await;
            tracing::info!("asked to end: ending the agent");
            keeper.stop(StopPace::default(), true).await;
        }
        Err(error) => tracing::warn!(%error, "a request to end cannot be heard"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wire protocol: the user at the other end must be ours, and clients are bounded.
    #[test]
    fn strangers_and_crowds_are_turned_away() {
        let own = spawn::own_user();
        assert_eq!(admit(Some(own), CLIENTS - 1), Ok(()));
        assert!(admit(Some(own), CLIENTS).is_err());
        assert!(admit(Some(own + 1), 0).is_err());
        assert!(admit(None, 0).is_err());
    }
}
