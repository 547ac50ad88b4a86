//! The terminal history of all sessions together, bounded (`spec/store.md` W7).

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::segments;

/// The history of one session.
struct Held {
    /// Its segments with their lengths in bytes, oldest first.
    segments: Vec<(PathBuf, u64)>,
    /// When the newest one was written.
    written: SystemTime,
    /// It still runs.
    live: bool,
}

/// Bytes of history below `root`, which has a folder for each workspace and in it one for each session.
///
/// # Errors
/// A folder cannot be read.
pub fn held(root: &Path) -> io::Result<u64> {
    let all = sessions(root, &BTreeSet::new())?;
    Ok(all.iter().map(|session| total(&session.segments)).sum())
}

/// Drops history until at most `most` bytes are left: that of the session that wrote last longest ago
/// first. The newest segment of the sessions whose folders are in `live` stays. Answers the bytes that
/// went.
///
/// # Errors
/// A folder cannot be read, or a file not removed.
pub fn trim(root: &Path, most: u64, live: &BTreeSet<PathBuf>) -> io::Result<u64> {
    let mut all = sessions(root, live)?;
    all.sort_by_key(|session| session.written);
    let mut left: u64 = all.iter().map(|session| total(&session.segments)).sum();
    let before = left;
    for session in all {
        let stay = usize::from(session.live);
        let old = session.segments.len().saturating_sub(stay);
        for (path, length) in session.segments.into_iter().take(old) {
            if left <= most {
                return Ok(before - left);
            }
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                // Its keeper dropped it meanwhile.
                _ => left -= length,
            }
        }
    }
    Ok(before - left)
}

fn total(segments: &[(PathBuf, u64)]) -> u64 {
    segments.iter().map(|(_, length)| length).sum()
}

fn sessions(root: &Path, live: &BTreeSet<PathBuf>) -> io::Result<Vec<Held>> {
    let mut found = Vec::new();
    for workspace in folders(root)? {
        for folder in folders(&workspace)? {
            let segments = segments(&folder)?;
            let newest = segments.last().map(|(path, _)| std::fs::metadata(path));
            // Dropped by its keeper or purged between the listing and the look: nothing to count.
            let Some(Ok(newest)) = newest else { continue };
            let live = live.contains(&folder);
            found.push(Held { segments, written: newest.modified()?, live });
        }
    }
    Ok(found)
}

fn folders(root: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(root) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut found: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    found.retain(|path| path.is_dir());
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, create_dir_all};
    use std::time::Duration;

    /// A history of `segments` segments of 100 bytes, written `age` seconds ago.
    fn history(root: &Path, session: &str, segments: u32, age: u64) -> PathBuf {
        let folder = root.join("default").join(session);
        create_dir_all(&folder).unwrap();
        for number in 1..=segments {
            let path = folder.join(format!("0000000001-{number:08}.seg"));
            std::fs::write(&path, [0; 100]).unwrap();
            let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age);
            File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
        }
        folder
    }

    /// W7: the oldest sessions' history goes first, and what is newest of a live one never.
    #[test]
    fn the_oldest_history_goes_first_and_the_newest_of_a_live_session_stays() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let old = history(root, "old", 3, 300);
        let live = history(root, "live", 3, 200);
        let new = history(root, "new", 3, 100);
        let lives = BTreeSet::from([live.clone()]);
        assert_eq!(held(root).unwrap(), 900);
        assert_eq!(trim(root, 900, &lives).unwrap(), 0);
        assert_eq!(trim(root, 750, &lives).unwrap(), 200);
        let left = || [&old, &live, &new].map(|folder| segments(folder).unwrap().len());
        assert_eq!(left(), [1, 3, 3]);
        assert_eq!(trim(root, 350, &lives).unwrap(), 400);
        assert_eq!(left(), [0, 1, 2]);
        assert!(segments(&live).unwrap()[0].0.ends_with("0000000001-00000003.seg"));
        assert_eq!(trim(root, 0, &lives).unwrap(), 200);
        assert_eq!(left(), [0, 1, 0]);
        assert_eq!(held(&root.join("none")).unwrap(), 0);
    }
}
