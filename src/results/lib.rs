//! Results of a study in files: rows and columns of a table, as Parquet and as CSV.

mod claims;
mod columns;
mod csv;
mod designs;
mod digest;
pub mod parquet;

pub use self::parquet::{ResultFile, ResultNote, UnreadFile, key_of};
pub use columns::{CellValue, ColumnKind, ResultColumn, columns, row_cells, row_of_cells};
pub use csv::{csv_head, csv_line, csv_of, rows_of_csv};
pub use designs::Designs;
pub use digest::{Digests, GroupDigest, digest_of};
