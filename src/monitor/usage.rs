//! What the process tree of a session takes.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::domain::ids::SessionId;
use crate::domain::session::{Session, Usage};
use crate::domain::time::Timestamp;
use crate::os::proctree::{self, Process};

/// What was seen of a tree.
#[derive(Debug)]
struct Seen {
    at: Instant,
    cpu: BTreeMap<Process, Duration>,
}

/// Looks at process trees, and remembers what it saw: the share of a processor is that between two looks.
#[derive(Debug, Default)]
pub struct Sampler {
    last: BTreeMap<SessionId, Seen>,
}

impl Sampler {
    /// What runs below the keeper of a session takes, and below none of the `others`. At the first look
    /// the share is that since the agent's start.
    pub fn sample(
        &mut self,
        session: &Session,
        keeper: Process,
        others: &BTreeSet<Process>,
        (at, now): (Instant, Timestamp),
    ) -> Usage {
        let tree = proctree::usage(keeper, others);
        let since_start = session.runtime.started_at.map(|started| now.since(started));
        self.fold(&session.id, tree, at, since_start)
    }

    fn fold(
        &mut self,
        id: &SessionId,
        tree: proctree::Usage,
        at: Instant,
        since_start: Option<Duration>,
    ) -> Usage {
        let last = self.last.remove(id);
        let before = |process| {
            last.as_ref().and_then(|last| last.cpu.get(process)).copied().unwrap_or_default()
        };
        // What ended meanwhile is not counted; what is new is, as a whole.
        let spent: Duration =
            tree.cpu.iter().map(|(process, cpu)| cpu.saturating_sub(before(process))).sum();
        let over = match &last {
            Some(last) => Some(at.saturating_duration_since(last.at)),
            None => since_start,
        };
        let share = |over: Duration| 100.0 * spent.as_secs_f32() / over.as_secs_f32();
        let cpu_percent = over.filter(|over| !over.is_zero()).map(share);
        let rss_bytes = tree.rss;
        self.last.insert(id.clone(), Seen { at, cpu: tree.cpu });
        Usage { cpu_percent, rss_bytes }
    }

    /// Forgets all but these: the operator looks at others now.
    pub fn keep(&mut self, ids: &[SessionId]) {
        self.last.retain(|id, _| ids.contains(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(spent: &[(u32, u64)]) -> proctree::Usage {
        let cpu = spent.iter().map(|(pid, milliseconds)| {
            (Process { pid: *pid, start: 1 }, Duration::from_millis(*milliseconds))
        });
        proctree::Usage { cpu: cpu.collect(), rss: 4_096 }
    }

    /// The share of a processor is that between two looks, whatever came and ended meanwhile.
    #[test]
    fn the_share_is_of_the_time_between_two_looks() {
        let (mut sampler, id) = (Sampler::default(), SessionId::new("shop-1").unwrap());
        let start = crate::os::clock::monotonic();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut look = |spent: &[(u32, u64)], seconds| {
            let since_start = Some(Duration::from_secs(10));
            sampler.fold(&id, tree(spent), after(seconds), since_start).cpu_percent
        };
        assert_eq!(look(&[(1, 1_000), (2, 4_000)], 0), Some(50.0), "since the start");
        assert_eq!(look(&[(1, 1_500), (2, 6_000)], 5), Some(50.0));
        assert_eq!(look(&[(1, 1_500), (3, 1_000)], 10), Some(20.0), "2 ended, 3 is new");
        assert_eq!(look(&[(1, 1_500), (3, 1_000)], 15), Some(0.0));
    }
}
