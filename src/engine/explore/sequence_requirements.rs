//! Resources that fused layers need: storage by the number of layers (HW-Flow-Fusion, Figs. 12 and 13), and a part of the array for each
//! (Table 6).

use super::sequences::{LayersCost, Sequence, fused_run};
use crate::interlayer::{
    Accelerator, BottomTile, ChainCost, ChainLayer, FusionBuffers, FusionMode, LayerExtent, MOST_LAYERS, MOST_PARTS,
    PeArray, TileDirection, costs_on, divisors, overhead_factors, partitions, propagate, reuse_factors, reuse_overhead,
    sub_arrays,
};
use serde::{Deserialize, Serialize};

/// The first layers of a sequence, and those that follow it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequenceRequirements {
    /// Where the first layer stands.
    pub sequence: Sequence,
    /// The needs of its first layer, of its first two, and so on to as many as the method fuses or there are.
    pub by_count: Vec<ResourceRequirement>,
}

/// The needs of the first layers of a sequence when they are fused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceRequirement {
    /// Name of the last of them.
    pub last: String,
    /// The least room that they take, in bytes: with a tile of one pixel, all output maps, of the last layer.
    pub storage: Storage,
    /// Bytes to and from DRAM if every layer runs alone and moves its input, weights and output once.
    pub apart_bytes: u64,
    /// Bytes to and from DRAM if the layers are fused, so that maps between them stay on the chip.
    pub together_bytes: u64,
    /// Reuse buffers for square tiles of the last layer, for sides that double.
    pub reuse: Vec<ReuseBuffers>,
    /// The sizes behind these figures, layer by layer.
    pub layers: Vec<LayerRequirement>,
}

/// Sizes of a layer from which its storage and its traffic follow; a word is a byte.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerRequirement {
    /// Name of the layer in the network.
    pub name: String,
    /// Columns, rows and maps of its input.
    pub input: [u64; 3],
    /// Columns, rows and maps of its output.
    pub output: [u64; 3],
    /// Columns and rows of its kernel, input and output maps; `None` for pooling, which has no weights.
    pub kernel: Option<[u64; 4]>,
    /// Columns, rows and maps of its input tile for one pixel of the last layer, padding included.
    pub input_tile: [u64; 3],
    /// Factors of its reuse buffer for one pixel of the last layer (eq. 8); `None` for the first layer.
    pub reuse: Option<[u64; 3]>,
}

/// Data on the chip, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Storage {
    /// Weights of all layers.
    pub weights: u64,
    /// Input tiles of all layers.
    pub inputs: u64,
    /// Output tile of the last layer.
    pub outputs: u64,
    /// Reuse buffers.
    pub reuse: u64,
}

impl Storage {
    /// Sum of the four parts, bytes.
    pub fn total(&self) -> u64 {
        self.weights + self.inputs + self.outputs + self.reuse
    }
}

/// Reuse buffers of all layers, in bytes; the first fetches its halo again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReuseBuffers {
    /// Columns and rows of a tile of the last layer; where the map is smaller, all of it.
    pub side: u64,
    /// HW-Flow-Fusion (eq. 8).
    pub ours: u64,
    /// Bytes that the model of Alwani et al. needs in addition (eq. 9).
    pub besides: u64,
    /// Factors of both for every layer but the first: [`reuse_factors`], [`overhead_factors`].
    pub factors: Vec<[[u64; 3]; 2]>,
}

/// Needs of the layers of `chain` from the first of `sequence`, which is in it.
pub(super) fn requirements(chain: &[ChainLayer], sequence: Sequence) -> SequenceRequirements {
    let following = chain.get(sequence.first as usize..).unwrap_or_default();
    let most = following.len().min(MOST_LAYERS);
    SequenceRequirements {
        sequence,
        by_count: (1..=most).filter_map(|count| requirement(&following[..count])).collect(),
    }
}

fn requirement(layers: &[ChainLayer]) -> Option<ResourceRequirement> {
    let (first, last) = (layers.first()?, layers.last()?);
    let buffers = FusionBuffers::new(layers, &square(last, 1), TileDirection::Horizontal);
    let input = |layer: &ChainLayer| layer.x.input * layer.y.input * layer.input_maps;
    let weights = |layer: &ChainLayer| layer.weights(layer.input_maps, layer.output_maps);
    let all_weights: u64 = layers.iter().map(weights).sum();
    // Sides up to the first that covers the whole map.
    let largest = last.x.output.max(last.y.output);
    let sides = (0..u64::BITS).map(|power| 1_u64 << power).take_while(|side| *side < 2 * largest);
    let reuse = |side: u64| {
        let tile = square(last, side);
        let extents = propagate(layers, &tile);
        let below = || layers.iter().zip(&extents).skip(1);
        let along = TileDirection::Horizontal;
        ReuseBuffers {
            side,
            ours: FusionBuffers::new(layers, &tile, TileDirection::Horizontal).reuse.iter().sum(),
            besides: below().map(|(layer, extent)| reuse_overhead(layer, extent, along)).sum(),
            factors: below()
                .map(|(layer, extent)| [reuse_factors(layer, extent, along), overhead_factors(layer, extent, along)])
                .collect(),
        }
    };
    Some(ResourceRequirement {
        last: last.name.clone(),
        storage: Storage {
            weights: buffers.weights.iter().sum(),
            inputs: buffers.inputs.iter().sum(),
            outputs: buffers.outputs,
            reuse: buffers.reuse.iter().sum(),
        },
        apart_bytes: all_weights + layers.iter().map(|layer| input(layer) + layer.outputs()).sum::<u64>(),
        together_bytes: all_weights + input(first) + last.outputs(),
        reuse: sides.map(reuse).collect(),
        layers: layer_needs(layers, &square(last, 1)),
    })
}

fn layer_needs(layers: &[ChainLayer], tile: &BottomTile) -> Vec<LayerRequirement> {
    let extents = propagate(layers, tile);
    let requirement = |(index, (layer, extent)): (usize, (&ChainLayer, &LayerExtent))| LayerRequirement {
        name: layer.name.clone(),
        input: [layer.x.input, layer.y.input, layer.input_maps],
        output: [layer.x.output, layer.y.output, layer.output_maps],
        kernel: (!layer.is_pooling).then_some([layer.x.kernel, layer.y.kernel, layer.input_maps, layer.output_maps]),
        input_tile: [extent.input_columns, extent.input_rows, layer.input_maps],
        reuse: (index > 0).then(|| reuse_factors(layer, extent, TileDirection::Horizontal)),
    };
    layers.iter().zip(&extents).enumerate().map(requirement).collect()
}

/// A square tile with all output maps, as far as the map reaches.
fn square(bottom: &ChainLayer, side: u64) -> BottomTile {
    BottomTile { columns: side.min(bottom.x.output), rows: side.min(bottom.y.output), output_maps: bottom.output_maps }
}

/// How layers may share the array under spatial fusion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SequencePartitions {
    /// The layers that share the array.
    pub sequence: Sequence,
    /// Number of ways in which every layer has a part whose sides divide the array's.
    pub considered: f64,
    /// Number of these in which no side is shorter than the layer's kernel.
    pub wide_enough: f64,
    /// Number of these in which the parts lie side by side; where they are many, as [`partitions`] prunes them.
    pub placed: u64,
    /// The tile that spatial fusion chooses.
    pub tile: BottomTile,
    /// The cost of the partitions with this tile where every layer has a mapping, the fewest cycles first, then the
    /// least traffic with the array; no more than [`MOST_PARTITIONS`].
    pub costs: Vec<PartitionCost>,
}

/// Limit on the partitions that are listed.
pub const MOST_PARTITIONS: usize = 500;

/// One partition of the array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartitionCost {
    /// The part of every layer.
    pub arrays: Vec<PeArray>,
    /// The cost of the sequence.
    pub run: LayersCost,
}

/// Partitions for `layers`; `None` if they cannot be fused spatially.
pub(super) fn partition_costs(
    layers: &[ChainLayer],
    sequence: Sequence,
    accelerator: &Accelerator,
) -> Option<SequencePartitions> {
    if layers.len() > MOST_PARTS {
        return None;
    }
    let best = fused_run(layers, FusionMode::Spatial, accelerator)?;
    let (array, tile) = (accelerator.array, best.schedule.tile);
    let placed = partitions(layers, array);
    let found = costs_on(layers, &tile, &placed, accelerator.registers);
    let cost = |(arrays, cost): (&Vec<PeArray>, Option<ChainCost>)| {
        Some(PartitionCost { arrays: arrays.clone(), run: LayersCost::of(&cost?, accelerator) })
    };
    let mut costs: Vec<PartitionCost> = placed.iter().zip(found).filter_map(cost).collect();
    costs.sort_by_key(|known| {
        let cost = &known.run.cost;
        (cost.compute_cycles, cost.array.total(), known.arrays.clone())
    });
    costs.truncate(MOST_PARTITIONS);
    let product = |count: &dyn Fn(&ChainLayer) -> usize| layers.iter().map(|layer| count(layer) as f64).product();
    let sides = |side: u64| divisors(side).len();
    Some(SequencePartitions {
        sequence,
        considered: product(&|_| sides(array.columns) * sides(array.rows)),
        wide_enough: product(&|layer| sub_arrays(layer, array).len()),
        placed: placed.len() as u64,
        tile,
        costs,
    })
}
