//! ID... and SELECTOR on every verb that takes them; asking; being quiet (`spec/cli.md`, commands).

use serde_json::{Value, json};

use crate::support::{TestHome, texts};

/// A home with made-up sessions, filled once for a test.
fn made_up(sessions: usize) -> TestHome {
    let home = TestHome::new();
    let folder = home.path().to_string_lossy().into_owned();
    let count = sessions.to_string();
    home.run(["demo", "--seed-only", "--sessions", &count, "--home", &folder, "--quiet"]).ok();
    home
}

/// Every session of the list, in order.
fn all(home: &TestHome, options: &[&str]) -> Vec<Value> {
    let args = ["list", "--limit", "100000", "--json"].into_iter().chain(options.iter().copied());
    home.run(args).ok().json()["sessions"].as_array().unwrap().clone()
}

fn ids(sessions: &[Value]) -> Vec<&str> {
    sessions.iter().map(|one| one["id"].as_str().unwrap()).collect()
}

/// Verbs that take `ID...`, with what must follow, and how they end where input names none.
const VERBS: &[(&str, &[&str], i32)] = &[
    ("delete", &["--yes"], 0),
    ("kill", &["--yes"], 0),
    ("list", &[], 0),
    ("pin", &[], 0),
    ("purge", &["--yes"], 0),
    ("restore", &["--dry-run"], 0),
    ("seen", &[], 0),
    ("send", &["text"], 0),
    ("stop", &["--yes"], 0),
    ("unpin", &[], 0),
    ("wait", &["--for", "exit"], 2),
];

/// A line of standard input that is no id is wrong use, and is named.
#[test]
fn every_verb_reads_ids_and_names_the_line_that_is_none() {
    let home = made_up(20);
    for (verb, more, without_ids) in VERBS {
        let args = || [*verb, "-"].into_iter().chain(more.iter().copied()).chain(["--json"]);
        let error = home.run_with("a-1\r\n\n  a-2\t\nNot An Id\n", args()).code(2).error();
        assert!(
            error["message"].as_str().unwrap().starts_with("line 4 of standard input"),
            "{error}"
        );
        let answer = home.run_with("\n \r\n", args());
        assert_eq!(answer.code, *without_ids, "{verb} {}", answer.stderr);
        home.run_bytes(b"a-1\n\xff\xfe\n", args()).code(2);
    }
    home.finish();
}

/// D1: line ends of any kind, blanks and duplicates do not matter.
#[test]
fn ids_from_input_are_trimmed_and_taken_once() {
    let home = made_up(30);
    let known = all(&home, &[]);
    let (one, two) = (known[0]["id"].as_str().unwrap(), known[1]["id"].as_str().unwrap());
    let input = &format!("{one}\r\n\r\n  {two} \n{one}\n");
    for (verb, field) in [("pin", "ids"), ("unpin", "ids"), ("seen", "ids")] {
        let report = home.run_with(input, [verb, "-", two, "--json"]).ok().json();
        assert_eq!(texts(&report[field]), [one, two], "{verb}");
    }
    let listed = home.run_with(input, ["list", "-", "--json"]).ok().json();
    assert_eq!(listed["total"], 2);
    let plan = home.run_with(input, ["delete", "-", "--dry-run", "--json"]).ok().json();
    let planned = plan["sessions"].as_array().unwrap();
    let named = planned.iter().filter(|row| row["pulled_in_by"].is_null()).count();
    assert_eq!(named, 2);
    home.finish();
}

/// D15: ten thousand ids on standard input.
#[test]
fn ten_thousand_ids_are_read() {
    let home = made_up(10_000);
    let known = all(&home, &[]);
    let input = ids(&known).join("\n");
    let count = known.len();
    assert!(count > 7_000);
    let pinned = home.run_with(&input, ["pin", "-", "--json"]).ok().json();
    assert_eq!(pinned["ids"].as_array().unwrap().len(), count);
    let listed = home.run_with(&input, ["list", "-", "--limit", "1", "--json"]).ok().json();
    assert_eq!(listed["total"], count);
    let plan = home.run_with(&input, ["delete", "-", "--dry-run", "--json"]).ok().json();
    assert_eq!(plan["sessions"].as_array().unwrap().len(), count);
    home.finish();
}

/// Filters with what must hold of a session. What is uncommitted is counted in real folders:
/// `dirty_and_clean_are_what_the_folders_are_now`.
type Holds = fn(&Value) -> bool;
const FILTERS: &[(&[&str], Holds)] = &[
    (&["--all"], |_| true),
    (&["--section", "pinned"], |one| one["pinned"] == true),
    (&["--section", "conversations"], |one| {
        one["section_key"] == "conversations" && one["pinned"] == false
    }),
    (&["--agent", "codex"], |one| one["agent"] == "codex"),
    (&["--agent", "codex", "--agent", "claude"], |one| {
        one["agent"] == "codex" || one["agent"] == "claude"
    }),
    (&["--status", "killed"], |one| one["status"] == "killed"),
    (&["--status", "killed", "--status", "done"], |one| {
        one["status"] == "killed" || one["status"] == "done"
    }),
    (&["--zone", "review"], |one| one["zone"] == "review"),
    (&["--zone", "respond", "--zone", "merge"], |one| {
        one["zone"] == "respond" || one["zone"] == "merge"
    }),
    (&["--exclude-pinned"], |one| one["pinned"] == false),
    (&["--agent", "claude", "--zone", "resting", "--exclude-pinned"], |one| {
        one["agent"] == "claude" && one["zone"] == "resting" && one["pinned"] == false
    }),
];

/// Seconds since a time of a session.
fn age(session: &Value, field: &str) -> i64 {
    let Some(at) = session[field].as_str() else { return i64::MAX };
    let at: jiff::Timestamp = at.parse().unwrap();
    let now = jiff::Timestamp::now();
    now.as_second() - at.as_second()
}

/// P5: each filter, by each verb that has them: what is listed is what would be changed.
#[test]
fn every_filter_chooses_the_same_for_every_verb() {
    let home = made_up(400);
    let known = all(&home, &[]);
    let project = known.iter().find_map(|one| one["project"].as_str()).unwrap().to_owned();
    let parent = known.iter().find_map(|one| one["parent"].as_str()).unwrap().to_owned();
    let word = known[0]["title"].as_str().unwrap().split(' ').next().unwrap().to_owned();
    let mut filters: Vec<(Vec<&str>, Vec<&str>)> = FILTERS
        .iter()
        .map(|(filter, holds)| {
            let fitting =
                known.iter().filter(|one| holds(one)).map(|one| one["id"].as_str().unwrap());
            (filter.to_vec(), fitting.collect())
        })
        .collect();
    let by = |field: &str, value: &str| -> Vec<&str> {
        let fitting = known.iter().filter(|one| one[field] == value);
        fitting.map(|one| one["id"].as_str().unwrap()).collect()
    };
    // Between two ages that are far apart, so that time that goes by meanwhile changes nothing.
    let mut ages: Vec<i64> = known.iter().map(|one| age(one, "last_activity_at")).collect();
    ages.retain(|age| *age < i64::MAX);
    ages.sort_unstable();
    let gap = ages.windows(2).max_by_key(|pair| pair[1] - pair[0]).unwrap();
    let between = i64::midpoint(gap[0], gap[1]);
    let older = format!("{between}s");
    let old = known.iter().filter(|one| age(one, "last_activity_at") > between);
    filters.push((
        vec!["--older-than", &older],
        old.map(|one| one["id"].as_str().unwrap()).collect(),
    ));
    filters.push((vec!["--project", &project], by("project", &project)));
    filters.push((vec!["--parent", &parent], by("parent", &parent)));
    let found = all(&home, &["--search", &word]);
    assert!(!found.is_empty());
    filters.push((vec!["--search", &word], ids(&found)));
    for (filter, expected) in &mut filters {
        assert!(!expected.is_empty(), "{filter:?} shows nothing");
        expected.sort_unstable();
        let listed = all(&home, filter);
        let mut listed = ids(&listed);
        listed.sort_unstable();
        assert_eq!(listed, *expected, "list {filter:?}");
        for verb in ["stop", "kill", "delete"] {
            let args = [verb, "--dry-run", "--json"].into_iter().chain(filter.iter().copied());
            let plan = home.run(args).ok().json();
            let rows = plan["sessions"].as_array().unwrap().iter();
            let mut planned: Vec<&str> = rows
                .filter(|row| row["pulled_in_by"].is_null())
                .map(|row| row["id"].as_str().unwrap())
                .collect();
            // A pinned descendant keeps the session that pulls it in.
            let skipped = plan["skipped"].as_array().unwrap().iter();
            let kept = skipped
                .filter(|row| row["reason"].as_str().unwrap().starts_with("pinned_descendant"));
            planned.extend(kept.map(|row| row["id"].as_str().unwrap()));
            planned.sort_unstable();
            assert_eq!(planned, *expected, "{verb} {filter:?}");
        }
    }
    home.finish();
}

/// P2: a section lists what its total counts.
#[test]
fn a_section_has_as_many_sessions_as_it_says() {
    let home = made_up(400);
    let sections = home.run(["sections", "--json"]).ok().json();
    for section in sections["sections"].as_array().unwrap() {
        let key = section["key"].as_str().unwrap();
        let listed = home.run(["list", "--section", key, "--limit", "1", "--json"]).ok().json();
        assert_eq!(listed["total"], section["total"], "{key}");
        let plan = home.run(["stop", "--section", key, "--dry-run", "--json"]).ok().json();
        assert_eq!(plan["sessions"].as_array().unwrap().len() as u64, section["total"], "{key}");
    }
    home.finish();
}

/// R5: in the trash ages count since the deletion; other filters are those of the list.
#[test]
fn filters_choose_in_the_trash() {
    let home = made_up(400);
    let known = all(&home, &["--deleted"]);
    assert!(known.len() > 5 && known.iter().all(|one| one["deleted_at"].is_string()));
    for (filter, holds) in
        FILTERS.iter().filter(|(filter, _)| filter[0] != "--older-than" && filter[0] != "--section")
    {
        let mut expected: Vec<&str> =
            known.iter().filter(|one| holds(one)).map(|one| one["id"].as_str().unwrap()).collect();
        expected.sort_unstable();
        let listed = all(&home, &[&["--deleted"], *filter].concat());
        let mut listed = ids(&listed);
        listed.sort_unstable();
        assert_eq!(listed, expected, "list --deleted {filter:?}");
        let args = ["purge", "--dry-run", "--json"].into_iter().chain(filter.iter().copied());
        let plan = home.run(args).ok().json();
        // What is pulled in goes with the root of its tree; a tree of which something stays is skipped.
        let rows = plan["sessions"].as_array().unwrap().iter();
        let chosen = rows.filter(|row| row["pulled_in_by"].is_null());
        let skipped = plan["skipped"].as_array().unwrap().iter();
        let mut planned: Vec<&str> =
            chosen.chain(skipped).map(|row| row["id"].as_str().unwrap()).collect();
        planned.sort_unstable();
        planned.dedup();
        assert!(!expected.is_empty(), "{filter:?} shows nothing");
        assert_eq!(planned, expected, "purge {filter:?}");
    }
    let store = rusqlite::Connection::open(home.path().join("data/callboard.db")).unwrap();
    let old = known.iter().find(|one| one["parent"].is_null()).unwrap()["id"].as_str().unwrap();
    let tree = "UPDATE sessions SET deleted_at = 1000 WHERE id = ?1 OR root = ?1";
    store.execute(tree, [old]).unwrap();
    let plan = home.run(["purge", "--older-than", "365d", "--dry-run", "--json"]).ok().json();
    let planned = plan["sessions"].as_array().unwrap();
    let tree = |id: &str| {
        let one = known.iter().find(|one| one["id"] == id);
        id == old || one.is_some_and(|one| one["root"] == old)
    };
    assert!(planned.iter().any(|row| row["id"] == old), "{plan}");
    assert!(planned.iter().all(|row| tree(row["id"].as_str().unwrap())), "{plan}");
    home.finish();
}

/// stop, kill, delete, purge and clear refuse where nobody can be asked; what only tells, and restore,
/// never ask.
#[test]
fn what_takes_away_asks_and_refuses_without_a_terminal() {
    let home = TestHome::new();
    let (live, gone) = (home.scripted("wait"), home.scripted("wait"));
    home.run(["delete", &gone, "--yes"]).ok();
    for line in [
        format!("stop {live}"),
        format!("kill {live}"),
        format!("delete {live}"),
        format!("purge {gone}"),
        "clear".to_owned(),
    ] {
        let answer = home.run(line.split(' ')).code(4);
        let verb = line.split(' ').next().unwrap();
        assert_eq!(
            answer.stderr,
            format!(
                "error: {verb} asks first, and standard input is not a terminal\nhint: add --yes to go on without being asked, or --dry-run to see the plan\n"
            )
        );
        assert!(answer.stdout.is_empty(), "{}", answer.stdout);
        let answer = home.run(line.split(' ').chain(["--dry-run"])).ok();
        assert!(
            answer.stdout.contains(if verb == "purge" { &gone } else { &live }),
            "{}",
            answer.stdout
        );
    }
    assert_eq!(home.show(&live)["alive"], true);
    home.run(["restore", &gone, "--dry-run"]).ok();
    home.run(["restore", &gone]).ok();
    home.finish();
}

/// `--quiet` leaves out reports and remarks, not answers and errors.
#[test]
fn quiet_commands_say_nothing_of_what_they_did() {
    let home = TestHome::new();
    let repository = crate::support::Repository::new(&home.folder("shop"));
    let path = repository.path().to_string_lossy().into_owned();
    let id = home.scripted("print ready;forever;prompt;end");
    home.wait(&id, "idle");
    for line in [
        format!("project add {path} --name shop"),
        "project move shop 0".to_owned(),
        "project remove shop".to_owned(),
        format!("pin {id}"),
        format!("unpin {id}"),
        format!("seen {id}"),
        format!("rename {id} Title"),
        format!("send {id} text"),
        format!("keys {id} x"),
        format!("stop {id} --yes"),
        format!("restore {id}"),
        format!("kill {id} --yes"),
        "cleanup".to_owned(),
        format!("delete {id} --yes"),
        "restore --last".to_owned(),
        "clear --yes".to_owned(),
        "purge --all --yes".to_owned(),
        "recover".to_owned(),
    ] {
        let answer = home.run(line.split(' ').chain(["--quiet"])).ok();
        assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("", ""), "{line}");
    }
    for line in ["list", "sections", "config", "project list", "stop x-1 --dry-run"] {
        assert!(!home.run(line.split(' ').chain(["--quiet"])).ok().stdout.is_empty(), "{line}");
    }
    assert!(home.run(["show", "x-1", "--quiet"]).code(3).stderr.starts_with("error: "));
    let report = home.run(["kill", "x-1", "--yes", "--quiet", "--json"]).ok().json();
    assert_eq!(report["results"][0]["reason"], json!("not_found"), "JSON is an answer");
    home.finish();
}
