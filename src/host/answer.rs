//! Answering the question that an agent shows (`spec/lifecycle.md` K6).

use crate::domain::activity::Question;
use crate::domain::event::{Actor, Event};
use crate::domain::ids::SessionId;
use crate::domain::session::Session;
use crate::domain::text;

use super::Host;
use super::context::Context;
use super::create::source;
use super::error::{HostError, HostResult};
use super::ports::{Input, Ports};

/// Cells of a question that the audit keeps.
const KEPT: usize = 200;

impl<P: Ports> Host<P> {
    /// Chooses an option of the shown question, by its number from 1, none for yes. The keeper
    /// compares the question once more at the write.
    ///
    /// # Errors
    /// Unknown, not running, another question is shown; or the key could not be pressed.
    pub async fn answer(
        &self,
        ctx: &Context,
        id: &SessionId,
        question: &str,
        option: Option<usize>,
        actor: &Actor,
    ) -> HostResult<()> {
        let session = self.ports.session(id).await?;
        let session = session.ok_or_else(|| HostError::NotFound(id.clone()))?;
        let shown = session.condition.question.as_ref().filter(|_| session.is_live());
        let shown = shown.filter(|shown| shown.id == question).ok_or_else(|| changed(&session))?;
        let number = number(shown, option);
        let input = Input::Answer { question: shown.id.clone(), keys: keys(number) };
        self.type_checked(ctx, id, &input, actor).await?;
        let chosen = number.and_then(|number| shown.options.get(number - 1));
        let chosen =
            chosen.map_or_else(|| keys(number).concat(), |option| text::clean_line(option));
        let source = source(actor);
        let told = self.ports.answered(id, &chosen, &source);
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
            cause: Some(format!("{asked} {chosen}")),
            operation: None,
        }])
        .await;
        Ok(())
    }
}

fn changed(session: &Session) -> HostError {
    let id = &session.id;
    if !session.is_live() {
        return HostError::Refused { message: format!("session {id} does not run"), hint: None };
    }
    HostError::Refused {
        message: format!("the question of session {id} has changed"),
        hint: Some("look at the new question, then answer it".to_owned()),
    }
}

/// The number of an option; for yes the first option that begins so, else the first. None for a
/// question without options.
fn number(question: &Question, option: Option<usize>) -> Option<usize> {
    let yes = |text: &String| text.trim_start().to_lowercase().starts_with("yes");
    option.filter(|number| *number > 0).or_else(|| {
        let found = question.options.iter().position(yes);
        found.or_else(|| (!question.options.is_empty()).then_some(0)).map(|index| index + 1)
    })
}

/// The key of an option is its number, as the agents show it; a question without options takes a
/// letter.
fn keys(number: Option<usize>) -> Vec<String> {
    match number {
        Some(number) => number.to_string().chars().map(String::from).collect(),
        None => vec!["y".to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K6: the key of an answer follows from the question and its options.
    #[test]
    fn yes_is_the_option_that_says_so() {
        let pressed = |options: &[&str], option| {
            let options = options.iter().map(|&option| option.to_owned()).collect();
            let (id, kind, text) = ("q".to_owned(), "permission".to_owned(), "Run it?".to_owned());
            keys(number(&Question { id, kind, text, options }, option)).concat()
        };
        assert_eq!(pressed(&["No", "Yes", "Yes, and do not ask again"], None), "2");
        assert_eq!(pressed(&["No", "Yes", "Yes, and do not ask again"], Some(3)), "3");
        assert_eq!(pressed(&["Allow", "Deny"], None), "1");
        assert_eq!(pressed(&[], None), "y");
    }
}
