//! Figures of attention for the dataflows of the FuseMax artifact, on its machines, with its rules.

use super::parameters::{MeasureParameters, choose};
use fusescape_engine::attention::Shape;
use fusescape_engine::attention::published::{
    Array, COMPULSORY, Dataflow, Flat, Granularity, Replay, Rules, Stationarity, replay,
};

/// Batch of all experiments of the artifact.
const BATCH: u64 = 64;

/// A figure of attention for a dataflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataflowFigure {
    /// Share of the time in which the 2D array is busy.
    Used2d,
    /// Share of the time in which the 1D array is busy.
    Used1d,
    /// Latency, ratio of the first dataflow to the second.
    SpeedUp,
    /// Energy, ratio of the first dataflow to the second.
    EnergyRatio,
}

/// The subject of a figure: heads, tokens, one dataflow or two.
#[derive(Debug, Clone, PartialEq)]
pub struct DataflowsSetup {
    shape: Shape,
    dataflows: Vec<Dataflow>,
}

impl DataflowsSetup {
    pub(super) fn read(of: &mut MeasureParameters<'_>, figure: DataflowFigure) -> Option<Self> {
        let number = |of: &mut MeasureParameters<'_>, name| of.need(name, count);
        let sizes = [number(of, "heads"), number(of, "depth"), number(of, "tokens")];
        let names: &[&'static str] = match figure {
            DataflowFigure::Used2d | DataflowFigure::Used1d => &["dataflow"],
            DataflowFigure::SpeedUp | DataflowFigure::EnergyRatio => &["from", "to"],
        };
        let flat = flat(of);
        let known = [
            ("unfused", Dataflow::Unfused(COMPULSORY)),
            ("FLAT", Dataflow::Flat(flat)),
            ("+cascade", Dataflow::Cascade),
            ("+architecture", Dataflow::Architecture),
            ("+binding", Dataflow::Binding),
        ];
        let dataflows: Vec<_> = names.iter().map(|name| of.need(name, |word| choose(word, &known))).collect();
        let [Some(heads), Some(depth), Some(tokens)] = sizes else { return None };
        let shape = Shape::of_sequence(BATCH, heads, depth, tokens);
        Some(Self { shape, dataflows: dataflows.into_iter().collect::<Option<_>>()? })
    }

    pub(super) fn figure(&self, figure: DataflowFigure) -> Result<f64, String> {
        let priced = |dataflow: &Dataflow| {
            let found = replay(dataflow, &self.shape, &dataflow.cloud(), &Rules::FUSEMAX_2024);
            found.map_err(|wrong| wrong.to_string())
        };
        let all: Vec<Replay> = self.dataflows.iter().map(priced).collect::<Result<_, _>>()?;
        let ratio = |of: fn(&Replay) -> f64| of(&all[0]) / of(&all[all.len() - 1]);
        Ok(match figure {
            DataflowFigure::Used2d => all[0].utilisation(Array::TwoD),
            DataflowFigure::Used1d => all[0].utilisation(Array::OneD),
            DataflowFigure::SpeedUp => ratio(|replay| replay.latency_s),
            DataflowFigure::EnergyRatio => ratio(Replay::energy_pj),
        })
    }
}

/// FLAT's configuration in the artifact for a shape: rows at a time (all of a head if not stated), the stationary
/// tensor, and the tensors kept on the chip.
fn flat(of: &mut MeasureParameters<'_>) -> Flat {
    let rows = of.optional("rows", count);
    let known = [("output", Stationarity::Output), ("weight", Stationarity::Weight)];
    let stationary = of.optional("stationary", |word| choose(word, &known)).unwrap_or(Stationarity::Output);
    let on_chip = of.words("on-chip");
    let path = of.path_of("on-chip");
    for word in on_chip.iter().filter(|word| !["Q", "K", "scores", "V", "AV"].contains(&word.as_str())) {
        of.diagnostics.add(&path, format!("`{word}` cannot be used here"), "Use Q, K, scores, V, AV");
    }
    let held = |tensor: &str| on_chip.iter().any(|word| word == tensor);
    Flat {
        granularity: rows.map_or(Granularity::Head, Granularity::Rows),
        qk: stationary,
        av_product: stationary,
        q: held("Q"),
        k: held("K"),
        scores: held("scores"),
        v: held("V"),
        av: held("AV"),
    }
}

fn count(word: &str) -> Result<u64, String> {
    word.parse().ok().filter(|count| *count > 0).ok_or_else(|| "Write a number from 1 on".to_owned())
}
