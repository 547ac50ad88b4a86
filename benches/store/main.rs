//! The store at 1,000, 10,000 and 100,000 sessions: pages, counts, one change, batches, opening.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench stops where it cannot go on")]

mod made;
#[path = "../support/mod.rs"]
mod support;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
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
use criterion::Criterion;
use tokio::runtime::Runtime;

use made::{Closed, Made, PROJECTS};
use support::{Figures, Times};

/// Sessions of the stores; the figures hold for the last.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// Sessions of a batch; the figures hold for the last.
const BATCHES: [usize; 2] = [1_000, 10_000];
/// Rows of a section on the first page.
const ROWS: usize = 10;
/// Rows of a tall terminal.
const SCREEN: usize = 60;
/// Writers beside the one that is measured, each four times a second.
const OTHERS: usize = 200;
/// Changes that are measured among them.
const CHANGES: usize = 600;
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
    let spread = SIZES.map(|count| Made::spread(&runtime, count));
    let mut bench = Bench { criterion: &mut criterion, runtime: &runtime, figures: &mut figures };
    bench.first_pages(&spread);
    bench.board(&spread);
    bench.one_change(&spread);
    bench.crowd(&spread[2]);
    bench.opening(&spread);
    drop(spread);
    let alone = SIZES.map(|count| Made::in_one_section(&runtime, count));
    bench.deep_pages(&alone);
    drop(alone);
    bench.batches();
    criterion.final_summary();
    figures.print();
}

/// What every figure is measured with.
struct Bench<'b> {
    criterion: &'b mut Criterion,
    runtime: &'b Runtime,
    figures: &'b mut Figures,
}

impl Bench<'_> {
    /// Times `work` in each of `places`; answers the medians.
    fn medians<'p, P: 'p>(
        &mut self,
        group: &str,
        places: impl IntoIterator<Item = (usize, &'p P)>,
        mut work: impl FnMut(&'p P, &mut Times) -> Duration,
    ) -> Vec<Duration> {
        let mut group = self.criterion.benchmark_group(group);
        let mut medians = Vec::new();
        for (size, place) in places {
            let mut times = Times::default();
            group.bench_function(size.to_string(), |bencher| {
                bencher.iter_custom(|rounds| (0..rounds).map(|_| work(place, &mut times)).sum());
            });
            medians.push(times.median());
        }
        group.finish();
        medians
    }

    /// The rail with its counts, and the first page of every section.
    fn first_pages(&mut self, stores: &[Made]) {
        let runtime = self.runtime;
        let rows: Vec<u32> = stores
            .iter()
            .map(|made| u32::try_from(runtime.block_on(read_all(&made.store))).unwrap())
            .collect();
        let medians = self.medians(
            "first page of all sections, with counts",
            sized(stores),
            |made, times| times.of(|| runtime.block_on(read_all(&made.store))).0,
        );
        let per_row: Vec<Duration> =
            medians.iter().zip(&rows).map(|(median, rows)| *median / *rows).collect();
        let what = format!("first pages of {PROJECTS} sections + counts");
        self.figures.growth(&what, &SIZES, &medians, Some(Duration::from_millis(3)), None);
        self.figures.growth("  for each row", &SIZES, &per_row, None, Some(1.5));
    }

    /// What a dashboard asks for: the counts, and one page of all sessions by zone.
    fn board(&mut self, stores: &[Made]) {
        let runtime = self.runtime;
        let query = PageQuery { order: Order::Zone, limit: SCREEN, ..PageQuery::default() };
        let medians =
            self.medians("counts and one page of the board", sized(stores), |made, times| {
                let look = async {
                    made.store.sections().await.unwrap();
                    made.store.page(&query).await.unwrap()
                };
                times.of(|| runtime.block_on(look)).0
            });
        let what = format!("counts and {SCREEN} rows of the board");
        self.figures.growth(&what, &SIZES, &medians, Some(Duration::from_millis(3)), Some(1.5));
    }

    /// A page at the far end of a section, by cursor and by offset.
    fn deep_pages(&mut self, stores: &[Made]) {
        let runtime = self.runtime;
        let page =
            |made: &Made, query: &PageQuery| runtime.block_on(made.store.page(query)).unwrap();
        let queries = stores.iter().map(|made| {
            let filter = Filter { section: Some(made.section.clone()), ..Filter::default() };
            let far = PageQuery { filter, limit: made.count - 100, ..PageQuery::default() };
            let cursor = page(made, &far).next_cursor;
            let deep = PageQuery { cursor, limit: ROWS, ..far.clone() };
            let end = PageQuery { offset: made.count - 100, limit: ROWS, ..far.clone() };
            let middle = PageQuery { offset: made.count / 2, limit: ROWS, ..far };
            assert_eq!(page(made, &deep).sessions, page(made, &end).sessions);
            (made, [deep, end, middle])
        });
        let queries: Vec<(&Made, [PageQuery; 3])> = queries.collect();
        let places = || SIZES.into_iter().zip(&queries);
        for (at, what, millis) in [
            (0, "page near the end by cursor", 2),
            (1, "page near the end by offset", 8),
            (2, "page in the middle by offset", 8),
        ] {
            let medians = self.medians(what, places(), |(made, queries), times| {
                times.of(|| page(made, &queries[at])).0
            });
            let target = Some(Duration::from_millis(millis));
            self.figures.growth(what, &SIZES, &medians, target, None);
        }
    }

    /// One session goes to and fro between active and idle.
    fn one_change(&mut self, stores: &[Made]) {
        let changes: Vec<RefCell<Changing>> =
            stores.iter().map(|made| RefCell::new(Changing::new(made, &made.live[0]))).collect();
        let medians =
            self.medians("status change", SIZES.into_iter().zip(&changes), |change, times| {
                let took = times.of(|| change.borrow_mut().next()).0;
                change.borrow().rest();
                took
            });
        let target = Some(Duration::from_micros(300));
        self.figures.growth("status change", &SIZES, &medians, target, None);
    }

    /// The same while two hundred processes write, 800 times a second together.
    fn crowd(&mut self, made: &Made) {
        let own = std::env::current_exe().unwrap();
        let mut others: Vec<Child> = made.live[1..=OTHERS]
            .iter()
            .map(|id| {
                let mut other = Command::new(&own);
                other.arg(CROWD).arg(made.store.database()).arg(id.as_str());
                other.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        // Each says when it has written once: what their start costs is not measured.
        for other in &mut others {
            let mut said = [0];
            other.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
        }
        let mut change = Changing::new(made, &made.live[0]);
        let mut times = Times::default();
        for _ in 0..CHANGES {
            std::thread::sleep(Duration::from_millis(10));
            times.of(|| change.next());
            change.rest();
        }
        let mut written = 0;
        for mut other in others {
            drop(other.stdin.take());
            let mut count = String::new();
            other.stdout.take().unwrap().read_to_string(&mut count).unwrap();
            written += count.trim().parse::<usize>().unwrap();
            assert!(other.wait().unwrap().success());
        }
        println!("{OTHERS} others wrote {written} times");
        for (what, percent, target) in
            [("median", 50, None), ("p99", 99, Some(Duration::from_millis(10)))]
        {
            let what = format!("  {what} while {OTHERS} others write");
            self.figures.time(what, times.percentile(percent), target);
        }
    }

    fn opening(&mut self, stores: &[Made]) {
        let medians = self
            .medians("open", sized(stores), |made, times| times.of(|| made::open(&made.home)).0);
        self.figures.growth("open", &SIZES, &medians, Some(Duration::from_millis(15)), None);
    }

    /// A batch goes to the trash in one transaction and comes back in another, on a fresh copy of
    /// the same store each time.
    fn batches(&mut self) {
        let runtime = self.runtime;
        let batches = BATCHES.map(|size| Batch::new(runtime, size));
        let places = || BATCHES.into_iter().zip(&batches);
        let going = self.medians("tombstone", places(), |batch, times| {
            batch.go(runtime, &batch.home.copy().store, times)
        });
        let coming = self.medians("restore", places(), |batch, times| {
            let copy = batch.home.copy();
            batch.go(runtime, &copy.store, &mut Times::default());
            times.of(|| runtime.block_on(copy.store.untombstone(&batch.back)).unwrap()).0
        });
        let target = Some(Duration::from_millis(400));
        self.figures.growth("tombstone", &BATCHES, &going, target, None);
        self.figures.growth("restore", &BATCHES, &coming, target, None);
    }
}

fn sized(stores: &[Made]) -> impl Iterator<Item = (usize, &Made)> {
    stores.iter().map(|made| (made.count, made))
}

async fn read_all(store: &Store) -> usize {
    store.sections().await.unwrap();
    let pages = store.first_pages(None, Order::Zone, ROWS).await.unwrap();
    pages.iter().map(|(_, rows)| rows.len()).sum()
}

/// One of the crowd: writes four times a second until its standard input ends.
fn one_of_the_crowd(database: &Path, id: &str) {
    let id = SessionId::new(id).unwrap();
    let mut change = Changing::of(database, &WorkspaceName::default(), &id);
    change.next();
    print!("+");
    std::io::stdout().flush().unwrap();
    let ended = std::thread::spawn(|| std::io::stdin().read_to_end(&mut Vec::new()));
    let mut written = 0;
    while !ended.is_finished() {
        std::thread::sleep(Duration::from_millis(250).mul_f64(0.5 + random::jitter()));
        change.next();
        change.rest();
        written += 1;
    }
    println!("{written}");
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

    /// What a keeper does when it has told everything.
    fn rest(&self) {
        self.writer.tidy();
    }
}

/// Everything of a store, to be deleted and brought back.
struct Batch {
    home: Closed,
    requested: BTreeSet<SessionId>,
    rows: Vec<TombstoneRow>,
    back: Vec<Untombstone>,
}

impl Batch {
    fn new(runtime: &Runtime, size: usize) -> Self {
        let made = Made::spread(runtime, size);
        let requested: BTreeSet<SessionId> =
            runtime.block_on(made.store.all_ids()).unwrap().into_iter().collect();
        let row = |id: &SessionId| TombstoneRow {
            id: id.clone(),
            was_live: made.live.contains(id),
            closed: false,
            trash_path: Some(Path::new("/trash").join(id.as_str())),
        };
        let rows = requested.iter().map(row).collect();
        let back =
            requested.iter().map(|id| Untombstone { id: id.clone(), folder: None }).collect();
        Self { requested, rows, back, home: made.close() }
    }

    fn go(&self, runtime: &Runtime, store: &Store, times: &mut Times) -> Duration {
        let (conditions, batch) = (Conditions::default(), random::operation());
        let tombstone = store.tombstone(&self.requested, &conditions, &self.rows, &batch);
        let (took, done) = times.of(|| runtime.block_on(tombstone).unwrap());
        assert!(matches!(done, Tombstoned::Done { .. }));
        took
    }
}
