//! Signals to processes that are surely the right ones (`spec/runtime.md` X3).

use std::io;

use rustix::process::Pid;
pub use rustix::process::Signal;

use super::proctree::Process;

/// Sends a signal to exactly this process; false where it is gone.
///
/// # Errors
/// The system refuses, as for a process of another user.
pub fn send(process: Process, signal: Signal) -> io::Result<bool> {
    let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) else {
        return Ok(false);
    };
    gone(send_checked(process, pid, signal))
}

/// The descriptor pins the process: its id cannot be given to another one between check and signal.
#[cfg(target_os = "linux")]
fn send_checked(process: Process, pid: Pid, signal: Signal) -> rustix::io::Result<()> {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    let pinned = pidfd_open(pid, PidfdFlags::empty())?;
    if Process::of(process.pid) != Some(process) {
        return Err(rustix::io::Errno::SRCH);
    }
    pidfd_send_signal(pinned, signal)
}

#[cfg(not(target_os = "linux"))]
fn send_checked(process: Process, pid: Pid, signal: Signal) -> rustix::io::Result<()> {
    if Process::of(process.pid) != Some(process) {
        return Err(rustix::io::Errno::SRCH);
    }
    rustix::process::kill_process(pid, signal)
}

/// Sends a signal to the process group that this process leads; false where it is gone.
///
/// # Errors
/// The system refuses.
pub fn send_group(leader: Process, signal: Signal) -> io::Result<bool> {
    let pid = i32::try_from(leader.pid).ok().and_then(Pid::from_raw);
    // a dead leader's id stays taken while its group has members, so only a reused id is ruled out
    let (Some(pid), true) = (pid, Process::of(leader.pid).is_none_or(|now| now == leader)) else {
        return Ok(false);
    };
    gone(rustix::process::kill_process_group(pid, signal))
}

fn gone(result: rustix::io::Result<()>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::SRCH) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// A signal by its name without `SIG`, as definitions and commands write it.
pub fn by_name(name: &str) -> Option<Signal> {
    Some(match name.strip_prefix("SIG").unwrap_or(name) {
        "HUP" => Signal::HUP,
        "INT" => Signal::INT,
        "QUIT" => Signal::QUIT,
        "TERM" => Signal::TERM,
        "KILL" => Signal::KILL,
        "CONT" => Signal::CONT,
        "STOP" => Signal::STOP,
        "TSTP" => Signal::TSTP,
        "USR1" => Signal::USR1,
        "USR2" => Signal::USR2,
        "WINCH" => Signal::WINCH,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn only_the_process_that_was_meant_gets_the_signal() {
        let mut child = std::process::Command::new("/bin/cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let process = Process::of(child.id()).unwrap();
        let other = Process { start: process.start + 1, ..process };
        assert!(!send(other, Signal::KILL).unwrap());
        assert!(process.is_alive());
        assert!(send(process, by_name("TERM").unwrap()).unwrap());
        assert_eq!(child.wait().unwrap().signal(), Some(15));
        assert!(!send(process, Signal::TERM).unwrap());
    }
}
