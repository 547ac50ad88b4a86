//! Reading a key map and laying it over another.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Binding, Keymap};
use crate::domain::error::ErrorKind;
use crate::domain::key::{Chord, KeyError};
use crate::tui::action::{Action, ActionSpec, Context};
use crate::tui::nearest::did_you_mean;

/// What takes an action off a key.
const UNBOUND: &str = "unbound";

/// A key map that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file} line {line}: {message}")]
pub struct KeymapError {
    /// Name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The key, as written; empty where the line has none.
    pub key: String,
    /// What is wrong, with the nearest known word.
    pub message: String,
}

impl KeymapError {
    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    /// What to do.
    pub fn hint(&self) -> Option<String> {
        Some("The old keys stay.".to_owned())
    }
}

/// A line that was read: where, how it was written, and what it means.
struct Line {
    at: usize,
    written: String,
    chord: Chord,
    /// None takes the action off.
    action: Option<Action>,
}

/// The text that is read, for messages.
struct Source<'a> {
    file: &'a Path,
    text: &'a str,
}

impl Keymap {
    /// Lays the text of a file over this map. Nothing is changed where it has a mistake.
    ///
    /// # Errors
    /// See [`KeymapError`].
    pub fn overlay(&mut self, file: &Path, text: &str) -> Result<(), KeymapError> {
        let source = Source { file, text };
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            source.error(at, "", error.message().to_owned())
        })?;
        let mut changed = self.clone();
        let mut read = Vec::new();
        for (name, section) in table.get_ref() {
            let context = Context::from_name(name.get_ref()).ok_or_else(|| {
                let known = Context::ALL.iter().map(|context| context.name());
                let mean = did_you_mean(name.get_ref(), known);
                source.error(
                    name.span().start,
                    "",
                    format!("no section {:?}.{mean}", name.get_ref()),
                )
            })?;
            let lines = source.section(context, section)?;
            changed.apply(context, &lines);
            changed.check_chords(context, &lines, &source)?;
            read.extend(lines.into_iter().map(|line| (context, line)));
        }
        changed.check_together(&mut read, &source)?;
        *self = changed;
        Ok(())
    }

    fn apply(&mut self, context: Context, lines: &[Line]) {
        let bindings = self.bindings.entry(context).or_default();
        for line in lines {
            bindings.retain(|binding| binding.chord != line.chord);
            if let Some(action) = line.action {
                bindings.push(Binding { chord: line.chord.clone(), action });
            }
        }
    }

    /// No chord may begin with another one of the same context: it could never be reached.
    fn check_chords(
        &self,
        context: Context,
        lines: &[Line],
        source: &Source<'_>,
    ) -> Result<(), KeymapError> {
        for line in lines.iter().filter(|line| line.action.is_some()) {
            let clash = self.bindings(context).iter().find(|other| {
                other.chord != line.chord
                    && (other.chord.0.starts_with(&line.chord.0)
                        || line.chord.0.starts_with(&other.chord.0))
            });
            if let Some(other) = clash {
                let (short, long) = if other.chord.0.len() < line.chord.0.len() {
                    (&other.chord, &line.chord)
                } else {
                    (&line.chord, &other.chord)
                };
                let message = format!("{long} can never be reached, since {short} is bound");
                return Err(source.error(line.at, &line.written, message));
            }
        }
        Ok(())
    }

    /// No chord may begin with one of another context that is looked up with it: the nearer context
    /// would wait for more keys, or act before they come. The same keys in both are meant so: the
    /// nearest decides. Looked at once everything is read, since another line may make room.
    fn check_together(
        &self,
        read: &mut [(Context, Line)],
        source: &Source<'_>,
    ) -> Result<(), KeymapError> {
        read.sort_by_key(|(_, line)| line.at);
        for (context, line) in read.iter().filter(|(_, line)| line.action.is_some()) {
            let pairs =
                Context::ALL.into_iter().filter(|near| near.falls_back()).filter_map(|near| {
                    match *context {
                        Context::Global => Some((near, near)),
                        here if here == near => Some((near, Context::Global)),
                        _ => None,
                    }
                });
            for (near, other_place) in pairs {
                let clash = self.bindings(other_place).iter().find(|other| {
                    other.chord != line.chord
                        && (other.chord.0.starts_with(&line.chord.0)
                            || line.chord.0.starts_with(&other.chord.0))
                });
                let Some(other) = clash else { continue };
                let (lost, taken) = match *context {
                    Context::Global => (&line.chord, &other.chord),
                    _ => (&other.chord, &line.chord),
                };
                let message = format!(
                    "{lost} of [global] can never be reached in [{}], since {taken} is bound there",
                    near.name()
                );
                return Err(source.error(line.at, &line.written, message));
            }
        }
        Ok(())
    }

    /// The map as a file that reads back as the same map.
    pub fn to_toml(&self) -> String {
        use std::fmt::Write as _;

        let mut text = String::new();
        for (context, bindings) in &self.bindings {
            let _ = writeln!(text, "[{}]", context.name());
            for binding in bindings {
                // A quoted string of JSON is one of TOML too.
                let key = serde_json::Value::String(binding.chord.to_string());
                let _ = writeln!(text, "{key} = \"{}\"", binding.action.id());
            }
        }
        text
    }
}

impl Source<'_> {
    fn error(&self, at: usize, key: &str, message: String) -> KeymapError {
        let before = self.text.as_bytes().iter().take(at);
        KeymapError {
            file: self.file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            line: before.filter(|byte| **byte == b'\n').count() + 1,
            key: key.to_owned(),
            message,
        }
    }

    /// The lines of one section, in the order of the file.
    fn section(
        &self,
        context: Context,
        section: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<Line>, KeymapError> {
        let table = section.get_ref().as_table().ok_or_else(|| {
            let message = format!("[{}] is a section, not a value", context.name());
            self.error(section.span().start, "", message)
        })?;
        let mut lines = Vec::new();
        for (key, value) in table {
            lines.push(self.line(context, key, value)?);
        }
        lines.sort_by_key(|line| line.at);
        for (index, line) in lines.iter().enumerate() {
            if lines[..index].iter().any(|other| other.chord == line.chord) {
                let message = format!("{} is bound twice in [{}]", line.written, context.name());
                return Err(self.error(line.at, &line.written, message));
            }
        }
        Ok(lines)
    }

    fn line(
        &self,
        context: Context,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Line, KeymapError> {
        let at = key.span().start;
        let written = key.get_ref().clone().into_owned();
        let chord: Chord = written.parse().map_err(|error: KeyError| {
            let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
            self.error(at, &written, format!("{error}{hint}"))
        })?;
        let chord = Chord(chord.0.into_iter().map(crate::domain::key::Key::canonical).collect());
        let id = value.get_ref().as_str().ok_or_else(|| {
            self.error(at, &written, format!("{written} needs the name of an action in quotes"))
        })?;
        if id == UNBOUND {
            return Ok(Line { at, written, chord, action: None });
        }
        let here = || ActionSpec::all().filter(|spec| spec.contexts.contains(&context));
        let action = Action::from_id(id).ok_or_else(|| {
            let mean = did_you_mean(id, here().map(|spec| spec.id).chain([UNBOUND]));
            self.error(at, &written, format!("no action {id:?}.{mean}"))
        })?;
        if !action.spec().contexts.contains(&context) {
            let places: Vec<_> = action.spec().contexts.iter().map(|place| place.name()).collect();
            let message =
                format!("{id} does not act in [{}], only in {}", context.name(), places.join(", "));
            return Err(self.error(at, &written, message));
        }
        Ok(Line { at, written, chord, action: Some(action) })
    }
}
