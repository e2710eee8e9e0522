//! Top memory level of every layer of every tile type, for W, I and O (DeFiNES, Fig. 9).

use crate::kit::{
    Chart, Column, LegendEntry, LegendMark, Lettering, MINIMUM_WIDTH, Region, Sketch, Subject, Table, TableCell, Theme,
    draw_legend, legend_height, shorten, text_on,
};
use fusescape_engine::hardware::Operand;
use fusescape_spec::sorting::sort_by;

/// A memory and its depth in the hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixLevel {
    pub memory: String,
    /// 0 for the lowest level of the core; memories at the same height share a colour.
    pub depth: usize,
}

/// One tile type of the matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeLevels {
    /// `type 1: 60 × 72, 112 tiles`.
    pub title: String,
    /// Indices of the tile types with the same levels.
    pub members: Vec<usize>,
    /// For each layer the top memory of `W`, `I` and `O`; `None` where the layer has no such operand.
    pub layers: Vec<[Option<MatrixLevel>; 3]>,
}

/// Top memory levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelMatrix {
    /// Names of the layers.
    pub layers: Vec<String>,
    /// The tile types.
    pub types: Vec<TypeLevels>,
    /// Number of depths.
    pub depths: usize,
    pub selected: Option<LevelCell>,
}

/// A cell of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelCell {
    /// Index of the tile type.
    pub tile_type: usize,
    /// Index of the layer.
    pub layer: usize,
    pub operand: Operand,
}

const OPERANDS: [Operand; 3] = [Operand::W, Operand::I, Operand::O];

const LEFT: i32 = 24;
const ROW: i32 = 26;
const TITLE: i32 = 24;
const BETWEEN: i32 = 12;
const LONGEST_NAME: i32 = 120;

/// How the cells name memories.
#[derive(Clone, Copy, PartialEq)]
enum CellText {
    Names(f64),
    Numbers,
    Nothing,
}

/// The texts of the cells and their legend.
struct LevelTexts<'a> {
    levels: Vec<&'a MatrixLevel>,
    text: CellText,
}

impl LevelMatrix {
    /// All memories that occur, highest first, as numbered in the legend.
    fn levels(&self) -> Vec<&MatrixLevel> {
        let cells = self.types.iter().flat_map(|tile_type| &tile_type.layers).flatten().flatten();
        let mut levels: Vec<&MatrixLevel> = Vec::new();
        for level in cells {
            if !levels.contains(&level) {
                levels.push(level);
            }
        }
        sort_by(&mut levels, |a, b| b.depth.cmp(&a.depth).then_with(|| a.memory.cmp(&b.memory)));
        levels
    }

    fn pitch(&self, width: i32) -> i32 {
        ((width - LEFT) / self.layers.len().max(1) as i32).min(120)
    }

    fn cell_text(&self, width: i32) -> CellText {
        let room = self.pitch(width) - 2;
        let letters = Theme::LIGHT.value();
        let fits = |size: &f64| self.levels().iter().all(|level| letters.size(*size).width(&level.memory) + 6 <= room);
        match [12.0, 11.0, 10.0].into_iter().find(fits) {
            Some(size) => CellText::Names(size),
            None if room >= 12 => CellText::Numbers,
            None => CellText::Nothing,
        }
    }

    fn entries(&self, width: i32, theme: &Theme) -> Vec<LegendEntry> {
        let numbered = self.cell_text(width) == CellText::Numbers;
        let entry = |(index, level): (usize, &&MatrixLevel)| {
            let mark = LegendMark::Chip(theme.level(level.depth, self.depths));
            let text = if numbered { format!("{}  {}", index + 1, level.memory) } else { level.memory.clone() };
            (mark, text)
        };
        self.levels().iter().enumerate().map(entry).collect()
    }

    /// Whether the layers' names are set vertically, and their height.
    fn names(&self, width: i32, letters: Lettering) -> (bool, i32) {
        let longest = self.layers.iter().map(|name| letters.width(name)).max().unwrap_or(0);
        let upright = longest + 6 > self.pitch(width);
        (upright, if upright { longest.min(LONGEST_NAME) + 8 } else { 20 })
    }

    fn top(&self, width: i32) -> i32 {
        legend_height(&self.entries(width, &Theme::LIGHT), width, Theme::LIGHT.note()) + 6
    }

    /// Upper edge of a tile type.
    fn type_top(&self, width: i32, index: usize) -> i32 {
        self.top(width) + index as i32 * (TITLE + 3 * ROW + BETWEEN)
    }

    /// Corner and size of a cell.
    fn place(&self, width: i32, cell: LevelCell) -> ((i32, i32), (i32, i32)) {
        let row = OPERANDS.iter().position(|operand| *operand == cell.operand).unwrap_or(0);
        let (pitch, top) = (self.pitch(width), self.type_top(width, cell.tile_type));
        let gap = if pitch >= 12 { 2 } else { 1 };
        ((LEFT + cell.layer as i32 * pitch, top + TITLE + row as i32 * ROW), (pitch - gap, ROW - 2))
    }

    /// The cell at a place of the figure, CSS pixels, when it is `width` wide.
    pub fn cell_at(&self, x: f64, y: f64, width: u32) -> Option<LevelCell> {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let cells = (0..self.types.len()).flat_map(|tile_type| {
            let layers = (0..self.layers.len()).flat_map(|layer| OPERANDS.map(|operand| (layer, operand)));
            layers.map(move |(layer, operand)| LevelCell { tile_type, layer, operand })
        });
        let mut cells = cells.filter(|cell| {
            let ((left, top), (w, h)) = self.place(width, *cell);
            let within = |at: f64, start: i32, extent: i32| at >= f64::from(start) && at < f64::from(start + extent);
            within(x, left, w) && within(y, top, h)
        });
        cells.next()
    }

    fn draw_selected(&self, sketch: &mut Sketch, theme: &Theme, key: &LevelTexts<'_>) {
        let Some(cell) = self.selected else { return };
        if cell.tile_type >= self.types.len() || cell.layer >= self.layers.len() {
            return;
        }
        let ((x, y), (width, height)) = self.place(sketch.width as i32, cell);
        for (by, color) in [(5, theme.panel), (4, theme.accent), (1, theme.panel)] {
            sketch.round_rect((x - by, y - by), (width + 2 * by, height + 2 * by), 4, color);
        }
        self.draw_cell(sketch, theme, cell, key);
    }

    fn draw_cell(&self, sketch: &mut Sketch, theme: &Theme, cell: LevelCell, key: &LevelTexts<'_>) {
        let width = sketch.width as i32;
        let (corner, size) = self.place(width, cell);
        let radius = if size.0 >= 22 { 4 } else { 2 };
        let row = OPERANDS.iter().position(|operand| *operand == cell.operand).unwrap_or(0);
        let layer = self.types.get(cell.tile_type).and_then(|tile_type| tile_type.layers.get(cell.layer));
        let Some(level) = layer.and_then(|layer| layer[row].as_ref()) else {
            sketch.round_rect(corner, size, radius, theme.placeholder());
            return;
        };
        let color = theme.level(level.depth, self.depths);
        sketch.round_rect(corner, size, radius, color);
        let letters = theme.value().middle().color(text_on(color));
        let middle = (corner.0 + size.0 / 2, corner.1 + size.1 / 2);
        match key.text {
            CellText::Names(size) => sketch.text(level.memory.clone(), middle, letters.size(size)),
            CellText::Numbers => {
                let number = key.levels.iter().position(|other| *other == level).map_or(0, |index| index + 1);
                sketch.text(number.to_string(), middle, letters.size(11.0));
            }
            CellText::Nothing => {}
        }
    }

    fn draw_type(&self, sketch: &mut Sketch, theme: &Theme, tile_type: usize, key: &LevelTexts<'_>) {
        let width = sketch.width as i32;
        let (top, title) = (self.type_top(width, tile_type), theme.value().bold());
        let text = self.types.get(tile_type).map_or("", |tile_type| &tile_type.title);
        sketch.text(shorten(text, width, title.size, true), (0, top + TITLE / 2), title);
        for (operand, name) in OPERANDS.into_iter().zip(["W", "I", "O"]) {
            let chip = theme.operand(operand);
            let y = self.place(width, LevelCell { tile_type, layer: 0, operand }).0.1;
            sketch.round_rect((0, y + 4), (16, 16), 4, chip);
            sketch.text(name, (8, y + 12), theme.label().bold().color(text_on(chip)));
            for layer in 0..self.layers.len() {
                let cell = LevelCell { tile_type, layer, operand };
                // The selected cell is drawn last, above its neighbours.
                if self.selected != Some(cell) {
                    self.draw_cell(sketch, theme, cell, key);
                }
            }
        }
    }

    fn draw_names(&self, sketch: &mut Sketch, theme: &Theme, top: i32) {
        let letters = theme.label();
        let pitch = self.pitch(sketch.width as i32);
        let (upright, height) = self.names(sketch.width as i32, letters);
        // Vertical names need the height of a line each.
        let every = if upright && pitch > 0 { ((13 + pitch - 1) / pitch).max(1) as usize } else { 1 };
        for (column, name) in self.layers.iter().enumerate().step_by(every) {
            let x = LEFT + column as i32 * pitch + pitch / 2 - 1;
            if upright {
                let name = shorten(name, LONGEST_NAME, letters.size, false);
                sketch.text_upwards(name, (x, top + height - (height - 4)), letters.end());
            } else {
                sketch.text(name.clone(), (x, top + 9), letters);
            }
        }
    }
}

impl Chart for LevelMatrix {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        draw_legend(&mut sketch, &self.entries(width as i32, theme), (0, 0), width as i32, theme.note());
        let key = LevelTexts { levels: self.levels(), text: self.cell_text(width as i32) };
        for tile_type in 0..self.types.len() {
            self.draw_type(&mut sketch, theme, tile_type, &key);
        }
        let bottom = self.type_top(width as i32, self.types.len()) - BETWEEN;
        self.draw_names(&mut sketch, theme, bottom);
        self.draw_selected(&mut sketch, theme, &key);
        sketch
    }

    fn regions(&self, width: u32) -> Vec<Region> {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let mut regions = Vec::new();
        for (tile_type, levels) in self.types.iter().enumerate() {
            let top = self.type_top(width, tile_type);
            for member in &levels.members {
                regions.push(Region { at: (0, top), size: (width, TITLE), subject: Subject::tile_type(*member) });
            }
            for (row, operand) in OPERANDS.into_iter().enumerate() {
                for (layer, name) in self.layers.iter().enumerate() {
                    let (at, size) = self.place(width, LevelCell { tile_type, layer, operand });
                    let level = levels.layers.get(layer).and_then(|of| of[row].as_ref());
                    let memory = level.map(|level| level.memory.clone());
                    let subject =
                        Subject { layer: Some(name.clone()), memory, operand: Some(operand), ..Subject::default() };
                    regions.push(Region { at, size, subject });
                }
            }
        }
        regions
    }

    fn height_for(&self, width: u32) -> u32 {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let types = self.types.len() as i32 * (TITLE + 3 * ROW + BETWEEN) - BETWEEN;
        (self.top(width) + types.max(0) + self.names(width, Theme::LIGHT.label()).1) as u32
    }

    fn table(&self) -> Table {
        let columns = ["tile type", "operand"].into_iter().map(Column::words);
        let columns = columns.chain(self.layers.iter().map(Column::words)).collect();
        let rows = (self.types.iter())
            .flat_map(|tile_type| (0..3).map(move |row| (tile_type, row)))
            .map(|(tile_type, row)| {
                let head = [tile_type.title.clone().into(), ["W", "I", "O"][row].into()];
                let name = |layer: &[Option<MatrixLevel>; 3]| {
                    layer[row].as_ref().map_or(TableCell::Nothing, |level| level.memory.clone().into())
                };
                head.into_iter().chain(tile_type.layers.iter().map(name)).collect()
            })
            .collect();
        Table { caption: "Top memory of every layer-tile".to_owned(), columns, rows }
    }

    fn describe(&self) -> String {
        let levels: Vec<String> = self.levels().iter().map(|level| level.memory.clone()).collect();
        format!(
            "Top memory of W, I and O for {} layers in {} tile types; memories from the highest: {}.",
            self.layers.len(),
            self.types.len(),
            levels.join(", ")
        )
    }
}
