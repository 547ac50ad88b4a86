//! What a keeper is told of a launch.

use crate::domain::error::ErrorKind;
use crate::host::ports::{PortError, PortResult, StartRequest};
use crate::os::{paths, ssh};
use crate::runtime::launch::{AgentEnvironment, LaunchSpec, build_environment};

use super::Real;

/// Raw output kept on disk for each session.
const HISTORY_BYTES: u64 = 16 << 20;
/// Most rows of history in a keeper's engine: longer history is read from the disk.
const ENGINE_LINES: u32 = 2_000;
/// How long a keeper stays after its agent ended by itself (X4).
const LINGER_MS: u64 = 10_000;

impl Real {
    /// All that a keeper is told of a launch.
    pub(super) fn spec(&self, request: &StartRequest) -> PortResult<LaunchSpec> {
        let workspace = self.store.workspace();
        let socket = self.socket(&request.id);
        let history = self.home.history(workspace, &request.id);
        let log = self.home.logs().join(format!("keeper@{workspace}@{}.log", request.id));
        for folder in [socket.parent(), log.parent(), history.parent()].into_iter().flatten() {
            paths::private_dir(folder).map_err(|error| PortError {
                kind: ErrorKind::Failed,
                message: format!("making {}: {error}", folder.display()),
                hint: None,
            })?;
        }
        let link = self.home.ssh_agent();
        let linked = ssh::refresh(&link).unwrap_or_else(|error| {
            tracing::warn!(link = %link.display(), %error, "the key agent cannot be linked");
            false
        });
        let env = build_environment(
            std::env::vars_os(),
            &AgentEnvironment {
                workspace,
                home: self.home.root.as_deref(),
                session: &request.id,
                generation: request.generation,
                token: &request.token,
                cwd: &request.folder,
                ssh_agent: linked.then_some(link.as_path()),
                set: &request.plan.env,
                drop: &request.plan.env_drop,
            },
        );
        let (argv, end) = self.argv(request, &env)?;
        let mut rules = self.agents.rules(&request.agent);
        // The processes here tell nothing of those there.
        rules.shell &= request.plan.elsewhere.is_none();
        Ok(LaunchSpec {
            argv,
            end,
            env,
            cwd: request.folder.clone(),
            cols: request.size.0,
            rows: request.size.1,
            workspace: workspace.clone(),
            session: request.id.clone(),
            generation: request.generation,
            token: request.token.clone(),
            database: self.home.database(),
            socket,
            log,
            history,
            history_bytes: HISTORY_BYTES,
            history_lines: usize::try_from(self.config.scrollback_lines.min(ENGINE_LINES))
                .unwrap_or(0),
            rules,
            stop: self.agents.stop_way(&request.agent),
            submit: self.agents.submit(&request.agent),
            exit_text: self.agents.exit_text(&request.agent),
            prompted: request.plan.prompt_in_argv && self.agents.rests_first(&request.agent),
            linger_ms: LINGER_MS,
        })
    }
}
