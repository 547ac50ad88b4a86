//! Sending text and keys to agents (`spec/lifecycle.md` K5).

use crate::domain::activity::Activity;
use crate::domain::event::Actor;
use crate::domain::ids::SessionId;
use crate::domain::operation::Verb;
use crate::domain::session::Session;
use crate::domain::text;

use super::Host;
use super::caller::Reach;
use super::context::{Context, START};
use super::create::check::check_text;
use super::create::source;
use super::error::{HostError, HostResult};
use super::parallel;
use super::ports::{Input, Ports};
use super::report::SendResult;
use super::stop::distinct;

/// How many agents are typed into at once.
const SENDING: usize = 16;

impl<P: Ports> Host<P> {
    /// Types `text` into agents, each under its lock, after a fresh look at its row (K5). One result
    /// for each session.
    ///
    /// # Errors
    /// The text is empty.
    pub async fn send(
        &self,
        ctx: &Context,
        ids: &[SessionId],
        text: &str,
        enter: bool,
        actor: &Actor,
    ) -> HostResult<Vec<SendResult>> {
        let text = text::clean_block(text);
        if text.is_empty() {
            let message = "there is no text to send".to_owned();
            return Err(HostError::Usage { message, hint: None });
        }
        check_text("text", Some(&text))?;
        self.allow(actor, "send", Reach::Sessions(ids)).await?;
        let input = Input::Text { text, enter };
        let sent = parallel::ordered(SENDING, distinct(ids), |id| {
            let (host, ctx, actor) = (self.clone(), ctx.clone(), actor.clone());
            let input = input.clone();
            async move {
                match host.send_one(&ctx, &id, &input, &actor).await {
                    Ok(note) => SendResult { id, sent: true, reason: note },
                    Err(error) => SendResult { id, sent: false, reason: Some(reason(&error)) },
                }
            }
        });
        Ok(sent.await)
    }

    /// Presses keys in an agent's terminal, also while it shows a question.
    ///
    /// # Errors
    /// Unknown, deleted, ended; or the keys could not be pressed.
    pub async fn keys(
        &self,
        ctx: &Context,
        id: &SessionId,
        keys: Vec<String>,
        actor: &Actor,
    ) -> HostResult<()> {
        self.allow(actor, "press keys", Reach::Config).await?;
        self.type_checked(ctx, id, &Input::Keys(keys), actor).await?;
        self.audit("keys", std::slice::from_ref(id), actor, None).await;
        Ok(())
    }

    async fn send_one(
        &self,
        ctx: &Context,
        id: &SessionId,
        input: &Input,
        actor: &Actor,
    ) -> HostResult<Option<String>> {
        let note = self.type_checked(ctx, id, input, actor).await?;
        self.audit("send", std::slice::from_ref(id), actor, None).await;
        Ok(note)
    }

    /// Types under the session's lock, after a fresh look at its row. Answers what went wrong once the
    /// text was out: it must not be taken for unsent then, and be sent twice.
    pub(super) async fn type_checked(
        &self,
        ctx: &Context,
        id: &SessionId,
        input: &Input,
        actor: &Actor,
    ) -> HostResult<Option<String>> {
        let operation = self.operation(Verb::Send, vec![id.clone()]);
        let _locks = self.hold(ctx, std::slice::from_ref(id), &operation).await?;
        let session = self.ports.session(id).await?;
        let session = session.ok_or_else(|| HostError::NotFound(id.clone()))?;
        if let Some(message) = refusal(&session, input) {
            return Err(HostError::Refused { message: message.to_owned(), hint: None });
        }
        // Once the first byte is out nothing follows the caller's cancellation (K5).
        let (typing, began) = (ctx.detached(START), self.ports.now());
        let typed = self.ports.type_into(&typing, &session, input);
        typing.step(&format!("typing into session {id}"), typed).await?;
        if let Input::Text { text, enter: true } = input {
            let source = source(actor);
            let prompted = self.ports.prompted(id, text, &source, began);
            if let Err(error) = ctx.write("recording the prompt", prompted).await {
                return Ok(Some(format!("it is not among the messages: {error}")));
            }
        }
        Ok(None)
    }
}

/// Why nothing may be typed now; none where it may.
fn refusal(session: &Session, input: &Input) -> Option<&'static str> {
    let condition = &session.condition;
    if session.deletion.is_some() {
        Some("in_trash")
    } else if !session.is_live() {
        Some("not running")
    } else if condition.activity.value == Activity::Exited {
        Some("agent_exited")
    } else if condition.question.is_some() && matches!(input, Input::Text { .. }) {
        Some("question_shown")
    } else {
        None
    }
}

fn reason(error: &HostError) -> String {
    match error {
        HostError::NotFound(_) => "not_found".to_owned(),
        other => other.to_string(),
    }
}
