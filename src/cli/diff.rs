//! `diff`: what a session changed.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::error::ErrorKind;
use crate::domain::ids::SessionId;
use crate::domain::session::Session;
use crate::domain::text::clean_block;
use crate::domain::worktree::{Difference, FileChange};
use crate::host::ports::{PortError, Ports};

use super::args::DiffArgs;
use super::console::Console;
use super::error::{CliError, CommandResult, Ending};
use super::output::{STDOUT, Table, write_text};

/// How long git may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// `diff`
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DiffJson<'a> {
    /// The session.
    id: &'a SessionId,
    /// The commit that it is compared with.
    base: &'a str,
    /// The files that differ.
    files: Vec<FileJson<'a>>,
    /// Added lines in all.
    added: u32,
    /// Removed lines in all.
    removed: u32,
    /// The patch as text; none with `--stat`.
    patch: Option<Cow<'a, str>>,
}

/// A file that differs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileJson<'a> {
    /// Its path below the worktree.
    path: Cow<'a, str>,
    /// None for a binary file.
    added: Option<u32>,
    /// Removed lines; none for a binary file.
    removed: Option<u32>,
}

/// `diff`
///
/// # Errors
/// There is no such session, or it has no worktree any more.
pub(crate) async fn run<P: Ports>(console: &Console<P>, args: DiffArgs) -> CommandResult {
    let session = console.session(&args.id).await?;
    let folder = folder(&session)?;
    let context = console.context.within(PATIENCE);
    let base = session.base.as_deref();
    let found = console.host.ports().difference(&context, folder, base, !args.stat).await;
    // What the errors of a folder advise is meant for a spawn.
    let found =
        found.map_err(|error| CliError::from(PortError { hint: None, ..error }).about(&args.id))?;
    let json = json(&args.id, &found, !args.stat);
    if console.out.json {
        console.out.answer(&json, |_| String::new())?;
    } else if args.stat {
        write_text(&stat(&json))?;
    } else if io::stdout().is_terminal() {
        let coloured = std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
        write_text(&drawn(&String::from_utf8_lossy(&found.patch), coloured))?;
    } else {
        raw(&found.patch)?;
    }
    Ok(Ending::Done)
}

/// Where its files are: in the trash where it was deleted.
fn folder(session: &Session) -> Result<&std::path::Path, CliError> {
    let trashed = session.deletion.as_ref().and_then(|deletion| deletion.trash_path.as_deref());
    let trashed = trashed.filter(|path| path.is_dir());
    let own = Some(session.folder.as_path()).filter(|path| !path.as_os_str().is_empty());
    trashed.or(own).filter(|path| path.is_dir()).ok_or_else(|| CliError::Part {
        kind: ErrorKind::Refused,
        message: format!("session {} has no folder any more", session.id),
        hint: session.branch.as_ref().map(|branch| format!("its commits are on branch {branch}")),
        id: Some(session.id.clone()),
    })
}

fn json<'a>(id: &'a SessionId, found: &'a Difference, patch: bool) -> DiffJson<'a> {
    let sum = |of: fn(&FileChange) -> Option<u32>| found.files.iter().filter_map(of).sum();
    let file = |file: &'a FileChange| FileJson {
        path: file.path.to_string_lossy(),
        added: file.added,
        removed: file.removed,
    };
    DiffJson {
        id,
        base: &found.base,
        files: found.files.iter().map(file).collect(),
        added: sum(|file| file.added),
        removed: sum(|file| file.removed),
        patch: patch.then(|| String::from_utf8_lossy(&found.patch)),
    }
}

fn stat(diff: &DiffJson<'_>) -> String {
    let mut table = Table::plain();
    let number = |sign: char, count: Option<u32>| {
        count.map_or_else(|| "binary".to_owned(), |count| format!("{sign}{count}"))
    };
    for file in &diff.files {
        let (added, removed) = (number('+', file.added), number('-', file.removed));
        let removed = if file.removed.is_none() { "" } else { &removed };
        table.row([&file.path, &added, removed]);
    }
    let files = diff.files.len();
    let word = if files == 1 { "file" } else { "files" };
    format!("{table}{files} {word}, +{} -{}\n", diff.added, diff.removed)
}

/// A patch for a terminal: cleaned of what one would obey, and coloured.
fn drawn(patch: &str, coloured: bool) -> String {
    let line = |line: &str| {
        let clean = clean_block(line);
        match colour(line).filter(|_| coloured) {
            Some(code) => format!("\x1b[{code}m{clean}\x1b[0m\n"),
            None => format!("{clean}\n"),
        }
    };
    patch.lines().map(line).collect()
}

fn colour(line: &str) -> Option<&'static str> {
    let heads =
        ["diff ", "index ", "--- ", "+++ ", "new file", "deleted file", "similarity", "rename"];
    match line.as_bytes().first() {
        _ if heads.iter().any(|head| line.starts_with(head)) => Some("1"),
        Some(b'+') => Some("32"),
        Some(b'-') => Some("31"),
        Some(b'@') => Some("36"),
        _ => None,
    }
}

fn raw(patch: &[u8]) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(patch).and_then(|()| out.flush()).map_err(CliError::writing(STDOUT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_cleaned_and_coloured_for_a_terminal() {
        let patch = "diff --git a/x b/x\n@@ -1 +1 @@\n-old\n+new \x1b]0;t\x07\n \tsame\n";
        assert_eq!(
            drawn(patch, true),
            "\x1b[1mdiff --git a/x b/x\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n\x1b[31m-old\x1b[0m\n\
             \x1b[32m+new ]0;t\x1b[0m\n \tsame\n"
        );
        assert!(!drawn(patch, false).contains('\x1b'));
    }
}
