//! `screen --ansi`: an agent's screen as text with its colours.

use std::fmt::Write as _;
use std::path::Path;

use crate::runtime::client::{ClientError, Keeper, ScreenUpdate};
use crate::runtime::screen::{CellRef, Color, Screen, Size, Style, Underline};

/// The screen of the keeper at `socket` with up to so many rows of history before it.
///
/// # Errors
/// The keeper is gone.
pub(crate) async fn read(socket: &Path, history: usize) -> Result<String, ClientError> {
    let (mut feed, _hand) = Keeper::connect(socket).await?.subscribe_screen(history).await?;
    loop {
        match feed.next().await {
            ScreenUpdate::Snapshot { cols, rows, bytes } => {
                let mut screen = Screen::new(Size { cols, rows }, history);
                screen.replay(&bytes);
                return Ok(text(&screen, history));
            }
            ScreenUpdate::Closed => return Err(ClientError::Gone { socket: socket.to_owned() }),
            _ => {}
        }
    }
}

/// The rows of a screen, each ending in the plain style; empty ones at the end are left out.
fn text(screen: &Screen, history: usize) -> String {
    let before = i32::try_from(history.min(screen.scrollback_len())).unwrap_or(0);
    let rows: Vec<String> =
        (-before..i32::from(screen.size().rows)).map(|index| row(screen, index)).collect();
    let used = rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
    rows[..used].join("\n")
}

fn row(screen: &Screen, index: i32) -> String {
    let mut text = String::new();
    let mut now = Style::default();
    let mut blanks = 0;
    screen.row(index, &mut |cell: CellRef<'_>| {
        // Plain blanks are only written where something follows.
        if cell.text == " " && cell.style == Style::default() {
            blanks += 1;
            return;
        }
        if blanks > 0 {
            change(&mut text, &mut now, Style::default());
            text.extend(std::iter::repeat_n(' ', std::mem::take(&mut blanks)));
        }
        change(&mut text, &mut now, cell.style);
        text.push_str(if cell.style.hidden { " " } else { cell.text });
    });
    change(&mut text, &mut now, Style::default());
    text
}

fn change(text: &mut String, now: &mut Style, next: Style) {
    if *now != next {
        *now = next;
        text.push_str(&graphics(next));
    }
}

/// The escape sequence that sets a style, whatever was set before.
fn graphics(style: Style) -> String {
    let flags = [
        (style.bold, "1"),
        (style.dim, "2"),
        (style.italic, "3"),
        (style.underline != Underline::None, "4"),
        (style.blink, "5"),
        (style.inverse, "7"),
        (style.strike, "9"),
    ];
    let mut codes = "\x1b[0".to_owned();
    for (_, code) in flags.iter().filter(|(set, _)| *set) {
        codes.push(';');
        codes.push_str(code);
    }
    for (plane, color) in [(38, style.fg), (48, style.bg)] {
        // Writing into a text cannot fail.
        let _written = match color {
            Color::Default => Ok(()),
            Color::Indexed(index) => write!(codes, ";{plane};5;{index}"),
            Color::Rgb(red, green, blue) => write!(codes, ";{plane};2;{red};{green};{blue}"),
        };
    }
    codes.push('m');
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_survive_and_plain_ends_do_not() {
        let mut screen = Screen::new(Size { cols: 20, rows: 4 }, 10);
        screen.feed(b"plain \x1b[1;31mred\x1b[0m   \r\n\r\n  \x1b[48;2;1;2;3mx\x1b[0m");
        assert_eq!(
            text(&screen, 0),
            "plain \x1b[0;1;38;5;1mred\x1b[0m\n\n  \x1b[0;48;2;1;2;3mx\x1b[0m"
        );
    }

    #[test]
    fn history_comes_before_the_screen() {
        let mut screen = Screen::new(Size { cols: 20, rows: 2 }, 10);
        screen.feed(b"one\r\ntwo\r\nthree\r\nfour");
        assert_eq!(text(&screen, 1), "two\nthree\nfour");
    }
}
