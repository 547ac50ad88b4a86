//! Filter, recogniser and undoing, without a terminal.

use proptest::prelude::*;
use rstest::rstest;

use super::filter::{Filter, SEQUENCE_LIMIT, Titles};
use super::input::{Heard, Recogniser};
use super::restore::{MODES, Touched, restore, save, undo};
use crate::domain::key::Key;
use crate::runtime::screen::{InputModes, Screen, Size};

fn filter() -> Filter {
    Filter::new(Titles { name: "shop-1".to_owned(), hint: "Ctrl+] leaves".to_owned() })
}

/// What reaches the terminal of a stream that is cut like this.
fn passed<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let (mut filter, mut out) = (filter(), Vec::new());
    parts.into_iter().for_each(|part| filter.feed(part, &mut out));
    out
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Queries of a terminal: the keeper's engine answers them.
#[rstest]
#[case::attributes("\x1b[c")]
#[case::attributes_0("\x1b[0c")]
#[case::secondary("\x1b[>c")]
#[case::secondary_0("\x1b[>0c")]
#[case::tertiary("\x1b[=c")]
#[case::identify("\x1bZ")]
#[case::status("\x1b[5n")]
#[case::cursor("\x1b[6n")]
#[case::cursor_extended("\x1b[?6n")]
#[case::keyboard_language("\x1b[?26n")]
#[case::colour_scheme("\x1b[?996n")]
#[case::mode("\x1b[?2026$p")]
#[case::ansi_mode("\x1b[4$p")]
#[case::version("\x1b[>q")]
#[case::version_0("\x1b[>0q")]
#[case::parameters("\x1b[x")]
#[case::keyboard("\x1b[?u")]
#[case::other_keys("\x1b[?4m")]
#[case::presentation("\x1b[2$w")]
#[case::checksum("\x1b[1;1;1;1;2;2*y")]
#[case::graphics("\x1b[?1;1;0S")]
#[case::locator("\x1b['|")]
#[case::window_size("\x1b[18t")]
#[case::window_pixels("\x1b[14t")]
#[case::title("\x1b[21t")]
#[case::styles("\x1b[1;1;2;2#|")]
#[case::palette("\x1b]4;1;?\x1b\\")]
#[case::palette_mixed("\x1b]4;1;#fff;2;?\x07")]
#[case::foreground("\x1b]10;?\x1b\\")]
#[case::background("\x1b]11;?\x07")]
#[case::both("\x1b]10;#fff;?\x07")]
#[case::cursor_colour("\x1b]12;?\x07")]
#[case::kitty_colours("\x1b]21;foreground=?\x1b\\")]
#[case::pointer("\x1b]22;?__current__\x1b\\")]
#[case::clipboard("\x1b]52;c;?\x07")]
#[case::notifications("\x1b]99;i=1:p=?;\x1b\\")]
#[case::status_protocol("\x1b]7501;?\x1b\\")]
#[case::setting("\x1bP$qm\x1b\\")]
#[case::capability("\x1bP+q544e\x1b\\")]
#[case::kitty_graphics("\x1b_Gi=31,a=q;AAAA\x1b\\")]
#[case::answer_back("\x05")]
// What reaches beyond the screen.
#[case::resize("\x1b[8;10;10t")]
#[case::iconify("\x1b[2t")]
#[case::wide("\x1b[?3h")]
#[case::scrollback("\x1b[3J")]
#[case::print("\x1b[5i")]
#[case::eight_bits("\x1b G")]
#[case::not_utf8("\x1b%@")]
#[case::old_terminal("\x1b[?2l")]
#[case::keyboard_lock("\x1b[2h")]
#[case::windows_keys("\x1b[?9001h")]
#[case::saved_modes("\x1b[?1049s")]
#[case::folder("\x1b]7;file://h/x\x07")]
#[case::iterm("\x1b]1337;File=inline=1:AAAA\x07")]
#[case::passthrough("\x1bPtmux;\x1b\x1b[c\x1b\\")]
#[case::old_title("\x1bk")]
fn is_left_out(#[case] query: &str) {
    let stream = format!("a{query}b");
    assert_eq!(text(&passed([stream.as_bytes()])), "ab");
    assert_eq!(text(&passed(stream.as_bytes().chunks(1))), "ab");
}

#[rstest]
#[case("plain\r\n\ttext\x07\x08 with é, 漢字, 👍🏽, «°»")]
#[case("\x1b[1;38;2;1;2;3;4:3m\x1b[m\x1b[2J\x1b[K\x1b[?J\x1b[10;20H\x1b[5A\x1b[3L\x1b[2@\x1b[4b")]
#[case("\x1b[2;10r\x1b[?6h\x1b[?1049h\x1b[?1000;1006h\x1b[?2004h\x1b[?2026h\x1b[?2026l")]
#[case("\x1b7\x1b8\x1b(0\x0elqk\x0f\x1b(B\x1bM\x1bD\x1b=\x1b>\x1b#8\x1bH\x1b[g\x1b[3g")]
#[case("\x1b[>1u\x1b[=5;1u\x1b[<u\x1b[>4;2m\x1b[>4m\x1b[2 q\x1b[!p\x1b[s\x1b[u")]
#[case("\x1b]8;id=1;https://x.y/z\x1b\\link\x1b]8;;\x07\x1b]133;A\x07\x1b]9;done\x07")]
#[case(
    "\x1b]4;1;#ff0000\x07\x1b]10;#fff\x07\x1b]104\x07\x1b]110\x07\x1b]9;4;1;50\x07\x1b]777;notify;a;b\x07"
)]
fn is_passed_on(#[case] stream: &str) {
    assert_eq!(text(&passed([stream.as_bytes()])), stream);
    assert_eq!(text(&passed(stream.as_bytes().chunks(1))), stream);
}

#[rstest]
#[case::some_modes("\x1b[?3;25;40l", "\x1b[?25l")]
#[case::too_many_pops("\x1b[>1u\x1b[<9u", "\x1b[>1u\x1b[<1u\x1b[=0u")]
#[case::cancelled("\x1b[12\x18a", "a")]
#[case::begun_anew("\x1b[12\x1b[5Ca", "\x1b[5Ca")]
#[case::controls_within("\x1b[2\nC\x1b[6\rn", "\n\x1b[2C\r")]
#[case::a_coded_control("\u{9b}c\u{80}é\u{a0}", "cé\u{a0}")]
#[case::a_title("\x1b]0;work\x07", "\x1b]2;work | Ctrl+] leaves\x1b\\")]
#[case::no_title("\x1b]2;\x1b\\", "\x1b]2;shop-1 | Ctrl+] leaves\x1b\\")]
#[case::a_string_that_hides_one("\x1b]8;;x\u{9c}\x07a", "a")]
#[case::a_link_that_nobody_opens(
    "\x1b]8;;javascript:a\x07a\x1b]8;;\x07",
    "\x1b]8;;\x1b\\a\x1b]8;;\x07"
)]
#[case::a_string_that_is_cut_off("\x1b]2;x\x1b[5Ca", "\x1b[5Ca")]
#[case::a_command("\x1b]9;9;/tmp\x07\x1b]9;3 failed\x07", "\x1b]9;3 failed\x07")]
fn is_changed(#[case] stream: &str, #[case] expected: &str) {
    assert_eq!(text(&passed([stream.as_bytes()])), expected);
    assert_eq!(text(&passed(stream.as_bytes().chunks(1))), expected);
}

#[test]
fn what_is_copied_passes_when_it_may() {
    let copy = b"\x1b]52;c;aGk=\x07";
    assert_eq!(text(&passed([&copy[..]])), "");
    let (mut filter, mut out) = (filter(), Vec::new());
    filter.clipboard = true;
    filter.feed(copy, &mut out);
    filter.feed(b"\x1b]52;c;?\x07", &mut out);
    assert_eq!(out, copy);
}

#[test]
fn strings_without_an_end_are_bounded() {
    for begin in ["\x1b]8;;", "\x1bP", "\x1b_", "\x1b["] {
        let (mut filter, mut out) = (filter(), Vec::new());
        filter.feed(begin.as_bytes(), &mut out);
        for _ in 0..64 {
            filter.feed(&[b'1'; 8 << 10], &mut out);
        }
        assert!(filter.kept() <= SEQUENCE_LIMIT + 1, "{}", filter.kept());
        filter.feed(b"m\x1b\\after", &mut out);
        assert_eq!(text(&out), "after", "{begin:?}");
    }
}

#[test]
fn a_full_reset_keeps_the_terminal_usable() {
    let out = text(&passed([&b"\x1b[?1049h\x1b[>1u\x1bcx"[..]]));
    assert!(out.contains("\x1b[?1049l") && out.ends_with("\x1b[2Jx"), "{out:?}");
    assert!(!out.contains("\x1bc"));
}

/// Sequences and pieces of them, text, and anything.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let known = MODES.map(|(mode, _)| mode);
    let piece = prop_oneof![
        3 => "[a-zé漢👍 \r\n]{0,8}".prop_map(String::into_bytes),
        2 => (prop::sample::select(known.to_vec()), prop::bool::ANY)
            .prop_map(|(mode, on)| format!("\x1b[?{mode}{}", if on { 'h' } else { 'l' }).into_bytes()),
        2 => "\x1b\\[[<=>?]?[0-9;:]{0,6}[ !$'\"]?[@-~]".prop_map(String::into_bytes),
        1 => "\x1b[\\]P_][0-9]{0,3};[a-z?;]{0,5}(\x07|\x1b\\\\)?".prop_map(String::into_bytes),
        1 => "\x1b[ -/]?[0-~]".prop_map(String::into_bytes),
        1 => prop::sample::select(vec!["\x1b[?1049h", "\x1b[?47l", "\x1b[>5u", "\x1b[=7u", "\x1b[<2u", "\x1bc", "\x1b[>4;2m"])
            .prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn cutting_does_not_matter(stream in stream(), cuts in prop::collection::vec(1_usize..9, 1..200)) {
        let whole = passed([&stream[..]]);
        let (mut rest, mut parts) = (&stream[..], Vec::new());
        for cut in cuts {
            let (part, left) = rest.split_at(cut.min(rest.len()));
            parts.push(part);
            rest = left;
        }
        parts.push(rest);
        prop_assert_eq!(whole, passed(parts));
    }

    #[test]
    fn text_is_passed_on_unchanged(stream in "[^\\pC\u{80}-\u{9f}]{0,200}") {
        prop_assert_eq!(text(&passed([stream.as_bytes()])), stream);
    }

    /// Whatever an agent does, the terminal is as before when it is given back.
    #[test]
    fn everything_is_undone(stream in stream()) {
        let size = Size { cols: 20, rows: 5 };
        let mut terminal = Screen::new(size, 10);
        // A shell that reports its keys in its own way.
        terminal.feed(b"\x1b]2;shell\x1b\\\x1b[>3u");
        let before = terminal.modes();
        terminal.feed(&save());
        let (mut filter, mut out) = (filter(), Vec::new());
        filter.feed(&stream, &mut out);
        terminal.feed(&out);
        prop_assert!(terminal.take_replies().is_empty(), "an answer to {:?}", text(&out));
        terminal.feed(&undo(&filter.touched));
        terminal.feed(restore());
        prop_assert_eq!(terminal.modes(), InputModes { alternate_scroll: terminal.modes().alternate_scroll, ..before });
        prop_assert!(!terminal.alternate() && !terminal.synchronized());
        prop_assert!(terminal.cursor().visible);
        prop_assert_eq!(terminal.title(), "shell");
        // Region, origin, wrap, insert, charset and pen: what is written next shows as itself.
        terminal.feed(b"\x1b[2J\x1b[1;19Habclqk\x1b[5;1H\n\nx");
        let lines = terminal.lines();
        prop_assert_eq!(lines.last().map(String::as_str), Some("x"));
        terminal.feed(b"\x1b[2J\x1b[1;19Habclqk");
        prop_assert_eq!(&terminal.lines()[..2], &["                  ab", "clqk"]);
        let mut plain = true;
        terminal.row(0, &mut |cell| plain &= cell.style == crate::runtime::screen::Style::default());
        prop_assert!(plain);
    }

    #[test]
    fn input_may_be_cut_anywhere(stream in input(), cut in 1_usize..7) {
        let (heard, out) = typed([&stream[..]]);
        prop_assert_eq!((heard, out), typed(stream.chunks(cut)));
    }
}

/// Colours, progress and tab stops are undone where they were set, and only there.
#[test]
fn what_was_not_touched_is_left_alone() {
    let untouched = text(&undo(&Touched::default()));
    let mut filter = filter();
    let sets = "\x1b]4;1;#fff\x07\x1b]10;#fff;#000\x07\x1b]12;#fff\x07\x1b]9;4;1;5\x07\x1b[3g\x1b[>4;1m\x1b[?1049h";
    filter.feed(sets.as_bytes(), &mut Vec::new());
    let touched = text(&undo(&filter.touched));
    for undoing in [
        "\x1b]104\x1b",
        "\x1b]110\x1b",
        "\x1b]111\x1b",
        "\x1b]112\x1b",
        "\x1b]9;4;0\x1b",
        "\x1b[?5W",
        "\x1b[>4m",
        "\x1b[?1049l",
    ] {
        assert!(touched.contains(undoing) && !untouched.contains(undoing), "{undoing:?}");
    }
    for (mode, _) in &MODES[..MODES.len() - 2] {
        assert!(
            untouched.contains(&format!("\x1b[?{mode}h"))
                || untouched.contains(&format!("\x1b[?{mode}l"))
        );
    }
}

fn recogniser(keys: &str) -> Recogniser {
    Recogniser::new(&keys.split(' ').map(|key| key.parse::<Key>().unwrap()).collect::<Vec<_>>())
}

/// What the agent gets of input that comes in these parts, and whether the leave key was heard.
fn typed<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> (bool, Vec<u8>) {
    let (mut recogniser, mut out) = (recogniser("C-]"), Vec::new());
    for part in parts {
        if recogniser.feed(part, &mut out).leave {
            return (true, out);
        }
    }
    if recogniser.waits() {
        recogniser.give_up(&mut out);
    }
    (false, out)
}

/// Keys, answers, pastes, and pieces of them.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[a-zé]{0,4}".prop_map(String::into_bytes),
        prop::sample::select(vec![
            "\x1d",
            "\x1b[93;5u",
            "\x1b[27;5;93~",
            "\x1b[A",
            "\x1bOP",
            "\x1b[<0;1;2M",
            "\x1b[?62;1c",
            "\x1b[200~a\x1d\x1b[93;5u\x1b[201~",
            "\x1b]11;rgb:0/0/0\x1b\\",
            "\x1b[I",
            "\x1bx",
            "\x1b[24~",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

#[rstest]
#[case::legacy("C-]", "\x1d")]
#[case::kitty("C-]", "\x1b[93;5u")]
#[case::kitty_event("C-]", "\x1b[93;5:1u")]
#[case::kitty_repeat("C-]", "\x1b[93;5:2u")]
#[case::kitty_locks("C-]", "\x1b[93;197u")]
#[case::kitty_alternate("C-]", "\x1b[93:125:93;5u")]
#[case::kitty_other_layout("C-]", "\x1b[1098::93;5u")]
#[case::kitty_text("C-]", "\x1b[93;5;29u")]
#[case::other_keys("C-]", "\x1b[27;5;93~")]
#[case::after_escape("C-]", "\x1b\x1d")]
#[case::function("F12", "\x1b[24~")]
#[case::function_kitty("F12", "\x1b[24;1:1~")]
#[case::function_locks("F1", "\x1b[1;129P")]
#[case::function_old("F1", "\x1bOP")]
#[case::alt("M-x", "\x1bx")]
#[case::alt_kitty("M-x", "\x1b[120;3u")]
#[case::control("C-a", "\x01")]
#[case::control_other_keys("C-a", "\x1b[27;5;97~")]
#[case::backslash("C-\\", "\x1c")]
fn the_leave_key_is_heard(#[case] key: &str, #[case] bytes: &str) {
    for size in [1, 2, 3, bytes.len()] {
        let (mut recogniser, mut out) = (recogniser(key), Vec::new());
        let mut heard = recogniser.feed("é".as_bytes(), &mut out);
        for part in bytes.as_bytes().chunks(size) {
            assert!(!heard.leave);
            heard = recogniser.feed(part, &mut out);
        }
        assert!(heard.leave, "{bytes:?} in parts of {size}");
        assert_eq!(text(&out).trim_end_matches('\x1b'), "é");
    }
}

#[rstest]
#[case::other_key("\x1b[93;6u")]
#[case::plain("]")]
#[case::letter("\x1b[92;5u")]
#[case::pasted("\x1b[200~a\x1db\x1b[93;5uc\x1b[201~d")]
#[case::keys("\x1b\x1b[A\x1bOA\x1b[1;5R\x1b[13~\x1b[Z\x1b]\x1bP\x1b_x")]
#[case::mouse("\x1b[<0;10;20M\x1b[M !!")]
#[case::alt_bracket("\x1b[")]
#[case::escape("\x1b")]
#[case::focus("\x1b[I\x1b[O")]
fn is_the_agents(#[case] bytes: &str) {
    assert_eq!(typed([bytes.as_bytes()]), (false, bytes.as_bytes().to_vec()));
}

#[rstest]
#[case::attributes("\x1b[?62;22c")]
#[case::secondary("\x1b[>1;10;0c")]
#[case::cursor("\x1b[12;40R")]
#[case::cursor_extended("\x1b[?12;40R")]
#[case::status("\x1b[0n")]
#[case::scheme("\x1b[?997;1n")]
#[case::mode("\x1b[?2026;2$y")]
#[case::keyboard("\x1b[?1u")]
#[case::window("\x1b[8;24;80t")]
#[case::graphics("\x1b[?1;0;256S")]
#[case::ground("\x1b]11;rgb:ffff/ffff/ffff\x1b\\")]
#[case::ground_bell("\x1b]11;rgb:ffff/ffff/ffff\x07")]
#[case::clipboard("\x1b]52;c;aGk=\x1b\\")]
#[case::version("\x1bP>|XTerm(380)\x1b\\")]
#[case::setting("\x1bP1$r0m\x1b\\")]
#[case::graphics_answer("\x1b_Gi=31;OK\x1b\\")]
#[case::release_of_the_leave_key("\x1b[93;5:3u")]
fn is_not_for_the_agent(#[case] answer: &str) {
    let all = format!("a{answer}b");
    assert_eq!(typed([all.as_bytes()]), (false, b"ab".to_vec()));
    assert_eq!(typed(all.as_bytes().chunks(1)), (false, b"ab".to_vec()));
}

/// What was passed on since it took too long is not passed on twice, and is still recognised.
#[test]
fn a_sequence_that_comes_late_counts_all_the_same() {
    let (mut recogniser, mut out) = (recogniser("C-]"), Vec::new());
    recogniser.feed(b"\x1b[9", &mut out);
    assert!(recogniser.waits() && out.is_empty());
    recogniser.give_up(&mut out);
    assert!(!recogniser.waits());
    let heard = recogniser.feed(b"2;5u", &mut out);
    assert_eq!((heard.leave, text(&out)), (false, "\x1b[92;5u".to_owned()));
    recogniser.feed(b"\x1b[9", &mut out);
    recogniser.give_up(&mut out);
    assert!(recogniser.feed(b"3;5u", &mut out).leave);
    recogniser.feed(b"\x1b", &mut out);
    recogniser.give_up(&mut out);
    assert!(recogniser.feed(b"\x1d", &mut out).leave, "after an escape that was pressed alone");
}

#[test]
fn only_keys_and_pastes_are_typing() {
    let heard = |bytes: &[u8]| recogniser("C-]").feed(bytes, &mut Vec::new());
    assert_eq!(heard(b"\x1b[O"), Heard { focus: Some(false), ..Heard::default() });
    assert!(!heard(b"\x1b[<35;1;2M").typed && !heard(b"\x1b[0n").typed);
    assert!(heard(b"a").typed && heard(b"\x1b[A").typed && heard(b"\x1b[200~x").typed);
}

#[test]
fn an_answer_without_an_end_is_bounded() {
    let (mut recogniser, mut out) = (recogniser("C-]"), Vec::new());
    recogniser.feed(b"\x1b]11;", &mut out);
    for _ in 0..10 {
        recogniser.feed(&[b'x'; 1 << 10], &mut out);
    }
    assert!(!out.is_empty(), "it was no answer");
    assert!(recogniser.feed(b"\x1d", &mut out).leave);
}
