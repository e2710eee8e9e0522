//! Answers: the JSON of the command line, with `notes`.

use crate::blob::{Blob, Bytes};
use crate::question::{GivenFile, OnCore, Question};
use crate::{all_fields, fields};
use fusescape_command::depth_first::{SweepRow, sweep};
use fusescape_command::documents::{facts, presets};
use fusescape_command::layer::LayerOutcome;
use fusescape_command::run::run_and_tell;
use fusescape_command::study_front::{FrontRows, rows_by_column};
use fusescape_command::{self as command, CommandError, ProgressMonitor, written};
use fusescape_engine::explore::study::{DesignEvaluator, DesignSampler, DesignSpace, StudyRequest};
use fusescape_engine::explore::{AttentionRequest, mapping_document};
use fusescape_engine::hierarchy::HierarchyRequest;
use fusescape_engine::multicore::CoresRequest;
use fusescape_import as import;
use fusescape_report::trace::chrome_trace;
use fusescape_spec::{Diagnostics, write_mapping};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Limit on the designs of a study on one thread, whose rows are all in memory.
const MOST_DESIGNS: u64 = 100_000;

/// Answers a question. `bytes` gives access to its files.
///
/// # Errors
/// All errors of documents and options, or reasons why nothing fits.
pub fn answer(question: Question, bytes: &Bytes, monitor: &dyn ProgressMonitor) -> Result<Value, Diagnostics> {
    let found = match question {
        Question::DepthFirst(asked, is_single) => {
            let OnCore { hardware, network, options } = asked;
            let sweep = sweep(hardware, network, options.settings()?)?;
            let found = command::depth_first::depth_first(&sweep, monitor).map_err(reasons)?;
            if let (true, [SweepRow::Failed { reasons, .. }]) = (is_single, &found.findings.rows[..]) {
                return Err(reasons.clone());
            }
            with(written(found.json())?, [("notes", json!(all_fields(&sweep.notes())))])
        }
        Question::Optimal(OnCore { hardware, network, options }) => {
            let sweep = sweep(hardware, network, options.settings()?)?;
            let found = command::optimal::optimal(&sweep, options.limits(), monitor).map_err(reasons)?;
            with(written(found.json())?, [("notes", json!(all_fields(&sweep.notes())))])
        }
        Question::Fuse(OnCore { hardware, network, options }) => {
            let sweep = sweep(hardware, network, options.settings()?)?;
            let notes = json!(all_fields(&sweep.notes()));
            let found = command::fuse::fuse(sweep, options.limits(), monitor).map_err(reasons)?;
            with(written(found.json())?, [("notes", notes)])
        }
        Question::MapLayers(OnCore { hardware, network, options }, is_single) => {
            let found = command::layer::map_layers(hardware, network, &options.options()?, monitor).map_err(reasons)?;
            if let (true, [(_, LayerOutcome { mapped: Err(reasons), .. })]) = (is_single, &found.layers[..]) {
                return Err(reasons.clone());
            }
            let title = format!("{} on {}", found.network.name, found.core.name);
            let mapped = found.layers.iter();
            let mapped = mapped.filter_map(|(study, result)| Some((study, &result.mapped.as_ref().ok()?.mapping)));
            let mapping = write_mapping(&mapping_document(&title, mapped));
            let notes: Vec<Value> = found.notes().iter().map(fields).collect();
            with(written(found.json())?, [("notes", json!(notes)), ("mapping", mapping.into())])
        }
        Question::Hierarchies(pool, OnCore { hardware, network, options }) => {
            let settings = options.settings()?;
            let request = HierarchyRequest { pool, hardware, workload: network, settings };
            let found = command::hierarchy::hierarchies(&request, options.everything, monitor).map_err(reasons)?;
            with(written(found.json())?, [("notes", json!([])), ("hardware", found.best_document().into())])
        }
        Question::Cores(system, OnCore { hardware, network, options }) => {
            let (settings, options) = options.read()?;
            let request = CoresRequest { hardware, workload: network, system, settings };
            let found = command::cores::cores(request, &options, monitor).map_err(reasons)?;
            let notes: Vec<Value> = found.notes().iter().map(fields).collect();
            with(written(found.json())?, [("notes", json!(notes)), ("trace", chrome_trace(&found.account).into())])
        }
        Question::Attention(hardware, model, options) => {
            let (step, bits, objective, generated) = options.read()?;
            let request = AttentionRequest { hardware, model, step, bits, objective };
            let found = command::attention::attention(request, generated, monitor).map_err(reasons)?;
            with(written(found.json())?, [("notes", json!([]))])
        }
        Question::Study(request) => study(request, monitor)?,
        Question::Import(files, sizes) => imported(files, sizes, bytes)?,
        Question::Presets(kind) => {
            presets(kind).iter().map(|preset| (preset.id.to_owned(), Value::from(preset.title))).collect()
        }
        Question::Facts(kind, text) => written(serde_json::to_value(facts(kind, &text)?))?,
    };
    Ok(found)
}

/// The front of a study as printed by `fusescape study front`, and all rows.
fn study(request: StudyRequest, monitor: &dyn ProgressMonitor) -> Result<Value, Diagnostics> {
    let study = DesignSpace::new(request)?;
    let designs = study.designs();
    if designs > MOST_DESIGNS {
        let mut wrong = Diagnostics::default();
        let reason = format!("{designs} designs are more than the {MOST_DESIGNS} that a page has room for");
        wrong.add("axes", reason, "Give axes fewer values, or run the study with `fusescape study run`");
        return Err(wrong);
    }
    let study = Arc::new(study);
    let (mut rows, mut front) = (Vec::new(), FrontRows::default());
    let bench = || DesignEvaluator::new(Arc::clone(&study), Arc::default());
    run_and_tell(&mut DesignSampler::new(Arc::clone(&study)), bench, monitor, |sampler| {
        if let Some((_, found)) = sampler.completed() {
            rows.extend(found.iter().cloned());
            front.add(&study, found);
        }
        Ok::<(), CommandError>(())
    })
    .map_err(reasons)?;
    let rows = written(serde_json::to_value(rows_by_column(&study, &rows)))?;
    Ok(with(written(front.end(Arc::clone(&study)).json())?, [("rows", rows), ("notes", json!([]))]))
}

/// Documents by kind, and remarks on each file.
fn imported(files: Vec<GivenFile>, sizes: BTreeMap<String, u64>, bytes: &Bytes) -> Result<Value, Diagnostics> {
    let file = |(index, GivenFile { name, size }): (usize, GivenFile)| import::File {
        name,
        source: Box::new(Blob { bytes, index, size }),
    };
    let options = import::onnx::Options { sizes: sizes.into_iter().collect(), ..Default::default() };
    let imported = import::import(files.into_iter().enumerate().map(file).collect(), &options)?;
    let report: Vec<String> = imported.reports.iter().flat_map(import::ImportReport::lines).collect();
    let documents = [("hardware", imported.hardware), ("network", imported.workload), ("system", imported.system)];
    let documents = documents.into_iter().filter_map(|(kind, text)| Some((kind.to_owned(), json!(text?))));
    Ok(with(Value::Object(documents.collect::<Map<_, _>>()), [("report", json!(report))]))
}

/// A command is stopped together with its worker, so this case is not reported.
fn reasons(why: CommandError) -> Diagnostics {
    match why {
        CommandError::Wrong(wrong) => wrong,
        CommandError::Stopped => Diagnostics::default(),
    }
}

fn with<const N: usize>(mut found: Value, more: [(&str, Value); N]) -> Value {
    if let Some(found) = found.as_object_mut() {
        found.extend(more.map(|(name, value)| (name.to_owned(), value)));
    }
    found
}
