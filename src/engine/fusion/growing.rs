//! The memory cost of groups that grow by one operator at a time.

use super::frontier::{Frontier, Goal, Growth, Tiling};
use super::graph::{OperatorGraph, OperatorId};
use super::group::{Group, Loading, most_tiles_of, stream};
use super::scheme::{Growing, Prices};
use super::setting::Setting;
use fixedbitset::FixedBitSet;

/// Elements between DRAM and chip under a setting.
#[derive(Debug, Clone, Copy)]
pub struct MemoryCost<'a> {
    graph: &'a OperatorGraph,
    setting: &'a Setting,
}

/// The price of a group under a setting: elements between DRAM and chip.
pub fn memory_cost<'a>(graph: &'a OperatorGraph, setting: &'a Setting) -> MemoryCost<'a> {
    MemoryCost { graph, setting }
}

impl MemoryCost<'_> {
    /// Of operators in ascending order; nothing if they do not fit.
    pub fn of(&self, operators: &[OperatorId]) -> Option<u64> {
        Group::new(self.graph, operators).cost(self.setting).map(|cost| cost.elements)
    }
}

impl Prices for MemoryCost<'_> {
    fn groups<'s>(&'s self, done: &'s FixedBitSet) -> Box<dyn Growing + 's> {
        Box::new(GrowingGroup::new(self.graph, self.setting, done))
    }
}

/// A group as it grows.
pub(super) struct GrowingGroup<'a> {
    setting: &'a Setting,
    growth: Growth<'a>,
    operators: Vec<OperatorId>,
    /// After each operator; those beyond are kept for their memory.
    levels: Vec<Level>,
    /// For groups that are looked at by themselves.
    spare: [Frontier; 2],
}

/// What is known of a group.
#[derive(Debug, Clone, Default)]
struct Level {
    frontier: Frontier,
    /// Elements of one image that come from outside and go outside.
    border: u64,
    /// Of which outputs.
    outputs: u64,
    parameters: u64,
    most_tiles: u64,
    /// The buffer of the smallest tile.
    smallest: u64,
}

impl<'a> GrowingGroup<'a> {
    /// A group without operators, after which `done` will have run.
    pub fn new(graph: &'a OperatorGraph, setting: &'a Setting, done: &'a FixedBitSet) -> Self {
        let (throughput, tiling) = (setting.throughput, Tiling::SMALLEST);
        let start = Level { frontier: Frontier::start(), most_tiles: 1, ..Level::default() };
        Self {
            setting,
            growth: Growth { graph, done, throughput, tiling, goal: Goal::Pixel },
            operators: Vec::new(),
            levels: vec![start],
            spare: [Frontier::start(), Frontier::start()],
        }
    }

    /// Adds an operator, without the buffer that the group needs.
    fn grow(&mut self, id: OperatorId) {
        let depth = self.operators.len();
        if self.levels.len() == depth + 1 {
            self.levels.push(Level::default());
        }
        let (below, above) = self.levels.split_at_mut(depth + 1);
        let (before, level) = (&below[depth], &mut above[0]);
        before.frontier.grow(&self.growth, id, &mut level.frontier);
        let graph = self.growth.graph;
        level.parameters = before.parameters + graph.operators()[id].parameters;
        (level.outputs, level.most_tiles) = (before.outputs, before.most_tiles);
        if self.growth.is_output(id) {
            let map = graph.map(id + 1);
            level.outputs += map.elements();
            level.most_tiles = level.most_tiles.max(most_tiles_of(map, self.growth.throughput));
        }
        let inputs: u64 = level.frontier.external_inputs().map(|map| graph.map(map).elements()).sum();
        level.border = level.outputs + inputs;
        self.operators.push(id);
    }

    /// The buffer of the smallest tile, or 0 if that is not known.
    fn measure(&mut self) -> u64 {
        let growth = self.growth;
        let level = &mut self.levels[self.operators.len()];
        level.smallest = if level.frontier.is_known() { level.frontier.price(&growth).1 } else { 0 };
        level.smallest
    }

    /// The buffer that operators (last first) need.
    fn buffer(&mut self, operators: &[OperatorId], tiling: Tiling, goal: Goal) -> u64 {
        let growth = Growth { tiling, goal, ..self.growth };
        let [one, other] = &mut self.spare;
        one.clear();
        for &id in operators {
            one.grow(&growth, id, other);
            std::mem::swap(one, other);
        }
        let (first, second) = one.price(&growth);
        if goal == Goal::Tile { first } else { second }
    }

    fn top(&self) -> &Level {
        &self.levels[self.operators.len()]
    }

    /// What is loaded and stored at least: of parameters that do not stay, as often as images do not fit together.
    fn least_elements(&self, level: &Level) -> u64 {
        let features = level.border.saturating_mul(self.setting.batch);
        let passes = if self.setting.is_resident(level.smallest, level.parameters) {
            1
        } else {
            let images = (self.setting.capacity() / level.smallest.max(1)).max(1);
            self.setting.batch.max(1).div_ceil(images)
        };
        features.saturating_add(level.parameters.saturating_mul(passes))
    }
}

impl Growing for GrowingGroup<'_> {
    fn push(&mut self, id: OperatorId) -> bool {
        self.grow(id);
        let capacity = self.setting.capacity();
        if self.measure() <= capacity {
            return true;
        }
        let operators = std::mem::take(&mut self.operators);
        let at_least = self.buffer(&operators, Tiling::SMALLEST, Goal::Tile);
        self.operators = operators;
        if at_least > capacity {
            self.pop();
        }
        at_least <= capacity
    }

    fn pop(&mut self) {
        self.operators.pop();
    }

    fn at_least(&self) -> Option<u64> {
        let level = self.top();
        (level.smallest <= self.setting.capacity()).then(|| self.least_elements(level))
    }

    fn price(&mut self, operators: &[OperatorId], at_most: u64) -> Option<u64> {
        self.operators.clear();
        for &id in operators {
            self.grow(id);
        }
        let smallest = self.measure();
        let Level { border, parameters, most_tiles, ref frontier, .. } = *self.top();
        if !frontier.is_known() {
            let ascending: Vec<OperatorId> = operators.iter().rev().copied().collect();
            let cost = Group::new(self.growth.graph, &ascending).cost(self.setting)?;
            return Some(cost.elements).filter(|&cost| cost <= at_most);
        }
        if smallest > self.setting.capacity() {
            return None;
        }
        let setting = self.setting;
        let features = border.saturating_mul(setting.batch);
        let loading = if setting.is_resident(smallest, parameters) {
            Loading::Once
        } else {
            let most = at_most.checked_sub(features)?.checked_div(parameters).unwrap_or(u64::MAX);
            stream(setting, most_tiles, most, |tiles| self.buffer(operators, Tiling::Rows(tiles), Goal::Pixel))?
        };
        Some(features.saturating_add(parameters.saturating_mul(loading.times()))).filter(|&cost| cost <= at_most)
    }
}
