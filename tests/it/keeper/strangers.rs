//! A client that is another user.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt as _;

use callboard::runtime::client::{ClientError, Keeper};
use callboard::runtime::wire;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::support::{Bench, QUICK, within};

/// Name of the test below, and the variable that makes it the stranger.
const STRANGER: (&str, &str) = ("keeper::strangers::a_stranger", "CALLBOARD_TEST_STRANGER");

/// Wire protocol: the user at the other end must be ours, even where the file system lets it in.
#[tokio::test]
async fn a_client_of_another_user_is_turned_away() {
    if callboard::os::spawn::own_user() != 0 {
        eprintln!("SKIPPED: this user cannot become another one");
        return;
    }
    let bench = Bench::new();
    let (mut keeper, process, agent) = bench.run(&bench.script("exec cat")).await;
    for (path, mode) in
        [(bench.path(""), 0o755), (bench.path("run"), 0o755), (bench.socket(), 0o666)]
    {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    // where the other user can run it, and told only what it needs
    let program = bench.path("tests");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let ended = tokio::process::Command::from({
        let mut command = std::process::Command::new(&program);
        command.args(["--exact", STRANGER.0, "--nocapture"]).env_clear();
        command.env(STRANGER.1, bench.socket()).current_dir("/").uid(65_534).gid(65_534);
        command
    })
    .output();
    let ended = within(ended).await.unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && said.contains("was turned away"), "{ended:?}");
    assert!(bench.log().contains("it belongs to another user"), "{}", bench.log());
    keeper.status().await.unwrap();
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// Does nothing unless it is run as the stranger.
#[tokio::test]
async fn a_stranger() {
    let Some(socket) = std::env::var_os(STRANGER.1) else {
        return;
    };
    let mut stream = UnixStream::connect(&socket).await.unwrap();
    let mut hello = Vec::new();
    wire::put_control(&mut hello, &json!({"id": 1, "type": "hello", "protocol": 1}));
    // it may be gone already
    let _ = stream.write_all(&hello).await;
    assert_eq!(within(stream.read(&mut [0; 16])).await.unwrap_or(0), 0);
    let seen = Keeper::connect(std::path::Path::new(&socket)).await.unwrap_err();
    assert!(matches!(seen, ClientError::OtherUser { .. }), "{seen:?}");
    println!("was turned away");
}
