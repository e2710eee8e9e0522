//! The commands: texts of documents and options as input, JSON and remarks as output.

use crate::errors::{DiagnosticFields, all_fields, error, fields};
use crate::work::{ProgressCallback, shared_pool, work};
use fusescape_command::depth_first::SweepRow;
use fusescape_command::layer::LayerOutcome;
use fusescape_command::options::{
    AttentionOptions, CoresOptions, HierarchyOptions, LayerOptions, LinkOptions, SweepOptions,
};
use fusescape_command::{self as command, CommandError, written};
use fusescape_engine::explore::{AttentionRequest, mapping_document};
use fusescape_engine::hierarchy::HierarchyRequest;
use fusescape_engine::multicore::CoresRequest;
use fusescape_report::trace::chrome_trace;
use fusescape_spec::{Diagnostics, write_mapping};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pythonize::depythonize;
use serde_json::{Error, Value};

/// The JSON report of a command, and remarks.
type CommandOutput = (String, Vec<DiagnosticFields>);

/// The same, with a text in another format.
type FoundWithText = (String, Vec<DiagnosticFields>, String);

/// A sweep of depth-first schedules. `is_single`: it has one point, and an error if that cannot be scheduled.
#[pyfunction]
pub fn depth_first(
    py: Python<'_>,
    hardware: String,
    network: String,
    options: &Bound<'_, PyAny>,
    is_single: bool,
    progress: ProgressCallback<'_>,
) -> PyResult<CommandOutput> {
    let options: SweepOptions = depythonize(options)?;
    let settings = options.settings().map_err(all)?;
    work(py, shared_pool()?, progress, move |monitor| {
        let sweep = command::depth_first::sweep(hardware, network, settings)?;
        let found = command::depth_first::depth_first(&sweep, monitor)?;
        if let (true, [SweepRow::Failed { reasons, .. }]) = (is_single, &found.findings.rows[..]) {
            return Err(CommandError::Wrong(reasons.clone()));
        }
        Ok((text(found.json())?, all_fields(&sweep.notes())))
    })
}

/// Jointly optimal stacks, tile sizes and modes.
#[pyfunction]
pub fn optimal(
    py: Python<'_>,
    hardware: String,
    network: String,
    options: &Bound<'_, PyAny>,
    progress: ProgressCallback<'_>,
) -> PyResult<CommandOutput> {
    let options: SweepOptions = depythonize(options)?;
    let (settings, limits) = (options.settings().map_err(all)?, options.limits());
    work(py, shared_pool()?, progress, move |monitor| {
        let sweep = command::depth_first::sweep(hardware, network, settings)?;
        let found = command::optimal::optimal(&sweep, limits, monitor)?;
        Ok((text(found.json())?, all_fields(&sweep.notes())))
    })
}

/// Methods of fusion, compared.
#[pyfunction]
pub fn fuse(
    py: Python<'_>,
    hardware: String,
    network: String,
    options: &Bound<'_, PyAny>,
    progress: ProgressCallback<'_>,
) -> PyResult<CommandOutput> {
    let options: SweepOptions = depythonize(options)?;
    let (settings, limits) = (options.settings().map_err(all)?, options.limits());
    work(py, shared_pool()?, progress, move |monitor| {
        let sweep = command::depth_first::sweep(hardware, network, settings)?;
        let notes = all_fields(&sweep.notes());
        Ok((text(command::fuse::fuse(sweep, limits, monitor)?.json())?, notes))
    })
}

/// Mappings of single layers, and a document of them. `is_single`: there is one layer, and an error if it cannot be
/// mapped.
#[pyfunction]
pub fn map_layers(
    py: Python<'_>,
    hardware: String,
    network: String,
    options: &Bound<'_, PyAny>,
    is_single: bool,
    progress: ProgressCallback<'_>,
) -> PyResult<FoundWithText> {
    let options: LayerOptions = depythonize(options)?;
    let options = options.options().map_err(all)?;
    work(py, shared_pool()?, progress, move |monitor| {
        let found = command::layer::map_layers(hardware, network, &options, monitor)?;
        if let (true, [(_, LayerOutcome { mapped: Err(reasons), .. })]) = (is_single, &found.layers[..]) {
            return Err(CommandError::Wrong(reasons.clone()));
        }
        let (core, network) = (&found.core.name, &found.network.name);
        let mapped = found.layers.iter();
        let mapped =
            mapped.filter_map(|(design_layer, result)| Some((design_layer, &result.mapped.as_ref().ok()?.mapping)));
        let document = write_mapping(&mapping_document(&format!("{network} on {core}"), mapped));
        Ok((text(found.json())?, found.notes().iter().map(fields).collect(), document))
    })
}

/// The best memory hierarchies, and the hardware document of the best.
#[pyfunction]
pub fn hierarchies(
    py: Python<'_>,
    pool: String,
    hardware: String,
    network: String,
    options: &Bound<'_, PyAny>,
    progress: ProgressCallback<'_>,
) -> PyResult<FoundWithText> {
    let options: HierarchyOptions = depythonize(options)?;
    let (settings, everything) = (options.settings().map_err(all)?, options.everything);
    work(py, shared_pool()?, progress, move |monitor| {
        let request = HierarchyRequest { pool, hardware, workload: network, settings };
        let found = command::hierarchy::hierarchies(&request, everything, monitor)?;
        Ok((text(found.json())?, Vec::new(), found.best_document()))
    })
}

/// The best schedule on many cores, and its trace.
#[pyfunction]
pub fn cores(
    py: Python<'_>,
    system: String,
    hardware: String,
    network: String,
    options: &Bound<'_, PyAny>,
    progress: ProgressCallback<'_>,
) -> PyResult<FoundWithText> {
    let options: CoresOptions = depythonize(options)?;
    let (settings, options) = options.read().map_err(all)?;
    work(py, shared_pool()?, progress, move |monitor| {
        let request = CoresRequest { hardware, workload: network, system, settings };
        let found = command::cores::cores(request, &options, monitor)?;
        Ok((text(found.json())?, found.notes().iter().map(fields).collect(), chrome_trace(&found.account)))
    })
}

/// The exception with all unknown words.
fn all(wrong: Diagnostics) -> PyErr {
    error(&wrong)
}

/// One step of a transformer, and generation after it.
#[pyfunction]
pub fn attention(
    py: Python<'_>,
    hardware: String,
    model: String,
    options: &Bound<'_, PyAny>,
    progress: ProgressCallback<'_>,
) -> PyResult<CommandOutput> {
    let options: AttentionOptions = depythonize(options)?;
    let (step, bits, objective, generated) = options.read().map_err(all)?;
    work(py, shared_pool()?, progress, move |monitor| {
        let request = AttentionRequest { hardware, model, step, bits, objective };
        let found = command::attention::attention(request, generated, monitor)?;
        Ok((text(found.json())?, Vec::new()))
    })
}

/// A step of a transformer on several cores, divided in every way.
#[pyfunction]
pub fn divided_attention(
    py: Python<'_>,
    hardware: String,
    model: String,
    options: &Bound<'_, PyAny>,
    links: &Bound<'_, PyAny>,
    progress: ProgressCallback<'_>,
) -> PyResult<CommandOutput> {
    let options: AttentionOptions = depythonize(options)?;
    let (step, bits, objective, _) = options.read().map_err(all)?;
    let links: LinkOptions = depythonize(links)?;
    let cores = links.cores().ok_or_else(|| PyTypeError::new_err("cores: give their number"))?;
    work(py, shared_pool()?, progress, move |monitor| {
        let request = AttentionRequest { hardware, model, step, bits, objective };
        let found = command::attention::on_cores(request, cores, monitor)?;
        Ok((text(found.json())?, Vec::new()))
    })
}

/// The dataflows of the FuseMax artifact for the heads and tokens of a step.
#[pyfunction]
pub fn published_attention(
    py: Python<'_>,
    hardware: String,
    model: String,
    options: &Bound<'_, PyAny>,
    as_published: bool,
) -> PyResult<CommandOutput> {
    let options: AttentionOptions = depythonize(options)?;
    let (step, bits, objective, _) = options.read().map_err(all)?;
    work(py, shared_pool()?, None, move |_| {
        let request = AttentionRequest { hardware, model, step, bits, objective };
        Ok((text(command::attention::published(&request, as_published)?.json())?, Vec::new()))
    })
}

/// JSON as text; a number that is not finite is an error.
fn text(found: Result<Value, Error>) -> Result<String, CommandError> {
    Ok(written(found)?.to_string())
}
