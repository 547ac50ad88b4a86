//! What is done beside the sessions with one of them: its folder in an editor or a shell, its pull
//! request in the browser, its names on the clipboard, a fork.

use crate::domain::session::Session;
use crate::domain::status::worst_open;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::overlay::{CopyDialog, Overlay};
use crate::tui::app::toast::ToastKind;
use crate::tui::event::{Effect, Lent};

use super::notify;

/// Does it with the selected session.
pub(super) fn act(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    let Some(session) = app.selected() else {
        return;
    };
    let folder = session.folder.clone();
    match action {
        Action::Fork => {
            effects.push(Effect::Fork(session.id.clone()));
            // As with a form: the new one is shown to whoever does nothing else meanwhile.
            app.forked = Some(app.last_key);
        }
        Action::OpenEditor => effects.push(Effect::Lend { to: Lent::Editor, folder }),
        Action::OpenShell => effects.push(Effect::Lend { to: Lent::Shell, folder }),
        Action::OpenPr => {
            effects.extend(pull_request(session).map(Effect::OpenLink));
        }
        Action::CopyPath => copy(app, folder.display().to_string(), effects),
        Action::CopyWhat => {
            let texts = texts(session);
            let id = session.id.clone();
            app.overlays.push(Overlay::CopyWhat(CopyDialog { id, texts, index: 0 }));
        }
        _ => {}
    }
}

/// What of a session can be copied.
fn texts(session: &Session) -> Vec<(&'static str, String)> {
    let folder = session.folder.display().to_string();
    [
        ("id", Some(session.id.to_string())),
        ("path", Some(folder).filter(|folder| !folder.is_empty())),
        ("branch", session.branch.clone()),
        ("pull request", pull_request(session)),
    ]
    .into_iter()
    .filter_map(|(name, text)| text.map(|text| (name, text)))
    .collect()
}

/// The pull request that wants most; with none open, the last one.
fn pull_request(session: &Session) -> Option<String> {
    worst_open(&session.prs).or(session.prs.last()).map(|pr| pr.url.clone())
}

/// Puts a text on the clipboard and says so.
pub(super) fn copy(app: &mut App, text: String, effects: &mut Vec<Effect>) {
    notify(app, ToastKind::Result, format!("{text} copied."), Vec::new());
    effects.push(Effect::Copy(text));
}
