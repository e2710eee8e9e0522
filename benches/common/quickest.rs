//! The clock of every bench, natively and in the browser: the including module provides the `Instant`.

use super::Instant;

/// Time after which there are no more repetitions.
const ENOUGH_MS: f64 = 1000.0;

/// The fastest of up to three runs, so that other work on the machine counts less: its milliseconds, and its result.
///
/// No state is kept between runs, so each starts cold.
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

/// The milliseconds of one run, and its result.
pub fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64() * 1e3, result)
}
