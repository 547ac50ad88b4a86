//! A git that outlives the process which started it.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use crate::support::{TestHome, until};

/// A `git` that makes no worktree before the file `go` is there, and says so with a file `waits`.
fn slow_git(folder: &Path) -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap();
    let git = std::env::split_paths(&path).map(|folder| folder.join("git")).find(|it| it.exists());
    let script = format!(
        "#!/bin/sh\n\
         case \" $* \" in *' worktree add '*)\n\
           : > {0}/waits\n\
           while [ ! -e {0}/go ]; do sleep 0.02; done\n\
         esac\n\
         exec {1} \"$@\"\n",
        folder.display(),
        git.unwrap().display()
    );
    let program = folder.join("git");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let folders = [folder.to_owned()].into_iter().chain(std::env::split_paths(&path));
    std::env::join_paths(folders).unwrap()
}

/// V2, C8: a `git worktree add` that runs on after its create was killed leaves no worktree behind:
/// recovery waits for its end, then takes the worktree back.
#[test]
fn a_git_that_outlives_its_create_leaves_no_worktree_v2() {
    let home = TestHome::new();
    let repository = home.project("shop");
    let folder = home.folder("bin");
    let path = slow_git(&folder);
    let spawn = ["spawn", "--project", "shop", "--id", "mine", "--agent", "command", "--", "true"];
    let mut killed = home
        .command(spawn)
        .env("PATH", path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("git to begin", || folder.join("waits").exists().then_some(()));
    killed.kill().unwrap();
    killed.wait().unwrap();

    let mut recover = home.command(["recover", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut looks = 0;
    until("recovery to have had its time", || {
        assert!(recover.try_wait().unwrap().is_none(), "recovery did not wait for the git");
        looks += 1;
        (looks > 40).then_some(())
    });
    std::fs::write(folder.join("go"), "").unwrap();
    let report = recover.wait_with_output().unwrap();
    assert!(report.status.success());
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(report["undone"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(report["orphans"].as_array().unwrap().len(), 0, "{report}");

    assert_eq!(home.run(["list", "--json"]).ok().json()["total"], 0);
    assert!(!home.path().join("data/worktrees/default/shop/mine").exists());
    assert!(!repository.git(&["worktree", "list"]).contains("mine"));
    assert!(!repository.git(&["branch", "--list"]).contains("mine"));
    home.finish();
}
