//! The clock of every bench, natively and in the browser: what includes this says whose `Instant` it is.

use super::Instant;

/// Repetitions end once they took so long.
const ENOUGH_MS: f64 = 1000.0;

/// The quickest of up to three runs, so that other work on the machine counts less: its milliseconds, and what it gave.
///
/// Nothing outlives a run, so each starts cold.
pub fn quickest<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut best = timed(&mut work);
    let mut spent = best.0;
    for _ in 0..2 {
        if spent > ENOUGH_MS {
            break;
        }
        let next = timed(&mut work);
        spent += next.0;
        if next.0 < best.0 {
            best = next;
        }
    }
    best
}

/// The milliseconds of one run, and what it gave.
pub fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64() * 1e3, result)
}
