//! Running a helper program to its end: own process group, bounded output, ended when the caller
//! stops waiting.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

/// How long a program may take to end after TERM before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// How long output is still read after the program ended: what it left running may hold the pipe.
const DRAIN: Duration = Duration::from_millis(200);

/// What a finished program left.
#[derive(Debug)]
pub struct Finished {
    /// Exit code or signal.
    pub status: ExitStatus,
    /// Standard output, cut at the limit.
    pub stdout: Vec<u8>,
    /// Standard error, cut at the limit.
    pub stderr: Vec<u8>,
    /// Some output was dropped.
    pub cut: bool,
}

/// Runs `command` to its end with at most `limit` bytes kept of each output. Dropping the future
/// ends the program and its process group: TERM, and KILL two seconds later.
///
/// # Errors
/// The program cannot be started or waited for.
pub async fn run(command: Command, limit: usize) -> io::Result<Finished> {
    run_with_input(command, Stdio::null(), limit).await
}

/// The same with something as standard input.
///
/// # Errors
/// As for [`run`].
pub async fn run_with_input(
    mut command: Command,
    input: Stdio,
    limit: usize,
) -> io::Result<Finished> {
    command
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    let mut child = command.spawn()?;
    let (out_pipe, err_pipe) = (child.stdout.take(), child.stderr.take());
    let mut group = Group { child: Some(child) };
    let (mut stdout, mut stderr) = (Captured::new(limit), Captured::new(limit));
    let status = {
        let read = async { tokio::join!(stdout.read(out_pipe), stderr.read(err_pipe)) };
        tokio::pin!(read);
        tokio::select! {
            _ = &mut read => group.wait().await?,
            status = group.wait() => {
                // A timeout only means that someone else still holds the pipe.
                let _ = tokio::time::timeout(DRAIN, &mut read).await;
                status?
            }
        }
    };
    group.child = None;
    let cut = stdout.cut || stderr.cut;
    Ok(Finished { status, stdout: stdout.bytes, stderr: stderr.bytes, cut })
}

/// Output kept up to a limit; the rest is read and dropped, so that the program never blocks.
struct Captured {
    bytes: Vec<u8>,
    limit: usize,
    cut: bool,
}

impl Captured {
    fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, cut: false }
    }

    async fn read(&mut self, pipe: Option<impl AsyncRead + Unpin>) {
        let Some(mut pipe) = pipe else { return };
        let mut chunk = vec![0; 16 * 1024];
        while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
            let room = self.limit.saturating_sub(self.bytes.len());
            self.cut |= count > room;
            self.bytes.extend_from_slice(&chunk[..count.min(room)]);
        }
    }
}

/// A running program whose process group ends with it.
struct Group {
    child: Option<Child>,
}

impl Group {
    async fn wait(&mut self) -> io::Result<ExitStatus> {
        match &mut self.child {
            Some(child) => child.wait().await,
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        let Some(leader) = child.id().and_then(|id| Pid::from_raw(id as i32)) else {
            return;
        };
        match tokio::runtime::Handle::try_current() {
            // TERM first: git then takes its lock files away.
            Ok(runtime) => {
                signal(leader, Signal::TERM);
                runtime.spawn(async move {
                    if tokio::time::timeout(GRACE, child.wait()).await.is_err() {
                        signal(leader, Signal::KILL);
                    }
                });
            }
            Err(_) => signal(leader, Signal::KILL),
        }
    }
}

/// A group that is gone already is no failure.
fn signal(leader: Pid, signal: Signal) {
    if let Err(error) = kill_process_group(leader, signal) {
        tracing::debug!(%error, "a process group could not be signalled");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(line: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(line);
        command
    }

    #[tokio::test]
    async fn output_is_kept_up_to_the_limit() {
        let done = run(shell("printf 123456; printf abc >&2; exit 3"), 4).await.unwrap();
        assert_eq!((done.stdout.as_slice(), done.stderr.as_slice()), (&b"1234"[..], &b"abc"[..]));
        assert_eq!((done.status.code(), done.cut), (Some(3), true));
    }

    #[tokio::test]
    async fn what_it_leaves_running_does_not_hold_us_up() {
        let done = run(shell("cat </dev/zero >/dev/null & echo $!"), 100).await.unwrap();
        let left: i32 = String::from_utf8(done.stdout).unwrap().trim().parse().unwrap();
        rustix::process::kill_process(Pid::from_raw(left).unwrap(), Signal::KILL).unwrap();
    }

    #[tokio::test]
    async fn dropping_ends_the_group() {
        let folder = tempfile::tempdir().unwrap();
        let ready = folder.path().join("ready");
        let line = format!(
            "trap '' HUP; cat </dev/zero >/dev/null & echo $! > {0}.part; mv {0}.part {0}; wait",
            ready.display()
        );
        let task = tokio::spawn(run(shell(&line), 100));
        let pid = loop {
            match std::fs::read_to_string(&ready) {
                Ok(text) => break Pid::from_raw(text.trim().parse().unwrap()).unwrap(),
                Err(_) => tokio::task::yield_now().await,
            }
        };
        task.abort();
        while rustix::process::test_kill_process(pid).is_ok() {
            tokio::task::yield_now().await;
        }
    }
}
