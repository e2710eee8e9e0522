//! Kinds of actions, and the fields that are filled in letter by letter.

use super::half::Half;
use fusescape_form::FieldTarget;

/// The kind of an action for undo and for the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionKind {
    /// It only changes the view, so nothing is computed.
    Look,
    /// A keystroke in a field; more may follow.
    Typing(TypedField),
    /// A step of a drag, which is one edit until it ends.
    Dragging(TypedField),
    /// A complete edit.
    Edit,
}

/// A field that is edited by keystrokes or a drag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedField {
    /// The text of a document.
    Document(Half),
    /// A field of a document's form.
    Value(Half, FieldTarget),
    /// A field of a document's form, changed by a slider, and the number of the drag.
    Dragged(Half, FieldTarget, u32),
    /// One of the weights of the objective.
    Weight(usize),
    /// A field of a form, by its name.
    Member(&'static str),
    /// The text of a lesson.
    Lesson,
}
