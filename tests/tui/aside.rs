//! What is done beside a session: its folder, its pull request, its names, its diff, a fork.

use callboard::domain::query::Page;
use callboard::domain::session::FolderKind;
use callboard::domain::status::Status;
use callboard::host::report::CreateOutcome;
use callboard::tui::action::{Action, Context};
use callboard::tui::app::Focus;
use callboard::tui::event::{Effect, Event, Failure, Lent, Outcome, Tab};

use crate::fixture::{Bench, id, page, selected, session, shop};

const LIST: [Context; 2] = [Context::List, Context::Global];

fn folder(name: &str) -> String {
    format!("/home/me/.local/share/callboard/worktrees/{name}")
}

#[test]
fn an_editor_and_a_shell_get_the_terminal_in_the_folder() {
    let mut bench = Bench::new(120, 40);
    bench.keys("o");
    let editor = Effect::Lend { to: Lent::Editor, folder: folder("shop-12").into() };
    assert_eq!(bench.take(), [editor]);
    bench.keys("l s");
    let shell = Effect::Lend { to: Lent::Shell, folder: folder("shop-12").into() };
    assert!(bench.take().contains(&shell), "in the right pane too");
    // What came with the key is not for the dashboard of later.
    let keys = ["o", "x", "d"].map(|key| key.parse().unwrap()).to_vec();
    bench.send(Event::Keys(keys));
    assert!(matches!(bench.take().as_slice(), [Effect::Lend { .. }]));
}

#[test]
fn the_pull_request_that_wants_most_is_opened() {
    let mut bench = Bench::new(120, 40);
    assert_eq!(bench.app.refusal(Action::OpenPr, &LIST), Some("no pull request"));
    bench.keys("O");
    assert_eq!(bench.take(), []);
    bench.keys("j j O");
    let url = "https://example.org/shop/pull/41".to_owned();
    assert!(bench.take().contains(&Effect::OpenLink(url)));
}

#[test]
fn id_path_branch_and_pull_request_are_copied_by_choice() {
    let mut bench = Bench::new(80, 24);
    bench.keys("j j Y");
    insta::assert_snapshot!("copy_what_80x24", bench.screen());
    bench.keys("j Enter");
    assert!(bench.take().contains(&Effect::Copy(folder("shop-9"))));
    assert!(bench.screen().contains("copied."), "{}", bench.screen());
    bench.keys("Esc Y Enter");
    assert!(bench.take().contains(&Effect::Copy("shop-9".to_owned())));
    bench.keys("Y G Enter");
    assert!(bench.take().contains(&Effect::Copy("https://example.org/shop/pull/41".to_owned())));
    bench.keys("Y Esc");
    assert!(!bench.take().iter().any(|effect| matches!(effect, Effect::Copy(_))));
}

#[test]
fn the_path_is_copied_from_the_details() {
    let mut bench = Bench::new(120, 40);
    bench.keys("i c");
    assert!(bench.take().contains(&Effect::Copy(folder("shop-12"))));
}

#[test]
fn the_diff_is_one_key_away_where_there_is_a_worktree() {
    let mut bench = Bench::new(120, 40);
    bench.keys("D");
    assert_eq!((bench.app.focus, bench.app.tab), (Focus::Right, Tab::Diff));
    assert!(bench.take().contains(&Effect::LoadTab { id: id("shop-12"), tab: Tab::Diff }));
    let mut chat = session("chat-1", "A chat", "claude", Status::Idle, 1);
    chat.folder_kind = FolderKind::None;
    let mut bench = Bench::new(120, 40);
    bench.keys("7");
    bench.answer_page(page(vec![chat]));
    assert_eq!(bench.app.refusal(Action::Diff, &LIST), Some("no worktree"));
    assert_eq!(bench.app.refusal(Action::OpenShell, &LIST), None);
}

#[test]
fn a_fork_is_shown_to_whoever_waits_for_it() {
    let forked = || {
        let mut forked =
            session("shop-18", "Fix cart rounding (fork)", "claude", Status::Spawning, 0);
        forked.condition.seen_at = None;
        forked
    };
    for waits in [true, false] {
        let mut bench = Bench::new(120, 40);
        bench.keys("f");
        assert!(bench.take().contains(&Effect::Fork(id("shop-12"))));
        if !waits {
            bench.keys("j");
        }
        bench.send(Event::Ended(Outcome::Created(CreateOutcome::Created(Box::new(forked())))));
        if waits {
            let mut sessions = shop();
            sessions.push(forked());
            bench.answer_page(page(sessions));
        }
        assert_eq!(selected(&bench), if waits { "shop-18" } else { "shop-14" });
    }
    let mut bench = Bench::new(120, 40);
    bench.keys("f");
    let failure = Failure { message: "agent codex cannot fork".to_owned(), hint: None };
    let what = "shop-12 was not forked".to_owned();
    bench.send(Event::Ended(Outcome::Failed { what, failure }));
    assert!(bench.screen().contains("shop-12 was not forked"), "{}", bench.screen());
}

#[test]
fn nothing_of_it_acts_where_nothing_is_selected() {
    let mut bench = Bench::new(120, 40);
    bench.keys("4");
    bench.answer_page(Page::default());
    let actions = [
        Action::Fork,
        Action::Diff,
        Action::OpenEditor,
        Action::OpenShell,
        Action::OpenPr,
        Action::CopyWhat,
    ];
    for action in actions {
        assert_eq!(bench.app.refusal(action, &LIST), Some("nothing selected"), "{action:?}");
    }
    bench.take();
    bench.keys("f D o s O Y");
    assert!(bench.app.overlays.is_empty());
    let reread = [Effect::LoadBoard, Effect::LoadWaiting];
    assert!(bench.take().iter().all(|effect| reread.contains(effect)));
}
