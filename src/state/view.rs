//! The current view and its settings.

use super::choice::FusionPart;
use super::fields::fields;
use super::half::Half;
use super::views::Tab;
use fusescape_chart::Quantity;
use fusescape_engine::depth_first::DepthFirstStrategy;
use fusescape_engine::explore::PointSummary;
use fusescape_engine::search::Objective;

/// A metric that every point has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    #[default]
    Energy,
    Latency,
    /// Energy times latency.
    EnergyDelay,
    /// Words read from and written to DRAM.
    DramAccesses,
    /// Multiply-accumulates.
    Macs,
    /// Words of the memory whose accesses are the objective.
    MemoryAccesses,
    /// The weighted sum of the objective.
    WeightedSum,
}

impl Metric {
    /// The metrics of every sweep.
    pub const ALL: [Self; 5] = [Self::Energy, Self::Latency, Self::EnergyDelay, Self::DramAccesses, Self::Macs];

    /// The metrics of a sweep with this objective.
    pub fn offered(objective: &Objective) -> Vec<Self> {
        let more = match objective {
            Objective::MemoryAccesses(_) => Some(Self::MemoryAccesses),
            Objective::Weighted(_) => Some(Self::WeightedSum),
            _ => None,
        };
        Self::ALL.into_iter().chain(more).collect()
    }

    /// Text of its button.
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
    /// The view of the results.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    View set by ViewField {
        /// The open view.
        tab(shown Tab): Tab = Tab::Landscape => Choice, 22, ["tab"];
        /// The metric of the heatmaps.
        metric(shown Metric): Metric = Metric::Energy => Choice, 23, ["metric"];
        /// Index of the selected stack.
        stack(shown Stack): usize = 0 => Ordinal, 25, ["stack"];
        /// Index of the selected tile type; `None` for the most frequent one.
        tile_type(shown TileType): Option<usize> = None => OptionalOrdinal, 26, ["tile_type"];
        /// The opened point; `None` for the best.
        point(shown Point): Option<DepthFirstStrategy> = None => Point, 24, ["point"];
        /// The step of the trace of a stack, counted over all maps of all tiles; `None` for the first of the tile type.
        step(shown Step): Option<usize> = None => OptionalOrdinal, 56, ["step"];
        /// The open section of the view Fusion.
        fusion_part(shown FusionPart): FusionPart = FusionPart::Methods => Choice, 53, ["fusion_part"];
        /// Whether the hardware's text is shown.
        hardware_text: bool = false;
        /// Whether the workload's text is shown.
        workload_text: bool = false;
    }
}

impl View {
    /// Sets a field. Another point, stack or tile type resets the fields for its parts.
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
