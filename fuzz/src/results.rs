//! Any bytes as a result file of a study: an answer, never a panic.

use fusescape::command::study::{front_of_file, merge};

/// Panics where that is not so.
pub fn holds(bytes: &[u8]) {
    let folder = std::env::temp_dir();
    let path = folder.join(format!("fusescape-results-{}.parquet", std::process::id()));
    std::fs::write(&path, bytes).expect("a file for a test");
    if let Err(failure) = front_of_file(&path) {
        assert!(!failure.to_string().is_empty());
    }
    let out = path.with_extension("merged.parquet");
    let _ = merge(std::slice::from_ref(&path), &out);
    for file in [path, out] {
        let _ = std::fs::remove_file(file);
    }
}
