//! Constraints that keep a part of a mapping: to begin with.

use crate::explore::{LayerFacts, TemporalMapping};
use crate::mapping::{LayerOperand, TemporalLoop};
use crate::spec::{
    BoundSpec, ConstraintsSpec, LayerConstraintsSpec, LevelConstraintsSpec, LoopBoundSpec, OrderSpec, UnrollBoundSpec,
};
use crate::workload::Dim;

/// The part of a mapping that is kept, while all else may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The loops that the array unrolls, and their widths.
    Unrolling,
    /// The order of the loops, with their sizes.
    Order,
    /// The loops of each operand at each memory, in any order.
    Levels,
}

impl Keep {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 3] = [Self::Unrolling, Self::Order, Self::Levels];

    /// A document that keeps this of a mapping, for its layer alone.
    pub fn of(self, facts: &LayerFacts, mapping: &TemporalMapping) -> ConstraintsSpec {
        let mut layer = LayerConstraintsSpec { layer: Some(facts.layer.clone()), ..LayerConstraintsSpec::default() };
        match self {
            Self::Unrolling => layer.unroll = unrolled(facts),
            Self::Order => {
                let place = |next: &TemporalLoop| OrderSpec::Loop(exactly(next.dim, next.size));
                layer.order = mapping.order.iter().map(place).collect();
            }
            Self::Levels => layer.levels = levels(facts, mapping),
        }
        let name = format!("Constraints on {}", facts.layer);
        ConstraintsSpec { name, layers: vec![layer], ..ConstraintsSpec::default() }
    }
}

fn exactly(dim: Dim, size: u64) -> LoopBoundSpec {
    LoopBoundSpec { dimension: dim.name().to_owned(), bound: BoundSpec::Exactly(size) }
}

/// Every dimension of the array with its loops, so that nothing is left open. As wide as an average width is, rounded up, loops take as
/// many steps.
fn unrolled(facts: &LayerFacts) -> Vec<UnrollBoundSpec> {
    let of = |array_dimension: &String| {
        let loops = facts.unrolled.iter().filter(|(name, ..)| name == array_dimension);
        let loops = loops.map(|(.., dim, width)| exactly(*dim, width.ceil() as u64)).collect();
        UnrollBoundSpec { array_dimension: array_dimension.clone(), loops: Some(loops) }
    };
    facts.array.iter().map(of).collect()
}

/// The loops of every dimension that each memory of an operand holds, except for the highest memory.
fn levels(facts: &LayerFacts, mapping: &TemporalMapping) -> Vec<LevelConstraintsSpec> {
    let product = |loops: &[TemporalLoop], dim: Dim| -> u64 {
        loops.iter().filter(|next| next.dim == dim).map(|next| next.size).product()
    };
    let dims: Vec<Dim> = Dim::ALL.into_iter().filter(|dim| product(&mapping.order, *dim) > 1).collect();
    let mut levels = Vec::new();
    for operand in LayerOperand::ALL {
        let (name, memories) = &facts.operands[operand];
        let mut begin = 0;
        for (memory, end) in memories.iter().zip(&mapping.ends[operand]).take(memories.len().saturating_sub(1)) {
            let held = mapping.order.get(begin..*end).unwrap_or_default();
            levels.push(LevelConstraintsSpec {
                memory: memory.clone(),
                operands: vec![name.clone()],
                holds: dims.iter().map(|dim| exactly(*dim, product(held, *dim))).collect(),
                ..LevelConstraintsSpec::default()
            });
            begin = *end;
        }
    }
    levels
}
