//! Commands inside a terminal, one that a session of ours gives them: full screen, asking, Ctrl-C.

use crate::support::{TestHome, binary, until};

/// Runs `callboard ARGS...` in a session of its own, which may do what an operator may; answers its id.
fn in_a_terminal(home: &TestHome, args: &[&str]) -> String {
    let config = home.path().join("config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "agents_may_everything = true\n").unwrap();
    let mut line =
        vec!["spawn", "--chat", "--size", "100x20", "--json", "--agent", "command", "--"];
    line.push(binary());
    line.extend(args);
    home.run(line).ok().json()["id"].as_str().unwrap().to_owned()
}

/// T4: attach is a look
#[test]
fn attach_passes_keys_on_until_the_leave_key() {
    let home = TestHome::new();
    let agent = home.scripted("print ready;forever;prompt;end");
    home.wait(&agent, "idle");
    let outer = in_a_terminal(&home, &["attach", &agent]);
    home.wait_screen(&outer, "ready");
    until("the agent to have the size of the terminal", || {
        let screen = home.run(["screen", &agent, "--json"]).ok().json();
        (screen["cols"] == 100 && screen["rows"] == 20).then_some(())
    });
    for key in ["h", "i", "Enter"] {
        home.run(["keys", &outer, key]).ok();
    }
    home.wait_screen(&agent, "You said: hi");
    home.wait_screen(&outer, "You said: hi");
    home.run(["keys", &outer, "C-]"]).ok();
    home.wait(&outer, "exit");
    assert_eq!(home.show(&outer)["runtime"]["exit_code"], 0);
    let shown = home.show(&agent);
    assert!(shown["alive"] == true && shown["seen_at"].is_string(), "{shown}");
    home.finish();
}

#[test]
fn attach_ends_with_the_session_and_needs_one_that_runs() {
    let home = TestHome::new();
    let agent = home.scripted("print ready;wait");
    home.wait_screen(&agent, "ready");
    let outer = in_a_terminal(&home, &["attach", &agent, "--read-only"]);
    home.wait_screen(&outer, "ready");
    home.run(["keys", &outer, "x"]).ok();
    assert_eq!(home.run(["screen", &agent, "--json"]).ok().json()["cols"], 120);
    home.run(["stop", &agent, "--yes"]).ok();
    home.wait(&outer, "exit");
    assert_eq!(home.show(&outer)["runtime"]["exit_code"], 0);
    home.run(["attach", &agent]).code(4);
    home.run(["attach", "chat-99"]).code(3);
    home.finish();
}

#[test]
fn the_dashboard_opens_where_it_is_told() {
    let home = TestHome::new();
    home.project("shop");
    let first = home.spawn(["--project", "shop", "--title", "The first one"], "print one;wait");
    let _second = home.spawn(["--project", "shop", "--title", "The second one"], "print two;wait");
    let outer = in_a_terminal(&home, &["--select", &first]);
    let screen = home.wait_screen(&outer, "The first one");
    let selected = screen.lines().find(|line| line.contains("The first one")).unwrap();
    assert!(selected.contains('▐'), "{screen}");
    home.run(["keys", &outer, "q"]).ok();
    home.wait(&outer, "exit");
    assert_eq!(home.show(&outer)["runtime"]["exit_code"], 0);
    assert_eq!(home.show(&first)["alive"], true, "agents outlive the screen");
    home.finish();
}

#[test]
fn full_screen_commands_need_a_terminal() {
    let home = TestHome::new();
    let agent = home.scripted("wait");
    for args in [&[][..], &["attach", &agent]] {
        let answer = home.run(args.iter().copied());
        assert!(matches!(answer.code, 1 | 2), "{} {}", answer.code, answer.stderr);
        assert!(answer.stderr.contains("terminal"), "{}", answer.stderr);
    }
    home.finish();
}

#[test]
fn deleting_asks_on_a_terminal() {
    let home = TestHome::new();
    let agent = home.scripted("wait");
    for (answer, code, alive) in [("n", 4, true), ("y", 0, false)] {
        let outer = in_a_terminal(&home, &["delete", &agent]);
        home.wait_screen(&outer, "[y/N]");
        home.run(["keys", &outer, answer, "Enter"]).ok();
        home.wait(&outer, "exit");
        assert_eq!(home.show(&outer)["runtime"]["exit_code"], code, "{answer}");
        assert_eq!(home.show(&agent)["deleted_at"].is_null(), alive, "{answer}");
    }
    home.finish();
}

#[test]
fn ctrl_c_ends_a_wait_with_130() {
    let home = TestHome::new();
    let agent = home.scripted("print ready;wait");
    home.wait_screen(&agent, "ready");
    let script = format!("{} --version; exec {} wait {agent} --for stuck", binary(), binary());
    let args = ["spawn", "--chat", "--json", "--agent", "command", "--", "sh", "-c", &script];
    let outer = home.run(args).ok().json()["id"].as_str().unwrap().to_owned();
    home.wait_screen(&outer, "callboard");
    home.run(["keys", &outer, "C-c"]).ok();
    home.wait(&outer, "exit");
    let runtime = &home.show(&outer)["runtime"];
    // A Ctrl-C that comes before the command listens ends it as a signal does.
    assert!(runtime["exit_code"] == 130 || runtime["signal"] == 2, "{runtime}");
    home.finish();
}

#[test]
fn a_closed_pipe_is_a_success() {
    let home = TestHome::new();
    let folder = home.path().to_string_lossy().into_owned();
    home.run(["demo", "--seed-only", "--sessions", "400", "--home", &folder]).ok();
    let mut list = home.command(["list", "--limit", "400", "--json"]);
    let mut child = list
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    home.finish();
}

#[test]
fn the_demo_plays_and_cleans_up() {
    let home = TestHome::new();
    let temp = home.folder("temp");
    let outer = {
        let program = ["spawn", "--chat", "--size", "130x36", "--json", "--agent", "command", "--"];
        let args: Vec<&str> = program.into_iter().chain([binary(), "demo"]).collect();
        let output = home.command(args).env("TMPDIR", &temp).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let session: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        session["id"].as_str().unwrap().to_owned()
    };
    home.wait_screen(&outer, "shop");
    home.run(["keys", &outer, "2"]).ok();
    home.wait_screen(&outer, "Fix cart rounding");
    home.run(["keys", &outer, "q"]).ok();
    home.wait(&outer, "exit");
    assert_eq!(home.show(&outer)["runtime"]["exit_code"], 0);
    assert_eq!(std::fs::read_dir(&temp).unwrap().count(), 0, "the throwaway home is gone");
    home.finish();
}

#[test]
fn a_home_is_filled_with_the_same_sessions_every_time() {
    let homes = [TestHome::new(), TestHome::new()];
    let lists = homes.each_ref().map(|home| {
        let folder = home.path().to_string_lossy().into_owned();
        home.run(["demo", "--seed-only", "--sessions", "300", "--home", &folder]).ok();
        let list = home.run(["list", "--limit", "1000", "--json"]).ok().json();
        let sessions = list["sessions"].as_array().unwrap().clone();
        let deleted = home.run(["list", "--deleted", "--json"]).ok().json()["total"].as_u64();
        assert!(deleted > Some(0));
        assert_eq!(list["total"].as_u64().zip(deleted).map(|(live, gone)| live + gone), Some(300));
        sessions
            .iter()
            .map(|one| (one["id"].clone(), one["title"].clone(), one["status"].clone()))
            .collect::<Vec<_>>()
    });
    assert_eq!(lists[0], lists[1]);
    for home in homes {
        home.finish();
    }
}
