//! The remotes of a repository, and what was pushed to them (`spec/lifecycle.md` F1, F2).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::git::Args;
use super::ours::git_dir;
use super::{Workspace, WorkspaceResult};

impl Workspace {
    /// The addresses that the remotes of a repository are read from, each once.
    ///
    /// # Errors
    /// The folder is in no repository.
    pub async fn remotes(&self, repository: &Path) -> WorkspaceResult<Vec<String>> {
        let args: Args<'_> = &[&"remote", &"--verbose"];
        let output = self.git.read("list the remotes", repository, args).await?;
        Ok(parse(&String::from_utf8_lossy(&output)))
    }
}

fn parse(output: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in output.lines() {
        let fetched = line.split_once('\t').and_then(|(_, rest)| rest.split_once(" (fetch)"));
        if let Some((url, _)) = fetched
            && !found.iter().any(|one| one == url)
        {
            found.push(url.to_owned());
        }
    }
    found
}

/// The commits of `branches` on the remotes of a repository as it knows them, by reference. Read from its
/// files, so that a look costs no process; one that keeps them packed, or in tables, tells none. Blocks.
pub fn pushed(repository: &Path, branches: &[String]) -> BTreeMap<String, String> {
    let remotes = common(repository).join("refs/remotes");
    let names = std::fs::read_dir(&remotes).into_iter().flatten().flatten();
    let names: Vec<String> =
        names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let mut found = BTreeMap::new();
    for (remote, branch) in
        names.iter().flat_map(|name| branches.iter().map(move |one| (name, one)))
    {
        if let Ok(commit) = std::fs::read_to_string(remotes.join(remote).join(branch)) {
            found.insert(format!("{remote}/{branch}"), commit.trim().to_owned());
        }
    }
    found
}

/// The git folder that all worktrees of a repository share.
fn common(repository: &Path) -> PathBuf {
    let Some(own) = git_dir(repository) else {
        return repository.join(".git");
    };
    match std::fs::read_to_string(own.join("commondir")) {
        Ok(common) => own.join(common.trim()),
        Err(_) => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_are_read_once_each() {
        let output = "origin\tgit@github.com:acme/shop.git (fetch)\norigin\tgit@github.com:acme/shop.git (push)\n\
                      up\thttps://github.com/up/shop (fetch) [blob:none]\nup\tno (push)\nalso\thttps://github.com/up/shop (fetch)\n";
        assert_eq!(parse(output), ["git@github.com:acme/shop.git", "https://github.com/up/shop"]);
    }

    /// F2: a push is seen by the commit that its branch has on the remote, from a worktree too.
    #[test]
    fn pushes_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        let (main, linked) = (folder.path().join("main"), folder.path().join("linked"));
        let branches = ["callboard/shop-1".to_owned(), "other".to_owned()];
        let remote = main.join(".git/refs/remotes/origin/callboard");
        std::fs::create_dir_all(&remote).unwrap();
        std::fs::create_dir_all(main.join(".git/worktrees/linked")).unwrap();
        std::fs::create_dir_all(&linked).unwrap();
        let own = main.join(".git/worktrees/linked");
        std::fs::write(own.join("commondir"), "../..\n").unwrap();
        std::fs::write(linked.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        assert_eq!(pushed(&main, &branches), BTreeMap::new());
        std::fs::write(remote.join("shop-1"), "abc\n").unwrap();
        let seen = BTreeMap::from([("origin/callboard/shop-1".to_owned(), "abc".to_owned())]);
        assert_eq!(pushed(&main, &branches), seen);
        assert_eq!(pushed(&linked, &branches), seen);
        assert_eq!(pushed(folder.path(), &branches), BTreeMap::new());
    }
}
