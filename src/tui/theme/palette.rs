//! Colours as numbers: the 256 colours of a terminal, contrast, and the nearest readable one.

/// Red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Reads `#rrggbb`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let value = u32::from_str_radix(digits, 16).ok()?;
        let [_, red, green, blue] = value.to_be_bytes();
        Some(Self(red, green, blue))
    }

    /// Colour 16 to 255 of the usual palette: a cube of 6x6x6 and 24 greys. The first sixteen belong
    /// to the user's own scheme.
    pub(crate) fn of_256(index: u8) -> Self {
        const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
        if index >= 232 {
            let grey = 8 + (index - 232) * 10;
            return Self(grey, grey, grey);
        }
        let cube = usize::from(index.saturating_sub(16));
        Self(STEPS[cube / 36], STEPS[cube / 6 % 6], STEPS[cube % 6])
    }

    /// Relative luminance (WCAG 2).
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Contrast against another colour, 1 to 21 (WCAG 2).
    pub(crate) fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// The lowest contrast against any of `grounds`.
    pub(crate) fn lowest_contrast(self, grounds: &[Self]) -> f64 {
        grounds.iter().map(|ground| self.contrast(*ground)).fold(21.0, f64::min)
    }

    /// Whether the colour is a light ground.
    pub(crate) fn is_light(self) -> bool {
        self.luminance() > 0.5_f64.powf(2.2)
    }

    /// Weighted distance as the eye sees it, roughly.
    fn distance(self, other: Self) -> u32 {
        let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        2 * square(self.0, other.0) + 4 * square(self.1, other.1) + 3 * square(self.2, other.2)
    }

    /// The nearest of the colours 16 to 255 with at least `contrast` on every ground; the one with
    /// the best contrast where none has it.
    pub(crate) fn nearest_256(self, contrast: f64, grounds: &[Self]) -> u8 {
        let readable = |index: &u8| Self::of_256(*index).lowest_contrast(grounds) >= contrast;
        let best = |a: &u8, b: &u8| {
            let of = |index: &u8| Self::of_256(*index).lowest_contrast(grounds);
            of(a).total_cmp(&of(b))
        };
        (16..=255)
            .filter(readable)
            .min_by_key(|index| self.distance(Self::of_256(*index)))
            .or_else(|| (16..=255).max_by(best))
            .unwrap_or(255)
    }
}

/// The colour of 16 to 255 that is nearest to one of all colours, without a search: agents draw
/// thousands of cells a second.
pub fn nearest_256(red: u8, green: u8, blue: u8) -> u8 {
    // Borders between the steps 0, 95, 135, 175, 215, 255 of the cube.
    let step = |channel: u8| match channel {
        0..48 => 0,
        48..115 => 1,
        _ => (channel - 35) / 40,
    };
    let cube = 16 + 36 * step(red) + 6 * step(green) + step(blue);
    let average = ((u16::from(red) + u16::from(green) + u16::from(blue)) / 3) as u8;
    let grey = 232 + (average.saturating_sub(3) / 10).min(23);
    let wanted = Rgb(red, green, blue);
    let distance = |index: u8| wanted.distance(Rgb::of_256(index));
    if distance(grey) < distance(cube) { grey } else { cube }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_and_compared() {
        assert_eq!(Rgb::parse("#28364a"), Some(Rgb(0x28, 0x36, 0x4a)));
        assert_eq!(Rgb::parse("28364a"), None);
        assert_eq!(Rgb::parse("#28364g"), None);
        assert!((Rgb(0, 0, 0).contrast(Rgb(255, 255, 255)) - 21.0).abs() < 1e-9);
        assert_eq!(Rgb::of_256(16), Rgb(0, 0, 0));
        assert_eq!(Rgb::of_256(75), Rgb(95, 175, 255));
        assert_eq!(Rgb::of_256(255), Rgb(238, 238, 238));
    }

    #[test]
    fn the_nearest_colour_keeps_its_contrast() {
        let black = [Rgb(0, 0, 0)];
        let dim = Rgb(60, 60, 60);
        assert_eq!(dim.nearest_256(1.0, &black), 237);
        assert!(Rgb::of_256(dim.nearest_256(4.5, &black)).contrast(black[0]) >= 4.5);
    }

    #[test]
    fn the_quick_way_finds_what_the_search_finds() {
        for index in 16..=255 {
            let Rgb(r, g, b) = Rgb::of_256(index);
            assert_eq!(Rgb::of_256(nearest_256(r, g, b)), Rgb(r, g, b), "{index}");
        }
    }
}
