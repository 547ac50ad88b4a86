//! Deleting: the plan's dialog from the key to the job.

use std::collections::BTreeSet;

use callboard::domain::plan::{Advice, Plan, PlanItem, PlanRow, SkipReason, Skipped};
use callboard::domain::rail::SectionKey;
use callboard::domain::session::Session;
use callboard::domain::status::Status;
use callboard::host::report::{DeleteReport, DeleteRequest, SkippedRow};
use callboard::tui::app::overlay::Overlay;
use callboard::tui::app::plan::{Group, PlanRequest, Row};
use callboard::tui::event::{Effect, Event, Outcome};

use crate::fixture::{Bench, id, shop};

fn item(session: &Session, dirty: u32, unpushed: u32) -> PlanItem {
    PlanItem {
        row: PlanRow {
            id: session.id.clone(),
            parent: session.parent.clone(),
            title: session.title.clone(),
            agent: session.launch.agent.clone(),
            status: session.condition.status,
            section: session.shown.section.clone(),
            pinned: false,
            live: session.is_live() && session.condition.status != Status::Idle,
            last_activity_at: session.condition.sorted_at,
            open_pr: session.prs.first().map(|pr| pr.number),
        },
        pulled_in_by: session.parent.clone(),
        advice: Advice {
            dirty_files: Some(dirty),
            unpushed_commits: Some(unpushed),
            ..Advice::default()
        },
    }
}

/// The plan for everything in `shop` but two that are pinned.
fn plan() -> Plan {
    let mut items: Vec<PlanItem> = shop()
        .iter()
        .filter(|session| !["shop-4", "shop-3"].contains(&session.id.as_str()))
        .map(|session| match session.id.as_str() {
            "shop-12" => item(session, 3, 0),
            "shop-9" => item(session, 0, 2),
            "shop-10" => item(session, 1, 0),
            _ => item(session, 0, 0),
        })
        .collect();
    items.sort_by(|a, b| a.row.id.cmp(&b.row.id));
    let skipped = ["shop-3", "shop-4"]
        .map(|name| Skipped { id: id(name), reason: SkipReason::Pinned })
        .into_iter()
        .collect();
    Plan { items, skipped }
}

fn asked(bench: &mut Bench) -> u64 {
    let effects = bench.take();
    let plan = effects.iter().rev().find_map(|effect| match effect {
        Effect::Plan { ticket, .. } => Some(*ticket),
        _ => None,
    });
    plan.expect("a plan was asked for")
}

fn open(cols: u16, rows: u16) -> Bench {
    let mut bench = Bench::new(cols, rows);
    bench.keys("* d");
    let ticket = asked(&mut bench);
    bench.send(Event::Planning { ticket, done: 3, total: 14 });
    bench
}

pub(crate) fn ready(cols: u16, rows: u16) -> Bench {
    let mut bench = Bench::new(cols, rows);
    bench.keys("* d");
    let ticket = asked(&mut bench);
    bench.send(Event::Planned { ticket, plan: Ok(plan()) });
    bench
}

fn dialog(bench: &Bench) -> &callboard::tui::app::plan::PlanDialog {
    match bench.app.overlays.last() {
        Some(Overlay::Plan(dialog)) => dialog,
        other => panic!("no plan is open: {other:?}"),
    }
}

#[test]
fn the_frame_is_there_at_once_and_nothing_can_be_pressed() {
    let mut bench = open(80, 24);
    insta::assert_snapshot!("looking_80x24", bench.screen());
    bench.keys("Tab Enter");
    assert!(dialog(&bench).is_looking(), "keys that came before the plan say nothing of it");
    bench.keys("Esc");
    assert!(bench.app.overlays.is_empty());
    assert!(!bench.take().iter().any(|effect| matches!(effect, Effect::Delete { .. })));
}

#[test]
fn groups_counts_and_sessions() {
    insta::assert_snapshot!("plan_120x40", ready(120, 40).screen());
    insta::assert_snapshot!("plan_80x24", ready(80, 24).screen());
    insta::assert_snapshot!("plan_50x20", ready(50, 20).screen());
}

#[test]
fn cancel_is_the_default_and_two_enters_in_50_ms_are_one() {
    let mut bench = ready(120, 40);
    bench.keys("Enter");
    bench.wait(20);
    bench.send(Event::Keys(vec!["Enter".parse().unwrap()]));
    assert!(bench.app.overlays.is_empty());
    assert!(bench.app.typing.is_none(), "the second Enter opened nothing");
    assert!(bench.take().iter().all(|effect| !matches!(effect, Effect::Delete { .. })));
    bench.keys("Enter");
    assert!(bench.app.typing.is_some(), "later it acts again");
}

/// Another key between them makes the second Enter one of its own, however quick the operator is.
#[test]
fn an_enter_after_another_key_is_no_double_one() {
    let mut bench = Bench::new(120, 40);
    bench.keys("* /");
    let quick = ["Enter", "d"].map(|key| key.parse().unwrap());
    bench.send(Event::Keys(quick.to_vec()));
    let ticket = asked(&mut bench);
    bench.send(Event::Planned { ticket, plan: Ok(plan()) });
    bench.wait(10);
    let quick = ["Tab", "Enter"].map(|key| key.parse().unwrap());
    bench.send(Event::Keys(quick.to_vec()));
    assert!(bench.take().iter().any(|effect| matches!(effect, Effect::Delete { .. })));
}

#[test]
fn the_button_deletes_what_is_kept_with_its_conditions() {
    let mut bench = ready(120, 40);
    bench.keys("Tab Enter");
    let deleted = bench.take().into_iter().find_map(|effect| match effect {
        Effect::Delete { request, admitted } => Some((request, admitted)),
        _ => None,
    });
    let (request, admitted) = deleted.unwrap();
    assert!(request.conditions.exclude_pinned);
    assert_eq!(admitted.len(), 12, "children are admitted");
    assert_eq!(request.ids.len(), 10, "children are not requested");
}

#[test]
fn dropping_a_child_keeps_its_parent_and_dropping_a_parent_keeps_its_children() {
    let mut bench = ready(120, 40);
    let kept = |bench: &Bench| -> BTreeSet<String> {
        dialog(bench).kept().map(|item| item.row.id.to_string()).collect()
    };
    let all = kept(&bench);
    assert_eq!(dialog(&bench).rows().count(), 14);
    // shop-12, shop-14, shop-9, then its children.
    bench.keys("j j j Space");
    let without: BTreeSet<_> = all.difference(&kept(&bench)).cloned().collect();
    assert_eq!(without, BTreeSet::from(["shop-10", "shop-11", "shop-9"].map(str::to_owned)));
    bench.keys("Space");
    assert_eq!(kept(&bench), all, "once more puts it back");
    bench.keys("k Space");
    assert_eq!(kept(&bench).len(), all.len() - 3);
    assert!(bench.screen().contains("[ Delete 9 ]"), "{}", bench.screen());
}

#[test]
fn groups_are_listed_one_after_the_other() {
    let mut bench = ready(120, 40);
    bench.keys("l");
    assert_eq!(dialog(&bench).group().word(), "live");
    bench.keys("l l l l l");
    assert_eq!(dialog(&bench).group().word(), "skipped");
    assert_eq!(dialog(&bench).rows().count(), 2);
}

/// D2: what git gave no answer about is never counted as safe.
#[test]
fn a_worktree_that_git_did_not_answer_about_is_unchecked() {
    let mut bench = Bench::new(120, 40);
    bench.keys("* d");
    let ticket = asked(&mut bench);
    let mut silent = plan();
    for item in &mut silent.items {
        item.advice = Advice { unanswered: true, ..Advice::default() };
        item.row.live = false;
        item.row.open_pr = None;
    }
    bench.send(Event::Planned { ticket, plan: Ok(silent) });
    assert_eq!(dialog(&bench).size(Group::Unchecked), 12);
    assert_eq!(dialog(&bench).size(Group::Safe), 0);
    let screen = bench.screen();
    assert!(screen.contains("12  unchecked"), "{screen}");
}

#[test]
fn ids_are_listed_in_the_order_of_their_numbers() {
    let mut bench = Bench::new(120, 40);
    bench.keys("* d");
    let ticket = asked(&mut bench);
    let mut numbered = plan();
    numbered.items.retain(|item| item.row.parent.is_none());
    numbered.items.truncate(1);
    let one = numbered.items[0].clone();
    let named = |name: &str| {
        let mut item = one.clone();
        item.row.id = id(name);
        item
    };
    numbered.items = ["shop-10", "shop-100", "shop-9", "web-2"].map(named).to_vec();
    numbered.skipped.clear();
    bench.send(Event::Planned { ticket, plan: Ok(numbered) });
    let shown: Vec<&str> = dialog(&bench)
        .rows()
        .filter_map(|row| match row {
            Row::Item(item, _) => Some(item.row.id.as_str()),
            Row::Skipped(_) => None,
        })
        .collect();
    assert_eq!(shown, ["shop-9", "shop-10", "shop-100", "web-2"]);
}

#[test]
fn p_drops_the_pin_check_and_plans_again() {
    let mut bench = ready(120, 40);
    bench.keys("p");
    let again = bench.take().into_iter().find_map(|effect| match effect {
        Effect::Plan { ticket, request: PlanRequest::Delete(request) } => Some((ticket, request)),
        _ => None,
    });
    let (ticket, request) = again.unwrap();
    assert!(!request.conditions.exclude_pinned);
    let mut all = plan();
    all.skipped.clear();
    all.items.first_mut().unwrap().row.pinned = true;
    bench.send(Event::Planned { ticket, plan: Ok(all) });
    assert!(bench.screen().contains("1  pinned"), "{}", bench.screen());
}

#[test]
fn a_late_plan_of_a_closed_dialog_opens_nothing() {
    let mut bench = Bench::new(120, 40);
    bench.keys("d");
    let ticket = asked(&mut bench);
    bench.keys("Esc");
    bench.send(Event::Planned { ticket, plan: Ok(plan()) });
    assert!(bench.app.overlays.is_empty());
}

/// D3: the dashboard asks again, showing the difference, and says what was ended by then.
#[test]
fn a_plan_that_grew_is_asked_again_with_the_difference() {
    let mut bench = ready(120, 40);
    bench.keys("Tab Enter");
    let request = bench.take().into_iter().find_map(|effect| match effect {
        Effect::Delete { request, .. } => Some(request),
        _ => None,
    });
    let mut grown = plan();
    let mut new = grown.items.first().unwrap().clone();
    new.row.id = id("shop-99");
    new.row.parent = Some(id("shop-9"));
    new.pulled_in_by = Some(id("shop-9"));
    grown.items.push(new);
    let request = request.unwrap();
    let again = PlanRequest::Delete(request.clone());
    let admitted: BTreeSet<_> = plan().ids().into_iter().collect();
    let admitted = || admitted.clone();
    // Another plan that is confirmed meanwhile changes nothing of what this one was allowed (D3).
    bench.keys("d");
    let ticket = asked(&mut bench);
    let mut other = plan();
    other.items.truncate(1);
    bench.send(Event::Planned { ticket, plan: Ok(other) });
    bench.keys("Tab Enter");
    bench.send(Event::PlanGrew { request: again, admitted: admitted(), plan: grown.clone() });
    let screen = bench.screen();
    assert!(screen.contains("shop-99 appeared under shop-9 since you looked. 13 now."), "{screen}");
    bench.keys("Esc");
    let closed: BTreeSet<_> = [id("shop-9")].into();
    let request = PlanRequest::Delete(DeleteRequest { closed: closed.clone(), ..request });
    bench.send(Event::PlanGrew { request, admitted: admitted(), plan: grown });
    assert!(bench.screen().contains("13 now. shop-9 ended by then."), "{}", bench.screen());
    bench.take();
    bench.keys("Tab Enter");
    let asked = bench.take().into_iter().find_map(|effect| match effect {
        Effect::Delete { request, .. } => Some(request.closed),
        _ => None,
    });
    assert_eq!(asked, Some(closed), "granted later, it goes on from there");
}

#[test]
fn the_result_is_one_line_and_failed_ones_stay_marked() {
    let mut bench = ready(120, 40);
    bench.keys("Tab Enter");
    let removed = plan().items.iter().map(|item| item.row.id.clone()).collect::<Vec<_>>();
    let skip = |name: &str, reason: &str| SkippedRow { id: id(name), reason: reason.to_owned() };
    bench.send(Event::Ended(Outcome::Deleted(DeleteReport {
        removed_session_ids: removed,
        skipped: vec![skip("shop-3", "pinned"), skip("shop-4", "did_not_end")],
        ..DeleteReport::default()
    })));
    let screen = bench.screen();
    assert!(screen.contains("12 deleted, 2 skipped: shop-3 pinned since,"), "{screen}");
    assert!(screen.contains("u undo"), "{screen}");
    assert_eq!(bench.app.list.marks.ids, BTreeSet::from([id("shop-3"), id("shop-4")]));
}

#[test]
fn marks_of_a_filter_become_ids_once_when_they_are_used() {
    let mut bench = Bench::new(120, 40);
    bench.app.list.total = 900;
    bench.keys("* Space d");
    let asked = bench.take().into_iter().rev().find_map(|effect| match effect {
        Effect::LoadPage { ticket, query } if query.limit > 900 => Some((ticket, query)),
        _ => None,
    });
    let (ticket, query) = asked.expect("the ids are asked for");
    assert_eq!(query.filter.section, Some(SectionKey::project("/src/shop".as_ref())));
    assert!(bench.app.overlays.is_empty());
    bench.send(Event::Page { ticket, offset: 0, page: crate::fixture::page(shop()) });
    let planned = bench.take().into_iter().find_map(|effect| match effect {
        Effect::Plan { request: PlanRequest::Delete(request), .. } => Some(request.ids),
        _ => None,
    });
    let ids = planned.unwrap();
    assert_eq!(ids.len(), 13);
    assert!(!ids.contains(&id("shop-12")), "its mark was taken off by itself");
}
