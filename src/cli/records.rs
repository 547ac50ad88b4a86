//! `messages`, `events`, `ops`, `recover`.

use crate::domain::event::{Event, Message};
use crate::domain::ids::{OperationId, SessionId};
use crate::domain::operation::Operation;
use crate::domain::text::clean_block;
use crate::host::ports::Ports;
use crate::host::report::RecoverReport;

use super::args::{EventsArgs, OpsCommand};
use super::console::Console;
use super::error::{CliError, CommandResult, Ending};
use super::json::{Events, Messages, Operations};
use super::output::Table;
use crate::domain::error::ErrorKind;

/// Operations that are listed.
const OPERATIONS: usize = 100;

/// `messages`
///
/// # Errors
/// There is no such session.
pub(crate) async fn messages<P: Ports>(console: &Console<P>, id: &SessionId) -> CommandResult {
    console.session(id).await?;
    let messages = console.host.ports().messages(id).await?;
    let list = Messages { messages: &messages };
    console.out.answer(&list, |list| list.messages.iter().map(message_text).collect())?;
    Ok(Ending::Done)
}

fn message_text(message: &Message) -> String {
    format!("{}  {}\n{}\n\n", message.at, message.source, clean_block(&message.text).trim_end())
}

/// `events`
///
/// # Errors
/// There is no such session.
pub(crate) async fn events<P: Ports>(console: &Console<P>, args: EventsArgs) -> CommandResult {
    let events = console.host.ports().events(args.id.as_ref(), args.limit).await?;
    // What was done to a purged session stays.
    if let Some(id) = args.id.as_ref().filter(|_| events.is_empty()) {
        console.session(id).await?;
    }
    console.out.answer(&Events { events: &events }, |list| event_table(list.events))?;
    Ok(Ending::Done)
}

fn event_table(events: &[Event]) -> String {
    let mut table = Table::new(&["at", "session", "actor", "verb", "change", "cause"]);
    for event in events {
        let change = match (&event.from, &event.to) {
            (Some(from), Some(to)) => format!("{from} to {to}"),
            (None, Some(one)) | (Some(one), None) => one.clone(),
            (None, None) => String::new(),
        };
        table.row([
            &event.at.to_string(),
            event.session.as_ref().map_or("", SessionId::as_str),
            &event.actor,
            &event.verb,
            &change,
            event.cause.as_deref().unwrap_or(""),
        ]);
    }
    table.to_string()
}

/// `ops`
///
/// # Errors
/// There is no such operation.
pub(crate) async fn ops<P: Ports>(console: &Console<P>, command: OpsCommand) -> CommandResult {
    match command {
        OpsCommand::List => {
            let operations = console.host.ports().operations(OPERATIONS).await?;
            let list = Operations { operations: &operations };
            console.out.answer(&list, |list| operation_table(list.operations))?;
        }
        OpsCommand::Show { id } => {
            let operations = [console.host.find_operation(&id).await?];
            let list = Operations { operations: &operations };
            console
                .out
                .answer(&list, |list| list.operations.iter().map(operation_text).collect())?;
        }
        OpsCommand::Resume { id } => {
            let whole = console.host.resume(&console.context, &id, &console.actor).await?;
            tell(console, &id).await?;
            return Ok(if whole { Ending::Done } else { Ending::Short(ErrorKind::Partial) });
        }
        OpsCommand::Undo { id } => {
            let report = console.host.undo(&console.context, &id, &console.actor).await?;
            tell(console, &id).await?;
            return Ok(super::restore::ending(&report));
        }
        OpsCommand::Abandon { id } => {
            console.host.abandon(&console.context, &id, &console.actor).await?;
            tell(console, &id).await?;
        }
    }
    Ok(Ending::Done)
}

/// Reports how an operation stands after it was decided on.
async fn tell<P: Ports>(console: &Console<P>, id: &OperationId) -> Result<(), CliError> {
    let operations = [console.host.find_operation(id).await?];
    let list = Operations { operations: &operations };
    console.out.report(&list, |list| operation_table(list.operations))
}

fn operation_table(operations: &[Operation]) -> String {
    let mut table = Table::new(&["operation", "kind", "state", "started", "sessions", "error"]);
    for operation in operations {
        table.row([
            operation.id.as_str(),
            operation.kind.as_str(),
            operation.state.as_str(),
            &operation.started_at.to_string(),
            &operation.session_ids.len().to_string(),
            operation.error.as_deref().unwrap_or(""),
        ]);
    }
    table.to_string()
}

fn operation_text(operation: &Operation) -> String {
    let mut table = Table::plain();
    for result in &operation.results {
        table.row([result.id.as_str(), &result.state, result.detail.as_deref().unwrap_or("")]);
    }
    format!("{}{table}", operation_table(std::slice::from_ref(operation)))
}

/// `recover`
///
/// # Errors
/// The store cannot be read.
pub(crate) async fn recover<P: Ports>(console: &Console<P>) -> CommandResult {
    let report = console.host.recover(&console.context).await?;
    console.out.report(&report, recover_text)?;
    Ok(if report.stuck.is_empty() { Ending::Done } else { Ending::Short(ErrorKind::Partial) })
}

fn recover_text(report: &RecoverReport) -> String {
    let ids = report.adopted.iter().map(ToString::to_string);
    let pids = report.ended_processes.iter().map(ToString::to_string);
    let paths = report.orphans.iter().map(|path| path.display().to_string());
    let rows = [
        ("resumed", report.resumed.clone()),
        ("undone", report.undone.clone()),
        ("stuck", report.stuck.clone()),
        ("adopted", ids.collect()),
        ("ended processes", pids.collect()),
        ("orphans", paths.collect()),
    ];
    let mut table = Table::plain();
    for (name, values) in &rows {
        if !values.is_empty() {
            table.row([name, &values.join(", ")]);
        }
    }
    let text = table.to_string();
    if text.is_empty() { "nothing was left half done".to_owned() } else { text }
}
