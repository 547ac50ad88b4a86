//! Keys and pastes: to the agent, into a text, or through the key map to an action.

use std::time::Duration;

use crate::domain::key::{Key, KeyCode, Modifiers};
use crate::domain::time::Timestamp;
use crate::tui::action::{Action, Context};
use crate::tui::app::App;
use crate::tui::app::overlay::Overlay;
use crate::tui::app::reading::Begin;
use crate::tui::app::toast::ToastKind;
use crate::tui::event::Effect;
use crate::tui::keymap::Outcome;

use super::{above, act, notify};

/// So many characters within [`BURST_WITHIN`] are a paste without markers.
const BURST: usize = 40;
/// See [`BURST`].
const BURST_WITHIN: Duration = Duration::from_millis(10);
/// A paste is over after so much silence.
const BURST_ENDS: Duration = Duration::from_millis(50);
/// A second Enter within this time after a button was pressed, and no other key between, belongs to the first.
const ONE_ENTER: Duration = Duration::from_millis(50);

/// Keys were pressed.
pub(super) fn pressed(app: &mut App, keys: &[Key], effects: &mut Vec<Effect>) {
    let takes_text = app.overlays.last().is_some_and(Overlay::takes_text);
    let guarded = app.typing.is_none() && !takes_text;
    if guarded && is_burst(app, keys) {
        return;
    }
    app.last_key = app.now;
    let mut typed: Vec<Key> = Vec::new();
    for (at, key) in keys.iter().enumerate() {
        let waited = app.wanted.is_some();
        if app.typing.is_some() && app.overlays.is_empty() && !app.is_copying() {
            type_or_leave(app, *key, &mut typed, effects);
        } else {
            one(app, *key, effects);
        }
        // What comes behind is for whoever has the terminal then; a shell cannot be given it.
        match effects.last_mut() {
            Some(Effect::PassThrough { ahead, .. }) => {
                ahead.extend_from_slice(&keys[at + 1..]);
                break;
            }
            Some(Effect::Suspend | Effect::Lend { .. }) => break,
            _ => {}
        }
        if let Some(wanted) = app.wanted.as_mut().filter(|it| !waited && it.begin == Begin::Copy) {
            wanted.rest = keys[at + 1..].to_vec();
            break;
        }
    }
    flush(app, &mut typed, effects);
}

/// A paste came, with its markers.
pub(super) fn pasted(app: &mut App, text: String, effects: &mut Vec<Effect>) {
    app.last_key = app.now;
    if let Some(overlay) = app.overlays.last_mut() {
        if let Some(editor) = overlay.editor() {
            editor.insert(&text);
            above::typed(app, effects);
            return;
        }
    } else if let Some(typing) = app.typing.as_ref().filter(|_| !app.is_copying()) {
        // Typing shows the live screen again.
        app.reading = None;
        effects.push(Effect::PasteTo { id: typing.id.clone(), text });
        return;
    }
    caught(app);
}

fn caught(app: &mut App) {
    let keymap = &app.setup.keymap;
    let key = |action| keymap.key_label(&[Context::List], action).unwrap_or_default();
    let lines = vec![format!(
        "{} types into the agent, {} sends a message.",
        key(Action::Open),
        key(Action::Message)
    )];
    notify(app, ToastKind::Result, "Pasted text ignored.".to_owned(), lines);
}

/// Whether these keys are part of a burst that nobody typed; nothing of it acts from then on.
fn is_burst(app: &mut App, keys: &[Key]) -> bool {
    let chars = keys.iter().filter(|key| is_character(**key)).count();
    let burst = &mut app.burst;
    if burst.swallowed {
        if app.now.since(burst.since) <= BURST_ENDS {
            burst.since = app.now;
            return true;
        }
        *burst = crate::tui::app::Burst::default();
    }
    if app.now.since(burst.since) > BURST_WITHIN {
        burst.since = app.now;
        burst.count = 0;
    }
    burst.count += chars;
    if burst.count < BURST {
        return false;
    }
    burst.swallowed = true;
    burst.since = app.now;
    caught(app);
    true
}

fn is_character(key: Key) -> bool {
    matches!(key.code, KeyCode::Char(_) | KeyCode::Enter)
        && key.mods == Modifiers { shift: key.mods.shift, ..Modifiers::NONE }
}

/// A key while an agent has them: all but the bound ones are its.
fn type_or_leave(app: &mut App, key: Key, typed: &mut Vec<Key>, effects: &mut Vec<Effect>) {
    match app.setup.keymap.resolve(&[Context::Terminal], &app.pending, key) {
        Outcome::Action(action) => {
            app.pending.clear();
            flush(app, typed, effects);
            act::act(app, action, effects);
        }
        Outcome::Pending => app.pending.push(key),
        Outcome::None => {
            // What was held back as the start of a chord is the agent's after all.
            typed.append(&mut app.pending);
            typed.push(key);
        }
    }
}

fn flush(app: &mut App, typed: &mut Vec<Key>, effects: &mut Vec<Effect>) {
    if let Some(typing) = &app.typing
        && !typed.is_empty()
    {
        app.reading = None;
        effects.push(Effect::Type { id: typing.id.clone(), keys: std::mem::take(typed) });
    }
    typed.clear();
}

/// One key outside of agents.
fn one(app: &mut App, key: Key, effects: &mut Vec<Effect>) {
    let recent = |at: Timestamp| app.now.since(at) < ONE_ENTER;
    if key.code != KeyCode::Enter {
        app.confirmed_at = None;
    } else if app.confirmed_at.is_some_and(recent) {
        return;
    }
    if app.pending.is_empty() && app.overlays.last_mut().is_some_and(|overlay| edits(overlay, key))
    {
        above::typed(app, effects);
        return;
    }
    if is_esc(key) && app.overlays.is_empty() && app.pending.is_empty() && app.toasts.dismiss() {
        return;
    }
    resolve(app, key, effects);
}

fn is_esc(key: Key) -> bool {
    key == Key::plain(KeyCode::Esc)
}

fn edits(overlay: &mut Overlay, key: Key) -> bool {
    overlay.editor().is_some_and(|editor| editor.key(key))
}

fn resolve(app: &mut App, key: Key, effects: &mut Vec<Effect>) {
    let contexts = app.contexts();
    match app.setup.keymap.resolve(&contexts, &app.pending, key) {
        Outcome::Action(action) => {
            app.pending.clear();
            act::act(app, action, effects);
        }
        Outcome::Pending => app.pending.push(key),
        Outcome::None if !app.pending.is_empty() => {
            // A chord that was given up: the key counts by itself.
            if !is_esc(key) {
                app.pending.clear();
                resolve(app, key, effects);
            }
            app.pending.clear();
        }
        Outcome::None => above::unbound(app, key, effects),
    }
}
