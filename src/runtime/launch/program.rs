//! Whether an agent can be started at all, told apart before the attempt: the PTY library would fall
//! back to another folder without a word, and loses the system's error (`spec/runtime.md` X2).

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use serde::{Deserialize, Serialize};

use crate::domain::error::ErrorKind;

/// What kept an agent from being started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartErrorKind {
    /// The launch spec cannot be read.
    BadSpec,
    /// The folder to run in is not there.
    CwdMissing,
    /// What is to be the folder to run in is none, or may not be entered.
    CwdUnfit,
    /// The program is not there.
    ProgramMissing,
    /// The program is there and cannot be run.
    NotExecutable,
    /// The program is a script, and what its first line names cannot run it.
    BadInterpreter,
    /// Another keeper runs this session.
    AlreadyRunning,
    /// The system refused: socket, terminal or process.
    System,
    /// A kind of a newer keeper.
    #[serde(other)]
    Other,
}

/// Why an agent was not started, as told on the launch pipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct StartError {
    /// What kept it.
    pub kind: StartErrorKind,
    /// What was attempted, and why it failed.
    pub message: String,
}

impl StartError {
    /// An error of this kind.
    pub fn new(kind: StartErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// A refusal of the system.
    pub fn system(what: &str, error: &dyn std::fmt::Display) -> Self {
        Self::new(StartErrorKind::System, format!("{what}: {error}"))
    }

    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self.kind {
            StartErrorKind::AlreadyRunning
            | StartErrorKind::CwdUnfit
            | StartErrorKind::NotExecutable
            | StartErrorKind::BadInterpreter => ErrorKind::Refused,
            StartErrorKind::CwdMissing | StartErrorKind::ProgramMissing => ErrorKind::NotFound,
            StartErrorKind::BadSpec | StartErrorKind::System | StartErrorKind::Other => {
                ErrorKind::Failed
            }
        }
    }

    /// What to do.
    pub fn hint(&self) -> Option<String> {
        match self.kind {
            StartErrorKind::ProgramMissing => {
                Some("install it, or name its path in the agent's definition".to_owned())
            }
            StartErrorKind::BadInterpreter => {
                Some("install the interpreter, or mend the first line of the script".to_owned())
            }
            StartErrorKind::AlreadyRunning => Some("stop the session first".to_owned()),
            _ => None,
        }
    }
}

/// The file that `program` names, looked up in `path` (as in `PATH`) where it is a bare name.
///
/// # Errors
/// Folder missing or unfit, program missing, or program not executable.
pub fn find(program: &str, cwd: &Path, path: &str) -> Result<PathBuf, StartError> {
    check_folder(cwd)?;
    let candidates: Vec<PathBuf> = if program.contains('/') {
        vec![cwd.join(program)]
    } else {
        path.split(':')
            .filter(|folder| !folder.is_empty())
            .map(|folder| cwd.join(folder).join(program))
            .collect()
    };
    let files: Vec<&PathBuf> = candidates.iter().filter(|file| file.is_file()).collect();
    if let Some(file) =
        files.iter().find(|file| rustix::fs::access(**file, Access::EXEC_OK).is_ok())
    {
        return check_format(file, cwd).map(|()| (*file).clone());
    }
    Err(match files.first() {
        Some(file) => StartError::new(
            StartErrorKind::NotExecutable,
            format!("the program {} may not be executed", file.display()),
        ),
        None => StartError::new(
            StartErrorKind::ProgramMissing,
            format!("the program {program:?} is not there"),
        ),
    })
}

fn check_folder(cwd: &Path) -> Result<(), StartError> {
    let unfit = |why: &str| {
        let message = format!("the folder {} to run in {why}", cwd.display());
        StartError::new(StartErrorKind::CwdUnfit, message)
    };
    match std::fs::metadata(cwd) {
        Ok(found) if !found.is_dir() => Err(unfit("is not a folder")),
        Ok(_) => rustix::fs::access(cwd, Access::EXEC_OK)
            .map_err(|error| unfit(&format!("may not be entered: {error}"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let message = format!("the folder {} to run in is not there", cwd.display());
            Err(StartError::new(StartErrorKind::CwdMissing, message))
        }
        Err(error) => Err(unfit(&format!("cannot be reached: {error}"))),
    }
}

/// A script whose interpreter is missing, and a file that is no program at all.
fn check_format(file: &Path, cwd: &Path) -> Result<(), StartError> {
    let mut head = [0; 256];
    // a program may be executable and not readable; then the system has to find out
    let Ok(length) = File::open(file).and_then(|mut file| file.read(&mut head)) else {
        return Ok(());
    };
    let head = &head[..length];
    let Some(line) = head.strip_prefix(b"#!") else {
        return check_magic(file, head);
    };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    // as the system reads it: a carriage return is part of the name
    let interpreter = line.split([' ', '\t', '\0']).find(|word| !word.is_empty()).unwrap_or("");
    let path = cwd.join(interpreter);
    if path.is_file() && rustix::fs::access(&path, Access::EXEC_OK).is_ok() {
        return Ok(());
    }
    let why = if path.is_file() { "may not be executed" } else { "is not there" };
    let message = format!("{} needs the interpreter {interpreter:?}, which {why}", file.display());
    Err(StartError::new(StartErrorKind::BadInterpreter, message))
}

fn check_magic(file: &Path, head: &[u8]) -> Result<(), StartError> {
    const MAGIC: [&[u8]; 4] =
        [b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xce\xfa\xed\xfe"];
    if MAGIC.iter().any(|magic| head.starts_with(magic)) {
        return Ok(());
    }
    let message =
        format!("{} is neither a program nor a script with an interpreter line", file.display());
    Err(StartError::new(StartErrorKind::NotExecutable, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// X2: each obstacle is told apart.
    #[test]
    fn each_obstacle_has_its_own_name() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str, mode: u32| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        write("plain", "hello", 0o644);
        write("text", "hello", 0o755);
        write("script", "#!/bin/sh\n", 0o755);
        write("orphan", "#!/no/such/interpreter\n", 0o755);
        let kind = |program: &str, cwd: &Path| {
            let path = folder.path().to_string_lossy().into_owned();
            find(program, cwd, &path).map_err(|error| error.kind)
        };
        let here = folder.path();
        assert_eq!(kind("script", here), Ok(here.join("script")));
        assert_eq!(kind("./script", here), Ok(here.join("./script")));
        assert_eq!(kind("script", &here.join("gone")), Err(StartErrorKind::CwdMissing));
        assert_eq!(kind("absent", here), Err(StartErrorKind::ProgramMissing));
        assert_eq!(kind("/bin/absent", here), Err(StartErrorKind::ProgramMissing));
        assert_eq!(kind("plain", here), Err(StartErrorKind::NotExecutable));
        assert_eq!(kind("text", here), Err(StartErrorKind::NotExecutable));
        assert_eq!(kind("orphan", here), Err(StartErrorKind::BadInterpreter));
        write("windows", "#!/bin/sh\r\ntrue\r\n", 0o755);
        assert_eq!(kind("windows", here), Err(StartErrorKind::BadInterpreter));
        write("through", "#! ./plain\n", 0o755);
        assert_eq!(kind("through", here), Err(StartErrorKind::BadInterpreter));
        assert_eq!(kind("script", &here.join("script")), Err(StartErrorKind::CwdUnfit));
        assert_eq!(kind("script", &here.join("script/below")), Err(StartErrorKind::CwdUnfit));
    }
}
