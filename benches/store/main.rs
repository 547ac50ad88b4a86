//! The store at 100,000 sessions: pages, counts, one change, batches of 10,000, opening.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench stops where it cannot go on")]

mod made;
#[path = "../support/mod.rs"]
mod support;

use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use callboard::domain::activity::Activity;
use callboard::domain::facts::Facts;
use callboard::domain::ids::{SessionId, WorkspaceName};
use callboard::domain::plan::Conditions;
use callboard::domain::query::{Filter, Order, PageQuery};
use callboard::domain::trash::{TombstoneRow, Tombstoned, Untombstone};
use callboard::os::clock::Clock;
use callboard::os::random;
use callboard::store::Store;
use callboard::store::facts::FactsWriter;
use criterion::{Criterion, Throughput};
use tokio::runtime::Runtime;

use made::{Made, PROJECTS};
use support::{Figures, Times};

/// Sessions of the large store.
const MANY: usize = 100_000;
/// Sessions of the small one.
const FEW: usize = 1_000;
/// Sessions of a batch.
const BATCH: usize = 10_000;
/// Rows of a section on the first page.
const ROWS: usize = 10;
/// Rows of a tall terminal.
const SCREEN: usize = 60;
/// Writers beside the one that is measured, each four times a second.
const OTHERS: usize = 200;
/// The argument by which this program is one of them.
const CROWD: &str = "one-of-the-crowd";

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let [_, first, database, id] = args.as_slice()
        && first == CROWD
    {
        return one_of_the_crowd(Path::new(database), id);
    }
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let runtime = Runtime::new().unwrap();
    let mut figures = Figures::default();
    let (few, many) = (Made::spread(&runtime, FEW), Made::spread(&runtime, MANY));
    first_pages(&mut criterion, &runtime, &mut figures, &few, &many);
    board(&mut criterion, &runtime, &mut figures, &few, &many);
    one_change(&mut criterion, &mut figures, &many);
    crowd(&mut figures, &many);
    opening(&mut criterion, &mut figures, &many);
    drop((few, many));
    deep_pages(&mut criterion, &runtime, &mut figures);
    batches(&mut criterion, &runtime, &mut figures);
    criterion.final_summary();
    figures.print();
}

/// The rail with its counts, and the first page of every section.
fn first_pages(
    criterion: &mut Criterion,
    runtime: &Runtime,
    figures: &mut Figures,
    few: &Made,
    many: &Made,
) {
    let mut group = criterion.benchmark_group("first page of all sections, with counts");
    let mut per_row = Vec::new();
    let mut all = Duration::ZERO;
    for (made, count) in [(few, FEW), (many, MANY)] {
        let rows = u32::try_from(runtime.block_on(read_all(&made.store))).unwrap();
        let mut times = Times::default();
        group.throughput(Throughput::Elements(rows.into()));
        group.bench_function(format!("{count} sessions"), |bencher| {
            bencher.iter_custom(|rounds| {
                (0..rounds).map(|_| times.of(|| runtime.block_on(read_all(&made.store))).0).sum()
            });
        });
        all = times.median();
        per_row.push(all.as_secs_f64() / f64::from(rows));
    }
    group.finish();
    let limit = Some(Duration::from_millis(3));
    figures.time(format!("first pages of {PROJECTS} sections + counts, {MANY}"), all, limit);
    figures.ratio(format!("  per row, {MANY} over {FEW}"), per_row[1] / per_row[0], Some(1.5));
}

/// What a dashboard asks for: the counts, and one page of all sessions by zone.
fn board(
    criterion: &mut Criterion,
    runtime: &Runtime,
    figures: &mut Figures,
    few: &Made,
    many: &Made,
) {
    let query = PageQuery { order: Order::Zone, limit: SCREEN, ..PageQuery::default() };
    let mut group = criterion.benchmark_group("counts and one page of the board");
    let mut medians = Vec::new();
    for (made, count) in [(few, FEW), (many, MANY)] {
        let look = || {
            runtime.block_on(async {
                made.store.sections().await.unwrap();
                made.store.page(&query).await.unwrap()
            })
        };
        let mut times = Times::default();
        group.bench_function(format!("{count} sessions"), |bencher| {
            bencher.iter_custom(|rounds| (0..rounds).map(|_| times.of(look).0).sum());
        });
        medians.push(times.median());
    }
    group.finish();
    let limit = Some(Duration::from_millis(3));
    figures.time(format!("counts and {SCREEN} rows of the board, {MANY}"), medians[1], limit);
    let ratio = medians[1].as_secs_f64() / medians[0].as_secs_f64();
    figures.ratio(format!("  {MANY} over {FEW}"), ratio, Some(1.5));
}

async fn read_all(store: &Store) -> usize {
    let mut rows = 0;
    for section in store.sections().await.unwrap() {
        let filter = Filter { section: Some(section.key), ..Filter::default() };
        let query = PageQuery { filter, limit: ROWS, ..PageQuery::default() };
        rows += store.page(&query).await.unwrap().sessions.len();
    }
    rows
}

/// A page at the far end of a section, by cursor and by offset.
fn deep_pages(criterion: &mut Criterion, runtime: &Runtime, figures: &mut Figures) {
    let made = Made::in_one_section(runtime, MANY);
    let page = |query: &PageQuery| runtime.block_on(made.store.page(query)).unwrap();
    let filter = Filter { section: Some(made.section.clone()), ..Filter::default() };
    let far = PageQuery { filter, limit: MANY - 100, ..PageQuery::default() };
    let cursor = page(&far).next_cursor;
    let deep = PageQuery { cursor, limit: ROWS, ..far.clone() };
    let skipping = PageQuery { offset: MANY - 100, limit: ROWS, ..far };
    assert_eq!(page(&deep).sessions, page(&skipping).sessions);
    let mut group = criterion.benchmark_group("page at the end of a section");
    for (name, query, millis) in [("cursor", deep, 2), ("offset", skipping, 8)] {
        let mut times = Times::default();
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|rounds| (0..rounds).map(|_| times.of(|| page(&query)).0).sum());
        });
        let what = format!("page at the end of {MANY} by {name}");
        figures.time(what, times.median(), Some(Duration::from_millis(millis)));
    }
    group.finish();
}

/// One session goes to and fro between active and idle.
fn one_change(criterion: &mut Criterion, figures: &mut Figures, many: &Made) {
    let mut change = Changing::new(many, &many.live[0]);
    let mut times = Times::default();
    criterion.bench_function("status change", |bencher| {
        bencher.iter_custom(|rounds| (0..rounds).map(|_| times.of(|| change.next()).0).sum());
    });
    let limit = Some(Duration::from_micros(300));
    figures.time(format!("status change, {MANY}"), times.median(), limit);
}

/// The same while two hundred processes write, 800 times a second together.
fn crowd(figures: &mut Figures, many: &Made) {
    let own = std::env::current_exe().unwrap();
    let others: Vec<Child> = many.live[1..=OTHERS]
        .iter()
        .map(|id| {
            let mut other = Command::new(&own);
            other.arg(CROWD).arg(many.store.database()).arg(id.as_str()).spawn().unwrap()
        })
        .collect();
    let mut change = Changing::new(many, &many.live[0]);
    let mut times = Times::default();
    for _ in 0..400 {
        std::thread::sleep(Duration::from_millis(10));
        times.of(|| change.next());
    }
    for mut other in others {
        assert!(other.wait().unwrap().success());
    }
    figures.time(format!("  median while {OTHERS} others write"), times.median(), None);
    let limit = Some(Duration::from_millis(10));
    figures.time(format!("  p99 while {OTHERS} others write"), times.percentile(99), limit);
}

/// One of the crowd: writes four times a second for six seconds.
fn one_of_the_crowd(database: &Path, id: &str) {
    let id = SessionId::new(id).unwrap();
    let mut change = Changing::of(database, &WorkspaceName::default(), &id);
    for _ in 0..24 {
        std::thread::sleep(Duration::from_millis(250).mul_f64(0.5 + random::jitter()));
        change.next();
    }
}

/// A keeper's writer and its next facts.
struct Changing {
    writer: FactsWriter,
    facts: Facts,
}

impl Changing {
    fn new(made: &Made, id: &SessionId) -> Self {
        Self::of(made.store.database(), made.store.workspace(), id)
    }

    fn of(database: &Path, workspace: &WorkspaceName, id: &SessionId) -> Self {
        let writer = FactsWriter::open(database, workspace, id).unwrap();
        let now = Clock::System.now();
        Self { writer, facts: made::facts(now.0.unsigned_abs() << 20, now) }
    }

    fn next(&mut self) {
        let facts = &mut self.facts;
        let idle = facts.activity.value == Activity::Idle;
        facts.activity.value = if idle { Activity::Active } else { Activity::Idle };
        facts.sequence += 1;
        self.writer.write(facts, facts.last_sign_at).unwrap();
    }
}

fn opening(criterion: &mut Criterion, figures: &mut Figures, many: &Made) {
    let mut times = Times::default();
    criterion.bench_function("open", |bencher| {
        bencher
            .iter_custom(|rounds| (0..rounds).map(|_| times.of(|| made::open(&many.home)).0).sum());
    });
    figures.time(format!("open, {MANY}"), times.median(), Some(Duration::from_millis(15)));
}

/// 10,000 sessions go to the trash in one transaction and come back in another, on a fresh copy of
/// the same store each time.
fn batches(criterion: &mut Criterion, runtime: &Runtime, figures: &mut Figures) {
    let made = Made::spread(runtime, BATCH);
    let ids = runtime.block_on(made.store.all_ids()).unwrap();
    let rows: Vec<TombstoneRow> = ids
        .iter()
        .map(|id| TombstoneRow {
            id: id.clone(),
            was_live: made.live.contains(id),
            closed: false,
            trash_path: Some(Path::new("/trash").join(id.as_str())),
        })
        .collect();
    let back: Vec<Untombstone> =
        ids.iter().map(|id| Untombstone { id: id.clone(), folder: None }).collect();
    let requested = ids.into_iter().collect();
    let home = made.close();
    let (mut going, mut coming) = (Times::default(), Times::default());
    let go = |store: &Store, times: &mut Times| {
        let (conditions, batch) = (Conditions::default(), random::operation());
        let (took, done) = times.of(|| {
            runtime.block_on(store.tombstone(&requested, &conditions, &rows, &batch)).unwrap()
        });
        assert!(matches!(done, Tombstoned::Done { .. }));
        took
    };
    let come = |store: &Store, times: &mut Times| {
        times.of(|| runtime.block_on(store.untombstone(&back)).unwrap()).0
    };
    let mut group = criterion.benchmark_group("10,000 sessions");
    group.sample_size(10);
    group.bench_function("tombstone", |bencher| {
        bencher.iter_custom(|rounds| (0..rounds).map(|_| go(&home.copy().store, &mut going)).sum());
    });
    group.bench_function("restore", |bencher| {
        bencher.iter_custom(|rounds| {
            (0..rounds)
                .map(|_| {
                    let copy = home.copy();
                    go(&copy.store, &mut Times::default());
                    come(&copy.store, &mut coming)
                })
                .sum()
        });
    });
    group.finish();
    let limit = Some(Duration::from_millis(400));
    figures.time(format!("tombstone {BATCH}"), going.median(), limit);
    figures.time(format!("restore {BATCH}"), coming.median(), limit);
    let ratio = coming.median().as_secs_f64() / going.median().as_secs_f64();
    figures.ratio("  restore over tombstone", ratio, None);
}
