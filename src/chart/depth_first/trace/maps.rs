//! The maps of a stack: each as a whole with its tile, and enlarged around the tile, with single pixels where there is
//! room.

use super::{Origin, StackHit, StackStep, TracedStack, done_color, later_color};
use crate::kit::{Color, Region, Sketch, Subject, Theme, group_thousands, mix, shorten};
use fusescape_engine::depth_first::{NodeId, Rect, TileRun, TraceMap, TraceSpan};

const CELL: i32 = 118;
const SMALL_CELL: i32 = 98;
/// Room for the frame around the current map.
const PAD: i32 = 6;
/// Number of maps above which cells are small, as in narrow figures.
const MANY: usize = 12;
const NARROW: i32 = 460;
const GAP: i32 = 16;
const HEAD: i32 = 34;
const COUNTS: i32 = 34;
const UNDER: i32 = 16;
/// Smallest size of an enlarged window, and largest size of one of its pixels.
const SMALLEST_WINDOW: f64 = 12.0;
const LARGEST_PIXEL: f64 = 14.0;

/// Places of the maps.
pub(super) struct MapsLayout {
    cell: i32,
    columns: i32,
    overview: i32,
    lens: i32,
    /// Screen pixels per pixel of a map; the same for every map whose window is large enough.
    zoom: f64,
    pub height: i32,
}

/// A rectangle on the screen, in fractions of a pixel.
#[derive(Clone, Copy)]
struct ScreenArea {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// The place of a map in its lens.
#[derive(Clone, Copy)]
struct Lens {
    area: ScreenArea,
    zoom: f64,
    /// The screen position of the map's corner.
    corner: (f64, f64),
}

impl MapsLayout {
    pub fn new(traced: &TracedStack, width: i32) -> Self {
        let count = traced.trace.maps.len() as i32;
        let is_tight = traced.trace.maps.len() > MANY || width < NARROW;
        let wanted = if is_tight { SMALL_CELL } else { CELL };
        let width = width - 2 * PAD;
        let columns = ((width + GAP) / (wanted + GAP)).clamp(1, count.max(1));
        let cell = ((width - (columns - 1) * GAP) / columns).min(wanted * 7 / 4);
        let tallest = traced.trace.maps.iter().map(|map| map.rows as f64 / map.columns.max(1) as f64);
        let tallest = tallest.fold(0.0, f64::max);
        let overview = ((f64::from(cell) * tallest) as i32).clamp(16, cell * 9 / 20);
        let lens = cell * 3 / 4;
        let (wide, high) = (f64::from(cell) * 0.88, f64::from(lens) * 0.88);
        let zooms = traced.largest.iter().map(|&(columns, rows)| (wide / columns as f64).min(high / rows as f64));
        let zoom = zooms.fold(LARGEST_PIXEL, f64::min);
        let rows = (count + columns - 1) / columns;
        let one = HEAD + overview + 6 + lens + COUNTS + UNDER;
        Self { cell, columns, overview, lens, zoom, height: rows * one + 4 }
    }

    fn corner(&self, node: NodeId) -> (i32, i32) {
        let index = node.index() as i32;
        let one = HEAD + self.overview + 6 + self.lens + COUNTS + UNDER;
        (PAD + index % self.columns * (self.cell + GAP), index / self.columns * one + 4)
    }

    /// The whole map, to scale.
    fn overview(&self, traced: &TracedStack, node: NodeId) -> ScreenArea {
        let (x, y) = self.corner(node);
        let (columns, rows) = map_size(traced, node);
        let scale = (f64::from(self.cell) / columns).min(f64::from(self.overview) / rows);
        let y = f64::from(y + HEAD) + f64::from(self.overview) - rows * scale;
        ScreenArea { x: f64::from(x), y, width: columns * scale, height: rows * scale }
    }

    fn lens(&self, trace: &StackStep, node: NodeId) -> Lens {
        let traced = &trace.traced;
        let (x, y) = self.corner(node);
        let area = ScreenArea {
            x: f64::from(x),
            y: f64::from(y + HEAD + self.overview + 6),
            width: f64::from(self.cell),
            height: f64::from(self.lens),
        };
        let (wide, high) = traced.largest.get(node.index()).copied().unwrap_or((1, 1));
        let zoom = self.zoom.max((SMALLEST_WINDOW / wide.max(high) as f64).min(LARGEST_PIXEL));
        let window = traced.trace.window(trace.step.tile, node).unwrap_or_default().window;
        let (columns, rows) = map_size(traced, node);
        let corner = |span: TraceSpan, size: f64, start: f64, extent: f64| {
            if size * zoom <= extent {
                // All of the map fits.
                return start + (extent - size * zoom) / 2.0;
            }
            let middle = (span.first + span.end) as f64 / 2.0;
            // A margin shows that the map has a border.
            let margin = 0.06 * extent;
            let first = (middle * zoom - extent / 2.0).clamp(-margin, size * zoom - extent + margin);
            start - first
        };
        let corner =
            (corner(window.columns, columns, area.x, area.width), corner(window.rows, rows, area.y, area.height));
        Lens { area, zoom, corner }
    }
}

fn map_size(traced: &TracedStack, node: NodeId) -> (f64, f64) {
    let map = traced.trace.maps.get(node);
    map.map_or((1.0, 1.0), |map| (map.columns.max(1) as f64, map.rows.max(1) as f64))
}

impl ScreenArea {
    /// A rectangle of the map on the screen, clipped to this area; at least a pixel wide and high if it is not empty.
    fn place(&self, part: Rect, corner: (f64, f64), zoom: (f64, f64)) -> Option<((i32, i32), (i32, i32))> {
        if part.pixels() == 0 {
            return None;
        }
        let edges = |span: TraceSpan, corner: f64, zoom: f64, start: f64, extent: f64| {
            let at = |place: u64| (corner + place as f64 * zoom).clamp(start, start + extent);
            let first = at(span.first).round() as i32;
            (first, (at(span.end).round() as i32 - first).max(1))
        };
        let (x, width) = edges(part.columns, corner.0, zoom.0, self.x, self.width);
        let (y, height) = edges(part.rows, corner.1, zoom.1, self.y, self.height);
        Some(((x, y), (width, height)))
    }

    fn corner(&self) -> (i32, i32) {
        (self.x.round() as i32, self.y.round() as i32)
    }

    fn size(&self) -> (i32, i32) {
        (self.width.round() as i32, self.height.round() as i32)
    }

    fn holds(&self, (x, y): (f64, f64)) -> bool {
        (self.x..=self.x + self.width).contains(&x) && (self.y..=self.y + self.height).contains(&y)
    }
}

impl Lens {
    fn place(&self, part: Rect) -> Option<((i32, i32), (i32, i32))> {
        self.area.place(part, self.corner, (self.zoom, self.zoom))
    }
}

impl StackStep {
    /// The maps, each as the region of its layer; the overview of the last one, as regions of tile types.
    pub(super) fn map_regions(&self, layout: &MapsLayout, (left, top): (i32, i32)) -> Vec<Region> {
        let height = HEAD + layout.overview + 6 + layout.lens;
        let region = |(node, map): (NodeId, &TraceMap)| {
            let (x, y) = layout.corner(node);
            let (at, size) = ((left + x - PAD, top + y - 4), (layout.cell + 2 * PAD, height + 4));
            Region { at, size, subject: Subject::layer(&map.layer) }
        };
        let mut regions: Vec<Region> = self.traced.trace.maps.iter_enumerated().map(region).collect();
        regions.extend(self.type_regions(layout, (left, top)));
        regions
    }

    /// The regions of the tile types in the last map.
    fn type_regions(&self, layout: &MapsLayout, (left, top): (i32, i32)) -> Vec<Region> {
        let (Some(stack), Some(last)) = (self.stack(), self.traced.trace.maps.last_key()) else { return Vec::new() };
        let area = layout.overview(&self.traced, last);
        let area = ScreenArea { x: area.x + f64::from(left), y: area.y + f64::from(top), ..area };
        let (columns, rows) = map_size(&self.traced, last);
        let scale = (area.width / columns, area.height / rows);
        let span = |run: &TileRun| TraceSpan { first: run.start, end: run.start + run.size * run.count };
        let mut regions = Vec::new();
        for (row, types) in stack.map.rows.iter().zip(&stack.map.types) {
            for (column, index) in stack.map.columns.iter().zip(types) {
                let place = area.place(Rect { columns: span(column), rows: span(row) }, (area.x, area.y), scale);
                let region = |(at, size)| Region { at, size, subject: Subject::tile_type(index.index()) };
                regions.extend(place.map(region));
            }
        }
        regions
    }
}

impl StackStep {
    pub(super) fn draw_maps(&self, sketch: &mut Sketch, theme: &Theme, layout: &MapsLayout, at: (i32, i32)) {
        let mut maps = Sketch::new(sketch.width, sketch.height);
        for node in self.traced.trace.maps.keys() {
            self.draw_map(&mut maps, theme, layout, node);
        }
        self.draw_growth(&mut maps, theme, layout);
        sketch.place(maps, at);
    }

    fn draw_map(&self, sketch: &mut Sketch, theme: &Theme, layout: &MapsLayout, node: NodeId) {
        let Some(map) = self.traced.trace.maps.get(node) else { return };
        let (x, y) = layout.corner(node);
        let is_now = node == self.step.node;
        if is_now {
            let height = HEAD + layout.overview + layout.lens + COUNTS + 14;
            frame(sketch, (x - PAD, y - 4), (layout.cell + 2 * PAD, height), theme.accent);
        }
        let name = if map.is_input { format!("{}, fetched", map.layer) } else { map.layer.clone() };
        let letters = theme.value().bold();
        let letters = if is_now { letters.color(theme.accent) } else { letters };
        sketch.text(shorten(&name, layout.cell, letters.size, true), (x, y + 7), letters);
        let channels = self.tile().and_then(|(_, tile)| tile.layers.get(node)).map_or(0, |layer| layer.output.2);
        let size = format!("{} × {} × {}", map.columns, map.rows, channels);
        sketch.text(shorten(&size, layout.cell, 11.5, false), (x, y + 22), theme.label().start());
        self.draw_overview(sketch, theme, layout, node);
        self.draw_lens(sketch, theme, layout, node);
        let counts_at = (x, y + HEAD + layout.overview + 6 + layout.lens + 10);
        self.draw_counts(sketch, theme, node, counts_at, layout.cell);
    }

    /// The part of a map that earlier tiles have computed: whole rows of tiles, then a part of the present row.
    fn done(&self, node: NodeId) -> [Rect; 2] {
        let trace = &self.traced.trace;
        let Some((column, row)) = trace.strips_of(self.step.tile) else { return [Rect::default(); 2] };
        let width = trace.maps.get(node).map_or(0, |map| map.columns);
        let before =
            |strip: &fusescape_engine::depth_first::StripTrace| strip.before.get(node).copied().unwrap_or_default();
        let (left, above) = (before(column), before(row));
        let end = row.computed.get(node).map_or(above, |span| span.end.max(above));
        [
            Rect { columns: TraceSpan { first: 0, end: width }, rows: TraceSpan { first: 0, end: above } },
            Rect { columns: TraceSpan { first: 0, end: left }, rows: TraceSpan { first: above, end } },
        ]
    }

    fn draw_overview(&self, sketch: &mut Sketch, theme: &Theme, layout: &MapsLayout, node: NodeId) {
        let area = layout.overview(&self.traced, node);
        let (columns, rows) = map_size(&self.traced, node);
        let zoom = (area.width / columns, area.height / rows);
        let place = |part: Rect| area.place(part, (area.x, area.y), zoom);
        sketch.rect(area.corner(), area.size(), theme.placeholder());
        for part in self.done(node) {
            if let Some((at, size)) = place(part) {
                sketch.rect(at, size, done_color(theme));
            }
        }
        let window = self.traced.trace.window(self.step.tile, node).unwrap_or_default().window;
        if let Some(((x, y), (width, height))) = place(window) {
            // At least 4 pixels, so that it can be seen.
            let (width, height) = (width.max(4), height.max(4));
            let right = (area.x + area.width).round() as i32;
            let bottom = (area.y + area.height).round() as i32;
            let at = (x.min(right - width).max(area.corner().0), y.min(bottom - height).max(area.corner().1));
            sketch.rect(at, (width, height), theme.accent);
        }
    }

    fn draw_lens(&self, sketch: &mut Sketch, theme: &Theme, layout: &MapsLayout, node: NodeId) {
        let lens = layout.lens(self, node);
        let (columns, rows) = map_size(&self.traced, node);
        let span = |size: f64| TraceSpan { first: 0, end: size as u64 };
        if let Some((at, size)) = lens.place(Rect { columns: span(columns), rows: span(rows) }) {
            sketch.rect(at, size, theme.placeholder());
        }
        for part in self.done(node) {
            if let Some((at, size)) = lens.place(part) {
                sketch.rect(at, size, done_color(theme));
            }
        }
        let has_run = node <= self.step.node;
        for (origin, part) in self.parts(node) {
            let Some((at, size)) = lens.place(part) else { continue };
            let is_there = has_run || matches!(origin, Origin::Left | Origin::Above);
            let color = origin.color(theme);
            let color = if is_there { color } else { later_color(color, theme) };
            sketch.rect(at, size, color);
            stripes(sketch, origin, (at, size), mix(color, theme.panel, 0.45));
        }
        let window = self.traced.trace.window(self.step.tile, node).unwrap_or_default();
        if lens.zoom >= 5.0 {
            grid(sketch, &lens, window.window, theme.panel);
        }
        if let Some((at, size)) = lens.place(window.computed) {
            let color = if node == self.step.node { theme.ink } else { theme.soft };
            frame(sketch, (at.0 - 1, at.1 - 1), (size.0 + 2, size.1 + 2), color);
        }
    }

    fn draw_counts(&self, sketch: &mut Sketch, theme: &Theme, node: NodeId, (x, y): (i32, i32), width: i32) {
        let counts: Vec<_> = self.counts(node).into_iter().filter(|(_, pixels)| *pixels > 0).collect();
        let half = width / 2;
        if counts.is_empty() {
            let letters = theme.label().start();
            sketch.text(shorten("nothing to compute", width, letters.size, false), (x, y), letters);
        }
        for (index, (origin, pixels)) in counts.into_iter().enumerate() {
            let at = (x + (index as i32 % 2) * half, y + (index as i32 / 2) * 16);
            sketch.round_rect((at.0, at.1 - 5), (10, 10), 2, origin.color(theme));
            stripes(sketch, origin, ((at.0, at.1 - 5), (10, 10)), mix(origin.color(theme), theme.panel, 0.45));
            let text = shorten(&group_thousands(pixels), half - 16, 11.5, false);
            sketch.text(text, (at.0 + 14, at.1), theme.label().start().color(theme.ink));
        }
    }

    /// Lines from the part that a layer reads of the map before it to the part that it computes, where both lie side by
    /// side.
    fn draw_growth(&self, sketch: &mut Sketch, theme: &Theme, layout: &MapsLayout) {
        let trace = &self.traced.trace;
        let Some((column, row)) = trace.strips_of(self.step.tile) else { return };
        for (index, read) in trace.reads.iter_enumerated() {
            let (from, to) = (layout.corner(read.producer), layout.corner(read.reader));
            if from.1 != to.1 || to.0 != from.0 + layout.cell + GAP {
                continue;
            }
            let spans = (column.read.get(index).copied(), row.read.get(index).copied());
            let (Some(columns), Some(rows)) = spans else { continue };
            let computed = trace.window(self.step.tile, read.reader).unwrap_or_default().computed;
            let source = layout.lens(self, read.producer).place(Rect { columns, rows });
            let target = layout.lens(self, read.reader).place(computed);
            let (Some((at, size)), Some((to, to_size))) = (source, target) else { continue };
            let color = if read.reader == self.step.node { theme.accent } else { mix(theme.soft, theme.panel, 0.45) };
            let right = at.0 + size.0;
            sketch.line(vec![(right, at.1), (to.0, to.1)], 1, color);
            sketch.line(vec![(right, at.1 + size.1), (to.0, to.1 + to_size.1)], 1, color);
        }
    }

    /// The part at a place, relative to the upper left corner of the maps.
    pub(super) fn hit_map(&self, layout: &MapsLayout, at: (f64, f64)) -> Option<StackHit> {
        let trace = &self.traced.trace;
        let last = trace.maps.last_key()?;
        for node in trace.maps.keys() {
            let area = layout.overview(&self.traced, node);
            if area.holds(at) {
                let (columns, rows) = map_size(&self.traced, last);
                let share = ((at.0 - area.x) / area.width, (at.1 - area.y) / area.height);
                return Some(StackHit::Tile(trace.tile_over((share.0 * columns) as u64, (share.1 * rows) as u64)));
            }
            let (x, y) = layout.corner(node);
            let height = HEAD + layout.overview + 6 + layout.lens + COUNTS;
            let cell = ScreenArea {
                x: f64::from(x),
                y: f64::from(y),
                width: f64::from(layout.cell),
                height: f64::from(height),
            };
            if cell.holds(at) {
                return Some(StackHit::Node(node));
            }
        }
        None
    }
}

/// Lines around a rectangle, two pixels wide where there is room.
fn frame(sketch: &mut Sketch, (x, y): (i32, i32), (width, height): (i32, i32), color: Color) {
    let line = if width.min(height) > 12 { 2 } else { 1 };
    sketch.rect((x, y), (width, line), color);
    sketch.rect((x, y + height - line), (width, line), color);
    sketch.rect((x, y), (line, height), color);
    sketch.rect((x + width - line, y), (line, height), color);
}

/// Stripes repeat the meaning of the colour: vertical for pixels from the left, horizontal for pixels from above,
/// slanting for recomputed ones.
fn stripes(sketch: &mut Sketch, origin: Origin, ((x, y), (width, height)): ((i32, i32), (i32, i32)), color: Color) {
    match origin {
        Origin::New => {}
        Origin::Left => (2..width).step_by(4).for_each(|offset| sketch.vertical((x + offset, y), height, color)),
        Origin::Above => (2..height).step_by(4).for_each(|offset| sketch.horizontal((x, y + offset), width, color)),
        Origin::Again => sketch.hatch((x, y), (width, height), color),
    }
}

/// Lines between the pixels of a window.
fn grid(sketch: &mut Sketch, lens: &Lens, window: Rect, color: Color) {
    let Some(((x, y), (width, height))) = lens.place(window) else { return };
    for column in window.columns.first + 1..window.columns.end {
        let at = (lens.corner.0 + column as f64 * lens.zoom).round() as i32;
        sketch.vertical((at, y), height, color);
    }
    for row in window.rows.first + 1..window.rows.end {
        let at = (lens.corner.1 + row as f64 * lens.zoom).round() as i32;
        sketch.horizontal((x, at), width, color);
    }
}
