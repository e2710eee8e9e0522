//! One cycle of a schedule: the tile of each core, the transfer on each link, and the contents of each memory.

use super::cycles;
use super::lanes::CoresLanes;
use crate::kit::{Column, Table, reason_name, size_text};
use fusescape_engine::multicore::MemoryUsage;

/// Limit on the operands of a memory that are named.
const NAMED: usize = 4;

impl CoresLanes {
    /// The next time after this one (or the last one before it) at which a tile begins or ends.
    pub fn event(&self, time: f64, is_later: bool) -> Option<f64> {
        let times = self.cores.iter().filter_map(|lane| lane.event(time, is_later));
        if is_later { times.min_by(f64::total_cmp) } else { times.max_by(f64::total_cmp) }
    }

    /// The state at a cycle: one row per core, per link that has any transfers, and per memory.
    pub fn moment(&self, time: f64) -> Table {
        let account = &self.account;
        let mut rows = Vec::new();
        for (core, lane) in self.cores.iter_enumerated() {
            let name = account.cores.get(core).map_or("", |core| core.name.as_str());
            let text = match lane.now(time).next() {
                Some(&(tile, start, end)) => {
                    let layer = account.tiles.get(tile).map(|run| run.layer);
                    let count = layer.and_then(|layer| self.tiles_of.get(layer)).copied().unwrap_or(1);
                    format!("{} of {count}, cycles {} to {}", self.tile_name(tile), cycles(start), cycles(end))
                }
                None => match lane.event(time, true) {
                    Some(next) => format!("waits until cycle {}", cycles(next)),
                    None => "is done".to_owned(),
                },
            };
            rows.push(vec![name.into(), "computes".into(), text.into()]);
        }
        for (link, lane) in &self.links {
            let name = account.links.get(*link).map_or("", |link| link.name.as_str());
            let now = lane.now(time).filter_map(|(transfer, ..)| account.transfers.get(*transfer));
            let texts: Vec<String> = now
                .map(|run| {
                    let (what, why) = (self.tensor_name(run), reason_name(run.reason));
                    format!("{what}, {} ({why}, {} → {})", size_text(run.bits), run.from, run.to)
                })
                .collect();
            let text = if texts.is_empty() { "nothing".to_owned() } else { texts.join("; ") };
            rows.push(vec![name.into(), "carries".into(), text.into()]);
        }
        for memory in &account.memories {
            rows.push(vec![memory.name.as_str().into(), "holds".into(), self.held(memory, time.floor() as i64).into()]);
        }
        Table {
            caption: format!("Cycle {}", cycles(time)),
            columns: ["place", "does", "what"].map(Column::words).into(),
            rows,
        }
    }

    /// The usage of a memory at a cycle, and its contents.
    fn held(&self, memory: &MemoryUsage, cycle: i64) -> String {
        let used = memory.used_at(cycle);
        let share = 100.0 * used as f64 / memory.capacity_bits.max(1) as f64;
        let all = format!("{} of {} ({share:.0} %)", size_text(used), size_text(memory.capacity_bits));
        let Some(held) = memory.held_at(cycle).filter(|held| !held.is_empty()) else { return all };
        let named = held.iter().take(NAMED);
        let mut parts: Vec<String> = named
            .map(|(layer, operand, bits)| format!("{operand:?} of {} {}", self.layer_name(*layer), size_text(*bits)))
            .collect();
        if held.len() > NAMED {
            let rest: u64 = held.iter().skip(NAMED).map(|(.., bits)| bits).sum();
            parts.push(format!("{} more {}", held.len() - NAMED, size_text(rest)));
        }
        format!("{all}: {}", parts.join(", "))
    }
}
