//! Reading a theme file (`spec/look.md` section 10).

use std::collections::BTreeMap;
use std::path::Path;

use ratatui::style::Modifier;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::palette::Rgb;
use super::{Ground, Role};
use crate::tui::nearest::did_you_mean;

/// A theme file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file} line {line}: {message}")]
pub struct ThemeError {
    /// Name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, with the nearest known word.
    pub message: String,
}

impl ThemeError {
    /// What a caller can do about it.
    pub fn kind(&self) -> crate::domain::error::ErrorKind {
        crate::domain::error::ErrorKind::Usage
    }

    /// What to do.
    pub fn hint(&self) -> Option<String> {
        Some("The old colours stay.".to_owned())
    }
}

/// A colour for terminals with 16 of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Basic {
    /// The terminal's own, or no ground at all.
    #[default]
    Default,
    /// Reverse video instead of a ground.
    Reverse,
    /// A colour of the scheme, 0 to 15.
    Colour(u8),
}

/// How one role or ground is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Paint {
    /// On terminals with all colours.
    pub rgb: Option<Rgb>,
    /// On terminals with 256 colours.
    pub c256: Option<u8>,
    /// On terminals with 16 colours.
    pub c16: Basic,
    /// Modifiers.
    pub mods: Modifier,
}

/// The content of a theme file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ThemeFile {
    /// Its name.
    pub name: String,
    /// For light grounds.
    pub light: bool,
    /// What it says of roles.
    pub roles: BTreeMap<Role, Paint>,
    /// What it says of grounds.
    pub grounds: BTreeMap<Ground, Paint>,
}

/// What a role says, before other roles are looked up.
struct Draft {
    from: Option<Role>,
    paint: Paint,
    at: usize,
}

/// Where in the file a value is.
struct Source<'a> {
    file: &'a Path,
    text: &'a str,
}

type Result<T> = std::result::Result<T, ThemeError>;

impl ThemeFile {
    /// Reads the text of a file.
    pub(crate) fn parse(file: &Path, text: &str) -> Result<Self> {
        let source = Source { file, text };
        let table = DeTable::parse(text).map_err(|error| {
            source.error(error.span().map_or(0, |span| span.start), error.message().to_owned())
        })?;
        let mut name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut light = false;
        let mut roles = BTreeMap::new();
        let mut grounds = BTreeMap::new();
        for (key, value) in table.get_ref() {
            match key.get_ref().as_ref() {
                "name" => source.string(value)?.clone_into(&mut name),
                "ground" => {
                    light = match source.string(value)? {
                        "light" => true,
                        "dark" => false,
                        other => {
                            let known = ["dark", "light"].into_iter();
                            return Err(source.unknown("ground", other, value, known));
                        }
                    };
                }
                "roles" => roles = source.roles(value)?,
                "grounds" => grounds = source.grounds(value)?,
                other => {
                    let known = ["name", "ground", "roles", "grounds"].into_iter();
                    return Err(source.unknown("key", other, key, known));
                }
            }
        }
        Ok(Self { name, light, roles, grounds })
    }
}

impl Source<'_> {
    fn error(&self, at: usize, message: String) -> ThemeError {
        let before = self.text.as_bytes().iter().take(at);
        let line = before.filter(|byte| **byte == b'\n').count() + 1;
        ThemeError {
            file: self.file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            line,
            message,
        }
    }

    fn unknown<'k, T>(
        &self,
        what: &str,
        word: &str,
        at: &Spanned<T>,
        known: impl Iterator<Item = &'k str>,
    ) -> ThemeError {
        let mean = did_you_mean(word, known);
        self.error(at.span().start, format!("no {what} {word:?}.{mean}"))
    }

    fn string<'v>(&self, value: &'v Spanned<DeValue<'_>>) -> Result<&'v str> {
        let found = value.get_ref();
        found.as_str().ok_or_else(|| {
            self.error(value.span().start, format!("a text is needed, not {}", found.type_str()))
        })
    }

    fn table<'v, 't>(&self, value: &'v Spanned<DeValue<'t>>) -> Result<&'v DeTable<'t>> {
        let found = value.get_ref();
        found.as_table().ok_or_else(|| {
            self.error(value.span().start, format!("a table is needed, not {}", found.type_str()))
        })
    }

    fn number(&self, value: &Spanned<DeValue<'_>>, highest: u8) -> Result<u8> {
        let number = value.get_ref().as_integer();
        number
            .and_then(|number| u8::from_str_radix(number.as_str(), number.radix()).ok())
            .filter(|number| *number <= highest)
            .ok_or_else(|| {
                let message = format!("a number from 0 to {highest} is needed");
                self.error(value.span().start, message)
            })
    }

    fn role(&self, word: &str, at: &Spanned<DeValue<'_>>) -> Result<Role> {
        Role::from_name(word).ok_or_else(|| self.unknown("role", word, at, Role::names()))
    }

    fn roles(&self, value: &Spanned<DeValue<'_>>) -> Result<BTreeMap<Role, Paint>> {
        let mut drafts = BTreeMap::new();
        for (key, value) in self.table(value)? {
            let role = Role::from_name(key.get_ref())
                .ok_or_else(|| self.unknown("role", key.get_ref(), key, Role::names()))?;
            let draft = if let Some(other) = value.get_ref().as_str() {
                let from = Some(self.role(other, value)?);
                Draft { from, paint: Paint::default(), at: value.span().start }
            } else {
                self.paint(value)?
            };
            drafts.insert(role, draft);
        }
        drafts.keys().map(|role| Ok((*role, self.resolve(*role, &drafts)?))).collect()
    }

    /// Follows `role` from role to role; what is nearer wins, modifiers add up.
    fn resolve(&self, role: Role, drafts: &BTreeMap<Role, Draft>) -> Result<Paint> {
        let mut paint = Paint::default();
        let mut next = Some(role);
        let mut steps = 0;
        while let Some(draft) = next.and_then(|role| drafts.get(&role)) {
            if steps > drafts.len() {
                return Err(self.error(draft.at, format!("{} starts from itself", role.name())));
            }
            steps += 1;
            paint.rgb = paint.rgb.or(draft.paint.rgb);
            paint.c256 = paint.c256.or(draft.paint.c256);
            if paint.c16 == Basic::Default {
                paint.c16 = draft.paint.c16;
            }
            paint.mods |= draft.paint.mods;
            next = draft.from;
        }
        Ok(paint)
    }

    fn grounds(&self, value: &Spanned<DeValue<'_>>) -> Result<BTreeMap<Ground, Paint>> {
        let mut grounds = BTreeMap::new();
        for (key, value) in self.table(value)? {
            let ground = Ground::from_name(key.get_ref())
                .ok_or_else(|| self.unknown("ground", key.get_ref(), key, Ground::names()))?;
            grounds.insert(ground, self.paint(value)?.paint);
        }
        Ok(grounds)
    }

    fn paint(&self, value: &Spanned<DeValue<'_>>) -> Result<Draft> {
        let mut draft = Draft { from: None, paint: Paint::default(), at: value.span().start };
        for (key, value) in self.table(value)? {
            let paint = &mut draft.paint;
            match key.get_ref().as_ref() {
                "role" => draft.from = Some(self.role(self.string(value)?, value)?),
                "rgb" => {
                    let text = self.string(value)?;
                    let wrong =
                        || self.error(value.span().start, format!("{text:?} is not #rrggbb"));
                    paint.rgb = Some(Rgb::parse(text).ok_or_else(wrong)?);
                }
                "c256" => paint.c256 = Some(self.number(value, 255)?),
                "c16" => {
                    paint.c16 = match value.get_ref().as_str() {
                        Some("default" | "none") => Basic::Default,
                        Some("reverse") => Basic::Reverse,
                        Some(other) => {
                            let known = ["default", "none", "reverse"].into_iter();
                            return Err(self.unknown("colour", other, value, known));
                        }
                        None => Basic::Colour(self.number(value, 15)?),
                    };
                }
                "mods" => paint.mods = self.mods(value)?,
                other => {
                    let known = ["role", "rgb", "c256", "c16", "mods"].into_iter();
                    return Err(self.unknown("key", other, key, known));
                }
            }
        }
        Ok(draft)
    }

    fn mods(&self, value: &Spanned<DeValue<'_>>) -> Result<Modifier> {
        const KNOWN: [(&str, Modifier); 5] = [
            ("bold", Modifier::BOLD),
            ("italic", Modifier::ITALIC),
            ("underline", Modifier::UNDERLINED),
            ("reverse", Modifier::REVERSED),
            ("dim", Modifier::DIM),
        ];
        let list = value.get_ref().as_array().ok_or_else(|| {
            self.error(value.span().start, "a list of modifiers is needed".to_owned())
        })?;
        let mut mods = Modifier::empty();
        for item in list {
            let word = self.string(item)?;
            let known = KNOWN.iter().find(|(name, _)| *name == word);
            let (_, modifier) = known.ok_or_else(|| {
                self.unknown("modifier", word, item, KNOWN.iter().map(|(name, _)| *name))
            })?;
            mods |= *modifier;
        }
        Ok(mods)
    }
}
