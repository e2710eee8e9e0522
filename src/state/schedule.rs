//! How the network is to be run, as chosen and as written.

use super::action::ScheduleChange;
use super::fields::fields;
use super::tiles::parse_tiles;
use crate::depth_first::{FuseDepth, StoringMode};
use crate::explore::{Settings, StackLimits};
use crate::rules::Rules;
use crate::search::{Objective, Strategy, Weights};
use crate::spec::{Diagnostics, listed_name, listed_names, names_in, parse_decimal};

/// Which layers share a stack, as chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FuseChoice {
    /// As many as have weights that fit.
    #[default]
    Automatic,
    /// One each.
    SingleLayer,
    /// All, with one tile.
    LayerByLayer,
    /// As listed.
    ByHand,
}

impl FuseChoice {
    /// All of them, with what the page calls them.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Automatic, "automatic"),
        (Self::SingleLayer, "single-layer"),
        (Self::LayerByLayer, "layer-by-layer"),
        (Self::ByHand, "by hand"),
    ];
}

/// Which tile sizes are swept, as chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridChoice {
    /// A few, from the smallest to the whole map.
    Spread,
    /// Some hundred in each direction, in equal steps.
    Fine,
    /// As listed.
    Own,
}

impl GridChoice {
    /// All of them, with what the page calls them.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Spread, "a few, up to the map"), (Self::Fine, "full resolution"), (Self::Own, "as listed")];
}

/// What is minimised, as chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ObjectiveChoice {
    /// Energy.
    #[default]
    Energy,
    /// Latency.
    Latency,
    /// Energy times latency.
    EnergyDelayProduct,
    /// Words of DRAM.
    DramAccesses,
    /// Words of another memory.
    MemoryAccesses,
    /// A sum.
    Weighted,
}

impl ObjectiveChoice {
    /// All of them, with what the page calls them.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Energy, "energy"),
        (Self::Latency, "latency"),
        (Self::EnergyDelayProduct, "energy-delay product"),
        (Self::DramAccesses, "DRAM accesses"),
        (Self::MemoryAccesses, "accesses of a memory"),
        (Self::Weighted, "a weighted sum"),
    ];
}

/// How the network is to be run, as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// Tile widths, as written.
    pub tiles_x: String,
    /// Tile heights, as written.
    pub tiles_y: String,
    /// Overlap storing modes.
    pub modes: Vec<StoringMode>,
    /// Which layers share a stack.
    pub fuse: FuseChoice,
    /// Layers after which a stack ends, as written (see [`names_in`]); in force if `fuse` is by hand.
    pub cuts: String,
    /// Layers that an optimal stack may have, as written; empty for any number.
    pub most_layers: String,
    /// Tiles that an optimal stack may make, as written; empty for any number.
    pub most_tiles: String,
    /// What is minimised.
    pub objective: ObjectiveChoice,
    /// Whose accesses are minimised.
    pub memory: String,
    /// Weights of energy, latency and DRAM accesses, as written.
    pub weights: [String; 3],
    /// How mappings are searched.
    pub strategy: Strategy,
    /// LPF limit, where the strategy has one.
    pub lpf_limit: usize,
    /// Rules of the model.
    pub rules: Rules,
}

impl Default for Schedule {
    fn default() -> Self {
        let settings = Settings::default();
        Self {
            tiles_x: join(&settings.tiles_x),
            tiles_y: join(&settings.tiles_y),
            modes: settings.modes,
            fuse: FuseChoice::default(),
            cuts: String::new(),
            most_layers: String::new(),
            most_tiles: String::new(),
            objective: ObjectiveChoice::default(),
            memory: String::new(),
            weights: ["1".to_owned(), "0".to_owned(), "0".to_owned()],
            strategy: settings.strategy,
            lpf_limit: settings.lpf_limit,
            rules: settings.rules,
        }
    }
}

fields! {
    Schedule {
        tiles_x: Sizes = "1 4 16 60 240 960".to_owned(), 4, ["tile_widths"];
        tiles_y: Sizes = "1 4 18 72 270 540".to_owned(), 5, ["tile_heights"];
        modes: Modes = StoringMode::ALL.into(), 6, ["modes"];
        fuse: Choice = FuseChoice::Automatic, 7, ["stacks"];
        cuts: Text = String::new(), 8, ["cuts"];
        objective: Choice = ObjectiveChoice::Energy, 9, ["objective"];
        memory: Text = String::new(), 10, ["memory"];
        weights: Weights = ["1".to_owned(), "0".to_owned(), "0".to_owned()], 11, ["weights"];
        strategy: Choice = Strategy::Exact, 12, ["search"];
        lpf_limit: Count = 6, 13, ["lpf_limit"];
        most_layers: Text = String::new(), 34, ["most_layers"];
        most_tiles: Text = String::new(), 35, ["most_tiles"];
        rules: Rules = Rules::CORRECTED, 14, ["rules", "switched"];
    }
}

/// A number of 1 or more; `None` if nothing is written, or something else, which is noted.
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
    /// A schedule that asks for these settings, of which the page knows all but a list of fuse depths.
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

    /// The fuse depth, where it is complete.
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
                        "Name some, for example `map2, expand`, one with blanks or commas in double quotes; the last layer ends the last stack anyway",
                    );
                }
                FuseDepth::Cuts(layers)
            }
        }
    }

    /// The layers that `cuts` names.
    pub(super) fn cut_layers(&self) -> impl Iterator<Item = String> {
        names_in(&self.cuts).into_iter().map(|(name, _)| name)
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

    /// What the optimal stacks keep to.
    ///
    /// # Errors
    /// Limits that are no numbers.
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

    /// Calls a layer by its new name wherever a stack ends after it.
    pub(super) fn rename_layer(&mut self, old: &str, new: &str) {
        // From the end, so that places before it stay.
        for (name, place) in names_in(&self.cuts).into_iter().rev() {
            if name == old {
                self.cuts.replace_range(place, &listed_name(new));
            }
        }
    }

    pub(super) fn change(&mut self, change: ScheduleChange) {
        match change {
            ScheduleChange::Fuse(fuse) => self.fuse = fuse,
            ScheduleChange::Cuts(text) => self.cuts = text,
            ScheduleChange::Stacks(text) => (self.fuse, self.cuts) = (FuseChoice::ByHand, text),
            ScheduleChange::MostLayers(text) => self.most_layers = text,
            ScheduleChange::MostTiles(text) => self.most_tiles = text,
            ScheduleChange::Objective(objective) => self.objective = objective,
            ScheduleChange::Memory(name) => self.memory = name,
            ScheduleChange::Weight(index, text) => {
                if let Some(weight) = self.weights.get_mut(index) {
                    *weight = text;
                }
            }
            ScheduleChange::Strategy(strategy) => self.strategy = strategy,
            ScheduleChange::LpfLimit(limit) => self.lpf_limit = limit,
            ScheduleChange::Rules(rules) => self.rules = rules,
            ScheduleChange::Rule(name, value) => {
                if let Some(rules) = self.rules.with(name, value) {
                    self.rules = rules;
                }
            }
        }
    }
}
