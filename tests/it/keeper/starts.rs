use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use callboard::os::proctree::Process;
use callboard::os::signals::{self, Signal};
use callboard::runtime::client::{self, ClientError, Keeper};
use callboard::runtime::launch::{LaunchSpec, StartErrorKind};

use super::support::{BINARY, Bench, QUICK, gone, shows, until, within};

async fn refusal(spec: &LaunchSpec) -> StartErrorKind {
    match within(client::start(spec, Path::new(BINARY))).await {
        Err(ClientError::Start(error)) => error.kind,
        other => panic!("{other:?}"),
    }
}

/// X2: what keeps an agent from being started is told apart, and nothing is left.
#[tokio::test]
async fn obstacles_are_told_apart_and_leave_nothing() {
    let bench = Bench::new();
    std::fs::write(bench.path("plain"), "no program").unwrap();
    let script = bench.path("script");
    std::fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(refusal(&bench.spec(&["./script"])).await, StartErrorKind::BadInterpreter);
    let spec = LaunchSpec { cwd: bench.path("plain"), ..bench.script("true") };
    assert_eq!(refusal(&spec).await, StartErrorKind::CwdUnfit);
    let spec = bench.spec(&["no-such-program"]);
    assert_eq!(refusal(&spec).await, StartErrorKind::ProgramMissing);
    assert_eq!(refusal(&bench.spec(&["./plain"])).await, StartErrorKind::NotExecutable);
    let spec = LaunchSpec { cwd: bench.path("gone"), ..bench.script("true") };
    assert_eq!(refusal(&spec).await, StartErrorKind::CwdMissing);
    let spec = LaunchSpec {
        database: "/".into(),
        socket: "/proc/no/x.sock".into(),
        ..bench.script("true")
    };
    assert_eq!(refusal(&spec).await, StartErrorKind::System);
    bench.left_nothing(&[]).await;
}

/// X2: a session has one keeper.
#[tokio::test]
async fn a_second_keeper_of_the_same_launch_refuses() {
    let bench = Bench::new();
    let spec = bench.script("exec cat");
    let (mut keeper, process, agent) = bench.run(&spec).await;
    assert_eq!(refusal(&spec).await, StartErrorKind::AlreadyRunning);
    let later = LaunchSpec { generation: 2, ..spec.clone() };
    assert_eq!(refusal(&later).await, StartErrorKind::AlreadyRunning);
    assert!(agent.is_alive());
    within(keeper.stop(Some(1), QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// X4: one that only lingers is no obstacle to the next launch.
#[tokio::test]
async fn a_lingering_keeper_makes_way_for_the_next_launch() {
    let bench = Bench::new();
    let (mut first, process, agent) = bench.run(&bench.script("exit 3")).await;
    until(async || first.status().await.unwrap().facts.exit.is_some()).await;
    let next = LaunchSpec { generation: 2, ..bench.script("exec cat") };
    let (mut second, process2, agent2) = bench.run(&next).await;
    gone(process).await;
    assert_eq!(second.generation(), 2);
    within(second.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent, process2, agent2]).await;
}

/// X4: the socket of a keeper that was killed is replaced at the next start.
#[tokio::test]
async fn a_stale_socket_is_replaced() {
    let bench = Bench::new();
    let spec = bench.script("exec cat");
    let (_, process, agent) = bench.run(&spec).await;
    signals::send(process, Signal::KILL).unwrap();
    gone(process).await;
    gone(agent).await;
    assert!(bench.socket().exists());
    let failed = Keeper::connect(&bench.socket()).await.unwrap_err();
    assert!(matches!(failed, ClientError::Gone { .. }), "{failed:?}");
    let (mut keeper, process, agent) = bench.run(&spec).await;
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// X2: until publish a launch ends with its creator.
#[tokio::test]
async fn the_end_of_the_creator_before_publish_ends_the_tree() {
    let bench = Bench::new();
    let script = "setsid sh -c 'echo $$ > below; exec tail -f /dev/null' & exec cat";
    let launching = bench.start(&bench.script(script)).await;
    let keeper = Process::of(launching.ready().keeper_pid).unwrap();
    let agent = Process::of(launching.ready().pid).unwrap();
    let below = bench.pid_in("below").await;
    drop(launching);
    bench.left_nothing(&[keeper, agent, below]).await;
}

/// X1: after publish it does not.
#[tokio::test]
async fn a_published_keeper_survives_the_kill_of_its_creator() {
    let bench = Bench::new();
    let spec = bench.script("echo here; exec cat");
    let json = serde_json::to_string(&spec).unwrap();
    // the creator is a program of its own: it starts the keeper, publishes, and waits to be killed
    let creator = "mkfifo in out && { \"$0\" keeper <in >out & } && exec 3>in 4<out \
        && printf '%s\\n' \"$1\" >&3 && read -r ready <&4 && echo publish >&3 \
        && read -r published <&4 && echo $$ > creator && exec tail -f /dev/null";
    let mut child = std::process::Command::new("/bin/sh")
        .args(["-c", creator, BINARY, &json])
        .current_dir(bench.path(""))
        .spawn()
        .unwrap();
    let creator = bench.pid_in("creator").await;
    let mut keeper = within(Keeper::connect(&bench.socket())).await.unwrap();
    let facts = keeper.status().await.unwrap().facts;
    signals::send(creator, Signal::KILL).unwrap();
    child.wait().unwrap();
    let process = Process::of(facts.keeper_pid).unwrap();
    let agent = Process::of(facts.pid).unwrap();
    shows(&mut keeper, "here").await;
    assert!(process.is_alive() && agent.is_alive());
    assert!(keeper.status().await.unwrap().published);
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}

/// X3: a keeper's own environment is empty, so that no walk takes it for a part of a launch.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_agent_sees_its_environment_and_the_keeper_nothing_of_it() {
    let bench = Bench::new();
    let script = "echo \"$TERM $CALLBOARD_SESSION_ID $CALLBOARD_GENERATION\"; exec cat";
    let (mut keeper, process, agent) = bench.run(&bench.script(script)).await;
    shows(&mut keeper, "xterm-256color shop-1 1").await;
    let environ = std::fs::read(format!("/proc/{}/environ", process.pid)).unwrap();
    assert_eq!(String::from_utf8_lossy(&environ), "MALLOC_ARENA_MAX=1\0");
    within(keeper.stop(None, QUICK)).await.unwrap();
    bench.left_nothing(&[process, agent]).await;
}
