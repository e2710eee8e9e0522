//! The origin of a number: its formula, the formula with values, and its source in a paper.
//!
//! An [`Explained`] is a number with its formulas, as a tree: terms are numbers in turn, and those with a
//! [`ExplainedNumber`] are explained on request, so that a point with thousands of tile types costs nothing. It is made
//! from results of the page: a [`PointAccount`](fusescape_engine::depth_first::PointAccount), a
//! [`MappedLayer`](fusescape_engine::explore::MappedLayer), a
//! [`CoresAccount`](fusescape_engine::multicore::CoresAccount),
//! [`FusionComparison`](fusescape_engine::explore::FusionComparison) or [`ExplainedSequences`]. These record every
//! access, hop, transfer and map, and, where rules decide which formula the engine uses, the one that was used: no
//! formula is guessed from the result. No text of a formula is written by hand: a [`Formula`] is evaluated and printed
//! from its terms. `tests/page/explain.rs` and `tests/page/explain_systems.rs` unfold everything under all rules and
//! compare it with the shown values.

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
pub use formula::{Explained, Formula, How, NumberUnit};
pub use fusion::{FusionNumber, StackAmount, explain_decision, explain_fusion, explain_online, explain_steps};
pub use hierarchy::explain_hierarchy;
pub use mapping::{LayerNumber, LevelFigure, explain_layer};
pub use needs::{explain_reuse, explain_storage, explain_traffic};
pub use numbers::{Amount, Counted, Data, LayerTileIndex, PointNumber, Scope, SizeAxis};
pub use point::explain_point;
pub use sequences::{
    ExplainedSequences, RunPart, RunPlace, SequenceCells, SequenceNumber, explain_sequences, listed_partitions,
    listed_steps,
};

/// Results whose numbers can be explained.
pub trait ExplainedResults {
    /// Explains a number; `None` if these results have no such number.
    fn explain(&self, subject: ExplainedNumber) -> Option<Explained>;

    /// The address: results are equal if they have the same address.
    fn place(&self) -> *const () {
        std::ptr::from_ref(self).cast()
    }
}

impl<R: ExplainedResults> ExplainedResults for std::sync::Arc<R> {
    fn explain(&self, subject: ExplainedNumber) -> Option<Explained> {
        (**self).explain(subject)
    }

    fn place(&self) -> *const () {
        (**self).place()
    }
}

impl ExplainedResults for fusescape_engine::multicore::CoresAccount {
    fn explain(&self, subject: ExplainedNumber) -> Option<Explained> {
        let ExplainedNumber::Cores(number) = subject else { return None };
        explain_cores(self, number)
    }
}

impl ExplainedResults for fusescape_engine::explore::FusionComparison {
    fn explain(&self, subject: ExplainedNumber) -> Option<Explained> {
        let ExplainedNumber::Fusion(number) = subject else { return None };
        explain_fusion(self, number)
    }
}

impl ExplainedResults for ExplainedSequences {
    fn explain(&self, subject: ExplainedNumber) -> Option<Explained> {
        let ExplainedNumber::Sequences(number) = subject else { return None };
        explain_sequences(self, number)
    }
}

/// A number that can be explained further, of the current results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExplainedNumber {
    /// A number of a point's account.
    Point(PointNumber),
    /// A number of a mapped layer.
    Layer(LayerNumber),
    /// A number of a schedule on many cores.
    Cores(CoresNumber),
    /// A number of methods that choose groups of layers.
    Fusion(FusionNumber),
    /// A number of sequences of layers.
    Sequences(SequenceNumber),
}
