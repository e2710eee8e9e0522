//! The gallery: published figures and tables, each as a state to open and as claims to compare with our numbers.
//!
//! An [`Entry`] is a document in `presets/gallery/`. It states published numbers, and names for each [`Claim`] the
//! [`Measure`] that computes ours in a [`ClaimEvaluator`]. None of our numbers is written down, only the known
//! departure, which `tests/page/gallery.rs` checks from both sides. Every claim states its [`Fidelity`]. The printed
//! digits decide whether our number rounds to the published one; if it departs, the document states the cause, and
//! computes it if possible: `shown_by` lists the same claim under other rules or assumptions. A number that depends on
//! an unpublished input (`missing`) is not recomputable.

mod attention;
mod choice;
mod claim;
mod claim_evaluator;
mod cores;
mod dataflows;
mod entry;
mod hierarchies;
mod landscape;
mod layer;
mod mapping;
mod measure;
mod network;
mod opening;
mod operators;
mod parameters;
mod run_strategy;
mod sequences;

pub use attention::{AttentionFigure, AttentionSetup};
pub use choice::DocumentChoice;
pub use choice::place_of;
pub use claim::UNITS;
pub use claim::{Claim, Fidelity, PaperUnit, fidelity_counts};
pub use claim_evaluator::{ClaimEvaluator, Finding};
pub use cores::{CoresFigure, CoresSetup};
pub use dataflows::{DataflowFigure, DataflowsSetup};
pub use entry::{Entry, entries, find_entry};
pub use hierarchies::HierarchyFigure;
pub use layer::{LayerFigure, TableFigure};
pub use mapping::{MappingSpaceSetup, SpaceFigure};
pub use measure::{Measure, MeasuredQuantity, NetworkFact, RunFigure, SweepFigure};
pub use opening::{CoresOpening, EntryView, ONE_STACK, Opening, open_with_documents};
pub use operators::{OperatorFigure, OperatorsSetup};
pub use parameters::choose;
pub use run_strategy::RunStrategy;
pub use sequences::{SequenceFigure, SequencesSetup};
