//! What the agent does now, concluded from what its terminal shows (`spec/agents.md`, State).
//!
//! A [`Detector`] weighs the witnesses that a keeper has: the program's own reports (OSC 7501), its hooks, titles
//! and screen rules, progress, and the process in the foreground. It is pure: the same observations at
//! the same times give the same verdicts, in a keeper and in the replay of a recording.

mod cast;
mod hooks;
mod page;
mod question;
mod rules;
#[cfg(test)]
mod tests;
mod watch;

use std::time::Duration;

pub use self::cast::{Asciicast, Recorded, parse};
use self::hooks::Heard;
use self::question::{is_half_of, question};
pub use self::rules::RuleError;
use self::rules::{Compiled, Match, Seen};
pub use self::watch::{Played, Watch, replay};
use super::screen::{ProgramStatus, ScreenEvent};
use super::wire::message::WitnessReport;
use crate::domain::activity::{Activity, ActivityFact, Question};
use crate::domain::agent::Rules;
use crate::domain::hook::HookReport;
use crate::domain::text;
use crate::domain::time::Timestamp;

/// How long the witnesses must agree before a verdict is left (G6).
pub const AGREEMENT: Duration = Duration::from_millis(700);
/// How long a question may lack its last options: a program that draws it again may have come no further.
pub const HALF_DRAWN: Duration = Duration::from_millis(300);
/// How long a program that was started with a prompt may look at rest before it begins: it draws its
/// composer first.
pub const FIRST_WORK: Duration = Duration::from_secs(30);

/// What can be seen at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// The visible rows, trailing blanks trimmed.
    pub lines: &'a [String],
    /// How wide the screen is, in cells.
    pub cols: usize,
    /// Row of the cursor, from 0.
    pub cursor: usize,
    /// The title.
    pub title: &'a str,
    /// When screen or title changed last; none where they are as they were when they were last observed:
    /// then no rule is tried (G7).
    pub since: Option<Timestamp>,
    /// Whether a program other than the shell itself is in the foreground of its terminal; only known,
    /// and only asked for, with rules for a shell.
    pub busy: Option<bool>,
    /// Whether the agent's process ended.
    pub exited: bool,
}

/// The conclusion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The activity with its start and its witness.
    pub activity: ActivityFact,
    /// The question that is shown, where it can be read.
    pub question: Option<Question>,
}

/// One opinion, before it becomes the verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Opinion {
    activity: Activity,
    witness: String,
    question: Option<Question>,
    /// The program itself or the system says so: no need to wait for agreement.
    certain: bool,
    /// It is only what is drawn.
    drawn: bool,
}

/// An opinion that must last before it becomes the verdict.
#[derive(Debug)]
struct Pending {
    opinion: Opinion,
    /// Since when it was seen without a break.
    since: Timestamp,
    /// How long it must have been.
    lasts: Duration,
}

/// The weighing of all witnesses of one launch.
#[derive(Debug)]
pub struct Detector {
    rules: Compiled,
    program: Option<(ProgramStatus, Timestamp)>,
    hook: Option<Heard>,
    progress: Option<Timestamp>,
    seen: Seen,
    busy: Option<(bool, Timestamp)>,
    /// Whether it was started with a prompt and has not begun with it.
    prompted: bool,
    /// Since when it looks at rest without having begun.
    at_rest: Option<Timestamp>,
    verdict: Verdict,
    /// What would replace the verdict.
    pending: Option<Pending>,
    /// A question is shown that no rule reads: it may be another than the one that is concluded.
    unread: bool,
}

impl Detector {
    /// A detector that has seen nothing.
    ///
    /// # Errors
    /// A pattern of a rule cannot be compiled.
    pub fn new(rules: &Rules, now: Timestamp) -> Result<Self, RuleError> {
        Ok(Self {
            rules: Compiled::new(rules)?,
            program: None,
            hook: None,
            progress: None,
            seen: Seen::default(),
            busy: None,
            prompted: false,
            at_rest: None,
            verdict: Verdict { activity: ActivityFact::unknown(now), question: None },
            pending: None,
            unread: false,
        })
    }

    /// The program was started with a prompt: its first rest, before any work, is no end of a turn.
    pub fn prompted(self) -> Self {
        Self { prompted: true, ..self }
    }

    /// Whether [`Inputs::busy`] is wanted.
    pub fn watches_foreground(&self) -> bool {
        self.rules.shell
    }

    /// Takes what the program told its terminal. True where it may change the verdict, so that the
    /// caller observes at once.
    pub fn hear(&mut self, event: &ScreenEvent, now: Timestamp) -> bool {
        match event {
            ScreenEvent::ProgramStatus(status) if status.state == "clear" => self.program = None,
            ScreenEvent::ProgramStatus(status) => self.program = Some((status.clone(), now)),
            ScreenEvent::Progress { state: 1 | 3, .. } if self.progress.is_some() => return false,
            ScreenEvent::Progress { state: 1 | 3, .. } => self.progress = Some(now),
            ScreenEvent::Progress { .. } => self.progress = None,
            _ => return false,
        }
        true
    }

    /// Takes what the agent reported through a hook. True where it may change the verdict.
    pub fn hear_hook(&mut self, report: &HookReport, now: Timestamp) -> bool {
        Heard::take(&mut self.hook, report, now)
    }

    /// Weighs the witnesses; gives the verdict where it changed.
    pub fn observe(&mut self, inputs: &Inputs<'_>, now: Timestamp) -> Option<Verdict> {
        if let Some(since) = inputs.since {
            self.seen = self.rules.read(inputs).after(&self.seen, since);
        }
        self.busy = inputs.busy.map(|busy| match self.busy {
            Some((old, since)) if old == busy => (busy, since),
            _ => (busy, now),
        });
        if self.overruled_at().is_some_and(|at| at <= now) {
            self.hook = None;
        }
        let opinion = if inputs.exited { exited() } else { self.opinion() };
        let opinion = self.begun(opinion, now);
        self.weigh(opinion, inputs.since.unwrap_or(now), now)
    }

    /// When to observe again even if nothing changes on the screen.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let agreed = self.pending.as_ref().map(|pending| pending.since.plus(pending.lasts));
        [agreed, self.overruled_at(), self.begins_by()].into_iter().flatten().min()
    }

    /// Takes a rest for nothing known while the prompt of the start is still to be begun with.
    fn begun(&mut self, opinion: Opinion, now: Timestamp) -> Opinion {
        if !self.prompted {
            return opinion;
        }
        match opinion.activity {
            Activity::Idle => self.at_rest = self.at_rest.or(Some(now)),
            Activity::Unknown => {}
            Activity::Blocked | Activity::WaitingInput => self.at_rest = None,
            _ => self.prompted = false,
        }
        if self.begins_by().is_some_and(|by| by <= now) {
            self.prompted = false;
        }
        if !self.prompted {
            self.at_rest = None;
            return opinion;
        }
        if opinion.activity != Activity::Idle {
            return opinion;
        }
        let witness = "prompt not begun".to_owned();
        Opinion { activity: Activity::Unknown, witness, ..opinion }
    }

    /// When a rest counts although nothing was begun.
    fn begins_by(&self) -> Option<Timestamp> {
        self.at_rest.map(|since| since.plus(FIRST_WORK))
    }

    /// When the screen counts before the last report of a hook.
    fn overruled_at(&self) -> Option<Timestamp> {
        self.hook.as_ref().and_then(|heard| heard.overruled_at(self.seen.best()))
    }

    /// Whether something else is shown than is concluded: nothing may be pressed for a question then (K6).
    pub fn doubts(&self) -> bool {
        self.pending.is_some() || self.unread
    }

    /// The present verdict.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The opinion of the most trusted witness that has one. "Working" is a wide claim: a question or
    /// a retry that the screen shows is narrower and counts before it.
    fn opinion(&self) -> Opinion {
        let seen = self.seen.best();
        let reported = match (&self.program, &self.hook) {
            (Some((status, since)), _) => Some((said_by(status, seen), *since)),
            (None, Some(heard)) => Some((heard.opinion(seen), heard.since)),
            (None, None) => None,
        };
        if let Some((said, heard)) = reported {
            let narrower = seen.filter(|found| {
                said.activity == Activity::Active
                    && (found.activity.is_waiting() || found.activity == Activity::Retrying)
            });
            // Once a narrower one was believed, an old report of work is no news.
            let news = heard >= self.verdict.activity.since;
            let certain = said.certain && (news || said.activity != Activity::Active);
            return narrower.map_or(Opinion { certain, ..said }, Match::opinion);
        }
        // Progress is told to the terminal: it counts before a screen that looks at rest.
        let rests = |found: &Match| self.progress.is_some() && found.rests_on_screen();
        if let Some(found) = seen.filter(|found| !rests(found)) {
            return found.opinion();
        }
        let plain = |activity, witness: &str| Opinion {
            activity,
            witness: witness.to_owned(),
            question: None,
            certain: false,
            drawn: false,
        };
        if self.progress.is_some() {
            return plain(Activity::Active, "progress");
        }
        match self.busy {
            Some((true, _)) => plain(Activity::Active, "process"),
            Some((false, _)) => plain(Activity::Idle, "process"),
            None => match self.rules.otherwise {
                Some(activity) => plain(activity, "otherwise"),
                None => plain(Activity::Unknown, ""),
            },
        }
    }

    /// Rule G6: entering a question or a retry is immediate, and so is what is certain or ends a rest;
    /// anything else must last, also the first rest: a program draws its composer before its dialogs. A
    /// changed question of the same kind is taken at once, as answers name it; not one that is half drawn.
    fn weigh(&mut self, opinion: Opinion, seen: Timestamp, now: Timestamp) -> Option<Verdict> {
        let old = &self.verdict;
        let half_drawn = opinion.question.as_ref().zip(old.question.as_ref());
        let half_drawn = half_drawn.is_some_and(|(new, old)| is_half_of(new, old));
        self.unread = false;
        if opinion.activity == old.activity.value && !half_drawn {
            self.pending = None;
            let asks = opinion.activity.is_waiting();
            self.unread = asks && opinion.question.is_none() && old.question.is_some();
            let question = opinion.question.or_else(|| old.question.clone());
            if question == old.question {
                return None;
            }
            self.verdict.question = question;
            self.verdict.activity.witness = opinion.witness;
            return Some(self.verdict.clone());
        }
        let ends_rest = match old.activity.value {
            Activity::Unknown => opinion.activity != Activity::Idle || !opinion.drawn,
            Activity::Idle => opinion.activity != Activity::Unknown,
            Activity::Error => opinion.activity == Activity::Active,
            _ => false,
        };
        let urgent = opinion.activity.is_waiting() || opinion.activity == Activity::Retrying;
        let at_once = (opinion.certain || ends_rest || urgent) && !half_drawn;
        let lasts = if half_drawn { HALF_DRAWN } else { AGREEMENT };
        let since = match &self.pending {
            Some(before) if before.opinion.activity == opinion.activity => before.since,
            _ => seen,
        };
        if !at_once && now.since(since) < lasts {
            self.pending = Some(Pending { opinion, since, lasts });
            return None;
        }
        self.pending = None;
        let stays = opinion.activity == self.verdict.activity.value;
        self.verdict = Verdict {
            activity: ActivityFact {
                value: opinion.activity,
                since: if stays { self.verdict.activity.since } else { now },
                witness: opinion.witness,
            },
            question: opinion.question,
        };
        Some(self.verdict.clone())
    }

    /// What every witness says, the most trusted first (G8).
    pub fn witnesses(&self) -> Vec<WitnessReport> {
        let report = |witness: &str, says, since| WitnessReport {
            witness: witness.to_owned(),
            says,
            since,
            rule: None,
            text: None,
        };
        let program = self.program.as_ref().map(|(status, since)| WitnessReport {
            text: Some(match &status.msg {
                Some(message) => format!("{}: {message}", status.state),
                None => status.state.clone(),
            }),
            ..report("osc7501", Some(said_by(status, None).activity), Some(*since))
        });
        let hook = self.hook.as_ref().map(|heard| {
            let (event, text) = heard.words();
            let says = report("hook", Some(heard.activity()), Some(heard.since));
            WitnessReport { rule: Some(event), text, ..says }
        });
        let found = |found: &Match| WitnessReport {
            rule: Some(found.rule.clone()),
            text: Some(found.text.clone()),
            ..report(found.place, Some(found.activity), Some(found.since))
        };
        let title = self.seen.title.as_ref().map(found);
        let screen = self.seen.screen.as_ref().map(found);
        let progress = self.progress.map(|at| report("progress", Some(Activity::Active), Some(at)));
        let process = self.busy.map(|(busy, since)| {
            let says = if busy { Activity::Active } else { Activity::Idle };
            report("process", Some(says), Some(since))
        });
        [
            program.unwrap_or_else(|| report("osc7501", None, None)),
            hook.unwrap_or_else(|| report("hook", None, None)),
            title.unwrap_or_else(|| report("title", None, None)),
            progress.unwrap_or_else(|| report("progress", None, None)),
            screen.unwrap_or_else(|| report("screen", None, None)),
            process.unwrap_or_else(|| report("process", None, None)),
        ]
        .into()
    }
}

fn exited() -> Opinion {
    Opinion {
        activity: Activity::Exited,
        witness: "process".to_owned(),
        question: None,
        certain: true,
        drawn: false,
    }
}

/// What the program's own report means. The question is read from the screen where a rule can, as it
/// has the options, else from the report's message.
fn said_by(status: &ProgramStatus, seen: Option<&Match>) -> Opinion {
    let kind = status.kind.as_deref();
    let activity = match (status.state.as_str(), kind) {
        ("idle" | "done", _) => Activity::Idle,
        ("working", _) => Activity::Active,
        ("blocked", Some("question" | "auth")) => Activity::WaitingInput,
        // Some call every dialog a permission, also the one that asks for a folder's trust.
        ("blocked", _) if seen.is_some_and(Match::asks_for_trust) => Activity::WaitingInput,
        ("blocked", _) => Activity::Blocked,
        ("error", _) => Activity::Error,
        _ => Activity::Unknown,
    };
    let question = activity.is_waiting().then(|| {
        let shown = seen.and_then(|found| found.question.clone());
        shown.or_else(|| {
            let asked = status.msg.as_deref().or(status.title.as_deref())?;
            Some(question(kind.unwrap_or("permission"), text::clean_line(asked), Vec::new(), None))
        })
    });
    let witness = match &status.msg {
        Some(message) if activity == Activity::Error => format!("osc7501: {message}"),
        _ => "osc7501".to_owned(),
    };
    Opinion { activity, witness, question: question.flatten(), certain: true, drawn: false }
}
