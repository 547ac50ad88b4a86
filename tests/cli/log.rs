//! `log`: terminal history as bytes and as a recording.

use std::io::Read;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{TestHome, until};

/// The history of a session that runs, has ended, was launched again, and is in the trash.
#[test]
fn history_is_printed_whatever_became_of_the_session() {
    let home = TestHome::new();
    let id = home.scripted("print first words;wait");
    home.wait_screen(&id, "first words");
    let log = |id: &str| home.run(["log", id]).ok().stdout;
    until("the history", || log(&id).contains("first words").then_some(()));
    home.run(["stop", &id, "--yes"]).ok();
    let ended = log(&id);
    assert!(ended.contains("first words\r\n"), "{ended:?}");
    home.run(["restore", &id]).ok();
    home.wait_screen(&id, "first words");
    home.run(["stop", &id, "--yes"]).ok();
    let twice = log(&id);
    assert!(twice.starts_with(&ended) && twice.matches("first words").count() == 2, "{twice:?}");
    home.run(["delete", &id, "--yes"]).ok();
    assert_eq!(log(&id), twice);
    home.run(["purge", &id, "--yes"]).ok();
    home.run(["log", &id]).code(3);
    home.finish();
}

/// `--follow` ends with the session, also where its keeper is killed; a pipe that is closed is a success.
#[test]
fn following_ends_with_the_session() {
    let home = TestHome::new();
    let id = home.scripted("print ready;wait;print last words;exit 3");
    let start = |id: &str| {
        let mut command = home.command(["log", id, "--follow"]);
        command.stdout(Stdio::piped()).spawn().unwrap()
    };
    let (mut followed, mut closed) = (start(&id), start(&id));
    let mut out = followed.stdout.take().unwrap();
    let mut text = Vec::new();
    let mut buffer = [0; 1_024];
    while !String::from_utf8_lossy(&text).contains("ready") {
        let length = out.read(&mut buffer).unwrap();
        text.extend_from_slice(&buffer[..length]);
    }
    drop(closed.stdout.take());
    home.run(["keys", &id, "x"]).ok();
    out.read_to_end(&mut text).unwrap();
    assert!(followed.wait().unwrap().success());
    assert!(String::from_utf8_lossy(&text).contains("last words"));
    assert!(closed.wait().unwrap().success());

    let id = home.scripted("print ready;wait");
    let mut followed = start(&id);
    let keeper = home.show(&id)["runtime"]["keeper_pid"].as_u64().unwrap().to_string();
    assert!(std::process::Command::new("kill").args(["-9", &keeper]).status().unwrap().success());
    until("the end", || followed.try_wait().unwrap());
    home.run(["recover"]).ok();
    home.finish();
}

/// An asciicast has sizes and times.
#[test]
fn a_recording_has_sizes_and_times() {
    let home = TestHome::new();
    let options = ["--chat", "--size", "90x20", "--title", "Recorded"];
    let id = home.spawn(options, "print one;wait;print two;wait");
    home.wait_screen(&id, "one");
    home.run(["keys", &id, "x"]).ok();
    home.wait_screen(&id, "two");
    home.run(["stop", &id, "--yes"]).ok();
    let file = home.path().join("out.cast");
    let path = file.to_string_lossy();
    let report = home.run(["log", &id, "--cast", &path, "--json"]).ok().json();
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let header = &lines[0];
    assert_eq!((&header["version"], &header["width"]), (&2.into(), &90.into()));
    assert_eq!((&header["height"], &header["title"]), (&20.into(), &"Recorded".into()));
    let at = |word: &str| {
        let event = lines[1..].iter().find(|event| event[2].as_str().unwrap().contains(word));
        event.unwrap()[0].as_f64().unwrap()
    };
    let times: Vec<f64> = lines[1..].iter().map(|event| event[0].as_f64().unwrap()).collect();
    assert!(times.is_sorted() && at("one") < at("two"), "{text}");
    assert_eq!(report["events"].as_u64().unwrap() as usize, lines.len() - 1);
    assert_eq!(home.run(["log", &id, "--cast", "-"]).ok().stdout, text);
    home.run(["log", &id, "--cast", "/nowhere/out.cast"]).code(1);
    home.run(["log", "chat-99"]).code(3);
    home.finish();
}
