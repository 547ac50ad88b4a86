//! What a keeper leaves behind when it is killed (`spec/lifecycle.md` V4, `spec/runtime.md` X3).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde_json::json;

use crate::board::agents;
use crate::support::{TestHome, until};

fn kill(pid: u64) {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn tools_that_outlive_their_killed_keeper_are_found_and_ended_v4() {
    let home = TestHome::new();
    let tool = "setsid sleep 600 & setsid sh -c 'trap \"\" TERM HUP; sleep 600; true' & wait";
    let spawn = ["spawn", "--chat", "--json", "--agent", "command", "--", "sh", "-c", tool];
    let id = home.run(spawn).ok().json()["id"].as_str().unwrap().to_owned();
    let other = home.scripted("fork 600;wait");
    let mine = |id: &str| agents(home.path()).iter().filter(|(_, of)| of == id).count();
    until("the tools to start", || (mine(&id) >= 4 && mine(&other) >= 2).then_some(()));
    let others = mine(&other);
    kill(home.show(&id)["runtime"]["keeper_pid"].as_u64().unwrap());
    until("the foreground to end", || (mine(&id) <= 3).then_some(()));
    let left = mine(&id);
    assert!(left >= 2, "the setsid'ed tools live on");
    let report = home.run(["recover", "--json"]).ok().json();
    assert!(report["ended_processes"].as_array().unwrap().len() >= 2, "{report}");
    until("the tools to end", || (mine(&id) == 0).then_some(()));
    assert_eq!(mine(&other), others, "another session's processes are left alone");
    assert_eq!(home.show(&other)["alive"], true);
    let again = home.run(["recover", "--json"]).ok().json();
    assert_eq!(again["ended_processes"], json!([]));
    home.finish();
}

#[test]
fn worktrees_without_a_row_are_listed_and_never_removed_v4() {
    let home = TestHome::new();
    let repository = home.project("shop");
    let id = home.spawn(["--project", "shop"], "wait");
    let orphan = home.path().join("data/worktrees/default/shop/nobody");
    repository.git(&["worktree", "add", "-q", "-b", "lonely", orphan.to_str().unwrap()]);
    for _ in 0..2 {
        let report = home.run(["recover", "--json"]).ok().json();
        assert_eq!(report["orphans"], json!([orphan.to_str().unwrap()]));
    }
    // What no JSON can hold is told as far as it can be told.
    let odd = home.path().join("data/worktrees/default").join(OsStr::from_bytes(b"odd\xff/lost-1"));
    std::fs::create_dir_all(&odd).unwrap();
    let told = home.run(["recover", "--json"]).ok().json()["orphans"].clone();
    let mut known = crate::support::texts(&told);
    known.sort_unstable();
    assert_eq!(known, [odd.to_string_lossy().as_ref(), orphan.to_str().unwrap()]);
    home.run(["doctor", "--json"]).code(1).json();
    assert!(orphan.join("README.md").exists());
    assert_eq!(home.show(&id)["alive"], true);
    home.finish();
}
