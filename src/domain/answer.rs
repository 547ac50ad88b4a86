//! Which keys answer a question that an agent shows (`spec/lifecycle.md` K6).

use std::str::FromStr;

use super::activity::Question;
use super::agent::AnswerWay;

/// How the words of an option begin that agrees.
const YES: [&str; 8] = ["yes", "allow", "approve", "accept", "proceed", "continue", "ok", "trust"];
/// How the words of an option begin that refuses.
const NO: [&str; 7] = ["no", "deny", "reject", "decline", "refuse", "cancel", "don't"];

/// An answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Its yes.
    Yes,
    /// Its no.
    No,
    /// The option of this number, from 1.
    Option(usize),
}

impl FromStr for Answer {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word.to_lowercase().as_str() {
            "yes" | "y" => Ok(Self::Yes),
            "no" | "n" => Ok(Self::No),
            number => match number.parse() {
                Ok(number) if number > 0 => Ok(Self::Option(number)),
                _ => Err("an answer is yes, no, or the number of an option".to_owned()),
            },
        }
    }
}

/// The keys that give an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pressed {
    /// Names of keys, as in `keymap.toml`.
    pub keys: Vec<String>,
    /// The option that is chosen; the keys themselves for a question without options.
    pub words: String,
}

/// Works out the keys; none where that would be a guess, with the reason.
///
/// # Errors
/// No option fits, or the options cannot be read and the agent has no keys of its own for the answer.
pub fn press(question: &Question, answer: Answer, way: &AnswerWay) -> Result<Pressed, String> {
    let options = &question.options;
    if options.is_empty() || question.unnumbered {
        let reason = if options.is_empty() {
            "its options cannot be read"
        } else {
            "only yes and no can be pressed in it"
        };
        let keys = match answer {
            Answer::Yes if question.kind == "permission" => &way.yes,
            Answer::No if question.kind == "permission" => &way.no,
            _ => return Err(reason.to_owned()),
        };
        if keys.is_empty() {
            return Err(reason.to_owned());
        }
        return Ok(Pressed { keys: keys.clone(), words: keys.concat() });
    }
    let number = match answer {
        Answer::Yes => first(options, &YES).ok_or("none of its options says yes")?,
        Answer::No => first(options, &NO).ok_or("none of its options says no")?,
        Answer::Option(number) => number,
    };
    let Some(words) = options.get(number.wrapping_sub(1)).cloned() else {
        return Err(format!("it has no option {number}"));
    };
    let keys = match question.selected {
        Some(selected) => walk(selected, number - 1),
        None if number < 10 => vec![number.to_string()],
        None => return Err(format!("option {number} has no key of its own")),
    };
    Ok(Pressed { keys, words })
}

/// From the selected option to another one, and Enter.
fn walk(from: usize, to: usize) -> Vec<String> {
    let step = if to < from { "Up" } else { "Down" };
    let steps = std::iter::repeat_n(step, from.abs_diff(to));
    steps.chain(["Enter"]).map(str::to_owned).collect()
}

/// The number of the first option that begins with one of these words.
fn first(options: &[String], words: &[&str]) -> Option<usize> {
    let begins = |option: &String| {
        let option = option.trim_start().to_lowercase();
        words.iter().any(|word| {
            let rest = option.strip_prefix(word);
            rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
        })
    };
    options.iter().position(begins).map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(kind: &str, options: &[&str], selected: Option<usize>) -> Question {
        Question {
            id: "q".to_owned(),
            kind: kind.to_owned(),
            text: "Run it?".to_owned(),
            options: options.iter().map(|&option| option.to_owned()).collect(),
            selected,
            unnumbered: false,
        }
    }

    fn keys(options: &[&str], selected: Option<usize>, answer: Answer) -> Result<String, String> {
        let asked = question("permission", options, selected);
        press(&asked, answer, &AnswerWay::default()).map(|pressed| pressed.keys.join(" "))
    }

    /// K6: an answer is the option that says so, by its number.
    #[test]
    fn yes_and_no_are_the_options_that_say_so() {
        let three = ["No", "Yes", "Yes, and do not ask again"];
        assert_eq!(keys(&three, None, Answer::Yes).unwrap(), "2");
        assert_eq!(keys(&three, None, Answer::No).unwrap(), "1");
        assert_eq!(keys(&three, None, Answer::Option(3)).unwrap(), "3");
        assert_eq!(keys(&["Allow once", "Deny"], None, Answer::Yes).unwrap(), "1");
        assert_eq!(keys(&["Allow once", "Deny"], None, Answer::No).unwrap(), "2");
        // A program would take the first digit of 12 for an answer.
        assert!(keys(&["a"; 12], None, Answer::Option(12)).is_err());
    }

    /// K6: options that nobody can press are answered by the agent's own keys.
    #[test]
    fn what_has_no_numbers_is_answered_by_the_agents_own_keys() {
        let options = ["Allow once", "Allow always", "Reject"];
        let asked = Question { unnumbered: true, ..question("permission", &options, None) };
        let way = AnswerWay { yes: vec!["Enter".to_owned()], no: Vec::new() };
        let keys = |answer| press(&asked, answer, &way).map(|pressed| pressed.keys.concat());
        assert_eq!(keys(Answer::Yes).unwrap(), "Enter");
        assert!(keys(Answer::No).is_err());
        assert!(keys(Answer::Option(1)).unwrap_err().contains("only yes and no"));
    }

    /// K6: where the agent's list is walked, the walk begins at what is selected.
    #[test]
    fn a_list_without_numbers_is_walked() {
        let trust = ["No, exit", "Yes, I trust this folder"];
        assert_eq!(keys(&trust, Some(0), Answer::Yes).unwrap(), "Down Enter");
        assert_eq!(keys(&trust, Some(1), Answer::No).unwrap(), "Up Enter");
        assert_eq!(keys(&trust, Some(1), Answer::Yes).unwrap(), "Enter");
    }

    /// K6: nothing is pressed on a guess.
    #[test]
    fn what_would_be_a_guess_is_refused() {
        for (options, answer) in [
            (&["Red", "Nothing"][..], Answer::Yes),
            (&["Red", "Nothing"], Answer::No),
            (&["Yes", "No"], Answer::Option(3)),
            (&[], Answer::Option(1)),
        ] {
            assert!(keys(options, None, answer).is_err(), "{options:?} {answer:?}");
        }
        let way = AnswerWay::default();
        assert_eq!(
            press(&question("permission", &[], None), Answer::Yes, &way).unwrap().words,
            "y"
        );
        assert!(press(&question("question", &[], None), Answer::Yes, &way).is_err());
        let blind = AnswerWay { yes: Vec::new(), ..way };
        assert!(press(&question("permission", &[], None), Answer::Yes, &blind).is_err());
    }

    #[test]
    fn answers_are_read() {
        assert_eq!("yes".parse(), Ok(Answer::Yes));
        assert_eq!("No".parse(), Ok(Answer::No));
        assert_eq!("2".parse(), Ok(Answer::Option(2)));
        assert!("0".parse::<Answer>().is_err() && "maybe".parse::<Answer>().is_err());
    }
}
