//! The arguments of each engine.

use super::{Launching, quote, repository};
use crate::config::{Container, Image, Pod, Ssh};
use crate::os::variables;

/// Tells the processes of one launch from all others in a container.
const MARK: &str = "CALLBOARD_RUN";

/// Goes to its first argument and becomes the others.
const GO: &str = r#"cd -- "$1" && shift && exec "$@""#;

/// Ends every process with the mark of its first argument: a process may leave its group and session, but it
/// hands its environment on. A small `grep` sees nothing behind a NUL; then each is read for itself. No mark
/// is part of another, see [`super::launch_name`].
const END: &str = r#"if printf 'a\0b' | grep -qF b; then
  marked() { grep -lsF "CALLBOARD_RUN=$1" /proc/[0-9]*/environ | cut -d/ -f3; }
else
  marked() {
    for process in /proc/[0-9]*; do
      case $(tr '\0' '\n' 2>/dev/null <"$process/environ") in
        *"CALLBOARD_RUN=$1"*) echo "${process#/proc/}" ;;
      esac
    done
  }
fi
round=0
while left=$(marked "$1"); [ -n "$left" ] && [ "$round" -lt 15 ]; do
  case $round in
    0) kill -TERM $left ;;
    5) kill -HUP $left ;;
    1[0-9]) kill -KILL $left ;;
  esac
  round=$((round + 1))
  sleep 0.2 || sleep 1
done 2>/dev/null
[ -z "$left" ]"#;

/// Seconds from TERM to KILL.
const PATIENCE: &str = "3";

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Whether a variable is one of those that go along; a local path means nothing elsewhere.
fn goes_along(name: &str, launch: &Launching<'_>) -> bool {
    let ours =
        ["TERM", "COLORTERM", variables::WORKSPACE, variables::SESSION, variables::GENERATION];
    ours.contains(&name) || launch.set.iter().any(|(set, _)| set == name)
}

/// `env` with the variables that go along as words, without the secret ones of ours.
fn env_words(launch: &Launching<'_>) -> Vec<String> {
    let mut words = owned(&["env"]);
    let along = launch.env.iter().filter(|(name, _)| goes_along(name, launch));
    words.extend(along.map(|(name, value)| format!("{name}={value}")));
    words
}

/// Options that name the variables to an engine that reads their values from its own environment.
fn env_options(launch: &Launching<'_>) -> Vec<String> {
    let along = |name: &str| {
        goes_along(name, launch) || [variables::TOKEN, variables::HOME].contains(&name)
    };
    let along = launch.env.iter().filter(|(name, _)| along(name));
    along.flat_map(|(name, _)| ["--env".to_owned(), name.clone()]).collect()
}

/// One word for the shell there, with everything quoted; the terminal is asked for twice, as ssh's own input
/// need not be one, so that its end hangs up what runs there.
pub(super) fn ssh(program: &str, ssh: &Ssh, launch: &Launching<'_>) -> Vec<String> {
    let folder = match ssh.folder.below_home() {
        // The shell begins in the home.
        Some(below) => format!("./{below}"),
        None => ssh.folder.to_string(),
    };
    let mut command = owned(&["exec"]);
    command.extend(env_words(launch).iter().chain(launch.argv).map(|word| quote(word)));
    let line = format!("cd {} && {}", quote(&folder), command.join(" "));
    let mut words = owned(&[program, "-tt"]);
    words.extend(ssh.options.iter().cloned());
    words.extend([ssh.host.to_string(), line]);
    words
}

/// Files belong to the operator.
pub(super) fn docker_user((user, group): (u32, u32)) -> Vec<String> {
    vec!["--user".to_owned(), format!("{user}:{group}")]
}

/// The same without root: the operator's id there is the one here.
pub(super) fn podman_user((user, _): (u32, u32)) -> Vec<String> {
    if user == 0 { Vec::new() } else { owned(&["--userns", "keep-id"]) }
}

/// Where a container has the session's folder, its files belong to the operator; else it has a user of its own.
pub(super) fn exec_user(exec: &Container, user: (u32, u32)) -> Vec<String> {
    if exec.folder.is_none() { docker_user(user) } else { Vec::new() }
}

/// A container of the launch's own: `--init` so that signals reach the agent and orphans are reaped.
pub(super) fn run(
    program: &str,
    run: &Image,
    user: &[String],
    launch: &Launching<'_>,
) -> Vec<String> {
    let folder = launch.folder.to_string_lossy();
    let mut words = owned(&[program, "run", "--interactive", "--tty", "--rm", "--init"]);
    words.extend(owned(&["--name", launch.name, "--workdir", &folder]));
    words.extend(["--mount".to_owned(), mount(&folder)]);
    if let Some(repository) = repository(launch.folder) {
        words.extend(["--mount".to_owned(), mount(&repository.to_string_lossy())]);
    }
    words.extend_from_slice(user);
    words.extend(env_options(launch));
    words.extend(run.options.iter().cloned());
    words.push(run.image.to_string());
    words.extend_from_slice(launch.argv);
    words
}

/// A folder at the same path, as one record of comma-separated values.
fn mount(path: &str) -> String {
    let field = |key: &str| {
        if path.contains([',', '"']) {
            format!("\"{key}={}\"", path.replace('"', "\"\""))
        } else {
            format!("{key}={path}")
        }
    };
    format!("type=bind,{},{}", field("source"), field("target"))
}

pub(super) fn stop(program: &str, name: &str) -> Vec<String> {
    owned(&[program, "stop", "-t", PATIENCE, name])
}

pub(super) fn exec(
    program: &str,
    exec: &Container,
    user: &[String],
    launch: &Launching<'_>,
) -> Vec<String> {
    let here = launch.folder.to_string_lossy();
    let folder = exec.folder.as_ref().map_or(&*here, |folder| folder.as_str());
    let mut words = owned(&[program, "exec", "--interactive", "--tty", "--workdir", folder]);
    words.extend_from_slice(user);
    words.extend(env_options(launch));
    words.extend(["--env".to_owned(), format!("{MARK}={}", launch.name)]);
    words.extend(exec.options.iter().cloned());
    words.push(exec.container.to_string());
    words.extend_from_slice(launch.argv);
    words
}

pub(super) fn end_exec(
    program: &str,
    exec: &Container,
    user: &[String],
    name: &str,
) -> Vec<String> {
    let mut words = owned(&[program, "exec"]);
    words.extend_from_slice(user);
    words.extend(exec.options.iter().cloned());
    words.push(exec.container.to_string());
    words.extend(owned(&["sh", "-c", END, "sh", name]));
    words
}

/// Neither folder nor variables can be named to `kubectl exec`, so a shell there goes to the one and `env`
/// sets the others.
pub(super) fn kubectl(program: &str, pod: &Pod, launch: &Launching<'_>) -> Vec<String> {
    let mut words = kubectl_exec(program, pod, &["--stdin", "--tty"]);
    words.extend(owned(&["sh", "-c", GO, "sh", pod.folder.as_str()]));
    words.extend(env_words(launch));
    words.push(format!("{MARK}={}", launch.name));
    words.extend_from_slice(launch.argv);
    words
}

pub(super) fn end_kubectl(program: &str, pod: &Pod, name: &str) -> Vec<String> {
    let mut words = kubectl_exec(program, pod, &[]);
    words.extend(owned(&["sh", "-c", END, "sh", name]));
    words
}

fn kubectl_exec(program: &str, pod: &Pod, options: &[&str]) -> Vec<String> {
    let mut words = owned(&[program, "exec"]);
    words.extend(owned(options));
    for (option, value) in [
        ("--context", &pod.context),
        ("--namespace", &pod.namespace),
        ("--container", &pod.container),
    ] {
        if let Some(value) = value {
            words.extend(owned(&[option, value.as_str()]));
        }
    }
    words.extend(pod.options.iter().cloned());
    words.extend([pod.pod.to_string(), "--".to_owned()]);
    words
}
