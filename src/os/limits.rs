//! What the system allows this user and this file system.

use std::io;
use std::path::Path;

use rustix::process::{Resource, getrlimit};

/// How many files a process may have open; none where there is no limit.
pub fn descriptors() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Whether an error message says that a process has as many files open as it may.
pub fn is_lack_of_descriptors(message: &str) -> bool {
    let said = io::Error::from(rustix::io::Errno::MFILE).to_string();
    message.contains(&said)
}

/// How many folders and files of this user may be watched for changes, and by how many processes at
/// most; none where the system does not say.
pub fn watches() -> Option<(u64, u64)> {
    let read = |name: &str| -> Option<u64> {
        let text = std::fs::read_to_string(Path::new("/proc/sys/fs/inotify").join(name)).ok()?;
        text.trim().parse().ok()
    };
    Some((read("max_user_watches")?, read("max_user_instances")?))
}

/// Whether what this user runs is left alone after the last logout; none where nobody asks for that.
pub fn lingering() -> Option<bool> {
    let user = format!("/run/systemd/users/{}", super::spawn::own_user());
    let known = std::fs::read_to_string(user).ok()?;
    let name = known.lines().find_map(|line| line.strip_prefix("NAME="))?;
    Some(Path::new("/var/lib/systemd/linger").join(name).exists())
}

/// Bytes that this user can still write below a folder.
///
/// # Errors
/// The folder is not there.
pub fn free_space(folder: &Path) -> io::Result<u64> {
    let found = rustix::fs::statvfs(folder)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}
