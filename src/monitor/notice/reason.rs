//! What a session wants, in words (`spec/look.md` sections 2 and 9).

use crate::domain::pr::PrFacts;
use crate::domain::session::Session;
use crate::domain::status::{Attention, worst_open};
use crate::domain::text::clean_line;
use crate::domain::time::{Timestamp, age};

/// Why a session wants the operator, after its id: `asks to run cargo test -p cart`.
pub fn reason(session: &Session, now: Timestamp) -> Option<String> {
    let condition = &session.condition;
    let lasting = |since| match age(now, since) {
        age if age == "now" => "a moment".to_owned(),
        age => age,
    };
    let pr = || worst_open(&session.prs).map_or_else(|| "its PR".to_owned(), pr_name);
    Some(match condition.attention? {
        Attention::Permission | Attention::NeedsInput => question(session),
        Attention::Stuck => format!("no answer for {}", lasting(condition.status_since)),
        Attention::Errored => ended(session),
        Attention::CiFailed => format!("{}: checks failed", pr()),
        Attention::ChangesRequested => format!("{}: changes requested", pr()),
        Attention::Mergeable => format!("{} can be merged", pr()),
        Attention::Approved => format!("{} is approved", pr()),
        Attention::FinishedUnseen => "finished".to_owned(),
        Attention::Retrying => format!("retries for {}", lasting(condition.activity.since)),
        Attention::Stalled => {
            let sign = condition.last_activity_at.unwrap_or(condition.activity.since);
            format!("no sign of life for {}", lasting(sign))
        }
    })
}

fn pr_name(pr: &PrFacts) -> String {
    format!("PR #{}", pr.number)
}

fn question(session: &Session) -> String {
    let Some(question) = &session.condition.question else {
        return "asks a question".to_owned();
    };
    let text = clean_line(&question.text);
    let permission = question.kind == "permission";
    match text.split_once('?') {
        _ if text.is_empty() => "asks a question".to_owned(),
        // Some agents show the command alone, others ask a sentence and show it below.
        None if permission => format!("asks to run {text}"),
        Some((head, detail))
            if permission && head.to_lowercase().contains("run") && !detail.trim().is_empty() =>
        {
            format!("asks to run {}", detail.trim())
        }
        _ => format!("asks: {text}"),
    }
}

fn ended(session: &Session) -> String {
    if let Some(error) = &session.error {
        return clean_line(error);
    }
    match (session.runtime.exit_code, session.runtime.signal) {
        (Some(code), _) => format!("ended with code {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => "ended with an error".to_owned(),
    }
}
