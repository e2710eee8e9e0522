//! Start times, end times and durations of tiles.

use super::{CoresNumber, PLAIN, ScheduleTerms, TileFigure, TransferFigure};
use crate::formula::{Explained, How, NumberUnit};
use crate::numbers::CYCLES;
use crate::sources::{COALA, SINGLE_LAYER};
use fusescape_engine::multicore::{Gap, LinkId, StartConstraint, TileId, TransferCost};
use std::collections::BTreeMap;

impl ScheduleTerms<'_> {
    pub(super) fn gap(&self, tile: TileId) -> Option<Gap> {
        let core = self.0.tiles.get(tile)?.core;
        self.0.gaps(core).into_iter().find(|gap| gap.tile == tile)
    }

    pub(super) fn tile(&self, shown: Explained, tile: TileId, figure: TileFigure) -> Option<Explained> {
        let account = self.0;
        let run = account.tiles.get(tile)?;
        let of = |figure: TileFigure| self.folded(CoresNumber::Tile(tile, figure));
        let others = || account.waits_for(tile).iter().map(|&before| CoresNumber::Tile(before, TileFigure::End));
        Some(
            match figure {
                TileFigure::Free => {
                    let gaps = account.gaps(run.core);
                    let place = gaps.iter().position(|gap| gap.tile == tile)?;
                    match place.checked_sub(1) {
                        None => shown.noted("It is the first tile of its core."),
                        Some(before) => {
                            let before = CoresNumber::Tile(gaps[before].tile, TileFigure::End);
                            shown
                                .or("", How::Sum, self.all([before]))
                                .noted("The tile before it on the same core is done.")
                        }
                    }
                }
                TileFigure::Ready => shown
                    .or("", How::Largest, of(TileFigure::Free).into_iter().chain(self.all(others())).collect())
                    .noted("The core is free, and all tiles are done that the tile reads from."),
                TileFigure::Begin => match run.begin {
                    StartConstraint::Ready => shown
                        .or("", How::Largest, of(TileFigure::Free).into_iter().chain(self.all(others())).collect())
                        .noted("As soon as its core is free and what it reads is computed, which is there by then."),
                    StartConstraint::Brought => {
                        let last = account.awaited_by(tile).map(|id| CoresNumber::Transfer(id, TransferFigure::End));
                        shown
                            .or("", How::Sum, self.all(last))
                            .noted("As soon as all that it reads is there: this comes last.")
                    }
                    StartConstraint::Room => {
                        shown.noted("As soon as there is room in the memory for what it computes.")
                    }
                    StartConstraint::Links => shown.noted("As soon as the links to DRAM are free for what it streams."),
                    StartConstraint::Late => shown.noted("As late as possible without delaying its readers."),
                },
                TileFigure::End => {
                    shown.or("", How::Sum, [TileFigure::Begin, TileFigure::Takes].into_iter().filter_map(of).collect())
                }
                TileFigure::Takes => shown.or("", How::Product, self.duration(tile)?),
                TileFigure::Brought => {
                    let brought = account.brought_for(tile).iter();
                    let sizes = brought.map(|&id| CoresNumber::Transfer(id, TransferFigure::Size));
                    let sizes = self.all(sizes);
                    if sizes.is_empty() {
                        shown.noted("All that it reads is there anyway.")
                    } else {
                        shown.or("", How::Sum, sizes)
                    }
                }
            }
            .after(COALA),
        )
    }

    /// The factors of the duration of a tile.
    pub(super) fn duration(&self, tile: TileId) -> Option<Vec<Explained>> {
        let account = self.0;
        let run = account.tiles.get(tile)?;
        let cycles = Explained::given("cycles by its mapping", account.costs[run.cost].cycles, CYCLES)
            .noted(format!("The best mapping of {} on its core that the search finds.", self.tile_name(tile)))
            .after(SINGLE_LAYER);
        let slower = account.slower.binary_search_by_key(&tile, |of| of.0).ok().map(|place| account.slower[place].1);
        let Some(slower) = slower else { return Some(vec![cycles]) };
        let streams = account.transfers.iter().filter(|run| run.tile == tile);
        let streams = streams.filter_map(|run| match run.cost {
            TransferCost::Stream(rate) => Some((run, rate)),
            TransferCost::Tensor { .. } => None,
        });
        let mut loads: BTreeMap<LinkId, Vec<Explained>> = BTreeMap::new();
        for (run, rate) in streams {
            let rate = Explained::given(format!("{} → {}", run.from, run.to), rate, NumberUnit::Count(" bit/cycle"));
            run.links.iter().for_each(|&link| loads.entry(link).or_default().push(rate.clone()));
        }
        let load = |(link, rates): (LinkId, Vec<Explained>)| {
            let link = account.links.get(link)?;
            let needs = Explained::computed("needed", NumberUnit::Count(" bit/cycle"), How::Sum, rates);
            let width = Explained::given("bandwidth", link.bandwidth, NumberUnit::Count(" bit/cycle"));
            Some(Explained::computed(link.name.clone(), PLAIN, How::Quotient, vec![needs, width]))
        };
        let loads = loads.into_iter().filter_map(load).collect();
        let slower = Explained::given("times longer", slower, PLAIN)
            .or("", How::Largest, loads)
            .noted("What the tile streams needs more than the link carries.");
        Some(vec![cycles, slower])
    }

    pub(super) fn tile_name(&self, tile: TileId) -> String {
        let Some(run) = self.0.tiles.get(tile) else { return String::new() };
        let layer = self.0.layers.get(run.layer).map_or("?", String::as_str);
        format!("{layer} tile {}", run.number.index() + 1)
    }
}
