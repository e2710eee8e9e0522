//! A network on systems of cores: by allocation, by system, and by tile size (Stream, Figs. 13 to 16).

use crate::bars::{BarGroup, Bars};
use crate::kit::{Column, Quantity, Table, TableCell, three_digits};

/// Energy in pJ and latency in cycles.
type Summary = (f64, f64);

/// The cost of each system for tiles of several sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct CoresSweep {
    /// Energy, latency, or their product.
    pub quantity: Quantity,
    /// Names of the systems.
    pub systems: Vec<String>,
    /// By system, then by [`Self::TILES`]: the cost, or a short reason why there is no schedule; `None` while unknown.
    pub found: Vec<Option<Result<Summary, &'static str>>>,
}

impl CoresSweep {
    /// Rows of a tile, `None` for whole layers one after another; short and long names.
    pub const TILES: [(Option<u64>, &'static str, &'static str); 4] = [
        (None, "layers", "layer by layer"),
        (Some(16), "16 rows", "tiles of 16 rows"),
        (Some(4), "4 rows", "tiles of 4 rows"),
        (Some(1), "1 row", "tiles of 1 row"),
    ];

    /// The quantities on offer.
    pub const QUANTITIES: [(Quantity, &'static str); 3] =
        [(Quantity::EnergyDelay, "EDP"), (Quantity::Latency, "latency"), (Quantity::Energy, "energy")];

    /// Bars, one group per system.
    pub fn bars(&self) -> Bars {
        let value = |found: &Option<Result<Summary, &'static str>>| match found {
            Some(Ok((energy, latency))) => Ok(vec![match self.quantity {
                Quantity::Energy => *energy,
                Quantity::Latency => *latency,
                _ => energy * latency,
            }]),
            Some(Err(reason)) => Err(*reason),
            None => Err("…"),
        };
        let group = |(index, name): (usize, &String)| {
            let first = index * Self::TILES.len();
            let values = (first..first + Self::TILES.len()).map(|at| self.found.get(at).map_or(Err("…"), value));
            BarGroup { label: name.clone(), is_marked: index == 0, values: values.collect() }
        };
        Bars {
            quantity: self.quantity,
            title: format!("{} by system and tile", self.quantity.title()),
            group: "system".to_owned(),
            bars: Self::TILES.iter().map(|(_, short, long)| (*short, *long)).collect(),
            parts: Vec::new(),
            groups: self.systems.iter().enumerate().map(group).collect(),
            limit: None,
        }
    }
}

/// Allocations of a network to many cores: their cost, and its ratio to that of the first.
pub fn allocations_table(caption: &str, what: &str, rows: &[(&str, Option<Summary>)]) -> Table {
    let first = rows.first().and_then(|row| row.1);
    let times = |value: f64, of: f64| TableCell::number(format!("{}×", three_digits(value / of)), value / of);
    let row = |(name, summary): &(&str, Option<Summary>)| {
        let mut cells = vec![TableCell::from(*name)];
        match summary {
            Some((energy, latency)) => {
                cells.push(TableCell::of(Quantity::Latency, *latency));
                cells.push(TableCell::of(Quantity::Energy, *energy));
                cells.push(TableCell::of(Quantity::EnergyDelay, energy * latency));
                cells.push(first.map_or(TableCell::Nothing, |of| times(energy * latency, of.0 * of.1)));
            }
            None => cells.extend((0..4).map(|_| TableCell::Nothing)),
        }
        cells
    };
    Table {
        caption: caption.to_owned(),
        columns: vec![
            Column::words(what),
            Column::measured("latency", Quantity::Latency.base()),
            Column::measured("energy", Quantity::Energy.base()),
            Column::measured("EDP", Quantity::EnergyDelay.base()),
            Column::numbers("EDP, times the first"),
        ],
        rows: rows.iter().map(row).collect(),
    }
}
