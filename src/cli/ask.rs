//! Asking the operator before something is done.

use std::collections::BTreeSet;
use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use crate::domain::ids::SessionId;
use crate::domain::plan::Plan;

use super::error::CliError;
use super::output::{Table, lines};

/// Ids that a question names; more are counted.
const NAMED: usize = 12;

/// Asks on the terminal.
///
/// # Errors
/// [`CliError::NobodyToAsk`] where standard input is no terminal, [`CliError::Declined`] where the
/// answer is not yes.
pub(crate) fn confirm(verb: &'static str, question: &str) -> Result<(), CliError> {
    if !io::stdin().is_terminal() {
        return Err(CliError::NobodyToAsk(verb));
    }
    if said_yes(question).map_err(CliError::io("asking"))? {
        Ok(())
    } else {
        Err(CliError::Declined)
    }
}

fn said_yes(question: &str) -> io::Result<bool> {
    let mut stderr = io::stderr().lock();
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// The guard of a delete (`spec/lifecycle.md` D3): what was admitted once stays admitted.
pub(crate) struct Guard {
    /// Ids that the operator admitted.
    admitted: Mutex<BTreeSet<SessionId>>,
    /// `--yes`: added descendants are admitted unasked.
    yes: bool,
}

impl Guard {
    /// A guard that has admitted `plan`.
    pub(crate) fn new(plan: &Plan, yes: bool) -> Self {
        Self { admitted: Mutex::new(plan.ids().into_iter().collect()), yes }
    }

    /// Whether `plan` may be carried out; asks where it holds more than what was admitted.
    pub(crate) fn admits(&self, plan: &Plan) -> bool {
        let mut admitted = self.admitted.lock().unwrap_or_else(PoisonError::into_inner);
        let added: Vec<_> =
            plan.items.iter().filter(|item| !admitted.contains(&item.row.id)).collect();
        let ids: Vec<SessionId> = added.iter().map(|item| item.row.id.clone()).collect();
        let fine = added.is_empty()
            || if self.yes {
                added.iter().all(|item| item.pulled_in_by.is_some())
            } else {
                let names = names(&ids);
                io::stdin().is_terminal()
                    && said_yes(&format!("The plan grew by {names}. Go on?")).unwrap_or(false)
            };
        if fine {
            admitted.extend(ids);
        }
        fine
    }
}

/// The first few ids, and how many more.
pub(crate) fn names(ids: &[SessionId]) -> String {
    let first: Vec<&str> = ids.iter().take(NAMED).map(SessionId::as_str).collect();
    match ids.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// A plan as a table.
pub(crate) fn plan_text(plan: &Plan) -> String {
    let mut table = Table::new(&["id", "live", "dirty", "unpushed", "pr", "pinned", "because of"]);
    let number = |value: Option<u32>| value.map_or_else(|| "?".to_owned(), |n| n.to_string());
    let mark = |set: bool| if set { "yes" } else { "" };
    for item in &plan.items {
        table.row([
            item.row.id.as_str(),
            mark(item.row.live),
            &number(item.advice.dirty_files),
            &number(item.advice.unpushed_commits),
            &item.row.open_pr.map(|pr| format!("#{pr}")).unwrap_or_default(),
            mark(item.row.pinned),
            item.pulled_in_by.as_ref().map_or("", SessionId::as_str),
        ]);
    }
    let skipped = lines(&plan.skipped, |skip| format!("skipped {}: {}", skip.id, skip.reason));
    if plan.is_empty() { format!("nothing to do\n{skipped}") } else { format!("{table}{skipped}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::plan::{Advice, PlanItem, PlanRow};
    use crate::domain::rail::SectionKey;
    use crate::domain::status::Status;
    use crate::domain::time::Timestamp;

    fn item(id: &str, pulled_in_by: Option<&str>) -> PlanItem {
        PlanItem {
            row: PlanRow {
                id: SessionId::new(id).unwrap(),
                parent: None,
                title: String::new(),
                agent: "shell".to_owned(),
                status: Status::Idle,
                section: SectionKey::conversations(),
                pinned: false,
                live: true,
                last_activity_at: Timestamp(0),
                open_pr: None,
            },
            pulled_in_by: pulled_in_by.map(|id| SessionId::new(id).unwrap()),
            advice: Advice::default(),
        }
    }

    /// D3: `--yes` admits added descendants, and nothing else that is new.
    #[test]
    fn yes_admits_added_descendants_only_d3() {
        let plan = Plan { items: vec![item("a-1", None)], skipped: Vec::new() };
        let guard = Guard::new(&plan, true);
        assert!(guard.admits(&plan));
        let grown = Plan { items: vec![item("a-1", None), item("a-2", Some("a-1"))], ..plan };
        assert!(guard.admits(&grown));
        let other = Plan { items: vec![item("a-3", None)], ..Plan::default() };
        assert!(!guard.admits(&other));
    }

    #[test]
    fn many_ids_are_counted() {
        let ids: Vec<_> = (1..=14).map(|n| SessionId::new(format!("a-{n}")).unwrap()).collect();
        assert!(names(&ids).ends_with("a-12 and 2 more"));
        assert_eq!(names(&ids[..2]), "a-1, a-2");
    }
}
