//! Into the trash and back, byte for byte (`spec/lifecycle.md` D9, R1, R2).

use super::*;
use crate::domain::plan::Back;

/// Everything that must survive: files, status, index, and what git has under way.
pub(super) fn state(path: &Path) -> impl PartialEq + std::fmt::Debug + use<> {
    let admin = super::super::ours::git_dir(path).unwrap();
    let mut admin_files = listing(&admin);
    // A reflog tells of the move; times of what git rewrote in place do not matter.
    admin_files.retain(|path, _| !path.starts_with("logs") && path != Path::new("logs"));
    let admin: BTreeMap<_, _> =
        admin_files.into_iter().map(|(path, (mode, _, content))| (path, (mode, content))).collect();
    let status =
        git(path, ["--no-optional-locks", "status", "--porcelain=v2", "--branch", "--ignored"]);
    let stash = git(path, ["stash", "list"]);
    (listing(path), admin, status, stash)
}

/// A worktree with every kind of unfinished work.
pub(super) async fn busy(bench: &Bench) -> Worktree {
    let made = bench.make("shop-1").await;
    let path = &made.path;
    write(&path.join("a.txt"), "stashed\n");
    git(path, ["stash", "-q"]);
    write(&path.join("a.txt"), "staged\n");
    git(path, ["add", "a.txt"]);
    write(&path.join("a.txt"), "changed again\n");
    write(&path.join("untracked dir/é\n.txt"), "untracked\n");
    write(&path.join("target/deep/out.o"), "ignored\n");
    write(&path.join("run.sh"), "#!/bin/sh\n");
    fs::set_permissions(path.join("run.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o751))
        .unwrap();
    std::os::unix::fs::symlink("nowhere", path.join("link")).unwrap();
    fs::create_dir(path.join("empty")).unwrap();
    made
}

pub(super) async fn away(bench: &Bench, made: &Worktree) -> Option<String> {
    let to = bench.trash("shop-1");
    bench.workspace.move_to_trash(&bench.repository(), &made.path, &to).await.unwrap().note
}

pub(super) async fn back(bench: &Bench, made: &Worktree) -> Option<String> {
    let from = bench.trash("shop-1");
    let branch = Some(made.branch.as_str());
    bench
        .workspace
        .move_back(&way(&bench.repository(), &from, &made.path, branch))
        .await
        .unwrap()
        .note
}

/// Moves there and back, twice each; in between git tidies up as hard as it can.
pub(super) async fn round_trip(bench: &Bench, made: &Worktree) -> Vec<String> {
    let before = state(&made.path);
    let mut notes = Vec::new();
    notes.extend(away(bench, made).await);
    away(bench, made).await;
    assert!(!made.path.exists());
    git(&bench.repository(), ["worktree", "prune", "--expire=now"]);
    git(&bench.repository(), ["gc", "-q", "--prune=now"]);
    notes.extend(back(bench, made).await);
    back(bench, made).await;
    assert_eq!(state(&made.path), before);
    assert!(!bench.trash("shop-1").parent().unwrap().exists(), "nothing is left in the trash");
    notes
}

/// D9: the folder goes whole, safe from pruning.
#[tokio::test]
async fn staged_changed_untracked_ignored_and_stashed_survive_d9() {
    let bench = Bench::new();
    let made = busy(&bench).await;
    assert_eq!(round_trip(&bench, &made).await, Vec::<String>::new());
}

/// D9: the branch can be used elsewhere meanwhile.
#[tokio::test]
async fn the_branch_is_free_while_its_worktree_is_in_the_trash_d9() {
    let bench = Bench::new();
    let made = busy(&bench).await;
    away(&bench, &made).await;
    let request = WorktreeRequest { branch: Some(made.branch.clone()), ..bench.request("shop-2") };
    let other = bench.workspace.create_worktree(&request).await.unwrap();
    let note = back(&bench, &made).await.unwrap();
    assert!(note.contains("left detached") && note.contains("shop-2"), "{note}");
    assert!(!try_git(&made.path, ["symbolic-ref", "-q", "HEAD"]).0);
    assert!(other.path.exists());
}

/// R1: a branch that moved on or is gone is left alone.
#[tokio::test]
async fn a_branch_that_moved_on_or_is_gone_is_left_alone_r1() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    write(&made.path.join("a.txt"), "work");
    commit(&made.path, "work");
    away(&bench, &made).await;
    git(&bench.repository(), ["branch", "-f", &made.branch, "main"]);
    assert!(back(&bench, &made).await.unwrap().contains("has moved on"));
    git(&bench.repository(), ["checkout", "-q", "--detach"]);
    git(&made.path, ["checkout", "-q", "-B", &made.branch]);
    away(&bench, &made).await;
    git(&bench.repository(), ["branch", "-q", "-D", &made.branch]);
    assert!(back(&bench, &made).await.unwrap().contains("is gone"));
    assert_eq!(git(&made.path, ["log", "-1", "--format=%s"]), "work");
}

/// D9: with a merge, a rebase or a bisect under way it is left attached, and said so.
#[tokio::test]
async fn a_merge_a_rebase_and_a_bisect_survive_d9() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let path = &made.path;
    write(&path.join("a.txt"), "ours\n");
    commit(path, "ours");
    write(&bench.repository().join("a.txt"), "theirs\n");
    commit(&bench.repository(), "theirs");
    assert!(!try_git(path, ["merge", "main"]).0);
    assert_eq!(round_trip(&bench, &made).await, ["a merge is under way: its branch stays in use"]);
    git(path, ["merge", "--abort"]);
    assert!(!try_git(path, ["rebase", "main"]).0);
    assert_eq!(round_trip(&bench, &made).await, ["a rebase is under way: its branch stays in use"]);
    write(&path.join("a.txt"), "both\n");
    git(path, ["add", "a.txt"]);
    git(path, ["rebase", "--continue"]);
    assert_eq!(git(path, ["symbolic-ref", "--short", "HEAD"]), made.branch);
    git(path, ["bisect", "start", "HEAD", "HEAD~1"]);
    assert_eq!(round_trip(&bench, &made).await, ["a bisect is under way: its branch stays in use"]);
}

/// D9: submodules go along.
#[tokio::test]
async fn submodules_survive_d9() {
    let bench = Bench::new();
    let library = bench.folder.path().join("library");
    init(&library);
    git(&bench.repository(), ["submodule", "--quiet", "add", &*library.to_string_lossy(), "lib"]);
    commit(&bench.repository(), "a submodule");
    let made = bench.make("shop-1").await;
    git(&made.path, ["submodule", "--quiet", "update", "--init"]);
    write(&made.path.join("lib/a.txt"), "changed in the submodule\n");
    assert_eq!(round_trip(&bench, &made).await, Vec::<String>::new());
    git(&made.path.join("lib"), ["checkout", "-q", "a.txt"]);
    assert!(bench.give_back(&made).await.reason.unwrap().contains("submodules"));
}

/// D9: an unborn branch is left attached, and said so.
#[tokio::test]
async fn detached_and_unborn_heads_and_the_operators_lock_survive() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    git(&made.path, ["checkout", "-q", "--detach"]);
    git(&made.path, ["commit", "-q", "--allow-empty", "-m", "loose"]);
    git(&made.path, ["worktree", "lock", "--reason", "mine", "."]);
    assert_eq!(round_trip(&bench, &made).await, Vec::<String>::new());
    git(&made.path, ["checkout", "-q", "--orphan", "fresh"]);
    let notes = round_trip(&bench, &made).await;
    assert_eq!(notes, ["branch fresh has no commit yet and stays in use"]);
}

#[tokio::test]
async fn a_move_cut_short_anywhere_is_continued_v2() {
    let bench = Bench::new();
    let made = busy(&bench).await;
    let before = state(&made.path);
    let to = bench.trash("shop-1");
    let repository = bench.repository();
    // Cut short after the rename: neither repaired nor detached.
    away(&bench, &made).await;
    let record = fs::read(to.with_file_name("shop-1.json")).unwrap();
    back(&bench, &made).await;
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::write(to.with_file_name("shop-1.json"), &record).unwrap();
    git(
        &repository,
        ["worktree", "lock", "--reason", "in callboard's trash", &*made.path.to_string_lossy()],
    );
    fs::rename(&made.path, &to).unwrap();
    assert_eq!(away(&bench, &made).await, None);
    assert!(!try_git(&to, ["symbolic-ref", "-q", "HEAD"]).0);
    // On the way back, after the rename.
    fs::rename(&to, &made.path).unwrap();
    assert_eq!(back(&bench, &made).await, None);
    assert_eq!(state(&made.path), before);
    // Locked and recorded, not moved: given up, or moved after all.
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::write(to.with_file_name("shop-1.json"), &record).unwrap();
    git(
        &repository,
        ["worktree", "lock", "--reason", "in callboard's trash", &*made.path.to_string_lossy()],
    );
    assert_eq!(back(&bench, &made).await, None);
    assert_eq!(state(&made.path), before);
    git(
        &repository,
        ["worktree", "lock", "--reason", "in callboard's trash", &*made.path.to_string_lossy()],
    );
    assert_eq!(round_trip_from(&bench, &made).await, None);
    assert_eq!(state(&made.path), before);
}

#[tokio::test]
async fn a_way_back_that_was_cut_short_and_given_up_still_knows_the_branch_v2() {
    let bench = Bench::new();
    let made = busy(&bench).await;
    let before = state(&made.path);
    let to = bench.trash("shop-1");
    away(&bench, &made).await;
    // On the way back after the rename and the repair, before the branch was attached.
    fs::rename(&to, &made.path).unwrap();
    git(&bench.repository(), ["worktree", "repair", &*made.path.to_string_lossy()]);
    away(&bench, &made).await;
    assert_eq!(back(&bench, &made).await, None);
    assert_eq!(state(&made.path), before);
}

async fn round_trip_from(bench: &Bench, made: &Worktree) -> Option<String> {
    away(bench, made).await;
    back(bench, made).await
}

/// R2: nothing is ever replaced.
#[tokio::test]
async fn nothing_is_ever_replaced_r2() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    write(&bench.trash("shop-1").join("x"), "");
    let (repository, to) = (bench.repository(), bench.trash("shop-1"));
    let error = bench.workspace.move_to_trash(&repository, &made.path, &to).await.unwrap_err();
    assert!(matches!(error, WorkspaceError::Occupied(_)), "{error}");
    fs::remove_dir_all(&to).unwrap();
    away(&bench, &made).await;
    write(&made.path.join("x"), "");
    let error =
        bench.workspace.move_back(&way(&repository, &to, &made.path, None)).await.unwrap_err();
    assert!(error.to_string().contains(&*made.path.to_string_lossy()), "{error}");
    let elsewhere = bench.folder.path().join("elsewhere/shop-1");
    bench.workspace.move_back(&way(&repository, &to, &elsewhere, None)).await.unwrap();
    assert_eq!(git(&elsewhere, ["symbolic-ref", "--short", "HEAD"]), made.branch);
}

/// R2: a missing trash folder is made again from the branch.
#[tokio::test]
async fn a_missing_trash_folder_is_made_again_from_the_branch_r2() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    away(&bench, &made).await;
    fs::remove_dir_all(bench.trash("shop-1")).unwrap();
    let note = back(&bench, &made).await.unwrap();
    assert!(note.contains("made again"), "{note}");
    assert_eq!(git(&made.path, ["symbolic-ref", "--short", "HEAD"]), made.branch);
}

#[tokio::test]
async fn a_folder_without_repository_or_git_file_still_moves_whole() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    fs::remove_file(made.path.join(".git")).unwrap();
    away(&bench, &made).await;
    back(&bench, &made).await;
    assert_eq!(git(&made.path, ["status", "--porcelain"]), "");
    fs::remove_dir_all(bench.repository()).unwrap();
    let before = listing(&made.path);
    assert!(away(&bench, &made).await.unwrap().contains("repository is gone"));
    back(&bench, &made).await;
    assert_eq!(listing(&made.path), before);
}

/// D9, R6: a folder that is not ours stays.
#[tokio::test]
async fn only_folders_of_ours_are_moved_z4() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let repository = bench.repository();
    let error =
        bench.workspace.move_to_trash(&repository, &repository, &bench.trash("shop-1")).await;
    assert!(matches!(error.unwrap_err(), WorkspaceError::NotOurs(_)));
    let outside = bench.folder.path().join("x");
    let error = bench.workspace.move_to_trash(&repository, &made.path, &outside).await;
    assert!(matches!(error.unwrap_err(), WorkspaceError::NotOurs(_)));
    let link = made.path.with_file_name("shop-2");
    std::os::unix::fs::symlink(&repository, &link).unwrap();
    let error = bench.workspace.move_to_trash(&repository, &link, &bench.trash("shop-2")).await;
    assert!(matches!(error.unwrap_err(), WorkspaceError::NotOurs(_)));
}

/// R1, R2: what the way back comes to is known before, and looking changes nothing.
#[tokio::test]
async fn the_way_back_is_foreseen_r1_r2() {
    let bench = Bench::new();
    let made = busy(&bench).await;
    let (repository, from, to) = (bench.repository(), bench.trash("shop-1"), &made.path);
    let foresee = async || {
        let branch = Some(made.branch.as_str());
        bench.workspace.foresee_move_back(&way(&repository, &from, to, branch)).await
    };
    away(&bench, &made).await;
    let before = listing(from.parent().unwrap());
    assert_eq!(foresee().await.unwrap(), Back::AsItWas);
    assert_eq!(listing(from.parent().unwrap()), before);
    fs::create_dir_all(to).unwrap();
    assert!(matches!(foresee().await, Err(WorkspaceError::Occupied(path)) if path == *to));
    fs::remove_dir(to).unwrap();
    let commit = git(&repository, ["commit-tree", "-m", "more", "HEAD^{tree}"]);
    git(&repository, ["branch", "--force", &made.branch, commit.trim()]);
    let Back::Detached(why) = foresee().await.unwrap() else { panic!() };
    assert_eq!(Some(&why), back(&bench, &made).await.as_ref(), "as the move itself says");
    assert!(why.ends_with("has moved on"), "{why}");
    away(&bench, &made).await;
    fs::remove_dir_all(&from).unwrap();
    assert!(matches!(foresee().await.unwrap(), Back::MadeAgain(_)));
    git(&repository, ["branch", "-D", &made.branch]);
    assert!(matches!(foresee().await, Err(WorkspaceError::BranchGone { .. })));
}
