//! The traffic and the work of a schedule, reported piece by piece to a ledger: accounts add the pieces up, pictures of
//! steps list them.

use super::account::Tensor;
use super::cascade::VectorStep;
use super::machine::Machine;
use super::problem::Problem;
use super::product::product;
use super::schedule::{KeysHeld, Schedule};
use serde::{Deserialize, Serialize};

/// Where data is held or processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Place {
    /// The memory off the chip.
    Dram,
    /// The memory on the chip for queries, scores and results.
    Activations,
    /// The memory on the chip for keys, values and weights; it may be the same.
    Keys,
    /// The array, with its registers.
    Array,
    /// The vector unit's lanes, with their registers.
    Lanes,
}

/// Data that moves from one place to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// The tensor that moves.
    pub tensor: Tensor,
    /// The source.
    pub from: Place,
    /// The destination.
    pub to: Place,
    /// Bits read at the source.
    pub read_bits: u64,
    /// Bits written at the destination: different from `read_bits` where the precision changes on the way.
    pub written_bits: u64,
}

impl Flow {
    /// A flow with as many bits written as read.
    pub(super) const fn of(tensor: Tensor, from: Place, to: Place, bits: u64) -> Self {
        Self { tensor, from, to, read_bits: bits, written_bits: bits }
    }
}

/// Receives the traffic and the work of a schedule.
pub trait Ledger {
    /// Data moves.
    fn moved(&mut self, flow: Flow);

    /// The array computes `macs` multiply-accumulates in so many cycles. `of_weights`: keys and values are computed
    /// again.
    fn multiplied(&mut self, macs: u64, cycles: u64, of_weights: bool);

    /// Lanes do a step so many times, in `cycles` each time; 0 where there are no lanes.
    fn lanes(&mut self, times: u64, step: &VectorStep, cycles: u64);
}

/// A schedule whose traffic and work are reported to a ledger.
pub struct Movement<'a> {
    /// The attention that is computed.
    pub problem: &'a Problem,
    /// The core that computes it.
    pub machine: &'a Machine,
    /// Tiles, fusion and residence of keys.
    pub schedule: &'a Schedule,
}

impl Movement<'_> {
    /// Number of tiles of heads in a group.
    pub const fn head_tiles(&self) -> u64 {
        self.problem.group() / self.schedule.heads
    }

    /// The tensors that are loaded for a tile of keys, where both products run together.
    pub const fn pairs(&self) -> &'static [Tensor] {
        if self.problem.shape.values_in_keys { &[Tensor::Keys] } else { &[Tensor::Keys, Tensor::Values] }
    }

    /// Elements of a key, or of a value.
    pub const fn depth_of(&self, tensor: Tensor) -> u64 {
        match tensor {
            Tensor::Keys => self.problem.shape.depth,
            _ => self.problem.shape.value_depth,
        }
    }

    const fn bits_of(&self, tensor: Tensor) -> u64 {
        let bits = &self.problem.bits;
        match tensor {
            Tensor::Queries | Tensor::Output | Tensor::Inputs => bits.activations,
            Tensor::Keys | Tensor::Values => bits.keys,
            Tensor::Weights => bits.weights,
            Tensor::Scores | Tensor::Running => bits.sums,
        }
    }

    /// Elements are read from DRAM, so many times.
    pub fn load(&self, ledger: &mut impl Ledger, times: u64, tensor: Tensor, elements: u64) {
        let bits = times * elements * self.bits_of(tensor);
        let to = match tensor {
            Tensor::Keys | Tensor::Values | Tensor::Weights => Place::Keys,
            _ => Place::Activations,
        };
        ledger.moved(Flow::of(tensor, Place::Dram, to, bits));
    }

    /// Elements are written to DRAM, so many times.
    pub fn store(&self, ledger: &mut impl Ledger, times: u64, tensor: Tensor, elements: u64) {
        let bits = times * elements * self.bits_of(tensor);
        let (from, to) = (Place::Activations, Place::Dram);
        ledger.moved(Flow::of(tensor, from, to, bits));
    }

    /// Keys, values or both of a tile of keys are computed of their inputs and written to the memory of keys.
    pub fn recompute(&self, ledger: &mut impl Ledger, times: u64, tensors: &[Tensor], tile: u64) {
        let Some(source) = self.problem.source else { return };
        let bits = &self.problem.bits;
        let columns: u64 = tensors.iter().map(|&tensor| self.depth_of(tensor)).sum();
        if self.schedule.held == KeysHeld::Recomputed {
            self.load(ledger, times, Tensor::Inputs, tile * source.channels);
        }
        for step in source.steps(self.problem.shape.depth, tensors.contains(&Tensor::Keys)) {
            self.lanes(ledger, times, &step.steps(tile), |_| Tensor::Inputs, bits.activations);
        }
        let of = [Tensor::Inputs, Tensor::Weights, Tensor::Inputs];
        let precision = [bits.activations, bits.weights, bits.sums];
        self.product(ledger, times, [tile, source.channels, columns], (of, precision), false);
        for &tensor in tensors {
            let elements = times * tile * self.depth_of(tensor);
            ledger.moved(Flow {
                tensor,
                from: Place::Activations,
                to: Place::Keys,
                read_bits: elements * bits.sums,
                written_bits: elements * bits.keys,
            });
        }
    }

    /// Queries times keys of a tile.
    pub fn query_key(&self, ledger: &mut impl Ledger, times: u64, rows: u64, tile: u64) {
        let bits = &self.problem.bits;
        let of = [Tensor::Queries, Tensor::Keys, Tensor::Scores];
        let precision = [bits.activations, bits.keys, bits.sums];
        self.product(ledger, times, [rows, self.problem.shape.depth, tile], (of, precision), false);
    }

    /// Scores times values of a tile. `adds`: they are added to the sums of the tiles before it.
    pub fn with_values(&self, ledger: &mut impl Ledger, times: u64, rows: u64, tile: u64, adds: bool) {
        let bits = &self.problem.bits;
        let of = [Tensor::Scores, Tensor::Values, Tensor::Output];
        let precision = [bits.sums, bits.keys, bits.sums];
        self.product(ledger, times, [rows, tile, self.problem.shape.value_depth], (of, precision), adds);
    }

    fn product(
        &self,
        ledger: &mut impl Ledger,
        times: u64,
        sizes: [u64; 3],
        ([first, second, result], precision): ([Tensor; 3], [u64; 3]),
        adds: bool,
    ) {
        let of = product(self.machine, sizes, precision, adds);
        let mut flow = |tensor, from, to, bits: u64| {
            ledger.moved(Flow::of(tensor, from, to, times * bits));
        };
        flow(first, Place::Activations, Place::Array, of.first_bits);
        flow(second, Place::Keys, Place::Array, of.second_bits);
        flow(result, Place::Activations, Place::Array, of.sum_read_bits);
        flow(result, Place::Array, Place::Activations, of.sum_write_bits);
        let macs = sizes.iter().product::<u64>();
        ledger.multiplied(times * macs, times * of.cycles, second == Tensor::Weights);
    }

    /// The steps of lanes for a softmax.
    pub fn softmax(&self, ledger: &mut impl Ledger, times: u64, steps: &[VectorStep]) {
        let of = |step: &VectorStep| if step.is_of_scores() { Tensor::Scores } else { Tensor::Running };
        self.lanes(ledger, times, steps, of, self.problem.bits.sums);
    }

    /// The steps of lanes on elements of so many bits.
    fn lanes(
        &self,
        ledger: &mut impl Ledger,
        times: u64,
        steps: &[VectorStep],
        of: impl Fn(&VectorStep) -> Tensor,
        bits: u64,
    ) {
        for step in steps {
            let Some(lanes) = &self.machine.lanes else {
                ledger.lanes(times, step, 0);
                continue;
            };
            let each: u64 =
                step.operations.iter().map(|(operation, count)| count * lanes.cost(*operation).cycles).sum();
            ledger.lanes(times, step, step.iterations.div_ceil(lanes.lanes()) * each);
            let (read, written) = (times * step.reads * bits, times * step.writes * bits);
            let mut flow = |from, to, bits| {
                ledger.moved(Flow::of(of(step), from, to, bits));
            };
            flow(Place::Activations, Place::Lanes, read);
            flow(Place::Lanes, Place::Activations, written);
        }
    }

    /// Number of loads of the weights that compute keys and values again, those of one head of keys each time. Where
    /// inputs stay, the heads change for every sequence; else the sequences change for every head.
    pub const fn weight_loads(&self) -> u64 {
        let sequences = if matches!(self.schedule.held, KeysHeld::InputsStay) { self.problem.shape.batch } else { 1 };
        self.problem.shape.key_heads * sequences
    }

    /// Loads that are not repeated for every head of every sequence: the sum of all. Weights of a head of keys are
    /// loaded `weight_loads` times.
    pub fn once(&self, ledger: &mut impl Ledger, weight_loads: u64) {
        let (shape, held) = (&self.problem.shape, self.schedule.held);
        let Some(source) = self.problem.source.filter(|_| held.is_recomputed()) else { return };
        self.load(ledger, weight_loads, Tensor::Weights, source.channels * shape.pair_depth());
        if held == KeysHeld::InputsStay {
            self.load(ledger, shape.batch, Tensor::Inputs, shape.keys * source.channels);
        }
    }
}
