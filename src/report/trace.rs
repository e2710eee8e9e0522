//! A schedule on many cores in the Trace Event Format of Chrome, which Perfetto (ui.perfetto.dev) opens.
//!
//! One process for the cores and one for the links, each with one thread per core or link; counters of the usage of
//! every memory; arrows from tile to tile. A microsecond of the trace is a cycle.

use fusescape_engine::ids::TiVec;
use fusescape_engine::multicore::{CoresAccount, NestId, TransferReason, TransferRun};
use std::fmt::Write as _;

const CORES: u32 = 1;
const LINKS: u32 = 2;
const MEMORIES: u32 = 3;
/// Limit on the arrows, as viewers become slow.
const MOST_ARROWS: usize = 20_000;

/// The trace as JSON.
pub fn chrome_trace(account: &CoresAccount) -> String {
    let mut trace = Trace { text: "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[".to_owned(), is_first: true };
    for (process, name) in [(CORES, "cores"), (LINKS, "links"), (MEMORIES, "memories")] {
        trace.name("process_name", (process, 0), name);
        trace.event(format_args!(
            "\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":{process},\"args\":{{\"sort_index\":{process}}}"
        ));
    }
    for (index, core) in account.cores.iter().enumerate() {
        trace.name("thread_name", (CORES, index), &core.name);
    }
    let layers: TiVec<NestId, String> = account.layers.iter().map(|layer| quoted(layer)).collect();
    let layer_of = |layer: NestId| layers.get(layer).map_or("\"\"", String::as_str);
    let arrows = account.tiles.keys().map(|tile| account.waits_for(tile).len()).sum::<usize>() <= MOST_ARROWS;
    let mut arrow = 0;
    for (index, tile) in account.tiles.iter_enumerated() {
        let (layer, number) = (layer_of(tile.layer), tile.number.index() + 1);
        // The number goes between the last letter of the name and its closing quote.
        let name = layer.strip_suffix('"').unwrap_or(layer);
        trace.event(format_args!(
            "\"ph\":\"X\",\"cat\":\"tile\",\"name\":{name} {number}\",\"pid\":{CORES},\"tid\":{},\"ts\":{},\"dur\":{},\
             \"args\":{{\"layer\":{layer},\"tile\":{number}}}",
            tile.core,
            tile.start,
            tile.end - tile.start,
        ));
        for before in account.waits_for(index).iter().filter(|_| arrows) {
            let Some(from) = account.tiles.get(*before) else { continue };
            arrow += 1;
            // An arrow belongs to the tile that is running at its time.
            for (kind, tile) in [("\"s\"", from), ("\"f\",\"bp\":\"e\"", tile)] {
                trace.event(format_args!(
                    "\"ph\":{kind},\"cat\":\"waits\",\"name\":\"waits\",\"id\":{arrow},\"pid\":{CORES},\"tid\":{},\"ts\":{}",
                    tile.core, tile.start,
                ));
            }
        }
    }
    write_links(&mut trace, account, &layer_of);
    for memory in &account.memories {
        let name = quoted(&memory.name);
        for (time, bits) in &memory.usage {
            trace.event(format_args!(
                "\"ph\":\"C\",\"name\":{name},\"pid\":{MEMORIES},\"ts\":{time},\"args\":{{\"bits\":{bits}}}"
            ));
        }
    }
    trace.text.push_str("]}\n");
    trace.text
}

/// One thread per link, and more for a link with simultaneous transfers, as slices of a thread must not overlap.
fn write_links<'a>(trace: &mut Trace, account: &CoresAccount, layer_of: &dyn Fn(NestId) -> &'a str) {
    let mut threads = 0;
    for (index, link) in account.links.iter_enumerated() {
        // The time at which each thread of the link is free.
        let mut free: Vec<f64> = Vec::new();
        let carried = account.transfers.iter().filter(|run| run.links.contains(&index) && run.end > run.start);
        for run in carried {
            let thread = free.iter().position(|free| *free <= run.start).unwrap_or(free.len());
            match free.get_mut(thread) {
                Some(free) => *free = run.end,
                None => {
                    free.push(run.end);
                    trace.name("thread_name", (LINKS, threads + thread), &link.name);
                }
            }
            write_transfer(trace, run, threads + thread, layer_of(run.layer));
        }
        threads += free.len();
    }
}

fn write_transfer(trace: &mut Trace, run: &TransferRun, thread: usize, layer: &str) {
    let reason = match run.reason {
        TransferReason::Fetch => "fetch",
        TransferReason::Exchange => "exchange",
        TransferReason::Eviction => "eviction",
        TransferReason::Result => "result",
    };
    let (from, to) = (quoted(&run.from), quoted(&run.to));
    let name = layer.strip_prefix('"').unwrap_or(layer);
    trace.event(format_args!(
        "\"ph\":\"X\",\"cat\":\"{reason}\",\"name\":\"{:?} of {name},\"pid\":{LINKS},\"tid\":{thread},\"ts\":{},\"dur\":{},\
         \"args\":{{\"reason\":\"{reason}\",\"layer\":{layer},\"operand\":\"{:?}\",\"bits\":{},\"from\":{from},\"to\":{to}}}",
        run.operand,
        run.start,
        run.end - run.start,
        run.operand,
        run.bits,
    ));
}

/// The events so far.
struct Trace {
    text: String,
    is_first: bool,
}

impl Trace {
    fn event(&mut self, members: std::fmt::Arguments<'_>) {
        let start = if self.is_first { "\n{" } else { ",\n{" };
        self.is_first = false;
        // Writing to a text cannot fail.
        let _ = write!(self.text, "{start}{members}}}");
    }

    /// Names a process or a thread.
    fn name(&mut self, what: &str, (process, thread): (u32, usize), name: &str) {
        let name = quoted(name);
        self.event(format_args!(
            "\"ph\":\"M\",\"name\":\"{what}\",\"pid\":{process},\"tid\":{thread},\"args\":{{\"name\":{name}}}"
        ));
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
