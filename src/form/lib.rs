//! Documents as forms: fields with hints, and edits of more than one value.
//!
//! The text of a document is the single source of truth; a form shows its values. An edit changes the text in place
//! ([`fusescape_spec::edit`]), so both always agree. It is `None` if the text is written in a way that cannot be edited
//! in place; then the page opens the text.
//!
//! A [`FieldTarget`] is the part of a document that one field shows and writes. Edits of more than one value
//! (`layers.rs`, `memories.rs`, `hardware.rs`, `stacks.rs`) are functions from an
//! [`Outline`](fusescape_spec::edit::Outline) to another, and update names everywhere. A diagnostic may carry a fix,
//! which [`repair()`] applies.

mod boxes;
mod field;
mod field_target;
mod hardware;
mod layers;
mod lines;
mod memories;
mod repair;
mod slider;
mod stacks;
mod study;

pub use boxes::{MemoryBox, memory_boxes};
pub use field::{
    ARRAY_FIELDS, Field, LAYER_FIELDS, MEMORY_FIELDS, PRECISION_FIELDS, VECTOR_UNIT_FIELDS, array_fields,
    layer_field_list,
};
pub use hardware::{
    add_dimension, add_vector_unit, is_systolic, remove_dimension, rename_dimension, set_systolic, unrolled,
    write_unrolled,
};
pub use layers::{
    LayerNode, add_layer, branch, layer_graph, layer_inputs, remove_layer, rename_layer, set_inputs, set_layer_type,
};
pub use lines::{NamedItem, named_items};
pub use memories::{
    PortRow, ReadWriteNumber, add_memory, add_port, default_ports, duplicate_memory, estimated_figure, is_shared_over,
    merge, port_names, read_write_number, remove_memory, remove_port, serve, services, set_operand, set_port_figure,
    set_shared_over, split, state_ports,
};

pub use field_target::FieldTarget;
pub use repair::{repair, repair_title};
pub use slider::{ValueScale, is_range, value_scale, value_scale_within};
pub use stacks::{Stacks, stacks};
pub use study::{AT_HAND, Variable, study_of_system, suggested_study, variable_at, variables, with_axis, with_values};

use fusescape_spec::edit::Outline;

/// Writes a value; removes the field if it is empty and optional.
pub fn write_field(document: &Outline, path: &str, text: &str, is_optional: bool) -> Option<Outline> {
    match (text.is_empty() && is_optional, document.has(path)) {
        (true, true) => {
            let group = path.rsplit_once('.').map_or("", |(group, _)| group);
            let is_last = group.ends_with("precision") && document.len(group) == 1;
            document.remove(if is_last { group } else { path })
        }
        (true, false) => Some(document.clone()),
        // The four sides of a padding.
        (false, _) if text.starts_with('{') && path.ends_with(".padding") => {
            document.put(path, text).or_else(|| document.write(path, text))
        }
        (false, _) => document.write(path, text),
    }
}
