//! Full-text search over sessions with ten messages each: the first page of three words.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench stops where it cannot go on")]

#[allow(dead_code, reason = "the other benches of the store use the rest")]
#[path = "store/made.rs"]
mod made;
mod support;

use std::time::Duration;

use callboard::domain::ids::SessionId;
use callboard::domain::query::{Filter, Order, PageQuery};
use callboard::os::clock;
use callboard::store::rows::SeededMessage;
use criterion::Criterion;
use tokio::runtime::Runtime;

use made::Made;
use support::{Figures, Times};

/// Sessions of the stores.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// Messages of a session.
const MESSAGES: usize = 10;
/// Messages that are inserted at a time.
const GROUP: usize = 50_000;
/// Different words of the messages; the first ones come most often.
const WORDS: u64 = 8_000;
/// Rows of the first page.
const ROWS: usize = 10;

/// What is searched for, and whether a limit holds for it.
const SEARCHES: [(&str, &str, bool); 8] = [
    ("three words of every message", "please the cart", true),
    ("three words of every message, the last begun", "please cart th", true),
    ("three words of which one is rare", "please cart gabobo", true),
    ("three rare words that never meet", "gabobo gabobu gabodo", true),
    ("three common words, few together", "bobobo bobobu bobodo", true),
    ("two words side by side and a third", "the-cart please", true),
    ("one letter", "b", true),
    ("a word of every message, in an empty trash", "cart", false),
];

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let runtime = Runtime::new().unwrap();
    let mut figures = Figures::default();
    let mut medians = vec![Vec::new(); SEARCHES.len()];
    for sessions in SIZES {
        let made = filled(&runtime, sessions, &mut figures);
        let mut group = criterion.benchmark_group(format!("search, {sessions} sessions"));
        for ((name, text, _), medians) in SEARCHES.iter().zip(&mut medians) {
            let filter = Filter { text: Some((*text).to_owned()), ..Filter::default() };
            let deleted = name.contains("trash");
            let query = PageQuery {
                filter,
                order: Order::Found,
                limit: ROWS,
                deleted,
                ..PageQuery::default()
            };
            let look = || runtime.block_on(made.store.page(&query)).unwrap();
            let mut times = Times::default();
            group.bench_function(*name, |bencher| {
                bencher.iter_custom(|rounds| (0..rounds).map(|_| times.of(look).0).sum());
            });
            medians.push(times.median());
        }
        group.finish();
    }
    criterion.final_summary();
    for ((name, _, limited), medians) in SEARCHES.iter().zip(medians) {
        for (sessions, median) in SIZES.iter().zip(&medians) {
            let target = (*limited && *sessions == SIZES[2]).then_some(Duration::from_millis(30));
            figures.time(format!("{name}, {sessions}"), *median, target);
        }
        let growth = medians[2].as_secs_f64() / medians[0].as_secs_f64();
        figures.ratio(format!("  {} over {}", SIZES[2], SIZES[0]), growth, None);
    }
    figures.print();
}

/// A store with messages, and what it took to write and to keep them.
fn filled(runtime: &Runtime, sessions: usize, figures: &mut Figures) -> Made {
    let made = Made::spread(runtime, sessions);
    let size = || std::fs::metadata(made.home.database()).map_or(0, |found| found.len());
    let (start, before) = (clock::monotonic(), size());
    let mut dice = 1;
    let numbers: Vec<usize> = (0..sessions * MESSAGES).collect();
    for group in numbers.chunks(GROUP) {
        let messages = group
            .iter()
            .map(|at| SeededMessage {
                session: SessionId::new(format!("made-{}", at % sessions)).unwrap(),
                source: "operator".to_owned(),
                text: text(&mut dice),
            })
            .collect();
        runtime.block_on(made.store.seed_messages(messages)).unwrap();
    }
    let took = clock::monotonic().duration_since(start);
    let each = took / u32::try_from(sessions * MESSAGES).unwrap();
    figures.time(format!("writing one of {} messages", sessions * MESSAGES), each, None);
    println!("{sessions} sessions: {} MB, before their messages {} MB", size() >> 20, before >> 20);
    made
}

/// Two dozen words, some of which are in every text.
fn text(dice: &mut u64) -> String {
    let mut text = String::from("Please mend the cart:");
    for _ in 0..20 {
        *dice =
            dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let even = (*dice >> 33) % WORDS;
        // The square of an even spread: small numbers come more often.
        text.push(' ');
        text.push_str(&word(even * even / WORDS));
    }
    text
}

/// A word of three syllables for a number.
fn word(mut number: u64) -> String {
    const SYLLABLES: [&str; 20] = [
        "bo", "bu", "do", "du", "fo", "fu", "ga", "ge", "ba", "ci", "di", "fi", "ka", "ke", "la",
        "le", "ma", "me", "na", "ne",
    ];
    let mut parts = Vec::new();
    for _ in 0..3 {
        parts.push(SYLLABLES[usize::try_from(number % 20).unwrap()]);
        number /= 20;
    }
    parts.reverse();
    parts.concat()
}
