//! `doctor`: a list of small checks, one file a subject. Each looks, and mends what is safe to mend
//! where that was asked for; what it mended it says.

mod agents;
mod clock;
mod configuration;
mod folders;
mod limits;
mod operations;
mod orphans;
mod runtime;
mod sessions;
mod store;
#[cfg(test)]
mod tests;

use std::fmt::Display;

use crate::domain::check::Check;

use super::ports::doctor::DoctorPort;

/// Checks what needs no open store: the store itself, folders, sockets, keepers, programs, limits,
/// configuration, clock.
pub async fn installation(port: &impl DoctorPort, repair: bool) -> Vec<Check> {
    let mut checks = configuration::look(port);
    checks.extend(mended(repair, async || folders::look(port), async || folders::mend(port)).await);
    checks.extend(
        mended(repair, async || store::look(port).await, async || store::mend(port).await).await,
    );
    checks.extend(store::backups(port).await);
    checks.extend(
        mended(repair, async || runtime::sockets(port).await, async || runtime::sweep(port).await)
            .await,
    );
    checks.push(runtime::keepers(port).await);
    checks.push(agents::git(port).await);
    checks.extend(agents::look(port).await);
    checks.extend(limits::look());
    checks.extend(
        mended(repair, async || limits::history(port).await, async || limits::trim(port).await)
            .await,
    );
    checks.push(clock::look(port));
    checks
}

/// Looks; where something is wrong and is to be mended, mends it and looks again.
async fn mended(
    repair: bool,
    look: impl AsyncFn() -> Vec<Check>,
    mend: impl AsyncFn() -> Vec<String>,
) -> Vec<Check> {
    let found = look().await;
    if !repair || found.iter().all(|check| check.ok) {
        return found;
    }
    let done = mend().await;
    let mut now = look().await;
    if let Some(first) = now.first_mut().filter(|_| !done.is_empty()) {
        first.detail = format!("{}; now: {}", done.join("; "), first.detail);
    }
    now
}

/// What was done, or why it could not be.
fn outcome(done: String, result: Result<(), impl Display>) -> String {
    match result {
        Ok(()) => done,
        Err(error) => format!("not mended: {error}"),
    }
}

/// "1 thing", "2 things".
fn count(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}
