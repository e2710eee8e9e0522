//! Schedules run: tile after tile, layer after layer, copy after copy, every memory is filled and emptied, and never
//! holds more than fits.
//!
//! Only the decisions of the schedule are used: the memories of all data, the mappings that fill them, and the copies.
//! The data that a tile computes, reads and leaves, and so the copies that are needed and the places of the data after
//! them, follow from sets of elements.

use super::placement_by_elements::{ElementStrip, Set, Tiling};
use super::random_stacks::{LIMITS, RandomStack, random_stacks};
use super::view_by_elements::Seen;
use fusescape_engine::depth_first::{
    Assembler, Caches, CopyAction, CopyKind, DepthFirstStrategy, FuseDepth, LayerTileAccount, LayerTilePlan, Planner,
    ProblemId, Skipping, StackAccount, StackPlan, StoringMode, TilePlan,
};
use fusescape_engine::explore::{
    CostStore, FusionResult, Request, Settings, StackLimits, StackProblem, StackRun, Sweep, compare_fusions, solve_all,
};
use fusescape_engine::hardware::{Core, MemoryId, Operand};
use fusescape_engine::ids::TiVec;
use fusescape_engine::mapping::{LayerOnCore, LayerProblem};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Objective, Solution, Strategy, find_best};
use fusescape_engine::units::Bits;
use fusescape_engine::workload::{Dim, LayerId, LayerKind, Network};
use fusescape_spec::{find_preset, hardware_presets, workload_presets};
use fusescape_test_support::random::oracle_cases;
use fusescape_test_support::sample::{pairs, sample_or_all};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Columns and rows: from the first to before the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rectangle {
    x: (u64, u64),
    y: (u64, u64),
}

impl Rectangle {
    fn of(x: &Set, y: &Set) -> Option<Self> {
        let range = |set: &Set| Some((*set.first()?, *set.last()? + 1));
        Some(Self { x: range(x)?, y: range(y)? })
    }

    fn area(self) -> u64 {
        (self.x.1 - self.x.0) * (self.y.1 - self.y.0)
    }

    fn and(self, other: Self) -> Option<Self> {
        let both = |a: (u64, u64), b: (u64, u64)| (a.0.max(b.0), a.1.min(b.1));
        let both = Self { x: both(self.x, other.x), y: both(self.y, other.y) };
        (both.x.0 < both.x.1 && both.y.0 < both.y.1).then_some(both)
    }

    /// The part outside another one: above, below, and to both sides.
    fn without(self, other: Self) -> Vec<Self> {
        let Some(both) = self.and(other) else { return vec![self] };
        let parts = [
            Self { y: (self.y.0, both.y.0), ..self },
            Self { y: (both.y.1, self.y.1), ..self },
            Self { x: (self.x.0, both.x.0), y: both.y },
            Self { x: (both.x.1, self.x.1), y: both.y },
        ];
        parts.into_iter().filter(|part| part.x.0 < part.x.1 && part.y.0 < part.y.1).collect()
    }
}

/// Pixels of a map, as rectangles that do not overlap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Region(Vec<Rectangle>);

impl Region {
    fn of(rectangles: impl IntoIterator<Item = Rectangle>) -> Self {
        let mut region = Self::default();
        rectangles.into_iter().for_each(|rectangle| region.add(rectangle));
        region
    }

    fn add(&mut self, rectangle: Rectangle) {
        let mut new = vec![rectangle];
        for old in &self.0 {
            new = new.into_iter().flat_map(|part| part.without(*old)).collect();
        }
        self.0.extend(new);
    }

    fn area(&self) -> u64 {
        self.0.iter().map(|part| part.area()).sum()
    }

    fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().flat_map(|a| other.0.iter().filter_map(|b| a.and(*b))).collect())
    }

    fn without(&self, other: &Self) -> Self {
        let mut left = self.0.clone();
        for part in &other.0 {
            left = left.into_iter().flat_map(|rectangle| rectangle.without(*part)).collect();
        }
        Self(left)
    }

    fn contains(&self, rectangle: Rectangle) -> bool {
        self.0.iter().filter_map(|part| part.and(rectangle)).map(Rectangle::area).sum::<u64>() == rectangle.area()
    }
}

/// The window of one map that a layer-tile reads, by the source of its pixels.
struct Window {
    source: LayerId,
    index: usize,
    all: Rectangle,
    /// Computed or fetched by this tile.
    fresh: Option<Rectangle>,
    /// From earlier tiles to the left.
    columns: Option<Rectangle>,
    /// From earlier tiles above, in any column.
    rows: Option<Rectangle>,
}

/// The part that a tile leaves in a cache for others.
struct Left {
    copy: CopyAction,
    part: Rectangle,
}

impl Left {
    fn arrive(&self, state: &mut State) {
        state.maps.entry((self.copy.destination.0, self.copy.layer)).or_default().add(self.part);
    }
}

/// A stack that is run.
pub struct Replay<'a> {
    pub core: &'a Core,
    pub tiling: &'a Tiling<'a>,
    pub plan: &'a StackPlan,
    pub account: &'a StackAccount,
}

/// The data in a memory.
struct State {
    /// Pixels of maps.
    maps: BTreeMap<(MemoryId, LayerId), Region>,
    /// Layers whose weights were fetched to the place where they stay.
    fetched: BTreeSet<LayerId>,
}

impl Replay<'_> {
    /// Runs all tiles.
    ///
    /// # Errors
    /// Data in a memory that has no room for it, data that is read where it is not held, and copies that are missing or
    /// too many.
    pub fn run(&self) -> Result<(), String> {
        let mut state = State { maps: BTreeMap::new(), fetched: BTreeSet::new() };
        for (place, tile) in self.tiling.tiles(self.plan) {
            let at = self.plan.types.iter().position(|one| std::ptr::eq(one, tile)).unwrap();
            let account = self.account.tile_types.iter().nth(at).unwrap();
            let step = Step { replay: self, place, tile, layers: account.layers.iter().collect() };
            step.run(&mut state).map_err(|wrong| format!("tile {place:?}: {wrong}"))?;
        }
        Ok(())
    }

    fn name(&self, id: LayerId) -> &str {
        &self.tiling.network.layer(id).name
    }

    /// Bits of the weights of a layer in one instance of the memory that keeps them, by the layer's mapping.
    fn kept_bits(&self, id: LayerId) -> u64 {
        let Some(memory) = self.plan.weight_memory else { return 0 };
        let weights = self.tiling.network.layer(id).shape.weight_bits();
        if self.core.memories[memory].instances == 1 {
            return weights;
        }
        let tiles = self.plan.types.iter().zip(&self.account.tile_types);
        let layers = tiles.flat_map(|(plan, account)| plan.layers.iter().zip(&account.layers));
        let mut those = layers.filter(|(plan, _)| plan.layer == id && plan.top[Operand::W as usize] == Some(memory));
        let held = those.find_map(|(_, account)| {
            let held =
                account.cost.as_ref()?.held.iter().find(|held| held.memory == memory && held.stored_as == Operand::W);
            Some(held?.bits as u64)
        });
        held.unwrap_or(0)
    }

    /// Pixels of a map that stay in a memory once its last reader in a tile has run.
    fn stays(&self, (column, row): (usize, usize), caches: Caches, memory: MemoryId, id: LayerId) -> Region {
        let (x, y) = (&self.tiling.columns[column], &self.tiling.rows[row]);
        let mut stays = Vec::new();
        let right = &x.known[id] & &x.read_later[id];
        if caches.h_write == Some(memory) {
            stays.extend(Rectangle::of(&right, &y.fresh[id]));
        }
        if caches.v_read.or(caches.v_write) == Some(memory) {
            let rows = &y.known[id] & &y.read_later[id];
            if caches.v_write.is_some() {
                stays.extend(Rectangle::of(&x.known[id], &rows));
            }
            // Columns of later tiles.
            let all: Set = self.tiling.columns.iter().flat_map(|strip| strip.fresh[id].clone()).collect();
            let before = row.checked_sub(1).map(|above| &self.tiling.rows[above]);
            let old = before.map_or_else(Set::new, |above| &above.known[id] & &above.read_later[id]);
            stays.extend(Rectangle::of(&(&all - &x.known[id]), &old));
            // The part of the rows from above that tiles to the right read.
            let readers = self.tiling.layers().flat_map(|by| self.tiling.seen[by].iter().zip(&y.taken[by]));
            let taken: Set = readers.filter(|(seen, _)| seen.layer == id).flat_map(|(_, rows)| rows.clone()).collect();
            stays.extend(Rectangle::of(&right, &(&taken & &old)));
        }
        Region::of(stays)
    }
}

/// A tile that is run.
struct Step<'a> {
    replay: &'a Replay<'a>,
    place: (usize, usize),
    tile: &'a TilePlan,
    layers: Vec<&'a LayerTileAccount>,
}

impl Step<'_> {
    fn strips(&self) -> (&ElementStrip, &ElementStrip) {
        (&self.replay.tiling.columns[self.place.0], &self.replay.tiling.rows[self.place.1])
    }

    fn fresh(&self, id: LayerId) -> Option<Rectangle> {
        let (x, y) = self.strips();
        Rectangle::of(&x.fresh[id], &y.fresh[id])
    }

    fn map_bits(&self, id: LayerId, pixels: u64) -> u64 {
        self.replay.tiling.output_bits(id, pixels as usize)
    }

    fn windows(&self, id: LayerId) -> Vec<Window> {
        let (x, y) = self.strips();
        let caches = self.tile.caches;
        let of = |(index, &Seen { layer: source, .. }): (usize, &Seen)| {
            let (columns, rows) = (&x.taken[id][index], &y.taken[id][index]);
            let old_x = if caches.h_read.is_some() { x.cached(id, index, source) } else { Set::new() };
            let old_y = if caches.v_read.is_some() { y.cached(id, index, source) } else { Set::new() };
            Some(Window {
                source,
                index,
                all: Rectangle::of(columns, rows)?,
                fresh: Rectangle::of(&(columns - &old_x), &(rows - &old_y)),
                columns: Rectangle::of(&old_x, &(rows - &old_y)),
                rows: Rectangle::of(columns, &old_y),
            })
        };
        self.replay.tiling.seen[id].iter().enumerate().filter_map(of).collect()
    }

    fn run(&self, state: &mut State) -> Result<(), String> {
        let mut lies: BTreeMap<LayerId, MemoryId> = BTreeMap::new();
        let mut writes: Vec<Left> = Vec::new();
        for (planned, account) in self.tile.layers.iter().zip(&self.layers) {
            let id = planned.layer;
            let what = |wrong: String| format!("{}: {wrong}", self.replay.name(id));
            let mut copies = Vec::new();
            for left in std::mem::take(&mut writes) {
                left.arrive(state);
                copies.push(left.copy);
            }
            if planned.is_input {
                copies.extend(self.fetch(state, planned, &mut lies, &mut writes));
            } else if self.fresh(id).is_some() {
                let inputs = planned.top[Operand::I as usize].unwrap();
                let windows = self.windows(id);
                for window in &windows {
                    copies.extend(self.collect(state, id, window, inputs, &lies).map_err(what)?);
                }
                check_copies(self.tile.copies_before(planned), &copies).map_err(what)?;
                self.check(state, id, Some((inputs, &windows)), None)
                    .map_err(|wrong| what(format!("copying: {wrong}")))?;
                self.compute(state, planned, account, (inputs, &windows), &mut lies).map_err(what)?;
                writes = self.left(id, (lies[&id], Operand::O));
                continue;
            }
            check_copies(self.tile.copies_before(planned), &copies).map_err(what)?;
            self.check(state, id, None, None).map_err(what)?;
        }
        self.trim(state, |_| false);
        if writes.is_empty() { Ok(()) } else { Err("the last output is read by nobody".to_owned()) }
    }

    /// An input of the stack: the part that is fetched, and the part left in caches on the way or after it.
    fn fetch(
        &self,
        state: &mut State,
        planned: &LayerTilePlan,
        lies: &mut BTreeMap<LayerId, MemoryId>,
        writes: &mut Vec<Left>,
    ) -> Option<CopyAction> {
        let (core, id) = (self.replay.core, planned.layer);
        let memory = planned.top[Operand::O as usize].unwrap();
        let fresh = self.fresh(id)?;
        lies.insert(id, memory);
        let level = |memory: MemoryId| core.level_of(Operand::I, memory);
        let held = state.maps.entry((memory, id)).or_default();
        held.add(fresh);
        for left in self.left(id, (memory, Operand::I)) {
            if level(left.copy.destination.0) < level(memory) {
                writes.push(left);
            } else {
                left.arrive(state);
            }
        }
        let (source, destination) = ((core.top(Operand::I), Operand::I), (memory, Operand::I));
        let bits = Bits(self.map_bits(id, fresh.area()));
        Some(CopyAction { kind: CopyKind::StackInput, layer: id, bits, source, destination })
    }

    /// The part of a map that is left for other tiles, where the map is in one memory and the cache in another.
    fn left(&self, id: LayerId, source: (MemoryId, Operand)) -> Vec<Left> {
        let (x, y) = self.strips();
        let Caches { h_write, v_write, .. } = self.tile.caches;
        let rows = if h_write == v_write { &y.fresh[id] - &y.written(id) } else { y.fresh[id].clone() };
        let parts = [
            (CopyKind::WriteVCache, v_write, Rectangle::of(&x.fresh[id], &y.written(id))),
            (CopyKind::WriteHCache, h_write, Rectangle::of(&x.written(id), &rows)),
        ];
        let copy = |(kind, to, part): (CopyKind, Option<MemoryId>, Option<Rectangle>)| {
            let to = to.filter(|&to| to != source.0)?;
            let part = part?;
            let bits = Bits(self.map_bits(id, part.area()));
            Some(Left { copy: CopyAction { kind, layer: id, bits, source, destination: (to, source.1) }, part })
        };
        parts.into_iter().filter_map(copy).collect()
    }

    /// The copies of a window to the memory from which the layer takes its inputs; all of it is in some memory.
    fn collect(
        &self,
        state: &State,
        id: LayerId,
        window: &Window,
        inputs: MemoryId,
        lies: &BTreeMap<LayerId, MemoryId>,
    ) -> Result<Vec<CopyAction>, String> {
        let caches = self.tile.caches;
        let source = window.source;
        let stored_as = if self.replay.tiling.is_input(source) { Operand::I } else { Operand::O };
        let parts = [
            (CopyKind::InputFromOutput, lies.get(&source).copied(), stored_as, window.fresh),
            (CopyKind::ReadHCache, caches.h_read, Operand::I, window.columns),
            (CopyKind::ReadVCache, caches.v_read, Operand::I, window.rows),
        ];
        let mut copies = Vec::new();
        for (kind, memory, stored_as, part) in parts {
            let Some(part) = part else { continue };
            let name = self.replay.name(source);
            let memory = memory.ok_or_else(|| format!("{part:?} of {name} is nowhere"))?;
            if !state.maps.get(&(memory, source)).is_some_and(|held| held.contains(part)) {
                return Err(format!("{part:?} of {name} is not in {}", self.replay.core.memories[memory].name));
            }
            if memory != inputs {
                let bits = Bits(self.replay.tiling.input_bits(id, window.index, part.area() as usize));
                copies.push(CopyAction {
                    kind,
                    layer: id,
                    bits,
                    source: (memory, stored_as),
                    destination: (inputs, Operand::I),
                });
            }
        }
        Ok(copies)
    }

    /// Runs a layer: copies that came from other memories are freed there unless they are read again; then its output
    /// is written.
    fn compute(
        &self,
        state: &mut State,
        planned: &LayerTilePlan,
        account: &LayerTileAccount,
        (inputs, windows): (MemoryId, &[Window]),
        lies: &mut BTreeMap<LayerId, MemoryId>,
    ) -> Result<(), String> {
        let id = planned.layer;
        let [weights, _, output] = planned.top;
        if let Some(memory) = weights {
            let kept = self.replay.plan.weight_memory;
            let core = self.replay.core;
            let comes_from_top = memory == core.top(Operand::W);
            if Some(memory) == kept && !comes_from_top && !state.fetched.contains(&id) {
                return Err(format!("W is taken from {}, where nobody brought it", core.memories[memory].name));
            }
            if comes_from_top {
                state.fetched.insert(id);
            }
        }
        // For maps without other readers only the windows count.
        self.trim(state, |by| by > id);
        let output = output.unwrap();
        lies.insert(id, output);
        let fresh = self.fresh(id);
        let held = state.maps.entry((output, id)).or_default();
        fresh.into_iter().for_each(|fresh| held.add(fresh));
        self.check(state, id, Some((inputs, windows)), Some((planned, account)))
            .map_err(|wrong| format!("running: {wrong}"))?;
        self.check(state, id, None, None).map_err(|wrong| format!("after it ran: {wrong}"))
    }

    /// Of all maps only the parts that are still read stay: by other tiles, or by layers of this one that count.
    fn trim(&self, state: &mut State, counts: impl Fn(LayerId) -> bool) {
        let readers = self.replay.tiling.layers().filter(|&by| counts(by));
        let windows: Vec<Window> = readers.flat_map(|by| self.windows(by)).collect();
        for ((memory, map), held) in &mut state.maps {
            let mut stays = self.replay.stays(self.place, self.tile.caches, *memory, *map);
            windows.iter().filter(|window| window.source == *map).for_each(|window| stays.add(window.all));
            let there = held.and(&stays);
            // As few rectangles as possible.
            *held = if there.area() == stays.area() { stays } else { there };
        }
    }

    /// Whether the data fits in every memory but DRAM: maps, windows of a layer, kept weights, and the data of its
    /// mapping.
    fn check(
        &self,
        state: &State,
        id: LayerId,
        reading: Option<(MemoryId, &[Window])>,
        running: Option<(&LayerTilePlan, &LayerTileAccount)>,
    ) -> Result<(), String> {
        let replay = self.replay;
        let top = replay.core.top(Operand::O);
        for (memory, description) in replay.core.memories.iter_enumerated().filter(|(memory, _)| *memory != top) {
            let mut parts: Vec<(String, u64)> = Vec::new();
            for ((_, map), held) in
                state.maps.range((memory, LayerId::default())..).take_while(|((at, _), _)| *at == memory)
            {
                parts.push((replay.name(*map).to_owned(), self.map_bits(*map, held.area())));
            }
            if let Some((_, windows)) = reading.filter(|(inputs, _)| *inputs == memory) {
                for window in windows {
                    let all = Region(vec![window.all]);
                    let there = state.maps.get(&(memory, window.source)).cloned().unwrap_or_default();
                    let pixels = all.without(&there).area();
                    let bits = replay.tiling.input_bits(id, window.index, pixels as usize);
                    parts.push((format!("window of {}", replay.name(window.source)), bits));
                }
            }
            if replay.plan.weight_memory == Some(memory) && memory != replay.core.top(Operand::W) {
                let kept = replay.tiling.layers().filter(|&layer| layer == id || state.fetched.contains(&layer));
                parts.push(("weights".to_owned(), kept.map(|layer| replay.kept_bits(layer)).sum()));
            }
            if let Some((planned, account)) = running {
                parts.extend(self.mapped(planned, account, memory));
            }
            let all: u64 = parts.iter().map(|(_, bits)| bits).sum();
            if all > description.size_bits {
                parts.retain(|(_, bits)| *bits > 0);
                return Err(format!("{} holds {all} of {} bit: {parts:?}", description.name, description.size_bits));
            }
        }
        Ok(())
    }

    /// The data of each operand by a mapping in one instance of a memory, in addition to data that is there in any
    /// case.
    fn mapped(&self, planned: &LayerTilePlan, account: &LayerTileAccount, memory: MemoryId) -> Vec<(String, u64)> {
        let cost = account.cost.as_ref().unwrap();
        let kind = self.replay.tiling.network.layer(planned.layer).shape.kind;
        let held = cost.held.iter().filter(|held| held.memory == memory);
        let beside = held.map(|held| {
            let is_top = planned.top[held.stored_as as usize] == Some(memory);
            let bits = held.bits.ceil() as u64;
            let is_there = match held.stored_as {
                Operand::I if is_top => bits,
                // Partial sums are wider than the output.
                Operand::O if is_top => planned.bits.1,
                Operand::W if self.replay.plan.weight_memory == Some(memory) && kind != LayerKind::Add => bits,
                _ => 0,
            };
            (format!("{} of the mapping", held.operand), bits.saturating_sub(is_there))
        });
        beside.collect()
    }
}

/// Planned copies and needed copies, in any order.
fn check_copies(planned: &[CopyAction], needed: &[CopyAction]) -> Result<(), String> {
    let sorted = |copies: &[CopyAction]| {
        let of = |copy: &CopyAction| (copy.kind.name(), copy.layer, copy.bits.0, copy.source, copy.destination);
        let mut sorted: Vec<_> = copies.iter().filter(|copy| copy.bits.0 > 0).map(of).collect();
        sorted.sort();
        sorted
    };
    let (planned, needed) = (sorted(planned), sorted(needed));
    if planned == needed { Ok(()) } else { Err(format!("copies {planned:?} are planned, {needed:?} are needed")) }
}

/// A network that is one stack, planned on a core and run.
fn replayed(stack: &RandomStack<'_>, rules: Rules, skipping: Skipping) -> Option<Result<(), String>> {
    let &RandomStack { core, network, tiling, tile, .. } = stack;
    let mut planner = Planner::new(core, network, rules, LIMITS, Strategy::Loma).skipping(skipping);
    let plan = planner.plan(&DepthFirstStrategy { tile, mode: tiling.mode, fuse: FuseDepth::Cuts(Vec::new()) }).ok()?;
    let problems = &planner.memory.problems;
    let solve = |problem: &LayerProblem| {
        let layer = LayerOnCore::new(core, rules, problem);
        find_best(&layer, &Objective::Energy, &LIMITS, Strategy::Loma).best
    };
    let solutions: TiVec<ProblemId, Solution> = problems.list.iter().map(solve).collect::<Option<_>>()?;
    let account = Assembler::new(core, network, rules, problems).assemble(&plan, &|problem| solutions.get(problem))?;
    Some(Replay { core, tiling, plan: &plan.stacks[0], account: &account.stacks[0] }.run())
}

#[test]
fn no_memory_holds_more_than_it_has_and_all_that_is_read_is_there() {
    let mut left = oracle_cases(150);
    random_stacks(44, |_, stack| {
        for skipping in [Skipping::AllLevels, Skipping::HighestLevel] {
            if let Some(run) = replayed(stack, Rules::CORRECTED, skipping) {
                run.unwrap_or_else(|wrong| panic!("{wrong}\n{skipping:?}, {}", stack.text));
                left = left.saturating_sub(1);
            }
        }
        left == 0
    });
}

/// A preset's network on a preset of hardware.
fn preset_sweep(hardware: &str, workload: &str, settings: Settings) -> Sweep {
    let text = |presets, id| find_preset(presets, id).unwrap().text.to_owned();
    let (hardware, workload) = (text(hardware_presets(), hardware), text(workload_presets(), workload));
    Sweep::new(&Request { hardware, workload, settings }).unwrap()
}

/// Runs the stacks of all points that count; returns their number.
pub fn run_all(sweep: &Sweep, counts: impl Fn(&StackPlan) -> bool) -> Result<usize, String> {
    let plan = sweep.plan();
    let solutions = solve_all(sweep, &plan, |_| {});
    let mut assembler = sweep.assembler(&plan);
    let mut ran = 0;
    for point in plan.points.iter().flatten() {
        let account = assembler.assemble(point, &|problem| solutions[problem].as_ref()).unwrap();
        for (stack, account) in point.stacks.iter().zip(&account.stacks).filter(|(stack, _)| counts(stack)) {
            let whole = point.strategy.fuse == FuseDepth::LayerByLayer;
            let tile = if whole { (u64::MAX, u64::MAX) } else { point.strategy.tile };
            let computes = |id: LayerId| stack.stack.layers().contains(&id);
            let tiling = Tiling::of_stack(&sweep.network, &computes, tile, point.strategy.mode);
            let replay = Replay { core: &sweep.core, tiling: &tiling, plan: stack, account };
            let what = || format!("{:?} of {} on {}", point.strategy, sweep.network.name, sweep.core.name);
            replay.run().map_err(|wrong| format!("{wrong}\n{}", what()))?;
            ran += 1;
        }
    }
    Ok(ran)
}

/// Mistakes of the published placement, one at a time: data that does not fit is found in a memory, data that is not
/// moved is found where it is read.
#[test]
fn every_defect_of_the_published_placement_is_found() {
    let mut left = vec![
        ("other_maps_take_no_room", " holds "),
        ("mappings_have_whole_memories", " holds "),
        ("caches_replaced_at_once", " holds "),
        ("input_caches_written_free", "are needed"),
        ("corners_read_from_columns", "are needed"),
        ("lower_stack_inputs_read_in_place", "are needed"),
        ("far_columns_left_behind", "is not in"),
    ];
    let mut tried = 0;
    random_stacks(45, |_, stack| {
        left.retain(|&(name, kind)| {
            let skipping = if name.starts_with("input_caches") { Skipping::HighestLevel } else { Skipping::AllLevels };
            let rules = Rules::CORRECTED.with(name, true).unwrap();
            let found = replayed(stack, rules, skipping).and_then(Result::err);
            assert!(found.as_ref().is_none_or(|wrong| wrong.contains(kind)), "{name}: {found:?}\n{}", stack.text);
            found.is_none()
        });
        tried += 1;
        assert!(tried < 3000, "{left:?} are not found in {tried} stacks");
        left.is_empty()
    });
}

/// Mistakes that do not show in any network of one stack with one input, or in any chain.
#[test]
fn defects_of_the_published_placement_are_found_in_presets_and_views() {
    let at = |tile: (u64, u64), mode, name: &str| Settings {
        tiles_x: vec![tile.0],
        tiles_y: vec![tile.1],
        modes: vec![mode],
        fuse: vec![FuseDepth::Automatic],
        rules: Rules::CORRECTED.with(name, true).unwrap(),
        ..Settings::default()
    };
    for (name, hardware, workload, tile) in [
        ("stack_inputs_placed_alone", "meta-proto-like-df", "resnet18", (14, 14)),
        ("kept_weights_counted_together", "tpu-like-df", "fsrcnn", (240, 540)),
    ] {
        let mut settings = at(tile, StoringMode::FullyCached, name);
        if name == "kept_weights_counted_together" {
            // Else mappings free room.
            settings.rules.mappings_have_whole_memories = true;
        }
        let wrong = run_all(&preset_sweep(hardware, workload, settings), |_| true).unwrap_err();
        assert!(wrong.contains(" holds "), "{name}: {wrong}");
        let settings = at(tile, StoringMode::FullyCached, "latency_without_offloading");
        run_all(&preset_sweep(hardware, workload, settings), |_| true).unwrap();
    }
    // The first tile does not read `lower`.
    let text = "name: joined
layers:
  - { name: in, type: input, K: 4, size: 8 x 8 }
  - { name: upper, type: conv, K: 4, kernel: 3 x 3, padding: same, from: in }
  - { name: lower, type: conv, K: 4, kernel: 3 x 3, padding: same, from: in }
  - { name: both, type: view, from: [upper, lower], join: rows }
  - { name: out, type: conv, K: 4, kernel: 1 x 1, from: both }
";
    let network = Network::from_text(text).unwrap();
    let core = Core::from_text(find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text).unwrap();
    let tiling = Tiling::new(&network, (8, 4), StoringMode::FullyCached);
    let stack = RandomStack { core: &core, network: &network, tiling: &tiling, tile: (8, 4), text };
    let run = |rules: Rules| replayed(&stack, rules, Skipping::AllLevels).unwrap();
    run(Rules::CORRECTED).unwrap();
    let wrong = run(Rules { only_first_tile_fetches_weights: true, ..Rules::CORRECTED }).unwrap_err();
    assert!(wrong.contains("where nobody brought it"), "{wrong}");
}

/// Every preset of hardware with every network, tile sizes and modes: all stacks of the point.
#[test]
fn presets_fit_their_memories_at_every_moment() {
    let networks: Vec<&str> = workload_presets().iter().map(|preset| preset.id).collect();
    let ran = pairs(&designs(), &networks).into_par_iter().map(|(hardware, workload)| {
        let sweep = preset_sweep(hardware, workload, Settings::default());
        let last = &sweep.network.layer(LayerId::from(sweep.network.len() - 1)).shape;
        let parts = sample_or_all(vec![4], vec![8, 1]);
        let tiles = |dim: Dim| parts.iter().map(|&parts| last.size(dim).div_ceil(parts).max(7)).collect();
        let fuse = sample_or_all(vec![FuseDepth::Automatic], vec![FuseDepth::Automatic, FuseDepth::LayerByLayer]);
        let modes = sample_or_all(vec![StoringMode::FullyCached], StoringMode::ALL.to_vec());
        let (tiles_x, tiles_y) = (tiles(Dim::OX), tiles(Dim::OY));
        let settings = Settings { tiles_x, tiles_y, modes, fuse, ..Settings::default() };
        run_all(&preset_sweep(hardware, workload, settings), |_| true).unwrap_or_else(|wrong| panic!("{wrong}"))
    });
    let ran: usize = ran.sum();
    assert!(ran > 30, "only {ran} stacks were run");
}

/// The stacks that each method of fusion chooses, with the tile sizes and modes that are best for them.
#[test]
fn stacks_of_every_method_fit_their_memories() {
    let networks = ["mobilenet-v2", "resnet18", "fsrcnn-60", "three-convs", "mobilenet-v1"];
    pairs(&designs(), &networks).into_par_iter().for_each(|(hardware, workload)| {
        let tried = Settings { tiles_x: vec![14, 56], tiles_y: vec![14, 56], ..Settings::default() };
        let mut study = StackProblem::new(preset_sweep(hardware, workload, tried), StackLimits::default()).unwrap();
        let mut store = CostStore::default();
        let runs: Vec<StackRun> = (0..study.parts()).flat_map(|part| study.part(&mut store, part)).collect();
        let mut ran = 0;
        for (method, verdict) in compare_fusions(&study, &runs).results {
            let Ok(FusionResult { stacks, .. }) = verdict else { continue };
            let chosen: BTreeSet<_> = stacks.runs.iter().map(|run| (run.tile, run.mode)).collect();
            for (tile, mode) in chosen {
                let settings = Settings {
                    tiles_x: vec![tile.0],
                    tiles_y: vec![tile.1],
                    modes: vec![mode],
                    fuse: vec![stacks.fuse()],
                    ..Settings::default()
                };
                let sweep = preset_sweep(hardware, workload, settings);
                let is_chosen = |stack: &StackPlan| {
                    let last = &sweep.network.layer(stack.stack.nodes[stack.stack.output()]).name;
                    stacks
                        .runs
                        .iter()
                        .zip(&stacks.ends)
                        .any(|(run, end)| (run.tile, run.mode) == (tile, mode) && end == last)
                };
                ran += run_all(&sweep, is_chosen).unwrap_or_else(|wrong| panic!("{method:?}: {wrong}"));
            }
        }
        assert!(ran > 0, "nothing of {workload} on {hardware} was run");
    });
}

/// Hardware for depth-first schedules.
fn designs() -> Vec<&'static str> {
    hardware_presets().iter().map(|preset| preset.id).filter(|id| id.ends_with("-df")).collect()
}
