use super::*;
use crate::domain::time::Timestamp;

fn read(folder: &Path) -> Vec<(i64, Entry)> {
    Reader::open(folder)
        .unwrap()
        .map(|entry| entry.map(|(at, entry)| (at.0, entry)).unwrap())
        .collect()
}

fn size(cols: u16, rows: u16) -> Entry {
    Entry::Size { cols, rows }
}

/// History on disk: output with its times, each launch after a snapshot of its own.
#[test]
fn what_was_recorded_is_read_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("default/shop-1");
    let mut recorder = Recorder::start(&path, 1, 1 << 20).unwrap();
    recorder.output(b"one", Timestamp(5), || (80, 24, b"blank".to_vec()));
    recorder.size(100, 30, Timestamp(6), || unreachable!());
    recorder.output(b"two", Timestamp(7), || unreachable!());
    drop(recorder);
    let mut recorder = Recorder::start(&path, 2, 1 << 20).unwrap();
    recorder.output(b"again", Timestamp(9), || (90, 20, Vec::new()));
    drop(recorder);
    let expected = [
        (5, size(80, 24)),
        (5, Entry::Snapshot(b"blank".to_vec())),
        (5, Entry::Output(b"one".to_vec())),
        (6, size(100, 30)),
        (7, Entry::Output(b"two".to_vec())),
        (9, size(90, 20)),
        (9, Entry::Snapshot(Vec::new())),
        (9, Entry::Output(b"again".to_vec())),
    ];
    assert_eq!(read(&path), expected);
    assert!(read(&folder.path().join("absent")).is_empty());
}

/// History on disk: bounded; what is left begins with a snapshot and has no gap.
#[test]
fn the_oldest_is_dropped_at_a_safe_point() {
    let folder = tempfile::tempdir().unwrap();
    let bound = 64 << 10;
    let mut recorder = Recorder::start(folder.path(), 1, bound).unwrap();
    let mut count: u32 = 0;
    for _ in 0..40 {
        // the thread must not lose records here, so it is let finish by a new recorder now and then
        for _ in 0..10 {
            let line = [b'x'; 1_000];
            let before = count;
            recorder.output(&line, Timestamp(i64::from(count)), || {
                (80, 24, before.to_be_bytes().to_vec())
            });
            count += 1;
        }
        let number = segments(folder.path()).unwrap().len();
        assert!(number <= 9, "{number} segments");
        recorder.flush();
        recorder.finish_queue();
    }
    drop(recorder);
    let total: u64 = segments(folder.path()).unwrap().iter().map(|(_, length)| length).sum();
    assert!(total <= bound, "{total} bytes");
    let entries = read(folder.path());
    // the snapshot that is left was taken just before the first output that is left
    let (_, Entry::Snapshot(first)) = &entries[1] else { panic!("{:?}", entries[1]) };
    let first = u32::from_be_bytes(first[..].try_into().unwrap());
    let outputs: Vec<i64> = entries
        .iter()
        .filter(|(_, entry)| matches!(entry, Entry::Output(_)))
        .map(|(at, _)| *at)
        .collect();
    assert_eq!(outputs, (i64::from(first)..i64::from(count)).collect::<Vec<_>>());
    let snapshots = entries.iter().filter(|(_, entry)| matches!(entry, Entry::Snapshot(_))).count();
    assert_eq!(snapshots, 1);
}

/// History on disk: what a crash cut off is no error.
#[test]
fn a_record_that_was_cut_off_ends_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::start(folder.path(), 1, 1 << 20).unwrap();
    recorder.output(b"one", Timestamp(1), || (80, 24, Vec::new()));
    recorder.output(b"two", Timestamp(2), || (80, 24, Vec::new()));
    drop(recorder);
    let (path, length) = segments(folder.path()).unwrap().remove(0);
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    for cut in (0..length).rev() {
        file.set_len(cut).unwrap();
        assert!(read(folder.path()).len() <= 3);
    }
}

/// History on disk: what is written soon after one another is one write, made when it is asked for or
/// much.
#[test]
fn a_little_is_kept_until_it_is_flushed() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::start(folder.path(), 1, 1 << 20).unwrap();
    let outputs = |folder: &Path| {
        let read = read(folder).into_iter();
        read.filter(|(_, entry)| matches!(entry, Entry::Output(_))).count()
    };
    for key in [b"a", b"b"] {
        recorder.output(key, Timestamp(1), || (80, 24, Vec::new()));
    }
    recorder.finish_queue();
    assert_eq!(outputs(folder.path()), 0);
    recorder.flush();
    recorder.finish_queue();
    assert_eq!(outputs(folder.path()), 2);
    recorder.output(&[b'x'; 5_000], Timestamp(2), || unreachable!());
    recorder.finish_queue();
    assert_eq!(outputs(folder.path()), 3);
}
