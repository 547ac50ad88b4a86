//! What the agent reports through hooks: by a client of the socket, or by the file beside it where the
//! keeper could not take it in time (`spec/agents.md` H2).

use std::path::PathBuf;

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
        if !file.exists() {
            return;
        }
        // Whoever writes next begins a new one.
        let taken = file.with_extension("taken");
        let text = std::fs::rename(&file, &taken).and_then(|()| std::fs::read_to_string(&taken));
        let removed = std::fs::remove_file(&taken);
        let text = match text.and_then(|text| removed.map(|()| text)) {
            Ok(text) => text,
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
