//! Energy of cores, of DRAM accesses of streaming tiles, and of transfers.

use super::{CoresNumber, PLAIN, ScheduleTerms};
use crate::formula::{Explained, How};
use crate::numbers::ENERGY_UNIT;
use crate::sources::{COALA, SINGLE_LAYER};
use fusescape_engine::hardware::Operand;
use fusescape_engine::multicore::{Carrier, CoreId, NestId, TileId, TransferId, TransferReason, TransferRun};
use std::collections::BTreeMap;

impl ScheduleTerms<'_> {
    pub(super) fn core_energy(&self, shown: Explained, core: CoreId) -> Explained {
        let account = self.0;
        let each = |tile: TileId| account.costs[account.tiles[tile].cost].onchip_pj;
        let mut by_layer = Vec::new();
        for (layer, name) in account.layers.iter_enumerated() {
            let is_here = |tile: TileId| account.tiles[tile].core == core && account.tiles[tile].layer == layer;
            let terms = self.by_cost(is_here, "energy of a tile", each);
            if !terms.is_empty() {
                by_layer.push(Explained::computed(name.clone(), ENERGY_UNIT, How::Sum, terms).after(SINGLE_LAYER));
            }
        }
        shown.or("by layer", How::Sum, by_layer).noted("Computing, with all memories of the core.").after(COALA)
    }

    /// Products of a count and `each`, for tiles grouped by cost; tiles without cost are left out.
    pub(super) fn by_cost(
        &self,
        is_wanted: impl Fn(TileId) -> bool,
        name: &'static str,
        each: impl Fn(TileId) -> f64,
    ) -> Vec<Explained> {
        let account = self.0;
        let mut counts = BTreeMap::new();
        for (tile, run) in account.tiles.iter_enumerated().filter(|(tile, _)| is_wanted(*tile)) {
            counts.entry(run.cost).or_insert((tile, 0_u64)).1 += 1;
        }
        let term = |(tile, count): (TileId, u64)| {
            let each = Explained::given(name, each(tile), ENERGY_UNIT).noted(format!(
                "By the best mapping of {} on {}.",
                self.tile_name(tile),
                account.cores.get(account.tiles[tile].core).map_or("its core", |core| core.name.as_str()),
            ));
            let count = Explained::given("tiles alike", count as f64, PLAIN);
            let name = format!("{} and those alike", self.tile_name(tile));
            Explained::computed(name, ENERGY_UNIT, How::Product, vec![count, each])
        };
        counts.into_values().map(term).filter(|term| term.value != 0.0).collect()
    }

    pub(super) fn moved_for(&self, shown: Explained, carrier: Carrier, reason: TransferReason) -> Explained {
        let mut kinds = BTreeMap::new();
        for run in self.0.transfers.iter().filter(|run| run.reason == reason) {
            kinds.insert((run.layer, run.operand as usize), run.operand);
        }
        let kinds =
            kinds.into_iter().map(|((layer, _), operand)| CoresNumber::MovedOf(carrier, reason, layer, operand));
        let streamed =
            (carrier == Carrier::Memories && reason == TransferReason::Fetch).then_some(CoresNumber::Streamed);
        shown.or("by layer and operand", How::Sum, self.some(kinds.chain(streamed))).after(COALA)
    }

    pub(super) fn of_operand(
        &self,
        reason: TransferReason,
        layer: NestId,
        operand: Operand,
    ) -> impl Iterator<Item = (TransferId, &TransferRun)> {
        let is_it = move |run: &TransferRun| run.reason == reason && run.layer == layer && run.operand == operand;
        self.0.transfers.iter_enumerated().filter(move |(_, run)| is_it(run))
    }
}
