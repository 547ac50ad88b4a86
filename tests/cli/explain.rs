//! `agents explain` and `agents test`: why an activity was concluded.

use crate::support::TestHome;

/// G8: every witness with what it says; over a recording the transitions with their rules.
#[test]
fn an_activity_is_explained_g8() {
    let home = TestHome::new();
    let args = ["spawn", "--chat", "--agent", "scripted", "--json", "--", "-e"];
    let script = ["ask permission Run it? | Yes | No;forever;prompt;end"];
    let id =
        home.run(args.into_iter().chain(script)).ok().json()["id"].as_str().unwrap().to_owned();
    home.wait(&id, "needs_input");
    let explained = home.run(["agents", "explain", &id, "--json"]).ok().json();
    assert_eq!((&explained["activity"], &explained["live"]), (&"blocked".into(), &true.into()));
    let witnesses = explained["witnesses"].as_array().unwrap();
    let names: Vec<&str> = witnesses.iter().map(|one| one["witness"].as_str().unwrap()).collect();
    assert_eq!(names, ["osc7501", "hook", "title", "progress", "screen", "process"]);
    assert_eq!(witnesses[0]["says"], "blocked");
    assert_eq!(
        (&witnesses[4]["rule"], &witnesses[1]["says"]),
        (&"permission".into(), &serde_json::Value::Null)
    );
    assert!(witnesses[0]["age_seconds"].is_f64() && witnesses[4]["text"].is_string());
    assert_eq!(
        (&witnesses[0]["contradicts"], &witnesses[1]["contradicts"]),
        (&false.into(), &false.into())
    );
    let text = home.run(["agents", "explain", &id]).ok().stdout;
    assert!(text.contains("osc7501") && text.contains("permission"), "{text}");

    home.run(["send", &id, "--answer", "yes", "--wait", "idle", "--timeout", "20s"]).ok();
    home.run(["stop", &id, "--yes"]).ok();
    let stored = home.run(["agents", "explain", &id, "--json"]).ok().json();
    assert_eq!((&stored["live"], &stored["witnesses"]), (&false.into(), &serde_json::json!([])));
    home.run(["agents", "explain", "chat-99"]).code(3);

    let file = home.path().join("session.cast");
    let file = file.to_string_lossy();
    home.run(["log", &id, "--cast", &file]).ok();
    let tested = home.run(["agents", "test", &file, "--agent", "scripted", "--json"]).ok().json();
    let steps: Vec<&str> = tested["transitions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["activity"].as_str().unwrap())
        .collect();
    assert_eq!(steps.first(), Some(&"blocked"));
    assert_eq!((steps.last(), &tested["final"]), (Some(&"idle"), &"idle".into()));
    let first = &tested["transitions"][0];
    assert!(first["at"].is_f64() && first["witness"] == "osc7501" && first["rule"].is_null());
    home.run(["agents", "test", &file, "--agent", "no-such-agent"]).code(3);
    home.run(["agents", "test", "/nowhere.cast", "--agent", "claude"]).code(1);
    std::fs::write(home.path().join("broken.cast"), "{\"version\":2}\nnonsense\n").unwrap();
    let broken = home.path().join("broken.cast");
    let answer =
        home.run(["agents", "test", &broken.to_string_lossy(), "--agent", "claude"]).code(2);
    assert!(answer.stderr.contains("line 2"), "{}", answer.stderr);
    home.finish();
}
