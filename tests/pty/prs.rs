//! Pull requests in the dashboard, read through a stand-in for `gh`.

use std::path::Path;

use crate::driver::Terminal;
use crate::support::TestHome;
use crate::support::gh::{Gh, checks, merged, pull, push};

/// F1, F2, F3, T2: the row shows the pull request and what it makes of the session; a fault of `gh` is shown
/// on top while the facts are stale.
#[test]
fn the_row_shows_the_pull_request() {
    let home = TestHome::new();
    let repository = home.project("shop");
    repository.git(&["remote", "add", "origin", "https://github.com/acme/shop"]);
    let id = home.spawn(["--project", "shop"], "print ready;wait");
    let branch = home.show(&id)["branch"].as_str().unwrap().to_owned();
    let gh = Gh::new(&home);
    gh.answer(&[pull(12, &branch, &checks("FAILURE"))]);
    let search = gh.search().into_string().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_callboard"));
    let variables = [("PATH", search.as_str())];
    let mut console = Terminal::start_program(program, home.path(), repository.path(), &variables);
    console.resize(200, 60);
    console.see_row(&[&id, "#12", "CI failed"]);
    let pushed = || {
        push(repository.path(), &branch);
        for pin in ["pin", "unpin"] {
            home.run([pin, &id]).ok();
        }
    };
    gh.play("echo 'please run:  gh auth login' >&2; exit 4");
    pushed();
    console.see("gh is not logged in");
    console.see_row(&[&id, "#12", "~CI failed"]);
    console.press("q");
    assert!(console.exit().success());

    gh.answer(&[merged(12, &branch)]);
    let mut console = Terminal::start_program(program, home.path(), repository.path(), &variables);
    console.see_row(&[&id, "merged"]);
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}
