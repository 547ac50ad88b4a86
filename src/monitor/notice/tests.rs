use rstest::rstest;

use super::tell::Manner;
use super::*;
use crate::config::Banner;
use crate::domain::condition::Condition;
use crate::domain::rail::{Placement, Shown};
use crate::domain::session::{FolderKind, Kind, LaunchFacts, RuntimeFacts};

fn id(text: &str) -> SessionId {
    text.parse().unwrap()
}

/// A session that waits since a second.
fn waits(name: &str, reason: Attention, second: i64) -> Session {
    let mut condition = Condition::new(Timestamp(second * 1_000));
    condition.attention = Some(reason);
    let placement = Placement::conversations();
    Session {
        workspace: "default".parse().unwrap(),
        shown: Shown { section: placement.key(), root: id(name) },
        root: id(name),
        project: None,
        id: id(name),
        kind: Kind::Worker,
        parent: None,
        launch: LaunchFacts::default(),
        title: "Fix\u{7} it".to_owned(),
        prompt: None,
        placement,
        pinned_at: None,
        condition,
        folder_kind: FolderKind::Worktree,
        folder: "/w".into(),
        branch: None,
        base: None,
        dirty: None,
        prs: Vec::new(),
        runtime: RuntimeFacts::default(),
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
        deletion: None,
        error: None,
    }
}

fn how() -> Notifications {
    Notifications { bell: true, ..Notifications::default() }
}

fn told(notices: &mut Notices, waiting: &[Session], second: i64) -> Option<String> {
    notices.arrive(waiting, &how());
    notices.take(waiting, None, &how(), Timestamp(second * 1_000)).map(|notice| notice.text)
}

#[test]
fn who_begins_to_wait_is_told_once_and_again_when_it_waits_anew() {
    let mut notices = Notices::default();
    let old = waits("chat-1", Attention::NeedsInput, 1);
    assert_eq!(
        told(&mut notices, std::slice::from_ref(&old), 1),
        None,
        "it waited before we looked"
    );
    let both = [old.clone(), waits("chat-2", Attention::FinishedUnseen, 2)];
    let text = told(&mut notices, &both, 3).unwrap();
    assert_eq!(text, "chat-2 finished ∙ Fix it", "without control characters");
    assert_eq!(told(&mut notices, &both, 4), None);
    let again = [old, waits("chat-2", Attention::FinishedUnseen, 9)];
    assert!(told(&mut notices, &again, 9).unwrap().starts_with("chat-2 "));
}

#[test]
fn many_at_once_are_told_as_one() {
    let mut notices = Notices::default();
    told(&mut notices, &[], 0);
    let many: Vec<Session> =
        (1..=5).map(|n| waits(&format!("chat-{n}"), Attention::NeedsInput, 10 - n)).collect();
    notices.arrive(&many, &how());
    let notice = notices.take(&many, None, &how(), Timestamp(10_000)).unwrap();
    assert_eq!(notice.text, "5 sessions need you: chat-5, chat-4 and 3 more");
    assert_eq!((notice.ids.len(), notice.reasons.len()), (5, 5));
    assert_eq!(notice.ids[0], id("chat-5"), "who waits longest comes first");
}

#[test]
fn what_the_limit_holds_back_is_told_together_where_it_still_holds() {
    let how = Notifications { limit: NonZeroU32::new(2).unwrap(), ..how() };
    let mut notices = Notices::default();
    notices.arrive(&[], &how);
    let mut waiting = Vec::new();
    let mut texts = Vec::new();
    for n in 1..=5 {
        waiting.push(waits(&format!("chat-{n}"), Attention::NeedsInput, n));
        notices.arrive(&waiting, &how);
        let notice = notices.take(&waiting, None, &how, Timestamp(n * 1_000));
        texts.extend(notice.map(|notice| notice.text));
    }
    assert_eq!(texts.len(), 2, "two at once: {texts:?}");
    let wake = notices.wake(&how).unwrap();
    assert_eq!(wake, Timestamp(31_000), "one comes back in half a minute");
    // One was answered meanwhile.
    waiting.remove(3);
    notices.arrive(&waiting, &how);
    assert_eq!(notices.take(&waiting, None, &how, Timestamp(30_999)), None);
    let notice = notices.take(&waiting, None, &how, wake).unwrap();
    assert_eq!(notice.ids, [id("chat-3"), id("chat-5")]);
    assert_eq!(notices.wake(&how), None);
}

#[test]
fn nothing_is_told_of_what_is_on_view_not_wished_or_switched_off() {
    let waiting = [waits("chat-1", Attention::Stalled, 5)];
    let take = |how: &Notifications, on_view: Option<&SessionId>| {
        let mut notices = Notices::default();
        notices.arrive(&[], how);
        notices.arrive(&waiting, how);
        notices.take(&waiting, on_view, how, Timestamp(6_000)).is_some()
    };
    assert!(take(&how(), None) && take(&how(), Some(&id("chat-2"))));
    assert!(!take(&how(), Some(&id("chat-1"))));
    assert!(!take(&Notifications { reasons: vec![Attention::Permission], ..how() }, None));
    assert!(!take(&Notifications::default(), None), "off by itself");
}

#[test]
fn a_clock_that_is_set_back_silences_nobody_for_long() {
    let mut limit = Limit { full_at: Timestamp(9_000_000) };
    let one = NonZeroU32::MIN;
    assert!(!limit.spend(one, Timestamp(1_000)));
    assert_eq!(limit.next(one), Timestamp(61_000));
    assert!(limit.spend(one, Timestamp(61_000)));
}

#[rstest]
#[case(Banner::Auto, &[("TERM", "xterm-256color")], "\x1b]9;a;b\x07\x07")]
#[case(Banner::Auto, &[("TERM", "foot")], "\x1b]777;notify;callboard;a,b\x07\x07")]
#[case(Banner::Auto, &[("TERM", "xterm"), ("VTE_VERSION", "7000")], "\x1b]777;notify;callboard;a,b\x07\x07")]
#[case(Banner::Osc9, &[("TERM", "foot")], "\x1b]9;a;b\x07\x07")]
#[case(Banner::Osc777, &[], "\x1b]777;notify;callboard;a,b\x07\x07")]
#[case(Banner::Osc9, &[("TMUX", "/s,1,0")], "\x1bPtmux;\x1b\x1b]9;a;b\x07\x1b\\\x07")]
fn the_terminal_is_told_as_it_understands(
    #[case] sequence: Banner,
    #[case] around: &[(&str, &str)],
    #[case] bytes: &str,
) {
    let how = Notifications { desktop: true, sequence, ..how() };
    let find = |name: &str| {
        let found = around.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    assert_eq!(Manner::of(&how, find).signs("a;b"), bytes);
}

#[test]
fn a_text_cannot_end_its_sequence_and_nothing_is_written_unasked() {
    let manner = |how: &Notifications| Manner::of(how, |_| None);
    let desktop = Notifications { desktop: true, ..Notifications::default() };
    let bytes = manner(&desktop).signs("a\u{7}\u{1b}]52;c;x\u{9c}");
    assert_eq!(bytes.chars().filter(|c| c.is_control()).count(), 2, "the two of its own");
    let none = Notifications::default();
    assert_eq!(manner(&none).signs("a"), "");
    assert_eq!(manner(&none).or_bell(&none).signs("a"), "\x07");
}
