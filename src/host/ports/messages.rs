//! What operator and agents told each other (`spec/store.md` Q2).

use crate::domain::event::Message;
use crate::domain::ids::SessionId;

use super::PortResult;

/// Messages of sessions.
pub trait MessagePort: Send + Sync + 'static {
    /// Messages of one session, oldest first; the newest `limit` of them.
    fn messages(
        &self,
        id: &SessionId,
        limit: usize,
    ) -> impl Future<Output = PortResult<Vec<Message>>> + Send;
    /// A question was answered: message row. No new turn begins (K6).
    fn answered(
        &self,
        id: &SessionId,
        text: &str,
        source: &str,
    ) -> impl Future<Output = PortResult<()>> + Send;
}
