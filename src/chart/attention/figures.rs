//! Tables and figures of attention on a core: schedules of every kind, the parts of a step, generation with a cache,
//! the published dataflows.

use crate::bars::{BarGroup, Bars};
use crate::kit::{BarCause, Column, Quantity, Table, TableCell, group_thousands, three_digits};
use crate::maps::Matrix;
use crate::plots::{Curve, Curves, Roofline, RooflinePoint};
use fusescape_engine::attention::{
    Account, AttentionPart, Block, Busy, Cause, EVERY_SIZE, Fusion, Generation, KeyStore, LayerSchedule, MOST_TILES,
    Run, Sequences, SplitCost, StepCost, Tensor,
};
use fusescape_engine::cost::EnergyCause;
use fusescape_engine::explore::{AttentionTiles, PublishedDataflow};
use fusescape_engine::ties;

/// The best schedule of every kind, for one layer.
pub fn attention_schedules(attention: &AttentionPart) -> Table {
    let row = |(fusion, account): (Fusion, Option<Account>)| {
        let mut cells = vec![TableCell::from(label(fusion, account.as_ref()))];
        let Some(account) = account else {
            cells.extend([TableCell::from("does not fit"), TableCell::Nothing]);
            return cells;
        };
        let schedule = &account.schedule;
        let is_best = schedule == &attention.best.schedule;
        // A schedule that recomputes keys and values has the same kind as one that does not, but the ties are of the
        // latter.
        let is_tied = !schedule.held.is_recomputed() && attention.tied.contains(&fusion);
        let result = match (is_best, attention.tied.is_empty()) {
            (true, true) => "best",
            (true, false) => "best, as others",
            (false, _) if is_tied => "as good",
            (false, _) => "",
        };
        cells.extend([
            TableCell::from(result),
            TableCell::of(Quantity::Energy, account.energy_pj()),
            TableCell::of(Quantity::Latency, account.latency_cycles() as f64),
            TableCell::of(Quantity::Bytes, account.dram_bits() as f64 / 8.0),
            TableCell::from(tile_text(&account)),
            TableCell::from(schedule.held.name()),
            TableCell::of(Quantity::Bytes, account.needed_bits.iter().sum::<u64>() as f64 / 8.0),
            TableCell::from(account.bound_by()),
        ]);
        cells
    };
    Table {
        caption: "Attention of one layer by itself, the best schedule of each kind".to_owned(),
        columns: vec![
            Column::words("schedule"),
            Column::words("best"),
            Column::measured("energy", Quantity::Energy.base()),
            Column::measured("latency", Quantity::Latency.base()),
            Column::measured("DRAM", Quantity::Bytes.base()),
            Column::words("tile"),
            Column::words("keys and values"),
            Column::measured("on the chip", Quantity::Bytes.base()),
            Column::words("bound by"),
        ],
        rows: of_all(attention).map(row).collect(),
    }
}

/// The best schedule of every kind, then the best one that recomputes keys and values, if there is one.
fn of_all(attention: &AttentionPart) -> impl Iterator<Item = (Fusion, Option<Account>)> {
    let again = attention.found.recomputed.map(|account| (account.schedule.fusion, Some(account)));
    attention.found.best_of.iter().copied().chain(again)
}

/// The name of a kind of schedule.
fn label(fusion: Fusion, account: Option<&Account>) -> String {
    let is_recomputed = account.is_some_and(|account| account.schedule.held.is_recomputed());
    format!("{}{}", fusion.name(), if is_recomputed { ", keys recomputed" } else { "" })
}

/// `256 queries x 4 heads, 512 keys`.
fn tile_text(account: &Account) -> String {
    let schedule = &account.schedule;
    let heads = if schedule.heads > 1 { format!(" × {} heads", schedule.heads) } else { String::new() };
    let queries = if schedule.queries == 1 { "query" } else { "queries" };
    let keys = if schedule.keys == 1 { "key" } else { "keys" };
    format!("{} {queries}{heads}, {} {keys}", group_thousands(schedule.queries), group_thousands(schedule.keys))
}

/// `1 token`.
fn tokens_text(tokens: u64) -> String {
    format!("{} token{}", group_thousands(tokens), if tokens == 1 { "" } else { "s" })
}

/// `tiles of 256 tokens, weights stream; queries stay, one pass, 256 queries × 4 heads, 512 keys, keys stay`.
fn block_text(block: &Block) -> String {
    let Block { attention, queries, parts, tile, .. } = block;
    let held = attention.schedule.held;
    let stay = |stays: bool| if stays { "stay" } else { "stream" };
    let before = (queries.is_some() || held.is_recomputed()).then_some(block.weights_before_stay);
    let behind = parts.as_ref().map(|run| run.resident);
    let weights = match (before, behind) {
        (Some(before), Some(behind)) if before != behind => {
            format!("weights before attention {}, behind it {}", stay(before), stay(behind))
        }
        (Some(stays), _) | (None, Some(stays)) => format!("weights {}", stay(stays)),
        (None, None) => String::new(),
    };
    format!(
        "tiles of {}, {weights}; {}, {}, keys {}",
        tokens_text(*tile),
        attention.schedule.fusion.name(),
        tile_text(attention),
        held.name(),
    )
}

/// Bytes that cross the border of the chip in each schedule, by tensor.
pub fn attention_traffic(attention: &AttentionPart) -> Table {
    let mut columns = vec![Column::words("schedule")];
    columns.extend(Tensor::ALL.map(|tensor| Column::measured(tensor.name(), Quantity::Bytes.base())));
    let found = of_all(attention).filter_map(|(fusion, account)| Some((fusion, account?)));
    let rows = found.map(|(fusion, account)| {
        let moved = account.dram.iter().map(|moved| (moved.read + moved.written) as f64 / 8.0);
        let cells = moved.map(|bytes| TableCell::of(Quantity::Bytes, bytes));
        std::iter::once(TableCell::from(label(fusion, Some(&account)))).chain(cells).collect()
    });
    Table { caption: "Bytes to and from DRAM by tensor".to_owned(), rows: rows.collect(), columns }
}

/// Energy of every schedule by cause.
pub fn attention_energy(attention: &AttentionPart) -> Bars {
    let causes = [
        (Cause::Dram, BarCause::Dram),
        (Cause::OnChip, BarCause::BufferToArray),
        (Cause::Registers, BarCause::Registers),
        (Cause::Macs, BarCause::Energy(EnergyCause::Mac)),
        (Cause::Lanes, BarCause::Energy(EnergyCause::Vector)),
    ];
    let group = |(fusion, account): (Fusion, Option<Account>)| BarGroup {
        label: label(fusion, account.as_ref()),
        is_marked: account.as_ref().is_some_and(|account| account.schedule == attention.best.schedule),
        values: vec![
            account
                .as_ref()
                .map(|account| causes.iter().map(|(cause, _)| account.energy[*cause as usize]).collect())
                .ok_or("does not fit"),
        ],
    };
    Bars {
        quantity: Quantity::Energy,
        title: "Energy of attention by itself, one layer".to_owned(),
        group: "schedule".to_owned(),
        bars: vec![("", "best schedule of the kind")],
        parts: causes.iter().map(|(_, cause)| *cause).collect(),
        groups: of_all(attention).map(group).collect(),
        limit: None,
    }
}

/// The parts of a step, summed over all layers.
pub fn step_parts(layer: &LayerSchedule) -> Table {
    let layers = layer.layers;
    let row = |name: String, how: String, energy: f64, busy: (u64, &str), dram: u64, macs: u64| {
        vec![
            TableCell::from(name),
            TableCell::from(how),
            TableCell::of(Quantity::Energy, energy * layers as f64),
            TableCell::of(Quantity::Latency, (busy.0 * layers) as f64),
            TableCell::of(Quantity::Bytes, (dram * layers) as f64 / 8.0),
            TableCell::of(Quantity::Macs, (macs * layers) as f64),
            TableCell::from(busy.1),
        ]
    };
    let run = |run: &Run| {
        let weights = match (run.weight_bits, run.resident) {
            (0, _) => "",
            (_, true) => ", weights stay",
            (_, false) => ", weights stream",
        };
        let how = if run.tile == 1 {
            "token by token".to_owned()
        } else {
            format!("tiles of {} tokens", group_thousands(run.tile))
        };
        let states = match run.states_stay {
            None => "",
            Some(true) => ", states stay",
            Some(false) => ", states come and go",
        };
        let how = how + weights + states;
        let busy: &Busy = &run.busy;
        row(run.parts.join(" + "), how, run.energy_pj(), (busy.cycles(), busy.bound_by()), run.dram_bits(), run.macs)
    };
    let attention = layer.attention.as_ref().map(|AttentionPart { best, .. }| {
        let how = format!("{}, {}", label(best.schedule.fusion, Some(best)), tile_text(best));
        let busy = (best.latency_cycles(), best.bound_by());
        row("attention".to_owned(), how, best.energy_pj(), busy, best.dram_bits(), best.macs)
    });
    let block = layer.block.as_ref().map(|block| {
        let name = block.names().join(" + ");
        let busy = (block.latency_cycles(), block.bound_by());
        row(name, block_text(block), block.energy_pj(), busy, block.dram_bits(), block.macs())
    });
    let rows = layer.before.iter().map(run).chain(block.or(attention)).chain(layer.after.iter().map(run));
    Table {
        caption: format!("The step by its parts, {layers} layers"),
        columns: vec![
            Column::words("part"),
            Column::words("schedule"),
            Column::measured("energy", Quantity::Energy.base()),
            Column::measured("latency", Quantity::Latency.base()),
            Column::measured("DRAM", Quantity::Bytes.base()),
            Column::measured("MACs", Quantity::Macs.base()),
            Column::words("bound by"),
        ],
        rows: rows.collect(),
    }
}

/// Generation: the prompt, then tokens with a growing cache; with the clock of the core, if one is stated.
pub fn generation_table(generation: &Generation, clock_mhz: Option<f64>) -> Table {
    let row = |what: String, cached: Option<u64>, cost: &StepCost| {
        let batch = generation.sequences.batch as f64;
        let energy = cost.energy_pj() / batch;
        let time = clock_mhz.map(|mhz| cost.latency_cycles as f64 / (mhz * 1e6));
        vec![
            TableCell::from(what),
            cached.map_or(TableCell::Nothing, TableCell::count),
            TableCell::of(Quantity::Latency, cost.latency_cycles as f64),
            time.map_or(TableCell::Nothing, |seconds| TableCell::of(Quantity::Time, 1e9 * seconds)),
            time.map_or(TableCell::Nothing, |seconds| {
                let rate = batch / seconds;
                TableCell::number(three_digits(rate), rate)
            }),
            TableCell::of(Quantity::Energy, energy),
            TableCell::number(three_digits(1e12 / energy), 1e12 / energy),
            TableCell::of(Quantity::Bytes, cost.dram_bits as f64 / 8.0),
            TableCell::of(Quantity::Bytes, cost.weight_bits as f64 / 8.0),
        ]
    };
    let Sequences { batch, prompt, chunk, .. } = generation.sequences;
    let chunks = chunk.map_or_else(String::new, |chunk| format!(", {} at a time", group_thousands(chunk)));
    let first = row(format!("the prompt{chunks}, to the first token"), None, &generation.prefill);
    let next = generation.tokens.iter().map(|(cached, cost)| row("a token".to_owned(), Some(*cached), cost));
    Table {
        caption: format!("Generation after {} tokens, {}", group_thousands(prompt), sequences_text(batch)),
        columns: vec![
            Column::words("step"),
            Column::numbers("cached"),
            Column::measured("latency", Quantity::Latency.base()),
            Column::measured("time", Quantity::Time.base()),
            Column::measured("tokens a second", "1/s"),
            Column::measured("energy a sequence", Quantity::Energy.base()),
            Column::measured("tokens a joule", "1/J"),
            Column::measured("DRAM", Quantity::Bytes.base()),
            Column::measured("of it weights", Quantity::Bytes.base()),
        ],
        rows: std::iter::once(first).chain(next).collect(),
    }
}

/// The gain of the fastest division and of the one with the least energy.
pub fn divided_sentences(one: &SplitCost, costs: &[SplitCost]) -> String {
    let fastest = ties::best(costs, |cost| ([cost.latency_cycles as f64, cost.energy_pj()], ()));
    let least = ties::best(costs, |cost| ([cost.energy_pj(), cost.latency_cycles as f64], ()));
    let (Some(fastest), Some(least)) = (fastest, least) else { return String::new() };
    match fastest.split == least.split {
        true => format!("Fastest, and with the least energy: {}", division_text(one, fastest)),
        false => {
            format!("Fastest: {} Least energy: {}", division_text(one, fastest), division_text(one, least))
        }
    }
}

/// `heads 4: 2.5 times as fast as one core, with 2.0 % more energy.`
fn division_text(one: &SplitCost, cost: &SplitCost) -> String {
    let times = |cycles: u64| three_digits(one.latency_cycles as f64 / cycles as f64);
    let energy = 100.0 * (cost.energy_pj() / one.energy_pj() - 1.0);
    let energy = match energy {
        energy if energy.abs() < 0.05 => "with as much energy".to_owned(),
        energy if energy > 0.0 => format!("with {energy:.1} % more energy"),
        energy => format!("with {:.1} % less energy", -energy),
    };
    let speed = match times(cost.latency_cycles).as_str() {
        "1.00" => "as fast as one core".to_owned(),
        times => format!("{times} times as fast as one core"),
    };
    let stages = match cost.split.layers {
        1 => String::new(),
        _ => format!(", and steps follow each other {} times as fast", times(cost.interval_cycles)),
    };
    format!("{}: {speed}, {energy}{stages}.", cost.split.text())
}

/// The scope of the numbers of a divided step.
pub const DIVIDED_NOTE: &str = "Every core's schedule is the best by what is minimised: for the fastest division, minimise latency. \
     Cores share DRAM: each has its part of the bits a cycle. Keys and values are in DRAM or on the chip, those of a layer or of all, \
     spread over the memories of the cores, whichever is best. Between steps of a pipeline as many caches are under way as it has groups \
     of cores; where they do not fit, they are in DRAM. Sums over heads and partial softmaxes over keys go around a ring of cores. A \
     layer's parts, and what is sent between them, follow each other.";

/// A step on one core, then divided over several cores. A state-space model has states instead of keys and values.
pub fn divided_steps(one: &SplitCost, costs: &[SplitCost], has_states: bool) -> Table {
    let row = |cost: &SplitCost| {
        let [gain, share] = [one.latency_cycles as f64 / cost.latency_cycles as f64, cost.link_pj / cost.energy_pj()];
        let cores = cost.split.cores();
        let cells = vec![
            TableCell::from(cost.split.text()),
            TableCell::count(cores),
            TableCell::of(Quantity::Latency, cost.latency_cycles as f64),
            TableCell::number(three_digits(gain), gain),
            TableCell::of(Quantity::Latency, cost.interval_cycles as f64),
            TableCell::of(Quantity::Energy, cost.energy_pj()),
            TableCell::number(three_digits(100.0 * share), 100.0 * share),
            TableCell::of(Quantity::Bytes, cost.dram_bits as f64 / 8.0),
            TableCell::of(Quantity::Bytes, cost.link_bits as f64 / 8.0),
            TableCell::of(Quantity::Bytes, cost.cache_bytes),
        ];
        cells.into_iter().chain((!has_states).then(|| TableCell::from(cost.keys_in.name()))).collect()
    };
    let mut columns = vec![
        Column::words("divided"),
        Column::numbers("cores"),
        Column::measured("latency", Quantity::Latency.base()),
        Column::measured("times as fast", "x"),
        Column::measured("between steps", Quantity::Latency.base()),
        Column::measured("energy", Quantity::Energy.base()),
        Column::measured("of it links", "%"),
        Column::measured("DRAM", Quantity::Bytes.base()),
        Column::measured("links", Quantity::Bytes.base()),
        Column::measured(if has_states { "states of a core" } else { "cache of a core" }, Quantity::Bytes.base()),
    ];
    columns.extend((!has_states).then(|| Column::words("keys and values")));
    Table {
        caption: "A step of all layers, divided among cores".to_owned(),
        columns,
        rows: std::iter::once(one).chain(costs).map(row).collect(),
    }
}

/// `1 sequence at a time`.
pub fn sequences_text(batch: u64) -> String {
    format!("{} sequence{} at a time", group_thousands(batch), if batch == 1 { "" } else { "s" })
}

/// Size of the weights and of the cache (or states), and the memories that hold them.
pub fn generation_room(generation: &Generation, dram_bytes: f64, has_states: bool) -> String {
    let bytes = |bytes: f64| Quantity::Bytes.text(bytes);
    let of_layer = generation.cache_bytes / generation.layers as f64;
    let fits = |needed: f64, there: f64| if needed <= there { "fits" } else { "does not fit" };
    format!(
        "Weights take {}, {} {}: together it {} in DRAM of {}. A layer's part of {}, {}, {} in the {} on the chip.{}",
        bytes(generation.weight_bytes),
        if has_states { "states" } else { "the cache at the end" },
        bytes(generation.cache_bytes),
        fits(generation.weight_bytes + generation.cache_bytes, dram_bytes),
        bytes(dram_bytes),
        if has_states { "the states" } else { "the cache" },
        bytes(of_layer),
        fits(of_layer, generation.chip_bytes),
        bytes(generation.chip_bytes),
        if generation.cache_on_chip {
            " Here the whole cache, of all layers, stays on the chip from the first token to the last."
        } else {
            ""
        },
    )
}

/// One token below the roof of the machine, for a growing number of sequences at a time.
pub fn generation_roofline(generations: &[Generation]) -> Option<Roofline> {
    let first = generations.first()?;
    let points = generations.iter().filter_map(|generation| {
        let cost = generation.typical()?;
        Some(RooflinePoint {
            name: group_thousands(generation.sequences.batch),
            macs_per_byte: 8.0 * cost.macs as f64 / cost.dram_bits as f64,
            macs_per_cycle: cost.macs as f64 / cost.latency_cycles as f64,
        })
    });
    Some(Roofline {
        place: "sequences at a time".to_owned(),
        macs_per_cycle: first.peak_macs as f64,
        bytes_per_cycle: first.dram_bytes_per_cycle,
        points: points.collect(),
    })
}

/// The parts that run together in a block: `queries, attention, output projection and feed-forward part in one block`.
/// Vector operations between the products are not named.
pub fn block_title(block: &Block) -> String {
    let has = |name: &str| block.parts.iter().flat_map(|run| &run.parts).any(|part| part == name);
    let is_recomputed = block.attention.schedule.held.is_recomputed();
    let names = [
        ("queries", block.queries.is_some()),
        ("keys", is_recomputed),
        ("values", is_recomputed),
        ("attention", true),
        ("output projection", has("output projection")),
        ("feed-forward part", has("contraction")),
        ("first half of the feed-forward part", !has("contraction") && (has("expansion") || has("gate and expansion"))),
    ];
    let names: Vec<&str> = names.iter().filter(|(_, is_in)| *is_in).map(|(name, _)| *name).collect();
    match names.split_last() {
        Some((last, [])) => format!("{last} in one block"),
        Some((last, rest)) => format!("{} and {last} in one block", rest.join(", ")),
        None => String::new(),
    }
}

/// The contents that a block of attention keeps on the chip, over `layers` layers.
pub fn block_note(block: &Block, layers: u64) -> String {
    let bytes = |bits: u64| Quantity::Bytes.text((bits * layers) as f64 / 8.0);
    let queries = block.queries.as_ref().map(|_| {
        let bits = block.attention.dram[Tensor::Queries as usize].read;
        format!("its queries, {}", bytes(bits))
    });
    let results = block.parts.as_ref().map(|_| {
        let bits = block.attention.dram[Tensor::Output as usize].written;
        format!("its results, {}", bytes(bits))
    });
    let kept: Vec<String> = queries.into_iter().chain(results).collect();
    let side_by_side = match block.tiles {
        1 => "with one tile nothing runs side by side",
        _ => "while a tile is at one of them, the next is at the one before",
    };
    let keys = match (block.attention.schedule.held.is_recomputed(), block.tiles) {
        (false, _) => "",
        (true, 1) => " The block computes keys and values of the inputs of the layer, too; they never go to DRAM.",
        (true, _) => " The block computes keys and values of the inputs of the layer, too, for every tile.",
    };
    format!(
        "Attention runs in a block with what is around it, {} of {}: {}, stay on the chip, and {side_by_side}.{keys}",
        if block.tiles == 1 { "one tile".to_owned() } else { format!("{} tiles", group_thousands(block.tiles)) },
        tokens_text(block.tile),
        kept.join(", and "),
    )
}

/// Where keys and values are held, and their cost if they were elsewhere.
fn keys_note(layer: &LayerSchedule) -> Option<String> {
    let (store, room) = layer.keys_in;
    let taken = match store {
        KeyStore::Dram => String::new(),
        _ => format!(", and take {} there", Quantity::Bytes.text(room as f64 / 8.0)),
    };
    let others = layer.stores.iter().filter(|(other, _)| *other != store).map(|(other, cost)| match cost {
        Some(cost) => format!(
            "{}: {} and {}",
            other.name(),
            Quantity::Energy.text(cost.energy_pj()),
            Quantity::Latency.text(cost.latency_cycles as f64),
        ),
        None => format!("{}: no room", other.name()),
    });
    let others: Vec<String> = others.collect();
    let others = if others.is_empty() { String::new() } else { format!(" (the step with them {})", others.join("; ")) };
    layer.attention.as_ref().map(|_| format!("Keys and values are {}{taken}{others}.", store.name()))
}

/// The parts of a step that are not counted, and the space over which the best is the best; [`block_note`] describes
/// the block.
pub fn attention_notes(layer: &LayerSchedule) -> Vec<String> {
    let mut notes = Vec::new();
    match &layer.attention {
        Some(AttentionPart { found, best, tied, .. }) => {
            if !tied.is_empty() {
                let names: Vec<&str> = tied.iter().map(|fusion| fusion.name()).collect();
                let alone = if layer.block.is_some() { "Of attention by itself as" } else { "As" };
                notes.push(format!("{alone} good as “{}”: {}.", best.schedule.fusion.name(), names.join("; ")));
            }
            if layer.block.is_none() {
                notes.push(
                    "No block of attention with what is around it, in the tiles that are tried, is better.".to_owned(),
                );
                if best.schedule.held.is_recomputed() {
                    notes.push(
                        "Attention computes keys and values of the inputs of the layer by itself, for every tile of queries; what \
                         comes before it and attention take less together than any others that are tried."
                            .to_owned(),
                    );
                }
            }
            notes.extend(keys_note(layer));
            notes.push(format!(
                "Of the kinds of schedules of attention by itself, with the tiles that are tried (all sizes up to {EVERY_SIZE}, above \
                 every number of tiles, at most {} of them), each was priced ({}) or is proved not to be better; so was each block of \
                 attention with what is around it ({} priced).",
                group_thousands(MOST_TILES),
                group_thousands(found.priced),
                group_thousands(layer.blocks_priced),
            ));
        }
        None => notes.push(
            "This model has no attention: a token updates states of its channels, which do not grow with the tokens before it."
                .to_owned(),
        ),
    }
    if !layer.uncounted.is_empty() {
        let each = |(name, count): &(String, u64)| format!("{name} {}", group_thousands(*count));
        let parts: Vec<String> = layer.uncounted.iter().map(each).collect();
        notes.push(format!(
            "This core has no vector unit. In each layer these operations are not counted: {}.",
            parts.join(", ")
        ));
    }
    notes.push("Biases, gains, the vocabulary and its embeddings are not counted.".to_owned());
    notes
}

/// The dataflows of the FuseMax artifact.
pub fn published_dataflows(dataflows: &[PublishedDataflow]) -> Table {
    let row = |of: &PublishedDataflow| {
        let [of_2d, of_1d] = of.used.map(|used| TableCell::number(format!("{:.1} %", 100.0 * used), used));
        vec![
            TableCell::from(of.name.as_str()),
            TableCell::of(Quantity::Time, 1e9 * of.latency_s),
            TableCell::of(Quantity::Energy, of.energy_pj),
            TableCell::of(Quantity::Bytes, of.dram_bytes),
            of_2d,
            of_1d,
        ]
    };
    Table {
        caption: "Attention of one layer by the rules of the FuseMax artifact".to_owned(),
        columns: vec![
            Column::words("dataflow"),
            Column::measured("latency", Quantity::Time.base()),
            Column::measured("energy", Quantity::Energy.base()),
            Column::measured("DRAM", Quantity::Bytes.base()),
            Column::numbers("2D array"),
            Column::numbers("1D array"),
        ],
        rows: dataflows.iter().map(row).collect(),
    }
}

/// The cost of a kind of schedule over tiles of queries and tiles of keys, with the selected pair marked.
pub fn attention_tiles(tiles: &AttentionTiles, quantity: Quantity, looked_at: Option<(u64, u64)>) -> Matrix {
    let chosen = looked_at.and_then(|(queries, keys)| {
        let row = tiles.queries.iter().position(|size| *size == queries)?;
        Some((tiles.keys.iter().position(|size| *size == keys)?, row))
    });
    Matrix {
        chosen,
        marks_best: true,
        quantity,
        row_title: "tile of queries".to_owned(),
        column_title: "tile of keys".to_owned(),
        rows: tiles.queries.iter().map(|size| group_thousands(*size)).collect(),
        columns: tiles.keys.iter().map(|size| (group_thousands(*size), format!("{size} keys"))).collect(),
        cells: tiles.scores.iter().map(|score| Some(*score)).collect(),
    }
}

/// Energy per token, and tokens per second, over the number of sequences at a time; one value per generation.
pub fn generation_curves(generations: &[Generation], clock_mhz: Option<f64>) -> [Curves; 2] {
    let places: Vec<f64> = generations.iter().map(|generation| generation.sequences.batch as f64).collect();
    let names: Vec<String> = generations.iter().map(|generation| group_thousands(generation.sequences.batch)).collect();
    let curves = |quantity: Quantity, title: &str, of: &dyn Fn(&Generation) -> Option<f64>| Curves {
        quantity,
        title: title.to_owned(),
        place: "sequences at a time".to_owned(),
        place_unit: "",
        places: places.clone(),
        place_names: names.clone(),
        curves: vec![Curve { name: title.to_owned(), values: generations.iter().map(of).collect() }],
        floor: None,
        design: None,
        mark: "",
    };
    let energy = |generation: &Generation| Some(generation.typical()?.energy_pj() / generation.sequences.batch as f64);
    let time = |generation: &Generation| {
        let cycles = generation.typical()?.latency_cycles as f64 / generation.sequences.batch as f64;
        Some(clock_mhz.map_or(cycles, |mhz| 1e3 * cycles / mhz))
    };
    let of_time = if clock_mhz.is_some() { Quantity::Time } else { Quantity::Latency };
    [
        curves(Quantity::Energy, "energy of a token", &energy),
        curves(of_time, "time for a token, all sequences together", &time),
    ]
}
