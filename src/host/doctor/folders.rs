//! Folders and files: whose they are, who may read them, whether there is room (`spec/store.md` W4,
//! W7), and whether sockets fit.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::domain::check::Check;
use crate::host::ports::doctor::DoctorPort;
use crate::os::paths::{self, Home};
use crate::os::{limits, spawn};

use super::{Mending, count, outcome};

/// Least room for the store to work with.
const ROOM: u64 = 200 << 20;
/// Longest path of a socket that every system takes.
const SOCKET_PATH: usize = 100;
/// Folders of agents' files: they are what their agents make them, and nobody else gets to them.
const OF_AGENTS: [&str; 2] = ["worktrees", "trash"];

pub(super) fn look(port: &impl DoctorPort) -> Vec<Check> {
    let home = port.home();
    let found = ours(home);
    let mut checks = vec![
        modes(&found),
        owner(&found, spawn::own_user()),
        writable(home),
        room(home, limits::free_space),
    ];
    checks.push(sockets(&port.sockets()));
    checks
}

/// Takes the rights of others off what is ours.
pub(super) fn mend(port: &impl DoctorPort) -> Vec<Mending> {
    let wide = ours(port.home()).into_iter().filter(|(_, found)| is_wide(found));
    wide.map(|(path, found)| {
        let done = format!("made {} private (it was {:o})", path.display(), found.mode() & 0o7777);
        outcome(done, paths::make_private(&path))
    })
    .collect()
}

/// Everything below the folders of an installation, the folders too; links are not followed.
pub(super) fn ours(home: &Home) -> BTreeMap<PathBuf, Metadata> {
    let mut open = vec![home.data.clone(), home.state.clone(), home.run.clone()];
    open.extend(home.own_root().map(Path::to_owned));
    let mut found = BTreeMap::new();
    while let Some(path) = open.pop() {
        let Ok(metadata) = path.symlink_metadata() else {
            continue;
        };
        if metadata.is_symlink() || found.contains_key(&path) {
            continue;
        }
        let of_agents = path.parent() == Some(&home.data)
            && OF_AGENTS.iter().any(|name| path.file_name().is_some_and(|found| found == *name));
        if metadata.is_dir() && !of_agents && home.root.as_ref() != Some(&path) {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            open.extend(entries.map(|entry| entry.path()));
        }
        found.insert(path, metadata);
    }
    found
}

/// A socket that anyone may connect to asks who it is; its mode counts all the same.
fn is_wide(found: &Metadata) -> bool {
    let kind = found.file_type();
    (kind.is_dir() || kind.is_file() || kind.is_socket()) && found.mode() & 0o077 != 0
}

fn modes(found: &BTreeMap<PathBuf, Metadata>) -> Check {
    let wide: Vec<_> = found.iter().filter(|(_, found)| is_wide(found)).collect();
    match wide.first() {
        None => Check::good("folders: modes", "nobody else can read them"),
        Some((path, first)) => Check::bad(
            "folders: modes",
            format!(
                "others may get at {}, first {} (mode {:o})",
                count(wide.len(), "file"),
                path.display(),
                first.mode() & 0o7777
            ),
            "`callboard doctor --repair` takes their rights off",
        ),
    }
}

pub(super) fn owner(found: &BTreeMap<PathBuf, Metadata>, own: u32) -> Check {
    match found.iter().find(|(_, found)| found.uid() != own) {
        None => Check::good("folders: owner", format!("user {own}")),
        Some((path, other)) => Check::bad(
            "folders: owner",
            format!("{} belongs to user {}, this is user {own}", path.display(), other.uid()),
            format!("give it back: chown -R {own} {}", path.display()),
        ),
    }
}

fn writable(home: &Home) -> Check {
    let database = home.database();
    let folders = [&home.data, &home.state, &home.run, &database];
    match folders.iter().find(|path| path.exists() && !paths::can_write(path)) {
        None => Check::good("folders: writable", home.data.display().to_string()),
        Some(path) => Check::bad(
            "folders: writable",
            format!("{} cannot be written to; what is there can be read", path.display()),
            "check its mode, and whether the disk is mounted read-only",
        ),
    }
}

/// Whether the store has room to work in, as far as `free` tells the bytes that are left.
pub(super) fn room(home: &Home, free: impl Fn(&Path) -> io::Result<u64>) -> Check {
    let name = "folders: free space";
    let mebibytes = |bytes: u64| bytes >> 20;
    let there = |path: &PathBuf| path.ancestors().find(|path| path.exists()).map(Path::to_owned);
    let mut least: Option<(u64, PathBuf)> = None;
    for folder in [&home.data, &home.state].into_iter().filter_map(there) {
        match free(&folder) {
            Ok(free) if least.as_ref().is_none_or(|(least, _)| free < *least) => {
                least = Some((free, folder));
            }
            Ok(_) => {}
            Err(error) => {
                let text = format!("{}: {error}", folder.display());
                return Check::bad(name, text, "check that the disk is mounted");
            }
        }
    }
    match least {
        Some((free, folder)) if free < ROOM => Check::bad(
            name,
            format!("{} MiB are left below {}", mebibytes(free), folder.display()),
            "free some space: `callboard purge --older-than 7d`, then what else fills the disk",
        ),
        Some((free, _)) => Check::good(name, format!("{} MiB", mebibytes(free))),
        None => Check::bad(name, "no folder is there", "set CALLBOARD_HOME or HOME"),
    }
}

fn sockets(folder: &Path) -> Check {
    let name = "folders: socket paths";
    // A name of 16 digits with its extension.
    let length = folder.as_os_str().len() + 1 + 16 + ".keeper".len();
    if length > SOCKET_PATH {
        let text = format!(
            "paths in {} have {length} bytes, {SOCKET_PATH} are sure to work",
            folder.display()
        );
        return Check::bad(name, text, "set TMPDIR to a folder with a short path");
    }
    Check::good(name, format!("{length} bytes in {}", folder.display()))
}
