//! The lines of the rail: sections, saved filters, the trash.

use crate::domain::query::Filter;
use crate::domain::rail::{SavedFilter, SectionKey};
use crate::tui::event::Effect;

use super::{App, View, find};

/// What a line of the rail stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RailPlace {
    /// A section.
    Section(SectionKey),
    /// A saved filter, by name.
    Filter(String),
    /// The trash.
    Trash,
}

impl App {
    /// The lines of the rail, in order.
    pub fn rail_places(&self) -> Vec<RailPlace> {
        let sections = self.board.sections.iter();
        let sections = sections.map(|section| RailPlace::Section(section.key.clone()));
        let filters = self.board.filters.iter();
        let filters = filters.map(|filter| RailPlace::Filter(filter.name.clone()));
        sections.chain(filters).chain([RailPlace::Trash]).collect()
    }

    /// The place of the line that is shown beside the rail.
    pub fn rail_index(&self) -> Option<usize> {
        let (sections, filters) = (&self.board.sections, &self.board.filters);
        if self.view == View::Trash {
            return Some(sections.len() + filters.len());
        }
        if let Some(name) = &self.filter {
            let at = filters.iter().position(|filter| filter.name == *name);
            return at.map(|at| sections.len() + at);
        }
        sections.iter().position(|section| Some(&section.key) == self.section.as_ref())
    }

    /// The saved filter that is shown.
    pub fn current_filter(&self) -> Option<&SavedFilter> {
        let name = self.filter.as_ref()?;
        self.board.filters.iter().find(|filter| filter.name == *name)
    }

    /// What the list is narrowed by: where it looks, and the words that are saved and typed.
    pub fn narrowing(&self) -> SavedFilter {
        let saved = self.current_filter();
        let words = saved.map_or("", |filter| filter.words.as_str());
        let words = format!("{words} {}", self.list.find).trim().to_owned();
        let section = saved.map_or_else(|| self.section.clone(), |filter| filter.section.clone());
        let name = saved.map(|filter| filter.name.clone()).unwrap_or_default();
        SavedFilter { name, section, words }
    }

    /// What is to be counted: the saved filters as the store is asked by them, by name; none where nothing
    /// is saved.
    pub(in crate::tui) fn to_count(&self) -> Option<Effect> {
        let filters = self.board.filters.iter().map(|saved| (saved.name.clone(), filter_of(saved)));
        let filters: Vec<_> = filters.collect();
        (!filters.is_empty()).then_some(Effect::CountFilters(filters))
    }
}

/// A saved filter as the store is asked by it.
pub(in crate::tui) fn filter_of(saved: &SavedFilter) -> Filter {
    Filter { section: saved.section.clone(), ..find::parse(&saved.words).filter }
}
