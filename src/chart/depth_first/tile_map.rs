//! The tile types over a stack's last feature map (DeFiNES, Fig. 6).

use crate::kit::{
    Chart, Color, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Region, Sketch, Subject, Table, TableCell, Theme,
    draw_legend, entry_places, group_thousands, legend_height, legend_width, mix, text_on,
};
use fusescape_engine::depth_first::{TileMap, TileRun};

/// A tile type in the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileTypeEntry {
    /// Columns and rows of the feature map.
    pub size: (u64, u64),
    /// Number of tiles of this type.
    pub count: u64,
}

/// A map of the tile types of a stack over its last feature map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileTypeMap {
    /// Columns and rows of the feature map.
    pub size: (u64, u64),
    pub map: TileMap,
    /// The types, by their index in the map.
    pub types: Vec<TileTypeEntry>,
    /// Index of the selected type.
    pub selected: Option<usize>,
}

/// Smallest width of a run; thinner runs are widened at the cost of others. One column of pixels of a large feature map
/// is a type of its own and must be visible.
const THINNEST: i32 = 6;
/// Tiles smaller than this are drawn without lines between them.
const SMALLEST_TILE: i32 = 4;
const LEFT: i32 = 20;
const TOP: i32 = 2;
const UNDER: i32 = 26;

struct TileMapLayout {
    columns: Vec<i32>,
    rows: Vec<i32>,
    legend: (i32, i32),
    legend_width: i32,
}

impl TileTypeMap {
    fn layout(&self, width: u32) -> TileMapLayout {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let beside = width >= 640;
        // As wide as its longest name, but the map keeps half of the figure.
        let names = self.entries(&Theme::LIGHT).into_iter().map(|entry| legend_width(&[entry], Theme::LIGHT.value()));
        let legend_width = if beside { names.max().unwrap_or(0).clamp(230, width / 2) } else { width };
        let room = if beside { width - LEFT - legend_width - 24 } else { width - LEFT - 2 };
        let (columns, rows) = (self.size.0.max(1) as f64, self.size.1.max(1) as f64);
        let tallest = if beside { 400.0 } else { 320.0 };
        let scale = (f64::from(room) / columns).min(tallest / rows);
        // A very narrow feature map is widened until its tiles are visible.
        let extent = |count: f64| (count * scale).round().max(48.0) as i32;
        let (map_width, map_height) = (extent(columns), extent(rows));
        let columns = edges(&self.map.columns, LEFT, map_width);
        let rows = edges(&self.map.rows, TOP, map_height);
        let legend = if beside { (LEFT + map_width + 24, TOP) } else { (0, TOP + map_height + UNDER) };
        TileMapLayout { columns, rows, legend, legend_width }
    }

    /// Index of the tile type at a place of the figure, CSS pixels, when it is `width` wide.
    pub fn type_at(&self, x: f64, y: f64, width: u32) -> Option<usize> {
        let layout = self.layout(width);
        let index = |edges: &[i32], at: f64| {
            edges.windows(2).position(|edge| at >= f64::from(edge[0]) && at < f64::from(edge[1]))
        };
        self.map.types.get(index(&layout.rows, y)?)?.get(index(&layout.columns, x)?).map(|of| of.index())
    }

    fn title(&self, index: usize) -> String {
        let Some(entry) = self.types.get(index) else { return format!("type {}", index + 1) };
        let tiles = if entry.count == 1 { "tile" } else { "tiles" };
        let count = group_thousands(entry.count);
        format!("type {}: {} × {}, {count} {tiles}", index + 1, entry.size.0, entry.size.1)
    }

    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let mark = |index: usize| match self.selected {
            Some(selected) if selected == index => {
                LegendMark::Outline { line: theme.accent, gap: theme.panel, inside: theme.tile_type(index) }
            }
            _ => LegendMark::Chip(theme.tile_type(index)),
        };
        (0..self.types.len()).map(|index| (mark(index), self.title(index))).collect()
    }

    fn draw_run(&self, sketch: &mut Sketch, theme: &Theme, index: usize, place: RunRect, runs: (TileRun, TileRun)) {
        let RunRect { x, y, width, height } = place;
        let color = self.color(theme, index);
        sketch.rect((x, y), (width, height), color);
        let lines = mix(color, theme.panel, 0.45);
        let tiles = |extent: i32, count: u64| {
            let pitch = f64::from(extent) / count.max(1) as f64;
            (pitch >= f64::from(SMALLEST_TILE)).then(move || (1..count).map(move |k| (pitch * k as f64).round() as i32))
        };
        for offset in tiles(width, runs.0.count).into_iter().flatten() {
            sketch.vertical((x + offset, y), height, lines);
        }
        for offset in tiles(height, runs.1.count).into_iter().flatten() {
            sketch.horizontal((x, y + offset), width, lines);
        }
    }

    /// The number of a type, once, on its largest run: on a tile in its middle, so that no line crosses it; on a patch
    /// where tiles are small.
    fn draw_number(&self, sketch: &mut Sketch, theme: &Theme, index: usize, place: RunRect, runs: (TileRun, TileRun)) {
        let RunRect { x, y, width, height } = place;
        let letters = theme.value().middle().bold();
        let number = (index + 1).to_string();
        let half = letters.width(&number) / 2 + 3;
        if width < 2 * half || height < 16 {
            return;
        }
        let pitch = |extent: i32, count: u64| f64::from(extent) / count.max(1) as f64;
        let tile = (pitch(width, runs.0.count), pitch(height, runs.1.count));
        let middle = |start: i32, tile: f64, count: u64| start + (tile * ((count / 2) as f64 + 0.5)).round() as i32;
        let at = (
            middle(x, tile.0, runs.0.count).clamp(x + half, x + width - half),
            middle(y, tile.1, runs.1.count).clamp(y + 8, y + height - 8),
        );
        let color = self.color(theme, index);
        if tile.0 < f64::from(2 * half) || tile.1 < 16.0 {
            sketch.rect((at.0 - half, at.1 - 8), (2 * half, 16), color);
        }
        sketch.text(number, at, letters.color(text_on(color)));
    }

    /// Colour of a type; pale while another is selected.
    fn color(&self, theme: &Theme, index: usize) -> Color {
        let color = theme.tile_type(index);
        let is_pale = self.selected.is_some_and(|selected| selected != index);
        if is_pale { mix(color, theme.panel, 0.6) } else { color }
    }
}

/// The rectangle of a run, CSS pixels.
#[derive(Clone, Copy)]
struct RunRect {
    x: i32,
    y: i32,
    width: i32,
    height: i32,
}

/// `1 row`, `2 rows`.
fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Edges of the runs in pixels: proportional, but none thinner than [`THINNEST`].
fn edges(runs: &[TileRun], start: i32, extent: i32) -> Vec<i32> {
    let length = |run: &TileRun| run.size as f64 * run.count as f64;
    let mut widths: Vec<f64> = vec![0.0; runs.len()];
    let mut thin = vec![false; runs.len()];
    // Widening one run may make another too thin; each round settles at least one run, so the loop ends.
    for _ in 0..=runs.len() {
        let taken = THINNEST * thin.iter().filter(|thin| **thin).count() as i32;
        let free = f64::from((extent - taken).max(0));
        let total: f64 = runs.iter().zip(&thin).filter(|(_, thin)| !**thin).map(|(run, _)| length(run)).sum();
        let mut settled = true;
        for (index, run) in runs.iter().enumerate() {
            widths[index] = if thin[index] { f64::from(THINNEST) } else { free * length(run) / total.max(1.0) };
            if !thin[index] && widths[index] < f64::from(THINNEST) {
                (thin[index], settled) = (true, false);
            }
        }
        if settled {
            break;
        }
    }
    let mut at = f64::from(start);
    let mut edges = vec![start];
    for width in widths {
        at += width;
        edges.push(at.round() as i32);
    }
    edges
}

impl Chart for TileTypeMap {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let layout = self.layout(width);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let mut largest: Vec<Option<(RunRect, (TileRun, TileRun))>> = vec![None; self.types.len()];
        for ((row, edge_y), types) in self.map.rows.iter().zip(layout.rows.windows(2)).zip(&self.map.types) {
            for ((column, edge_x), index) in self.map.columns.iter().zip(layout.columns.windows(2)).zip(types) {
                let (width, height) = (edge_x[1] - edge_x[0] - 1, edge_y[1] - edge_y[0] - 1);
                let place = RunRect { x: edge_x[0], y: edge_y[0], width, height };
                let index = index.index();
                self.draw_run(&mut sketch, theme, index, place, (*column, *row));
                if let Some(largest) = largest.get_mut(index)
                    && largest.is_none_or(|(other, _)| other.width * other.height < width * height)
                {
                    *largest = Some((place, (*column, *row)));
                }
            }
        }
        for (index, run) in largest.into_iter().enumerate() {
            if let Some((place, runs)) = run {
                self.draw_number(&mut sketch, theme, index, place, runs);
            }
        }
        let (Some(right), Some(bottom)) = (layout.columns.last(), layout.rows.last()) else { return sketch };
        if self.map.columns.is_empty() || self.map.rows.is_empty() {
            return sketch;
        }
        let columns = counted(self.size.0, "column");
        sketch.text(columns, ((LEFT + right) / 2, bottom + 12), theme.note().middle());
        let rows = counted(self.size.1, "row");
        let rows = if theme.note().width(&rows) > bottom - TOP { self.size.1.to_string() } else { rows };
        sketch.text_upwards(rows, (8, (TOP + bottom) / 2), theme.note().middle());
        draw_legend(&mut sketch, &self.entries(theme), layout.legend, layout.legend_width, theme.value());
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        let layout = self.layout(width);
        let legend = legend_height(&self.entries(&Theme::LIGHT), layout.legend_width, Theme::LIGHT.value());
        let map = layout.rows.last().unwrap_or(&0) + UNDER;
        map.max(layout.legend.1 + legend) as u32
    }

    fn regions(&self, width: u32) -> Vec<Region> {
        let layout = self.layout(width);
        let region = |index: usize, (at, size): ((i32, i32), (i32, i32))| Region {
            at,
            size,
            subject: Subject::tile_type(index),
        };
        let legend =
            entry_places(&self.entries(&Theme::LIGHT), layout.legend, layout.legend_width, Theme::LIGHT.value());
        let mut regions: Vec<Region> =
            legend.into_iter().enumerate().map(|(index, place)| region(index, place)).collect();
        for (edge_y, types) in layout.rows.windows(2).zip(&self.map.types) {
            for (edge_x, index) in layout.columns.windows(2).zip(types) {
                let size = ((edge_x[1] - edge_x[0]).max(1), (edge_y[1] - edge_y[0]).max(1));
                regions.push(region(index.index(), ((edge_x[0], edge_y[0]), size)));
            }
        }
        regions
    }

    fn table(&self) -> Table {
        let rows = (self.types.iter().enumerate())
            .map(|(index, entry)| {
                vec![
                    TableCell::count(index as u64 + 1),
                    TableCell::count(entry.size.0),
                    TableCell::count(entry.size.1),
                    TableCell::count(entry.count),
                ]
            })
            .collect();
        let columns = [Column::plain("width", "columns"), Column::plain("height", "rows"), Column::numbers("tiles")];
        let columns = std::iter::once(Column::words("tile type")).chain(columns).collect();
        Table { caption: "Tile types".to_owned(), columns, rows }
    }

    fn describe(&self) -> String {
        let tiles: u64 = self.types.iter().map(|entry| entry.count).sum();
        let types: Vec<String> = (0..self.types.len()).map(|index| self.title(index)).collect();
        let (columns, rows) = self.size;
        let map = format!("Feature map of {}", counted(columns, "column") + " and " + &counted(rows, "row"));
        match tiles {
            1 => format!("{map}, computed as one tile."),
            _ => format!(
                "{map}, cut into {} tiles of {}: {}.",
                group_thousands(tiles),
                counted(self.types.len() as u64, "type"),
                types.join("; ")
            ),
        }
    }
}
