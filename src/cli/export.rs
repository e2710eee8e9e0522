//! Documents as other programs' files.

use super::Failure;
use super::documents::load;
use super::import::tell;
use fusescape_command::files::{failed, read_text, write};
use fusescape_engine::explore::{DesignLayer, LayerRequest, MappedLayer, user_mappings};
use fusescape_engine::hardware::Core;
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Objective, Strategy};
use fusescape_engine::system::CoreSystem;
use fusescape_engine::workload::Network;
use fusescape_import::{stream as stream_files, timeloop as timeloop_files, zigzag as zigzag_files};
use fusescape_spec::{MAX_BYTES, hardware_presets, read_system, system_presets, workload_presets};
use std::path::Path;

/// Writes a core and a network as ZigZag's files.
pub fn zigzag(hardware: &str, workload: &str, folder: &Path) -> Result<(), Failure> {
    let core = Core::from_text(&load(hardware, hardware_presets())?)?;
    let network = Network::from_text(&load(workload, workload_presets())?)?;
    let files = zigzag_files::write(&core, &network);
    make(folder)?;
    write(&folder.join("accelerator.yaml"), &files.accelerator)?;
    write(&folder.join("mapping.yaml"), &files.mapping)?;
    write(&folder.join("workload.yaml"), &files.workload)?;
    tell(&files.report);
    Ok(())
}

/// Writes a mapped layer as Timeloop's files.
pub fn timeloop(
    hardware: &str,
    workload: &str,
    layer: Option<&str>,
    mapping: Option<&Path>,
    folder: &Path,
) -> Result<(), Failure> {
    let request = LayerRequest {
        hardware: load(hardware, hardware_presets())?,
        workload: load(workload, workload_presets())?,
        layer: layer.map(str::to_owned),
        objective: Objective::Energy,
        strategy: Strategy::default(),
        lpf_limit: 6,
        rules: Rules::CORRECTED,
        unroll: None,
    };
    let files = match mapping {
        Some(file) => {
            let (design_layer, mapped) = by_hand(file, layer, &request)?;
            timeloop_files::write(&design_layer, &mapped.mapping)?
        }
        None => {
            let design_layer = DesignLayer::new(&request)?;
            let network = Network::from_text(&request.workload)?.on(&design_layer.core);
            timeloop_files::write_best(design_layer, &network)?
        }
    };
    make(folder)?;
    write(&folder.join("architecture.yaml"), &files.architecture)?;
    write(&folder.join("problem.yaml"), &files.problem)?;
    write(&folder.join("mapping.yaml"), &files.mapping)?;
    write(&folder.join("ERT.yaml"), &files.energies)?;
    tell(&files.report);
    Ok(())
}

/// The layer as mapped by a document: the requested one, else the first.
fn by_hand(file: &Path, layer: Option<&str>, request: &LayerRequest) -> Result<(DesignLayer, MappedLayer), Failure> {
    let (core, network) = (Core::from_text(&request.hardware)?, Network::from_text(&request.workload)?);
    let mapped = user_mappings(&read_text(file, MAX_BYTES)?, &core, &network, request)?;
    let names: Vec<String> = mapped.iter().map(|(design_layer, _)| design_layer.layer.clone()).collect();
    let is_wanted = |design_layer: &DesignLayer| layer.is_none_or(|layer| design_layer.layer == layer);
    let wanted = mapped.into_iter().find(|(design_layer, _)| is_wanted(design_layer));
    let wrong = || format!("The mapping has no layer `{}`. It maps {}.", layer.unwrap_or_default(), names.join(", "));
    wanted.ok_or_else(|| wrong().into())
}

/// Writes a system, and a network, as Stream's files.
pub fn stream(system: &str, hardware: &str, workload: Option<&str>, folder: &Path) -> Result<(), Failure> {
    let text = load(system, system_presets())?;
    let hardware = load(hardware, hardware_presets())?;
    let system = CoreSystem::with_hardware(&text, &hardware)?;
    let mut files = stream_files::write(&system, &read_system(&text).whole()?);
    let cores = folder.join("cores");
    make(&cores)?;
    if let Some(workload) = workload {
        let network = Network::from_text(&load(workload, workload_presets())?)?.without_vector_unit();
        write(&folder.join("workload.yaml"), &zigzag_files::write_network(&network, &mut files.report))?;
    }
    write(&folder.join("system.yaml"), &files.soc)?;
    for (name, text) in &files.cores {
        write(&cores.join(name), text)?;
    }
    write(&folder.join("mapping.yaml"), &files.mapping)?;
    tell(&files.report);
    Ok(())
}

fn make(folder: &Path) -> Result<(), Failure> {
    Ok(std::fs::create_dir_all(folder).map_err(failed(folder))?)
}
