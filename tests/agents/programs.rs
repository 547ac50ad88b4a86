//! The programs: what they are started with, and what they find in their home.

use std::path::Path;

use serde_json::json;

use crate::model::Model;

/// One program.
pub(crate) struct Program {
    /// Its name as an agent and on the PATH.
    pub(crate) name: &'static str,
    /// More arguments: so that it asks before it runs something.
    pub(crate) args: &'static [&'static str],
    /// A prompt that ends well after the model was not to be had at first, and whether the program shows
    /// that it tries again.
    pub(crate) retry: (&'static str, bool),
    /// What its screen shows while it works.
    pub(crate) works: &'static str,
    /// What its screen shows with a permission and with a question.
    pub(crate) asks: (&'static str, &'static str),
    /// Whether what is left on its screen after an error of the model is told from an answer.
    pub(crate) tells_errors: bool,
    /// Whether a conversation can be forked.
    pub(crate) forks: bool,
    /// What `show` says of its question at the first start in a folder; none where it asks none.
    pub(crate) trust: Option<&'static str>,
    /// The folder in its home with its settings for all folders.
    pub(crate) settings: &'static str,
    /// Its variables.
    pub(crate) variables: fn(&Model) -> Vec<(&'static str, String)>,
    /// Writes its configuration below a home; `trusted` is a folder that it need not ask about.
    pub(crate) set_up: fn(&Path, &Model, trusted: Option<&Path>),
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn text(value: &str) -> String {
    value.to_owned()
}

pub(crate) const CLAUDE: Program = Program {
    name: "claude",
    args: &["--permission-mode", "manual"],
    retry: ("fail 3", true),
    works: "esc to interrupt",
    asks: ("Do you want to proceed?", "Enter to select"),
    tells_errors: true,
    forks: true,
    trust: Some("trust"),
    settings: ".claude",
    variables: |model| {
        vec![
            ("ANTHROPIC_BASE_URL", model.url()),
            ("ANTHROPIC_AUTH_TOKEN", text("dummy")),
            ("DISABLE_AUTOUPDATER", text("1")),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", text("1")),
        ]
    },
    set_up: |home, _, trusted| {
        // Without this the first start asks a server far away.
        let mut known = json!({
            "hasCompletedOnboarding": true, "theme": "dark", "hasSeenAutoDefaultNotice": true,
        });
        if let Some(folder) = trusted {
            let folder = folder.to_str().unwrap();
            known["projects"] = json!({ folder: { "hasTrustDialogAccepted": true } });
        }
        write(&home.join(".claude.json"), &known.to_string());
    },
};

pub(crate) const CODEX: Program = Program {
    name: "codex",
    args: &["--enable", "default_mode_request_user_input"],
    retry: ("fail 2", false),
    works: "esc to interrupt",
    asks: ("Would you like to run", "Question 1/1"),
    tells_errors: true,
    forks: true,
    trust: Some("trust"),
    settings: ".codex",
    variables: |_| vec![("STUB_API_KEY", text("dummy"))],
    set_up: |home, model, trusted| {
        let trusted = trusted.map(|folder| {
            format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", folder.display())
        });
        let config = format!(
            "model = \"stub\"\nmodel_provider = \"stub\"\ncheck_for_update_on_startup = false\n\
             [model_providers.stub]\nname = \"Stub\"\nbase_url = \"{}/v1\"\n\
             env_key = \"STUB_API_KEY\"\nwire_api = \"responses\"\nrequest_max_retries = 2\n\
             stream_max_retries = 2\n[analytics]\nenabled = false\n",
            model.url()
        );
        write(&home.join(".codex/config.toml"), &(config + &trusted.unwrap_or_default()));
    },
};

pub(crate) const OPENCODE: Program = Program {
    name: "opencode",
    args: &[],
    retry: ("limit 2", true),
    works: "esc interrupt",
    asks: ("Permission required", "esc dismiss"),
    tells_errors: false,
    forks: true,
    trust: None,
    settings: ".config/opencode",
    variables: |_| {
        let off = |name| (name, text("1"));
        vec![
            off("OPENCODE_DISABLE_AUTOUPDATE"),
            off("OPENCODE_DISABLE_MODELS_FETCH"),
            off("OPENCODE_DISABLE_LSP_DOWNLOAD"),
            off("OPENCODE_DISABLE_DEFAULT_PLUGINS"),
        ]
    },
    set_up: |home, model, _| {
        let config = json!({
            "autoupdate": false, "share": "disabled", "model": "stub/stub",
            "small_model": "stub/stub", "enabled_providers": ["stub"],
            "permission": {"bash": "ask", "edit": "ask", "webfetch": "ask"},
            "provider": {"stub": {
                "npm": "@ai-sdk/openai-compatible", "name": "Stub",
                "options": {"baseURL": format!("{}/v1", model.url()), "apiKey": "dummy"},
                "models": {"stub": {
                    "name": "Stub", "tool_call": true,
                    "limit": {"context": 100_000, "output": 8_000},
                }},
            }},
        });
        write(&home.join(".config/opencode/opencode.json"), &config.to_string());
    },
};

pub(crate) const GEMINI: Program = Program {
    name: "gemini",
    args: &[],
    retry: ("fail 2", false),
    works: "esc to cancel",
    asks: ("Allow execution of", "Enter to select"),
    tells_errors: true,
    forks: false,
    // It begins with the prompt before it is trusted: which of its two dialogs comes first is not fixed.
    trust: None,
    settings: ".gemini",
    variables: |model| {
        vec![("GEMINI_API_KEY", text("dummy")), ("GOOGLE_GEMINI_BASE_URL", model.url())]
    },
    set_up: |home, _, trusted| {
        let settings = json!({
            "security": {
                "auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": true},
            },
            "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
            "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false},
            "ui": {"hideTips": true},
        });
        write(&home.join(".gemini/settings.json"), &settings.to_string());
        if let Some(folder) = trusted {
            let folders = json!({ folder.to_str().unwrap(): "TRUST_FOLDER" });
            write(&home.join(".gemini/trustedFolders.json"), &folders.to_string());
        }
    },
};
