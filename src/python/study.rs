//! Studies: one document, many designs, results in a file.

use crate::arrow::Rows;
use crate::errors::{error, failed, no_result};
use crate::work::{ProgressCallback, own_pool, shared_pool, work};
use fusescape_command::study::{Shard, estimate, front_of_file, merge, open, read, run, study_json};
use fusescape_command::written;
use fusescape_engine::explore::study::{StudyCosts, StudyRequest};
use fusescape_results::key_of;
use fusescape_spec::Diagnostics;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Documents with their names in a study.
type Named = Vec<(String, String)>;

/// Text, hardware documents, networks and systems.
type StudyDocuments = (String, Named, Named, Named);

fn in_parts(request: &StudyRequest) -> StudyDocuments {
    let StudyRequest { text, hardware, networks, systems } = request.clone();
    (text, hardware, networks, systems)
}

/// A validated study, and the mapping problems that this process has solved for it.
#[pyclass(frozen, module = "fusescape._fusescape")]
pub struct Study {
    study: Arc<fusescape_engine::explore::study::DesignSpace>,
    costs: Arc<StudyCosts>,
}

impl Study {
    fn of(study: Result<fusescape_engine::explore::study::DesignSpace, Diagnostics>) -> PyResult<Self> {
        let study = study.map_err(|wrong| error(&wrong))?;
        Ok(Self { study: Arc::new(study), costs: Arc::default() })
    }
}

#[pymethods]
impl Study {
    /// A study with all documents that it depends on.
    #[new]
    fn new(text: String, hardware: Named, networks: Named, systems: Named) -> PyResult<Self> {
        Self::of(fusescape_engine::explore::study::DesignSpace::new(StudyRequest { text, hardware, networks, systems }))
    }

    /// A study with the documents that it names: given ones, files relative to `folder`, and presets.
    #[staticmethod]
    fn read(text: String, folder: PathBuf, given: Named) -> PyResult<Self> {
        Self::of(read(text, &folder, &given))
    }

    /// Text, hardware documents, networks and systems of the study.
    fn request(&self) -> StudyDocuments {
        in_parts(&self.study.request)
    }

    /// A key that only equal studies share.
    fn key(&self) -> String {
        key_of(&self.study)
    }

    /// A summary of the study, as JSON.
    fn facts(&self) -> PyResult<String> {
        written(study_json(&self.study, None)).map(|facts| facts.to_string()).map_err(|wrong| error(&wrong))
    }

    /// Estimates the duration of the study: seconds, and number of designs measured.
    fn estimate(&self, py: Python<'_>) -> PyResult<(f64, u64)> {
        let study = Arc::clone(&self.study);
        let found = work(py, shared_pool()?, None, move |_| estimate(&study))?;
        Ok((found.all.as_secs_f64(), found.measured))
    }

    /// Writes the results of shard number `index` of `count` into a file, or resumes. `threads`: for this work alone;
    /// 0: the threads of the process.
    fn run(
        &self,
        py: Python<'_>,
        out: PathBuf,
        index: u64,
        count: u64,
        threads: usize,
        progress: ProgressCallback<'_>,
    ) -> PyResult<()> {
        let (study, costs) = (Arc::clone(&self.study), Arc::clone(&self.costs));
        let pool = if threads == 0 { shared_pool()? } else { own_pool(threads)? };
        work(py, pool, progress, move |monitor| {
            run(&study, Shard { index, count }, &out, &costs, monitor).map(drop).map_err(no_result)
        })
    }
}

/// Merges the files of all shards of a study into one.
#[pyfunction]
pub fn merge_shards(py: Python<'_>, shards: Vec<PathBuf>, out: PathBuf) -> PyResult<u64> {
    work(py, shared_pool()?, None, move |_| merge(&shards, &out).map(|report| report.designs).map_err(no_result))
}

/// Results of a study, read from a file.
#[pyclass(frozen, module = "fusescape._fusescape")]
pub struct Results {
    path: PathBuf,
    request: StudyRequest,
    rows: u64,
}

#[pymethods]
impl Results {
    /// Results in a file, which may come from any source.
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let (study, file) = open(&path).map_err(failed)?;
        Ok(Self { path, request: study.request.clone(), rows: file.count() })
    }

    /// Text, hardware documents, networks and systems of the study.
    fn request(&self) -> StudyDocuments {
        in_parts(&self.request)
    }

    /// Number of designs.
    fn __len__(&self) -> usize {
        usize::try_from(self.rows).unwrap_or(usize::MAX)
    }

    /// The rows, read on demand.
    fn rows(&self) -> PyResult<Rows> {
        Rows::of_file(self.path.clone()).map_err(failed)
    }

    /// The Pareto front as JSON, and its rows.
    fn front(&self, py: Python<'_>) -> PyResult<(String, Vec<String>, Rows)> {
        let path = self.path.clone();
        let found = work(py, shared_pool()?, None, move |_| front_of_file(&path).map_err(no_result))?;
        let (columns, cells) = found.cells();
        let text = written(found.json()).map_err(|wrong| error(&wrong))?.to_string();
        Ok((text, found.notes(), Rows::of_cells(&columns, cells)?))
    }
}
