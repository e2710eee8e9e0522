//! Bytes of files of a page, read on demand: of a large model only its graph is read.

use fusescape_import::ByteSource;
use js_sys::{Function, Uint8Array};
use std::io;
use wasm_bindgen::{JsCast, JsValue};

/// The bytes of all files of a question, as a function `read(file, start, end)` that returns a `Uint8Array`.
pub struct Bytes {
    pub read: Function,
}

/// One of the files of a question.
pub struct Blob<'b> {
    pub bytes: &'b Bytes,
    /// Index of the file.
    pub index: usize,
    /// Size of the file, bytes.
    pub size: u64,
}

impl ByteSource for Blob<'_> {
    fn len(&self) -> u64 {
        self.size
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let end = offset.saturating_add(buffer.len() as u64).min(self.size);
        let [index, start, end] = [self.index as u64, offset.min(end), end].map(|number| JsValue::from(number as f64));
        let unreadable = || io::Error::other("the browser cannot read it any more: it may have changed");
        let read = self.bytes.read.call3(&JsValue::NULL, &index, &start, &end).map_err(|_| unreadable())?;
        let read: Uint8Array = read.dyn_into().map_err(|_| unreadable())?;
        let count = read.length() as usize;
        read.copy_to(buffer.get_mut(..count).ok_or(io::ErrorKind::InvalidData)?);
        Ok(count)
    }
}
