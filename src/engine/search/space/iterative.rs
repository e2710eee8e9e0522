//! ZigZag's iterative search: one virtual memory level after the other, each the set of loop factors that saves the most
//! energy (ZigZag, Section IV-D).

use super::lattice::{Lattice, Node};
use super::scheme::{Scheme, even_ends, tiers};
use crate::hardware::{MAX_LEVELS, MemoryId};
use crate::ids::{TiVec, ti_vec};
use crate::mapping::{LayerOperand, OPERANDS};

/// The outcome of the search.
pub(super) struct IterativeResult {
    pub scheme: Scheme,
    /// Partial mappings evaluated.
    pub partial: u64,
}

struct State {
    node: Node,
    ends: [[Node; MAX_LEVELS]; OPERANDS],
    level: [usize; OPERANDS],
}

/// `None` where nothing fits.
pub(super) fn search(lattice: &Lattice<'_>) -> Option<IterativeResult> {
    let mut state = State { node: 0, ends: [[0; MAX_LEVELS]; OPERANDS], level: [0; OPERANDS] };
    let mut partial = 0;
    if !fits(lattice, &state, 0) {
        return None;
    }
    while let Some(closing) = smallest_roof(lattice, &state) {
        let mut best = (energy_pj(lattice, &state, state.node), state.node);
        larger(lattice, &state, state.node, 0, &mut |node| {
            partial += 1;
            let energy = energy_pj(lattice, &state, node);
            if energy < best.0 {
                best = (energy, node);
            }
        });
        state.node = best.1;
        let level = state.level[closing];
        state.ends[closing][level] = state.node;
        state.level[closing] += 1;
        if !fits(lattice, &state, state.node) {
            return None;
        }
    }
    let energy_pj = keep_stationary(lattice, &mut state);
    let is_even = even_ends(lattice, &tiers(lattice), &state.ends).is_some();
    Some(IterativeResult { scheme: Scheme { ends: state.ends, energy_pj, is_even, hash: 0 }, partial })
}

/// Orders the loops within the virtual levels so that what ends below them stays as long as it can, where it saves most
/// first. Returns the energy, pJ.
fn keep_stationary(lattice: &Lattice<'_>, state: &mut State) -> f64 {
    let mut least = energy_pj(lattice, state, state.node);
    loop {
        let mut best = None;
        for operand in LayerOperand::ALL {
            for level in 0..lattice.levels(operand) - 1 {
                let end = state.ends[operand][level];
                let next = next_end(lattice, state, end);
                let longer = with_irrelevant(lattice, operand, end, next);
                state.ends[operand][level] = longer;
                let energy = energy_pj(lattice, state, state.node);
                if energy < least {
                    least = energy;
                    best = Some((operand, level, longer));
                }
                state.ends[operand][level] = end;
            }
        }
        let Some((operand, level, longer)) = best else { return least };
        state.ends[operand][level] = longer;
    }
}

/// Where the next level above `end` ends; all such sets contain each other.
fn next_end(lattice: &Lattice<'_>, state: &State, end: Node) -> Node {
    let ends = LayerOperand::ALL
        .into_iter()
        .flat_map(|operand| state.ends[operand][..lattice.levels(operand) - 1].iter().copied());
    let above = ends.filter(|&other| other != end && lattice.contains(other, end));
    above.fold(lattice.full(), |least, other| if lattice.contains(least, other) { other } else { least })
}

/// A set with all loops up to `upper` that reuse what an operand has.
fn with_irrelevant(lattice: &Lattice<'_>, operand: LayerOperand, node: Node, upper: Node) -> Node {
    let mut longer = node;
    for factor in (0..lattice.factors.len()).filter(|factor| lattice.irrelevant[operand] >> factor & 1 == 1) {
        let missing = lattice.counts[upper as usize][factor] - lattice.counts[node as usize][factor];
        for _ in 0..missing {
            longer = lattice.with(longer, factor).unwrap_or(longer);
        }
    }
    longer
}

/// The operand whose level ends next: that at the lowest level; of these the one with the least space left.
fn smallest_roof(lattice: &Lattice<'_>, state: &State) -> Option<LayerOperand> {
    let open = LayerOperand::ALL.into_iter().filter(|&operand| state.level[operand] + 1 < lattice.levels(operand));
    open.min_by_key(|&operand| {
        let level = state.level[operand];
        let bits = bits(lattice, state, operand, level, state.node).max(1);
        (level, lattice.capacity(lattice.memory(operand, level)) / bits)
    })
}

/// Energy if the levels that are being filled end at `node`, and all further loops lie at the highest memory.
fn energy_pj(lattice: &Lattice<'_>, state: &State, node: Node) -> f64 {
    let boundaries = LayerOperand::ALL.into_iter().flat_map(|operand| {
        (0..lattice.levels(operand) - 1).map(move |level| {
            let end = if level < state.level[operand] { state.ends[operand][level] } else { node };
            lattice.price(operand, level, end)
        })
    });
    lattice.fixed_pj + boundaries.sum::<f64>()
}

fn bits(lattice: &Lattice<'_>, state: &State, operand: LayerOperand, level: usize, node: Node) -> u64 {
    let end = |level: usize| if level < state.level[operand] { state.ends[operand][level] } else { node };
    let lower = if level == 0 { 0 } else { end(level - 1) };
    lattice.bits(operand, level, lower, end(level))
}

/// Whether all levels up to those that are being filled hold what lies below `node`, those that share a memory together.
fn fits(lattice: &Lattice<'_>, state: &State, node: Node) -> bool {
    let mut used: TiVec<MemoryId, u64> = ti_vec![0; lattice.problem.core.memories.len()];
    for operand in LayerOperand::ALL {
        let top = lattice.levels(operand) - 1;
        for level in 0..=state.level[operand].min(top) {
            let bits = if level == top {
                lattice.bits(operand, top, lattice.full(), lattice.full())
            } else {
                bits(lattice, state, operand, level, node)
            };
            used[lattice.memory(operand, level)] += bits;
        }
    }
    used.iter_enumerated().all(|(memory, &used)| used <= lattice.capacity(memory))
}

/// All larger sets that fit.
fn larger(lattice: &Lattice<'_>, state: &State, node: Node, first: usize, visit: &mut dyn FnMut(Node)) {
    for factor in first..lattice.factors.len() {
        if let Some(next) = lattice.with(node, factor)
            && fits(lattice, state, next)
        {
            visit(next);
            larger(lattice, state, next, factor, visit);
        }
    }
}
