//! Hooks in the settings of a worktree (`spec/agents.md` H1).

use super::*;
use crate::domain::hook::{HOOK_MARK, HookEntries, HookFile};
use crate::domain::rail::ProjectSetup;

fn gemini() -> HookFile {
    let command = format!("callboard hook gemini AfterAgent {HOOK_MARK} 1");
    let entry = serde_json::json!({ "hooks": [{ "command": command }] }).to_string();
    let events = vec![("AfterAgent".to_owned(), entry)];
    let entries = HookEntries { events, base: "{}".to_owned() };
    HookFile { path: ".gemini/settings.json".into(), entries }
}

fn copilot() -> HookFile {
    let mut hooks = HookFile { path: ".github/hooks/callboard.json".into(), ..gemini() };
    "{\"version\":1}".clone_into(&mut hooks.entries.base);
    hooks
}

impl Bench {
    async fn hook(&self, worktree: &Worktree, hooks: &HookFile) -> Option<String> {
        self.workspace.install_hooks(&worktree.path, hooks).await.unwrap()
    }

    async fn unhook(&self, worktree: &Worktree) {
        self.workspace.remove_hooks(&worktree.path).await.unwrap();
    }

    async fn dirty(&self, worktree: &Worktree) -> Option<u32> {
        self.workspace.advice(&worktree.path).await.unwrap().dirty_files
    }
}

fn status(worktree: &Worktree) -> String {
    git(&worktree.path, ["status", "--porcelain", "--untracked-files=all"])
}

/// H1: what is made for hooks is not in the status, is no work, and goes with the worktree; taken out,
/// nothing is left of it.
#[tokio::test]
async fn hooks_are_no_work_of_anyones_h1() {
    let bench = Bench::new();
    for hooks in [gemini(), copilot()] {
        let made = bench.make("shop-1").await;
        let before = listing(&made.path);
        assert_eq!(bench.hook(&made, &hooks).await, None);
        assert!(made.path.join(&hooks.path).is_file());
        assert_eq!((status(&made).as_str(), bench.dirty(&made).await), ("", Some(0)));
        let kept = bench.workspace.reason_to_keep(&bench.repository(), &made.path).await.unwrap();
        assert_eq!(kept, None);
        // Twice is once.
        let first = listing(&made.path);
        assert_eq!(bench.hook(&made, &hooks).await, None);
        assert_eq!(listing(&made.path), first);

        bench.unhook(&made).await;
        assert_eq!(listing(&made.path), before);
        bench.unhook(&made).await;

        bench.hook(&made, &hooks).await;
        let freed = bench.give_back(&made).await;
        assert!(freed.freed, "{freed:?}");
        assert_eq!(status(&Worktree { path: bench.repository(), ..made }), "");
    }
}

/// H1: what is there without a note of it, as after a crash of the machine, is known as ours by its marks.
#[tokio::test]
async fn hooks_are_known_without_their_note_h1() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let before = listing(&made.path);
    bench.hook(&made, &gemini()).await;
    let folder = git(&made.path, ["rev-parse", "--absolute-git-dir"]);
    fs::remove_file(Path::new(&folder).join("callboard-hooks.json")).unwrap();
    assert_eq!(bench.hook(&made, &gemini()).await, None);
    bench.unhook(&made).await;
    assert_eq!(listing(&made.path), before);
}

/// H1: a file that git tracks is not written; that is said once.
#[tokio::test]
async fn tracked_settings_are_not_written_h1() {
    let bench = Bench::new();
    write(&bench.repository().join(".gemini/settings.json"), "{ \"theme\": \"dark\" }\n");
    commit(&bench.repository(), "settings");
    let made = bench.make("shop-1").await;
    let before = listing(&made.path);
    let said = bench.hook(&made, &gemini()).await;
    assert_eq!(said.as_deref(), Some("git tracks .gemini/settings.json"));
    assert_eq!(bench.hook(&made, &gemini()).await, None, "said once");
    assert_eq!(listing(&made.path), before);
    // Also where it was removed from the folder only.
    fs::remove_file(made.path.join(".gemini/settings.json")).unwrap();
    bench.hook(&made, &gemini()).await;
    assert!(!made.path.join(".gemini").join("settings.json").exists());
}

/// H1: what leads out of the worktree, cannot be kept or cannot be excluded is left alone.
#[tokio::test]
async fn what_is_not_ours_to_write_is_left_alone_h1() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let elsewhere = bench.folder.path().join("elsewhere");
    write(&elsewhere.join("settings.json"), "{}");
    let linked = made.path.join(".gemini");
    std::os::unix::fs::symlink(&elsewhere, &linked).unwrap();
    assert!(bench.hook(&made, &gemini()).await.is_some());
    fs::remove_file(&linked).unwrap();
    fs::create_dir(&linked).unwrap();
    let file = linked.join("settings.json");
    std::os::unix::fs::symlink(elsewhere.join("settings.json"), &file).unwrap();
    assert!(bench.hook(&made, &gemini()).await.is_some());
    assert_eq!(fs::read_to_string(elsewhere.join("settings.json")).unwrap(), "{}");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1);
    fs::remove_file(&file).unwrap();

    write(&file, "no json");
    assert!(bench.hook(&made, &gemini()).await.unwrap().contains(".gemini/settings.json"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "no json");
    fs::remove_file(&file).unwrap();

    write(&linked.join(".gitignore"), "tmp\n");
    let said = bench.hook(&made, &gemini()).await.unwrap();
    assert_eq!(said, ".gemini/.gitignore does not exclude .gemini/settings.json");
    assert!(!file.exists());
}

/// H1: settings that are there are merged with and stay as visible as they were.
#[tokio::test]
async fn settings_that_are_there_come_back_as_they_were_h1() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let file = made.path.join(".gemini/settings.json");
    let own = "// mine\n{ \"theme\": \"dark\" }\n";
    write(&file, own);
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    assert_eq!(bench.hook(&made, &gemini()).await, None);
    assert!(fs::read_to_string(&file).unwrap().contains(HOOK_MARK));
    assert_eq!(status(&made), "?? .gemini/settings.json");
    assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
    let freed = bench.give_back(&made).await;
    assert!(!freed.freed && freed.reason.unwrap().contains("settings.json"));
    assert_eq!(fs::read_to_string(&file).unwrap(), own, "kept without our hooks");
    assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
}

/// H1, K3: settings that prepare copied are no work with hooks in them, and none without.
#[tokio::test]
async fn copied_settings_stay_copies_h1() {
    let bench = Bench::new();
    let repository = bench.repository();
    write(&repository.join(".gitignore"), "/.gemini\n");
    commit(&repository, "ignore");
    write(&repository.join(".gemini/settings.json"), "{ \"theme\": \"dark\" }\n");
    let made = bench.make("shop-1").await;
    let setup = ProjectSetup { copy: vec![".gemini/**".to_owned()], ..ProjectSetup::default() };
    bench.workspace.prepare(&repository, &made.path, &setup).await.unwrap();
    assert_eq!(bench.hook(&made, &gemini()).await, None);
    assert!(!made.path.join(".gemini/.gitignore").exists(), "excluded already");
    let kept = bench.workspace.reason_to_keep(&repository, &made.path).await.unwrap();
    assert_eq!(kept, None);
    assert!(bench.give_back(&made).await.freed);
    let own = fs::read_to_string(repository.join(".gemini/settings.json")).unwrap();
    assert_eq!(own, "{ \"theme\": \"dark\" }\n");
}

/// H1: what the agent itself wrote into the file is kept, and seen, once the hooks are out of it.
#[tokio::test]
async fn what_the_agent_adds_to_its_settings_is_kept_h1() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    let file = made.path.join(".gemini/settings.json");
    bench.hook(&made, &gemini()).await;
    let added = fs::read_to_string(&file).unwrap().replacen('{', "{\"theme\":\"dark\",", 1);
    fs::write(&file, added).unwrap();
    let kept = bench.workspace.reason_to_keep(&bench.repository(), &made.path).await.unwrap();
    assert!(kept.is_some());
    let freed = bench.give_back(&made).await;
    assert!(!freed.freed, "{freed:?}");
    assert_eq!(status(&made), "?? .gemini/settings.json");
    assert!(!fs::read_to_string(&file).unwrap().contains(HOOK_MARK));
}

/// H1: through the trash and back hooks stay; another agent's file takes the place of the first.
#[tokio::test]
async fn hooks_outlast_the_trash_and_follow_the_definition_h1() {
    let bench = Bench::new();
    let made = bench.make("shop-1").await;
    bench.hook(&made, &gemini()).await;
    let before = listing(&made.path);
    let (repository, trash) = (bench.repository(), bench.trash("shop-1"));
    bench.workspace.move_to_trash(&repository, &made.path, &trash).await.unwrap();
    let branch = Some(made.branch.as_str());
    bench.workspace.move_back(&way(&repository, &trash, &made.path, branch)).await.unwrap();
    assert_eq!(listing(&made.path), before);
    bench.hook(&made, &copilot()).await;
    assert!(!made.path.join(".gemini").exists());
    assert!(bench.give_back(&made).await.freed);
}
