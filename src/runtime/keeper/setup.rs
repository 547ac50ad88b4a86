//! From the start of the process to a running keeper.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

use tokio::net::UnixListener;
use tokio::sync::{Mutex, Notify, oneshot, watch};
use tokio::task::LocalSet;

use super::core::{Core, first_facts};
use super::facts::Storing;
use super::registry::Claim;
use super::stop::StopState;
use super::terminal::Terminal;
use super::{Keeper, tasks};
use crate::os::clock::Clock;
use crate::os::log;
use crate::os::paths::private_dir;
use crate::os::spawn::{self, Reaped};
use crate::os::variables;
use crate::runtime::detect::Watch;
use crate::runtime::history::Recorder;
use crate::runtime::launch::{
    LaunchNote, LaunchSpec, Ready, SPEC_LIMIT, StartError, StartErrorKind,
};
use crate::runtime::screen::{Screen, Size};

/// What a started keeper runs on.
pub(super) struct Started {
    pub(super) keeper: Rc<Keeper>,
    pub(super) listener: UnixListener,
    /// How the agent ended.
    pub(super) ended: oneshot::Receiver<Reaped>,
}

pub(super) fn run() -> ExitCode {
    let start = || -> Result<(LaunchSpec, OwnedFd, File), StartError> {
        spawn::close_inherited();
        spawn::detach().map_err(|error| StartError::system("the keeper cannot detach", &error))?;
        let spec = read_spec()?;
        let file = open_log(&spec.log).map_err(|error| {
            StartError::system(&format!("the log {}", spec.log.display()), &error)
        })?;
        let (pipe, answers) = spawn::take_standard_streams(&file)
            .map_err(|error| StartError::system("the standard streams", &error))?;
        log::note_to(Arc::new(file));
        Ok((spec, pipe, File::from(answers)))
    };
    match start() {
        Ok((spec, pipe, answers)) => run_async(spec, pipe, answers),
        Err(error) => {
            say(&mut io::stdout(), &LaunchNote::Failed(error));
            ExitCode::FAILURE
        }
    }
}

fn run_async(spec: LaunchSpec, pipe: OwnedFd, mut answers: File) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            let error = StartError::system("the keeper's event loop", &error);
            say(&mut answers, &LaunchNote::Failed(error));
            return ExitCode::FAILURE;
        }
    };
    LocalSet::new().block_on(&runtime, async move {
        match start(spec).await {
            Ok(started) => {
                let facts = started.keeper.core.borrow().facts().clone();
                let ready = Ready {
                    keeper_pid: facts.keeper_pid,
                    pid: facts.pid,
                    started_at: facts.started_at,
                };
                say(&mut answers, &LaunchNote::Ready(ready));
                tasks::run(started, pipe, answers).await;
                ExitCode::SUCCESS
            }
            Err(error) => {
                tracing::error!(%error, "the agent was not started");
                say(&mut answers, &LaunchNote::Failed(error));
                ExitCode::FAILURE
            }
        }
    })
}

/// Tells the creator, who may be gone: then the end of the pipe says so.
pub(super) fn say(answers: &mut impl Write, note: &LaunchNote) {
    let told = serde_json::to_string(note)
        .map_err(io::Error::other)
        .and_then(|line| writeln!(answers, "{line}").and_then(|()| answers.flush()));
    if let Err(error) = told {
        tracing::warn!(%error, "the creator cannot be told");
    }
}

/// Reads the first line of standard input, and nothing behind it.
fn read_spec() -> Result<LaunchSpec, StartError> {
    let bad = |why: String| {
        StartError::new(StartErrorKind::BadSpec, format!("the launch spec cannot be read: {why}"))
    };
    let mut line = Vec::new();
    let mut input = io::stdin().lock();
    // the creator sends nothing else before the answer, so what is buffered ends with the line
    let mut limited = io::Read::by_ref(&mut input).take(SPEC_LIMIT as u64);
    io::BufRead::read_until(&mut limited, b'\n', &mut line)
        .map_err(|error| bad(error.to_string()))?;
    if line.last() != Some(&b'\n') {
        return Err(bad("it is cut off or too long".to_owned()));
    }
    serde_json::from_slice(&line).map_err(|error| bad(error.to_string()))
}

fn open_log(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        private_dir(folder)?;
    }
    log::append(path)
}

async fn start(mut spec: LaunchSpec) -> Result<Started, StartError> {
    let clock = Clock::System;
    let now = clock.now();
    let watch = Watch::new(&spec.rules, now)
        .map_err(|error| StartError::new(StartErrorKind::BadSpec, error.to_string()))?;
    let watch = if spec.prompted { watch.prompted() } else { watch };
    let size = Size { cols: spec.cols, rows: spec.rows }.clamped();
    let (listener, claim) = Claim::take(&spec).await?;
    let terminal = match Terminal::start(&spec, size) {
        Ok(terminal) => terminal,
        Err(error) => {
            claim.release().await;
            return Err(error);
        }
    };
    // the agent has them; a keeper keeps no secrets but the one that finds its processes, unless it
    // needs what the program needed that runs its agent elsewhere
    spec.argv = Vec::new();
    if spec.end.is_empty() {
        spec.env = Vec::new();
    }
    spec.env.retain(|(name, _)| name != variables::TOKEN);
    let agent = terminal.agent;
    let recorder = Recorder::start(&spec.history, spec.generation, spec.history_bytes)
        .inspect_err(|error| tracing::warn!(%error, "there will be no history"))
        .ok();
    let screen = Screen::new(size, spec.history_lines);
    let core = Core::new(screen, watch, recorder, first_facts(spec.generation, agent.pid, now));
    let (database, workspace, session) =
        (spec.database.clone(), spec.workspace.clone(), spec.session.clone());
    let storing = Storing::start(database, workspace, session)
        .inspect_err(|error| tracing::error!(%error, "facts cannot be stored"))
        .ok();
    let reaped = Arc::new(Notify::new());
    let ended = reap(agent.pid, Arc::clone(&reaped))
        .inspect_err(|error| tracing::error!(%error, "children cannot be reaped"));
    let keeper = Rc::new(Keeper {
        spec,
        clock,
        core: RefCell::new(core),
        terminal,
        claim,
        storing: RefCell::new(storing),
        replan: Notify::new(),
        input: Notify::new(),
        visited: Notify::new(),
        drained: Notify::new(),
        judged: Notify::new(),
        reaped,
        silent: watch::Sender::new(false),
        exited: watch::Sender::new(false),
        typing: Mutex::new(()),
        stop: watch::Sender::new(StopState::NotAsked),
        left: watch::Sender::new(false),
    });
    match ended {
        Ok(ended) => Ok(Started { keeper, listener, ended }),
        Err(error) => {
            keeper.end_tree_now().await;
            keeper.leave().await;
            Err(StartError::system("the keeper's threads", &error))
        }
    }
}

/// Starts the thread that reaps every process below this one, and tells of the agent's end.
fn reap(agent: u32, reaped: Arc<Notify>) -> io::Result<oneshot::Receiver<Reaped>> {
    let (tell, ended) = oneshot::channel();
    let mut tell = Some(tell);
    std::thread::Builder::new().name("reap".to_owned()).stack_size(64 << 10).spawn(move || {
        while let Some(one) = spawn::reap_next() {
            if let Some(tell) = tell.take_if(|_| one.pid == agent) {
                // nobody listens once the keeper leaves
                let _ = tell.send(one);
            }
            reaped.notify_one();
        }
        // no child is left, so there will be none: every process below was started by one
        reaped.notify_one();
    })?;
    Ok(ended)
}
