//! What is moved, what stays, and that it comes back as it was, in the cases that are not plain.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use super::trash::{away, back, busy, round_trip, state};
use super::*;

fn made_at(bench: &Bench, session: &str) -> PathBuf {
    let project = ProjectName::new("shop").unwrap();
    bench.workspace.worktree_path(&project, &SessionId::new(session).unwrap())
}

/// D9: a sparse checkout keeps its patterns and its index bits.
#[tokio::test]
async fn a_sparse_checkout_survives() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    git(&made.path, ["sparse-checkout", "set", "--cone", "none"]);
    assert!(!made.path.join("sub").exists());
    assert_eq!(round_trip(&bench, &made).await, Vec::<String>::new());
    assert!(!made.path.join("sub").exists() && made.path.join("a.txt").exists());
    assert_eq!(git(&made.path, ["status", "--porcelain"]), "");
}

/// D9: names that are no UTF-8 or hold blanks and newlines, and folders and files that nobody may
/// write.
#[tokio::test]
async fn odd_names_and_read_only_files_survive() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let odd = made.path.join(OsStr::from_bytes(b"bad \xff\xfe\nname"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join(OsStr::from_bytes(b"\x80 file")), "odd").unwrap();
    git(&made.path, ["add", "-A"]);
    fs::write(odd.join("untracked"), "more").unwrap();
    fs::set_permissions(odd.join("untracked"), fs::Permissions::from_mode(0o400)).unwrap();
    fs::set_permissions(&odd, fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(&made.path, fs::Permissions::from_mode(0o555)).unwrap();
    assert_eq!(round_trip(&bench, &made).await, Vec::<String>::new());
    for folder in [&made.path, &odd] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// D9, K3: a home and a repository whose paths hold blanks and newlines.
#[tokio::test]
async fn paths_with_blanks_and_newlines_work() {
    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join("a b\nc 'd\"");
    let home = Home::at(&odd.join("home")).unwrap();
    home.create().unwrap();
    let name = WorkspaceName::new("default").unwrap();
    let workspace = Workspace::new(home, name, &Config::default());
    let repository = odd.join("shop");
    init(&repository);
    let request = WorktreeRequest {
        session: SessionId::new("shop-1").unwrap(),
        project: ProjectName::new("shop").unwrap(),
        repository: repository.clone(),
        branch: None,
        free_branch: None,
        base: None,
    };
    let made = workspace.create_worktree(&request).await.unwrap();
    write(&made.path.join("target/x"), "ignored");
    let before = state(&made.path);
    let to = workspace.trash_path(&BatchId::new("batch").unwrap(), &request.session);
    workspace.move_to_trash(&repository, &made.path, &to).await.unwrap();
    git(&repository, ["worktree", "prune", "--expire=now"]);
    workspace.move_back(&way(&repository, &to, &made.path, Some(&made.branch))).await.unwrap();
    assert_eq!(state(&made.path), before);
    fs::remove_dir_all(made.path.join("target")).unwrap();
    assert!(workspace.give_back(&repository, &made).await.unwrap().freed);
    assert!(!made.path.exists());
}

/// D9: a process that writes goes on writing into the folder that was moved, and nothing that it wrote
/// is lost.
#[tokio::test]
async fn what_is_written_during_the_move_is_kept() {
    use std::io::Write as _;
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let mut open = fs::File::create(made.path.join("target.log")).unwrap();
    let mut writer = Command::new("cat")
        .current_dir(&made.path)
        .stdin(std::process::Stdio::piped())
        .stdout(fs::File::create(made.path.join("cat.log")).unwrap())
        .spawn()
        .unwrap();
    let mut input = writer.stdin.take().unwrap();
    open.write_all(b"before ").unwrap();
    input.write_all(b"before ").unwrap();
    away(&bench, &made).await;
    open.write_all(b"after").unwrap();
    input.write_all(b"after").unwrap();
    drop(input);
    assert!(writer.wait().unwrap().success());
    back(&bench, &made).await;
    for file in ["target.log", "cat.log"] {
        assert_eq!(fs::read_to_string(made.path.join(file)).unwrap(), "before after", "{file}");
    }
}

/// R1, R2: the repository went elsewhere while the worktree was in the trash: named at its new place
/// it takes the worktree back.
#[tokio::test]
async fn a_repository_that_was_moved_takes_its_worktree_back() {
    let bench = Bench::new();
    let made = busy(&bench).await;
    let status = git(&made.path, ["status", "--porcelain=v2", "--ignored"]);
    let files = listing(&made.path);
    away(&bench, &made).await;
    let elsewhere = bench.folder.path().join("moved");
    fs::rename(bench.repository(), &elsewhere).unwrap();
    let (from, branch) = (bench.trash("shop-1"), Some(made.branch.as_str()));
    bench.workspace.move_back(&way(&elsewhere, &from, &made.path, branch)).await.unwrap();
    let mut now = listing(&made.path);
    assert!(now.remove(Path::new(".git")).unwrap().2.ends_with(b"moved/.git/worktrees/shop-1\n"));
    assert!(files.iter().filter(|(path, _)| *path != Path::new(".git")).eq(now.iter()));
    assert_eq!(git(&made.path, ["status", "--porcelain=v2", "--ignored"]), status);
    assert_eq!(git(&made.path, ["symbolic-ref", "--short", "HEAD"]), made.branch);
}

/// D9, R1: a worktree whose link is relative, as git makes it with `worktree.useRelativePaths`, goes
/// and comes back as others do: wherever it is, it and its repository find each other.
#[tokio::test]
async fn a_relative_link_is_made_right_again() {
    let bench = Bench::new();
    let made = busy(&bench).await;
    let link = made.path.join(".git");
    let whole = fs::read_to_string(&link).unwrap();
    let git_dir = Path::new(whole.trim_end().strip_prefix("gitdir: ").unwrap());
    let root = bench.folder.path().canonicalize().unwrap();
    let deep = made.path.canonicalize().unwrap();
    let up = deep.strip_prefix(&root).unwrap().components().map(|_| "..");
    let down = git_dir.strip_prefix(&root).unwrap();
    let relative = up.collect::<PathBuf>().join(down);
    fs::write(&link, format!("gitdir: {}\n", relative.display())).unwrap();
    let status = git(&made.path, ["status", "--porcelain=v2", "--branch", "--ignored"]);
    away(&bench, &made).await;
    let listed = git(&bench.repository(), ["worktree", "list", "--porcelain"]);
    let trash = bench.trash("shop-1").canonicalize().unwrap();
    assert!(listed.contains(&format!("worktree {}\n", trash.display())), "{listed}");
    git(&trash, ["rev-parse", "HEAD"]);
    back(&bench, &made).await;
    assert_eq!(git(&made.path, ["status", "--porcelain=v2", "--branch", "--ignored"]), status);
    let listed = git(&bench.repository(), ["worktree", "list", "--porcelain"]);
    assert!(listed.contains(&format!("worktree {}\n", deep.display())), "{listed}");
}

/// D9, R1: a lock of the operator's stays, and comes back; ours goes.
#[tokio::test]
async fn the_operators_lock_is_never_taken_off() {
    let bench = Bench::new();
    let made = busy(&bench).await;
    git(&bench.repository(), ["worktree", "lock", "--reason", "mine", made.path.to_str().unwrap()]);
    let locked = || git(&bench.repository(), ["worktree", "list", "--porcelain"]);
    for _ in 0..2 {
        away(&bench, &made).await;
        assert!(locked().contains("locked mine"), "{}", locked());
        back(&bench, &made).await;
        assert!(locked().contains("locked mine"), "{}", locked());
    }
    git(&bench.repository(), ["worktree", "unlock", made.path.to_str().unwrap()]);
    away(&bench, &made).await;
    assert!(locked().contains("locked in callboard"), "{}", locked());
    back(&bench, &made).await;
    assert!(!locked().contains("locked"), "{}", locked());
}

/// R1: the branch is gone, and another is below its name at the same commit: the worktree stays
/// detached rather than be on a branch that is not there.
#[tokio::test]
async fn a_branch_below_the_name_is_not_the_branch() {
    let bench = Bench::new();
    let made = busy(&bench).await;
    let head = git(&made.path, ["rev-parse", "HEAD"]);
    away(&bench, &made).await;
    git(&bench.repository(), ["branch", "-D", made.branch.as_str()]);
    let below = format!("{}/below", made.branch);
    git(&bench.repository(), ["branch", below.as_str(), head.trim()]);
    let (from, branch) = (bench.trash("shop-1"), Some(made.branch.as_str()));
    let moved =
        bench.workspace.move_back(&way(&bench.repository(), &from, &made.path, branch)).await;
    let note = moved.unwrap().note.unwrap();
    assert!(note.ends_with("is gone"), "{note}");
    assert_eq!(git(&made.path, ["rev-parse", "HEAD"]), head);
}

/// D9: a trash on another file system: nothing is copied, the worktree stays whole and in use, and the
/// move is done once that was put right.
#[tokio::test]
async fn a_trash_on_another_file_system_is_refused_and_nothing_changes() {
    let bench = Bench::new();
    let made = busy(&bench).await;
    let shm = Path::new("/dev/shm");
    let device = |path: &Path| path.metadata().map(|found| found.dev()).ok();
    if device(shm).is_none() || device(shm) == device(bench.folder.path()) {
        return;
    }
    let Ok(other) = tempfile::tempdir_in(shm) else { return };
    let root = bench.trash("x").parent().unwrap().parent().unwrap().to_owned();
    fs::create_dir_all(root.parent().unwrap()).unwrap();
    let _ = fs::remove_dir(&root);
    std::os::unix::fs::symlink(other.path(), &root).unwrap();
    let before = state(&made.path);
    let (repository, to) = (bench.repository(), bench.trash("shop-1"));
    let refused = bench.workspace.move_to_trash(&repository, &made.path, &to).await.unwrap_err();
    assert!(matches!(refused, WorkspaceError::OtherDisk { .. }), "{refused}");
    assert!(refused.hint().is_some());
    assert_eq!(state(&made.path), before);
    fs::remove_file(&root).unwrap();
    assert_eq!(round_trip(&bench, &made).await, Vec::<String>::new());
}

/// Z4: a folder that came in the place of ours is not moved, not given back; ours, put back, is.
#[tokio::test]
async fn another_folder_in_the_place_of_ours_stays_z4() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let aside = bench.folder.path().join("aside");
    fs::rename(&made.path, &aside).unwrap();
    let copied = Command::new("cp").arg("-a").arg(&aside).arg(&made.path).status().unwrap();
    assert!(copied.success());
    let before = listing(&made.path);
    let (repository, to) = (bench.repository(), bench.trash("shop-1"));
    assert!(bench.workspace.must_stay(&made.path).is_some());
    let moved = bench.workspace.move_to_trash(&repository, &made.path, &to).await;
    assert!(matches!(moved, Err(WorkspaceError::NotOurs(_))));
    let given = bench.workspace.give_back(&repository, &made).await;
    assert!(matches!(given, Err(WorkspaceError::NotOurs(_))));
    assert_eq!(listing(&made.path), before);
    fs::remove_dir_all(&made.path).unwrap();
    fs::rename(&aside, &made.path).unwrap();
    assert!(bench.workspace.must_stay(&made.path).is_none());
    round_trip(&bench, &made).await;
    assert!(bench.give_back(&made).await.freed, "it is known after its way back too");
}

/// Z4: a worktree from before folders were noted is known by its link; a plain folder is not.
#[tokio::test]
async fn a_folder_without_a_note_must_be_a_worktree_z4() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let notes = made.path.parent().unwrap().with_file_name(".made");
    fs::remove_dir_all(notes).unwrap();
    round_trip(&bench, &made).await;
    let plain = made_at(&bench, "shop-2");
    write(&plain.join("work.txt"), "work");
    let (repository, to) = (bench.repository(), bench.trash("shop-2"));
    let moved = bench.workspace.move_to_trash(&repository, &plain, &to).await;
    assert!(matches!(moved, Err(WorkspaceError::NotOurs(_))));
    assert!(plain.join("work.txt").exists());
}

/// K3: each kind of work keeps a worktree, whole and with the reason; only a clean one goes.
#[tokio::test]
async fn only_a_worktree_without_work_is_given_back_k3() {
    type Work = fn(&Path);
    let works: [(&str, Work, &str); 6] = [
        (
            "staged",
            |at| {
                write(&at.join("n"), "x");
                git(at, ["add", "n"]);
            },
            "uncommitted",
        ),
        ("unstaged", |at| write(&at.join("a.txt"), "changed"), "uncommitted"),
        ("untracked", |at| write(&at.join("dir/n"), "x"), "uncommitted"),
        (
            "loose",
            |at| {
                git(at, ["checkout", "-q", "--detach"]);
                git(at, ["commit", "-q", "--allow-empty", "-m", "loose"]);
            },
            "on no branch",
        ),
        (
            "bisect",
            |at| {
                git(at, ["bisect", "start", "HEAD"]);
            },
            "bisect",
        ),
        (
            "locked",
            |at| {
                git(at, ["worktree", "lock", "--reason", "mine", "."]);
            },
            "locked: mine",
        ),
    ];
    let bench = Bench::new();
    for (name, work, reason) in works {
        let made = bench.make(name).await;
        work(&made.path);
        let before = state(&made.path);
        let freed = bench.give_back(&made).await;
        assert!(!freed.freed && !freed.only_ignored, "{name}");
        assert!(freed.reason.as_ref().unwrap().contains(reason), "{name}: {freed:?}");
        assert_eq!(state(&made.path), before, "{name}");
    }
    let ignored = bench.make("ignored").await;
    write(&ignored.path.join("target/out"), "x");
    let before = listing(&ignored.path);
    assert!(bench.give_back(&ignored).await.only_ignored);
    assert_eq!(listing(&ignored.path), before);
    let clean = bench.make("clean").await;
    assert!(bench.give_back(&clean).await.freed && !clean.path.exists());
}
