//! Sources of the bytes of a file: a file on disk, one chosen on the page, or bytes in memory.

use fusescape_spec::{Diagnostics, visible};
use std::io::{self, Read, Seek, SeekFrom};

/// Random access to bytes.
pub trait ByteSource {
    /// Number of bytes.
    fn len(&self) -> u64;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads some bytes at `offset`: at least one unless it is the end, at most as many as fit into `buffer`.
    ///
    /// # Errors
    /// If the bytes cannot be read.
    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// All bytes, if there are at most `most`.
    ///
    /// # Errors
    /// If there are more, or they cannot be read.
    fn read_all(&mut self, most: u64) -> io::Result<Vec<u8>> {
        if self.len() > most {
            return Err(io::Error::other(format!("it has {} bytes, more than {most}", self.len())));
        }
        let mut bytes = vec![0; self.len() as usize];
        let mut done = 0;
        while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match self.read_at(done as u64, rest)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => done += count,
            }
        }
        Ok(bytes)
    }
}

impl ByteSource for &[u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// A reader with a position, such as a file on disk.
pub struct Seekable<R> {
    inner: R,
    len: u64,
}

impl<R: Read + Seek> Seekable<R> {
    /// Determines the length.
    ///
    /// # Errors
    /// If seeking fails.
    pub fn new(mut inner: R) -> io::Result<Self> {
        let len = inner.seek(SeekFrom::End(0))?;
        Ok(Self { inner, len })
    }
}

impl<R: Read + Seek> ByteSource for Seekable<R> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.seek(SeekFrom::Start(offset))?;
        self.inner.read(buffer)
    }
}

/// The bytes of a file as text.
///
/// # Errors
/// If they are not UTF-8.
pub fn text_of(name: &str, bytes: Vec<u8>) -> Result<String, Diagnostics> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let is_utf_16 = matches!(error.as_bytes(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
        let what = if is_utf_16 {
            ", but begins as UTF-16 does".into()
        } else {
            format!(": byte {} is no part of it", at + 1)
        };
        let mut diagnostics = Diagnostics::default();
        let reason = format!("`{}` is not written in UTF-8{what}", visible(name));
        diagnostics.add("", reason, "If it is a text, save it as UTF-8; else choose another file");
        diagnostics
    })
}
