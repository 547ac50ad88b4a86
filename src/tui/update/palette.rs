//! Finding actions by name.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32String};

use crate::tui::action::{Action, ActionSpec, Context};
use crate::tui::app::App;
use crate::tui::app::editor::Editor;
use crate::tui::app::overlay::{Found, Overlay, Palette};
use crate::tui::event::Effect;
use crate::tui::views::palette_rows;

use super::act::{self, view_contexts};
use super::moving::Step;

/// Opens the palette with every action.
pub(super) fn open(app: &mut App) {
    let context = app.view_context();
    let editor = Editor::line("");
    let palette = Palette { editor, index: 0, top: 0, context, found: Vec::new() };
    app.overlays.push(Overlay::Palette(palette));
    refresh(app);
}

/// Matches again after the text was changed.
pub(super) fn refresh(app: &mut App) {
    let contexts = view_contexts(app);
    let Some(Overlay::Palette(palette)) = app.overlays.last() else {
        return;
    };
    let mut found = matches(palette.editor.text());
    // What acts comes first where nothing was typed to go by.
    if palette.editor.is_empty() {
        found.sort_by_key(|found| app.refusal(found.action, &contexts).is_some());
    }
    if let Some(Overlay::Palette(palette)) = app.overlays.last_mut() {
        palette.found = found;
        (palette.index, palette.top) = (0, 0);
    }
}

/// Actions of the views that match, best first. What only acts inside dialogs is left out.
fn matches(text: &str) -> Vec<Found> {
    let pattern = Pattern::new(text, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
    let mut searcher = Matcher::new(Config::DEFAULT);
    let mut found: Vec<(u32, Found)> = Vec::new();
    for spec in ActionSpec::all().filter(|spec| is_for_views(spec)) {
        let title = Utf32String::from(spec.title);
        let mut indices = Vec::new();
        if let Some(score) = pattern.indices(title.slice(..), &mut searcher, &mut indices) {
            indices.sort_unstable();
            indices.dedup();
            let matched = indices.into_iter().map(|index| index as usize).collect();
            found.push((score, Found { action: spec.action, matched }));
        }
    }
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, found)| found).collect()
}

fn is_for_views(spec: &ActionSpec) -> bool {
    let above = [Context::Dialog, Context::Form, Context::Text, Context::Terminal];
    spec.action != Action::Palette && spec.contexts.iter().any(|context| !above.contains(context))
}

/// Moves the selection.
pub(super) fn go(app: &mut App, step: Step) {
    let height = palette_rows(app);
    let Some(Overlay::Palette(palette)) = app.overlays.last_mut() else {
        return;
    };
    palette.index = step.from(palette.index, palette.found.len());
    palette.top = palette.top.min(palette.index).max((palette.index + 1).saturating_sub(height));
}

/// Completes the text from the selected match.
pub(super) fn complete(app: &mut App) {
    let Some(Overlay::Palette(palette)) = app.overlays.last_mut() else {
        return;
    };
    if let Some(found) = palette.found.get(palette.index) {
        palette.editor.set(found.action.spec().title);
        refresh(app);
    }
}

/// Runs the selected action where the palette was opened.
pub(super) fn run(app: &mut App, palette: &Palette, effects: &mut Vec<Effect>) {
    if let Some(found) = palette.found.get(palette.index) {
        act::act(app, found.action, effects);
    }
}
