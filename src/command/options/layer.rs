//! Options of single layers.

use super::OptionReader;
#[cfg(feature = "schema")]
use super::schema;
#[cfg(feature = "cli")]
use super::{understood, words_of};
use crate::layer::LayerSearchOptions;
use crate::parse;
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

options! {
/// Options of single layers.
pub struct LayerOptions {
    /// Names of layers, several separated by commas [default: all]
    #[cli(arg(long = "layer", value_name = "NAME", value_delimiter = ','))]
    #[schema(description = "Names of layers [default: all]")]
    layers: Vec<String>,
    /// Text of a document of mappings, which are priced instead of searched
    #[cli(arg(skip))]
    pub mapping: Option<String>,
    /// With `--strategy exact` or `loma`: text of a document of the mappings to search
    #[cli(arg(skip))]
    pub constraints: Option<String>,
    /// How to search for the loop order and its division among the memories: loma; or, for the least energy, as ZigZag
    /// does: exhaustive (all blockings, even and uneven), heuristic, iterative
    #[cli(arg(long, value_name = "NAME", value_parser = understood::<_, String>(parse::parse_strategy)))]
    #[schema(with = "schema::LayerSearch")]
    strategy: String = "exact".to_owned(),
    /// Which loops the array unrolls: those of the documents, or the best of all that are legal
    #[cli(arg(long, value_parser = words_of(parse::UNROLLINGS)))]
    #[schema(with = "schema::Unrolling")]
    unroll: String = "stated".to_owned(),
    /// With `--unroll search`: the loops that one dimension of the array may unroll; for several dimensions repeat it
    #[cli(arg(long = "hint", value_name = "DIMENSION=LOOP,..",
        value_parser = understood::<_, String>(parse::parse_hint)))]
    #[schema(with = "BTreeMap<String, Vec<String>>",
        description = "With `--unroll search`: the loops that a dimension of the array may unroll, by its name")]
    #[serde(deserialize_with = "hints")]
    hints: Vec<String>,
    /// With `--unroll search`: at most so many different loops on one dimension of the array
    #[cli(arg(long))]
    loops_per_dimension: usize = LayerSearchOptions::default().loops_per_dimension,
    /// At most so many loop prime factors, where the strategy has such a limit [default: 6 with loma, else 8]
    #[cli(arg(long))]
    lpf_limit: Option<usize>,
    /// With `--strategy exact` or `loma`: search each layer until its best mapping is proved, but no longer than this [default: until
    /// a fixed number of partial mappings is looked at]
    #[cli(arg(long, value_name = "SECONDS", value_parser = understood::<_, f64>(parse::parse_seconds)))]
    seconds: Option<f64>,
    /// With `--strategy exhaustive` or `heuristic`: how full a memory is that operands share, at least, unless it holds all
    #[cli(arg(long, value_name = "0..1", value_parser = parse::parse_share))]
    min_utilization: f64 = LayerSearchOptions::default().min_utilization,
    /// What to minimise: energy, latency, edp, dram-accesses, accesses:MEMORY or
    /// weighted:energy=A,latency=B,dram-accesses=C (per pJ, cycle, word)
    #[cli(arg(long, value_parser = understood::<_, String>(parse::parse_objective)))]
    objective: String = "energy".to_owned(),
    /// Also find the front of energy and latency: every mapping that no other one beats in both
    #[cli(arg(long))]
    front: bool,
    /// Rules of the model: what is right, or what a published tool does
    #[cli(arg(long, value_parser = words_of(parse::RULES)))]
    #[schema(with = "schema::RuleSet")]
    rules: String = "corrected".to_owned(),
}
}

/// Loops by the dimension of the array, as the command line has them.
fn hints<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<String>, D::Error> {
    let hints = BTreeMap::<String, Vec<String>>::deserialize(from)?;
    Ok(hints.into_iter().map(|(dimension, loops)| format!("{dimension}={}", loops.join(","))).collect())
}

impl LayerOptions {
    /// As commands take them.
    ///
    /// # Errors
    /// All words that nobody knows.
    pub fn options(&self) -> Result<LayerSearchOptions, Diagnostics> {
        let mut reader = OptionReader::default();
        let hints = self.hints.iter().filter_map(|hint| reader.word("hints", hint, parse::parse_hint)).collect();
        let seconds = self.seconds.map(|seconds| seconds.to_string());
        let time = seconds.and_then(|text| reader.word("seconds", &text, parse::parse_seconds));
        let share = self.min_utilization.to_string();
        let min_utilization = reader.word("min_utilization", &share, parse::parse_share);
        let unroll = reader.word("unroll", &self.unroll, |text| parse::parse_choice(text, parse::UNROLLINGS));
        let strategy = reader.word("strategy", &self.strategy, parse::parse_strategy);
        let objective = reader.word("objective", &self.objective, parse::parse_objective);
        let rules = reader.word("rules", &self.rules, parse::parse_rules);
        let read = min_utilization.zip(unroll).zip(strategy).zip(objective).zip(rules);
        let ((((min_utilization, searches_unrollings), strategy), objective), rules) = reader.end(read)?;
        Ok(LayerSearchOptions {
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
            front: self.front,
            rules,
        })
    }
}
