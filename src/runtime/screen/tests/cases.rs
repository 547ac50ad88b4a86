//! The shared terminal cases (`tests/fixtures/vt/cases.jsonl`).

use serde_json::Value;

use crate::runtime::screen::*;

/// History of a case that names none.
const HISTORY: usize = 1000;

fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.extend(c.to_string().bytes());
            continue;
        }
        match chars.next().unwrap() {
            'e' => out.push(0x1b),
            'a' => out.push(7),
            'b' => out.push(8),
            't' => out.push(b'\t'),
            'n' => out.push(b'\n'),
            'r' => out.push(b'\r'),
            '\\' => out.push(b'\\'),
            'x' => {
                let hex: String = chars.by_ref().take(2).collect();
                out.push(u8::from_str_radix(&hex, 16).unwrap());
            }
            'u' => {
                let hex: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                let c = char::from_u32(u32::from_str_radix(&hex, 16).unwrap()).unwrap();
                out.extend(c.to_string().bytes());
            }
            other => panic!("unknown escape {other}"),
        }
    }
    out
}

fn text(value: &Value) -> String {
    String::from_utf8(unescape(value.as_str().unwrap())).unwrap()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(text).collect()
}

fn trimmed(mut lines: Vec<String>) -> Vec<String> {
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

fn color(color: Color) -> String {
    match color {
        Color::Default => "default".to_owned(),
        Color::Indexed(index) => format!("idx:{index}"),
        Color::Rgb(r, g, b) => format!("rgb:{r},{g},{b}"),
    }
}

fn cell(screen: &Screen, row: u64, col: u64) -> Value {
    let mut found = serde_json::json!({"width": 0});
    screen.row(row as i32, &mut |cell| {
        if u64::from(cell.col) != col {
            return;
        }
        let style = cell.style;
        let attributes = [
            (style.bold, "bold"),
            (style.dim, "dim"),
            (style.italic, "italic"),
            (style.inverse, "inverse"),
            (style.strike, "strike"),
            (style.hidden, "hidden"),
            (style.blink, "blink"),
        ];
        let underline_color = if style.underline_color == Color::Default {
            String::new()
        } else {
            color(style.underline_color)
        };
        found = serde_json::json!({
            "text": cell.text,
            "width": cell.width,
            "fg": color(style.fg),
            "bg": color(style.bg),
            "ul": format!("{:?}", style.underline).to_lowercase(),
            "ulc": underline_color,
            "link": cell.link.unwrap_or_default(),
            "attrs": attributes.iter().filter(|a| a.0).map(|a| a.1).collect::<Vec<_>>(),
        });
    });
    found
}

fn mode(screen: &Screen, name: &str) -> Value {
    let modes = screen.modes();
    match name {
        "alt" => screen.alternate().into(),
        "paste" => modes.bracketed_paste.into(),
        "app_cursor" => modes.app_cursor.into(),
        "mouse" if modes.mouse == MouseProtocol::Off => "none".into(),
        "cursor_shape" => format!("{:?}", screen.cursor().shape).to_lowercase().into(),
        "cursor_hidden" => (!screen.cursor().visible).into(),
        "kitty" => modes.kitty.into(),
        other => panic!("unknown mode {other}"),
    }
}

fn notifications(events: &[ScreenEvent]) -> Value {
    events
        .iter()
        .filter_map(|event| match event {
            ScreenEvent::Notification { title, body } => {
                Some(serde_json::json!([title.clone().unwrap_or_default(), body]))
            }
            _ => None,
        })
        .collect()
}

fn clipboard(events: &[ScreenEvent]) -> Value {
    events
        .iter()
        .filter_map(|event| match event {
            ScreenEvent::Clipboard(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        })
        .collect()
}

fn check(case: &Value) -> Result<(), String> {
    let number = |key: &str| case[key].as_u64().unwrap() as u16;
    let history = case["scrollback"].as_u64().map_or(HISTORY, |n| n as usize);
    let mut screen = Screen::new(Size { cols: number("cols"), rows: number("rows") }, history);
    let mut events = Vec::new();
    let chunk = case["chunk"].as_u64().map_or(usize::MAX, |n| n as usize);
    for part in unescape(case["input"].as_str().unwrap()).chunks(chunk) {
        events.extend(screen.feed(part));
    }
    if let Some(size) = case["resize"].as_array() {
        let at = |i: usize| size[i].as_u64().unwrap() as u16;
        screen.resize(Size { cols: at(0), rows: at(1) });
    }
    if let Some(input) = case["input2"].as_str() {
        events.extend(screen.feed(&unescape(input)));
    }
    let replies = String::from_utf8(screen.take_replies()).unwrap();
    for (key, expected) in case["expect"].as_object().unwrap() {
        compare(&screen, &events, &replies, key, expected)
            .map_err(|got| format!("{key}: expected {expected}, got {got}"))?;
    }
    Ok(())
}

fn compare(
    screen: &Screen,
    events: &[ScreenEvent],
    replies: &str,
    key: &str,
    expected: &Value,
) -> Result<(), String> {
    let same = |got: Value, expected: Value| {
        if got == expected { Ok(()) } else { Err(got.to_string()) }
    };
    match key {
        "lines" => same(trimmed(screen.lines()).into(), trimmed(texts(expected)).into()),
        "scrollback_lines" => same(screen.scrollback(usize::MAX).into(), texts(expected).into()),
        "transcript" => {
            let lines = [screen.scrollback(usize::MAX), screen.lines()].concat();
            same(trimmed(lines).into(), texts(expected).into())
        }
        "cursor" => {
            let cursor = screen.cursor();
            same(serde_json::json!([cursor.row, cursor.col]), expected.clone())
        }
        "title" => same(screen.title().into(), text(expected).into()),
        "replies" => same(replies.into(), text(expected).into()),
        "replies_re" => {
            let matches = regex::Regex::new(expected.as_str().unwrap()).unwrap().is_match(replies);
            if matches { Ok(()) } else { Err(replies.escape_debug().to_string()) }
        }
        "bell" => {
            let bells = events.iter().filter(|event| **event == ScreenEvent::Bell).count();
            same(bells.into(), expected.clone())
        }
        "notify" => same(notifications(events), expected.clone()),
        "clipboard" => same(clipboard(events), expected.clone()),
        "modes" => expected
            .as_object()
            .unwrap()
            .iter()
            .try_for_each(|(name, expected)| same(mode(screen, name), expected.clone())),
        "cells" => expected.as_array().unwrap().iter().try_for_each(|expected| {
            let got =
                cell(screen, expected["row"].as_u64().unwrap(), expected["col"].as_u64().unwrap());
            expected.as_object().unwrap().iter().try_for_each(|(name, expected)| {
                match name.as_str() {
                    "row" | "col" => Ok(()),
                    "text" => same(got["text"].clone(), text(expected).into()),
                    name => same(got[name].clone(), expected.clone()),
                }
            })
        }),
        other => panic!("unknown expectation {other}"),
    }
}

/// Terminal engine: all cases pass, without an exception.
#[test]
fn shared_cases_hold() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/vt/cases.jsonl");
    let file = std::fs::read_to_string(path).unwrap();
    let cases: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(cases.len() >= 165);
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| check(case).err().map(|reason| format!("{}: {reason}", case["name"])))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
