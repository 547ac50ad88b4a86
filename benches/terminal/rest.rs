//! What many agents cost that do nothing.

use std::collections::BTreeMap;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

use callboard::domain::ids::WorkspaceName;
use callboard::os::paths::Home;
use callboard::runtime::keeper;

use crate::subjects::Place;
use crate::support::Figures;

/// Agents at rest.
const AGENTS: usize = 100;
/// Sessions beside the dashboard.
const BESIDE: usize = 200;
/// Lines that fill history and screen.
const ROWS: usize = 1_000;
/// How long it takes until nothing of a start or an end of work is left to be done.
const SETTLED: Duration = Duration::from_mins(1);
/// How long rest is looked at.
const REST: Duration = Duration::from_secs(10);

pub(crate) fn measure(figures: &mut Figures) {
    let place = Place::new();
    for _ in 0..AGENTS {
        place.spawn(&["agent", "still", "0"]);
    }
    let keepers = keepers(&place);
    assert_eq!(keepers.len(), AGENTS);
    sleep(SETTLED);
    report(figures, "fresh keeper", &keepers, 1.0);
    let before = spent(&keepers);
    sleep(REST);
    let after = spent(&keepers);
    figures.number("100 keepers at rest, CPU ticks in 10 s", after.ticks - before.ticks, Some(0));
    figures.number("100 keepers at rest, wake-ups in 10 s", after.wakes - before.wakes, Some(0));

    for _ in AGENTS..BESIDE {
        place.spawn(&["agent", "still", &ROWS.to_string()]);
    }
    let full: Vec<u32> =
        self::keepers(&place).into_iter().filter(|pid| !keepers.contains(pid)).collect();
    sleep(SETTLED);
    report(figures, "full keeper", &full, 2.5);
    let total = memory(&full).values().map(|memory| memory.shared_part).sum::<f64>();
    figures.number("100 full keepers, PSS in MiB", (total / 1_024.0) as u64, Some(250));

    let mut dashboard = place.dashboard();
    dashboard.write(b"\x1d");
    dashboard.settle();
    // Ages below a minute change all the time.
    sleep(SETTLED);
    let own = [dashboard.pid()];
    let before = spent(&own);
    sleep(REST);
    let after = spent(&own);
    // A hundredth of a second a tick: ten of a thousand in ten seconds are 1 %.
    let ticks = after.ticks - before.ticks;
    figures.number("dashboard beside 200 at rest, CPU ticks in 10 s", ticks, Some(5));
    let resident = memory(&own)[&own[0]].resident / 1_024.0;
    figures.number("dashboard beside 200 at rest, resident MiB", resident as u64, Some(60));
    drop(dashboard);
    place.callboard(&["clear", "--yes", "--json"]);

    let sessions: Vec<_> = (0..AGENTS).map(|at| format!("s{at}")).collect();
    let rows = ROWS.to_string();
    for name in &sessions {
        let command = format!("{} agent still {rows}", place.own);
        place.tmux(&["new-session", "-d", "-x", "120", "-y", "40", "-s", name, &command]);
    }
    sleep(Duration::from_secs(3));
    let server: u32 = place.tmux(&["display-message", "-p", "#{pid}"]).trim().parse().unwrap();
    let of_server = memory(&[server])[&server].private / 1_024.0;
    figures.number("tmux server with 100 full sessions, private MiB", of_server as u64, None);
}

fn report(figures: &mut Figures, what: &str, keepers: &[u32], most: f64) {
    let mut private: Vec<f64> =
        memory(keepers).values().map(|memory| memory.private / 1_024.0).collect();
    private.sort_by(f64::total_cmp);
    let (median, last) = (private[private.len() / 2], private[private.len() - 1]);
    figures.amount(format!("{what}, private MiB, median"), median, Some(most));
    figures.amount(format!("{what}, private MiB, most"), last, None);
}

fn keepers(place: &Place) -> Vec<u32> {
    let home = Home::at(place.home()).unwrap();
    let socket = home.socket(&WorkspaceName::default(), &"chat-1".parse().unwrap());
    let listed = keeper::listed(socket.parent().unwrap());
    listed.into_iter().map(|listed| listed.keeper.pid).collect()
}

/// KiB of a process.
struct Memory {
    private: f64,
    shared_part: f64,
    resident: f64,
}

fn memory(pids: &[u32]) -> BTreeMap<u32, Memory> {
    let of = |pid: &u32| {
        let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
        let field = |name: &str| -> f64 {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().nth(1).unwrap().parse().unwrap()
        };
        let memory = Memory {
            private: field("Private_Clean:") + field("Private_Dirty:"),
            shared_part: field("Pss:"),
            resident: field("Rss:"),
        };
        (*pid, memory)
    };
    pids.iter().map(of).collect()
}

/// What processes have used so far.
struct Spent {
    ticks: u64,
    wakes: u64,
}

fn spent(pids: &[u32]) -> Spent {
    let mut spent = Spent { ticks: 0, wakes: 0 };
    for pid in pids {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        spent.ticks += fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        for task in fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten() {
            let status = fs::read_to_string(task.path().join("status")).unwrap_or_default();
            let wakes = status.lines().find_map(|it| it.strip_prefix("voluntary_ctxt_switches:"));
            spent.wakes += wakes.map_or(0, |wakes| wakes.trim().parse::<u64>().unwrap());
        }
    }
    spent
}
