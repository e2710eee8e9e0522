//! The design: two documents and a schedule.

use super::half::Half;
use super::schedule::{Schedule, join};
use super::tiles::{GridChoice, fine_tiles, suggested_tiles};
use fusescape_engine::depth_first::{FuseDepth, StoringMode};
use fusescape_engine::explore::{Request, Settings};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::Strategy;
use fusescape_engine::workload::Network;
use fusescape_spec::{Diagnostics, Preset, first_presets};

/// A document: a preset, or one written by hand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// The text in force.
    pub text: String,
    /// Set if the text is that of a preset, unchanged.
    pub preset: Option<&'static str>,
    /// The text written by hand; kept while a preset is in force.
    pub own: Option<String>,
}

impl Document {
    fn preset(preset: &Preset) -> Self {
        Self { text: preset.text.to_owned(), preset: Some(preset.id), own: None }
    }

    /// Replaces the text; the text is then one written by hand.
    pub fn write(&mut self, text: String) {
        self.own = Some(text.clone());
        self.text = text;
        self.preset = None;
    }
}

/// A design: hardware, network, and schedule.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Design {
    /// The accelerator.
    pub hardware: Document,
    /// The network.
    pub workload: Document,
    pub schedule: Schedule,
}

impl Design {
    /// The initial design of the page: FSRCNN on the Meta-prototype-like accelerator for depth-first scheduling.
    pub fn first() -> Self {
        let [hardware, workload] = first_presets().each_ref().map(Document::preset);
        Self { hardware, workload, schedule: Schedule::default() }
    }

    /// The sweep of DeFiNES, Fig. 12, with the rules of the public tool.
    pub fn figure_12() -> Self {
        let first = Self::first();
        let schedule = Schedule { rules: Rules::DEFINES_2022, strategy: Strategy::Loma, ..first.schedule };
        Self { schedule, ..first }
    }

    /// Hardware or workload.
    pub fn document(&self, half: Half) -> &Document {
        match half {
            Half::Hardware => &self.hardware,
            Half::Workload => &self.workload,
        }
    }

    /// Hardware or workload, mutable.
    pub fn document_mut(&mut self, half: Half) -> &mut Document {
        match half {
            Half::Hardware => &mut self.hardware,
            Half::Workload => &mut self.workload,
        }
    }

    /// Takes a preset's document.
    pub fn pick(&mut self, half: Half, preset: &Preset) {
        self.replace(half, preset.text.to_owned(), Some(preset.id));
    }

    /// Takes the documents of an accelerator and of a network.
    pub fn pick_both(&mut self, [hardware, workload]: [&Preset; 2]) {
        self.pick(Half::Hardware, hardware);
        self.pick(Half::Workload, workload);
    }

    /// Returns to the document written by hand.
    pub fn pick_own(&mut self, half: Half) {
        if let Some(text) = self.document(half).own.clone() {
            self.replace(half, text, None);
        }
    }

    /// Drops documents that were written by hand and are not in force.
    pub fn forget_own(&mut self) {
        for document in [&mut self.hardware, &mut self.workload] {
            document.own = document.preset.is_none().then(|| document.text.clone());
        }
    }

    /// Takes a document from a file, as one written by hand.
    pub fn import(&mut self, half: Half, text: String) {
        self.document_mut(half).own = Some(text.clone());
        self.replace(half, text, None);
    }

    /// Replaces a document as a whole. Tile sizes that were not edited follow the network.
    fn replace(&mut self, half: Half, text: String, preset: Option<&'static str>) {
        let grid = if half == Half::Workload { self.grid() } else { GridChoice::Own };
        let document = self.document_mut(half);
        document.text = text;
        document.preset = preset;
        self.take_grid(grid);
    }

    /// The choice that the grid of tile sizes matches.
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

    /// The sweep, and a small second one for the references: layer by layer, and one layer at a time.
    ///
    /// # Errors
    /// Errors in the schedule. The documents are checked by the engine.
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
