//! A report of one design for a paper's appendix, an issue or a mail: its cost, the causes, and how to reproduce the
//! numbers.
//!
//! Markdown with tables (GitHub's dialect). The same state gives the same text on the page and on the command line.
//!
//! [`trace`] is a schedule on many cores as a file for viewers of traces.

pub mod trace;

use fusescape_chart::{
    BarCause, Breakdown, Column, Quantity, Table, TableCell, group_thousands, markdown, strategy_title, three_digits,
};
use fusescape_engine::cost::{AccessCause, EnergyCause};
use fusescape_engine::depth_first::{PointAccount, StackAccount};
use fusescape_engine::explore::PointSummary;
use fusescape_engine::hardware::Core;
use fusescape_engine::rules::Rules;
use fusescape_engine::workload::Network;
use fusescape_link::{LONGEST_LINK, to_link};
use fusescape_spec::Diagnostics;
use fusescape_state::{Document, Half, ObjectiveChoice, State, design_differences};
use std::fmt::Write;

/// The findings of a sweep that a report states.
#[derive(Debug, Clone, Copy)]
pub struct DesignFindings<'a> {
    /// The reported point.
    pub account: &'a PointAccount,
    /// The totals of that point.
    pub summary: &'a PointSummary,
    /// Whether no other point of the sweep has a smaller score.
    pub is_best: bool,
    /// Number of points of the sweep, and of feasible ones.
    pub points: (usize, usize),
    /// The references: one layer per stack, and layer by layer.
    pub references: [Option<&'a PointSummary>; 2],
    /// Remarks on the request that are not errors.
    pub notes: &'a Diagnostics,
}

/// Adds a line to a text; writing to a `String` cannot fail.
macro_rules! line {
    ($out:expr) => { $out.push('\n') };
    ($out:expr, $($text:tt)*) => {{ let _ = writeln!($out, $($text)*); }};
}

/// The report of a point of the current design. `page` is the address of the page with a slash at its end, or empty.
pub fn report(state: &State, found: &DesignFindings, page: &str) -> String {
    let DesignFindings { account, is_best, points: (points, possible), .. } = *found;
    let design = &state.design;
    let (core, network) = (Core::from_text(&design.hardware.text), Network::from_text(&design.workload.text));
    let name_of = |name: Option<String>| name.map_or_else(|| "unnamed".to_owned(), |name| markdown(&name));
    let core_name = name_of(core.as_ref().ok().map(|core| core.name.clone()));
    let network_name = name_of(network.as_ref().ok().map(|network| network.name.clone()));
    let mut out = String::new();
    line!(out, "# {network_name} on {core_name}\n");
    let best = match (is_best, points) {
        (_, 0 | 1) => "the only point".to_owned(),
        (true, _) => format!("the best of {}", group_thousands(points as u64)),
        (false, _) => format!("one of {}, not the best", group_thousands(points as u64)),
    };
    let impossible = points.saturating_sub(possible);
    let impossible = if impossible > 0 {
        format!(" ({} cannot be scheduled)", group_thousands(impossible as u64))
    } else {
        String::new()
    };
    let version = fusescape_version::VERSION;
    line!(out, "Scheduled by Fusescape {version}: {}, {best}{impossible}.\n", strategy_title(&account.strategy));
    section(&mut out, "What it costs", &headline(found));
    line!(out, "## What was asked for\n");
    for (half, facts) in [
        (Half::Hardware, core.as_ref().ok().map(core_facts)),
        (Half::Workload, network.as_ref().ok().map(network_facts)),
    ] {
        let title = if half == Half::Hardware { "Hardware" } else { "Network" };
        let name = if half == Half::Hardware { &core_name } else { &network_name };
        line!(out, "- {title}: {name} ({}){}", origin(design.document(half)), facts.unwrap_or_default());
    }
    if let Some(note) = core.as_ref().ok().and_then(Core::estimate_note) {
        line!(out, "- {}", markdown(&note));
    }
    for (name, value) in design.schedule.described() {
        if let Some(value) = value.filter(|_| name != "rules") {
            line!(out, "- {}: {}", capitalized(name), markdown(&value));
        }
    }
    for note in &found.notes.0 {
        line!(out, "- Note: {}", markdown(&note.to_string()));
    }
    line!(out);
    let label = "this".to_owned();
    section(&mut out, "Energy by cause", &split(&Breakdown::energy(&[(label.clone(), account)])));
    section(&mut out, "Energy and accesses by memory", &memories(account));
    section(&mut out, "Latency by cause", &split(&Breakdown::latency(&[(label, account)])));
    section(&mut out, "Stacks and tiles", &stacks(&account.stacks));
    section(&mut out, "Tile types", &tile_types(&account.stacks));
    rules(&mut out, &design.schedule.rules);
    if let Some(pinned) = &state.pinned {
        let differences = design_differences(&pinned.design, design);
        line!(out, "## Beside it\n");
        line!(
            out,
            "A second design is pinned to compare with; the documents and choices differ in {} values.\n",
            differences.len()
        );
    }
    reproduce(&mut out, state, found, page);
    out
}

fn section(out: &mut String, title: &str, table: &Table) {
    line!(out, "## {title}\n\n{}", table.to_markdown());
}

fn words(titles: &[&str], numbers: &[&str]) -> Vec<Column> {
    let words = titles.iter().map(|title| Column::words(*title));
    words.chain(numbers.iter().map(|title| Column::numbers(*title))).collect()
}

fn table(columns: Vec<Column>, rows: Vec<Vec<String>>) -> Table {
    let rows = rows.into_iter().map(|row| row.into_iter().map(TableCell::from).collect());
    Table { caption: String::new(), columns, rows: rows.collect() }
}

fn headline(found: &DesignFindings) -> Table {
    let cost = |summary: &PointSummary| {
        let (energy, latency) = (summary.energy_pj, summary.latency_cycles as f64);
        [
            (Quantity::Energy, energy),
            (Quantity::Latency, latency),
            (Quantity::EnergyDelay, energy * latency),
            (Quantity::DramAccesses, summary.dram_words),
            (Quantity::Macs, summary.macs as f64),
        ]
    };
    let columns: Vec<(&str, &PointSummary)> = [("this schedule", Some(found.summary))]
        .into_iter()
        .chain(["single-layer", "layer-by-layer"].into_iter().zip(found.references))
        .filter_map(|(title, summary)| Some((title, summary?)))
        .collect();
    let own = cost(found.summary);
    let row = |index: usize| {
        let (quantity, value) = own[index];
        let text = |(place, (_, summary)): (usize, &(&str, &PointSummary))| {
            let other = cost(summary)[index].1;
            let times = if place == 0 || value <= 0.0 {
                String::new()
            } else {
                format!(" ({}×)", three_digits(other / value))
            };
            quantity.text(other) + &times
        };
        std::iter::once(quantity.title()).chain(columns.iter().enumerate().map(text)).collect()
    };
    let titles: Vec<&str> = columns.iter().map(|(title, _)| *title).collect();
    table(words(&[""], &titles), (0..own.len()).map(row).collect())
}

fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn origin(document: &Document) -> String {
    match document.preset {
        Some(id) => format!("preset `{id}`"),
        None => format!("own document, {} lines", group_thousands(document.text.lines().count() as u64)),
    }
}

fn core_facts(core: &Core) -> String {
    format!("; {} PEs, {} memories", group_thousands(core.pe_count()), core.memories.len())
}

fn network_facts(network: &Network) -> String {
    format!("; {} layers, {}", network.computing().count(), Quantity::Macs.text(network.macs() as f64))
}

/// The single bar of a breakdown, one line per cause, with its share.
fn split(breakdown: &Breakdown) -> Table {
    let values = breakdown.bars.first().map(|bar| bar.values.clone()).unwrap_or_default();
    let total: f64 = values.iter().sum();
    let row = |(cause, value): (&BarCause, &f64)| {
        let share = if total > 0.0 { 100.0 * value / total } else { 0.0 };
        vec![cause.name().to_owned(), breakdown.quantity.text(*value), format!("{} %", three_digits(share))]
    };
    let rows = breakdown.causes.iter().zip(&values).map(row).collect();
    table(words(&["cause"], &[breakdown.quantity.name(), "share"]), rows)
}

fn memories(account: &PointAccount) -> Table {
    let row = |memory: &fusescape_engine::depth_first::MemoryAccount| {
        let operands: Vec<String> = memory.operands.iter().map(ToString::to_string).collect();
        let energy = |pj: f64| if pj > 0.0 { Quantity::Energy.text(pj) } else { "–".to_owned() };
        let size = Quantity::Bytes.plain(memory.size_bits as f64 / 8.0);
        let about = [memory.name.clone(), operands.join(", "), size, energy(memory.energy_pj.total())];
        let accesses = Quantity::Accesses.text(memory.words.total());
        about.into_iter().chain(memory.energy_pj.values().map(energy)).chain([accesses]).collect()
    };
    let other = |cause: EnergyCause| {
        let energy = Quantity::Energy.text(account.energy[cause]);
        let about = [cause.plural().to_owned(), String::new(), String::new(), energy];
        about.into_iter().chain(AccessCause::ALL.map(|_| String::new())).chain([String::new()]).collect()
    };
    let rows = account
        .memories
        .iter()
        .rev()
        .map(row)
        .chain(EnergyCause::seen_without_access(account.energy).map(other))
        .collect();
    let causes = AccessCause::ALL.map(AccessCause::title);
    let numbers: Vec<&str> = ["size", "energy"].into_iter().chain(causes).chain(["full words"]).collect();
    table(words(&["memory", "operands"], &numbers), rows)
}

fn stacks(stacks: &[StackAccount]) -> Table {
    let row = |(index, stack): (usize, &StackAccount)| {
        let (columns, rows) = stack.output_size;
        vec![
            (index + 1).to_string(),
            stack.layers.join(", "),
            format!("{columns} × {rows}"),
            format!("{} of {} types", group_thousands(stack.tile_count), stack.tile_types.len()),
            Quantity::Bytes.plain(stack.weight_bits as f64 / 8.0),
            stack.weight_memory.as_deref().unwrap_or("–").to_owned(),
            Quantity::Energy.text(stack.energy_pj),
            Quantity::Latency.text(stack.latency_cycles as f64),
        ]
    };
    let columns = words(&["stack", "layers"], &["last map", "tiles", "weights", "kept in", "energy", "latency"]);
    table(columns, stacks.iter().enumerate().map(row).collect())
}

fn tile_types(stacks: &[StackAccount]) -> Table {
    /// Limit on the lines; the page shows them all.
    const MOST: usize = 40;
    let all = stacks.iter().enumerate().flat_map(|(stack, account)| {
        account.tile_types.iter().enumerate().map(move |(index, tile_type)| (stack, index, tile_type))
    });
    let count = all.clone().count();
    let row = |(stack, index, tile_type): (usize, usize, &fusescape_engine::depth_first::TileTypeAccount)| {
        vec![
            (stack + 1).to_string(),
            (index + 1).to_string(),
            format!("{} × {}", tile_type.size.0, tile_type.size.1),
            group_thousands(tile_type.count),
            Quantity::Energy.text(tile_type.energy_pj),
            Quantity::Latency.text(tile_type.latency_cycles as f64),
        ]
    };
    let mut rows: Vec<Vec<String>> = all.take(MOST).map(row).collect();
    if count > MOST {
        rows.push(vec![
            format!("and {} more", count - MOST),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
        ]);
    }
    table(words(&["stack"], &["type", "columns × rows", "tiles", "energy of one", "latency of one"]), rows)
}

fn rules(out: &mut String, rules: &Rules) {
    line!(out, "## Rules\n");
    let switched: Vec<(&str, &str)> =
        rules.switches().into_iter().filter(|(.., on)| *on).map(|(name, title, _)| (name, title)).collect();
    match (rules.set_name(), switched.is_empty()) {
        (Some(name), true) => line!(out, "The set “{name}”: every switch is off.\n"),
        (name, _) => {
            line!(
                out,
                "{}. Done as a published tool does it:\n",
                name.map_or("A mixture".to_owned(), |name| format!("The set “{name}”"))
            );
            for (name, title) in switched {
                line!(out, "- {title} (`{name}`)");
            }
            line!(out);
        }
    }
}

fn reproduce(out: &mut String, state: &State, found: &DesignFindings, page: &str) {
    line!(out, "## The same again\n");
    let link = to_link(state);
    let is_short = link.len() <= LONGEST_LINK;
    let what = if is_short { link.as_str() } else { "design.yaml" };
    match (is_short, page) {
        (true, "") => line!(out, "The link: `#{link}`, behind the address of the page.\n"),
        (true, page) => line!(out, "On the page: <{page}#{link}>\n"),
        (false, _) => line!(out, "The design is too long for a link: save it on the page as YAML, `design.yaml`.\n"),
    }
    line!(out, "On the command line, this report, and the point alone:\n\n```");
    line!(out, "fusescape report {what}");
    line!(out, "fusescape link open {what} --into design");
    if let Some(command) = command(state, found) {
        line!(out, "{command}");
    }
    line!(out, "```");
}

/// A command that computes the point alone; `None` if the command line cannot express it: a mixture of rules.
fn command(state: &State, found: &DesignFindings) -> Option<String> {
    let schedule = &state.design.schedule;
    let rules = ["corrected", "defines-2022", "zigzag-3.8", "zigzag-3.9"];
    let index = Rules::SETS.iter().position(|(_, set)| *set == schedule.rules)?;
    let strategy = &found.account.strategy;
    let objective = match schedule.objective {
        ObjectiveChoice::Energy => "energy".to_owned(),
        ObjectiveChoice::Latency => "latency".to_owned(),
        ObjectiveChoice::EnergyDelayProduct => "edp".to_owned(),
        ObjectiveChoice::DramAccesses => "dram-accesses".to_owned(),
        ObjectiveChoice::MemoryAccesses => format!("accesses:{}", schedule.memory),
        ObjectiveChoice::Weighted => {
            let [energy, latency, dram] = &schedule.weights;
            format!("weighted:energy={},latency={},dram-accesses={}", energy.trim(), latency.trim(), dram.trim())
        }
    };
    let search = match schedule.strategy {
        fusescape_engine::search::Strategy::Exact => "exact".to_owned(),
        fusescape_engine::search::Strategy::Loma => format!("loma --lpf-limit {}", schedule.lpf_limit),
    };
    // A tile that is larger than the map is the whole map.
    let side = |size: u64| size.min(1_000_000);
    Some(format!(
        "fusescape depth-first --hardware design/hardware.yaml --workload design/workload.yaml --mode {} --tile {}x{} \
         --stacks {} --objective {} --strategy {search} --rules {}",
        strategy.mode.name(),
        side(strategy.tile.0),
        side(strategy.tile.1),
        quoted(&strategy.fuse.to_string()),
        quoted(&objective),
        rules.get(index)?,
    ))
}

/// A word of a command line, quoted if necessary.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_,:=./".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
