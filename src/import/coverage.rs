//! The share of a model that is counted.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The counted share of a model: of its MACs, of its feature maps, and of its multiplying operators (convolutions,
/// matrix products, recurrent layers, attention).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Multiplying operators.
    pub operators: Share,
    /// Their weights, elements.
    pub weights: Share,
    /// Work of the layers; `None` if they form no network.
    pub counted: Option<CountedAmounts>,
    /// Work of operators that are not counted, as far as their sizes are known.
    pub missing: CountedAmounts,
    /// Number of multiplying operators that are not counted and have unknown sizes.
    pub unknown_operators: u64,
    /// Number of maps that are not counted and have unknown sizes.
    pub unknown_maps: u64,
}

/// Work and storage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedAmounts {
    /// MACs.
    pub macs: u64,
    /// Bits of feature maps: inputs of the network, and outputs of layers.
    pub map_bits: u64,
}

/// The counted part of a total.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The counted part.
    pub counted: u64,
    /// The total.
    pub all: u64,
}

impl Share {
    /// Adds an item to the total, and to the counted part if it is counted.
    pub fn add(&mut self, size: u64, is_counted: bool) {
        self.all = self.all.saturating_add(size);
        self.counted = self.counted.saturating_add(if is_counted { size } else { 0 });
    }

    /// Whether at least 99 % is counted.
    fn is_whole(self) -> bool {
        self.counted as f64 >= 0.99 * self.all as f64
    }
}

impl Coverage {
    /// Remedy if it is not whole.
    pub const REMEDY: &str = "Numbers are those of a part of the model. Simplify it before the import (onnx-simplifier works shapes out), \
                              export it with fixed sizes or by another exporter, or take what is named below out of it";

    /// Counted and all MACs; `None` if the layers form no network.
    pub fn macs(&self) -> Option<Share> {
        self.counted.map(|counted| share(counted.macs, self.missing.macs))
    }

    /// Counted and all bits of maps; `None` if the layers form no network.
    pub fn map_bits(&self) -> Option<Share> {
        self.counted.map(|counted| share(counted.map_bits, self.missing.map_bits))
    }

    /// Whether the numbers stand for the whole model: at least 99 % of MACs, maps and weights are counted, and of
    /// operators if the MACs of some are unknown.
    pub fn is_whole(&self) -> bool {
        let amounts = [self.macs(), self.map_bits(), Some(self.weights)];
        let is_known = self.counted.is_some() && self.unknown_operators == 0;
        amounts.into_iter().flatten().all(Share::is_whole) && (is_known || self.operators.is_whole())
    }
}

fn share(counted: u64, missing: u64) -> Share {
    Share { counted, all: counted.saturating_add(missing) }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operators, weights, .. } = self;
        if let (Some(macs), Some(bits)) = (self.macs(), self.map_bits()) {
            let macs =
                part(macs, self.unknown_operators, &[("MACs", 1.0), ("kMAC", 1e3), ("MMAC", 1e6), ("GMAC", 1e9)]);
            let (byte, kib) = (8.0, 1024.0);
            let units = [("B", byte), ("KiB", byte * kib), ("MiB", byte * kib * kib), ("GiB", byte * kib * kib * kib)];
            write!(f, "{macs} and {} of maps are counted, by ", part(bits, self.unknown_maps, &units))?;
        }
        write!(f, "{} of {} operators that multiply", operators.counted, operators.all)?;
        if self.counted.is_none() {
            f.write_str(" are counted")?;
        }
        if weights.all > 0 {
            write!(
                f,
                ", with {}",
                part(*weights, 0, &[("weights", 1.0), ("thousand weights", 1e3), ("million weights", 1e6)])
            )?;
        }
        Ok(())
    }
}

/// `1.81 of 1.84 GMAC`; `0.5 of more than 1.2 GMAC` if some sizes are unknown. The unit is the largest that the total
/// reaches.
fn part(share: Share, unknown: u64, units: &[(&str, f64)]) -> String {
    let reaches = |unit: &&(&str, f64)| share.all as f64 >= unit.1;
    let (unit, size) = units.iter().rev().find(reaches).or(units.first()).copied().unwrap_or(("", 1.0));
    let number = |amount: u64| {
        let amount = amount as f64 / size;
        if amount.fract() == 0.0 { amount.to_string() } else { format!("{amount:.2}") }
    };
    let more = if unknown > 0 { "more than " } else { "" };
    format!("{} of {more}{} {unit}", number(share.counted), number(share.all))
}
