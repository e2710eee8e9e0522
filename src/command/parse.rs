//! Options as text, on the command line and in Python, and their meanings.

use super::names::{one_of, unknown};
use fusescape_engine::attention::ElementBits;
use fusescape_engine::depth_first::{FuseDepth, StoringMode};
use fusescape_engine::explore::{Sharing, parse_sizes};
use fusescape_engine::multicore::{OrderRule, ScheduleObjective, Scheduler, StackRule, TileGranularity};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::space::Pruning;
use fusescape_engine::search::{Objective, Strategy, Weights};
use fusescape_engine::workload::Dim;
use fusescape_spec::names_in;
use std::time::Duration;

/// The choice of the stacks.
#[derive(Debug, Clone)]
pub enum StackSelection {
    /// A rule, or stacks by hand.
    By(FuseDepth),
    /// A search, which also finds the best tile and mode for each stack.
    Optimal,
}

/// Tile widths and heights: columns and rows.
pub type TileExtents = (Vec<u64>, Vec<u64>);

/// The words of an option that has no others: each with what it means, and what a person is told of it.
pub type Choices<T> = [(&'static str, T, &'static str)];

/// Known combinations of rules, the default first.
pub const RULES: &Choices<Rules> = &[
    ("corrected", Rules::CORRECTED, "What is right"),
    ("defines-2022", Rules::DEFINES_2022, "The DeFiNES artifact of 2022, defects included"),
    ("zigzag-3.8", Rules::ZIGZAG_3_8, "The maintained ZigZag, version 3.8, defects included"),
    ("zigzag-3.9", Rules::ZIGZAG_3_9, "The maintained ZigZag, version 3.9, defects included"),
];

/// How every layer-tile is searched, the default first.
pub const SEARCHES: &Choices<Strategy> = &[
    ("exact", Strategy::Exact, "The best of all orders and all placements of memory levels, proved"),
    ("loma", Strategy::Loma, "All orders of the loop prime factors, allocated by LOMA's rule"),
];

/// Whether unrollings are searched, too; the default first.
pub const UNROLLINGS: &Choices<bool> = &[
    ("stated", false, "The layer's own, or the hardware's for its type"),
    ("search", true, "The best of all legal ones"),
];

/// What `text` names among the words of an option.
///
/// # Errors
/// The words that there are.
pub fn parse_choice<T: Copy>(text: &str, choices: &Choices<T>) -> Result<T, String> {
    one_of(text, choices.iter().map(|&(word, value, _)| (word, value)))
}

/// The size of computation tiles; `None` for the best size of a search.
pub type Tiles = Option<TileGranularity>;

/// The rule for the next tile; `None` for the best rule.
pub type Order = Option<OrderRule>;

/// The method that allocates layers to cores.
#[derive(Debug, Clone)]
pub enum AllocationChoice {
    /// The search that proves its result optimal.
    Best,
    /// Evolution.
    Genetic,
    /// By hand, as text.
    ByHand(String),
}

/// How a single layer is searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LayerStrategy {
    /// For any objective.
    Any(Strategy),
    /// All blockings of loop prime factors, for the least energy.
    Space(Pruning),
    /// Level by level, for the least energy.
    Iterative,
}

/// The strategies by name, the default first.
pub const STRATEGIES: &[(&str, LayerStrategy)] = &[
    ("exact", LayerStrategy::Any(Strategy::Exact)),
    ("loma", LayerStrategy::Any(Strategy::Loma)),
    ("exhaustive", LayerStrategy::Space(Pruning::None)),
    ("heuristic", LayerStrategy::Space(Pruning::Heuristic)),
    ("iterative", LayerStrategy::Iterative),
];

/// How layers of a sequence share the array: temporal, spatial or either.
///
/// # Errors
/// A remedy.
pub fn parse_sharing(text: &str) -> Result<Sharing, String> {
    let known = [("temporal", Sharing::Temporal), ("spatial", Sharing::Spatial), ("either", Sharing::Either)];
    one_of(text, known)
}

/// A search of single layers, by its name in [`STRATEGIES`].
///
/// # Errors
/// A remedy.
pub fn parse_strategy(text: &str) -> Result<LayerStrategy, String> {
    one_of(text, STRATEGIES.iter().copied())
}

/// The words of [`parse_tiles`].
pub const TILES: [&str; 2] = ["best", "layer-by-layer"];

/// `best`, `layer-by-layer`, a number of rows, or sizes as a person writes them.
///
/// # Errors
/// A remedy.
pub fn parse_tiles(text: &str) -> Result<Tiles, String> {
    if text == "best" { Ok(None) } else { TileGranularity::from_words(text).map(Some) }
}

/// The words of [`parse_stack_rule`].
pub const STACK_RULES: [&str; 3] = ["automatic", "one", "each-layer"];

/// Layer stacks on many cores: `automatic`, `one`, `each-layer`, or names of layers after which one ends.
///
/// # Errors
/// A remedy.
pub fn parse_stack_rule(text: &str) -> Result<StackRule, String> {
    Ok(StackRule::from_words(text))
}

/// The words of [`parse_allocation`].
pub const ALLOCATIONS: [&str; 2] = ["best", "genetic"];

/// `best`, `genetic`, or cores of layers by hand.
///
/// # Errors
/// A remedy.
pub fn parse_allocation(text: &str) -> Result<AllocationChoice, String> {
    Ok(match text {
        "best" => AllocationChoice::Best,
        "genetic" => AllocationChoice::Genetic,
        text => AllocationChoice::ByHand(text.to_owned()),
    })
}

/// The orders by name, the default first.
pub const ORDERS: [(&str, Order); 4] = [
    ("best", None),
    ("deepest", Some(OrderRule::Deepest)),
    ("slots", Some(OrderRule::Slots)),
    ("earliest", Some(OrderRule::Earliest)),
];

/// Which tile is next: `best`, `deepest`, `slots` or `earliest`.
///
/// # Errors
/// A remedy.
pub fn parse_order(text: &str) -> Result<Order, String> {
    one_of(text, ORDERS)
}

/// The objective of a schedule on many cores.
///
/// # Errors
/// A remedy.
pub fn parse_schedule_objective(text: &str) -> Result<ScheduleObjective, String> {
    one_of(text, ScheduleObjective::ALL.map(|objective| (objective.name(), objective)))
}

/// Rules of the scheduler, by name.
///
/// # Errors
/// A remedy.
pub fn parse_scheduler(text: &str) -> Result<Scheduler, String> {
    one_of(text, Scheduler::ALL.map(|scheduler| (scheduler.name(), scheduler)))
}

/// The loops that one dimension of the array may unroll: `D1=K,C`.
///
/// # Errors
/// A remedy.
pub fn parse_hint(text: &str) -> Result<(String, Vec<Dim>), String> {
    let (dimension, loops) = text.split_once('=').ok_or("write DIMENSION=LOOP,LOOP such as D1=K,C")?;
    let names = || Dim::ALL.map(Dim::name).join(", ");
    let dim = |name: &str| {
        Dim::from_name(name.trim()).ok_or_else(|| format!("there is no loop `{name}`; use some of {}", names()))
    };
    Ok((dimension.to_owned(), loops.split(',').map(dim).collect::<Result<_, _>>()?))
}

/// A share from 0 to 1.
///
/// # Errors
/// A remedy.
pub fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "write a number from 0 to 1, such as 0.7".into())
}

/// A time in seconds.
///
/// # Errors
/// A remedy.
pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "write a number of seconds, such as 2.5".into())
}

/// An overlap storing mode, by name.
///
/// # Errors
/// A remedy.
pub fn parse_mode(text: &str) -> Result<StoringMode, String> {
    one_of(text, StoringMode::ALL.map(|mode| (mode.name(), mode)))
}

/// One tile: columns x rows, `60x72`.
///
/// # Errors
/// A remedy.
pub fn parse_tile(text: &str) -> Result<(u64, u64), String> {
    let grid = parse_grid(text)?;
    match (&grid.0[..], &grid.1[..]) {
        (&[x], &[y]) => Ok((x, y)),
        _ => Err("write one width and one height, such as 60x72; --grid takes several".into()),
    }
}

/// Widths x heights: `4,16x18,72`; `10..960:10` is a range.
///
/// # Errors
/// A remedy.
pub fn parse_grid(text: &str) -> Result<TileExtents, String> {
    let (x, y) = text.split_once('x').ok_or("write widths x heights, such as 4,16x18,72")?;
    Ok((parse_list(x)?, parse_list(y)?))
}

fn parse_list(text: &str) -> Result<Vec<u64>, String> {
    let mut sizes = Vec::new();
    for word in text.split(',').map(str::trim) {
        sizes.append(&mut parse_sizes(word).map_err(|wrong| format!("`{word}` {wrong}"))?);
    }
    Ok(sizes)
}

/// The words of [`parse_stacks`].
pub const STACKS: [&str; 4] = ["auto", "optimal", "single-layer", "layer-by-layer"];

/// The stacks: `auto`, `optimal`, `single-layer`, `layer-by-layer`, or names of layers after which one ends.
///
/// # Errors
/// A remedy.
pub fn parse_stacks(text: &str) -> Result<StackSelection, String> {
    if text == STACKS[1] {
        return Ok(StackSelection::Optimal);
    }
    Ok(StackSelection::By(match text {
        "auto" => FuseDepth::Automatic,
        "single-layer" => FuseDepth::SingleLayer,
        "layer-by-layer" => FuseDepth::LayerByLayer,
        names => FuseDepth::Cuts(names_in(names).into_iter().map(|(name, _)| name).collect()),
    }))
}

/// All objectives of `--objective`.
const OBJECTIVES: [&str; 6] =
    ["energy", "latency", "edp", "dram-accesses", "accesses:MEMORY", "weighted:energy=1,latency=1"];

/// The objective: `energy`, `latency`, `edp`, `dram-accesses`, `accesses:MEMORY` or `weighted:energy=1,latency=2`.
///
/// # Errors
/// A remedy.
pub fn parse_objective(text: &str) -> Result<Objective, String> {
    match text.split_once(':') {
        None => match text {
            "energy" => Ok(Objective::Energy),
            "latency" => Ok(Objective::Latency),
            "edp" => Ok(Objective::EnergyDelayProduct),
            "dram-accesses" => Ok(Objective::DramAccesses),
            _ => Err(unknown(text, &OBJECTIVES)),
        },
        Some(("accesses", memory)) => Ok(Objective::MemoryAccesses(memory.to_owned())),
        Some(("weighted", weights)) => parse_weights(weights).map(Objective::Weighted),
        Some((kind, _)) => Err(format!("there is no objective `{kind}:`; use accesses:MEMORY or weighted:...")),
    }
}

/// The words of [`parse_energy_or_latency`].
pub const STEP_OBJECTIVES: [&str; 3] = ["energy", "latency", "edp"];

/// Objectives that need no memory of a core.
///
/// # Errors
/// A remedy.
pub fn parse_energy_or_latency(text: &str) -> Result<Objective, String> {
    if STEP_OBJECTIVES.contains(&text) { parse_objective(text) } else { Err(unknown(text, &STEP_OBJECTIVES)) }
}

/// The kinds of [`parse_element_bits`].
pub const ELEMENTS: [&str; 4] = ["activations", "keys", "sums", "weights"];

/// Bits of an element: one number for all, or `activations=16,keys=8,sums=16,weights=8`.
///
/// # Errors
/// A remedy.
pub fn parse_element_bits(text: &str) -> Result<ElementBits, String> {
    if let Ok(bits) = text.parse() {
        return Ok(ElementBits::all(bits));
    }
    let mut bits = ElementBits::all(16);
    let mut said = Vec::new();
    for part in text.split(',') {
        let (name, count) =
            part.split_once('=').ok_or_else(|| format!("`{part}` has no `=`: write for example keys=8"))?;
        if said.contains(&name.trim()) {
            return Err(format!("`{}` is there twice: keep one", name.trim()));
        }
        said.push(name.trim());
        let count =
            count.trim().parse().map_err(|_| format!("`{count}` is no number of bits: write for example {name}=8"))?;
        let field = match name.trim() {
            "activations" => &mut bits.activations,
            "keys" => &mut bits.keys,
            "sums" => &mut bits.sums,
            "weights" => &mut bits.weights,
            other => return Err(unknown(other, &ELEMENTS)),
        };
        *field = count;
    }
    Ok(bits)
}

/// An area in µm²: `0.5mm2` or `500000um2`.
///
/// # Errors
/// A remedy.
pub fn parse_area(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is no area: write for example 0.5mm2 or 500000um2");
    let (number, factor) = [("mm2", 1e6), ("um2", 1.0)]
        .into_iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?.trim(), factor)))
        .ok_or_else(wrong)?;
    number.parse::<f64>().ok().filter(|area| *area >= 0.0).map(|area| area * factor).ok_or_else(wrong)
}

/// The weights of a sum as objective.
const WEIGHTS: [&str; 3] = ["energy", "latency", "dram-accesses"];

fn parse_weights(text: &str) -> Result<Weights, String> {
    let mut weights = Weights::default();
    for part in text.split(',') {
        let (name, value) =
            part.split_once('=').ok_or_else(|| format!("`{part}` is not NAME=WEIGHT: write for example energy=1"))?;
        let value: f64 = value.parse().map_err(|_| format!("`{value}` is no number: write for example {name}=1"))?;
        match name {
            "energy" => weights.energy = value,
            "latency" => weights.latency = value,
            "dram-accesses" => weights.dram_accesses = value,
            _ => return Err(format!("there is no weight `{name}`; {}", unknown(name, &WEIGHTS))),
        }
    }
    Ok(weights)
}

/// A set of rules, by name.
///
/// # Errors
/// The names that there are.
pub fn parse_rules(text: &str) -> Result<Rules, String> {
    parse_choice(text, RULES)
}

/// A search strategy for layer-tiles, by name.
///
/// # Errors
/// The names that there are.
pub fn parse_search(text: &str) -> Result<Strategy, String> {
    parse_choice(text, SEARCHES)
}
