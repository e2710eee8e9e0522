//! Latency: stalls per port, loading, offloading (DATE 2022 latency model; DeFiNES tool, cost_model.py:475-840).

use super::amounts::Amounts;
use super::causes::{LatencyCause, LatencySplit};
use super::waiting::{loading, offloading, waiting_cycles};
use super::{PerLink, index};
use crate::hardware::{MAX_LEVELS, MemoryId, Movement, PortId};
use crate::mapping::{LayerOnCore, LayerOperand, OPERANDS};
use crate::sorting::sort_few_by_key;
use crate::workload::LayerKind;

/// The latency of one mapped layer by its parts, cycles.
#[derive(Debug, Clone)]
pub struct Latency {
    /// Ideal cycles: all PEs are always busy.
    pub ideal_cycles: f64,
    /// Temporal cycles: the PEs of the spatial mapping are always busy; the product of all temporal loops.
    pub temporal_cycles: u64,
    /// Stall: cycles that are added as some port cannot keep up.
    pub stall_cycles: u64,
    /// Loading: until the first inputs are in place. Whole cycles, except with ZigZag's reduction, which averages (and
    /// may go below 0).
    pub loading_cycles: f64,
    /// Offloading: until the last outputs are in place; whole cycles as loading.
    pub offloading_cycles: f64,
    /// Drain: until the last results have left a systolic array; part of [`LatencyCause::Offloading`].
    pub drain_cycles: u64,
    /// Whether ZigZag 3.9 fails at this mapping: some link that moves its data once takes fewer cycles than its least.
    pub tool_fails: bool,
    /// Whether offloading counts in the total.
    counts_offloading: bool,
    /// Ports in use, with their stall cycles; negative where they have slack.
    pub ports: Vec<PortStall>,
    /// Whether the level is double-buffered: the next data is loaded while the present is in use. By operand and memory level.
    pub double_buffered: [[bool; MAX_LEVELS]; OPERANDS],
    /// Cycles in which each link may work, per period.
    pub allowed_cycles: PerLink<u64>,
    /// Cycles that each link needs, per period.
    pub real_cycles: PerLink<u64>,
}

/// The cycles of one cause of latency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CauseCycles {
    /// A whole number of cycles.
    Whole(u64),
    /// Cycles that the rules may make fractional, or negative.
    Fractional(f64),
}

impl CauseCycles {
    /// The number of cycles, with its fraction.
    pub fn exact(self) -> f64 {
        match self {
            Self::Whole(cycles) => cycles as f64,
            Self::Fractional(cycles) => cycles,
        }
    }
}

/// One port's balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortStall {
    /// The memory that the port belongs to.
    pub memory: MemoryId,
    /// The port, which serves one or more movements.
    pub port: PortId,
    /// Stall cycles over the whole layer; negative: slack.
    pub cycles: i64,
}

/// One link as a port sees it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LinkActivity {
    pub real: u64,
    pub allowed: u64,
    pub period: u64,
    pub count: u64,
}

impl LinkActivity {
    /// Stall (or, negative, slack) without other links on the port. A link used once never stalls.
    fn stall(&self) -> i64 {
        (self.real as i64 - self.allowed as i64) * (self.count as i64 - 1)
    }
}

impl Latency {
    /// `amounts` determines which levels are double-buffered, `peak` the amount of data.
    pub(super) fn new(problem: &LayerOnCore<'_>, amounts: &Amounts, peak: &Amounts) -> Self {
        let double_buffered = double_buffered(problem, amounts);
        let mut allowed_cycles = [[[0; 4]; MAX_LEVELS]; OPERANDS];
        let mut real_cycles = allowed_cycles;
        for (operand, view) in problem.each_operand() {
            for (level, &memory) in view.memories.iter().enumerate() {
                for movement in Movement::ALL {
                    let link = &peak.links[operand][level][index(movement)];
                    // The window is that of the lower side, as there new data must not overwrite the data in use.
                    let lower = if movement.is_low() { level } else { level + 1 };
                    let relaxed = lower > 0 && double_buffered[operand][lower - 1];
                    allowed_cycles[operand][level][index(movement)] =
                        if relaxed { link.period } else { link.period / peak.top_irrelevant[operand][lower] };
                    let bits = link.elements * link.precision as f64;
                    real_cycles[operand][level][index(movement)] =
                        problem.core.memories[memory].transfer_cycles(bits, view.stored_as, movement);
                }
            }
        }
        let ports = port_stalls(problem, peak, &allowed_cycles, &real_cycles);
        let stall_cycles = longest_stall(&ports);
        let first = with_memory_latency(problem, &real_cycles);
        let (waiting, tool_fails) = waiting_cycles(problem, peak, &first, peak.total_cycles + stall_cycles);
        Self {
            ideal_cycles: ideal_cycles(problem),
            temporal_cycles: peak.total_cycles,
            stall_cycles,
            loading_cycles: loading(problem, &waiting),
            offloading_cycles: offloading(problem, &waiting),
            drain_cycles: problem.drain_cycles,
            tool_fails,
            counts_offloading: !problem.rules.latency_without_offloading,
            ports,
            double_buffered,
            allowed_cycles,
            real_cycles,
        }
    }

    /// Stall cycles without requests ahead of time: if every transfer waited for the latency of the memory that it
    /// reads. `peak` are the amounts from which the latency was computed.
    pub(super) fn stall_cycles_not_asked_ahead(&self, problem: &LayerOnCore<'_>, peak: &Amounts) -> u64 {
        let real_cycles = with_memory_latency(problem, &self.real_cycles);
        longest_stall(&port_stalls(problem, peak, &self.allowed_cycles, &real_cycles))
    }

    /// The cycles of a cause, whether or not the rules count it.
    pub fn of(&self, cause: LatencyCause) -> CauseCycles {
        match cause {
            LatencyCause::Computing => CauseCycles::Whole(self.temporal_cycles),
            LatencyCause::Stall => CauseCycles::Whole(self.stall_cycles),
            LatencyCause::Loading => CauseCycles::Fractional(self.loading_cycles),
            LatencyCause::Offloading => CauseCycles::Fractional(self.offloading_cycles + self.drain_cycles as f64),
            LatencyCause::Copy => CauseCycles::Whole(0),
        }
    }

    /// The cycles of a cause in the total, before it is rounded: 0 where the rules do not count it.
    pub fn counted(&self, cause: LatencyCause) -> f64 {
        if self.counts(cause) { self.of(cause).exact() } else { 0.0 }
    }

    /// Computation and stalls only (`latency_total0` of the tool): the causes that take whole cycles.
    pub fn computing_cycles(&self) -> u64 {
        self.sums().0
    }

    /// The layer's latency, with fractions where the rules make some; whether it waits for the last outputs depends on the
    /// rules.
    pub fn exact_cycles(&self) -> f64 {
        let (whole, fractional) = self.sums();
        whole as f64 + fractional
    }

    /// The layer's latency in whole cycles.
    pub fn total_cycles(&self) -> u64 {
        let (whole, fractional) = self.sums();
        whole.saturating_add_signed(fractional.ceil() as i64)
    }

    /// All of it by cause, in whole cycles that add up to the total; a cause that rules make negative counts as 0.
    pub fn split(&self) -> LatencySplit {
        let mut left = self.total_cycles().saturating_sub(self.computing_cycles());
        LatencySplit::from_fn(self.ideal_cycles, |cause| match self.of(cause) {
            CauseCycles::Whole(cycles) => cycles,
            CauseCycles::Fractional(_) => {
                // The first causes are rounded up, as far as the rounded total has room.
                let cycles = (self.counted(cause).ceil() as u64).min(left);
                left -= cycles;
                cycles
            }
        })
    }

    /// Whether a cause is part of the total.
    fn counts(&self, cause: LatencyCause) -> bool {
        cause != LatencyCause::Offloading || self.counts_offloading
    }

    /// Sums over all causes that count: whole cycles, and those that may have fractions.
    fn sums(&self) -> (u64, f64) {
        let counted = LatencyCause::ALL.into_iter().filter(|cause| self.counts(*cause));
        counted.fold((0, 0.0), |(whole, fractional), cause| match self.of(cause) {
            CauseCycles::Whole(cycles) => (whole + cycles, fractional),
            CauseCycles::Fractional(cycles) => (whole, fractional + cycles),
        })
    }
}

/// Cycles with all PEs, or all lanes, busy.
fn ideal_cycles(problem: &LayerOnCore<'_>) -> f64 {
    let busy = problem.shape.iterations() as f64 / problem.pe_count() as f64;
    (if problem.rules.ideal_cycles_rounded_up { busy.ceil() } else { busy }) * problem.iteration_cycles as f64
}

/// Cycles until the first transfer of each link has arrived: those in which its port works, and those in which the
/// memory that is read answers.
pub(super) fn with_memory_latency(problem: &LayerOnCore<'_>, real: &PerLink<u64>) -> PerLink<u64> {
    let mut first = *real;
    for (operand, view) in problem.each_operand() {
        for (level, first) in first[operand].iter_mut().enumerate().take(view.memories.len()) {
            for movement in Movement::ALL {
                let source = match movement {
                    Movement::ReadToLow | Movement::ReadToHigh => Some(level),
                    Movement::WriteFromLow => level.checked_sub(1),
                    Movement::WriteFromHigh => Some(level + 1),
                };
                let memory = source.and_then(|level| view.memories.get(level));
                let cycles = &mut first[index(movement)];
                if let Some(&memory) = memory.filter(|_| *cycles > 0) {
                    *cycles += problem.answer_cycles(memory);
                }
            }
        }
    }
    first
}

/// The levels that hold their data twice, as far as the memories have room for that: counted in bits, or in shares of
/// the memory.
fn double_buffered(problem: &LayerOnCore<'_>, amounts: &Amounts) -> [[bool; MAX_LEVELS]; OPERANDS] {
    let mut granted = [[false; MAX_LEVELS]; OPERANDS];
    // The order in which layers list their operands: O, W, I, but O, I, W of matrices.
    let order = match problem.shape.kind {
        LayerKind::MatMul => [LayerOperand::Output, LayerOperand::Second, LayerOperand::First],
        _ => LayerOperand::ALL,
    };
    for memory in problem.core.memories.keys() {
        if problem.never_double_buffers(memory) {
            continue;
        }
        let size = problem.room_bits(memory) as f64;
        let (unit, capacity) = if problem.rules.double_buffers_by_rounded_shares { (size, 1.0) } else { (1.0, size) };
        let mut demands = [(LayerOperand::Output, 0, 0.0); OPERANDS];
        let (mut count, mut used) = (0, 0.0);
        for operand in order {
            let Some(level) = problem.operands[operand].memories.iter().position(|&id| id == memory) else { continue };
            // Outer relevant loops replace the data part by part; only a part is needed twice.
            let held = amounts.bits_held(operand, level);
            let part = (held / amounts.top_relevant[operand][level + 1] as f64).floor();
            demands[count] = (operand, level, part / unit);
            used += if problem.rules.double_buffers_beside_parts { part } else { held.ceil() } / unit;
            count += 1;
        }
        let demands = &mut demands[..count];
        let by_design = |operand: LayerOperand, level: usize| {
            !problem.rules.forced_double_buffers_granted_as_others && amounts.is_double_by_design(operand, level)
        };
        if !problem.rules.double_buffer_by_operand_order {
            sort_few_by_key(demands, |demand| demand.2);
        }
        for &mut (operand, level, part) in demands {
            if used <= 0.5 * capacity {
                granted[operand][level] = true;
            } else if part <= capacity - used || by_design(operand, level) {
                granted[operand][level] = true;
                used += part;
            }
        }
    }
    granted
}

/// All ports stall at the same time, so that the longest stall counts.
fn longest_stall(ports: &[PortStall]) -> u64 {
    ports.iter().map(|port| port.cycles).max().unwrap_or(0).max(0) as u64
}

fn port_stalls(
    problem: &LayerOnCore<'_>,
    amounts: &Amounts,
    allowed: &PerLink<u64>,
    real: &PerLink<u64>,
) -> Vec<PortStall> {
    let mut stalls = Vec::new();
    for (memory, description) in problem.core.memories.iter_enumerated() {
        for (port, serves) in description.ports.iter_enumerated() {
            let mut activities = [LinkActivity::default(); 4 * OPERANDS];
            let mut count = 0;
            for &(stored_as, movement) in &serves.serves {
                for (operand, view) in problem.each_operand() {
                    if view.stored_as != stored_as {
                        continue;
                    }
                    let Some(level) = view.memories.iter().position(|&id| id == memory) else { continue };
                    let link = &amounts.links[operand][level][index(movement)];
                    if link.count > 0 {
                        activities[count] = LinkActivity {
                            real: real[operand][level][index(movement)],
                            allowed: allowed[operand][level][index(movement)],
                            period: link.period,
                            count: link.count,
                        };
                        count += 1;
                    }
                }
            }
            if count > 0 {
                stalls.push(PortStall {
                    memory,
                    port,
                    cycles: combined_stall(&mut activities[..count], amounts.total_cycles),
                });
            }
        }
    }
    stalls
}

/// Stall of one port that several links share: the stall of each link, and the cycles that do not fit into those in
/// which at least one of them may work.
fn combined_stall(links: &mut [LinkActivity], total_cycles: u64) -> i64 {
    if let [only] = links {
        return only.stall();
    }
    let own: i64 = links.iter().map(|link| link.stall().max(0)).sum();
    let slack: i64 = links.iter().map(|link| link.stall().min(0)).sum();
    let windows: i64 = links.iter().map(|link| link.allowed as i64 * (link.count as i64 - 1)).sum();
    own + (slack + windows - union_of_windows(links, total_cycles) as i64).max(0)
}

/// Cycles of the whole layer in which at least one link may work.
///
/// Link `i` may work in the first `allowed` cycles of each of its periods, also where nothing comes: partial sums are read back once
/// less. As all operands share one order of loops, every period divides the next longer one, and the layer.
pub(super) fn union_of_windows(links: &mut [LinkActivity], total_cycles: u64) -> u64 {
    if links.iter().any(|link| link.allowed == link.period) {
        return total_cycles;
    }
    sort_few_by_key(links, |link| link.period);
    let longest = links[links.len() - 1];
    covered(links, longest.period) * (total_cycles / longest.period)
}

/// Cycles among the first `span` that the windows of `links` cover.
fn covered(links: &[LinkActivity], span: u64) -> u64 {
    let Some((longest, shorter)) = links.split_last() else { return 0 };
    let window = longest.allowed.min(longest.period);
    // Within one period everything up to `window` is covered, later only the cycles that the shorter periods cover.
    let within =
        |rest: u64| if rest <= window { rest } else { window + covered(shorter, rest) - covered(shorter, window) };
    match span / longest.period {
        0 => within(span),
        periods => periods * within(longest.period) + within(span % longest.period),
    }
}

#[cfg(test)]
mod tests {
    use super::{LinkActivity, union_of_windows};

    /// Marks every single cycle.
    fn counted(links: &[LinkActivity], total: u64) -> u64 {
        let open = |cycle: &u64| links.iter().any(|link| cycle % link.period < link.allowed);
        (0..total).filter(open).count() as u64
    }

    #[test]
    fn windows_are_united_as_if_every_cycle_were_marked() {
        let periods = [1, 2, 6, 12, 60];
        let total = 120;
        for mask in 1..1_u32 << periods.len() {
            for seed in 0..40_u64 {
                let chosen = periods.iter().enumerate().filter(|(index, _)| mask >> index & 1 == 1);
                let mut links: Vec<LinkActivity> = chosen
                    .map(|(index, &period)| {
                        let allowed = 1 + (seed * 7919 + index as u64 * 104_729) % period;
                        // Partial sums are not read back in the first pass.
                        LinkActivity { real: 1, allowed, period, count: (total / period - seed % 2).max(1) }
                    })
                    .collect();
                assert_eq!(union_of_windows(&mut links, total), counted(&links, total), "{links:?}");
            }
        }
    }
}
