//! `guide`: how an agent in a session uses callboard.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{CommandResult, Ending};
use super::output::Output;

/// The text.
const GUIDE: &str = include_str!("../../assets/guide.md");

/// `guide --json`
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GuideJson {
    /// The guide, as Markdown.
    text: &'static str,
}

/// `guide`
///
/// # Errors
/// It cannot be printed.
pub(crate) fn run(out: Output) -> CommandResult {
    out.answer(&GuideJson { text: GUIDE }, |guide| guide.text.to_owned())?;
    Ok(Ending::Done)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::args::Cli;

    /// Words of a line in which double quotes hold blanks together.
    fn words(line: &str) -> Vec<String> {
        let parts = line.split('"').enumerate();
        let parts = parts.flat_map(|(at, part)| {
            let quoted = at % 2 == 1;
            let whole = quoted.then(|| part.to_owned());
            let plain = part.split_whitespace().map(str::to_owned).filter(move |_| !quoted);
            whole.into_iter().chain(plain)
        });
        parts.collect()
    }

    /// Every command of the guide can be typed as it stands there.
    #[test]
    fn every_command_of_the_guide_parses() {
        let mut count = 0;
        for line in GUIDE.lines().filter_map(|line| line.strip_prefix("    ")) {
            let line = line.replace("\"$CALLBOARD_SESSION_ID\"", "shop-4");
            let words = words(&line);
            let words = words.iter().take_while(|word| !word.starts_with(['<', '>', '|']));
            if let Err(error) = Cli::try_parse_from(words) {
                panic!("{line}: {error}");
            }
            count += 1;
        }
        assert!(count > 15, "{count} commands");
    }
}
