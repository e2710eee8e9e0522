//! The searches of several layers, each by itself, on all cores.

use super::layer::{LayerOutcome, LayerOutcomes};
use super::run::run;
use super::{CommandError, ProgressMonitor};
use fusescape_engine::explore::DesignLayer;
use fusescape_engine::job::{Job, OpenParts, Progress, Worker};
use fusescape_spec::Diagnostics;
use std::collections::BTreeMap;

/// Searches a layer, and tells a monitor how far it is.
///
/// # Errors
/// If it was stopped.
pub type SearchOfLayer<'s> =
    dyn Fn(DesignLayer, &dyn ProgressMonitor) -> Result<(DesignLayer, LayerOutcome), CommandError> + Sync + 's;

/// Searches all layers; their outcomes are in the same order. One layer alone tells its own progress; of several the
/// monitor is told how many are done.
///
/// # Errors
/// If it was stopped.
pub fn search_each(
    layers: &[DesignLayer],
    search: &SearchOfLayer<'_>,
    monitor: &dyn ProgressMonitor,
) -> Result<LayerOutcomes, CommandError> {
    if let [layer] = layers {
        return Ok(vec![search(layer.clone(), monitor)?]);
    }
    let mut searches = LayerSearches { layers, left: OpenParts::all(layers.len()), found: BTreeMap::new() };
    let one_of_many = &OneOfMany(monitor);
    run(&mut searches, || (search, one_of_many as &dyn ProgressMonitor), monitor)?;
    Ok(searches.found.into_values().collect())
}

/// The job: its tasks are the layers.
struct LayerSearches<'s> {
    layers: &'s [DesignLayer],
    /// Layers that no worker has.
    left: OpenParts,
    found: BTreeMap<usize, (DesignLayer, LayerOutcome)>,
}

impl<'s> Job for LayerSearches<'s> {
    type Bench = (&'s SearchOfLayer<'s>, &'s dyn ProgressMonitor);
    type Task = (usize, &'s DesignLayer);
    /// `None` where the search was stopped.
    type Done = Option<(DesignLayer, LayerOutcome)>;

    fn run(
        (search, monitor): &mut Self::Bench,
        (_, layer): &Self::Task,
        _: &mut dyn FnMut() -> bool,
    ) -> Result<Self::Done, Diagnostics> {
        Ok(search((*layer).clone(), *monitor).ok())
    }

    fn next(&mut self, worker: Worker) -> Option<Self::Task> {
        let number = self.left.next(worker.of, 1)?.start;
        Some((number, self.layers.get(number)?))
    }

    fn take(&mut self, task: Self::Task, done: Self::Done) {
        match done {
            Some(found) => drop(self.found.insert(task.0, found)),
            None => self.put_back(task),
        }
    }

    fn put_back(&mut self, (number, _): Self::Task) {
        self.left.put_back(number..number + 1);
    }

    fn progress(&self) -> Progress {
        Progress { done: self.found.len(), all: self.layers.len(), unit: "layers", are_alike: false }
    }
}

/// Is told nothing of one layer among many, and stops where the work on all of them does.
struct OneOfMany<'w>(&'w dyn ProgressMonitor);

impl ProgressMonitor for OneOfMany<'_> {
    fn begin(&self, _: usize, _: &str) {}
    fn advance(&self, _: usize) {}
    fn recount(&self, _: usize) {}
    fn end(&self) {}

    fn goes_on(&self) -> bool {
        self.0.goes_on()
    }
}
