//! Figures of a transformer on the current hardware: attention, fused or not, and whole steps.

use super::opening::Opening;
use super::parameters::MeasureParameters;
use fusescape_engine::attention::{Account, ElementBits, Step, Tensor, TransformerWork};
use fusescape_engine::explore::{AttentionProblem, AttentionRequest};
use fusescape_engine::search::Objective;
use fusescape_spec::{Preset, find_preset, transformer_presets};

/// The default model.
const MODEL: &str = "gpt2-small";
const TOKENS: u64 = 1024;
const BITS: u64 = 8;

/// A figure of attention in one layer, or of a step of all layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttentionFigure {
    /// Energy of attention, ratio of unfused to best.
    Gain,
    /// Latency of attention, ratio of unfused to best.
    SpeedUp,
    /// Bytes that attention moves to and from DRAM, ratio of unfused to best.
    DramRatio,
    /// Bytes of scores written to and read from DRAM, unfused.
    Scores,
    /// Bytes that attention moves to and from DRAM, at best.
    Dram,
    /// Multiply-accumulates of the step per byte to or from DRAM.
    Intensity,
    /// Share of the multiply-accumulates possible on the array in the step's time.
    Use,
    /// Share of weights in the DRAM traffic of the step.
    WeightShare,
    /// Energy of the step per sequence.
    Energy,
    /// Latency of the step.
    Latency,
    /// Bytes of the cache after the step.
    Cache,
}

/// The subject of a figure: a model and a step of it.
#[derive(Debug, Clone, PartialEq)]
pub struct AttentionSetup {
    model: &'static Preset,
    step: Step,
}

impl AttentionSetup {
    pub(super) fn read(of: &mut MeasureParameters<'_>) -> Option<Self> {
        let otherwise = find_preset(transformer_presets(), MODEL).ok();
        let model = of.presets("model", transformer_presets(), otherwise).first().copied();
        let mut number = |name, otherwise: u64, least: u64| {
            let parse = |word: &str| {
                let number = word.parse().ok().filter(|number| *number >= least);
                number.ok_or_else(|| format!("Write a number from {least} on"))
            };
            of.optional(name, parse).unwrap_or(otherwise)
        };
        let (tokens, cached, batch) = (number("tokens", TOKENS, 1), number("cached", 0, 0), number("batch", 1, 1));
        Some(Self { model: model?, step: Step { batch, tokens, cached, sees_itself: true } })
    }

    pub(super) fn figure(&self, opens: &Opening, figure: AttentionFigure) -> Result<f64, String> {
        let bits = ElementBits::all(BITS);
        let study = AttentionProblem::new(&AttentionRequest {
            hardware: opens.hardware.text().to_owned(),
            model: self.model.text.to_owned(),
            step: self.step,
            bits,
            objective: Objective::Energy,
        });
        let study = study.map_err(|wrong| wrong.to_string())?;
        let layer = study.layer().map_err(|wrong| wrong.to_string())?;
        let attention = || layer.attention.as_ref().ok_or("The model has no attention");
        let unfused = || attention()?.found.unfused().ok_or("Unfused attention does not fit on the chip");
        let ratio = |of: fn(&Account) -> f64| Ok(of(unfused()?) / of(&attention()?.best));
        let cost = layer.cost();
        let Step { batch, tokens, cached, .. } = self.step;
        match figure {
            AttentionFigure::Gain => ratio(Account::energy_pj),
            AttentionFigure::SpeedUp => ratio(|account| account.latency_cycles() as f64),
            AttentionFigure::DramRatio => ratio(|account| account.dram_bits() as f64),
            AttentionFigure::Scores => {
                let moved = unfused()?.dram[Tensor::Scores as usize];
                Ok((moved.read + moved.written) as f64 / 8.0)
            }
            AttentionFigure::Dram => Ok(attention()?.best.dram_bits() as f64 / 8.0),
            AttentionFigure::Intensity => Ok(8.0 * cost.macs as f64 / cost.dram_bits as f64),
            AttentionFigure::Use => Ok(study.machine.ideal_cycles(cost.macs) as f64 / cost.latency_cycles as f64),
            AttentionFigure::WeightShare => Ok(cost.weight_bits as f64 / cost.dram_bits as f64),
            AttentionFigure::Energy => Ok(cost.energy_pj() / batch as f64),
            AttentionFigure::Latency => Ok(cost.latency_cycles as f64),
            AttentionFigure::Cache => Ok(study.model.cache_bytes(batch, cached + tokens, bits)),
        }
    }
}
