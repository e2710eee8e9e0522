//! How a person looks at the results.

use super::action::ViewChange;
use super::choice::FusionPart;
use super::design::Half;
use super::fields::fields;
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

/// The way in which results are shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    /// Which view.
    pub tab: Tab,
    /// Which number the heatmaps show.
    pub metric: Metric,
    /// The opened point; `None`: the best.
    pub point: Option<DepthFirstStrategy>,
    /// The stack that is looked at.
    pub stack: usize,
    /// The tile type that is looked at; `None`: the most frequent.
    pub tile_type: Option<usize>,
    /// The step at which data in motion stand, counted through all maps of all tiles; `None`: the first of the tile type.
    pub step: Option<usize>,
    /// The question of the view of fusion that is open.
    pub fusion_part: FusionPart,
    /// Whether the hardware's text is shown.
    pub hardware_text: bool,
    /// Whether the workload's text is shown.
    pub workload_text: bool,
}

fields! {
    View {
        tab: Choice = Tab::Landscape, 22, ["tab"];
        metric: Choice = Metric::Energy, 23, ["metric"];
        stack: Ordinal = 0, 25, ["stack"];
        tile_type: OptionalOrdinal = None, 26, ["tile_type"];
        point: Point = None, 24, ["point"];
        step: OptionalOrdinal = None, 56, ["step"];
        fusion_part: Choice = FusionPart::Methods, 53, ["fusion_part"];
    } otherwise {
        hardware_text = false;
        workload_text = false;
    }
}

impl View {
    pub(super) fn change(&mut self, change: ViewChange) {
        match change {
            ViewChange::Tab(tab) => self.tab = tab,
            ViewChange::Metric(metric) => self.metric = metric,
            ViewChange::Open(point) => {
                self.change(ViewChange::Point(point));
                self.tab = Tab::Schedule;
            }
            ViewChange::Point(point) => {
                self.point = Some(point);
                self.change(ViewChange::Stack(0));
            }
            ViewChange::FusionPart(part) => self.fusion_part = part,
            ViewChange::Stack(stack) => {
                (self.stack, self.tile_type, self.step) = (stack, None, None);
            }
            ViewChange::TileType(index) => {
                (self.tile_type, self.step) = (Some(index), None);
            }
            ViewChange::Step(step) => self.step = Some(step),
            ViewChange::Text(Half::Hardware, shown) => self.hardware_text = shown,
            ViewChange::Text(Half::Workload, shown) => self.workload_text = shown,
        }
    }
}
