//! Answering the question that an agent shows (`spec/lifecycle.md` K6).

use std::time::Duration;

use crate::domain::activity::Question;
use crate::domain::answer::{Answer, press};
use crate::domain::condition::Condition;
use crate::domain::event::{Actor, Event};
use crate::domain::ids::SessionId;
use crate::domain::session::Session;
use crate::domain::text;

use super::Host;
use super::caller::Reach;
use super::context::Context;
use super::create::source;
use super::error::{HostError, HostResult};
use super::ports::{Input, Ports};

/// How often, and how many times, a question is looked for that a program said it asks: it may say so
/// before it draws what.
const DRAWN: (Duration, usize) = (Duration::from_millis(50), 40);
/// How long a dialog must have been shown: a program may draw it again with more options, and lose or take
/// for another option what is pressed meanwhile.
const SETTLED: Duration = Duration::from_secs(1);
/// Cells of a question that the audit keeps.
const KEPT: usize = 200;

impl<P: Ports> Host<P> {
    /// Answers the question named `question`, else the one that is shown. The keeper compares it once
    /// more at each key.
    ///
    /// # Errors
    /// Unknown, not running, another question is shown or none, the answer would be a guess; or the
    /// keys could not be pressed.
    pub async fn answer(
        &self,
        ctx: &Context,
        id: &SessionId,
        question: Option<&str>,
        answer: Answer,
        actor: &Actor,
    ) -> HostResult<()> {
        self.allow(actor, "answer questions", Reach::Config).await?;
        let session = self.asking(ctx, id).await?;
        let shown = session.condition.question.as_ref().filter(|_| session.is_live());
        let named = |shown: &&Question| question.is_none_or(|question| shown.id == question);
        let shown = shown.filter(named).ok_or_else(|| changed(&session, question))?;
        let way = self.ports.answer_way(&session.launch.agent);
        let pressed = press(shown, answer, &way).map_err(|reason| HostError::Refused {
            message: format!("the question of session {id} cannot be answered so: {reason}"),
            hint: Some(format!("answer it in its terminal: callboard attach {id}")),
        })?;
        let (question, selected) = (shown.id.clone(), shown.selected);
        let input = Input::Answer { question, keys: pressed.keys, selected };
        self.type_checked(ctx, id, &input, actor).await?;
        let source = source(actor);
        let told = self.ports.answered(id, &pressed.words, &source);
        if let Err(error) = ctx.write("recording the answer", told).await {
            tracing::warn!(session = %id, %error, "an answer was not written down");
        }
        let asked = text::cut(&text::clean_line(&shown.text), KEPT, "...");
        self.record(&[Event {
            at: self.ports.now(),
            session: Some(id.clone()),
            actor: actor.to_string(),
            verb: "answer".to_owned(),
            from: None,
            to: None,
            cause: Some(format!("{asked} {}", text::clean_line(&pressed.words))),
            operation: None,
        }])
        .await;
        Ok(())
    }

    /// The session, once what it asks is drawn and can be read.
    async fn asking(&self, ctx: &Context, id: &SessionId) -> HostResult<Session> {
        let (pause, mut looks) = DRAWN;
        loop {
            ctx.check(&format!("answering session {id}"))?;
            let session = self.ports.session(id).await?;
            let session = session.ok_or_else(|| HostError::NotFound(id.clone()))?;
            let Condition { activity, question, .. } = &session.condition;
            if !activity.value.is_waiting() || !session.is_live() || looks == 0 {
                return Ok(session);
            }
            let young = SETTLED.saturating_sub(self.ports.now().since(activity.since));
            if question.is_some() && young.is_zero() {
                return Ok(session);
            }
            looks -= 1;
            tokio::time::sleep(pause).await;
        }
    }
}

fn changed(session: &Session, question: Option<&str>) -> HostError {
    let id = &session.id;
    let refuse =
        |message, hint: Option<&str>| HostError::Refused { message, hint: hint.map(str::to_owned) };
    if session.deletion.is_some() {
        refuse(format!("session {id} is in the trash"), None)
    } else if !session.is_live() {
        refuse(format!("session {id} does not run"), None)
    } else if question.is_none() || session.condition.question.is_none() {
        refuse(format!("session {id} shows no question"), None)
    } else {
        let hint = "look at the new question, then answer it";
        refuse(format!("the question of session {id} has changed"), Some(hint))
    }
}
