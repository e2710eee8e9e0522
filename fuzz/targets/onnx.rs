//! Any bytes as an ONNX model: an answer, never a panic, and never more layers than a document can hold.
#![no_main]

use fusescape::import::onnx;
use fusescape::spec::{read_workload, write_workload};
use fusescape::workload::Network;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes;
    if let Ok((spec, report)) = onnx::import(&mut bytes, "model.onnx", &[]) {
        assert!(!report.lines().is_empty());
        let text = write_workload(&spec);
        let (read, wrong) = read_workload(&text);
        if wrong.is_empty() {
            assert_eq!(read, spec);
        }
        let _ = Network::from_text(&text);
    }
});
