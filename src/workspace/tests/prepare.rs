//! Set-up of worktrees (`spec/agents.md` Z2).

use super::*;
use crate::domain::rail::ProjectSetup;

fn setup(commands: &[&str], copy: &[&str], link: &[&str]) -> ProjectSetup {
    let texts = |list: &[&str]| list.iter().map(ToString::to_string).collect();
    ProjectSetup {
        commands: texts(commands),
        copy: texts(copy),
        link: link.iter().map(PathBuf::from).collect(),
    }
}

/// K3: what prepare put there does not keep a worktree.
#[tokio::test]
async fn what_prepare_put_there_does_not_keep_a_worktree_k3() {
    let bench = Bench::new();
    let repository = bench.repository();
    write(&repository.join(".env"), "SECRET=1\n");
    write(&repository.join("sub/x.log"), "log\n");
    write(&repository.join("cache/big"), "big\n");
    write(&repository.join("untracked.txt"), "not ignored\n");
    let made = bench.make("shop-1").await;
    let setup = setup(
        &["mkdir target && echo built > target/out"],
        &["**/.env", "sub/*.log", "*.txt"],
        &["cache"],
    );
    bench.workspace.prepare(&repository, &made.path, &setup).await.unwrap();
    assert_eq!(fs::read_to_string(made.path.join(".env")).unwrap(), "SECRET=1\n");
    assert!(made.path.join("sub/x.log").exists() && !made.path.join("untracked.txt").exists());
    assert_eq!(fs::read_to_string(made.path.join("cache/big")).unwrap(), "big\n");
    bench.workspace.prepare(&repository, &made.path, &setup).await.unwrap_err();

    write(&made.path.join(".env"), "SECRET=2\n");
    let freed = bench.give_back(&made).await;
    assert_eq!(freed.reason.unwrap(), "it holds ignored files: .env");
    fs::remove_file(made.path.join(".env")).unwrap();
    let freed = bench.give_back(&made).await;
    assert!(freed.freed, "{freed:?}");
    assert!(repository.join("cache/big").exists(), "a link is not followed");
}

#[tokio::test]
async fn unprepare_takes_back_only_what_nobody_changed() {
    let bench = Bench::new();
    let repository = bench.repository();
    write(&repository.join(".env"), "1");
    write(&repository.join("target/deep/x.o"), "1");
    let made = bench.make("shop-1").await;
    let setup = setup(&[], &[".env", "target/**"], &[]);
    bench.workspace.prepare(&repository, &made.path, &setup).await.unwrap();
    write(&made.path.join(".env"), "changed");
    bench.workspace.unprepare(&made.path).await.unwrap();
    bench.workspace.unprepare(&made.path).await.unwrap();
    assert!(made.path.join(".env").exists());
    assert!(!made.path.join("target").exists());
}

#[tokio::test]
async fn a_failing_command_shows_its_output_and_is_cleaned_up_c5() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let setup =
        setup(&["mkdir target; echo x > target/y; echo no such thing >&2; exit 3"], &[], &[]);
    let error = bench.workspace.prepare(&bench.repository(), &made.path, &setup).await.unwrap_err();
    assert!(error.to_string().contains("no such thing"), "{error}");
    bench.workspace.unprepare(&made.path).await.unwrap();
    assert!(bench.give_back(&made).await.freed);
}

#[tokio::test]
async fn commands_have_a_time_limit() {
    let config = Config { setup_timeout_seconds: 0, ..Config::default() };
    let bench = Bench::with(&config, "default");
    let made = bench.make("shop-1").await;
    let setup = setup(&["cat < /dev/zero > /dev/null"], &[], &[]);
    let error = bench.workspace.prepare(&bench.repository(), &made.path, &setup).await.unwrap_err();
    assert!(error.to_string().contains("longer than 0 s"), "{error}");
}

#[tokio::test]
async fn paths_that_leave_the_worktree_are_refused() {
    let bench = Bench::new();
    let repository = bench.repository();
    std::os::unix::fs::symlink(bench.folder.path(), repository.join("out")).unwrap();
    commit(&repository, "a link that leads out");
    let made = bench.make("shop-1").await;
    for link in ["../x", "/etc/passwd", "out/x", ""] {
        let setup = setup(&[], &[], &[link]);
        let error = bench.workspace.prepare(&repository, &made.path, &setup).await.unwrap_err();
        assert!(matches!(error, WorkspaceError::SetUp { .. }), "{link}: {error}");
    }
    assert!(!bench.folder.path().join("x").exists());
}
