//! Filters saved under a name (`spec/console.md`): lines of the rail.

use crate::domain::event::Actor;
use crate::domain::rail::SavedFilter;
use crate::domain::text;

use super::Host;
use super::caller::Reach;
use super::error::{HostError, HostResult};
use super::ports::Ports;

/// What agents as callers may not do.
const FILTERS: &str = "change the saved filters";
/// Characters of a name at most.
const LONGEST: usize = 40;

impl<P: Ports> Host<P> {
    /// Saves a filter, and answers its name; one of the same name is replaced.
    ///
    /// # Errors
    /// An agent may not (K7); the name or the words are empty, or the name is too long.
    pub async fn save_filter(&self, filter: SavedFilter, actor: &Actor) -> HostResult<String> {
        self.allow(actor, FILTERS, Reach::Config).await?;
        let filter = SavedFilter { name: name(&filter.name)?, ..filter };
        if filter.words.trim().is_empty() {
            return Err(usage("a filter without words lets everything through".to_owned()));
        }
        self.ports.save_filter(&filter).await?;
        let what = format!("{}: {}", filter.name, filter.words);
        self.audit_setup("filter_save", what, actor).await;
        Ok(filter.name)
    }

    /// Gives a saved filter another name, and answers it.
    ///
    /// # Errors
    /// An agent may not (K7); the name is empty, too long or taken; there is no such filter.
    pub async fn rename_filter(&self, from: &str, to: &str, actor: &Actor) -> HostResult<String> {
        self.allow(actor, FILTERS, Reach::Config).await?;
        let to = name(to)?;
        if to == from {
            return Ok(to);
        }
        let known = self.ports.filters().await?;
        if known.iter().any(|filter| filter.name == to) {
            return Err(usage(format!("there is a filter {to} already")));
        }
        if !self.ports.rename_filter(from, &to).await? {
            return Err(gone(from));
        }
        self.audit_setup("filter_rename", format!("{from} to {to}"), actor).await;
        Ok(to)
    }

    /// Removes a saved filter. Its sessions stay.
    ///
    /// # Errors
    /// An agent may not (K7); there is no such filter.
    pub async fn remove_filter(&self, name: &str, actor: &Actor) -> HostResult<()> {
        self.allow(actor, FILTERS, Reach::Config).await?;
        if !self.ports.remove_filter(name).await? {
            return Err(gone(name));
        }
        self.audit_setup("filter_remove", name.to_owned(), actor).await;
        Ok(())
    }
}

/// A name that can be shown.
fn name(typed: &str) -> HostResult<String> {
    let name = text::clean_line(typed).trim().to_owned();
    match name.chars().count() {
        0 => Err(usage("the name of a filter cannot be empty".to_owned())),
        1..=LONGEST => Ok(name),
        _ => Err(usage(format!("the name of a filter has at most {LONGEST} characters"))),
    }
}

fn usage(message: String) -> HostError {
    HostError::Usage { message, hint: None }
}

fn gone(name: &str) -> HostError {
    HostError::Refused { message: format!("there is no filter {name} any more"), hint: None }
}
