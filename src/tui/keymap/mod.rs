//! Which key does what: `keymap.toml`, shipped and embedded, with the user's file laid over it
//! (`spec/console.md`, Keys).

mod help;
mod load;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use crate::domain::key::{Chord, Key};

use super::action::{Action, Context};

pub use help::{HelpGroup, HelpLine, label};
pub use load::KeymapError;

/// The shipped file.
const SHIPPED: &str = include_str!("../../../keymap.toml");

/// One line of a key map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The keys.
    pub chord: Chord,
    /// What they do.
    pub action: Action,
}

/// Keys and actions by context, each in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Keymap {
    bindings: BTreeMap<Context, Vec<Binding>>,
}

/// What a key comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// This action.
    Action(Action),
    /// More keys are needed.
    Pending,
    /// Nothing is bound to it.
    None,
}

impl Keymap {
    /// The shipped keys.
    pub fn shipped() -> Self {
        let mut keymap = Self::default();
        if let Err(error) = keymap.overlay(Path::new("keymap.toml"), SHIPPED) {
            // A test reads the same text; without keys the program could not even be left.
            tracing::error!(%error, "the shipped key map cannot be read");
        }
        keymap
    }

    /// The same map with this chord, and no other, to leave an agent.
    pub fn leaving_by(mut self, chord: &Chord) -> Self {
        let binding = Binding { chord: chord.clone(), action: Action::LeaveAgent };
        let bindings = self.bindings.entry(Context::Terminal).or_default();
        bindings.retain(|old| old.action != Action::LeaveAgent && old.chord != *chord);
        bindings.push(binding);
        self
    }

    /// This map with the user's file over it; a file that is not there says nothing.
    ///
    /// # Errors
    /// The file cannot be used; the error names file, line, key and the nearest action.
    pub fn with_file(mut self, file: &Path) -> Result<Self, KeymapError> {
        if let Ok(text) = std::fs::read_to_string(file) {
            self.overlay(file, &text)?;
        }
        Ok(self)
    }

    /// What `key` does after the `pending` ones. `contexts` go from the nearest to the farthest; the
    /// first that knows the keys, or the start of a chord, decides.
    pub fn resolve(&self, contexts: &[Context], pending: &[Key], key: Key) -> Outcome {
        let keys: Vec<Key> = pending.iter().chain([&key]).map(|key| key.canonical()).collect();
        for bindings in contexts.iter().filter_map(|context| self.bindings.get(context)) {
            let mut started = false;
            for binding in bindings.iter().filter(|binding| binding.chord.0.starts_with(&keys)) {
                if binding.chord.0.len() == keys.len() {
                    return Outcome::Action(binding.action);
                }
                started = true;
            }
            if started {
                return Outcome::Pending;
            }
        }
        Outcome::None
    }

    /// The bindings of one context, in the order of the file.
    pub fn bindings(&self, context: Context) -> &[Binding] {
        self.bindings.get(&context).map_or(&[], Vec::as_slice)
    }

    /// The keys of an action in these contexts, nearest context first, without those that a nearer
    /// context uses for something else.
    pub fn keys<'a>(
        &'a self,
        contexts: &'a [Context],
        action: Action,
    ) -> impl Iterator<Item = &'a Chord> + 'a {
        contexts.iter().enumerate().flat_map(move |(depth, context)| {
            self.bindings(*context)
                .iter()
                .filter(move |binding| binding.action == action)
                .map(|binding| &binding.chord)
                .filter(move |chord| self.is_free(&contexts[..depth], chord))
        })
    }

    /// Whether none of these contexts takes the keys, or the first of them, for itself.
    fn is_free(&self, contexts: &[Context], chord: &Chord) -> bool {
        contexts
            .iter()
            .flat_map(|context| self.bindings(*context))
            .all(|other| !chord.0.starts_with(&other.chord.0))
    }
}
