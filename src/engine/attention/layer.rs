//! A whole transformer on a core: one layer is scheduled, the others are the same. Steps of generation, with a cache.

use super::account::{Account, Cause};
use super::linear::{Run, best_runs};
use super::machine::Machine;
use super::search::{Found, search};
use super::transformer::{Step, Transformer, WeightedProduct};
use super::{ElementBits, Problem};
use crate::search::Objective;
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};

/// A layer of a transformer in one step, scheduled: products before attention, attention, products after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerSchedule {
    /// What attention computes.
    pub problem: Problem,
    /// Queries, keys and values, computed from one reading of the input.
    pub before: Vec<Run>,
    /// Attention, with the best schedule of every kind.
    pub attention: Found,
    /// The best of these.
    pub best: Account,
    /// The output projection and the feed-forward part.
    pub after: Vec<Run>,
    /// Layers that are the same.
    pub layers: u64,
}

/// What one step of a whole transformer costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StepCost {
    /// Cycles, of all layers.
    pub latency_cycles: u64,
    /// Energy, pJ, in the order of [`Cause::ALL`].
    pub energy: [f64; 5],
    /// Bits to and from DRAM.
    pub dram_bits: u64,
    /// Bits of weights among them.
    pub weight_bits: u64,
    /// Multiply-accumulates.
    pub macs: u64,
}

impl StepCost {
    /// Energy, pJ.
    pub fn energy_pj(&self) -> f64 {
        self.energy.iter().sum()
    }
}

/// Schedules one layer of a transformer.
///
/// # Errors
///
/// What [`Transformer::check`] and [`Problem::check`] refuse, or a part that does not fit on the chip however small its tiles.
pub fn schedule_layer(
    model: &Transformer,
    step: &Step,
    bits: ElementBits,
    machine: &Machine,
    objective: &Objective,
) -> Result<LayerSchedule, Diagnostics> {
    model.check()?;
    model.check_step(step)?;
    let problem = model.attention(step, bits);
    problem.check()?;
    let does_not_fit = |what: &str| {
        let mut diagnostics = Diagnostics::default();
        let reason = format!("{what} does not fit on the chip, however small its tiles");
        diagnostics.add("hardware.memories", reason, "Enlarge the highest memories on the chip");
        diagnostics
    };
    let tokens = step.batch * step.tokens;
    let [before, after] = model.products();
    // The three read the same input, so that they are one product with all their columns.
    let columns = before.iter().map(|product| product.columns).sum();
    let together = WeightedProduct { name: "queries, keys, values", columns, ..before[0] };
    let runs = |chain: &[WeightedProduct], what: &str| {
        best_runs(chain, tokens, &bits, machine, objective).ok_or_else(|| does_not_fit(what))
    };
    let before = runs(&[together], "A product with weights")?;
    // What a gate multiplies is one map when the contraction reads it.
    let after = runs(&after, "A product with weights")?;
    let attention = search(&problem, machine, objective);
    let best = *attention.best(objective, machine).ok_or_else(|| does_not_fit("Attention"))?;
    Ok(LayerSchedule { problem, before, attention, best, after, layers: model.layers })
}

impl LayerSchedule {
    /// What all layers cost with this attention: the best, or the best of another kind.
    pub fn cost_with(&self, attention: &Account) -> StepCost {
        let mut cost = StepCost {
            latency_cycles: attention.latency_cycles(),
            energy: attention.energy,
            dram_bits: attention.dram_bits(),
            weight_bits: 0,
            macs: attention.macs,
        };
        for run in self.before.iter().chain(&self.after) {
            cost.latency_cycles += run.busy.cycles();
            for cause in Cause::ALL {
                cost.energy[cause as usize] += run.energy[cause as usize];
            }
            cost.dram_bits += run.dram_bits;
            cost.weight_bits += run.weight_bits;
            cost.macs += run.macs;
        }
        StepCost {
            latency_cycles: cost.latency_cycles * self.layers,
            energy: cost.energy.map(|energy| energy * self.layers as f64),
            dram_bits: cost.dram_bits * self.layers,
            weight_bits: cost.weight_bits * self.layers,
            macs: cost.macs * self.layers,
        }
    }

    /// What all layers cost.
    pub fn cost(&self) -> StepCost {
        self.cost_with(&self.best)
    }
}

/// Generation: a prompt is read, then tokens follow one after the other, each with a longer cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Sequences at a time.
    pub batch: u64,
    /// Reading the prompt: after it the first token is there.
    pub prefill: StepCost,
    /// The first, the middle and the last of the tokens that follow: cached tokens, and the cost.
    pub tokens: Vec<(u64, StepCost)>,
    /// Bytes of weights of all layers.
    pub weight_bytes: f64,
    /// Bytes of the cache at the end.
    pub cache_bytes: f64,
}

/// Prices generation of `generated` tokens after a prompt, for `batch` sequences.
///
/// # Errors
///
/// As [`schedule_layer`].
pub fn generate(
    model: &Transformer,
    (batch, prompt, generated): (u64, u64, u64),
    bits: ElementBits,
    machine: &Machine,
    objective: &Objective,
) -> Result<Generation, Diagnostics> {
    let prefill = schedule_layer(model, &Step::prefill(batch, prompt), bits, machine, objective)?.cost();
    let last = prompt + generated.max(1) - 1;
    let mut cached = vec![prompt, prompt.midpoint(last), last];
    cached.dedup();
    let tokens = cached.into_iter().map(|cached| {
        let step = Step::decode(batch, cached);
        Ok((cached, schedule_layer(model, &step, bits, machine, objective)?.cost()))
    });
    Ok(Generation {
        batch,
        prefill,
        tokens: tokens.collect::<Result<_, Diagnostics>>()?,
        weight_bytes: (model.layers * model.weights() * bits.weights) as f64 / 8.0,
        cache_bytes: model.cache_bytes(batch, last + 1, bits),
    })
}

impl Generation {
    /// What the middle token costs: of equal steps of a growing cache the mean.
    pub fn typical(&self) -> Option<&StepCost> {
        self.tokens.get(self.tokens.len() / 2).map(|(_, cost)| cost)
    }
}
