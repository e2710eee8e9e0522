//! The tables of HW-Flow-Fusion for a program.

use super::Report;
use serde::Serialize;
use serde_json::{Map, Value};

/// What `fusescape fuse --sequences --format json` prints: the tables of HW-Flow-Fusion.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SequenceTables<'a> {
    /// Name of the core, as its document has it.
    pub hardware: &'a str,
    /// Name of the network, as its document has it.
    pub workload: &'a str,
    /// The tables; which ones, and their columns, depend on the network.
    pub tables: Vec<SequenceTable<'a>>,
}

impl Report for SequenceTables<'_> {
    const KIND: &'static str = "sequences";
}

/// Rows of values under headings, as `fusescape sequences` prints them.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SequenceTable<'a> {
    /// What the table shows.
    pub table: &'a str,
    /// The value of each column for every row, by the heading of the column, which states the unit in brackets.
    #[cfg_attr(feature = "schema", schemars(schema_with = "rows"))]
    pub rows: Vec<Map<String, Value>>,
}

#[cfg(feature = "schema")]
fn rows(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let cell = schemars::json_schema!({ "type": ["string", "number", "boolean", "null"] });
    schemars::json_schema!({ "type": "array", "items": { "type": "object", "additionalProperties": cell } })
}
