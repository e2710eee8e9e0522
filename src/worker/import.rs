//! Import of files chosen by a person: in a worker of its own, reading slices on demand.

use super::{WorkerEngine, to_array};
use crate::import::{self, ByteSource, Imported};
use crate::pieces::piece_fn;
use crate::spec::Diagnostics;
use js_sys::Uint8Array;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, File, FileReaderSync};
use web_time::{Duration, Instant};

/// Time between two reports of progress.
const NEWS: Duration = Duration::from_millis(100);

/// A message of a worker that imports.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum ImportNews {
    /// Progress in bytes.
    Progress {
        /// Bytes passed, read or skipped.
        done: f64,
        /// Bytes of all files.
        of: f64,
    },
    /// The documents, or the errors of the files.
    Done(Result<Imported, Diagnostics>),
}

#[wasm_bindgen]
impl WorkerEngine {
    /// Imports files that belong together, an ONNX model as a transformer or as a network; reports progress, and
    /// returns [`ImportNews::Done`].
    ///
    /// # Errors
    /// If the browser cannot read files here; the text `import` if the code that imports cannot be fetched.
    pub async fn import(files: Vec<File>, as_transformer: bool) -> Result<Uint8Array, JsValue> {
        let import = importer().await.map_err(|_| JsValue::from_str("import"))?;
        let of = files.iter().map(|file| file.size()).sum();
        let progress = Rc::new(RefCell::new(ImportProgress { before: 0.0, of, last: Instant::now() }));
        let mut sources = Vec::new();
        for file in files {
            let source = BlobSource { reader: FileReaderSync::new()?, progress: Rc::clone(&progress), file };
            sources.push(import::File { name: source.file.name(), source: Box::new(source) });
        }
        Ok(to_array(&ImportNews::Done(import(sources, as_transformer)))?)
    }
}

/// The function that imports files.
type ImportFn = fn(Vec<import::File<'static>>, bool) -> Result<Imported, Diagnostics>;

piece_fn! {
    import,
    /// Fetched separately, as few people import.
    fn importer() -> ImportFn {
        |files, as_transformer| import::import(files, &import::onnx::Options { as_transformer, ..Default::default() })
    }
}

struct ImportProgress {
    before: f64,
    of: f64,
    last: Instant,
}

impl ImportProgress {
    fn passed(&mut self, offset: u64) {
        if self.last.elapsed() >= NEWS {
            self.last = Instant::now();
            let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
            if let Ok(news) = to_array(&ImportNews::Progress { done: self.before + offset as f64, of: self.of }) {
                // A lost message is followed by others.
                let _ = scope.post_message(&news);
            }
        }
    }
}

struct BlobSource {
    file: File,
    reader: FileReaderSync,
    progress: Rc<RefCell<ImportProgress>>,
}

impl ByteSource for BlobSource {
    fn len(&self) -> u64 {
        self.file.size() as u64
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let end = offset.saturating_add(buffer.len() as u64).min(self.len());
        let unreadable = |_| io::Error::other("the browser cannot read it any more: it may have changed");
        let slice = self.file.slice_with_f64_and_f64(offset.min(end) as f64, end as f64).map_err(unreadable)?;
        let bytes = Uint8Array::new(&self.reader.read_as_array_buffer(&slice).map_err(unreadable)?.into());
        let count = bytes.length() as usize;
        bytes.copy_to(buffer.get_mut(..count).ok_or(io::ErrorKind::InvalidData)?);
        self.progress.borrow_mut().passed(offset);
        Ok(count)
    }
}

impl Drop for BlobSource {
    fn drop(&mut self) {
        self.progress.borrow_mut().before += self.file.size();
    }
}
