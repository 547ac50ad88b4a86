//! Where an agent runs (`spec/agents.md` U1): an argv prefix over an existing engine, never a shell line of
//! ours on this machine.

mod quote;
mod words;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::config::{Runner, Target};
use crate::os::paths::fingerprint;

pub(super) use quote::quote;

/// What a target's runner means for its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// The program that reaches the place, and the place.
    pub place: String,
    /// The folder that the agent runs in.
    pub folder: String,
    /// How the environment passes.
    pub environment: &'static str,
    /// How a stop reaches the agent.
    pub stop: &'static str,
    /// What is missing there.
    pub missing: Vec<&'static str>,
}

impl Elsewhere {
    /// One line for lists and forms.
    pub fn line(&self) -> String {
        format!("{}, without {}", self.place, self.missing.join(" and "))
    }
}

/// One launch, as its runner has to know it.
#[derive(Debug, Clone, Copy)]
pub struct Launching<'a> {
    /// Program and arguments of the agent.
    pub argv: &'a [String],
    /// The environment as a process here would get it.
    pub env: &'a [(String, String)],
    /// Names in it that the agent's definition and the target set.
    pub set: &'a [(String, String)],
    /// The session's folder.
    pub folder: &'a Path,
    /// Tells this launch from every other one, see [`launch_name`].
    pub name: &'a str,
    /// User and group of this process.
    pub user: (u32, u32),
}

/// A name that no other launch of any installation has: of its container, or in the environment of its
/// processes.
pub fn launch_name(database: &Path, workspace: &str, session: &str, generation: u32) -> String {
    let database = database.as_os_str().as_encoded_bytes();
    // No byte of one part is taken for another's.
    let whole = [database, workspace.as_bytes(), session.as_bytes()].join(&0);
    format!("callboard-{workspace}-{session}-{generation}-{:016x}", fingerprint(&whole))
}

/// The program that a runner starts; none for an agent that runs here.
pub(super) fn program(runner: &Runner) -> Option<&'static str> {
    match runner {
        Runner::Direct => None,
        Runner::Ssh(_) => Some("ssh"),
        Runner::DockerRun(_) | Runner::DockerExec(_) => Some("docker"),
        Runner::PodmanRun(_) | Runner::PodmanExec(_) => Some("podman"),
        Runner::KubectlExec(_) => Some("kubectl"),
    }
}

/// Whether the agent's words reach it as one word of a shell line, which bounds them all together.
pub(super) fn is_one_line(runner: &Runner) -> bool {
    matches!(runner, Runner::Ssh(_))
}

/// What a target's runner means for its agent; none for one that runs here.
pub fn elsewhere(target: &Target) -> Option<Elsewhere> {
    const HERE: &str = "the session's folder, at the same path";
    const BY_NAME: &str = "session variables and the target's own, named to the engine, which reads their \
                           values here: no value is seen in a process list";
    const WORDS: &str = "session variables and the target's own, as words of the command there, where \
                         process lists show them; the token stays here";
    const STOP_CONTAINER: &str = "the container is stopped by its name: TERM, then KILL";
    const STOP_MARKED: &str =
        "a second exec ends what has this launch's name in its environment: TERM, then KILL";
    let folder = |there: Option<&crate::config::Folder>| {
        there.map_or_else(|| HERE.to_owned(), ToString::to_string)
    };
    let program = program(&target.runner)?;
    let (at, folder, environment, stop) = match &target.runner {
        Runner::Direct => return None,
        Runner::Ssh(ssh) => (
            ssh.host.as_str(),
            folder(Some(&ssh.folder)),
            WORDS,
            "ssh is ended and the terminal there hangs up: HUP; what ignores it or left its session stays",
        ),
        Runner::DockerRun(run) | Runner::PodmanRun(run) => {
            (run.image.as_str(), folder(None), BY_NAME, STOP_CONTAINER)
        }
        Runner::DockerExec(exec) | Runner::PodmanExec(exec) => {
            (exec.container.as_str(), folder(exec.folder.as_ref()), BY_NAME, STOP_MARKED)
        }
        Runner::KubectlExec(exec) => {
            (exec.pod.as_str(), folder(Some(&exec.folder)), WORDS, STOP_MARKED)
        }
    };
    Some(Elsewhere {
        place: format!("{program} {at}"),
        folder,
        environment,
        stop,
        missing: vec!["hooks", "process facts"],
    })
}

/// Program and arguments that start an agent there; `program` is the path of the runner's own.
pub(super) fn start(runner: &Runner, program: &str, launch: &Launching<'_>) -> Vec<String> {
    match runner {
        Runner::Direct => launch.argv.to_vec(),
        Runner::Ssh(ssh) => words::ssh(program, ssh, launch),
        Runner::DockerRun(run) => {
            words::run(program, run, &words::docker_user(launch.user), launch)
        }
        Runner::PodmanRun(run) => {
            words::run(program, run, &words::podman_user(launch.user), launch)
        }
        Runner::DockerExec(exec) => {
            words::exec(program, exec, &words::exec_user(exec, launch.user), launch)
        }
        Runner::PodmanExec(exec) => words::exec(program, exec, &[], launch),
        Runner::KubectlExec(pod) => words::kubectl(program, pod, launch),
    }
}

/// Program and arguments that end there what a launch of this name left; empty where the end of the local
/// program does.
pub(super) fn end(runner: &Runner, program: &str, name: &str, user: (u32, u32)) -> Vec<String> {
    match runner {
        Runner::Direct | Runner::Ssh(_) => Vec::new(),
        Runner::DockerRun(_) | Runner::PodmanRun(_) => words::stop(program, name),
        Runner::DockerExec(exec) => {
            words::end_exec(program, exec, &words::exec_user(exec, user), name)
        }
        Runner::PodmanExec(exec) => words::end_exec(program, exec, &[], name),
        Runner::KubectlExec(pod) => words::end_kubectl(program, pod, name),
    }
}

/// The folder that git needs beside a worktree: its repository's own, of which a worktree has but the path.
pub(super) fn repository(folder: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(folder.join(".git")).ok()?;
    let folder = Path::new(text.strip_prefix("gitdir:")?.trim());
    let worktrees = folder.parent().filter(|parent| parent.ends_with("worktrees"))?;
    worktrees.parent().map(Path::to_owned)
}
