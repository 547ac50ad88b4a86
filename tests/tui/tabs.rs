//! The tabs of the right pane that are answered from outside.

use callboard::domain::event::{Event as AuditEntry, Message};
use callboard::tui::event::{Effect, Event, Tab, TabContent};

use crate::fixture::{Bench, id, minutes_ago};

fn show(bench: &mut Bench, tab: Tab, content: TabContent) {
    assert!(bench.take().contains(&Effect::LoadTab { id: id("shop-12"), tab }));
    bench.send(Event::Tab { id: id("shop-12"), content });
}

#[test]
fn the_diff_line_by_line() {
    let mut bench = Bench::new(120, 40);
    bench.keys("D");
    let text = "diff --git a/src/cart/total.rs b/src/cart/total.rs\n@@ -39,7 +39,7 @@ fn total\n \
        let items = cart.items();\n-    let total = items.iter().sum::<f32>();\n\
        +    let total: Cents = items.iter().sum();\n     total";
    show(&mut bench, Tab::Diff, TabContent::Diff(text.lines().map(str::to_owned).collect()));
    insta::assert_snapshot!("tab_diff_120x40", bench.screen());
    bench.send(Event::Tab { id: id("shop-12"), content: TabContent::Diff(Vec::new()) });
    assert!(bench.screen().contains("No changes."), "{}", bench.screen());
}

/// A diff with a line of 60 cells, wider than the pane, and a wide sign in it.
pub(crate) fn wide_diff() -> Bench {
    let mut bench = Bench::new(120, 40);
    bench.keys("D");
    let lines = ["+0123456789abcdefghijklmnopqrstuvwxyz漢ABCDEFGHIJKLMNOPQRSTU", "-short"];
    let lines = lines.map(str::to_owned).to_vec();
    show(&mut bench, Tab::Diff, TabContent::Diff(lines));
    bench
}

/// Arrows scroll a text sideways as far as it goes; a text that is all on view gives them to the tabs, and `h`
/// and `l` always turn tabs.
#[test]
fn arrows_scroll_a_text_sideways() {
    let mut bench = wide_diff();
    assert!(bench.screen().contains("+0123456789"), "{}", bench.screen());
    assert!(bench.screen().contains("sideways"), "told below");
    bench.keys("Right");
    assert!(bench.screen().contains("│ 789abc"), "{}", bench.screen());
    bench.keys("Right Right Right");
    let screen = bench.screen();
    assert!(screen.contains("RSTU") && !screen.contains("RSTU…"), "its end:\n{screen}");
    assert_eq!(bench.app.tab, Tab::Diff);
    bench.keys("Left Left Left Left");
    assert!(bench.screen().contains("+0123456789"), "back at the start");
    bench.keys("Right l h");
    assert_eq!((bench.app.tab, bench.app.tab_left), (Tab::Diff, 0), "a tab begins at its start");
    bench.send(Event::Tab { id: id("shop-12"), content: TabContent::Diff(vec!["+short".into()]) });
    assert!(!bench.screen().contains("sideways"));
    bench.keys("Right");
    assert_eq!(bench.app.tab, Tab::Messages);
    bench.keys("Left");
    assert_eq!(bench.app.tab, Tab::Diff);
}

#[test]
fn messages_oldest_first() {
    let mut bench = Bench::new(120, 40);
    bench.keys("D l");
    let message = |source: &str, age, text: &str| Message {
        at: minutes_ago(age),
        source: source.to_owned(),
        text: text.to_owned(),
    };
    let messages = vec![
        message("operator", 40, "Fix the rounding in cart totals.\nUse integer cents everywhere."),
        message("session:shop-9", 12, "The price engine has a Cents type now."),
        message("agent", 2, "May I run cargo test -p cart?"),
    ];
    show(&mut bench, Tab::Messages, TabContent::Messages(messages));
    insta::assert_snapshot!("tab_messages_120x40", bench.screen());
}

#[test]
fn events_newest_first() {
    let mut bench = Bench::new(120, 40);
    bench.keys("D l l");
    let event =
        |verb: &str, age, from: Option<&str>, to: Option<&str>, cause: Option<&str>| AuditEntry {
            at: minutes_ago(age),
            session: Some(id("shop-12")),
            actor: "callboard".to_owned(),
            verb: verb.to_owned(),
            from: from.map(str::to_owned),
            to: to.map(str::to_owned),
            cause: cause.map(str::to_owned),
            operation: None,
        };
    let events = vec![
        event("status", 2, Some("working"), Some("needs_input"), Some("asks to run")),
        event("send", 40, None, None, None),
        event("spawn", 2_880, None, Some("spawning"), None),
    ];
    show(&mut bench, Tab::Events, TabContent::Events(events));
    insta::assert_snapshot!("tab_events_120x40", bench.screen());
}
