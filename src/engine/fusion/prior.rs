//! The cost models of work before Optimus (Section 2.2 and eq. 3 without its last factor).

use super::graph::OperatorGraph;
use super::group::Group;
use super::ids::OperatorId;
use super::scheme::{GroupCostModel, IncrementalGroup};
use super::setting::Setting;
use crate::ids::IdBitSet;

/// Elements between DRAM and chip where all parameters of a group, and all channels of its tiles, have to be in the
/// buffer at once. A single operator is no group, and has the cost of Optimus' model.
///
/// Prior work leaves open how large its tiles are; these are the smallest, as in Optimus' model, so that only the two assumptions
/// make the difference.
#[derive(Debug, Clone, Copy)]
pub struct PriorCost<'a> {
    graph: &'a OperatorGraph,
    setting: &'a Setting,
}

/// The price of a group by the models before Optimus'.
pub fn prior_cost<'a>(graph: &'a OperatorGraph, setting: &'a Setting) -> PriorCost<'a> {
    PriorCost { graph, setting }
}

impl PriorCost<'_> {
    /// The cost of operators in ascending order; `None` if they do not fit.
    pub fn of(&self, operators: &[OperatorId]) -> Option<u64> {
        let group = Group::new(self.graph, operators);
        if operators.len() == 1 {
            return group.cost(self.setting).map(|cost| cost.elements);
        }
        let throughput = self.setting.throughput;
        let tile = group.tile(group.most_tiles(throughput), throughput);
        let pixels = group.maps().iter().zip(tile).map(|(&map, (columns, rows))| {
            let channels = self.graph.map(map).channels;
            channels.saturating_mul(columns).saturating_mul(rows)
        });
        let needed = pixels.fold(group.parameters(), u64::saturating_add);
        let features = group.border().saturating_mul(self.setting.batch);
        (needed <= self.setting.capacity()).then(|| features.saturating_add(group.parameters()))
    }
}

impl GroupCostModel for PriorCost<'_> {
    fn groups<'s>(&'s self, _: &'s IdBitSet<OperatorId>) -> Box<dyn IncrementalGroup + 's> {
        Box::new(PriorGroup { prices: self, operators: Vec::new(), costs: Vec::new() })
    }
}

struct PriorGroup<'a> {
    prices: &'a PriorCost<'a>,
    operators: Vec<OperatorId>,
    /// The cost after each operator.
    costs: Vec<Option<u64>>,
}

impl PriorGroup<'_> {
    fn cost(&self) -> Option<u64> {
        let mut ascending = self.operators.clone();
        ascending.sort_unstable();
        self.prices.of(&ascending)
    }
}

impl IncrementalGroup for PriorGroup<'_> {
    fn push(&mut self, id: OperatorId) -> bool {
        self.operators.push(id);
        let cost = self.cost();
        // The room that a group needs never shrinks as it grows.
        if cost.is_none() && self.operators.len() > 1 {
            self.operators.pop();
            return false;
        }
        self.costs.push(cost);
        true
    }

    fn pop(&mut self) {
        self.operators.pop();
        self.costs.pop();
    }

    fn lower_bound(&self) -> Option<u64> {
        self.costs.last().copied().flatten()
    }

    fn price(&mut self, operators: &[OperatorId], at_most: u64) -> Option<u64> {
        self.operators = operators.to_vec();
        self.cost().filter(|&cost| cost <= at_most)
    }
}
