//! The process tree as `/proc` shows it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::time::Duration;

use super::{Process, Stat};

/// More than a whole `stat` has: a name of 64 bytes and 52 numbers.
const STAT: usize = 2_048;

/// The fields of a process behind its name, which may hold anything, a parenthesis too.
fn fields<T>(pid: u32, read: impl FnOnce(&[&str]) -> Option<T>) -> Option<T> {
    let mut text = [0; STAT];
    let length = fs::File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut text).ok()?;
    let text = text.get(..length)?;
    let end = text.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(&text[end + 1..]).ok()?;
    read(&rest.split_ascii_whitespace().collect::<Vec<&str>>())
}

pub(super) fn stat(pid: u32) -> Option<Stat> {
    fields(pid, stat_of)
}

/// The same, with time on a processor, in programs and in the kernel for them, and memory in use.
pub(super) fn stat_and_usage(pid: u32) -> Option<(Stat, Option<(Duration, u64)>)> {
    fields(pid, |fields| Some((stat_of(fields)?, usage_of(fields))))
}

fn stat_of(fields: &[&str]) -> Option<Stat> {
    Some(Stat {
        zombie: matches!(*fields.first()?, "Z" | "X" | "x"),
        parent: fields.get(1)?.parse().ok()?,
        start: fields.get(19)?.parse().ok()?,
    })
}

fn usage_of(fields: &[&str]) -> Option<(Duration, u64)> {
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    let ticks = number(11)?.saturating_add(number(12)?);
    let second = rustix::param::clock_ticks_per_second().max(1);
    let cpu = Duration::from_millis(ticks.saturating_mul(1_000) / second);
    let page = rustix::param::page_size() as u64;
    Some((cpu, number(21)?.saturating_mul(page)))
}

pub(super) fn name(pid: u32) -> Option<String> {
    let name = fs::read(format!("/proc/{pid}/comm")).ok()?;
    Some(String::from_utf8_lossy(name.trim_ascii_end()).into_owned())
}

fn all() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Children by parent: from the kernel's own lists, or by one scan where it was built without them.
pub(super) struct Children(Option<BTreeMap<u32, Vec<u32>>>);

impl Children {
    pub(super) fn new() -> Self {
        if fs::exists("/proc/thread-self/children").unwrap_or(false) {
            return Self(None);
        }
        let mut by_parent: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for pid in all() {
            if let Some(stat) = stat(pid) {
                by_parent.entry(stat.parent).or_default().push(pid);
            }
        }
        Self(Some(by_parent))
    }

    pub(super) fn of(&self, parent: u32) -> Vec<u32> {
        if let Some(by_parent) = &self.0 {
            return by_parent.get(&parent).cloned().unwrap_or_default();
        }
        // a child belongs to the thread that made it
        fs::read_dir(format!("/proc/{parent}/task"))
            .into_iter()
            .flatten()
            .filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok())
            .flat_map(|list| {
                list.split_ascii_whitespace()
                    .filter_map(|pid| pid.parse().ok())
                    .collect::<Vec<u32>>()
            })
            .collect()
    }
}

/// Unreadable for others' processes, and gone for those that ended meanwhile.
pub(super) fn environment(pid: u32) -> Option<Vec<String>> {
    let environ = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let entries = environ.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    Some(entries.map(std::borrow::Cow::into_owned).collect())
}

pub(super) fn with_environment(entry: &str) -> Vec<Process> {
    let holds = |pid: &u32| {
        // unreadable for others' processes, and gone for those that ended meanwhile
        fs::read(format!("/proc/{pid}/environ"))
            .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|e| e == entry.as_bytes()))
    };
    all().filter(holds).filter_map(Process::of).collect()
}
