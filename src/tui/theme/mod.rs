//! Colours and type by role (`spec/look.md` sections 3, 4 and 10): theme files say what a role looks
//! like, the terminal says how many colours there are, views name roles and nothing else.

mod choose;
mod file;
mod palette;
#[cfg(test)]
mod tests;

use std::path::Path;

use ratatui::style::{Color, Modifier, Style};

pub use choose::{Background, Depth, ThemeChoice, background_from_colorfgbg, background_from_osc};
pub use file::ThemeError;
use file::{Basic, Paint, ThemeFile};
use palette::Rgb;
pub use palette::nearest_256;

macro_rules! named {
    ($(#[$doc:meta])* $type:ident { $($(#[$vdoc:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type {
            $($(#[$vdoc])* $variant,)+
        }

        impl $type {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its name in a theme file.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// The value of a name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)+ _ => None }
            }

            fn names() -> impl Iterator<Item = &'static str> {
                Self::ALL.iter().map(|value| value.name())
            }
        }
    };
}

named! {
    /// What a piece of the screen is for; decides colour and modifiers.
    Role {
        /// Titles, values, keys.
        Text = "text",
        /// Ids, ages, labels, resting rows.
        Muted = "muted",
        /// Rules, separators, tree lines, boxes.
        Border = "border",
        /// Focus, selection bar, marks, busy jobs, matches.
        Accent = "accent",
        /// Zone respond, warnings in a plan.
        Respond = "respond",
        /// Errored, failed, the delete button, removed lines.
        Danger = "danger",
        /// Zone review.
        Review = "review",
        /// Zone merge, added lines.
        Merge = "merge",
        /// Zone pending, the glyph only.
        Pending = "pending",
        /// Zone working, the glyph only.
        Working = "working",
        /// Everything under an open dialog.
        Veil = "veil",
        /// Added lines.
        Add = "add",
        /// Removed lines.
        Del = "del",
        /// Names of keys.
        Key = "key",
        /// Title of the pane in focus.
        Title = "title",
        /// The sign of a marked row.
        Mark = "mark",
        /// Busy words.
        Busy = "busy",
        /// Stale values.
        Stale = "stale",
        /// Titles with attention.
        Attention = "attention",
        /// The border of a dialog.
        Frame = "frame",
        /// Letters that match a find.
        Match = "match",
    }
}

named! {
    /// A filled background.
    Ground {
        /// The selected row, with the focus.
        Select = "select",
        /// The selected row, focus elsewhere.
        SelectOff = "select_off",
        /// Dialogs and toasts.
        Overlay = "overlay",
    }
}

/// A theme, resolved for one depth of colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    name: String,
    depth: Depth,
    light: bool,
    roles: Vec<Style>,
    grounds: Vec<Style>,
}

/// Shipped themes: name and text.
const SHIPPED: [(&str, &str); 4] = [
    ("dark", include_str!("../../../assets/themes/dark.toml")),
    ("light", include_str!("../../../assets/themes/light.toml")),
    ("high-contrast-dark", include_str!("../../../assets/themes/high-contrast-dark.toml")),
    ("high-contrast-light", include_str!("../../../assets/themes/high-contrast-light.toml")),
];

/// Contrast that text keeps where a colour is computed.
const LEAST_CONTRAST: f64 = 4.5;

impl Theme {
    /// The built-in theme without any colour.
    pub fn mono() -> Self {
        let role = |role: &Role| match role {
            Role::Border | Role::Veil | Role::Frame => Style::new().add_modifier(Modifier::DIM),
            Role::Key | Role::Title | Role::Mark | Role::Attention => {
                Style::new().add_modifier(Modifier::BOLD)
            }
            Role::Busy | Role::Stale => Style::new().add_modifier(Modifier::ITALIC),
            Role::Match => Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            _ => Style::new(),
        };
        let ground = |ground: &Ground| match ground {
            Ground::Select => Style::new().add_modifier(Modifier::REVERSED),
            Ground::SelectOff | Ground::Overlay => Style::new(),
        };
        Self {
            name: "mono".to_owned(),
            depth: Depth::Mono,
            light: false,
            roles: Role::ALL.iter().map(role).collect(),
            grounds: Ground::ALL.iter().map(ground).collect(),
        }
    }

    /// A shipped theme; none where there is no such name.
    pub fn shipped(name: &str, depth: Depth) -> Option<Self> {
        if depth == Depth::Mono || name == "mono" {
            return Some(Self::mono());
        }
        let file = shipped_file(name)?;
        Some(Self::resolve(&file, depth))
    }

    /// The theme of a user's file. What it does not say is taken from the shipped theme of the same
    /// ground.
    ///
    /// # Errors
    /// The text is no theme; the error names file, line and the nearest known word.
    pub fn from_file(path: &Path, text: &str, depth: Depth) -> Result<Self, ThemeError> {
        let file = ThemeFile::parse(path, text)?;
        Ok(if depth == Depth::Mono { Self::mono() } else { Self::resolve(&file, depth) })
    }

    fn resolve(file: &ThemeFile, depth: Depth) -> Self {
        let base = shipped_file(if file.light { "light" } else { "dark" });
        let base = base.as_ref();
        let ground_paint = |ground: &Ground| {
            let fallback = || base.and_then(|base| base.grounds.get(ground));
            file.grounds.get(ground).or_else(fallback).copied().unwrap_or_default()
        };
        let role_paint = |role: &Role| {
            let fallback = || base.and_then(|base| base.roles.get(role));
            file.roles.get(role).or_else(fallback).copied().unwrap_or_default()
        };
        let ground_paints: Vec<Paint> = Ground::ALL.iter().map(ground_paint).collect();
        let seen = assumed_grounds(file.light, depth, &ground_paints);
        let role_style = |role: &Role| {
            let paint = role_paint(role);
            let quiet = matches!(role, Role::Border | Role::Veil);
            let style = Style::new().add_modifier(paint.mods);
            match colour(&paint, depth, if quiet { &[] } else { &seen }) {
                Some(colour) => style.fg(colour),
                None => style,
            }
        };
        Self {
            name: file.name.clone(),
            depth,
            light: file.light,
            roles: Role::ALL.iter().map(role_style).collect(),
            grounds: ground_paints.iter().map(|paint| ground_style(paint, depth)).collect(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many colours it uses.
    pub fn depth(&self) -> Depth {
        self.depth
    }

    /// Made for light grounds.
    pub fn is_light(&self) -> bool {
        self.light
    }

    /// Colour and modifiers of a role.
    pub fn style(&self, role: Role) -> Style {
        self.roles.get(role as usize).copied().unwrap_or_default()
    }

    /// Background, or what stands for it, of a ground.
    pub fn ground(&self, ground: Ground) -> Style {
        self.grounds.get(ground as usize).copied().unwrap_or_default()
    }

    /// Whether dialogs and toasts stand out by their ground; else they have a full thin box.
    pub fn has_overlay(&self) -> bool {
        self.ground(Ground::Overlay).bg.is_some()
    }
}

fn shipped_file(name: &str) -> Option<ThemeFile> {
    let (name, text) = SHIPPED.iter().find(|(known, _)| *known == name)?;
    ThemeFile::parse(Path::new(name), text).ok()
}

/// The grounds on which text must be readable: what terminals have, and our own.
fn assumed_grounds(light: bool, depth: Depth, own: &[Paint]) -> Vec<Rgb> {
    let mut grounds = if light {
        vec![Rgb(0xff, 0xff, 0xff), Rgb(0xfd, 0xf6, 0xe3)]
    } else {
        vec![Rgb(0, 0, 0), Rgb(0x28, 0x2c, 0x34)]
    };
    grounds.extend(own.iter().filter_map(|paint| match depth {
        Depth::C256 => index(paint, &[]).map(Rgb::of_256),
        _ => paint.rgb,
    }));
    grounds
}

/// Its colour of 256; the nearest that stays readable where the file names none.
fn index(paint: &Paint, grounds: &[Rgb]) -> Option<u8> {
    paint.c256.or_else(|| {
        let rgb = paint.rgb?;
        Some(rgb.nearest_256(if grounds.is_empty() { 0.0 } else { LEAST_CONTRAST }, grounds))
    })
}

fn basic(paint: &Paint) -> Option<Color> {
    const NAMED: [Color; 16] = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    match paint.c16 {
        Basic::Colour(number) => NAMED.get(usize::from(number)).copied(),
        Basic::Default | Basic::Reverse => None,
    }
}

fn colour(paint: &Paint, depth: Depth, grounds: &[Rgb]) -> Option<Color> {
    let indexed = || index(paint, grounds).map(Color::Indexed);
    match depth {
        Depth::Rgb => paint.rgb.map(|Rgb(r, g, b)| Color::Rgb(r, g, b)).or_else(indexed),
        Depth::C256 => indexed().or_else(|| basic(paint)),
        Depth::C16 => basic(paint),
        Depth::Mono => None,
    }
}

fn ground_style(paint: &Paint, depth: Depth) -> Style {
    let style = Style::new().add_modifier(paint.mods);
    match colour(paint, depth, &[]) {
        Some(colour) => style.bg(colour),
        None if paint.c16 == Basic::Reverse => style.add_modifier(Modifier::REVERSED),
        None => style,
    }
}
