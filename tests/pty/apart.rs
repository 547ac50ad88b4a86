//! What a running dashboard hands to the keepers that it starts (`spec/runtime.md` X6, Environment of an
//! agent).

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::Path;

use crate::driver::Terminal;
use crate::support::{Repository, TestHome, until};

/// Device and inode of the program that a process runs.
fn program(pid: u64) -> (u64, u64) {
    let found = std::fs::metadata(format!("/proc/{pid}/exe")).unwrap();
    (found.dev(), found.ino())
}

fn keeper(home: &TestHome, id: &str) -> u64 {
    home.show(id)["runtime"]["keeper_pid"].as_u64().unwrap()
}

fn install(program: &Path) {
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    // not a link to it: cargo may write to the same file
    std::fs::copy(env!("CARGO_BIN_EXE_callboard"), program).unwrap();
}

/// X1, X6: while the dashboard runs its program is replaced. What it starts from then on is its own version,
/// and a keeper that ran before goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_replaced_program_mixes_no_versions_x6() {
    let home = TestHome::new();
    let folder = home.path().join("config/agents");
    std::fs::create_dir_all(&folder).unwrap();
    let plain = "engine = 1\ntitle = \"Plain\"\nprogram = \"/bin/sh\"\n[launch]\nargs = [\"-c\", \"echo hello; exec cat\"]\n";
    std::fs::write(folder.join("plain.toml"), plain).unwrap();
    let repository = Repository::new(&home.folder("shop"));
    let own = home.path().join("bin/callboard");
    install(&own);
    let mut console = Terminal::start_program(&own, home.path(), repository.path(), &[]);
    console.see("No project yet");
    console.press("A");
    console.see_row(&["1 shop", "0"]);
    let start = |id: &str| {
        console.press("n");
        console.see("New session");
        console.see_row(&["agent", "plain"]);
        console.press("C-s");
        console.see_row(&[id]);
        until("the session to run", || home.show(id)["runtime"]["keeper_pid"].as_u64())
    };
    let before = start("shop-1");
    assert_eq!(program(before), program(u64::from(console.pid())));
    // replaced as a package manager does it: by another file with the same name
    let other = home.path().join("bin/new");
    std::fs::write(&other, "#!/bin/sh\nexit 9\n").unwrap();
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::rename(&other, &own).unwrap();
    let after = start("shop-2");
    assert_eq!(program(after), program(u64::from(console.pid())));
    assert_eq!(keeper(&home, "shop-1"), before);
    for id in ["shop-1", "shop-2"] {
        home.wait_screen(id, "hello");
    }
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}

/// Environment of an agent: a dashboard brings the key agent of its own login to the agents that run.
#[test]
fn a_dashboard_brings_its_key_agent() {
    let home = TestHome::new();
    let socket = |name: &str| {
        let path = home.path().join(name);
        (UnixListener::bind(&path).unwrap(), path)
    };
    let (_first, first) = socket("first");
    let (_second, second) = socket("second");
    let mut spawn = home.command(["spawn", "--chat", "--quiet", "--agent", "command", "--", "cat"]);
    assert!(spawn.env("SSH_AUTH_SOCK", &first).status().unwrap().success());
    let link = home.path().join("run/ssh-agent");
    assert_eq!(std::fs::read_link(&link).unwrap(), first);
    let variables = [("SSH_AUTH_SOCK", second.to_str().unwrap())];
    let program = Path::new(env!("CARGO_BIN_EXE_callboard"));
    let mut console = Terminal::start_program(program, home.path(), home.path(), &variables);
    console.see_row(&["chat-1"]);
    assert_eq!(std::fs::read_link(&link).unwrap(), second);
    console.press("q");
    assert!(console.exit().success());
    home.finish();
}
