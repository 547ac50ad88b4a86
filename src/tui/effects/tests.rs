//! On the real store; nothing is started.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::*;
use crate::adapters::{self, Real, SeededSession};
use crate::config::Config;
use crate::domain::condition::Condition;
use crate::domain::ids::WorkspaceName;
use crate::domain::plan::Conditions;
use crate::domain::query::PageQuery;
use crate::domain::rail::Placement;
use crate::domain::session::{FolderKind, Kind, LaunchFacts};
use crate::host::ports::StorePort as _;
use crate::host::report::{DeleteRequest, RestoreTarget};
use crate::os::paths::Home;
use crate::tui::app::plan::PlanRequest;
use crate::tui::event::Tab;

struct Bench {
    effects: Effects<Real>,
    events: mpsc::Receiver<Event>,
    host: Host<Real>,
    root: tempfile::TempDir,
}

impl Bench {
    /// A home with `chat-1` and its child `chat-2`, both ended.
    async fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let home = Home::at(root.path()).unwrap();
        home.create().unwrap();
        let host =
            adapters::open(&home, &Config::default(), WorkspaceName::default()).await.unwrap();
        let sessions = vec![session("chat-1", None), session("chat-2", Some("chat-1"))];
        host.ports().seed(sessions).await.unwrap();
        let (out, events) = mpsc::channel(16);
        let effects = Effects::new(host.clone(), out);
        Self { effects, events, host, root }
    }

    async fn run(&mut self, effect: Effect) -> Event {
        self.effects.run(effect);
        self.next().await
    }

    async fn next(&mut self) -> Event {
        self.events.recv().await.unwrap()
    }
}

fn id(text: &str) -> SessionId {
    SessionId::new(text).unwrap()
}

fn session(name: &str, parent: Option<&str>) -> SeededSession {
    let now = crate::os::clock::Clock::System.now();
    let mut condition = Condition::new(now);
    condition.lifecycle.state = crate::domain::lifecycle::State::Done;
    SeededSession {
        id: id(name),
        kind: Kind::Worker,
        parent: parent.map(id),
        launch: LaunchFacts {
            agent: "shell".to_owned(),
            target: "shell".to_owned(),
            ..LaunchFacts::default()
        },
        title: name.to_owned(),
        prompt: None,
        placement: Placement::conversations(),
        pinned_at: None,
        condition,
        folder_kind: FolderKind::None,
        folder: PathBuf::from("/"),
        branch: None,
        dirty: None,
        prs: Vec::new(),
        created_at: now,
    }
}

fn delete_request(name: &str) -> DeleteRequest {
    DeleteRequest {
        ids: [id(name)].into(),
        conditions: Conditions::default(),
        with_rowless: false,
        closed: BTreeSet::new(),
        actor: ACTOR,
    }
}

#[tokio::test]
async fn questions_are_answered() {
    let mut bench = Bench::new().await;
    let Event::Board(board) = bench.run(Effect::LoadBoard).await else { panic!() };
    assert!(board.sections.iter().any(|section| section.total == 2));
    assert_eq!((board.trash, board.last_batch), (0, None));
    let Event::Waiting(waiting) = bench.run(Effect::LoadWaiting).await else { panic!() };
    assert_eq!(waiting, []);
    let query = PageQuery { limit: 1, offset: 1, ..PageQuery::default() };
    let Event::Page { ticket: 7, offset: 1, page } =
        bench.run(Effect::LoadPage { ticket: 7, query }).await
    else {
        panic!()
    };
    assert_eq!((page.sessions.len(), page.total), (1, 2));
    let tab = Effect::LoadTab { id: id("chat-1"), tab: Tab::Messages };
    assert!(matches!(bench.run(tab).await, Event::Tab { .. }));
    assert!(matches!(bench.run(Effect::LoadCrowded).await, Event::Crowded(None)));
    assert!(matches!(bench.run(Effect::LoadOperations).await, Event::Operations(_)));
}

/// Q1: everywhere is all sections and the trash; a session whose id was typed comes first; a project that
/// is not there has nothing.
#[tokio::test]
async fn a_search_finds_in_sections_and_in_the_trash_q1() {
    let mut bench = Bench::new().await;
    bench.run(Effect::Rename { id: id("chat-1"), title: "Mend the cart".to_owned() }).await;
    let search = |text: &str| {
        let filter = crate::tui::app::find::parse(text).filter;
        Effect::Search { ticket: 4, filter }
    };
    let ids = |page: &crate::domain::query::Page| {
        page.sessions.iter().map(|session| session.id.to_string()).collect::<Vec<_>>()
    };
    let Event::Found { ticket: 4, found } = bench.run(search("cart")).await else { panic!() };
    assert_eq!(ids(&found.sessions), ["chat-1"]);
    assert_eq!(found.sessions.snippets[0].marked("<", ">"), "Mend the <cart>");
    let Event::Found { found, .. } = bench.run(search("chat-2")).await else { panic!() };
    assert_eq!((ids(&found.sessions), found.sessions.total), (vec!["chat-2".to_owned()], 1));
    let Event::Found { found, .. } = bench.run(search("project:nowhere cart")).await else {
        panic!()
    };
    assert_eq!((found.sessions.total, found.trash.total), (0, 0));
    let admitted = vec![id("chat-1"), id("chat-2")];
    bench.run(Effect::Delete { request: delete_request("chat-1"), admitted }).await;
    let Event::Found { found, .. } = bench.run(search("cart")).await else { panic!() };
    assert_eq!((ids(&found.sessions), ids(&found.trash)), (vec![], vec!["chat-1".to_owned()]));
    bench.effects.finish().await;
}

#[tokio::test]
async fn a_delete_that_was_confirmed_is_done_and_undone() {
    let mut bench = Bench::new().await;
    let request = delete_request("chat-1");
    let plan = Effect::Plan { ticket: 3, request: PlanRequest::Delete(request.clone()) };
    let Event::Planned { ticket: 3, plan: Ok(plan) } = bench.run(plan).await else { panic!() };
    assert_eq!(plan.ids(), [id("chat-1"), id("chat-2")]);
    let delete = Effect::Delete { request, admitted: plan.ids() };
    let Event::Ended(Outcome::Deleted(report)) = bench.run(delete).await else { panic!() };
    assert_eq!(report.removed_session_ids, plan.ids());
    assert_eq!(bench.host.ports().trash_count().await.unwrap(), 2);

    let target = RestoreTarget::Batch(report.batch.unwrap());
    let undone = bench.run(Effect::Restore { target, undo: true }).await;
    let Event::Ended(Outcome::Restored { undo: true, report }) = undone else { panic!() };
    assert_eq!(report.restored_session_ids.len(), 2);
    bench.effects.finish().await;
}

/// D3: what the operator did not see is not deleted; the plan comes back with its advice.
#[tokio::test]
async fn a_plan_that_grew_is_shown_again_and_nothing_is_deleted() {
    let mut bench = Bench::new().await;
    let request = delete_request("chat-1");
    let delete = Effect::Delete { request: request.clone(), admitted: vec![id("chat-1")] };
    let Event::PlanGrew { request: asked, admitted, plan } = bench.run(delete).await else {
        panic!()
    };
    assert_eq!((asked, plan.items.len()), (PlanRequest::Delete(request), 2));
    assert_eq!(admitted, [id("chat-1")].into(), "what this job was allowed");
    assert_eq!(bench.host.ports().trash_count().await.unwrap(), 0);
}

/// R1, R5: the plans of restore and purge name whole trees, whatever of them was asked for; a purge that
/// would take more than what was shown takes nothing.
#[tokio::test]
async fn trees_of_the_trash_are_planned_whole() {
    let mut bench = Bench::new().await;
    let both = vec![id("chat-1"), id("chat-2")];
    let delete = Effect::Delete { request: delete_request("chat-1"), admitted: both.clone() };
    bench.run(delete).await;
    for request in
        [PlanRequest::Restore(vec![id("chat-2")]), PlanRequest::Purge(vec![id("chat-2")])]
    {
        let mut planned = bench.run(Effect::Plan { ticket: 5, request }).await;
        while let Event::Planning { ticket: 5, .. } = planned {
            planned = bench.next().await;
        }
        let Event::Planned { ticket: 5, plan: Ok(plan) } = planned else { panic!() };
        assert_eq!(plan.ids(), both);
        assert_eq!(plan.items[0].pulled_in_by, Some(id("chat-2")));
    }
    let grew = bench.run(Effect::Purge(vec![id("chat-1")])).await;
    let Event::PlanGrew { request, admitted, plan } = grew else { panic!() };
    assert_eq!(request, PlanRequest::Purge(vec![id("chat-1")]));
    assert_eq!(admitted, [id("chat-1")].into());
    assert_eq!(plan.ids(), both);
    assert_eq!(bench.host.ports().trash_count().await.unwrap(), 2);
    let purged = bench.run(Effect::Purge(both.clone())).await;
    let Event::Ended(Outcome::Purged(report)) = purged else { panic!() };
    assert_eq!(report.purged_session_ids, both);
    bench.effects.finish().await;
}

#[tokio::test]
async fn a_failure_says_what_was_not_done_and_why() {
    let mut bench = Bench::new().await;
    let rename = Effect::Rename { id: id("chat-9"), title: "x".to_owned() };
    let Event::Ended(Outcome::Failed { what, failure }) = bench.run(rename).await else { panic!() };
    assert_eq!(what, "chat-9 was not renamed");
    assert_eq!(failure.message, "there is no session chat-9");
    let gone = bench.root.path().join("gone");
    let added = bench.run(Effect::AddProject(gone)).await;
    assert!(matches!(added, Event::Ended(Outcome::Failed { .. })));
    let question = Effect::Answer { id: id("chat-1"), question: "q".to_owned(), option: None };
    let Event::Ended(Outcome::Failed { what, .. }) = bench.run(question).await else { panic!() };
    assert_eq!(what, "chat-1 was not answered");
}
