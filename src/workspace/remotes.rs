//! The remotes of a repository, and what was pushed to them (`spec/lifecycle.md` F1, F2).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::{Duration, SystemTime};

use super::git::Args;
use super::ours::git_dir;
use super::{Workspace, WorkspaceResult};
use crate::domain::time::Timestamp;
use crate::os::clock::Clock;

impl Workspace {
    /// The commits of `branches` on the remotes of a repository as it knows them, by reference. Read from
    /// its files, so that a look costs no process; one that keeps them packed, or in tables, tells none.
    /// Blocks.
    pub fn pushed(&self, repository: &Path, branches: &[String]) -> BTreeMap<String, String> {
        let mut pushes = self.pushes.lock().unwrap_or_else(PoisonError::into_inner);
        pushes.look(repository, branches, Clock::System.now())
    }

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

/// File systems tell times apart that are this far from each other.
const CALM: Duration = Duration::from_secs(3);

/// What was pushed, as it was seen last: a look at a repository where nothing changed reads no reference.
#[derive(Debug, Default)]
pub(super) struct Pushes(BTreeMap<PathBuf, Look>);

/// One look at references, by name and file. One that is written leaves its mark on its folder.
#[derive(Debug)]
struct Look {
    files: Vec<(String, PathBuf)>,
    marks: BTreeMap<PathBuf, Option<SystemTime>>,
    found: BTreeMap<String, String>,
}

impl Pushes {
    fn look(
        &mut self,
        repository: &Path,
        branches: &[String],
        now: Timestamp,
    ) -> BTreeMap<String, String> {
        let common = common(repository);
        let remotes = common.join("refs/remotes");
        let files: Vec<(String, PathBuf)> = names(&common)
            .iter()
            .flat_map(|name| branches.iter().map(move |branch| format!("{name}/{branch}")))
            .map(|name| (name.clone(), remotes.join(name)))
            .collect();
        // Taken before anything is read: what is written meanwhile is seen the next time.
        let folders = files.iter().filter_map(|(_, file)| file.parent());
        let folders: BTreeSet<&Path> = folders.collect();
        let written = |folder: &Path| std::fs::metadata(folder).ok()?.modified().ok();
        let marks = folders.into_iter().map(|folder| (folder.to_owned(), written(folder)));
        let marks: BTreeMap<_, _> = marks.collect();
        if let Some(seen) = self.0.remove(repository)
            && seen.marks == marks
            && seen.files == files
        {
            let found = seen.found.clone();
            self.0.insert(repository.to_owned(), seen);
            return found;
        }
        let read = |(name, file): &(String, PathBuf)| {
            Some((name.clone(), std::fs::read_to_string(file).ok()?.trim().to_owned()))
        };
        let found: BTreeMap<String, String> = files.iter().filter_map(read).collect();
        // A mark this young may be that of two writes, of which the second was not seen.
        let settled = SystemTime::UNIX_EPOCH + now.minus(CALM).since(Timestamp(0));
        if marks.values().flatten().all(|at| *at < settled) {
            self.0.insert(repository.to_owned(), Look { files, marks, found: found.clone() });
        }
        found
    }
}

/// The names of remotes: those with references here, and those with a slash, which are in no one folder.
fn names(common: &Path) -> BTreeSet<String> {
    let folders = std::fs::read_dir(common.join("refs/remotes")).into_iter().flatten().flatten();
    let folders = folders.filter_map(|entry| entry.file_name().into_string().ok());
    let config = std::fs::read_to_string(common.join("config")).unwrap_or_default();
    let sections = config.lines().filter_map(|line| {
        let name = line.trim().strip_prefix("[remote \"")?.strip_suffix("\"]")?;
        name.contains('/').then(|| name.to_owned())
    });
    folders.chain(sections).collect()
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
        let mut pushes = Pushes::default();
        let mut seen_of =
            |repository: &Path| pushes.look(repository, &branches, Clock::System.now());
        assert_eq!(seen_of(&main), BTreeMap::new());
        std::fs::write(remote.join("shop-1"), "abc\n").unwrap();
        let seen = BTreeMap::from([("origin/callboard/shop-1".to_owned(), "abc".to_owned())]);
        assert_eq!(seen_of(&main), seen);
        assert_eq!(seen_of(&linked), seen);
        assert_eq!(seen_of(folder.path()), BTreeMap::new());
    }

    /// F2: a remote whose name has a slash has its references below a folder more.
    #[test]
    fn a_remote_with_a_slash_in_its_name_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let common = folder.path().join(".git");
        let remote = common.join("refs/remotes/team/fork");
        std::fs::create_dir_all(&remote).unwrap();
        std::fs::write(common.join("config"), "[core]\n[remote \"team/fork\"]\n\turl = x\n")
            .unwrap();
        std::fs::write(remote.join("fix"), "abc\n").unwrap();
        let found = Pushes::default().look(folder.path(), &["fix".to_owned()], Clock::System.now());
        assert_eq!(found, BTreeMap::from([("team/fork/fix".to_owned(), "abc".to_owned())]));
    }

    /// F2: where no reference was written, none is read; git puts each new one in the place of the old.
    #[test]
    fn a_look_where_nothing_was_pushed_reads_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let remote = folder.path().join(".git/refs/remotes/origin");
        std::fs::create_dir_all(&remote).unwrap();
        let (file, branches) = (remote.join("fix"), ["fix".to_owned()]);
        let mut pushes = Pushes::default();
        let mut commit =
            || pushes.look(folder.path(), &branches, Clock::System.now()).into_values().next();
        let date = |seconds| {
            let at = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            std::fs::File::open(&remote).unwrap().set_modified(at).unwrap();
        };
        std::fs::write(&file, "abc\n").unwrap();
        date(1);
        assert_eq!(commit().as_deref(), Some("abc"));
        // In place, as git never does: its folder stays as it is.
        std::fs::write(&file, "def\n").unwrap();
        assert_eq!(commit().as_deref(), Some("abc"), "not read");
        std::fs::write(remote.join("fix.lock"), "fed\n").unwrap();
        std::fs::rename(remote.join("fix.lock"), &file).unwrap();
        assert_eq!(commit().as_deref(), Some("fed"));
    }
}
