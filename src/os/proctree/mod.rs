//! The process tree: who is below whom, and whether a process is still the one it was.
//!
//! A process is named by its id and its start time, so that an id which was given to another one is
//! never mistaken for it (`spec/runtime.md` X3).

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(not(target_os = "linux"), test))]
mod ps;

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::AsFd;
use std::time::Duration;

use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use ps as system;

/// A process that cannot be mistaken for a later one with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// When it was started, in a unit of the system; only compared.
    pub start: u64,
}

impl Process {
    /// The process that has this id now; none where there is no such process. A zombie has it still.
    pub fn of(pid: u32) -> Option<Self> {
        system::stat(pid).map(|stat| Self { pid, start: stat.start })
    }

    /// This very process.
    pub fn own() -> Option<Self> {
        Self::of(std::process::id())
    }

    /// Whether it still runs. A zombie does not.
    pub fn is_alive(self) -> bool {
        system::stat(self.pid).is_some_and(|stat| stat.start == self.start && !stat.zombie)
    }
}

/// What the system says of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stat {
    parent: u32,
    start: u64,
    zombie: bool,
}

/// Everything that runs below `root`, parents before their children, without `root` itself. The walk
/// leaves out every process of `stop_at` and what is below it: other keepers and their trees (X3).
pub fn descendants(root: Process, stop_at: &BTreeSet<Process>) -> Vec<Process> {
    let found = walk(root, stop_at, |pid| Some((system::stat(pid)?, ())));
    found.into_iter().map(|(process, ())| process).collect()
}

/// The same, with what else `look` tells of each from its one look.
fn walk<T>(
    root: Process,
    stop_at: &BTreeSet<Process>,
    look: impl Fn(u32) -> Option<(Stat, T)>,
) -> Vec<(Process, T)> {
    let children = system::Children::new();
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([root.pid]);
    let mut next = vec![root.pid];
    while let Some(parent) = next.pop() {
        for pid in children.of(parent) {
            let Some((stat, more)) = look(pid) else {
                continue;
            };
            let process = Process { pid, start: stat.start };
            if !seen.insert(pid) || stop_at.contains(&process) {
                continue;
            }
            // the first thread of a program may be a zombie while others live on, with children
            next.push(pid);
            if !stat.zombie {
                found.push((process, more));
            }
        }
    }
    found
}

/// What a process tree takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Usage {
    /// Time on a processor since its start, by process.
    pub cpu: BTreeMap<Process, Duration>,
    /// Memory that is in use, bytes; what several share counts for each.
    pub rss: u64,
}

/// What everything takes that runs below `root` and below none of `stop_at`; see [`descendants`].
pub fn usage(root: Process, stop_at: &BTreeSet<Process>) -> Usage {
    let mut usage = Usage::default();
    for (process, taken) in walk(root, stop_at, system::stat_and_usage) {
        if let Some((cpu, rss)) = taken {
            usage.cpu.insert(process, cpu);
            usage.rss = usage.rss.saturating_add(rss);
        }
    }
    usage
}

/// Whether `ancestor` is above `process`.
pub fn is_below(process: Process, ancestor: Process) -> bool {
    let mut pid = process.pid;
    // a bound, as the tree may change under us into what looks like a ring
    for _ in 0..1_000 {
        match system::stat(pid) {
            Some(stat) if stat.parent == ancestor.pid => return ancestor.is_alive(),
            Some(stat) if stat.parent > 1 => pid = stat.parent,
            _ => return false,
        }
    }
    false
}

/// The processes above one, the nearest first.
pub fn ancestors(process: Process) -> Vec<Process> {
    let mut found = Vec::new();
    let mut parent = system::stat(process.pid).map_or(0, |stat| stat.parent);
    // a bound, as the tree may change under us into what looks like a ring
    while found.len() < 1_000
        && parent > 1
        && let Some(stat) = system::stat(parent)
    {
        found.push(Process { pid: parent, start: stat.start });
        parent = stat.parent;
    }
    found
}

/// The leader of the process group in the foreground of a terminal, given by either end of it.
pub fn foreground(terminal: impl AsFd) -> Option<u32> {
    let group = rustix::termios::tcgetpgrp(terminal).ok()?;
    u32::try_from(group.as_raw_nonzero().get()).ok()
}

/// Name of a program, as far as the system keeps it.
pub fn name(pid: u32) -> Option<String> {
    system::name(pid)
}

/// Whether a process runs the program that this one runs, to the file; none where the system does not
/// say.
pub fn runs_own_program(pid: u32) -> Option<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let program = |of: &str| {
        let found = std::fs::metadata(format!("/proc/{of}/exe")).ok()?;
        Some((found.dev(), found.ino()))
    };
    Some(program(&pid.to_string())? == program("self")?)
}

/// Processes of this user that were started with `variable=value` in their environment: what is left
/// of a launch whose keeper was killed (X3).
///
/// On macOS the environment of other programs is only partly visible.
pub fn with_environment(variable: &str, value: &str) -> Vec<Process> {
    system::with_environment(&format!("{variable}={value}"))
}

/// The value of a variable in the environment that a process was started with.
pub fn variable(process: Process, name: &str) -> Option<String> {
    let [value] = variables(process, [name])?;
    value
}

/// The values of variables in the environment that a process was started with, from one look.
pub fn variables<const N: usize>(
    process: Process,
    names: [&str; N],
) -> Option<[Option<String>; N]> {
    let entries = system::environment(process.pid)?;
    let value = |name: &str| {
        let values = entries.iter().filter_map(|entry| entry.strip_prefix(name)?.strip_prefix('='));
        values.map(str::to_owned).next()
    };
    let values = names.map(value);
    // What was read is this process's only if it is still there.
    (Process::of(process.pid) == Some(process)).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command, Stdio};

    struct Ended(Child);

    impl Drop for Ended {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn start(script: &str, token: &str) -> Ended {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", script])
            .env("CALLBOARD_TEST_TOKEN", token)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // the script says when it is ready
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).unwrap();
        Ended(child)
    }

    #[test]
    fn the_walk_finds_children_and_stops_where_told() {
        // the shell gives its own input to nothing in the background; a copy of it waits
        let child = start("exec 3<&0; cat <&3 & cat <&3 & echo ready; wait", "walk");
        let root = Process::of(child.0.id()).unwrap();
        let all = descendants(root, &BTreeSet::new());
        assert_eq!(all.len(), 2, "{all:?}");
        assert!(all.iter().all(|process| is_below(*process, root) && process.is_alive()));
        let without = descendants(root, &BTreeSet::from([all[0]]));
        assert_eq!(without, all[1..]);
        for process in all {
            crate::os::signals::send(process, crate::os::signals::Signal::KILL).unwrap();
        }
    }

    #[test]
    fn what_a_tree_takes_is_summed() {
        let child = start("while :; do :; done & echo ready; exec cat", "usage");
        // the shell that spins is below the one that became a cat
        let root = Process::of(child.0.id()).unwrap();
        let limit = crate::os::clock::monotonic() + Duration::from_secs(30);
        let spinning = loop {
            let usage = usage(root, &BTreeSet::new());
            if usage.cpu.values().any(|cpu| !cpu.is_zero()) {
                break usage;
            }
            assert!(crate::os::clock::monotonic() < limit, "it never gets a processor");
        };
        assert_eq!(spinning.cpu.len(), 1, "{spinning:?}");
        assert!(spinning.rss > 0);
        let all: BTreeSet<Process> = spinning.cpu.keys().copied().collect();
        assert_eq!(usage(root, &all), Usage::default());
        for process in all {
            crate::os::signals::send(process, crate::os::signals::Signal::KILL).unwrap();
        }
    }

    #[test]
    fn a_process_is_not_its_successor() {
        let own = Process::own().unwrap();
        assert!(own.is_alive());
        assert!(!Process { start: own.start + 1, ..own }.is_alive());
        assert_eq!(Process::of(u32::MAX >> 1), None);
    }

    #[test]
    fn a_launch_is_found_by_its_token() {
        let token = crate::os::random::token();
        let child = start("echo ready; read _", &token);
        let found = with_environment("CALLBOARD_TEST_TOKEN", &token);
        assert_eq!(variable(found[0], "CALLBOARD_TEST_TOKEN").unwrap(), token);
        assert_eq!(variable(found[0], "CALLBOARD_TEST"), None);
        assert_eq!(found.iter().map(|process| process.pid).collect::<Vec<_>>(), [child.0.id()]);
        assert!(with_environment("CALLBOARD_TEST_TOKEN", &crate::os::random::token()).is_empty());
    }

    #[test]
    fn a_listing_of_ps_is_read() {
        let text = "  12     1 Ss   Mon Nov 30 03:01:02 2026 /sbin/init -x\n 77 12 Z Mon Nov 30 03:01:03 2026 sh\n";
        let rows = ps::parse(text);
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].pid, rows[0].stat.parent, rows[0].stat.zombie), (12, 1, false));
        assert_eq!(rows[0].command, "/sbin/init -x");
        assert!(rows[1].stat.zombie);
        assert_ne!(rows[0].stat.start, rows[1].stat.start);
        let minutes = Duration::from_millis(62_030);
        assert_eq!(ps::usage_of("  1:02.03  2048\n"), Some((minutes, 2 << 20)));
        let days = Duration::from_secs(2 * 86_400 + 3 * 3_600 + 4 * 60 + 5);
        assert_eq!(ps::usage_of("2-03:04:05 1"), Some((days, 1_024)));
    }
}
