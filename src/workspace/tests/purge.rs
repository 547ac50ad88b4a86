//! What lies in the trash is removed for good, and nothing else is.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;

use super::*;

impl Bench {
    async fn trash_it(&self, session: &str) -> (Worktree, PathBuf) {
        let made = self.make(session).await;
        let to = self.trash(session);
        self.workspace.move_to_trash(&self.repository(), &made.path, &to).await.unwrap();
        (made, to)
    }

    async fn remove(&self, path: &Path) -> WorkspaceResult<u64> {
        self.workspace.remove_trashed(Some(&self.repository()), path).await
    }

    fn registered(&self) -> String {
        git(&self.repository(), ["worktree", "list", "--porcelain"])
    }
}

/// R5: a worktree goes with its registration and read only folders.
#[tokio::test]
async fn a_worktree_goes_with_its_registration_and_read_only_folders_r5() {
    let bench = Bench::new();
    let (_, kept) = bench.trash_it("shop-1").await;
    let (_, path) = bench.trash_it("shop-2").await;
    write(&path.join("target/deep/file"), "0123456789");
    for folder in ["target/deep", "target"] {
        fs::set_permissions(path.join(folder), fs::Permissions::from_mode(0o555)).unwrap();
    }
    let ids: BTreeSet<SessionId> = [SessionId::new("shop-2").unwrap()].into();
    let found = bench.workspace.trashed(&ids).await.unwrap();
    assert_eq!(found, [(SessionId::new("shop-2").unwrap(), path.clone())]);
    assert!(bench.remove(&path).await.unwrap() >= 10);
    assert!(!path.exists() && kept.exists());
    assert!(!bench.registered().contains("shop-2") && bench.registered().contains("shop-1"));
    assert_eq!(bench.remove(&path).await.unwrap(), 0, "done already is a success");
    bench.remove(&kept).await.unwrap();
    assert!(!kept.parent().unwrap().exists(), "the batch's folder goes with the last one");
    assert_eq!(git(&bench.repository(), ["worktree", "list"]).lines().count(), 1);
}

/// R5: a removal that was cut short is continued.
#[tokio::test]
async fn a_removal_that_was_cut_short_is_continued_r5() {
    let bench = Bench::new();
    let (_, path) = bench.trash_it("shop-1").await;
    fs::remove_dir_all(&path).unwrap();
    assert!(bench.registered().contains("shop-1"));
    bench.remove(&path).await.unwrap();
    assert!(!bench.registered().contains("shop-1"));

    // A move that ended between its rename and its repair.
    let made = bench.make("shop-2").await;
    let to = bench.trash("shop-2");
    bench.workspace.move_to_trash(&bench.repository(), &made.path, &to).await.unwrap();
    let link = bench.repository().join(".git/worktrees/shop-2/gitdir");
    fs::write(&link, format!("{}/.git\n", made.path.display())).unwrap();
    bench.remove(&to).await.unwrap();
    assert_eq!(git(&bench.repository(), ["worktree", "list"]).lines().count(), 1);
}

#[tokio::test]
async fn nothing_outside_the_trash_is_removed_z4() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let root = bench.trash("x").parent().unwrap().parent().unwrap().to_owned();
    fs::create_dir_all(root.join("batch-1")).unwrap();
    std::os::unix::fs::symlink(&made.path, root.join("batch-1/link")).unwrap();
    for path in [
        made.path.clone(),
        bench.repository(),
        root.clone(),
        root.join("batch-1/../../x"),
        root.join("batch-1/link"),
    ] {
        let refused = bench.remove(&path).await;
        assert!(matches!(refused, Err(WorkspaceError::NotOurs(_))), "{}", path.display());
    }
    assert!(made.path.join("a.txt").exists() && bench.repository().join("a.txt").exists());
}

/// R5: a folder goes even where its repository is gone.
#[tokio::test]
async fn a_folder_goes_even_where_its_repository_is_gone_r5() {
    let bench = Bench::new();
    let (_, path) = bench.trash_it("shop-1").await;
    fs::remove_dir_all(bench.repository()).unwrap();
    bench.remove(&path).await.unwrap();
    assert!(!path.exists());
}

/// R5: a branch goes if merged or by name.
#[tokio::test]
async fn a_branch_goes_if_merged_or_by_name_r5() {
    let bench = Bench::new();
    let repository = bench.repository();
    let delete = async |branch: &str, merged: bool| {
        let stay = bench.workspace.delete_branches(&repository, &[branch.to_owned()], merged).await;
        let mut stay = stay.unwrap();
        let there = bench.branches().lines().any(|line| line == branch);
        assert!(there || stay.is_empty());
        stay.remove(branch).map_or(Ok(!there), Err)
    };
    let (merged, path) = bench.trash_it("shop-1").await;
    bench.remove(&path).await.unwrap();
    assert!(delete(&merged.branch, true).await.unwrap());
    assert!(!bench.branches().contains("shop-1"));
    assert!(delete(&merged.branch, true).await.unwrap(), "done already is a success");

    let own = bench.make("shop-2").await;
    write(&own.path.join("work.txt"), "work\n");
    commit(&own.path, "work");
    let to = bench.trash("shop-2");
    assert!(!delete(&own.branch, true).await.unwrap(), "in use");
    assert!(matches!(delete(&own.branch, false).await, Err(WorkspaceError::BranchInUse { .. })));
    bench.workspace.move_to_trash(&repository, &own.path, &to).await.unwrap();
    assert!(!delete(&own.branch, true).await.unwrap(), "not merged");
    assert!(bench.branches().contains("shop-2"));
    assert!(delete(&own.branch, false).await.unwrap());
    assert!(!bench.branches().contains("shop-2"));
    assert!(!delete("main", true).await.unwrap(), "the present branch stays");
    git(&repository, ["checkout", "-q", "-b", "other"]);
    assert!(!delete("other", true).await.unwrap(), "so does the one in use");
    let own = |branch| bench.workspace.is_own_branch(&SessionId::new("shop-9").unwrap(), branch);
    assert!(own("callboard/shop-9") && own("callboard/shop-9-2"));
    assert!(!own("callboard/shop-91") && !own("callboard/shop-9-a") && !own("shop-9"));
}

/// Z4, R5: the default branch stays whoever asks; and of many branches, those that cannot go hold up
/// no other.
#[tokio::test]
async fn of_many_branches_each_has_its_own_answer_z4_r5() {
    let bench = Bench::new();
    let repository = bench.repository();
    let bare = bench.folder.path().join("bare.git");
    git(&repository, ["clone", "-q", "--bare", ".", &*bare.to_string_lossy()]);
    let asked = ["a", "a/../b", "main", "none"].map(str::to_owned);
    git(&bare, ["branch", "a"]);
    let stay = bench.workspace.delete_branches(&bare, &asked, false).await.unwrap();
    assert!(matches!(&stay["main"], WorkspaceError::DefaultBranch(name) if name == "main"));
    assert_eq!(stay.len(), 1);
    assert_eq!(git(&bare, ["branch", "--format=%(refname:short)"]), "main");

    // One that a rebase holds is refused by git itself, after it was asked for.
    let made = bench.make("shop-1").await;
    write(&made.path.join("a.txt"), "ours\n");
    commit(&made.path, "ours");
    write(&repository.join("a.txt"), "theirs\n");
    commit(&repository, "theirs");
    assert!(!try_git(&made.path, ["rebase", "main"]).0);
    git(&repository, ["branch", "free"]);
    git(&repository, ["branch", "held"]);
    let asked = [made.branch.clone(), "free".to_owned(), "held".to_owned()];
    let stay = bench.workspace.delete_branches(&repository, &asked, false).await.unwrap();
    assert!(stay.contains_key(&made.branch) && stay.len() == 1, "{stay:?}");
    assert_eq!(bench.branches(), format!("{}\nmain", made.branch));
}
