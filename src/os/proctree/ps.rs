//! The process tree as `ps` prints it, for systems without `/proc`.

use std::time::Duration;

use super::Stat;
use crate::os::paths::fingerprint;

/// One line of the listing.
pub(super) struct Row {
    pub(super) pid: u32,
    pub(super) stat: Stat,
    pub(super) command: String,
}

/// Reads `pid ppid stat lstart(5 words) command`.
pub(super) fn parse(text: &str) -> Vec<Row> {
    text.lines().filter_map(row).collect()
}

fn row(line: &str) -> Option<Row> {
    let mut words = line.split_ascii_whitespace();
    let pid = words.next()?.parse().ok()?;
    let parent = words.next()?.parse().ok()?;
    let zombie = words.next()?.starts_with('Z');
    // the start time is only compared, so a number made of its words will do
    let start = fingerprint(words.by_ref().take(5).collect::<String>().as_bytes());
    let command = words.collect::<Vec<_>>().join(" ");
    Some(Row { pid, stat: Stat { parent, start, zombie }, command })
}

/// Reads `time rss`: `[[days-]hours:]minutes:seconds[.hundredths]` and kilobytes.
pub(super) fn usage_of(text: &str) -> Option<(Duration, u64)> {
    let mut words = text.split_ascii_whitespace();
    let time = words.next()?;
    let rss = words.next()?.parse::<u64>().ok()?.saturating_mul(1_024);
    let (days, time) = time.split_once('-').unwrap_or(("0", time));
    let (whole, hundredths) = time.split_once('.').unwrap_or((time, "0"));
    let mut seconds = 0_u64;
    for part in whole.split(':') {
        seconds = seconds.checked_mul(60)?.checked_add(part.parse().ok()?)?;
    }
    let days: u64 = days.parse().ok()?;
    let seconds = days.checked_mul(86_400)?.checked_add(seconds)?;
    let hundredths: u64 = hundredths.parse().ok()?;
    Some((Duration::from_secs(seconds) + Duration::from_millis(hundredths * 10), rss))
}

#[cfg(not(target_os = "linux"))]
pub(super) use listing::{Children, environment, name, stat, stat_and_usage, with_environment};

#[cfg(not(target_os = "linux"))]
mod listing {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use super::{Row, Stat, parse, usage_of};
    use crate::os::proctree::Process;

    fn list(arguments: &[&str]) -> Vec<Row> {
        let columns = "pid=,ppid=,stat=,lstart=,command=";
        Command::new("/bin/ps")
            .args(arguments)
            .args(["-ww", "-o", columns])
            .env("LC_ALL", "C")
            .stderr(Stdio::null())
            .output()
            .map(|output| parse(&String::from_utf8_lossy(&output.stdout)))
            .unwrap_or_default()
    }

    pub(in super::super) fn stat(pid: u32) -> Option<Stat> {
        list(&["-p", &pid.to_string()]).first().map(|row| row.stat)
    }

    pub(in super::super) fn stat_and_usage(pid: u32) -> Option<(Stat, Option<(Duration, u64)>)> {
        Some((stat(pid)?, usage(pid)))
    }

    fn usage(pid: u32) -> Option<(Duration, u64)> {
        let output = Command::new("/bin/ps")
            .args(["-p", &pid.to_string(), "-o", "time=,rss="])
            .env("LC_ALL", "C")
            .stderr(Stdio::null())
            .output()
            .ok()?;
        usage_of(&String::from_utf8_lossy(&output.stdout))
    }

    pub(in super::super) fn name(pid: u32) -> Option<String> {
        let row = list(&["-p", &pid.to_string()]).into_iter().next()?;
        let program = row.command.split(' ').next()?;
        Some(program.rsplit('/').next()?.to_owned())
    }

    pub(in super::super) struct Children(Vec<Row>);

    impl Children {
        pub(in super::super) fn new() -> Self {
            Self(list(&["-ax"]))
        }

        pub(in super::super) fn of(&self, parent: u32) -> Vec<u32> {
            let rows = self.0.iter();
            rows.filter(|row| row.stat.parent == parent).map(|row| row.pid).collect()
        }
    }

    pub(in super::super) fn environment(pid: u32) -> Option<Vec<String>> {
        let row = list(&["-E", "-p", &pid.to_string()]).into_iter().next()?;
        Some(row.command.split(' ').map(str::to_owned).collect())
    }

    pub(in super::super) fn with_environment(entry: &str) -> Vec<Process> {
        let rows = list(&["-axE"]);
        rows.iter()
            .filter(|row| row.command.split(' ').any(|word| word == entry))
            .map(|row| Process { pid: row.pid, start: row.stat.start })
            .collect()
    }
}
