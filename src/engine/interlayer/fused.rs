//! Fused layers: a tile of the bottom layer, and for every layer its share of the array and its costs.

use super::accelerator::{Accelerator, PeArray, RegisterFile};
use super::chain::{ChainLayer, LayerAxis};
use super::cost::{ArrayTraffic, ChainCost};
use super::mapping::{LayerBlock, RowStationary, divisors};
use super::multi_tiling::{EqualTiles, closed_form, unique_tiles};
use super::parameters::Parameters;
use super::partition::partitions;
use super::propagation::{BottomTile, FusionBuffers, TileDirection, fused_volume};
use serde::{Deserialize, Serialize};

/// How fused layers share the PEs (Section 4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FusionMode {
    /// Every layer has the whole array, and its share of every register file.
    Temporal,
    /// Every layer has a part of the array, and whole register files. Layers still run one after another: only then is spatial
    /// fusion slower than temporal as published.
    Spatial,
}

impl FusionMode {
    /// Both modes, in the order of declaration.
    pub const ALL: [Self; 2] = [Self::Temporal, Self::Spatial];

    /// For a person.
    pub fn title(self) -> &'static str {
        match self {
            Self::Temporal => "Temporal fusion",
            Self::Spatial => "Spatial fusion",
        }
    }
}

/// Layers that run together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FusedSchedule {
    /// The tile of the bottom layer.
    pub tile: BottomTile,
    /// Their needs in the on-chip buffers.
    pub buffers: FusionBuffers,
    /// The array of each layer, top first.
    pub arrays: Vec<PeArray>,
    /// The registers that each has in a PE.
    pub registers: RegisterFile,
    /// The row-stationary mapping of each layer to its array, in the order of the chain.
    pub mappings: Vec<RowStationary>,
    /// The cost of all layers together.
    pub cost: ChainCost,
}

/// The tiles in which `layers` can run fused, the largest number of output maps for each size, columns and rows ascending.
///
/// The largest tile decides whether they fit, all propagated halos and the buffers for reuse included; a bottom layer that
/// pools has all of its maps.
pub fn fused_tiles<'a>(
    layers: &'a [ChainLayer],
    buffer: u64,
) -> impl Iterator<Item = (BottomTile, FusionBuffers)> + 'a {
    layers.last().into_iter().flat_map(move |bottom| {
        let sizes = divisors(bottom.x.output)
            .into_iter()
            .flat_map(|columns| divisors(bottom.y.output).into_iter().map(move |rows| (columns, rows)));
        sizes.filter_map(move |(columns, rows)| {
            let output_maps = if bottom.is_pooling { vec![bottom.output_maps] } else { divisors(bottom.output_maps) };
            output_maps.into_iter().rev().find_map(|output_maps| {
                let tile = BottomTile { columns, rows, output_maps };
                let buffers = FusionBuffers::new(layers, &tile, TileDirection::Horizontal);
                (buffers.total() <= buffer).then_some((tile, buffers))
            })
        })
    })
}

impl FusedSchedule {
    /// The best schedule of `layers` fused (at least 1, top first): of all tiles that fit the best score, then the least volume, the
    /// fewest rows, the fewest columns. `None` if nothing fits.
    ///
    /// Under spatial fusion each tile has the partition of the fewest cycles, then of the least traffic with the array.
    pub fn best(
        layers: &[ChainLayer],
        mode: FusionMode,
        accelerator: &Accelerator,
        parameters: &Parameters,
    ) -> Option<Self> {
        let count = layers.len();
        let (arrays, registers) = match mode {
            FusionMode::Temporal => {
                (vec![vec![accelerator.array; count]], accelerator.registers.split(count.max(1) as u64))
            }
            FusionMode::Spatial => (partitions(layers, accelerator.array), accelerator.registers),
        };
        fused_tiles(layers, accelerator.buffer)
            .filter_map(|(tile, buffers)| Self::on_best_arrays(layers, (tile, buffers), &arrays, registers))
            .min_by_key(|schedule| {
                let (tile, cost) = (&schedule.tile, &schedule.cost);
                (cost.score(accelerator, parameters), cost.volume.total(), tile.rows, tile.columns)
            })
    }

    fn on_best_arrays(
        layers: &[ChainLayer],
        (tile, buffers): (BottomTile, FusionBuffers),
        partitions: &[Vec<PeArray>],
        registers: RegisterFile,
    ) -> Option<Self> {
        let shares = Shares::new(layers, &tile, partitions, registers);
        let (_, _, best) = partitions
            .iter()
            .filter_map(|partition| {
                let cost = shares.cost(partition)?;
                Some((cost.compute_cycles, cost.array.total(), partition))
            })
            .min()?;
        // The traffic with the DRAM follows from the tile alone, so that it does not decide between partitions.
        let cost = ChainCost { volume: fused_volume(layers, &tile), ..shares.cost(best)? };
        let mappings = shares.of(best).filter_map(|share| Some(share?.0)).collect();
        Some(Self { tile, buffers, arrays: best.clone(), registers, mappings, cost })
    }
}

/// The cost of `layers` in tiles of a given size for each of some partitions of the array, with whole register files; `None` where a layer
/// does not fit on its part.
pub fn costs_on(
    layers: &[ChainLayer],
    tile: &BottomTile,
    partitions: &[Vec<PeArray>],
    registers: RegisterFile,
) -> Vec<Option<ChainCost>> {
    let shares = Shares::new(layers, tile, partitions, registers);
    let volume = fused_volume(layers, tile);
    partitions.iter().map(|partition| Some(ChainCost { volume, ..shares.cost(partition)? })).collect()
}

/// The cost of each layer on each array that some partition gives it: few arrays occur in many partitions.
struct Shares {
    arrays: Vec<PeArray>,
    /// By layer and array.
    known: Vec<Vec<Option<(RowStationary, ChainCost)>>>,
}

impl Shares {
    fn new(layers: &[ChainLayer], tile: &BottomTile, partitions: &[Vec<PeArray>], registers: RegisterFile) -> Self {
        let mut arrays: Vec<PeArray> = partitions.iter().flatten().copied().collect();
        arrays.sort_unstable();
        arrays.dedup();
        let works = LayerWork::of_all(layers, tile);
        let known = works.iter().map(|work| arrays.iter().map(|&array| work.on(array, registers)).collect()).collect();
        Self { arrays, known }
    }

    /// The mapping and the cost of every layer in a partition.
    fn of<'a>(&'a self, partition: &'a [PeArray]) -> impl Iterator<Item = Option<(RowStationary, ChainCost)>> + 'a {
        self.known
            .iter()
            .zip(partition)
            .map(|(known, array)| self.arrays.binary_search(array).ok().and_then(|index| known[index]))
    }

    /// The cost of all layers together, without the DRAM.
    fn cost(&self, partition: &[PeArray]) -> Option<ChainCost> {
        self.of(partition).try_fold(ChainCost::default(), |mut sum, share| {
            sum += share?.1;
            Some(sum)
        })
    }
}

/// The work of one of the fused layers, in tiles without recomputation.
struct LayerWork<'a> {
    layer: &'a ChainLayer,
    columns: Vec<EqualTiles>,
    rows: Vec<EqualTiles>,
    block: LayerBlock,
    /// Number of times that the bottom layer runs, for its blocks of output maps.
    repetitions: u64,
}

impl<'a> LayerWork<'a> {
    fn of_all(layers: &'a [ChainLayer], tile: &BottomTile) -> Vec<Self> {
        let (x, y): (Vec<LayerAxis>, Vec<LayerAxis>) = layers.iter().map(|layer| (layer.x, layer.y)).unzip();
        let (columns, rows, sizes) =
            (unique_tiles(&x, tile.columns), unique_tiles(&y, tile.rows), closed_form(&y, tile.rows));
        let tiles = columns.into_iter().zip(rows).zip(sizes);
        let bottom = layers.len().saturating_sub(1);
        layers
            .iter()
            .zip(tiles)
            .enumerate()
            .map(|(index, (layer, ((columns, rows), sizes)))| {
                // The array is mapped for the rows of a tile amid the map.
                let middle = u64::try_from(sizes.middle).unwrap_or(0);
                let step = if middle == 0 { layer.y.output } else { middle.min(layer.y.output) };
                let output_maps = if index == bottom { tile.output_maps } else { layer.output_maps };
                let block = LayerBlock { rows: step, input_maps: layer.maps_read(), output_maps };
                Self { layer, columns, rows, block, repetitions: layer.output_maps / output_maps }
            })
            .collect()
    }

    /// The mapping to `array` and its cost without the DRAM; `None` if the layer does not fit there.
    fn on(&self, array: PeArray, registers: RegisterFile) -> Option<(RowStationary, ChainCost)> {
        let layer = self.layer;
        let mapping = RowStationary::new(layer, self.block, array, registers)?;
        let sum =
            |runs: &[EqualTiles], of: &dyn Fn(u64) -> u64| runs.iter().map(|run| of(run.size) * run.count).sum::<u64>();
        let folds = sum(&self.rows, &|rows| rows.div_ceil(mapping.output_rows));
        let columns_read = sum(&self.columns, &|columns| if columns == 0 { 0 } else { layer.x.window(columns) });
        let column_tiles = sum(&self.columns, &|columns| u64::from(columns > 0));
        // A fold reads the rows that it shares with the one before again.
        let rows_read = if layer.y.kernel < layer.y.stride {
            layer.y.output * layer.y.kernel
        } else {
            layer.y.output * layer.y.stride + folds * layer.y.overlap()
        };
        let maps = if layer.is_pooling { layer.output_maps } else { layer.input_maps * self.repetitions };
        let passes = mapping.sum_passes(self.block.input_maps);
        let cost = ChainCost {
            operations: layer.operations(),
            macs: layer.macs(),
            array: ArrayTraffic {
                inputs: rows_read * columns_read * maps * mapping.input_passes(layer, self.block.output_maps),
                weights: layer.weights(layer.input_maps, layer.output_maps) * folds * column_tiles,
                sums_written: layer.outputs() * passes,
                sums_read: layer.outputs() * (passes - 1),
            },
            compute_cycles: folds
                * layer.x.output
                * mapping.channel_steps(self.block)
                * layer.y.kernel
                * self.repetitions,
            ..ChainCost::default()
        };
        Some((mapping, cost))
    }
}
