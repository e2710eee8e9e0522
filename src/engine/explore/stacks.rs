//! Stacks, tile sizes and overlap storing modes that are jointly optimal: DeFiNES' three axes at once.
//!
//! What a stack costs depends on its layers, its tile and its mode alone, as features between stacks go through the highest
//! memory. So the best of each stack is found by itself, and the best way from nothing done to all done by dynamic programming over what is
//! done ([`EveryStack`]). Energy, latency, and words add up, so one best way to each state is enough; for the
//! energy-delay product all ways are kept that no other one beats in both.
//!
//! The mapping of every layer-tile is the one that a sweep has: best by the objective for that layer-tile alone.

use super::survey::{CostStore, Effort, Survey};
use super::sweep::Sweep;
use crate::depth_first::{
    EnergySplit, EveryStack, FuseDepth, LatencySplit, MOST_STACKS, NotPlanned, PointAccount, StackArc, StoringMode,
};
use crate::search::Objective;
use crate::spec::Diagnostics;
use crate::workload::{Dim, LayerId};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// So many stacks are a part: some of them take a second where maps are large.
const BLOCK: usize = 64;
/// More stacks times strategies than anybody waits for.
const MOST_RUNS: usize = 2_000_000;

/// What code and control of an accelerator can do (DeFiNES, Fig. 6): more layers in a stack need more code, and more tiles
/// more switching between layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StackLimits {
    /// Layers of a stack, at most.
    pub most_layers: Option<usize>,
    /// Tiles of a stack, at most.
    pub most_tiles: Option<u64>,
}

/// A stack, run in one way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StackRun {
    /// Number of the stack among [`StackStudy::stacks`].
    pub stack: usize,
    /// Columns and rows of a tile.
    pub tile: (u64, u64),
    /// What happens to the overlap of tiles.
    pub mode: StoringMode,
    /// How many tiles it makes.
    pub tiles: u64,
    /// Energy by cause.
    pub energy: EnergySplit,
    /// Latency by cause.
    pub latency: LatencySplit,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency, cycles.
    pub latency_cycles: u64,
    /// Full-width words read from and written to DRAM.
    pub dram_words: f64,
    /// Its value of the objective.
    pub score: f64,
}

/// The best of all choices of cuts, tiles and modes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptimalStacks {
    /// The stacks in order.
    pub runs: Vec<StackRun>,
    /// Names of their last layers.
    pub ends: Vec<String>,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency, cycles.
    pub latency_cycles: u64,
    /// Full-width words read from and written to DRAM.
    pub dram_words: f64,
    /// Value of the objective.
    pub score: f64,
}

impl OptimalStacks {
    /// Energy by cause, of all stacks.
    pub fn energy(&self) -> EnergySplit {
        let mut sum = EnergySplit::default();
        self.runs.iter().for_each(|run| sum.add(&run.energy, 1.0));
        sum
    }

    /// Latency by cause, of all stacks.
    pub fn latency(&self) -> LatencySplit {
        let mut sum = LatencySplit::default();
        self.runs.iter().for_each(|run| sum.add(&run.latency, 1));
        sum
    }

    /// The fuse depth that makes these stacks.
    pub fn fuse(&self) -> FuseDepth {
        FuseDepth::Cuts(self.ends.clone())
    }
}

/// What every stack costs in every way, found out part by part, by whoever has time.
pub struct StackStudy {
    survey: Survey,
    every: EveryStack,
    limits: StackLimits,
}

impl StackStudy {
    /// A study of the tile sizes and modes of a sweep, and of the whole map as a tile.
    ///
    /// # Errors
    /// A network that branches into too many stacks, or limits that leave no way.
    pub fn new(sweep: Sweep, limits: StackLimits) -> Result<Self, Diagnostics> {
        let every = every_stack(&sweep, limits)?;
        Ok(Self { survey: Survey::new(sweep), every, limits })
    }

    /// What is studied.
    pub fn sweep(&self) -> &Sweep {
        self.survey.sweep()
    }

    /// All stacks.
    pub fn stacks(&self) -> &[StackArc] {
        &self.every.arcs
    }

    /// How many ways there are to cut the network, as far as a number can count them.
    pub fn cuttings(&self) -> u128 {
        let mut ways = vec![0_u128; self.every.states];
        ways[0] = 1;
        for arc in &self.every.arcs {
            ways[arc.to] = ways[arc.to].saturating_add(ways[arc.from]);
        }
        ways[self.every.end]
    }

    /// How much work was done so far.
    pub fn effort(&self) -> Effort {
        self.survey.effort
    }

    /// In how many parts the study is done: one for each tile width and block of stacks, as those of one width have most mapping
    /// problems in common.
    pub fn parts(&self) -> usize {
        self.sweep().settings.tiles_x.len() * self.blocks()
    }

    fn blocks(&self) -> usize {
        self.every.arcs.len().div_ceil(BLOCK)
    }

    /// The best ways to run the stacks of one part with its tiles, as many as may matter. `has_time` is asked before each search;
    /// where it says no, the next attempt goes on there.
    ///
    /// # Errors
    /// That there is no time left.
    pub fn part(
        &mut self,
        store: &mut CostStore,
        part: usize,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<StackRun>, NotPlanned> {
        let (width, block) = (part / self.blocks(), part % self.blocks());
        let end = self.every.arcs.len().min((block + 1) * BLOCK);
        let mut best = Vec::new();
        for stack in block * BLOCK..end {
            let mut runs: Vec<StackRun> = Vec::new();
            for (tile, mode) in self.strategies(stack, width) {
                match self.run(store, stack, (tile, mode), has_time) {
                    Ok(Some(run)) => self.keep(&mut runs, run),
                    Err(NotPlanned::Later) => return Err(NotPlanned::Later),
                    // Some tiles fit nowhere; others do.
                    Ok(None) | Err(NotPlanned::Impossible(_)) => {}
                }
            }
            best.append(&mut runs);
        }
        Ok(best)
    }

    /// The best of all choices, of the best ways of all parts.
    ///
    /// # Errors
    /// Where no choice can be scheduled.
    pub fn combine(&self, runs: &[StackRun]) -> Result<OptimalStacks, Diagnostics> {
        let mut of_stack: Vec<Vec<StackRun>> = vec![Vec::new(); self.every.arcs.len()];
        for run in runs {
            if let Some(of_stack) = of_stack.get_mut(run.stack) {
                of_stack.push(*run);
            }
        }
        let mut ways: Vec<Vec<Way>> = vec![Vec::new(); self.every.states];
        ways[0].push(Way::default());
        for (arc, runs) in self.every.arcs.iter().zip(&of_stack) {
            let (before, after) = ways.split_at_mut(arc.to);
            for (number, way) in before[arc.from].iter().enumerate() {
                for run in runs {
                    self.keep(&mut after[0], way.then((arc.from, number), run));
                }
            }
        }
        let cost = |way: &Way<'_>| {
            if self.is_sum() { way.score } else { way.energy_pj * way.latency_cycles as f64 }
        };
        let last = ways[self.every.end].iter().min_by(|a, b| cost(a).total_cmp(&cost(b)));
        let mut at = last.ok_or_else(nothing_fits)?;
        let mut optimal = OptimalStacks {
            runs: Vec::new(),
            ends: Vec::new(),
            energy_pj: at.energy_pj,
            latency_cycles: at.latency_cycles,
            dram_words: 0.0,
            score: cost(at),
        };
        while let (Some((state, number)), Some(run)) = (at.before, at.run) {
            optimal.runs.push(*run);
            optimal.ends.push(self.sweep().network.layer(end_of(&self.every.arcs[run.stack])).name.clone());
            at = &ways[state][number];
        }
        optimal.dram_words = optimal.runs.iter().map(|run| run.dram_words).sum();
        optimal.runs.reverse();
        optimal.ends.reverse();
        Ok(optimal)
    }

    /// The whole account of a choice.
    ///
    /// # Errors
    /// As [`Survey::account`].
    pub fn account(&mut self, store: &mut CostStore, optimal: &OptimalStacks) -> Result<PointAccount, Diagnostics> {
        let stacks: Vec<_> = optimal
            .runs
            .iter()
            .filter_map(|run| Some((self.every.arcs.get(run.stack)?.stack.clone(), run.tile, run.mode)))
            .collect();
        self.survey.account_of_stacks(store, optimal.fuse(), &stacks)
    }

    fn objective(&self) -> &Objective {
        &self.sweep().settings.objective
    }

    /// Whether the objective of a network is the sum of its stacks'.
    fn is_sum(&self) -> bool {
        *self.objective() != Objective::EnergyDelayProduct
    }

    /// Columns and rows of a layer's output.
    fn map(&self, layer: LayerId) -> (u64, u64) {
        let shape = &self.sweep().network.layer(layer).shape;
        (shape.size(Dim::OX), shape.size(Dim::OY))
    }

    /// The strategies of a stack with the tile width of this index, each different one under one index. A single tile has no
    /// overlap, so that its mode does not matter.
    fn strategies(&self, stack: usize, index: usize) -> Vec<((u64, u64), StoringMode)> {
        let settings = &self.sweep().settings;
        let (columns, rows) = self.map(end_of(&self.every.arcs[stack]));
        let widths: Vec<u64> = settings.tiles_x.iter().map(|&width| width.min(columns)).collect();
        let heights: BTreeSet<u64> = settings.tiles_y.iter().map(|&height| height.min(rows)).collect();
        let mut strategies = Vec::new();
        let Some(&width) = widths.get(index) else { return strategies };
        if !widths[..index].contains(&width) {
            let tiles = heights.iter().map(|&height| (width, height)).filter(|&tile| tile != (columns, rows));
            strategies.extend(tiles.flat_map(|tile| settings.modes.iter().map(move |&mode| (tile, mode))));
        }
        // The whole map is a tile whatever the settings say.
        if index == widths.iter().position(|&width| width == columns).unwrap_or(0) {
            strategies.push(((columns, rows), StoringMode::FullyRecompute));
        }
        strategies
    }

    fn run(
        &mut self,
        store: &mut CostStore,
        stack: usize,
        (tile, mode): ((u64, u64), StoringMode),
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<Option<StackRun>, NotPlanned> {
        let (columns, rows) = self.map(end_of(&self.every.arcs[stack]));
        let tiles = columns.div_ceil(tile.0.max(1)).saturating_mul(rows.div_ceil(tile.1.max(1)));
        if self.limits.most_tiles.is_some_and(|most| tiles > most) {
            return Ok(None);
        }
        let totals = self.survey.stack_totals(store, &self.every.arcs[stack].stack, (tile, mode), has_time)?;
        let (energy_pj, latency_cycles) = (totals.energy.total_pj(), totals.latency.total_cycles());
        let [dram, named] = totals.words;
        let score = self.objective().combine(energy_pj, latency_cycles as f64, &|| dram, &|_| named);
        let (energy, latency) = (totals.energy, totals.latency);
        Ok(Some(StackRun {
            stack,
            tile,
            mode,
            tiles,
            energy,
            latency,
            energy_pj,
            latency_cycles,
            dram_words: dram,
            score,
        }))
    }

    /// Keeps what is not worse than all others, and drops what it makes so.
    fn keep<T: Priced>(&self, kept: &mut Vec<T>, new: T) {
        let beats = |a: &T, b: &T| {
            let ((e, l, s), (other_e, other_l, other_s)) = (a.price(), b.price());
            if self.is_sum() {
                let order = s.total_cmp(&other_s).then(l.cmp(&other_l)).then(e.total_cmp(&other_e));
                order != Ordering::Greater
            } else {
                e <= other_e && l <= other_l
            }
        };
        if kept.iter().any(|old| beats(old, &new)) {
            return;
        }
        kept.retain(|old| !beats(&new, old));
        kept.push(new);
    }
}

/// What decides between two ways to do the same.
trait Priced {
    /// Energy, pJ; latency, cycles; value of the objective, where it is a sum.
    fn price(&self) -> (f64, u64, f64);
}

impl Priced for StackRun {
    fn price(&self) -> (f64, u64, f64) {
        (self.energy_pj, self.latency_cycles, self.score)
    }
}

/// A way from nothing to a state.
#[derive(Debug, Clone, Copy, Default)]
struct Way<'a> {
    /// The state before the last stack, and which of the ways there.
    before: Option<(usize, usize)>,
    /// How the last stack is run.
    run: Option<&'a StackRun>,
    energy_pj: f64,
    latency_cycles: u64,
    score: f64,
}

impl<'a> Way<'a> {
    fn then(&self, before: (usize, usize), run: &'a StackRun) -> Self {
        Self {
            before: Some(before),
            run: Some(run),
            energy_pj: self.energy_pj + run.energy_pj,
            latency_cycles: self.latency_cycles.saturating_add(run.latency_cycles),
            score: self.score + run.score,
        }
    }
}

impl Priced for Way<'_> {
    fn price(&self) -> (f64, u64, f64) {
        (self.energy_pj, self.latency_cycles, self.score)
    }
}

fn end_of(arc: &StackArc) -> LayerId {
    arc.stack.nodes[arc.stack.output()]
}

fn every_stack(sweep: &Sweep, limits: StackLimits) -> Result<EveryStack, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let most_layers = limits.most_layers.unwrap_or(usize::MAX);
    if most_layers == 0 || limits.most_tiles == Some(0) {
        diagnostics.add("settings.limits", "A limit of 0 leaves no stack", "Write 1 or more");
        return Err(diagnostics);
    }
    let name = &sweep.network.name;
    let Some(every) = EveryStack::new(&sweep.network, most_layers) else {
        diagnostics.add(
            "settings.limits",
            format!("{name} can be cut into more than {MOST_STACKS} different stacks, or not at all within the limits"),
            "Allow fewer layers in a stack, or more where one output of a stack is not enough",
        );
        return Err(diagnostics);
    };
    let strategies = (sweep.settings.tiles_x.len() * sweep.settings.tiles_y.len() + 1) * sweep.settings.modes.len();
    if every.arcs.len().saturating_mul(strategies) > MOST_RUNS {
        diagnostics.add(
            "settings",
            format!("{} stacks with {strategies} strategies each are more than {MOST_RUNS} in all", every.arcs.len()),
            "Choose fewer tile sizes, or allow fewer layers in a stack",
        );
    }
    diagnostics.or(every)
}

fn nothing_fits() -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add(
        "",
        "No choice of stacks can be scheduled within the limits",
        "Allow more layers or tiles in a stack, smaller tiles, or larger memories",
    );
    diagnostics
}
