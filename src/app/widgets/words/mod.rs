//! Dialogs, numbers that unfold, terms of the glossary.

pub mod dialog;
pub mod explain;
pub mod glossary;
pub mod term;
