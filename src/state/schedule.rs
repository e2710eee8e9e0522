//! The schedule form, as chosen and as written.

use super::choice::{AnyChoice, FuseChoice, ObjectiveChoice, RuleSet};
use super::fields::{Form, fields};
use super::tiles::parse_tiles;
use fusescape_engine::depth_first::{FuseDepth, StoringMode};
use fusescape_engine::explore::{Settings, StackLimits};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Objective, Strategy, Weights};
use fusescape_spec::{Diagnostics, listed_name, listed_names, names_in, parse_decimal};

fields! {
    /// The fields of the schedule's form, as written.
    #[derive(Debug, Clone, PartialEq)]
    Schedule set by ScheduleField {
        /// Tile widths, as written.
        tiles_x(typed TilesX): String = "1 4 16 60 240 960".to_owned() => Sizes, 4, ["tile_widths"];
        /// Tile heights, as written.
        tiles_y(typed TilesY): String = "1 4 18 72 270 540".to_owned() => Sizes, 5, ["tile_heights"];
        /// Overlap storing modes.
        modes: Vec<StoringMode> = StoringMode::ALL.into() => Modes, 6, ["modes"];
        /// The rule that divides layers into stacks.
        fuse(chosen Fuse): FuseChoice = FuseChoice::Automatic => Choice, 7, ["stacks"];
        /// Layers after which a stack ends, as written (see [`names_in`]); in force if `fuse` is by hand.
        cuts(typed Cuts): String = String::new() => Text, 8, ["cuts"];
        /// What is minimised.
        objective(chosen Objective): ObjectiveChoice = ObjectiveChoice::Energy => Choice, 9, ["objective"];
        /// The memory whose accesses are minimised.
        memory(chosen Memory): String = String::new() => Text, 10, ["memory"];
        /// Weights of energy, latency and DRAM accesses, as written.
        weights: [String; 3] = ["1".to_owned(), "0".to_owned(), "0".to_owned()] => Weights, 11, ["weights"];
        /// Search strategy for mappings.
        strategy(chosen Strategy): Strategy = Strategy::Exact => Choice, 12, ["search"];
        /// LPF limit, if the strategy has one.
        lpf_limit(chosen LpfLimit): usize = 6 => Count, 13, ["lpf_limit"];
        /// Limit on the layers of an optimal stack, as written; empty for no limit.
        most_layers(typed MostLayers): String = String::new() => Text, 34, ["most_layers"];
        /// Limit on the tiles of an optimal stack, as written; empty for no limit.
        most_tiles(typed MostTiles): String = String::new() => Text, 35, ["most_tiles"];
        /// Rules of the model.
        rules(chosen Rules): Rules = Rules::CORRECTED => Rules, 14, ["rules", "switched"];
    }
}

impl Default for Schedule {
    fn default() -> Self {
        let Settings { tiles_x, tiles_y, modes, strategy, lpf_limit, rules, .. } = Settings::default();
        let (tiles_x, tiles_y) = (join(&tiles_x), join(&tiles_y));
        Self { tiles_x, tiles_y, modes, strategy, lpf_limit, rules, ..Self::baseline() }
    }
}

/// A number from 1 on; `None` if it is empty or invalid, with a diagnostic for the latter.
fn limit(what: &str, text: &str, diagnostics: &mut Diagnostics) -> Option<u64> {
    let text = text.trim();
    let number = text.parse().ok().filter(|&number: &u64| number > 0);
    if number.is_none() && !text.is_empty() {
        diagnostics.add(
            format!("settings.limits.{what}"),
            format!("`{text}` is no number of {what} that a stack may have"),
            "Write a whole number of 1 or more, or nothing for any number",
        );
    }
    number
}

pub(super) fn join(sizes: &[u64]) -> String {
    sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

/// The smallest and largest LPF limit that the page offers.
pub const LPF_LIMITS: std::ops::RangeInclusive<usize> = 3..=10;

impl Schedule {
    /// The form for these settings, except for lists of fuse depths, which it cannot express.
    pub fn of(settings: &Settings) -> Self {
        let (fuse, cuts) = match settings.fuse.first() {
            None | Some(FuseDepth::Automatic) => (FuseChoice::Automatic, String::new()),
            Some(FuseDepth::SingleLayer) => (FuseChoice::SingleLayer, String::new()),
            Some(FuseDepth::LayerByLayer) => (FuseChoice::LayerByLayer, String::new()),
            Some(FuseDepth::Cuts(layers)) => (FuseChoice::ByHand, listed_names(layers)),
        };
        let mut schedule = Self {
            tiles_x: join(&settings.tiles_x),
            tiles_y: join(&settings.tiles_y),
            modes: settings.modes.clone(),
            fuse,
            cuts,
            strategy: settings.strategy,
            lpf_limit: settings.lpf_limit,
            rules: settings.rules,
            ..Self::default()
        };
        schedule.objective = match &settings.objective {
            Objective::Energy => ObjectiveChoice::Energy,
            Objective::Latency => ObjectiveChoice::Latency,
            Objective::EnergyDelayProduct => ObjectiveChoice::EnergyDelayProduct,
            Objective::DramAccesses => ObjectiveChoice::DramAccesses,
            Objective::MemoryAccesses(memory) => {
                schedule.memory.clone_from(memory);
                ObjectiveChoice::MemoryAccesses
            }
            Objective::Weighted(Weights { energy, latency, dram_accesses }) => {
                schedule.weights = [energy, latency, dram_accesses].map(f64::to_string);
                ObjectiveChoice::Weighted
            }
        };
        schedule
    }

    /// The fuse depth; incomplete choices add diagnostics.
    pub fn fuse_depth(&self, diagnostics: &mut Diagnostics) -> FuseDepth {
        match self.fuse {
            FuseChoice::Automatic => FuseDepth::Automatic,
            FuseChoice::SingleLayer => FuseDepth::SingleLayer,
            FuseChoice::LayerByLayer => FuseDepth::LayerByLayer,
            FuseChoice::ByHand => {
                let layers: Vec<String> = self.cut_layers().collect();
                if layers.is_empty() {
                    diagnostics.add(
                        "settings.fuse",
                        "No layer is named after which a stack ends",
                        "Name some, for example `map2, expand`, one with blanks or commas in double quotes; the last \
                         layer ends the last stack anyway",
                    );
                }
                FuseDepth::Cuts(layers)
            }
        }
    }

    pub(super) fn cut_layers(&self) -> impl Iterator<Item = String> {
        names_in(&self.cuts).into_iter().map(|(name, _)| name)
    }

    /// The objective; a weight that is not a number is 0.
    pub fn objective_in_force(&self) -> Objective {
        self.objective(&mut Diagnostics::default())
    }

    fn objective(&self, diagnostics: &mut Diagnostics) -> Objective {
        match self.objective {
            ObjectiveChoice::Energy => Objective::Energy,
            ObjectiveChoice::Latency => Objective::Latency,
            ObjectiveChoice::EnergyDelayProduct => Objective::EnergyDelayProduct,
            ObjectiveChoice::DramAccesses => Objective::DramAccesses,
            ObjectiveChoice::MemoryAccesses => Objective::MemoryAccesses(self.memory.clone()),
            ObjectiveChoice::Weighted => {
                let [energy, latency, dram_accesses] = [0, 1, 2].map(|index| self.weight(index, diagnostics));
                Objective::Weighted(Weights { energy, latency, dram_accesses })
            }
        }
    }

    fn weight(&self, index: usize, diagnostics: &mut Diagnostics) -> f64 {
        let text = self.weights[index].trim();
        match parse_decimal(text) {
            Some(weight) if weight.is_finite() && weight >= 0.0 => weight,
            _ => {
                let what = ["energy", "latency", "DRAM accesses"][index];
                diagnostics.add(
                    "settings.objective",
                    format!("`{text}` is no weight for {what}"),
                    "Write a number that is not negative, for example `0.5`",
                );
                0.0
            }
        }
    }

    /// The limits on optimal stacks.
    ///
    /// # Errors
    /// Limits that are not numbers.
    pub fn stack_limits(&self) -> Result<StackLimits, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let most_layers = limit("layers", &self.most_layers, &mut diagnostics);
        let most_tiles = limit("tiles", &self.most_tiles, &mut diagnostics);
        let most_layers = most_layers.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
        diagnostics.or(StackLimits { most_layers, most_tiles })
    }

    pub(super) fn settings(&self) -> Result<Settings, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        if self.modes.is_empty() {
            diagnostics.add("settings.modes", "No overlap storing mode is chosen", "Choose at least one");
        }
        let settings = Settings {
            tiles_x: parse_tiles("settings.tiles_x", "width", &self.tiles_x, &mut diagnostics),
            tiles_y: parse_tiles("settings.tiles_y", "height", &self.tiles_y, &mut diagnostics),
            modes: self.modes.clone(),
            fuse: vec![self.fuse_depth(&mut diagnostics)],
            objective: self.objective(&mut diagnostics),
            strategy: self.strategy,
            lpf_limit: self.lpf_limit,
            rules: self.rules,
        };
        diagnostics.or(settings)
    }
}

impl Schedule {
    pub(super) fn set_mode(&mut self, mode: StoringMode, on: bool) {
        // In the order of `StoringMode::ALL`, whatever the order of the clicks.
        let wanted = |other: &StoringMode| if *other == mode { on } else { self.modes.contains(other) };
        self.modes = StoringMode::ALL.into_iter().filter(wanted).collect();
    }

    /// Replaces the name of a layer in the cuts.
    pub(super) fn rename_layer(&mut self, old: &str, new: &str) {
        // From the end, so that earlier positions stay valid.
        for (name, place) in names_in(&self.cuts).into_iter().rev() {
            if name == old {
                self.cuts.replace_range(place, &listed_name(new));
            }
        }
    }

    /// Sets these layers as the ends of stacks, by hand.
    pub(super) fn end_stacks_after(&mut self, layers: String) {
        (self.fuse, self.cuts) = (FuseChoice::ByHand, layers);
    }
}

impl Schedule {
    /// The effective choices, by name; `None` for one without effect.
    pub fn described(&self) -> Vec<(&'static str, Option<String>)> {
        let Self {
            tiles_x,
            tiles_y,
            modes,
            fuse,
            cuts,
            most_layers,
            most_tiles,
            objective,
            memory,
            weights: [energy, latency, dram],
            strategy,
            lpf_limit,
            rules,
        } = self;
        let objective = match objective {
            ObjectiveChoice::MemoryAccesses => format!("accesses of {memory}"),
            ObjectiveChoice::Weighted => format!("{energy} per pJ, {latency} per cycle, {dram} per DRAM access"),
            other => other.name().to_owned(),
        };
        let stacks = match fuse {
            FuseChoice::ByHand => format!("cut after {cuts}"),
            other => other.name().to_owned(),
        };
        let modes: Vec<&str> = modes.iter().map(|mode| mode.title()).collect();
        let switches = rules.values_by_name();
        let switched: Vec<&str> = switches.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
        let rules = rules.set_name().map_or_else(|| switched.join(", "), str::to_owned);
        let written = |text: &String| (!text.trim().is_empty()).then(|| text.trim().to_owned());
        let limit = (*strategy == Strategy::Loma).then(|| lpf_limit.to_string());
        vec![
            ("tile widths", Some(tiles_x.clone())),
            ("tile heights", Some(tiles_y.clone())),
            ("storing modes", Some(modes.join(", "))),
            ("stacks", Some(stacks)),
            ("most layers of an optimal stack", written(most_layers)),
            ("most tiles of an optimal stack", written(most_tiles)),
            ("objective", Some(objective)),
            ("search", Some(if *strategy == Strategy::Exact { "exact" } else { "LOMA" }.to_owned())),
            ("LPF limit", limit),
            ("rules", Some(rules)),
        ]
    }

    /// The effective choices, line by line, for [`State::describe`](super::State::describe).
    pub(super) fn lines(&self) -> Vec<String> {
        let modes: Vec<&str> = self.modes.iter().map(|mode| mode.name()).collect();
        let mut lines = vec![
            format!("tiles: {} x {}", self.tiles_x, self.tiles_y),
            format!("modes: {}", modes.join(", ")),
            format!("fuse depth: {}", self.fuse.name()),
        ];
        if self.fuse == FuseChoice::ByHand {
            lines.push(format!("stacks end after: {}", self.cuts));
        }
        for (text, what) in [(&self.most_layers, "layers"), (&self.most_tiles, "tiles")] {
            if !text.is_empty() {
                lines.push(format!("most {what} of an optimal stack: {text}"));
            }
        }
        let objective = self.objective.name();
        lines.push(match self.objective {
            ObjectiveChoice::MemoryAccesses => format!("objective: {objective}, {}", self.memory),
            ObjectiveChoice::Weighted => format!("objective: {objective}, {}", self.weights.join(" : ")),
            _ => format!("objective: {objective}"),
        });
        lines.push(match self.strategy {
            Strategy::Exact => "mappings: exact".to_owned(),
            Strategy::Loma => format!("mappings: LOMA, {} loop prime factors", self.lpf_limit),
        });
        let (set, others) = RuleSet::nearest(&self.rules);
        let switches = self.rules.switches();
        let others = switches.iter().filter(|(name, ..)| others.contains(name));
        let others = others.map(|(name, _, on)| format!("{name}={on}"));
        let names: Vec<String> = std::iter::once(set.title().to_owned()).chain(others).collect();
        lines.push(format!("rules: {}", names.join(", ")));
        lines
    }
}
