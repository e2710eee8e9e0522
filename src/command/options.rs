//! Options of commands, as the command line (feature `cli`), Python and JavaScript give them: an option is one field here, with its default
//! and what a person is told of it. Python and JavaScript give them by the names of the fields, and hear of all that are wrong at once.

use super::attention::Generated;
use super::cores::CoresOptions;
use super::layer::LayerOptions;
#[cfg(feature = "schema")]
use super::option_schema as schema;
use super::words;
use fusescape_engine::attention::{Cores, ElementBits, Step};
use fusescape_engine::depth_first::{FuseDepth, StoringMode};
use fusescape_engine::explore::{Settings, StackLimits};
use fusescape_engine::hierarchy::{HierarchySettings, Sought, Widths};
use fusescape_engine::multicore::{CoresSettings, Evolution, Granularity, StackRule};
use fusescape_engine::search::Objective;
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// Most loop prime factors that are ordered, where nothing else is said.
const LPF_LIMIT: usize = 6;

/// Words that are being read.
#[derive(Default)]
struct Reader(Diagnostics);

impl Reader {
    /// What a word means, where somebody knows it.
    fn word<T>(&mut self, option: &str, text: &str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        parse(text).map_err(|remedy| self.wrong(option, text, &remedy)).ok()
    }

    fn wrong(&mut self, option: &str, text: &str, remedy: &str) {
        let mut letters = remedy.chars();
        let remedy: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        self.0.add(option, format!("`{text}` cannot be used here"), remedy);
    }

    /// The value, if nothing was wrong.
    fn end<T>(self, value: Option<T>) -> Result<T, Diagnostics> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(self.0),
        }
    }
}

/// Reads a text or a number on the command line as it is written, if `parse` understands it: the command line refuses an option where it
/// stands.
#[cfg(feature = "cli")]
fn understood<T, W: std::str::FromStr>(
    parse: impl Fn(&str) -> Result<T, String> + Clone,
) -> impl Fn(&str) -> Result<W, String> + Clone {
    move |text| {
        parse(text)?;
        text.parse().map_err(|_| format!("`{text}` cannot be used here"))
    }
}

/// Reads one of the words of an option on the command line, whose help lists them.
#[cfg(feature = "cli")]
pub fn words_of<T>(choices: &words::Choices<T>) -> clap::builder::PossibleValuesParser {
    let values = choices.iter().map(|(word, _, told)| clap::builder::PossibleValue::new(*word).help(*told));
    clap::builder::PossibleValuesParser::new(values)
}

/// A word, or names of layers.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(serde::Serialize, schemars::JsonSchema), schemars(inline))]
#[serde(untagged, expecting = "a word, or a list of names")]
pub enum WordOrNames {
    /// The word.
    Word(String),
    /// The names.
    Names(Vec<String>),
}

impl From<&str> for WordOrNames {
    fn from(word: &str) -> Self {
        Self::Word(word.to_owned())
    }
}

impl fmt::Display for WordOrNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Names(names) => f.write_str(&names.join(", ")),
        }
    }
}

/// Options of sweeps.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SweepOptions {
    /// Overlap storing mode, several separated by commas [default: all]
    #[cfg_attr(feature = "cli", arg(long = "mode", value_name = "MODE", value_delimiter = ',',
        value_parser = understood::<_, String>(words::parse_mode)))]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Vec<schema::Mode>", description = "Overlap storing modes; all three where none is named")
    )]
    modes: Vec<String>,
    /// One tile size: columns x rows of the last feature map
    #[cfg_attr(feature = "cli", arg(long, value_name = "XxY", value_parser = words::parse_tile,
        conflicts_with = "tiles"))]
    #[serde(skip)]
    tile: Option<(u64, u64)>,
    /// All widths with all heights; ranges as in 10..960:10x10..540:10 [default: a few, up to the network's map]
    #[cfg_attr(feature = "cli", arg(long = "grid", value_name = "X,X,..xY,Y,..", value_parser = words::parse_grid))]
    #[cfg_attr(
        feature = "schema",
        schemars(
            description = "Widths (columns) and heights (rows) of tiles of the last feature map of each stack [default: a few]"
        )
    )]
    tiles: Option<words::Grid>,
    /// Where stacks are searched for: at most so many layers in one
    #[cfg_attr(feature = "cli", arg(long))]
    most_layers: Option<usize>,
    /// Where stacks are searched for: at most so many tiles in one
    #[cfg_attr(feature = "cli", arg(long))]
    most_tiles: Option<u64>,
    /// How to search for the loop order and its division among the memories
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().strategy,
        value_parser = words_of(words::SEARCHES)))]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Search"))]
    strategy: String,
    /// At most so many loop prime factors are ordered
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().lpf_limit))]
    lpf_limit: usize,
    /// What to minimise: energy, latency, edp, dram-accesses, accesses:MEMORY or
    /// weighted:energy=A,latency=B,dram-accesses=C (per pJ, cycle, word)
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().objective,
        value_parser = understood::<_, String>(words::parse_objective)))]
    objective: String,
    /// Rules of the model: what is right, or what the published tool does
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().rules,
        value_parser = words_of(words::RULES)))]
    #[cfg_attr(feature = "schema", schemars(with = "schema::RuleSet"))]
    rules: String,
    /// Which layers are fused: auto (DeFiNES' rule), single-layer, layer-by-layer, or names of layers after which a stack ends
    // On the command line stacks may be optimal, too, and not every command takes any.
    #[cfg_attr(feature = "cli", arg(skip = Self::default().stacks))]
    stacks: WordOrNames,
}

impl Default for SweepOptions {
    fn default() -> Self {
        Self {
            modes: Vec::new(),
            tile: None,
            tiles: None,
            most_layers: None,
            most_tiles: None,
            strategy: "exact".to_owned(),
            lpf_limit: LPF_LIMIT,
            objective: "energy".to_owned(),
            rules: "corrected".to_owned(),
            stacks: "auto".into(),
        }
    }
}

impl SweepOptions {
    /// As the engine takes them.
    ///
    /// # Errors
    /// All words that nobody knows.
    pub fn settings(&self) -> Result<Settings, Diagnostics> {
        let mut reader = Reader::default();
        let modes = self.modes.iter().filter_map(|mode| reader.word("modes", mode, words::parse_mode)).collect();
        let fuse = match &self.stacks {
            WordOrNames::Names(names) => Some(FuseDepth::Cuts(names.clone())),
            WordOrNames::Word(word) => reader.word("stacks", word, fuse_depth),
        };
        let objective = reader.word("objective", &self.objective, words::parse_objective);
        let strategy = reader.word("strategy", &self.strategy, words::parse_search);
        let rules = reader.word("rules", &self.rules, words::parse_rules);
        let read = fuse.zip(objective).zip(strategy).zip(rules);
        let (((fuse, objective), strategy), rules) = reader.end(read)?;
        let tile = self.tile.map(|(x, y)| (vec![x], vec![y]));
        let (tiles_x, tiles_y) = tile.or_else(|| self.tiles.clone()).unwrap_or_default();
        Ok(Settings {
            tiles_x,
            tiles_y,
            modes: if self.modes.is_empty() { StoringMode::ALL.to_vec() } else { modes },
            fuse: vec![fuse],
            objective,
            strategy,
            lpf_limit: self.lpf_limit,
            rules,
        })
    }

    /// What stacks may be, where they are searched for.
    pub fn limits(&self) -> StackLimits {
        StackLimits { most_layers: self.most_layers, most_tiles: self.most_tiles }
    }

    /// Whether somebody asked for sizes of tiles.
    pub fn has_tiles(&self) -> bool {
        self.tile.is_some() || self.tiles.is_some()
    }
}

/// As the command line takes them; the optimum is a command of its own.
fn fuse_depth(text: &str) -> Result<FuseDepth, String> {
    match words::parse_stacks(text)? {
        words::Stacks::By(fuse) => Ok(fuse),
        words::Stacks::Optimal => Err("call `optimal`".to_owned()),
    }
}

/// Options of single layers.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MapOptions {
    /// Names of layers, several separated by commas [default: all]
    #[cfg_attr(feature = "cli", arg(long = "layer", value_name = "NAME", value_delimiter = ','))]
    #[cfg_attr(feature = "schema", schemars(description = "Names of layers [default: all]"))]
    layers: Vec<String>,
    /// Price the mappings of this document instead of searching
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", conflicts_with_all = ["strategy", "unroll", "hints",
        "lpf_limit", "seconds", "min_utilization"]))]
    #[cfg_attr(
        feature = "schema",
        schemars(description = "Text of a document of mappings, which are priced instead of searched")
    )]
    pub mapping: Option<String>,
    /// With `--strategy exact` or `loma`: search among the mappings that this document allows
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", conflicts_with = "mapping"))]
    #[cfg_attr(
        feature = "schema",
        schemars(
            description = "With `--strategy exact` or `loma`: text of a document of constraints, the mappings that a search may take"
        )
    )]
    pub constraints: Option<String>,
    /// Write the mappings as a document that `--mapping` reads
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    #[serde(skip)]
    pub save_mapping: Option<PathBuf>,
    /// How to search for the loop order and its division among the memories: loma; or, for the least energy, as ZigZag
    /// does: exhaustive (all blockings, even and uneven), heuristic, iterative
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().strategy, value_name = "NAME",
        value_parser = understood::<_, String>(words::parse_strategy)))]
    #[cfg_attr(feature = "schema", schemars(with = "schema::LayerSearch"))]
    strategy: String,
    /// Which loops the array unrolls: those of the documents, or the best of all that are legal
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().unroll,
        value_parser = words_of(words::UNROLLINGS)))]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Unrolling"))]
    unroll: String,
    /// With `--unroll search`: the loops that one dimension of the array may unroll; for several dimensions repeat it
    #[cfg_attr(feature = "cli", arg(long = "hint", value_name = "DIMENSION=LOOP,..",
        value_parser = understood::<_, String>(words::parse_hint)))]
    #[serde(deserialize_with = "hints")]
    #[cfg_attr(
        feature = "schema",
        schemars(
            with = "BTreeMap<String, Vec<String>>",
            description = "With `--unroll search`: the loops that a dimension of the array may unroll, by its name"
        )
    )]
    hints: Vec<String>,
    /// With `--unroll search`: at most so many different loops on one dimension of the array
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().loops_per_dimension))]
    loops_per_dimension: usize,
    /// At most so many loop prime factors, where the strategy has such a limit [default: 6 with loma, else 8]
    #[cfg_attr(feature = "cli", arg(long))]
    lpf_limit: Option<usize>,
    /// With `--strategy exact` or `loma`: search each layer until its best mapping is proved, but no longer than this [default: until
    /// a fixed number of partial mappings is looked at]
    #[cfg_attr(feature = "cli", arg(long, value_name = "SECONDS",
        value_parser = understood::<_, f64>(words::parse_seconds)))]
    seconds: Option<f64>,
    /// With `--strategy exhaustive` or `heuristic`: how full a memory is that operands share, at least, unless it holds all
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().min_utilization, value_name = "0..1",
        value_parser = words::parse_share))]
    min_utilization: f64,
    /// What to minimise: energy, latency, edp, dram-accesses, accesses:MEMORY or
    /// weighted:energy=A,latency=B,dram-accesses=C (per pJ, cycle, word)
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().objective,
        value_parser = understood::<_, String>(words::parse_objective)))]
    objective: String,
    /// Rules of the model: what is right, or what a published tool does
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().rules,
        value_parser = words_of(words::RULES)))]
    #[cfg_attr(feature = "schema", schemars(with = "schema::RuleSet"))]
    rules: String,
}

impl Default for MapOptions {
    fn default() -> Self {
        let LayerOptions { loops_per_dimension, min_utilization, .. } = LayerOptions::default();
        Self {
            layers: Vec::new(),
            mapping: None,
            constraints: None,
            save_mapping: None,
            strategy: "exact".to_owned(),
            unroll: "stated".to_owned(),
            hints: Vec::new(),
            loops_per_dimension,
            lpf_limit: None,
            seconds: None,
            min_utilization,
            objective: "energy".to_owned(),
            rules: "corrected".to_owned(),
        }
    }
}

/// Loops by the dimension of the array, as the command line has them.
fn hints<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<String>, D::Error> {
    let hints = BTreeMap::<String, Vec<String>>::deserialize(from)?;
    Ok(hints.into_iter().map(|(dimension, loops)| format!("{dimension}={}", loops.join(","))).collect())
}

impl MapOptions {
    /// As commands take them.
    ///
    /// # Errors
    /// All words that nobody knows.
    pub fn options(&self) -> Result<LayerOptions, Diagnostics> {
        let mut reader = Reader::default();
        let hints = self.hints.iter().filter_map(|hint| reader.word("hints", hint, words::parse_hint)).collect();
        let seconds = self.seconds.map(|seconds| seconds.to_string());
        let time = seconds.and_then(|text| reader.word("seconds", &text, words::parse_seconds));
        let share = self.min_utilization.to_string();
        let min_utilization = reader.word("min_utilization", &share, words::parse_share);
        let unroll = reader.word("unroll", &self.unroll, |text| words::parse_choice(text, words::UNROLLINGS));
        let strategy = reader.word("strategy", &self.strategy, words::parse_strategy);
        let objective = reader.word("objective", &self.objective, words::parse_objective);
        let rules = reader.word("rules", &self.rules, words::parse_rules);
        let read = min_utilization.zip(unroll).zip(strategy).zip(objective).zip(rules);
        let ((((min_utilization, searches_unrollings), strategy), objective), rules) = reader.end(read)?;
        Ok(LayerOptions {
            layers: self.layers.clone(),
            mapping: self.mapping.clone(),
            constraints: self.constraints.clone(),
            strategy,
            searches_unrollings,
            hints,
            loops_per_dimension: self.loops_per_dimension,
            lpf_limit: self.lpf_limit,
            time,
            min_utilization,
            objective,
            rules,
        })
    }
}

/// Options of memory hierarchies.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HierarchyOptions {
    /// Only these layers, several separated by commas [default: the whole network]
    #[cfg_attr(feature = "cli", arg(long = "layer", value_name = "LAYER", value_delimiter = ','))]
    #[cfg_attr(feature = "schema", schemars(description = "Only these layers [default: the whole network]"))]
    layers: Vec<String>,
    /// Largest area of all that has a stated area: 0.5mm2 or 500000um2 [default: no limit]
    #[cfg_attr(feature = "cli", arg(long = "budget", value_name = "AREA", value_parser = words::parse_area))]
    #[cfg_attr(
        feature = "schema",
        schemars(description = "Largest area of all that has a stated area, um2 [default: no limit]")
    )]
    budget_um2: Option<f64>,
    /// At most so many memories of one operand below the highest
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().max_levels))]
    max_levels: usize,
    /// A memory is at least so many times as large as the one below it
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().min_ratio))]
    min_ratio: u64,
    /// Try every word width of every memory, not only the fitting one
    #[cfg_attr(feature = "cli", arg(long))]
    all_widths: bool,
    /// Search every hierarchy, also those that are known to be beaten
    #[cfg_attr(feature = "cli", arg(long = "no-pruning"))]
    pub everything: bool,
    /// Only the best hierarchy by the objective, not the trade-offs: decides far more hierarchies in the same time
    #[cfg_attr(feature = "cli", arg(long, conflicts_with = "everything"))]
    only_best: bool,
    /// How to search the mapping of each layer
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().strategy,
        value_parser = words_of(words::SEARCHES)))]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Search"))]
    strategy: String,
    /// With `--strategy loma`: orders of at most so many loop prime factors
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().lpf_limit))]
    lpf_limit: usize,
    /// What to minimise: energy, latency or edp
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().objective,
        value_parser = understood::<_, String>(words::parse_objective)))]
    objective: String,
    /// Rules of the model: what is right, or what a published tool does
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().rules,
        value_parser = words_of(words::RULES)))]
    #[cfg_attr(feature = "schema", schemars(with = "schema::RuleSet"))]
    rules: String,
}

impl Default for HierarchyOptions {
    fn default() -> Self {
        Self {
            layers: Vec::new(),
            budget_um2: None,
            max_levels: 2,
            min_ratio: 8,
            all_widths: false,
            everything: false,
            only_best: false,
            strategy: "exact".to_owned(),
            lpf_limit: LPF_LIMIT,
            objective: "energy".to_owned(),
            rules: "corrected".to_owned(),
        }
    }
}

impl HierarchyOptions {
    /// As the engine takes them.
    ///
    /// # Errors
    /// All words that nobody knows.
    pub fn settings(&self) -> Result<HierarchySettings, Diagnostics> {
        let mut reader = Reader::default();
        let area = self.budget_um2.map(|area| format!("{area}um2"));
        let budget_um2 = area.and_then(|text| reader.word("budget_um2", &text, words::parse_area));
        let strategy = reader.word("strategy", &self.strategy, words::parse_search);
        let objective = reader.word("objective", &self.objective, words::parse_objective);
        let rules = reader.word("rules", &self.rules, words::parse_rules);
        let ((strategy, objective), rules) = reader.end(strategy.zip(objective).zip(rules))?;
        Ok(HierarchySettings {
            layers: self.layers.clone(),
            budget_um2,
            max_levels: self.max_levels,
            min_ratio: self.min_ratio,
            widths: if self.all_widths { Widths::All } else { Widths::Fitting },
            objective,
            strategy,
            lpf_limit: self.lpf_limit,
            rules,
            sought: if self.only_best { Sought::Best } else { Sought::Front },
        })
    }
}

/// Options of a network on many cores.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CoresOptions"))]
#[serde(default, deny_unknown_fields)]
pub struct CoresChoices {
    /// How large computation tiles are: best (the best size that a search finds, over rows, columns, output channels, and stacks), so
    /// many rows, layer-by-layer, or sizes or pieces of loops as in "rows 4, columns 60; stack 2: rows 8" or "OY 14, OX 2; conv1: K 4"
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().tiles,
        value_name = "best|ROWS|layer-by-layer|CUTS", value_parser = understood::<_, String>(words::parse_tiles)))]
    #[serde(deserialize_with = "text_or_number")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::TextOrNumber"))]
    tiles: String,
    /// Layer stacks, each of which runs fused, tile by tile: automatic (as many layers as have weights that fit on the chip), one,
    /// each-layer, or names of layers after which a stack ends, separated by commas
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().stacks,
        value_name = "automatic|one|each-layer|NAMES"))]
    #[cfg_attr(
        feature = "schema",
        schemars(
            description = "Layer stacks, each of which runs fused: automatic (as many layers as have weights that fit on the chip), one, each-layer, or names of layers after which a stack ends"
        )
    )]
    stacks: WordOrNames,
    /// Who computes what: best (for each stack the fastest if nothing had to travel, proved where the search ends), genetic, a core for all
    /// layers that it runs, or "layer: core, core; layer: core"
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().allocation,
        value_name = "best|genetic|CORE|LAYERS"))]
    #[serde(deserialize_with = "text_or_cores")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::TextOrCores"))]
    allocation: String,
    /// Which tile is next: best (whichever of these makes the better schedule), deepest (of the last layer that can be computed), slots
    /// (as the search for the best allocation has it), earliest (which could start first)
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().order,
        value_name = "best|deepest|slots|earliest", value_parser = understood::<_, String>(words::parse_order)))]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Order"))]
    order: String,
    /// Then give layers other cores, one after the other, as long as that makes the schedule better
    #[cfg_attr(feature = "cli", arg(long))]
    improve: bool,
    /// With `--allocation genetic`: individuals of a generation, 2 to 1000
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().individuals,
        value_parser = clap::value_parser!(u32).range(2..=1_000)))]
    individuals: u32,
    /// With `--allocation genetic`: generations after the first, up to 10000
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().generations,
        value_parser = clap::value_parser!(u32).range(..=10_000)))]
    generations: u32,
    /// With `--allocation genetic`: seed of all random choices
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().seed))]
    seed: u64,
    /// What to minimise: latency, energy or edp. Tiles are mapped for the same (those that stream from DRAM for edp instead of latency);
    /// with the schedulers of the public tool always for latency
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().objective,
        value_parser = understood::<_, String>(words::parse_aim)))]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Aim"))]
    objective: String,
    /// Rules of the scheduler: corrected, or those of the public tool: stream-2024 (transfers as early as possible), stream-2023 (as late)
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().scheduler,
        value_parser = understood::<_, String>(words::parse_scheduler)))]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Scheduler"))]
    scheduler: String,
    /// Bring weights to their cores before anything else
    #[cfg_attr(feature = "cli", arg(long))]
    prefetch_weights: bool,
    /// How to search the mapping of each tile
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().strategy,
        value_parser = words_of(words::SEARCHES)))]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Search"))]
    strategy: String,
    /// LOMA orders at most so many loop prime factors
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().lpf_limit))]
    lpf_limit: usize,
    /// Rules of the model of one core: what is right, or what a published tool does
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().rules,
        value_parser = words_of(words::RULES)))]
    #[cfg_attr(feature = "schema", schemars(with = "schema::RuleSet"))]
    rules: String,
}

impl Default for CoresChoices {
    fn default() -> Self {
        let Evolution { individuals, generations, seed } = Evolution::PAPER;
        Self {
            tiles: "best".to_owned(),
            stacks: "automatic".into(),
            allocation: "best".to_owned(),
            order: "best".to_owned(),
            improve: false,
            individuals: individuals as u32,
            generations: generations as u32,
            seed,
            objective: "latency".to_owned(),
            scheduler: "corrected".to_owned(),
            prefetch_weights: false,
            strategy: "exact".to_owned(),
            lpf_limit: LPF_LIMIT,
            rules: "corrected".to_owned(),
        }
    }
}

/// A text, or a number as one.
fn text_or_number<'d, D: Deserializer<'d>>(from: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a text, or a number")]
    enum Given {
        Text(String),
        Number(i64),
    }
    Ok(match Given::deserialize(from)? {
        Given::Text(text) => text,
        Given::Number(number) => number.to_string(),
    })
}

/// A text, or the cores of layers as the command line has them.
fn text_or_cores<'d, D: Deserializer<'d>>(from: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a text, or lists of cores by layer")]
    enum Given {
        Text(String),
        Cores(BTreeMap<String, Vec<String>>),
    }
    Ok(match Given::deserialize(from)? {
        Given::Text(text) => text,
        Given::Cores(layers) => {
            let layers = layers.iter().map(|(layer, cores)| format!("{layer}: {}", cores.join(", ")));
            layers.collect::<Vec<_>>().join("\n")
        }
    })
}

impl CoresChoices {
    /// As the engine and the command take them.
    ///
    /// # Errors
    /// All words that nobody knows.
    pub fn read(&self) -> Result<(CoresSettings, CoresOptions), Diagnostics> {
        let mut reader = Reader::default();
        let tiles = reader.word("tiles", &self.tiles, words::parse_tiles);
        let stacks = match &self.stacks {
            WordOrNames::Names(names) => Some(StackRule::After(names.clone())),
            WordOrNames::Word(word) => reader.word("stacks", word, words::parse_turns),
        };
        let allocation = reader.word("allocation", &self.allocation, words::parse_allocation);
        let order = reader.word("order", &self.order, words::parse_order);
        let objective = reader.word("objective", &self.objective, words::parse_aim);
        let scheduler = reader.word("scheduler", &self.scheduler, words::parse_scheduler);
        let strategy = reader.word("strategy", &self.strategy, words::parse_search);
        let rules = reader.word("rules", &self.rules, words::parse_rules);
        for (option, count, range) in
            [("individuals", self.individuals, 2..=1_000), ("generations", self.generations, 0..=10_000)]
        {
            if !range.contains(&count) {
                let remedy = format!("write {} to {}", range.start(), range.end());
                reader.wrong(option, &count.to_string(), &remedy);
            }
        }
        let read = tiles.zip(order).zip(stacks).zip(allocation).zip(objective).zip(scheduler).zip(strategy.zip(rules));
        let ((((((tiles, order), stacks), allocation), aim), scheduler), (strategy, rules)) = reader.end(read)?;
        let settings = CoresSettings {
            granularity: Granularity::LayerByLayer,
            stacks,
            aim,
            scheduler,
            order,
            prefetches_weights: self.prefetch_weights,
            strategy,
            lpf_limit: self.lpf_limit,
            rules,
        };
        let [individuals, generations] = [self.individuals, self.generations].map(|count| count as usize);
        let evolution = Evolution { individuals, generations, seed: self.seed };
        Ok((settings, CoresOptions { tiles, allocation, improve: self.improve, evolution }))
    }
}

/// Options of a step of a transformer.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AttentionOptions {
    /// New tokens of each sequence: a prompt, or 1 with `--cached`
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().tokens, value_name = "COUNT"))]
    tokens: u64,
    /// Tokens whose keys and values are cached
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().cached, value_name = "COUNT"))]
    cached: u64,
    /// Sequences at a time
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().batch, value_name = "COUNT"))]
    batch: u64,
    /// Generate so many tokens after the others, and tell time, energy and the size of the cache
    #[cfg_attr(feature = "cli", arg(long, value_name = "COUNT"))]
    generate: Option<u64>,
    /// With `--generate`: read the prompt so many tokens at a time [default: all]
    #[cfg_attr(feature = "cli", arg(long, requires = "generate", value_name = "COUNT"))]
    chunk: Option<u64>,
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(skip)]
    links: LinkOptions,
    /// Bits of all elements, or of each kind: activations=16,keys=8,sums=32,weights=4
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().bits, value_name = "BITS",
        value_parser = understood::<_, String>(words::parse_element_bits)))]
    #[serde(deserialize_with = "text_or_bits")]
    #[cfg_attr(
        feature = "schema",
        schemars(
            with = "schema::Bits",
            description = "Bits of all elements, or of each kind; kinds that are left out have 16"
        )
    )]
    bits: String,
    /// Whether new tokens see themselves and each other where there is a cache; AccelForge has it that they do not
    #[cfg_attr(feature = "cli", arg(long = "blind", action = clap::ArgAction::SetFalse,
        help = "New tokens see the cache alone, not themselves and each other, as AccelForge has it"))]
    sees_itself: bool,
    /// Show the dataflows of the FuseMax artifact on its own machines instead: unfused, FLAT, +cascade, +architecture, +binding
    #[cfg_attr(feature = "cli", arg(long))]
    #[serde(skip)]
    pub published: bool,
    /// With `--published`: the artifact's rules, defects included
    #[cfg_attr(feature = "cli", arg(long, requires = "published"))]
    #[serde(skip)]
    pub as_published: bool,
    /// What to minimise: energy, latency or edp
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Self::default().objective,
        value_parser = understood::<_, String>(words::parse_energy_or_latency)))]
    #[cfg_attr(feature = "schema", schemars(with = "schema::StepObjective"))]
    objective: String,
}

impl Default for AttentionOptions {
    fn default() -> Self {
        Self {
            tokens: 2048,
            cached: 0,
            batch: 1,
            generate: None,
            chunk: None,
            links: LinkOptions::default(),
            bits: "16".to_owned(),
            sees_itself: true,
            published: false,
            as_published: false,
            objective: "energy".to_owned(),
        }
    }
}

/// Bits as the command line has them: of all elements, or of each kind.
fn text_or_bits<'d, D: Deserializer<'d>>(from: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a text, a number, or numbers by kind")]
    enum Given {
        Text(String),
        Number(i64),
        Each(BTreeMap<String, i64>),
    }
    Ok(match Given::deserialize(from)? {
        Given::Text(text) => text,
        Given::Number(bits) => bits.to_string(),
        Given::Each(kinds) => kinds.iter().map(|(kind, bits)| format!("{kind}={bits}")).collect::<Vec<_>>().join(","),
    })
}

impl AttentionOptions {
    /// As the command takes them: the step, bits of elements, what is minimised, and what is generated.
    ///
    /// # Errors
    /// All words that nobody knows.
    pub fn read(&self) -> Result<(Step, ElementBits, Objective, Option<Generated>), Diagnostics> {
        let Self { tokens, cached, batch, sees_itself, generate, chunk, .. } = *self;
        let mut reader = Reader::default();
        let bits = reader.word("bits", &self.bits, words::parse_element_bits);
        let objective = reader.word("objective", &self.objective, words::parse_energy_or_latency);
        if let (None, Some(chunk)) = (generate, chunk) {
            reader.wrong("chunk", &chunk.to_string(), "say with `generate` how many tokens follow the prompt");
        }
        let (bits, objective) = reader.end(bits.zip(objective))?;
        let generated = generate.map(|tokens| Generated { tokens, chunk });
        Ok((Step { batch, tokens, cached, sees_itself }, bits, objective, generated))
    }

    /// The cores among which the step is divided, where it is.
    pub fn cores(&self) -> Option<Cores> {
        self.links.cores()
    }
}

/// Options of cores among which a step of a transformer is divided.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LinkOptions {
    /// Divide the step among so many cores like this one, in every way
    #[cfg_attr(feature = "cli", arg(long, conflicts_with_all = ["generate", "published"], value_name = "COUNT"))]
    cores: Option<u64>,
    /// With `--cores`: bits that each core sends, and receives, in a cycle
    #[cfg_attr(feature = "cli", arg(long, requires = "cores", default_value_t = Self::default().link_width,
        value_name = "BITS"))]
    link_width: u64,
    /// With `--cores`: energy of sending a bit to another core, pJ
    #[cfg_attr(feature = "cli", arg(long, requires = "cores", default_value_t = Self::default().link_energy,
        value_name = "PJ"))]
    link_energy: f64,
}

impl Default for LinkOptions {
    fn default() -> Self {
        Self { cores: None, link_width: 512, link_energy: 0.2 }
    }
}

impl LinkOptions {
    /// As the engine takes them, where there are several.
    pub fn cores(&self) -> Option<Cores> {
        Some(Cores { count: self.cores?, link_bits: self.link_width, link_pj: self.link_energy })
    }
}
