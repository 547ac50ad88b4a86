//! File system acts that the standard library lacks.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// What the owner of a folder needs to empty it.
const OWNER: u32 = 0o700;

/// Renames without ever replacing or entering what is at `to`. A folder that is itself read-only moves
/// too: the system wants to write its way up, so its owner's write bit is lent for the move.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] where something is at `to`; else as for a rename.
pub fn rename_noreplace(from: &Path, to: &Path) -> io::Result<()> {
    match rename_as_it_is(from, to) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let found = from.symlink_metadata()?;
            let mode = found.permissions();
            if !found.is_dir() || mode.mode() & OWNER == OWNER {
                return Err(error);
            }
            std::fs::set_permissions(from, Permissions::from_mode(mode.mode() | OWNER))?;
            let moved = rename_as_it_is(from, to);
            std::fs::set_permissions(if moved.is_ok() { to } else { from }, mode)?;
            moved
        }
        other => other,
    }
}

fn rename_as_it_is(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some file systems do not know the flag. Ours is the only program that makes these names,
        // under a lock, so looking first is as good there.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
            if to.symlink_metadata().is_ok() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            std::fs::rename(from, to)
        }
        other => other.map_err(io::Error::from),
    }
}

/// Writes a file so that a crash leaves the old or the new content, never a part.
///
/// # Errors
/// The file cannot be written beside `path` or renamed to it.
pub fn write_atomic(path: &Path, content: &[u8]) -> io::Result<()> {
    use std::io::Write as _;
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Replaces a file of another program by one step, with the mode that the process gives new files.
/// Not flushed to the disk: a crash of the machine may lose it, as it may what that program writes.
///
/// # Errors
/// The folder cannot be written to.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    beside(path, content)?.persist(path).map(drop).map_err(|error| error.error)
}

/// The same where there is no such file yet.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`], or the folder cannot be written to.
pub fn put_new(path: &Path, content: &[u8]) -> io::Result<()> {
    beside(path, content)?.persist_noclobber(path).map(drop).map_err(|error| error.error)
}

/// Puts a symbolic link to `target` at `link` by one step, in place of one that is there.
///
/// # Errors
/// The folder cannot be written to, or a folder is at `link`.
pub fn replace_link(link: &Path, target: &Path) -> io::Result<()> {
    let folder = link.parent().unwrap_or_else(|| Path::new("."));
    let made = tempfile::Builder::new()
        .make_in(folder, |beside| std::os::unix::fs::symlink(target, beside))?;
    made.into_temp_path().persist(link).map_err(|error| error.error)
}

fn beside(path: &Path, content: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    use std::io::Write as _;
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let mode = Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new().permissions(mode).tempfile_in(folder)?;
    file.write_all(content)?;
    Ok(file)
}

/// Removes a folder with everything in it, read-only folders too, and answers how many bytes of
/// files went. Links are removed, never followed. A folder that is gone is a success.
///
/// # Errors
/// Something in it cannot be removed, or another file system is mounted in it: nothing is removed
/// then.
pub fn remove_tree(folder: &Path) -> io::Result<u64> {
    let top = match folder.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        other => other?,
    };
    if !top.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let mut bytes = 0_u64;
    let mut open = vec![(folder.to_owned(), top.mode())];
    while let Some((next, mode)) = open.pop() {
        if mode & OWNER != OWNER {
            std::fs::set_permissions(&next, Permissions::from_mode(mode & 0o7777 | OWNER))?;
        }
        for entry in std::fs::read_dir(&next)? {
            let entry = entry?;
            let found = entry.metadata()?;
            if !found.is_dir() {
                bytes += if found.nlink() == 1 { found.len() } else { 0 };
            } else if found.dev() == top.dev() {
                open.push((entry.path(), found.mode()));
            } else {
                let message =
                    format!("another file system is mounted at {}", entry.path().display());
                return Err(io::Error::new(io::ErrorKind::CrossesDevices, message));
            }
        }
    }
    std::fs::remove_dir_all(folder)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rename_never_replaces() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::create_dir(&a).unwrap();
        std::fs::create_dir(&b).unwrap();
        let refused = rename_noreplace(&a, &b).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert!(a.exists());
        std::fs::remove_dir(&b).unwrap();
        rename_noreplace(&a, &b).unwrap();
        assert!(b.exists() && !a.exists());
    }

    /// D9: who may do anything is not stopped by the mode in the first place; others need the bit lent.
    #[test]
    fn a_read_only_folder_is_renamed_and_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b, taken) =
            (folder.path().join("a"), folder.path().join("b"), folder.path().join("taken"));
        std::fs::create_dir(&a).unwrap();
        std::fs::create_dir(&taken).unwrap();
        std::fs::set_permissions(&a, Permissions::from_mode(0o555)).unwrap();
        rename_noreplace(&a, &taken).unwrap_err();
        let mode = |path: &Path| path.symlink_metadata().unwrap().mode() & 0o777;
        assert_eq!(mode(&a), 0o555);
        rename_noreplace(&a, &b).unwrap();
        assert_eq!(mode(&b), 0o555);
    }

    #[test]
    fn a_tree_goes_whole_and_links_are_not_followed_r5() {
        let root = tempfile::tempdir().unwrap();
        let (tree, outside) = (root.path().join("tree"), root.path().join("outside"));
        std::fs::create_dir_all(tree.join("a/b")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("kept"), "kept").unwrap();
        std::fs::write(tree.join("a/b/file"), "12345").unwrap();
        std::os::unix::fs::symlink(&outside, tree.join("a/link")).unwrap();
        for folder in ["a/b", "a", ""] {
            let mode = Permissions::from_mode(0o555);
            std::fs::set_permissions(tree.join(folder), mode).unwrap();
        }
        assert!(remove_tree(&tree).unwrap() >= 5);
        assert!(!tree.exists() && outside.join("kept").exists());
        assert_eq!(remove_tree(&tree).unwrap(), 0);
        assert!(remove_tree(&outside.join("kept")).is_err());
    }
}
