//! A board like the one in the drawings of the look, with a fixed clock and fixed ids.

use std::time::Duration;

use callboard::domain::activity::{Activity, ActivityFact, Question};
use callboard::domain::condition::Condition;
use callboard::domain::ids::{OperationId, SessionId};
use callboard::domain::lifecycle::State;
use callboard::domain::pr::{Ci, Mergeability, PrFacts, PrState, Review};
use callboard::domain::query::Page;
use callboard::domain::rail::{Placement, Project, Section, SectionKey, Shown, ZoneCounts};
use callboard::domain::session::{Deletion, FolderKind, Kind, LaunchFacts, RuntimeFacts, Session};
use callboard::domain::status::{Attention, Status, Zone};
use callboard::domain::time::Timestamp;
use callboard::tui::app::screen::ScreenCells;
use callboard::tui::event::Board;

pub(crate) use crate::bench::{Bench, selected};

pub(crate) const NOW: Timestamp = Timestamp(1_796_000_000_000);

pub(crate) fn id(text: &str) -> SessionId {
    text.parse().unwrap()
}

pub(crate) fn minutes_ago(minutes: u64) -> Timestamp {
    NOW.minus(Duration::from_secs(minutes * 60))
}

/// A session of `shop` in the middle of its work.
pub(crate) fn session(name: &str, title: &str, agent: &str, status: Status, age: u64) -> Session {
    let since = minutes_ago(age);
    let id = id(name);
    let placement = match name.split_once('-').unwrap().0 {
        "chat" => Placement::conversations(),
        project => Placement::in_project(format!("/src/{project}").into()),
    };
    let mut condition = Condition::new(since);
    let ended = matches!(
        status,
        Status::Done | Status::Merged | Status::Killed | Status::Cleanup | Status::Errored
    );
    condition.status = status;
    condition.status_since = since;
    condition.last_activity_at = Some(since);
    condition.lifecycle.state = match status {
        Status::Working => State::Working,
        Status::NeedsInput => State::NeedsInput,
        Status::Stuck => State::Stuck,
        Status::Spawning => State::NotStarted,
        Status::Done => State::Done,
        _ if ended => State::Terminated,
        _ => State::Idle,
    };
    condition.lifecycle.alive = !ended;
    condition.lifecycle.generation = 1;
    condition.lifecycle.published = 1;
    let activity = if status == Status::Working { Activity::Active } else { Activity::Idle };
    condition.activity =
        ActivityFact { value: activity, since, witness: "screen: claude.busy".to_owned() };
    condition.seen_at = Some(NOW);
    Session {
        workspace: "default".parse().unwrap(),
        shown: Shown { section: placement.key(), root: id.clone() },
        root: id.clone(),
        project: None,
        id,
        kind: Kind::Worker,
        parent: None,
        launch: LaunchFacts {
            agent: agent.to_owned(),
            target: agent.to_owned(),
            ..LaunchFacts::default()
        },
        title: title.to_owned(),
        prompt: None,
        placement,
        pinned_at: None,
        condition,
        folder_kind: FolderKind::Worktree,
        folder: format!("/home/me/.local/share/callboard/worktrees/{name}").into(),
        branch: Some(title.to_lowercase().replace(' ', "-")),
        base: Some("4f1c20e9aa".to_owned()),
        dirty: None,
        prs: Vec::new(),
        runtime: RuntimeFacts { pid: Some(48_211), ..RuntimeFacts::default() },
        created_at: minutes_ago(2_880),
        updated_at: since,
        deletion: None,
        error: None,
    }
}

fn wants(mut session: Session, attention: Attention) -> Session {
    session.condition.attention = Some(attention);
    session.condition.seen_at = None;
    session
}

fn child_of(mut session: Session, parent: &str) -> Session {
    session.parent = Some(id(parent));
    session.root = id(parent);
    session.shown.root = id(parent);
    session
}

pub(crate) fn pr(
    mut session: Session,
    number: u64,
    ci: Ci,
    review: Review,
    stale: bool,
) -> Session {
    session.prs.push(PrFacts {
        url: format!("https://example.org/shop/pull/{number}"),
        number,
        state: PrState::Open,
        draft: false,
        ci,
        review,
        mergeability: Mergeability::Unknown,
        unresolved: 0,
        stale,
        read_at: NOW.minus(Duration::from_secs(40)),
    });
    session
}

/// The sessions of `shop`, in the order of the drawings.
pub(crate) fn shop() -> Vec<Session> {
    use Status as S;
    let mut asks = session("shop-12", "Fix cart rounding", "claude", S::NeedsInput, 2);
    asks.condition.activity.value = Activity::Blocked;
    asks.condition.question = Some(Question {
        id: "q1".to_owned(),
        kind: "permission".to_owned(),
        text: "Run this command? cargo test -p cart".to_owned(),
        options: ["Yes", "Yes, and do not ask again", "No, and say what to do"]
            .map(str::to_owned)
            .to_vec(),
        selected: None,
        unnumbered: false,
    });
    asks.branch = Some("cart-rounding".to_owned());
    asks.dirty = Some(3);
    let stuck = session("shop-14", "Find the flaky checkout test", "codex", S::Stuck, 11);
    let mut failed = session("shop-9", "Refactor price engine", "claude", S::CiFailed, 4);
    failed.condition.activity.value = Activity::Active;
    failed.condition.lifecycle.state = State::Working;
    let bench = session("shop-10", "Bench the old engine", "claude", S::Working, 0);
    let tests = session("shop-11", "Property tests for prices", "codex", S::Working, 0);
    let approved = session("shop-6", "VAT labels on invoices", "claude", S::Approved, 26);
    let review =
        session("shop-13", "Sort search results by stock", "opencode", S::ReviewPending, 63);
    let open = session("shop-5", "Audit log in the admin pages", "claude", S::PrOpen, 310);
    vec![
        wants(asks, Attention::Permission),
        wants(stuck, Attention::Stuck),
        wants(pr(failed, 41, Ci::Failing, Review::None, false), Attention::CiFailed),
        child_of(bench, "shop-9"),
        child_of(tests, "shop-9"),
        pr(approved, 39, Ci::Passing, Review::Approved, false),
        pr(review, 44, Ci::Passing, Review::Required, false),
        pr(open, 38, Ci::Passing, Review::None, true),
        session("shop-15", "Checkout tests for gift cards", "claude", S::Working, 0),
        session("shop-16", "Serve product images as WebP", "gemini", S::Working, 1),
        session("shop-17", "Dutch translation", "codex", S::Spawning, 0),
        session("shop-7", "Upgrade dependencies", "claude", S::Idle, 190),
        session("shop-4", "Product page on CSS grid", "claude", S::Merged, 1_500),
        session("shop-3", "Error reports without cart content", "claude", S::Killed, 3_000),
    ]
}

pub(crate) fn page(sessions: Vec<Session>) -> Page {
    Page { total: sessions.len() as u64, sessions, ..Page::default() }
}

fn section(key: SectionKey, name: &str, total: u64, attention: u64, zones: [u64; 6]) -> Section {
    Section {
        kind: key.kind(),
        path: key.path().map(Into::into),
        key,
        name: name.to_owned(),
        total,
        attention,
        zones: ZoneCounts(zones),
    }
}

pub(crate) fn project_key(name: &str) -> SectionKey {
    SectionKey::project(format!("/src/{name}").as_ref())
}

pub(crate) fn board() -> Board {
    let sections = vec![
        section(SectionKey::pinned(), "Pinned", 2, 0, [0, 0, 0, 0, 1, 1]),
        section(project_key("shop"), "shop", 14, 2, [2, 1, 1, 2, 5, 3]),
        section(project_key("api"), "api", 5, 0, [0, 0, 0, 0, 2, 3]),
        section(project_key("docs"), "docs", 0, 0, [0; 6]),
        section(project_key("mobile"), "mobile", 11, 0, [0, 0, 0, 1, 2, 8]),
        section(project_key("infra"), "infra", 6, 0, [0, 1, 0, 1, 0, 4]),
        section(SectionKey::conversations(), "Chats", 9, 1, [1, 0, 0, 0, 2, 6]),
    ];
    let projects = ["shop", "api", "docs", "mobile", "infra"]
        .iter()
        .enumerate()
        .map(|(position, name)| Project {
            name: name.parse().unwrap(),
            path: format!("/src/{name}").into(),
            git: true,
            sessions: 1,
            position: position as u32,
            setup: callboard::domain::rail::ProjectSetup::default(),
        })
        .collect();
    Board {
        sections,
        projects,
        filters: Vec::new(),
        trash: 47,
        last_batch: Some("0192-7c1e".parse::<OperationId>().unwrap()),
        live: 15,
        stuck: 0,
    }
}

pub(crate) fn waiting() -> Vec<Session> {
    let of = |zone| shop().into_iter().filter(move |session| session.condition.zone() == zone);
    let mut chat = session("chat-2", "Notes on pricing", "claude", Status::NeedsInput, 1);
    chat.condition.attention = Some(Attention::NeedsInput);
    of(Zone::Respond).chain(of(Zone::Review)).chain([chat]).collect()
}

pub(crate) fn agent_screen() -> ScreenCells {
    ScreenCells {
        cursor: Some((4, 20)),
        ..ScreenCells::from_lines(
            82,
            &[
                "> Fix the rounding in cart totals. Use integer",
                "  cents everywhere.",
                "",
                "Totals are summed as floats in three places. I will",
                "move them to Cents and keep the public API.",
                "",
                "Read src/cart/total.rs",
                "  214 lines",
                "Edit src/cart/total.rs",
                "  41 - let total = items.iter().sum::<f32>();",
                "  41 + let total: Cents = items.iter().sum();",
                "  42 - (total * 100.0).round() / 100.0",
                "  42 + total",
                "",
                "The unit tests for rounding should pass now; I will",
                "run the cart package.",
                "",
                "  Run this command?",
                "    cargo test -p cart",
                "",
                "  > 1. Yes",
                "    2. Yes, and do not ask again",
                "    3. No, and say what to do",
            ],
        )
    }
}

/// Deleted sessions in three batches.
pub(crate) fn trash() -> Vec<Session> {
    let deleted = |mut session: Session, batch: &str, age: u64, dirty: u32| {
        session.condition.lifecycle.alive = false;
        session.dirty = Some(dirty);
        session.deletion = Some(Deletion {
            at: minutes_ago(age),
            batch: batch.parse().unwrap(),
            was_live: false,
            trash_path: None,
        });
        session
    };
    vec![
        deleted(
            session("shop-1", "Move images to object storage", "claude", Status::Idle, 0),
            "0192-7c1e",
            12,
            12,
        ),
        deleted(
            session("shop-8", "Price import from the ERP", "claude", Status::Idle, 0),
            "0192-7c1e",
            12,
            0,
        ),
        child_of(
            deleted(
                session("shop-18", "Read the ERP export", "claude", Status::Idle, 0),
                "0192-7c1e",
                12,
                0,
            ),
            "shop-8",
        ),
        deleted(
            session("api-31", "Queue for outgoing mail", "codex", Status::Killed, 0),
            "0192-7c1e",
            12,
            0,
        ),
        deleted(
            session("docs-4", "Rewrite the first page", "claude", Status::Idle, 0),
            "0192-5000",
            200,
            1,
        ),
        deleted(
            session("infra-2", "Try the new build cache", "claude", Status::Errored, 0),
            "0191-1000",
            37_500,
            140,
        ),
    ]
}
