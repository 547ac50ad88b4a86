//! `send`, `keys`, `screen`.

use std::time::Duration;

use crate::domain::answer::Answer;
use crate::domain::error::ErrorKind;
use crate::domain::ids::SessionId;
use crate::domain::key::Key;
use crate::domain::text::clean_block;
use crate::host::ports::Ports;
use crate::host::report::SendResult;

use super::ansi;
use super::args::{Goal, IdArg, KeysArgs, ScreenArgs, SendArgs};
use super::console::{Console, read_input};
use super::error::{CliError, CommandResult, Ending};
use super::json::{ScreenJson, Sent};
use super::output::write_text;
use super::select;
use super::wait::{Awaited, until};

/// How long a keeper may take to show its screen.
const PATIENCE: Duration = Duration::from_secs(5);

/// `send`
///
/// # Errors
/// Wrong use, or the wait after it failed.
pub(crate) async fn send<P: Ports>(console: &Console<P>, args: SendArgs) -> CommandResult {
    if let Some(answer) = args.answer {
        return self::answer(console, args, answer).await;
    }
    let (ids, text) = split(args.words)?;
    let left_out = text.chars().count() - clean_block(&text).chars().count();
    if left_out > 0 {
        let what = if left_out == 1 { "character was" } else { "characters were" };
        console.out.remark(&format!("{left_out} control {what} left out of the text"));
    }
    let ids = select::ids(&ids)?;
    let known = console.host.ports().sessions(&ids).await?;
    let awaited: Vec<Awaited> = known.iter().map(Awaited::from_now_on).collect();
    let results =
        console.host.send(&console.context, &ids, &text, !args.no_enter, &console.actor).await?;
    finish(console, &results, &awaited, &args.wait, args.timeout).await
}

/// `send --answer`: the question that is shown, and no other (`spec/lifecycle.md` K6).
async fn answer<P: Ports>(console: &Console<P>, args: SendArgs, answer: Answer) -> CommandResult {
    let [id] = &args.words[..] else {
        return Err(CliError::Usage {
            message: "an answer is for one session, and has no text".to_owned(),
            hint: Some("callboard send ID --answer yes".to_owned()),
        });
    };
    let id: SessionId = id.trim().parse()?;
    let session = console.session(&id).await?;
    let awaited = [Awaited::from_answer(&session, console.host.ports().now())];
    let (ctx, question) = (&console.context, args.question.as_deref());
    let answered = console.host.answer(ctx, &id, question, answer, &console.actor).await;
    answered.map_err(|error| CliError::from(error).about(&id))?;
    let results = [SendResult { id, sent: true, reason: None }];
    finish(console, &results, &awaited, &args.wait, args.timeout).await
}

/// Reports what was sent, and waits where that is wished.
async fn finish<P: Ports>(
    console: &Console<P>,
    results: &[SendResult],
    awaited: &[Awaited],
    goals: &[Goal],
    timeout: Option<Duration>,
) -> CommandResult {
    let ending = ending(results);
    if goals.is_empty() || ending != Ending::Done {
        console.out.report(&Sent { results }, |sent| results_text(sent.results))?;
        return Ok(ending);
    }
    let found = until(console, awaited, goals, timeout).await?;
    console.out.report(&Sent { results }, |sent| {
        format!("{}{}: {}\n", results_text(sent.results), found.id, found.condition.status)
    })?;
    Ok(Ending::Done)
}

/// Ids, and the last word as the text; `-` as the text reads standard input.
fn split(mut words: Vec<String>) -> Result<(Vec<IdArg>, String), CliError> {
    let text = words.pop().filter(|_| !words.is_empty()).ok_or_else(|| CliError::Usage {
        message: "a text is missing".to_owned(),
        hint: Some("callboard send ID... TEXT".to_owned()),
    })?;
    let ids = words.iter().map(|word| word.parse()).collect::<Result<Vec<IdArg>, _>>()?;
    if text != "-" {
        return Ok((ids, text));
    }
    if ids.contains(&IdArg::Input) {
        return Err(CliError::Usage {
            message: "standard input cannot be both the ids and the text".to_owned(),
            hint: None,
        });
    }
    let text = read_input()?;
    let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
    Ok((ids, text))
}

/// `keys`
///
/// # Errors
/// A key is not known, or the write was refused.
pub(crate) async fn keys<P: Ports>(console: &Console<P>, args: KeysArgs) -> CommandResult {
    for key in &args.keys {
        key.parse::<Key>().map_err(|error| CliError::Usage {
            message: error.to_string(),
            hint: Some("keys are named as in keymap.toml: Enter, Esc, C-c, Up".to_owned()),
        })?;
    }
    console.session(&args.id).await?;
    let pressed = console.host.keys(&console.context, &args.id, args.keys, &console.actor).await;
    pressed.map_err(|error| CliError::from(error).about(&args.id))?;
    let results = [SendResult { id: args.id, sent: true, reason: None }];
    console.out.report(&Sent { results: &results }, |sent| results_text(sent.results))?;
    Ok(Ending::Done)
}

fn ending(results: &[SendResult]) -> Ending {
    let failed: Vec<&SendResult> = results.iter().filter(|result| !result.sent).collect();
    if failed.is_empty() && results.iter().any(|result| result.reason.is_some()) {
        return Ending::Short(ErrorKind::Partial);
    }
    let missing = failed.iter().all(|result| result.reason.as_deref() == Some("not_found"));
    let kind = if missing { ErrorKind::NotFound } else { ErrorKind::Refused };
    Ending::of(results.len() - failed.len(), failed.len(), kind)
}

fn results_text(results: &[SendResult]) -> String {
    let line = |result: &SendResult| match &result.reason {
        Some(reason) if result.sent => format!("sent to {}, but {reason}\n", result.id),
        None if result.sent => format!("sent to {}\n", result.id),
        Some(reason) => format!("not sent to {}: {reason}\n", result.id),
        None => format!("not sent to {}\n", result.id),
    };
    results.iter().map(line).collect()
}

/// `screen`
///
/// # Errors
/// There is no such session, or no screen of it.
pub(crate) async fn screen<P: Ports>(console: &Console<P>, args: ScreenArgs) -> CommandResult {
    if args.ansi && console.out.json {
        return Err(CliError::Usage {
            message: "--ansi and --json cannot be used together".to_owned(),
            hint: None,
        });
    }
    console.session(&args.id).await?;
    let ports = console.host.ports();
    let context = console.context.within(PATIENCE);
    if args.ansi {
        let socket = console.home.socket(ports.workspace(), &args.id);
        let text = context.run(ansi::read(&socket, args.scrollback)).await?;
        write_text(&text.map_err(|error| not_running(error.into(), &args.id))?)?;
        return Ok(Ending::Done);
    }
    let screen = ports.screen(&context, &args.id, args.scrollback).await;
    let screen = screen.map_err(|error| not_running(error.into(), &args.id))?;
    console.out.answer(&ScreenJson::from(&screen), |_| {
        let lines: Vec<&str> = screen.lines.iter().map(|line| line.trim_end()).collect();
        let used = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        lines[..used].join("\n")
    })?;
    Ok(Ending::Done)
}

/// A session without a keeper does not run; it is there all the same.
fn not_running(error: CliError, id: &SessionId) -> CliError {
    match error.kind() {
        ErrorKind::NotFound => CliError::NotRunning(id.clone()),
        _ => error.about(id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(id: &str, reason: Option<&str>) -> SendResult {
        SendResult {
            id: id.parse().unwrap(),
            sent: reason.is_none(),
            reason: reason.map(str::to_owned),
        }
    }

    #[test]
    fn the_last_word_is_the_text() {
        let (ids, text) = split(vec!["a-1".into(), "-".into(), "do it".into()]).unwrap();
        assert_eq!(ids, [IdArg::Session("a-1".parse().unwrap()), IdArg::Input]);
        assert_eq!(text, "do it");
        assert!(split(vec!["-".into(), "-".into()]).is_err());
        assert!(split(vec!["Not An Id".into(), "text".into()]).is_err());
    }

    #[test]
    fn results_decide_the_exit_code() {
        let sent = result("a-1", None);
        let refused = result("a-2", Some("question shown"));
        let missing = result("a-3", Some("not_found"));
        assert_eq!(ending(std::slice::from_ref(&sent)), Ending::Done);
        assert_eq!(ending(std::slice::from_ref(&refused)), Ending::Short(ErrorKind::Refused));
        assert_eq!(ending(std::slice::from_ref(&missing)), Ending::Short(ErrorKind::NotFound));
        assert_eq!(ending(&[sent, refused]), Ending::Short(ErrorKind::Partial));
    }
}
