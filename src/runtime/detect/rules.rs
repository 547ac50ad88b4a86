//! Detection rules, compiled once (G7).

use regex::Regex;

use super::page::Page;
use super::question::question;
use super::{Inputs, Opinion};
use crate::domain::activity::{Activity, Question};
use crate::domain::agent::{QuestionRule, Region, Rule, Rules};
use crate::domain::text;
use crate::domain::time::Timestamp;

/// Longest text of a match that is kept for `why`, in cells.
const TEXT_CELLS: usize = 200;

/// A pattern that cannot be compiled.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "the detection rule {rule:?} has the pattern {pattern:?}, which cannot be compiled: {reason}"
)]
pub struct RuleError {
    /// Id of the rule.
    pub rule: String,
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What is to be seen at one moment.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) title: Option<Match>,
    pub(super) screen: Option<Match>,
}

impl Seen {
    /// The same with the times at which `before` began to say so, else with `since`.
    pub(super) fn after(self, before: &Self, since: Timestamp) -> Self {
        let timed = |found: Option<Match>, before: &Option<Match>| {
            let found = found?;
            let before = before.as_ref().filter(|old| old.rule == found.rule);
            Some(Match { since: before.map_or(since, |old| old.since), ..found })
        };
        Self { title: timed(self.title, &before.title), screen: timed(self.screen, &before.screen) }
    }

    /// That whose rule comes first.
    pub(super) fn best(&self) -> Option<&Match> {
        self.title.iter().chain(&self.screen).min_by_key(|found| found.rank)
    }
}

/// What one rule found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) rule: String,
    /// Its place among the rules; lower ones win.
    rank: usize,
    /// Since when it is found without a break.
    pub(super) since: Timestamp,
    /// `title` or `screen`.
    pub(super) place: &'static str,
    pub(super) activity: Activity,
    pub(super) text: String,
    pub(super) question: Option<Question>,
}

impl Match {
    /// Whether only the looks of the screen tell that the agent rests.
    pub(super) fn rests_on_screen(&self) -> bool {
        self.activity == Activity::Idle && self.place == "screen"
    }

    /// Whether the screen asks to trust a folder.
    pub(super) fn asks_for_trust(&self) -> bool {
        let asked = self.question.as_ref();
        self.activity == Activity::WaitingInput && asked.is_some_and(|asked| asked.kind == "trust")
    }

    pub(super) fn opinion(&self) -> Opinion {
        Opinion {
            activity: self.activity,
            witness: format!("{}: {}", self.place, self.rule),
            question: self.question.clone(),
            certain: false,
            drawn: true,
        }
    }
}

/// The rules of one agent, by their rank.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) shell: bool,
    pub(super) otherwise: Option<Activity>,
    rules: Vec<CompiledRule>,
}

#[derive(Debug)]
struct CompiledRule {
    id: String,
    activity: Activity,
    region: Region,
    lines: usize,
    all: Vec<Regex>,
    any: Vec<Regex>,
    not: Vec<Regex>,
    question: Option<CompiledQuestion>,
}

#[derive(Debug)]
struct CompiledQuestion {
    kind: String,
    text: Regex,
    option: Option<Regex>,
    about: Option<Regex>,
    selected: Option<Regex>,
    detail_lines: usize,
    unnumbered: bool,
}

impl Compiled {
    pub(super) fn new(rules: &Rules) -> Result<Self, RuleError> {
        let mut sorted: Vec<&Rule> = rules.rule.iter().collect();
        // among equals a title, which has a fixed meaning, is trusted before the screen
        sorted.sort_by_key(|rule| (std::cmp::Reverse(rule.priority), rule.region != Region::Title));
        Ok(Self {
            shell: rules.shell,
            otherwise: rules.otherwise,
            rules: sorted.into_iter().map(CompiledRule::new).collect::<Result<_, _>>()?,
        })
    }

    /// What the title says and what the screen says, each by the first rule that matches.
    pub(super) fn read(&self, inputs: &Inputs<'_>) -> Seen {
        if self.rules.is_empty() {
            return Seen::default();
        }
        let page = Page::new(inputs.lines, inputs.cols, inputs.cursor, inputs.title);
        let best = |title: bool| {
            let rules = self.rules.iter().enumerate();
            let mut rules = rules.filter(|(_, rule)| (rule.region == Region::Title) == title);
            rules.find_map(|(rank, rule)| rule.try_on(&page, rank))
        };
        Seen { title: best(true), screen: best(false) }
    }
}

impl CompiledRule {
    fn new(rule: &Rule) -> Result<Self, RuleError> {
        let one = |pattern: &String| compile(&rule.id, pattern);
        let every = |patterns: &[String]| patterns.iter().map(one).collect::<Result<Vec<_>, _>>();
        let question = |asked: &QuestionRule| {
            Ok(CompiledQuestion {
                kind: asked.kind.clone(),
                text: one(&asked.text)?,
                option: asked.option.as_ref().map(one).transpose()?,
                about: asked.about.as_ref().map(one).transpose()?,
                selected: asked.selected.as_ref().map(one).transpose()?,
                detail_lines: usize::from(asked.detail_lines),
                unnumbered: asked.unnumbered,
            })
        };
        Ok(Self {
            id: rule.id.clone(),
            activity: rule.activity,
            region: rule.region,
            lines: usize::from(rule.lines),
            all: every(&rule.all)?,
            any: every(&rule.any)?,
            not: every(&rule.not)?,
            question: rule.question.as_ref().map(question).transpose()?,
        })
    }

    fn try_on(&self, page: &Page<'_>, rank: usize) -> Option<Match> {
        let part = page.part(self.region, self.lines);
        let found = |pattern: &Regex| part.all().find_map(|line| pattern.find(line));
        let mut first = None;
        for pattern in &self.all {
            first = first.or(Some(found(pattern)?));
        }
        if !self.any.is_empty() {
            first = first.or(Some(self.any.iter().find_map(found)?));
        }
        if self.not.iter().any(|pattern| found(pattern).is_some()) {
            return None;
        }
        Some(Match {
            rule: self.id.clone(),
            rank,
            since: Timestamp(0),
            place: if self.region == Region::Title { "title" } else { "screen" },
            activity: self.activity,
            text: text::cut(
                &text::clean_line(first.map_or("", |hit| hit.as_str())),
                TEXT_CELLS,
                "…",
            ),
            question: self.question.as_ref().and_then(|asked| asked.read(&part.wholes(), page)),
        })
    }
}

impl CompiledQuestion {
    /// The lowest line that asks counts: what is above it was answered.
    fn read(&self, lines: &[&str], page: &Page<'_>) -> Option<Question> {
        let at = lines.iter().rposition(|line| self.text.is_match(line))?;
        let mut asked = group(&self.text, lines[at])?;
        let is_option = |line: &str| self.option.as_ref().is_some_and(|it| it.is_match(line));
        let details = lines.iter().skip(at + 1).take(self.detail_lines);
        for detail in details.take_while(|line| !is_option(line)) {
            let detail = text::clean_line(detail);
            if !detail.is_empty() {
                asked = format!("{asked} {detail}");
            }
        }
        let found: Vec<(&str, String)> = self.option.as_ref().map_or_else(Vec::new, |option| {
            let shown = lines[at..].iter();
            shown.flat_map(|line| groups(option, line).map(|found| (*line, found))).collect()
        });
        let here = |pattern: &Regex| found.iter().position(|(line, _)| pattern.is_match(line));
        let selected = self.selected.as_ref().and_then(here);
        // Where an answer is walked to, nobody can walk from a place that is not shown.
        let readable = self.selected.is_none() || selected.is_some();
        let options = found.into_iter().map(|(_, option)| option).filter(|_| readable).collect();
        let about = self.about.as_ref().and_then(|about| {
            let below = lines.iter().skip(at + 1).take_while(|line| !is_option(line));
            let screen = page.part(Region::Screen, 0).wholes();
            // What it is about may be above the part.
            let above = screen.iter().rev().skip(lines.len() - at);
            run(about, below).or_else(|| run(about, above))
        });
        let unnumbered = self.unnumbered;
        let read = question(&self.kind, asked, options, about.as_deref());
        Some(Question { selected, unnumbered, ..read })
    }
}

/// What the first lines say that match, as far as they follow each other: a command may have several lines.
fn run<'a>(pattern: &Regex, lines: impl Iterator<Item = &'a &'a str>) -> Option<String> {
    let said = lines.map(|line| group(pattern, line)).skip_while(Option::is_none);
    said.map_while(|said| said).reduce(|all, line| all + &line)
}

/// The first group of the match, else all of it.
fn group(pattern: &Regex, line: &str) -> Option<String> {
    groups(pattern, line).next()
}

/// The same of every match in the line.
fn groups<'a>(pattern: &'a Regex, line: &'a str) -> impl Iterator<Item = String> + 'a {
    let hits = pattern.captures_iter(line);
    hits.filter_map(|hit| Some(text::clean_line(hit.get(1).or_else(|| hit.get(0))?.as_str())))
}

fn compile(rule: &str, pattern: &str) -> Result<Regex, RuleError> {
    Regex::new(pattern).map_err(|error| RuleError {
        rule: rule.to_owned(),
        pattern: pattern.to_owned(),
        reason: error.to_string(),
    })
}
