//! `hook`: called by agents, on every event of theirs. It reads no configuration, opens no store, says
//! nothing, and is back within 200 ms whatever happens (`spec/agents.md` H2).

use std::io::Read;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::agents;
use crate::domain::hook::HookReport;
use crate::domain::ids::{SessionId, WorkspaceName};
use crate::os::clock::{self, Clock};
use crate::os::paths::Home;
use crate::os::variables;
use crate::runtime::client::hook;

use super::args::HookArgs;

/// Most bytes of JSON that are read.
const INPUT: u64 = 1 << 20;
/// How long the agent may take to hand its JSON over.
const READING: Duration = Duration::from_millis(90);
/// By then the report is with the keeper, or in the file beside its socket.
const DELIVERED: Duration = Duration::from_millis(150);

/// The launch that the environment names.
struct Launch {
    socket: PathBuf,
    generation: u32,
    token: String,
}

/// `hook`. Never fails: an agent must not stumble over it.
pub(crate) fn run(args: &HookArgs, workspace: &WorkspaceName) {
    let begun = clock::monotonic();
    let Some((home, launch)) = launch(workspace) else {
        return;
    };
    let Some(hooks) = agents::hooks(&home, &args.agent) else {
        return;
    };
    // What does not come in time tells nothing but that the event came.
    let said = in_background(input).recv_timeout(READING).unwrap_or_default();
    let report = hooks.read(&args.event, &said, Clock::System.now());
    if report.activity.is_none() && !report.is_kept() {
        return;
    }
    deliver(launch, &report, begun);
}

fn launch(workspace: &WorkspaceName) -> Option<(Home, Launch)> {
    let variable = |name: &str| std::env::var(name).ok();
    let home = Home::from_env().ok()?;
    let session: SessionId = variable(variables::SESSION)?.parse().ok()?;
    let generation = variable(variables::GENERATION)?.parse().ok()?;
    let token = variable(variables::TOKEN)?;
    let socket = home.socket(workspace, &session);
    Some((home, Launch { socket, generation, token }))
}

/// Standard input as JSON; what is no JSON, or too long, tells nothing but that the event came.
fn input() -> Value {
    let mut text = Vec::new();
    let mut stdin = std::io::stdin().lock();
    let read = stdin.by_ref().take(INPUT + 1).read_to_end(&mut text);
    if read.is_err() || text.len() as u64 > INPUT {
        return Value::Null;
    }
    serde_json::from_slice(&text).unwrap_or_default()
}

fn deliver(launch: Launch, report: &HookReport, begun: Instant) {
    let Launch { socket, generation, token } = launch;
    let left = || (begun + DELIVERED).saturating_duration_since(clock::monotonic());
    let told = {
        let (socket, token, report, limit) =
            (socket.clone(), token.clone(), report.clone(), left() / 4);
        let limit = limit.max(Duration::from_millis(1));
        in_background(move || hook::report(&socket, generation, &token, &report, limit))
    };
    // No word in time: the keeper could not even be reached.
    let spools = match told.recv_timeout(left()) {
        Ok(Ok(())) => false,
        Ok(Err(error)) => error.kind() == std::io::ErrorKind::WouldBlock,
        Err(_) => true,
    };
    if spools && socket.exists() {
        // Nobody is left to tell where that fails.
        let _gone = hook::leave(&socket, generation, &token, report);
    }
}

/// Runs what may block; whoever waits for it gives up in time, and the process ends with both.
fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (answer, receiver) = sync_channel(1);
    thread::spawn(move || answer.send(work()));
    receiver
}
