//! Colours that queries are answered with.

use rio_vt::config::colors::{ColorRgb, NamedColor};

use super::core::Core;

/// Red, green and blue.
pub(super) type Rgb = (u8, u8, u8);

impl Core {
    /// The colour a query of `index` is answered with: what the program set, else the default.
    pub(super) fn color(&self, index: usize) -> Rgb {
        if let Some(set) = self.term.colors[index] {
            let rgb = ColorRgb::from_color_arr(set);
            return (rgb.r, rgb.g, rgb.b);
        }
        let (fg, bg) = self.defaults;
        match index {
            0..=255 => palette(index as u8),
            _ if index == NamedColor::Background as usize => bg,
            _ => fg,
        }
    }
}

/// xterm's 256 colours: 16 named ones, a 6x6x6 cube, 24 greys.
fn palette(index: u8) -> Rgb {
    const NAMED: [Rgb; 16] = [
        (0, 0, 0),
        (205, 0, 0),
        (0, 205, 0),
        (205, 205, 0),
        (0, 0, 238),
        (205, 0, 205),
        (0, 205, 205),
        (229, 229, 229),
        (127, 127, 127),
        (255, 0, 0),
        (0, 255, 0),
        (255, 255, 0),
        (92, 92, 255),
        (255, 0, 255),
        (0, 255, 255),
        (255, 255, 255),
    ];
    let level = |value: u8| if value == 0 { 0 } else { 55 + 40 * value };
    match index {
        0..16 => NAMED[usize::from(index)],
        16..232 => {
            let cube = index - 16;
            (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        232..=255 => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    }
}
