//! Scheduling of a single layer: loop tiling in the order rows, columns, output maps, input maps, outermost first, so
//! that partial sums never leave the chip (Section 3.3).

use super::accelerator::Accelerator;
use super::chain::ChainLayer;
use super::cost::{ArrayTraffic, ChainCost, Volume};
use super::mapping::{LayerBlock, RowStationary, divisors};
use super::parameters::Parameters;

/// A tile of one layer. Each size is at least 1 and divides the layer's, so that all ways of rounding in eq. 2 agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerTile {
    /// Columns of output (Tox).
    pub columns: u64,
    /// Rows of output (Toy).
    pub rows: u64,
    /// Input maps (Tif); 1 for pooling, which reads its own map only.
    pub input_maps: u64,
    /// Output maps (Tof).
    pub output_maps: u64,
}

/// Data of a tile in the buffer (eq. 1), in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileBuffers {
    /// Words of input pixels, with padding at the border as elsewhere.
    pub inputs: u64,
    /// Words of weights of the tile's maps.
    pub weights: u64,
    /// Words of output pixels.
    pub outputs: u64,
}

impl TileBuffers {
    /// Sum of the three parts, words.
    pub fn total(&self) -> u64 {
        self.inputs + self.weights + self.outputs
    }
}

/// Numbers of times that a tile is moved (eq. 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileMoves {
    /// Fetches of inputs.
    pub inputs: u64,
    /// Fetches of weights.
    pub weights: u64,
    /// Writes of outputs.
    pub outputs: u64,
}

impl LayerTile {
    /// The words that it occupies (eq. 1).
    pub fn buffers(&self, layer: &ChainLayer) -> TileBuffers {
        let maps = if layer.is_pooling { self.output_maps } else { self.input_maps };
        TileBuffers {
            inputs: layer.x.window(self.columns) * layer.y.window(self.rows) * maps,
            weights: layer.weights(self.input_maps, self.output_maps),
            outputs: self.columns * self.rows * self.output_maps,
        }
    }

    /// Numbers of times that it is moved (eq. 2).
    pub fn moves(&self, layer: &ChainLayer) -> TileMoves {
        let outputs = self.places(layer) * (layer.output_maps / self.output_maps);
        let tiles = outputs * (layer.maps_read() / self.input_maps);
        TileMoves { inputs: tiles, weights: if layer.is_pooling { 0 } else { tiles }, outputs }
    }

    /// All traffic with the DRAM (eq. 3).
    pub fn volume(&self, layer: &ChainLayer) -> Volume {
        let (buffers, moves) = (self.buffers(layer), self.moves(layer));
        Volume {
            inputs: buffers.inputs * moves.inputs,
            weights: buffers.weights * moves.weights,
            outputs: buffers.outputs * moves.outputs,
        }
    }

    fn places(&self, layer: &ChainLayer) -> u64 {
        (layer.x.output / self.columns) * (layer.y.output / self.rows)
    }

    fn block(&self) -> LayerBlock {
        LayerBlock { rows: self.rows, input_maps: self.input_maps, output_maps: self.output_maps }
    }
}

/// One layer, tiled and mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SingleLayerSchedule {
    /// Size of the tiles that are computed one after the other.
    pub tile: LayerTile,
    /// Its mapping to the array.
    pub mapping: RowStationary,
    /// Traffic and cycles of the layer.
    pub cost: ChainCost,
}

impl SingleLayerSchedule {
    /// The layer in tiles of a given size; `None` if they do not fit into the buffer or on the array.
    pub fn new(layer: &ChainLayer, tile: LayerTile, accelerator: &Accelerator) -> Option<Self> {
        let buffers = tile.buffers(layer);
        if buffers.total() > accelerator.buffer {
            return None;
        }
        let block = tile.block();
        let mapping = RowStationary::new(layer, block, accelerator.array, accelerator.registers)?;
        let tiles = tile.moves(layer).inputs;
        let passes = (layer.maps_read() / tile.input_maps) * mapping.sum_passes(tile.input_maps);
        let input_maps = if layer.is_pooling { tile.output_maps } else { tile.input_maps };
        let array = ArrayTraffic {
            inputs: mapping.input_rows(layer, tile.rows)
                * layer.x.window(tile.columns)
                * input_maps
                * mapping.input_passes(layer, tile.output_maps)
                * tiles,
            weights: buffers.weights * (tile.rows / mapping.output_rows) * tiles,
            sums_written: layer.outputs() * passes,
            sums_read: layer.outputs() * (passes - 1),
        };
        let cost = ChainCost {
            operations: layer.operations(),
            macs: layer.macs(),
            volume: tile.volume(layer),
            array,
            compute_cycles: mapping.cycles(layer, block, tile.columns) * tiles,
        };
        Some(Self { tile, mapping, cost })
    }

    /// The best schedule of a layer: tiles as wide as the map, with as many output maps as fit; of these the best score, then
    /// the least volume, the fewest rows, the fewest input maps. `None` if nothing fits.
    ///
    /// The paper does not state these restrictions, but all 14 different convolutions of Table 7 obey them.
    pub fn best(layer: &ChainLayer, accelerator: &Accelerator, parameters: &Parameters) -> Option<Self> {
        divisors(layer.output_maps).into_iter().rev().find_map(|output_maps| {
            let tiles = divisors(layer.y.output).into_iter().flat_map(|rows| {
                let tile = move |input_maps| LayerTile { columns: layer.x.output, rows, input_maps, output_maps };
                divisors(layer.maps_read()).into_iter().map(tile)
            });
            tiles.filter_map(|tile| Self::new(layer, tile, accelerator)).min_by_key(|schedule| {
                let (tile, cost) = (&schedule.tile, &schedule.cost);
                (cost.score(accelerator, parameters), cost.volume.total(), tile.rows, tile.input_maps)
            })
        })
    }
}
