//! The walk that adds up a point: its stacks, their tile types, and the layers of these (DeFiNES, Section III, step 6).
//!
//! Layers, tiles and copies follow each other: nothing overlaps, so energies and latencies are plain sums.

use super::copies::{CopyAction, CopyCost};
use super::ids::{NodeId, ProblemId};
use super::plan::{LayerTilePlan, PointPlan, StackPlan, TilePlan};
use crate::cost::{AccessCause, EnergyCause, EnergySplit, LatencyCause, LatencySplit};

/// Energy, latency and operations of a tile, a stack or a point.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    pub energy: EnergySplit,
    pub latency: LatencySplit,
    pub macs: u64,
}

impl Sum {
    /// The cost of copies.
    pub fn of_copies(cost: CopyCost) -> Self {
        let mut sum = Self::default();
        sum.energy[EnergyCause::Access(AccessCause::Copy)] = cost.energy_pj;
        sum.latency[LatencyCause::Copy] = cost.latency.0;
        sum
    }

    /// Adds something that happens so many times; `None` where there are too many operations to count.
    fn add(&mut self, other: &Self, times: u64) -> Option<()> {
        self.energy.add(&other.energy, times as f64);
        self.latency.add(&other.latency, times);
        self.macs = other.macs.checked_mul(times)?.checked_add(self.macs)?;
        Some(())
    }
}

/// A ledger of the parts of a point: it notes what its report needs.
pub(super) trait PointLedger {
    /// Notes on copies, kept until the layer that waits for them is done.
    type Copies;
    /// Notes on a mapped layer.
    type Mapped;

    /// Copies before a layer of one tile, of which there are `times`.
    fn copied(&mut self, actions: &[CopyAction], times: u64) -> (CopyCost, Self::Copies);

    /// A mapped layer of one tile, of which there are `times`; `None` where its cost is missing.
    fn mapped(&mut self, problem: ProblemId, times: u64) -> Option<(Sum, Self::Mapped)>;

    /// A layer of a tile is done. A stack input is not mapped.
    fn layer(
        &mut self,
        tile: (&StackPlan, &TilePlan),
        layer: (NodeId, &LayerTilePlan),
        copies: Self::Copies,
        mapped: Option<Self::Mapped>,
    );

    /// All layers of a tile type are done; the sum is that of one tile.
    fn tile(&mut self, stack: &StackPlan, tile: &TilePlan, sum: &Sum);

    /// All tile types of a stack are done.
    fn stack(&mut self, stack: &StackPlan, sum: &Sum);
}

/// Adds up a point; `None` where the cost of a problem is missing, or a sum is too large to count.
pub(super) fn add_up(plan: &PointPlan, ledger: &mut impl PointLedger) -> Option<Sum> {
    let mut all = Sum::default();
    for stack in &plan.stacks {
        let mut of_stack = Sum::default();
        for tile in &stack.types {
            let mut of_tile = Sum::default();
            for (node, layer) in tile.layers.iter_enumerated() {
                let (cost, copies) = ledger.copied(tile.copies_before(layer), tile.count);
                of_tile.add(&Sum::of_copies(cost), 1)?;
                let mut mapped = None;
                if let Some(problem) = layer.problem {
                    let (cost, noted) = ledger.mapped(problem, tile.count)?;
                    of_tile.add(&cost, 1)?;
                    mapped = Some(noted);
                }
                ledger.layer((stack, tile), (node, layer), copies, mapped);
            }
            ledger.tile(stack, tile, &of_tile);
            of_stack.add(&of_tile, tile.count)?;
        }
        ledger.stack(stack, &of_stack);
        all.add(&of_stack, 1)?;
    }
    // Sums saturate: at the largest number, the true sum is unknown.
    (all.latency.total_cycles() < u64::MAX).then_some(all)
}
