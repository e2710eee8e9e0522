//! Any bytes as an ONNX model: an answer, never a panic, and never more layers than a document can hold.

use fusescape::import::onnx;
use fusescape::spec::{read_transformer, read_workload, write_transformer, write_workload};
use fusescape::workload::Network;

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    let (mut bytes, mut again) = (bytes, bytes);
    if let Ok((spec, report)) = onnx::import_transformer(&mut again, "model.onnx", &Default::default()) {
        assert!(!report.lines().is_empty());
        assert_eq!(read_transformer(&write_transformer(&spec)).both().0, spec);
    }
    if let Ok((spec, report)) = onnx::import(&mut bytes, "model.onnx", &Default::default()) {
        assert!(!report.lines().is_empty());
        let text = write_workload(&spec);
        let (read, wrong) = read_workload(&text).both();
        if wrong.is_empty() {
            assert_eq!(read, spec);
        }
        let _ = Network::from_text(&text);
    }
}
