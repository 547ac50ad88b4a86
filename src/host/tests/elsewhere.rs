use crate::domain::plan::Conditions;
use crate::domain::session::{LaunchFacts, RuntimeFacts, Session};
use crate::host::context::Context;
use crate::host::report::{RestoreRequest, RestoreTarget};

use super::restore::ended;
use super::{OPERATOR, Recorder, host, id, ids, launch_facts, running, seeded};

async fn kill(recorder: &Recorder, host: &super::Host<Recorder>) {
    recorder.forget();
    host.kill(&Context::new(), &ids(&["a"]), &Conditions::default(), &OPERATOR).await.unwrap();
}

/// U1: what a keeper that is gone left elsewhere is ended with its session, where the agent was not seen to
/// end; a keeper that is there does that itself.
#[tokio::test]
async fn what_a_lost_keeper_left_elsewhere_is_ended_u1() {
    for (keeper, exit_code, expected) in
        [(true, None, None), (false, None, Some(1)), (false, Some(0), None)]
    {
        let launch = LaunchFacts { target: "far".into(), ..launch_facts() };
        let runtime = RuntimeFacts { keeper_pid: Some(7), exit_code, ..RuntimeFacts::default() };
        let (host, recorder) = host(vec![Session { launch, runtime, ..running("a", None) }]);
        if !keeper {
            recorder.change(|m| m.keepers.clear());
        }
        kill(&recorder, &host).await;
        let ended = recorder.change(|m| std::mem::take(&mut m.ended_elsewhere));
        let expected = expected.map(|generation| ("far".to_owned(), id("a"), generation));
        assert_eq!(ended, Vec::from_iter(expected), "{keeper} {exit_code:?}");
    }
}

/// U1: a launch that goes elsewhere ends what the one before may have left there; one here has nothing to end.
#[tokio::test]
async fn a_launch_ends_what_the_one_before_left_elsewhere_u1() {
    for target in [None, Some("far".to_owned())] {
        let session = Session { prompt: Some("Hi".into()), ..seeded("a", None) };
        let (host, recorder) = host(vec![ended(session)]);
        recorder.change(|m| m.elsewhere.clone_from(&target));
        let asked = RestoreTarget::Ids(ids(&["a"]));
        let request = RestoreRequest { target: asked, launch: false, to: None, actor: OPERATOR };
        recorder.at("start", |m| {
            assert_eq!(m.ended_elsewhere.len(), usize::from(m.elsewhere.is_some()), "before");
        });
        host.restore(&Context::new(), request).await.unwrap();
        let ended = recorder.change(|m| std::mem::take(&mut m.ended_elsewhere));
        let expected = target.map(|target| (target, id("a"), 1));
        assert_eq!(ended, Vec::from_iter(expected));
    }
}
