//! Options of memory hierarchies.

#[cfg(feature = "schema")]
use super::schema;
use super::{LPF_LIMIT, OptionReader};
#[cfg(feature = "cli")]
use super::{understood, words_of};
use crate::parse;
use fusescape_engine::hierarchy::{HierarchySettings, Sought, Widths};
use fusescape_spec::Diagnostics;

options! {
/// Options of memory hierarchies.
pub struct HierarchyOptions {
    /// Only these layers, several separated by commas [default: the whole network]
    #[cli(arg(long = "layer", value_name = "LAYER", value_delimiter = ','))]
    #[schema(description = "Only these layers [default: the whole network]")]
    layers: Vec<String>,
    /// Largest area of all that has a stated area: 0.5mm2 or 500000um2 [default: no limit]
    #[cli(arg(long = "budget", value_name = "AREA", value_parser = parse::parse_area))]
    #[schema(description = "Largest area of all that has a stated area, um2 [default: no limit]")]
    budget_um2: Option<f64>,
    /// At most so many memories of one operand below the highest
    #[cli(arg(long))]
    max_levels: usize = 2,
    /// A memory is at least so many times as large as the one below it
    #[cli(arg(long))]
    min_ratio: u64 = 8,
    /// Try every word width of every memory, not only the fitting one
    #[cli(arg(long))]
    all_widths: bool,
    /// Search every hierarchy, also those that are known to be beaten
    #[cli(arg(long = "no-pruning"))]
    pub everything: bool,
    /// Only the best hierarchy by the objective, not the trade-offs: decides far more hierarchies in the same time
    #[cli(arg(long, conflicts_with = "everything"))]
    only_best: bool,
    /// How to search the mapping of each layer
    #[cli(arg(long, value_parser = words_of(parse::SEARCHES)))]
    #[schema(with = "schema::Search")]
    strategy: String = "exact".to_owned(),
    /// With `--strategy loma`: orders of at most so many loop prime factors
    #[cli(arg(long))]
    lpf_limit: usize = LPF_LIMIT,
    /// What to minimise: energy, latency or edp
    #[cli(arg(long, value_parser = understood::<_, String>(parse::parse_objective)))]
    objective: String = "energy".to_owned(),
    /// Rules of the model: what is right, or what a published tool does
    #[cli(arg(long, value_parser = words_of(parse::RULES)))]
    #[schema(with = "schema::RuleSet")]
    rules: String = "corrected".to_owned(),
}
}

impl HierarchyOptions {
    /// As the engine takes them.
    ///
    /// # Errors
    /// All words that nobody knows.
    pub fn settings(&self) -> Result<HierarchySettings, Diagnostics> {
        let mut reader = OptionReader::default();
        let area = self.budget_um2.map(|area| format!("{area}um2"));
        let budget_um2 = area.and_then(|text| reader.word("budget_um2", &text, parse::parse_area));
        let strategy = reader.word("strategy", &self.strategy, parse::parse_search);
        let objective = reader.word("objective", &self.objective, parse::parse_objective);
        let rules = reader.word("rules", &self.rules, parse::parse_rules);
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
