//! Reading definitions: those that are shipped, and the operator's over them field by field (G1).

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use toml::{Table, Value};

use super::Hooks;
use super::definition::Definition;
use crate::config::Mistake;

/// A definition in the program, read when it is asked for: a start has no time for all of them.
struct Shipped {
    name: &'static str,
    text: &'static str,
    definition: OnceLock<Option<Definition>>,
}

macro_rules! shipped {
    ($($name:literal)*) => {
        [$(Shipped {
            name: $name,
            text: include_str!(concat!("../../assets/agents/", $name, ".toml")),
            definition: OnceLock::new(),
        }),*]
    };
}

/// All of them, by name.
static SHIPPED: [Shipped; 24] = shipped![
    "aider" "amp" "auggie" "claude" "cline" "codex" "command" "copilot"
    "crush" "cursor" "devin" "droid" "gemini" "goose" "grok" "kilo"
    "kimi" "kiro" "opencode" "pi" "qwen" "scripted" "shell" "vibe"
];

/// The shipped definition of this name.
pub(super) fn shipped(name: &str) -> Option<&'static Definition> {
    let found = SHIPPED.iter().find(|shipped| shipped.name == name)?;
    // That each can be read and is right is tested.
    found.definition.get_or_init(|| toml::from_str(found.text).ok()).as_ref()
}

/// Names of the shipped definitions.
pub(super) fn shipped_names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|shipped| shipped.name)
}

fn shipped_text(name: &str) -> Option<&'static str> {
    SHIPPED.iter().find(|shipped| shipped.name == name).map(|shipped| shipped.text)
}

/// The operator's own definitions by name, over the shipped ones, and the mistakes in their files.
pub(super) fn load(folder: &Path) -> (BTreeMap<String, Definition>, Vec<Mistake>) {
    let mut agents = BTreeMap::new();
    let mut mistakes = Vec::new();
    let files = match own_files(folder) {
        Ok(files) => files,
        Err(error) => {
            mistakes.push(unreadable(folder, &error));
            Vec::new()
        }
    };
    for file in files {
        match read_own(&file) {
            Ok((name, definition)) => drop(agents.insert(name, definition)),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    (agents, mistakes)
}

/// The hooks of one agent, without a look at the rest of the definitions; none where it is unknown or
/// has a mistake there.
pub(super) fn hooks(folder: &Path, agent: &str) -> Option<Hooks> {
    let shipped = shipped_text(agent);
    // A name is no path.
    let named = !agent.contains('/');
    let own = named.then(|| std::fs::read_to_string(folder.join(format!("{agent}.toml"))));
    let own = own.and_then(Result::ok);
    let mut table = Table::new();
    for text in shipped.into_iter().chain(own.as_deref()) {
        if let Ok(above) = toml::from_str::<Table>(text) {
            merge(&mut table, above);
        }
    }
    if table.is_empty() {
        return None;
    }
    table.remove("hooks").map_or_else(|| Some(Hooks::default()), |hooks| hooks.try_into().ok())
}

fn own_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn unreadable(file: &Path, error: &io::Error) -> Mistake {
    let message = format!("cannot be read: {error}");
    Mistake { file: file.to_owned(), line: None, message, hint: None }
}

fn read_own(file: &Path) -> Result<(String, Definition), Mistake> {
    let text = std::fs::read_to_string(file).map_err(|error| unreadable(file, &error))?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let legal =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.');
    if !name.chars().all(legal) || !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        let message = "the file's name is the agent's: only a-z, 0-9, '-', '_', '.'".to_owned();
        return Err(Mistake { file: file.to_owned(), line: None, message, hint: None });
    }
    read(file, &text, shipped_text(&name)).map(|definition| (name, definition))
}

/// Reads a definition; one of a shipped name lies over that one.
fn read(file: &Path, text: &str, shipped: Option<&str>) -> Result<Definition, Mistake> {
    let wrong = |error: toml::de::Error| Mistake::from_toml(file, text, &error);
    // Alone first: keys and types are checked where they stand, with their lines.
    let alone: Definition = toml::from_str(text).map_err(wrong)?;
    let definition = match shipped {
        None => alone,
        Some(shipped) => {
            let mut below: Table = toml::from_str(shipped).map_err(wrong)?;
            let mut above: Table = toml::from_str(text).map_err(wrong)?;
            // The version is that of the file itself.
            above.entry("engine").or_insert(Value::Integer(0));
            merge(&mut below, above);
            below.try_into().map_err(wrong)?
        }
    };
    definition.check().map_err(|(at, message)| Mistake::at(file, text, &at, message))?;
    Ok(definition)
}

/// Lays one table over another, field by field; rules of the same id replace each other, new ones
/// go first.
fn merge(below: &mut Table, above: Table) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            (Some(Value::Array(old)), Value::Array(new)) if key == "rule" => merge_rules(old, new),
            (_, value) => drop(below.insert(key, value)),
        }
    }
}

fn merge_rules(below: &mut Vec<Value>, above: Vec<Value>) {
    let mut fresh = Vec::new();
    for rule in above {
        match below.iter_mut().find(|old| old.get("id") == rule.get("id")) {
            Some(old) => *old = rule,
            None => fresh.push(rule),
        }
    }
    below.splice(0..0, fresh);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(files: &[(&str, &str)]) -> (BTreeMap<String, Definition>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let (agents, mistakes) = load(folder.path());
        let prefix = format!("{}/", folder.path().display());
        let say = |mistake: &Mistake| {
            let hint = mistake.hint.as_deref().unwrap_or_default();
            format!("{mistake} | {hint}").replace(&prefix, "")
        };
        (agents, mistakes.iter().map(say).collect())
    }

    #[test]
    fn all_shipped_definitions_are_right() {
        for Shipped { name, text, .. } in &SHIPPED {
            let read = read(Path::new(name), text, None);
            assert_eq!(read.as_ref().ok(), shipped(name), "{name}: {read:?}");
        }
        assert!(SHIPPED.is_sorted_by_key(|shipped| shipped.name));
        let hidden: Vec<&str> =
            shipped_names().filter(|name| shipped(name).unwrap().hidden).collect();
        assert_eq!(hidden, ["scripted"]);
    }

    #[test]
    fn an_own_file_lies_over_the_shipped_one_field_by_field_g1() {
        let text = "engine = 1\nprogram = \"/opt/claude\"\n[submit]\npause_ms = 900\n[[rules.rule]]\nid = \"composer\"\nactivity = \"idle\"\nregion = \"bottom\"\nall = [\"^> \"]\n[[rules.rule]]\nid = \"mine\"\nactivity = \"error\"\nregion = \"screen\"\nany = [\"oops\"]\n";
        let (agents, mistakes) = with(&[("claude.toml", text)]);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let (own, shipped) = (&agents["claude"], shipped("claude").unwrap());
        assert_eq!((own.program.as_str(), own.submit.pause_ms), ("/opt/claude", 900));
        assert_eq!((&own.launch, &own.submit.clear), (&shipped.launch, &shipped.submit.clear));
        assert_eq!(own.rules.rule.len(), shipped.rules.rule.len() + 1);
        assert_eq!(own.rules.rule[0].id, "mine");
        assert_eq!(own.rules.rule.last().unwrap().all, ["^> "]);
    }

    #[test]
    fn a_new_name_adds_an_agent_g1() {
        let text = "engine = 1\nprogram = \"mine\"\n[launch]\nprompt = [\"-p\", \"{prompt}\"]\n";
        let (agents, mistakes) = with(&[("mine.toml", text), ("notes.txt", "no")]);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        assert_eq!(agents["mine"].launch.prompt, ["-p", "{prompt}"]);
    }

    #[test]
    fn a_mistake_names_its_place_and_disables_that_file_only_g1() {
        let (agents, mistakes) = with(&[
            ("a.toml", "engine = 1\nprogram = \"a\"\n[launch]\nresum = []\n"),
            ("b.toml", "program = \"b\"\n"),
            ("c.toml", "engine = 1\nprogram = \"c\"\n[launch]\nmodel = [\"-m\"]\n"),
            ("claude.toml", "engine = 2\n"),
            (
                "d.toml",
                "engine = 1\nprogram = \"d\"\n[[rules.rule]]\nid = \"r\"\nactivity = \"idle\"\nregion = \"title\"\nall = [\"(\"]\n",
            ),
            ("e.toml", "engine = 1\nprogram = \"e\"\n"),
            ("f g.toml", "engine = 1\nprogram = \"f\"\n"),
            ("h.toml", "engine = 1\n[stop]\nsignal = \"KILL\"\n"),
            ("i.toml", "engine = 1\nprogram = \"i\"\ninterrupt = [\"Esc\", \"Nokey\"]\n"),
            ("j.toml", "engine = 1\nprogram = \"j\"\n[submit]\npause_ms = \"long\"\n"),
            (
                "k.toml",
                "engine = 1\nprogram = \"k\"\n[[dialog]]\nrule = \"r\"\ndefault = \"Yes\"\n",
            ),
            ("l.toml", "engine = 1\nprogram = \"l\"\n[conversation]\nexit_text = \"(\"\n"),
            ("m.toml", "engine = 1\nprogram = \"m\"\n[stop\n"),
            ("n.toml", "engine = 1\nprogram = \"n\"\n[stop]\nsignal = \"KILL\"\n"),
            ("o.toml", "engine = 1\nprogram = \"o\"\n[conversation]\nexit_text = \"o -r .+\"\n"),
            ("opencode.toml", "engine = 1\n[hooks.install]\nargs = [\"--hooks\"]\n"),
        ]);
        let (new, mistakes): (Vec<_>, Vec<_>) =
            mistakes.into_iter().partition(|mistake| ('i'..='o').any(|c| mistake.starts_with(c)));
        for (mistake, begin) in new.iter().zip([
            "i.toml, line 3: ",
            "j.toml, line 4: `pause_ms`: invalid type: string \"long\"",
            "k.toml, line 4: `rule`: there is no rule `r`",
            "l.toml, line 4: `exit_text`: ",
            "m.toml, line 3: ",
            "n.toml, line 4: signal `KILL` is not one of TERM, HUP, INT",
            "o.toml, line 4: `exit_text`: needs a group for the id",
            "opencode.toml, line 2: `env` would do nothing beside `args`",
        ]) {
            assert!(mistake.starts_with(begin), "{mistake}");
        }
        assert_eq!(new.len(), 8, "{new:?}");
        assert_eq!(
            mistakes,
            [
                "a.toml, line 4: unknown key `resum` | did you mean `resume`?",
                "b.toml: `engine` must be 1, the version of this format | ",
                "c.toml, line 4: `model` must hold {model} | ",
                "claude.toml, line 1: `engine` must be 1, the version of this format | ",
                "d.toml, line 4: rule `r`: \"(\": error: unclosed group | ",
                "f g.toml: the file's name is the agent's: only a-z, 0-9, '-', '_', '.' | ",
                "h.toml: `program` is missing | ",
            ]
        );
        assert!(agents.contains_key("e") && !agents.contains_key("a"));
        assert!(!agents.contains_key("claude"), "the shipped one stays");
    }

    /// G1: whatever line of whatever shipped file has a key that there is not, it is told with its line,
    /// and the shipped definition stays.
    #[test]
    fn a_wrong_key_anywhere_is_found_g1() {
        for Shipped { name, text, .. } in &SHIPPED {
            let lines: Vec<&str> = text.lines().collect();
            let tables = lines.iter().enumerate().filter(|(_, line)| line.starts_with('['));
            for at in tables.map(|(at, _)| at + 1).chain([0]) {
                let mut own = lines.clone();
                own.insert(at, "no_such_key = 1");
                let (agents, mistakes) = with(&[(&format!("{name}.toml"), &own.join("\n"))]);
                assert_eq!(mistakes.len(), 1, "{name}, line {}", at + 1);
                let begin = format!("{name}.toml, line {}: unknown key `no_such_key`", at + 1);
                assert!(mistakes[0].starts_with(&begin), "{}", mistakes[0]);
                assert!(agents.is_empty(), "the shipped one stays");
            }
        }
    }
}
