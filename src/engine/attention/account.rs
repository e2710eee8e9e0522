//! Energy, latency and DRAM traffic of a schedule, with their parts.

use super::cascade::VectorStep;
use super::machine::Machine;
use super::movement::{Flow, Ledger, Movement, Place};
use super::problem::Problem;
use super::schedule::{Fusion, KeysHeld, QueryTiles, Schedule, sizes};
use crate::workload::Operation;
use serde::{Deserialize, Serialize};

/// Data that crosses the border of the chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tensor {
    /// Q.
    Queries,
    /// K.
    Keys,
    /// V.
    Values,
    /// Scores, before or after the softmax.
    Scores,
    /// Running maxima, denominators and numerators.
    Running,
    /// AV.
    Output,
    /// Inputs of the layer, out of which keys and values are computed again.
    Inputs,
    /// Weights that compute keys and values of these inputs.
    Weights,
}

impl Tensor {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 8] = [
        Self::Queries,
        Self::Keys,
        Self::Values,
        Self::Scores,
        Self::Running,
        Self::Output,
        Self::Inputs,
        Self::Weights,
    ];

    /// For people, in words: `queries`, `running results`.
    pub const fn name(self) -> &'static str {
        ["queries", "keys", "values", "scores", "running results", "output", "inputs", "weights"][self as usize]
    }
}

/// Causes of energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// Reads and writes of DRAM.
    Dram,
    /// The memories on the chip.
    OnChip,
    /// Registers of the array.
    Registers,
    /// Multiply-accumulates.
    Macs,
    /// Operations of lanes.
    Lanes,
}

impl Cause {
    /// Every variant, in the order of declaration: arrays of energies by cause are in it.
    pub const ALL: [Self; 5] = [Self::Dram, Self::OnChip, Self::Registers, Self::Macs, Self::Lanes];

    /// For people, in words: `DRAM`, `on-chip memories`.
    pub const fn name(self) -> &'static str {
        ["DRAM", "on-chip memories", "registers", "MACs", "lanes"][self as usize]
    }
}

/// Bits read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Moved {
    /// Bits that leave the memory.
    pub read: u64,
    /// Bits that enter the memory.
    pub written: u64,
}

/// Cycles in which each part of the core is busy in a phase. All parts work at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Busy {
    /// Cycles in which the MAC array multiplies.
    pub array: u64,
    /// Cycles in which the vector unit works.
    pub lanes: u64,
    /// Cycles of the transfers between DRAM and the chip.
    pub dram: u64,
    /// Cycles of the memory of queries, scores and results.
    pub activations: u64,
    /// Cycles of the memory of keys and values; 0 where it is the same.
    pub keys: u64,
}

impl Busy {
    /// Names, with their cycles.
    pub const fn parts(&self) -> [(&'static str, u64); 5] {
        [
            ("array", self.array),
            ("lanes", self.lanes),
            ("DRAM", self.dram),
            ("on-chip memory", self.activations),
            ("on-chip memory of keys", self.keys),
        ]
    }

    /// Cycles of the busiest part.
    pub fn cycles(&self) -> u64 {
        self.parts().iter().map(|(_, cycles)| *cycles).max().unwrap_or(0)
    }

    /// Name of the busiest part.
    pub fn bound_by(&self) -> &'static str {
        let longest = self.cycles();
        self.parts().iter().find(|(_, cycles)| *cycles == longest).map_or("", |(name, _)| name)
    }

    /// The same with `of` applied to the cycles of each part.
    pub(super) fn map(&self, of: impl Fn(u64) -> u64) -> Self {
        let Self { array, lanes, dram, activations, keys } = *self;
        Self { array: of(array), lanes: of(lanes), dram: of(dram), activations: of(activations), keys: of(keys) }
    }

    /// The sum of both, part by part.
    pub(super) const fn and(&self, other: &Self) -> Self {
        Self {
            array: self.array + other.array,
            lanes: self.lanes + other.lanes,
            dram: self.dram + other.dram,
            activations: self.activations + other.activations,
            keys: self.keys + other.keys,
        }
    }
}

/// Costs of a schedule: all heads and sequences.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// The schedule that was evaluated; [`account()`] returns the same account for it.
    pub schedule: Schedule,
    /// Multiply-accumulates that are computed, including those of keys and values that are computed again; under a
    /// causal mask, masked scores in tiles that are only partly masked are computed, too.
    pub macs: u64,
    /// Multiply-accumulates of keys and values that are computed again.
    pub weight_macs: u64,
    /// Operations of lanes, in the order of [`Operation::ALL`]; counted also where there are no lanes.
    pub operations: [u64; 5],
    /// Bits to and from DRAM, in the order of [`Tensor::ALL`].
    pub dram: [Moved; 8],
    /// Phases, one after the other: one if all is fused, else three; the others are empty.
    pub phases: [Busy; 3],
    /// Energy by cause, pJ, in the order of [`Cause::ALL`].
    pub energy: [f64; 5],
    /// Bits needed on the chip: for queries, scores and results, and for keys and values.
    pub needed_bits: [u64; 2],
}

impl Account {
    /// Energy, pJ.
    pub fn energy_pj(&self) -> f64 {
        self.energy.iter().sum()
    }

    /// Sum over the phases, which run one after the other. A phase lasts as long as its busiest part.
    pub fn latency_cycles(&self) -> u64 {
        self.phases.iter().map(Busy::cycles).sum()
    }

    /// Bits read from DRAM plus bits written to it, all tensors.
    pub fn dram_bits(&self) -> u64 {
        self.dram.iter().map(|moved| moved.read + moved.written).sum()
    }

    /// Name of the busiest part in the longest phase.
    pub fn bound_by(&self) -> &'static str {
        self.phases.iter().max_by_key(|phase| phase.cycles()).map_or("", Busy::bound_by)
    }
}

/// Work for one head of keys in one phase.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Work {
    pub(super) macs: u64,
    pub(super) weight_macs: u64,
    array_cycles: u64,
    lane_cycles: u64,
    pub(super) operations: [u64; 5],
    activations: Moved,
    keys: Moved,
    dram: [Moved; 8],
}

/// The costs of a schedule; `None` if it needs more room than there is, has keys and values elsewhere than the problem,
/// computes them again where there is no source for them, or has more than 2^54 multiply-accumulates.
pub fn account(problem: &Problem, machine: &Machine, schedule: &Schedule) -> Option<Account> {
    account_of(&Movement { problem, machine, schedule }, None)
}

/// The same where the weights that compute keys and values are loaded so many times, those of one head each time.
pub(super) fn account_of(movement: &Movement<'_>, weight_loads: Option<u64>) -> Option<Account> {
    let Movement { problem, machine, schedule } = *movement;
    let needed_bits = schedule.needed_bits(problem);
    let is_held = match schedule.held {
        held if held.is_recomputed() => problem.source.is_some(),
        held => problem.stored().contains(&held),
    };
    (is_held && schedule.is_countable(problem) && fits(machine, needed_bits)).then(|| {
        let mut works = [Work::default(); 3];
        match schedule.fusion {
            Fusion::None => movement.unfused(&mut works),
            Fusion::Rows(_) | Fusion::QueriesStay => movement.queries_stay(&mut works[0]),
            Fusion::KeysStay => movement.keys_stay(&mut works[0]),
        }
        let mut once = Work::default();
        movement.once(&mut once, weight_loads.unwrap_or_else(|| movement.weight_loads()));
        movement.sum(&works, &once, needed_bits)
    })
}

/// Whether these bits fit on the chip: those of queries, scores and results, and those of keys and values.
pub fn fits(machine: &Machine, [activations, keys]: [u64; 2]) -> bool {
    match &machine.weights {
        None => activations.saturating_add(keys) <= machine.activations.size_bits,
        Some(weights) => activations <= machine.activations.size_bits && keys <= weights.size_bits,
    }
}

/// Number of tiles of keys.
fn visits(tiles: &[(u64, u64)]) -> u64 {
    tiles.iter().map(|(count, _)| count).sum()
}

impl Movement<'_> {
    /// Rows of whole scores, or of tiles of them, stay on the chip; keys and values stream past, or stay, too.
    fn queries_stay(&self, work: &mut Work) {
        let shape = &self.problem.shape;
        let cascade = self.schedule.fusion.cascade();
        self.resident(work, self.pairs());
        for of in self.schedule.query_tiles(self.problem) {
            let QueryTiles { count, size, keys, .. } = of;
            let tiles: &Vec<_> = &self.schedule.key_tiles(&of).collect();
            let (times, rows) = (count * self.head_tiles(), size * self.schedule.heads);
            self.load(work, times, Tensor::Queries, rows * shape.depth);
            if self.schedule.fusion == Fusion::QueriesStay {
                self.come(work, times, self.pairs(), keys, tiles);
            } else {
                // Keys and values have a pass each.
                self.pairs().iter().for_each(|&tensor| self.come(work, times, &[tensor], keys, tiles));
            }
            // When all scores are computed, the first tile of keys, which contain the values, has been replaced.
            if shape.values_in_keys && self.schedule.fusion != Fusion::QueriesStay && visits(tiles) > 1 {
                self.come(work, times, &[Tensor::Values], keys, tiles);
            }
            for &(count, tile) in tiles {
                self.softmax(work, times * count, &cascade.of_tile(rows, tile, shape.value_depth));
            }
            self.softmax(work, times, &cascade.of_row(rows, keys, visits(tiles), shape.value_depth));
            self.query_keys(work, times, rows, tiles);
            self.with_all_values(work, times, rows, tiles, self.schedule.fusion != Fusion::QueriesStay);
            self.store(work, times, Tensor::Output, rows * shape.value_depth);
        }
    }

    /// A tile of keys and values stays; queries with their running results stream past. The first tile of keys starts
    /// these results, the last one divides them.
    fn keys_stay(&self, work: &mut Work) {
        let shape = &self.problem.shape;
        let running = shape.value_depth + 2;
        // Each tile is loaded, or computed, once; not at all where all are kept on the chip.
        match self.schedule.held {
            KeysHeld::Kept => {}
            held if held.is_recomputed() => {
                let all: Vec<(u64, u64)> = sizes(shape.keys, self.schedule.keys).collect();
                self.recompute_all(work, 1, self.pairs(), &all);
            }
            _ => {
                for &tensor in self.pairs() {
                    self.load(work, 1, tensor, shape.keys * self.depth_of(tensor));
                }
            }
        }
        for of in self.schedule.query_tiles(self.problem) {
            let QueryTiles { count, size, keys, .. } = of;
            let tiles: &Vec<_> = &self.schedule.key_tiles(&of).collect();
            let (times, rows) = (count * self.head_tiles(), size * self.schedule.heads);
            let visits = visits(tiles);
            self.load(work, times * visits, Tensor::Queries, rows * shape.depth);
            self.load(work, times * (visits - 1), Tensor::Running, rows * running);
            self.store(work, times * (visits - 1), Tensor::Running, rows * running);
            let cascade = self.schedule.fusion.cascade();
            for &(count, tile) in tiles {
                self.softmax(work, times * count, &cascade.of_tile(rows, tile, shape.value_depth));
            }
            self.softmax(work, times, &cascade.of_row(rows, keys, visits, shape.value_depth));
            self.query_keys(work, times, rows, tiles);
            self.with_all_values(work, times, rows, tiles, false);
            self.store(work, times, Tensor::Output, rows * shape.value_depth);
        }
    }

    fn unfused(&self, [scores, softmax, values]: &mut [Work; 3]) {
        let shape = &self.problem.shape;
        let cascade = self.schedule.fusion.cascade();
        self.resident(scores, &[Tensor::Keys]);
        self.resident(values, &[Tensor::Values]);
        for of in self.schedule.query_tiles(self.problem) {
            let QueryTiles { count, size, keys, .. } = of;
            let tiles: &Vec<_> = &self.schedule.key_tiles(&of).collect();
            let (times, rows) = (count * self.head_tiles(), size * self.schedule.heads);
            self.load(scores, times, Tensor::Queries, rows * shape.depth);
            self.come(scores, times, &[Tensor::Keys], keys, tiles);
            self.query_keys(scores, times, rows, tiles);
            self.store(scores, times, Tensor::Scores, rows * keys);

            self.load(softmax, times, Tensor::Scores, rows * keys);
            self.softmax(softmax, times, &cascade.of_row(rows, keys, 1, shape.value_depth));
            self.store(softmax, times, Tensor::Scores, rows * keys);

            self.load(values, times, Tensor::Scores, rows * keys);
            self.come(values, times, &[Tensor::Values], keys, tiles);
            self.with_all_values(values, times, rows, tiles, true);
            self.store(values, times, Tensor::Output, rows * shape.value_depth);
        }
    }

    /// Queries times keys, tile of keys by tile of keys.
    fn query_keys(&self, work: &mut Work, times: u64, rows: u64, tiles: &[(u64, u64)]) {
        tiles.iter().for_each(|&(count, tile)| self.query_key(work, times * count, rows, tile));
    }

    /// Scores times values. `adds`: each tile of keys adds to the sums of those before; else lanes add them up.
    fn with_all_values(&self, work: &mut Work, times: u64, rows: u64, tiles: &[(u64, u64)], adds: bool) {
        let mut is_first = true;
        for &(count, tile) in tiles {
            let firsts = u64::from(is_first || !adds) * if adds { 1 } else { count };
            is_first = false;
            self.with_values(work, times * firsts, rows, tile, false);
            self.with_values(work, times * (count - firsts), rows, tile, true);
        }
    }

    /// Tensors that stay on the chip are loaded once.
    fn resident(&self, work: &mut Work, tensors: &[Tensor]) {
        if self.schedule.held == KeysHeld::Resident {
            for &tensor in tensors {
                self.load(work, 1, tensor, self.problem.shape.keys * self.depth_of(tensor));
            }
        }
    }

    /// Tensors that do not stay are loaded for every tile of queries: from DRAM, or computed again of inputs.
    fn come(&self, work: &mut Work, times: u64, tensors: &[Tensor], keys: u64, tiles: &[(u64, u64)]) {
        match self.schedule.held {
            KeysHeld::Resident | KeysHeld::Kept => {}
            KeysHeld::Streamed => {
                for &tensor in tensors {
                    self.load(work, times, tensor, keys * self.depth_of(tensor));
                }
            }
            KeysHeld::Recomputed | KeysHeld::InputsStay => self.recompute_all(work, times, tensors, tiles),
        }
    }

    fn recompute_all(&self, work: &mut Work, times: u64, tensors: &[Tensor], tiles: &[(u64, u64)]) {
        tiles.iter().for_each(|&(count, tile)| self.recompute(work, times * count, tensors, tile));
    }

    fn sum(&self, works: &[Work; 3], once: &Work, needed_bits: [u64; 2]) -> Account {
        let repeats = self.problem.repeats();
        let mut all: [Work; 3] = std::array::from_fn(|at| works[at].times(repeats));
        all[0].add(once);
        let whole = all.iter().fold(Work::default(), |mut sum, work| {
            sum.add(work);
            sum
        });
        Account {
            schedule: *self.schedule,
            macs: whole.macs,
            weight_macs: whole.weight_macs,
            operations: whole.operations,
            dram: whole.dram,
            phases: std::array::from_fn(|at| self.busy(&all[at])),
            energy: self.energy(&whole),
            needed_bits,
        }
    }

    /// Energy by cause, pJ, in the order of [`Cause::ALL`].
    pub(super) fn energy(&self, work: &Work) -> [f64; 5] {
        let (machine, bits) = (self.machine, &self.problem.bits);
        let own = (work.macs - work.weight_macs) as f64;
        let keys = machine.weight_store().energy_pj(work.keys.read, work.keys.written);
        let on_chip = keys + machine.activations.energy_pj(work.activations.read, work.activations.written);
        let dram = work.dram.iter().map(|moved| machine.dram.energy_pj(moved.read, moved.written)).sum();
        let of_each = Operation::ALL.iter().zip(work.operations);
        let lanes = of_each.map(|(operation, count)| count as f64 * machine.operation_pj(*operation)).sum();
        let registers = own * machine.register_pj(bits.keys, bits.activations, bits.sums)
            + work.weight_macs as f64 * machine.register_pj(bits.weights, bits.activations, bits.sums);
        let multiplied = own * machine.mac_pj(bits.keys, bits.activations)
            + work.weight_macs as f64 * machine.mac_pj(bits.weights, bits.activations);
        [dram, on_chip, registers, multiplied, lanes]
    }

    pub(super) fn busy(&self, work: &Work) -> Busy {
        let machine = self.machine;
        let dram = work.dram.iter().fold(Moved::default(), |all, next| all.and(*next));
        let (activations, keys) = match &machine.weights {
            Some(weights) => (
                machine.activations.cycles(work.activations.read, work.activations.written),
                weights.cycles(work.keys.read, work.keys.written),
            ),
            None => {
                let all = work.activations.and(work.keys);
                (machine.activations.cycles(all.read, all.written), 0)
            }
        };
        Busy {
            array: work.array_cycles,
            lanes: work.lane_cycles,
            dram: machine.dram.cycles(dram.read, dram.written),
            activations,
            keys,
        }
    }
}

impl Moved {
    pub(super) const fn and(self, other: Self) -> Self {
        Self { read: self.read + other.read, written: self.written + other.written }
    }

    pub(super) const fn times(self, times: u64) -> Self {
        Self { read: self.read * times, written: self.written * times }
    }
}

impl Work {
    pub(super) fn add(&mut self, other: &Self) {
        self.macs += other.macs;
        self.weight_macs += other.weight_macs;
        self.array_cycles += other.array_cycles;
        self.lane_cycles += other.lane_cycles;
        self.operations.iter_mut().zip(other.operations).for_each(|(own, other)| *own += other);
        self.activations = self.activations.and(other.activations);
        self.keys = self.keys.and(other.keys);
        for (own, other) in self.dram.iter_mut().zip(other.dram) {
            *own = own.and(other);
        }
    }

    fn times(&self, times: u64) -> Self {
        Self {
            macs: self.macs * times,
            weight_macs: self.weight_macs * times,
            array_cycles: self.array_cycles * times,
            lane_cycles: self.lane_cycles * times,
            operations: self.operations.map(|count| count * times),
            activations: self.activations.times(times),
            keys: self.keys.times(times),
            dram: self.dram.map(|moved| moved.times(times)),
        }
    }
}

impl Ledger for Work {
    fn moved(&mut self, flow: Flow) {
        let mut at = |place: Place, moved: Moved| match place {
            Place::Dram => self.dram[flow.tensor as usize] = self.dram[flow.tensor as usize].and(moved),
            Place::Activations => self.activations = self.activations.and(moved),
            Place::Keys => self.keys = self.keys.and(moved),
            Place::Array | Place::Lanes => {}
        };
        at(flow.from, Moved { read: flow.read_bits, written: 0 });
        at(flow.to, Moved { read: 0, written: flow.written_bits });
    }

    fn multiplied(&mut self, macs: u64, cycles: u64, of_weights: bool) {
        self.macs += macs;
        self.weight_macs += if of_weights { macs } else { 0 };
        self.array_cycles += cycles;
    }

    fn lanes(&mut self, times: u64, step: &VectorStep, cycles: u64) {
        for &(operation, count) in step.operations {
            self.operations[operation as usize] += times * step.iterations * count;
        }
        self.lane_cycles += times * cycles;
    }
}
