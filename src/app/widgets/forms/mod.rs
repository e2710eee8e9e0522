//! Fields, forms, documents as text, and what is wrong with them.

pub mod controls;
pub mod diagnostic_entries;
pub mod diagnostics;
pub mod document_text;
pub mod drag_field;
pub mod form;
pub mod form_field;
pub mod varying;
