//! `fusescape layer`: the best mapping of single layers.

use super::arguments::LayerArguments;
use super::documents::load;
use super::layer_report::table;
use super::progress::TerminalBar;
use super::{Failure, json_text, print};
use fusescape_command::files::{read_text, write};
use fusescape_command::layer::{LayerOutcome, LayerSearchOptions, LayersReport, map_layers};
use fusescape_engine::explore::mapping_document;
use fusescape_spec::{MAX_BYTES, hardware_presets, workload_presets, write_mapping};
use std::path::{Path, PathBuf};

/// Maps the layers and prints the report.
pub fn run(options: &LayerArguments) -> Result<(), Failure> {
    let (hardware, workload) =
        match (load(&options.hardware, hardware_presets()), load(&options.workload, workload_presets())) {
            (Ok(hardware), Ok(workload)) => (hardware, workload),
            (Err(hardware), Err(workload)) => return Err(format!("{hardware}\n{workload}").into()),
            (Err(failure), _) | (_, Err(failure)) => return Err(failure),
        };
    let found = map_layers(hardware, workload, &as_options(options)?, &TerminalBar::default())?;
    for note in &found.notes() {
        super::tell(&format!("note: {note}"));
    }
    if let Some(file) = &options.save_mapping {
        save_mapping(file, &found)?;
    }
    print(&if options.json { json_text(&found.json()?)? } else { table(&found) })?;
    unmapped(&found)
}

/// The options, with the texts of the documents that they name.
fn as_options(
    LayerArguments { mapping, constraints, chosen, .. }: &LayerArguments,
) -> Result<LayerSearchOptions, Failure> {
    let text = |file: &Option<PathBuf>| file.as_deref().map(|file| read_text(file, MAX_BYTES)).transpose();
    let mut chosen = chosen.clone();
    (chosen.mapping, chosen.constraints) = (text(mapping)?, text(constraints)?);
    Ok(chosen.options()?)
}

/// Reports layers without a mapping, with reasons: in the exit code, and on standard error for a person who redirects
/// the results.
fn unmapped(found: &LayersReport) -> Result<(), Failure> {
    let reason = |(_, result): &(_, LayerOutcome)| {
        let reasons = result.mapped.as_ref().err()?;
        Some(reasons.0.iter().map(|reason| format!("\n{}: {reason}", result.facts.layer)).collect::<String>())
    };
    let reasons: Vec<String> = found.layers.iter().filter_map(reason).collect();
    if reasons.is_empty() {
        return Ok(());
    }
    let layers = found.layers.len();
    let text = format!("{} of {layers} layers cannot be mapped:{}", reasons.len(), reasons.concat());
    if reasons.len() < layers { Err(super::Incomplete(text).into()) } else { Err(text.into()) }
}

/// Writes the mappings to a document.
fn save_mapping(file: &Path, LayersReport { core, network, layers, .. }: &LayersReport) -> Result<(), Failure> {
    let found =
        layers.iter().filter_map(|(design_layer, result)| Some((design_layer, &result.mapped.as_ref().ok()?.mapping)));
    let document = mapping_document(&format!("{} on {}", network.name, core.name), found);
    Ok(write(file, &write_mapping(&document))?)
}
