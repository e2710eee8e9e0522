//! A schedule sorted by place and time, so that a window of it is found by binary search.

use crate::cores::time_window::TimeWindow;
use fusescape_engine::ids::{TiVec, ti_vec};
use fusescape_engine::multicore::{
    CoreId, CoresAccount, LinkId, NestId, TileId, TransferId, TransferReason, TransferRun,
};
use fusescape_spec::sorting::sort_by;
use std::ops::Range;
use std::sync::Arc;

/// The items of a lane, by start.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Lane<Id> {
    /// Item, start and end, cycles.
    items: Vec<(Id, f64, f64)>,
    /// For each item the latest end of all items up to it: on a link an item that begins later may end earlier.
    reach: Vec<f64>,
}

impl<Id: Copy> Lane<Id> {
    fn new(mut items: Vec<(Id, f64, f64)>) -> Self {
        if !items.is_sorted_by(|a, b| a.1 <= b.1) {
            sort_by(&mut items, |a, b| a.1.total_cmp(&b.1));
        }
        let mut latest = f64::NEG_INFINITY;
        let mut reached = |item: &(Id, f64, f64)| {
            latest = latest.max(item.2);
            latest
        };
        let reach = items.iter().map(&mut reached).collect();
        Self { items, reach }
    }

    /// The items that may be visible in a window, and few others.
    pub fn seen(&self, window: TimeWindow) -> &[(Id, f64, f64)] {
        let first = self.reach.partition_point(|end| *end <= window.start);
        let last = self.items.partition_point(|item| item.1 < window.end);
        self.items.get(first..last).unwrap_or_default()
    }

    /// The items in progress at a time.
    pub fn now(&self, time: f64) -> impl Iterator<Item = &(Id, f64, f64)> {
        let first = self.reach.partition_point(|end| *end <= time);
        let last = self.items.partition_point(|item| item.1 <= time);
        self.items.get(first..last).unwrap_or_default().iter().filter(move |item| item.2 > time)
    }

    /// The next time after this one (or the last one before it) at which an item begins or ends; for lanes without
    /// overlaps.
    pub fn event(&self, time: f64, is_later: bool) -> Option<f64> {
        let at = self.items.partition_point(|item| item.1 <= time);
        let near = at.saturating_sub(2)..(at + 2).min(self.items.len());
        let times = self.items.get(near)?.iter().flat_map(|item| [item.1, item.2]);
        if is_later {
            times.filter(|other| *other > time).min_by(f64::total_cmp)
        } else {
            times.filter(|other| *other < time).max_by(f64::total_cmp)
        }
    }

    /// The item at a time, or at most `slack` cycles from it; of several the one that began last.
    pub fn at(&self, time: f64, slack: f64) -> Option<Id> {
        let near = self.seen(TimeWindow { start: time - slack, end: time + slack + f64::EPSILON });
        let distance = |item: &(Id, f64, f64)| (item.1 - time).max(time - item.2).max(0.0);
        near.iter().rev().min_by(|a, b| distance(a).total_cmp(&distance(b))).map(|item| item.0)
    }

    /// The `steps`-th item after (or before) the one that begins at a time.
    fn step(&self, start: f64, steps: i32) -> Option<Id> {
        let at = self.items.partition_point(|item| item.1 < start);
        let to = at.checked_add_signed(steps as isize)?;
        self.items.get(to).map(|item| item.0)
    }
}

/// A schedule, sorted by core and link.
#[derive(Debug, Clone)]
pub struct CoresLanes {
    pub account: Arc<CoresAccount>,
    /// The tiles of each core.
    pub(super) cores: TiVec<CoreId, Lane<TileId>>,
    /// The links with transfers, and these transfers.
    pub(super) links: Vec<(LinkId, Lane<TransferId>)>,
    /// For each tile the index in `waiting` at which its waiting tiles begin; one more at the end.
    starts: Vec<u32>,
    waiting: Vec<TileId>,
    /// Number of tiles of each layer.
    pub(super) tiles_of: TiVec<NestId, u32>,
    /// The reasons for transfers that occur.
    pub(super) reasons: Vec<TransferReason>,
}

impl PartialEq for CoresLanes {
    fn eq(&self, other: &Self) -> bool {
        // The sorted lists follow from the account; comparing two of them would take longer than drawing one.
        Arc::ptr_eq(&self.account, &other.account)
    }
}

impl CoresLanes {
    /// Sorts a schedule.
    pub fn new(account: Arc<CoresAccount>) -> Self {
        let mut cores: TiVec<CoreId, Vec<(TileId, f64, f64)>> = ti_vec![Vec::new(); account.cores.len()];
        let mut tiles_of: TiVec<NestId, u32> = ti_vec![0; account.layers.len()];
        let mut starts = vec![0; account.tiles.len() + 1];
        for (index, tile) in account.tiles.iter_enumerated() {
            if let Some(count) = tiles_of.get_mut(tile.layer) {
                *count += 1;
            }
            if let Some(lane) = cores.get_mut(tile.core).filter(|_| tile.end > tile.start) {
                lane.push((index, tile.start, tile.end));
            }
            account.waits_for(index).iter().for_each(|before| starts[before.index() + 1] += 1);
        }
        for tile in 0..account.tiles.len() {
            starts[tile + 1] += starts[tile];
        }
        let (mut next, mut waiting) =
            (starts.clone(), vec![TileId::default(); starts.last().map_or(0, |all| *all as usize)]);
        for tile in account.tiles.keys() {
            for &before in account.waits_for(tile) {
                let place = &mut next[before.index()];
                waiting[*place as usize] = tile;
                *place += 1;
            }
        }
        let mut links: TiVec<LinkId, Vec<(TransferId, f64, f64)>> = ti_vec![Vec::new(); account.links.len()];
        for (index, transfer) in account.transfers.iter_enumerated().filter(|(_, run)| run.end > run.start) {
            for &link in &transfer.links {
                if let Some(lane) = links.get_mut(link) {
                    lane.push((index, transfer.start, transfer.end));
                }
            }
        }
        let used = links.into_iter_enumerated().filter(|(_, items)| !items.is_empty());
        let links = used.map(|(link, items)| (link, Lane::new(items))).collect();
        let travels = |reason: &TransferReason| account.transfers.iter().any(|run| run.reason == *reason);
        let reasons = TransferReason::ALL.into_iter().filter(travels).collect();
        let cores = cores.into_iter().map(Lane::new).collect();
        Self { account, cores, links, starts, waiting, tiles_of, reasons }
    }

    /// The tiles that wait for a tile.
    pub fn waiting_for(&self, tile: TileId) -> &[TileId] {
        let range: Option<Range<usize>> = (|| {
            let start = *self.starts.get(tile.index())?;
            Some(start as usize..*self.starts.get(tile.index() + 1)? as usize)
        })();
        range.and_then(|range| self.waiting.get(range)).unwrap_or_default()
    }

    /// The tile `steps` later (or earlier) on the same core.
    pub fn step(&self, tile: TileId, steps: i32) -> Option<TileId> {
        let run = self.account.tiles.get(tile)?;
        self.cores.get(run.core)?.step(run.start, steps)
    }

    /// A tile at about the same time, on the closest core above (-1) or below (1) that has tiles.
    pub fn beside(&self, tile: TileId, way: i32) -> Option<TileId> {
        let run = self.account.tiles.get(tile)?;
        let time = (run.start + run.end) / 2.0;
        let mut core = run.core.index();
        loop {
            core = core.checked_add_signed(way as isize)?;
            if let Some(near) = self.cores.get(CoreId::from(core))?.at(time, f64::INFINITY) {
                return Some(near);
            }
        }
    }

    /// The first tile visible in a window.
    pub fn first_in(&self, window: TimeWindow) -> Option<TileId> {
        let begins = |lane: &Lane<TileId>| {
            let seen = lane.seen(window);
            seen.iter().find(|item| item.1 >= window.start).or(seen.first()).copied()
        };
        self.cores.iter().filter_map(begins).min_by(|a, b| a.1.total_cmp(&b.1)).map(|item| item.0)
    }

    /// The time from the first to the last of a tile, the tiles that it waits for, and those that wait for it, cycles.
    pub fn neighbourhood(&self, tile: TileId) -> Option<(f64, f64)> {
        let run = self.account.tiles.get(tile)?;
        let around = self.account.waits_for(tile).iter().chain(self.waiting_for(tile));
        let runs = around.filter_map(|&other| self.account.tiles.get(other));
        Some(runs.fold((run.start, run.end), |(from, to), run| (from.min(run.start), to.max(run.end))))
    }

    /// `conv1 13`: its layer, and its place among the layer's tiles, from 1.
    pub(super) fn tile_name(&self, tile: TileId) -> String {
        let Some(run) = self.account.tiles.get(tile) else { return String::new() };
        format!("{} {}", self.layer_name(run.layer), run.number.index() + 1)
    }

    pub(super) fn layer_name(&self, layer: NestId) -> &str {
        self.account.layers.get(layer).map_or("", String::as_str)
    }

    /// `W of conv1`
    pub(super) fn tensor_name(&self, run: &TransferRun) -> String {
        format!("{:?} of {}", run.operand, self.layer_name(run.layer))
    }
}
