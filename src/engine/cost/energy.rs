//! Accesses and energy (ZigZag, Section III; DeFiNES tool, cost_model.py:329-475).

use super::PerLink;
use super::amounts::{Amounts, Units};
use super::causes::{AccessCause, EnergyCause, EnergySplit};
use crate::hardware::{MAX_LEVELS, Movement};
use crate::mapping::{LayerOnCore, LayerOperand, OPERANDS};

/// Accesses and energy (pJ) of one mapped layer. Tables are by operand, memory level and movement.
#[derive(Debug, Clone)]
pub struct LayerEnergy {
    /// Accesses in full-width words of the memory; fractions where the granularity is finer.
    pub words: PerLink<f64>,
    /// Data elements moved by those accesses.
    pub elements: PerLink<f64>,
    /// Energy of those accesses.
    pub energy_pj: PerLink<f64>,
    /// Energy that no mapping changes, by cause; accesses are not part of it.
    pub fixed: EnergySplit,
    /// Energy of all accesses.
    pub memory_pj: f64,
    /// Energy of accesses and of all other causes.
    pub total_pj: f64,
}

impl LayerEnergy {
    pub(super) fn new(problem: &LayerOnCore<'_>, amounts: &Amounts, units: &Units<'_>) -> Self {
        let mut words = [[[0.0; 4]; MAX_LEVELS]; OPERANDS];
        let mut elements = words;
        let mut energy_pj = words;
        let mut access_pj = 0.0;
        for_each_access(amounts, units, |operand, level, movement, count, pj| {
            let link = &amounts.links[operand][level][movement as usize];
            words[operand][level][movement as usize] = count;
            energy_pj[operand][level][movement as usize] = pj;
            access_pj += pj;
            if link.precision > 0 {
                elements[operand][level][movement as usize] =
                    link.elements * link.count as f64 * units.all[operand][level + 1];
            }
        });
        let fixed = fixed_energy(problem);
        let total_pj = access_pj + fixed.total_pj();
        Self { words, elements, energy_pj, fixed, memory_pj: total_pj - fixed.total_pj(), total_pj }
    }

    /// All of it by cause, pJ.
    pub fn split(&self, problem: &LayerOnCore<'_>) -> EnergySplit {
        let mut split = self.fixed;
        for (index, operand) in problem.each_operand() {
            let cause = EnergyCause::Access(AccessCause::of_operand(operand.stored_as));
            for level in 0..operand.memories.len() {
                split[cause] += self.energy_pj[index][level].iter().sum::<f64>();
            }
        }
        split
    }
}

/// Energy that no mapping of a layer changes, by cause, pJ; accesses are not part of it.
pub fn fixed_energy(problem: &LayerOnCore<'_>) -> EnergySplit {
    EnergySplit::from_fn(|cause| match cause {
        EnergyCause::Access(_) => 0.0,
        EnergyCause::Mac if problem.vector_unit().is_some() => 0.0,
        EnergyCause::Mac if problem.in_memory.is_some() => {
            problem.in_memory.as_ref().map_or(0.0, |in_memory| in_memory.energy_pj.total())
        }
        EnergyCause::Mac => problem.shape.macs() as f64 * problem.shape.mac_pj(&problem.core.mac_energy),
        EnergyCause::Vector => problem
            .vector_unit()
            .map_or(0.0, |unit| problem.shape.iterations() as f64 * unit.energy_pj(&problem.shape.operations)),
    })
}

/// Energy of all causes, pJ.
pub(super) fn total_pj(problem: &LayerOnCore<'_>, amounts: &Amounts, units: &Units<'_>) -> f64 {
    let mut total = 0.0;
    for_each_access(amounts, units, |_, _, _, _, pj| total += pj);
    total + fixed_energy(problem).total_pj()
}

/// Calls `visit(operand, level, movement, words, energy)` for every data movement.
fn for_each_access(
    amounts: &Amounts,
    units: &Units<'_>,
    mut visit: impl FnMut(LayerOperand, usize, Movement, f64, f64),
) {
    for operand in LayerOperand::ALL {
        for (boundary, crossing) in units.boundaries[operand].iter().zip(&amounts.crossings[operand]) {
            boundary.for_each_access(crossing, |movement, level, words, pj| visit(operand, level, movement, words, pj));
        }
    }
}
