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
    /// Writes down what an agent told through a hook. No new turn begins. The text of the session's
    /// newest message is not written down twice: a hook tells of the prompt that was just sent.
    fn note_message(
        &self,
        id: &SessionId,
        text: &str,
        source: &str,
    ) -> impl Future<Output = PortResult<()>> + Send;
    /// A question was answered: message row. No new turn begins (K6).
    fn answered(
        &self,
        id: &SessionId,
        text: &str,
        source: &str,
    ) -> impl Future<Output = PortResult<()>> + Send;
}
