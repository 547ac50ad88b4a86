//! The form for a new session. What was typed is kept when it is closed (`spec/look.md` section 8).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::domain::event::Actor;
use crate::domain::ids::{ProjectName, SessionId};
use crate::domain::session::{Kind, LaunchFacts};
use crate::domain::text::title_from;
use crate::host::report::{CreateRequest, Place};

use super::editor::Editor;

/// The fields, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Field {
    /// Choice of the project.
    Project,
    /// Choice of the agent.
    Agent,
    /// First prompt.
    #[default]
    Prompt,
    /// Title.
    Title,
    /// Branch.
    Branch,
    /// Id.
    Id,
    /// Work in the project folder.
    InPlace,
    /// Button that closes.
    Cancel,
    /// Button that starts.
    Start,
}

impl Field {
    /// All fields in order.
    pub const ALL: [Self; 9] = [
        Self::Project,
        Self::Agent,
        Self::Prompt,
        Self::Title,
        Self::Branch,
        Self::Id,
        Self::InPlace,
        Self::Cancel,
        Self::Start,
    ];
}

/// A configured target that can be chosen in the place of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// The agent that it launches.
    pub agent: String,
    /// Whether what it starts was found.
    pub found: bool,
    /// Where it runs and what is missing there; none where it runs here (`spec/agents.md` U1).
    pub runs: Option<String>,
}

/// What a new session can be launched by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Targets {
    /// Agents by name, and whether their program was found.
    pub agents: Vec<(String, bool)>,
    /// Targets that are configured.
    pub targets: Vec<Target>,
}

/// The form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewForm {
    /// Projects to choose from, in the rail's order.
    pub projects: Vec<ProjectName>,
    /// The chosen project; none for a chat.
    pub project: Option<ProjectName>,
    /// Agents to choose from.
    pub agents: Vec<String>,
    /// The chosen agent or target.
    pub agent: String,
    /// It was chosen here, and is no suggestion.
    pub chosen: bool,
    /// What each project was launched by last; under none, a chat.
    pub usual: BTreeMap<Option<ProjectName>, String>,
    /// What is suggested where nothing was launched yet.
    pub default: String,
    /// Those of the choices that are targets.
    pub targets: Vec<Target>,
    /// First prompt.
    pub prompt: Editor,
    /// Title; from the prompt while empty.
    pub title: Editor,
    /// Branch; from the template while empty.
    pub branch: Editor,
    /// Id; the next one while empty.
    pub id: Editor,
    /// Work in the project folder, no worktree.
    pub in_place: bool,
    /// The field in focus.
    pub field: Field,
    /// Why it could not be started.
    pub error: Option<String>,
}

impl NewForm {
    /// An empty form.
    pub fn new(projects: Vec<ProjectName>, agents: Vec<String>) -> Self {
        Self {
            project: projects.first().cloned(),
            projects,
            agent: agents.first().cloned().unwrap_or_else(|| "shell".to_owned()),
            agents,
            chosen: false,
            usual: BTreeMap::new(),
            default: String::new(),
            targets: Vec::new(),
            prompt: Editor::block(),
            title: Editor::line(""),
            branch: Editor::line(""),
            id: Editor::line(""),
            in_place: false,
            field: Field::Prompt,
            error: None,
        }
    }

    /// Empties what was typed; project and agent are remembered.
    pub fn started(&mut self) {
        let (project, agent) = (self.project.take(), std::mem::take(&mut self.agent));
        *self = Self::new(std::mem::take(&mut self.projects), std::mem::take(&mut self.agents));
        self.project = project;
        self.agent = agent;
    }

    /// Suggests what the project was launched by last, where nothing was chosen.
    pub fn suggest(&mut self) {
        let usual = self.usual.get(&self.project);
        let there = |agent: &&String| self.agents.contains(agent);
        let suggested = usual.filter(there).or(Some(&self.default).filter(there));
        if let Some(agent) = suggested.filter(|_| !self.chosen) {
            self.agent.clone_from(agent);
        }
    }

    /// Where the chosen target runs and what is missing there; none where it runs here.
    pub fn runs(&self) -> Option<&str> {
        self.target()?.runs.as_deref()
    }

    fn target(&self) -> Option<&Target> {
        self.targets.iter().find(|target| target.name == self.agent)
    }

    /// The text field in focus.
    pub fn editor(&mut self) -> Option<&mut Editor> {
        match self.field {
            Field::Prompt => Some(&mut self.prompt),
            Field::Title => Some(&mut self.title),
            Field::Branch => Some(&mut self.branch),
            Field::Id => Some(&mut self.id),
            _ => None,
        }
    }

    /// Whether the field in focus takes text.
    pub fn takes_text(&self) -> bool {
        matches!(self.field, Field::Prompt | Field::Title | Field::Branch | Field::Id)
    }

    /// Moves to another field; those that mean nothing in a chat are passed over.
    pub fn step(&mut self, by: isize) {
        let n = Field::ALL.len() as isize;
        let mut at = self.field as isize;
        for _ in 0..n {
            at = (at + by).rem_euclid(n);
            let field = Field::ALL[at.unsigned_abs()];
            if self.project.is_some() || !matches!(field, Field::Branch | Field::InPlace) {
                self.field = field;
                return;
            }
        }
    }

    /// Changes the choice in focus.
    pub fn choose(&mut self, by: isize) {
        match self.field {
            Field::Project => {
                // A chat comes after the last project.
                let n = self.projects.len();
                let is_chosen = |name| Some(name) == self.project.as_ref();
                let at = self.projects.iter().position(is_chosen).unwrap_or(n);
                self.project = self.projects.get(turned(at, by, n + 1)).cloned();
                self.suggest();
            }
            Field::Agent if !self.agents.is_empty() => {
                let at = self.agents.iter().position(|name| *name == self.agent).unwrap_or(0);
                self.agent.clone_from(&self.agents[turned(at, by, self.agents.len())]);
                self.chosen = true;
            }
            _ => {}
        }
    }

    /// The title that the session will have.
    pub fn title_or_default(&self) -> String {
        if self.title.is_empty() {
            title_from(self.prompt.text())
        } else {
            self.title.text().to_owned()
        }
    }

    /// What to ask the coordinator for. `folder` is where a chat runs, `size` what its agent gets.
    ///
    /// # Errors
    /// The id is not legal; the text says why.
    pub fn request(&self, folder: &Path, size: (u16, u16)) -> Result<CreateRequest, String> {
        let filled =
            |editor: &Editor| Some(editor.text().trim().to_owned()).filter(|t| !t.is_empty());
        let id =
            filled(&self.id).map(SessionId::new).transpose().map_err(|error| error.to_string())?;
        Ok(CreateRequest {
            place: match &self.project {
                Some(name) => Place::Project(name.clone()),
                None => Place::Chat(PathBuf::from(folder)),
            },
            fork: None,
            launch: LaunchFacts {
                agent: self.target().map_or(&self.agent, |target| &target.agent).clone(),
                target: self.agent.clone(),
                ..LaunchFacts::default()
            },
            id,
            title: filled(&self.title),
            prompt: filled(&self.prompt),
            goal: None,
            branch: filled(&self.branch).filter(|_| self.project.is_some() && !self.in_place),
            base: None,
            in_place: self.in_place && self.project.is_some(),
            size,
            kind: Kind::Worker,
            parent: None,
            pin: false,
            actor: Actor::Operator,
        })
    }
}

/// `at` moved by `by` in a ring of `n`.
fn turned(at: usize, by: isize, n: usize) -> usize {
    (at as isize + by).rem_euclid(n.max(1) as isize).unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_comes_after_the_last_project_and_has_no_branch() {
        let shop: ProjectName = "shop".parse().unwrap();
        let mut form = NewForm::new(vec![shop], vec!["claude".into(), "codex".into()]);
        form.branch.insert("vat");
        form.field = Field::Project;
        form.choose(1);
        assert_eq!(form.project, None);
        form.field = Field::Title;
        form.step(1);
        assert_eq!(form.field, Field::Id);
        let request = form.request(Path::new("/home/me"), (82, 34)).unwrap();
        assert_eq!(request.place, Place::Chat("/home/me".into()));
        assert_eq!(request.branch, None);
        form.id.insert("No Id");
        assert!(form.request(Path::new("/"), (80, 24)).is_err());
    }

    /// U1: a target launches its agent, and the form says where it runs.
    #[test]
    fn a_target_can_be_chosen_u1() {
        let mut form = NewForm::new(vec![], vec!["claude".into(), "far".into()]);
        form.targets = vec![Target {
            name: "far".into(),
            agent: "claude".into(),
            found: true,
            runs: Some("ssh box, without hooks and process facts".into()),
        }];
        assert_eq!(form.runs(), None);
        form.field = Field::Agent;
        form.choose(1);
        assert_eq!(form.runs(), Some("ssh box, without hooks and process facts"));
        let launch = form.request(Path::new("/"), (80, 24)).unwrap().launch;
        assert_eq!((launch.agent.as_str(), launch.target.as_str()), ("claude", "far"));
    }

    /// The form suggests what the project was launched by last, until something is chosen.
    #[test]
    fn each_project_has_its_usual_target() {
        let name = |name: &str| Some(name.parse::<ProjectName>().unwrap());
        let projects = vec!["shop".parse().unwrap(), "api".parse().unwrap()];
        let agents = ["aider", "claude", "codex", "far"].map(str::to_owned).to_vec();
        let mut form = NewForm::new(projects, agents);
        form.default = "claude".into();
        form.usual =
            [(name("api"), "far".into()), (None, "gone".into()), (name("docs"), "codex".into())]
                .into();
        form.suggest();
        assert_eq!(form.agent, "claude", "nothing was launched in shop yet");
        form.field = Field::Project;
        form.choose(1);
        assert_eq!((&form.project, form.agent.as_str()), (&name("api"), "far"));
        form.choose(1);
        assert_eq!((&form.project, form.agent.as_str()), (&None, "claude"), "gone is not there");
        form.field = Field::Agent;
        form.choose(1);
        form.field = Field::Project;
        form.choose(-1);
        assert_eq!(form.agent, "codex", "it was chosen");
        form.started();
        form.suggest();
        assert_eq!(form.agent, "codex", "as before where nothing else is known");
    }

    #[test]
    fn starting_keeps_project_and_agent() {
        let mut form = NewForm::new(vec![], vec!["claude".into(), "codex".into()]);
        form.field = Field::Agent;
        form.choose(-1);
        form.prompt.insert("Round VAT");
        assert_eq!(form.title_or_default(), "Round VAT");
        form.started();
        assert_eq!((form.agent.as_str(), form.prompt.is_empty()), ("codex", true));
    }
}
