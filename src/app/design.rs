//! What a person chose or wrote: two documents and a schedule. This is what a link will hold.

use super::tiles::{fine_tiles, parse_tiles, suggested_tiles};
use crate::depth_first::{FuseDepth, StoringMode};
use crate::explore::{Request, Settings};
use crate::rules::Rules;
use crate::search::{Objective, Strategy, Weights};
use crate::spec::{Diagnostics, Preset, hardware_presets, workload_presets};
use crate::workload::Network;

/// Which of the two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// The accelerator.
    Hardware,
    /// The network.
    Workload,
}

impl Half {
    /// All documents that can be picked.
    pub fn presets(self) -> &'static [Preset] {
        match self {
            Self::Hardware => hardware_presets(),
            Self::Workload => workload_presets(),
        }
    }

    /// As in identifiers of elements.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hardware => "hardware",
            Self::Workload => "workload",
        }
    }
}

/// A document: a preset, or one written by hand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// The text in force.
    pub text: String,
    /// The preset that it is, unchanged.
    pub preset: Option<&'static str>,
    /// What was written by hand; it stays here while a preset is looked at.
    pub own: Option<String>,
}

impl Document {
    fn preset(preset: &Preset) -> Self {
        Self { text: preset.text.to_owned(), preset: Some(preset.id), own: None }
    }

    /// Replaces the text; own work is kept.
    pub fn write(&mut self, text: String) {
        self.own = Some(text.clone());
        self.text = text;
        self.preset = None;
    }
}

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
    /// Layers after which a stack ends, as written; in force if `fuse` is by hand.
    pub cuts: String,
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
            objective: ObjectiveChoice::default(),
            memory: String::new(),
            weights: ["1".to_owned(), "0".to_owned(), "0".to_owned()],
            strategy: settings.strategy,
            lpf_limit: settings.lpf_limit,
            rules: settings.rules,
        }
    }
}

fn join(sizes: &[u64]) -> String {
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
            Some(FuseDepth::Cuts(layers)) => (FuseChoice::ByHand, layers.join(" ")),
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
                let words = |c: char| c == ',' || c == ';' || c.is_whitespace();
                let layers: Vec<String> =
                    self.cuts.split(words).filter(|name| !name.is_empty()).map(str::to_owned).collect();
                if layers.is_empty() {
                    diagnostics.add(
                        "settings.fuse",
                        "No layer is named after which a stack ends",
                        "Name some, for example `map2, expand`; the last layer ends the last stack anyway",
                    );
                }
                FuseDepth::Cuts(layers)
            }
        }
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
        match text.parse::<f64>() {
            Ok(weight) if weight.is_finite() && weight >= 0.0 => weight,
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

    fn settings(&self) -> Result<Settings, Diagnostics> {
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

/// What a person chose or wrote.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Design {
    /// The accelerator.
    pub hardware: Document,
    /// The network.
    pub workload: Document,
    /// The schedule.
    pub schedule: Schedule,
}

impl Design {
    /// What the page opens with: FSRCNN on the Meta-prototype-like accelerator for depth-first scheduling.
    pub fn first() -> Self {
        let document = |half: Half, id: &str| {
            let presets = half.presets();
            presets.iter().find(|preset| preset.id == id).or(presets.first()).map(Document::preset).unwrap_or_default()
        };
        Self {
            hardware: document(Half::Hardware, "meta-proto-like-df"),
            workload: document(Half::Workload, "fsrcnn-defines"),
            schedule: Schedule::default(),
        }
    }

    /// The sweep of DeFiNES, Fig. 12, with the rules of the public tool.
    pub fn figure_12() -> Self {
        let first = Self::first();
        let schedule = Schedule { rules: Rules::DEFINES_2022, strategy: Strategy::Loma, ..first.schedule };
        Self { schedule, ..first }
    }

    /// One of the documents.
    pub fn document(&self, half: Half) -> &Document {
        match half {
            Half::Hardware => &self.hardware,
            Half::Workload => &self.workload,
        }
    }

    /// One of the documents, to be changed.
    pub fn document_mut(&mut self, half: Half) -> &mut Document {
        match half {
            Half::Hardware => &mut self.hardware,
            Half::Workload => &mut self.workload,
        }
    }

    /// Takes a preset's document.
    pub fn pick(&mut self, half: Half, id: &str) {
        let Some(preset) = half.presets().iter().find(|preset| preset.id == id) else { return };
        self.replace(half, preset.text.to_owned(), Some(preset.id));
    }

    /// Goes back to the document written by hand.
    pub fn pick_own(&mut self, half: Half) {
        if let Some(text) = self.document(half).own.clone() {
            self.replace(half, text, None);
        }
    }

    /// Replaces a document as a whole. Tile sizes that nobody touched follow the network.
    fn replace(&mut self, half: Half, text: String, preset: Option<&'static str>) {
        let grid = if half == Half::Workload { self.grid() } else { GridChoice::Own };
        let document = self.document_mut(half);
        document.text = text;
        document.preset = preset;
        self.take_grid(grid);
    }

    /// Which grid of tile sizes the schedule has.
    pub fn grid(&self) -> GridChoice {
        let is = |grid: GridChoice| {
            self.tiles(grid).is_some_and(|(x, y)| self.schedule.tiles_x == x && self.schedule.tiles_y == y)
        };
        [GridChoice::Spread, GridChoice::Fine].into_iter().find(|grid| is(*grid)).unwrap_or(GridChoice::Own)
    }

    fn tiles(&self, grid: GridChoice) -> Option<(String, String)> {
        match grid {
            GridChoice::Spread => self.suggested(),
            GridChoice::Fine => Some(fine_tiles(&Network::from_text(&self.workload.text).ok()?)),
            GridChoice::Own => None,
        }
    }

    /// Takes a grid of tile sizes that suits the network's maps.
    pub fn take_grid(&mut self, grid: GridChoice) {
        if let Some((x, y)) = self.tiles(grid) {
            self.schedule.tiles_x = x;
            self.schedule.tiles_y = y;
        }
    }

    fn suggested(&self) -> Option<(String, String)> {
        let network = Network::from_text(&self.workload.text).ok()?;
        let (x, y) = suggested_tiles(&network);
        Some((join(&x), join(&y)))
    }

    /// The sweep, and a second small one: the network layer by layer, and one layer at a time, to compare with.
    ///
    /// # Errors
    /// What is wrong with the schedule. The documents are judged by the engine.
    pub fn request(&self) -> Result<Vec<Request>, Diagnostics> {
        let settings = self.schedule.settings()?;
        let references = Settings {
            tiles_x: vec![u64::MAX],
            tiles_y: vec![u64::MAX],
            modes: vec![StoringMode::FullyRecompute],
            fuse: vec![FuseDepth::SingleLayer, FuseDepth::LayerByLayer],
            ..settings.clone()
        };
        let request =
            |settings| Request { hardware: self.hardware.text.clone(), workload: self.workload.text.clone(), settings };
        Ok(vec![request(settings), request(references)])
    }
}
