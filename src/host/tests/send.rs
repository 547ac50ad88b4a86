use crate::domain::activity::{Activity, Question};
use crate::domain::answer::Answer;
use crate::domain::error::ErrorKind;
use crate::domain::session::Session;
use crate::host::context::Context;
use crate::host::error::HostError;

use super::{OPERATOR, host, id, ids, running, seeded};

fn question() -> Question {
    Question {
        id: "q1".into(),
        kind: "permission".into(),
        text: "Run it?".into(),
        options: vec!["Yes".into(), "No".into()],
        selected: None,
        unnumbered: false,
    }
}

fn asking(text: &str) -> Session {
    let mut asking = running(text, None);
    asking.condition.question = Some(question());
    asking.condition.activity.value = Activity::Blocked;
    asking
}

/// K5: the row is read again just before the write, under the lock.
#[tokio::test]
async fn send_reads_the_row_just_before_it_writes_k5() {
    let (host, recorder) = host(vec![running("a", None)]);
    let held = recorder.lanes().enter("a").await;
    let sending = {
        let host = host.clone();
        tokio::spawn(async move {
            host.send(&Context::new(), &ids(&["a"]), "Go", true, &OPERATOR).await
        })
    };
    // On this one thread it waits for the lane by then.
    for _ in 0..16 {
        tokio::task::yield_now().await;
    }
    assert!(!sending.is_finished());
    recorder.change(|m| m.sessions.insert(id("a"), asking("a")));
    drop(held);
    let sent = sending.await.unwrap().unwrap();
    assert_eq!(sent[0].reason.as_deref(), Some("question_shown"));
    assert!(recorder.acts().is_empty());
}

/// K5: text is refused when the session ended, when its agent exited, and while it asks; keys are
/// not, as they may be the answer.
#[tokio::test]
async fn send_is_refused_where_the_text_would_go_astray_k5() {
    let mut exited = running("exited", None);
    exited.condition.activity.value = Activity::Exited;
    let trashed = super::restore::deleted("trashed", None, "b1");
    let (host, recorder) = host(vec![asking("asks"), seeded("ended", None), exited, trashed]);
    let wanted = ids(&["asks", "ended", "exited", "none", "trashed"]);
    let sent = host.send(&Context::new(), &wanted, "Go", true, &OPERATOR).await.unwrap();
    let reasons: Vec<_> = sent.iter().map(|one| one.reason.clone().unwrap()).collect();
    let expected = ["question_shown", "not running", "agent_exited", "not_found", "in_trash"];
    assert_eq!(reasons, expected);
    assert!(recorder.acts().is_empty());
    assert!(recorder.read(|m| m.events.is_empty() && m.messages.is_empty()));
    host.keys(&Context::new(), &id("asks"), vec!["Enter".into()], &OPERATOR).await.unwrap();
    assert_eq!(recorder.acts(), ["press Enter in asks"]);
}

/// K5: from the first byte on the caller's cancellation no longer counts; before it does.
#[tokio::test]
async fn typing_does_not_follow_the_caller_k5() {
    let (host, recorder) = host(vec![running("a", None)]);
    let caller = Context::new();
    let cancel = caller.cancel.clone();
    recorder.at("type Go on into", move |_| cancel.cancel());
    let wanted = ids(&["a"]);
    let sent = host.send(&caller, &wanted, "Go on", true, &OPERATOR).await.unwrap();
    assert!(sent[0].sent);
    assert_eq!(recorder.acts(), ["type Go on into a", "prompted a"]);
    let calls = recorder.read(|m| m.calls.clone());
    let typed = calls.iter().find(|call| call.what.starts_with("type")).unwrap();
    assert!(typed.deadline && !typed.cancelled, "{typed:?}");
    recorder.forget();
    let again = host.send(&caller, &wanted, "More", true, &OPERATOR).await.unwrap();
    assert!(!again[0].sent && recorder.acts().is_empty(), "{again:?}");
}

/// K5: control characters but newline and tab are removed, paste marks whole.
#[tokio::test]
async fn what_is_typed_is_cleaned_k5() {
    let (host, recorder) = host(vec![running("a", None)]);
    let text = "one\u{7}\n\ttwo\u{1b}[201~three\u{9b}201~\u{1b}[200~\u{1b}";
    host.send(&Context::new(), &ids(&["a"]), text, true, &OPERATOR).await.unwrap();
    assert_eq!(recorder.acts()[0], "type one\n\ttwothree into a");
    assert_eq!(recorder.read(|m| m.messages[0].1.text.clone()), "one\n\ttwothree");
    for empty in ["", "\u{7}", "\u{1b}[201~"] {
        let sent = host.send(&Context::new(), &ids(&["a"]), empty, true, &OPERATOR).await;
        assert_eq!(sent.unwrap_err().kind(), ErrorKind::Usage);
    }
}

/// S1, K5: what is submitted is a prompt and begins a turn; what is only typed is none.
#[tokio::test]
async fn only_what_is_submitted_is_a_prompt_s1() {
    let (host, recorder) = host(vec![running("a", None)]);
    let sent = host.send(&Context::new(), &ids(&["a"]), "x", false, &OPERATOR).await.unwrap();
    assert!(sent[0].sent);
    assert_eq!(recorder.acts(), ["type x into a"]);
    assert!(recorder.read(|m| m.messages.is_empty()));
}

/// K6, K5, Q2: an answer names its question; another one that is shown meanwhile gets no key.
#[tokio::test(start_paused = true)]
async fn an_answer_goes_to_its_question_only_k6() {
    let (host, recorder) = host(vec![asking("a"), running("b", None), seeded("ended", None)]);
    let answer = async |text: &str, question: &str, answer| {
        host.answer(&Context::new(), &id(text), Some(question), answer, &OPERATOR).await
    };
    answer("a", "q1", Answer::Yes).await.unwrap();
    answer("a", "q1", Answer::Option(2)).await.unwrap();
    let typed = ["answer q1 1 in a", "answered a", "answer q1 2 in a", "answered a"];
    assert_eq!(recorder.acts(), typed);
    // Q2: what the operator answered is a message.
    let told = recorder.read(|m| m.messages.clone());
    let told: Vec<_> = told.iter().map(|(_, it)| (it.text.as_str(), it.source.as_str())).collect();
    assert_eq!(told, [("Yes", "operator"), ("No", "operator")]);
    recorder.forget();
    for (text, question) in [("a", "q2"), ("b", "q1"), ("ended", "q1")] {
        let error = answer(text, question, Answer::Yes).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{text}: {error}");
    }
    assert!(matches!(answer("none", "q1", Answer::Yes).await, Err(HostError::NotFound(_))));
    assert!(recorder.acts().is_empty());
    // A young dialog may be drawn again: nothing is pressed before it settled.
    let asked = tokio::time::Instant::now();
    answer("a", "q1", Answer::Yes).await.unwrap();
    assert!(asked.elapsed() >= std::time::Duration::from_secs(1));
    recorder.forget();
    // Without a name it is the one that is shown; a guess is refused.
    let unnamed = async |text: &str, answer| {
        host.answer(&Context::new(), &id(text), None, answer, &OPERATOR).await
    };
    unnamed("a", Answer::No).await.unwrap();
    assert_eq!(recorder.acts(), ["answer q1 2 in a", "answered a"]);
    for (text, answer) in [("a", Answer::Option(3)), ("b", Answer::Yes), ("ended", Answer::No)] {
        let error = unnamed(text, answer).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{text}: {error}");
    }
}

/// W6: texts, keys and answers are in the audit, with who gave them.
#[tokio::test(start_paused = true)]
async fn what_is_typed_is_audited_w6() {
    let (host, recorder) = host(vec![running("a", None), asking("b")]);
    let ctx = Context::new();
    host.send(&ctx, &ids(&["a"]), "Go", true, &OPERATOR).await.unwrap();
    host.keys(&ctx, &id("a"), vec!["Esc".into()], &OPERATOR).await.unwrap();
    host.answer(&ctx, &id("b"), Some("q1"), Answer::Yes, &OPERATOR).await.unwrap();
    recorder.fail("answer q1 2 in");
    host.answer(&ctx, &id("b"), Some("q1"), Answer::Option(2), &OPERATOR).await.unwrap_err();
    let events: Vec<_> = recorder.read(|m| {
        let words = |event: &crate::domain::event::Event| {
            let session = event.session.as_ref().unwrap().to_string();
            (session, event.verb.clone(), event.actor.clone(), event.cause.clone())
        };
        m.events.iter().map(words).collect()
    });
    let event = |session: &str, verb: &str, cause: Option<&str>| {
        (session.to_owned(), verb.to_owned(), "operator".to_owned(), cause.map(str::to_owned))
    };
    assert_eq!(
        events,
        [
            event("a", "send", None),
            event("a", "keys", None),
            event("b", "answer", Some("Run it? Yes")),
        ]
    );
}
