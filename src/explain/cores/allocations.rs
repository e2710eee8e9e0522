//! Allocations of one network side by side, and the network on other systems, of which only energy and latency are
//! known.

use super::PLAIN;
use crate::formula::{Explained, How, NumberUnit};
use crate::numbers::{CYCLES, ENERGY_UNIT};
use crate::sources::COALA;
use fusescape_chart::{CoresSweep, Quantity};

/// Energy in pJ and latency in cycles of a schedule, which is named by `of`.
fn totals((energy, latency): (f64, f64), of: &str) -> [Explained; 2] {
    [
        Explained::given("energy", energy, ENERGY_UNIT)
            .noted(format!("All cores, links and memories. {of}"))
            .after(COALA),
        Explained::given("latency", latency, CYCLES)
            .noted(format!("The end of the last tile or transfer. {of}"))
            .after(COALA),
    ]
}

fn product(name: &str, totals: [Explained; 2]) -> Explained {
    Explained::computed(name.to_owned(), NumberUnit::Of(Quantity::EnergyDelay), How::Product, totals.into())
}

/// Latency (cycles), energy (pJ) and their product for an allocation, and its ratio to that of the first.
pub fn explain_choice(
    (name, summary): (&str, (f64, f64)),
    first: Option<(&str, (f64, f64))>,
) -> [Option<Explained>; 4] {
    let of =
        |name: &str, summary: (f64, f64)| totals(summary, &format!("Of the best schedule of this allocation: {name}."));
    let times = first.map(|(first, of_first)| {
        let terms = vec![product(name, of(name, summary)), product(first, of(first, of_first))];
        Explained::computed("times the first", PLAIN, How::Quotient, terms).after(COALA)
    });
    let [energy, latency] = of(name, summary);
    let all = product("energy-delay product", of(name, summary)).after(COALA);
    [Some(latency), Some(energy), Some(all), times]
}

/// Explanations of the table of [`CoresSweep::bars`], row by row; its first two columns are text.
pub fn explain_systems(sweep: &CoresSweep) -> Vec<Vec<Option<Explained>>> {
    let cell = |system: &str, tiles: &str, summary: (f64, f64)| {
        let of = format!(
            "Of the best allocation to the cores of this system: {system}, {tiles}. Open the system and choose these tiles: \
             then every tile, transfer and memory of its schedule unfolds."
        );
        let [energy, latency] = totals(summary, &of);
        match sweep.quantity {
            Quantity::Energy => energy,
            Quantity::Latency => latency,
            _ => product("energy-delay product", [energy, latency]).after(COALA),
        }
    };
    let row = |(index, system): (usize, &String)| {
        let tiles = CoresSweep::TILES.iter().enumerate();
        let cells = tiles.map(move |(tile, (_, _, long))| {
            let found = sweep.found.get(index * CoresSweep::TILES.len() + tile)?.as_ref()?;
            Some(cell(system, long, *found.as_ref().ok()?))
        });
        cells.map(|explained| vec![None, None, explained]).collect::<Vec<_>>()
    };
    sweep.systems.iter().enumerate().flat_map(row).collect()
}
