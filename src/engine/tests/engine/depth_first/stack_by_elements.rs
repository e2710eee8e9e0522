//! The plan and the account of a whole stack against an oracle that runs it: tile after tile, layer after layer,
//! pixel after pixel. Random networks, cores, tile sizes and modes.
//!
//! Unrollings are even, widths are powers of two and energies whole numbers, so that nothing is rounded and sums are
//! equal to the bit.

use super::placement_by_elements::{PLACED_ALONE, Set, Tiling};
use super::random_stacks::{LIMITS, RandomStack, random_core, random_network, random_stacks};
use super::view_by_elements::Seen;
use crate::cost::layer_by_elements::{MappedLayer, Run, port, unrolled_evenly};
use fusescape_engine::cost::{AccessCause, ByCause, EnergyCause, EnergySplit, LatencyCause, LatencySplit};
use fusescape_engine::depth_first::{
    Assembler, Caches, CopyAction, CopyKind, DepthFirstStrategy, FuseDepth, LayerTilePlan, Planner, PointAccount,
    PointPlan, ProblemId, Problems, StoringMode, TilePlan,
};
use fusescape_engine::hardware::{Core, MemoryId, Movement, Operand, Unroll};
use fusescape_engine::ids::{TiVec, ti_vec};
use fusescape_engine::mapping::{LayerOnCore, LayerProblem};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Objective, Solution, Strategy, find_best, has_mapping};
use fusescape_engine::units::Bits;
use fusescape_engine::workload::{Dim, LayerId, LayerKind, Network};
use fusescape_test_support::random::{Lcg, oracle_cases};
use std::collections::{BTreeMap, BTreeSet};

/// A network that is one stack, cut in tiles, on a core.
struct Stack<'a> {
    core: &'a Core,
    tiling: &'a Tiling<'a>,
    problems: &'a Problems,
    solutions: &'a TiVec<ProblemId, Solution>,
    /// The memories by which tiles exchange overlap, row by row, and the memories of weights.
    caches: Vec<Vec<Caches>>,
    weights: MemoryId,
}

/// Words, elements and energy of every memory, and the other sums.
struct Sums {
    words: TiVec<MemoryId, ByCause>,
    elements: TiVec<MemoryId, ByCause>,
    pj: TiVec<MemoryId, ByCause>,
    energy: EnergySplit,
    latency: LatencySplit,
    macs: u64,
    cached: Cached,
}

/// For each tile and layer, bits that it takes from columns and from rows that earlier tiles left.
type Cached = Vec<((usize, usize), LayerId, [u64; 2])>;

/// Pixels that earlier tiles left in a cache, by layer.
type Left = BTreeSet<(LayerId, u64, u64)>;

/// The cycle in which a copy reaches a port, and the cycles that it uses it.
type PortUse = (u64, u64);

/// Levels of W, I and O that a layer-tile uses, and the changes that were needed to make some mapping fit.
#[derive(Debug, PartialEq)]
struct Levels {
    levels: [usize; 3],
    extra: (usize, usize),
    weights_again: bool,
}

fn pixels(x: &Set, y: &Set) -> Vec<(u64, u64)> {
    x.iter().flat_map(|&x| y.iter().map(move |&y| (x, y))).collect()
}

impl Stack<'_> {
    fn network(&self) -> &Network {
        self.tiling.network
    }

    /// Levels up to the lowest memory, in one instance, that holds the needed data; all where none does.
    fn lowest(&self, operand: Operand, needed: impl Fn(MemoryId) -> u64) -> usize {
        let levels = self.core.levels(operand);
        let holds = |&id: &MemoryId| {
            let memory = &self.core.memories[id];
            memory.instances == 1 && memory.size_bits >= needed(id)
        };
        levels.iter().position(holds).map_or(levels.len(), |level| level + 1)
    }

    /// Runs all tiles and compares each with its plan.
    fn run(&self, what: &dyn Fn() -> String, plan: &PointPlan) -> Sums {
        let count = self.core.memories.len();
        let mut sums = Sums {
            words: ti_vec![ByCause::default(); count],
            elements: ti_vec![ByCause::default(); count],
            pj: ti_vec![ByCause::default(); count],
            energy: EnergySplit::default(),
            latency: LatencySplit::default(),
            macs: 0,
            cached: Vec::new(),
        };
        let mut runs: BTreeMap<ProblemId, Run> = BTreeMap::new();
        let mut left = Left::new();
        for (place, tile) in self.tiling.tiles(&plan.stacks[0]) {
            let what = || format!("tile {place:?} of {}", what());
            self.run_tile(&what, place, tile, &mut left, &mut runs, &mut sums);
        }
        sums
    }

    fn run_tile(
        &self,
        what: &dyn Fn() -> String,
        (column, row): (usize, usize),
        tile: &TilePlan,
        left: &mut Left,
        runs: &mut BTreeMap<ProblemId, Run>,
        sums: &mut Sums,
    ) {
        let (x, y) = (&self.tiling.columns[column], &self.tiling.rows[row]);
        let caches = self.caches[row][column];
        let is_first = (column, row) == (0, 0);
        assert_eq!((tile.caches, tile.weights_from_top), (caches, is_first), "{}", what());
        let mut outputs: TiVec<LayerId, Option<MemoryId>> = ti_vec![None; self.network().len()];
        let mut writes: Vec<CopyAction> = Vec::new();
        for planned in &tile.layers {
            let id = planned.layer;
            let layer = self.network().layer(id);
            let what = || format!("{} in {}", layer.name, what());
            let fresh = pixels(&x.fresh[id], &y.fresh[id]);
            let output_bits = self.tiling.output_bits(id, fresh.len());
            let input_bits = self.tiling.all_input_bits((x, y), id);
            assert_eq!(planned.bits, (input_bits, output_bits), "bits of {}", what());
            let mut copies = std::mem::take(&mut writes);
            if layer.is_input() {
                // Data that is not on the chip is loaded from the top.
                let top = self.core.top(Operand::I);
                let memory = self.core.levels(Operand::I)[self.lowest(Operand::I, |_| output_bits) - 1];
                copies.push(copy(CopyKind::StackInput, id, output_bits, (top, Operand::I), (memory, Operand::I)));
                assert_eq!(planned.top, [None, None, Some(memory)], "memories of {}", what());
                outputs[id] = Some(memory);
            } else if fresh.is_empty() {
                assert_eq!((planned.top, planned.problem), ([None; 3], None), "{} computes nothing", what());
            } else {
                let problem = planned.problem.unwrap();
                let [_, i_memory, o_memory] = self.check_levels(&what, is_first, planned, problem);
                outputs[id] = Some(o_memory);
                let (collected, cached) = self.collect(&what, (column, row), id, i_memory, &outputs, left);
                copies.extend(collected);
                sums.cached.push(((column, row), id, cached));
                writes = self.leave((column, row), id, o_memory);
                let run = runs.entry(problem).or_insert_with(|| self.mapped(problem).run());
                self.add_layer(problem, run, sums);
            }
            copies.retain(|copy| copy.bits > Bits(0));
            assert_eq!(tile.copies_before(planned), copies, "copies before {}", what());
            self.add_copies(&copies, sums);
            // Data from outside stays in the caches that it passes on its way down.
            let [columns, rows] = [(caches.h_write, x.written(id)), (caches.v_write, y.written(id))];
            let is_left = |&&(at_x, at_y): &&(u64, u64)| {
                columns.0.is_some() && columns.1.contains(&at_x) || rows.0.is_some() && rows.1.contains(&at_y)
            };
            left.extend(fresh.iter().filter(is_left).map(|&(at_x, at_y)| (id, at_x, at_y)));
        }
        assert_eq!(writes, Vec::new(), "nobody reads the output of {}", what());
    }

    /// The memories of W, I and O of a layer-tile, which have to be those of the plan.
    fn check_levels(
        &self,
        what: &dyn Fn() -> String,
        is_first: bool,
        planned: &LayerTilePlan,
        problem: ProblemId,
    ) -> [MemoryId; 3] {
        let (id, (inputs, output)) = (planned.layer, planned.bits);
        let layer = self.network().layer(id);
        let i = self.lowest(Operand::I, |_| inputs);
        let i_memory = self.core.levels(Operand::I)[i - 1];
        let beside = |memory: MemoryId| if memory == i_memory { inputs } else { 0 };
        let is_last = usize::from(id) + 1 == self.network().len();
        let all = Operand::ALL.map(|operand| self.core.levels(operand).len());
        let o = if is_last { all[2] } else { self.lowest(Operand::O, |memory| output + beside(memory)) };
        let kind = layer.shape.kind;
        let unit = self.core.vector_unit_for(kind);
        // Lanes read nothing from below the memory that feeds them.
        let fed = |operand: Operand| unit.map_or(0, |unit| self.core.level_of(operand, unit.memory).unwrap() + 1);
        let (i, o) = (i.max(fed(Operand::I)), o.max(fed(Operand::O)));
        let w = if is_first || kind == LayerKind::Add || unit.is_some() {
            all[0]
        } else {
            self.core.level_of(Operand::W, self.weights).unwrap() + 1
        };
        let first_that_fits = |unroll: &[Unroll]| {
            let tries = (0..).flat_map(|more| [(more, more), (more, more + 1), (more + 1, more)]);
            let tries: Vec<(usize, usize)> = tries.take_while(|more| more.0 < 5).collect();
            let again = if w < all[0] { &[false, true][..] } else { &[false] };
            again.iter().find_map(|&weights_again| {
                let w = if weights_again { all[0] } else { w };
                tries.iter().find_map(|&extra| {
                    let levels = [w, (i + extra.0).min(all[1]), (o + extra.1).min(all[2])];
                    let problem = self.problem(planned, unroll, levels);
                    let fits = has_mapping(&self.on_core(&problem), &LIMITS, Strategy::Loma);
                    fits.then_some((Levels { levels, extra, weights_again }, problem))
                })
            })
        };
        let stated = match unit {
            Some(unit) => unit.unroll(&self.problem(planned, &[], all).shape),
            None => layer.unroll_on(self.core, &PLACED_ALONE),
        };
        let mut found = first_that_fits(&stated);
        assert_eq!(found.is_none(), planned.narrowed, "{} unrolls less where nothing fits", what());
        if planned.narrowed {
            // Each part whole or halved, again and again: of all that fit, one with the most PEs.
            let chosen = &self.problems.list[problem].unroll;
            let shape = self.problem(planned, &[], all).shape;
            let pes = |unroll: &[Unroll]| unroll.iter().map(|part| part.limit).product::<u64>();
            let mut ways: Vec<Vec<Unroll>> = vec![Vec::new()];
            for part in &stated {
                let whole = part.limit.min(shape.size(part.dim));
                let limits: BTreeSet<u64> = (0..u64::BITS).map(|times| whole.div_ceil(1 << times)).collect();
                let with =
                    |way: &Vec<Unroll>, limit: u64| way.iter().copied().chain([Unroll { limit, ..*part }]).collect();
                ways = ways.iter().flat_map(|way| limits.iter().map(move |&limit| with(way, limit))).collect();
            }
            assert!(ways.contains(chosen), "{chosen:?} of {}", what());
            for wider in ways.iter().filter(|way| pes(way) > pes(chosen)) {
                assert!(first_that_fits(wider).is_none(), "{wider:?} fits, but {chosen:?} is planned: {}", what());
            }
            found = first_that_fits(chosen);
        }
        let (found, expected) = found.unwrap_or_else(|| panic!("no mapping fits {}", what()));
        let by_plan = Levels {
            levels: self.problems.list[problem].levels,
            extra: planned.extra_levels,
            weights_again: planned.weights_fetched_again,
        };
        assert_eq!(by_plan, found, "levels of {}", what());
        assert_eq!(self.problems.list[problem], expected, "{}", what());
        let memories = Operand::ALL.map(|operand| self.core.levels(operand)[found.levels[operand as usize] - 1]);
        let has_weights = kind != LayerKind::Add && !kind.needs_vector_unit();
        let top = [Some(memories[0]).filter(|_| has_weights), Some(memories[1]), Some(memories[2])];
        assert_eq!(planned.top, top, "memories of {}", what());
        memories
    }

    /// The loops of a layer-tile: it reads at most the existing columns and rows.
    fn problem(&self, planned: &LayerTilePlan, unroll: &[Unroll], levels: [usize; 3]) -> LayerProblem {
        let layer = self.network().layer(planned.layer);
        let mut shape = layer.shape;
        (shape.sizes[Dim::OX as usize], shape.sizes[Dim::OY as usize]) = planned.computed;
        let limit = |outputs: u64, kernel: Dim, stride: u64, dilation: u64, exist: u64| {
            let taps = |output: u64| (0..shape.size(kernel)).map(move |tap| output * stride + tap * dilation);
            let spanned = (0..outputs).flat_map(taps).collect::<Set>().len() as u64;
            if exist < spanned { exist } else { u64::MAX }
        };
        shape.input_limit = (
            limit(planned.computed.0, Dim::FX, shape.stride.0, shape.dilation.0, planned.needed.0),
            limit(planned.computed.1, Dim::FY, shape.stride.1, shape.dilation.1, planned.needed.1),
        );
        LayerProblem::new(shape, levels, unroll.to_vec())
    }

    fn on_core<'p>(&'p self, problem: &LayerProblem) -> LayerOnCore<'p> {
        LayerOnCore::new(self.core, PLACED_ALONE, problem)
    }

    fn mapped(&self, problem: ProblemId) -> MappedLayer<'_> {
        let Solution { order, allocation, .. } = &self.solutions[problem];
        MappedLayer { core: self.core, problem: &self.problems.list[problem], order, allocation }
    }

    /// Copies of a layer's inputs, pixel by pixel, to the memory from which it takes them; and bits that earlier tiles
    /// left, in columns and in rows, moved or not.
    fn collect(
        &self,
        what: &dyn Fn() -> String,
        (column, row): (usize, usize),
        id: LayerId,
        i_memory: MemoryId,
        outputs: &TiVec<LayerId, Option<MemoryId>>,
        left: &Left,
    ) -> (Vec<CopyAction>, [u64; 2]) {
        let (x, y) = (&self.tiling.columns[column], &self.tiling.rows[row]);
        let caches = self.caches[row][column];
        let mut copies = Vec::new();
        let seen = &self.tiling.seen[id];
        for (index, &Seen { layer: source, .. }) in seen.iter().enumerate() {
            let (taken_x, taken_y) = (&x.taken[id][index], &y.taken[id][index]);
            // Computed or fetched by this tile. The layer itself fetches a network's input from memories that it uses.
            let Some(at) = outputs[source] else { continue };
            let is_input = self.network().layer(source).is_input();
            let is_in_place = match is_input {
                true => self.core.level_of(Operand::I, at) <= self.core.level_of(Operand::I, i_memory),
                false => at == i_memory,
            };
            if !is_in_place {
                let read = pixels(&(&x.fresh[source] & taken_x), &(&y.fresh[source] & taken_y)).len();
                let stored_as = if is_input { Operand::I } else { Operand::O };
                let (from, to) = ((at, stored_as), (i_memory, Operand::I));
                copies.push(copy(CopyKind::InputFromOutput, id, self.tiling.input_bits(id, index, read), from, to));
            }
        }
        // All other pixels were left by earlier tiles: those to the left, else those above.
        let mut from_columns = Vec::new();
        let mut from_rows = Vec::new();
        for (index, &Seen { layer: source, .. }) in seen.iter().enumerate() {
            let (old_x, old_y) = (x.cached(id, index, source), y.cached(id, index, source));
            let (mut columns, mut rows) = (0, 0);
            for (at_x, at_y) in pixels(&x.taken[id][index], &y.taken[id][index]) {
                let is_fresh = x.fresh[source].contains(&at_x) && y.fresh[source].contains(&at_y);
                if old_x.contains(&at_x) {
                    columns += 1;
                } else if old_y.contains(&at_y) {
                    rows += 1;
                } else {
                    assert!(is_fresh, "{} reads column {at_x}, row {at_y} that nobody computed", what());
                    continue;
                }
                assert!(left.contains(&(source, at_x, at_y)), "{} reads {at_x}, {at_y} that nobody left", what());
            }
            from_columns.push(self.tiling.input_bits(id, index, columns));
            from_rows.push(self.tiling.input_bits(id, index, rows));
        }
        let cached = [&from_columns, &from_rows].map(|bits| bits.iter().sum());
        for (kind, cache, bits) in
            [(CopyKind::ReadHCache, caches.h_read, from_columns), (CopyKind::ReadVCache, caches.v_read, from_rows)]
        {
            let Some(memory) = cache else {
                assert!(bits.iter().all(|&bits| bits == 0), "{} reads from a cache that is not there", what());
                continue;
            };
            if memory != i_memory {
                let (from, to) = ((memory, Operand::I), (i_memory, Operand::I));
                copies.extend(bits.into_iter().map(|bits| copy(kind, id, bits, from, to)));
            }
        }
        (copies, cached)
    }

    /// Copies of an output for later tiles, pixel by pixel: pixels that go to the rows do not also go to the columns.
    fn leave(&self, (column, row): (usize, usize), id: LayerId, o_memory: MemoryId) -> Vec<CopyAction> {
        let (x, y) = (&self.tiling.columns[column], &self.tiling.rows[row]);
        let caches = self.caches[row][column];
        let [to_rows, to_columns] = [caches.v_write, caches.h_write].map(|to| to.filter(|&to| to != o_memory));
        let (mut rows, mut columns) = (0, 0);
        for (at_x, at_y) in pixels(&x.fresh[id], &y.fresh[id]) {
            let is_for_below = to_rows.is_some() && y.written(id).contains(&at_y);
            rows += usize::from(is_for_below);
            columns += usize::from(!is_for_below && x.written(id).contains(&at_x));
        }
        let write = |kind: CopyKind, to: Option<MemoryId>, count: usize| {
            let bits = self.tiling.output_bits(id, count);
            to.map(|to| copy(kind, id, bits, (o_memory, Operand::O), (to, Operand::O))).filter(|_| bits > 0)
        };
        let writes = [write(CopyKind::WriteVCache, to_rows, rows), write(CopyKind::WriteHCache, to_columns, columns)];
        writes.into_iter().flatten().collect()
    }

    fn add_layer(&self, problem: ProblemId, run: &Run, sums: &mut Sums) {
        let shape = &self.problems.list[problem].shape;
        for moved in &run.moved {
            let cause = if moved.stored_as == Operand::W { AccessCause::Weight } else { AccessCause::Activation };
            sums.words[moved.memory][cause] += moved.words;
            sums.elements[moved.memory][cause] += moved.elements;
            sums.pj[moved.memory][cause] += moved.pj;
            sums.energy[EnergyCause::Access(cause)] += moved.pj;
        }
        let iterations: u64 = shape.sizes.iter().product();
        sums.macs += if shape.kind.needs_vector_unit() { 0 } else { iterations };
        let mapped = self.mapped(problem);
        let unit = self.core.vector_unit_for(shape.kind);
        let (cause, pes) = match unit {
            Some(unit) => (EnergyCause::Vector, unit.lanes()),
            None => (EnergyCause::Mac, self.core.array.iter().map(|(_, size)| size).product()),
        };
        sums.energy[cause] += mapped.compute_pj();
        sums.latency.ideal_cycles += iterations as f64 / pes as f64 * mapped.iteration_cycles() as f64;
        sums.latency[LatencyCause::Computing] += run.cycles;
        sums.latency[LatencyCause::Stall] += run.stall;
        sums.latency[LatencyCause::Loading] += run.loading;
        sums.latency[LatencyCause::Offloading] += run.offloading;
    }

    /// Copies start together and go from memory to memory; a port serves one after the other.
    fn add_copies(&self, copies: &[CopyAction], sums: &mut Sums) {
        let mut ports: BTreeMap<(MemoryId, Option<usize>), Vec<PortUse>> = BTreeMap::new();
        for copy in copies {
            let precision = &self.network().layer(copy.layer).shape.precision;
            let is_read = matches!(copy.kind, CopyKind::InputFromOutput | CopyKind::ReadHCache | CopyKind::ReadVCache);
            let elements = copy.bits.0 / if is_read { precision.i } else { precision.o };
            let mut now = 0;
            for ends in route(self.core, copy.source, copy.destination) {
                let (mut cycles, mut answer) = (0, 0);
                for (id, operand, movement) in ends {
                    let memory = &self.core.memories[id];
                    let (width, granularity) = port(memory, operand, movement);
                    let bits = memory.burst_bits.map_or(copy.bits.0, |burst| copy.bits.0.div_ceil(burst) * burst);
                    let words = copy.bits.0.div_ceil(granularity) as f64 * (granularity as f64 / width as f64);
                    let words = words.max(bits as f64 / width as f64);
                    let pj = words * if movement.is_read() { memory.read_energy_pj } else { memory.write_energy_pj };
                    sums.words[id][AccessCause::Copy] += words;
                    sums.elements[id][AccessCause::Copy] += elements as f64;
                    sums.pj[id][AccessCause::Copy] += pj;
                    sums.energy[EnergyCause::Access(AccessCause::Copy)] += pj;
                    cycles = cycles.max(bits.div_ceil(width));
                    answer += if movement.is_read() { memory.latency_cycles - 1 } else { 0 };
                }
                for (id, operand, movement) in ends {
                    let ports_of = &self.core.memories[id].ports;
                    let port = ports_of.iter().position(|port| port.serves.contains(&(operand, movement)));
                    let start = if movement.is_read() { now } else { now + answer };
                    ports.entry((id, port)).or_default().push((start, cycles));
                }
                now += answer + cycles;
            }
        }
        let done = |uses: &Vec<PortUse>| {
            let first = uses.iter().map(|&(start, _)| start).min().unwrap();
            let in_turn = first + uses.iter().map(|&(_, cycles)| cycles).sum::<u64>();
            uses.iter().map(|&(start, cycles)| start + cycles).fold(in_turn, u64::max)
        };
        sums.latency[LatencyCause::Copy] += ports.values().map(done).max().unwrap_or(0);
    }
}

fn copy(
    kind: CopyKind,
    layer: LayerId,
    bits: u64,
    source: (MemoryId, Operand),
    destination: (MemoryId, Operand),
) -> CopyAction {
    CopyAction { kind, layer, bits: Bits(bits), source, destination }
}

/// The hops of a copy: up to the lowest memory above both ends that both operands share, and down from there.
fn route(
    core: &Core,
    (from, from_as): (MemoryId, Operand),
    (to, to_as): (MemoryId, Operand),
) -> Vec<[(MemoryId, Operand, Movement); 2]> {
    let between = |operand: Operand, low: MemoryId, high: MemoryId| {
        let levels = core.levels(operand);
        let [low, high] = [low, high].map(|memory| levels.iter().position(|&id| id == memory));
        low.zip(high).filter(|(low, high)| low <= high).map(|(low, high)| levels[low..=high].to_vec())
    };
    let ways = core.memories.keys().find_map(|turn| between(from_as, from, turn).zip(between(to_as, to, turn)));
    let (up, mut down) = ways.unwrap();
    down.reverse();
    let hops_up = up
        .windows(2)
        .map(|pair| [(pair[0], from_as, Movement::ReadToHigh), (pair[1], from_as, Movement::WriteFromLow)]);
    let hops_down =
        down.windows(2).map(|pair| [(pair[0], to_as, Movement::ReadToLow), (pair[1], to_as, Movement::WriteFromHigh)]);
    hops_up.chain(hops_down).collect()
}

fn compare(what: &dyn Fn() -> String, core: &Core, sums: &Sums, account: &PointAccount) {
    for (id, memory) in core.memories.iter_enumerated() {
        let found = &account.memories[id];
        let name = &memory.name;
        assert_eq!(found.elements, sums.elements[id], "elements of {name}: {}", what());
        assert_eq!(found.words, sums.words[id], "words of {name}: {}", what());
        assert_eq!(found.energy_pj, sums.pj[id], "energy of {name}: {}", what());
    }
    assert_eq!(account.energy, sums.energy, "{}", what());
    assert_eq!(account.energy_pj, sums.energy.total_pj(), "{}", what());
    assert_eq!(account.latency, sums.latency, "{}", what());
    assert_eq!(account.latency_cycles, sums.latency.total_cycles(), "{}", what());
    assert_eq!(account.macs, sums.macs, "{}", what());
    let stack = &account.stacks[0];
    assert_eq!((stack.energy_pj, stack.latency_cycles), (account.energy_pj, account.latency_cycles), "{}", what());
}

/// The plan and account of a stack, compared with what its tiles do; `None` where it does not fit.
fn compare_run(
    random: &mut Lcg,
    &RandomStack { core, network, tiling, tile, text }: &RandomStack<'_>,
) -> Option<(PointPlan, PointAccount, Cached)> {
    let what = || text.to_owned();
    let is_even = |id: LayerId| {
        let layer = network.layer(id);
        unrolled_evenly(&layer.shape, &layer.unroll_on(core, &PLACED_ALONE)).is_some()
    };
    assert!(network.computing().all(is_even), "{text}");
    let mut planner = Planner::new(core, network, PLACED_ALONE, LIMITS, Strategy::Loma);
    let strategy = DepthFirstStrategy { tile, mode: tiling.mode, fuse: FuseDepth::Cuts(Vec::new()) };
    let plan = planner.plan(&strategy).ok()?;
    let problems = &planner.memory.problems;
    let objective = random.of(&[0, 1]);
    let objective = [Objective::Energy, Objective::Latency][objective].clone();
    let solve = |problem: &LayerProblem| {
        let layer = LayerOnCore::new(core, PLACED_ALONE, problem);
        find_best(&layer, &objective, &LIMITS, Strategy::Loma).best.unwrap()
    };
    let solutions: TiVec<ProblemId, Solution> = problems.list.iter().map(solve).collect();
    let (caches, weights) = tiling.caches(core);
    let stack = Stack { core, tiling, problems, solutions: &solutions, caches, weights };
    let sums = stack.run(&what, &plan);
    let mut assembler = Assembler::new(core, network, PLACED_ALONE, problems);
    let account = assembler.assemble(&plan, &|problem| solutions.get(problem)).unwrap();
    compare(&what, core, &sums, &account);
    Some((plan, account, sums.cached))
}

/// Each kind of copy and each mode occurs.
#[test]
fn stacks_move_and_cost_what_their_tiles_do_pixel_by_pixel() {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut planned, mut impossible) = (0, 0);
    let cases = oracle_cases(80);
    random_stacks(41, |random, stack| {
        let RandomStack { core, network, tiling, text, .. } = *stack;
        let Some((plan, account, all_cached)) = compare_run(random, stack) else {
            impossible += 1;
            return false;
        };
        planned += 1;
        let tiles: BTreeMap<(usize, usize), &TilePlan> = tiling.tiles(&plan.stacks[0]).into_iter().collect();
        for (place, id, cached) in &all_cached {
            let types = plan.stacks[0].types.iter().zip(&account.stacks[0].tile_types);
            let (_, tile) = types.into_iter().find(|(planned, _)| std::ptr::eq(*planned, tiles[place])).unwrap();
            let name = &network.layer(*id).name;
            let found = tile.layers.iter().find(|layer| layer.layer == *name).unwrap().bits;
            assert_eq!([found.h_cached, found.v_cached], *cached, "{name} in tile {place:?} of {text}");
        }
        for tile in &plan.stacks[0].types {
            let is_on_lanes = |id: LayerId| core.vector_unit_for(network.layer(id).shape.kind).is_some();
            *kinds.entry("lanes").or_default() += usize::from(network.computing().any(is_on_lanes));
            *kinds.entry("views").or_default() += usize::from(network.ids().any(|id| network.layer(id).view.is_some()));
            tile.copies.iter().for_each(|copy| *kinds.entry(copy.kind.name()).or_default() += 1);
            for layer in &tile.layers {
                *kinds.entry("extra levels").or_default() += usize::from(layer.extra_levels != (0, 0));
                *kinds.entry("weights again").or_default() += usize::from(layer.weights_fetched_again);
                *kinds.entry("narrowed").or_default() += usize::from(layer.narrowed);
            }
        }
        planned >= cases
    });
    // Rare kinds do not occur in a sample.
    kinds.retain(|kind, _| !["weights again", "narrowed"].contains(kind));
    let happen = kinds.len() == 9 && kinds.values().all(|&count| count > 0);
    assert!(happen, "{kinds:?} in {planned} stacks, {impossible} do not fit");
}

/// Products on arrays that unroll columns and rows of maps, in tiles that fill it and tiles that do not.
#[test]
fn stacks_of_products_with_rows_on_both_sides_of_an_array_cost_what_their_tiles_do() {
    let mut random = Lcg(47);
    let (mut left, mut narrow) = (oracle_cases(20), 0);
    while left > 0 {
        let rows = 4 * (1 + random.below(5));
        let parts = random.of(&[2, 4, 8, 12]);
        let is_column = random.below(2) > 0;
        let (size, tile) = if is_column { ((1, rows), (1, parts)) } else { ((rows, 1), (parts, 1)) };
        let channels = || [2, 4, 6];
        let network_text = format!(
            "name: products\nprecision: {{ W: 4, I: 8, O_partial: 16, O: 8 }}\nlayers:\n  \
             - {{ name: l0, type: input, K: {}, size: {} x {} }}\n  - {{ name: l1, type: pointwise, K: {} }}\n  \
             - {{ name: l2, type: conv, kernel: 1 x 1, K: {} }}\n  - {{ name: l3, type: pointwise, K: {} }}\n",
            random.of(&channels()),
            size.0,
            size.1,
            random.of(&channels()),
            random.of(&channels()),
            random.of(&channels()),
        );
        let network = Network::from_text(&network_text).unwrap();
        let tiling = Tiling::new(&network, tile, random.of(&StoringMode::ALL));
        let sides = random.of(&["D1: OX, D2: OY", "D1: OY, D2: OX"]);
        let core_text = random_core(&mut random, &tiling).replace("D1: K, D2: C", sides);
        let core = Core::from_text(&core_text).unwrap_or_else(|wrong| panic!("{wrong}\n{core_text}"));
        let text = format!("{tile:?}, {}\n{network_text}\n{core_text}", tiling.mode);
        let stack = RandomStack { core: &core, network: &network, tiling: &tiling, tile, text: &text };
        if compare_run(&mut random, &stack).is_some() {
            left -= 1;
            narrow += usize::from(parts == 2);
        }
    }
    assert!(narrow > 0, "no tile is narrower than the array");
}

#[test]
fn by_the_rule_of_the_tool_a_branch_that_reads_a_part_copies_the_whole() {
    let mut random = Lcg(43);
    let differs = (0..300).any(|_| {
        let (network, _) = random_network(&mut random);
        let tiling = Tiling::new(&network, (3, 3), StoringMode::FullyRecompute);
        let core = Core::from_text(&random_core(&mut random, &tiling)).unwrap();
        let copied = |rules: Rules| {
            let mut planner = Planner::new(&core, &network, rules, LIMITS, Strategy::Loma);
            let (tile, fuse) = ((3, 3), FuseDepth::Cuts(Vec::new()));
            let plan = planner.plan(&DepthFirstStrategy { tile, mode: StoringMode::FullyRecompute, fuse }).ok()?;
            let copies = plan.stacks[0].types.iter().flat_map(|tile| &tile.copies);
            let is_moved = |copy: &&CopyAction| copy.kind == CopyKind::InputFromOutput;
            Some(copies.filter(is_moved).map(|copy| copy.bits.0).sum::<u64>())
        };
        let whole = Rules { whole_outputs_copied: true, ..PLACED_ALONE };
        copied(whole).zip(copied(PLACED_ALONE)).is_some_and(|(whole, part)| whole > part)
    });
    assert!(differs);
}
