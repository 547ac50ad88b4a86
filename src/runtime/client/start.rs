//! Starting a keeper (`spec/runtime.md` X1, X2; `spec/lifecycle.md` C4).

use std::io;
use std::path::Path;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};

use super::{ClientError, ClientResult};
use crate::os::spawn::{self, Detached, Ending};
use crate::runtime::launch::{LaunchNote, LaunchSpec, PUBLISH, Ready};

/// A keeper that is ready and not published: dropping this ends it with its agent.
#[derive(Debug)]
pub struct Launching {
    ready: Ready,
    pipe: ChildStdin,
    notes: BufReader<ChildStdout>,
    end: Ending,
}

/// Starts a keeper as `binary keeper` and waits until it is ready: socket bound, agent started. The
/// deadline is the caller's; dropping this call ends what it started.
///
/// # Errors
/// [`ClientError::Start`] with what kept the agent from being started, [`ClientError::Spawn`] where the
/// keeper itself does not run.
pub async fn start(spec: &LaunchSpec, binary: &Path) -> ClientResult<Launching> {
    let Detached { mut input, output, mut end } =
        spawn::detached(binary, &["keeper"]).map_err(ClientError::Spawn)?;
    let mut line = serde_json::to_vec(spec).map_err(|error| ClientError::Spawn(error.into()))?;
    line.push(b'\n');
    // a keeper that fails early says why before it closes the pipe
    let sent = input.write_all(&line).await;
    let mut notes = BufReader::new(output);
    match next_note(&mut notes).await {
        Ok(LaunchNote::Ready(ready)) => Ok(Launching { ready, pipe: input, notes, end }),
        Ok(LaunchNote::Failed(error)) => {
            end.wait().await.map_err(ClientError::Spawn)?;
            Err(error.into())
        }
        Ok(LaunchNote::Published) => Err(ClientError::Unexpected),
        Err(error) => Err(ClientError::Spawn(sent.err().unwrap_or(error))),
    }
}

async fn next_note(notes: &mut BufReader<ChildStdout>) -> io::Result<LaunchNote> {
    let mut line = String::new();
    if notes.read_line(&mut line).await? == 0 {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ended without a word"));
    }
    serde_json::from_str(&line).map_err(io::Error::other)
}

impl Launching {
    /// What the keeper said.
    pub fn ready(&self) -> Ready {
        self.ready
    }

    /// Publishes: from now on the keeper outlives its creator (C4).
    ///
    /// # Errors
    /// The keeper is gone.
    pub async fn publish(mut self) -> ClientResult<()> {
        let line = format!("{PUBLISH}\n");
        self.pipe.write_all(line.as_bytes()).await.map_err(ClientError::Spawn)?;
        match next_note(&mut self.notes).await.map_err(ClientError::Spawn)? {
            LaunchNote::Published => Ok(()),
            LaunchNote::Failed(error) => Err(error.into()),
            LaunchNote::Ready(_) => Err(ClientError::Unexpected),
        }
    }

    /// Gives it up: the keeper ends its agent; returns when it has exited.
    ///
    /// # Errors
    /// The system refuses to wait.
    pub async fn abandon(mut self) -> ClientResult<()> {
        drop(self.pipe);
        self.end.wait().await.map(|_| ()).map_err(ClientError::Spawn)
    }
}
