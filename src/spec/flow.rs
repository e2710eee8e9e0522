//! Values as YAML on one line.

use super::edit::between_brackets;
use serde::{Deserialize, Serialize};

/// A value that an axis writes at a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AxisValue {
    /// A single value, as it reads: `32 KiB`.
    Single(String),
    /// A list or fields, as YAML on one line: `[W, I]`.
    Flow(String),
}

impl AxisValue {
    /// As people and result files have it.
    pub fn text(&self) -> &str {
        match self {
            Self::Single(text) | Self::Flow(text) => text,
        }
    }
}

/// Several single values as one list on a line: `[a, b]`.
pub(super) fn flow_list_of(items: impl Iterator<Item = AxisValue>) -> String {
    let items: Vec<String> = items.map(flow_of).collect();
    format!("[{}]", items.join(", "))
}

/// Fields on one line.
pub(super) fn flow_map_of<'t>(fields: impl Iterator<Item = (&'t str, AxisValue)>) -> String {
    let fields: Vec<String> =
        fields.map(|(name, value)| format!("{}: {}", between_brackets(name), flow_of(value))).collect();
    if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
}

fn flow_of(value: AxisValue) -> String {
    match value {
        AxisValue::Single(text) => between_brackets(&text),
        AxisValue::Flow(yaml) => yaml,
    }
}
