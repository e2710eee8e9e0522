//! The questions that the search asks constraints while it builds a chain.
//!
//! Constraints only remove mappings, so every lower bound of the search stays one. The search asks at three steps:
//! before it adds a loop to a set, before it places a boundary, and when it needs an order of the loops between two
//! sets. An order is a path through the sets, one loop at a time, so a demand on the order is decided on sets, too.
//!
//! The search takes constraints as a type parameter. The first piece of the page states none, and with
//! [`NoConstraints`] the compiler leaves all of this out of it. The search under constraints is compiled separately and
//! fetched later.

use crate::mapping::{Allocation, LayerOperand, OPERANDS, TemporalLoop};

/// The boundaries of all operands that a chain has placed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PlacedBoundaries {
    /// The number of its boundaries that each operand has placed.
    pub placed: [u8; OPERANDS],
    /// The set at each operand's last boundary, if a constraint looks at the loops between this boundary and the next;
    /// else 0, so that states which differ only there are equal.
    pub since: [u32; OPERANDS],
}

/// The legal mappings of a problem. Sets and factors are numbered as by [`Factors`](super::factors::Factors) of [`Self::loops`].
pub trait Legality {
    /// The loops to put in order, sorted, and whether some loop prime factors were merged to limit their number.
    fn loops(&self) -> (&[TemporalLoop], bool);

    /// The loops that LOMA puts in order, at most `limit` of them if that is possible; an order of them is legal if
    /// [`Self::allows`] says so.
    fn limited_loops(&self, limit: usize) -> Vec<TemporalLoop>;

    /// Whether a whole mapping is legal. The allocation may have stationary loops handed down or not.
    fn allows(&self, order: &[TemporalLoop], allocation: &Allocation) -> bool;

    /// Whether constraints treat the two inputs of an addition differently, so that their symmetry must not be used.
    fn tells_inputs_apart(&self) -> bool;

    /// Whether factor number `factor` may lie just above the loops of `set`.
    fn may_add(&self, at: PlacedBoundaries, set: u32, factor: usize) -> bool;

    /// The boundaries after the next one of `operand` is placed at `set`; `None` where it must not lie there.
    fn place(&self, at: PlacedBoundaries, set: u32, operand: LayerOperand) -> Option<PlacedBoundaries>;

    /// A legal order of the loops of `to` that are not in `from`, as numbers of factors, innermost first; `None` if
    /// there is none. No boundary lies between the two sets, and `at` is the state at `from`. `begins` says which
    /// factors may come first.
    fn path(&self, at: PlacedBoundaries, from: u32, to: u32, begins: &dyn Fn(usize) -> bool) -> Option<Vec<usize>>;

    /// For boundary number `index` of `operand`: by set as the operand sees it, the largest product of the loops of a
    /// legal set below the boundary, or 0 where it must not lie. `None` where anything is legal. The more cycles below,
    /// the fewer crossings, so this gives the least price.
    fn most_cycles(&self, operand: LayerOperand, index: usize) -> Option<Vec<u64>>;
}

/// No constraints. The type has no values, so the compiler removes every branch that asks one.
pub enum NoConstraints {}

impl Legality for NoConstraints {
    fn loops(&self) -> (&[TemporalLoop], bool) {
        match *self {}
    }

    fn limited_loops(&self, _: usize) -> Vec<TemporalLoop> {
        match *self {}
    }

    fn allows(&self, _: &[TemporalLoop], _: &Allocation) -> bool {
        match *self {}
    }

    fn tells_inputs_apart(&self) -> bool {
        match *self {}
    }

    fn may_add(&self, _: PlacedBoundaries, _: u32, _: usize) -> bool {
        match *self {}
    }

    fn place(&self, _: PlacedBoundaries, _: u32, _: LayerOperand) -> Option<PlacedBoundaries> {
        match *self {}
    }

    fn path(&self, _: PlacedBoundaries, _: u32, _: u32, _: &dyn Fn(usize) -> bool) -> Option<Vec<usize>> {
        match *self {}
    }

    fn most_cycles(&self, _: LayerOperand, _: usize) -> Option<Vec<u64>> {
        match *self {}
    }
}
