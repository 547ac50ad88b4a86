//! Asking the operator before something is done.

use std::collections::BTreeSet;
use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::domain::ids::SessionId;
use crate::domain::plan::Plan;
use crate::domain::text::clean_line;
use crate::host::context::Context;

use super::error::CliError;
use super::output::{Table, lines};

/// Ids that a question names; more are counted.
const NAMED: usize = 12;

/// Asks on the terminal.
///
/// # Errors
/// [`CliError::NobodyToAsk`] where standard input is no terminal, [`CliError::Declined`] where the
/// answer is not yes, [`CliError::Interrupted`] where there is none.
pub(crate) fn confirm(
    context: &Context,
    verb: &'static str,
    question: &str,
) -> Result<(), CliError> {
    if !io::stdin().is_terminal() {
        return Err(CliError::NobodyToAsk(verb));
    }
    if said_yes(context, question)? { Ok(()) } else { Err(CliError::Declined) }
}

/// Ctrl-C ends the wait for an answer; the thread that reads it goes with the process.
fn said_yes(context: &Context, question: &str) -> Result<bool, CliError> {
    let mut stderr = io::stderr().lock();
    let asked = write!(stderr, "{} [y/N] ", clean_line(question)).and_then(|()| stderr.flush());
    asked.map_err(CliError::io("asking"))?;
    drop(stderr);
    let (tell, told) = oneshot::channel();
    std::thread::spawn(move || {
        let mut answer = String::new();
        // Nobody listens where the wait has ended.
        let _heard = tell.send(io::stdin().lock().read_line(&mut answer).map(|_| answer));
    });
    let waited = tokio::task::block_in_place(|| Handle::current().block_on(context.run(told)));
    let read = waited?.unwrap_or_else(|_| Err(io::ErrorKind::UnexpectedEof.into()));
    let answer = read.map_err(CliError::io("reading the answer"))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// The guard of a delete (`spec/lifecycle.md` D3): what was admitted once stays admitted.
pub(crate) struct Guard {
    /// Ids that the operator admitted.
    admitted: Mutex<BTreeSet<SessionId>>,
    /// `--yes`: added descendants are admitted unasked.
    yes: bool,
    /// Cancelled by Ctrl-C.
    context: Context,
}

impl Guard {
    /// A guard that has admitted `plan`.
    pub(crate) fn new(context: &Context, plan: &Plan, yes: bool) -> Self {
        let admitted = Mutex::new(plan.ids().into_iter().collect());
        Self { admitted, yes, context: context.clone() }
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
                let question = format!("The plan grew by {names}. Go on?");
                io::stdin().is_terminal() && said_yes(&self.context, &question).unwrap_or(false)
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
        let guard = Guard::new(&Context::new(), &plan, true);
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
