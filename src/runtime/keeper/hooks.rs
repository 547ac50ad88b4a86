//! What the agent reports through hooks: by a client of the socket, or by the file beside it where the
//! keeper could not take it in time (`spec/agents.md` H2).

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::Keeper;
use crate::domain::hook::{HookReport, SpooledReport};
use crate::os::random;
use crate::runtime::client::spool;

impl Keeper {
    /// Takes a report of this launch.
    pub(super) fn hook(&self, report: &HookReport) {
        let mut core = self.core.borrow_mut();
        let due = core.due();
        let busy = self.busy(&core);
        core.hook(report, busy, self.now());
        if report.is_kept()
            && let Some(storing) = &*self.storing.borrow()
        {
            storing.note(self.spec.generation, report.clone());
        }
        self.after(&mut core, due);
    }

    /// Takes what was left in the file.
    pub(super) fn take_spool(&self) {
        let file = self.spool();
        let text = match take(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                tracing::warn!(file = %file.display(), %error, "reports of hooks cannot be read");
                return;
            }
        };
        let hash = random::token_hash(&self.spec.token);
        let spooled = text.lines().filter_map(|line| serde_json::from_str(line).ok());
        for SpooledReport { generation, token_hash, report } in spooled {
            if generation == self.spec.generation && token_hash == hash {
                self.hook(&report);
            }
        }
    }

    pub(super) fn spool(&self) -> PathBuf {
        spool(&self.spec.socket)
    }
}

/// Reads a file and removes it. It is read after it is gone from its place: who wrote to it before that
/// is read, who did after sees that it is gone and writes anew.
fn take(file: &Path) -> io::Result<String> {
    let open = File::open(file)?;
    std::fs::remove_file(file)?;
    io::read_to_string(open)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::Timestamp;
    use crate::runtime::client::hook;

    /// H2: whatever is left while the keeper takes what was left before is there the next time.
    #[test]
    fn nothing_that_is_left_meanwhile_is_lost_h2() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("shop-1.sock");
        let file = spool(&socket);
        let names: Vec<String> = (0..400).map(|number| format!("c-{number}")).collect();
        let mut text = String::new();
        std::thread::scope(|scope| {
            let hooks: Vec<_> = names
                .chunks(100)
                .map(|names| {
                    let socket = &socket;
                    scope.spawn(move || {
                        for name in names {
                            let report = HookReport::of_conversation(name.clone(), Timestamp(1));
                            hook::leave(socket, 1, "secret", &report).unwrap();
                        }
                    })
                })
                .collect();
            while hooks.iter().any(|hook| !hook.is_finished()) {
                text.push_str(&take(&file).unwrap_or_default());
            }
        });
        text.push_str(&take(&file).unwrap_or_default());
        let reports = text.lines().map(|line| serde_json::from_str::<SpooledReport>(line).unwrap());
        let mut found: Vec<String> =
            reports.filter_map(|spooled| spooled.report.agent_session_id).collect();
        found.sort();
        found.dedup();
        assert_eq!(found.len(), names.len());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
