//! Common parts of benches: figures with goals, and shared measurements.
//!
//! Goals are those of the mapping engine's issue: `must`, and the better `stretch`.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

pub mod layers;
mod quickest;
pub mod report;
pub mod sweeps;

pub use quickest::quickest;
use std::time::Instant;

/// Runs `work` with this number of threads, by default on all cores.
pub fn on_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build().unwrap().install(work)
}

/// The value below which the share `quantile` of all lies; 0 for none.
pub fn quantile(values: &[f64], quantile: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (quantile * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or_default()
}
