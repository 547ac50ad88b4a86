//! Configuration and environment (`spec/cli.md`, folders and environment), and what is generated.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{TestHome, binary, until};

/// Every key with a value that is not its default, in the words of TOML.
const KEYS: &[(&str, &str)] = &[
    ("agent", "\"codex\""),
    ("max_starting", "3"),
    ("max_live", "7"),
    ("agents_may_everything", "true"),
    ("branch", "\"mine/{session}\""),
    ("setup_timeout_seconds", "5"),
    ("leave_key", "\"C-a\""),
    ("theme", "\"dark\""),
    ("glyphs", "\"ascii\""),
    ("retention_days", "2"),
    ("scrollback_lines", "100"),
    ("history_mebibytes", "64"),
    ("stalled_minutes", "3"),
    ("on_merge", "\"kill\""),
    ("clipboard", "\"off\""),
    ("opener", "[\"mine\"]"),
    ("notifications.bell", "true"),
    ("notifications.desktop", "true"),
    ("notifications.sequence", "\"osc777\""),
    ("notifications.command", "[\"say\"]"),
    ("notifications.reasons", "[\"permission\"]"),
    ("notifications.limit", "3"),
    ("targets.fast.agent", "\"claude\""),
    ("targets.fast.model", "\"small\""),
    ("targets.fast.permission_mode", "\"plan\""),
    ("targets.fast.args", "[\"-v\"]"),
    ("targets.fast.env.A", "\"1\""),
    ("targets.fast.runner.ssh.host", "\"box\""),
    ("targets.fast.runner.ssh.folder", "\"/src\""),
    ("targets.fast.runner.ssh.options", "[\"-v\"]"),
];

/// Writes the configuration.
fn configure(home: &TestHome, text: impl AsRef<[u8]>) {
    let folder = home.path().join("config");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

/// The effective configuration: for each key its value and where it came from.
fn effective(home: &TestHome) -> BTreeMap<String, (Value, String)> {
    let shown = home.run(["config", "--json"]).ok().json();
    let values = shown["values"].as_array().unwrap().iter();
    values
        .map(|one| {
            let text = |field: &str| one[field].as_str().unwrap().to_owned();
            (text("key"), (one["value"].clone(), text("source")))
        })
        .collect()
}

#[test]
fn every_key_shows_its_value_and_its_source() {
    let home = TestHome::new();
    let defaults = effective(&home);
    assert!(defaults.values().all(|(_, source)| source == "default"), "{defaults:?}");
    for key in defaults.keys() {
        assert!(KEYS.iter().any(|(known, _)| known.starts_with(key)), "{key} is not tried");
    }
    let text: Vec<String> = KEYS.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
    configure(&home, text.concat());
    let set = effective(&home);
    for (key, value) in KEYS {
        let (found, source) = &set[*key];
        let expected: Value = serde_json::from_str(value).unwrap();
        assert_eq!(*found, expected, "{key}");
        assert!(source.ends_with("config/config.toml"), "{key} from {source}");
        assert_ne!(defaults.get(*key).map(|(value, _)| value), Some(found), "{key}");
    }
    home.finish();
}

/// An unknown key, or a value of the wrong type, names file, line and what was meant.
#[test]
fn mistakes_in_the_configuration_are_found() {
    let home = TestHome::new();
    for (key, value) in KEYS {
        let (above, name) = key.rsplit_once('.').map_or(("", *key), |(above, name)| (above, name));
        let wrong_type = if value.starts_with('"') { "[1]" } else { "\"word\"" };
        configure(&home, format!("# first\n\n{key} = {wrong_type}\n"));
        let error = home.run(["list", "--json"]).code(2).error();
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("config.toml, line 3: "), "{key}: {error}");
        if above.ends_with("env") {
            continue;
        }
        let slip = format!(
            "{}{name}x",
            if above.is_empty() { String::new() } else { format!("{above}.") }
        );
        configure(&home, format!("# first\n\n{slip} = {value}\n"));
        let error = home.run(["list", "--json"]).code(2).error();
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains(&format!("config.toml, line 3: unknown key `{name}x`")),
            "{error}"
        );
        assert_eq!(error["hint"], format!("did you mean `{name}`?"), "{error}");
    }
    for (text, part) in [
        ("theme = \"dark", "line 1"),
        ("theme", "line 1"),
        ("a = 1\na = 2", "line 2"),
        ("\u{1b}[31m", "line 1"),
    ] {
        configure(&home, text);
        let answer = home.run(["list"]).code(2);
        assert!(answer.stderr.contains(part), "{text:?}: {}", answer.stderr);
        assert!(!answer.stderr.contains('\u{1b}'), "{:?}", answer.stderr);
    }
    home.finish();
}

#[test]
fn a_configuration_that_cannot_be_read_says_what_to_do() {
    let home = TestHome::new();
    configure(&home, b"theme = \"\xff\"\n");
    let error = home.run(["list", "--json"]).code(2).error();
    assert!(error["message"].as_str().unwrap().contains("config.toml"), "{error}");
    assert_eq!(error["hint"], "write it in UTF-8");
    let file = home.path().join("config/config.toml");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let error = home.run(["config", "--json"]).code(2).error();
    assert_eq!(error["hint"], "a folder is in its place");
    fs::remove_dir(&file).unwrap();
    // Root may read everything.
    if !rustix::process::getuid().is_root() {
        use std::os::unix::fs::PermissionsExt;
        configure(&home, "");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
        let error = home.run(["list", "--json"]).code(2).error();
        assert_eq!(error["hint"], "check who may read the file");
    }
    home.finish();
}

/// G1: a mistake in an agent's definition disables its own file, and is told with file and line.
#[test]
fn mistakes_in_agents_are_told_and_disable_one_file() {
    let home = TestHome::new();
    let folder = home.path().join("config/agents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("slip.toml"), "engine = 1\ntitle = \"A\"\nprogam = \"true\"\n").unwrap();
    fs::write(folder.join("bytes.toml"), b"\xff").unwrap();
    fs::create_dir(folder.join("folder.toml")).unwrap();
    fs::write(folder.join("good.toml"), "engine = 1\ntitle = \"Good\"\nprogram = \"true\"\n")
        .unwrap();
    let answer = home.run(["agents", "list"]).ok();
    assert!(answer.stdout.contains("good") && answer.stdout.contains("shell"));
    let told = |part: &str| assert!(answer.stderr.contains(part), "{part} in {}", answer.stderr);
    told("slip.toml, line 3: unknown key `progam`");
    told("bytes.toml: cannot be read");
    told("folder.toml: cannot be read");
    let list = home.run(["agents", "list", "--json"]).ok().json();
    let names: Vec<&str> = list["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"good") && !names.contains(&"slip"), "{names:?}");
    home.finish();
}

/// A command without the folders of the test's home.
fn plain(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.args(args).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", home).current_dir(home).stdin(Stdio::null());
    command
}

fn succeeds(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Where everything lives, with `CALLBOARD_HOME` and without.
#[test]
fn folders_are_where_the_environment_says() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    let at = |name: &str| home.join(name);
    // A debug build has a folder of its own.
    let name = if cfg!(debug_assertions) { "callboard-debug" } else { "callboard" };
    for empty in [false, true] {
        let mut command = plain(home, &["list"]);
        if empty {
            command
                .env("CALLBOARD_HOME", "")
                .env("XDG_DATA_HOME", "relative")
                .env("XDG_RUNTIME_DIR", "");
        }
        succeeds(&mut command);
        assert!(at(".local/share").join(name).join("callboard.db").exists());
        assert!(at(".local/state").join(name).join("run").exists(), "without a runtime folder");
        assert!(!at("relative").exists());
    }
    let mut command = plain(home, &["list"]);
    for (variable, folder) in
        [("CONFIG_HOME", "c"), ("DATA_HOME", "d"), ("STATE_HOME", "s"), ("RUNTIME_DIR", "r")]
    {
        command.env(format!("XDG_{variable}"), at(folder));
    }
    fs::create_dir_all(at("c").join(name)).unwrap();
    fs::write(at("c").join(name).join("config.toml"), "nonsense = 1").unwrap();
    assert_eq!(command.output().unwrap().status.code(), Some(2), "the configuration is read there");
    fs::remove_file(at("c").join(name).join("config.toml")).unwrap();
    succeeds(&mut command);
    assert!(at("d").join(name).join("callboard.db").exists());
    assert!(at("s").join(name).exists() && at("r").join(name).exists());
    succeeds(plain(home, &["list"]).env("CALLBOARD_HOME", "one"));
    for inner in ["data/callboard.db", "state", "run"] {
        assert!(at("one").join(inner).exists(), "{inner}");
    }
}

/// Paths of sockets are short, however long the home's is.
#[test]
fn a_long_home_works() {
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("a-folder-with-a-long-name/".repeat(8));
    let run = |args: &[&str]| {
        let output = plain(folder.path(), args).env("CALLBOARD_HOME", &long).output().unwrap();
        assert!(output.status.success(), "{args:?} {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let script = "print ready;forever;prompt;end";
    let id =
        run(&["spawn", "--chat", "--agent", "command", "--", binary(), "scripted", "-e", script]);
    run(&["wait", &id, "--for", "idle", "--timeout", "20s"]);
    run(&["send", &id, "hello", "--wait", "idle", "--timeout", "20s"]);
    assert!(run(&["screen", &id]).contains("You said: hello"));
    run(&["delete", &id, "--yes"]);
}

/// `--workspace` goes before `CALLBOARD_WORKSPACE`, an empty one is none, an illegal one is wrong use.
#[test]
fn the_workspace_is_the_options_or_the_environments() {
    let home = TestHome::new();
    let id = home.scripted("wait");
    let total = |variable: &str, options: &[&str]| {
        let args = ["list", "--json"].into_iter().chain(options.iter().copied());
        let output = home.command(args).env("CALLBOARD_WORKSPACE", variable).output().unwrap();
        let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output.status.code(), found["total"].as_u64())
    };
    assert_eq!(total("default", &[]), (Some(0), Some(1)));
    assert_eq!(total("", &[]), (Some(0), Some(1)));
    assert_eq!(total(" default ", &[]), (Some(0), Some(1)));
    assert_eq!(total("other", &[]), (Some(0), Some(0)));
    assert_eq!(total("other", &["--workspace", "default"]), (Some(0), Some(1)));
    assert_eq!(total("Not/Legal", &["--workspace", "default"]), (Some(0), Some(1)));
    assert_eq!(total("Not/Legal", &[]).0, Some(2));
    assert_eq!(total("default", &["--workspace", ""]).0, Some(2));
    assert_eq!(home.show(&id)["workspace"], "default");
    home.finish();
}

/// What is noted goes to a file, as much as `CALLBOARD_LOG` asks for.
#[test]
fn the_log_is_a_file_with_a_filter() {
    let home = TestHome::new();
    let log = home.path().join("state/log/callboard.log");
    home.run(["list"]).ok();
    fs::remove_file(&log).unwrap_or_default();
    for filter in ["error", "not=a=filter", ""] {
        let output = home.command(["list"]).env("CALLBOARD_LOG", filter).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{filter}");
    }
    assert!(!log.exists(), "there was nothing to note");
    let output = home.command(["list"]).env("CALLBOARD_LOG", "trace").output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(fs::metadata(&log).unwrap().len() > 0);
    home.finish();
}

/// Completions are read by their shell, and know options and words.
#[test]
fn completions_are_what_the_shell_reads() {
    let home = TestHome::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let text = home.run(["completions", shell]).ok().stdout;
        let values = if matches!(shell, "bash" | "fish" | "zsh") { "needs_input" } else { "list" };
        for word in ["restore", "exclude-pinned", values] {
            assert!(text.contains(word), "{shell} does not know {word}");
        }
        checked(shell, &["-n"], &text);
    }
    home.run(["completions", "tcsh"]).code(2);
    home.finish();
}

/// A shell that is there finds no fault with a script.
fn checked(shell: &str, options: &[&str], text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script");
    fs::write(&file, text).unwrap();
    match Command::new(shell).args(options).arg(&file).output() {
        Ok(output) => assert!(
            output.status.success() && output.stderr.is_empty(),
            "{shell}: {}",
            String::from_utf8_lossy(&output.stderr)
        ),
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{shell}: {error}"),
    }
}

/// The manual page has every command that the help shows, and is what groff reads.
#[test]
fn the_manual_page_has_every_command() {
    let home = TestHome::new();
    let page = home.run(["man"]).ok().stdout;
    let help = home.run(["--help"]).ok().stdout;
    let listed = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let names: Vec<&str> = listed
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(names.len() > 25, "{names:?}");
    for name in names {
        assert!(page.contains(&format!(".SS \"callboard {name}\"")), "{name}");
    }
    assert!(!page.contains("scripted\""));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("callboard.1");
    fs::write(&file, page).unwrap();
    match Command::new("groff").args(["-man", "-Tutf8", "-ww"]).arg(&file).output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && said.is_empty(), "{said}");
            assert!(String::from_utf8_lossy(&output.stdout).contains("Register folders"));
        }
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}"),
    }
    home.finish();
}

/// What `schema` prints is the file that tests hold outputs against; one output refers to nothing that
/// is not with it.
#[test]
fn schemas_are_printed_whole_and_by_command() {
    let home = TestHome::new();
    let whole: Value = serde_json::from_str(include_str!("../../assets/schema.json")).unwrap();
    assert_eq!(home.run(["schema"]).ok().json(), whole);
    for name in whole["properties"].as_object().unwrap().keys() {
        let one = home.run(["schema"].into_iter().chain(name.split(' '))).ok();
        let text = one.stdout.clone();
        let one = one.json();
        assert_eq!(one["title"], format!("callboard {name}"));
        for part in text.split("\"#/$defs/").skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(one["$defs"][name].is_object(), "{name}");
        }
    }
    let error = home.run(["schema", "lists", "--json"]).code(2).error();
    assert_eq!(error["hint"], "did you mean list?");
    home.finish();
}

/// The configuration is read once by a command: another look could find another one.
#[test]
fn the_configuration_is_read_once() {
    let home = TestHome::new();
    let folder = home.path().join("config");
    fs::create_dir_all(&folder).unwrap();
    let pipe = folder.join("config.toml");
    for line in ["list", "config", "doctor"] {
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let mut command = home.command([line, "--json"]);
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        let mut open = fs::OpenOptions::new();
        // Does not wait for a reader that never comes.
        open.write(true).custom_flags(nonblocking());
        let mut writer = until(&format!("{line} to read"), || open.open(&pipe).ok());
        writer.write_all(b"max_starting = 2\n").unwrap();
        drop(writer);
        let what = format!("{line} to end");
        let ended = until_ended(&what, &mut child);
        assert!(ended.code().is_some_and(|code| code < 2), "{line}: {ended}");
        fs::remove_file(&pipe).unwrap();
    }
    home.finish();
}

fn nonblocking() -> i32 {
    i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap()
}

/// Waits for the end of a process; one that does not end is ended.
#[track_caller]
fn until_ended(what: &str, child: &mut std::process::Child) -> std::process::ExitStatus {
    let waited = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        until(what, || child.try_wait().unwrap())
    }));
    waited.unwrap_or_else(|reason| {
        let _gone = child.kill();
        let _gone = child.wait();
        std::panic::resume_unwind(reason)
    })
}
