//! What is cut short, on which sessions.

use std::collections::BTreeSet;

use crate::adapters::Real;
use crate::domain::event::Actor;
use crate::domain::plan::Conditions;
use crate::domain::trash::PurgeChoice;
use crate::host::Host;
use crate::host::context::Context;
use crate::host::report::{DeleteRequest, PurgeRequest, RestoreRequest, RestoreTarget};

use super::bench::{Bench, Puppets, id, ids, request};

/// One coordinator at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scene {
    Create,
    Delete,
    Clear,
    Restore,
    RestoreTo,
    Purge,
    Stop,
    Kill,
    Cleanup,
    Launch,
    /// Of a session whose worktree was given back.
    LaunchAnew,
}

const OPERATOR: Actor = Actor::Operator;

/// Sessions of every scene but create: `a` with its child `b` and `d`; `z` is never meant, but by
/// clear.
const ALL: [&str; 3] = ["a", "b", "d"];

impl Scene {
    /// The sessions before it begins: `a` holds work of all sorts, `b` nothing but an ignored file, `d`
    /// nothing of its own.
    pub(super) async fn ground(self, bench: &Bench) {
        let host = bench.host().await;
        bench.create(&host, "z", None).await;
        dirty(bench, "z");
        if self == Self::Create {
            return;
        }
        bench.create(&host, "a", None).await;
        bench.create(&host, "b", Some("a")).await;
        bench.create(&host, "d", None).await;
        dirty(bench, "a");
        std::fs::write(bench.worktree("b").join("run.log"), "b").unwrap();
        let ctx = Context::new();
        match self {
            Self::Create | Self::Clear | Self::Stop | Self::Kill => {}
            Self::Delete => stop(&host, &["d"]).await,
            Self::Restore => delete(&host, &["a", "d"]).await,
            Self::RestoreTo => delete(&host, &["d"]).await,
            Self::Purge => {
                delete(&host, &["d"]).await;
                delete(&host, &["a"]).await;
            }
            Self::Cleanup | Self::Launch => stop(&host, &ALL).await,
            Self::LaunchAnew => {
                let ids = [id("d")];
                host.kill(&ctx, &ids, &Conditions::default(), &OPERATOR).await.unwrap();
                assert!(!bench.worktree("d").exists());
            }
        }
    }

    /// Whether it was a success does not matter here.
    pub(super) async fn run(self, bench: &Bench, host: &Host<Real<Puppets>>, ctx: &Context) {
        let named: Vec<_> = ALL.iter().map(|text| id(text)).collect();
        let always = Conditions::default();
        match self {
            Self::Create => drop(Box::pin(host.create(ctx, request("a", Some("z")))).await),
            Self::Delete => drop(Box::pin(host.delete(ctx, deletes(&["a", "d"]), &|_| true)).await),
            Self::Clear => {
                let request = host.clear_request(OPERATOR).await.unwrap();
                drop(Box::pin(host.delete(ctx, request, &|_| true)).await);
            }
            Self::Restore => drop(Box::pin(host.restore(ctx, back(RestoreTarget::Last))).await),
            Self::RestoreTo => {
                let to = Some(bench.here().join("elsewhere"));
                let target = RestoreTarget::Ids(vec![id("d")]);
                drop(Box::pin(host.restore(ctx, RestoreRequest { to, ..back(target) })).await);
            }
            Self::Purge => {
                let choice = PurgeChoice { ids: Some(ids(&["b"])), ..PurgeChoice::default() };
                let request = PurgeRequest { choice, branches: BTreeSet::new(), actor: OPERATOR };
                drop(Box::pin(host.purge(ctx, &request, &|_| true)).await);
            }
            Self::Stop => drop(Box::pin(host.stop(ctx, &named, &always, false, &OPERATOR)).await),
            Self::Kill => drop(Box::pin(host.kill(ctx, &named, &always, &OPERATOR)).await),
            Self::Cleanup => drop(Box::pin(host.cleanup(ctx, None, &OPERATOR)).await),
            Self::Launch => drop(Box::pin(host.launch(ctx, &id("a"), &OPERATOR)).await),
            Self::LaunchAnew => drop(Box::pin(host.launch(ctx, &id("d"), &OPERATOR)).await),
        }
    }

    /// Rows that may be there or not: all of them, or none.
    pub(super) fn optional(self) -> BTreeSet<&'static str> {
        match self {
            Self::Create => ["a"].into(),
            Self::Purge => ["a", "b"].into(),
            _ => [].into(),
        }
    }

    /// Sessions that are in the trash together, or not at all.
    pub(super) fn batch(self) -> &'static [&'static str] {
        match self {
            Self::Delete | Self::Restore => &ALL,
            Self::Clear => &["a", "b", "d", "z"],
            Self::Purge => &["a", "b"],
            _ => &[],
        }
    }

    /// Whether it gives back worktrees that hold no work.
    pub(super) fn frees(self) -> bool {
        matches!(self, Self::Create | Self::Kill | Self::Cleanup | Self::LaunchAnew)
    }
}

/// Changed, new, staged and ignored files, and a folder.
fn dirty(bench: &Bench, id: &str) {
    let folder = bench.worktree(id);
    std::fs::write(folder.join("lib.txt"), format!("changed by {id}\n")).unwrap();
    std::fs::create_dir(folder.join("src")).unwrap();
    std::fs::write(folder.join("src/new"), [0, 159, 146, 150]).unwrap();
    std::fs::write(folder.join("staged"), id).unwrap();
    std::fs::write(folder.join("run.log"), id).unwrap();
    super::bench::git(&folder, &["add", "staged"]);
}

fn deletes(texts: &[&str]) -> DeleteRequest {
    let conditions = Conditions::default();
    DeleteRequest {
        ids: ids(texts),
        conditions,
        with_rowless: false,
        closed: BTreeSet::new(),
        actor: OPERATOR,
    }
}

fn back(target: RestoreTarget) -> RestoreRequest {
    RestoreRequest { target, launch: false, to: None, actor: OPERATOR }
}

async fn delete(host: &Host<Real<Puppets>>, texts: &[&str]) {
    host.delete(&Context::new(), deletes(texts), &|_| true).await.unwrap();
}

async fn stop(host: &Host<Real<Puppets>>, texts: &[&str]) {
    let ids: Vec<_> = texts.iter().map(|text| id(text)).collect();
    let always = Conditions::default();
    host.stop(&Context::new(), &ids, &always, false, &OPERATOR).await.unwrap();
}
