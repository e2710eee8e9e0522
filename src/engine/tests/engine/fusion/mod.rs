//! Optimus: which operators run together.

mod groups;
mod online;
