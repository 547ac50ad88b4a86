//! Choices of `spawn`, `screen`, `wait` and `restore`, each seen by what it does.

use std::fs;
use std::path::PathBuf;

use crate::support::{Repository, TestHome, binary, until};

fn worktree(home: &TestHome, id: &str) -> PathBuf {
    PathBuf::from(home.show(id)["worktree"].as_str().unwrap())
}

/// Z2: a path that a project names is linked into each worktree.
#[test]
fn a_path_of_a_project_is_linked_into_its_worktrees_z2() {
    let home = TestHome::new();
    let repository = Repository::new(&home.folder("shop"));
    repository.write(".gitignore", "cache\n");
    repository.commit("Ignore what is linked");
    fs::create_dir(repository.path().join("cache")).unwrap();
    let path = repository.path().to_string_lossy().into_owned();
    home.run(["project", "add", &path, "--link", "cache"]).ok();
    let linked = worktree(&home, &home.spawn(["--project", "shop"], "wait")).join("cache");
    assert_eq!(fs::read_link(linked).unwrap(), repository.path().join("cache"));
    home.finish();
}

/// A session begins where it is told to, which what it changed is counted from.
#[test]
fn a_session_begins_at_the_base_that_it_is_given() {
    let home = TestHome::new();
    let repository = home.project("shop");
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.write("later", "more\n");
    repository.commit("Go on");
    let id = home.spawn(["--project", "shop", "--base", first.trim()], "wait");
    assert!(!worktree(&home, &id).join("later").exists());
    let missing = ["spawn", "--project", "shop", "--base", "nowhere", "--agent", "shell", "--json"];
    let message = home.run(missing).code(3).error()["message"].to_string();
    assert!(message.contains("nowhere"), "{message}");
    home.finish();
}

/// U1: a target adds what is configured for it; the session tells both.
#[test]
fn a_target_is_launched_with_its_choices_u1() {
    let home = TestHome::new();
    fs::create_dir_all(home.path().join("config")).unwrap();
    let script = "forever;prompt;end";
    let config = format!(
        "[targets.loud]\nagent = \"command\"\nargs = [\"sh\", \"-c\", \"echo $VOICE; exec {} scripted -e '{script}'\"]\n\
         env = {{ VOICE = \"LOUD\" }}\n",
        binary()
    );
    fs::write(home.path().join("config/config.toml"), config).unwrap();
    let spawned = home.run(["spawn", "--chat", "--target", "loud", "--json"]).ok().json();
    let id = spawned["id"].as_str().unwrap();
    home.wait_screen(id, "LOUD");
    let shown = home.show(id);
    assert_eq!((&shown["agent"], &shown["target"]), (&"command".into(), &"loud".into()));
    home.run(["spawn", "--chat", "--target", "lout", "--json"]).code(3);
    home.finish();
}

/// C6: a goal is the first message, sent once the agent takes one; `--after-turn` waits for what comes after.
#[test]
fn a_goal_is_sent_and_a_turn_is_waited_for_c6() {
    let home = TestHome::new();
    let id = home.spawn(["--goal", "Mend the cart"], "forever;prompt;end");
    home.wait_screen(&id, "You said: Mend the cart");
    home.wait(&id, "idle");
    let turn = home.show(&id)["turn"].as_u64().unwrap();
    let messages = home.run(["messages", &id, "--json"]).ok().json();
    assert_eq!(messages["messages"][0]["text"], "Mend the cart");
    let after = |turn: u64, time: &str| {
        let turn = turn.to_string();
        home.run(["wait", &id, "--for", "idle", "--after-turn", &turn, "--timeout", time]).code
    };
    assert_eq!(after(turn, "10ms"), 6, "that turn is over");
    home.run(["send", &id, "And the rest"]).ok();
    assert_eq!(after(turn, "20s"), 0);
    home.finish();
}

/// What is scrolled back comes before the screen, as many rows as are asked for.
#[test]
fn rows_above_the_screen_are_shown_on_request() {
    let home = TestHome::new();
    let lines = (1..=60).map(|n| format!("print line {n}")).collect::<Vec<_>>().join(";");
    let id = home.spawn(["--chat", "--size", "80x24"], &format!("{lines};wait"));
    home.wait_screen(&id, "line 60");
    let rows = |args: &[&str]| {
        let args = ["screen", id.as_str()].into_iter().chain(args.iter().copied());
        home.run(args).ok().stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (shown, more) = (rows(&[]), rows(&["--scrollback", "5"]));
    assert!(!shown.contains(&"line 30".to_owned()));
    assert_eq!(more[5..], shown);
    let above: u32 = shown[0].strip_prefix("line ").unwrap().parse().unwrap();
    assert_eq!(more[0], format!("line {}", above - 5));
    home.finish();
}

/// R2: a worktree comes back to another place if it is asked for.
#[test]
fn a_worktree_comes_back_to_another_place_r2() {
    let home = TestHome::new();
    let repository = home.project("shop");
    let id = home.spawn(["--project", "shop"], "touch work;wait");
    let before = worktree(&home, &id);
    until("work to be there", || before.join("work").exists().then_some(()));
    home.run(["delete", &id, "--yes"]).ok();
    let place = home.path().join("elsewhere");
    home.run(["restore", &id, "--to", &place.to_string_lossy()]).ok();
    assert_eq!(worktree(&home, &id), place);
    assert!(place.join("work").exists() && !before.exists());
    assert!(repository.git(&["worktree", "list"]).contains(&*place.to_string_lossy()));
    home.finish();
}
