use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn following(names: &[&str], on_view: &[&str]) -> Schedule {
    let mut schedule = Schedule::default();
    look(&mut schedule, names, on_view);
    schedule
}

fn look(schedule: &mut Schedule, names: &[&str], on_view: &[&str]) {
    schedule.follow(names.iter().map(|name| (Path::new(*name), on_view.contains(name))));
}

/// Reads all that is due at once; answers how many.
fn read(schedule: &mut Schedule, now: Instant, how: Ended) -> usize {
    let due = schedule.begin(now);
    for folder in &due {
        schedule.ended(folder, now, how);
    }
    due.len()
}

/// F2: a repository is read at once, then every minute where sessions of it are on view and every five
/// minutes where none is.
#[test]
fn those_on_view_are_read_more_often() {
    let mut schedule = following(&["a", "b"], &["a"]);
    let began = Instant::now();
    assert_eq!(schedule.next(began), Some(began));
    let mut reads: Vec<PathBuf> = Vec::new();
    for second in 0..600 {
        let now = began + SECOND * second;
        let due = schedule.begin(now);
        for folder in &due {
            schedule.ended(folder, now, Ended::Well);
        }
        reads.extend(due);
    }
    let times = |name: &str| reads.iter().filter(|folder| **folder == Path::new(name)).count();
    assert_eq!((times("a"), times("b")), (10, 2));
    look(&mut schedule, &["a", "b"], &["a", "b"]);
    let now = began + SECOND * 599;
    assert_eq!(schedule.begin(now), [Path::new("b")], "it came on view, and its facts are old");
}

/// F2: after a push it is read at once, and once.
#[test]
fn a_push_is_followed_by_a_read() {
    let mut schedule = following(&["a"], &[]);
    let now = Instant::now();
    read(&mut schedule, now, Ended::Well);
    assert_eq!(schedule.next(now), Some(now + OTHERS));
    schedule.pushed(Path::new("a"));
    assert_eq!(schedule.next(now), Some(now));
    assert_eq!(read(&mut schedule, now, Ended::Well), 1);
    assert_eq!(schedule.next(now), Some(now + OTHERS));
}

/// F2: one that fails is asked less and less often, and a push does not change that; others go on.
#[test]
fn failures_make_the_pauses_longer() {
    let mut schedule = following(&["a"], &["a"]);
    let mut now = Instant::now();
    let mut pauses = Vec::new();
    for _ in 0..8 {
        assert_eq!(read(&mut schedule, now, Ended::Badly), 1);
        schedule.pushed(Path::new("a"));
        let next = schedule.next(now).unwrap();
        pauses.push((next - now).as_secs() / 60);
        now = next;
    }
    assert_eq!(pauses, [2, 4, 8, 16, 32, 60, 60, 60]);
    look(&mut schedule, &["a", "b"], &["a"]);
    assert_eq!(schedule.begin(now - SECOND), [Path::new("b")]);
}

/// F2: while none can be read, one is asked for after five minutes at least, whatever the number of
/// repositories and of pushes; the first that is read ends that for all.
#[test]
fn a_fault_of_all_makes_no_storm() {
    let names = ["a", "b", "c", "d", "e", "f"];
    let mut schedule = following(&names, &names);
    let mut now = Instant::now();
    assert_eq!(schedule.begin(now).len(), AT_ONCE);
    for name in &names[..AT_ONCE] {
        schedule.ended(Path::new(name), now, Ended::Closed);
    }
    let began = now;
    let mut asked = 0;
    while now < began + Duration::from_hours(2) {
        for name in names {
            schedule.pushed(Path::new(name));
        }
        asked += read(&mut schedule, now, Ended::Closed);
        now += SECOND;
    }
    assert_eq!(asked, 2 * 60 / 5 - 1);
    now = schedule.next(now).unwrap();
    assert_eq!(read(&mut schedule, now, Ended::Well), 1);
    assert_eq!(schedule.begin(now).len(), AT_ONCE);
}

/// F2: after a limit the pauses grow, however many met the same one.
#[test]
fn limits_make_the_pauses_longer() {
    let mut schedule = following(&["a", "b"], &["a"]);
    let mut now = Instant::now();
    let mut pauses = Vec::new();
    for _ in 0..6 {
        read(&mut schedule, now, Ended::Limited);
        let next = schedule.next(now).unwrap();
        pauses.push((next - now).as_secs() / 60);
        now = next;
    }
    assert_eq!(pauses, [5, 10, 20, 40, 60, 60]);
}

/// F2: where there is nothing to read from there is next to nothing to do, and without sessions nothing.
#[test]
fn nothing_to_read_needs_no_timer() {
    let mut schedule = following(&["a"], &["a"]);
    let now = Instant::now();
    read(&mut schedule, now, Ended::Nowhere);
    assert_eq!(schedule.next(now), Some(now + OTHERS));
    assert!(!schedule.is_somewhere(Path::new("a")));
    look(&mut schedule, &[], &[]);
    assert_eq!(schedule.next(now), None);
}
