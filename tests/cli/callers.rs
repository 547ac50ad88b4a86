//! Agents as callers: a session's agent that calls the binary itself.

use crate::support::{TestHome, binary, until};

/// Starts an agent that runs a shell script, in which `$CB` is the binary; answers its id.
fn agent(home: &TestHome, script: &str) -> String {
    let script = format!("CB={}\n{script}\nsleep 1000", binary());
    let args = ["spawn", "--chat", "--json", "--agent", "command", "--", "sh", "-c", &script];
    home.run(args).ok().json()["id"].as_str().unwrap().to_owned()
}

fn read(home: &TestHome, name: &str) -> String {
    let path = home.path().join(name);
    until(&format!("the agent to write {name}"), || {
        std::fs::read_to_string(&path).ok().filter(|text| text.ends_with("done\n"))
    })
}

/// K7, C9: an agent spawns a child, lists it, sends to it, waits for it, looks at it and stops it.
#[test]
fn an_agent_leads_a_child_of_its_own_k7() {
    let home = TestHome::new();
    let script = r#"cd "$CALLBOARD_HOME"
{
child=$($CB spawn --agent command --title Helper -- $CB scripted -e "forever;prompt;end")
echo "child $child $?"
$CB wait "$child" --for idle --timeout 20s; echo "wait $?"
$CB list --parent "$CALLBOARD_SESSION_ID" --json; echo "list $?"
$CB send "$child" "hello from above" --wait idle --timeout 20s; echo "send $?"
$CB screen "$child"; echo "screen $?"
$CB stop "$child" --yes; echo "stop $?"
} >out 2>&1
echo done >>out"#;
    let parent = agent(&home, script);
    let out = read(&home, "out");
    for said in ["wait 0", "list 0", "send 0", "screen 0", "stop 0", "hello from above"] {
        assert!(out.contains(said), "{said}: {out}");
    }
    let child = out.lines().find_map(|line| line.strip_prefix("child ")).unwrap();
    let child = child.strip_suffix(" 0").unwrap();
    let shown = home.show(child);
    assert_eq!(shown["parent"], parent.as_str());
    assert_eq!(shown["termination_reason"], "manually_killed");
    let messages = home.run(["messages", child, "--json"]).ok().json();
    assert_eq!(messages["messages"][0]["source"], format!("session:{parent}"));
    home.finish();
}

/// K7: others' sessions, keys, answers, purge and clear are refused with exit code 4, by the variables of
/// the environment or, where a tool drops or changes them, by ancestry; the configuration lifts it.
#[test]
fn an_agent_is_held_to_its_own_tree_k7() {
    let home = TestHome::new();
    let other = home.scripted("forever;prompt;end");
    let script = r#"cd "$CALLBOARD_HOME"
{
$CB show OTHER --json >/dev/null; echo "show $?"
$CB send OTHER text; echo "send $?"
env -u CALLBOARD_SESSION_ID -u CALLBOARD_TOKEN $CB send OTHER text; echo "unset $?"
CALLBOARD_SESSION_ID=OTHER $CB send OTHER text; echo "posing $?"
ln -s "$CALLBOARD_HOME" "$CALLBOARD_HOME/way"
CALLBOARD_HOME="$CALLBOARD_HOME/way" $CB send OTHER text; echo "way $?"
rm "$CALLBOARD_HOME/way"
$CB demo --seed-only --home "$CALLBOARD_HOME/another"; echo "another $?"
$CB seen OTHER; echo "seen $?"
$CB pin OTHER; echo "pin $?"
$CB demo --seed-only --home "$CALLBOARD_HOME"; echo "demo $?"
$CB keys "$CALLBOARD_SESSION_ID" Enter; echo "keys $?"
$CB send OTHER --answer yes; echo "answer $?"
$CB stop --all --yes; echo "stop $?"
$CB delete OTHER --yes; echo "delete $?"
$CB purge --all --yes; echo "purge $?"
$CB clear --yes; echo "clear $?"
$CB spawn --parent OTHER --agent shell; echo "spawn $?"
$CB spawn --workspace elsewhere --agent shell; echo "elsewhere $?"
echo "agents_may_everything = true" >config/config.toml
$CB send OTHER text; echo "allowed $?"
rm config/config.toml
} >out 2>&1
echo done >>out"#;
    std::fs::create_dir_all(home.path().join("config")).unwrap();
    home.wait(&other, "idle");
    agent(&home, &script.replace("OTHER", &other));
    let out = read(&home, "out");
    assert!(out.contains("show 0") && out.contains("allowed 0"), "{out}");
    assert!(out.contains("another 0"), "an installation of its own: {out}");
    for verb in [
        "send",
        "unset",
        "posing",
        "way",
        "seen",
        "pin",
        "demo",
        "keys",
        "answer",
        "stop",
        "delete",
        "purge",
        "clear",
        "spawn",
        "elsewhere",
    ] {
        assert!(out.contains(&format!("{verb} 4")), "{verb}: {out}");
    }
    assert_eq!(home.show(&other)["alive"], true);
    home.finish();
}
