//! How a person looks at the results.

use super::choice::FusionPart;
use super::fields::fields;
use super::half::Half;
use super::views::Tab;
use fusescape_chart::Quantity;
use fusescape_engine::depth_first::DepthFirstStrategy;
use fusescape_engine::explore::PointSummary;
use fusescape_engine::search::Objective;

/// A number that every point has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    /// Energy.
    #[default]
    Energy,
    /// Latency.
    Latency,
    /// Energy times latency.
    EnergyDelay,
    /// Words of DRAM.
    DramAccesses,
    /// Multiply-accumulates.
    Macs,
    /// Words of the memory whose accesses are minimised.
    MemoryAccesses,
    /// The weighted sum that is minimised.
    WeightedSum,
}

impl Metric {
    /// Those that every sweep has.
    pub const ALL: [Self; 5] = [Self::Energy, Self::Latency, Self::EnergyDelay, Self::DramAccesses, Self::Macs];

    /// Those of a sweep with this objective.
    pub fn offered(objective: &Objective) -> Vec<Self> {
        let more = match objective {
            Objective::MemoryAccesses(_) => Some(Self::MemoryAccesses),
            Objective::Weighted(_) => Some(Self::WeightedSum),
            _ => None,
        };
        Self::ALL.into_iter().chain(more).collect()
    }

    /// On its button.
    pub fn title(self) -> &'static str {
        match self {
            Self::Energy => "Energy",
            Self::Latency => "Latency",
            Self::EnergyDelay => "EDP",
            Self::DramAccesses => "DRAM accesses",
            Self::Macs => "MACs",
            Self::MemoryAccesses => "Memory accesses",
            Self::WeightedSum => "Weighted sum",
        }
    }

    /// What it counts.
    pub fn quantity(self) -> Quantity {
        match self {
            Self::Energy => Quantity::Energy,
            Self::Latency => Quantity::Latency,
            Self::EnergyDelay => Quantity::EnergyDelay,
            Self::DramAccesses => Quantity::DramAccesses,
            Self::Macs => Quantity::Macs,
            Self::MemoryAccesses => Quantity::Accesses,
            Self::WeightedSum => Quantity::WeightedSum,
        }
    }

    /// Its value at a point, in the quantity's base unit.
    pub fn of(self, point: &PointSummary) -> f64 {
        match self {
            Self::Energy => point.energy_pj,
            Self::Latency => point.latency_cycles as f64,
            Self::EnergyDelay => point.energy_pj * point.latency_cycles as f64,
            Self::DramAccesses => point.dram_words,
            Self::Macs => point.macs as f64,
            Self::MemoryAccesses | Self::WeightedSum => point.score,
        }
    }
}

fields! {
    /// The way in which results are shown.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    View set by ViewField {
        /// Which view.
        tab(shown Tab): Tab = Tab::Landscape => Choice, 22, ["tab"];
        /// Which number the heatmaps show.
        metric(shown Metric): Metric = Metric::Energy => Choice, 23, ["metric"];
        /// The stack that is looked at.
        stack(shown Stack): usize = 0 => Ordinal, 25, ["stack"];
        /// The tile type that is looked at; `None`: the most frequent.
        tile_type(shown TileType): Option<usize> = None => OptionalOrdinal, 26, ["tile_type"];
        /// The opened point; `None`: the best.
        point(shown Point): Option<DepthFirstStrategy> = None => Point, 24, ["point"];
        /// The step at which data in motion stand, counted through all maps of all tiles; `None`: the first of the tile
        /// type.
        step(shown Step): Option<usize> = None => OptionalOrdinal, 56, ["step"];
        /// The question of the view of fusion that is open.
        fusion_part(shown FusionPart): FusionPart = FusionPart::Methods => Choice, 53, ["fusion_part"];
        /// Whether the hardware's text is shown.
        hardware_text: bool = false;
        /// Whether the workload's text is shown.
        workload_text: bool = false;
    }
}

impl View {
    /// Sets a member. What is inside of another point, stack or tile type is looked at from its beginning.
    pub(super) fn change(&mut self, field: ViewField) {
        match &field {
            ViewField::Point(_) => (self.stack, self.tile_type, self.step) = (0, None, None),
            ViewField::Stack(_) => (self.tile_type, self.step) = (None, None),
            ViewField::TileType(_) => self.step = None,
            _ => {}
        }
        self.set(field);
    }

    /// Opens a point and shows it.
    pub(super) fn open(&mut self, point: DepthFirstStrategy) {
        self.change(ViewField::Point(Some(point)));
        self.tab = Tab::Schedule;
    }

    /// Shows or hides a document's text.
    pub(super) fn show_text(&mut self, half: Half, is_shown: bool) {
        match half {
            Half::Hardware => self.hardware_text = is_shown,
            Half::Workload => self.workload_text = is_shown,
        }
    }
}
