//! The search for tile sizes on many cores: latency or energy of each size that was run, the best one marked.

use crate::kit::{Chart, Column, Quantity, Sketch, Table, TableCell, Theme, group_thousands};
use crate::plots::{Curve, Curves};
use fusescape_engine::multicore::{TileOutcome, TilePoint, TileSearch, TileSizeCandidate};
use fusescape_engine::ties;
use std::rc::Rc;

/// The curve of a search so far.
#[derive(Debug, Clone, PartialEq)]
pub struct TileCurve {
    pub search: Rc<TileSearch>,
    /// Latency or energy.
    pub quantity: Quantity,
}

impl TileCurve {
    fn value(&self, outcome: &TileOutcome) -> f64 {
        if self.quantity == Quantity::Energy { outcome.energy_pj } else { outcome.latency_cycles }
    }

    /// Rows per tile of the candidates, in their order; whole layers come last.
    fn places(&self) -> Vec<Option<u64>> {
        let mut places: Vec<Option<u64>> = self.search.points().map(|point| point.cut.all.rows).collect();
        places.sort_by_key(|rows| rows.unwrap_or(u64::MAX));
        places.dedup();
        places
    }

    /// The best values of candidates that pass the filter at each place, by the objective of the search.
    fn curve(&self, name: &str, places: &[Option<u64>], counts: fn(&TileSizeCandidate) -> bool) -> Option<Curve> {
        let objective = self.search.objective();
        let value = |rows: &Option<u64>| {
            let here = self.search.points().filter(|point| point.cut.all.rows == *rows && counts(&point.cut));
            let known = here.filter_map(|point| point.outcome.as_ref().ok());
            let best = ties::best(known, |found| (found.figures(objective), ()))?;
            Some(self.value(best))
        };
        let values: Vec<Option<f64>> = places.iter().map(value).collect();
        values.iter().any(Option::is_some).then(|| Curve { name: name.to_owned(), values })
    }

    fn curves(&self) -> Curves {
        let places = self.places();
        let of_rows =
            |cut: &TileSizeCandidate| cut.all.columns.is_none() && cut.all.channels.is_none() && cut.stacks.is_empty();
        let curves = [
            self.curve("rows alone", &places, of_rows),
            self.curve("columns, channels or one stack cut otherwise", &places, |cut| {
                cut.all.columns.is_some() || cut.all.channels.is_some() || !cut.stacks.is_empty()
            }),
        ];
        let best = self.search.best().map(|(cut, _)| cut.all.rows);
        let name = |rows: &Option<u64>| rows.map_or_else(|| "all".to_owned(), group_thousands);
        Curves {
            quantity: self.quantity,
            title: self.quantity.title().to_owned(),
            place: "rows of a tile".to_owned(),
            place_unit: "",
            places: places.iter().map(|rows| rows.unwrap_or(u64::MAX) as f64).collect(),
            place_names: places.iter().map(name).collect(),
            curves: curves.into_iter().flatten().collect(),
            floor: None,
            design: best.and_then(|best| places.iter().position(|rows| *rows == best)),
            mark: "best size found",
        }
    }
}

impl Chart for TileCurve {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        self.curves().sketch(width, theme)
    }

    fn height_for(&self, width: u32) -> u32 {
        self.curves().height_for(width)
    }

    fn table(&self) -> Table {
        tile_sizes_table(&self.search)
    }

    fn describe(&self) -> String {
        let best = self.search.best().map_or_else(String::new, |(cut, outcome)| {
            format!(" The best size found is {}: {}.", cut.text(), self.quantity.text(self.value(outcome)))
        });
        format!("{} over the rows of a tile.{best}", self.quantity.title())
    }
}

/// All tile sizes that a search ran, in its order, each with its best schedule and the best single core.
pub fn tile_sizes_table(search: &TileSearch) -> Table {
    let best = search.best().map(|(cut, _)| cut);
    let row = |point: &TilePoint| {
        let mark = if Some(&point.cut) == best { "best" } else { "" };
        let numbers = match &point.outcome {
            Ok(outcome) => {
                let single = outcome.single.as_ref();
                let of = |quantity, value: Option<f64>| {
                    value.map_or(TableCell::Nothing, |value| TableCell::of(quantity, value))
                };
                [
                    TableCell::of(Quantity::Latency, outcome.latency_cycles),
                    TableCell::of(Quantity::Energy, outcome.energy_pj),
                    of(Quantity::Latency, single.map(|single| single.latency_cycles)),
                    of(Quantity::Energy, single.map(|single| single.energy_pj)),
                    TableCell::count(outcome.tiles as u64),
                ]
            }
            Err(reason) => {
                let nothing = || TableCell::Nothing;
                [reason.as_str().into(), nothing(), nothing(), nothing(), nothing()]
            }
        };
        std::iter::once(point.cut.text().into()).chain(numbers).chain([mark.into()]).collect()
    };
    let (latency, energy) = (Quantity::Latency.base(), Quantity::Energy.base());
    Table {
        caption: "Tile sizes".to_owned(),
        columns: vec![
            Column::words("tiles"),
            Column::measured("latency", latency),
            Column::measured("energy", energy),
            Column::measured("latency of the best core alone", latency),
            Column::measured("energy of the best core alone", energy),
            Column::numbers("number of tiles"),
            Column::words("mark"),
        ],
        rows: search.points().map(row).collect(),
    }
}
