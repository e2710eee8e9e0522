//! Energy of a multiply-accumulate.

use super::check::check_energy;
use crate::spec::{ArraySpec, Diagnostics, MacEnergySpec};
use crate::workload::{LayerShape, Precision, Sparsity};
use serde::{Deserialize, Serialize};

/// Limit on the bits of an operand.
const MAX_BITS: u64 = 1 << 10;

/// Energy of one multiply-accumulate, by the bits of its operands W and I.
///
/// An array on which narrower operands take less energy states so; else they take as much as wide ones. An energy that
/// is stated for one precision holds for all that are not wider in either operand; of several the least counts. Where
/// nothing is stated, the energy grows with the product of both widths from the precision at which it is known, as that
/// of a multiplier does (8 bits 0.2 pJ, 32 bits 3.1 pJ: Horowitz, ISSCC 2014, Fig. 1.1.9), or is the same for all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MacEnergy {
    /// Energy at `precision`, pJ; where that is not stated, at any.
    pub energy_pj: f64,
    /// Bits of W and I.
    pub precision: Option<(u64, u64)>,
    /// Bits of W and I, and the energy at no more of them, pJ.
    pub stated: Vec<((u64, u64), f64)>,
}

impl MacEnergy {
    pub(super) fn new(spec: &ArraySpec, diagnostics: &mut Diagnostics) -> Self {
        check_energy("array.mac_energy", spec.mac_energy_pj, diagnostics);
        let mut check = |path: String, (w, i): (u64, u64)| {
            if w.max(i) > MAX_BITS || w.min(i) == 0 {
                let reason = format!("{w} x {i} are no bits of W and I");
                diagnostics.add(path, reason, format!("Write 1 to {MAX_BITS} for each, for example `8 x 8`"));
            }
        };
        if let Some(precision) = spec.mac_precision {
            check("array.mac_precision".to_owned(), precision);
        }
        let path =
            |stated: &MacEnergySpec| format!("array.mac_energies.{} x {}", stated.precision.0, stated.precision.1);
        for stated in &spec.mac_energies {
            check(path(stated), stated.precision);
        }
        for stated in &spec.mac_energies {
            check_energy(&path(stated), stated.energy_pj, diagnostics);
        }
        let stated = spec.mac_energies.iter().map(|stated| (stated.precision, stated.energy_pj)).collect();
        Self { energy_pj: spec.mac_energy_pj, precision: spec.mac_precision, stated }
    }

    /// Energy of one multiply-accumulate of a layer, pJ. A layer without weights (pooling, an addition) computes with inputs alone.
    pub fn at(&self, precision: &Precision) -> f64 {
        let i = precision.i;
        let w = if precision.w == 0 { i } else { precision.w };
        let covers = |&&((most_w, most_i), _): &&((u64, u64), f64)| w <= most_w && i <= most_i;
        let cheapest = self.stated.iter().filter(covers).map(|(_, pj)| *pj).min_by(f64::total_cmp);
        cheapest.unwrap_or_else(|| match self.precision {
            Some((of_w, of_i)) => self.energy_pj * ((w * i) as f64 / (of_w * of_i) as f64),
            None => self.energy_pj,
        })
    }
}

impl LayerShape {
    /// Energy of a multiply-accumulate on an array, pJ: on average, where some have a zero.
    pub fn mac_pj(&self, energy: &MacEnergy) -> f64 {
        match self.sparsity {
            None => energy.at(&self.precision),
            Some(Sparsity { w_bits, i_bits, active_ppm }) => {
                energy.at(&Precision { w: w_bits, i: i_bits, ..self.precision }) * (f64::from(active_ppm) / 1e6)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrower_operation_costs_what_is_stated_for_it_or_the_law_gives() {
        let at = |energies: &MacEnergy, w, i| energies.at(&Precision { w, i, o_partial: 32, o: 8 });
        let same = MacEnergy { energy_pj: 0.5, precision: None, stated: Vec::new() };
        assert_eq!([at(&same, 4, 4), at(&same, 32, 32)], [0.5, 0.5]);
        let law = MacEnergy { precision: Some((8, 8)), ..same.clone() };
        // An eighth of the product; without weights the inputs count twice.
        assert_eq!([at(&law, 8, 8), at(&law, 4, 8), at(&law, 16, 16), at(&law, 0, 4)], [0.5, 0.25, 2.0, 0.125]);
        let table = MacEnergy { stated: vec![((8, 8), 0.4), ((4, 8), 0.3), ((4, 4), 0.1)], ..same };
        assert_eq!([at(&table, 8, 8), at(&table, 4, 8), at(&table, 2, 3)], [0.4, 0.3, 0.1]);
        // 8 bits of W need the wide operation, and 16 are stated nowhere.
        assert_eq!([at(&table, 8, 4), at(&table, 16, 8)], [0.4, 0.5]);
    }
}
