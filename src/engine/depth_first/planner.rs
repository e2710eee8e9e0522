//! Planner of points: data that points share (stacks, strips, mapping problems) is computed once.

use super::axis::{Strips, TileAxis, TooManyKinds};
use super::ids::KnownStackId;
use super::layer_tile::TiledLayer;
use super::lower_bound::{NetworkLowerBounds, StackLowerBound};
use super::placement::{Scratch, Skipping, StackFootprint};
use super::plan::{PointPlan, StackPlan};
use super::price::{KnownPrices, Price, Prices};
use super::problems::{Feasibility, FeasibilityCheck, NotPlanned, Problems};
use super::stack::{Stack, cut};
use super::stack_planner::StackPlanner;
use super::strategy::{DepthFirstStrategy, FuseDepth, StoringMode};
use crate::hardware::Core;
use crate::ids::TiVec;
use crate::mapping::{LayerOnCore, LayerProblem};
use crate::rules::Rules;
use crate::search::{Limits, Strategy, has_mapping};
use crate::spec::Diagnostics;
use crate::workload::{LayerId, Network};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The memory of a planner. It outlives the planner, for the next one of the same core, network, rules and limits.
#[derive(Default)]
pub struct PlannerMemory {
    /// The different problems of all points planned.
    pub problems: Problems,
    /// By fuse depth; a sweep has few of these.
    stacks: Vec<(FuseDepth, Result<Vec<KnownStack>, Diagnostics>)>,
    /// Every different stack.
    measured: TiVec<KnownStackId, KnownStack>,
    /// The id of each stack in `measured`.
    stack_ids: FxHashMap<Arc<Stack>, KnownStackId>,
    strips: FxHashMap<(KnownStackId, bool, u64, bool), Arc<Strips>>,
    /// Spans of all strips.
    spans: usize,
    pub(super) layers: TiVec<LayerId, Option<TiledLayer>>,
    pub(super) scratch: Scratch,
    /// By which placements are chosen.
    pub(super) prices: KnownPrices,
    lower_bounds: Option<NetworkLowerBounds>,
}

/// A stack, with the sizes of its data.
#[derive(Clone)]
pub(super) struct KnownStack {
    id: KnownStackId,
    pub stack: Arc<Stack>,
    pub footprint: Arc<StackFootprint>,
}

/// Plans points of one network on one core, and keeps the data that they share.
pub struct Planner<'a> {
    pub(super) core: &'a Core,
    pub(super) network: &'a Network,
    pub(super) rules: Rules,
    limits: Limits,
    search: Strategy,
    pub(super) skipping: Skipping,
    /// Problems, stacks and strips that are known, for the next point and the next planner.
    pub memory: PlannerMemory,
}

impl<'a> Planner<'a> {
    /// A planner that has planned nothing yet.
    pub fn new(core: &'a Core, network: &'a Network, rules: Rules, limits: Limits, search: Strategy) -> Self {
        Self::with_memory(core, network, rules, (limits, search), PlannerMemory::default())
    }

    /// A planner that goes on where another one ended, which had the same core, network, rules and limits.
    pub fn with_memory(
        core: &'a Core,
        network: &'a Network,
        rules: Rules,
        (limits, search): (Limits, Strategy),
        mut memory: PlannerMemory,
    ) -> Self {
        if memory.layers.is_empty() {
            let layer = |id: LayerId| TiledLayer::new(core, network, rules, id, &mut memory.problems);
            memory.layers = network.ids().map(layer).collect();
        }
        Self { core, network, rules, limits, search, skipping: Skipping::default(), memory }
    }

    /// This planner with a limit on which memories features may skip.
    #[must_use]
    pub fn skipping(self, skipping: Skipping) -> Self {
        Self { skipping, ..self }
    }

    /// Plans one point.
    ///
    /// # Errors
    /// Cuts that are impossible, or a layer-tile that fits nowhere: which operand, where, how much it lacks.
    pub fn plan(&mut self, strategy: &DepthFirstStrategy) -> Result<PointPlan, Diagnostics> {
        let (core, rules, limits, search) = (self.core, self.rules, self.limits, self.search);
        let check = &mut |problem: &LayerProblem| {
            let fits = has_mapping(&LayerOnCore::new(core, rules, problem), &limits, search);
            if fits { Feasibility::Mappable } else { Feasibility::NoMapping }
        };
        self.plan_checked(strategy, check).map_err(NotPlanned::reasons)
    }

    /// Plans one point; `check` finds the problems that have a mapping.
    ///
    /// # Errors
    /// As [`Self::plan`], and where `check` has no time.
    pub fn plan_checked(
        &mut self,
        strategy: &DepthFirstStrategy,
        check: FeasibilityCheck<'_>,
    ) -> Result<PointPlan, NotPlanned> {
        self.plan_stacks(strategy, |planner, known, way, budget| {
            planner.stack_planner(known, way)?.plan(&mut planner.memory, budget, check)
        })
    }

    /// Plans one stack on its own.
    ///
    /// # Errors
    /// As [`Self::plan_checked`].
    pub fn plan_stack(
        &mut self,
        stack: &Stack,
        tile: (u64, u64),
        mode: StoringMode,
        check: FeasibilityCheck<'_>,
    ) -> Result<StackPlan, NotPlanned> {
        let known = self.known_stack(stack);
        check_strip_count(self.network, [stack], tile)?;
        let mut budget = LayerTileBudget { layer_tiles: MOST_LAYER_TILES };
        StackPlanner::new(self, known, tile, mode)?.plan(&mut self.memory, &mut budget, check)
    }

    /// Plans one point with the best of all placements.
    ///
    /// # Errors
    /// As [`Self::plan_checked`].
    pub fn plan_best(
        &mut self,
        strategy: &DepthFirstStrategy,
        prices: &mut dyn Prices,
    ) -> Result<PointPlan, NotPlanned> {
        self.plan_stacks(strategy, |planner, known, way, budget| {
            let best = planner.stack_planner(known.clone(), way)?;
            match best.plan_best(&mut planner.memory, budget, prices, Price::INFINITE)? {
                Some(plan) => Ok(plan),
                None => {
                    // The published rule says why.
                    let check = &mut |problem: &LayerProblem| prices.check(problem);
                    planner.stack_planner(known, way)?.plan(&mut planner.memory, budget, check)
                }
            }
        })
    }

    /// Plans the stacks of one point, one after the other.
    fn plan_stacks(
        &mut self,
        strategy: &DepthFirstStrategy,
        mut plan: impl FnMut(
            &mut Self,
            KnownStack,
            ((u64, u64), StoringMode),
            &mut LayerTileBudget,
        ) -> Result<StackPlan, NotPlanned>,
    ) -> Result<PointPlan, NotPlanned> {
        let stacks = self.stacks(&strategy.fuse)?;
        let tile = if strategy.fuse == FuseDepth::LayerByLayer { (u64::MAX, u64::MAX) } else { strategy.tile };
        check_strip_count(self.network, stacks.iter().map(|known| &*known.stack), tile)?;
        let mut planned = Vec::with_capacity(stacks.len());
        let mut budget = LayerTileBudget { layer_tiles: MOST_LAYER_TILES };
        for known in stacks {
            planned.push(plan(self, known, (tile, strategy.mode), &mut budget)?);
        }
        Ok(PointPlan { strategy: strategy.clone(), stacks: planned })
    }

    fn stack_planner(
        &mut self,
        known: KnownStack,
        (tile, mode): ((u64, u64), StoringMode),
    ) -> Result<StackPlanner<'a>, Diagnostics> {
        StackPlanner::new(self, known, tile, mode)
    }

    /// Plans one stack with the best of all placements; `None` where that costs more than `most`, or nothing fits.
    ///
    /// # Errors
    /// As [`Self::plan_checked`], without the reasons of layers that fit nowhere.
    pub fn plan_best_stack(
        &mut self,
        stack: &Stack,
        way: ((u64, u64), StoringMode),
        prices: &mut dyn Prices,
        most: Price,
    ) -> Result<Option<StackPlan>, NotPlanned> {
        let known = self.known_stack(stack);
        check_strip_count(self.network, [stack], way.0)?;
        let mut budget = LayerTileBudget { layer_tiles: MOST_LAYER_TILES };
        self.stack_planner(known, way)?.plan_best(&mut self.memory, &mut budget, prices, most)
    }

    /// A lower bound on the cost of a stack under the corrected rules, found without planning a tile.
    ///
    /// # Errors
    /// Tiles of too many sizes.
    pub fn lower_bound(
        &mut self,
        stack: &Stack,
        tile: (u64, u64),
        mode: StoringMode,
    ) -> Result<StackLowerBound, Diagnostics> {
        let known = self.known_stack(stack);
        check_strip_count(self.network, [stack], tile)?;
        let x = self.strips(TileAxis::Columns, &known, tile.0, mode.caches_columns())?;
        let y = self.strips(TileAxis::Rows, &known, tile.1, mode.caches_rows())?;
        let Self { core, network, rules, memory, .. } = self;
        let lower_bounds = memory.lower_bounds.get_or_insert_with(|| NetworkLowerBounds::new(core, network, *rules));
        Ok(lower_bounds.of((core, network, rules), stack, &known.footprint, (x.sums(), y.sums())))
    }

    pub(super) fn stacks(&mut self, fuse: &FuseDepth) -> Result<Vec<KnownStack>, Diagnostics> {
        if let Some((_, known)) = self.memory.stacks.iter().find(|(known, _)| known == fuse) {
            return known.clone();
        }
        let stacks = cut(self.network, self.core, fuse, &self.rules)
            .map(|stacks| stacks.iter().map(|stack| self.known_stack(stack)).collect::<Vec<_>>());
        self.memory.stacks.push((fuse.clone(), stacks.clone()));
        stacks
    }

    /// Stacks of different fuse depths may be equal.
    fn known_stack(&mut self, stack: &Stack) -> KnownStack {
        let PlannerMemory { measured, stack_ids, .. } = &mut self.memory;
        if let Some(known) = stack_ids.get(stack) {
            return measured[*known].clone();
        }
        let (stack, footprint) =
            (Arc::new(stack.clone()), Arc::new(StackFootprint::new(self.network, stack, &self.rules)));
        let known = KnownStack { id: measured.next_key(), stack: Arc::clone(&stack), footprint };
        stack_ids.insert(stack, known.id);
        measured.push(known.clone());
        known
    }

    /// Back-calculates the columns (or rows) of tiles of this size through the layers of a stack.
    ///
    /// # Errors
    /// Strips of too many kinds.
    pub(super) fn strips(
        &mut self,
        axis: TileAxis,
        known: &KnownStack,
        tile: u64,
        caches: bool,
    ) -> Result<Arc<Strips>, Diagnostics> {
        let (network, borders) = (self.network, !self.rules.tiles_without_borders);
        let stack = &*known.stack;
        let tile = tile.min(axis.map_size(network, stack, stack.output()));
        let key = (known.id, axis == TileAxis::Columns, tile, caches);
        if let Some(strips) = self.memory.strips.get(&key) {
            return Ok(Arc::clone(strips));
        }
        let strips = axis
            .strips(network, stack, tile, caches, borders)
            .map_err(|TooManyKinds(kinds)| too_many_kinds(axis, kinds, stack))?;
        // Strips in use stay alive: their users hold an `Arc`.
        if self.memory.spans > MOST_SPANS_KEPT {
            self.memory.strips.clear();
            self.memory.spans = 0;
        }
        self.memory.spans += strips.spans();
        let strips = Arc::new(strips);
        self.memory.strips.insert(key, Arc::clone(&strips));
        Ok(strips)
    }
}

/// Spans of strips that are kept for the next point: some 80 MB.
const MOST_SPANS_KEPT: usize = 1 << 20;
/// Problems that are kept for the next point: some 150 MB with their costs.
const MOST_PROBLEMS_KEPT: usize = 400_000;
/// Prices that are kept for the next point: some 150 MB with their keys.
const MOST_PRICES_KEPT: usize = 1_500_000;
/// Limit on the layers of all kinds of tiles of a point, some 250 bytes each.
const MOST_LAYER_TILES: usize = 1_000_000;

impl PlannerMemory {
    /// Drops the prices by which placements were chosen; other prices follow.
    pub fn forget_prices(&mut self) {
        self.prices = KnownPrices::default();
    }

    /// Whether its contents exceed the limits, so that they are to be dropped.
    pub fn is_full(&self) -> bool {
        self.problems.list.len() > MOST_PROBLEMS_KEPT || self.prices.len() > MOST_PRICES_KEPT
    }
}

#[cold]
fn too_many_kinds(axis: TileAxis, kinds: usize, stack: &Stack) -> Diagnostics {
    let (field, strips) = if axis == TileAxis::Columns { ("tiles_x", "columns") } else { ("tiles_y", "rows") };
    let mut diagnostics = Diagnostics::default();
    diagnostics.add(
        format!("settings.{field}"),
        format!(
            "Nearly every tile differs from its neighbours: more than {kinds} kinds of {strips} of tiles, each through {} layers",
            stack.layers().len()
        ),
        "Choose larger tiles, or cut the stack",
    );
    diagnostics
}

#[cold]
fn budget_exceeded() -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add(
        "settings",
        format!("The kinds of tiles of this point have more than {MOST_LAYER_TILES} layers in all"),
        "Choose larger tiles, or cut the network into more stacks",
    );
    diagnostics
}

/// Layer-tiles that a point may still plan.
#[derive(Clone, Copy)]
pub(super) struct LayerTileBudget {
    layer_tiles: usize,
}

impl LayerTileBudget {
    /// Takes the layer-tiles of one tile type of a stack off the budget.
    ///
    /// # Errors
    /// Where there is none left.
    pub fn take(&mut self, stack: &Stack) -> Result<(), Diagnostics> {
        self.layer_tiles = self.layer_tiles.checked_sub(stack.nodes.len()).ok_or_else(budget_exceeded)?;
        Ok(())
    }
}

/// Limit on the columns (or rows) of tiles, as each is followed through every layer of its stack.
const MOST_STRIPS: u64 = 1 << 16;
/// Limit on columns of tiles times layers, for the same reason.
const MOST_STRIP_LAYERS: u64 = 1 << 22;

fn check_strip_count<'a>(
    network: &Network,
    stacks: impl IntoIterator<Item = &'a Stack>,
    tile: (u64, u64),
) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    for stack in stacks {
        for (axis, field, tile) in [(TileAxis::Columns, "tiles_x", tile.0), (TileAxis::Rows, "tiles_y", tile.1)] {
            let map = axis.map_size(network, stack, stack.output());
            let most = MOST_STRIPS.min(MOST_STRIP_LAYERS / stack.nodes.len() as u64).max(1);
            if map.div_ceil(tile.max(1)) > most {
                let last = &network.layer(stack.nodes[stack.output()]).name;
                diagnostics.add(
                    format!("settings.{field}"),
                    format!(
                        "The map of `{last}`, {map}, in tiles of {tile} makes more than {most} of them side by side"
                    ),
                    format!("Choose tiles of at least {}", map.div_ceil(most)),
                );
            }
        }
    }
    diagnostics.or(())
}
