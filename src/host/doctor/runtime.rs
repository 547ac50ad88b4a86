//! Keepers and their sockets.

use crate::domain::check::Check;
use crate::host::ports::doctor::DoctorPort;

use super::{Mending, count, outcome};

/// Sockets that nobody listens at.
pub(super) async fn sockets(port: &impl DoctorPort) -> Vec<Check> {
    let stale = port.stale_sockets().await;
    vec![match stale.first() {
        None => Check::good("sockets", "none is stale"),
        Some(first) => Check::bad(
            "sockets",
            format!(
                "{} of keepers that are gone, first {}",
                count(stale.len(), "file"),
                first.display()
            ),
            "`callboard doctor --repair` removes them, as does every start",
        ),
    }]
}

/// Removes them.
pub(super) async fn sweep(port: &impl DoctorPort) -> Vec<Mending> {
    let stale = port.stale_sockets().await.len();
    let done = format!("removed {} of keepers that are gone", count(stale, "file"));
    vec![outcome(done, port.sweep_sockets().await)]
}

/// Whether every keeper answers. One that runs an older program goes on with it: the protocol only
/// grows.
pub(super) async fn keepers(port: &impl DoctorPort) -> Check {
    let keepers = port.keepers().await;
    let silent = keepers.iter().find_map(|keeper| Some((keeper, keeper.silent.as_ref()?)));
    if let Some((keeper, why)) = silent {
        return Check::bad(
            "keepers",
            format!(
                "the keeper of {} (process {}) does not answer: {why}",
                keeper.session, keeper.pid
            ),
            format!("end it: kill -9 {}, then `callboard recover`", keeper.pid),
        );
    }
    let other: Vec<_> = keepers.iter().filter(|keeper| keeper.other_program).collect();
    let ids: Vec<_> = other.iter().map(|keeper| keeper.session.as_str()).collect();
    let told = match &ids[..] {
        [] => String::new(),
        ids => format!("; with another program than this one until they end: {}", ids.join(", ")),
    };
    let text = format!("{} running, all answer{told}", keepers.len());
    Check::good("keepers", text)
}
