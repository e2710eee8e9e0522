//! Pointers and keys over figures, and the subject that is pointed at.

pub mod cursor;
pub mod highlight;
pub mod pointers;
pub mod regions;
