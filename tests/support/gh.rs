//! A `gh` that plays what it is told, for tests that read pull requests.

use std::ffi::OsString;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::TestHome;

/// Programs that a test needs beside it.
const OTHERS: [&str; 5] = ["git", "sh", "cat", "mv", "sleep"];

/// The stand-in, in a folder that is all of a search path.
pub(crate) struct Gh {
    folder: PathBuf,
}

impl Gh {
    /// One that knows of no pull request.
    pub(crate) fn new(home: &TestHome) -> Self {
        let gh = Self { folder: home.folder("gh") };
        let bin = gh.path();
        std::fs::create_dir_all(&bin).unwrap();
        let search = std::env::var_os("PATH").unwrap_or_default();
        for name in OTHERS {
            let mut places = std::env::split_paths(&search).map(|folder| folder.join(name));
            symlink(places.find(|path| path.exists()).unwrap(), bin.join(name)).unwrap();
        }
        gh.answer(&[]);
        let folder = gh.folder.display();
        let script = format!("#!/bin/sh\necho \"$*\" >>'{folder}/asked'\n. '{folder}/play'\n");
        std::fs::write(bin.join("gh"), script).unwrap();
        std::fs::set_permissions(bin.join("gh"), PermissionsExt::from_mode(0o700)).unwrap();
        gh
    }

    /// The search path; without it there is no `gh`.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join("bin")
    }

    /// The search path as a variable.
    pub(crate) fn search(&self) -> OsString {
        self.path().into_os_string()
    }

    /// From now on there is none.
    pub(crate) fn remove(&self) {
        std::fs::remove_file(self.path().join("gh")).unwrap();
    }

    /// From now on it does what these lines of a shell say.
    pub(crate) fn play(&self, lines: &str) {
        let new = self.folder.join("new");
        std::fs::write(&new, format!("{lines}\n")).unwrap();
        std::fs::rename(new, self.folder.join("play")).unwrap();
    }

    /// From now on it tells of these pull requests.
    pub(crate) fn answer(&self, pulls: &[Value]) {
        let answer = json!({"data": {"repository": {"b0": {"nodes": pulls}}}});
        let file = self.folder.join("answer");
        std::fs::write(&file, answer.to_string()).unwrap();
        self.play(&format!("cat '{}'", file.display()));
    }

    /// What it was asked, a line each.
    pub(crate) fn asked(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.join("asked")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// A file of its own.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// An open pull request of a branch, with these values beside.
pub(crate) fn pull(number: u64, branch: &str, values: &Value) -> Value {
    let mut pull = json!({
        "number": number, "url": format!("https://github.com/acme/shop/pull/{number}"), "state": "OPEN",
        "isDraft": false, "headRefName": branch, "isCrossRepository": false,
        "headRepository": {"nameWithOwner": "acme/shop"}, "mergedAt": null, "closedAt": null,
        "reviewDecision": null, "mergeable": "UNKNOWN", "mergeStateStatus": "UNKNOWN",
        "reviewThreads": {"nodes": []}, "commits": {"nodes": []}
    });
    pull.as_object_mut().unwrap().extend(values.as_object().unwrap().clone());
    pull
}

/// One that was merged after every start.
pub(crate) fn merged(number: u64, branch: &str) -> Value {
    let at = "2099-01-01T00:00:00Z";
    pull(number, branch, &json!({"state": "MERGED", "mergedAt": at, "closedAt": at}))
}

/// Values of a pull request whose checks are in this state.
pub(crate) fn checks(state: &str) -> Value {
    json!({"commits": {"nodes": [{"commit": {"statusCheckRollup": {"state": state}}}]}})
}

/// Does what a push of `branch` does to a repository; the commit is a new one each time.
pub(crate) fn push(repository: &Path, branch: &str) {
    let repository = super::Repository::at(repository);
    repository.git(&["commit", "--quiet", "--allow-empty", "--message", "more"]);
    repository.git(&["update-ref", &format!("refs/remotes/origin/{branch}"), "HEAD"]);
}
