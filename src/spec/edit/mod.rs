//! Changing single things of a document in its text: everything else that a person wrote, comments and order included,
//! stays the same to the byte.
//!
//! An [`Outline`] is a text with the place of every value. It changes single ones: a value, a field, an item with the
//! comments above it, the comment beside a number. Each edit gives the outline of a new text, or `None` where the text
//! is written in a way (`? key`, anchors) in which that cannot be done in place. No edit can corrupt a document: the
//! new text is read again, and its content has to be the same except for the change.

mod encode;
mod lines;
mod names;
mod outline;
mod place;

pub use encode::{between_brackets, in_one_line};
pub use lines::flow_map;
pub use names::{flow_list, free_name};
pub use outline::{Outline, PathKey};
