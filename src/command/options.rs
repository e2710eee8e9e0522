//! Options as other programs give them, in Python and JavaScript: words and numbers by name. All that are wrong are told at once.
//!
//! What is left out is as the command line has it.

use super::attention::Generated;
use super::cores::CoresOptions;
use super::layer::LayerOptions;
use super::{one_of, words};
use fusescape_engine::attention::{ElementBits, Step};
use fusescape_engine::depth_first::{FuseDepth, StoringMode};
use fusescape_engine::explore::{Settings, StackLimits};
use fusescape_engine::hierarchy::{HierarchySettings, Sought, Widths};
use fusescape_engine::multicore::{CoresSettings, Evolution, Granularity, StackRule};
use fusescape_engine::search::Objective;
use fusescape_spec::Diagnostics;
use serde::Deserialize;
use std::collections::BTreeMap;

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

/// A word, or names of layers.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a word, or a list of names")]
pub enum WordOrNames {
    /// The word.
    Word(String),
    /// The names.
    Names(Vec<String>),
}

/// Options of sweeps.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SweepOptions {
    tiles: (Vec<u64>, Vec<u64>),
    modes: Vec<String>,
    stacks: WordOrNames,
    objective: String,
    strategy: String,
    lpf_limit: usize,
    rules: String,
    most_layers: Option<usize>,
    most_tiles: Option<u64>,
}

impl Default for SweepOptions {
    fn default() -> Self {
        Self {
            tiles: Default::default(),
            modes: Vec::new(),
            stacks: WordOrNames::Word("auto".to_owned()),
            objective: "energy".to_owned(),
            strategy: "exact".to_owned(),
            lpf_limit: LPF_LIMIT,
            rules: "corrected".to_owned(),
            most_layers: None,
            most_tiles: None,
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
        Ok(Settings {
            tiles_x: self.tiles.0.clone(),
            tiles_y: self.tiles.1.clone(),
            modes: if self.modes.is_empty() { StoringMode::ALL.to_vec() } else { modes },
            fuse: vec![fuse],
            objective,
            strategy: strategy.strategy(),
            lpf_limit: self.lpf_limit,
            rules: rules.rules(),
        })
    }

    /// What stacks may be, where they are searched for.
    pub fn limits(&self) -> StackLimits {
        StackLimits { most_layers: self.most_layers, most_tiles: self.most_tiles }
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
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MapOptions {
    layers: Vec<String>,
    mapping: Option<String>,
    constraints: Option<String>,
    strategy: String,
    unroll: String,
    hints: BTreeMap<String, Vec<String>>,
    loops_per_dimension: usize,
    lpf_limit: Option<usize>,
    seconds: Option<f64>,
    min_utilization: f64,
    objective: String,
    rules: String,
}

impl Default for MapOptions {
    fn default() -> Self {
        let LayerOptions { loops_per_dimension, min_utilization, .. } = LayerOptions::default();
        Self {
            layers: Vec::new(),
            mapping: None,
            constraints: None,
            strategy: "exact".to_owned(),
            unroll: "stated".to_owned(),
            hints: BTreeMap::new(),
            loops_per_dimension,
            lpf_limit: None,
            seconds: None,
            min_utilization,
            objective: "energy".to_owned(),
            rules: "corrected".to_owned(),
        }
    }
}

impl MapOptions {
    /// As commands take them.
    ///
    /// # Errors
    /// All words that nobody knows.
    pub fn options(&self) -> Result<LayerOptions, Diagnostics> {
        let mut reader = Reader::default();
        let hints = self.hints.iter().filter_map(|(dimension, loops)| {
            reader.word("hints", &format!("{dimension}={}", loops.join(",")), words::parse_hint)
        });
        let hints = hints.collect();
        let seconds = self.seconds.map(|seconds| seconds.to_string());
        let time = seconds.and_then(|text| reader.word("seconds", &text, words::parse_seconds));
        let share = self.min_utilization.to_string();
        let min_utilization = reader.word("min_utilization", &share, words::parse_share);
        let unroll = reader.word("unroll", &self.unroll, |text| one_of(text, [("stated", false), ("search", true)]));
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
            rules: rules.rules(),
        })
    }
}

/// Options of memory hierarchies.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HierarchyOptions {
    layers: Vec<String>,
    budget_um2: Option<f64>,
    max_levels: usize,
    min_ratio: u64,
    all_widths: bool,
    /// Whether hierarchies that are known to be beaten are searched, too.
    pub everything: bool,
    only_best: bool,
    objective: String,
    strategy: String,
    lpf_limit: usize,
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
            objective: "energy".to_owned(),
            strategy: "exact".to_owned(),
            lpf_limit: LPF_LIMIT,
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
            strategy: strategy.strategy(),
            lpf_limit: self.lpf_limit,
            rules: rules.rules(),
            sought: if self.only_best { Sought::Best } else { Sought::Front },
        })
    }
}

/// Options of a network on many cores.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CoresChoices {
    tiles: String,
    stacks: WordOrNames,
    allocation: String,
    order: String,
    improve: bool,
    individuals: usize,
    generations: usize,
    seed: u64,
    objective: String,
    scheduler: String,
    prefetch_weights: bool,
    strategy: String,
    lpf_limit: usize,
    rules: String,
}

impl Default for CoresChoices {
    fn default() -> Self {
        let Evolution { individuals, generations, seed } = Evolution::PAPER;
        Self {
            tiles: "best".to_owned(),
            stacks: WordOrNames::Word("automatic".to_owned()),
            allocation: "best".to_owned(),
            order: "best".to_owned(),
            improve: false,
            individuals,
            generations,
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
            strategy: strategy.strategy(),
            lpf_limit: self.lpf_limit,
            rules: rules.rules(),
        };
        let evolution = Evolution { individuals: self.individuals, generations: self.generations, seed: self.seed };
        Ok((settings, CoresOptions { tiles, allocation, improve: self.improve, evolution }))
    }
}

/// Options of a step of a transformer.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AttentionOptions {
    tokens: u64,
    cached: u64,
    batch: u64,
    sees_itself: bool,
    bits: String,
    objective: String,
    generate: Option<u64>,
    chunk: Option<u64>,
}

impl Default for AttentionOptions {
    fn default() -> Self {
        Self {
            tokens: 2048,
            cached: 0,
            batch: 1,
            sees_itself: true,
            bits: "16".to_owned(),
            objective: "energy".to_owned(),
            generate: None,
            chunk: None,
        }
    }
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
}
