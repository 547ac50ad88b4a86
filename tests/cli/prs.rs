//! Pull requests, as a watch reads them through a stand-in for `gh`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use serde_json::{Value, json};

use crate::support::gh::{Gh, checks, merged, pull, push};
use crate::support::{Repository, TestHome, until};

/// A watch with the stand-in on its path.
struct Watch {
    child: Child,
    said: PathBuf,
}

impl Watch {
    fn new(home: &TestHome, gh: &Gh) -> Self {
        let said = home.path().join("said");
        let mut command = home.command(["watch"]);
        command.env("PATH", gh.search()).stdout(File::create(home.path().join("out")).unwrap());
        let child = command.stderr(File::create(&said).unwrap()).spawn().unwrap();
        Self { child, said }
    }

    fn said(&self) -> String {
        std::fs::read_to_string(&self.said).unwrap_or_default()
    }

    fn until_said(&self, text: &str) {
        until(&format!("{text:?} to be said"), || self.said().contains(text).then_some(()));
    }

    fn interrupt(mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        assert_eq!(self.child.wait().unwrap().code(), Some(130));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // A test that failed half way leaves none behind.
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// A project on a forge, with one session that runs; answers the session and its branch.
fn shop(home: &TestHome) -> (Repository, String, String) {
    let repository = home.project("shop");
    repository.git(&["remote", "add", "origin", "git@github.com:Acme/shop.git"]);
    let id = home.spawn(["--project", "shop"], "print ready;wait");
    let branch = branch(home, &id);
    (repository, id, branch)
}

fn branch(home: &TestHome, id: &str) -> String {
    home.show(id)["branch"].as_str().unwrap().to_owned()
}

/// Makes the watch look at once: something was pushed, and the store changed.
fn pushed(home: &TestHome, repository: &Path, branch: &str, id: &str) {
    push(repository, branch);
    home.run(["seen", id]).ok();
    for pin in ["pin", "unpin"] {
        home.run([pin, id]).ok();
    }
}

fn until_status(home: &TestHome, id: &str, status: &str) -> Value {
    until(&format!("{id} to be {status}"), || {
        let session = home.show(id);
        (session["status"] == status).then_some(session)
    })
}

/// F1, F2, T2: the status follows the pull request, at once after a push; the worst open one counts; those of
/// other branches and of strangers' forks do not.
#[test]
fn the_status_follows_the_pull_request() {
    let home = TestHome::new();
    let (repository, id, branch) = shop(&home);
    let gh = Gh::new(&home);
    let stranger =
        json!({"isCrossRepository": true, "headRepository": {"nameWithOwner": "eve/shop"}});
    let mut evil = checks("FAILURE");
    evil.as_object_mut().unwrap().extend(stranger.as_object().unwrap().clone());
    let others = [pull(66, &branch, &evil), pull(67, "other", &checks("FAILURE"))];
    let clean = json!({"mergeable": "MERGEABLE", "mergeStateStatus": "CLEAN"});
    let unresolved = json!({"reviewThreads": {"nodes": [{"isResolved": false}]}});
    let steps = [
        (vec![pull(12, &branch, &checks("FAILURE")), pull(9, &branch, &json!({}))], "ci_failed"),
        (vec![pull(12, &branch, &json!({"isDraft": true}))], "draft"),
        (
            vec![pull(12, &branch, &json!({"reviewDecision": "CHANGES_REQUESTED"}))],
            "changes_requested",
        ),
        (vec![pull(12, &branch, &json!({"reviewDecision": "REVIEW_REQUIRED"}))], "review_pending"),
        (vec![pull(12, &branch, &json!({"reviewDecision": "APPROVED"}))], "approved"),
        (vec![pull(12, &branch, &unresolved)], "changes_requested"),
        (vec![pull(12, &branch, &clean)], "mergeable"),
        (vec![pull(12, &branch, &checks("PENDING"))], "pr_open"),
        (vec![merged(12, &branch)], "merged"),
    ];
    let mut watch = None;
    for (at, (mut pulls, status)) in steps.into_iter().enumerate() {
        pulls.extend(others.clone());
        gh.answer(&pulls);
        let watch = watch.get_or_insert_with(|| Watch::new(&home, &gh));
        if at > 0 {
            pushed(&home, repository.path(), &branch, &id);
        }
        let session = until_status(&home, &id, status);
        let prs = session["pr"].as_array().unwrap().iter();
        let numbers: Vec<u64> = prs.map(|pr| pr["number"].as_u64().unwrap()).collect();
        assert!(numbers.contains(&12) && numbers.iter().all(|number| *number < 60), "{session}");
        assert_eq!(watch.said(), "");
    }
    let asked = gh.asked();
    assert!(
        asked[0].starts_with("api graphql --hostname github.com --raw-field query="),
        "{asked:?}"
    );
    assert!(asked[0].contains("owner=acme") && asked[0].contains(&format!("b0={branch}")));
    watch.unwrap().interrupt();
    // K1, F3: nothing but the status followed the merge.
    assert_eq!(home.show(&id)["status"], "merged");
    home.finish();
}

/// F3: with `on_merge = "kill"` a merge ends the session; a worktree that holds work is kept.
#[test]
fn a_merge_ends_the_session_where_that_is_configured() {
    let home = TestHome::new();
    std::fs::create_dir_all(home.path().join("config")).unwrap();
    std::fs::write(home.path().join("config/config.toml"), "on_merge = \"kill\"\n").unwrap();
    let (_repository, clean, first) = shop(&home);
    let dirty = home.spawn(["--project", "shop"], "print ready;wait");
    let second = branch(&home, &dirty);
    let both = home.spawn(["--project", "shop"], "print ready;wait");
    let third = branch(&home, &both);
    let folder = |id: &str| PathBuf::from(home.show(id)["worktree"].as_str().unwrap());
    let (given_back, kept) = (folder(&clean), folder(&dirty));
    std::fs::write(kept.join("work.txt"), "not committed").unwrap();
    let gh = Gh::new(&home);
    gh.answer(&[
        merged(12, &first),
        merged(13, &second),
        merged(14, &third),
        pull(15, &third, &json!({})),
    ]);
    let watch = Watch::new(&home, &gh);
    for id in [&clean, &dirty] {
        let session = until_status(&home, id, "cleanup");
        assert_eq!(session["termination_reason"], "pr_merged", "{session}");
    }
    until("the worktree to be given back", || (!given_back.exists()).then_some(()));
    assert_eq!(std::fs::read_to_string(kept.join("work.txt")).unwrap(), "not committed");
    assert_eq!(until_status(&home, &both, "pr_open")["pr"].as_array().unwrap().len(), 2);
    watch.interrupt();
    home.finish();
}

/// F2, T2: what keeps `gh` from telling is said once, facts stay and are stale, and all else goes on.
#[test]
fn a_fault_of_gh_is_said_once() {
    let home = TestHome::new();
    let (repository, id, branch) = shop(&home);
    let gh = Gh::new(&home);
    gh.answer(&[pull(12, &branch, &checks("FAILURE"))]);
    let watch = Watch::new(&home, &gh);
    until_status(&home, &id, "ci_failed");
    gh.play("echo 'To get started with GitHub CLI, please run:  gh auth login' >&2; exit 4");
    pushed(&home, repository.path(), &branch, &id);
    watch.until_said("gh is not logged in to github.com; PR states are from ");
    let session = until("its facts to be stale", || {
        let session = home.show(&id);
        (session["pr"][0]["stale"] == true).then_some(session)
    });
    assert_eq!(
        (&session["status"], &session["pr"][0]["number"]),
        (&json!("ci_failed"), &json!(12))
    );
    let asked = gh.asked().len();
    for _ in 0..3 {
        pushed(&home, repository.path(), &branch, &id);
    }
    home.run(["stop", &id, "--yes"]).ok();
    until("its end to be told", || {
        let told = std::fs::read_to_string(home.path().join("out")).unwrap();
        told.contains("killed").then_some(())
    });
    assert_eq!(watch.said().matches("gh is not logged in").count(), 1, "{}", watch.said());
    assert_eq!(gh.asked().len(), asked);
    watch.interrupt();
    home.finish();
}

/// F2: each way in which `gh` fails has its words.
#[test]
fn every_fault_of_gh_has_its_words() {
    let home = TestHome::new();
    let (_repository, _id, _branch) = shop(&home);
    let gh = Gh::new(&home);
    let limited = "echo '{\"errors\":[{\"type\":\"RATE_LIMITED\"}]}'; echo 'gh: API rate limit exceeded' >&2; exit 1";
    for (plays, says) in [
        (limited, "the limit of requests by gh is reached; PR states are not known"),
        ("echo '<html>\u{1b}[2J'", "gh gave no answer about github.com/acme/shop; PR states"),
        (
            "printf 'gh: no\\033[2Jtwork\\n' >&2; exit 1",
            "github.com/acme/shop: no[2Jtwork; PR states",
        ),
        ("absent", "gh not found; PR states are not known"),
    ] {
        if plays == "absent" {
            gh.remove();
        } else {
            gh.play(plays);
        }
        let watch = Watch::new(&home, &gh);
        watch.until_said(&format!("warning: gh: {says}"));
        watch.interrupt();
    }
    home.finish();
}

/// F2: a `gh` that hangs keeps nothing waiting, and ends with whoever started it.
#[test]
fn a_gh_that_hangs_keeps_nothing_waiting() {
    let home = TestHome::new();
    let (_repository, id, _branch) = shop(&home);
    let gh = Gh::new(&home);
    let pid = gh.file("pid");
    gh.play(&format!("echo $$ >'{0}.new'; mv '{0}.new' '{0}'; exec sleep 1000", pid.display()));
    let watch = Watch::new(&home, &gh);
    let hangs = until("gh to hang", || std::fs::read_to_string(&pid).ok());
    home.run(["stop", &id, "--yes"]).ok();
    until("its end to be told", || {
        let told = std::fs::read_to_string(home.path().join("out")).unwrap();
        told.contains("killed").then_some(())
    });
    watch.interrupt();
    until("the end of gh", || {
        let state = Command::new("ps").args(["-o", "stat=", "-p", hangs.trim()]).output().unwrap();
        (state.stdout.is_empty() || state.stdout.starts_with(b"Z")).then_some(())
    });
    home.finish();
}

/// F2: `doctor` tells whether there is a `gh`; without one nothing is wrong.
#[test]
fn doctor_looks_for_gh() {
    let home = TestHome::new();
    let gh = Gh::new(&home);
    gh.play("echo 'gh version 2.83.0 (2026-01-01)'");
    let look = || {
        let output = home.command(["doctor", "--json"]).env("PATH", gh.search()).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == "gh").unwrap()
    };
    assert_eq!(look()["detail"], "gh version 2.83.0 (2026-01-01)");
    gh.remove();
    let missing = look();
    assert_eq!(missing["ok"], true);
    assert!(missing["detail"].as_str().unwrap().starts_with("not installed"), "{missing}");
    home.finish();
}
