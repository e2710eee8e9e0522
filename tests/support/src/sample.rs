//! Which cases run in every test, and which only where all are asked for (`make oracle`).

/// Whether all cases run, where tests else run a sample.
pub fn all_cases() -> bool {
    std::env::var_os("FUSESCAPE_ORACLE_CASES").is_some()
}

/// Every `step`-th case, from the first one on; all of them where all are asked for.
pub fn each_of<T>(cases: Vec<T>, step: usize) -> Vec<T> {
    cases.into_iter().step_by(if all_cases() { 1 } else { step }).collect()
}

/// Pairs in which each of either side comes once at least: as many as the longer side has. All pairs where all cases are asked for.
pub fn pairs<A: Clone, B: Clone>(a: &[A], b: &[B]) -> Vec<(A, B)> {
    let pair = |(x, y): (&A, &B)| (x.clone(), y.clone());
    if all_cases() {
        return a.iter().flat_map(|x| b.iter().map(move |y| (x, y))).map(pair).collect();
    }
    let count = a.len().max(b.len());
    a.iter().cycle().zip(b.iter().cycle()).take(count).map(pair).collect()
}

/// How many cases a test makes up, or what its counts come to: of a sample, or of all, where these are asked for.
pub fn sample_or_all<N>(sample: N, whole: N) -> N {
    if all_cases() { whole } else { sample }
}
