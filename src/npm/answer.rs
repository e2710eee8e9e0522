//! What is answered: what the command line prints as JSON, and `notes`.

use crate::question::{OnCore, Question};
use crate::{all_fields, fields};
use fusescape::command::depth_first::{Row, sweep};
use fusescape::command::documents::{facts, presets};
use fusescape::command::layer::LayerResult;
use fusescape::command::{self, NoResult, Watch};
use fusescape::explore::mapping_document;
use fusescape::hierarchy::HierarchyRequest;
use fusescape::multicore::CoresRequest;
use fusescape::spec::{Diagnostics, write_mapping};
use fusescape::trace::chrome_trace;
use serde_json::{Error, Value, json};

/// Answers a question.
///
/// # Errors
/// All that is wrong with documents and options, or why nothing fits.
pub fn answer(question: Question, watch: &dyn Watch) -> Result<Value, Diagnostics> {
    let found = match question {
        Question::DepthFirst(asked, is_single) => {
            let OnCore { hardware, network, options } = asked;
            let sweep = sweep(hardware, network, options.settings()?)?;
            let found = command::depth_first::depth_first(&sweep, watch).map_err(reasons)?;
            if let (true, [Row::Failed { reasons, .. }]) = (is_single, &found.findings.rows[..]) {
                return Err(reasons.clone());
            }
            with(written(found.json())?, [("notes", json!(all_fields(&sweep.notes())))])
        }
        Question::Optimal(OnCore { hardware, network, options }) => {
            let sweep = sweep(hardware, network, options.settings()?)?;
            let found = command::optimal::optimal(&sweep, options.limits(), watch).map_err(reasons)?;
            with(found.json(), [("notes", json!(all_fields(&sweep.notes())))])
        }
        Question::Fuse(OnCore { hardware, network, options }) => {
            let sweep = sweep(hardware, network, options.settings()?)?;
            let notes = json!(all_fields(&sweep.notes()));
            let found = command::fuse::fuse(sweep, options.limits(), watch).map_err(reasons)?;
            with(found.json(), [("notes", notes)])
        }
        Question::MapLayers(OnCore { hardware, network, options }, is_single) => {
            let found = command::layer::map_layers(hardware, network, &options.options()?, watch).map_err(reasons)?;
            if let (true, [(_, LayerResult { mapped: Err(reasons), .. })]) = (is_single, &found.layers[..]) {
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
            let found = command::hierarchy::hierarchies(&request, options.everything, watch).map_err(reasons)?;
            with(found.json(), [("notes", json!([])), ("hardware", found.best_document().into())])
        }
        Question::Cores(system, OnCore { hardware, network, options }) => {
            let (settings, options) = options.read()?;
            let request = CoresRequest { hardware, workload: network, system, settings };
            let found = command::cores::cores(request, &options, watch).map_err(reasons)?;
            let notes: Vec<Value> = found.notes().iter().map(fields).collect();
            with(found.json(), [("notes", json!(notes)), ("trace", chrome_trace(&found.account).into())])
        }
        Question::Presets(kind) => {
            presets(kind).iter().map(|preset| (preset.id.to_owned(), Value::from(preset.title))).collect()
        }
        Question::Facts(kind, text) => facts(kind, &text)?,
    };
    Ok(found)
}

/// A command is stopped with the worker that it runs in, so nobody hears of that here.
fn reasons(why: NoResult) -> Diagnostics {
    match why {
        NoResult::Wrong(wrong) => wrong,
        NoResult::Stopped => Diagnostics::default(),
    }
}

/// A number that JSON has no word for is told.
fn written(found: Result<Value, Error>) -> Result<Value, Diagnostics> {
    found.map_err(|why| {
        let mut wrong = Diagnostics::default();
        wrong.add("", format!("The result cannot be written as JSON: {why}"), "Use smaller figures");
        wrong
    })
}

fn with<const N: usize>(mut found: Value, more: [(&str, Value); N]) -> Value {
    if let Some(found) = found.as_object_mut() {
        found.extend(more.map(|(name, value)| (name.to_owned(), value)));
    }
    found
}
