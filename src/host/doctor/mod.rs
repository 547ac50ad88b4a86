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
    checks.extend(store::look(port, repair).await);
    checks.extend(store::backups(port).await);
    checks.extend(
        mended(repair, async || runtime::sockets(port).await, async || runtime::sweep(port).await)
            .await,
    );
    checks.push(runtime::keepers(port).await);
    checks.push(agents::git(port).await);
    checks.push(agents::gh(port).await);
    checks.extend(agents::look(port).await);
    checks.extend(agents::targets(port));
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
    mend: impl AsyncFn() -> Vec<Mending>,
) -> Vec<Check> {
    let found = look().await;
    if !repair || found.iter().all(|check| check.ok) {
        return found;
    }
    let done = mend().await;
    said(done, look().await)
}

/// What was done, or why it could not be.
type Mending = Result<String, String>;

/// What is to be said of one piece of mending.
fn outcome(done: String, result: Result<(), impl Display>) -> Mending {
    result.map(|()| done).map_err(|error| format!("not mended: {error}"))
}

/// Says in the first of `checks`, made afterwards, what was mended and what was not.
fn said(done: Vec<Mending>, mut checks: Vec<Check>) -> Vec<Check> {
    let Some(first) = checks.first_mut().filter(|_| !done.is_empty()) else {
        return checks;
    };
    let all: Vec<&str> =
        done.iter().map(|it| it.as_ref().unwrap_or_else(|why| why).as_str()).collect();
    first.detail = format!("{}; now: {}", all.join("; "), first.detail);
    let mended: Vec<String> = done.into_iter().filter_map(Result::ok).collect();
    first.mended = Some(mended.join("; ")).filter(|text| !text.is_empty());
    checks
}

/// "1 thing", "2 things".
fn count(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}
