//! The form of the view of memory hierarchies.

use super::choice::HierarchyObjective;
use super::fields::{Form, fields};
use fusescape_engine::hierarchy::{HierarchyRequest, HierarchySettings, Sought, Widths};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::Strategy;
use fusescape_spec::{Diagnostics, Preset, pool_presets};

fields! {
    /// The fields of the form, as written.
    #[derive(Debug, Clone, PartialEq)]
    HierarchyForm set by HierarchyField {
        /// Name of a single layer to study; `None` for the whole network.
        layer(chosen Layer): Option<String> = None => Name, 16, ["layer"];
        /// Largest area, mm²; empty for no limit.
        budget(typed Budget): String = String::new() => Text, 17, ["area"];
        /// Largest number of memories of one operand below the highest.
        max_levels(chosen MaxLevels): usize = 2 => Count, 18, ["max_levels"];
        /// Least ratio of sizes between levels.
        min_ratio(chosen MinRatio): u64 = 8 => Ratio, 19, ["min_ratio"];
        /// Whether all word widths are tried.
        all_widths(chosen AllWidths): bool = false => Flag, 20, ["all_widths"];
        /// Whether only the best is searched, not the front.
        only_best(chosen OnlyBest): bool = false => Flag, 55, ["only_best"];
        /// The objective of the hierarchies.
        objective(chosen Objective): HierarchyObjective = HierarchyObjective::Energy => Choice, 21, ["objective"];
        /// Text of the pool.
        pool(typed Pool): String = String::new();
        /// Set if the text is that of a preset, unchanged.
        pool_preset: Option<&'static str> = None;
        /// Whether the text of the pool is shown.
        shows_pool(shown ShowsPool): bool = false;
    }
}

impl Default for HierarchyForm {
    fn default() -> Self {
        let HierarchySettings { max_levels, min_ratio, .. } = HierarchySettings::default();
        let mut form = Self { max_levels, min_ratio, ..Self::baseline() };
        pool_presets().first().into_iter().for_each(|preset| form.pick_pool(preset));
        form
    }
}

impl HierarchyForm {
    /// One layer of ZigZag's case study 2 (Fig. 19); the highest memory takes 1 mm² of the area.
    pub fn case_study_2() -> Self {
        Self { layer: Some("L46".to_owned()), budget: "1.2".to_owned(), ..Self::default() }
    }

    /// Takes a preset for the pool.
    pub(super) fn pick_pool(&mut self, preset: &'static Preset) {
        (self.pool, self.pool_preset) = (preset.text.to_owned(), Some(preset.id));
    }

    /// Sets a field. A pool written by hand is not a preset.
    pub(super) fn change(&mut self, field: HierarchyField) {
        if let HierarchyField::Pool(_) = &field {
            self.pool_preset = None;
        }
        self.set(field);
    }

    /// The request, with the two documents of the design.
    ///
    /// # Errors
    /// Errors in fields; the documents are checked by the workers.
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
