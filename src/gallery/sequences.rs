//! Figures of pairs of layers on the first hardware of HW-Flow-Fusion (Tables 5 to 7), of longer sequences on its other
//! hardware (Figs. 16 to 19), and of the on-chip storage of fused layers (Figs. 12 and 13).

use super::parameters::{MeasureParameters, choose};
use fusescape_engine::interlayer::{
    Accelerator, BottomTile, Chain, ChainCost, ChainLayer, FusedSchedule, FusionBuffers, FusionMode,
    Parameters as Choices, SingleLayerSchedule, TileDirection, legal_sequences, propagate, reuse_overhead,
};
use fusescape_engine::workload::Network;
use fusescape_spec::{Preset, workload_presets};
use std::ops::Range;

const ACCELERATOR: Accelerator = Accelerator::PUBLISHED[0];
const CHOICES: Choices = Choices::AS_PUBLISHED;
/// Limit on the layers of a sequence.
const MOST_LAYERS: usize = 2;
/// Limit on the layers of a sequence where resources are scaled (Section 5.3).
const MOST_LAYERS_SCALED: usize = 4;

/// A figure of a chain of layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequenceFigure {
    /// Columns of PEs of a layer under spatial fusion.
    ArrayColumns,
    /// Rows of PEs of a layer under spatial fusion.
    ArrayRows,
    /// Words of weights of a layer in a register file under temporal fusion.
    WeightWords,
    /// Words of inputs of a layer in a register file under temporal fusion.
    InputWords,
    /// Words of partial sums of a layer in a register file under temporal fusion.
    SumWords,
    /// Ratio of computation to communication of some layers.
    Ctc,
    /// Energy of all pairs, ratio of one schedule to another.
    Energy,
    /// Latency of all pairs, ratio of one schedule to another, if computation and data movement overlap.
    Latency,
    /// Latency of all pairs, ratio of one schedule to another, if nothing overlaps.
    LatencyInSequence,
    /// Words between DRAM and chip of all pairs, ratio of one schedule to another.
    Volume,
    /// Energy of all sequences, ratio of one hardware configuration to another.
    ConfigurationEnergy,
    /// Latency of all sequences, ratio of one hardware configuration to another, if computation and data movement
    /// overlap.
    ConfigurationLatency,
    /// Ratio of computation to communication of all sequences, for one hardware configuration divided by that for
    /// another.
    ConfigurationCtc,
    /// On-chip storage to fuse the first layers, ratio to that of fewer or more layers.
    Storage,
    /// Features that need not move because some layers are fused, as a share of all features that the first layers move
    /// unfused.
    VolumeSaved,
    /// Reduction of the reuse buffers of the first layers, compared with Alwani et al.
    ReuseSaved,
}

/// A figure with its subject.
#[derive(Debug, Clone, PartialEq)]
pub struct SequencesSetup {
    workload: &'static Preset,
    subject: SequencesSubject,
}

#[derive(Debug, Clone, PartialEq)]
enum SequencesSubject {
    /// A layer, in the pair that it is part of.
    Layer(String),
    Layers {
        layers: Vec<String>,
        mode: Mode,
        /// The kernel of pooling layers, if it is not their own.
        kernel: Option<u64>,
    },
    /// All pairs, under two modes.
    Pairs([Mode; 2]),
    /// All sequences, on two of the paper's configurations.
    Configurations(FusionMode, [Accelerator; 2]),
    /// Numbers of layers from the first.
    Storage([usize; 2]),
    /// Some layers, and the number of layers from the first.
    VolumeSaved(Vec<String>, usize),
    /// Number of layers from the first, and side of the bottom tile.
    ReuseSaved(usize, u64),
}

/// The mode of some layers; `None` if each runs alone.
type Mode = Option<FusionMode>;

const MODES: [(&str, Mode); 3] =
    [("single", None), ("temporal", Some(FusionMode::Temporal)), ("spatial", Some(FusionMode::Spatial))];

impl SequencesSetup {
    /// Reads the subject of a figure; `workload` is the network unless another is named.
    pub(super) fn read(
        of: &mut MeasureParameters<'_>,
        figure: SequenceFigure,
        workload: Option<&'static Preset>,
    ) -> Option<Self> {
        let workload = of.presets("workload", workload_presets(), workload).first().copied();
        let mode = |of: &mut MeasureParameters<'_>, name| of.need(name, |word| choose(word, &MODES));
        let layers = |of: &mut MeasureParameters<'_>, name| of.need(name, count).map(|layers| layers as usize);
        let subject = match figure {
            SequenceFigure::ArrayColumns
            | SequenceFigure::ArrayRows
            | SequenceFigure::WeightWords
            | SequenceFigure::InputWords
            | SequenceFigure::SumWords => of.need("layer", |word| Ok(word.to_owned())).map(SequencesSubject::Layer),
            SequenceFigure::Ctc => {
                let (layers, mode) = (of.words("layers"), mode(of, "of"));
                let kernel = of.optional("pooling-kernel", count);
                mode.map(|mode| SequencesSubject::Layers { layers, mode, kernel })
            }
            SequenceFigure::Energy
            | SequenceFigure::Latency
            | SequenceFigure::LatencyInSequence
            | SequenceFigure::Volume => {
                let (from, to) = (mode(of, "from"), mode(of, "to"));
                from.zip(to).map(|(from, to)| SequencesSubject::Pairs([from, to]))
            }
            SequenceFigure::ConfigurationEnergy
            | SequenceFigure::ConfigurationLatency
            | SequenceFigure::ConfigurationCtc => {
                let fused = of.need("of", |word| choose(word, &MODES)?.ok_or("Name how layers are fused".to_owned()));
                let (from, to) = (of.need("from", configuration), of.need("to", configuration));
                let configurations = from.zip(to).map(|(from, to)| [from, to]);
                fused.zip(configurations).map(|(mode, of)| SequencesSubject::Configurations(mode, of))
            }
            SequenceFigure::Storage => {
                let (from, to) = (layers(of, "from"), layers(of, "to"));
                from.zip(to).map(|(from, to)| SequencesSubject::Storage([from, to]))
            }
            SequenceFigure::VolumeSaved => {
                let fused = of.words("layers");
                layers(of, "of-first").map(|of| SequencesSubject::VolumeSaved(fused, of))
            }
            SequenceFigure::ReuseSaved => {
                let (layers, tile) = (layers(of, "layers"), of.need("tile", count));
                layers.zip(tile).map(|(layers, tile)| SequencesSubject::ReuseSaved(layers, tile))
            }
        };
        Some(Self { workload: workload?, subject: subject? })
    }

    pub(super) fn figure(&self, figure: SequenceFigure) -> Result<f64, String> {
        let network = Network::from_text(self.workload.text).map_err(|wrong| wrong.to_string())?;
        let chain = Chain::new(&network).map_err(|wrong| wrong.to_string())?;
        let layers = chain.layers();
        let first = |count: usize| layers.get(..count).ok_or_else(|| format!("There are {} layers", layers.len()));
        match &self.subject {
            SequencesSubject::Layer(layer) => of_layer(&chain, figure, layer),
            SequencesSubject::Layers { layers: names, mode, kernel } => {
                let mut named = layers[named(&chain, names)?].to_vec();
                for layer in named.iter_mut().filter(|layer| layer.is_pooling) {
                    let kernel = kernel.unwrap_or(layer.x.kernel);
                    (layer.x.kernel, layer.y.kernel) = (kernel, kernel);
                }
                let mut all = ChainCost::default();
                costs(&named, *mode)?.into_iter().for_each(|cost| all += cost);
                Ok(all.ctc(&CHOICES))
            }
            SequencesSubject::Pairs([from, to]) => {
                let pairs = legal_sequences(&chain, ACCELERATOR.buffer, MOST_LAYERS);
                let sum = |mode: Mode| -> Result<f64, String> {
                    let of_pair = |pair: &Range<usize>| {
                        Ok(costs(&layers[pair.clone()], mode)?.iter().map(|cost| of_cost(figure, cost)).sum::<f64>())
                    };
                    pairs.iter().map(of_pair).sum()
                };
                Ok(sum(*from)? / sum(*to)?)
            }
            SequencesSubject::Configurations(mode, [from, to]) => {
                let on = |accelerator: &Accelerator| {
                    let sequences = legal_sequences(&chain, accelerator.buffer, MOST_LAYERS_SCALED);
                    let mut all = ChainCost::default();
                    let mut latency = 0;
                    for sequence in longest(sequences) {
                        let fused = FusedSchedule::best(&layers[sequence], *mode, accelerator, &CHOICES);
                        let cost = fused.ok_or("These layers do not fit together")?.cost;
                        latency += cost.latency_overlapped(&CHOICES);
                        all += cost;
                    }
                    Ok::<f64, String>(match figure {
                        SequenceFigure::ConfigurationEnergy => all.energy(accelerator, &CHOICES.report).picojoules(),
                        SequenceFigure::ConfigurationLatency => latency as f64,
                        _ => all.ctc(&CHOICES),
                    })
                };
                Ok(on(from)? / on(to)?)
            }
            SequencesSubject::Storage([from, to]) => {
                let storage = |count: usize| {
                    let fused = first(count)?;
                    let buffers = FusionBuffers::new(fused, &square(fused, 1)?, TileDirection::Horizontal);
                    Ok::<f64, String>(buffers.total() as f64)
                };
                Ok(storage(*from)? / storage(*to)?)
            }
            SequencesSubject::VolumeSaved(names, of) => {
                let fused = &layers[named(&chain, names)?];
                // Maps between fused layers are neither written nor read.
                let saved: u64 = fused.iter().rev().skip(1).map(|layer| 2 * layer.outputs()).sum();
                let moved = |layer: &ChainLayer| layer.outputs() + layer.x.input * layer.y.input * layer.input_maps;
                Ok(saved as f64 / first(*of)?.iter().map(moved).sum::<u64>() as f64)
            }
            SequencesSubject::ReuseSaved(count, tile) => {
                let fused = first(*count)?;
                let tile = square(fused, *tile)?;
                let ours: u64 = FusionBuffers::new(fused, &tile, TileDirection::Horizontal).reuse.iter().sum();
                // The top layer fetches its halo again in both models.
                let extents = propagate(fused, &tile);
                let pairs = fused.iter().zip(&extents).skip(1);
                let besides: u64 =
                    pairs.map(|(layer, extent)| reuse_overhead(layer, extent, TileDirection::Horizontal)).sum();
                Ok(besides as f64 / (ours + besides) as f64)
            }
        }
    }
}

impl SequenceFigure {
    /// Whether it is a ratio of two numbers.
    pub(super) fn is_ratio(self) -> bool {
        !matches!(self, Self::ArrayColumns | Self::ArrayRows | Self::WeightWords | Self::InputWords | Self::SumWords)
    }
}

fn count(word: &str) -> Result<u64, String> {
    match word.parse::<u32>() {
        Ok(count) if count > 0 => Ok(u64::from(count)),
        _ => Err("Write a whole number, 1 or more".to_owned()),
    }
}

/// One of the six hardware configurations of Tables 3 and 4, by its number.
fn configuration(word: &str) -> Result<Accelerator, String> {
    let number: Option<usize> = word.parse().ok();
    let found = number.and_then(|number| Accelerator::PUBLISHED.get(number.checked_sub(1)?));
    found.copied().ok_or_else(|| "Write 1 to 6".to_owned())
}

/// The longest sequence for each first layer.
fn longest(sequences: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let is_longest = |of: &&Range<usize>| sequences.iter().all(|other| other.start != of.start || other.end <= of.end);
    sequences.iter().filter(is_longest).cloned().collect()
}

/// A square tile with all output maps of the last layer.
fn square(layers: &[ChainLayer], side: u64) -> Result<BottomTile, String> {
    let bottom = layers.last().ok_or("No layers are named")?;
    Ok(BottomTile { columns: side, rows: side, output_maps: bottom.output_maps })
}

/// The range of consecutive layers with these names.
fn named(chain: &Chain, names: &[String]) -> Result<Range<usize>, String> {
    let start = names.first().and_then(|name| chain.position(name)).unwrap_or(chain.layers().len());
    let found = start..start + names.len();
    let layers = chain.layers().get(found.clone()).unwrap_or_default();
    if !names.is_empty() && layers.iter().map(|layer| &layer.name).eq(names) {
        return Ok(found);
    }
    Err(format!("{} are no layers in a row", names.join(", ")))
}

/// The share of a layer in the array and the registers, in the pair that it is part of.
fn of_layer(chain: &Chain, figure: SequenceFigure, layer: &str) -> Result<f64, String> {
    let at = chain.position(layer).ok_or_else(|| format!("There is no layer `{layer}`"))?;
    let pairs = legal_sequences(chain, ACCELERATOR.buffer, MOST_LAYERS);
    let pair = pairs.into_iter().find(|pair| pair.contains(&at)).ok_or_else(|| format!("{layer} runs by itself"))?;
    let pair_in = |mode| fused(&chain.layers()[pair.clone()], mode);
    let array = || {
        let schedule = pair_in(FusionMode::Spatial)?;
        schedule.arrays.get(at - pair.start).copied().ok_or("It has no part of the array".to_owned())
    };
    let registers = || Ok::<_, String>(pair_in(FusionMode::Temporal)?.registers);
    Ok(match figure {
        SequenceFigure::ArrayColumns => array()?.columns,
        SequenceFigure::ArrayRows => array()?.rows,
        SequenceFigure::WeightWords => registers()?.weights,
        SequenceFigure::InputWords => registers()?.inputs,
        _ => registers()?.sums,
    } as f64)
}

fn of_cost(figure: SequenceFigure, cost: &ChainCost) -> f64 {
    match figure {
        SequenceFigure::Energy => cost.energy(&ACCELERATOR, &CHOICES.report).picojoules(),
        SequenceFigure::Latency => cost.latency_overlapped(&CHOICES) as f64,
        SequenceFigure::LatencyInSequence => cost.latency_in_sequence(&CHOICES) as f64,
        _ => cost.volume.total() as f64,
    }
}

fn fused(layers: &[ChainLayer], mode: FusionMode) -> Result<FusedSchedule, String> {
    let found = FusedSchedule::best(layers, mode, &ACCELERATOR, &CHOICES);
    found.ok_or_else(|| "These layers do not fit together".to_owned())
}

/// The costs of consecutive runs.
fn costs(layers: &[ChainLayer], mode: Mode) -> Result<Vec<ChainCost>, String> {
    if let Some(mode) = mode {
        return Ok(vec![fused(layers, mode)?.cost]);
    }
    let single = |layer: &ChainLayer| {
        let found = SingleLayerSchedule::best(layer, &ACCELERATOR, &CHOICES);
        Ok(found.ok_or_else(|| format!("{} does not fit", layer.name))?.cost)
    };
    layers.iter().map(single).collect()
}
