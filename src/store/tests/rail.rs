//! Sections and projects (P1, P2, P3, P6).

use crate::domain::activity::Activity;
use crate::domain::query::{Order, PageQuery};
use crate::domain::rail::{ProjectSetup, SectionKey};
use crate::domain::status::Zone;

use super::super::StoreError;
use super::{Fixture, id, ids, name, path, section};

/// P2: children follow their root; a pinned one takes them along, newest pin first.
#[tokio::test]
async fn children_follow_their_root_and_pins_take_them_along_p2() {
    let fixture = Fixture::new();
    let (shop, pinned) = (section("shop"), SectionKey::pinned());
    fixture.seed("shop-1", None).await;
    fixture.seed("shop-2", None).await;
    fixture.seed("shop-3", Some("shop-1")).await;
    fixture.seed("shop-4", Some("shop-3")).await;
    fixture.seed("api-1", Some("shop-3")).await;
    fixture.seed("shop-5", Some("api-1")).await;
    let all = ["shop-5", "shop-2", "shop-1", "shop-4", "shop-3"];
    assert_eq!(fixture.listed(&shop, Order::Recent).await, all);
    assert_eq!(fixture.listed(&section("api"), Order::Recent).await, ["api-1"]);

    // A new turn of a child moves the child, one of the root moves all of them.
    fixture.tick();
    fixture.store.prompted(&id("shop-3"), "go", "operator", fixture.clock.now()).await.unwrap();
    let moved = ["shop-5", "shop-2", "shop-1", "shop-3", "shop-4"];
    assert_eq!(fixture.listed(&shop, Order::Recent).await, moved);
    fixture.tick();
    fixture.store.prompted(&id("shop-1"), "go", "operator", fixture.clock.now()).await.unwrap();
    let moved = ["shop-1", "shop-3", "shop-4", "shop-5", "shop-2"];
    assert_eq!(fixture.listed(&shop, Order::Recent).await, moved);

    fixture.store.pin(&[id("shop-3"), id("shop-9")], true).await.unwrap();
    fixture.tick();
    let found = fixture.store.pin(&[id("shop-2")], true).await.unwrap();
    assert_eq!(found, [id("shop-2")]);
    assert_eq!(fixture.listed(&pinned, Order::Recent).await, ["shop-2", "shop-3", "shop-4"]);
    assert_eq!(fixture.listed(&shop, Order::Recent).await, ["shop-1", "shop-5"]);
    let under = fixture.seed("shop-6", Some("shop-4")).await;
    assert_eq!((under.shown.section, under.shown.root), (pinned.clone(), id("shop-3")));

    fixture.store.pin(&[id("shop-3")], false).await.unwrap();
    assert_eq!(fixture.listed(&pinned, Order::Recent).await, ["shop-2"]);
    let back = ["shop-1", "shop-6", "shop-3", "shop-4", "shop-5"];
    assert_eq!(fixture.listed(&shop, Order::Recent).await, back);
}

/// P2: in the dashboard's order the zone of the root comes first, then its time.
#[tokio::test]
async fn by_zone_the_roots_zone_comes_first_then_its_time_p2() {
    let fixture = Fixture::new();
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", None).await;
    fixture.live("shop-3", Some("shop-1")).await;
    fixture.observe("shop-2", 1, 2, Activity::Idle);
    assert_eq!(fixture.listed(&section("shop"), Order::Zone).await, ["shop-1", "shop-3", "shop-2"]);
    fixture.observe("shop-2", 1, 3, Activity::Blocked);
    assert_eq!(fixture.listed(&section("shop"), Order::Zone).await, ["shop-2", "shop-1", "shop-3"]);
    fixture.store.pin(&[id("shop-1")], true).await.unwrap();
    fixture.tick();
    fixture.store.pin(&[id("shop-2")], true).await.unwrap();
    fixture.observe("shop-1", 1, 2, Activity::Blocked);
    let pinned = fixture.listed(&SectionKey::pinned(), Order::Zone).await;
    assert_eq!(pinned, ["shop-2", "shop-1", "shop-3"]);
}

/// P1, P3: pinned, projects in their order with the empty ones, conversations; each with its counts.
#[tokio::test]
async fn sections_come_in_order_with_their_counts_p1() {
    let fixture = Fixture::new();
    fixture.project("shop").await;
    fixture.project("api").await;
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", Some("shop-1")).await;
    fixture.live("chat-1", None).await;
    fixture.observe("shop-2", 1, 2, Activity::Blocked);
    fixture.observe("chat-1", 1, 2, Activity::Idle);
    fixture.store.move_project(&name("api"), 0).await.unwrap();
    let rail = fixture.store.sections().await.unwrap();
    let names: Vec<&str> = rail.iter().map(|section| section.name.as_str()).collect();
    assert_eq!(names, ["api", "shop", "Chats"]);
    assert_eq!((rail[0].total, rail[0].attention), (0, 0));
    assert_eq!((rail[1].total, rail[1].attention), (2, 1));
    assert_eq!((rail[1].zones.of(Zone::Respond), rail[1].zones.of(Zone::Working)), (1, 1));
    assert_eq!((rail[2].total, rail[2].zones.of(Zone::Resting)), (1, 1));
    assert_eq!(rail[2].attention, 1, "finished and not seen");

    fixture.store.pin(&[id("shop-2")], true).await.unwrap();
    let rail = fixture.store.sections().await.unwrap();
    assert_eq!((rail[0].name.as_str(), rail[0].total, rail[0].attention), ("Pinned", 1, 1));
    assert_eq!((rail[2].total, rail[2].attention), (1, 0));
    let projects = fixture.store.projects().await.unwrap();
    let counts: Vec<u64> = projects.iter().map(|project| project.sessions).collect();
    assert_eq!(counts, [0, 2], "pinned ones belong to their project");
}

/// P6, P1: its section is hidden and counted nowhere, nothing is lost, and registering brings it back.
#[tokio::test]
async fn an_unregistered_project_is_hidden_and_comes_back_p6() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    let setup = ProjectSetup { commands: vec!["make".into()], ..ProjectSetup::default() };
    store.add_project(&path("shop"), None, true, setup.clone()).await.unwrap();
    fixture.project("api").await;
    fixture.live("shop-1", None).await;
    fixture.live("shop-2", None).await;
    fixture.live("api-1", None).await;
    store.pin(&[id("shop-2")], true).await.unwrap();
    let twice = store.add_project(&path("shop"), None, true, ProjectSetup::default()).await;
    assert!(matches!(twice, Err(StoreError::ProjectExists { .. })), "{twice:?}");

    store.remove_project(&name("shop")).await.unwrap();
    assert_eq!(fixture.get("shop-1").await.project, None);
    let page = store.page(&PageQuery::default()).await.unwrap();
    assert_eq!((ids(&page), page.total), (vec!["api-1".to_owned(), "shop-2".to_owned()], 2));
    assert_eq!(store.all_ids().await.unwrap().len(), 3);
    assert_eq!(store.sections().await.unwrap().len(), 3);
    let gone = store.remove_project(&name("shop")).await;
    assert!(matches!(gone, Err(StoreError::NoProject { .. })), "{gone:?}");

    let again =
        store.add_project(&path("shop"), None, true, ProjectSetup::default()).await.unwrap();
    assert_eq!((again.name.as_str(), again.position, again.sessions), ("shop", 0, 2));
    assert_eq!(again.setup, setup);
    assert_eq!(store.page(&PageQuery::default()).await.unwrap().total, 3);
}

/// S3: names of projects: the folder's, numbered where taken; `chat` is reserved.
#[tokio::test]
async fn a_name_that_was_not_chosen_is_made_unique_s3() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    let add = |at: &'static str, name| {
        store.add_project(std::path::Path::new(at), name, false, ProjectSetup::default())
    };
    assert_eq!(add("/a/shop", None).await.unwrap().name.as_str(), "shop");
    assert_eq!(add("/b/shop", None).await.unwrap().name.as_str(), "shop-2");
    assert_eq!(add("/c/shop", None).await.unwrap().name.as_str(), "shop-3");
    for taken in ["shop-2", "chat"] {
        let refused = add("/d/x", Some(name(taken))).await;
        assert_eq!(refused, Err(StoreError::NameTaken { name: name(taken) }));
    }
}

/// P2: rename moves nothing.
#[tokio::test]
async fn a_rename_moves_nothing_p2() {
    let fixture = Fixture::new();
    fixture.seed("shop-1", None).await;
    fixture.seed("shop-2", None).await;
    fixture.tick();
    assert!(fixture.store.rename(&id("shop-1"), "New").await.unwrap());
    assert!(!fixture.store.rename(&id("shop-9"), "New").await.unwrap());
    assert_eq!(fixture.listed(&section("shop"), Order::Recent).await, ["shop-2", "shop-1"]);
    assert_eq!(fixture.get("shop-1").await.title, "New");
}
