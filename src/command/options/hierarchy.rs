//! Options of memory hierarchies.

#[cfg(feature = "schema")]
use super::schema;
use super::{LPF_LIMIT, Reader};
#[cfg(feature = "cli")]
use super::{understood, words_of};
use crate::words;
use fusescape_engine::hierarchy::{HierarchySettings, Sought, Widths};
use fusescape_spec::Diagnostics;
use serde::Deserialize;

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
