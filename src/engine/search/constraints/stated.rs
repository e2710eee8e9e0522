//! Constraints as they are stated.

use super::even::Evenness;
use crate::mapping::LayerOperand;
use crate::workload::Dim;

/// Constraints on the temporal mapping of a layer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Constraints {
    /// The innermost loops, innermost first.
    pub innermost: Vec<LoopPattern>,
    /// The outermost loops, the innermost of them first.
    pub outermost: Vec<LoopPattern>,
    /// Demands on memory levels.
    pub levels: Vec<LevelConstraint>,
    /// Whether mappings are to be even, and by which definition.
    pub even: Option<Evenness>,
}

impl Constraints {
    /// Whether every mapping is legal.
    pub fn is_empty(&self) -> bool {
        self.innermost.is_empty() && self.outermost.is_empty() && self.levels.is_empty() && self.even.is_none()
    }
}

/// One place, or several, in the order of loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopPattern {
    /// The dimension of the loop.
    pub dim: Dim,
    /// Its number of iterations.
    pub size: PatternSize,
}

/// The iterations of a loop in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternSize {
    /// One loop of this many iterations, at least 2. No memory level ends inside of it.
    Exactly(u64),
    /// One loop prime factor.
    Any,
    /// All loop prime factors of the dimension that the order does not state elsewhere, one after the other; perhaps
    /// none.
    All,
}

/// A demand on one memory level of one operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelConstraint {
    /// `W`, `I` or `O`, as the document names it.
    pub operand: LayerOperand,
    /// Its memory level, from 0 for the lowest.
    pub level: usize,
    /// The products or the order of loops that are legal there.
    pub demand: LevelDemand,
}

/// A demand on the loops that a memory level holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LevelDemand {
    /// The product of the temporal loops of a dimension that the level itself holds.
    Holds(Dim, LoopAmount),
    /// The product of the temporal loops of a dimension that this level and all lower ones hold.
    Within(Dim, LoopAmount),
    /// The loops of these dimensions that the level holds lie in this order, innermost first; others lie anywhere.
    Order(Vec<Dim>),
}

/// A demand on a product of temporal loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopAmount {
    /// It equals this.
    Exactly(u64),
    /// It is not greater.
    AtMost(u64),
    /// It is not less.
    AtLeast(u64),
    /// No loop of the dimension lies at a higher level.
    All,
}
