//! `agents list`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::adapters::agent_version;
use crate::agents::{Definition, Dialog, Registry};
use crate::config::{Config, Target};
use crate::os::paths::Home;

use super::error::{CommandResult, Ending};
use super::output::{Output, Table};

/// Agent definitions and the programs that were found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Agents")]
pub(crate) struct AgentsJson {
    /// In the order of their names.
    agents: Vec<AgentJson>,
    /// Targets that are configured, in the order of their names.
    targets: Vec<TargetJson>,
}

/// One target.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Target")]
struct TargetJson {
    /// Its name.
    name: String,
    /// The agent that it launches.
    agent: String,
    /// What it starts here was found.
    found: bool,
    /// Model.
    model: Option<String>,
    /// Permission mode.
    permission_mode: Option<String>,
    /// Where it runs; none where it runs here.
    elsewhere: Option<ElsewhereJson>,
}

/// What it means for an agent that it runs elsewhere.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Elsewhere")]
struct ElsewhereJson {
    /// The program that reaches the place, and the place.
    place: String,
    /// The folder that the agent runs in.
    folder: String,
    /// How the environment passes.
    environment: &'static str,
    /// How a stop reaches the agent.
    stop: &'static str,
    /// What is missing there.
    missing: Vec<&'static str>,
}

/// One agent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Agent")]
struct AgentJson {
    /// Its name.
    name: String,
    /// Path of the program where it was found, else its name; none where the session names it.
    program: Option<String>,
    /// What the program says of its version.
    version: Option<String>,
    /// The program is there.
    found: bool,
    /// The version it was tried with.
    verified: Option<String>,
    /// What the definition tells how to do.
    can: Vec<&'static str>,
    /// How its own id of a conversation becomes known: `set` by us, by a `hook`, by its `exit_text`.
    id_known_by: Vec<&'static str>,
    /// How it comes to call our hooks: by its `arguments`, by its `environment`, or by this file of its settings
    /// in the worktree; none where it does not.
    hooks: Option<String>,
    /// Permission modes that it has switches for; none where any word is passed on.
    permission_modes: Vec<String>,
    /// Where it keeps a conversation.
    transcript: Option<String>,
    /// Keys that interrupt its turn.
    interrupt: Vec<String>,
    /// Dialogs that it may show when it starts; none is ever confirmed unseen.
    start_dialogs: Vec<DialogJson>,
}

/// One dialog of an agent's start.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StartDialog")]
struct DialogJson {
    /// The detection rule that knows it.
    rule: String,
    /// The option that Enter takes.
    default: String,
}

/// `agents list`
///
/// # Errors
/// The answer cannot be printed.
pub(crate) async fn list(home: &Home, config: &Config, out: Output) -> CommandResult {
    let (registry, mistakes) = Registry::load(home, config);
    for mistake in &mistakes {
        out.remark(&format!("warning: {mistake}"));
    }
    let mut agents = Vec::new();
    for name in registry.names() {
        if let Some(definition) = registry.find(name) {
            agents.push(agent(&registry, name, definition).await);
        }
    }
    let targets =
        config.targets.iter().map(|(name, configured)| target(&registry, name, configured));
    let list = AgentsJson { agents, targets: targets.collect() };
    out.answer(&list, |list| format!("{}{}", table(&list.agents), targets_table(&list.targets)))?;
    Ok(Ending::Done)
}

async fn agent(registry: &Registry, name: &str, definition: &Definition) -> AgentJson {
    let program = registry.program(name).ok();
    let launch = &definition.launch;
    let hooks = definition.hooks.install.way();
    let can = [
        ("prompt", !launch.prompt.is_empty()),
        ("resume", !launch.resume.is_empty()),
        ("fork", !launch.fork.is_empty()),
        ("session_id", !launch.session_id.is_empty()),
        ("model", !launch.model.is_empty()),
        (
            "permission_mode",
            !launch.permission_mode.is_empty() || !launch.permission_modes.is_empty(),
        ),
        ("hooks", hooks.is_some()),
        ("detect", definition.rules.shell || !definition.rules.rule.is_empty()),
    ];
    let named_by_session = definition.is_named_by_session();
    let path = program.as_ref().map(|path| path.to_string_lossy().into_owned());
    let name_only = (!named_by_session).then(|| definition.program.clone());
    AgentJson {
        name: name.to_owned(),
        found: program.is_some() || named_by_session,
        program: path.or(name_only),
        version: agent_version(registry, name).await,
        verified: Some(definition.verified.clone()).filter(|version| !version.is_empty()),
        can: can.into_iter().filter_map(|(word, able)| able.then_some(word)).collect(),
        id_known_by: definition.id_known_by(),
        hooks: hooks.map(str::to_owned),
        permission_modes: launch.permission_modes.keys().cloned().collect(),
        transcript: Some(definition.conversation.transcript.clone()).filter(|it| !it.is_empty()),
        interrupt: definition.interrupt.clone(),
        start_dialogs: definition.dialog.iter().map(dialog).collect(),
    }
}

fn target(registry: &Registry, name: &str, configured: &Target) -> TargetJson {
    TargetJson {
        name: name.to_owned(),
        agent: configured.agent.clone(),
        found: registry.is_found(name),
        model: configured.model.clone(),
        permission_mode: configured.permission_mode.clone(),
        elsewhere: registry.elsewhere(name).map(|there| ElsewhereJson {
            place: there.place,
            folder: there.folder,
            environment: there.environment,
            stop: there.stop,
            missing: there.missing,
        }),
    }
}

fn targets_table(targets: &[TargetJson]) -> String {
    if targets.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["target", "agent", "runs", "folder", "missing"]);
    for target in targets {
        let there = target.elsewhere.as_ref();
        let place = there.map_or("here", |there| &there.place);
        let missing = format!("{place} (not found)");
        table.row([
            &target.name,
            &target.agent,
            if target.found { place } else { &missing },
            there.map_or("", |there| &there.folder),
            &there.map(|there| there.missing.join(", ")).unwrap_or_default(),
        ]);
    }
    format!("\n{table}")
}

fn dialog(dialog: &Dialog) -> DialogJson {
    DialogJson { rule: dialog.rule.clone(), default: dialog.default.clone() }
}

fn table(agents: &[AgentJson]) -> String {
    let mut table = Table::new(&["name", "program", "version", "verified", "can"]);
    for agent in agents {
        let program = agent.program.as_deref().unwrap_or("");
        let missing = format!("{program} (not found)");
        table.row([
            &agent.name,
            if agent.found { program } else { &missing },
            agent.version.as_deref().unwrap_or(""),
            agent.verified.as_deref().unwrap_or("not verified"),
            &agent.can.join(", "),
        ]);
    }
    table.to_string()
}
