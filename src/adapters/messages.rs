//! Messages as a port.

use crate::domain::event::Message;
use crate::domain::ids::SessionId;
use crate::host::ports::{MessagePort, PortResult};

use super::Real;

impl<R: Send + Sync + 'static> MessagePort for Real<R> {
    async fn messages(&self, id: &SessionId, limit: usize) -> PortResult<Vec<Message>> {
        Ok(self.store.messages(id, limit).await?)
    }

    async fn answered(&self, id: &SessionId, text: &str, source: &str) -> PortResult<()> {
        Ok(self.store.answered(id, text, source).await?)
    }
}
