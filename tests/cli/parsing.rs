//! Wrong use, help and version.

use crate::support::TestHome;

#[test]
fn wrong_use_ends_with_2_and_says_so_on_standard_error() {
    let home = TestHome::new();
    for line in [
        "nonsense",
        "show",
        "show Not/An/Id",
        "list --status nonsense",
        "list --section nowhere",
        "list --limit many",
        "wait shop-1",
        "wait shop-1 --for nonsense",
        "spawn --size 80",
        "spawn --project p --chat",
        "delete",
        "stop",
        "restore",
        "restore shop-1 --last",
        "send shop-1",
        "screen shop-1 --ansi --json",
        "--section pinned list",
        "--workspace Not/A/Name list",
    ] {
        let answer = home.run(line.split(' ')).code(2);
        assert!(answer.stdout.is_empty(), "{line}: {}", answer.stdout);
        assert!(answer.stderr.contains("error"), "{line}: {}", answer.stderr);
    }
    home.finish();
}

#[test]
fn errors_are_json_where_asked_for() {
    let home = TestHome::new();
    for line in ["nonsense --json", "delete --json", "wait a-1 --for nonsense --json"] {
        let error = home.run(line.split(' ')).code(2).error();
        assert_eq!(error["kind"], "usage", "{line}");
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()));
        assert!(error.get("hint").is_some() && error["id"].is_null());
    }
    home.finish();
}

#[test]
fn help_and_version_are_answers() {
    let home = TestHome::new();
    let version = home.run(["--version"]).ok();
    assert_eq!(version.stdout, format!("callboard {}\n", env!("CARGO_PKG_VERSION")));
    let help = home.run(["--help"]).ok().stdout;
    for command in ["spawn", "list", "delete", "restore", "demo"] {
        assert!(help.contains(command), "{command}");
    }
    for hidden in ["  keeper", "  scripted"] {
        assert!(!help.lines().any(|line| line.starts_with(hidden)), "{help}");
    }
    home.finish();
}
