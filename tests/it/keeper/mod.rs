//! Keepers as real processes. Every test ends with [`Bench::left_nothing`]: no process of it lives,
//! no socket is left.

mod apart;
mod clients;
mod ends;
mod facts;
mod idle;
mod long;
mod many;
mod screens;
mod starts;
mod stops;
mod support;
mod transcript;
