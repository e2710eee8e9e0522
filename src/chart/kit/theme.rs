//! The colours and letters of the page, light and dark.

use super::cause::BarCause;
use super::color::{Color, layer_color, mix, tile_type_color};
use super::sketch::{Anchor, Lettering};
use fusescape_engine::cost::{AccessCause, EnergyCause, LatencyCause};
use fusescape_engine::hardware::Operand;
use fusescape_engine::multicore::TransferReason;
use plotters::style::RGBColor;

/// Colours of a figure; the same names as in the page's style sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// Background of the figure; tints are mixed with it.
    pub panel: Color,
    /// Whether the panel is painted behind the figure: for files that leave the page.
    pub paint_panel: bool,
    /// Text.
    pub ink: Color,
    /// Labels of axes and other text of less weight.
    pub soft: Color,
    /// Thin lines.
    pub line: Color,
    /// Selected items.
    pub accent: Color,
    /// Areas of weights.
    pub weight: Color,
    /// Inputs; also activations as a whole.
    pub input: Color,
    /// Areas of outputs.
    pub output: Color,
    /// Data copy actions and cached overlap.
    pub copy: Color,
    /// Cycles in which the array waits.
    pub stall: Color,
    /// A memory that is too small for its contents.
    pub overfull: Color,
    /// The three storing modes, from the least to the most cached.
    pub modes: [Color; 3],
    /// Memories from the lowest to the highest.
    pub depth: [Color; 3],
}

impl Theme {
    /// For a light panel.
    pub const LIGHT: Self = Self {
        panel: RGBColor(255, 255, 255),
        paint_panel: false,
        ink: RGBColor(29, 33, 38),
        soft: RGBColor(98, 106, 115),
        line: RGBColor(226, 226, 221),
        accent: RGBColor(11, 110, 110),
        weight: RGBColor(194, 102, 45),
        input: RGBColor(59, 111, 181),
        output: RGBColor(90, 154, 75),
        copy: RGBColor(138, 107, 177),
        stall: RGBColor(222, 170, 60),
        overfull: RGBColor(190, 49, 43),
        modes: [RGBColor(136, 193, 188), RGBColor(49, 140, 140), RGBColor(12, 70, 78)],
        depth: [RGBColor(201, 218, 240), RGBColor(104, 146, 204), RGBColor(35, 66, 108)],
    };

    /// For a dark panel.
    pub const DARK: Self = Self {
        panel: RGBColor(29, 33, 37),
        paint_panel: false,
        ink: RGBColor(232, 234, 236),
        soft: RGBColor(154, 163, 171),
        line: RGBColor(48, 54, 60),
        accent: RGBColor(88, 184, 179),
        weight: RGBColor(217, 130, 74),
        input: RGBColor(91, 143, 214),
        output: RGBColor(116, 181, 101),
        copy: RGBColor(165, 139, 203),
        stall: RGBColor(226, 184, 92),
        overfull: RGBColor(235, 105, 96),
        modes: [RGBColor(48, 112, 112), RGBColor(96, 182, 176), RGBColor(205, 240, 235)],
        depth: [RGBColor(186, 207, 236), RGBColor(97, 141, 203), RGBColor(45, 84, 138)],
    };

    /// The theme with a background: the panel is painted behind the figure.
    pub fn painted(self) -> Self {
        Self { paint_panel: true, ..self }
    }

    /// Colour of an operand.
    pub fn operand(&self, operand: Operand) -> Color {
        match operand {
            Operand::W => self.weight,
            Operand::I => self.input,
            Operand::O => self.output,
        }
    }

    /// Colour of a cause of energy, latency or accesses.
    pub fn cause(&self, cause: BarCause) -> Color {
        match cause {
            BarCause::Energy(EnergyCause::Access(AccessCause::Activation)) => self.input,
            BarCause::Energy(EnergyCause::Access(AccessCause::Weight)) => self.weight,
            BarCause::Energy(EnergyCause::Access(AccessCause::Copy)) => self.copy,
            BarCause::Energy(EnergyCause::Mac) => self.soft,
            BarCause::Energy(EnergyCause::Vector) => mix(self.weight, self.panel, 0.45),
            BarCause::Latency(LatencyCause::Computing) => self.soft,
            BarCause::Latency(LatencyCause::Stall) => self.stall,
            BarCause::Latency(LatencyCause::Loading) => self.input,
            BarCause::Latency(LatencyCause::Offloading) => self.output,
            BarCause::Latency(LatencyCause::Copy) => self.copy,
            BarCause::IdlePes => mix(self.soft, self.panel, 0.5),
            BarCause::Operand(operand) => self.operand(operand),
            BarCause::Waiting => self.stall,
            BarCause::Reuse | BarCause::Registers => self.copy,
            BarCause::SecondInput => mix(self.input, self.panel, 0.45),
            BarCause::Sharing => mix(self.stall, self.panel, 0.35),
            BarCause::Dram => self.level(2, 3),
            BarCause::BufferToDram => self.level(1, 3),
            BarCause::BufferToArray => self.level(0, 3),
            BarCause::Transfer => self.copy,
            BarCause::Idle => self.placeholder(),
            BarCause::OnChip => self.soft,
            BarCause::Moved(reason) => self.reason(reason),
        }
    }

    /// Colour of series `index` of `count`: ordered, so that neighbours differ in lightness too.
    pub fn series(&self, index: usize, count: usize) -> Color {
        match count {
            0 | 1 => self.modes[1],
            2 => self.modes[if index == 0 { 0 } else { 2 }],
            3 => self.modes[index.min(2)],
            _ => mix(self.modes[0], self.modes[2], index as f64 / (count - 1) as f64),
        }
    }

    /// Colour of memory level `level` of `count`, the lowest being 0.
    pub fn level(&self, level: usize, count: usize) -> Color {
        let share = if count > 1 { level as f64 / (count - 1) as f64 } else { 0.0 };
        let [low, middle, high] = self.depth;
        if share < 0.5 { mix(low, middle, 2.0 * share) } else { mix(middle, high, 2.0 * share - 1.0) }
    }

    /// Area of tile type `index`: muted, because the largest fills the figure.
    pub fn tile_type(&self, index: usize) -> Color {
        mix(tile_type_color(index), self.panel, 0.2)
    }

    /// Area of parts of layer `index`.
    pub fn layer(&self, index: usize) -> Color {
        mix(layer_color(index), self.panel, 0.1)
    }

    /// Transfers for a reason.
    pub fn reason(&self, reason: TransferReason) -> Color {
        match reason {
            TransferReason::Fetch => self.input,
            TransferReason::Exchange => self.copy,
            TransferReason::Eviction => self.stall,
            TransferReason::Result => self.output,
        }
    }

    /// An area whose content is not known yet.
    pub fn placeholder(&self) -> Color {
        mix(self.panel, self.line, 0.55)
    }

    /// Lines of the grid behind bars and points.
    pub fn grid(&self) -> Color {
        mix(self.panel, self.line, 0.75)
    }

    /// Heading of a figure.
    pub fn heading(&self) -> Lettering {
        Lettering { size: 14.0, bold: true, color: self.ink, anchor: Anchor::Start }
    }

    /// Notes beside a heading, and titles of axes.
    pub fn note(&self) -> Lettering {
        Lettering { size: 12.0, bold: false, color: self.soft, anchor: Anchor::Start }
    }

    /// Labels of axes.
    pub fn label(&self) -> Lettering {
        Lettering { size: 11.5, bold: false, color: self.soft, anchor: Anchor::Middle }
    }

    /// Values and names.
    pub fn value(&self) -> Lettering {
        Lettering { size: 12.0, bold: false, color: self.ink, anchor: Anchor::Start }
    }
}
