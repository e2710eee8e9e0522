//! What data costs that crosses each boundary, when given loops lie below it: the price does not depend on their order.

use super::amounts::Amounts;
use super::{Energy, Evaluator};
use crate::hardware::{MAX_LEVELS, Movement};
use crate::mapping::{Allocation, OPERANDS, TemporalLoop};

impl Evaluator<'_> {
    /// Energy of everything that crosses the boundary above each memory level of each operand, pJ, if the loops below it
    /// are `below` and those above it `above`. 0 at the highest level.
    pub fn boundary_energy_pj(&self, below: &[TemporalLoop], above: &[TemporalLoop]) -> [[f64; MAX_LEVELS]; OPERANDS] {
        let energy = self.energy_below(below, above);
        let mut prices = [[0.0; MAX_LEVELS]; OPERANDS];
        for (operand, view) in self.problem.operands.iter().enumerate() {
            let levels = energy.energy_pj[operand][..view.memories.len()].windows(2);
            for (price, pair) in prices[operand].iter_mut().zip(levels) {
                let (low, high) = (pair[0], pair[1]);
                *price = low[Movement::WriteFromHigh as usize]
                    + low[Movement::ReadToHigh as usize]
                    + high[Movement::ReadToLow as usize]
                    + high[Movement::WriteFromLow as usize];
            }
        }
        prices
    }

    /// Energy of MACs and of what the array itself reads and writes in every mapping, pJ.
    pub fn array_energy_pj(&self, loops: &[TemporalLoop]) -> f64 {
        let energy = self.energy_below(&[], loops);
        let array = |operand: usize| {
            let lowest = energy.energy_pj[operand][0];
            lowest[Movement::ReadToLow as usize] + lowest[Movement::WriteFromLow as usize]
        };
        energy.mac_pj + (0..OPERANDS).map(array).sum::<f64>()
    }

    /// Energy if all levels but the highest end between `below` and `above`.
    fn energy_below(&self, below: &[TemporalLoop], above: &[TemporalLoop]) -> Energy {
        let order: Vec<TemporalLoop> = below.iter().chain(above).copied().collect();
        let (middle, all) = (below.len() as u8, order.len() as u8);
        let mut allocation = Allocation::default();
        for (operand, view) in self.problem.operands.iter().enumerate() {
            allocation.ends[operand] = [middle; MAX_LEVELS];
            allocation.ends[operand][view.memories.len() - 1] = all;
        }
        let amounts = Amounts::new(self.problem, &order, &allocation, &self.average);
        Energy::new(self.problem, &amounts, &self.average)
    }
}
