//! The balance of every port by the links that it serves: why the array waits for it (ZigZag, Section III-C, Fig. 8).

use super::latency::{LinkActivity, union_of_windows};
use super::{LayerCost, PortStall, index};
use crate::hardware::Movement;
use crate::mapping::{LayerOnCore, LayerOperand};
use serde::{Deserialize, Serialize};

/// One port's balance over the whole layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PortBalance {
    /// Name of the memory.
    pub memory: String,
    /// Name of the port.
    pub port: String,
    /// Cycles that the array waits for it; negative: cycles in which it could carry more.
    pub cycles: i64,
    /// The links that it serves and that carry something.
    pub links: Vec<LinkBalance>,
    /// Cycles that the links wait for each other, beyond their own stalls: the cycles that all of them need within the
    /// time that they have, less `open_cycles`; 0 where that is negative.
    pub sharing_cycles: i64,
    /// Cycles of the whole layer in which at least one of the links may work.
    pub open_cycles: u64,
}

/// One link's balance, as if it had the port to itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkBalance {
    /// Name of the operand that it carries.
    pub operand: String,
    /// The data movement.
    pub movement: Movement,
    /// Cycles it needs, per period.
    pub needed_cycles: u64,
    /// Cycles in which it may work, per period.
    pub allowed_cycles: u64,
    /// Cycles of computation between two transfers.
    pub period: u64,
    /// Number of transfers.
    pub count: u64,
    /// Stall cycles over the whole layer; negative: slack. The first transfer counts as loading.
    pub cycles: i64,
}

/// The balance of every port of a mapped layer, in the order of the core's memories.
pub fn port_balances(problem: &LayerOnCore<'_>, cost: &LayerCost) -> Vec<PortBalance> {
    cost.latency.ports.iter().map(|stall| port_balance(problem, cost, stall)).collect()
}

/// The port that the array waits for; `None` where it never waits for one.
pub fn slowest_port(problem: &LayerOnCore<'_>, cost: &LayerCost) -> Option<PortBalance> {
    let slowest = cost.latency.ports.iter().max_by_key(|stall| stall.cycles)?;
    (slowest.cycles > 0).then(|| port_balance(problem, cost, slowest))
}

fn port_balance(problem: &LayerOnCore<'_>, cost: &LayerCost, stall: &PortStall) -> PortBalance {
    let memory = &problem.core.memories[stall.memory];
    let port = &memory.ports[stall.port];
    let mut links = Vec::new();
    for &(stored_as, movement) in &port.serves {
        for (operand, view) in problem.each_operand() {
            let level = view.memories.iter().position(|&id| id == stall.memory);
            if let Some(level) = level.filter(|_| view.stored_as == stored_as) {
                links.extend(link_balance(problem, cost, (operand, level), movement));
            }
        }
    }
    let own: i64 = links.iter().map(|link| link.cycles.max(0)).sum();
    let mut activities: Vec<LinkActivity> = links.iter().map(LinkBalance::activity).collect();
    let total_cycles = cost.latency.temporal_cycles;
    let open_cycles = if activities.is_empty() { 0 } else { union_of_windows(&mut activities, total_cycles) };
    PortBalance {
        memory: memory.name.clone(),
        port: port.name.clone(),
        cycles: stall.cycles,
        sharing_cycles: if links.len() > 1 { (stall.cycles - own).max(0) } else { 0 },
        links,
        open_cycles,
    }
}

impl LinkBalance {
    fn activity(&self) -> LinkActivity {
        let Self { needed_cycles: real, allowed_cycles: allowed, period, count, .. } = *self;
        LinkActivity { real, allowed, period, count }
    }

    /// Cycles that it needs over the whole layer within the time that it has; the first transfer counts as loading.
    pub fn cycles_within(&self) -> u64 {
        self.needed_cycles.min(self.allowed_cycles) * (self.count - 1)
    }
}

fn link_balance(
    problem: &LayerOnCore<'_>,
    cost: &LayerCost,
    (operand, level): (LayerOperand, usize),
    movement: Movement,
) -> Option<LinkBalance> {
    let link = &cost.amounts.links[operand][level][index(movement)];
    let needed_cycles = cost.latency.real_cycles[operand][level][index(movement)];
    let allowed_cycles = cost.latency.allowed_cycles[operand][level][index(movement)];
    (link.count > 0).then(|| LinkBalance {
        operand: problem.operand_name(operand).to_owned(),
        movement,
        needed_cycles,
        allowed_cycles,
        period: link.period,
        count: link.count,
        cycles: (needed_cycles as i64 - allowed_cycles as i64) * (link.count as i64 - 1),
    })
}
