//! Programs that are called: git, `gh` and the agents.

use crate::domain::check::Check;
use crate::host::ports::doctor::{AgentState, DoctorPort, TargetState};

/// git must be there for worktrees.
pub(super) async fn git(port: &impl DoctorPort) -> Check {
    match port.git().await {
        Ok(version) => Check::good("git", version),
        Err(error) => {
            let hint = error.hint.unwrap_or_else(|| "install git 2.30 or newer".to_owned());
            Check::bad("git", error.message, hint)
        }
    }
}

/// `gh` reads pull requests, which nobody needs to have (`spec/lifecycle.md` F2).
pub(super) async fn gh(port: &impl DoctorPort) -> Check {
    let missing = || "not installed, so pull requests are not read; https://cli.github.com has it";
    Check::good("gh", port.gh().await.unwrap_or_else(|| missing().to_owned()))
}

/// Each agent that was found; a missing one is a fault where the configuration chose it.
pub(super) async fn look(port: &impl DoctorPort) -> Vec<Check> {
    port.agents().await.iter().map(check).collect()
}

/// Each target: whether a session can be launched by it, and what it has to do without.
pub(super) fn targets(port: &impl DoctorPort) -> Vec<Check> {
    port.targets().iter().map(check_target).collect()
}

fn check_target(target: &TargetState) -> Check {
    let name = format!("target: {}", target.name);
    let Some((fault, hint)) = &target.fault else {
        let runs = target.runs.as_deref().unwrap_or("here");
        return Check::good(&name, format!("{}, {runs}", target.agent));
    };
    let hint = hint.clone().unwrap_or_else(|| {
        format!("put [targets.{}] of config.toml right, or remove it", target.name)
    });
    Check::bad(&name, fault, hint)
}

fn check(agent: &AgentState) -> Check {
    let name = format!("agent: {}", agent.name);
    match &agent.program {
        Some(program) => {
            let version = agent.version.as_deref().unwrap_or("version not told");
            let tried = match &agent.verified {
                Some(verified) => format!(", tried with {verified}"),
                None => ", not verified".to_owned(),
            };
            Check::good(&name, format!("{version} at {}{tried}", program.display()))
        }
        None if agent.is_chosen => Check::bad(
            &name,
            "its program is not found, and the configuration chooses it for new sessions",
            "install it, or choose another with `agent = ...` in config.toml",
        ),
        None => Check::good(&name, "not installed"),
    }
}
