//! The gallery: published figures and tables, each as a state to open and as claims to hold ours against; and guided lessons.
//!
//! An [`Entry`] is a document in `presets/gallery/`. It says in the paper's numbers what is claimed, and names for each [`Claim`] the
//! [`Measure`] that computes ours. A [`Workbench`] computes it: nothing of ours is written down but by how much it is known to
//! depart, which `tests/page/gallery.rs` holds from both sides. Every claim says its [`Fidelity`]. Whether ours rounds to what is printed
//! the printed digits decide; where it departs the document states the cause, and computes it where it can: `shown_by` lists the same
//! claim under other rules or assumptions. What depends on an input that the paper does not publish (`missing`) is not recomputable.
//!
//! A [`Lesson`] is a document in `presets/lesson/`: steps with a state, a question, answers with conditions, and an explanation. Conditions
//! and explanations name numbers that a [`Measure`] computes, so nothing is typed in. `tests/page/lessons.rs` holds that exactly one answer
//! is right, and that the numbers which decide are on the screen: of the point that is open, of the landscape, or in the step's
//! text. A step that replaces an edit says so, and undo brings the edit back.

mod claim;
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
mod run_strategy;
mod sequences;
mod workbench;

pub use claim::{Claim, Fidelity, Unit, fidelity_counts};
pub use cores::{CoresFigure, CoresOf};
pub use entry::{CoresOpening, Entry, Opening, Shown, entries, find_entry};
pub use lesson::{Answer, Lesson, Number, Step, find_step, lessons};
pub use mapping::SpaceOf;
pub use measure::{
    HierarchyFigure, LayerFigure, Measure, NetworkFact, Quantity, RunFigure, SpaceFigure, SweepFigure, TableFigure,
};
pub use operators::{OperatorFigure, OperatorsOf};
pub use run_strategy::RunStrategy;
pub use sequences::{SequenceFigure, Sequences};
pub use workbench::{Finding, Workbench};
