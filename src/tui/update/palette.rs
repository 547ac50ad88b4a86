//! Finding actions by name.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32String};

use crate::tui::action::{Action, ActionSpec, Context};
use crate::tui::app::App;
use crate::tui::app::editor::Editor;
use crate::tui::app::overlay::{Match, Overlay, Palette};
use crate::tui::event::Effect;
use crate::tui::views::palette_rows;

use super::act::{self, view_contexts};
use super::moving::Step;

/// So many actions that were run by name come first where nothing is typed.
const RECENT: usize = 5;

/// Opens the palette with every action.
pub(super) fn open(app: &mut App) {
    let context = app.view_context();
    let editor = Editor::line("");
    let palette = Palette { editor, index: 0, top: 0, context, matches: Vec::new() };
    app.overlays.push(Overlay::Palette(palette));
    refresh(app);
}

/// Matches again after the text was changed.
pub(super) fn refresh(app: &mut App) {
    let contexts = view_contexts(app);
    let Some(Overlay::Palette(palette)) = app.overlays.last() else {
        return;
    };
    let mut found = matches(app, palette.editor.text());
    // Where nothing was typed to go by, what acts comes first, and of it what was run last.
    if palette.editor.is_empty() {
        let recent = |action| app.recent.iter().position(|it| *it == action).unwrap_or(RECENT);
        found.sort_by_key(|it| {
            (
                app.refusal(it.action, &contexts).is_some(),
                recent(it.action),
                is_for_above(it.action),
            )
        });
    }
    if let Some(Overlay::Palette(palette)) = app.overlays.last_mut() {
        palette.matches = found;
        (palette.index, palette.top) = (0, 0);
    }
}

/// Actions that match, best first: the beginning of a title, then beginnings of its words, then the
/// text anywhere in it, then its letters in order. What acts only above the views comes last.
fn matches(app: &App, text: &str) -> Vec<Match> {
    let pattern = Pattern::new(text, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
    let mut searcher = Matcher::new(Config::DEFAULT);
    let mut found = Vec::new();
    for spec in ActionSpec::all().filter(|spec| spec.action != Action::Palette) {
        let title = title(app, spec);
        let letters = Utf32String::from(title.as_str());
        let mut indices = Vec::new();
        if let Some(score) = pattern.indices(letters.slice(..), &mut searcher, &mut indices) {
            indices.sort_unstable();
            indices.dedup();
            let matched = indices.into_iter().map(|index| index as usize).collect();
            let place = (is_for_above(spec.action), rank(&title, text), std::cmp::Reverse(score));
            found.push((place, Match { action: spec.action, title, matched }));
        }
    }
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, found)| found).collect()
}

/// A section is known by its name.
fn title(app: &App, spec: &ActionSpec) -> String {
    let section = match spec.action {
        Action::Section(number) => app.board.sections.get(usize::from(number).saturating_sub(1)),
        _ => None,
    };
    match section {
        Some(section) => format!("{}, {}", spec.title, section.name),
        None => spec.title.to_owned(),
    }
}

/// How well a title matches what was typed, less is better.
fn rank(title: &str, text: &str) -> u8 {
    let (title, text) = (title.to_lowercase(), text.trim().to_lowercase());
    let begins = |piece: &str| title.split_whitespace().any(|word| word.starts_with(piece));
    match &text {
        text if title.starts_with(text) => 0,
        text if text.split_whitespace().all(begins) => 1,
        text if title.contains(text) => 2,
        _ => 3,
    }
}

/// Whether it acts only in dialogs, forms, lines of text, and where an agent is typed to.
fn is_for_above(action: Action) -> bool {
    let above = [Context::Dialog, Context::Form, Context::Text, Context::Terminal];
    action.spec().contexts.iter().all(|context| above.contains(context))
}

/// Moves the selection.
pub(super) fn go(app: &mut App, step: Step) {
    let height = palette_rows(app);
    let Some(Overlay::Palette(palette)) = app.overlays.last_mut() else {
        return;
    };
    palette.index = step.from(palette.index, palette.matches.len());
    palette.top = palette.top.min(palette.index).max((palette.index + 1).saturating_sub(height));
}

/// Completes the text from the selected match.
pub(super) fn complete(app: &mut App) {
    let Some(Overlay::Palette(palette)) = app.overlays.last_mut() else {
        return;
    };
    if let Some(found) = palette.matches.get(palette.index) {
        let title = found.title.clone();
        palette.editor.set(&title);
        refresh(app);
    }
}

/// Runs the selected action where the palette was opened.
pub(super) fn run(app: &mut App, palette: &Palette, effects: &mut Vec<Effect>) {
    if let Some(found) = palette.matches.get(palette.index) {
        app.recent.retain(|action| *action != found.action);
        app.recent.insert(0, found.action);
        app.recent.truncate(RECENT);
        act::act(app, found.action, effects);
    }
}
