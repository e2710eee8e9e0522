//! Figures of a point's account and of the points of a sweep.

use super::accesses::{AccessRow, MemoryAccesses};
use super::data_sizes::{Capacity, DataSizes, LayerData};
use super::level_matrix::{LevelMatrix, MatrixLevel, TypeLevels};
use super::tile_map::{TileTypeEntry, TileTypeMap};
use crate::bars::{Breakdown, StackedBar};
use crate::kit::{AxisScale, BarCause, Quantity, group_thousands};
use crate::plots::{Roofline, RooflinePoint};
use fusescape_engine::cost::{ByCause, EnergyCause, EnergySplit, LatencySplit};
use fusescape_engine::depth_first::{
    DepthFirstStrategy, FuseDepth, LayerTileAccount, MemoryAccount, PointAccount, StackAccount, TileTypeAccount,
};
use fusescape_engine::explore::PointSummary;
use fusescape_engine::hardware::{Core, MemoryId, Operand, Port};
use fusescape_engine::ids::TiSlice;

/// The quantity of a figure of accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedAccesses {
    /// Full-width words.
    Words,
    /// Data elements.
    Elements,
}

impl Roofline {
    /// Points of a sweep below the roofline of the core, each with its name. `None` where DRAM words have several
    /// widths, as their number then does not give the bytes.
    pub fn of_points(core: &Core, points: &[(String, &PointSummary)]) -> Option<Self> {
        let dram = &core.memories[core.top(Operand::I)];
        let width = dram.read_width_bits;
        let has_other = |port: &Port| port.width_bits.is_some_and(|own| own != width);
        if width == 0 || dram.write_width_bits != width || dram.ports.iter().any(has_other) {
            return None;
        }
        let bytes = width as f64 / 8.0;
        let point = |(name, summary): &(String, &PointSummary)| RooflinePoint {
            name: name.clone(),
            macs_per_byte: summary.macs as f64 / (summary.dram_words * bytes).max(f64::MIN_POSITIVE),
            macs_per_cycle: summary.macs as f64 / summary.latency_cycles.max(1) as f64,
        };
        let (moves, ports) = (|port: &&Port| !port.serves.is_empty(), dram.ports.iter());
        Some(Self {
            place: "schedule".to_owned(),
            macs_per_cycle: core.pe_count() as f64,
            bytes_per_cycle: bytes * ports.filter(moves).count().max(1) as f64,
            points: points.iter().map(point).collect(),
        })
    }
}

/// A strategy as the label of a bar or point: `fully-cached 4 × 72`.
pub fn strategy_title(strategy: &DepthFirstStrategy) -> String {
    match strategy.fuse {
        FuseDepth::LayerByLayer => "layer-by-layer".to_owned(),
        FuseDepth::SingleLayer => "single-layer".to_owned(),
        FuseDepth::Automatic | FuseDepth::Cuts(_) => {
            let side = |extent: u64| if extent == u64::MAX { "all".to_owned() } else { extent.to_string() };
            format!("{} {} × {}", strategy.mode.title(), side(strategy.tile.0), side(strategy.tile.1))
        }
    }
}

/// The tile of a strategy: `4 × 72`, of layer-by-layer `whole map`.
pub fn tile_text(strategy: &DepthFirstStrategy) -> String {
    match strategy.fuse {
        FuseDepth::LayerByLayer => "whole map".to_owned(),
        _ => {
            let side = |size: u64| if size == u64::MAX { "all".to_owned() } else { size.to_string() };
            format!("{} × {}", side(strategy.tile.0), side(strategy.tile.1))
        }
    }
}

/// `type 1: 60 × 72, 112 tiles`
fn tile_type_title(index: usize, tile_type: &TileTypeAccount) -> String {
    let tiles = if tile_type.count == 1 { "tile" } else { "tiles" };
    let count = group_thousands(tile_type.count);
    format!("type {}: {} × {}, {count} {tiles}", index + 1, tile_type.size.0, tile_type.size.1)
}

fn bytes(bits: u64) -> f64 {
    bits as f64 / 8.0
}

impl TileTypeMap {
    /// Where the tiles of a stack lie.
    pub fn from_account(stack: &StackAccount) -> Self {
        let entry = |tile_type: &TileTypeAccount| TileTypeEntry { size: tile_type.size, count: tile_type.count };
        let types = stack.tile_types.iter().map(entry).collect();
        Self { size: stack.output_size, map: stack.map.clone(), types, selected: None }
    }
}

impl LevelMatrix {
    /// Top memories of a stack's layers; `memories` are those of the account it belongs to.
    pub fn from_account(stack: &StackAccount, memories: &TiSlice<MemoryId, MemoryAccount>) -> Self {
        let holds = |operand: Operand| memories.iter().filter(move |memory| memory.operands.contains(&operand));
        let operands = [Operand::W, Operand::I, Operand::O];
        let depths = operands.into_iter().map(|operand| holds(operand).count()).max().unwrap_or(0);
        // Counted from the top: an operand with fewer memories lacks the lowest levels.
        let level = |operand: Operand, name: &Option<String>| {
            let memory = name.clone()?;
            let count = holds(operand).count();
            let position = holds(operand).position(|other| other.name == memory)?;
            Some(MatrixLevel { memory, depth: depths - count + position })
        };
        let computed = |tile_type: &TileTypeAccount| -> Vec<LayerTileAccount> {
            tile_type.layers.iter().filter(|layer| layer.kind.is_some()).cloned().collect()
        };
        let row = |layer: &LayerTileAccount| {
            let top = &layer.top_memory;
            [level(Operand::W, &top.w), level(Operand::I, &top.i), level(Operand::O, &top.o)]
        };
        let types = (stack.tile_types.iter().enumerate())
            .map(|(index, tile_type)| TypeLevels {
                title: tile_type_title(index, tile_type),
                members: vec![index],
                layers: computed(tile_type).iter().map(row).collect(),
            })
            .collect();
        let layers = stack.tile_types.first().map(computed).unwrap_or_default();
        Self { layers: layers.into_iter().map(|layer| layer.layer).collect(), types, depths, selected: None }
    }
}

impl LevelMatrix {
    /// Top memories of all layers of a point, in one block; each layer in the most frequent tile type of its stack.
    pub fn of_point(account: &PointAccount) -> Self {
        let mut whole = Self { layers: Vec::new(), types: Vec::new(), depths: 0, selected: None };
        let mut block = TypeLevels { title: String::new(), members: Vec::new(), layers: Vec::new() };
        for stack in &account.stacks {
            let Some(most) = stack.most_frequent_type() else { continue };
            let of_stack = Self::from_account(stack, &account.memories);
            let Some(levels) = of_stack.types.into_iter().nth(most.index()) else { continue };
            whole.depths = of_stack.depths;
            whole.layers.extend(of_stack.layers);
            block.title = match account.stacks.len() {
                1 => levels.title,
                count => format!("{count} stacks, each in its most frequent tile type"),
            };
            block.layers.extend(levels.layers);
        }
        Self { types: vec![block], ..whole }
    }
}

impl DataSizes {
    /// Activation data of tile type `index` of a stack; `memories` are those of the account it belongs to.
    pub fn from_account(
        index: usize,
        tile_type: &TileTypeAccount,
        memories: &TiSlice<MemoryId, MemoryAccount>,
    ) -> Self {
        let layer = |layer: &LayerTileAccount| LayerData {
            layer: layer.layer.clone(),
            input: bytes(layer.bits.i),
            output: bytes(layer.bits.o),
            cached: bytes(layer.bits.h_cached.saturating_add(layer.bits.v_cached)),
        };
        let activations =
            |memory: &&MemoryAccount| memory.operands.contains(&Operand::I) || memory.operands.contains(&Operand::O);
        let capacity =
            |memory: &MemoryAccount| Capacity { memory: memory.name.clone(), bytes: bytes(memory.size_bits) };
        Self {
            title: tile_type_title(index, tile_type),
            layers: tile_type.layers.iter().filter(|layer| layer.kind.is_some()).map(layer).collect(),
            capacities: memories.iter().filter(activations).map(capacity).collect(),
        }
    }
}

impl MemoryAccesses {
    /// Accesses of all memories, highest first.
    pub fn from_account(account: &PointAccount, counted: CountedAccesses, scale: AxisScale) -> Self {
        let by_cause = |memory: &MemoryAccount| match counted {
            CountedAccesses::Words => memory.words,
            CountedAccesses::Elements => memory.elements,
        };
        let row = |memory: &MemoryAccount| AccessRow { memory: memory.name.clone(), by_cause: by_cause(memory) };
        let quantity = match counted {
            CountedAccesses::Words => Quantity::Accesses,
            CountedAccesses::Elements => Quantity::Elements,
        };
        Self { quantity, scale, rows: account.memories.iter().rev().map(row).collect() }
    }
}

impl Breakdown {
    /// Energy of several points by cause, each with its label.
    pub fn energy(points: &[(String, &PointAccount)]) -> Self {
        let of = |(label, account): &(String, &PointAccount)| (label.clone(), account.energy);
        Self::energy_splits("strategy", points.iter().map(of).collect())
    }

    /// Latency of several points by cause, each with its label.
    pub fn latency(points: &[(String, &PointAccount)]) -> Self {
        let of = |(label, account): &(String, &PointAccount)| (label.clone(), account.latency);
        Self::latency_splits("strategy", points.iter().map(of).collect())
    }

    /// Energy of the accesses of each memory by cause, the highest memory first.
    pub fn energy_by_memory(account: &PointAccount) -> Self {
        let bar = |memory: &MemoryAccount| StackedBar {
            label: memory.name.clone(),
            values: memory.energy_pj.values().into(),
        };
        let bars = account.memories.iter().rev().map(bar).collect();
        Self {
            title: "Energy of each memory".to_owned(),
            ..Self::of_bars(Quantity::Energy, "memory", BarCause::of_accesses().collect(), bars)
        }
    }

    /// Energy by cause of several items, each with its label; `bar` is the kind of item.
    pub fn energy_splits(bar: &str, splits: Vec<(String, EnergySplit)>) -> Self {
        let seen = EnergyCause::seen_in(splits.iter().map(|(_, split)| *split));
        let of = |(label, split): (String, EnergySplit)| StackedBar {
            label,
            values: seen.iter().map(|&cause| split[cause]).collect(),
        };
        let bars = splits.into_iter().map(of).collect();
        Self::of_bars(Quantity::Energy, bar, seen.iter().map(|&cause| BarCause::Energy(cause)).collect(), bars)
    }

    /// DRAM accesses by cause of several items, each with its label; `bar` is the kind of item.
    pub fn dram_splits(bar: &str, splits: Vec<(String, ByCause)>) -> Self {
        let of = |(label, split): (String, ByCause)| StackedBar { label, values: split.values().into() };
        let causes = BarCause::of_accesses().collect();
        Self::of_bars(Quantity::DramAccesses, bar, causes, splits.into_iter().map(of).collect())
    }

    /// Latency by cause of several items, each with its label; `bar` is the kind of item.
    pub fn latency_splits(bar: &str, splits: Vec<(String, LatencySplit)>) -> Self {
        let of = |(label, split): (String, LatencySplit)| StackedBar {
            label,
            values: BarCause::of_latency(&split).map(|(_, cycles)| cycles).collect(),
        };
        let causes = BarCause::of_latency(&LatencySplit::default()).map(|(cause, _)| cause).collect();
        Self::of_bars(Quantity::Latency, bar, causes, splits.into_iter().map(of).collect())
    }

    fn of_bars(quantity: Quantity, bar: &str, causes: Vec<BarCause>, bars: Vec<StackedBar>) -> Self {
        Self { quantity, title: quantity.title(), bar: bar.to_owned(), causes, bars }
    }
}
