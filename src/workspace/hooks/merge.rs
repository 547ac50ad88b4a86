//! Putting hooks into a JSON text and taking them out again: what else is in it stays to the byte, with
//! its comments and its order (`spec/agents.md` H1). Each entry of ours carries a mark in its command,
//! which also says what had to be made for it, so nothing else has to be known to take it out.

use std::ops::Range;

use serde_json::{Map, Value};

use super::json::{Item, Node, parse};
use crate::domain::hook::{HOOK_MARK, HookEntries};

/// The member that hooks are in.
const HOOKS: &str = "hooks";

/// What had to be made for an entry, as its mark says; a later one has those before it.
const MADE: [&str; 4] = ["", " list", " hooks", " file"];

/// Why a file cannot be merged with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unfit {
    NoObject,
    HooksNoObject,
    EventNoList,
}

impl Unfit {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::NoObject => "it is not read as a JSON object with each name once",
            Self::HooksNoObject => "`hooks` in it is no object",
            Self::EventNoList => "`hooks` in it has an event that is no list",
        }
    }
}

/// The text with the hooks in it, once; `None` is a file that is not there.
pub(super) fn install(text: Option<&str>, entries: &HookEntries) -> Result<String, Unfit> {
    let without = match text {
        Some(text) => remove(text, &entries.base)?,
        None => None,
    };
    let Some(text) = without else {
        return Ok(new_file(entries));
    };
    let root = parse(&text).ok_or(Unfit::NoObject)?;
    let members = root.members().ok_or(Unfit::NoObject)?;
    let Some(hooks) = members.iter().find(|member| member.name == HOOKS) else {
        let member = format!("\n  \"{HOOKS}\": {}", object(entries, 2));
        return Ok(put(&text, &[(root.span.start + 1, member, members.is_empty())]));
    };
    let events = hooks.value.members().ok_or(Unfit::HooksNoObject)?;
    let mut puts = Vec::new();
    let mut lists = String::new();
    for (name, entry) in &entries.events {
        if let Some(event) = events.iter().find(|event| event.name == *name) {
            let list = event.value.elements().ok_or(Unfit::EventNoList)?;
            let entry = format!("\n      {}", marked(entry, 0));
            puts.push((event.value.span.start + 1, entry, list.is_empty()));
        } else {
            let separator = if lists.is_empty() { "" } else { "," };
            lists = format!("{lists}{separator}\n    {}", list(name, entry, 1));
        }
    }
    if !lists.is_empty() {
        puts.push((hooks.value.span.start + 1, lists, events.is_empty()));
    }
    Ok(put(&text, &puts))
}

/// The text without hooks of ours; none where the file was made for them and nothing else came into it.
pub(super) fn remove(text: &str, base: &str) -> Result<Option<String>, Unfit> {
    let root = parse(text).ok_or(Unfit::NoObject)?;
    let members = root.members().ok_or(Unfit::NoObject)?;
    let Some(at) = members.iter().position(|member| member.name == HOOKS) else {
        return Ok(Some(text.to_owned()));
    };
    let Some(events) = members.get(at).and_then(|hooks| hooks.value.members()) else {
        return Ok(Some(text.to_owned()));
    };
    let mut made = 0;
    let mut lists = Vec::new();
    let mut cuts = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let Some(elements) = event.value.elements() else { continue };
        let ours: Vec<usize> = (0..elements.len())
            .filter(|element| elements.get(*element).is_some_and(|it| is_ours(text, it)))
            .collect();
        let most = ours.iter().filter_map(|own| elements.get(*own)).map(|it| made_for(text, it));
        let most = most.max().unwrap_or_default();
        made = made.max(most);
        if most > 0 && ours.len() == elements.len() {
            lists.push(index);
        } else {
            cuts.extend(cut(&event.value, elements, &ours));
        }
    }
    let hooks = members.get(at).map(|hooks| &hooks.value);
    if made >= 2 && lists.len() == events.len() {
        cuts = cut(&root, members, &[at]);
    } else if let Some(hooks) = hooks {
        cuts.extend(cut(hooks, events, &lists));
    }
    cuts.sort_by_key(|cut| cut.start);
    let mut rest = text.to_owned();
    for range in cuts.into_iter().rev() {
        rest.replace_range(range, "");
    }
    let made_whole = made == 3 && same(&rest, base);
    Ok(Some(rest).filter(|_| !made_whole))
}

/// A file with nothing but what the agent wants at least, and the hooks.
fn new_file(entries: &HookEntries) -> String {
    let hooks = object(entries, 3);
    let base = entries.base.trim().trim_start_matches('{').trim_end_matches('}').trim();
    let comma = if base.is_empty() { "" } else { ",\n  " };
    format!("{{\n  {base}{comma}\"{HOOKS}\": {hooks}\n}}\n")
}

fn object(entries: &HookEntries, made: usize) -> String {
    let lists: Vec<String> = entries
        .events
        .iter()
        .map(|(name, entry)| format!("\n    {}", list(name, entry, made)))
        .collect();
    format!("{{{}\n  }}", lists.join(","))
}

fn list(name: &str, entry: &str, made: usize) -> String {
    format!("{}: [\n      {}\n    ]", Value::from(name), marked(entry, made))
}

/// The entry, with what had to be made for it in its mark.
fn marked(entry: &str, made: usize) -> String {
    let made = MADE.get(made).copied().unwrap_or_default();
    entry.replace(HOOK_MARK, &format!("{HOOK_MARK}{made}"))
}

fn is_ours(text: &str, item: &Item) -> bool {
    text.get(item.span.clone()).is_some_and(|part| part.contains(HOOK_MARK))
}

fn made_for(text: &str, item: &Item) -> usize {
    let part = text.get(item.span.clone()).unwrap_or_default();
    let behind = part.split_once(HOOK_MARK).map_or("", |(_, behind)| behind);
    (1..MADE.len()).find(|made| behind.starts_with(MADE.get(*made).unwrap_or(&"?"))).unwrap_or(0)
}

/// Puts texts at the beginning of containers, each with a comma unless its container is empty.
fn put(text: &str, puts: &[(usize, String, bool)]) -> String {
    let mut puts: Vec<_> = puts.iter().collect();
    puts.sort_by_key(|(at, ..)| *at);
    let mut whole = text.to_owned();
    for (at, part, alone) in puts.into_iter().rev() {
        whole.insert_str(*at, &format!("{part}{}", if *alone { "" } else { "," }));
    }
    whole
}

/// What to cut out of a container to be rid of some of its items: from its beginning, or from the comma
/// before, to the comma behind.
fn cut(container: &Node, items: &[Item], which: &[usize]) -> Vec<Range<usize>> {
    let kept = |index: &usize| !which.contains(index);
    let last_kept = (0..items.len()).rev().find(kept);
    let begin = |index: usize| {
        let before = index.checked_sub(1).and_then(|before| items.get(before)?.comma);
        before.unwrap_or(container.span.start + 1)
    };
    // The comma of the last that stays goes with what came behind it, where none came behind that.
    let open_end = items.last().is_some_and(|item| item.comma.is_none());
    let mut cuts = Vec::new();
    for (index, item) in items.iter().enumerate().filter(|(index, _)| !kept(index)) {
        let end = item.comma.unwrap_or(item.span.end);
        let dangling = open_end && last_kept.is_some_and(|last| last + 1 == index);
        cuts.push(begin(index) - usize::from(dangling)..end);
    }
    cuts
}

/// Whether two texts say the same, but for what an agent writes about the file itself, as `$version`.
fn same(text: &str, base: &str) -> bool {
    let value = |text: &str| {
        let mut members: Map<String, Value> = serde_json::from_str(text).ok()?;
        members.retain(|name, _| !name.starts_with('$'));
        Some(members)
    };
    value(text).is_some_and(|found| Some(found) == value(base))
}
