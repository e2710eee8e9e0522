//! Under the corrected rules, what tiles cache and where their data lies, against an oracle that follows the elements of every map: which
//! of them each tile computes, reads, finds computed, and leaves for later tiles.

use crate::tiling_by_pixels::{NETWORKS, TILES, window};
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
use std::collections::BTreeSet;

pub type Set = BTreeSet<u64>;

/// What one column (or row) of tiles does with the columns (or rows) of the map of each layer.
#[derive(Clone)]
pub struct Strip {
    /// Of its output: computed here; of the network's input: fetched.
    pub fresh: TiVec<LayerId, Set>,
    /// Of (each) input: read here.
    pub read: TiVec<LayerId, Set>,
    /// Of its output: computed here or before.
    known: TiVec<LayerId, Set>,
    /// Of its output: read by strips that come later.
    read_later: TiVec<LayerId, Set>,
    /// Whether strips leave anything to each other.
    caches: bool,
}

impl Strip {
    /// Columns of an input that earlier strips computed.
    pub fn cached(&self, reader: LayerId, producer: LayerId) -> Set {
        let is_old = |at: &u64| self.known[producer].contains(at) && !self.fresh[producer].contains(at);
        self.read[reader].iter().copied().filter(|at| self.caches && is_old(at)).collect()
    }

    /// Columns of an output that this strip leaves for later ones, for the first time.
    pub fn written(&self, layer: LayerId) -> Set {
        if self.caches { &self.fresh[layer] & &self.read_later[layer] } else { Set::new() }
    }
}

/// All strips of one axis, of a network that is one stack. What is left over by the division comes first.
fn strips(network: &Network, tile: u64, caches: bool, columns: bool) -> Vec<Strip> {
    let output = LayerId::from(network.len() - 1);
    let total = network.layer(output).shape.size(if columns { Dim::OX } else { Dim::OY });
    let tile = tile.min(total);
    let mut ends = vec![if total.is_multiple_of(tile) { tile } else { total % tile }];
    while ends[ends.len() - 1] < total {
        ends.push(ends[ends.len() - 1] + tile);
    }
    let none: TiVec<LayerId, Set> = ti_vec![Set::new(); network.len()];
    let mut strips: Vec<Strip> = Vec::new();
    let mut start = 0;
    for end in ends {
        let before = strips.last().map_or_else(|| none.clone(), |strip| strip.known.clone());
        let mut strip =
            Strip { fresh: none.clone(), read: none.clone(), known: before, read_later: none.clone(), caches };
        let mut wanted = none.clone();
        wanted[output] = (start..end).collect();
        for id in network.ids().rev() {
            let is_known = |at: &u64| caches && strip.known[id].contains(at);
            let fresh: Set = between(&wanted[id]).into_iter().filter(|at| !is_known(at)).collect();
            let read: Set = fresh.iter().flat_map(|&at| window(network, id, at, columns)).collect();
            // What is computed once is computed in its order, so that nothing is missing when it is read further on.
            let all = network.layer(id).shape.size(if columns { Dim::OX } else { Dim::OY });
            let from_here = fresh.first().filter(|_| caches && !read.is_empty()).map_or(all, |&first| first);
            let later = (from_here..all).flat_map(|at| window(network, id, at, columns)).min();
            for producer in network.inputs(id) {
                wanted[producer].extend(read.iter().copied().chain(later));
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
            let readers = || network.ids().filter(|&reader| network.inputs(reader).contains(&id));
            let read = readers().flat_map(|reader| later.iter().flat_map(move |strip| &strip.read[reader]));
            // Caches hold columns that lie side by side, if strides pass over some.
            now[index].read_later[id] = between(&read.copied().collect());
        }
    }
    strips
}

/// A set, and all that lies between its elements: tiles are rectangles.
fn between(set: &Set) -> Set {
    set.first().zip(set.last()).map_or_else(Set::new, |(&first, &last)| (first..=last).collect())
}

/// The network in columns and rows of tiles.
pub struct Tiling<'a> {
    pub network: &'a Network,
    pub mode: StoringMode,
    pub columns: Vec<Strip>,
    pub rows: Vec<Strip>,
}

/// Bits that a tile needs, by what they are needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Features at once.
    pub features: u64,
    /// These, and columns for the neighbour.
    pub with_columns: u64,
    /// These, and rows for the neighbour below.
    pub with_both: u64,
    /// What of that is among columns and among rows.
    pub twice: u64,
}

/// Where a tile's data lies before its neighbours are considered.
struct Places {
    columns: Option<MemoryId>,
    rows: Option<MemoryId>,
    weights: MemoryId,
}

impl<'a> Tiling<'a> {
    pub fn new(network: &'a Network, tile: (u64, u64), mode: StoringMode) -> Self {
        let columns = strips(network, tile.0, mode.caches_columns(), true);
        Self { network, mode, columns, rows: strips(network, tile.1, mode.caches_rows(), false) }
    }

    fn plan(&self, core: &Core, tile: (u64, u64)) -> Option<PointPlan> {
        let mut planner = Planner::new(core, self.network, Rules::CORRECTED, Limits::default(), Strategy::default());
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

    fn layers(&self) -> impl Iterator<Item = LayerId> + '_ {
        self.network.ids().filter(|&id| !self.network.layer(id).is_input())
    }

    pub fn output_bits(&self, layer: LayerId, elements: usize) -> u64 {
        let shape = &self.network.layer(layer).shape;
        elements as u64 * shape.size(Dim::B) * shape.output_channels() * shape.precision.o
    }

    pub fn input_bits(&self, layer: LayerId, elements: usize) -> u64 {
        let shape = &self.network.layer(layer).shape;
        elements as u64 * shape.size(Dim::B) * shape.input_channels() * shape.precision.i
    }

    pub fn weight_bits(&self) -> u64 {
        self.layers().map(|id| self.network.layer(id).shape.weight_bits()).sum()
    }

    /// Follows a tile layer by layer. While a layer is computed its windows are there, what earlier tiles computed included; an output goes
    /// with its last reader, but for what `stays` of it.
    fn most_at_once(&self, (column, row): (usize, usize), stays: impl Fn(LayerId) -> u64) -> u64 {
        let (x, y) = (&self.columns[column], &self.rows[row]);
        let mut there: TiVec<LayerId, u64> = ti_vec![0; self.network.len()];
        let mut left = 0;
        let mut most = 0;
        for id in self.network.ids() {
            let sources = self.network.inputs(id);
            let windows = sources.len() as u64 * self.input_bits(id, x.read[id].len() * y.read[id].len());
            there[id] = self.output_bits(id, x.fresh[id].len() * y.fresh[id].len());
            let others = self.network.ids().filter(|other| !sources.contains(other)).map(|other| there[other]);
            most = most.max(left + others.sum::<u64>() + windows);
            most = most.max(left + there.iter().sum::<u64>());
            for source in sources {
                let is_read_later =
                    self.network.ids().any(|later| later > id && self.network.inputs(later).contains(&source));
                if !is_read_later && there[source] > 0 {
                    there[source] = 0;
                    left += stays(source);
                }
            }
            most = most.max(left + there.iter().sum::<u64>());
        }
        most
    }

    pub fn needs(&self, (column, row): (usize, usize)) -> Needs {
        let (x, y) = (&self.columns[column], &self.rows[row]);
        let sum = |elements: &dyn Fn(LayerId, LayerId) -> usize| -> u64 {
            let of = |id: LayerId| self.network.inputs(id).into_iter().map(move |producer| (id, producer));
            self.layers().flat_map(of).map(|(id, producer)| self.input_bits(id, elements(id, producer))).sum()
        };
        let features = self.most_at_once((column, row), |_| 0);
        let with_columns = if column == 0 {
            // Nothing is cached yet: columns are added layer by layer.
            let left = |id: LayerId| (&x.known[id] & &x.read_later[id]).len() * y.fresh[id].len();
            self.most_at_once((column, row), |id| self.output_bits(id, if x.caches { left(id) } else { 0 }))
        } else {
            features + sum(&|id, producer| x.cached(id, producer).len() * y.read[id].len())
        };
        let whole_width = |id: LayerId| self.network.layer(id).input_size.0 as usize;
        let rows = sum(&|id, producer| whole_width(id) * y.cached(id, producer).len());
        let twice = sum(&|id, producer| x.cached(id, producer).len() * y.cached(id, producer).len());
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
                // What does not fit passes through.
                (false, false) if level.is_some() && level <= core.level_of(Operand::O, of_features) => features,
                (false, false) => 0,
            }
        };
        let all_instances = |id: MemoryId| core.memories[id].size_bits * core.memories[id].instances;
        let holds_weights = |id: &MemoryId| all_instances(*id) >= self.weight_bits() + beside_weights(*id);
        let weights = core.levels(Operand::W).iter().copied().find(holds_weights).unwrap_or(core.top(Operand::W));
        Places { columns, rows, weights }
    }

    /// Where every tile exchanges overlap with its neighbours, row by row, and where all tiles find weights.
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
            // A writer and a reader meet in the higher of their memories.
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
                for (producer, &cached) in tiling.network.inputs(id).into_iter().zip(&layer.cached) {
                    assert_eq!(cached, size(&x.cached(id, producer), &y.cached(id, producer)), "{what}: cached");
                }
            }
        }
    });
}

/// Sizes of memories are what some tile needs, or a little less, so that all that decides is close.
fn random_sizes(random: &mut Lcg, tiling: &Tiling<'_>) -> (u64, u64, u64) {
    let mut amount = |weights: u64| {
        let column = random.of(&[0, 0, 1, 2, 3]).min(tiling.columns.len() - 1);
        let row = random.of(&[0, 1, 2, 3]).min(tiling.rows.len() - 1);
        let Needs { features, with_columns, with_both, twice } = tiling.needs((column, row));
        let bits = random.of(&[features, with_columns, with_both, with_both - twice]) + random.of(&[0, weights]);
        bits - random.of(&[0, 0, 1, 8])
    };
    let (low, high) = (amount(0), amount(tiling.weight_bits()));
    // A fourth of the weights for each PE, or a little less.
    let registers = tiling.weight_bits().div_ceil(4) - random.of(&[0, 1, 8]);
    (random.of(&[64, registers]), low, high.max(low))
}

/// Calls `check` with plans of many cores; returns how many there are.
fn for_all_cores(mut check: impl FnMut(&str, &Core, &Tiling<'_>, &StackPlan)) -> usize {
    let mut random = Lcg(7);
    let mut planned = 0;
    for_all(|what, tile, tiling| {
        if tiling.columns.len() * tiling.rows.len() > 100 {
            return;
        }
        for _ in 0..6 {
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
    assert!(planned > 300, "only {planned} cores can compute their network");
    assert!(kept_by_registers > 30, "registers keep weights only {kept_by_registers} times");
    assert!(differ > 30, "only {differ} tiles read and write columns in different memories");
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
    for producer in tiling.network.inputs(id) {
        let (old_x, old_y) = (x.cached(id, producer), y.cached(id, producer));
        for (at_x, at_y) in pairs(&x.read[id], &y.read[id]) {
            let from_columns = caches.h_read.is_some() && old_x.contains(&at_x);
            let from_rows = !from_columns && caches.v_read.is_some() && old_y.contains(&at_y);
            read_columns += usize::from(from_columns && is_apart(caches.h_read, of_inputs));
            read_rows += usize::from(from_rows && is_apart(caches.v_read, of_inputs));
        }
    }
    let (mut written_columns, mut written_rows) = (0, 0);
    for (at_x, at_y) in pairs(&x.fresh[id], &y.fresh[id]) {
        let to_rows = is_apart(caches.v_write, of_output) && y.written(id).contains(&at_y);
        let to_columns = is_apart(caches.h_write, of_output) && x.written(id).contains(&at_x);
        written_rows += usize::from(to_rows);
        written_columns += usize::from(to_columns && !to_rows);
    }
    [
        (CopyKind::ReadHCache, tiling.input_bits(id, read_columns)),
        (CopyKind::ReadVCache, tiling.input_bits(id, read_rows)),
        (CopyKind::WriteHCache, tiling.output_bits(id, written_columns)),
        (CopyKind::WriteVCache, tiling.output_bits(id, written_rows)),
    ]
}
