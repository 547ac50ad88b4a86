//! `config.toml`: typed, checked, every value with a default (`spec/cli.md`).

mod mistake;
mod runner;
mod values;

use std::io;
use std::path::{Path, PathBuf};

pub use mistake::Mistake;
pub use runner::{Container, Folder, Image, Name, Pod, Runner, Ssh};
pub use values::{Banner, Clipboard, Config, Glyphs, Notifications, OnMerge, Target};

use crate::domain::error::ErrorKind;
use crate::os::paths::Home;

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It holds a mistake.
    #[error(transparent)]
    Mistake(#[from] Mistake),
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl ConfigError {
    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    /// What to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Mistake(mistake) => mistake.hint.clone(),
            Self::Read { source, .. } => Some(
                match source.kind() {
                    io::ErrorKind::InvalidData => "write it in UTF-8",
                    io::ErrorKind::IsADirectory => "a folder is in its place",
                    _ => "check who may read the file",
                }
                .to_owned(),
            ),
        }
    }
}

/// Where the configuration of an installation is.
pub fn path(home: &Home) -> PathBuf {
    home.config.join("config.toml")
}

/// Reads the configuration of an installation; a missing file means the defaults.
///
/// # Errors
/// The file cannot be read or holds a mistake.
pub fn load(home: &Home) -> Result<Config, ConfigError> {
    Ok(read(home)?.0)
}

/// As [`load`], with what the file itself says.
///
/// # Errors
/// As [`load`].
pub fn read(home: &Home) -> Result<(Config, String), ConfigError> {
    let path = path(home);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok((parse(&path, &text)?, text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Default::default()),
        Err(source) => Err(ConfigError::Read { path, source }),
    }
}

/// Parses and checks a configuration; `path` only names it in messages.
///
/// # Errors
/// Unknown keys, wrong types, values out of range: with line and nearest valid key.
pub fn parse(path: &Path, text: &str) -> Result<Config, Mistake> {
    let config: Config =
        toml::from_str(text).map_err(|error| Mistake::from_toml(path, text, &error))?;
    config.check().map_err(|(key, message)| Mistake::at(path, text, &key, message))?;
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistake(text: &str) -> String {
        let found = parse(Path::new("/c/config.toml"), text).unwrap_err();
        format!("{found} | {}", found.hint.as_deref().unwrap_or_default())
    }

    #[test]
    fn an_empty_file_means_the_defaults() {
        let config = parse(Path::new("config.toml"), "").unwrap();
        assert_eq!(config, Config::default());
        assert_eq!((config.max_starting, config.leave_key.as_str()), (4, "Ctrl+]"));
    }

    #[test]
    fn an_unknown_key_names_file_line_and_the_nearest_key() {
        assert_eq!(
            mistake("theme = \"dark\"\nmax_startin = 2\n"),
            "/c/config.toml, line 2: unknown key `max_startin` | did you mean `max_starting`?"
        );
        assert_eq!(
            mistake("\n[targets.fast]\nagent = \"claude\"\nmodle = \"x\"\n"),
            "/c/config.toml, line 4: unknown key `modle` | did you mean `model`?"
        );
    }

    #[test]
    fn wrong_values_name_their_line() {
        assert!(mistake("glyphs = \"asci\"").ends_with("did you mean `ascii`?"));
        assert!(mistake("agent = 3").starts_with("/c/config.toml, line 1: "));
        assert_eq!(
            mistake("theme = \"dark\"\n\nmax_starting = 0"),
            "/c/config.toml, line 3: `max_starting` must be at least 1 | "
        );
        assert!(mistake("branch = \"wip\"").contains("{session}"));
        assert_eq!(
            mistake("agent = \"codex\"\n\n[targets.fast]\nmodel = \"m\"\n"),
            "/c/config.toml, line 3: missing field `agent` | "
        );
        assert!(mistake("a = ").starts_with("/c/config.toml, line 1: "));
    }

    #[test]
    fn a_target_says_what_is_launched() {
        let text = "[targets.careful]\nagent = \"claude\"\npermission_mode = \"plan\"\nargs = [\"-v\"]\nenv = { A = \"1\" }\n";
        let config = parse(Path::new("config.toml"), text).unwrap();
        let target = &config.targets["careful"];
        assert_eq!(target.agent, "claude");
        assert_eq!(target.env["A"], "1");
    }

    /// U1: every kind of runner can be written, and what is wrong is told with line and nearest key.
    #[test]
    fn runners_are_read_and_their_mistakes_found_u1() {
        let text = r#"
[targets]
a = { agent = "claude" }
b = { agent = "claude", runner = "direct" }
c = { agent = "claude", runner.ssh = { host = "me@box", folder = "~/src", options = ["-p", "22"] } }
d = { agent = "claude", runner.docker-run = { image = "node:22" } }
e = { agent = "claude", runner.docker-exec = { container = "dev" } }
f = { agent = "claude", runner.podman-run = { image = "node:22" } }
g = { agent = "claude", runner.podman-exec = { container = "dev", folder = "/src" } }
[targets.h.runner.kubectl-exec]
pod = "deployment/dev"
folder = "/src"
[targets.h]
agent = "claude"
"#;
        let config = parse(Path::new("config.toml"), text).unwrap();
        assert_eq!(config.targets["a"].runner, config.targets["b"].runner);
        let Runner::Ssh(ssh) = &config.targets["c"].runner else { panic!("no ssh") };
        assert_eq!((ssh.host.as_str(), ssh.folder.below_home()), ("me@box", Some("src")));
        let again = toml::to_string(&config).unwrap();
        assert_eq!(parse(Path::new("config.toml"), &again).unwrap(), config);

        let wrong =
            |runner: &str| mistake(&format!("[targets.far]\nagent = \"claude\"\n{runner}\n"));
        for (runner, told) in [
            (
                "[targets.far.runner.ssh]\nhots = \"box\"\nfolder = \"/x\"",
                "/c/config.toml, line 4: unknown key `hots` | did you mean `host`?",
            ),
            (
                "runner = { shh = { host = \"box\", folder = \"/x\" } }",
                "/c/config.toml, line 3: unknown value `shh` | did you mean `ssh`?",
            ),
            (
                "runner = { ssh = { host = \"box\" } }",
                "/c/config.toml, line 3: missing field `folder` | ",
            ),
            (
                "[targets.far.runner.ssh]\nfolder = \"/x\"\nhost = \"-oProxyCommand=x\"",
                "/c/config.toml, line 5: `host`: a name may not begin with `-`: \"-oProxyCommand=x\" | ",
            ),
            (
                "[targets.far.runner.ssh]\nfolder = \"src\"\nhost = \"box\"",
                "/c/config.toml, line 4: `folder`: a folder elsewhere begins with `/` or `~/`: \"src\" | ",
            ),
            (
                "env = { \"A=B\" = \"c\" }",
                "/c/config.toml, line 3: `env`: a name of a variable cannot be \"A=B\" | ",
            ),
            (
                "runer = \"direct\"",
                "/c/config.toml, line 3: unknown key `runer` | did you mean `runner`?",
            ),
        ] {
            assert_eq!(wrong(runner), told);
        }
        assert_eq!(
            mistake("\n[targets.far]\nagent = \"\"\n"),
            "/c/config.toml, line 2: target `far` names no agent | "
        );
    }

    #[test]
    fn a_missing_file_is_no_failure() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path()).unwrap();
        assert_eq!(load(&home).unwrap(), Config::default());
    }
}
