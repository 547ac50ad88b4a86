//! Starting our own program apart from us, and becoming such a process (`spec/runtime.md` X1, X3).

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// What a process of ours is called in a listing, whatever file it was started from.
const NAME: &str = "callboard";

/// Where our own program is found, even after its file was replaced (X6).
///
/// # Errors
/// The system does not say.
pub fn own_binary() -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    if std::fs::exists("/proc/self/exe").unwrap_or(false) {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe()
}

/// Where our own executable lies, for those who start it later: by its name, under which a newer one may lie
/// by then.
///
/// # Errors
/// Nobody knows where it is.
pub fn own_path() -> io::Result<PathBuf> {
    std::env::current_exe().map(|path| without_deleted(&path))
}

/// Linux says so of an executable that was replaced while it runs.
fn without_deleted(path: &Path) -> PathBuf {
    let named = path.as_os_str().as_bytes().strip_suffix(b" (deleted)");
    match named {
        Some(named) if !path.exists() => PathBuf::from(OsStr::from_bytes(named)),
        _ => path.to_owned(),
    }
}

/// A process that was started to live on its own.
#[derive(Debug)]
pub struct Detached {
    /// The pipe to its standard input.
    pub input: ChildStdin,
    /// The pipe from its standard output.
    pub output: ChildStdout,
    /// To wait for its end.
    pub end: Ending,
}

/// The end of a process. Dropped before it came, the process is reaped by the runtime.
#[derive(Debug)]
pub struct Ending {
    child: Child,
}

impl Ending {
    /// Waits for it and reaps the process.
    ///
    /// # Errors
    /// The system refuses to wait.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Tells it that its terminal goes. One that has ended needs no telling.
    pub fn hang_up(&self) {
        let pid = self.child.id().and_then(|pid| i32::try_from(pid).ok());
        if let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::HUP);
        }
    }
}

/// What the C library reads before a keeper begins: its few threads share one heap, which is
/// smaller than one for each.
const LEAN: (&str, &str) = ("MALLOC_ARENA_MAX", "1");

/// Starts `binary` with pipes for input and output, an empty environment but for [`LEAN`], no other open files of
/// ours, and the root folder as its own. It makes itself a session of its own by [`detach`].
///
/// # Errors
/// The program cannot be started.
pub fn detached(binary: &Path, arguments: &[&str]) -> io::Result<Detached> {
    let mut child = Command::new(binary)
        .arg0(NAME)
        .args(arguments)
        .env_clear()
        .env(LEAN.0, LEAN.1)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("the pipes of a new process are missing"));
    };
    Ok(Detached { input, output, end: Ending { child } })
}

/// Starts `binary` with our environment, without streams, and the root folder as its own, to live on
/// when we are gone. From its first moment it is in a process group of its own, so that the end of our
/// terminal, which may come at once, does not end it.
///
/// # Errors
/// The program cannot be started.
pub fn apart(binary: &Path, arguments: &[&str]) -> io::Result<()> {
    on_its_own(std::process::Command::new(binary).arg0(NAME).args(arguments)).spawn().map(drop)
}

/// Without streams, in a process group of its own, in the root folder.
fn on_its_own(command: &mut std::process::Command) -> &mut std::process::Command {
    let command = command.current_dir("/").process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

/// Starts `argv` with this environment alone, without streams, in a process group of its own. It is not waited
/// for: the caller reaps every child. Answers its id.
///
/// # Errors
/// No program is named, or it cannot be started.
pub fn unwaited(argv: &[String], env: &[(String, String)]) -> io::Result<u32> {
    let (program, arguments) =
        argv.split_first().ok_or_else(|| io::Error::other("no program is named"))?;
    let mut command = std::process::Command::new(program);
    command.args(arguments).env_clear().envs(env.iter().map(|(name, value)| (name, value)));
    on_its_own(&mut command).spawn().map(|child| child.id())
}

/// Closes what whoever started this process left open for it beside the standard streams: a process that
/// lives on its own would hold it, a lock for instance, for as long as it lives (X1). To be called
/// before this process opens anything.
#[expect(unsafe_code, reason = "nobody in this process knows of these descriptors yet")]
pub fn close_inherited() {
    let entries = std::fs::read_dir("/dev/fd").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<RawFd>().ok());
    let inherited: Vec<RawFd> = numbers.filter(|number| *number > 2).collect();
    for number in inherited {
        // SAFETY: the descriptor that the folder was read with is closed by now, which is seen here;
        // no value of this process owns any other.
        unsafe {
            if rustix::io::fcntl_getfd(BorrowedFd::borrow_raw(number)).is_ok() {
                rustix::io::close(number);
            }
        }
    }
}

/// Starts a program of the operator's that has our terminal and our environment, in this folder.
///
/// # Errors
/// No program is named, or it cannot be started there.
pub fn foreground(argv: &[String], folder: &Path) -> io::Result<Ending> {
    let (program, arguments) =
        argv.split_first().ok_or_else(|| io::Error::other("no program is named"))?;
    let child = Command::new(program).args(arguments).current_dir(folder).spawn()?;
    Ok(Ending { child })
}

/// The system's program that opens a file or an address.
pub const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Runs a program of the operator's beside us: with our environment and `variables`, `input` on its standard
/// input and nothing of the terminal. In a process group of its own, so that what it leaves running outlives us.
///
/// # Errors
/// It cannot be started, or its end cannot be waited for.
pub async fn aside(
    program: &str,
    arguments: &[String],
    variables: &[(&str, &str)],
    input: &[u8],
) -> io::Result<ExitStatus> {
    let mut child = Command::new(program)
        .args(arguments)
        .envs(variables.iter().copied())
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        // One that does not read its input has its reasons; how it ends says more.
        let _ = pipe.write_all(input).await;
    }
    child.wait().await
}

/// Whether [`detach`] makes a process the one to whom orphans below it are given.
pub const ADOPTS_ORPHANS: bool = cfg!(target_os = "linux");

/// Makes this process leader of a session of its own, without terminal, and, where the system can do
/// it, the one to whom orphans below it are given (X1, X3).
///
/// # Errors
/// It already leads a process group.
pub fn detach() -> io::Result<()> {
    rustix::process::setsid()?;
    #[cfg(target_os = "linux")]
    {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        // started through a link, the process would have the name of the link
        rustix::thread::set_name(c"callboard")?;
    }
    Ok(())
}

/// Takes the standard streams for private use: gives input and output, and puts null in their place
/// and `log` in the place of the error stream.
///
/// # Errors
/// A descriptor cannot be duplicated.
pub fn take_standard_streams(log: &File) -> io::Result<(OwnedFd, OwnedFd)> {
    let input = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let output = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    let null = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(log)?;
    Ok((input, output))
}

/// The user at the other end of a Unix socket.
///
/// # Errors
/// The system does not say.
pub fn peer_user(stream: &tokio::net::UnixStream) -> io::Result<u32> {
    stream.peer_cred().map(|peer| peer.uid())
}

/// The user of this process.
pub fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The group of this process.
pub fn own_group() -> u32 {
    rustix::process::getgid().as_raw()
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reaped {
    /// Process id.
    pub pid: u32,
    /// Exit code, where it ended by itself.
    pub code: Option<i32>,
    /// Signal that ended it.
    pub signal: Option<i32>,
}

/// Waits for the end of any child and reaps it; none once there are no children. Blocks its thread;
/// in a process that calls it nothing else may wait for a child.
pub fn reap_next() -> Option<Reaped> {
    loop {
        match rustix::process::wait(rustix::process::WaitOptions::empty()) {
            Ok(Some((pid, status))) => {
                return Some(Reaped {
                    pid: u32::try_from(pid.as_raw_nonzero().get()).unwrap_or(0),
                    code: status.exit_status(),
                    signal: status.terminating_signal(),
                });
            }
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H1: the name under which a newer program lies, not what Linux says of a replaced one.
    #[test]
    fn a_replaced_program_is_known_by_its_name_h1() {
        let replaced = without_deleted(Path::new("/nowhere/callboard (deleted)"));
        assert_eq!(replaced, Path::new("/nowhere/callboard"));
        let folder = tempfile::tempdir().unwrap();
        let named = folder.path().join("callboard (deleted)");
        std::fs::write(&named, "").unwrap();
        assert_eq!(without_deleted(&named), named);
    }
}
