//! An agent that gets the whole terminal for a time.

use super::Dashboard;
use super::react::meanwhile;
use crate::domain::ids::SessionId;
use crate::domain::key::{Key, KeyCode, Modifiers};
use crate::host::ports::Ports;
use crate::os::ssh;
use crate::tui::action::{Action, Context};
use crate::tui::attach::{Attach, Over, reach};
use crate::tui::event::{Event, Failure};

impl<P: Ports> Dashboard<P> {
    /// Gives the terminal to an agent until the operator leaves it.
    pub(super) async fn pass_through(
        &mut self,
        id: SessionId,
        ahead: Vec<u8>,
    ) -> std::io::Result<()> {
        self.reader = None;
        // Whoever attaches brings the key agent of this login. Without it the agent is still attached to.
        let link = self.home.ssh_agent();
        let linked = tokio::task::spawn_blocking(move || ssh::refresh(&link)).await;
        if let Err(error) = linked.map_err(std::io::Error::other).and_then(|linked| linked) {
            tracing::warn!(%error, "the key agent cannot be linked");
        }
        // An engine for a screen that nobody sees would only slow the agent down.
        self.live.watch(&[]);
        let what = Attach {
            home: self.home.clone(),
            workspace: self.app.setup.workspace.clone(),
            leave: self.leave_key(),
            id,
            read_only: false,
            clipboard: self.clipboard,
            over: Over::Dashboard,
            ahead,
        };
        let shown = async { reach(what).await?.show().await };
        let (came_back, missed) = meanwhile(self.terminal.lend_raw(shown), &mut self.answers).await;
        let came_back = came_back?;
        self.live.watch(&self.watched);
        for event in missed {
            self.apply(event);
        }
        match came_back {
            Ok(came_back) => self.apply(Event::Focus(came_back.focused)),
            Err(error) => {
                let (message, hint) = (error.to_string(), error.hint());
                self.apply(Event::Trouble(Failure { message, hint }));
            }
        }
        self.take_back()
    }

    /// The key that leaves an agent; a chord of several is none for an agent that has the terminal.
    fn leave_key(&self) -> Key {
        let keymap = &self.app.setup.keymap;
        let mut chords = keymap.keys(&[Context::Terminal], Action::LeaveAgent);
        let single = chords.find_map(|chord| match chord.0[..] {
            [key] => Some(key),
            _ => None,
        });
        single.unwrap_or(Key::new(KeyCode::Char(']'), Modifiers::CTRL))
    }
}
