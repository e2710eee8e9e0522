//! The tiles in the window as a table: the twin of the timeline.

use super::{CoreTimeline, cycles};
use crate::kit::{Column, Quantity, Table, TableCell};
use fusescape_engine::ids::{TiVec, ti_vec};
use fusescape_engine::multicore::{NestId, TileId};

/// Limit on the rows of the table, one per tile; with more tiles it is a summary.
const MOST_ROWS: usize = 1000;

/// One row per tile, or one per core and layer if there are too many tiles.
pub(super) fn table(chart: &CoreTimeline) -> Table {
    match chart.listed() {
        Some(tiles) => chart.tile_rows(&tiles),
        None => chart.summary(),
    }
}

impl CoreTimeline {
    /// The tiles of the table's rows; `None` where it is a summary.
    pub fn listed(&self) -> Option<Vec<TileId>> {
        self.seen().nth(MOST_ROWS).is_none().then(|| self.seen().collect())
    }

    /// One row per tile.
    fn tile_rows(&self, tiles: &[TileId]) -> Table {
        let account = self.account();
        let row = |tile: TileId| {
            let run = account.tiles[tile];
            let ends = |other: &TileId| account.tiles[*other].end;
            let last = account.waits_for(tile).iter().max_by(|a, b| ends(a).total_cmp(&ends(b)));
            let bits = account.brought_for(tile).iter().map(|run| account.transfers[*run].bits).sum();
            vec![
                account.cores[run.core].name.as_str().into(),
                self.lanes.layer_name(run.layer).into(),
                TableCell::count(run.number.index() as u64 + 1),
                cycles_cell(run.start),
                cycles_cell(run.end),
                cycles_cell(run.end - run.start),
                last.map_or(TableCell::Nothing, |&last| self.lanes.tile_name(last).into()),
                TableCell::size(bits),
            ]
        };
        Table {
            caption: "Tiles".to_owned(),
            columns: vec![
                Column::words("core"),
                Column::words("layer"),
                Column::numbers("tile"),
                Column::plain("begins", "cycles"),
                Column::plain("ends", "cycles"),
                Column::plain("takes", "cycles"),
                Column::words("waits last for"),
                Column::measured("brought for it", Quantity::Bytes.base()),
            ],
            rows: tiles.iter().copied().map(row).collect(),
        }
    }

    /// One row per core and layer.
    fn summary(&self) -> Table {
        let account = self.account();
        let mut rows = Vec::new();
        for (core, lane) in account.cores.iter().zip(&self.lanes.cores) {
            let none = (0_u64, f64::INFINITY, f64::NEG_INFINITY, 0.0);
            let mut parts: TiVec<NestId, _> = ti_vec![none; account.layers.len()];
            for &(tile, start, end) in lane.seen(self.window) {
                let Some(part) = parts.get_mut(account.tiles[tile].layer) else { continue };
                *part = (part.0 + 1, part.1.min(start), part.2.max(end), part.3 + end - start);
            }
            let parts = parts.into_iter_enumerated().filter(|(_, part)| part.0 > 0);
            rows.extend(parts.map(|(layer, (count, first, last, busy))| {
                vec![
                    core.name.as_str().into(),
                    self.lanes.layer_name(layer).into(),
                    TableCell::count(count),
                    cycles_cell(first),
                    cycles_cell(last),
                    cycles_cell(busy),
                ]
            }));
        }
        Table {
            caption: "Tiles by core and layer; a shorter time lists them one by one".to_owned(),
            columns: vec![
                Column::words("core"),
                Column::words("layer"),
                Column::numbers("tiles"),
                Column::plain("first begins", "cycles"),
                Column::plain("last ends", "cycles"),
                Column::plain("take together", "cycles"),
            ],
            rows,
        }
    }
}

fn cycles_cell(value: f64) -> TableCell {
    TableCell::number(cycles(value), value)
}
