//! Agents as callers (K7).

use std::collections::BTreeSet;

use crate::domain::answer::Answer;
use crate::domain::error::ErrorKind;
use crate::domain::event::Actor;
use crate::domain::ids::WorkspaceName;
use crate::domain::plan::Conditions;
use crate::domain::rail::ProjectSetup;
use crate::domain::trash::PurgeChoice;
use crate::host::context::Context;
use crate::host::error::HostResult;
use crate::host::ports::CallerLimits;
use crate::host::report::{
    CreateRequest, DeleteRequest, PurgeRequest, RestoreRequest, RestoreTarget,
};

use super::create::request;
use super::restore::{deleted, ended};
use super::{Recorder, host, id, ids, running, seeded};
use crate::host::Host;

/// `a` with its child `a1` and grandchild `a2`, and the stranger `b`.
fn family() -> (Host<Recorder>, Recorder) {
    let mut grandchild = running("a2", Some("a1"));
    grandchild.root = id("a");
    host(vec![running("a", None), running("a1", Some("a")), grandchild, running("b", None)])
}

fn agent(text: &str) -> Actor {
    Actor::Session(id(text))
}

fn deletes(texts: &[&str], actor: Actor) -> DeleteRequest {
    DeleteRequest {
        ids: ids(texts).into_iter().collect(),
        conditions: Conditions::default(),
        with_rowless: true,
        closed: BTreeSet::new(),
        actor,
    }
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: HostResult<T>) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
    assert!(error.hint().unwrap().contains("agents_may_everything"), "{error}");
}

/// K7: send, stop, delete and other changes reach the caller's own tree.
#[tokio::test]
async fn an_agent_reaches_what_is_below_it_k7() {
    let (host, recorder) = family();
    let (ctx, a, any) = (Context::new(), agent("a"), Conditions::default());
    assert!(host.send(&ctx, &ids(&["a1", "a2"]), "Go", true, &a).await.unwrap()[1].sent);
    host.rename(&id("a1"), "Other", &a).await.unwrap();
    host.pin(&ids(&["a"]), true, &a).await.unwrap();
    host.stop(&ctx, &ids(&["a2"]), &any, false, &a).await.unwrap();
    host.kill(&ctx, &ids(&["a2"]), &any, &a).await.unwrap();
    host.delete(&ctx, deletes(&["a1"], a.clone()), &|_| true).await.unwrap();
    // What is not there is nobody's: the verb says so itself.
    let sent = host.send(&ctx, &ids(&["x"]), "Go", true, &a).await.unwrap();
    assert_eq!(sent[0].reason.as_deref(), Some("not_found"));
    assert!(recorder.session_now("a1").unwrap().deletion.is_some());
}

/// K7: others' sessions need config, also those above the caller; nothing of the call is done.
#[tokio::test]
async fn others_sessions_are_out_of_an_agents_reach_k7() {
    let (host, recorder) = family();
    recorder.change(|m| {
        m.sessions.insert(id("old"), ended(seeded("old", None)));
        m.sessions.insert(id("gone"), deleted("gone", None, "b1"));
    });
    let (ctx, a, a1, any) = (Context::new(), agent("a"), agent("a1"), Conditions::default());
    refused(host.send(&ctx, &ids(&["a1", "b"]), "Go", true, &a).await);
    refused(host.send(&ctx, &ids(&["a"]), "Go", true, &a1).await);
    refused(host.stop(&ctx, &ids(&["b"]), &any, false, &a).await);
    refused(host.kill(&ctx, &ids(&["b"]), &any, &a).await);
    refused(host.rename(&id("b"), "Mine", &a).await);
    refused(host.pin(&ids(&["b"]), true, &a).await);
    refused(host.delete(&ctx, deletes(&["a1", "b"], a.clone()), &|_| true).await);
    refused(host.launch(&ctx, &id("old"), &a).await);
    for target in [RestoreTarget::Ids(ids(&["gone"])), RestoreTarget::Last] {
        let request = RestoreRequest { target, launch: false, to: None, actor: a.clone() };
        refused(host.restore(&ctx, request).await);
    }
    assert!(recorder.acts().is_empty(), "{:?}", recorder.acts());
}

/// K7: keys, answers, purge, clear and what is about all sessions need config.
#[tokio::test]
async fn what_agents_may_not_do_at_all_k7() {
    let (host, recorder) = family();
    let (ctx, a) = (Context::new(), agent("a"));
    refused(host.keys(&ctx, &id("a1"), vec!["Enter".into()], &a).await);
    refused(host.answer(&ctx, &id("a1"), None, Answer::Yes, &a).await);
    refused(host.clear_request(a.clone()).await);
    let (choice, branches) = (PurgeChoice::default(), BTreeSet::new());
    let purge = PurgeRequest { choice, branches, actor: a.clone() };
    refused(host.purge(&ctx, &purge, &|_| true).await);
    refused(host.cleanup(&ctx, None, &a).await);
    refused(host.abandon(&ctx, &"op".parse().unwrap(), &a).await);
    let folder = std::path::Path::new("/");
    refused(host.add_project(folder, None, ProjectSetup::default(), &a).await);
    let elsewhere =
        Actor::Elsewhere { workspace: WorkspaceName::new("other").unwrap(), session: id("a") };
    refused(host.send(&ctx, &ids(&["a"]), "Go", true, &elsewhere).await);
    assert!(recorder.acts().is_empty(), "{:?}", recorder.acts());
    recorder.change(|m| {
        m.caller_limits = Some(CallerLimits { everything: true, max_live: 0 });
    });
    host.keys(&ctx, &id("b"), vec!["Enter".into()], &a).await.unwrap();
    host.send(&ctx, &ids(&["b"]), "Go", true, &elsewhere).await.unwrap();
}

fn spawn(parent: Option<&str>, actor: Actor) -> CreateRequest {
    CreateRequest { parent: parent.map(id), actor, ..request() }
}

/// K7: an agent spawns below itself, three levels deep, within bounds on children and on what runs.
#[tokio::test]
async fn an_agent_spawns_within_its_limits_k7() {
    let (host, recorder) = family();
    let ctx = Context::new();
    host.create(&ctx, spawn(Some("a2"), agent("a"))).await.unwrap();
    recorder.forget();
    let fourth = recorder.read(|m| m.sessions.keys().find(|id| id.as_str() == "shop-1").cloned());
    let fourth = fourth.unwrap().to_string();
    refused(host.create(&ctx, spawn(Some(&fourth), agent("a"))).await);
    refused(host.create(&ctx, spawn(Some("b"), agent("a"))).await);
    refused(host.create(&ctx, spawn(None, agent("a"))).await);
    assert!(recorder.acts().is_empty(), "{:?}", recorder.acts());
    recorder.change(|m| {
        m.caller_limits = Some(CallerLimits { everything: false, max_live: 3 });
    });
    // a1, a2 and the new one run, each by an agent.
    refused(host.create(&ctx, spawn(Some("a"), agent("a"))).await);
    recorder.change(|m| {
        m.caller_limits = None;
        for n in 0..49 {
            let name = format!("c{n}");
            m.sessions.insert(id(&name), ended(seeded(&name, Some("a"))));
        }
    });
    refused(host.create(&ctx, spawn(Some("a"), agent("a"))).await);
    host.create(&ctx, spawn(Some("a"), super::OPERATOR)).await.unwrap();
}
