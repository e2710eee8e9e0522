//! The memory cost of groups that grow by one operator at a time.

use super::frontier::{Frontier, Goal, Growth, Tiling};
use super::graph::OperatorGraph;
use super::group::{Group, ParameterLoading, most_tiles_of, stream};
use super::ids::OperatorId;
use super::isoa::MapPrice;
use super::scheme::{GroupCostModel, IncrementalGroup};
use super::setting::Setting;
use crate::ids::IdBitSet;

/// The memory cost model of Optimus under a setting: elements between DRAM and chip (eq. 3).
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
    /// The cost of operators in ascending order; `None` if they do not fit.
    pub fn of(&self, operators: &[OperatorId]) -> Option<u64> {
        Group::new(self.graph, operators).cost(self.setting).map(|cost| cost.elements)
    }
}

impl GroupCostModel for MemoryCost<'_> {
    fn groups<'s>(&'s self, done: &'s IdBitSet<OperatorId>) -> Box<dyn IncrementalGroup + 's> {
        Box::new(GrowingGroup::new(self.graph, self.setting, done))
    }
}

/// A group as it grows.
pub(super) struct GrowingGroup<'a> {
    setting: &'a Setting,
    growth: Growth<'a>,
    operators: Vec<OperatorId>,
    /// The state after each operator; further ones are kept for their working memory.
    levels: Vec<GroupState>,
    /// Working memory for groups that are priced alone.
    spare: [Frontier; 2],
}

/// The state of a group of any size.
#[derive(Debug, Clone, Default)]
struct GroupState {
    frontier: Frontier,
    /// Elements of one image that go outside.
    outputs: u64,
    terms: GroupCostTerms,
}

/// The terms from which the cost of a group follows, except the buffer of larger tiles.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GroupCostTerms {
    /// Elements of one image that come from outside and go outside.
    border: u64,
    parameters: u64,
    most_tiles: u64,
    /// The buffer of the smallest tile; nothing if the group is too wide to know it while it grows.
    pub smallest: Option<u64>,
}

impl GroupCostTerms {
    /// A lower bound on the memory cost, elements: parameters that do not stay are loaded once for every set of images
    /// that fit together. `None` if the group does not fit.
    pub fn lower_bound(&self, setting: &Setting) -> Option<u64> {
        let (capacity, smallest) = (setting.capacity(), self.smallest.unwrap_or(0));
        if smallest > capacity {
            return None;
        }
        let images = (capacity / smallest.max(1)).max(1);
        let is_resident = setting.is_resident(smallest, self.parameters);
        let passes = if is_resident { 1 } else { setting.batch.max(1).div_ceil(images) };
        Some(self.features(setting).saturating_add(self.parameters.saturating_mul(passes)))
    }

    fn features(&self, setting: &Setting) -> u64 {
        self.border.saturating_mul(setting.batch)
    }
}

impl<'a> GrowingGroup<'a> {
    /// A group without operators, after which `done` will have run.
    pub fn new(graph: &'a OperatorGraph, setting: &'a Setting, done: &'a IdBitSet<OperatorId>) -> Self {
        Self::with_tiling(graph, setting, done, Tiling::SMALLEST)
    }

    /// A group in tiles of another size than the smallest.
    pub fn with_tiling(
        graph: &'a OperatorGraph,
        setting: &'a Setting,
        done: &'a IdBitSet<OperatorId>,
        tiling: Tiling,
    ) -> Self {
        let throughput = setting.throughput;
        let terms = GroupCostTerms { most_tiles: 1, ..GroupCostTerms::default() };
        let start = GroupState { frontier: Frontier::start(), outputs: 0, terms };
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
            self.levels.push(GroupState::default());
        }
        let (below, above) = self.levels.split_at_mut(depth + 1);
        let (before, level) = (&below[depth], &mut above[0]);
        before.frontier.grow(&self.growth, id, &mut level.frontier);
        let graph = self.growth.graph;
        level.outputs = before.outputs;
        let GroupCostTerms { mut parameters, mut most_tiles, .. } = before.terms;
        parameters += graph.operators()[id].parameters;
        if self.growth.is_output(id) {
            let map = graph.map(id.output());
            level.outputs += map.elements();
            most_tiles = most_tiles.max(most_tiles_of(map, self.growth.throughput));
        }
        let inputs: u64 = level.frontier.external_inputs().map(|map| graph.map(map).elements()).sum();
        level.terms = GroupCostTerms { border: level.outputs + inputs, parameters, most_tiles, smallest: None };
        self.operators.push(id);
    }

    /// Finds the buffer of the smallest tile.
    fn measure(&mut self) {
        let GroupState { frontier, terms, .. } = &mut self.levels[self.operators.len()];
        terms.smallest = frontier.price(&self.growth).map(|(_, tile)| tile);
    }

    /// The operators, last first.
    pub fn operators(&self) -> &[OperatorId] {
        &self.operators
    }

    /// The terms from which the cost of the group follows.
    pub fn terms(&self) -> GroupCostTerms {
        self.levels[self.operators.len()].terms
    }

    /// A lower bound on the buffer, in elements, over all decisions on ISOA, of this group and of every larger one.
    fn least_buffer(&mut self) -> Option<u64> {
        let growth = Growth { goal: Goal::Tile, ..self.growth };
        Some(buffer(&growth, &self.operators, &mut self.spare)?.0)
    }

    /// The price of a group of these operators, last first; nothing if it does not fit, or costs more than `at_most`.
    pub fn price_of_terms(&mut self, terms: &GroupCostTerms, operators: &[OperatorId], at_most: u64) -> Option<u64> {
        let (graph, setting) = (self.growth.graph, self.setting);
        let group = || Group::new(graph, &operators.iter().rev().copied().collect::<Vec<_>>());
        let features = terms.features(setting);
        let loading = match terms.smallest {
            None => group().cost(setting)?.loading,
            Some(smallest) if smallest > setting.capacity() => return None,
            Some(smallest) if setting.is_resident(smallest, terms.parameters) => ParameterLoading::Once,
            Some(smallest) => {
                let most = at_most.checked_sub(features)?.checked_div(terms.parameters).unwrap_or(u64::MAX);
                stream(setting, (terms.most_tiles, smallest), most, |tiles| {
                    let growth = Growth { tiling: Tiling::Rows(tiles), ..self.growth };
                    let price = buffer(&growth, operators, &mut self.spare);
                    price.unwrap_or_else(|| group().isoa(tiles, setting.throughput).price).1
                })?
            }
        };
        let cost = features.saturating_add(terms.parameters.saturating_mul(loading.times()));
        (cost <= at_most).then_some(cost)
    }
}

/// The price of the best decision on ISOA for operators, last first; nothing if they are too wide.
fn buffer(growth: &Growth, operators: &[OperatorId], spare: &mut [Frontier; 2]) -> Option<MapPrice> {
    let [group, grown] = spare;
    group.clear();
    for &id in operators {
        group.grow(growth, id, grown);
        std::mem::swap(group, grown);
    }
    group.price(growth)
}

impl IncrementalGroup for GrowingGroup<'_> {
    fn push(&mut self, id: OperatorId) -> bool {
        self.grow(id);
        self.measure();
        let capacity = self.setting.capacity();
        let is_too_large = |buffer: Option<u64>| buffer.is_some_and(|buffer| buffer > capacity);
        let is_hopeless = is_too_large(self.terms().smallest) && is_too_large(self.least_buffer());
        if is_hopeless {
            self.pop();
        }
        !is_hopeless
    }

    fn pop(&mut self) {
        self.operators.pop();
    }

    fn lower_bound(&self) -> Option<u64> {
        self.terms().lower_bound(self.setting)
    }

    fn price(&mut self, operators: &[OperatorId], at_most: u64) -> Option<u64> {
        self.operators.clear();
        for &id in operators {
            self.grow(id);
        }
        self.measure();
        self.price_of_terms(&self.terms(), operators, at_most)
    }
}
