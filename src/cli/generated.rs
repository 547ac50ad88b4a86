//! `completions` and `man`: what is generated from the definition of the command line.

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::Cli;
use super::error::{CliError, CommandResult, Ending};
use super::output::write_text;

/// `completions`
///
/// # Errors
/// They cannot be printed.
pub(crate) fn completions(shell: Shell) -> CommandResult {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "callboard", &mut text);
    write_text(&String::from_utf8_lossy(&text))?;
    Ok(Ending::Done)
}

/// `man`: one page with every command.
///
/// # Errors
/// It cannot be printed.
pub(crate) fn man() -> CommandResult {
    let page = page().map_err(CliError::io("writing the manual page"))?;
    write_text(&String::from_utf8_lossy(&page))?;
    Ok(Ending::Done)
}

fn page() -> std::io::Result<Vec<u8>> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    let whole = clap_mangen::Man::new(command.clone());
    whole.render_title(&mut page)?;
    whole.render_name_section(&mut page)?;
    whole.render_synopsis_section(&mut page)?;
    whole.render_description_section(&mut page)?;
    whole.render_options_section(&mut page)?;
    section(&mut page, "COMMANDS");
    commands(&command, "callboard", &mut page)?;
    whole.render_extra_section(&mut page)?;
    Ok(page)
}

fn section(page: &mut Vec<u8>, title: &str) {
    page.extend_from_slice(format!(".SH \"{title}\"\n").as_bytes());
}

/// Each command with its options, commands of commands after theirs.
fn commands(command: &clap::Command, above: &str, page: &mut Vec<u8>) -> std::io::Result<()> {
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let name = format!("{above} {}", sub.get_name());
        page.extend_from_slice(format!(".SS \"{name}\"\n").as_bytes());
        // What every command has is told once.
        let own = sub.clone().bin_name(&name).mut_args(|arg| {
            let everywhere = arg.is_global_set() || arg.get_id() == "help";
            arg.hide(everywhere)
        });
        let man = clap_mangen::Man::new(own);
        for render in [
            clap_mangen::Man::render_synopsis_section,
            clap_mangen::Man::render_description_section,
            clap_mangen::Man::render_options_section,
        ] {
            let mut part = Vec::new();
            render(&man, &mut part)?;
            // Its headings are ours already.
            let text = String::from_utf8_lossy(&part).into_owned();
            let body = text.lines().filter(|line| !line.starts_with(".SH"));
            for line in body {
                page.extend_from_slice(line.as_bytes());
                page.push(b'\n');
            }
            page.extend_from_slice(b".PP\n");
        }
        commands(sub, &name, page)?;
    }
    Ok(())
}
