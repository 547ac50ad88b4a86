//! Saved filters: lines of the rail below the sections.

use crate::domain::rail::SavedFilter;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::list::Wanted;
use crate::tui::app::overlay::{Confirm, Overlay, Purpose};
use crate::tui::app::plan::Button;
use crate::tui::event::Effect;

use super::{act, place};

/// Begins to save, rename or remove.
pub(super) fn act(app: &mut App, action: Action) {
    let saved = app.current_filter().cloned();
    match (action, saved) {
        (Action::SaveFilter, saved) => {
            let everywhere = saved.is_some_and(|filter| filter.section.is_none());
            act::line(app, Purpose::SaveFilter { everywhere }, "");
        }
        (Action::RenameFilter, Some(filter)) => {
            act::line(app, Purpose::RenameFilter(filter.name.clone()), &filter.name);
        }
        (Action::RemoveFilter, Some(filter)) => {
            app.overlays.push(Overlay::Confirm(Confirm {
                title: format!("Remove the filter {}", filter.name),
                lines: vec![filter.words, "Its sessions stay where they are.".to_owned()],
                act: "Remove".to_owned(),
                button: Button::Cancel,
                effects: vec![Effect::RemoveFilter(filter.name)],
            }));
        }
        _ => {}
    }
}

/// Saves the filter in force under a name.
pub(super) fn save(app: &App, name: &str, everywhere: bool, effects: &mut Vec<Effect>) {
    let filter = SavedFilter { name: name.to_owned(), ..app.narrowing() };
    let section = filter.section.clone().filter(|_| !everywhere);
    effects.push(Effect::SaveFilter(SavedFilter { section, ..filter }));
}

/// It is saved: shown as soon as it is among the others.
pub(super) fn saved(app: &mut App, name: String, effects: &mut Vec<Effect>) {
    app.saving = Some(name);
    effects.push(Effect::LoadBoard);
}

/// The saved filters were read again.
pub(super) fn arrived(app: &mut App, before: Option<&SavedFilter>, effects: &mut Vec<Effect>) {
    let there = |name: &str| app.board.filters.iter().any(|filter| filter.name == name);
    if let Some(name) = app.saving.take_if(|name| there(name)) {
        place::filter(app, name, Wanted::Same, effects);
    } else if app.filter.is_some() && app.current_filter() != before {
        // It was changed, or taken away.
        if app.current_filter().is_none() {
            app.filter = None;
        }
        place::begin_list(app, Wanted::Same, effects);
    }
    effects.extend(app.to_count());
}
