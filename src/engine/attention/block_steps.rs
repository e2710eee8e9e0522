//! The steps of a block: attention step by step, the parts before and after it tile of tokens by tile of tokens.
//!
//! For every tile of tokens the queries of all heads are computed; where the weights of keys are loaded for every tile,
//! those of one head are loaded; then attention is computed, whose steps are shown for one head of one sequence, as the
//! others are equal; then the parts that follow are computed, for all heads. Weights that stay are loaded once. A step
//! is done once for every such tile, or for every head of its sequences ([`AttentionSteps::times`]), and all steps
//! together are the account of the block. The order of the steps does not show that the stages work at the same time,
//! each on another tile.
//!
//! Inputs are the maps of which queries are computed and which a residual sum adds; output is the results of attention
//! and the maps that are computed of them.

use super::account::Tensor;
use super::block::{Block, BlockProblem, BlockSchedule};
use super::linear::TiledRun;
use super::movement::{Flow, Ledger, Movement, Place};
use super::schedule::{KeysHeld, sizes};
use super::steps::{AttentionSteps, Pass, Stage, Stays, check_tiles, does_not_fit};
use crate::spec::Diagnostics;

/// Lists the steps of a block.
///
/// # Errors
///
/// There is no such block, it does not fit on the chip, or it has more than [`super::MOST_STEPS`] steps.
pub fn follow_block(problem: &BlockProblem<'_>, schedule: &BlockSchedule) -> Result<AttentionSteps, Diagnostics> {
    check_tiles(problem.attention, &schedule.attention)?;
    let block = problem.account(schedule).ok_or_else(does_not_fit)?;
    let (machine, of_attention) = (problem.machine, block.attention);
    let movement = Movement { problem: problem.attention, machine, schedule: &schedule.attention };
    AttentionSteps::new(&movement, of_attention, Some((&Around { problem, schedule }, block)))
}

impl Block {
    /// Whether the weights that compute keys and values are loaded for every tile of tokens.
    pub(super) const fn loads_weights_of_keys(&self) -> bool {
        self.attention.schedule.held.is_recomputed() && !self.weights_before_stay
    }
}

/// The parts of a block around attention.
pub(super) struct Around<'a> {
    problem: &'a BlockProblem<'a>,
    schedule: &'a BlockSchedule,
}

impl Around<'_> {
    /// Passes through the tiles of queries: with one of these, tiles of whole sequences, equally many in each but the
    /// last.
    pub(super) fn passes(&self) -> Vec<Pass> {
        let (step, tile) = (self.problem.step, &self.schedule.tile);
        if tile.queries < step.tokens {
            return vec![Pass { sequences: 1, times: step.batch }];
        }
        sizes(step.batch, tile.sequences).map(|(times, sequences)| Pass { sequences, times }).collect()
    }

    pub(super) const fn stays(&self) -> Stays {
        Stays { queries: self.schedule.has_queries, results: self.schedule.parts > 0 }
    }

    /// Loads that happen once: weights and inputs that stay.
    pub(super) fn once(&self, movement: &Movement<'_>, ledger: &mut impl Ledger) {
        let (problem, schedule) = (self.problem, self.schedule);
        let of_keys = if schedule.weights_before_stay { problem.weight_loads(schedule) } else { 0 };
        movement.once(ledger, of_keys);
        let ranges = problem.ranges(schedule);
        let tokens = problem.step.batch * problem.step.tokens;
        for run in problem.runs(schedule, &ranges).iter().filter(|run| run.held.weights) {
            self.weights(run, tokens, ledger);
        }
    }

    /// Reports to the ledger the loads and the work of a stage for a tile of so many tokens.
    pub(super) fn tell(&self, movement: &Movement<'_>, stage: Stage, tokens: u64, ledger: &mut impl Ledger) {
        let ranges = self.problem.ranges(self.schedule);
        let [queries, parts] = self.problem.runs(self.schedule, &ranges);
        match (stage, movement.problem.source) {
            (Stage::Queries, _) => self.queries(&queries, tokens, ledger),
            (Stage::Behind, _) => self.behind(&parts, tokens, ledger),
            (_, Some(source)) => {
                movement.load(ledger, 1, Tensor::Weights, source.channels * movement.problem.shape.pair_depth());
            }
            (_, None) => {}
        }
    }

    fn queries(&self, run: &TiledRun<'_>, tokens: u64, ledger: &mut impl Ledger) {
        let Some(row) = run.row(self.problem.machine) else { return };
        let [read, written] = [row.read, row.written].map(|channels| self.bits(tokens, channels));
        let from = match self.schedule.attention.held {
            // Attention has read the inputs before: they are on the chip.
            KeysHeld::InputsStay => (Place::Activations, 0),
            _ => (Place::Dram, read),
        };
        let to = Place::Activations;
        ledger.moved(Flow { tensor: Tensor::Inputs, from: from.0, to, read_bits: from.1, written_bits: read });
        self.parts(run, tokens, [Tensor::Inputs, Tensor::Queries], ledger);
        let from = Place::Activations;
        ledger.moved(Flow { tensor: Tensor::Queries, from, to, read_bits: written, written_bits: 0 });
    }

    fn behind(&self, run: &TiledRun<'_>, tokens: u64, ledger: &mut impl Ledger) {
        let Some((row, first)) = run.row(self.problem.machine).zip(run.parts().first()) else { return };
        let [results, joined, written] =
            [first.reads(), row.read - first.reads(), row.written].map(|channels| self.bits(tokens, channels));
        let (dram, chip) = (Place::Dram, Place::Activations);
        let mut flow = |tensor, from, to, read_bits, written_bits| {
            ledger.moved(Flow { tensor, from, to, read_bits, written_bits });
        };
        flow(Tensor::Output, chip, chip, 0, results);
        flow(Tensor::Inputs, dram, chip, joined, joined);
        flow(Tensor::Output, chip, dram, written, written);
        self.parts(run, tokens, [Tensor::Output; 2], ledger);
    }

    /// The parts of a run, with weights that are loaded for the tile. Its rows are of tensor `before` up to its first
    /// product, then of `behind`.
    fn parts(&self, run: &TiledRun<'_>, tokens: u64, [before, behind]: [Tensor; 2], ledger: &mut impl Ledger) {
        if !run.held.weights {
            self.weights(run, tokens, ledger);
        }
        let (bits, machine) = (&self.problem.attention.bits, self.problem.machine);
        let mut of = before;
        for part in run.parts() {
            let computed = if part.product().is_some() { behind } else { of };
            part.tell(ledger, (1, tokens), [of, computed], bits, machine);
            of = computed;
        }
    }

    /// The weights that so many tokens use.
    fn weights(&self, run: &TiledRun<'_>, tokens: u64, ledger: &mut impl Ledger) {
        let bits = run.weight_bits(tokens, &self.problem.attention.bits);
        let (tensor, from, to) = (Tensor::Weights, Place::Dram, Place::Keys);
        ledger.moved(Flow::of(tensor, from, to, bits));
    }

    const fn bits(&self, tokens: u64, channels: u64) -> u64 {
        tokens * channels * self.problem.attention.bits.activations
    }
}
