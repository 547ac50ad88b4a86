//! Which theme, and with how many colours (`spec/look.md` section 3, "Which one").

use std::path::Path;

use super::palette::Rgb;
use super::{Theme, ThemeError};

/// How many colours the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// None: bold, italic, underline, reverse and dim only.
    Mono,
    /// The 16 of the user's scheme.
    C16,
    /// 256.
    C256,
    /// All.
    Rgb,
}

impl Depth {
    /// Decides by `NO_COLOR`, `COLORTERM` and `TERM`, each empty where it is not set.
    pub fn choose(no_color: &str, colorterm: &str, term: &str) -> Self {
        match colorterm {
            _ if !no_color.is_empty() => Self::Mono,
            "truecolor" | "24bit" => Self::Rgb,
            _ if term.ends_with("256color") => Self::C256,
            _ if term == "dumb" => Self::Mono,
            _ => Self::C16,
        }
    }
}

/// What the terminal's own ground is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Background {
    /// Dark; also where it is not known.
    #[default]
    Dark,
    /// Light.
    Light,
}

/// What the ground is by `COLORFGBG` (`15;0`); none where it does not tell.
pub fn background_from_colorfgbg(value: &str) -> Option<Background> {
    let ground: u8 = value.rsplit(';').next()?.parse().ok()?;
    match ground {
        7 | 9..=15 => Some(Background::Light),
        0..=6 | 8 => Some(Background::Dark),
        _ => None,
    }
}

/// What the ground is by the terminal's answer to OSC 11, its body without the introducer:
/// `11;rgb:1e1e/1e1e/2e2e`.
pub fn background_from_osc(body: &str) -> Option<Background> {
    let value = body.strip_prefix("11;")?;
    let channels = value.strip_prefix("rgb:").or_else(|| value.strip_prefix("rgba:"))?;
    let mut parsed = channels.split('/').map(|part| {
        let high = u16::from_str_radix(part, 16).ok()?;
        // One to four digits a channel; the highest value is white.
        let digits = u32::try_from(part.len()).ok().filter(|digits| (1..=4).contains(digits))?;
        let highest = (1_u32 << (4 * digits)) - 1;
        u8::try_from(u32::from(high) * 255 / highest).ok()
    });
    let mut next = || parsed.next().flatten();
    let ground = Rgb(next()?, next()?, next()?);
    Some(if ground.is_light() { Background::Light } else { Background::Dark })
}

/// Everything that decides which theme is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeChoice {
    /// `theme` of the configuration: `auto`, or a name.
    pub setting: String,
    /// How many colours.
    pub depth: Depth,
    /// The terminal's own ground, as far as it is known.
    pub background: Background,
}

impl ThemeChoice {
    /// Name of the theme, `auto` resolved.
    pub fn name(&self) -> &str {
        match (self.setting.as_str(), self.background) {
            ("auto" | "", Background::Dark) => "dark",
            ("auto" | "", Background::Light) => "light",
            (name, _) => name,
        }
    }

    /// The theme: a file of that name in `folder` wins over a shipped one.
    ///
    /// # Errors
    /// The file is no theme, or there is no theme of that name.
    pub fn load(&self, folder: &Path) -> Result<Theme, ThemeError> {
        let name = self.name();
        let path = folder.join(format!("{name}.toml"));
        if let Ok(text) = std::fs::read_to_string(&path) {
            return Theme::from_file(&path, &text, self.depth);
        }
        Theme::shipped(name, self.depth).ok_or_else(|| ThemeError {
            file: path.display().to_string(),
            line: 1,
            message: format!("there is no theme {name:?}"),
        })
    }

    /// The shipped theme for this terminal, when [`ThemeChoice::load`] failed.
    pub fn fallback(&self) -> Theme {
        let name = match self.background {
            Background::Dark => "dark",
            Background::Light => "light",
        };
        Theme::shipped(name, self.depth).unwrap_or_else(Theme::mono)
    }
}
