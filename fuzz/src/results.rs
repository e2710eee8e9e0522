//! Any bytes as a result file of a study: an answer, never a panic. The rows are plausible, and merging keeps them.

use fusescape::command::study::{front_of_file, merge};
use std::panic::{set_hook, take_hook};
use std::sync::Once;

/// The source path of the library that reads Parquet. Its panics are caught, and the file counts as damaged.
const LIBRARY: &str = "/parquet-";

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        // The hook of the fuzzer would end the process before the panic is caught.
        let fuzzer = take_hook();
        set_hook(Box::new(move |info| {
            if !info.location().is_some_and(|place| place.file().contains(LIBRARY)) {
                fuzzer(info);
            }
        }));
    });
    let folder = std::env::temp_dir();
    let path = folder.join(format!("fusescape-results-{}.parquet", std::process::id()));
    std::fs::write(&path, bytes).expect("a file for a test");
    let out = path.with_extension("merged.parquet");
    match front_of_file(&path) {
        Ok(found) => {
            let values = found.rows.iter().flat_map(|row| row.values.iter().flatten());
            assert!(values.copied().all(|value| value.is_finite() && value >= 0.0));
            if merge(std::slice::from_ref(&path), &out).is_ok() {
                let merged = front_of_file(&out).unwrap_or_else(|why| panic!("what was merged is read: {why}"));
                assert!(merged.rows == found.rows && merged.is_checked == found.is_checked);
            }
        }
        Err(failure) => assert!(!failure.to_string().is_empty()),
    }
    for file in [path, out] {
        let _ = std::fs::remove_file(file);
    }
}
