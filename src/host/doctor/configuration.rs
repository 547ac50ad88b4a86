//! The operator's files.

use crate::domain::check::Check;
use crate::host::ports::doctor::DoctorPort;

/// Every mistake in them.
pub(super) fn look(port: &impl DoctorPort) -> Vec<Check> {
    let mistakes = port.mistakes();
    if mistakes.is_empty() {
        let folder = port.home().config.display();
        return vec![Check::good("configuration", format!("no mistake in {folder}"))];
    }
    let check = |(text, hint): (String, Option<String>)| {
        Check::bad("configuration", text, hint.unwrap_or_else(|| "mend the file".to_owned()))
    };
    mistakes.into_iter().map(check).collect()
}
