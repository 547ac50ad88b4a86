//! What the events of an agent's hooks mean, as data (`spec/agents.md` G2, H2).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::Install;
use crate::domain::activity::Activity;
use crate::domain::hook::{HookReport, is_conversation};
use crate::domain::text;
use crate::domain::time::Timestamp;

/// Longest message that is kept, in characters.
const MESSAGE: usize = 16_384;
/// Longest question, in cells.
const QUESTION: usize = 400;

/// The hooks of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hooks {
    /// The field with the agent's own id of the conversation.
    pub session_id: String,
    /// The field that names the tool which an event is about.
    pub tool: String,
    /// What the events mean; of one name the first whose conditions hold counts.
    pub event: Vec<HookEvent>,
    /// How they are installed.
    pub install: Install,
}

impl Default for Hooks {
    fn default() -> Self {
        let (session_id, tool) = ("session_id".to_owned(), "tool_name".to_owned());
        Self { session_id, tool, event: Vec::new(), install: Install::default() }
    }
}

/// What one event means.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookEvent {
    /// Its name; case, dashes and underlines do not count.
    pub name: String,
    /// Only where these fields have one of these values.
    #[serde(default)]
    pub when: BTreeMap<String, Vec<String>>,
    /// What the agent does from then on.
    #[serde(default)]
    pub activity: Option<Activity>,
    /// It comes before its tool asks.
    #[serde(default)]
    pub before_tool: bool,
    /// Kind of the question that is asked.
    #[serde(default)]
    pub asks: Option<String>,
    /// Its text, in which `{field}` and `{field.field}` are put in.
    #[serde(default)]
    pub question: String,
    /// The field with what the agent said.
    #[serde(default)]
    pub message: Option<String>,
}

impl Hooks {
    /// Reads one call: the event by its name, and the JSON that came with it.
    pub fn read(&self, event: &str, said: &Value, at: Timestamp) -> HookReport {
        let found = self.event.iter().find(|rule| {
            plain(&rule.name) == plain(event)
                && rule.when.iter().all(|(field, values)| {
                    field_text(said, field).is_some_and(|text| values.contains(&text))
                })
        });
        let question = found.and_then(|rule| {
            let text = text::clean_line(&fill(&rule.question, said));
            Some((rule.asks.clone()?, text::cut(&text, QUESTION, "…")))
        });
        let message = found.and_then(|rule| rule.message.as_ref());
        let message = message.and_then(|field| field_text(said, field));
        let message = message.map(|text| {
            text::clean_block(&text.chars().take(MESSAGE).collect::<String>()).trim().to_owned()
        });
        let id = field_text(said, &self.session_id).filter(|id| is_conversation(id));
        HookReport {
            event: text::cut(&text::clean_line(event), QUESTION, "…"),
            at,
            activity: found.and_then(|rule| rule.activity),
            tool: field_text(said, &self.tool).map(|tool| text::clean_line(&tool)),
            before_tool: found.is_some_and(|rule| rule.before_tool),
            question,
            agent_session_id: id,
            message: message.filter(|message| !message.is_empty()),
        }
    }
}

/// `UserPromptSubmit` and `user-prompt-submit` are one event.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A field as text; `a.b` looks into objects.
fn field_text(said: &Value, path: &str) -> Option<String> {
    let field = path.split('.').try_fold(said, |value, name| value.get(name))?;
    match field {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(set) => Some(set.to_string()),
        _ => None,
    }
}

/// Puts fields into a text; a missing one leaves nothing.
fn fill(template: &str, said: &Value) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((field, behind)) = after.split_once('}') else {
            text.push('{');
            rest = after;
            continue;
        };
        text.push_str(&field_text(said, field).unwrap_or_default());
        rest = behind;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agents::files;

    fn read(agent: &str, event: &str, said: &Value) -> HookReport {
        let hooks = files::hooks(std::path::Path::new("/nowhere"), agent).unwrap();
        hooks.read(event, said, Timestamp(7))
    }

    /// H2, G2: what each event of the shipped agents means.
    #[test]
    fn events_mean_what_the_definition_says() {
        use Activity as A;
        let none = json!({});
        let permission = json!({ "tool_name": "Bash", "tool_input": { "command": "touch x" } });
        let asks = json!({ "tool_name": "AskUserQuestion" });
        for (agent, event, said, activity) in [
            ("claude", "SessionStart", &none, None),
            ("claude", "UserPromptSubmit", &none, Some(A::Active)),
            ("claude", "user-prompt-submit", &none, Some(A::Active)),
            ("claude", "PreToolUse", &permission, Some(A::Active)),
            ("claude", "PermissionRequest", &permission, Some(A::Blocked)),
            ("claude", "PermissionRequest", &asks, Some(A::WaitingInput)),
            ("claude", "PostToolUse", &permission, Some(A::Active)),
            ("claude", "Stop", &none, Some(A::Idle)),
            ("claude", "StopFailure", &none, Some(A::Error)),
            ("claude", "SubagentStop", &none, None),
            (
                "claude",
                "Notification",
                &json!({ "notification_type": "permission_prompt" }),
                Some(A::Blocked),
            ),
            ("claude", "Notification", &json!({ "notification_type": "other" }), None),
            ("claude", "NoSuchEvent", &none, None),
            ("codex", "PermissionRequest", &permission, Some(A::Blocked)),
            ("codex", "Stop", &none, Some(A::Idle)),
            ("codex", "Interrupt", &none, Some(A::Idle)),
            ("gemini", "BeforeAgent", &none, Some(A::Active)),
            (
                "gemini",
                "Notification",
                &json!({ "notification_type": "ToolPermission" }),
                Some(A::Blocked),
            ),
            ("gemini", "AfterAgent", &none, Some(A::Idle)),
            ("qwen", "PermissionRequest", &permission, Some(A::Blocked)),
            ("qwen", "Stop", &none, Some(A::Idle)),
            ("copilot", "userPromptSubmitted", &none, Some(A::Active)),
            ("copilot", "agentStop", &none, Some(A::Idle)),
            ("opencode", "session.status", &json!({ "status": "busy" }), Some(A::Active)),
            ("opencode", "session.status", &json!({ "status": "retry" }), Some(A::Retrying)),
            ("opencode", "session.status", &json!({ "status": "idle" }), None),
            ("opencode", "permission.asked", &none, Some(A::Blocked)),
            ("opencode", "question.asked", &none, Some(A::WaitingInput)),
            ("opencode", "session.idle", &none, Some(A::Idle)),
            ("command", "blocked", &none, Some(A::Blocked)),
        ] {
            assert_eq!(read(agent, event, said).activity, activity, "{agent} {event} {said}");
        }
        let asked = read("claude", "PermissionRequest", &permission);
        assert_eq!(asked.question, Some(("permission".to_owned(), "Bash: touch x".to_owned())));
        assert!(read("claude", "PreToolUse", &permission).before_tool);
        let said =
            json!({ "session_id": "c-1", "last_assistant_message": "All\u{1b}[31m done.\n" });
        let stop = read("claude", "Stop", &said);
        assert_eq!(stop.message.as_deref(), Some("All[31m done."));
        assert_eq!(stop.agent_session_id.as_deref(), Some("c-1"));
    }

    /// H3: an id that could be taken for an option or holds anything odd is none.
    #[test]
    fn an_id_is_checked_before_it_becomes_an_argument() {
        for id in ["--resume", "a b", "a/../b", "", &"x".repeat(300)] {
            assert_eq!(read("claude", "Stop", &json!({ "session_id": id })).agent_session_id, None);
        }
    }

    /// A2: a question ends with its own tool, and not before it.
    #[test]
    fn a_question_stays_while_other_tools_report() {
        let tool = |event, name: &str| read("claude", event, &json!({ "tool_name": name }));
        let asked = tool("PermissionRequest", "Bash");
        assert!(asked.stays_after(&tool("PreToolUse", "Bash")));
        assert!(asked.stays_after(&tool("PostToolUse", "Read")));
        assert!(!asked.stays_after(&tool("PostToolUse", "Bash")));
        assert!(!asked.stays_after(&read("claude", "UserPromptSubmit", &json!({}))));
        assert!(!asked.stays_after(&read("claude", "Stop", &json!({}))));
    }
}
