//! The glyphs of the screen, in Unicode and in ASCII (`spec/look.md` section 2). Each is one cell.

macro_rules! glyphs {
    ($($(#[$doc:meta])* $name:ident = $unicode:literal $ascii:literal;)+) => {
        /// One set of glyphs; every field is one cell wide.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Glyphs {
            $($(#[$doc])* pub $name: &'static str,)+
        }

        impl Glyphs {
            /// For terminals with UTF-8 and a full font.
            pub const UNICODE: Self = Self { $($name: $unicode,)+ };
            /// For every other terminal.
            pub const ASCII: Self = Self { $($name: $ascii,)+ };

            /// Every glyph with its name.
            pub fn all(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($name), self.$name)),+]
            }
        }
    };
}

glyphs! {
    /// `needs_input`; zone respond in counts; a job that is stuck.
    needs_input = "?" "?";
    /// `stuck`; a warning line; a job partly done.
    stuck = "!" "!";
    /// `errored`; an error message.
    errored = "✗" "x";
    /// `detecting`; a job acts on this row.
    detecting = "◌" ":";
    /// Zone review.
    review = "«" "<";
    /// Zone merge.
    merge = "»" "^";
    /// Zone pending.
    pending = "◊" "o";
    /// `working`; the activity mark beside another state; a running job.
    working = "►" ">";
    /// `spawning`.
    spawning = "▻" "+";
    /// `idle`; zone resting in counts; a waiting job.
    idle = "◦" ".";
    /// `done`, `merged`; a finished job.
    done = "✓" "=";
    /// `killed`, `cleanup`, `terminated`; a cancelled job; skipped.
    ended = "-" "-";
    /// Selected row, focused field.
    bar = "▐" "|";
    /// Marked.
    mark = "*" "*";
    /// Pulled into a plan.
    pulled = "+" "+";
    /// Before a stale value.
    stale = "~" "~";
    /// Child of the row above.
    child = "└" "`";
    /// Cut at the end.
    cut = "…" "~";
    /// The agent's row goes on to the right.
    more = "›" ">";
    /// Left of a choice field.
    choice_left = "‹" "<";
    /// Right of a choice field.
    choice_right = "›" ">";
    /// Separator inside a title.
    dot = "∙" "-";
    /// Before removed lines.
    minus = "−" "-";
    /// Arrow up, as the name of a key.
    up = "↑" "^";
    /// Arrow down, as the name of a key.
    down = "↓" "v";
    /// Rule.
    rule = "─" "-";
    /// Rule of the pane in focus; progress that is done.
    heavy = "━" "=";
    /// Progress to do.
    todo = "─" "-";
    /// Line between columns.
    column = "│" "|";
    /// Column line hanging from a rule.
    tee_down = "┬" "+";
    /// Column line hanging from a rule that is heavy on its left.
    tee_down_left = "┭" "+";
    /// Column line hanging from a rule that is heavy on its right.
    tee_down_right = "┮" "+";
    /// Column line hanging from a heavy rule.
    tee_down_heavy = "┯" "+";
    /// Column line ending on a rule.
    tee_up = "┴" "+";
    /// Rule starting at a column line.
    tee_right = "├" "+";
    /// Heavy rule starting at a column line.
    tee_right_heavy = "┝" "+";
    /// Rule ending at a column line.
    tee_left = "┤" "+";
    /// Rule crossing a column line.
    cross = "┼" "+";
    /// Corner of a thin box, top left.
    top_left = "┌" "+";
    /// Corner of a thin box, top right.
    top_right = "┐" "+";
    /// Corner of a box, bottom left.
    bottom_left = "└" "+";
    /// Corner of a box, bottom right.
    bottom_right = "┘" "+";
    /// Corner of a dialog, top left.
    dialog_left = "┍" "+";
    /// Corner of a dialog, top right.
    dialog_right = "┑" "+";
}

/// What decides between the two sets, read from the environment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// `glyphs` of the configuration: `auto`, `unicode` or `ascii`.
    pub setting: &'a str,
    /// The first of `LC_ALL`, `LC_CTYPE`, `LANG` that is set and not empty.
    pub locale: &'a str,
    /// `TERM`.
    pub term: &'a str,
}

impl Glyphs {
    /// The set for these surroundings; the terminal's own answer may still change it.
    pub fn choose(from: Surroundings<'_>) -> Self {
        let locale = from.locale.to_ascii_lowercase();
        let utf8 = locale.contains("utf-8") || locale.contains("utf8");
        match from.setting {
            "unicode" => Self::UNICODE,
            "ascii" => Self::ASCII,
            _ if utf8 && !matches!(from.term, "dumb" | "linux") => Self::UNICODE,
            _ => Self::ASCII,
        }
    }

    /// Whether this is the ASCII set.
    pub fn is_ascii(&self) -> bool {
        self.rule == Self::ASCII.rule
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

    /// Wide in East Asian fonts, used all the same (`spec/look.md` section 2).
    const AMBIGUOUS: &str = "…↑↓─━│┬┭┮┯┴├┝┤┼┌┐└┘┍┑";

    #[test]
    fn every_glyph_is_one_cell() {
        for (name, glyph) in Glyphs::UNICODE.all() {
            assert_eq!(glyph.width(), 1, "{name}");
            assert!(AMBIGUOUS.contains(glyph) || glyph.width_cjk() == 1, "{name}");
        }
    }

    #[test]
    fn the_ascii_set_is_printable_ascii() {
        for (name, glyph) in Glyphs::ASCII.all() {
            assert!(glyph.len() == 1 && (0x20..=0x7e).contains(&glyph.as_bytes()[0]), "{name}");
        }
    }

    #[rstest::rstest]
    #[case("auto", "C.UTF-8", "xterm", false)]
    #[case("auto", "en_US.utf8", "xterm-256color", false)]
    #[case("auto", "C", "xterm", true)]
    #[case("auto", "C.UTF-8", "linux", true)]
    #[case("auto", "C.UTF-8", "dumb", true)]
    #[case("unicode", "C", "dumb", false)]
    #[case("ascii", "C.UTF-8", "xterm", true)]
    fn the_set_is_chosen_by_setting_locale_and_term(
        #[case] setting: &str,
        #[case] locale: &str,
        #[case] term: &str,
        #[case] ascii: bool,
    ) {
        assert_eq!(Glyphs::choose(Surroundings { setting, locale, term }).is_ascii(), ascii);
    }
}
