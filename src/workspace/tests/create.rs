//! Making worktrees (`spec/agents.md` Z1, Z3; `spec/lifecycle.md` C1, C7, B2).

use super::*;

#[tokio::test]
async fn a_worktree_has_its_layout_and_branch_z1() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    assert!(made.path.ends_with("data/worktrees/default/shop/shop-1"));
    assert_eq!((made.branch.as_str(), made.new_branch), ("callboard/shop-1", true));
    assert_eq!(made.base, git(&bench.repository(), ["rev-parse", "main"]));
    assert_eq!(fs::read_to_string(made.path.join("sub/b.txt")).unwrap(), "two\n");
    assert!(bench.workspace.is_repository(&made.path).await);
    assert!(!bench.workspace.is_repository(bench.folder.path()).await);
}

#[tokio::test]
async fn another_workspace_has_branches_of_its_own_z1() {
    let bench = Bench::with(&Config::default(), "night");
    assert_eq!(bench.make("shop-1").await.branch, "callboard-night/shop-1");
    let config = Config { branch: "wip/{workspace}-{session}".to_owned(), ..Config::default() };
    let bench = Bench::with(&config, "default");
    assert_eq!(bench.make("shop-1").await.branch, "wip/default-shop-1");
}

#[tokio::test]
async fn a_new_branch_starts_at_the_base_given_else_at_origins_default_z1() {
    let bench = Bench::new();
    let origin = bench.repository();
    let clone = bench.folder.path().join("clone");
    git(bench.folder.path(), ["clone", "-q", "shop", "clone"]);
    git(&clone, ["checkout", "-q", "-b", "side"]);
    git(
        &clone,
        ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
    );
    let request = |id: &str| WorktreeRequest { repository: clone.clone(), ..bench.request(id) };
    let made = bench.workspace.create_worktree(&request("shop-1")).await.unwrap();
    assert_eq!(made.base, git(&origin, ["rev-parse", "main"]));
    let based = WorktreeRequest { base: Some("side".to_owned()), ..request("shop-2") };
    let made = bench.workspace.create_worktree(&based).await.unwrap();
    assert_eq!(made.base, git(&clone, ["rev-parse", "side"]));
    let wrong = WorktreeRequest { base: Some("--all".to_owned()), ..request("shop-3") };
    let error = bench.workspace.check_worktree(&wrong).await.unwrap_err();
    assert!(matches!(error, WorkspaceError::BadBase { .. }), "{error}");
}

#[tokio::test]
async fn a_remote_branch_is_followed_z3() {
    let bench = Bench::new();
    git(&bench.repository(), ["branch", "feature/x"]);
    git(bench.folder.path(), ["clone", "-q", "shop", "clone"]);
    let request = WorktreeRequest {
        repository: bench.folder.path().join("clone"),
        branch: Some("feature/x".to_owned()),
        ..bench.request("shop-1")
    };
    let made = bench.workspace.create_worktree(&request).await.unwrap();
    assert!(made.new_branch);
    assert_eq!(git(&made.path, ["rev-parse", "--abbrev-ref", "@{upstream}"]), "origin/feature/x");
}

/// C1, Z3: a branch checked out elsewhere, a folder in the way, and so on: each has its own outcome.
#[tokio::test]
async fn every_obstacle_has_its_own_words_c1() {
    let bench = Bench::new();
    let check = |branch: Option<&str>| {
        let request =
            WorktreeRequest { branch: branch.map(str::to_owned), ..bench.request("shop-1") };
        let workspace = bench.workspace.clone();
        async move { workspace.check_worktree(&request).await }
    };
    for bad in ["-x", "a..b", "a b", "@{-1}", "HEAD", "", "x.lock", "a~1"] {
        let error = check(Some(bad)).await.unwrap_err();
        assert!(matches!(error, WorkspaceError::BadBranch(_)), "{bad}: {error}");
    }
    let error = check(Some("main")).await.unwrap_err();
    assert!(error.to_string().contains(&*bench.repository().to_string_lossy()), "{error}");
    let error = check(Some("main/x")).await.unwrap_err();
    assert!(matches!(error, WorkspaceError::BranchConflict { .. }), "{error}");
    git(&bench.repository(), ["branch", "a/b"]);
    let error = check(Some("a")).await.unwrap_err();
    assert!(matches!(error, WorkspaceError::BranchConflict { .. }), "{error}");
    check(Some("a/b")).await.unwrap();
    check(None).await.unwrap();
    git(&bench.repository(), ["branch", "callboard/shop-1"]);
    assert_eq!(check(None).await.unwrap().branch, "callboard/shop-1-2");
    check(Some("callboard/shop-1")).await.unwrap();
}

/// Two installations may work on one repository: each session gets a branch of its own, and what was
/// planned is made or nothing.
#[tokio::test]
async fn the_next_free_branch_is_taken_where_none_was_named() {
    let bench = Bench::new();
    git(&bench.repository(), ["branch", "callboard/shop-1"]);
    git(&bench.repository(), ["branch", "callboard/shop-1-2"]);
    let free = bench.workspace.check_worktree(&bench.request("shop-1")).await.unwrap().branch;
    assert_eq!(free, "callboard/shop-1-3");
    git(&bench.repository(), ["branch", &free]);
    let planned = WorktreeRequest { free_branch: Some(free), ..bench.request("shop-1") };
    let error = bench.workspace.create_worktree(&planned).await.unwrap_err();
    assert!(matches!(error, WorkspaceError::BranchExists(_)), "{error}");
    assert_eq!(bench.make("shop-1").await.branch, "callboard/shop-1-4");
}

#[tokio::test]
async fn folders_without_a_commit_or_a_repository_are_refused() {
    let bench = Bench::new();
    let at = |folder: &str| WorktreeRequest {
        repository: bench.folder.path().join(folder),
        ..bench.request("shop-1")
    };
    let error = bench.workspace.check_worktree(&at("home")).await.unwrap_err();
    assert!(matches!(error, WorkspaceError::NotARepository(_)), "{error}");
    assert!(error.hint().unwrap().contains("--in-place"));
    let error = bench.workspace.check_worktree(&at("nowhere")).await.unwrap_err();
    assert!(matches!(error, WorkspaceError::NoFolder(_)), "{error}");
    git(bench.folder.path(), ["init", "-q", "empty"]);
    let error = bench.workspace.check_worktree(&at("empty")).await.unwrap_err();
    assert!(matches!(error, WorkspaceError::NoCommit(_)), "{error}");
}

#[tokio::test]
async fn an_existing_free_branch_is_used_and_stays() {
    let bench = Bench::new();
    git(&bench.repository(), ["branch", "mine"]);
    let request = WorktreeRequest { branch: Some("mine".to_owned()), ..bench.request("shop-1") };
    let made = bench.workspace.create_worktree(&request).await.unwrap();
    assert!(!made.new_branch);
    assert!(bench.give_back(&made).await.freed);
    assert!(bench.branches().contains("mine"));
}

#[tokio::test]
async fn a_failed_create_leaves_nothing_c7() {
    let bench = Bench::new();
    let hook = bench.repository().join(".git/hooks/post-checkout");
    write(&hook, "#!/bin/sh\nexit 1\n");
    git(&bench.repository(), ["config", "core.hooksPath", ".git/hooks"]);
    make_executable(&hook);
    let error = bench.workspace.create_worktree(&bench.request("shop-1")).await.unwrap_err();
    assert!(error.to_string().contains("shop-1"), "{error}");
    assert_eq!(bench.branches(), "main");
    assert!(
        !bench
            .workspace
            .worktree_path(&bench.request("shop-1").project, &bench.request("shop-1").session)
            .exists()
    );
    assert_eq!(git(&bench.repository(), ["worktree", "list"]).lines().count(), 1);
}

#[tokio::test]
async fn a_caller_that_stops_waiting_leaves_nothing_c5() {
    let bench = Bench::new();
    let (started, gate) = (bench.folder.path().join("started"), bench.folder.path().join("gate"));
    git(&bench.repository(), ["config", "core.hooksPath", ".git/hooks"]);
    let hook = bench.repository().join(".git/hooks/post-checkout");
    // The hook waits for a pipe that nobody writes.
    let pipe = Command::new("mkfifo").arg(&gate).status().unwrap();
    assert!(pipe.success());
    write(
        &hook,
        &format!("#!/bin/sh\ntouch {}\nread line < {}\n", started.display(), gate.display()),
    );
    make_executable(&hook);
    let (workspace, request) = (bench.workspace.clone(), bench.request("shop-1"));
    let task = tokio::spawn(async move { workspace.create_worktree(&request).await });
    until(|| started.exists()).await;
    task.abort();
    let path = bench
        .workspace
        .worktree_path(&bench.request("shop-1").project, &bench.request("shop-1").session);
    until(|| !path.exists() && bench.branches() == "main").await;
}

/// Z5: one change of a repository at a time.
#[tokio::test]
async fn two_at_once_in_one_repository_both_work_z5() {
    let bench = Bench::new();
    let ids: Vec<String> = (1..=6).map(|n| format!("shop-{n}")).collect();
    let requests: Vec<_> = ids.iter().map(|id| bench.request(id)).collect();
    let made = requests.iter().map(|request| bench.workspace.create_worktree(request));
    for made in futures_util::future::join_all(made).await {
        assert!(made.unwrap().path.is_dir());
    }
}

#[tokio::test]
async fn a_missing_worktree_is_made_again_on_its_branch_b2() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let ensure = || bench.workspace.ensure_worktree(&made.path, &made.path, Some(&made.branch));
    assert_eq!(ensure().await.unwrap(), Moved::default());
    commit_in(&made.path, "work");
    fs::remove_dir_all(&made.path).unwrap();
    let repository = bench.repository();
    let again = |branch| bench.workspace.ensure_worktree(&repository, &made.path, branch);
    assert!(again(Some(&made.branch)).await.unwrap().note.unwrap().contains("made again"));
    assert_eq!(git(&made.path, ["log", "-1", "--format=%s"]), "work");

    fs::remove_dir_all(&made.path).unwrap();
    git(&repository, ["worktree", "lock", "--reason", "on a stick", &*made.path.to_string_lossy()]);
    let error = again(Some(&made.branch)).await.unwrap_err();
    assert!(error.to_string().contains("on a stick"), "{error}");
    git(&repository, ["worktree", "unlock", &*made.path.to_string_lossy()]);

    write(&made.path.join("foreign"), "");
    let error = again(Some(&made.branch)).await.unwrap_err();
    assert!(matches!(error, WorkspaceError::Occupied(_)), "{error}");
    fs::remove_dir_all(&made.path).unwrap();
    let error = again(None).await.unwrap_err();
    assert!(matches!(error, WorkspaceError::BranchGone { .. }), "{error}");
    git(&repository, ["worktree", "prune"]);
    git(&repository, ["checkout", "-q", &made.branch]);
    let error = again(Some(&made.branch)).await.unwrap_err();
    assert!(matches!(error, WorkspaceError::BranchInUse { .. }), "{error}");
}

#[tokio::test]
async fn a_bare_repository_has_worktrees_too_z2() {
    let bench = Bench::new();
    git(bench.folder.path(), ["clone", "-q", "--bare", "shop", "bare.git"]);
    let request = WorktreeRequest {
        repository: bench.folder.path().join("bare.git"),
        ..bench.request("shop-1")
    };
    let made = bench.workspace.create_worktree(&request).await.unwrap();
    assert!(made.path.join("a.txt").exists());
    let freed = bench.workspace.give_back(&request.repository, &made).await.unwrap();
    assert!(freed.freed, "{freed:?}");
}

/// Z5: the lock of another git is waited for, then told.
#[tokio::test]
async fn the_lock_file_of_another_git_is_waited_for_then_reported_z5() {
    let bench = Bench::new();
    let lock = bench.repository().join(".git/refs/heads/callboard/shop-1.lock");
    write(&lock, "");
    let error = bench.workspace.create_worktree(&bench.request("shop-1")).await.unwrap_err();
    assert!(error.hint().unwrap().contains("lock file"), "{error}");
    let (workspace, request) = (bench.workspace.clone(), bench.request("shop-1"));
    let task = tokio::spawn(async move { workspace.create_worktree(&request).await });
    tokio::task::yield_now().await;
    fs::remove_file(&lock).unwrap();
    task.await.unwrap().unwrap();
}

fn commit_in(folder: &Path, message: &str) {
    write(&folder.join("work.txt"), message);
    commit(folder, message);
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

async fn until(condition: impl Fn() -> bool) {
    while !condition() {
        tokio::task::yield_now().await;
    }
}
