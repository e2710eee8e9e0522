//! Loading and offloading: inputs that computation waits for, and outputs that wait for it (DATE 2022 latency model; DeFiNES tool,
//! cost_model.py:700-840; ZigZag, cost_model.py:805-1035).

use super::amounts::Amounts;
use super::{PerLink, index};
use crate::hardware::{MemoryId, Movement, Operand};
use crate::mapping::{LayerOnCore, LayerOperand, operands_in};
use crate::sorting::sort_few_by_key;

/// Cycles of the one transfer of each link before or after the computation: `real` of its port, less those that overlap
/// with the computation.
///
/// Only in ZigZag they overlap; then they may be fractional, and negative where its reduction goes wrong. The second
/// result is whether ZigZag 3.9 fails there, as the least of some link exceeds its cycles.
pub(super) fn waiting_cycles(
    problem: &LayerOnCore<'_>,
    amounts: &Amounts,
    real: &PerLink<u64>,
    computing_cycles: u64,
) -> (PerLink<f64>, bool) {
    let mut waiting = real.map(|operand| operand.map(|level| level.map(|cycles| cycles as f64)));
    let mut fails = false;
    if problem.rules.loading_overlaps_computation {
        for (memory, description) in problem.core.memories.iter_enumerated() {
            for port in &description.ports {
                let port = PortInUse::new(problem, amounts, memory, &port.serves, &waiting);
                let mut once = port.once;
                let idle = (port.width_bits - port.busy_bits) / port.width_bits * computing_cycles as f64;
                if problem.rules.loading_reduction_repeats {
                    reduce_repeatedly(&mut once, idle.max(0.0));
                } else if problem.rules.loading_reduction_longest_first {
                    fails |= idle > 0.0 && once.iter().any(|link| link.cycles < link.least);
                    reduce_longest_first(&mut once, idle.max(0.0));
                } else {
                    reduce(&mut once, idle.max(0.0));
                }
                for link in once {
                    let (operand, level, movement) = link.place;
                    waiting[operand][level][index(movement)] = link.cycles;
                }
            }
        }
    }
    (waiting, fails)
}

/// One port, its links sorted by their number of transfers.
struct PortInUse {
    width_bits: f64,
    /// Average bits per cycle of the links that move data repeatedly.
    busy_bits: f64,
    once: Vec<OnceLink>,
}

/// A link that moves its data once.
struct OnceLink {
    /// Operand, level and movement.
    place: (LayerOperand, usize, Movement),
    cycles: f64,
    /// Cycles for the data with which the operand's lowest memory begins.
    least: f64,
}

impl PortInUse {
    fn new(
        problem: &LayerOnCore<'_>,
        amounts: &Amounts,
        memory: MemoryId,
        serves: &[(Operand, Movement)],
        cycles: &PerLink<f64>,
    ) -> Self {
        let mut port = Self { width_bits: 1.0, busy_bits: 0.0, once: Vec::new() };
        let adds = |(operand, movement): (Operand, Movement)| {
            operand == Operand::O && matches!(movement, Movement::ReadToLow | Movement::WriteFromHigh)
        };
        // Where links are equally long, the result of ZigZag's reduction depends on the order.
        for operand in operands_in(problem, memory) {
            let view = &problem.operands[operand];
            let Some(level) = view.memories.iter().position(|&id| id == memory) else { continue };
            for &(stored_as, movement) in serves.iter().filter(|&&served| served.0 == view.stored_as && !adds(served)) {
                let link = &amounts.links[operand][level][index(movement)];
                if link.count == 0 {
                    continue;
                }
                port.width_bits = problem.core.memories[memory].width_bits(stored_as, movement) as f64;
                if link.count > 1 {
                    // A period of iterations that take several cycles: the tool rounds down for one cycle each, then up.
                    let cycles = problem.in_memory.as_ref().map_or(1.0, |array| array.cycles as f64);
                    let average = amounts.average_demand((operand, level, movement), cycles);
                    port.busy_bits += (average.trunc() / cycles).ceil();
                } else {
                    port.once.push(OnceLink {
                        place: (operand, level, movement),
                        cycles: cycles[operand][level][index(movement)],
                        least: (amounts.bits_held(operand, 0) / port.width_bits).ceil(),
                    });
                }
            }
        }
        sort_few_by_key(&mut port.once, |link| -link.cycles);
        port
    }
}

/// Levels the links down together, the longest first and none below its least, by `idle` cycles in total.
fn reduce(links: &mut [OnceLink], idle: f64) {
    let lowered = |link: &OnceLink, level: f64| level.min(link.cycles).max(link.least.min(link.cycles));
    let saved = |level: f64| links.iter().map(|link| link.cycles - lowered(link, level)).sum::<f64>();
    // Between these levels the same links are lowered.
    let mut levels: Vec<f64> = links.iter().flat_map(|link| [link.cycles, link.least.min(link.cycles)]).collect();
    sort_few_by_key(&mut levels, |level| -level);
    let above = levels.windows(2).find(|pair| saved(pair[1]) > idle);
    let level = match above {
        Some(&[high, low]) => high - (idle - saved(high)) * (high - low) / (saved(low) - saved(high)),
        _ => levels.last().copied().unwrap_or(0.0),
    };
    for link in links {
        link.cycles = lowered(link, level);
    }
}

/// Lowers the longest link to its least, then the next, by `idle` cycles in total, as ZigZag 3.9 does. A link whose least is more than it
/// takes stays as it is.
fn reduce_longest_first(links: &mut [OnceLink], mut idle: f64) {
    for link in links {
        let taken = (link.cycles - link.least).max(0.0).min(idle);
        link.cycles -= taken;
        idle -= taken;
    }
}

/// Levels the links down as ZigZag 3.8 does: the cycles by which a later link is lowered are taken from all earlier
/// ones again, though they were lowered already (cost_model.py:1176-1209).
fn reduce_repeatedly(links: &mut [OnceLink], mut idle: f64) {
    for last in 0..links.len() {
        let gap = links[last].cycles - links[last].least;
        let count = (last + 1) as f64;
        let taken = if idle >= gap * count { gap } else { idle / count };
        for link in &mut links[..=last] {
            link.cycles -= taken;
        }
        if taken < gap {
            return;
        }
        idle -= gap * count;
    }
}

/// Cycles until the first inputs have come down all levels, one level after the other.
pub(super) fn loading(problem: &LayerOnCore<'_>, waiting: &PerLink<f64>) -> f64 {
    LoadingParts::together(&LayerOperand::INPUTS.map(|operand| LoadingParts::new(problem, operand, waiting)))
}

/// Loading cycles of one input.
#[derive(Debug, Clone, Copy, Default)]
struct LoadingParts {
    /// Cycles in which both ports that the data passes serve the other input, too.
    shared: f64,
    /// Cycles of all other loading, and those in which a memory answers: the other input's request has followed at once.
    own: f64,
}

impl LoadingParts {
    fn new(problem: &LayerOnCore<'_>, operand: LayerOperand, waiting: &PerLink<f64>) -> Self {
        let memories = &problem.operands[operand].memories;
        // The array waits for the first words of the lowest memory.
        let is_read = waiting[operand][0][index(Movement::ReadToLow)] > 0.0;
        let own = if is_read { problem.answer_cycles(memories[0]) as f64 } else { 0.0 };
        let mut parts = Self { shared: 0.0, own };
        for low in 0..memories.len() - 1 {
            let cycles = waiting[operand][low][index(Movement::WriteFromHigh)]
                .max(waiting[operand][low + 1][index(Movement::ReadToLow)]);
            match loading_part(problem, operand, low) {
                Some(LoadingPart::Shared) => {
                    // ZigZag's reduction may leave fewer than no cycles.
                    let answer = cycles.min(problem.answer_cycles(memories[low + 1]) as f64).max(0.0);
                    parts.shared += cycles - answer;
                    parts.own += answer;
                }
                Some(LoadingPart::Own) => parts.own += cycles,
                None => {}
            }
        }
        parts
    }

    /// Where both inputs use the same port they wait for each other; the better order of the two counts.
    fn together([first, second]: &[Self; 2]) -> f64 {
        let in_order = |p: &Self, q: &Self| p.shared + (q.shared + q.own).max(p.own);
        in_order(first, second).min(in_order(second, first))
    }
}

/// Which of [`LoadingParts`] loading an input from memory `low + 1` to memory `low` belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoadingPart {
    Shared,
    Own,
}

/// See [`LoadingPart`]; `None` where the rules leave it out.
pub(super) fn loading_part(problem: &LayerOnCore<'_>, operand: LayerOperand, low: usize) -> Option<LoadingPart> {
    let memories = &problem.operands[operand].memories;
    let shared = |low: usize| {
        [(low, Movement::WriteFromHigh), (low + 1, Movement::ReadToLow)]
            .map(|(level, movement)| shared_by_inputs(problem, operand, memories[level], movement))
    };
    let is_half = |low: usize| matches!(shared(low), [true, false] | [false, true]);
    if shared(low) == [true, true] {
        return Some(LoadingPart::Shared);
    }
    // In the tools a higher pair of levels that shares one port overwrites this one.
    let overwritten =
        problem.rules.half_shared_loading_overwritten && is_half(low) && (low + 1..memories.len() - 1).any(is_half);
    (!overwritten).then_some(LoadingPart::Own)
}

/// Whether the port that serves this movement also serves the other input.
fn shared_by_inputs(problem: &LayerOnCore<'_>, operand: LayerOperand, memory: MemoryId, movement: Movement) -> bool {
    let other =
        &problem.operands[if operand == LayerOperand::First { LayerOperand::Second } else { LayerOperand::First }];
    let mine = problem.operands[operand].stored_as;
    let description = &problem.core.memories[memory];
    let port = description.port(mine, movement).map(|port| &description.ports[port]);
    other.memories.contains(&memory)
        && port.is_some_and(|port| port.serves.iter().any(|(served, _)| *served == other.stored_as))
}

/// Cycles until the last outputs have gone up.
pub(super) fn offloading(problem: &LayerOnCore<'_>, waiting: &PerLink<f64>) -> f64 {
    let memories = &problem.operands[0].memories;
    debug_assert_eq!(problem.operands[0].stored_as, Operand::O);
    let link = |low: usize| {
        waiting[0][low][index(Movement::ReadToHigh)].max(waiting[0][low + 1][index(Movement::WriteFromLow)])
    };
    let Some(top) = memories.len().checked_sub(2) else { return 0.0 };
    let below: f64 = (0..top)
        .map(|low| {
            if problem.rules.offloading_pays_top_link_only {
                problem.core.memories[memories[low + 1]].latency_cycles as f64
            } else {
                link(low)
            }
        })
        .sum();
    link(top) + below
}

#[cfg(test)]
mod tests {
    use super::{LoadingParts, OnceLink, reduce, reduce_longest_first, reduce_repeatedly};
    use crate::hardware::Movement;
    use crate::mapping::LayerOperand;

    fn reduced(by: fn(&mut [OnceLink], f64), links: &[(f64, f64)], idle: f64) -> Vec<f64> {
        let link = |&(cycles, least): &(f64, f64)| OnceLink {
            place: (LayerOperand::Output, 0, Movement::ReadToLow),
            cycles,
            least,
        };
        let mut links: Vec<OnceLink> = links.iter().map(link).collect();
        by(&mut links, idle);
        links.iter().map(|link| link.cycles).collect()
    }

    #[test]
    fn idle_cycles_level_the_longest_links_down_to_what_they_need_at_least() {
        for (links, idle, expected) in [
            (vec![], 5.0, vec![]),
            (vec![(10.0, 2.0)], 3.0, vec![7.0]),
            (vec![(10.0, 2.0)], 30.0, vec![2.0]),
            (vec![(10.0, 1.0), (6.0, 1.0)], 3.0, vec![7.0, 6.0]),
            (vec![(10.0, 1.0), (6.0, 1.0)], 6.0, vec![5.0, 5.0]),
            (vec![(10.0, 8.0), (6.0, 1.0)], 4.0, vec![8.0, 4.0]),
            (vec![(10.0, 1.0), (6.0, 5.0), (6.0, 1.0)], 9.0, vec![4.0, 5.0, 4.0]),
            (vec![(4.0, 8.0)], 2.0, vec![4.0]),
        ] {
            assert_eq!(reduced(reduce, &links, idle), expected, "{links:?} by {idle}");
        }
    }

    #[test]
    fn the_tool_takes_the_gap_of_a_later_link_from_all_earlier_ones() {
        assert_eq!(reduced(reduce_repeatedly, &[(10.0, 2.0)], 3.0), [7.0]);
        assert_eq!(reduced(reduce_repeatedly, &[(10.0, 2.0), (6.0, 1.0)], 100.0), [-3.0, 1.0]);
        assert_eq!(reduced(reduce_repeatedly, &[(10.0, 2.0), (6.0, 1.0)], 12.0), [0.0, 4.0]);
    }

    #[test]
    fn the_later_tool_lowers_the_longest_link_first() {
        assert_eq!(reduced(reduce_longest_first, &[(10.0, 2.0)], 3.0), [7.0]);
        assert_eq!(reduced(reduce_longest_first, &[(10.0, 2.0), (6.0, 1.0)], 5.0), [5.0, 6.0]);
        assert_eq!(reduced(reduce_longest_first, &[(10.0, 2.0), (6.0, 1.0)], 12.0), [2.0, 2.0]);
        assert_eq!(reduced(reduce_longest_first, &[(10.0, 2.0), (4.0, 8.0), (3.0, 1.0)], 100.0), [2.0, 4.0, 1.0]);
    }

    /// Cycles until both inputs are loaded, cycle by cycle: the shared ports serve the inputs in their order, and each
    /// input goes on independently after these ports.
    fn loaded_in_order(inputs: [(u32, u32); 2]) -> u32 {
        let mut left = inputs;
        for cycle in 0.. {
            if left == [(0, 0); 2] {
                return cycle;
            }
            for (shared, own) in &mut left {
                if *shared == 0 {
                    *own = own.saturating_sub(1);
                }
            }
            if let Some((shared, _)) = left.iter_mut().find(|(shared, _)| *shared > 0) {
                *shared -= 1;
            }
        }
        unreachable!()
    }

    #[test]
    fn two_inputs_pass_shared_ports_in_the_order_that_is_done_earlier() {
        for case in 0..5_u32.pow(4) {
            let [a, b, c, d] = [1, 5, 25, 125].map(|place| case / place % 5);
            let earlier = loaded_in_order([(a, b), (c, d)]).min(loaded_in_order([(c, d), (a, b)]));
            let part = |(shared, own): (u32, u32)| LoadingParts { shared: shared.into(), own: own.into() };
            assert_eq!(LoadingParts::together(&[part((a, b)), part((c, d))]), f64::from(earlier), "{a} {b} {c} {d}");
        }
    }
}
