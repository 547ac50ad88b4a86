//! Launch plans (`spec/agents.md` G4, `spec/lifecycle.md` B1 to B3).

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::install::Called;
use super::*;
use crate::domain::hook::HookPlan;
use crate::domain::launch::{ForkOf, LaunchPlan, LaunchedHow};

struct Bench {
    folder: tempfile::TempDir,
    registry: Registry,
}

const PROGRAMS: [&str; 25] = [
    "claude",
    "codex",
    "tool",
    "zsh",
    "callboard",
    "opencode",
    "gemini",
    "qwen",
    "copilot",
    "pi",
    "kimi",
    "aider",
    "cursor-agent",
    "amp",
    "droid",
    "auggie",
    "goose",
    "cline",
    "kiro-cli",
    "kilocode",
    "vibe",
    "grok",
    "devin",
    "crush",
    "other",
];

/// Agents that are not told a model.
const UNMODELLED: [&str; 5] = ["droid", "crush", "kilo", "vibe", "kiro"];

fn bench(config: &str) -> Bench {
    bench_in(tempfile::tempdir().unwrap(), config)
}

fn bench_in(folder: tempfile::TempDir, config: &str) -> Bench {
    for program in PROGRAMS {
        let path = folder.path().join(program);
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let config = crate::config::parse(Path::new("config.toml"), config).unwrap();
    let home = Home::at(folder.path()).unwrap();
    let (registry, mistakes) = Registry::load(&home, &config);
    assert_eq!(mistakes, []);
    let registry = registry.with_lookup(Lookup {
        path: Some(folder.path().into()),
        shell: Some(folder.path().join("zsh")),
        own: Some(folder.path().join("callboard")),
        home: Some(folder.path().to_owned()),
        env: BTreeMap::new(),
    });
    Bench { folder, registry }
}

fn facts(agent: &str) -> LaunchFacts {
    LaunchFacts { agent: agent.to_owned(), target: agent.to_owned(), ..LaunchFacts::default() }
}

impl Bench {
    fn plan(&self, launch: &LaunchFacts, prompt: Option<&str>, resume: bool) -> LaunchPlan {
        self.registry.plan_launch(launch, prompt, resume).unwrap()
    }

    fn hooks(&self, agent: &str) -> Vec<String> {
        let program = self.folder.path().join("callboard");
        let install = &self.registry.find(agent).unwrap().hooks.install;
        Called { install, agent, program: &program, folders: self.folder.path() }.args()
    }

    /// The words of a launch but those that install hooks.
    fn without_hooks(&self, launch: &LaunchFacts, plan: &LaunchPlan) -> Vec<String> {
        let (mut argv, hooks) = (plan.argv.clone(), self.hooks(&launch.agent));
        if !hooks.is_empty() {
            let at = argv.windows(hooks.len()).position(|words| words == hooks).unwrap();
            argv.drain(at..at + hooks.len());
        }
        argv
    }

    /// The words of a launch; program by its name, a set id as `ID`.
    fn words(&self, launch: &LaunchFacts, prompt: Option<&str>, resume: bool) -> Vec<String> {
        let plan = self.plan(launch, prompt, resume);
        let folder = format!("{}/", self.folder.path().display());
        let id = plan.agent_session_id.clone().unwrap_or_else(|| "none".to_owned());
        let known = launch.agent_session_id.as_deref() == Some(&id);
        let short = |word: &String| word.replace(&folder, "");
        self.without_hooks(launch, &plan)
            .iter()
            .map(short)
            .map(|word| if known { word } else { word.replace(&id, "ID") })
            .collect()
    }
}

#[test]
fn claude_is_given_id_choices_and_prompt() {
    let bench = bench("");
    let launch = LaunchFacts {
        model: Some("opus".to_owned()),
        permission_mode: Some("plan".to_owned()),
        args: vec!["--add-dir".to_owned(), "../x y".to_owned()],
        ..facts("claude")
    };
    assert_eq!(
        bench.words(&launch, Some("Say \"hi\"\nto 'them' $HOME"), false),
        [
            "claude",
            "--add-dir",
            "../x y",
            "--session-id",
            "ID",
            "--model",
            "opus",
            "--permission-mode",
            "plan",
            "Say \"hi\"\nto 'them' $HOME"
        ]
    );
    let plan = bench.plan(&launch, Some("x"), false);
    assert!(plan.prompt_in_argv && plan.env_drop.contains(&"CLAUDECODE".to_owned()));
    assert_eq!(plan.how, LaunchedHow::PromptAgain);
    let other = bench.plan(&launch, Some("x"), false);
    assert_ne!(plan.agent_session_id, other.agent_session_id, "a used id is refused by the agent");
}

/// H1: hooks go along as arguments at every start, before the prompt that may end the options.
#[test]
fn hooks_by_arguments_go_along_at_every_start_h1() {
    let bench = bench("");
    for agent in ["claude", "codex"] {
        let known = LaunchFacts { agent_session_id: Some("abc".to_owned()), ..facts(agent) };
        for (launch, resume) in [(facts(agent), false), (known, true)] {
            let plan = bench.plan(&launch, Some("-x"), resume);
            let hooks = bench.hooks(agent);
            let end = plan.argv.len() - 2;
            assert_eq!(plan.argv[end - hooks.len()..end], hooks, "{agent}");
            assert_eq!(plan.argv[end..], ["--", "-x"]);
            assert_eq!(plan.hooks, HookPlan::Nothing);
        }
    }
    let own = LaunchFacts { args: vec!["--settings=x.json".to_owned()], ..facts("claude") };
    let plan = bench.plan(&own, None, false);
    assert!(matches!(plan.hooks, HookPlan::Off(_)), "{:?}", plan.hooks);
    assert!(!plan.argv.contains(&"--settings".to_owned()));
    assert!(matches!(bench.plan(&facts("gemini"), None, false).hooks, HookPlan::File(_)));
}

/// H1: a plugin is named in the environment, unless the target has the variable.
#[test]
fn hooks_by_a_plugin_go_along_in_the_environment_h1() {
    let name = "OPENCODE_TUI_CONFIG";
    let value = |plan: &LaunchPlan| {
        let found: Vec<_> = plan.env.iter().filter(|(found, _)| found == name).cloned().collect();
        found.into_iter().map(|(_, value)| value).collect::<Vec<_>>()
    };
    let plan = bench("").plan(&facts("opencode"), None, false);
    assert!(
        matches!(&plan.hooks, HookPlan::Own(it) if it[1].path.ends_with("hooks/opencode/tui.json"))
    );
    assert_eq!(value(&plan).len(), 1);
    let own = "[targets.opencode]\nagent = \"opencode\"\nenv = { OPENCODE_TUI_CONFIG = \"{}\" }\n";
    let plan = bench(own).plan(&facts("opencode"), None, false);
    assert!(matches!(plan.hooks, HookPlan::Off(_)), "{:?}", plan.hooks);
    assert_eq!(value(&plan), ["{}"]);
    // What the operator's own definition sets is theirs too.
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("config/agents");
    std::fs::create_dir_all(&files).unwrap();
    let own = "engine = 1\n[env]\nset = { OPENCODE_TUI_CONFIG = \"{}\" }\n";
    std::fs::write(files.join("opencode.toml"), own).unwrap();
    let plan = bench_in(folder, "").plan(&facts("opencode"), None, false);
    assert!(matches!(plan.hooks, HookPlan::Off(_)), "{:?}", plan.hooks);
    assert_eq!(value(&plan), ["{}"]);
}

#[test]
fn a_conversation_is_resumed_where_there_is_one_b2() {
    let bench = bench("");
    let known = |agent| LaunchFacts { agent_session_id: Some("abc".to_owned()), ..facts(agent) };
    assert_eq!(bench.words(&known("claude"), None, true), ["claude", "--resume", "abc"]);
    assert_eq!(
        bench.words(&known("codex"), Some("go on"), true),
        ["codex", "resume", "abc", "-c", "features.daemon_auto_start=false", "go on"]
    );
    let plan = bench.plan(&known("codex"), None, true);
    assert_eq!((plan.how, plan.agent_session_id.as_deref()), (LaunchedHow::Resumed, Some("abc")));
    let plan = bench.plan(&facts("codex"), Some("again"), true);
    assert_eq!((plan.how, plan.agent_session_id), (LaunchedHow::PromptAgain, None));
    assert_eq!(bench.plan(&known("shell"), None, true).how, LaunchedHow::Fresh);
    assert!(bench.registry.can_resume("claude") && !bench.registry.can_resume("shell"));
}

#[test]
fn prompts_that_no_argument_can_hold_are_typed_or_refused_g4() {
    let bench = bench("");
    let words = bench.words(&facts("codex"), Some("-rf"), false);
    assert_eq!(words[3..], ["--", "-rf"]);
    let long = "x".repeat(200_000);
    assert!(!bench.plan(&facts("claude"), Some(&long), false).prompt_in_argv);
    assert!(!bench.plan(&facts("shell"), Some("ls"), false).prompt_in_argv);
    let refused = |prompt: &str| {
        bench.registry.plan_launch(&facts("claude"), Some(prompt), false).unwrap_err()
    };
    assert_eq!(refused("a\0b"), AgentError::Nul("prompt"));
    assert!(matches!(refused(&"x".repeat((1 << 20) + 1)), AgentError::PromptTooLong { .. }));
}

#[test]
fn shell_command_and_scripted_find_their_programs() {
    let bench = bench("");
    assert_eq!(bench.words(&facts("shell"), None, false), ["zsh", "-l"]);
    assert!(bench.registry.rules("shell").shell);
    let command = |args: &[&str]| LaunchFacts {
        args: args.iter().map(ToString::to_string).collect(),
        ..facts("command")
    };
    assert_eq!(bench.words(&command(&["tool", "-x", "a b"]), None, false), ["tool", "-x", "a b"]);
    assert_eq!(bench.words(&command(&["./run.sh"]), None, false), ["./run.sh"]);
    let refused = |args: &[&str]| bench.registry.check_agent(&command(args)).unwrap_err();
    assert!(matches!(refused(&["missing-tool"]), AgentError::ProgramMissing { .. }));
    for there in ["/etc/passwd", "/etc", "/"] {
        let error = refused(&[there]);
        assert!(matches!(error, AgentError::NotExecutable { .. }), "runtime.md X2: {error}");
    }
    assert!(matches!(refused(&["/nowhere/tool"]), AgentError::ProgramMissing { .. }));
    assert_eq!(refused(&[]), AgentError::NoProgram("command".to_owned()));
    assert!(matches!(refused(&["tool", "a\0"]), AgentError::Nul(_)));
    let scripted = LaunchFacts { args: vec!["/s/a.script".to_owned()], ..facts("scripted") };
    assert_eq!(
        bench.words(&scripted, Some("-go"), false),
        ["callboard", "scripted", "/s/a.script", "--session-id", "ID", "--prompt=-go"]
    );
    assert!(!bench.registry.names().contains(&"scripted"), "hidden");
}

#[test]
fn unknown_agents_and_choices_are_refused_c1() {
    let bench = bench("");
    let error = bench.registry.check_agent(&facts("claud")).unwrap_err();
    assert!(error.hint().unwrap().contains("claude, cline, codex"));
    let launch = LaunchFacts { model: Some("x".to_owned()), ..facts("shell") };
    let error = bench.registry.check_agent(&launch).unwrap_err();
    assert_eq!(error, AgentError::NotOffered { agent: "Shell".to_owned(), what: "model" });
}

#[test]
fn a_target_adds_its_choices() {
    let bench = bench(
        "[targets.careful]\nagent = \"claude\"\nmodel = \"haiku\"\npermission_mode = \"plan\"\nargs = [\"-v\"]\nenv = { A = \"1\" }\n",
    );
    let launch = LaunchFacts {
        target: "careful".to_owned(),
        model: Some("opus".to_owned()),
        ..facts("claude")
    };
    assert_eq!(
        bench.words(&launch, None, false),
        ["claude", "-v", "--session-id", "ID", "--model", "opus", "--permission-mode", "plan"]
    );
    assert_eq!(bench.plan(&launch, None, false).env, [("A".to_owned(), "1".to_owned())]);
    let registry = &bench.registry;
    assert_eq!(registry.agent_of("careful"), Some("claude"));
    assert_eq!((registry.agent_of("codex"), registry.agent_of("x")), (Some("codex"), None));
    assert_eq!(registry.targets(), ["careful"]);
    assert!(registry.version_command("claude").unwrap().0.ends_with("claude"));
}

/// G2: a fork names the conversation that it goes on with, under an id of its own where the agent takes one.
#[test]
fn a_fork_goes_on_with_the_other_conversation() {
    let bench = bench("");
    let folder = bench.folder.path().canonicalize().unwrap();
    let of = ForkOf { conversation: "c-1".to_owned(), folder: folder.clone() };
    let plan = |agent: &str| bench.registry.plan_fork(&facts(agent), Some("Go on"), &of);
    let codex = plan("codex").unwrap();
    let at = codex.argv.iter().position(|word| word == "fork").unwrap();
    assert_eq!((at, codex.argv[at + 1].as_str(), codex.agent_session_id), (1, "c-1", None));
    assert_eq!(codex.argv.last().map(String::as_str), Some("Go on"));

    // Claude looks for a conversation by its folder: the file comes along.
    assert!(matches!(plan("claude"), Err(AgentError::NotStored { .. })));
    let dashed = |path: &std::path::Path| {
        path.to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-")
    };
    let projects = folder.join(".claude/projects");
    let file = projects.join(dashed(&folder)).join("c-1.jsonl");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "said").unwrap();
    let claude = plan("claude").unwrap();
    let own = claude.agent_session_id.clone().unwrap();
    let words = ["--resume", "c-1", "--fork-session", "--session-id", own.as_str()];
    assert_eq!(claude.argv[1..6], words);
    let other = folder.join("other.tree");
    std::fs::create_dir(&other).unwrap();
    crate::agents::bring(claude.carry.as_ref().unwrap(), &other).unwrap();
    let brought = projects.join(dashed(&other)).join("c-1.jsonl");
    assert_eq!(std::fs::read_to_string(brought).unwrap(), "said");
    assert!(matches!(plan("shell"), Err(AgentError::NotOffered { .. })));
}

/// G2, G3, G4: how each shipped agent begins, resumes and forks a conversation, with model, permission
/// mode and a prompt; what is typed has no place here.
#[test]
fn each_shipped_agent_is_launched_in_its_own_way_g2() {
    let bench = bench("");
    let line = |agent: &str, mode: &str, resume: bool, prompt: &str| {
        let known = LaunchFacts {
            model: Some("m".to_owned()).filter(|_| !UNMODELLED.contains(&agent)),
            permission_mode: Some(mode.to_owned()).filter(|mode| !mode.is_empty()),
            agent_session_id: Some("s-1".to_owned()).filter(|_| resume),
            ..facts(agent)
        };
        bench.words(&known, Some(prompt), resume).join(" ")
    };
    for (agent, mode, begun, resumed) in [
        (
            "gemini",
            "yolo",
            "gemini --session-id ID -m m --approval-mode yolo -i -x",
            "gemini --resume s-1 -m m --approval-mode yolo -i -x",
        ),
        (
            "qwen",
            "plan",
            "qwen --session-id ID -m m --approval-mode plan -i -x",
            "qwen --resume s-1 -m m --approval-mode plan -i -x",
        ),
        (
            "opencode",
            "auto",
            "opencode -m m --auto --prompt -x",
            "opencode --session s-1 -m m --auto --prompt -x",
        ),
        (
            "copilot",
            "bypass",
            "copilot --session-id ID --model m --allow-all -i -x",
            "copilot --resume=s-1 --model m --allow-all -i -x",
        ),
        ("pi", "", "pi --model m -x", "pi --session s-1 --model m -x"),
        ("kimi", "yolo", "kimi --model m -y", "kimi --session s-1"),
        (
            "aider",
            "auto",
            "aider --no-check-update --no-show-release-notes --model m --yes-always",
            "",
        ),
        (
            "cursor",
            "yolo",
            "cursor-agent --model m --yolo -- -x",
            "cursor-agent --resume s-1 --model m --yolo -- -x",
        ),
        (
            "goose",
            "",
            "goose run -t  --interactive --model m",
            "goose run -t  --interactive --resume --session-id s-1 --model m",
        ),
        (
            "kiro",
            "auto",
            "kiro-cli chat --trust-all-tools -- -x",
            "kiro-cli chat --resume-id s-1 --trust-all-tools -- -x",
        ),
        ("amp", "", "amp --mode m", "amp --resume s-1 --mode m"),
        ("auggie", "", "auggie --model m -- -x", "auggie --resume s-1 --model m -- -x"),
        (
            "cline",
            "auto",
            "cline --model m --auto-approve true",
            "cline --id s-1 --model m --auto-approve true",
        ),
        ("crush", "yolo", "crush --yolo", "crush --session s-1 --yolo"),
        ("kilo", "", "kilocode --prompt -x", "kilocode --session s-1 --prompt -x"),
        (
            "vibe",
            "accept-edits",
            "vibe --agent accept-edits -- -x",
            "vibe --resume s-1 --agent accept-edits -- -x",
        ),
        (
            "droid",
            "bypass",
            "droid --skip-permissions-unsafe -x",
            "droid -r s-1 --skip-permissions-unsafe -x",
        ),
        (
            "grok",
            "plan",
            "grok --no-auto-update --model m --permission-mode plan",
            "grok --no-auto-update -r s-1 --model m --permission-mode plan",
        ),
        (
            "devin",
            "auto",
            "devin --model m --permission-mode auto -- -x",
            "devin -r s-1 --model m --permission-mode auto -- -x",
        ),
    ] {
        for (resume, expected) in [(false, begun), (true, resumed)] {
            if !expected.is_empty() {
                let expected = expected.replace("-x", "x y");
                assert_eq!(line(agent, mode, resume, "x y"), expected, "{agent} {resume}");
            }
        }
    }
    let dashed = |agent: &str| bench.words(&facts(agent), Some("-x"), false).join(" ");
    assert_eq!(dashed("gemini"), "gemini --session-id ID --prompt-interactive=-x");
    assert_eq!(dashed("opencode"), "opencode --prompt=-x");
    assert_eq!(dashed("pi"), "pi", "typed: it takes no such argument");
    assert_eq!(dashed("devin"), "devin -- -x");
    let mode = LaunchFacts { permission_mode: Some("nonsense".to_owned()), ..facts("copilot") };
    let error = bench.registry.plan_launch(&mode, None, false).unwrap_err();
    assert!(matches!(error, AgentError::NoSuchMode { .. }), "{error}");
    assert_eq!(error.hint().unwrap(), "known are accept-edits, auto, bypass");
}

/// G3: what was tried on the real program says with which version; the others say that they were not.
#[test]
fn what_was_tried_is_told_from_what_was_not_g3() {
    let bench = bench("");
    let verified = |agent: &str| !bench.registry.find(agent).unwrap().verified.is_empty();
    for agent in ["claude", "codex", "opencode", "gemini", "qwen", "copilot", "pi", "kimi", "aider"]
    {
        assert!(verified(agent), "{agent}");
        let definition = bench.registry.find(agent).unwrap();
        assert!(!definition.rules.rule.is_empty() && !definition.interrupt.is_empty(), "{agent}");
    }
    for agent in [
        "cursor", "amp", "droid", "auggie", "goose", "cline", "kiro", "kilo", "vibe", "grok",
        "devin", "crush",
    ] {
        assert!(!verified(agent), "{agent}");
    }
}

/// U2: however codex begins, its shared daemon stays off.
#[test]
fn codex_never_starts_its_daemon_u2() {
    let bench = bench("");
    let known = LaunchFacts { agent_session_id: Some("c-1".to_owned()), ..facts("codex") };
    let of = ForkOf { conversation: "c-1".to_owned(), folder: bench.folder.path().to_owned() };
    for plan in [
        bench.plan(&facts("codex"), Some("go"), false),
        bench.plan(&known, None, true),
        bench.registry.plan_fork(&facts("codex"), None, &of).unwrap(),
    ] {
        let off = ["-c", "features.daemon_auto_start=false"];
        assert!(plan.argv.windows(2).any(|words| words == off), "{:?}", plan.argv);
    }
}

/// U1: the runner's program is looked for here, the agent's is not; a target that is gone or another's now, and a
/// fork of what is held elsewhere, are refused.
#[test]
fn an_agent_elsewhere_needs_its_runner_only_u1() {
    let far = "[targets.far]\nagent = \"claude\"\nrunner = { docker-run = { image = \"x\" } }\n";
    let launch = LaunchFacts { target: "far".to_owned(), ..facts("claude") };
    let refused = bench(far).registry.plan_launch(&launch, None, false).unwrap_err();
    assert!(
        matches!(&refused, AgentError::RunnerMissing { target, program } if target == "far" && program == "docker")
    );
    assert!(refused.hint().unwrap().contains("docker"));

    let there = bench(far);
    let docker = there.folder.path().join("docker");
    std::fs::write(&docker, "").unwrap();
    std::fs::set_permissions(&docker, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::remove_file(there.folder.path().join("claude")).unwrap();
    let plan = there.plan(&launch, None, false);
    assert_eq!((plan.argv[0].as_str(), plan.elsewhere.as_deref()), ("claude", Some("far")));
    let of = ForkOf { conversation: "c-1".to_owned(), folder: there.folder.path().to_owned() };
    let fork = there.registry.plan_fork(&launch, None, &of);
    assert!(matches!(fork, Err(AgentError::ForkElsewhere { .. })));

    for other in ["", "[targets.far]\nagent = \"codex\"\n"] {
        let gone = bench(other).registry.plan_launch(&launch, None, false);
        assert!(matches!(gone, Err(AgentError::TargetGone { .. })), "{other}");
    }
}

/// U1: over ssh a prompt that makes the quoted line too long for one argument is typed.
#[test]
fn a_prompt_that_quotes_long_is_typed_over_ssh_u1() {
    let far =
        "[targets.far]\nagent = \"claude\"\nrunner = { ssh = { host = \"x\", folder = \"/\" } }\n";
    let bench = bench(far);
    let ssh = bench.folder.path().join("ssh");
    std::fs::write(&ssh, "").unwrap();
    std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
    let launch = LaunchFacts { target: "far".to_owned(), ..facts("claude") };
    let given = |launch: &LaunchFacts| {
        bench.plan(launch, Some(&"'".repeat(40 << 10)), false).prompt_in_argv
    };
    assert!(given(&facts("claude")) && !given(&launch));
}
