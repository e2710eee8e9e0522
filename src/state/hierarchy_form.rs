//! What a person chose or wrote for the hierarchy view.

use super::choice::HierarchyObjective;
use super::fields::fields;
use fusescape_engine::hierarchy::{HierarchyRequest, HierarchySettings, Sought, Widths};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::Strategy;
use fusescape_spec::{Diagnostics, pool_presets};

/// The fields of the form, as written.
#[derive(Debug, Clone, PartialEq)]
pub struct HierarchyForm {
    /// Text of the pool.
    pub pool: String,
    /// The preset that it is, unchanged.
    pub pool_preset: Option<&'static str>,
    /// Whether the text of the pool is shown.
    pub shows_pool: bool,
    /// Name of the one layer that counts; none: the whole network.
    pub layer: Option<String>,
    /// Largest area, mm²; empty for no limit.
    pub budget: String,
    /// Most memories of one operand below the highest.
    pub max_levels: usize,
    /// Least ratio of sizes between levels.
    pub min_ratio: u64,
    /// Whether all word widths are tried.
    pub all_widths: bool,
    /// Whether only the best is sought, not the trade-offs.
    pub only_best: bool,
    /// What hierarchies are compared by.
    pub objective: HierarchyObjective,
}

impl Default for HierarchyForm {
    fn default() -> Self {
        let settings = HierarchySettings::default();
        let preset = pool_presets().first();
        Self {
            pool: preset.map(|preset| preset.text.to_owned()).unwrap_or_default(),
            pool_preset: preset.map(|preset| preset.id),
            shows_pool: false,
            layer: None,
            budget: String::new(),
            max_levels: settings.max_levels,
            min_ratio: settings.min_ratio,
            all_widths: false,
            only_best: false,
            objective: HierarchyObjective::Energy,
        }
    }
}

fields! {
    HierarchyForm {
        layer: Name = None, 16, ["layer"];
        budget: Text = String::new(), 17, ["area"];
        max_levels: Count = 2, 18, ["max_levels"];
        min_ratio: Ratio = 8, 19, ["min_ratio"];
        all_widths: Flag = false, 20, ["all_widths"];
        only_best: Flag = false, 55, ["only_best"];
        objective: Choice = HierarchyObjective::Energy, 21, ["objective"];
    } otherwise {
        pool = String::new();
        pool_preset = None;
        shows_pool = false;
    }
}

/// A change of one field.
#[derive(Debug, Clone)]
pub enum FormChange {
    /// Take a preset.
    PoolPreset(&'static str),
    /// Replace the text of the pool.
    Pool(String),
    /// Show or hide the text of the pool.
    ShowPool(bool),
    /// One layer, or the whole network.
    Layer(Option<String>),
    /// Text of the area.
    Budget(String),
    /// Most memories of one operand.
    MaxLevels(usize),
    /// Least ratio of sizes.
    MinRatio(u64),
    /// Word widths.
    AllWidths(bool),
    /// Whether only the best is sought.
    OnlyBest(bool),
    /// What is minimised.
    Objective(HierarchyObjective),
}

impl HierarchyForm {
    /// One layer of ZigZag's case study 2 (Fig. 19); the highest memory takes 1 mm² of the area.
    pub fn case_study_2() -> Self {
        Self { layer: Some("L46".to_owned()), budget: "1.2".to_owned(), ..Self::default() }
    }

    /// Changes one field.
    pub fn change(&mut self, change: FormChange) {
        match change {
            FormChange::PoolPreset(id) => {
                if let Some(preset) = pool_presets().iter().find(|preset| preset.id == id) {
                    self.pool = preset.text.to_owned();
                    self.pool_preset = Some(preset.id);
                }
            }
            FormChange::Pool(text) => {
                self.pool = text;
                self.pool_preset = None;
            }
            FormChange::ShowPool(shown) => self.shows_pool = shown,
            FormChange::Layer(layer) => self.layer = layer,
            FormChange::Budget(text) => self.budget = text,
            FormChange::MaxLevels(levels) => self.max_levels = levels,
            FormChange::MinRatio(ratio) => self.min_ratio = ratio,
            FormChange::AllWidths(all) => self.all_widths = all,
            FormChange::OnlyBest(only) => self.only_best = only,
            FormChange::Objective(objective) => self.objective = objective,
        }
    }

    /// What is asked for, with two documents of the design.
    ///
    /// # Errors
    /// What is wrong with the fields; the workers judge the rest.
    pub fn request(
        &self,
        hardware: &str,
        workload: &str,
        (strategy, lpf_limit): (Strategy, usize),
        rules: Rules,
    ) -> Result<HierarchyRequest, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let budget = self.budget.trim().trim_end_matches("mm²").trim_end_matches("mm2").trim();
        let budget_um2 = match budget.parse::<f64>() {
            _ if budget.is_empty() => None,
            Ok(mm2) if mm2.is_finite() && mm2 >= 0.0 => Some(mm2 * 1e6),
            _ => {
                let remedy = "Write a number of mm², for example `1.2`, or nothing for no limit";
                diagnostics.add("settings.budget", format!("`{budget}` is not an area"), remedy);
                None
            }
        };
        diagnostics.or(HierarchyRequest {
            pool: self.pool.clone(),
            hardware: hardware.to_owned(),
            workload: workload.to_owned(),
            settings: HierarchySettings {
                layers: self.layer.iter().cloned().collect(),
                budget_um2,
                max_levels: self.max_levels,
                min_ratio: self.min_ratio,
                widths: if self.all_widths { Widths::All } else { Widths::Fitting },
                objective: self.objective.objective(),
                strategy,
                lpf_limit,
                rules,
                sought: if self.only_best { Sought::Best } else { Sought::Front },
            },
        })
    }
}
