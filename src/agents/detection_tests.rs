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

fn verdict(rules: &Rules, title: &str, screen: &str) -> (Activity, String) {
    let matching = rules
        .rule
        .iter()
        .filter(|rule| matches(rule, title, screen));
    let best = matching.rev().max_by_key(|rule| rule.priority);
    best.map_or((Activity::Unknown, "none".to_owned()), |rule| {
        (rule.activity, rule.id.clone())
    })
}

fn matches(rule: &Rule, title: &str, screen: &str) -> bool {
    let lines: Vec<&str> = match rule.region {
        Region::Title => vec![title],
        Region::Screen => screen.lines().collect(),
        Region::Bottom => {
            let shown = screen.lines().rev().filter(|line| !line.trim().is_empty());
            shown.take(rule.lines.into()).collect()
        }
    };
    let found = |pattern: &String| {
        let pattern = Regex::new(pattern).unwrap();
        lines.iter().any(|line| pattern.is_match(line.trim_end()))
    };
    rule.all.iter().all(found)
        && (rule.any.is_empty() || rule.any.iter().any(found))
        && !rule.not.iter().any(found)
}

fn check(agent: &str) {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/screens")
        .join(agent);
    let index = std::fs::read_to_string(folder.join("index.json")).unwrap();
    let moments: Vec<Moment> = serde_json::from_str(&index).unwrap();
    let rules = files::load(Path::new("/nowhere")).0[agent].rules.clone();
    let mut wrong = Vec::new();
    for moment in &moments {
        let screen = std::fs::read_to_string(folder.join(&moment.screen)).unwrap();
        let (found, rule) = verdict(&rules, &moment.title, &screen);
        if found != moment.activity {
            wrong.push(format!(
                "{}: {found} by {rule}, is {}",
                moment.screen, moment.activity
            ));
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
