//! Accesses and energy (ZigZag, Section III; DeFiNES tool, cost_model.py:329-475).

use super::amounts::{Amounts, Link, UnitCounts};
use super::{PerLink, index};
use crate::hardware::{Memory, Movement};
use crate::mapping::{LayerOnCore, OPERANDS};

/// Where the energy of one layer goes, pJ.
#[derive(Debug, Clone)]
pub struct Energy {
    /// Accesses in full-width words of the memory; fractions where the granularity is finer.
    pub words: PerLink<f64>,
    /// Data elements moved by those accesses.
    pub elements: PerLink<f64>,
    /// Energy of those accesses.
    pub energy_pj: PerLink<f64>,
    /// Energy of all multiply-accumulates.
    pub mac_pj: f64,
    /// Energy of all accesses.
    pub memory_pj: f64,
    /// Both.
    pub total_pj: f64,
}

impl Energy {
    pub(super) fn new(problem: &LayerOnCore<'_>, amounts: &Amounts, units: &UnitCounts) -> Self {
        let mut words = PerLink::default();
        let mut elements = PerLink::default();
        let mut energy_pj = PerLink::default();
        for_each_link(problem, amounts, units, |operand, level, movement, link, count, pj| {
            words[operand][level][index(movement)] = count;
            energy_pj[operand][level][index(movement)] = pj;
            if link.precision > 0 {
                elements[operand][level][index(movement)] =
                    link.elements * link.count as f64 * units.all[operand][level + 1];
            }
        });
        let mac_pj = mac_pj(problem);
        let total_pj = total_pj(problem, amounts, units);
        Self { words, elements, energy_pj, mac_pj, memory_pj: total_pj - mac_pj, total_pj }
    }
}

fn mac_pj(problem: &LayerOnCore<'_>) -> f64 {
    problem.shape.macs() as f64 * problem.core.mac_energy_pj
}

/// Energy of all accesses and multiply-accumulates, pJ.
pub(super) fn total_pj(problem: &LayerOnCore<'_>, amounts: &Amounts, units: &UnitCounts) -> f64 {
    let mut total = 0.0;
    for_each_link(problem, amounts, units, |_, _, _, _, _, pj| total += pj);
    total + mac_pj(problem)
}

/// Calls `visit(operand, level, movement, link, words, energy)` for every data movement.
fn for_each_link(
    problem: &LayerOnCore<'_>,
    amounts: &Amounts,
    units: &UnitCounts,
    mut visit: impl FnMut(usize, usize, Movement, &Link, f64, f64),
) {
    for operand in 0..OPERANDS {
        let memories = &problem.operands[operand].memories;
        let mut below: Option<&Memory> = None;
        for (level, &memory) in memories.iter().enumerate() {
            let memory = &problem.core.memories[memory];
            let fan_out = units.unique[operand][level] / units.unique[operand][level + 1];
            for movement in Movement::ALL {
                let link = &amounts.links[operand][level][index(movement)];
                if link.count > 0 {
                    let words =
                        words_of(problem, memory, below, movement, link, fan_out) * units.all[operand][level + 1];
                    visit(operand, level, movement, link, words, words * memory.word_energy_pj(movement));
                }
            }
            below = Some(memory);
        }
    }
}

/// Words of one instance that a link takes over the whole layer.
///
/// What moves between two memories goes in chunks, as wide as the narrower side allows; each chunk reads or writes
/// whole granules.
fn words_of(
    problem: &LayerOnCore<'_>,
    memory: &Memory,
    below: Option<&Memory>,
    movement: Movement,
    link: &Link,
    fan_out: f64,
) -> f64 {
    let precision = link.precision as f64;
    if link.elements == 0.0 || link.precision == 0 || link.count == 0 {
        return 0.0;
    }
    let Some(below) = below.filter(|_| movement.is_low()) else {
        return memory.words(link.elements * precision, movement) * link.count as f64;
    };
    let width_below = if movement.is_read() { below.write_width_bits } else { below.read_width_bits } as f64;
    let width = memory.width_bits(movement) as f64;
    let chunk = (width_below * fan_out / precision).min(width / precision).min(link.elements);
    let words = if problem.rules.last_chunk_charged_in_full {
        memory.words(chunk * precision, movement) * (link.elements / chunk).ceil()
    } else {
        let full = (link.elements / chunk).floor();
        let rest = link.elements - full * chunk;
        let rest = if rest > 1e-9 * chunk { memory.words(rest * precision, movement) } else { 0.0 };
        memory.words(chunk * precision, movement) * full + rest
    };
    words * link.count as f64
}
