//! The map in `ARCHITECTURE.md`, checked: which folder may use which, which crate is named where,
//! how long a file may be.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use regex::Regex;

/// What each folder of `src` may use of ours: a folder, or a module of it.
const MAY_USE: [(&str, &[&str]); 12] = [
    ("domain", &[]),
    ("os", &["domain"]),
    ("config", &["domain", "os"]),
    ("store", &["domain", "os"]),
    ("workspace", &["domain", "os", "config"]),
    ("agents", &["domain", "os", "config"]),
    ("runtime", &["domain", "os", "store::facts"]),
    (
        "monitor",
        &[
            "domain",
            "os",
            "config",
            "agents",
            "runtime::client",
            "runtime::screen",
            "runtime::detect",
            "workspace",
            "store::facts",
        ],
    ),
    ("host", &["domain", "os"]),
    (
        "adapters",
        &["domain", "os", "config", "store", "workspace", "agents", "runtime", "monitor", "host"],
    ),
    (
        "tui",
        &[
            "domain",
            "os",
            "config",
            "host",
            "adapters",
            "runtime::screen",
            "runtime::keys",
            "runtime::client",
            "agents",
            "monitor",
        ],
    ),
    (
        "cli",
        &[
            "domain",
            "os",
            "config",
            "host",
            "adapters",
            "tui::run",
            "tui::app::Start",
            "tui::attach",
            "runtime::client",
            "runtime::detect",
            "runtime::screen",
            "agents",
            "monitor",
        ],
    ),
];

/// Crates that only these folders may name.
const ONLY_IN: [(&str, &[&str]); 8] = [
    ("rusqlite", &["store"]),
    ("ratatui", &["tui"]),
    ("ratatui_textarea", &["tui"]),
    ("crossterm", &["tui"]),
    ("clap", &["cli"]),
    ("portable_pty", &["runtime"]),
    ("rio_vt", &["runtime"]),
    ("color_eyre", &["main.rs", "tui", "cli", "runtime"]),
];

/// Lines that a file of `src` may have.
const LONGEST: usize = 600;

/// A source file.
struct Source {
    /// Path below the package.
    path: PathBuf,
    /// First part of the path below `src`: a folder, `lib.rs` or `main.rs`.
    folder: String,
    /// Its text.
    text: String,
    /// Its text without comments.
    code: String,
}

impl Source {
    /// A file of unit tests: what it puts beside its folder is its own affair.
    fn is_test(&self) -> bool {
        let named = self.path.file_stem().is_some_and(|stem| {
            let stem = stem.to_string_lossy();
            stem == "tests" || stem.ends_with("_tests")
        });
        named || self.path.iter().skip(1).any(|part| part == "tests")
    }
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below a folder of the package.
fn sources(below: &str) -> Vec<Source> {
    let mut open = vec![package().join(below)];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(source(below, &path));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty());
    found
}

fn source(below: &str, path: &Path) -> Source {
    let text = std::fs::read_to_string(path).unwrap();
    let inner = path.strip_prefix(package().join(below)).unwrap();
    Source {
        folder: inner.iter().next().unwrap().to_string_lossy().into_owned(),
        path: path.strip_prefix(package()).unwrap().to_owned(),
        code: without_comments(&text),
        text,
    }
}

/// Drops lines that are comments, and what follows `//` after a blank.
fn without_comments(text: &str) -> String {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| line.split_once(" // ").map_or(line, |(code, _)| code))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The paths that follow `crate::` in `code`, groups taken apart.
fn own_paths(code: &str) -> Vec<String> {
    code.match_indices("crate::")
        .filter(|(at, _)| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        .flat_map(|(at, found)| paths(&code[at + found.len()..]).0)
        .collect()
}

/// The paths at the start of `text`, and how long they are: `a::b`, `{a, b::{c, d}}`.
fn paths(text: &str) -> (Vec<String>, usize) {
    if let Some(group) = text.strip_prefix('{') {
        let mut all = Vec::new();
        let mut at = 1;
        while at <= group.len() {
            let rest = &text[at..];
            if rest.starts_with('}') {
                return (all, at + 1);
            }
            if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '{') {
                let (found, length) = paths(rest);
                all.extend(found);
                at += length;
            } else {
                at += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
        return (all, text.len());
    }
    let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    match text[word.len()..].strip_prefix("::") {
        Some(rest) => {
            let (inner, length) = paths(rest);
            let joined = inner.into_iter().map(|path| format!("{word}::{path}")).collect();
            (joined, word.len() + 2 + length)
        }
        None => (vec![word.clone()], word.len()),
    }
}

fn begins_with(path: &str, granted: &str) -> bool {
    path.strip_prefix(granted).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[test]
fn paths_are_read_out_of_groups() {
    let code =
        "use crate::{domain::ids::{A, B}, os};\nlet x = crate::store::facts::write();\nmycrate::no";
    assert_eq!(own_paths(code), ["domain::ids::A", "domain::ids::B", "os", "store::facts::write"]);
}

#[test]
fn a_folder_uses_only_what_it_may() {
    let mut wrong = Vec::new();
    for source in sources("src") {
        if matches!(source.folder.as_str(), "lib.rs" | "main.rs") {
            continue;
        }
        if source.is_test() {
            continue;
        }
        let Some((_, granted)) = MAY_USE.iter().find(|(folder, _)| *folder == source.folder) else {
            panic!("{} is in a folder that the map does not have", source.path.display());
        };
        for path in own_paths(&source.code) {
            let own = begins_with(&path, &source.folder);
            let folders = MAY_USE.iter().any(|(folder, _)| begins_with(&path, folder));
            if folders && !own && !granted.iter().any(|granted| begins_with(&path, granted)) {
                wrong.push(format!("{} uses {path}", source.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "beyond the table of DESIGN and ARCHITECTURE:\n{}", wrong.join("\n"));
}

#[test]
fn some_crates_are_named_in_one_folder_only() {
    let mut wrong = Vec::new();
    for (name, folders) in ONLY_IN {
        let used = Regex::new(&format!(r"\b{name}::|\buse {name}\b")).unwrap();
        for source in sources("src") {
            if !folders.contains(&source.folder.as_str()) && used.is_match(&source.code) {
                wrong.push(format!("{} names {name}", source.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_os_is_unsafe_or_tells_systems_apart() {
    let forbidden = Regex::new(r"\bunsafe\s*(\{|fn\b|impl\b|extern\b)|target_os\s*=").unwrap();
    let wrong: Vec<String> = sources("src")
        .iter()
        .filter(|source| source.folder != "os" && forbidden.is_match(&source.code))
        .map(|source| source.path.display().to_string())
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// R6: nothing but purge removes a folder that could hold work. Whoever removes whole folders is
/// named here, with what keeps work out of it.
#[test]
fn only_these_remove_whole_folders() {
    let removers = Regex::new(r#"remove_dir_all|\bremove_tree\(|"worktree", &"remove""#).unwrap();
    let named = [
        ("src/adapters/purge.rs", "terminal histories of purged sessions"),
        ("src/os/fs.rs", "the act itself"),
        ("src/workspace/create.rs", "what a failed create made in the same call"),
        ("src/workspace/give_back.rs", "clean worktrees, by git, which looks once more (K3)"),
        ("src/workspace/purge.rs", "what lies in the trash (R5)"),
    ];
    let found: Vec<String> = sources("src")
        .iter()
        .filter(|source| !source.is_test() && source.folder != "cli")
        .filter(|source| {
            let code = source.code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            removers.is_match(code)
        })
        .map(|source| source.path.display().to_string())
        .collect();
    assert_eq!(found, named.map(|(path, _)| path.to_owned()));
    for forced in sources("src").iter().filter(|source| !source.is_test()) {
        let forced_removal = forced.code.contains(r#""remove", &"--force""#);
        let may = ["src/workspace/create.rs", "src/workspace/purge.rs"];
        let path = forced.path.display().to_string();
        assert!(!forced_removal || may.contains(&path.as_str()), "{path}");
    }
}

/// Text is measured by one function each, or two places would disagree about a row.
#[test]
fn one_file_measures_text() {
    let measures = Regex::new(r"\bunicode_(width|segmentation)\b").unwrap();
    let counts = Regex::new(r"chars\(\)\s*\.count\(\)|chars\(\)\s*\.skip\(").unwrap();
    // How many characters a text lost is told: no row is laid out by it.
    let may_count = ["src/cli/talk.rs"];
    let code = |source: &Source| {
        source.code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
    };
    let all = sources("src");
    let in_files: Vec<String> = all
        .iter()
        .filter(|source| !source.is_test() && measures.is_match(&code(source)))
        .map(|source| source.path.display().to_string())
        .collect();
    assert_eq!(in_files, ["src/domain/text.rs"]);
    let counted: Vec<String> = all
        .iter()
        .filter(|source| matches!(source.folder.as_str(), "tui" | "cli"))
        .filter(|source| !source.is_test() && counts.is_match(&code(source)))
        .map(|source| source.path.display().to_string())
        .collect();
    assert_eq!(counted, may_count);
}

#[test]
fn files_stay_short() {
    let long: Vec<String> = sources("src")
        .iter()
        .map(|source| (source.text.lines().count(), source.path.display()))
        .filter(|(lines, _)| *lines > LONGEST)
        .map(|(lines, path)| format!("{path}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "split at 400, never above {LONGEST}:\n{}", long.join("\n"));
}

#[test]
fn no_test_is_left_out() {
    let ignored = Regex::new(r"#\[(cfg_attr\(.*)?ignore\b").unwrap();
    for below in ["src", "tests"] {
        for source in sources(below) {
            assert!(!ignored.is_match(&source.code), "{}", source.path.display());
        }
    }
}

/// The rules of the life of a session, a letter and how many: each is named by a test that shows it.
const RULES: [(char, usize); 9] =
    [('S', 5), ('T', 4), ('A', 6), ('L', 6), ('C', 10), ('D', 15), ('R', 6), ('B', 3), ('V', 5)];

/// The rules of stopping, sending, answering, and of agents as callers.
const RULES_OF_ENDS: (char, usize) = ('K', 7);

/// The rules of definitions, hooks, targets, worktrees and pull requests.
const RULES_OF_AGENTS: [(char, usize); 5] = [('G', 9), ('H', 3), ('U', 2), ('Z', 6), ('F', 4)];

/// The rules of keepers.
const RULES_OF_KEEPERS: (char, usize) = ('X', 8);

/// The rules of the store, of the rail and of the search.
const RULES_OF_THE_STORE: [(char, usize); 3] = [('W', 7), ('P', 6), ('Q', 2)];

/// The comments that stand right above each test of `text`.
fn comments_of_tests(text: &str) -> Vec<String> {
    let marker = Regex::new(r"^\s*(#\[(tokio::)?test\b|#\[rstest\b|#\[case\b)").unwrap();
    let mut comment = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim_start();
        if let Some(said) = line.strip_prefix("///") {
            comment.push_str(said);
            comment.push('\n');
        } else if marker.is_match(line) {
            found.push(std::mem::take(&mut comment));
        } else if !line.starts_with("#[") {
            comment.clear();
        }
    }
    found
}

#[test]
fn comments_are_taken_from_tests_only() {
    let text = "/// A1: told\n/// at length\n#[test]\nfn a() {}\n/// A2: no test\nfn b() {}\n";
    assert_eq!(comments_of_tests(text), [" A1: told\n at length\n"]);
}

#[test]
fn every_rule_is_named_by_a_test() {
    let token = Regex::new(r"\b[SALCDRBKVTWPQXGHUZF]\d{1,2}\b").unwrap();
    let named: BTreeSet<String> = ["src", "tests"]
        .iter()
        .flat_map(|below| sources(below))
        .flat_map(|source| comments_of_tests(&source.text))
        .flat_map(|comment| {
            token.find_iter(&comment).map(|rule| rule.as_str().to_owned()).collect::<Vec<_>>()
        })
        .collect();
    let missing: Vec<String> = RULES
        .iter()
        .chain([&RULES_OF_ENDS, &RULES_OF_KEEPERS])
        .chain(&RULES_OF_AGENTS)
        .chain(&RULES_OF_THE_STORE)
        .flat_map(|(letter, last)| (1..=*last).map(move |number| format!("{letter}{number}")))
        .filter(|rule| !named.contains(rule))
        .collect();
    assert!(missing.is_empty(), "no test's comment names {}", missing.join(", "));
}
