//! FLAT (ASPLOS 2023): the scores of a head, or of some of its rows, stay on the chip between the products and the softmax.

use super::machine::BYTES;
use super::nest::{Accesses, Held, KEYS, Nest, OUTPUT, QUERIES, Rank, SCORES, Tensor, VALUES};
use super::{AccessTotals, Array, Machine, Replay, Rules, Shape, StepCycles, energy_of, softmax};
use crate::spec::Diagnostics;

/// The part of the scores that is computed before the softmax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Granularity {
    /// All rows of a head.
    Head,
    /// So many rows of a head (P1).
    Rows(u64),
}

/// The operand that stays in the PEs while the others stream past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stationarity {
    /// The results.
    Output,
    /// Keys or values.
    Weight,
}

/// A configuration of FLAT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flat {
    /// The part of the scores that is computed at a time.
    pub granularity: Granularity,
    /// Stationarity of the product of queries and keys.
    pub qk: Stationarity,
    /// Stationarity of the product with the values.
    pub av_product: Stationarity,
    /// Q stays in the buffer.
    pub q: bool,
    /// K stays in the buffer.
    pub k: bool,
    /// The scores stay in the buffer, before and after the softmax.
    pub scores: bool,
    /// V stays in the buffer.
    pub v: bool,
    /// AV stays in the buffer.
    pub av: bool,
}

impl Flat {
    /// P1: rows of scores at a time.
    pub const fn rows(&self, shape: &Shape) -> u64 {
        match self.granularity {
            Granularity::Head => shape.queries,
            Granularity::Rows(rows) => rows,
        }
    }

    fn check(&self, shape: &Shape, machine: &Machine) -> Result<(), Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let rows = self.rows(shape);
        if rows == 0 || !shape.queries.is_multiple_of(rows) || !rows.is_multiple_of(machine.side) {
            let reason = format!("{rows} rows at a time do not divide {} queries into whole arrays", shape.queries);
            diagnostics.add("rows", reason, format!("Write a multiple of {} that divides the queries", machine.side));
        }
        diagnostics.or(())
    }

    pub(super) fn replay(&self, shape: &Shape, machine: &Machine, rules: &Rules) -> Result<Replay, Diagnostics> {
        self.check(shape, machine)?;
        let (qk, qk_step) = self.product_qk(shape, machine);
        let (av, av_step) = self.product_av(shape, machine);
        let passes = softmax::passes(shape, machine, self.scores);
        let mut accesses = AccessTotals::default();
        accesses.add(Array::TwoD, &qk);
        accesses.add(Array::TwoD, &av);
        for pass in &passes {
            accesses.add(Array::OneD, pass);
        }
        let softmax_steps = softmax::steps(shape, machine, rules);
        let dram = self.dram(shape, machine, [&qk, &av]);
        let dram_bytes: f64 = dram.iter().map(|(_, bytes)| bytes).sum();
        let of_2d = machine.seconds(qk_step.cycles + av_step.cycles);
        let of_1d = machine.seconds(softmax_steps.iter().map(|step| step.cycles).sum());
        Ok(Replay {
            tiles: Some((self.rows(shape), shape.queries / self.rows(shape))),
            spilled: self.spilled(shape, machine),
            steps: [&[qk_step], &softmax_steps[..], &[av_step]].concat(),
            latency_s: machine.dram_seconds(dram_bytes).max(of_2d).max(of_1d),
            energy: energy_of(machine, rules, dram_bytes, &accesses, &softmax::operations(shape)),
            dram,
            accesses,
            clock_hz: machine.clock_hz,
        })
    }

    fn outer(&self, shape: &Shape) -> Vec<(Rank, u64)> {
        let passes = shape.queries / self.rows(shape);
        vec![(Rank::Batch, shape.batch), (Rank::Head, shape.heads), (Rank::Query, passes)]
    }

    fn product_qk(&self, shape: &Shape, machine: &Machine) -> (Accesses, StepCycles) {
        let (side, rows) = (machine.side, self.rows(shape));
        let depth_lanes = side.min(shape.depth);
        let (buffer, spatial) = match self.qk {
            Stationarity::Output => (
                vec![(Rank::Query, rows / side), (Rank::KeyTile, shape.keys / side), (Rank::Depth, shape.depth)],
                vec![(Rank::Query, side), (Rank::Key, side)],
            ),
            Stationarity::Weight => (
                vec![
                    (Rank::KeyTile, shape.keys / side),
                    (Rank::Depth, shape.depth.div_ceil(side)),
                    (Rank::Query, rows),
                ],
                vec![(Rank::Depth, depth_lanes), (Rank::Key, side)],
            ),
        };
        let inputs = [
            Tensor { name: "Q", ranks: QUERIES, held: held(self.q) },
            Tensor { name: "K", ranks: KEYS, held: held(self.k) },
        ];
        let output = Tensor { name: "QK", ranks: SCORES, held: self.held_scores() };
        let used = match self.qk {
            Stationarity::Output => 1.0,
            Stationarity::Weight => depth_lanes as f64 / side as f64,
        };
        self.product("QK", shape, buffer, spatial, &inputs, output, used)
    }

    fn product_av(&self, shape: &Shape, machine: &Machine) -> (Accesses, StepCycles) {
        let (side, rows) = (machine.side, self.rows(shape));
        let value_lanes = side.min(shape.value_depth);
        let values = (Rank::Value, shape.value_depth.div_ceil(side));
        let (buffer, spatial) = match self.av_product {
            Stationarity::Output => (
                vec![(Rank::Query, rows / side), values, (Rank::KeyTile, shape.keys)],
                vec![(Rank::Query, side), (Rank::Value, value_lanes)],
            ),
            Stationarity::Weight => (
                vec![(Rank::KeyTile, shape.keys / side), values, (Rank::Query, rows)],
                vec![(Rank::Value, value_lanes), (Rank::Key, side)],
            ),
        };
        let inputs = [
            Tensor { name: "A", ranks: SCORES, held: self.held_scores() },
            Tensor { name: "V", ranks: VALUES, held: held(self.v) },
        ];
        let output = Tensor { name: "AV", ranks: OUTPUT, held: held(self.av) };
        self.product("AV", shape, buffer, spatial, &inputs, output, value_lanes as f64 / side as f64)
    }

    #[allow(clippy::too_many_arguments, reason = "one product in its parts")]
    fn product(
        &self,
        name: &'static str,
        shape: &Shape,
        buffer: Vec<(Rank, u64)>,
        spatial: Vec<(Rank, u64)>,
        inputs: &[Tensor],
        output: Tensor,
        used: f64,
    ) -> (Accesses, StepCycles) {
        let nest = Nest { dram: self.outer(shape), buffer, spatial };
        let cycles = nest.dram.iter().chain(&nest.buffer).map(|(_, count)| count).product::<u64>() as f64;
        (nest.accesses(inputs, output), StepCycles { name, array: Array::TwoD, cycles, used })
    }

    const fn held_scores(&self) -> Held {
        if self.scores { Held::Buffer } else { Held::Dram }
    }

    /// Bytes by tensor. Data without room in the buffer is read from DRAM and written there whenever the array accesses
    /// it.
    fn dram(&self, shape: &Shape, machine: &Machine, products: [&Accesses; 2]) -> Vec<(&'static str, f64)> {
        let spilled = self.spilled(shape, machine);
        let scores = shape.scores() as f64;
        let bytes = |elements: f64| BYTES as f64 * elements;
        let mut dram: Vec<(&'static str, f64)> = Vec::new();
        for moved in products.into_iter().flat_map(|product| &product.transfers) {
            let on_chip = match moved.name {
                "Q" => self.q,
                "K" => self.k,
                "V" => self.v,
                "AV" => self.av,
                _ => self.scores,
            };
            let normal = moved.dram as f64;
            let buffered = (moved.buffer_reads + moved.buffer_writes - moved.buffer_fills) as f64;
            let elements = if on_chip { (1.0 - spilled) * normal + spilled * buffered } else { normal };
            dram.push((moved.name, bytes(elements)));
        }
        // The scores are read twice, their exponential functions written and read, the result written.
        let softmax = if self.scores {
            5.0 * spilled * scores
        } else {
            let row_spilled = self.row_spilled(shape, machine);
            (1.0 - row_spilled) * scores + scores + 4.0 * row_spilled * scores
        };
        dram.push(("softmax", bytes(softmax)));
        dram
    }
}

const fn held(on_chip: bool) -> Held {
    if on_chip { Held::Both } else { Held::Dram }
}
