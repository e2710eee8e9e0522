//! Any text as a document of ours or of ZigZag, or as a saved state: an answer, never a panic; and what is valid survives being written.
#![no_main]

use fusescape::hardware::Core;
use fusescape::import::{File, import};
use fusescape::spec::{
    read_gallery_entry, read_hardware, read_pool, read_workload, write_hardware, write_workload,
};
use fusescape::state::State;
use fusescape::workload::Network;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (hardware, wrong) = read_hardware(text);
    if wrong.is_empty() {
        assert_eq!(read_hardware(&write_hardware(&hardware)).0, hardware);
        let _ = Core::from_text(text);
    }
    let (workload, wrong) = read_workload(text);
    if wrong.is_empty() {
        assert_eq!(read_workload(&write_workload(&workload)).0, workload);
        let _ = Network::from_text(text);
    }
    let _ = (read_pool(text), read_gallery_entry(text));
    if let Ok(state) = State::from_yaml(text) {
        let written = state.to_yaml();
        let back = State::from_yaml(&written).unwrap_or_else(|wrong| panic!("{wrong}\n{written}"));
        assert_eq!(back.to_yaml(), written);
    }
    let file = File { name: "file.yaml".to_owned(), source: Box::new(bytes) };
    if let Ok(imported) = import(vec![file], &[])
        && !imported.reports.iter().any(|report| report.result.starts_with("taken as it is"))
    {
        // What is imported is valid, and says so.
        imported.hardware.iter().for_each(|text| drop(Core::from_text(text).expect("valid hardware")));
        imported.workload.iter().for_each(|text| drop(Network::from_text(text).expect("a valid network")));
    }
});
