//! The scripted agent on its own, without a terminal.

use crate::support::TestHome;

#[test]
fn a_script_is_played_to_its_exit_code() {
    let home = TestHome::new();
    let script = "title A title;print hello {prompt};status blocked permission Run it?;exit 7";
    let answer = home.run(["scripted", "--prompt", "world", "-e", script]).code(7);
    assert!(answer.stdout.contains("\x1b]2;A title\x07hello world\n"), "{:?}", answer.stdout);
    let report = "\x1b]7501;state=blocked:app=scripted:kind=permission:msg=UnVuIGl0Pw==\x1b\\";
    assert!(answer.stdout.contains(report), "{:?}", answer.stdout);
    home.finish();
}

#[test]
fn prompts_and_questions_are_answered_from_input() {
    let home = TestHome::new();
    let script = "prompt;ask question Which? | red | blue;print bye";
    let answer = home.run_with("do it\n2", ["scripted", "-e", script]).ok();
    assert!(answer.stdout.contains("You said: do it"), "{:?}", answer.stdout);
    assert!(answer.stdout.contains("2. blue") && answer.stdout.contains("Answer: blue"));
    assert!(answer.stdout.ends_with("bye\n"));
    home.finish();
}

#[test]
fn conversations_are_begun_and_resumed() {
    let home = TestHome::new();
    let begun = home.run(["scripted", "--session-id", "c-1", "-e", "exit 0"]).ok();
    assert!(begun.stdout.contains("Conversation c-1"));
    let resumed = home.run(["scripted", "--resume", "c-1", "-e", "exit 0"]).ok();
    assert!(resumed.stdout.contains("Resumed conversation c-1"));
    home.finish();
}

#[test]
fn a_script_file_makes_files_and_mistakes_name_their_line() {
    let home = TestHome::new();
    let file = home.path().join("agent.script");
    std::fs::write(&file, "loop 2\ntouch out/a\nend\nwrite out/b one two\n").unwrap();
    home.run(["scripted", &file.to_string_lossy()]).ok();
    let read = |name: &str| std::fs::read_to_string(home.path().join(name)).unwrap();
    assert_eq!((read("out/a"), read("out/b")), (String::new(), "one two\n".to_owned()));
    std::fs::write(&file, "print a\ndance\n").unwrap();
    let answer = home.run(["scripted", &file.to_string_lossy()]).code(2);
    assert!(answer.stderr.contains("line 2"), "{}", answer.stderr);
    home.run(["scripted", "missing.script"]).code(1);
    home.finish();
}

#[test]
fn a_fork_is_left_behind_in_a_session_of_its_own() {
    let home = TestHome::new();
    let script = format!("fork 0.3;print {}", home.path().display());
    home.run(["scripted", "-e", &script]).ok();
    home.finish();
}
