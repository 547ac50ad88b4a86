//! What the pane is told beside its screen, and older lines of it.

use super::*;

/// What was typed and not taken is shown with its reason, until something is typed again.
#[tokio::test]
async fn what_was_not_taken_is_shown_until_something_is_typed() {
    let Bench { mut live, id, listener, _root } = bench();
    live.watch(std::slice::from_ref(&id));
    let mut keeper = Played::accept(&listener).await;
    keeper.show("x").await;
    assert_eq!(picture(&mut live).await.unwrap().refused, None);
    keeper.send(&Outgoing::Event(Event::InputRefused { reason: Reason::Full })).await;
    let refused = Some("the agent does not read what is typed");
    assert_eq!(picture(&mut live).await.unwrap().refused, refused);
    assert!(live.type_keys(&id, &["a".parse().unwrap()]));
    assert_eq!(picture(&mut live).await.unwrap().refused, None);
}

/// A keeper that stops to answer while its screen is shown is told of until it is heard again.
#[tokio::test]
async fn a_keeper_that_stops_to_answer_is_called_and_told_of() {
    let Bench { mut live, id, listener, _root } = bench();
    live.watch(std::slice::from_ref(&id));
    let mut keeper = Played::accept(&listener).await;
    keeper.show("x").await;
    let cells = picture(&mut live).await.unwrap();
    assert!(!cells.silent);
    let (called, _) = listener.accept().await.unwrap();
    let cells = picture(&mut live).await.unwrap();
    assert!(cells.silent && text(&cells, 0) == "x", "the last screen stays");
    assert!(!live.type_keys(&id, &["a".parse().unwrap()]), "it would be lost");
    drop(called);
    keeper.bytes("y").await;
    let cells = picture(&mut live).await.unwrap();
    assert!(!cells.silent && text(&cells, 0) == "xy");
}

/// Scrollback: a document grows by what only the history on the disk has, up to the configured reach.
#[tokio::test]
async fn older_lines_come_from_the_history() {
    let Bench { mut live, id, listener, _root } = bench();
    let folder = live.home.history(&live.workspace, &id);
    let size: &[u8] = &[0, 20, 0, 3];
    let lines: Vec<String> = (0..9_000).map(|n| format!("line {n}")).collect();
    let output = lines.join("\r\n");
    record(&folder, "00000001-00000001.seg", &[(SIZE, size), (OUTPUT, output.as_bytes())]);
    live.watch(std::slice::from_ref(&id));
    drop(listener.accept().await.unwrap());
    picture(&mut live).await.unwrap();
    let read = live.document(&id).unwrap();
    assert_eq!((read.cut, read.len(), read.text(0)), (true, 2_003, "line 6997"));
    let whole = live.with_older(&id, read).await.unwrap();
    assert_eq!((whole.cut, whole.len(), whole.text(0)), (false, 5_003, "line 3997"));
    assert_eq!((whole.screen, whole.text(5_002)), (5_000, "line 8999"));
}
