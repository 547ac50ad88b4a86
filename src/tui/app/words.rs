//! The words for what a session is and wants (`spec/look.md` sections 2 and 9).

use crate::domain::condition::Condition;
use crate::domain::plan::SkipReason;
use crate::domain::pr::PrState;
use crate::domain::session::Session;
use crate::domain::status::{Status, Zone};
use crate::domain::time::Timestamp;

/// The word of a status in the list, at most 11 cells.
pub fn status_word(status: Status) -> &'static str {
    match status {
        Status::NeedsInput => "needs input",
        Status::Stuck => "stuck",
        Status::Errored => "errored",
        Status::Detecting => "detecting",
        Status::CiFailed => "CI failed",
        Status::ChangesRequested => "changes",
        Status::Mergeable => "mergeable",
        Status::Approved => "approved",
        Status::PrOpen => "PR open",
        Status::Draft => "draft",
        Status::ReviewPending => "in review",
        Status::Working => "working",
        Status::Spawning => "spawning",
        Status::Idle => "idle",
        Status::Done => "done",
        Status::Merged => "merged",
        Status::Killed => "killed",
        Status::Cleanup => "cleaned up",
        Status::Terminated => "terminated",
    }
}

/// What a zone is called in the top line.
pub fn zone_word(zone: Zone) -> &'static str {
    match zone {
        Zone::Respond => "need you",
        Zone::Review => "review",
        Zone::Merge => "merge",
        Zone::Pending => "pending",
        Zone::Working => "working",
        Zone::Resting => "resting",
    }
}

/// Whether the status rests on facts that could not be read again (T2).
pub fn is_stale(session: &Session) -> bool {
    let by_pr = matches!(session.condition.zone(), Zone::Review | Zone::Merge | Zone::Pending);
    by_pr && session.prs.iter().any(|pr| pr.stale && pr.state == PrState::Open)
}

/// Whether it has attention that was not looked at yet: its title is bold.
pub fn is_unseen(condition: &Condition) -> bool {
    unseen_since(condition).is_some()
}

/// Since when it has attention that was not looked at.
pub fn unseen_since(condition: &Condition) -> Option<Timestamp> {
    let since = condition.waiting_since()?;
    condition.seen_at.is_none_or(|seen| seen < since).then_some(since)
}

/// Since when a row is as it is: what the age column counts from.
pub fn row_since(session: &Session) -> Timestamp {
    let condition = &session.condition;
    if let Some(deletion) = &session.deletion {
        return deletion.at;
    }
    match condition.zone() {
        Zone::Working | Zone::Resting => condition.last_activity_at.unwrap_or(condition.sorted_at),
        _ => condition.status_since,
    }
}

/// What a row of the status table says (`spec/lifecycle.md` section 2).
pub fn rule_text(rule: u8) -> &'static str {
    match rule {
        1 => "declared done",
        2 => "ended by hand, by itself, or lost",
        3 => "reclaimed",
        4 => "could not be started or probed",
        5 => "ended, no reason known",
        6 => "waits, or its condition is in doubt",
        7 => "no fact of this launch yet",
        8 => "a PR merged, none open",
        9 => "open PR, CI failing",
        10 => "the PR is a draft",
        11 => "changes requested on the PR",
        12 => "the PR can be merged",
        13 => "the PR is approved",
        14 => "the PR waits for a review",
        15 => "an open PR, nothing else known",
        16 => "idle",
        _ => "at work",
    }
}

/// Why a session is left out of a plan.
pub fn skip_word(reason: &SkipReason) -> String {
    match reason {
        SkipReason::Pinned => "pinned".to_owned(),
        SkipReason::PinnedDescendant(id) => format!("its child {id} is pinned"),
        SkipReason::OtherSection => "in another section now".to_owned(),
        SkipReason::OtherStatus => "has another status now".to_owned(),
        SkipReason::TooYoung => "active again".to_owned(),
        SkipReason::NotFound => "not there any more".to_owned(),
        SkipReason::InTrash => "in the trash already".to_owned(),
        SkipReason::NotInTrash => "not in the trash".to_owned(),
        SkipReason::Changed => "changed meanwhile".to_owned(),
        SkipReason::NotMoved => "its folder could not be moved to the trash".to_owned(),
        SkipReason::DidNotEnd => "did not end".to_owned(),
        SkipReason::Dropped => "dropped".to_owned(),
        SkipReason::DescendantDidNotEnd(id) => format!("its child {id} did not end"),
        SkipReason::NotRestorable(why) => why.clone(),
    }
}

/// Why one of several was left out, with one word for all of that kind.
pub fn skip_kind(reason: &SkipReason) -> &'static str {
    match reason {
        SkipReason::Pinned | SkipReason::PinnedDescendant(_) => "pinned",
        SkipReason::OtherSection => "moved",
        SkipReason::OtherStatus | SkipReason::Changed => "changed",
        SkipReason::TooYoung => "active again",
        SkipReason::NotFound => "gone",
        SkipReason::InTrash => "in the trash",
        SkipReason::NotInTrash => "not in the trash",
        SkipReason::NotMoved => "not moved",
        SkipReason::DidNotEnd | SkipReason::DescendantDidNotEnd(_) => "did not end",
        SkipReason::Dropped => "dropped",
        SkipReason::NotRestorable(_) => "cannot come back",
    }
}

/// `1 session`, `44 sessions`.
pub fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// The text with its first letter large; ids and paths stay as they are.
pub fn sentence(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or("");
    if first.contains(|c: char| c.is_ascii_digit() || matches!(c, '/' | '_' | '.')) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A number in few cells: 9999, `12k`, `1.4M`.
pub fn short_number(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{}k", n / 1_000),
        _ => format!("{}.{}M", n / 1_000_000, n % 1_000_000 / 100_000),
    }
}

/// `48M`, `1.2G`: at most 5 cells.
pub fn short_size(bytes: u64) -> String {
    let units = [(1_u64 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, "G")) => format!("{}.{}G", bytes / unit, bytes % unit * 10 / unit),
        Some((unit, name)) => format!("{}{name}", bytes / unit),
        None => bytes.to_string(),
    }
}

/// A duration of running work: `38s`, `2m 10s`, `1h 4m`.
pub fn duration(now: Timestamp, since: Timestamp) -> String {
    let seconds = now.since(since).as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m {}s", seconds / 60, seconds % 60),
        _ => format!("{}h {}m", seconds / 3_600, seconds % 3_600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_word_fits_its_column() {
        for status in Status::ALL {
            assert!(status_word(*status).len() <= 11, "{status}");
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(short_number(1_400_000), "1.4M");
        assert_eq!(count(1, "session"), "1 session");
    }
}
