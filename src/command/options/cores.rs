//! Options of a network on many cores.

#[cfg(feature = "schema")]
use super::schema;
use super::{LPF_LIMIT, OptionReader, WordOrNames};
#[cfg(feature = "cli")]
use super::{understood, words_of};
use crate::cores::CoresSearchOptions;
use crate::parse;
use fusescape_engine::multicore::{CoresSettings, Evolution, StackRule, TileGranularity};
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

options! {
/// Options of a network on many cores.
pub struct CoresOptions {
    /// How large computation tiles are: best (the best size that a search finds, over rows, columns, output channels, and stacks), so
    /// many rows, layer-by-layer, or sizes or pieces of loops as in "rows 4, columns 60; stack 2: rows 8" or "OY 14, OX 2; conv1: K 4"
    #[cli(arg(long, value_name = "best|ROWS|layer-by-layer|CUTS",
        value_parser = understood::<_, String>(parse::parse_tiles)))]
    #[schema(with = "schema::TextOrNumber")]
    #[serde(deserialize_with = "text_or_number")]
    tiles: String = "best".to_owned(),
    /// Layer stacks, each of which runs fused, tile by tile: automatic (as many layers as have weights that fit on the chip), one,
    /// each-layer, or names of layers after which a stack ends, separated by commas
    #[cli(arg(long, value_name = "automatic|one|each-layer|NAMES"))]
    stacks: WordOrNames = WordOrNames::from("automatic"),
    /// Who computes what: best (for each stack the fastest if nothing had to travel, proved where the search ends), genetic, a core for all
    /// layers that it runs, or "layer: core, core; layer: core"
    #[cli(arg(long, value_name = "best|genetic|CORE|LAYERS"))]
    #[schema(with = "schema::TextOrCores")]
    #[serde(deserialize_with = "text_or_cores")]
    allocation: String = "best".to_owned(),
    /// Which tile is next: best (whichever of these makes the better schedule), deepest (of the last layer that can be computed), slots
    /// (as the search for the best allocation has it), earliest (which could start first)
    #[cli(arg(long, value_name = "best|deepest|slots|earliest",
        value_parser = understood::<_, String>(parse::parse_order)))]
    #[schema(with = "schema::Order")]
    order: String = "best".to_owned(),
    /// Then give layers other cores, one after the other, as long as that makes the schedule better
    #[cli(arg(long))]
    improve: bool,
    /// With `--allocation genetic`: individuals of a generation, 2 to 1000
    #[cli(arg(long, value_parser = clap::value_parser!(u32).range(2..=1_000)))]
    individuals: u32 = Evolution::PAPER.individuals as u32,
    /// With `--allocation genetic`: generations after the first, up to 10000
    #[cli(arg(long, value_parser = clap::value_parser!(u32).range(..=10_000)))]
    generations: u32 = Evolution::PAPER.generations as u32,
    /// With `--allocation genetic`: seed of all random choices
    #[cli(arg(long))]
    seed: u64 = Evolution::PAPER.seed,
    /// What to minimise: latency, energy or edp. Tiles are mapped for the same (those that stream from DRAM for edp instead of latency);
    /// with the schedulers of the public tool always for latency
    #[cli(arg(long, value_parser = understood::<_, String>(parse::parse_schedule_objective)))]
    #[schema(with = "schema::ScheduleObjective")]
    objective: String = "latency".to_owned(),
    /// Rules of the scheduler: corrected, or those of the public tool: stream-2024 (transfers as early as possible), stream-2023 (as late)
    #[cli(arg(long, value_parser = understood::<_, String>(parse::parse_scheduler)))]
    #[schema(with = "schema::Scheduler")]
    scheduler: String = "corrected".to_owned(),
    /// Bring weights to their cores before anything else
    #[cli(arg(long))]
    prefetch_weights: bool,
    /// How to search the mapping of each tile
    #[cli(arg(long, value_parser = words_of(parse::SEARCHES)))]
    #[schema(with = "schema::Search")]
    strategy: String = "exact".to_owned(),
    /// LOMA orders at most so many loop prime factors
    #[cli(arg(long))]
    lpf_limit: usize = LPF_LIMIT,
    /// Rules of the model of one core: what is right, or what a published tool does
    #[cli(arg(long, value_parser = words_of(parse::RULES)))]
    #[schema(with = "schema::RuleSet")]
    rules: String = "corrected".to_owned(),
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

impl CoresOptions {
    /// As the engine and the command take them.
    ///
    /// # Errors
    /// All words that nobody knows.
    pub fn read(&self) -> Result<(CoresSettings, CoresSearchOptions), Diagnostics> {
        let mut reader = OptionReader::default();
        let tiles = reader.word("tiles", &self.tiles, parse::parse_tiles);
        let stacks = match &self.stacks {
            WordOrNames::Names(names) => Some(StackRule::After(names.clone())),
            WordOrNames::Word(word) => reader.word("stacks", word, parse::parse_stack_rule),
        };
        let allocation = reader.word("allocation", &self.allocation, parse::parse_allocation);
        let order = reader.word("order", &self.order, parse::parse_order);
        let objective = reader.word("objective", &self.objective, parse::parse_schedule_objective);
        let scheduler = reader.word("scheduler", &self.scheduler, parse::parse_scheduler);
        let strategy = reader.word("strategy", &self.strategy, parse::parse_search);
        let rules = reader.word("rules", &self.rules, parse::parse_rules);
        for (option, count, range) in
            [("individuals", self.individuals, 2..=1_000), ("generations", self.generations, 0..=10_000)]
        {
            if !range.contains(&count) {
                let remedy = format!("write {} to {}", range.start(), range.end());
                reader.wrong(option, &count.to_string(), &remedy);
            }
        }
        let read = tiles.zip(order).zip(stacks).zip(allocation).zip(objective).zip(scheduler).zip(strategy.zip(rules));
        let ((((((tiles, order), stacks), allocation), objective), scheduler), (strategy, rules)) = reader.end(read)?;
        let settings = CoresSettings {
            granularity: TileGranularity::LayerByLayer,
            stacks,
            objective,
            scheduler,
            order,
            prefetches_weights: self.prefetch_weights,
            strategy,
            lpf_limit: self.lpf_limit,
            rules,
        };
        let [individuals, generations] = [self.individuals, self.generations].map(|count| count as usize);
        let evolution = Evolution { individuals, generations, seed: self.seed };
        Ok((settings, CoresSearchOptions { tiles, allocation, improve: self.improve, evolution }))
    }
}
