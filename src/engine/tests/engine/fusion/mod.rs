//! Optimus: which operators run together.

mod fusion;
mod online;
