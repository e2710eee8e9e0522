//! Caches of tiles and the placement of their data, against an oracle that follows the elements of every map: those
//! that each tile computes, reads, finds computed, and leaves for later tiles.

use super::tiling_by_pixels::{NETWORKS, TILES, window};
use super::view_by_elements::{Seen, seen};
use fusescape_engine::depth_first::{
    Caches, CopyKind, DepthFirstStrategy, FuseDepth, LayerTilePlan, Planner, PointPlan, StackPlan, StoringMode,
    TilePlan,
};
use fusescape_engine::hardware::{Core, MemoryId, Operand};
use fusescape_engine::ids::{TiVec, ti_vec};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Strategy};
use fusescape_engine::workload::{Dim, LayerId, Network};
use fusescape_test_support::random::Lcg;
use fusescape_test_support::sample::sample_or_all;
use std::collections::BTreeSet;

pub type Set = BTreeSet<u64>;

/// Data placed as in DeFiNES, each item as if the memories were otherwise empty: the subject of this oracle.
/// [`super::replay`] runs the corrected placement.
pub const PLACED_ALONE: Rules = Rules {
    other_maps_take_no_room: true,
    stack_inputs_placed_alone: true,
    kept_weights_counted_together: true,
    input_caches_written_free: true,
    only_first_tile_fetches_weights: true,
    mappings_have_whole_memories: true,
    corners_read_from_columns: true,
    lower_stack_inputs_read_in_place: true,
    caches_replaced_at_once: true,
    far_columns_left_behind: true,
    ..Rules::CORRECTED
};

/// The columns (or rows) of the map of each layer in one column (or row) of tiles.
#[derive(Clone)]
pub struct ElementStrip {
    /// Columns of its output that are computed here; for the network's input: fetched.
    pub fresh: TiVec<LayerId, Set>,
    /// Columns of its input, in its own positions, that are read here.
    pub read: TiVec<LayerId, Set>,
    /// Columns of the output of each layer that it reads here.
    pub taken: TiVec<LayerId, Vec<Set>>,
    /// Columns of its output that were computed here or before.
    pub known: TiVec<LayerId, Set>,
    /// Columns of its output that later strips read.
    pub read_later: TiVec<LayerId, Set>,
    /// Whether strips leave data to each other.
    caches: bool,
}

impl ElementStrip {
    /// Columns that a reader takes of `producer`, its `index`-th input, and that earlier strips computed.
    pub fn cached(&self, reader: LayerId, index: usize, producer: LayerId) -> Set {
        let is_old = |at: &u64| self.known[producer].contains(at) && !self.fresh[producer].contains(at);
        self.taken[reader][index].iter().copied().filter(|at| self.caches && is_old(at)).collect()
    }

    /// Columns of an output that this strip leaves for later ones, for the first time.
    pub fn written(&self, layer: LayerId) -> Set {
        if self.caches { &self.fresh[layer] & &self.read_later[layer] } else { Set::new() }
    }
}

/// All strips of one axis, for the inputs of a stack. The remainder of the division comes first.
fn strips(
    network: &Network,
    seen: &TiVec<LayerId, Vec<Seen>>,
    tile: u64,
    caches: bool,
    columns: bool,
) -> Vec<ElementStrip> {
    let size_of = |id: LayerId| network.layer(id).shape.size(if columns { Dim::OX } else { Dim::OY });
    let computes = |id: LayerId| !seen[id].is_empty();
    let output = network.ids().rev().find(|&id| computes(id)).unwrap();
    let window = |id: LayerId, at: u64| if computes(id) { window(network, id, at, columns) } else { Vec::new() };
    let total = size_of(output);
    let tile = tile.min(total);
    let mut ends = vec![if total.is_multiple_of(tile) { tile } else { total % tile }];
    while ends[ends.len() - 1] < total {
        ends.push(ends[ends.len() - 1] + tile);
    }
    let is_as_it_is = |seen: &Seen| seen.along(columns).iter().enumerate().all(|(at, of)| *of == Some(at as u64));
    // Where positions move, a later strip may go back. Strips without caches show what each strip needs.
    let alone = match caches && !seen.iter().flatten().all(is_as_it_is) {
        true => strips(network, seen, tile, false, columns),
        false => Vec::new(),
    };
    let none: TiVec<LayerId, Set> = ti_vec![Set::new(); network.len()];
    let mut strips: Vec<ElementStrip> = Vec::new();
    let mut start = 0;
    for end in ends {
        let before = strips.last().map_or_else(|| none.clone(), |strip| strip.known.clone());
        let taken = seen.iter().map(|seen| vec![Set::new(); seen.len()]).collect();
        let (fresh, read, read_later) = (none.clone(), none.clone(), none.clone());
        let mut strip = ElementStrip { fresh, read, taken, known: before, read_later, caches };
        let mut wanted = none.clone();
        wanted[output] = (start..end).collect();
        for id in network.ids().rev() {
            if !wanted[id].is_empty() {
                let from_here = alone.iter().skip(strips.len());
                let first = from_here.filter_map(|strip| strip.fresh[id].first().copied()).min();
                wanted[id].extend(first);
            }
            let is_known = |at: &u64| caches && strip.known[id].contains(at);
            let fresh: Set = between(&wanted[id]).into_iter().filter(|at| !is_known(at)).collect();
            let read: Set = fresh.iter().flat_map(|&at| window(id, at)).collect();
            // Columns that are computed once are computed in their order, so that none is missing when a later layer
            // reads them.
            let all = size_of(id);
            let from_here = fresh.first().filter(|_| caches && !read.is_empty()).map_or(all, |&first| first);
            let later: Set = (from_here..all).flat_map(|at| window(id, at)).collect();
            for (taken, seen) in strip.taken[id].iter_mut().zip(&seen[id]) {
                let of = |seen: &Seen, read: &Set| -> Set {
                    read.iter().filter_map(|&at| seen.along(columns)[at as usize]).collect()
                };
                let read = of(seen, &read);
                if !read.is_empty() {
                    wanted[seen.layer].extend(of(seen, &later).first());
                }
                wanted[seen.layer].extend(&read);
                *taken = between(&read);
            }
            strip.read[id] = between(&read);
            strip.known[id].extend(&fresh);
            strip.fresh[id] = fresh;
        }
        strips.push(strip);
        start = end;
    }
    for index in 0..strips.len() {
        let (now, later) = strips.split_at_mut(index + 1);
        for id in network.ids() {
            let is_of = |(_, seen): &(usize, &Seen)| seen.layer == id;
            let readers =
                || network.ids().flat_map(|by| seen[by].iter().enumerate().filter(is_of).map(move |of| (by, of.0)));
            let read = readers().flat_map(|(by, of)| later.iter().flat_map(move |strip| &strip.taken[by][of]));
            // Caches hold neighbouring columns, even if strides skip some.
            now[index].read_later[id] = between(&read.copied().collect());
        }
    }
    strips
}

/// A set, and all positions between its elements: tiles are rectangles.
fn between(set: &Set) -> Set {
    set.first().zip(set.last()).map_or_else(Set::new, |(&first, &last)| (first..=last).collect())
}

/// A stack in columns and rows of tiles.
pub struct Tiling<'a> {
    pub network: &'a Network,
    /// The inputs of each layer of the stack; nothing for the others.
    pub seen: TiVec<LayerId, Vec<Seen>>,
    pub mode: StoringMode,
    pub columns: Vec<ElementStrip>,
    pub rows: Vec<ElementStrip>,
}

/// Bits that a tile needs, by their purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Features that are needed at the same time.
    pub features: u64,
    /// These features, and columns for the neighbour.
    pub with_columns: u64,
    /// These features, and rows for the neighbour below.
    pub with_both: u64,
    /// The parts of these among columns and among rows.
    pub twice: u64,
}

/// The placement of a tile's data before its neighbours are considered.
struct Places {
    columns: Option<MemoryId>,
    rows: Option<MemoryId>,
    weights: MemoryId,
}

impl<'a> Tiling<'a> {
    /// A network that is one stack.
    pub fn new(network: &'a Network, tile: (u64, u64), mode: StoringMode) -> Self {
        Self::of_stack(network, &|_| true, tile, mode)
    }

    /// The layers that a stack computes, and the maps that they read.
    pub fn of_stack(
        network: &'a Network,
        computes: &dyn Fn(LayerId) -> bool,
        tile: (u64, u64),
        mode: StoringMode,
    ) -> Self {
        let mut seen = seen(network);
        for id in network.ids().filter(|&id| !computes(id)) {
            seen[id].clear();
        }
        let columns = strips(network, &seen, tile.0, mode.caches_columns(), true);
        let rows = strips(network, &seen, tile.1, mode.caches_rows(), false);
        Self { network, seen, mode, columns, rows }
    }

    fn plan(&self, core: &Core, tile: (u64, u64)) -> Option<PointPlan> {
        let mut planner = Planner::new(core, self.network, PLACED_ALONE, Limits::default(), Strategy::default());
        let fuse = FuseDepth::Cuts(Vec::new());
        planner.plan(&DepthFirstStrategy { tile, mode: self.mode, fuse }).ok()
    }

    /// The type of every tile, row by row.
    pub fn tiles<'p>(&self, stack: &'p StackPlan) -> Vec<((usize, usize), &'p TilePlan)> {
        let runs = |counts: Vec<u64>| -> Vec<usize> {
            let of_run = |(run, &count): (usize, &u64)| std::iter::repeat_n(run, count as usize);
            counts.iter().enumerate().flat_map(of_run).collect()
        };
        let columns = runs(stack.map.columns.iter().map(|run| run.count).collect());
        let rows = runs(stack.map.rows.iter().map(|run| run.count).collect());
        assert_eq!((columns.len(), rows.len()), (self.columns.len(), self.rows.len()));
        let places = (0..rows.len()).flat_map(|row| (0..columns.len()).map(move |column| (column, row)));
        places.map(|(column, row)| ((column, row), &stack.types[stack.map.types[rows[row]][columns[column]]])).collect()
    }

    pub fn layers(&self) -> impl Iterator<Item = LayerId> + '_ {
        self.network.ids().filter(|&id| !self.is_input(id))
    }

    /// Whether a map comes from outside.
    pub fn is_input(&self, id: LayerId) -> bool {
        self.seen[id].is_empty()
    }

    /// Bits of so many pixels of a layer's output; for the network's input, of the channels that any layer reads.
    pub fn output_bits(&self, layer: LayerId, pixels: usize) -> u64 {
        let shape = &self.network.layer(layer).shape;
        let seen = self.seen.iter().flatten().filter(|seen| seen.layer == layer);
        let seen: BTreeSet<u64> = seen.flat_map(|seen| seen.channels.iter().flatten().copied()).collect();
        let channels = if self.is_input(layer) { seen.len() as u64 } else { shape.output_channels() };
        pixels as u64 * shape.size(Dim::B) * channels * shape.precision.o
    }

    /// Bits of so many pixels of a layer's `index`-th input.
    pub fn input_bits(&self, layer: LayerId, index: usize, pixels: usize) -> u64 {
        let shape = &self.network.layer(layer).shape;
        pixels as u64 * shape.size(Dim::B) * self.seen[layer][index].channel_count() * shape.precision.i
    }

    /// Bits of all inputs of a layer in a tile.
    pub fn all_input_bits(&self, (x, y): (&ElementStrip, &ElementStrip), layer: LayerId) -> u64 {
        let of =
            |index: usize| self.input_bits(layer, index, x.taken[layer][index].len() * y.taken[layer][index].len());
        (0..self.seen[layer].len()).map(of).sum()
    }

    pub fn weight_bits(&self) -> u64 {
        self.layers().map(|id| self.network.layer(id).shape.weight_bits()).sum()
    }

    /// Follows a tile layer by layer. While a layer is computed, its windows are held, including pixels that earlier
    /// tiles computed; an output is freed after its last reader, except for the part in `stays`.
    fn most_at_once(&self, (column, row): (usize, usize), stays: impl Fn(LayerId) -> u64) -> u64 {
        let (x, y) = (&self.columns[column], &self.rows[row]);
        let mut there: TiVec<LayerId, u64> = ti_vec![0; self.network.len()];
        let mut left = 0;
        let mut most = 0;
        for id in self.network.ids() {
            let windows = self.all_input_bits((x, y), id);
            there[id] = self.output_bits(id, x.fresh[id].len() * y.fresh[id].len());
            // Data that is not an input of the layer is unchanged.
            let other = |other: LayerId| {
                let seen = self.seen[id].iter().filter(|seen| seen.layer == other);
                let seen: BTreeSet<u64> = seen.flat_map(|seen| seen.channels.iter().flatten().copied()).collect();
                let pixels = x.fresh[other].len() * y.fresh[other].len();
                let bits = self.output_bits(other, pixels);
                let all = bits / self.pixel_bits(other, pixels).max(1);
                if there[other] == 0 { 0 } else { bits - bits / all.max(1) * seen.len() as u64 }
            };
            most = most.max(left + self.network.ids().map(other).sum::<u64>() + windows);
            most = most.max(left + there.iter().sum::<u64>());
            let sources: BTreeSet<LayerId> = self.seen[id].iter().map(|seen| seen.layer).collect();
            for source in sources {
                let sees = |later: LayerId| self.seen[later].iter().any(|seen| seen.layer == source);
                if !self.network.ids().any(|later| later > id && sees(later)) && there[source] > 0 {
                    there[source] = 0;
                    left += stays(source);
                }
            }
            most = most.max(left + there.iter().sum::<u64>());
        }
        most
    }

    /// Bits of one channel of so many pixels of a layer's output.
    fn pixel_bits(&self, layer: LayerId, pixels: usize) -> u64 {
        let shape = &self.network.layer(layer).shape;
        pixels as u64 * shape.size(Dim::B) * shape.precision.o
    }

    pub fn needs(&self, (column, row): (usize, usize)) -> Needs {
        let (x, y) = (&self.columns[column], &self.rows[row]);
        // For all inputs: reader, index of the input, producer.
        let sum = |pixels: &dyn Fn(LayerId, usize, LayerId) -> usize| -> u64 {
            let of_reader = |id: LayerId| {
                let seen = self.seen[id].iter().enumerate();
                seen.map(|(index, seen)| self.input_bits(id, index, pixels(id, index, seen.layer))).sum::<u64>()
            };
            self.network.ids().map(of_reader).sum()
        };
        let features = self.most_at_once((column, row), |_| 0);
        let with_columns = if column == 0 {
            // Nothing is cached yet: columns are added layer by layer.
            let left = |id: LayerId| (&x.known[id] & &x.read_later[id]).len() * y.fresh[id].len();
            self.most_at_once((column, row), |id| self.output_bits(id, if x.caches { left(id) } else { 0 }))
        } else {
            features + sum(&|id, index, producer| x.cached(id, index, producer).len() * y.taken[id][index].len())
        };
        let rows = sum(&|id, index, producer| self.seen[id][index].width() * y.cached(id, index, producer).len());
        let twice =
            sum(&|id, index, producer| x.cached(id, index, producer).len() * y.cached(id, index, producer).len());
        Needs { features, with_columns, with_both: with_columns + rows, twice }
    }

    /// Features as low as they fit, then columns, rows and weights beside them.
    fn places(&self, core: &Core, tile: (usize, usize)) -> Places {
        let Needs { features, with_columns, with_both, twice } = self.needs(tile);
        let shared = |id: &MemoryId| {
            let memory = &core.memories[*id];
            memory.instances == 1 && [Operand::I, Operand::O].iter().all(|operand| memory.operands.contains(operand))
        };
        let lowest = |needed: &dyn Fn(MemoryId) -> u64| {
            let fits = |id: &MemoryId| core.memories[*id].size_bits >= needed(*id);
            core.levels(Operand::O).iter().copied().filter(shared).find(fits).unwrap_or(core.top(Operand::O))
        };
        let of_features = lowest(&|_| features);
        let columns = self.mode.caches_columns().then(|| lowest(&|_| with_columns));
        let both = |id: MemoryId| with_both - if columns == Some(id) { twice } else { 0 };
        let rows = self.mode.caches_rows().then(|| lowest(&both));
        let beside_weights = |id: MemoryId| {
            let level = core.level_of(Operand::O, id);
            match (columns == Some(id), rows == Some(id)) {
                (_, true) => both(id),
                (true, false) => with_columns,
                // Data that does not fit is streamed.
                (false, false) if level.is_some() && level <= core.level_of(Operand::O, of_features) => features,
                (false, false) => 0,
            }
        };
        let all_instances = |id: MemoryId| core.memories[id].size_bits * core.memories[id].instances;
        let holds_weights = |id: &MemoryId| all_instances(*id) >= self.weight_bits() + beside_weights(*id);
        let weights = core.levels(Operand::W).iter().copied().find(holds_weights).unwrap_or(core.top(Operand::W));
        Places { columns, rows, weights }
    }

    /// The memories by which every tile exchanges overlap with its neighbours, row by row, and the memories of weights
    /// for all tiles.
    pub fn caches(&self, core: &Core) -> (Vec<Vec<Caches>>, MemoryId) {
        let tile = |column, row| self.places(core, (column, row));
        let places: Vec<Vec<Places>> =
            (0..self.rows.len()).map(|row| (0..self.columns.len()).map(|column| tile(column, row)).collect()).collect();
        let higher = |operand: Operand, memories: &mut dyn Iterator<Item = MemoryId>| {
            memories.max_by_key(|&id| core.level_of(operand, id))
        };
        let rows = higher(Operand::O, &mut places.iter().flatten().filter_map(|tile| tile.rows));
        let weights = higher(Operand::W, &mut places.iter().flatten().map(|tile| tile.weights)).unwrap();
        let of_row = |(row, tiles): (usize, &Vec<Places>)| {
            // A writer and a reader exchange data in the higher of their memories.
            let between = |left: usize| {
                let pair = [tiles.get(left)?.columns?, tiles.get(left + 1)?.columns?];
                higher(Operand::O, &mut pair.into_iter())
            };
            let of_tile = |column: usize| Caches {
                h_write: between(column),
                h_read: column.checked_sub(1).and_then(between),
                v_write: rows.filter(|_| row + 1 < self.rows.len()),
                v_read: rows.filter(|_| row > 0),
            };
            (0..tiles.len()).map(of_tile).collect()
        };
        (places.iter().enumerate().map(of_row).collect(), weights)
    }
}

/// Registers for weights and outputs at each of 4 PEs, a memory for features, one for all, DRAM; sizes in bits.
fn core(registers: u64, low: u64, high: u64) -> Core {
    let text = format!(
        "name: levels
array: {{ dimensions: {{ D1: 2, D2: 2 }}, mac_energy: 1 pJ }}
unroll:
  conv: {{ D1: K, D2: OX }}
  depthwise: {{ D1: G, D2: OX }}
  pooling: {{ D1: G, D2: OX }}
  add: {{ D1: G, D2: OX }}
memories:
  - {{ name: w_reg, size: {registers} bit, operands: [W], width: 8 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [] }}
  - {{ name: o_reg, size: 32 bit, operands: [O], width: 16 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [] }}
  - {{ name: low, size: {low} bit, operands: [I, O], width: 32 bit, read_energy: 3 pJ, write_energy: 3 pJ, shared_over: all }}
  - {{ name: high, size: {high} bit, operands: [W, I, O], width: 32 bit, read_energy: 9 pJ, write_energy: 9 pJ, shared_over: all }}
  - {{ name: dram, size: 1 GiB, operands: [W, I, O], width: 16 bit, read_energy: 90 pJ, write_energy: 90 pJ, shared_over: all }}
"
    );
    Core::from_text(&text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"))
}

/// Every network with every tile size in every mode.
fn for_all(mut check: impl FnMut(&str, (u64, u64), Tiling<'_>)) {
    for (name, text) in NETWORKS {
        let network = Network::from_text(text).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        for tile in TILES {
            for mode in StoringMode::ALL {
                check(&format!("{name}, {tile:?}, {mode}"), tile, Tiling::new(&network, tile, mode));
            }
        }
    }
}

fn size(x: &Set, y: &Set) -> (u64, u64) {
    (x.len() as u64, y.len() as u64)
}

#[test]
fn tiles_write_to_caches_what_later_tiles_read_and_none_wrote_before() {
    let core = core(64, 1 << 16, 1 << 18);
    for_all(|what, tile, tiling| {
        let plan = tiling.plan(&core, tile).unwrap();
        for ((column, row), planned) in tiling.tiles(&plan.stacks[0]) {
            let (x, y) = (&tiling.columns[column], &tiling.rows[row]);
            for layer in &planned.layers {
                let id = layer.layer;
                let what = format!("{what}: {} in column {column}, row {row}", tiling.network.layer(id).name);
                assert_eq!(layer.computed, size(&x.fresh[id], &y.fresh[id]), "{what}: computed");
                assert_eq!(layer.written, size(&x.written(id), &y.written(id)), "{what}: written");
                if !layer.is_input {
                    assert_eq!(layer.needed, size(&x.read[id], &y.read[id]), "{what}: needed");
                }
                let reads = planned.reads_of(layer);
                assert_eq!(reads.len(), tiling.seen[id].len(), "{what}: reads");
                for (index, (read, seen)) in reads.iter().zip(&tiling.seen[id]).enumerate() {
                    let producer = seen.layer;
                    let cached = size(&x.cached(id, index, producer), &y.cached(id, index, producer));
                    assert_eq!(read.channels, seen.channel_count(), "{what}: channels of read {index}");
                    assert_eq!(read.needed, size(&x.taken[id][index], &y.taken[id][index]), "{what}: read {index}");
                    assert_eq!(read.cached, cached, "{what}: cached of read {index}");
                }
            }
        }
    });
}

/// Bits that some tile needs, or a little less.
pub fn random_amount(random: &mut Lcg, tiling: &Tiling<'_>, weights: u64) -> u64 {
    let column = random.of(&[0, 0, 1, 2, 3]).min(tiling.columns.len() - 1);
    let row = random.of(&[0, 1, 2, 3]).min(tiling.rows.len() - 1);
    let Needs { features, with_columns, with_both, twice } = tiling.needs((column, row));
    let bits = random.of(&[features, with_columns, with_both, with_both - twice]) + random.of(&[0, weights]);
    bits - random.of(&[0, 0, 1, 8])
}

/// Sizes of memories are the needs of some tile, or a little less, so that all decisions are close.
fn random_sizes(random: &mut Lcg, tiling: &Tiling<'_>) -> (u64, u64, u64) {
    let (low, high) = (random_amount(random, tiling, 0), random_amount(random, tiling, tiling.weight_bits()));
    // A fourth of the weights for each PE, or a little less.
    let registers = tiling.weight_bits().div_ceil(4) - random.of(&[0, 1, 8]);
    (random.of(&[64, registers]), low, high.max(low))
}

/// Calls `check` with plans of many cores; returns their number.
fn for_all_cores(mut check: impl FnMut(&str, &Core, &Tiling<'_>, &StackPlan)) -> usize {
    let mut random = Lcg(7);
    let mut planned = 0;
    for_all(|what, tile, tiling| {
        if tiling.columns.len() * tiling.rows.len() > 100 {
            return;
        }
        for _ in 0..sample_or_all(1, 6) {
            let sizes = random_sizes(&mut random, &tiling);
            let core = core(sizes.0, sizes.1, sizes.2);
            let Some(plan) = tiling.plan(&core, tile) else { continue };
            check(&format!("{what}, memories of {sizes:?} bit"), &core, &tiling, &plan.stacks[0]);
            planned += 1;
        }
    });
    planned
}

#[test]
fn features_caches_and_weights_lie_in_the_lowest_memories_that_hold_them_together() {
    let (mut differ, mut kept_by_registers) = (0, 0);
    let planned = for_all_cores(|what, core, tiling, stack| {
        let (caches, weights) = tiling.caches(core);
        for ((column, row), planned) in tiling.tiles(stack) {
            assert_eq!(planned.caches, caches[row][column], "{what}: column {column}, row {row}");
            let Caches { h_write, h_read, .. } = planned.caches;
            differ += usize::from(h_write.is_some() && h_read.is_some() && h_write != h_read);
        }
        assert_eq!(stack.weight_memory, Some(weights), "{what}");
        kept_by_registers += usize::from(core.memories[weights].name == "w_reg");
        for decision in &stack.decisions {
            let caches = &decision.caches;
            let found = Needs {
                features: caches.peak_bits,
                with_columns: caches.peak_with_h_bits.unwrap_or(caches.peak_bits),
                with_both: caches.peak_with_both_bits.or(caches.peak_with_h_bits).unwrap_or(caches.peak_bits),
                twice: caches.hv_cache_bits,
            };
            let all = (0..tiling.rows.len()).flat_map(|row| (0..tiling.columns.len()).map(move |column| (column, row)));
            let mut alike = all.filter(|&(column, row)| (column == 0, row == 0) == decision.first);
            assert!(alike.any(|tile| tiling.needs(tile) == found), "{what}: no tile needs {found:?}");
        }
    });
    assert!(planned > sample_or_all(50, 300), "only {planned} cores can compute their network");
    assert!(kept_by_registers > sample_or_all(5, 30), "registers keep weights only {kept_by_registers} times");
    assert!(differ > sample_or_all(5, 30), "only {differ} tiles read and write columns in different memories");
}

#[test]
fn copies_move_every_cached_element_that_lies_in_another_memory_once() {
    let mut moved = [0; 4];
    for_all_cores(|what, _, tiling, stack| {
        for ((column, row), planned) in tiling.tiles(stack) {
            for layer in planned.layers.iter().filter(|layer| !layer.is_input) {
                let expected = copied_bits(tiling, (column, row), planned.caches, layer);
                for ((kind, expected), moved) in expected.into_iter().zip(&mut moved) {
                    let is_it = |copy: &&fusescape_engine::depth_first::CopyAction| {
                        (copy.kind, copy.layer) == (kind, layer.layer)
                    };
                    let found: u64 = planned.copies.iter().filter(is_it).map(|copy| copy.bits.0).sum();
                    let name = &tiling.network.layer(layer.layer).name;
                    assert_eq!(found, expected, "{what}: {kind:?} of {name} in column {column}, row {row}");
                    *moved += usize::from(found > 0);
                }
            }
        }
    });
    assert!(moved.iter().all(|&moved| moved > 100), "copies of each kind: {moved:?}");
}

/// Bits that a layer-tile copies from and to caches, element by element.
fn copied_bits(
    tiling: &Tiling<'_>,
    (column, row): (usize, usize),
    caches: Caches,
    layer: &LayerTilePlan,
) -> [(CopyKind, u64); 4] {
    let (x, y, id) = (&tiling.columns[column], &tiling.rows[row], layer.layer);
    let pairs =
        |x: &Set, y: &Set| -> Vec<(u64, u64)> { x.iter().flat_map(|&x| y.iter().map(move |&y| (x, y))).collect() };
    let [_, of_inputs, of_output] = layer.top;
    let is_apart =
        |cache: Option<MemoryId>, other: Option<MemoryId>| other.is_some() && cache.is_some_and(|id| Some(id) != other);
    let (mut read_columns, mut read_rows) = (0, 0);
    for (index, seen) in tiling.seen[id].iter().enumerate() {
        let (old_x, old_y) = (x.cached(id, index, seen.layer), y.cached(id, index, seen.layer));
        let (mut columns, mut rows) = (0, 0);
        for (at_x, at_y) in pairs(&x.taken[id][index], &y.taken[id][index]) {
            let from_columns = caches.h_read.is_some() && old_x.contains(&at_x);
            let from_rows = !from_columns && caches.v_read.is_some() && old_y.contains(&at_y);
            columns += usize::from(from_columns && is_apart(caches.h_read, of_inputs));
            rows += usize::from(from_rows && is_apart(caches.v_read, of_inputs));
        }
        read_columns += tiling.input_bits(id, index, columns);
        read_rows += tiling.input_bits(id, index, rows);
    }
    let (mut written_columns, mut written_rows) = (0, 0);
    for (at_x, at_y) in pairs(&x.fresh[id], &y.fresh[id]) {
        let to_rows = is_apart(caches.v_write, of_output) && y.written(id).contains(&at_y);
        let to_columns = is_apart(caches.h_write, of_output) && x.written(id).contains(&at_x);
        written_rows += usize::from(to_rows);
        written_columns += usize::from(to_columns && !to_rows);
    }
    [
        (CopyKind::ReadHCache, read_columns),
        (CopyKind::ReadVCache, read_rows),
        (CopyKind::WriteHCache, tiling.output_bits(id, written_columns)),
        (CopyKind::WriteVCache, tiling.output_bits(id, written_rows)),
    ]
}
