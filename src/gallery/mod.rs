//! The gallery: published figures and tables, each as a state to open and as claims to hold ours against.
//!
//! An [`Entry`] is a document in `presets/gallery/`. It says in the paper's numbers what is claimed, and names for each the
//! [`Measure`] that computes ours. A [`Workbench`] computes it: nothing of ours is written down but by how much it is known to
//! depart, which `tests/gallery.rs` holds.

mod cores;
mod entry;
mod hierarchies;
mod landscape;
mod layer;
mod lesson;
mod mapping;
mod measure;
mod network;
mod operators;
mod parameters;
mod sequences;
mod way;
mod workbench;

pub use cores::{CoresFigure, CoresOf};
pub use entry::{Claim, CoresOpening, Entry, Opening, Shown, Unit, entries, find_entry};
pub use lesson::{Answer, Lesson, Number, Step, find_step, lessons};
pub use mapping::SpaceOf;
pub use measure::{
    HierarchyFigure, LayerFigure, Measure, NetworkFact, Quantity, RunFigure, SpaceFigure, SweepFigure, TableFigure,
};
pub use operators::{OperatorFigure, OperatorsOf};
pub use sequences::{SequenceFigure, Sequences};
pub use way::Way;
pub use workbench::{Finding, Workbench};
