//! Sample repositories. The one git outside `workspace`: it begins a repository in an empty folder
//! of the demo's own, and touches nothing of the operator's.

use std::path::Path;

use tokio::process::Command;

use crate::cli::error::CliError;
use crate::domain::error::ErrorKind;
use crate::os::command;

/// Bytes that are kept of what git says.
const OUTPUT: usize = 4_096;

/// Files of the first commit, and of those after it.
const COMMITS: [(&str, &[(&str, &str)]); 3] = [
    (
        "Begin",
        &[
            ("README.md", "# A sample\n\nPrices, carts and their totals.\n"),
            (".gitignore", "/target\n.env\n"),
        ],
    ),
    (
        "Add carts",
        &[("src/cart.rs", "pub fn total(prices: &[u64]) -> u64 {\n    prices.iter().sum()\n}\n")],
    ),
    ("Add VAT", &[("src/vat.rs", "pub fn vat(net: u64) -> u64 {\n    net * 19 / 100\n}\n")]),
];

/// Begins a repository with a few commits in a new folder.
///
/// # Errors
/// The folder cannot be made, or git is missing or fails.
pub(crate) async fn begin(folder: &Path) -> Result<(), CliError> {
    git(folder, &["init", "--quiet", "--initial-branch=main"]).await?;
    for (message, files) in COMMITS {
        for (name, text) in files {
            let path = folder.join(name);
            path.parent()
                .map_or(Ok(()), std::fs::create_dir_all)
                .and_then(|()| std::fs::write(&path, text))
                .map_err(CliError::io(format!("writing {}", path.display())))?;
        }
        git(folder, &["add", "--all"]).await?;
        git(folder, &["commit", "--quiet", "--message", message]).await?;
    }
    Ok(())
}

async fn git(folder: &Path, args: &[&str]) -> Result<(), CliError> {
    std::fs::create_dir_all(folder)
        .map_err(CliError::io(format!("making {}", folder.display())))?;
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=Demo", "-c", "user.email=demo@example.invalid"])
        .args(["-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"])
        .args(args)
        .current_dir(folder)
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE");
    let what = format!("git {} in {}", args[0], folder.display());
    let done = command::run(command, OUTPUT).await.map_err(CliError::io(what.clone()))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let last = said.lines().last().unwrap_or("it said nothing").to_owned();
    Err(CliError::Part {
        kind: ErrorKind::Failed,
        message: format!("{what}: {last}"),
        hint: None,
        id: None,
    })
}
