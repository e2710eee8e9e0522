//! Result files of studies.

use super::{Query, QueryEngine, Refusal, Reply};
use bytes::Bytes;
use fusescape_engine::explore::study::{DesignRow, StudyRequest};
use fusescape_results::{ResultFile, UnreadFile};
use serde::{Deserialize, Serialize};

/// What does a Parquet file of results hold?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadResults {
    /// Name of the file.
    pub name: String,
    /// Content of the file.
    pub bytes: Vec<u8>,
}

/// The content of a result file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileResults {
    /// The study, with all documents that it names.
    pub request: StudyRequest,
    /// One row per design.
    pub rows: Vec<DesignRow>,
    /// Whether the file has digests and was checked by them.
    pub is_checked: bool,
}

impl From<UnreadFile> for Refusal {
    fn from(why: UnreadFile) -> Self {
        Self::Failed(why.0)
    }
}

impl Query for ReadResults {
    type Reply = FileResults;

    fn answer(self, _: &mut QueryEngine) -> Reply<FileResults> {
        let (study, file) = ResultFile::open(&self.name, Bytes::from(self.bytes))?;
        let mut rows = Vec::new();
        file.rows(&study, &mut |some| -> Reply<()> {
            rows.extend(some);
            Ok(())
        })?;
        Ok(FileResults { request: study.request, rows, is_checked: file.is_checked() })
    }
}
