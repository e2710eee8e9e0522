//! Any text as a file of Timeloop: it gives documents or diagnostics, never a panic; imported documents can be read
//! again.

use fusescape::import::{File, import, timeloop};
use fusescape::spec::{read_hardware, read_mapping, read_workload};

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    if std::str::from_utf8(bytes).is_ok_and(timeloop::recognise) {
        imports_or_answers(bytes);
    }
}

/// Panics unless a file gives either documents that can be read again or diagnostics with remedies.
pub fn imports_or_answers(bytes: &[u8]) {
    let file = File { name: "design.yaml".to_owned(), source: Box::new(bytes) };
    match import(vec![file], &Default::default()) {
        Ok(imported) => {
            assert!(imported.hardware.iter().all(|text| read_hardware(text).both().1.is_empty()));
            assert!(imported.workload.iter().all(|text| read_workload(text).both().1.is_empty()));
            assert!(imported.mapping.iter().all(|text| read_mapping(text).both().1.is_empty()));
        }
        Err(wrong) => {
            assert!(!wrong.is_empty());
            assert!(wrong.0.iter().all(|one| !one.reason.is_empty() && !one.remedy.is_empty()), "{wrong}");
        }
    }
}
