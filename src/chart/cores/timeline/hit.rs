//! The item at a place of the timeline, and its description.

use super::{CoreTimeline, TimelineRow, cycles};
use crate::kit::{reason_name, size_text};
use fusescape_engine::multicore::{TileId, TopMemoryId, TransferId, TransferReason};

/// The item at a place of the timeline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hit {
    Tile(TileId),
    Transfer(TransferId),
    /// A memory, at a cycle.
    Memory(TopMemoryId, f64),
}

/// An item in words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HitText {
    pub title: String,
    /// Properties: name and value.
    pub lines: Vec<(&'static str, String)>,
}

impl HitText {
    /// The item in one sentence.
    pub fn sentence(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(|(name, text)| format!("{name} {text}")).collect();
        format!("{}: {}.", self.title, lines.join(", "))
    }
}

/// Items this close to a place count as hit, CSS pixels.
const SLACK: f64 = 2.0;
/// Limit on the tiles that are named.
const NAMED: usize = 3;

impl CoreTimeline {
    /// The item at a place, CSS pixels from the upper left corner of a figure `width` wide.
    pub fn hit(&self, x: f64, y: f64, width: u32) -> Option<Hit> {
        let layout = self.layout(width);
        let is_there = |top: i32, height: i32| y >= f64::from(top) && y < f64::from(top + height);
        let (row, _) = layout.rows.iter().find(|(row, top)| is_there(*top, row.height()))?;
        if x < f64::from(layout.left) - SLACK || x > f64::from(layout.right) + SLACK {
            return None;
        }
        let time = self.time_at(x, width);
        let slack = SLACK * self.window.length() / f64::from((layout.right - layout.left).max(1));
        match *row {
            TimelineRow::Heading(_) => None,
            TimelineRow::Core(core) => self.lanes.cores[core].at(time, slack).map(Hit::Tile),
            TimelineRow::Link(link) => self.lanes.links[link].1.at(time, slack).map(Hit::Transfer),
            TimelineRow::Memory(memory) => Some(Hit::Memory(memory, time.floor())),
        }
    }

    /// Its description.
    pub fn text(&self, hit: Hit) -> HitText {
        match hit {
            Hit::Tile(tile) => self.tile_text(tile),
            Hit::Transfer(transfer) => self.transfer_text(transfer),
            Hit::Memory(memory, time) => self.memory_text(memory, time),
        }
        .unwrap_or_default()
    }

    fn tile_text(&self, tile: TileId) -> Option<HitText> {
        let account = self.account();
        let run = account.tiles.get(tile)?;
        let named = |tiles: &[TileId]| {
            let mut names: Vec<String> = tiles.iter().take(NAMED).map(|tile| self.lanes.tile_name(*tile)).collect();
            if tiles.len() > NAMED {
                names.push(format!("{} more", tiles.len() - NAMED));
            }
            names.join(", ")
        };
        let (before, after) = (account.waits_for(tile), self.lanes.waiting_for(tile));
        let mut lines = vec![
            ("on", account.cores.get(run.core)?.name.clone()),
            ("time", span_text(run.start, run.end)),
            ("waits for", if before.is_empty() { "no other".to_owned() } else { named(before) }),
        ];
        // Transfers for the same reason count as one.
        for reason in TransferReason::ALL {
            let transfers = account.brought_for(tile).iter().map(|run| &account.transfers[*run]);
            let bits: u64 = transfers.filter(|run| run.reason == reason).map(|run| run.bits).sum();
            if bits > 0 {
                lines.push((brought_as(reason), size_text(bits)));
            }
        }
        lines.push(("waited for by", if after.is_empty() { "no other".to_owned() } else { named(after) }));
        let count = self.lanes.tiles_of.get(run.layer).copied().unwrap_or(1);
        Some(HitText { title: format!("{} of {count}", self.lanes.tile_name(tile)), lines })
    }

    fn transfer_text(&self, transfer: TransferId) -> Option<HitText> {
        let account = self.account();
        let run = account.transfers.get(transfer)?;
        let links = run.links.iter().filter_map(|link| Some(account.links.get(*link)?.name.as_str()));
        let links = links.collect::<Vec<_>>().join(", ");
        let lines = vec![
            ("why", reason_name(run.reason).to_owned()),
            ("size", size_text(run.bits)),
            ("way", format!("{} → {}", run.from, run.to)),
            ("over", links),
            ("time", span_text(run.start, run.end)),
            ("of tile", self.lanes.tile_name(run.tile)),
        ];
        Some(HitText { title: self.lanes.tensor_name(run), lines })
    }

    fn memory_text(&self, memory: TopMemoryId, time: f64) -> Option<HitText> {
        let memory = self.account().memories.get(memory)?;
        let next = memory.usage.partition_point(|step| step.0 as f64 <= time);
        let bits = next.checked_sub(1).map_or(0, |last| memory.usage[last].1);
        let lines = vec![
            ("at cycle", cycles(time)),
            ("in use", size_text(bits)),
            ("capacity", size_text(memory.capacity_bits)),
            ("peak", size_text(memory.peak_bits)),
        ];
        Some(HitText { title: memory.name.clone(), lines })
    }
}

fn brought_as(reason: TransferReason) -> &'static str {
    match reason {
        TransferReason::Fetch => "fetched for it",
        TransferReason::Exchange => "from other cores",
        TransferReason::Eviction | TransferReason::Result => "written back before",
    }
}

fn span_text(start: f64, end: f64) -> String {
    format!("{} to {}, {} cycles", cycles(start), cycles(end), cycles(end - start))
}
