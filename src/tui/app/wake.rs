//! What changes by time alone, and when.

use std::time::Duration;

use crate::domain::time::Timestamp;

use super::list::List;
use super::usage::MEASURED_AFTER;
use super::{App, LOADING_AFTER, Looking, REREAD_AFTER, SEEN_AFTER, View, words};

impl App {
    /// The next time at which something changes by time alone.
    pub fn wake(&self) -> Option<Timestamp> {
        let looking = self.looking.as_ref().filter(|looking| self.unseen_since(looking).is_some());
        let seen = looking.map(|looking| looking.since.plus(SEEN_AFTER));
        let reread = self.stale.then(|| self.read_at.plus(REREAD_AFTER));
        let loading = |list: &List| {
            let awaited = !list.loaded && list.ticket.is_some();
            Some(list.asked_at.plus(LOADING_AFTER)).filter(|at| awaited && *at > self.now)
        };
        // Only the jobs view shows how long work takes.
        let running = self.jobs.running.first().filter(|_| self.view == View::Jobs);
        let running = running.map(|_| self.now.plus(Duration::from_secs(1)));
        let measured = self.measured.as_ref().map(|(_, at)| at.plus(MEASURED_AFTER));
        let list = self.current_list();
        [
            seen,
            measured,
            reread,
            self.everywhere.wake(self.now),
            loading(list),
            running,
            list.wake(self.last_key),
            self.toasts.wake(self.now),
            self.notices.wake(&self.setup.notifications),
            self.next_age(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Since when the session that is looked at has attention that was neither seen nor reported.
    pub fn unseen_since(&self, looking: &Looking) -> Option<Timestamp> {
        let session = self.known(&looking.id)?;
        let since = words::unseen_since(&session.condition)?;
        (looking.told != Some(since)).then_some(since)
    }

    /// When the next age on view turns over.
    fn next_age(&self) -> Option<Timestamp> {
        let turn = |session| next_turn(self.now, words::row_since(session));
        if self.view == View::Wall {
            return self.wall.tiles.iter().filter_map(|id| self.known(id)).map(turn).min();
        }
        let list = self.current_list();
        let lines = list.lines();
        let shown = lines.iter().skip(list.top).take(usize::from(self.setup.size.1));
        shown.filter_map(|line| list.rows().get(line.row)).map(turn).min()
    }
}

/// When the age of something that began at `since` turns over next.
fn next_turn(now: Timestamp, since: Timestamp) -> Timestamp {
    let minutes = now.since(since).as_secs() / 60;
    let step = match minutes {
        0..60 => 1,
        60..1_440 => 60,
        _ => 1_440,
    };
    since.plus(Duration::from_secs((minutes / step + 1) * step * 60))
}
