//! Real keepers through the real coordinators: 50 starts at once, 100 ends at once (`spec/runtime.md`,
//! Figures to reach).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench stops where it cannot go on"
)]

mod support;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use callboard::adapters::{self, Real};
use callboard::config::Config;
use callboard::domain::event::Actor;
use callboard::domain::ids::{SessionId, WorkspaceName};
use callboard::domain::plan::Conditions;
use callboard::domain::session::{Kind, LaunchFacts};
use callboard::host::Host;
use callboard::host::context::Context;
use callboard::host::ports::RuntimePort as _;
use callboard::host::report::{CreateOutcome, CreateRequest, Place};
use callboard::os::paths::Home;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, measurement::WallTime};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use support::{Figures, Times};

/// Starts at once.
const STARTED: usize = 50;
/// Ends at once.
const STOPPED: usize = 100;

fn main() -> ExitCode {
    // The coordinators start their own program as a keeper, and that is this one.
    if std::env::args().nth(1).is_some_and(|first| first == "keeper") {
        return callboard::runtime::keeper::run();
    }
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(1))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let runtime = Runtime::new().unwrap();
    let installation = Installation::new(&runtime);
    let mut figures = Figures::default();
    let mut group = criterion.benchmark_group("agents");
    group.sampling_mode(SamplingMode::Flat);
    starting(&mut group, &runtime, &mut figures, &installation);
    stopping(&mut group, &runtime, &mut figures, &installation);
    group.finish();
    criterion.final_summary();
    figures.print();
    ExitCode::SUCCESS
}

fn starting(
    group: &mut BenchmarkGroup<'_, WallTime>,
    runtime: &Runtime,
    figures: &mut Figures,
    installation: &Installation,
) {
    let mut times = Times::default();
    group.bench_function(format!("start {STARTED} at once"), |bencher| {
        bencher.iter_custom(|rounds| {
            let round = |_| {
                let (took, ids) = times.of(|| runtime.block_on(installation.start(STARTED)));
                runtime.block_on(installation.stop(&ids));
                took
            };
            (0..rounds).map(round).sum()
        });
    });
    let limit = Some(Duration::from_secs(3));
    figures.time(format!("start {STARTED} at once, no worktree"), times.median(), limit);
}

fn stopping(
    group: &mut BenchmarkGroup<'_, WallTime>,
    runtime: &Runtime,
    figures: &mut Figures,
    installation: &Installation,
) {
    let mut times = Times::default();
    group.bench_function(format!("stop {STOPPED} that obey TERM"), |bencher| {
        bencher.iter_custom(|rounds| {
            let round = |_| {
                let ids = runtime.block_on(installation.start(STOPPED));
                times.of(|| runtime.block_on(installation.stop(&ids))).0
            };
            (0..rounds).map(round).sum()
        });
    });
    let limit = Some(Duration::from_secs(2));
    figures.time(format!("stop {STOPPED} that obey TERM"), times.median(), limit);
}

/// A home in a temporary folder.
struct Installation {
    host: Host<Real>,
    folder: tempfile::TempDir,
}

impl Installation {
    fn new(runtime: &Runtime) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path()).unwrap();
        let host = runtime
            .block_on(adapters::open(&home, &Config::default(), WorkspaceName::default()))
            .unwrap();
        Self { host, folder }
    }

    /// Starts so many agents at once; all of them live when this returns.
    async fn start(&self, count: usize) -> Vec<SessionId> {
        let mut starts = JoinSet::new();
        for _ in 0..count {
            let (host, request) = (self.host.clone(), request(self.folder.path()));
            starts.spawn(
                async move { Box::pin(host.create(&Context::new(), request)).await.unwrap() },
            );
        }
        let created = starts.join_all().await;
        created
            .into_iter()
            .map(|outcome| match outcome {
                CreateOutcome::Created(session) => session.id,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    /// Stops agents; no keeper is left when this returns.
    async fn stop(&self, ids: &[SessionId]) {
        let (context, conditions) = (Context::new(), Conditions::default());
        let report = self.host.stop(&context, ids, &conditions, false, &Actor::Callboard).await;
        let results = report.unwrap().results;
        assert_eq!(results.iter().filter(|result| result.stopped).count(), ids.len());
        assert_eq!(self.host.ports().keepers().await.unwrap(), []);
    }
}

/// An agent that does nothing until it is told to end.
fn request(folder: &Path) -> CreateRequest {
    CreateRequest {
        place: Place::Chat(folder.to_owned()),
        fork: None,
        launch: LaunchFacts {
            agent: "command".to_owned(),
            target: "command".to_owned(),
            args: vec!["sleep".to_owned(), "600".to_owned()],
            ..LaunchFacts::default()
        },
        id: None,
        title: None,
        prompt: None,
        goal: None,
        branch: None,
        base: None,
        in_place: false,
        size: (80, 24),
        kind: Kind::Worker,
        parent: None,
        pin: false,
        actor: Actor::Callboard,
    }
}
