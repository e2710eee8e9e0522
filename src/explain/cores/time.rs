//! Latency, and the time of cores by cause.

use super::{CorePart, CoresNumber, PLAIN, ScheduleTerms, TileFigure, TransferFigure};
use crate::ExplainedNumber;
use crate::formula::{Explained, How};
use crate::numbers::CYCLES;
use crate::sources::{COALA, SINGLE_LAYER};
use fusescape_engine::multicore::{CoreId, CoreTimeCause, Gap, NestId, TileId, TransferCost};
use std::collections::BTreeMap;

impl ScheduleTerms<'_> {
    pub(super) fn latency(&self, shown: Explained) -> Explained {
        let account = self.0;
        let last = |core: CoreId| {
            let tiles = account.tiles.iter_enumerated().filter(move |(_, run)| run.core == core);
            tiles.max_by(|a, b| a.1.end.total_cmp(&b.1.end)).map(|(tile, _)| CoresNumber::Tile(tile, TileFigure::End))
        };
        let tiles = account.cores.keys().filter_map(last);
        let transfers = account.transfers.iter_enumerated();
        let transfers = transfers.filter(|(_, run)| matches!(run.cost, TransferCost::Tensor { .. }));
        let transfer = transfers.max_by(|a, b| a.1.end.total_cmp(&b.1.end));
        let transfer = transfer.map(|(id, _)| CoresNumber::Transfer(id, TransferFigure::End));
        shown
            .or("", How::Largest, self.all(tiles.chain(transfer)))
            .noted("The last tile of each core, and the last transfer.")
            .after(COALA)
    }

    pub(super) fn of_core(&self, core: CoreId, part: CorePart) -> Option<Explained> {
        let name = self.0.cores.get(core)?.name.clone();
        Some(Explained { name: name.into(), ..self.folded(CoresNumber::Time(core, part))? })
    }

    pub(super) fn tiles_of(&self, core: CoreId, layer: NestId) -> impl Iterator<Item = TileId> {
        let tiles = self.0.tiles.iter_enumerated();
        tiles.filter(move |(_, run)| run.core == core && run.layer == layer).map(|(tile, _)| tile)
    }

    /// The part of a tile's time that is computing, or stalling.
    pub(super) fn part_of_tile(&self, part: CorePart, tile: TileId) -> f64 {
        let run = &self.0.tiles[tile];
        match part {
            CorePart::Of(CoreTimeCause::Computing) => self.0.computing(tile),
            CorePart::Of(CoreTimeCause::Stalling) => run.end - run.start - self.0.computing(tile),
            CorePart::Of(CoreTimeCause::Transferring | CoreTimeCause::Idle) | CorePart::All => 0.0,
        }
    }

    pub(super) fn time(&self, shown: Explained, core: CoreId, part: CorePart) -> Explained {
        let account = self.0;
        // The numbers of a gap are passed in: finding each anew would sort all tiles of the core for every tile.
        let of_gap = |gap: &Gap, figure: TileFigure| {
            let (name, cycle) = match figure {
                TileFigure::Free => ("core free", gap.free),
                TileFigure::Ready => ("others done", gap.ready),
                _ => ("begins", gap.start),
            };
            Explained::folded(name, cycle, CYCLES, ExplainedNumber::Cores(CoresNumber::Tile(gap.tile, figure)))
        };
        let wait = |gap: &Gap, [until, from]: [TileFigure; 2]| {
            let terms = vec![of_gap(gap, until), of_gap(gap, from)];
            Explained::computed(format!("before {}", self.tile_name(gap.tile)), CYCLES, How::Difference, terms)
        };
        match part {
            CorePart::All => {
                let parts = CoreTimeCause::ALL.map(|cause| CoresNumber::Time(core, CorePart::Of(cause)));
                shown.or("", How::Sum, self.some(parts))
            }
            CorePart::Of(CoreTimeCause::Computing | CoreTimeCause::Stalling) => {
                let layers = account.layers.keys().map(|layer| CoresNumber::TimeOf(core, part, layer));
                shown.or("by layer", How::Sum, self.some(layers))
            }
            CorePart::Of(CoreTimeCause::Transferring) => {
                let gaps = account.gaps(core);
                let waits = gaps.iter().filter(|gap| gap.start > gap.ready);
                let terms = waits.map(|gap| wait(gap, [TileFigure::Begin, TileFigure::Ready])).collect();
                shown
                    .or("by tile", How::Sum, terms)
                    .noted("The next tile could begin, but for transfers and room in memories.")
            }
            CorePart::Of(CoreTimeCause::Idle) => {
                let gaps = account.gaps(core);
                let waits = gaps.iter().filter(|gap| gap.ready > gap.free);
                let mut terms: Vec<Explained> =
                    waits.map(|gap| wait(gap, [TileFigure::Ready, TileFigure::Free])).collect();
                let last = gaps.last().and_then(|gap| self.folded(CoresNumber::Tile(gap.tile, TileFigure::End)));
                let latency = self.folded(CoresNumber::Latency);
                terms.push(Explained::computed(
                    if last.is_some() { "after the last tile" } else { "without a tile" },
                    CYCLES,
                    How::Difference,
                    latency.into_iter().chain(last).collect(),
                ));
                shown.or("by tile", How::Sum, terms).noted("The next tile waits for others, or there is none.")
            }
        }
        .after(COALA)
    }

    /// For tiles of one layer on one core.
    pub(super) fn time_of(&self, shown: Explained, part: CorePart, tiles: impl Iterator<Item = TileId>) -> Explained {
        let account = self.0;
        let mut alike: BTreeMap<[u64; 2], (TileId, u64)> = BTreeMap::new();
        for tile in tiles {
            let run = &account.tiles[tile];
            let key = [account.costs[run.cost].computing, run.end - run.start].map(f64::to_bits);
            alike.entry(key).or_insert((tile, 0)).1 += 1;
        }
        let term = |(tile, count): (TileId, u64)| {
            let run = &account.tiles[tile];
            let takes = Explained::given("takes", run.end - run.start, CYCLES);
            let takes = self.folded(CoresNumber::Tile(tile, TileFigure::Takes)).unwrap_or(takes);
            let mapped = Explained::given("cycles of the array", account.costs[run.cost].computing, CYCLES)
                .noted("The product of the loops in time of the tile's best mapping.")
                .after(SINGLE_LAYER);
            let works = Explained::computed("computing", CYCLES, How::Smallest, vec![mapped, takes.clone()]);
            let each = match part {
                CorePart::Of(CoreTimeCause::Stalling) => {
                    Explained::computed("each", CYCLES, How::Difference, vec![takes, works])
                }
                _ => works,
            };
            let count = Explained::given("tiles alike", count as f64, PLAIN);
            let name = format!("{} and those alike", self.tile_name(tile));
            Explained::computed(name, CYCLES, How::Product, vec![count, each])
        };
        let terms = alike.into_values().map(term).filter(|term| term.value != 0.0).collect();
        shown.or("", How::Sum, terms).after(SINGLE_LAYER)
    }
}
