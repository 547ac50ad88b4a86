//! Finding programs as the operator's shell would.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::AgentError;
use crate::os::spawn;

/// Our own executable.
const OWN: &str = "callboard:self";
/// The login shell.
const SHELL: &str = "callboard:shell";
/// The session's arguments.
pub(super) const ARGUMENTS: &str = "callboard:arguments";

/// Where programs are looked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lookup {
    /// The PATH.
    pub path: Option<OsString>,
    /// The login shell.
    pub shell: Option<PathBuf>,
    /// Our own executable.
    pub own: Option<PathBuf>,
    /// The operator's own folder.
    pub home: Option<PathBuf>,
    /// What agents inherit.
    pub env: BTreeMap<OsString, OsString>,
}

impl Lookup {
    /// As the environment of this process says.
    pub fn from_env() -> Self {
        Self {
            path: std::env::var_os("PATH"),
            shell: std::env::var_os("SHELL").map(PathBuf::from),
            own: spawn::own_path().ok(),
            home: std::env::home_dir(),
            env: std::env::vars_os().collect(),
        }
    }

    /// A variable of this process's environment.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        self.env.get(OsStr::new(name)).map(|value| value.to_string_lossy().into_owned())
    }

    /// Where a program is.
    pub(super) fn program(&self, agent: &str, program: &str) -> Result<PathBuf, AgentError> {
        let found = match program {
            OWN => self.own.clone(),
            SHELL => Some(self.login_shell()),
            ARGUMENTS => return Err(AgentError::NoProgram(agent.to_owned())),
            _ => which::which_in(program, self.path.as_ref(), "/").ok(),
        };
        found.ok_or_else(|| {
            let agent = agent.to_owned();
            let path = Path::new("/").join(program);
            // Only a path names one place: a name may be anywhere on the PATH.
            if program.contains('/') && path.exists() {
                AgentError::NotExecutable { agent, path }
            } else {
                AgentError::ProgramMissing { agent, program: program.to_owned() }
            }
        })
    }

    /// What an agent elsewhere is started by: a name means what it means there.
    pub(super) fn program_there(&self, agent: &str, program: &str) -> Result<PathBuf, AgentError> {
        match program {
            OWN | ARGUMENTS => self.program(agent, program),
            SHELL => Ok("/bin/sh".into()),
            _ => Ok(program.into()),
        }
    }

    /// Where the program is that a target's runner starts.
    pub(super) fn runner(&self, target: &str, program: &str) -> Result<String, AgentError> {
        let found = which::which_in(program, self.path.as_ref(), "/").ok();
        found.and_then(|path| path.into_os_string().into_string().ok()).ok_or_else(|| {
            AgentError::RunnerMissing { target: target.to_owned(), program: program.to_owned() }
        })
    }

    fn login_shell(&self) -> PathBuf {
        let usable = |shell: &&PathBuf| shell.is_absolute() && shell.is_file();
        self.shell
            .as_ref()
            .filter(usable)
            .cloned()
            .unwrap_or_else(|| Path::new("/bin/sh").to_owned())
    }
}
