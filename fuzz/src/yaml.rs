//! Any text as an accelerator or a network in our or ZigZag's format: an answer, never a panic. A valid document is
//! written and read back unchanged and can be scheduled; a repaired document can be read.

use super::{HARDWARE, WORKLOAD, check_rejected, check_wrong};
use fusescape::explore::{DesignLayer, LayerRequest, Request, Settings, Sweep};
use fusescape::form::{layer_graph, memory_boxes, repair};
use fusescape::hardware::Core;
use fusescape::import::{File, import};
use fusescape::rules::Rules;
use fusescape::search::{Objective, Strategy};
use fusescape::spec::edit::Outline;
use fusescape::spec::{Diagnostics, read_hardware, read_workload, write_hardware, write_workload};
use fusescape::system::CoreSystem;
use fusescape::workload::Network;

/// Larger networks are not planned: it takes long without covering more.
const FEW_LAYERS: usize = 40;
/// Number of repairs tried.
const REPAIRED: usize = 4;

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Core::from_text(text) {
        Ok(_) => {
            let (hardware, wrong) = read_hardware(text).both();
            assert!(wrong.is_empty());
            assert_eq!(read_hardware(&write_hardware(&hardware)).both().0, hardware);
            map(text, WORKLOAD);
        }
        Err(wrong) => complain(text, &wrong),
    }
    match Network::from_text(text) {
        Ok(network) => {
            let (workload, wrong) = read_workload(text).both();
            assert!(wrong.is_empty());
            assert_eq!(read_workload(&write_workload(&workload)).both().0, workload);
            if (1..=FEW_LAYERS).contains(&network.computing().count()) {
                map(HARDWARE, text);
                plan(text);
            }
        }
        Err(wrong) => complain(text, &wrong),
    }
    if let Ok(overview) = Outline::read(text) {
        let _ = (memory_boxes(&overview), layer_graph(&overview));
    }
    import_file(bytes);
}

fn complain(text: &str, wrong: &Diagnostics) {
    check_wrong(text, wrong);
    let Ok(overview) = Outline::read(text) else { return };
    let repaired = wrong.0.iter().take(REPAIRED).filter_map(|one| repair(&overview, one));
    repaired.for_each(|next| assert!(Outline::read(next.text()).is_ok_and(|again| again == next), "{}", next.text()));
}

/// Searches the mapping of the largest layer on an accelerator: its cost is finite, if there is one.
fn map(hardware: &str, workload: &str) {
    let request = LayerRequest {
        hardware: hardware.to_owned(),
        workload: workload.to_owned(),
        layer: None,
        objective: Objective::Energy,
        strategy: Strategy::Loma,
        lpf_limit: 2,
        rules: Rules::CORRECTED,
        unroll: None,
    };
    let design_layer = DesignLayer::new(&request).expect("what is valid can be studied");
    let _ = design_layer.facts();
    match design_layer.best() {
        Ok(best) => assert!(best.energy_pj().is_finite(), "{}", best.energy_pj()),
        Err(wrong) => check_rejected(&wrong, &[""]),
    }
}

/// Evaluates a network on an accelerator, in tiles and layer by layer.
fn plan(workload: &str) {
    let settings = Settings { tiles_x: vec![4, u64::MAX], tiles_y: vec![7], lpf_limit: 2, ..Settings::default() };
    let sweep = match Sweep::new(&Request { hardware: HARDWARE.to_owned(), workload: workload.to_owned(), settings }) {
        Ok(sweep) => sweep,
        Err(wrong) => return check_rejected(&wrong, &["settings", "workload"]),
    };
    let plan = sweep.plan();
    let wrong = plan.points.iter().filter_map(|point| point.as_ref().err());
    wrong.for_each(|wrong| check_rejected(wrong, &["settings", "hardware", "workload", ""]));
}

/// An imported document is valid.
fn import_file(bytes: &[u8]) {
    let file = File { name: "file.yaml".to_owned(), source: Box::new(bytes) };
    if let Ok(imported) = import(vec![file], &Default::default())
        && !imported.reports.iter().any(|report| report.result.starts_with("taken as it is"))
    {
        imported.hardware.iter().for_each(|text| drop(Core::from_text(text).expect("valid hardware")));
        imported.workload.iter().for_each(|text| drop(Network::from_text(text).expect("a valid network")));
        imported.system.iter().for_each(|text| drop(CoreSystem::from_text(text, "").expect("a valid system")));
    }
}
