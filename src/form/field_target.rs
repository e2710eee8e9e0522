//! The target of a form's field in a document: reading, and the edit made by writing.

use super::{rename_dimension, rename_layer, set_port_figure, unrolled, write_field, write_unrolled};
use fusescape_spec::edit::Outline;

/// The part of a document that a field of a form reads and writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldTarget {
    /// The value at a path.
    Value {
        path: String,
        /// Whether an empty field is removed from the document.
        is_optional: bool,
    },
    /// The name of an array dimension.
    Dimension(usize),
    /// The unrolling of a layer type over an array dimension.
    Unrolled(&'static str, String),
    /// The name of a memory.
    Memory(usize),
    /// The name of a port of a memory.
    Port(usize, usize),
    /// A port's own width or granularity.
    PortFigure(usize, usize, &'static str),
    /// The name of a layer.
    Layer(usize),
    /// The comment beside a value.
    Note(String),
}

impl FieldTarget {
    /// A required value.
    pub fn value(path: impl Into<String>) -> Self {
        Self::Value { path: path.into(), is_optional: false }
    }

    /// An optional value.
    pub fn optional(path: impl Into<String>) -> Self {
        Self::Value { path: path.into(), is_optional: true }
    }

    /// Its path in the document, even if it is missing.
    pub fn path(&self, document: &Outline) -> String {
        match self {
            Self::Value { path, .. } | Self::Note(path) => path.clone(),
            Self::Dimension(index) => format!("array.dimensions[{index}]"),
            Self::Unrolled(kind, dimension) => {
                let (_, place) = unrolled(document, kind, dimension);
                place.unwrap_or_else(|| format!("unroll.{kind}.{dimension}"))
            }
            Self::Memory(index) => format!("memories[{index}].name"),
            Self::Port(memory, port) => format!("memories[{memory}].ports[{port}]"),
            Self::PortFigure(memory, port, name) => format!("memories[{memory}].ports[{port}].{name}"),
            Self::Layer(index) => format!("layers[{index}].name"),
        }
    }

    /// Whether other parts of the document refer to it: such an edit is applied when it is complete, not by keystrokes.
    pub fn is_name(&self) -> bool {
        matches!(self, Self::Dimension(_) | Self::Memory(_) | Self::Port(..) | Self::Layer(_))
    }

    /// The text of the field.
    pub fn read(&self, document: &Outline) -> String {
        match self {
            Self::Dimension(index) => document.keys("array.dimensions").into_iter().nth(*index).unwrap_or_default(),
            Self::Port(memory, port) => {
                document.keys(&format!("memories[{memory}].ports")).into_iter().nth(*port).unwrap_or_default()
            }
            Self::Unrolled(kind, dimension) => unrolled(document, kind, dimension).0,
            Self::Note(path) => document.note(path).unwrap_or_default().to_owned(),
            _ => document.value(&self.path(document)).unwrap_or_default(),
        }
    }

    /// The document with `text` written in the field, without surrounding white space.
    pub fn write(&self, document: &Outline, text: &str) -> Option<Outline> {
        let text = text.trim();
        match self {
            Self::Value { path, is_optional } => write_field(document, path, text, *is_optional),
            Self::Dimension(index) => rename_dimension(document, *index, text),
            Self::Unrolled(kind, dimension) => write_unrolled(document, kind, dimension, text),
            Self::Memory(_) => document.write(&self.path(document), text),
            Self::Port(..) => document.rename(&self.path(document), text),
            Self::PortFigure(memory, port, name) => set_port_figure(document, *memory, *port, name, text),
            Self::Layer(index) => rename_layer(document, *index, text),
            Self::Note(path) => document.annotate(path, text),
        }
    }
}
