//! Where a target's agent runs (`spec/agents.md` U1): here, or through a program that starts it elsewhere.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The way to the place where an agent runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Runner {
    /// On this machine, as a process of the keeper's.
    #[default]
    Direct,
    /// On another machine.
    Ssh(Ssh),
    /// In a container of its own.
    DockerRun(Image),
    /// In a container that runs already.
    DockerExec(Container),
    /// In a container of its own.
    PodmanRun(Image),
    /// In a container that runs already.
    PodmanExec(Container),
    /// In a pod that runs already.
    KubectlExec(Pod),
}

/// Another machine, reached by `ssh`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ssh {
    /// As `ssh` takes it: a name of its configuration, or user and host.
    pub host: Name,
    /// The folder there.
    pub folder: Folder,
    /// More options of `ssh`.
    #[serde(default)]
    pub options: Vec<String>,
}

/// A container that is made for each launch, with the session's folder at the same path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// The image.
    pub image: Name,
    /// More options of `run`.
    #[serde(default)]
    pub options: Vec<String>,
}

/// A container that runs already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Container {
    /// Its name or id.
    pub container: Name,
    /// The folder there; none where it has the session's folder at the same path.
    #[serde(default, deserialize_with = "maybe_inside")]
    pub folder: Option<Folder>,
    /// More options of `exec`.
    #[serde(default)]
    pub options: Vec<String>,
}

/// A pod that runs already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pod {
    /// Its name, or `deployment/NAME` and the like.
    pub pod: Name,
    /// The folder there.
    #[serde(deserialize_with = "inside")]
    pub folder: Folder,
    /// The namespace; none for the context's own.
    #[serde(default)]
    pub namespace: Option<Name>,
    /// The container; none for the pod's first.
    #[serde(default)]
    pub container: Option<Name>,
    /// The context; none for the current one.
    #[serde(default)]
    pub context: Option<Name>,
    /// More options of `exec`.
    #[serde(default)]
    pub options: Vec<String>,
}

/// The name of a host, image, container or pod: no program may take it for an option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

impl Name {
    /// The name as it is handed on.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        if name.starts_with('-') {
            return Err(format!("a name may not begin with `-`: {name:?}"));
        }
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(format!("a name is one word: {name:?}"));
        }
        Ok(Self(name))
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A folder elsewhere: absolute, or below the home there (`~/src`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Folder(String);

impl Folder {
    /// The folder as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder from the home there.
    pub fn below_home(&self) -> Option<&str> {
        self.0.strip_prefix('~').map(|rest| rest.trim_start_matches('/'))
    }
}

impl TryFrom<String> for Folder {
    type Error = String;

    fn try_from(folder: String) -> Result<Self, String> {
        if folder.contains('\0') {
            return Err("a folder holds no NUL".to_owned());
        }
        if folder.starts_with('/') || folder == "~" || folder.starts_with("~/") {
            return Ok(Self(folder));
        }
        Err(format!("a folder elsewhere begins with `/` or `~/`: {folder:?}"))
    }
}

/// A folder where no shell would find the home.
fn inside<'de, D: Deserializer<'de>>(from: D) -> Result<Folder, D::Error> {
    let folder = Folder::deserialize(from)?;
    if folder.below_home().is_some() {
        return Err(D::Error::custom(format!(
            "a folder in a container begins with `/`: {:?}",
            folder.0
        )));
    }
    Ok(folder)
}

fn maybe_inside<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Folder>, D::Error> {
    inside(from).map(Some)
}

impl From<Folder> for String {
    fn from(folder: Folder) -> Self {
        folder.0
    }
}

impl fmt::Display for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
