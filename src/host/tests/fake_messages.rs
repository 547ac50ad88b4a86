//! A small model of what was told.

use crate::domain::event::Message;
use crate::domain::ids::SessionId;
use crate::host::ports::{MessagePort, PortResult};

use super::{NOW, Recorder};

impl MessagePort for Recorder {
    async fn messages(&self, id: &SessionId, limit: usize) -> PortResult<Vec<Message>> {
        Ok(self.read(|m| {
            let own: Vec<Message> = m
                .messages
                .iter()
                .filter(|(of, _)| of == id)
                .map(|(_, text)| text.clone())
                .collect();
            own[own.len().saturating_sub(limit)..].to_vec()
        }))
    }
    async fn answered(&self, id: &SessionId, text: &str, source: &str) -> PortResult<()> {
        self.call("answered", Some(id), None)?;
        let message = Message { at: NOW, source: source.to_owned(), text: text.to_owned() };
        self.change(|m| m.messages.push((id.clone(), message)));
        Ok(())
    }
}
