use std::path::Path;

use ratatui::style::{Color, Modifier};
use rstest::rstest;

use super::choose::{background_from_colorfgbg, background_from_osc};
use super::*;

/// Text roles: all but those that carry nothing which is not elsewhere.
fn text_roles() -> impl Iterator<Item = Role> {
    let quiet = [Role::Border, Role::Veil, Role::Frame];
    Role::ALL.iter().copied().filter(move |role| !quiet.contains(role))
}

fn rgb_of(colour: Color) -> Rgb {
    match colour {
        Color::Rgb(r, g, b) => Rgb(r, g, b),
        Color::Indexed(index) => Rgb::of_256(index),
        other => panic!("{other:?} is not a fixed colour"),
    }
}

#[rstest]
#[case("dark", 4.5)]
#[case("light", 4.5)]
#[case("high-contrast-dark", 7.0)]
#[case("high-contrast-light", 7.0)]
fn text_is_readable_on_every_ground(#[case] name: &str, #[case] least: f64) {
    for depth in [Depth::Rgb, Depth::C256] {
        let theme = Theme::shipped(name, depth).unwrap();
        let mut grounds = assumed_grounds(theme.is_light(), depth, &[]);
        let own = Ground::ALL.iter().map(|ground| rgb_of(theme.ground(*ground).bg.unwrap()));
        grounds.extend(own);
        for role in text_roles() {
            let colour = rgb_of(theme.style(role).fg.unwrap());
            let contrast = colour.lowest_contrast(&grounds);
            // The specification gives 4.5 with one digit after the point.
            assert!(contrast >= least - 0.05, "{name} {depth:?} {}: {contrast:.2}", role.name());
        }
    }
}

#[test]
fn shipped_files_say_everything_and_carry_their_name() {
    for (name, text) in SHIPPED {
        let file = ThemeFile::parse(Path::new(name), text).unwrap();
        assert_eq!(file.name, name);
        assert_eq!(file.light, name.ends_with("light"));
        assert_eq!(file.roles.len(), Role::ALL.len(), "{name}");
        assert_eq!(file.grounds.len(), Ground::ALL.len(), "{name}");
    }
}

#[rstest]
#[case("[roles]\n\nmutd = \"text\"", 3, "no role \"mutd\". Did you mean muted?")]
#[case("[roles]\nmuted = \"txt\"", 2, "no role \"txt\". Did you mean text?")]
#[case("[roles]\nmuted = { rbg = \"#000000\" }", 2, "no key \"rbg\". Did you mean rgb?")]
#[case("[grounds]\nselct = { c256 = 1 }", 2, "no ground \"selct\". Did you mean select?")]
#[case("[roles]\ntext = { c256 = 256 }", 2, "a number from 0 to 255 is needed")]
#[case("[roles]\ntext = { mods = [\"blod\"] }", 2, "no modifier \"blod\". Did you mean bold?")]
#[case("[roles]\nadd = \"del\"\ndel = \"add\"", 3, "add starts from itself")]
#[case("ground = \"drak\"", 1, "no ground \"drak\". Did you mean dark?")]
fn a_mistake_names_line_and_nearest_word(
    #[case] text: &str,
    #[case] line: usize,
    #[case] message: &str,
) {
    let error = Theme::from_file(Path::new("mine.toml"), text, Depth::Rgb).unwrap_err();
    assert_eq!((error.line, error.message.as_str()), (line, message));
    assert!(error.to_string().starts_with("mine.toml line "));
}

#[test]
fn what_a_file_leaves_out_comes_from_the_shipped_theme() {
    let text = "ground = \"light\"\n[roles]\naccent = { rgb = \"#0a58a8\", mods = [\"bold\"] }\n";
    let mine = Theme::from_file(Path::new("mine.toml"), text, Depth::Rgb).unwrap();
    let light = Theme::shipped("light", Depth::Rgb).unwrap();
    assert_eq!(mine.name(), "mine");
    assert_eq!(mine.style(Role::Danger), light.style(Role::Danger));
    assert_eq!(mine.ground(Ground::Select), light.ground(Ground::Select));
    assert!(mine.style(Role::Accent).add_modifier.contains(Modifier::BOLD));
}

#[test]
fn sixteen_colours_select_by_reverse_and_have_no_overlay() {
    let theme = Theme::shipped("dark", Depth::C16).unwrap();
    assert_eq!(theme.ground(Ground::Select).add_modifier, Modifier::REVERSED);
    assert_eq!(theme.ground(Ground::SelectOff), Style::new());
    assert!(!theme.has_overlay());
    assert_eq!(theme.style(Role::Accent).fg, Some(Color::LightCyan));
    assert_eq!(theme.style(Role::Text).fg, None);
    assert!(Theme::shipped("dark", Depth::Rgb).unwrap().has_overlay());
}

#[test]
fn a_missing_colour_of_256_is_the_nearest_that_can_be_read() {
    let text = "[roles]\nmuted = { rgb = \"#606060\" }\nborder = { rgb = \"#606060\" }\n";
    let theme = Theme::from_file(Path::new("mine.toml"), text, Depth::C256).unwrap();
    assert_eq!(theme.style(Role::Border).fg, Some(Color::Indexed(59)));
    let muted = rgb_of(theme.style(Role::Muted).fg.unwrap());
    assert!(muted.contrast(Rgb(0x28, 0x2c, 0x34)) >= 4.5);
}

#[test]
fn mono_has_no_colour_at_all() {
    let theme = Theme::shipped("light", Depth::Mono).unwrap();
    for role in Role::ALL {
        let style = theme.style(*role);
        assert_eq!((style.fg, style.bg), (None, None));
    }
    for ground in Ground::ALL {
        assert_eq!(theme.ground(*ground).bg, None);
    }
}

#[rstest]
#[case("1", "truecolor", "xterm-256color", Depth::Mono)]
#[case("", "truecolor", "dumb", Depth::Rgb)]
#[case("", "24bit", "", Depth::Rgb)]
#[case("", "", "screen-256color", Depth::C256)]
#[case("", "", "dumb", Depth::Mono)]
#[case("", "", "xterm", Depth::C16)]
fn the_terminal_says_how_many_colours(
    #[case] no_color: &str,
    #[case] colorterm: &str,
    #[case] term: &str,
    #[case] depth: Depth,
) {
    assert_eq!(Depth::choose(no_color, colorterm, term), depth);
}

#[test]
fn the_ground_is_read_from_the_terminal_or_its_environment() {
    assert_eq!(background_from_osc("11;rgb:1e1e/1e1e/2e2e"), Some(Background::Dark));
    assert_eq!(background_from_osc("11;rgb:fd/f6/e3"), Some(Background::Light));
    assert_eq!(background_from_osc("11;rgba:ffff/ffff/ffff/ffff"), Some(Background::Light));
    assert_eq!(background_from_osc("10;rgb:ff/ff/ff"), None);
    assert_eq!(background_from_osc("11;rgb:ff/f"), None);
    assert_eq!(background_from_colorfgbg("15;0"), Some(Background::Dark));
    assert_eq!(background_from_colorfgbg("0;default;15"), Some(Background::Light));
    assert_eq!(background_from_colorfgbg(""), None);
}

#[test]
fn a_users_theme_wins_over_a_shipped_one() {
    let folder = tempfile::tempdir().unwrap();
    let choice = |setting: &str| ThemeChoice {
        setting: setting.to_owned(),
        depth: Depth::Rgb,
        background: Background::Light,
    };
    assert_eq!(choice("auto").load(folder.path()).unwrap().name(), "light");
    std::fs::write(folder.path().join("light.toml"), "name = \"mine\"").unwrap();
    assert_eq!(choice("auto").load(folder.path()).unwrap().name(), "mine");
    let missing = choice("solar").load(folder.path()).unwrap_err();
    assert!(missing.to_string().contains("there is no theme \"solar\""));
    assert_eq!(choice("solar").fallback().name(), "light");
}
