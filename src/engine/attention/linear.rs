//! The parts of a layer beside attention on a core, products with weights and steps of lanes between them: which of
//! them run together, tile of tokens by tile of tokens, and the costs.
//!
//! A run of parts keeps the data between them on the chip, in rows of all channels. For every tile of tokens all
//! weights of the run are loaded from DRAM, or all of them stay on the chip. The map that a residual sum adds is loaded
//! again, unless the run itself computed it and has room to keep it. All runs of a chain and all numbers of tiles are
//! tried.
//!
//! A state that a part keeps of the earlier tokens of a sequence stays on the chip from tile to tile, or is written to
//! DRAM after each tile and loaded for the next, channel by channel. At the end it is written to DRAM, from where later
//! tokens read it.

use super::ElementBits;
use super::account::{Busy, Cause, Moved, Tensor, fits};
use super::cascade::VectorStep;
use super::machine::Machine;
use super::movement::{Flow, Ledger, Place};
use super::product::product;
use super::schedule::sizes;
use super::search::Total;
use super::token::{Added, TokenStep, TokenWork};
use super::transformer::{Step, WeightedProduct};
use crate::hardware::VectorUnit;
use crate::search::Objective;
use crate::workload::Operation;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A part of a layer beside attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A product with weights.
    Product(WeightedProduct),
    /// A step of lanes for every token.
    Lanes(TokenStep),
    /// Moves keys and values to the place where attention reads them.
    Keep(KeptKeys),
}

/// Keys and values at the end of a row, with a precision of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptKeys {
    /// Channels of a token.
    pub channels: u64,
    /// Channels before them in the row, which do not change.
    pub before: u64,
    /// Whether they stay on the chip.
    pub on_chip: bool,
    /// Whether they go to DRAM.
    pub in_dram: bool,
}

impl Part {
    /// For people, in words.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Product(product) => product.name,
            Self::Lanes(step) => step.name(),
            Self::Keep(KeptKeys { on_chip: true, .. }) => "keys and values stay on the chip",
            Self::Keep(_) => "keys and values to DRAM",
        }
    }

    /// The product with weights, if it is one.
    pub const fn product(&self) -> Option<&WeightedProduct> {
        match self {
            Self::Product(product) => Some(product),
            Self::Lanes(_) | Self::Keep(_) => None,
        }
    }

    /// Channels of a token that it reads of the part before it.
    pub(super) const fn reads(&self) -> u64 {
        match self {
            Self::Product(product) => product.reads(),
            Self::Lanes(step) => step.reads(),
            Self::Keep(keys) => keys.channels,
        }
    }

    /// Channels of a token that it computes.
    pub(super) const fn writes(&self) -> u64 {
        match self {
            Self::Product(product) => product.writes(),
            Self::Lanes(step) => step.channels,
            Self::Keep(_) => 0,
        }
    }

    const fn step(&self) -> Option<&TokenStep> {
        match self {
            Self::Product(_) | Self::Keep(_) => None,
            Self::Lanes(step) => Some(step),
        }
    }

    /// Weights, of all experts.
    const fn weights(&self) -> u64 {
        match self {
            Self::Product(product) => product.weights(),
            Self::Lanes(step) => step.weights(),
            Self::Keep(_) => 0,
        }
    }

    /// Weights that so many tokens use; the mean where there are experts.
    fn used_weights(&self, tokens: u64) -> u64 {
        match self {
            Self::Product(product) => product.used_weights(tokens).round() as u64,
            Self::Lanes(_) | Self::Keep(_) => self.weights(),
        }
    }

    fn state_bits(&self, bits: &ElementBits) -> u64 {
        self.step().map_or(0, |step| step.state_bits(bits))
    }

    /// Channels of a token that it reads and that also stay in its row unchanged.
    fn keeps(&self) -> u64 {
        self.product().filter(|product| product.keeps).map_or(0, WeightedProduct::reads)
    }

    /// Channels of a token that it leaves unchanged.
    pub(super) const fn passes(&self) -> u64 {
        match self {
            Self::Product(product) => product.passes,
            Self::Lanes(step) => step.passes(),
            Self::Keep(keys) => keys.before,
        }
    }

    /// Those of the unchanged channels at the end of a row.
    const fn tail(&self) -> u64 {
        match self {
            Self::Product(product) => product.passes,
            Self::Lanes(step) => step.tail(),
            Self::Keep(_) => 0,
        }
    }

    const fn joins(&self) -> u64 {
        match self {
            Self::Product(_) | Self::Keep(_) => 0,
            Self::Lanes(step) => step.joins(),
        }
    }

    /// Channels of a token that are written to DRAM as keys and values.
    const fn cached_channels(&self) -> u64 {
        match self {
            Self::Keep(keys) if keys.in_dram => keys.channels,
            _ => 0,
        }
    }

    fn is_kept(&self) -> bool {
        self.step().is_some_and(|step| step.is_kept)
    }

    fn adds_what_is_kept(&self) -> bool {
        self.step().is_some_and(|step| step.work == TokenWork::Residual(Added::Kept))
    }
}

/// Channels of a token that a run of parts moves and keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowTraffic {
    /// Read from DRAM.
    pub read: u64,
    /// Written to DRAM.
    pub written: u64,
    /// The most channels that are on the chip at a time; results of a product at the end, keys and values included,
    /// leave the chip as the array computes them, so many columns at once.
    pub kept: u64,
}

impl RowTraffic {
    /// The channels of a token that a run of a chain moves and keeps; `None` if it has no parts.
    pub fn of(chain: &[Part], run: &Range<usize>, columns_at_once: u64) -> Option<Self> {
        let parts = chain.get(run.clone())?;
        let (first, last) = (parts.first()?, parts.last()?);
        let keeper = chain.iter().position(Part::is_kept);
        let joiner = chain.iter().position(Part::adds_what_is_kept).filter(|joiner| run.contains(joiner));
        // A map that the run itself computes, or reads in any case, need not be read again.
        let kept = keeper.zip(joiner).filter(|(keeper, joiner)| keeper + 1 >= run.start && keeper < joiner);
        let joined = parts.iter().filter(|part| !(kept.is_some() && part.adds_what_is_kept())).map(Part::joins);
        // A map that a later run adds has to be written to DRAM, too, where it is not the result of this run.
        let is_left = |(at, part): &(usize, &Part)| part.is_kept() && kept.is_none() && at + 1 < parts.len();
        let left = parts.iter().enumerate().filter(is_left).map(|(_, part)| part.writes());
        // Channels that all parts leave unchanged need not be loaded at all; those that only some parts leave unchanged
        // are moved with the rest.
        let untouched = match parts.split_last() {
            Some((_, [])) => first.passes(),
            // The channels before keys and values that go to their place.
            Some((Part::Keep(keys), rest)) => rest.iter().map(Part::tail).min()?.saturating_sub(keys.channels),
            _ => parts.iter().map(Part::tail).min()?,
        };
        // Channels that a part reads and keeps move with the row, unless a later part reads them; where no part of the
        // run computed them, they are in DRAM.
        let kept_by_last = last.keeps();
        let was_there = match parts.split_first() {
            Some((first, rest)) if rest.iter().all(|part| part.tail() >= first.keeps() + first.passes()) => {
                first.keeps()
            }
            _ => 0,
        };
        // The results of the last product leave the chip column by column.
        let leaving = match parts {
            [.., Part::Product(product), Part::Keep(_)] if product.passes == 0 => run.end - 2,
            _ => run.end - 1,
        };
        let room = |(at, part): (usize, &Part)| {
            // The end of a row that no part has read so far has not been loaded yet.
            let so_far = parts.iter().take(at + 1).map(Part::tail).min().unwrap_or(0);
            let to_come = so_far.max(untouched);
            let at = run.start + at;
            if at > leaving {
                return 0;
            }
            let computed = match part {
                Part::Product(product) if at == leaving => product.columns.min(columns_at_once),
                Part::Product(product) => product.writes(),
                Part::Lanes(_) | Part::Keep(_) => 0,
            };
            // A product leaves the channels that it reads unchanged.
            let beside = kept.filter(|&(keeper, joiner)| {
                keeper < at && at < joiner && !(at == keeper + 1 && part.product().is_some())
            });
            let beside = beside.map_or(0, |(keeper, _)| chain[keeper].writes());
            part.reads() + part.passes() - to_come + part.joins() + computed + beside
        };
        Some(Self {
            read: first.reads() + first.passes() - untouched + joined.sum::<u64>(),
            written: last.writes() + last.passes() + kept_by_last - untouched - was_there + left.sum::<u64>(),
            kept: parts.iter().enumerate().map(room).max()?,
        })
    }
}

/// Data that stays on the chip while tiles of tokens change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// All weights of the run; else they are loaded for every tile.
    pub weights: bool,
    /// The states of a sequence; else they are moved with every tile. Without states it has no effect.
    pub states: bool,
}

impl Held {
    /// The four combinations.
    pub const ALL: [Self; 4] = [
        Self { weights: true, states: true },
        Self { weights: false, states: true },
        Self { weights: true, states: false },
        Self { weights: false, states: false },
    ];
}

/// Numbers of times that the states of a sequence are moved from and to DRAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateMoves {
    /// Loads from DRAM.
    pub read: u64,
    /// Writes to DRAM.
    pub written: u64,
}

impl StateMoves {
    /// The moves for all sequences of a step, with tiles of so many tokens, which pass through the sequences one after
    /// the other.
    pub fn of(step: &Step, tile: u64, stays: bool) -> Self {
        let (sequences, tokens, tile) = (step.batch, step.tokens.max(1), tile.max(1));
        let all = sequences * tokens;
        // A sequence has no states before its first token, unless earlier tokens are cached.
        let first = if step.cached > 0 { sequences } else { 0 };
        if stays {
            return Self { read: first, written: sequences };
        }
        // Pieces of sequences: a new one begins with every tile and with every sequence.
        let both = all.div_ceil(least_common_multiple(tile, tokens));
        let pieces = all.div_ceil(tile) + sequences - both;
        Self { read: pieces - sequences + first, written: pieces }
    }
}

fn least_common_multiple(one: u64, other: u64) -> u64 {
    let (mut a, mut b) = (one, other);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    (one / a).saturating_mul(other)
}

/// A run of parts with its costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The parts, by name.
    pub parts: Vec<String>,
    /// Tokens in a tile.
    pub tile: u64,
    /// Whether the weights stay on the chip.
    pub resident: bool,
    /// Whether the states of a sequence stay on the chip; `None`: there are none.
    pub states_stay: Option<bool>,
    /// Multiply-accumulates.
    pub macs: u64,
    /// Bits from DRAM and to it.
    pub dram: Moved,
    /// Bits of weights among those read from DRAM.
    pub weight_bits: u64,
    /// Cycles in which each part of the core is busy.
    pub busy: Busy,
    /// Energy by cause, pJ, in the order of [`Cause::ALL`].
    pub energy: [f64; 5],
}

impl Run {
    /// Energy, pJ.
    pub fn energy_pj(&self) -> f64 {
        self.energy.iter().sum()
    }

    /// Bits read from DRAM plus bits written to it.
    pub const fn dram_bits(&self) -> u64 {
        self.dram.read + self.dram.written
    }

    /// The costs of these runs, one after the other.
    pub(super) fn total(runs: &[Self]) -> Total {
        runs.iter().map(Total::from).fold(Total::default(), Total::and)
    }

    fn score(&self, objective: &Objective, machine: &Machine) -> f64 {
        Total::from(self).score(objective, machine)
    }
}

impl From<&Run> for Total {
    fn from(run: &Run) -> Self {
        Self { energy_pj: run.energy_pj(), cycles: run.busy.cycles() as f64, dram_bits: run.dram_bits() as f64 }
    }
}

/// The best runs of a chain of parts for all tokens of a step; `None` if a part does not fit alone. For the product of
/// energy and delay each run is the best alone, as products do not add up.
pub fn best_runs(
    chain: &[Part],
    step: &Step,
    bits: &ElementBits,
    machine: &Machine,
    objective: &Objective,
) -> Option<Vec<Run>> {
    best_runs_from(0, chain, step, bits, machine, objective)
}

/// The cheapest partition of `chain[first..]` into runs (dynamic programming over end points).
pub(super) fn best_runs_from(
    first: usize,
    chain: &[Part],
    step: &Step,
    bits: &ElementBits,
    machine: &Machine,
    objective: &Objective,
) -> Option<Vec<Run>> {
    // The best runs that end before each part; `None` where there are none.
    let mut best: Vec<Option<(f64, Vec<Run>)>> = vec![None; first];
    best.push(Some((0.0, Vec::new())));
    for end in first + 1..=chain.len() {
        let mut least: Option<(f64, Vec<Run>)> = None;
        for (start, before) in best.iter().enumerate() {
            let Some((before, runs)) = before else { continue };
            let Some(run) = best_run(chain, &(start..end), step, bits, machine, objective) else { continue };
            let score = before + run.score(objective, machine);
            if least.as_ref().is_none_or(|(least, _)| score < *least) {
                least = Some((score, [&runs[..], &[run]].concat()));
            }
        }
        best.push(least);
    }
    best.pop()?.map(|(_, runs)| runs)
}

fn best_run(
    chain: &[Part],
    run: &Range<usize>,
    step: &Step,
    bits: &ElementBits,
    machine: &Machine,
    objective: &Objective,
) -> Option<Run> {
    let mut best: Option<(f64, Run)> = None;
    let tokens = step.batch * step.tokens;
    let has_states = chain.get(run.clone())?.iter().any(|part| part.state_bits(bits) > 0);
    let mut size = tokens;
    while size > 0 {
        let tile = tokens.div_ceil(tokens.div_ceil(size));
        for held in Held::ALL.into_iter().filter(|held| held.states || has_states) {
            let Some(run) = run_of(chain, run, (step, tile), held, bits, machine) else { continue };
            let score = run.score(objective, machine);
            if best.as_ref().is_none_or(|(least, _)| score < *least) {
                best = Some((score, run));
            }
        }
        size = tile - 1;
    }
    best.map(|(_, run)| run)
}

/// The costs of a run of a chain for all tokens of a step, in tiles of so many; `None` if it does not fit.
pub fn run_of(
    chain: &[Part],
    run: &Range<usize>,
    (step, tile): (&Step, u64),
    held: Held,
    bits: &ElementBits,
    machine: &Machine,
) -> Option<Run> {
    let tiled = TiledRun { chain, run, step, tile, held };
    if !fits(machine, tiled.needed_bits(bits, machine)?) {
        return None;
    }
    let tiles: Vec<(u64, u64)> = sizes(step.batch * step.tokens, tile).collect();
    tiled.cost(&tiles, bits, machine)
}

/// A run of a chain in tiles of at most so many tokens.
#[derive(Clone, Copy)]
pub(super) struct TiledRun<'a> {
    pub(super) chain: &'a [Part],
    pub(super) run: &'a Range<usize>,
    pub(super) step: &'a Step,
    pub(super) tile: u64,
    pub(super) held: Held,
}

impl TiledRun<'_> {
    pub(super) fn row(&self, machine: &Machine) -> Option<RowTraffic> {
        RowTraffic::of(self.chain, self.run, machine.unrolled[2])
    }

    pub(super) fn parts(&self) -> &[Part] {
        self.chain.get(self.run.clone()).unwrap_or_default()
    }

    fn state_bits(&self, bits: &ElementBits) -> u64 {
        self.parts().iter().map(|part| part.state_bits(bits)).sum()
    }

    /// Bits that it needs on the chip, for rows of tokens and for weights; `None` if it has no parts.
    pub(super) fn needed_bits(&self, bits: &ElementBits, machine: &Machine) -> Option<[u64; 2]> {
        let (row, parts) = (self.row(machine)?, self.parts());
        let products = parts.iter().filter_map(Part::product);
        // Streamed weights: those that the array holds at once, twice (in use and being loaded).
        let at_once = products
            .map(|product| 2 * product.reduction.min(machine.unrolled[1]) * product.columns.min(machine.unrolled[2]));
        let lanes_at_once = 2 * machine.lanes.as_ref().map_or(0, VectorUnit::lanes);
        let of_lanes = parts.iter().filter_map(Part::step).map(|step| step.weights().min(lanes_at_once));
        let room = if self.held.weights {
            parts.iter().map(Part::weights).sum()
        } else {
            at_once.chain(of_lanes).max().unwrap_or(0)
        };
        // States that do not stay are moved in parts as large as the lanes, too.
        let of_states =
            parts.iter().map(|part| part.state_bits(bits).min(lanes_at_once * bits.sums.max(bits.activations)));
        let state_room = if self.held.states { self.state_bits(bits) } else { of_states.max().unwrap_or(0) };
        Some([self.tile * row.kept * bits.activations + state_room, room * bits.weights])
    }

    /// Bits of the weights that so many tokens use.
    pub(super) fn weight_bits(&self, tokens: u64, bits: &ElementBits) -> u64 {
        self.parts().iter().map(|part| part.used_weights(tokens) * bits.weights).sum()
    }

    /// The costs of the run in these tiles (numbers and sizes), without regard to room; `None` if it has no parts.
    pub(super) fn cost(&self, tiles: &[(u64, u64)], bits: &ElementBits, machine: &Machine) -> Option<Run> {
        let (row, parts, step) = (self.row(machine)?, self.parts(), self.step);
        let tokens = step.batch * step.tokens;
        let weight_bits = if self.held.weights {
            self.weight_bits(tokens, bits)
        } else {
            tiles.iter().map(|&(count, size)| count * self.weight_bits(size, bits)).sum()
        };
        let (state_bits, moves) = (self.state_bits(bits), StateMoves::of(step, self.tile, self.held.states));
        let read = tokens * row.read * bits.activations + weight_bits + moves.read * state_bits;
        let cached = parts.iter().map(Part::cached_channels).sum::<u64>() * tokens * bits.keys;
        let written = tokens * row.written * bits.activations + cached + moves.written * state_bits;
        let macs: u64 = parts.iter().filter_map(Part::product).map(|product| product.macs(tokens)).sum();
        let mut work = OnChip {
            machine,
            array: 0,
            lanes: 0,
            lanes_pj: 0.0,
            activations: (written, read - weight_bits),
            weights: (0, weight_bits),
        };
        let mut of_lanes = 0.0;
        for part in parts {
            for &(count, size) in tiles {
                part.tell(&mut work, (count, size), [Tensor::Inputs, Tensor::Output], bits, machine);
                of_lanes += std::mem::take(&mut work.lanes_pj);
            }
        }
        let OnChip { activations, weights, .. } = work;
        let (of_activations, of_weights) = match &machine.weights {
            Some(store) => {
                (machine.activations.cycles(activations.0, activations.1), store.cycles(weights.0, weights.1))
            }
            None => (machine.activations.cycles(activations.0 + weights.0, activations.1 + weights.1), 0),
        };
        let mut energy = [0.0; 5];
        energy[Cause::Dram as usize] = machine.dram.energy_pj(read, written);
        energy[Cause::OnChip as usize] = machine.activations.energy_pj(activations.0, activations.1)
            + machine.weight_store().energy_pj(weights.0, weights.1);
        energy[Cause::Registers as usize] =
            macs as f64 * machine.register_pj(bits.weights, bits.activations, bits.sums);
        energy[Cause::Macs as usize] = macs as f64 * machine.mac_pj(bits.weights, bits.activations);
        energy[Cause::Lanes as usize] = of_lanes;
        Some(Run {
            parts: parts.iter().map(|part| part.name().to_owned()).collect(),
            tile: self.tile,
            resident: self.held.weights,
            states_stay: (state_bits > 0).then_some(self.held.states),
            macs,
            dram: Moved { read, written },
            weight_bits,
            busy: Busy {
                array: work.array,
                lanes: work.lanes,
                dram: machine.dram.cycles(read, written),
                activations: of_activations,
                keys: of_weights,
            },
            energy,
        })
    }
}

/// Cycles of array and lanes, the energy of lanes, pJ, and bits read from and written to the memories on the chip.
struct OnChip<'a> {
    machine: &'a Machine,
    array: u64,
    lanes: u64,
    lanes_pj: f64,
    activations: (u64, u64),
    weights: (u64, u64),
}

impl Ledger for OnChip<'_> {
    fn moved(&mut self, flow: Flow) {
        match flow.from {
            Place::Activations => self.activations.0 += flow.read_bits,
            Place::Keys => self.weights.0 += flow.read_bits,
            Place::Dram | Place::Array | Place::Lanes => {}
        }
        match flow.to {
            Place::Activations => self.activations.1 += flow.written_bits,
            Place::Keys => self.weights.1 += flow.written_bits,
            Place::Dram | Place::Array | Place::Lanes => {}
        }
    }

    fn multiplied(&mut self, _macs: u64, cycles: u64, _of_weights: bool) {
        self.array += cycles;
    }

    fn lanes(&mut self, times: u64, step: &VectorStep, cycles: u64) {
        self.lanes += times * cycles;
        let of = |&(operation, times): &(Operation, u64)| times as f64 * self.machine.operation_pj(operation);
        self.lanes_pj += (times * step.iterations) as f64 * step.operations.iter().map(of).sum::<f64>();
    }
}

impl Part {
    /// Reports the work of the part on so many tiles of so many tokens, from the memories on the chip and back; `rows`
    /// are the tensors that it reads and computes.
    pub(super) fn tell(
        &self,
        ledger: &mut impl Ledger,
        tiles: (u64, u64),
        rows: [Tensor; 2],
        bits: &ElementBits,
        machine: &Machine,
    ) {
        match self {
            Self::Product(one) => tell_product(one, ledger, tiles, rows, bits, machine),
            Self::Lanes(one) => tell_lanes(one, ledger, tiles, rows, bits, machine),
            Self::Keep(keys) if keys.on_chip => {
                let elements = tiles.0 * tiles.1 * keys.channels;
                let (read_bits, written_bits) = (elements * bits.activations, elements * bits.keys);
                let (from, to) = (Place::Activations, Place::Keys);
                ledger.moved(Flow { tensor: Tensor::Keys, from, to, read_bits, written_bits });
            }
            Self::Keep(_) => {}
        }
    }
}

fn tell_product(
    one: &WeightedProduct,
    ledger: &mut impl Ledger,
    (count, size): (u64, u64),
    [read, computed]: [Tensor; 2],
    bits: &ElementBits,
    machine: &Machine,
) {
    // Each expert that is chosen computes its share of the tokens; shared experts compute all tokens.
    let (all, active) = one.experts;
    let share = (size * active).div_ceil(all);
    let mut cycles = 0;
    for (rows, times) in [(share, (size * active).div_ceil(share)), (size, one.shared)] {
        let sizes = [rows, one.reduction, one.columns];
        let of = product(machine, sizes, [bits.activations, bits.weights, bits.sums], false);
        let times = count * times;
        cycles += times * of.cycles;
        let mut flow = |tensor, from, to, bits: u64| ledger.moved(Flow::of(tensor, from, to, times * bits));
        flow(read, Place::Activations, Place::Array, of.first_bits);
        flow(Tensor::Weights, Place::Keys, Place::Array, of.second_bits);
        flow(computed, Place::Activations, Place::Array, of.sum_read_bits);
        flow(computed, Place::Array, Place::Activations, of.sum_write_bits);
    }
    ledger.multiplied(one.macs(count * size), cycles, true);
}

fn tell_lanes(
    one: &TokenStep,
    ledger: &mut impl Ledger,
    (count, size): (u64, u64),
    [read, computed]: [Tensor; 2],
    bits: &ElementBits,
    machine: &Machine,
) {
    let Some(unit) = &machine.lanes else { return };
    for step in one.steps(size) {
        let each = |&(operation, times): &(Operation, u64)| times * unit.cost(operation).cycles;
        // In a recurrence a token begins when the one before it is finished.
        let (turns, at_once) = if one.is_recurrent() { (size, step.iterations / size) } else { (1, step.iterations) };
        let cycles = at_once.div_ceil(unit.lanes()) * step.operations.iter().map(each).sum::<u64>();
        ledger.lanes(count, &step, turns * cycles);
        ledger.moved(Flow::of(read, Place::Activations, Place::Lanes, count * step.reads * bits.activations));
        ledger.moved(Flow::of(computed, Place::Lanes, Place::Activations, count * step.writes * bits.activations));
    }
    let tokens = count * size;
    let (states_read, states_written) = one.state_accesses(bits);
    ledger.moved(Flow::of(read, Place::Activations, Place::Lanes, tokens * states_read));
    ledger.moved(Flow::of(computed, Place::Lanes, Place::Activations, tokens * states_written));
    ledger.moved(Flow::of(Tensor::Weights, Place::Keys, Place::Lanes, tokens * one.weights() * bits.weights));
}
