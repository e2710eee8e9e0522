//! What made a number: its formula, the same with the values put in, and the part of a paper that it follows.
//!
//! An [`Explained`] is a number with the formulas that give it, as a tree: terms are numbers in turn, and those that have a [`Subject`]
//! are explained once somebody asks, so that a point with thousands of tile types costs nothing. It is made of what the page has: a
//! [`PointAccount`](fusescape_engine::depth_first::PointAccount), a [`MappedLayer`](fusescape_engine::explore::MappedLayer), a
//! [`SystemAccount`](fusescape_engine::multicore::SystemAccount), [`Fusions`](fusescape_engine::explore::Fusions) or [`Sequences`]. These
//! hold every access, hop, transfer and map, and where rules decide which formula the engine uses, which one it was: nothing here tries
//! formulas until one fits. No text of a formula is written by hand: a [`Formula`] is evaluated and printed from its terms.
//! `tests/page/explain.rs` and `tests/page/explain_systems.rs` unfold everything under all rules and compare it with what is shown.

mod change;
mod cores;
mod formula;
mod fusion;
mod hierarchy;
mod loops;
mod mapping;
mod needs;
mod numbers;
mod parts;
mod point;
mod sequences;
mod sizes;
mod sources;

pub use change::{best_cut_text, change_sentence, cut_title, neighbour_title};
pub use cores::{CorePart, CoresNumber, TileFigure, TransferFigure, explain_choice, explain_cores, explain_systems};
pub use formula::{Explained, Formula, How, Unit};
pub use fusion::{FusionNumber, StackAmount, explain_decision, explain_fusion, explain_online, explain_steps};
pub use hierarchy::explain_hierarchy;
pub use mapping::{LayerNumber, LevelFigure, explain_layer};
pub use needs::{explain_reuse, explain_storage, explain_traffic};
pub use numbers::{Amount, Axis, Counted, Data, LayerTileIndex, PointNumber, Scope};
pub use point::explain_point;
pub use sequences::{
    RunPart, RunPlace, SequenceCells, SequenceNumber, Sequences, explain_sequences, listed_partitions, listed_steps,
};

/// Results that explain their numbers.
pub trait Results {
    /// Explains a number; `None` where these results have no such number.
    fn explain(&self, subject: Subject) -> Option<Explained>;

    /// Where they lie: results are the same where they lie at the same place.
    fn place(&self) -> *const () {
        std::ptr::from_ref(self).cast()
    }
}

impl<R: Results> Results for std::sync::Arc<R> {
    fn explain(&self, subject: Subject) -> Option<Explained> {
        (**self).explain(subject)
    }

    fn place(&self) -> *const () {
        (**self).place()
    }
}

impl Results for fusescape_engine::multicore::SystemAccount {
    fn explain(&self, subject: Subject) -> Option<Explained> {
        let Subject::Cores(number) = subject else { return None };
        explain_cores(self, number)
    }
}

impl Results for fusescape_engine::explore::Fusions {
    fn explain(&self, subject: Subject) -> Option<Explained> {
        let Subject::Fusion(number) = subject else { return None };
        explain_fusion(self, number)
    }
}

impl Results for Sequences {
    fn explain(&self, subject: Subject) -> Option<Explained> {
        let Subject::Sequences(number) = subject else { return None };
        explain_sequences(self, number)
    }
}

/// A number that can be explained further, of the results at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Of a point's account.
    Point(PointNumber),
    /// Of a mapped layer.
    Layer(LayerNumber),
    /// Of a schedule on many cores.
    Cores(CoresNumber),
    /// Of methods that choose which layers run together.
    Fusion(FusionNumber),
    /// Of sequences of layers.
    Sequences(SequenceNumber),
}
