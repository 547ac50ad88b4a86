//! Keepers as real processes. Every test ends with [`Bench::left_nothing`]: no process of it lives,
//! no socket is left.

#[cfg(target_os = "linux")]
mod apart;
mod clients;
mod ends;
mod facts;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod idle;
mod long;
#[cfg(target_os = "linux")]
mod many;
mod screens;
mod starts;
mod stops;
#[cfg(target_os = "linux")]
mod strangers;
mod support;
mod transcript;
