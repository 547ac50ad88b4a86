//! What a home left behind: processes whose environment or command line names it, and sockets.

use std::path::{Path, PathBuf};

/// No process of this home and no socket may be left. A keeper whose agent ended by itself stays
/// reachable for ten seconds (`spec/runtime.md` X4); that is waited for.
///
/// # Panics
/// Something is left.
pub(crate) fn assert_none(home: &Path) {
    let what = format!("the last process and socket of {} to go", home.display());
    super::until(&what, || {
        (processes(home).is_empty() && sockets(&home.join("run")).is_empty()).then_some(())
    });
}

/// Ends the processes of this home, each by its id: for tests that failed half way.
pub(crate) fn end(home: &Path) {
    for pid in processes(home) {
        if let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) {
            // It may have ended by itself.
            let _gone = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

/// Other processes whose environment, command line or open files name `home`: agents have it in
/// their environment, keepers have its log and its store open.
fn processes(home: &Path) -> Vec<u32> {
    let home = home.to_string_lossy();
    let own = std::process::id();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok())
        .filter(|pid| *pid != own && names(*pid, &home))
        .collect()
}

fn names(pid: u32, home: &str) -> bool {
    let told = ["environ", "cmdline"].iter().any(|file| {
        let bytes = std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).contains(home)
    });
    let files = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    told || files
        .filter_map(|file| std::fs::read_link(file.path()).ok())
        .any(|path| path.to_string_lossy().contains(home))
}

fn sockets(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sock"))
        .collect()
}
