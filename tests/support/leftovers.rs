//! What a home left behind: processes whose environment or command line names it, and sockets.

use std::path::{Path, PathBuf};

/// No process of this home and no socket may be left.
///
/// # Panics
/// Something is left.
pub(crate) fn assert_none(home: &Path) {
    super::until(
        &format!("the last process of {} to end", home.display()),
        || processes(home).is_empty().then_some(()),
    );
    let sockets = sockets(&home.join("run"));
    assert!(sockets.is_empty(), "left behind: {sockets:?}");
}

/// Ends the processes of this home, each by its id: for tests that failed half way.
pub(crate) fn end(home: &Path) {
    for pid in processes(home) {
        if let Some(pid) = i32::try_from(pid)
            .ok()
            .and_then(rustix::process::Pid::from_raw)
        {
            // It may have ended by itself.
            let _gone = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

/// Other processes whose environment or command line names `home`; zombies are nobody's work.
fn processes(home: &Path) -> Vec<u32> {
    let home = home.to_string_lossy();
    let own = std::process::id();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok())
        .filter(|pid| *pid != own)
        .filter(|pid| {
            ["environ", "cmdline"].iter().any(|file| {
                let bytes = std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
                String::from_utf8_lossy(&bytes).contains(&*home)
            })
        })
        .collect()
}

fn sockets(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "sock")
        })
        .collect()
}
