//! Samples of cases for usual runs, and all cases on request (`make oracle`).

/// Whether all cases run, instead of a sample.
pub fn all_cases() -> bool {
    std::env::var_os("FUSESCAPE_ORACLE_CASES").is_some()
}

/// Every `step`-th case, from the first one on; all if requested.
pub fn each_of<T>(cases: Vec<T>, step: usize) -> Vec<T> {
    cases.into_iter().step_by(if all_cases() { 1 } else { step }).collect()
}

/// Pairs in which each item of either side occurs at least once: as many as the longer side has. All pairs if
/// requested.
pub fn pairs<A: Clone, B: Clone>(a: &[A], b: &[B]) -> Vec<(A, B)> {
    let pair = |(x, y): (&A, &B)| (x.clone(), y.clone());
    if all_cases() {
        return a.iter().flat_map(|x| b.iter().map(move |y| (x, y))).map(pair).collect();
    }
    let count = a.len().max(b.len());
    a.iter().cycle().zip(b.iter().cycle()).take(count).map(pair).collect()
}

/// The number of random cases of a test, or an expected count: for a sample, or for all cases if requested.
pub fn sample_or_all<N>(sample: N, whole: N) -> N {
    if all_cases() { whole } else { sample }
}
