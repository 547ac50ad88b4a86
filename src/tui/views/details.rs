//! The Details tab: why the session has its status, and where everything is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::help::wrap;
use super::pen::{Pen, Span};
use super::signs::{is_active_beside, status_role, status_sign};
use crate::domain::pr::{Ci, PrState};
use crate::domain::session::Session;
use crate::domain::status::derive;
use crate::domain::text::{clean_line, cut_middle, names};
use crate::domain::time::{Timestamp, age};
use crate::monitor::notice::reason;
use crate::runtime::client::WitnessReport;
use crate::tui::app::App;
use crate::tui::app::layout::inset;
use crate::tui::app::words::{count, is_unseen, rule_text, short_size, status_word};
use crate::tui::event::{Tab, TabContent};
use crate::tui::theme::Role;

/// Cells of a label.
const LABEL: usize = 12;

/// Draws it.
pub(super) fn draw(pen: &mut Pen<'_>, app: &App, session: &Session, area: Rect) {
    let lines = lines(pen, app, session, usize::from(area.width.saturating_sub(1)));
    let top = app.tab_top.min(lines.len().saturating_sub(1));
    for (row, line) in lines.iter().skip(top).take(usize::from(area.height)).enumerate() {
        pen.spans(area.x, area.y + row as u16, area.width.saturating_sub(1), line);
    }
}

/// How many lines there are.
pub(super) fn height(app: &App, session: &Session) -> usize {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
    let room = inset(app.layout().right).width.saturating_sub(1);
    lines(&Pen::new(&mut buffer, app), app, session, usize::from(room)).len()
}

fn lines(pen: &Pen<'_>, app: &App, session: &Session, room: usize) -> Vec<Vec<Span>> {
    let status = session.condition.status;
    let (glyph, sign) = status_sign(pen, status);
    let mut head: Vec<Span> = vec![
        (format!("{glyph} "), sign),
        (status_word(status).to_owned(), pen.role(status_role(status))),
    ];
    if is_active_beside(session) {
        head.push((format!("  {} ", pen.glyphs.working), pen.role(Role::Working)));
        head.push(("being worked on".to_owned(), pen.role(Role::Muted)));
    }
    let title = wrap(&session.title, room).into_iter();
    let mut lines: Vec<Vec<Span>> = vec![vec![]];
    lines.extend(title.map(|line| vec![(line, pen.bold(Role::Text))]));
    lines.push(head);
    for (heading, facts) in [
        ("Why", why(app, session)),
        ("Witnesses", witnesses(app, session)),
        ("Work", work(app, session, room)),
        ("Agent", agent(app, session)),
        ("Times", times(app, session)),
    ] {
        if facts.is_empty() {
            continue;
        }
        lines.push(vec![]);
        lines.push(vec![(heading.to_owned(), pen.bold(Role::Text))]);
        lines.extend(facts.into_iter().flat_map(|fact| fact_lines(pen, fact, room)));
    }
    lines
}

/// A fact, with what does not fit on the lines below its label.
fn fact_lines(pen: &Pen<'_>, (label, value): Fact, room: usize) -> Vec<Vec<Span>> {
    let values = wrap(&value, room.saturating_sub(LABEL).max(1)).into_iter().enumerate();
    let line = |(at, value): (usize, String)| {
        let label = if at == 0 { label.as_str() } else { "" };
        vec![(format!("{label:LABEL$}"), pen.role(Role::Muted)), (value, pen.role(Role::Text))]
    };
    values.map(line).collect()
}

type Fact = (String, String);

fn fact(label: &str, value: impl Into<String>) -> Fact {
    (label.to_owned(), value.into())
}

/// The rule that gave the status, with the facts it used, their age and their witness.
fn why(app: &App, session: &Session) -> Vec<Fact> {
    let condition = &session.condition;
    let derived = derive(&condition.lifecycle, &condition.activity, &session.prs);
    let mut facts = vec![fact(&format!("rule {}", derived.rule), rule_text(derived.rule))];
    if !derived.because.starts_with("PR ") {
        facts.push(fact("because", derived.because));
    }
    facts.extend(reason(session, app.now).map(|reason| fact("wants", reason)));
    for pr in session.prs.iter().filter(|pr| pr.state == PrState::Open) {
        let checks = match pr.ci {
            Ci::None => "no checks",
            Ci::Pending => "checks running",
            Ci::Passing => "checks passed",
            Ci::Failing => "checks failed",
        };
        let old = if pr.stale { ", could not be read again" } else { "" };
        facts.push(fact(&format!("PR #{}", pr.number), checks));
        facts.push(fact("read", format!("{}{old}", ago(app.now, pr.read_at))));
    }
    let activity = &condition.activity;
    facts.push(fact("activity", format!("{}, {}", activity.value, ago(app.now, activity.since))));
    if !activity.witness.is_empty() {
        facts.push(fact("witness", activity.witness.clone()));
    }
    let seen = match condition.seen_at {
        _ if is_unseen(condition) => format!("no, since {}", age(app.now, condition.status_since)),
        Some(at) => ago(app.now, at),
        None => "no".to_owned(),
    };
    facts.push(fact("seen", seen));
    facts.extend(session.error.iter().map(|error| fact("error", error.clone())));
    facts
}

/// What each witness says, how long, by which rule and of which text (`spec/agents.md` G8).
fn witnesses(app: &App, session: &Session) -> Vec<Fact> {
    let Some(TabContent::Witnesses(reports)) = app.tabs.get(&(session.id.clone(), Tab::Details))
    else {
        return Vec::new();
    };
    let value = |report: &WitnessReport| {
        let Some(says) = report.says else { return "silent".to_owned() };
        let other = says != session.condition.activity.value;
        let parts = [
            Some(says.to_string()),
            other.then(|| "says something else".to_owned()),
            report.since.map(|since| ago(app.now, since)),
            report.rule.as_ref().map(|rule| format!("rule {rule}")),
            report.text.as_ref().map(|text| format!("{:?}", clean_line(text))),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    };
    reports.iter().map(|report| fact(&report.witness, value(report))).collect()
}

fn work(app: &App, session: &Session, room: usize) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    facts.extend(session.branch.iter().map(|branch| fact("branch", branch.clone())));
    let work = app.work.get(&session.id);
    if let Some(base) = &session.base {
        let behind = work.and_then(|work| work.behind).filter(|n| *n > 0);
        let behind = behind.map_or_else(String::new, |n| format!(", {n} behind"));
        facts.push(fact("base", format!("{}{behind}", base.chars().take(7).collect::<String>())));
    }
    if let Some(work) = work.filter(|work| work.files > 0) {
        let minus = app.setup.glyphs.minus;
        facts.push(fact(
            "changes",
            format!("+{} {minus}{} in {} files", work.added, work.removed, work.files),
        ));
    }
    if let Some(n) = work.and_then(|work| work.unpushed) {
        facts.push(fact("not pushed", count(n as usize, "commit")));
    }
    if let Some(n) = work.and_then(|work| work.dirty).or(session.dirty) {
        facts.push(fact("dirty", count(n as usize, "file")));
    }
    let folder = session.folder.display().to_string();
    let label = if session.worktree().is_some() { "worktree" } else { "folder" };
    if !folder.is_empty() {
        let room = room.saturating_sub(LABEL);
        facts.push(fact(label, cut_middle(&folder, room, app.setup.glyphs.cut)));
    }
    facts
}

fn agent(app: &App, session: &Session) -> Vec<Fact> {
    let launch = &session.launch;
    let mut facts: Vec<Fact> = vec![fact("target", launch.target.clone())];
    let target = app.setup.targets.iter().find(|target| target.name == launch.target);
    facts.extend(target.and_then(|it| it.runs.clone()).map(|runs| fact("runs", runs)));
    facts.extend(launch.model.iter().map(|model| fact("model", model.clone())));
    facts.extend(launch.permission_mode.iter().map(|mode| fact("mode", mode.clone())));
    facts.push(fact("launch", session.condition.lifecycle.generation.to_string()));
    if let Some(pid) = session.runtime.pid.filter(|_| session.is_live()) {
        let usage = app.usage.get(&session.id);
        let cpu = usage.and_then(|usage| usage.cpu_percent).map(|cpu| format!(", {cpu:.0}% CPU"));
        let memory = usage.map(|usage| format!(", {}", short_size(usage.rss_bytes)));
        let text = format!("{pid}{}{}", cpu.unwrap_or_default(), memory.unwrap_or_default());
        facts.push(fact("process", text));
    }
    let children: Vec<String> = app
        .current_list()
        .rows()
        .iter()
        .filter(|row| row.parent.as_ref() == Some(&session.id))
        .map(|row| row.id.to_string())
        .collect();
    if !children.is_empty() {
        facts.push(fact("children", names(&children)));
    }
    facts.extend(session.parent.iter().map(|parent| fact("parent", parent.to_string())));
    facts
}

fn times(app: &App, session: &Session) -> Vec<Fact> {
    let mut facts: Vec<Fact> = vec![fact("created", ago(app.now, session.created_at))];
    let active = session.condition.last_activity_at;
    facts.extend(active.map(|at| fact("last active", ago(app.now, at))));
    facts
        .extend(session.deletion.iter().map(|deletion| fact("deleted", ago(app.now, deletion.at))));
    facts
}

/// `12m ago`, `now`.
fn ago(now: Timestamp, then: Timestamp) -> String {
    match age(now, then).as_str() {
        "now" => "now".to_owned(),
        age => format!("{age} ago"),
    }
}
