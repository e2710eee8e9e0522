//! What constraints ask of a chain while it is built.
//!
//! A constraint only takes mappings away, so that every lower bound of the search stays one. It is asked where a loop is added to a set,
//! where a boundary is placed, and which loops may follow in which order between two sets. As an order is a path through the sets,
//! a loop at a time, what a constraint says of orders is decided on sets, too.
//!
//! It is a type parameter of the search, so that the first piece of the page, which states no constraints, does not contain them: the
//! search under constraints is compiled by itself, and fetched later.

use crate::mapping::{Allocation, LayerOperand, OPERANDS, TemporalLoop};

/// How far a chain has placed the operands' boundaries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Opened {
    /// How many of its boundaries each operand has placed.
    pub placed: [u8; OPERANDS],
    /// The set at each operand's last boundary, where a constraint looks at the loops between that and the next one; else 0.
    pub since: [u32; OPERANDS],
}

/// The legal mappings of a problem. Sets and factors are numbered as by [`Factors`](super::factors::Factors) of [`Self::loops`].
pub trait Legality {
    /// The loops to put in order, sorted, and whether some prime factors were merged.
    fn loops(&self) -> (&[TemporalLoop], bool);

    /// The loops that LOMA puts in order, at most `limit` of them if that is possible; an order of them is legal if
    /// [`Self::allows`] says so.
    fn limited_loops(&self, limit: usize) -> Vec<TemporalLoop>;

    /// Whether a mapping is legal. The allocation may, but need not have stationary loops handed down.
    fn allows(&self, order: &[TemporalLoop], allocation: &Allocation) -> bool;

    /// Whether the two inputs of an addition are no longer alike.
    fn tells_inputs_apart(&self) -> bool;

    /// Whether factor number `factor` may lie just above the loops of `set`.
    fn may_add(&self, at: Opened, set: u32, factor: usize) -> bool;

    /// With the next boundary of `operand` placed at `set`; `None` where it must not lie there.
    fn place(&self, at: Opened, set: u32, operand: LayerOperand) -> Option<Opened>;

    /// A legal order of the loops of `to` that are not in `from`, as numbers of factors, innermost first. Boundaries lie at `from` and not
    /// below `to`; `begins` says which factor may come first.
    fn path(&self, at: Opened, from: u32, to: u32, begins: &dyn Fn(usize) -> bool) -> Option<Vec<usize>>;

    /// For every set as `operand` sees it the most cycles of a set below its boundary number `index`: 0 where it must not lie. `None`
    /// where anything is legal.
    fn most_cycles(&self, operand: LayerOperand, index: usize) -> Option<Vec<u64>>;
}

/// No constraints: nothing is of this type, so that a search without constraints compiles to nothing but itself.
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

    fn may_add(&self, _: Opened, _: u32, _: usize) -> bool {
        match *self {}
    }

    fn place(&self, _: Opened, _: u32, _: LayerOperand) -> Option<Opened> {
        match *self {}
    }

    fn path(&self, _: Opened, _: u32, _: u32, _: &dyn Fn(usize) -> bool) -> Option<Vec<usize>> {
        match *self {}
    }

    fn most_cycles(&self, _: LayerOperand, _: usize) -> Option<Vec<u64>> {
        match *self {}
    }
}
