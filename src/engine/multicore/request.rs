//! Requests: a network on a system of cores, and the settings of its scheduling.

use super::rules::{SchedulingRules, TilingRules};
use super::tile_size::TileSize;
use crate::rules::Rules;
use crate::search::{Objective, Strategy};
use crate::spec::names_in;
use crate::ties::Figures;
use crate::units::Cycles;
use serde::{Deserialize, Serialize};

/// Everything that a study depends on: three documents and the settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoresRequest {
    /// Hardware document: for the cores for which the system states no other.
    pub hardware: String,
    /// Workload document.
    pub workload: String,
    /// System document.
    pub system: String,
    /// Granularity and scheduler.
    pub settings: CoresSettings,
}

/// Granularity and scheduler.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CoresSettings {
    /// How large computation tiles are.
    pub granularity: TileGranularity,
    /// The rule that divides layers into stacks on many cores.
    pub stacks: StackRule,
    /// The objective among schedules.
    pub objective: ScheduleObjective,
    /// The set of rules of the scheduler.
    pub scheduler: Scheduler,
    /// The rule for the next tile; `None` for the rule that gives the best schedule.
    pub order: Option<OrderRule>,
    /// Whether weights are brought to their cores before anything else.
    pub prefetches_weights: bool,
    /// The strategy of the search for each tile's mapping, for [`Self::tile_objective`].
    pub strategy: Strategy,
    /// LPF limit of LOMA.
    pub lpf_limit: usize,
    /// Rules of the model of one core.
    pub rules: Rules,
}

impl Default for CoresSettings {
    fn default() -> Self {
        Self {
            granularity: TileGranularity::default(),
            stacks: StackRule::default(),
            objective: ScheduleObjective::default(),
            scheduler: Scheduler::default(),
            order: None,
            prefetches_weights: false,
            strategy: Strategy::Exact,
            lpf_limit: 6,
            rules: Rules::CORRECTED,
        }
    }
}

impl CoresSettings {
    /// The objective of the mapping of a tile: latency under the rules of the public tool. Corrected rules follow the
    /// objective; but the fastest mapping of a tile that `streams` operands from DRAM may move far more than needed
    /// through a port that all cores share, so that the schedule gets longer: for a schedule of the fewest cycles such
    /// a tile is mapped for the product of energy and latency.
    pub fn tile_objective(&self, streams: bool) -> Objective {
        match self.objective {
            _ if self.scheduler != Scheduler::Corrected => Objective::Latency,
            ScheduleObjective::Latency if !streams => Objective::Latency,
            ScheduleObjective::Latency | ScheduleObjective::EnergyDelay => Objective::EnergyDelayProduct,
            ScheduleObjective::Energy => Objective::Energy,
        }
    }
}

/// How large computation tiles are, before layers are shared among cores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TileGranularity {
    /// Tiles of this many rows of each layer's output; columns, where a layer has one row.
    Rows(u64),
    /// A layer is one tile.
    LayerByLayer,
    /// In words: `OY 14, OX 2` are the numbers of pieces of the loops of all layers, `rows 4, columns 60, channels 8`
    /// the sizes of tiles, `whole` means that a layer is one tile; after `;` the same for one layer, `conv1: K 4`, or
    /// for a stack: `stack 2: rows 8`.
    ByHand(String),
}

impl TileGranularity {
    /// As people write it: so many rows, `layer-by-layer`, or anything else by hand.
    ///
    /// # Errors
    /// Forms that can be written instead.
    pub fn from_words(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(0) => Err("write 1 row or more".to_owned()),
            Ok(rows) => Ok(Self::Rows(rows)),
            Err(_) if text == "layer-by-layer" => Ok(Self::LayerByLayer),
            Err(_) => Ok(Self::ByHand(text.to_owned())),
        }
    }

    /// In words that say it by hand: `rows 4`, `whole`.
    pub fn text(&self) -> String {
        match self {
            Self::Rows(rows) => format!("rows {rows}"),
            Self::LayerByLayer => TileSize::default().text(),
            Self::ByHand(text) => text.clone(),
        }
    }
}

impl Default for TileGranularity {
    fn default() -> Self {
        Self::Rows(1)
    }
}

/// Which layers run fused, tile by tile.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum StackRule {
    /// As many one after the other as have weights that fit on all cores together (Stream, Section 5.1).
    #[default]
    Automatic,
    /// All layers are one stack.
    One,
    /// None: a layer begins when the one before is done.
    EachLayer,
    /// A stack ends after each of these layers.
    After(Vec<String>),
}

impl StackRule {
    /// As people write it: `automatic`, `one`, `each-layer`, or names of layers after which one ends.
    pub fn from_words(text: &str) -> Self {
        match text {
            "automatic" => Self::Automatic,
            "one" => Self::One,
            "each-layer" => Self::EachLayer,
            names => Self::After(names_in(names).into_iter().map(|(name, _)| name).collect()),
        }
    }
}

/// The rule for the next tile among those whose predecessors are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OrderRule {
    /// That of the deepest layer.
    Deepest,
    /// By the slots of the allocation.
    Slots,
    /// That which could start first.
    Earliest,
}

impl OrderRule {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 3] = [Self::Deepest, Self::Slots, Self::Earliest];

    /// As people write it.
    pub fn name(self) -> &'static str {
        ["deepest", "slots", "earliest"][self as usize]
    }
}

/// The objective among schedules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ScheduleObjective {
    /// That of the fewest cycles.
    #[default]
    Latency,
    /// That of the least energy.
    Energy,
    /// That of the least product of both.
    EnergyDelay,
}

impl ScheduleObjective {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 3] = [Self::Latency, Self::Energy, Self::EnergyDelay];

    /// As people write it.
    pub fn name(self) -> &'static str {
        ["latency", "energy", "edp"][self as usize]
    }

    /// The value that is minimised: cycles, pJ, or pJ x cycles.
    pub fn score(self, energy_pj: f64, latency: Cycles<f64>) -> f64 {
        match self {
            Self::Latency => latency.0,
            Self::Energy => energy_pj,
            Self::EnergyDelay => energy_pj * latency.0,
        }
    }

    /// The figures by which schedules are compared: the score, then latency, then energy.
    pub fn figures(self, energy_pj: f64, latency: Cycles<f64>) -> Figures {
        [self.score(energy_pj, latency), latency.0, energy_pj]
    }
}

/// The set of rules of the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Scheduler {
    /// The corrected rules.
    #[default]
    Corrected,
    /// The public tool of December 2024: transfers as early as possible.
    Stream2024,
    /// The public tool of June 2023, with which the paper was validated: transfers as late as possible.
    Stream2023,
}

impl Scheduler {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 3] = [Self::Corrected, Self::Stream2024, Self::Stream2023];

    /// As people write it.
    pub fn name(self) -> &'static str {
        ["corrected", "stream-2024", "stream-2023"][self as usize]
    }

    /// The switches of the version of the tool that it stands for.
    pub fn rules(self) -> SchedulingRules {
        match self {
            Self::Corrected => SchedulingRules::CORRECTED,
            Self::Stream2024 => SchedulingRules::STREAM_2024,
            Self::Stream2023 => SchedulingRules::STREAM_2023,
        }
    }

    /// The rules by which tiles are made for it.
    pub fn tiling(self) -> TilingRules {
        if self == Self::Corrected { TilingRules::CORRECTED } else { TilingRules::STREAM }
    }
}
