use proptest::prelude::*;
use serde_json::json;

use super::message::{StopPace, TextReply};
use super::*;

fn decode(parts: &[&[u8]]) -> Result<Vec<Frame>, WireError> {
    let mut decoder = Decoder::default();
    let mut frames = Vec::new();
    for part in parts {
        decoder.push(part);
        while let Some(frame) = decoder.next_frame()? {
            frames.push(frame);
        }
    }
    Ok(frames)
}

fn any_frame() -> impl Strategy<Value = Frame> {
    let payload = proptest::collection::vec(any::<u8>(), 0..300);
    (any::<bool>(), payload).prop_map(|(control, bytes)| {
        if control { Frame::Control(bytes) } else { Frame::Bytes(bytes) }
    })
}

fn encode(frames: &[Frame]) -> Vec<u8> {
    let mut out = Vec::new();
    for frame in frames {
        match frame {
            Frame::Control(bytes) => put(&mut out, 0, bytes),
            Frame::Bytes(bytes) => put(&mut out, 1, bytes),
        }
    }
    out
}

proptest! {
    #[test]
    fn any_split_of_the_stream_gives_the_same_frames(
        frames in proptest::collection::vec(any_frame(), 0..6),
        cuts in proptest::collection::vec(0usize..2_000, 0..12),
    ) {
        let stream = encode(&frames);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let parts: Vec<&[u8]> = cuts.windows(2).map(|w| &stream[w[0]..w[1]]).collect();
        prop_assert_eq!(decode(&parts).unwrap(), frames);
    }

    #[test]
    fn garbage_is_refused_or_waited_for_and_never_more(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut decoder = Decoder::default();
        decoder.push(&bytes);
        while let Ok(Some(Frame::Control(json))) = decoder.next_frame() {
            let _ = Incoming::read(&json);
        }
    }
}

#[test]
fn long_frames_and_unknown_kinds_end_the_stream() {
    assert_eq!(decode(&[&[0, 0x40, 0, 1, 0]]), Err(WireError::TooLong((4 << 20) + 1)));
    assert_eq!(decode(&[&[0, 0, 0, 1, 2, 0]]), Err(WireError::UnknownKind(2)));
    let mut whole = Vec::new();
    put_bytes(&mut whole, &vec![7; PART + 1]);
    let frames = decode(&[&whole]).unwrap();
    assert_eq!(frames, [Frame::Bytes(vec![7; PART]), Frame::Bytes(vec![7])]);
}

#[test]
fn an_unknown_message_gets_its_own_typed_answer() {
    let read = |value: serde_json::Value| Incoming::read(value.to_string().as_bytes());
    let (id, body) = read(json!({"id": 7, "type": "teleport", "to": "mars"}))
        .map_err(|error| *error)
        .unwrap_err();
    assert_eq!(id, 7);
    assert!(matches!(&body, Body::NotUnderstood { what, .. } if what == "teleport"), "{body:?}");
    let (id, body) = read(json!({"id": 8, "type": "resize", "cols": "wide"}))
        .map_err(|error| *error)
        .unwrap_err();
    assert_eq!(id, 8);
    assert!(matches!(&body, Body::NotUnderstood { what, .. } if what == "resize"), "{body:?}");
    assert!(Incoming::read(b"{{{").is_err());
    assert!(Incoming::read(b"17").is_err());
}

#[test]
fn both_sides_skip_what_newer_ones_add() {
    let json = json!({"id": 3, "type": "stop", "generation": 2, "reason": "new field"});
    let request = Incoming::read(json.to_string().as_bytes()).unwrap().request;
    assert_eq!(request, Request::Stop { generation: Some(2), pace: StopPace::default() });
    let read = |value: serde_json::Value| Outgoing::read(value.to_string().as_bytes()).unwrap();
    let resize = json!({"id": 4, "type": "resize", "cols": 80, "rows": 24});
    let request = Incoming::read(resize.to_string().as_bytes()).unwrap().request;
    assert_eq!(request, Request::Resize { cols: 80, rows: 24, yields: false });
    let answer = read(json!({"id": 3, "type": "refused", "reason": "eclipse", "message": "no"}));
    let refused = Body::Refused { reason: Reason::Other, message: "no".to_owned() };
    assert_eq!(answer, Outgoing::Answer { id: 3, body: refused });
    assert_eq!(
        read(json!({"id": 4, "type": "sung"})),
        Outgoing::Answer { id: 4, body: Body::Other }
    );
    assert_eq!(read(json!({"event": "eclipse", "at": 1})), Outgoing::Event(Event::Other));
}

#[test]
fn what_is_written_is_read_again() {
    let text =
        TextReply { lines: vec!["a".to_owned()], cols: 80, rows: 24, ..TextReply::default() };
    let answer = Outgoing::Answer { id: 9, body: Body::Text(text) };
    let mut out = Vec::new();
    put_control(&mut out, &answer);
    let frames = decode(&[&out]).unwrap();
    let [Frame::Control(json)] = &frames[..] else { panic!("{frames:?}") };
    assert_eq!(Outgoing::read(json).unwrap(), answer);
}

/// `protocol1.jsonl` was recorded between a console and a keeper of protocol 1; later versions of both
/// have to read it for ever. Nothing of what was sent may be lost by today's types.
#[test]
fn the_recorded_protocol_1_is_still_understood() {
    let transcript = include_str!("../../../tests/fixtures/wire/protocol1.jsonl");
    let mut lines = 0;
    for line in transcript.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        lines += 1;
        let Some(control) = line.get("control") else {
            continue;
        };
        let json = control.to_string();
        let again = if line["from"] == "client" {
            serde_json::to_value(Incoming::read(json.as_bytes()).unwrap()).unwrap()
        } else {
            serde_json::to_value(Outgoing::read(json.as_bytes()).unwrap()).unwrap()
        };
        assert_eq!(&again, control);
    }
    assert!(lines > 10, "the transcript is empty");
}
