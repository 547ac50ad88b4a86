//! The dashboard as the operator sees it: what is drawn, and what keys do.

mod board;
mod fixture;
mod plan;
mod properties;
mod update;
