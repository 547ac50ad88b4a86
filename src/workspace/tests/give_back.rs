//! Giving back (`spec/lifecycle.md` K3) and what is read before.

use super::*;

async fn reason(bench: &Bench, made: &Worktree) -> String {
    let before = listing(&made.path);
    let freed = bench.give_back(made).await;
    assert!(!freed.freed);
    assert_eq!(listing(&made.path), before, "kept as it was");
    freed.reason.unwrap()
}

/// K3: a clean worktree goes with its unused branch.
#[tokio::test]
async fn a_clean_worktree_goes_with_its_unused_branch_k3() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    assert_eq!(
        bench.give_back(&made).await,
        Freed { freed: true, reason: None, only_ignored: false }
    );
    assert!(!made.path.exists());
    assert_eq!(bench.branches(), "main");
    assert!(bench.give_back(&made).await.freed, "once more is a success");
}

/// K3: a branch with a commit of its own stays.
#[tokio::test]
async fn a_branch_with_a_commit_of_its_own_stays_k3() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    write(&made.path.join("a.txt"), "changed");
    commit(&made.path, "work");
    assert!(bench.give_back(&made).await.freed);
    assert!(bench.branches().contains("callboard/shop-1"));
}

/// K3: anything else is kept with the reason.
#[tokio::test]
async fn anything_else_is_kept_with_the_reason_k3() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let path = &made.path;
    write(&path.join("new.txt"), "");
    assert_eq!(reason(&bench, &made).await, "it has uncommitted changes: new.txt");
    git(path, ["add", "new.txt"]);
    assert_eq!(reason(&bench, &made).await, "it has uncommitted changes: new.txt");
    git(path, ["rm", "-q", "-f", "new.txt"]);
    write(&path.join("target/x/out.o"), "");
    assert_eq!(reason(&bench, &made).await, "it holds ignored files: target/x/out.o");
    fs::remove_dir_all(path.join("target")).unwrap();
    git(path, ["checkout", "-q", "--detach"]);
    git(path, ["commit", "-q", "--allow-empty", "-m", "loose"]);
    assert_eq!(reason(&bench, &made).await, "its commit is on no branch");
    git(path, ["checkout", "-q", &made.branch]);
    git(path, ["worktree", "lock", "--reason", "mine", "."]);
    assert_eq!(reason(&bench, &made).await, "it is locked: mine");
    git(path, ["worktree", "unlock", "."]);
    git(path, ["bisect", "start"]);
    assert_eq!(reason(&bench, &made).await, "a bisect is under way");
    git(path, ["bisect", "reset"]);
    assert!(bench.give_back(&made).await.freed);
}

#[tokio::test]
async fn only_folders_of_ours_are_given_back_z4() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    for path in [bench.repository(), made.path.join("../../.."), made.path.parent().unwrap().into()]
    {
        let other = Worktree { path, ..made.clone() };
        let error = bench.workspace.give_back(&bench.repository(), &other).await.unwrap_err();
        assert!(matches!(error, WorkspaceError::NotOurs(_)), "{error}");
    }
    let elsewhere = bench.folder.path().join("other");
    init(&elsewhere);
    let error = bench.workspace.give_back(&elsewhere, &made).await.unwrap_err();
    assert!(matches!(error, WorkspaceError::NotOurs(_)), "{error}");
    assert!(made.path.join("a.txt").exists());
}

#[tokio::test]
async fn a_worktree_whose_repository_is_gone_is_kept() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    fs::remove_dir_all(bench.repository()).unwrap();
    assert_eq!(reason(&bench, &made).await, "its repository is gone");
}

#[tokio::test]
async fn advice_counts_dirty_files_and_unpushed_commits() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let advice = || bench.workspace.advice(&made.path);
    let read = advice().await.unwrap();
    assert_eq!((read.dirty_files, read.unpushed_commits), (Some(0), Some(0)));
    write(&made.path.join("a.txt"), "work");
    commit(&made.path, "work");
    write(&made.path.join("a.txt"), "more");
    write(&made.path.join("untracked"), "more");
    let read = advice().await.unwrap();
    assert_eq!((read.dirty_files, read.unpushed_commits), (Some(2), Some(1)));
    git(bench.folder.path(), ["init", "-q", "--bare", "origin.git"]);
    git(&made.path, ["remote", "add", "origin", "../origin.git"]);
    git(&bench.repository(), ["push", "-q", "origin", "main"]);
    assert_eq!(advice().await.unwrap().unpushed_commits, Some(1));
    git(&bench.repository(), ["push", "-q", "origin", &made.branch]);
    assert_eq!(advice().await.unwrap().unpushed_commits, Some(0));
}
