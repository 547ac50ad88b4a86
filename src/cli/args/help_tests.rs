//! The help of every command, as a person reads it in a terminal of 80 columns.
//! `INSTA_UPDATE=always cargo test --lib cli::args` takes what it says now.

use clap::{Command, CommandFactory};

use super::Cli;

/// Lines that a terminal shows at once.
const SCREEN: usize = 24;

/// Commands whose help is longer: they take every filter, or list every command.
const LONGER: &[&str] = &["callboard", "delete", "kill", "list", "purge", "spawn", "stop"];

/// Every command that is shown, with its full name.
fn commands(command: &Command, above: &str) -> Vec<(String, Command)> {
    let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    shown
        .flat_map(|sub| {
            let name = format!("{above}{}", sub.get_name());
            let below = commands(sub, &format!("{name} "));
            std::iter::once((name, sub.clone())).chain(below)
        })
        .collect()
}

#[test]
fn the_help_of_every_command_is_short_and_says_this() {
    let mut whole = Cli::command().term_width(80);
    whole.build();
    let mut all = commands(&whole, "");
    all.push(("callboard".to_owned(), whole));
    for (name, mut command) in all {
        let help = command.render_help().to_string();
        let wide = help.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{name}");
        if !LONGER.contains(&name.as_str()) {
            assert!(help.lines().count() <= SCREEN, "{name} has {}", help.lines().count());
        }
        insta::assert_snapshot!(name.replace(' ', "_"), help);
    }
}

/// Whoever reads `-h` alone finds what each option is.
#[test]
fn every_option_of_every_command_says_what_it_is() {
    for (name, command) in commands(&Cli::command(), "") {
        assert!(command.get_about().is_some(), "{name}");
        for argument in command.get_arguments() {
            assert!(argument.get_help().is_some(), "{name} {}", argument.get_id());
        }
    }
}
