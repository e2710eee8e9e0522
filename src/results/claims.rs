//! Checks of the sizes that a Parquet file claims, made before the library relies on them: the library iterates over
//! lists of any length claimed by a few bytes, and allocates pages of any size.
//!
//! The file's footer and the header of each page are structures in Thrift's compact protocol (its specification,
//! "Thrift Compact protocol encoding"; Parquet's `parquet.thrift`).

use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;

/// Largest uncompressed page, bytes. Writers end a page at about 1 MiB.
const LARGEST_PAGE: i64 = 64 << 20;
/// Limit on the nesting of values.
const DEEPEST: u8 = 24;
/// Bytes that contain nearly every page header.
const HEAD: u64 = 4096;
/// The end of a file: the size of the footer, in four bytes, and these.
const END: &[u8] = b"PAR1";
/// Field of a page header: uncompressed size.
const UNPACKED: i64 = 2;
/// Field of a page header: compressed size.
const PACKED: i64 = 3;

/// Whether the footer of a file claims no more than its bytes can hold.
pub fn end_is_sound(file: &impl ChunkReader) -> bool {
    let is_sound = || {
        let before = file.len().checked_sub(8)?;
        let end = file.get_bytes(before, 8).ok()?;
        let size = u64::from(u32::from_le_bytes(end.first_chunk().copied()?));
        let begin = before.checked_sub(size)?;
        Rest(&file.get_bytes(begin, size.try_into().ok()?).ok()?).structure(0, &mut |_, _| {})?;
        (end.get(4..)? == END).then_some(())
    };
    is_sound().is_some()
}

/// Whether all columns lie within the file, and none of their pages is too large.
pub fn columns_are_sound(file: &impl ChunkReader, metadata: &ParquetMetaData) -> bool {
    let mut columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    columns.all(|column| column_is_sound(file, column).is_some())
}

fn column_is_sound(file: &impl ChunkReader, column: &ColumnChunkMetaData) -> Option<()> {
    let begin = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
    let mut at = u64::try_from(begin).ok()?;
    let end = at.checked_add(column.compressed_size().try_into().ok()?).filter(|&end| end <= file.len())?;
    while at < end {
        at = at.checked_add(page(file, at, end - at)?)?;
    }
    Some(())
}

/// Bytes of the page at this offset, with its header; `None` if it is malformed or too large.
fn page(file: &impl ChunkReader, at: u64, left: u64) -> Option<u64> {
    let mut room = HEAD;
    loop {
        let bytes = file.get_bytes(at, room.min(left).try_into().ok()?).ok()?;
        let (mut packed, mut unpacked) = (None, None);
        let mut rest = Rest(&bytes);
        let head = rest.structure(0, &mut |field, value| match field {
            PACKED => packed = u64::try_from(value).ok(),
            UNPACKED => unpacked = Some(value),
            _ => {}
        });
        match head {
            Some(()) => {
                unpacked.filter(|size| (0..=LARGEST_PAGE).contains(size))?;
                return packed?.checked_add((bytes.len() - rest.0.len()) as u64);
            }
            None if room >= left => return None,
            None => room *= 4,
        }
    }
}

/// The unread bytes of a structure.
struct Rest<'b>(&'b [u8]);

impl Rest<'_> {
    fn skip(&mut self, count: u64) -> Option<i64> {
        self.0 = self.0.get(usize::try_from(count).ok()?..)?;
        Some(0)
    }

    fn byte(&mut self) -> Option<u8> {
        let first = *self.0.first()?;
        self.skip(1)?;
        Some(first)
    }

    fn count(&mut self) -> Option<u64> {
        let mut count = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            count |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(count);
            }
        }
        None
    }

    /// A number with its sign in the lowest bit (zigzag encoding).
    fn number(&mut self) -> Option<i64> {
        let bits = self.count()?;
        Some((bits >> 1) as i64 ^ -((bits & 1) as i64))
    }

    /// Walks through a structure, and passes on the number of every field with its value if that is an integer, else 0.
    fn structure(&mut self, depth: u8, each: &mut dyn FnMut(i64, i64)) -> Option<()> {
        let mut field = 0_i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            field = match head >> 4 {
                0 => self.number()?,
                further => field.checked_add(further.into())?,
            };
            // The header contains the value of a boolean field.
            let value = if matches!(head & 15, 1 | 2) { 0 } else { self.value(head & 15, depth)? };
            each(field, value);
        }
    }

    /// Walks through a value of this kind. Every item of a list or a map takes at least one byte, so the bytes left
    /// limit their number.
    fn value(&mut self, kind: u8, depth: u8) -> Option<i64> {
        let deeper = depth + 1;
        match kind {
            1..=3 => self.skip(1),
            4..=6 => self.number(),
            7 => self.skip(8),
            8 => {
                let bytes = self.count()?;
                self.skip(bytes)
            }
            9 | 10 if deeper < DEEPEST => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.count()? } else { u64::from(head >> 4) };
                self.values(count, &[head & 15], deeper)
            }
            11 if deeper < DEEPEST => match self.count()? {
                0 => Some(0),
                count => {
                    let kinds = self.byte()?;
                    self.values(count, &[kinds >> 4, kinds & 15], deeper)
                }
            },
            12 if deeper < DEEPEST => self.structure(deeper, &mut |_, _| {}).map(|()| 0),
            13 => self.skip(16),
            _ => None,
        }
    }

    fn values(&mut self, count: u64, kinds: &[u8], depth: u8) -> Option<i64> {
        if count > self.0.len() as u64 {
            return None;
        }
        for _ in 0..count {
            for &kind in kinds {
                self.value(kind, depth)?;
            }
        }
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Rest, page};
    use bytes::Bytes;

    /// The end of a structure.
    const STOP: u8 = 0;

    fn goes_through(bytes: &[u8]) -> bool {
        let mut rest = Rest(bytes);
        rest.structure(0, &mut |_, _| {}).is_some() && rest.0.is_empty()
    }

    #[test]
    fn every_kind_of_value_is_gone_through_and_what_is_cut_off_is_none() {
        // true; -1 as 16, 32 and 64 bit; a double; "ab"; a list of three bytes; a map of a byte to "a"; a structure; a
        // 16-byte number.
        let kinds: [&[u8]; 10] = [
            &[0x11],
            &[0x14, 1],
            &[0x15, 1],
            &[0x16, 0x81, 0],
            &[0x17, 0, 0, 0, 0, 0, 0, 0, 0],
            &[0x18, 2, b'a', b'b'],
            &[0x19, 0x33, 1, 2, 3],
            &[0x1b, 1, 0x38, 9, 1, b'a'],
            &[0x1c, 0x13, 7, STOP],
            &[0x1d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ];
        let all = [kinds.concat(), vec![STOP]].concat();
        assert!(goes_through(&all));
        assert!((0..all.len()).all(|end| !goes_through(&all[..end])));
    }

    #[test]
    fn a_list_claims_no_more_than_there_are_bytes() {
        // 2^31 - 1 booleans in 6 bytes, which the library would iterate over.
        let claim = [0x19, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07, STOP];
        assert!(!goes_through(&claim));
        // Endlessly nested lists.
        assert!(!goes_through(&[[0x19].as_slice(), &[0x19; 1000], &[STOP]].concat()));
    }

    #[test]
    fn a_page_is_no_larger_than_what_can_be_unpacked() {
        // Kind, uncompressed size, compressed size: 5 bytes, which follow.
        let head = |unpacked: &[u8]| [[0x15, 0, 0x15].as_slice(), unpacked, &[0x15, 10, STOP], &[7; 5]].concat();
        let bytes_of = |file: Vec<u8>| page(&Bytes::from(file.clone()), 0, file.len() as u64);
        assert_eq!(bytes_of(head(&[20])), Some(12));
        // 2^31 - 2 bytes, and a negative number of bytes.
        assert_eq!(bytes_of(head(&[0xfc, 0xff, 0xff, 0xff, 0x0f])), None);
        assert_eq!(bytes_of(head(&[1])), None);
    }
}
