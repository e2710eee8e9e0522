//! Kinds of actions, and the fields that are filled in letter by letter.

use super::half::Half;
use fusescape_form::FieldTarget;

/// The kind of an action for undo and for the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// It changes what is looked at, and nothing that is computed.
    Look,
    /// A keystroke in a field, after which more may follow.
    Typing(Field),
    /// A step of a drag, which is one edit until it ends.
    Dragging(Field),
    /// An edit that is complete at once.
    Edit,
}

/// A field that is filled in letter by letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// The text of a document.
    Document(Half),
    /// A field of a document's form.
    Value(Half, FieldTarget),
    /// A field of a document's form that is dragged, and the number of the drag.
    Dragged(Half, FieldTarget, u32),
    /// One of the weights that are minimised.
    Weight(usize),
    /// A member of a form, by the names of both.
    Member(&'static str),
    /// The text of a lesson.
    Lesson,
}
