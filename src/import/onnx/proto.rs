//! A reader of protocol buffers, field by field; skipped fields are not kept.
//! A library would decode a whole message, with all weights; this takes memory only for the graph, also of a file of
//! gigabytes.

use crate::source::ByteSource;

/// Bytes read at a time.
const CHUNK: usize = 1 << 16;
/// Limit on the fields of a file; weights written number by number would exceed it.
const MAX_FIELDS: u64 = 1 << 24;
/// Limit on the memory kept of a whole file, bytes: nodes, names and small tensors.
const MAX_KEPT: usize = 128 << 20;
/// Memory that the allocator adds to a text or a list, bytes.
const OVERHEAD: usize = 16;

/// The reason why reading ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Offset in bytes.
    pub at: u64,
    pub reason: String,
    /// Whether the file may be valid but exceeds a limit.
    pub is_too_much: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldContent {
    Number(u64),
    /// Four bytes.
    Fixed32(u32),
    /// Eight bytes.
    Fixed64(u64),
    /// Bytes or a message up to this offset; a caller that skips it must continue there.
    Until(u64),
}

/// A reading position in a file.
pub struct ProtoReader<'s> {
    source: &'s mut dyn ByteSource,
    buffer: Vec<u8>,
    /// File offset of the buffer's first byte.
    start: u64,
    at: u64,
    fields: u64,
    kept: usize,
}

impl<'s> ProtoReader<'s> {
    /// Begins at the beginning.
    pub fn new(source: &'s mut dyn ByteSource) -> Self {
        Self { source, buffer: Vec::new(), start: 0, at: 0, fields: 0, kept: 0 }
    }

    /// Number of bytes of the whole file.
    pub fn len(&self) -> u64 {
        self.source.len()
    }

    /// Continues at `offset`.
    pub fn go_to(&mut self, offset: u64) {
        self.at = offset;
    }

    /// An error at the current position.
    pub fn fault<T>(&self, reason: impl Into<String>) -> Result<T, Fault> {
        Err(Fault { at: self.at, reason: reason.into(), is_too_much: false })
    }

    /// An exceeded limit at the current position.
    pub fn too_much<T>(&self, reason: impl Into<String>) -> Result<T, Fault> {
        Err(Fault { at: self.at, reason: reason.into(), is_too_much: true })
    }

    /// The next field of a message that ends at `end`; `None` at the end. The caller must have read or skipped the
    /// content of the field before.
    pub fn field(&mut self, end: u64) -> Result<Option<(u64, FieldContent)>, Fault> {
        if self.at >= end {
            return if self.at == end { Ok(None) } else { self.fault("a field is longer than its message") };
        }
        self.fields += 1;
        if self.fields > MAX_FIELDS {
            return self.too_much(format!("there are more than {MAX_FIELDS} fields"));
        }
        let tag = self.number()?;
        let content = match tag & 7 {
            0 => FieldContent::Number(self.number()?),
            1 => FieldContent::Fixed64(u64::from_le_bytes(self.array()?)),
            5 => FieldContent::Fixed32(u32::from_le_bytes(self.array()?)),
            2 => {
                let length = self.number()?;
                match self.at.checked_add(length).filter(|until| *until <= end) {
                    Some(until) => FieldContent::Until(until),
                    None => return self.fault(format!("a field of {length} bytes does not fit into its message")),
                }
            }
            other => return self.fault(format!("there is no field of kind {other}")),
        };
        if tag >> 3 == 0 {
            return self.fault("there is no field 0");
        }
        Ok(Some((tag >> 3, content)))
    }

    /// Appends an item to a list, and counts its memory: a message of two bytes may become a node.
    pub fn push<T>(&mut self, into: &mut Vec<T>, item: T) -> Result<(), Fault> {
        self.keep(size_of::<T>())?;
        into.push(item);
        Ok(())
    }

    /// A text that ends at `until`.
    pub fn text(&mut self, until: u64, most: usize) -> Result<String, Fault> {
        Ok(String::from_utf8_lossy(&self.bytes(until, most)?).into_owned())
    }

    /// The bytes that end at `until`, at most `most`.
    pub fn bytes(&mut self, until: u64, most: usize) -> Result<Vec<u8>, Fault> {
        let count = until.saturating_sub(self.at);
        if count > most as u64 {
            return self.fault(format!("{count} bytes where at most {most} make sense"));
        }
        self.keep(count as usize + OVERHEAD)?;
        let mut bytes = Vec::with_capacity(count as usize);
        while self.at < until {
            bytes.push(self.byte()?);
        }
        Ok(bytes)
    }

    /// Bytes left until `until`.
    pub fn left(&self, until: u64) -> u64 {
        until.saturating_sub(self.at)
    }

    /// The bits of an element of `size` bytes, at most 8.
    pub fn element(&mut self, size: u64) -> Result<u64, Fault> {
        (0..size).try_fold(0, |bits, place| Ok(bits | u64::from(self.byte()?) << (8 * place.min(7))))
    }

    /// Numbers: a single one, or packed ones; at most `most` are kept.
    pub fn numbers(&mut self, content: FieldContent, into: &mut Vec<u64>, most: usize) -> Result<(), Fault> {
        match content {
            FieldContent::Number(number) | FieldContent::Fixed64(number) if into.len() < most => {
                self.keep(8)?;
                into.push(number);
            }
            FieldContent::Until(until) => {
                while self.at < until {
                    let number = self.number()?;
                    if into.len() < most {
                        self.keep(8)?;
                        into.push(number);
                    }
                }
                if self.at > until {
                    return self.fault("a number is cut off");
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn keep(&mut self, bytes: usize) -> Result<(), Fault> {
        self.kept = self.kept.saturating_add(bytes);
        if self.kept > MAX_KEPT {
            self.too_much(format!("the graph alone takes more than {} MiB of memory", MAX_KEPT >> 20))
        } else {
            Ok(())
        }
    }

    fn number(&mut self) -> Result<u64, Fault> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        self.fault("a number has more than ten bytes")
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut array = [0; N];
        for byte in &mut array {
            *byte = self.byte()?;
        }
        Ok(array)
    }

    fn byte(&mut self) -> Result<u8, Fault> {
        let inside = self.at.checked_sub(self.start).and_then(|index| self.buffer.get(index as usize).copied());
        let byte = match inside {
            Some(byte) => byte,
            None => self.refill()?,
        };
        self.at += 1;
        Ok(byte)
    }

    /// Refills the buffer from here on, and returns the first byte.
    fn refill(&mut self) -> Result<u8, Fault> {
        self.buffer.resize(CHUNK, 0);
        self.start = self.at;
        let count = match self.source.read_at(self.at, &mut self.buffer) {
            Ok(count) => count,
            Err(error) => return self.fault(format!("the file cannot be read: {error}")),
        };
        self.buffer.truncate(count);
        match self.buffer.first() {
            Some(byte) => Ok(*byte),
            None => self.fault("the file ends in the middle"),
        }
    }
}
