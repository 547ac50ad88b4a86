//! `NO_COLOR`: nothing on the screen is told by colour alone, and none goes out.

use std::path::Path;

use serde_json::json;

use crate::driver::Terminal;
use crate::support::gh::{Gh, checks, pull};
use crate::support::{TestHome, binary};

/// What an agent writes that likes colours.
const COLOURFUL: &str =
    "print \x1b[31mred\x1b[0m \x1b[48;5;22mground\x1b[0m \x1b[38;2;9;9;9mtrue\x1b[0m";

/// Parameters of every SGR sequence that was written.
fn rendition(written: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(written);
    let parts = text.split("\x1b[").skip(1);
    let whole = parts.filter_map(|part| {
        let end = part.find(|c: char| c.is_ascii_alphabetic() || "@`~{|}^_".contains(c))?;
        part[end..].starts_with('m').then(|| part[..end].to_owned())
    });
    whole.collect()
}

/// Whether one of these parameters gives a colour; 39, 49 and 59 take one away.
fn is_coloured(parameters: &str) -> bool {
    parameters.split([';', ':']).any(|parameter| {
        matches!(
            parameter.parse().unwrap_or(0_u16),
            30..=38 | 40..=48 | 58 | 90..=97 | 100..=107
        )
    })
}

/// look.md 1 and 3: with `NO_COLOR` no colour goes out, whatever is on view, and every zone is told by glyph and
/// word, in the row and on top.
#[test]
fn without_colour_every_zone_is_told_by_glyph_and_word() {
    let home = TestHome::new();
    let repository = home.project("shop");
    repository.git(&["remote", "add", "origin", "https://github.com/acme/shop"]);
    let spawn = |script: &str| home.spawn(["--project", "shop"], script);
    // Parted by line ends, as the colours have semicolons.
    let asks = spawn(&format!("{COLOURFUL}\nask permission Run it? | Yes | No\nwait"));
    let works = spawn("print ready;status working;wait");
    let rests = spawn("forever;prompt;end");
    let [failed, approved, open] = [(); 3].map(|()| spawn("forever;prompt;end"));
    let branch = |id: &str| home.show(id)["branch"].as_str().unwrap().to_owned();
    let gh = Gh::new(&home);
    gh.answer(&[
        pull(1, &branch(&failed), &checks("FAILURE")),
        pull(2, &branch(&approved), &json!({"reviewDecision": "APPROVED"})),
        pull(3, &branch(&open), &json!({})),
    ]);
    std::fs::write(Path::new(home.show(&asks)["folder"].as_str().unwrap()).join("new"), "new\n")
        .unwrap();
    let search = gh.search().into_string().unwrap();
    let variables = [("PATH", search.as_str()), ("NO_COLOR", "1")];
    let mut console =
        Terminal::start_program(Path::new(binary()), home.path(), repository.path(), &variables);
    console.resize(200, 60);
    for (id, glyph, word) in [
        (&asks, "?", "needs input"),
        (&failed, "«", "CI failed"),
        (&approved, "»", "approved"),
        (&open, "◊", "PR open"),
        (&works, "►", "working"),
        (&rests, "◦", "idle"),
    ] {
        console.see_row(&[&format!("{glyph}  {id} "), word]);
    }
    for zone in ["?  1 need you", "«  1 review", "»  1 merge", "◊  1 pending", "►  1 working"]
    {
        console.see(zone);
    }
    console.see("◦  1 resting");
    console.see("red ground true");
    for key in ["i", "D"] {
        console.press(key);
    }
    console.see("+new");
    console.press("Esc");
    for (key, shows) in [("*", "6 marked"), ("?", "Keys for the"), ("d", "Delete 6 sessions")] {
        console.press(key);
        console.see(shows);
        if key != "*" {
            console.press("Esc");
            console.see_no(shows);
        }
    }
    console.press("T");
    console.see("6 of 6");
    console.press("q");
    console.press("q");
    assert!(console.exit().success());
    let told = rendition(&console.written());
    let coloured: Vec<&String> = told.iter().filter(|it| is_coloured(it)).collect();
    assert!(coloured.is_empty(), "{coloured:?}");
    for (mode, what) in [("1", "bold"), ("7", "reverse"), ("2", "dim")] {
        assert!(told.iter().any(|it| it == mode), "{what} is used");
    }
    home.finish();
}

/// look.md 3: with `theme = "auto"` the theme is that of the terminal's ground, also when the operator comes back
/// to a terminal that has got another one.
#[test]
fn the_theme_follows_the_ground_of_the_terminal() {
    const LIGHT: &str = "38;2;32;38;45";
    let home = TestHome::new();
    home.scripted("print ready;wait");
    let mut console = Terminal::start(home.path(), home.path(), &[], 120, 40);
    console.see_row(&["chat-1"]);
    console.see("ready");
    // Something that is drawn after the first answer.
    console.press("?");
    console.see("Keys for the");
    assert!(!console.received(LIGHT), "dark");
    console.colours((0, 0, 0), (255, 255, 255));
    console.write(b"\x1b[O\x1b[I");
    console.see_bytes(LIGHT);
    console.press("Esc");
    console.see_no("Keys for the");
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}
