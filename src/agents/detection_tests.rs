//! The shipped rules against screens of real programs (`spec/agents.md` G9). A plain matcher stands
//! in for the keeper's: lines of a region against expressions.

use std::path::{Path, PathBuf};

use regex::Regex;
use serde::Deserialize;

use super::*;
use crate::domain::activity::Activity;
use crate::domain::agent::{Region, Rule};

#[derive(Deserialize)]
struct Moment {
    screen: String,
    title: String,
    activity: Activity,
}

/// The rule that wins: highest priority, then the first.
fn winner<'a>(rules: &'a Rules, title: &str, screen: &str) -> Option<&'a Rule> {
    let matching = rules.rule.iter().filter(|rule| matches(rule, title, screen));
    matching.rev().max_by_key(|rule| rule.priority)
}

fn region<'a>(rule: &Rule, title: &'a str, screen: &'a str) -> Vec<&'a str> {
    let mut lines: Vec<&str> = match rule.region {
        Region::Title => return vec![title],
        Region::Screen => return screen.lines().collect(),
        Region::Bottom => screen.lines().filter(|line| !line.trim().is_empty()).collect(),
    };
    lines.split_off(lines.len().saturating_sub(rule.lines.into()))
}

fn matches(rule: &Rule, title: &str, screen: &str) -> bool {
    let lines = region(rule, title, screen);
    let found = |pattern: &String| {
        let pattern = Regex::new(pattern).unwrap();
        lines.iter().any(|line| pattern.is_match(line.trim_end()))
    };
    rule.all.iter().all(found)
        && (rule.any.is_empty() || rule.any.iter().any(found))
        && !rule.not.iter().any(found)
}

/// Text and options of the question that a rule reads: from its lowest asking line on.
fn question(rule: &Rule, screen: &str) -> (String, Vec<String>) {
    let asked = rule.question.as_ref().unwrap();
    let lines = region(rule, "", screen);
    let group = |pattern: &str, line: &str| {
        Regex::new(pattern).unwrap().captures(line.trim_end()).map(|found| found[1].to_owned())
    };
    let at = lines.iter().rposition(|line| group(&asked.text, line).is_some()).unwrap();
    let option = asked.option.as_deref().unwrap();
    let options = lines[at + 1..].iter().filter_map(|line| group(option, line)).collect();
    (group(&asked.text, lines[at]).unwrap(), options)
}

fn folder(agent: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/screens").join(agent)
}

fn shipped(agent: &str) -> Rules {
    files::load(Path::new("/nowhere")).0[agent].rules.clone()
}

fn check(agent: &str) {
    let index = std::fs::read_to_string(folder(agent).join("index.json")).unwrap();
    let moments: Vec<Moment> = serde_json::from_str(&index).unwrap();
    let rules = shipped(agent);
    let mut wrong = Vec::new();
    for Moment { screen: name, title, activity } in &moments {
        let screen = std::fs::read_to_string(folder(agent).join(name)).unwrap();
        let rule = winner(&rules, title, &screen);
        let found = rule.map_or(Activity::Unknown, |rule| rule.activity);
        if found != *activity {
            wrong
                .push(format!("{name}: {found} by {:?}, is {activity}", rule.map(|rule| &rule.id)));
        } else if activity.is_waiting() {
            let (_, options) = question(rule.unwrap(), &screen);
            assert!(options.len() >= 2, "{name}: {options:?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(moments.len() > 20);
}

#[test]
fn claudes_screens_are_told_apart_g9() {
    check("claude");
}

#[test]
fn codexs_screens_are_told_apart_g9() {
    check("codex");
}

#[test]
fn questions_are_read_with_their_options_g5() {
    let read = |agent: &str, name: &str, title: &str| {
        let screen = std::fs::read_to_string(folder(agent).join(name)).unwrap();
        let rules = shipped(agent);
        let (text, options) = question(winner(&rules, title, &screen).unwrap(), &screen);
        format!("{text} {}", options.join(" / "))
    };
    assert_eq!(
        read("claude", "main.question.txt", ""),
        "Which colour should the button have? Red / Blue / Type something. / Chat about this"
    );
    assert_eq!(
        read("claude", "first-start.trust-dialog.txt", ""),
        "Quick safety check: Is this a project you created or one you trust? No, exit / Yes, I trust this folder"
    );
    assert_eq!(
        read("claude", "main.permission-write.txt", "").split(" / ").next(),
        Some("Do you want to create a.txt? Yes")
    );
    assert_eq!(
        read("codex", "main.question.txt", ""),
        "Which colour should the button have? Red / Blue / None of the above"
    );
    assert!(read("codex", "main.permission-command.txt", "").starts_with(
        "Would you like to run the following command? Yes, proceed (y) / Yes, and don't ask again"
    ));
}
