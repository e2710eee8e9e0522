//! Documents as forms: which fields there are, what they mean, and edits that are more than writing one value.
//!
//! An edit changes the document's text in place ([`crate::spec::edit`]), so the form and the text always say the same.
//! It is `None` where the text is written in a way in which that cannot be done.

mod field;
mod hardware;
mod layers;
mod memories;
mod repair;

pub use field::{ARRAY_FIELDS, Field, LAYER_FIELDS, MEMORY_FIELDS, PRECISION_FIELDS, layer_field_list};
pub use hardware::{add_dimension, remove_dimension, rename_dimension, unrolled, write_unrolled};
pub use layers::{
    add_layer, branch, implicit_input, layer_inputs, remove_layer, rename_layer, set_inputs, set_layer_type,
};
pub use memories::{
    Both, PortRow, add_memory, add_port, both, default_ports, duplicate_memory, is_shared_over, merge, port_names,
    remove_memory, remove_port, serve, services, set_operand, set_port_figure, set_shared_over, split, state_ports,
};

pub use repair::{repair, repair_title};

use crate::spec::edit::Outline;

/// Writes a value, or removes the field where it is left empty and may be missing.
pub fn write_field(document: &Outline, path: &str, text: &str, is_optional: bool) -> Option<Outline> {
    match (text.is_empty() && is_optional, document.has(path)) {
        (true, true) => document.remove(path),
        (true, false) => Some(document.clone()),
        // The four sides of a padding.
        (false, _) if text.starts_with('{') && path.ends_with(".padding") => {
            document.put(path, text).or_else(|| document.write(path, text))
        }
        (false, _) => document.write(path, text),
    }
}
