//! Digests of results, which detect flipped bits in a file.

use super::columns::CellValue;
use serde::{Deserialize, Serialize};
use std::hash::Hasher;
use twox_hash::XxHash64;

/// Digests of a file (XXH64, hexadecimal): of its metadata, and of each group of its rows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Digests {
    /// Of the text in its metadata.
    pub note: String,
    /// Of the groups of rows, in order.
    pub groups: Vec<String>,
}

/// The digest of a text.
pub fn digest_of(text: &str) -> String {
    let mut hasher = XxHash64::with_seed(0);
    hasher.write(text.as_bytes());
    hexadecimal(&hasher)
}

fn hexadecimal(hasher: &XxHash64) -> String {
    format!("{:016x}", hasher.finish())
}

/// The digest of a group of rows, whose cells are added column by column; the size of the pieces has no effect.
pub struct GroupDigest(Vec<XxHash64>);

impl GroupDigest {
    /// Without rows.
    pub fn new(columns: usize) -> Self {
        Self(vec![XxHash64::with_seed(0); columns])
    }

    /// Adds the next cells of a column.
    pub fn add<'c>(&mut self, column: usize, cells: impl IntoIterator<Item = &'c CellValue>) {
        let Some(hasher) = self.0.get_mut(column) else { return };
        for cell in cells {
            match cell {
                CellValue::Count(count) => hasher.write_u64(count.to_le()),
                CellValue::Number(Some(number)) => {
                    hasher.write_u8(1);
                    hasher.write_u64(number.to_bits().to_le());
                }
                CellValue::Text(Some(text)) => {
                    hasher.write_u8(1);
                    hasher.write_u64((text.len() as u64).to_le());
                    hasher.write(text.as_bytes());
                }
                CellValue::Number(None) | CellValue::Text(None) => hasher.write_u8(0),
            }
        }
    }

    /// The digest of all cells.
    pub fn end(self) -> String {
        let mut all = XxHash64::with_seed(0);
        self.0.iter().for_each(|column| all.write_u64(column.finish().to_le()));
        hexadecimal(&all)
    }
}
