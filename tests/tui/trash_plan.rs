//! Restore and purge: the same dialog as for a delete, over whole trees of the trash.

use std::collections::BTreeSet;

use callboard::domain::ids::SessionId;
use callboard::domain::plan::{Advice, Back, Plan, PlanItem, PlanRow, SkipReason, Skipped};
use callboard::domain::session::Session;
use callboard::host::report::{PurgeReport, RestoreReport, RestoreTarget, SkippedRow};
use callboard::tui::app::View;
use callboard::tui::app::overlay::Overlay;
use callboard::tui::app::plan::{Button, Group, PlanDialog, PlanRequest};
use callboard::tui::event::{Effect, Event, Failure, Outcome};

use crate::fixture::{Bench, id, page, trash};

fn item(session: &Session, advice: Advice) -> PlanItem {
    PlanItem {
        row: PlanRow {
            id: session.id.clone(),
            parent: session.parent.clone(),
            title: session.title.clone(),
            agent: session.launch.agent.clone(),
            status: session.condition.status,
            section: session.shown.section.clone(),
            pinned: false,
            live: false,
            last_activity_at: session.condition.sorted_at,
            open_pr: None,
        },
        pulled_in_by: session.parent.clone(),
        advice,
    }
}

/// A plan for sessions of the trash, with an advice for each.
fn plan(advice: impl Fn(&str) -> Option<Advice>) -> Plan {
    let rows = trash();
    let of = |row: &Session| Some(item(row, advice(row.id.as_str())?));
    let mut items: Vec<PlanItem> = rows.iter().filter_map(of).collect();
    items.sort_by(|a, b| a.row.id.cmp(&b.row.id));
    Plan { items, skipped: Vec::new() }
}

/// What a purge of `shop-1` and `shop-8` loses; the child of the latter is in no loaded row.
fn lost() -> Plan {
    plan(|name| {
        let dirty = match name {
            "shop-1" => 12,
            "shop-8" => 0,
            "shop-18" => 3,
            _ => return None,
        };
        let (dirty_files, unpushed_commits) = (Some(dirty), Some(u32::from(name == "shop-8")));
        Some(Advice { dirty_files, unpushed_commits, ..Advice::default() })
    })
}

fn in_trash(rows: Vec<Session>) -> Bench {
    let mut bench = Bench::new(120, 40);
    bench.keys("t");
    bench.answer_page(page(rows));
    bench
}

fn asked(bench: &mut Bench) -> (u64, PlanRequest) {
    let effects = bench.take();
    let asked = effects.into_iter().rev().find_map(|effect| match effect {
        Effect::Plan { ticket, request } => Some((ticket, request)),
        _ => None,
    });
    asked.expect("a plan was asked for")
}

fn planned(bench: &mut Bench, plan: Plan) {
    let (ticket, _) = asked(bench);
    bench.send(Event::Planned { ticket, plan: Ok(plan) });
}

fn dialog(bench: &Bench) -> &PlanDialog {
    match bench.app.overlays.last() {
        Some(Overlay::Plan(dialog)) => dialog,
        other => panic!("no plan is open: {other:?}"),
    }
}

fn ids(names: &[&str]) -> Vec<SessionId> {
    names.iter().copied().map(id).collect()
}

fn restored(bench: &mut Bench) -> Option<Vec<SessionId>> {
    bench.take().into_iter().find_map(|effect| match effect {
        Effect::Restore { target: RestoreTarget::Ids(ids), undo: false } => Some(ids),
        _ => None,
    })
}

/// R5: what goes is what the plan says, not what is loaded: with a filter the child of a tree is not.
#[test]
fn a_purge_in_a_filtered_trash_takes_what_its_plan_names() {
    let rows = trash().into_iter().filter(|row| row.parent.is_none());
    let mut bench = in_trash(rows.filter(|row| row.id.as_str().starts_with("shop")).collect());
    bench.keys("Space Space P");
    let (ticket, request) = asked(&mut bench);
    assert_eq!(request, PlanRequest::Purge(ids(&["shop-1", "shop-8"])));
    bench.send(Event::Planned { ticket, plan: Ok(lost()) });
    let screen = bench.screen();
    assert!(screen.contains("Purge 3 sessions?"), "{screen}");
    assert!(screen.contains("15 uncommitted files are lost for good."), "{screen}");
    insta::assert_snapshot!("purge_120x40", screen);
    assert_eq!(dialog(&bench).button, Button::Cancel);
    bench.keys("Enter");
    assert!(!bench.take().iter().any(|effect| matches!(effect, Effect::Purge(_))));
    bench.keys("P");
    planned(&mut bench, lost());
    bench.keys("Tab Enter");
    assert!(bench.take().contains(&Effect::Purge(ids(&["shop-1", "shop-18", "shop-8"]))));
}

/// R5: trees are never split: Space drops a whole one, and the numbers follow.
#[test]
fn space_drops_a_whole_tree() {
    let mut bench = in_trash(trash());
    bench.keys("Space Space P");
    planned(&mut bench, lost());
    // shop-1, shop-8, and its child.
    bench.keys("j j Space");
    let screen = bench.screen();
    assert!(screen.contains("[ Purge 1 ]"), "{screen}");
    assert!(screen.contains("1 is removed for good, 2 are skipped."), "{screen}");
    assert!(screen.contains("12 uncommitted files are lost"), "{screen}");
    bench.keys("k Space");
    assert!(bench.screen().contains("[ Purge 3 ]"), "its parent puts it back");
    bench.keys("Space Tab Enter");
    assert!(bench.take().contains(&Effect::Purge(ids(&["shop-1"]))));
}

/// D3: a tree that grew since is shown again.
#[test]
fn a_purge_that_grew_is_asked_again() {
    let mut bench = in_trash(trash());
    bench.keys("P");
    planned(&mut bench, plan(|name| (name == "shop-1").then(Advice::default)));
    bench.keys("Tab Enter");
    let request = PlanRequest::Purge(ids(&["shop-1"]));
    bench.send(Event::PlanGrew { request, admitted: [id("shop-1")].into(), plan: lost() });
    let screen = bench.screen();
    assert!(screen.contains("shop-18 and shop-8 appeared since you looked. 3 now."), "{screen}");
    assert_eq!(dialog(&bench).button, Button::Cancel);
}

/// What was not purged stays marked.
#[test]
fn failed_ones_stay_marked() {
    let mut bench = in_trash(trash());
    bench.keys("Space Space P");
    planned(&mut bench, lost());
    bench.keys("Tab Enter");
    let skipped = vec![SkippedRow { id: id("shop-8"), reason: "did_not_end".to_owned() }];
    let purged_session_ids = ids(&["shop-1"]);
    let report = PurgeReport { purged_session_ids, skipped, ..PurgeReport::default() };
    bench.send(Event::Ended(Outcome::Purged(report)));
    assert!(bench.screen().contains("shop-1 purged."), "{}", bench.screen());
    assert_eq!(bench.app.trash.marks.ids, BTreeSet::from([id("shop-8")]));
    bench.keys("r");
    let not_restored = vec![SkippedRow { id: id("shop-8"), reason: "taken".to_owned() }];
    let report = RestoreReport { not_restored, ..RestoreReport::default() };
    bench.send(Event::Ended(Outcome::Restored { undo: false, report }));
    assert_eq!(bench.app.trash.marks.ids, BTreeSet::from([id("shop-8")]));
}

fn whole() -> Advice {
    Advice { back: Some(Back::AsItWas), ..Advice::default() }
}

/// One session that comes back as it was is one key, with its children.
#[test]
fn a_restore_without_conflicts_is_one_key() {
    let mut bench = in_trash(trash());
    bench.keys("j r");
    assert!(bench.app.overlays.is_empty(), "nothing is shown");
    planned(&mut bench, plan(|name| ["shop-8", "shop-18"].contains(&name).then(whole)));
    assert!(bench.app.overlays.is_empty());
    assert_eq!(restored(&mut bench), Some(ids(&["shop-8"])));
    bench.keys("q");
    assert_eq!(bench.app.view, View::Sessions);
}

/// Two restores that are asked for before either is planned both happen.
#[test]
fn a_restore_does_not_forget_the_one_before() {
    let mut bench = in_trash(trash());
    bench.keys("j r");
    let (first, _) = asked(&mut bench);
    bench.keys("j j r");
    let (second, request) = asked(&mut bench);
    let PlanRequest::Restore(other) = request else { panic!("{request:?}") };
    assert_ne!(other, ids(&["shop-8"]));
    for (ticket, expected) in [(first, ids(&["shop-8"])), (second, other)] {
        bench.send(Event::Planned { ticket, plan: Ok(plan(|_| Some(whole()))) });
        assert_eq!(restored(&mut bench), Some(expected));
    }
}

/// R2: what would be in its way, or not as it was, is shown first.
#[test]
fn a_restore_with_something_to_say_asks() {
    let mut bench = in_trash(trash());
    bench.keys("j r");
    let why = "left detached: branch price-import has moved on";
    let back = |name: &str| match name {
        "shop-8" => {
            Some(Advice { back: Some(Back::Detached(why.to_owned())), ..Advice::default() })
        }
        "shop-18" => Some(whole()),
        _ => None,
    };
    planned(&mut bench, plan(back));
    assert_eq!(dialog(&bench).size(Group::Detached), 1);
    assert!(bench.screen().contains("left detached: branch"), "{}", bench.screen());
    bench.keys("Enter");
    assert_eq!(restored(&mut bench), Some(ids(&["shop-8"])), "one more key does it");
    bench.keys("r");
    let reason = SkipReason::NotRestorable("/worktrees/shop-8 is taken".to_owned());
    let skipped = vec![Skipped { id: id("shop-8"), reason }];
    planned(&mut bench, Plan { items: Vec::new(), skipped });
    let screen = bench.screen();
    assert!(screen.contains("/worktrees/shop-8 is taken"), "{screen}");
    bench.keys("Enter");
    assert_eq!(restored(&mut bench), None, "there is nothing to bring back");
}

/// A restore with something to say.
fn detached() -> Plan {
    let back = Back::Detached("left detached: branch price-import has moved on".to_owned());
    plan(|name| {
        (name == "shop-8").then(|| Advice { back: Some(back.clone()), ..Advice::default() })
    })
}

/// Bulk 2: a dialog that comes after a newer key has Cancel chosen: that key, or the next one, was meant
/// for something else.
#[test]
fn a_restore_that_asks_after_a_newer_key_has_cancel_chosen() {
    let mut bench = in_trash(trash());
    bench.keys("j r");
    let (ticket, _) = asked(&mut bench);
    bench.wait(5);
    bench.keys("j");
    bench.send(Event::Planned { ticket, plan: Ok(detached()) });
    assert_eq!(dialog(&bench).button, Button::Cancel);
    bench.keys("Enter");
    assert_eq!(restored(&mut bench), None);
    assert!(bench.app.overlays.is_empty());
}

/// Bulk 2: what has the keys keeps them: a dialog, a text, an agent that is typed to.
#[test]
fn a_restore_that_asks_takes_the_keys_from_nobody() {
    for keys in ["?", "/", "q Enter"] {
        let mut bench = in_trash(trash());
        bench.keys("j r");
        let (ticket, _) = asked(&mut bench);
        bench.keys(keys);
        let (above, typing) = (bench.app.overlays.clone(), bench.app.typing.clone());
        assert!(!above.is_empty() || typing.is_some(), "{keys}");
        bench.send(Event::Planned { ticket, plan: Ok(detached()) });
        assert_eq!(bench.app.overlays, above);
        assert_eq!(bench.app.typing, typing);
        if typing.is_none() {
            bench.keys("Esc");
        }
        let screen = bench.screen();
        assert!(screen.contains("shop-8 is not restored yet."), "{screen}");
        assert_eq!(restored(&mut bench), None);
    }
}

/// What cannot be planned is tried, so that it says itself why it fails.
#[test]
fn a_restore_that_cannot_be_planned_says_why_it_fails() {
    let mut bench = in_trash(trash());
    bench.keys("j r");
    let (ticket, _) = asked(&mut bench);
    let failure = Failure { message: "its parent is gone".to_owned(), hint: None };
    bench.send(Event::Planned { ticket, plan: Err(failure) });
    assert_eq!(restored(&mut bench), Some(ids(&["shop-8"])));
}

/// Several are shown in groups before, with the button chosen: what comes back can be deleted again.
#[test]
fn several_are_restored_by_their_plan() {
    let mut bench = in_trash(trash());
    bench.keys("* r");
    let made = "the folder was missing and is made again from docs-4";
    let back = |name: &str| {
        Some(match name {
            "docs-4" => Advice { back: Some(Back::MadeAgain(made.to_owned())), ..whole() },
            _ => whole(),
        })
    };
    let mut plan = plan(back);
    let taken = plan.items.iter().position(|item| item.row.id == id("infra-2")).unwrap();
    let reason = SkipReason::NotRestorable("its parent is in the trash".to_owned());
    plan.skipped.push(Skipped { id: plan.items.remove(taken).row.id, reason });
    planned(&mut bench, plan);
    assert_eq!(dialog(&bench).button, Button::Act);
    insta::assert_snapshot!("restore_120x40", bench.screen());
    bench.keys("Space Enter");
    let back = restored(&mut bench).unwrap();
    assert_eq!(back, ids(&["docs-4", "shop-1", "shop-8"]));
}
