//! Answering a question without opening the agent (`spec/lifecycle.md` K6).

use crate::domain::activity::Question;
use crate::domain::ids::SessionId;
use crate::domain::session::Session;
use crate::host::Host;
use crate::host::ports::Ports;
use crate::os::paths::Home;
use crate::runtime::client::Condition;
use crate::runtime::client::{Input, Keeper};
use crate::tui::event::Failure;

/// Presses the key of an option, none for yes. The keeper compares the question at the write.
pub(super) async fn answer<P: Ports>(
    host: &Host<P>,
    home: &Home,
    id: &SessionId,
    question: String,
    option: Option<usize>,
) -> Result<(), Failure> {
    let session = host.ports().session(id).await?;
    let gone = || Failure { message: format!("{id} does not run"), hint: None };
    let session = session.filter(Session::is_live).ok_or_else(gone)?;
    let shown = session.condition.question.as_ref().filter(|shown| shown.id == question);
    let keys = keys(shown.ok_or_else(changed)?, option);
    let socket = home.socket(&session.workspace, id);
    let generation = session.condition.lifecycle.generation;
    let pressed = async {
        let mut keeper = Keeper::connect(&socket).await?;
        keeper.send(generation, Input::Keys(keys), Some(Condition::IfQuestion(question))).await
    };
    let failed = |error: crate::runtime::client::ClientError| Failure {
        message: error.to_string(),
        hint: error.hint(),
    };
    pressed.await.map(|_| ()).map_err(failed)
}

fn changed() -> Failure {
    Failure {
        message: "the question has changed".to_owned(),
        hint: Some("look at the new question, then answer it".to_owned()),
    }
}

/// The key of an option is its number, as the agents show it. Yes is the first option that begins so,
/// else the first; a question without options takes a letter.
fn keys(question: &Question, option: Option<usize>) -> Vec<String> {
    let yes = |text: &String| text.trim_start().to_lowercase().starts_with("yes");
    let number = option.or_else(|| {
        let found = question.options.iter().position(yes);
        found.or_else(|| (!question.options.is_empty()).then_some(0)).map(|index| index + 1)
    });
    match number {
        Some(number) => number.to_string().chars().map(String::from).collect(),
        None => vec!["y".to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(options: &[&str]) -> Question {
        Question {
            id: "q".to_owned(),
            kind: "permission".to_owned(),
            text: "Run this command?".to_owned(),
            options: options.iter().map(|&option| option.to_owned()).collect(),
        }
    }

    #[test]
    fn yes_is_the_option_that_says_so() {
        let asked = question(&["No", "Yes", "Yes, and do not ask again"]);
        assert_eq!(keys(&asked, None), ["2"]);
        assert_eq!(keys(&asked, Some(3)), ["3"]);
        assert_eq!(keys(&question(&["Allow", "Deny"]), None), ["1"]);
        assert_eq!(keys(&question(&[]), None), ["y"]);
    }
}
