//! ZigZag's iterative search: one virtual memory level after the other, each the set of loop factors that saves the
//! most energy (ZigZag, Section IV-D).
//!
//! A greedy search: a level that is chosen is never changed, and is judged as if all loops above it lay at the highest
//! memory. So the result need not be optimal. It computes energies of some hundreds of partial schemes in each step.

use super::lattice::{FactorSet, Lattice};
use super::scheme::{MappingScheme, is_even};
use crate::hardware::{MAX_LEVELS, MemoryId};
use crate::ids::{TiVec, ti_vec};
use crate::mapping::{LayerOperand, OPERANDS};
use crate::search::constraints::shared_memories;

/// The outcome of the search.
pub(super) struct IterativeResult {
    pub scheme: MappingScheme,
    /// Partial mappings evaluated.
    pub partial: u64,
}

/// A partial scheme.
struct IterationState {
    /// The set of all factors placed so far.
    node: FactorSet,
    /// The sets at which levels end; unused for levels that have not ended.
    ends: [[FactorSet; MAX_LEVELS]; OPERANDS],
    /// The level of each operand that is being filled.
    level: [usize; OPERANDS],
}

/// Runs the search; `None` where it finds nothing that fits.
pub(super) fn search(lattice: &Lattice<'_>) -> Option<IterativeResult> {
    let mut state = IterationState { node: 0, ends: [[0; MAX_LEVELS]; OPERANDS], level: [0; OPERANDS] };
    let mut partial = 0;
    if !fits(lattice, &state, 0) {
        return None;
    }
    while let Some(closing) = smallest_roof(lattice, &state) {
        // A virtual level: of all supersets that fit the levels being filled, the one of least energy. No loop at all
        // is a choice, too.
        let mut best = (energy_pj(lattice, &state, state.node), state.node);
        larger(lattice, &state, state.node, 0, &mut |node| {
            partial += 1;
            let energy = energy_pj(lattice, &state, node);
            if energy < best.0 {
                best = (energy, node);
            }
        });
        // Only the operand with the smallest roof goes on to its next memory.
        state.node = best.1;
        let level = state.level[closing];
        state.ends[closing][level] = state.node;
        state.level[closing] += 1;
        if !fits(lattice, &state, state.node) {
            return None;
        }
    }
    let energy_pj = keep_stationary(lattice, &mut state);
    let is_even = is_even(lattice, &shared_memories(lattice.problem), &state.ends);
    Some(IterativeResult { scheme: MappingScheme { ends: state.ends, energy_pj, is_even, hash: 0 }, partial })
}

/// Orders the loops within the virtual levels for stationarity: a level that ends below takes all loops up to the next
/// end that are irrelevant to its operand. Levels compete for the innermost place, so the extension that saves most
/// comes first. Returns the energy, pJ.
fn keep_stationary(lattice: &Lattice<'_>, state: &mut IterationState) -> f64 {
    // Every round lowers the energy, so the loop ends.
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

/// The next larger set at which a level ends, or the set of all loops. These sets form a chain, so it is the smallest
/// that contains `end`.
fn next_end(lattice: &Lattice<'_>, state: &IterationState, end: FactorSet) -> FactorSet {
    let ends = LayerOperand::ALL
        .into_iter()
        .flat_map(|operand| state.ends[operand][..lattice.levels(operand) - 1].iter().copied());
    let above = ends.filter(|&other| other != end && lattice.contains(other, end));
    above.fold(lattice.full(), |least, other| if lattice.contains(least, other) { other } else { least })
}

/// The set `node` with all loops up to `upper` that are irrelevant to an operand.
fn with_irrelevant(lattice: &Lattice<'_>, operand: LayerOperand, node: FactorSet, upper: FactorSet) -> FactorSet {
    let mut longer = node;
    for factor in (0..lattice.factors.len()).filter(|factor| lattice.irrelevant[operand] >> factor & 1 == 1) {
        let missing = lattice.counts[upper as usize][factor] - lattice.counts[node as usize][factor];
        for _ in 0..missing {
            longer = lattice.with(longer, factor).unwrap_or(longer);
        }
    }
    longer
}

/// The operand whose level ends next, that of the smallest roof (ZigZag, Section IV-A): the lowest level, and among
/// these the one that can grow by the smallest factor. `None` once every operand fills its highest level.
fn smallest_roof(lattice: &Lattice<'_>, state: &IterationState) -> Option<LayerOperand> {
    let open = LayerOperand::ALL.into_iter().filter(|&operand| state.level[operand] + 1 < lattice.levels(operand));
    open.min_by_key(|&operand| {
        let level = state.level[operand];
        let bits = bits(lattice, state, operand, level, state.node).max(1);
        (level, lattice.capacity(lattice.memory(operand, level)) / bits)
    })
}

/// Energy if the levels that are being filled end at `node`, and all further loops lie at the highest memory.
fn energy_pj(lattice: &Lattice<'_>, state: &IterationState, node: FactorSet) -> f64 {
    let boundaries = LayerOperand::ALL.into_iter().flat_map(|operand| {
        (0..lattice.levels(operand) - 1).map(move |level| {
            let end = if level < state.level[operand] { state.ends[operand][level] } else { node };
            lattice.price(operand, level, end)
        })
    });
    lattice.fixed_pj + boundaries.sum::<f64>()
}

/// Bits of an operand's level, if levels that have not ended end at `node`.
fn bits(lattice: &Lattice<'_>, state: &IterationState, operand: LayerOperand, level: usize, node: FactorSet) -> u64 {
    let end = |level: usize| if level < state.level[operand] { state.ends[operand][level] } else { node };
    let lower = if level == 0 { 0 } else { end(level - 1) };
    lattice.bits(operand, level, lower, end(level))
}

/// Whether every memory has room for all levels up to those being filled, if these end at `node`, and for all of each
/// operand at its highest level once that is reached.
fn fits(lattice: &Lattice<'_>, state: &IterationState, node: FactorSet) -> bool {
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

/// Visits all larger sets that fit, with factors added in the order of their numbers from `first` on, so that each
/// comes once.
fn larger(
    lattice: &Lattice<'_>,
    state: &IterationState,
    node: FactorSet,
    first: usize,
    visit: &mut dyn FnMut(FactorSet),
) {
    for factor in first..lattice.factors.len() {
        if let Some(next) = lattice.with(node, factor)
            && fits(lattice, state, next)
        {
            visit(next);
            larger(lattice, state, next, factor, visit);
        }
    }
}
