//! The trace of a stack: every feature map with the window of one tile; beside them the memories, their contents and the
//! transfers.
//!
//! A step is one layer in one tile. All maps show the tile's windows at once, which grow from the last map back to the
//! first; layers that have not run yet are pale. The figure only looks up and adds numbers of
//! `depth_first::StackTrace`.

mod maps;
mod memory_gauges;
mod table;

pub use table::memory_trace_table;

use crate::kit::{
    Chart, Color, LegendEntry, LegendMark, MINIMUM_WIDTH, Quantity, Region, Sketch, Table, Theme, draw_legend,
    group_thousands, legend_height, mix, shorten,
};
use fusescape_engine::depth_first::{
    LayerTileAccount, NodeId, PointAccount, Rect, StackAccount, StackTrace, StripTrace, TileTypeAccount, TileTypeId,
    TraceSpan, TraceStep,
};
use std::rc::Rc;
use std::sync::Arc;

/// A stack of an account with the places of its tiles; shared by all steps.
#[derive(Debug)]
pub struct TracedStack {
    /// The point.
    pub account: Arc<PointAccount>,
    pub stack: usize,
    /// The places of its tiles.
    pub trace: Rc<StackTrace>,
    /// Width of the widest and height of the highest window of each map, in order.
    largest: Vec<(u64, u64)>,
}

impl TracedStack {
    /// `None` if the trace is of another stack.
    pub fn new(account: Arc<PointAccount>, stack: usize, trace: Rc<StackTrace>) -> Option<Self> {
        let of = account.stacks.get(stack)?;
        let layers = of.tile_types.first()?.layers.iter().map(|layer| &layer.layer);
        let is_same = trace.tile_count() == of.tile_count && layers.eq(trace.maps.iter().map(|map| &map.layer));
        is_same.then_some(())?;
        let largest = largest_windows(&trace);
        Some(Self { account, stack, trace, largest })
    }

    /// The stack's account.
    pub fn of(&self) -> Option<&StackAccount> {
        self.account.stacks.get(self.stack)
    }

    /// Index of a step, over all maps of all tiles.
    pub fn number_of(&self, step: TraceStep) -> usize {
        (step.tile as usize).saturating_mul(self.trace.maps.len()).saturating_add(step.node.index())
    }

    /// The step of this number, if there is one.
    pub fn step_of(&self, number: usize) -> Option<TraceStep> {
        let maps = self.trace.maps.len().max(1);
        let step = TraceStep { tile: (number / maps) as u64, node: NodeId::from(number % maps) };
        (step.tile < self.trace.tile_count()).then_some(step)
    }

    /// The initial step: the first layer in the first tile of the given type, or of the most frequent type.
    pub fn first_step(&self, tile_type: Option<usize>) -> TraceStep {
        let types = self.of().map(|stack| &stack.tile_types);
        let most = || types?.iter_enumerated().rev().max_by_key(|(_, tile)| tile.count).map(|(index, _)| index);
        let chosen = tile_type.map(TileTypeId::from).or_else(most);
        let tile = types.zip(chosen).and_then(|(types, index)| types.get(index)).map(|tile| tile.first_position);
        let tile = tile.map_or(0, |(column, row)| self.trace.tile_over(column, row));
        let node = self.trace.maps.iter_enumerated().find(|(_, map)| !map.is_input).map(|(node, _)| node);
        TraceStep { tile, node: node.unwrap_or_default() }
    }
}

/// Width of the widest and height of the highest window of each map.
fn largest_windows(trace: &StackTrace) -> Vec<(u64, u64)> {
    let along = |strips: &[StripTrace]| {
        let mut longest = vec![1; trace.maps.len()];
        for strip in strips {
            let mut windows: Vec<TraceSpan> = strip.computed.iter().copied().collect();
            for (read, span) in trace.reads.iter().zip(&strip.read).filter(|(_, span)| span.length() > 0) {
                if let Some(window) = windows.get_mut(read.producer.index()) {
                    let is_empty = window.length() == 0;
                    let (first, end) = (window.first.min(span.first), window.end.max(span.end));
                    *window = if is_empty { *span } else { TraceSpan { first, end } };
                }
            }
            for (longest, window) in longest.iter_mut().zip(windows) {
                *longest = window.length().max(*longest);
            }
        }
        longest
    };
    along(&trace.columns).into_iter().zip(along(&trace.rows)).collect()
}

/// One step of a stack.
#[derive(Debug, Clone)]
pub struct StackStep {
    /// The stack.
    pub traced: Rc<TracedStack>,
    pub step: TraceStep,
}

impl PartialEq for StackStep {
    fn eq(&self, other: &Self) -> bool {
        // Comparing accounts would take longer than drawing them.
        Rc::ptr_eq(&self.traced, &other.traced) && self.step == other.step
    }
}

/// The part of the figure at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackHit {
    /// A pixel of the last map, or the same place in another map; stands for the tile that computes it.
    Tile(u64),
    /// A map; stands for its layer.
    Node(NodeId),
}

/// The source of a pixel of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    New,
    Again,
    Left,
    Above,
}

impl Origin {
    const ALL: [Self; 4] = [Self::New, Self::Again, Self::Left, Self::Above];

    fn title(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Again => "computed again",
            Self::Left => "kept from the left",
            Self::Above => "kept from above",
        }
    }

    /// Colours that also differ in lightness; stripes tell them apart as well.
    fn color(self, theme: &Theme) -> Color {
        match self {
            Self::New => theme.modes[1],
            Self::Again => theme.stall,
            Self::Left => theme.copy,
            Self::Above => mix(theme.copy, theme.panel, 0.5),
        }
    }
}

/// Width below which the memories are below the maps.
const SIDE_BY_SIDE: i32 = 700;
const VESSELS: i32 = 330;
const BETWEEN: i32 = 26;
const TITLE: i32 = 46;

impl StackStep {
    fn stack(&self) -> Option<&StackAccount> {
        self.traced.of()
    }

    pub fn tile(&self) -> Option<(TileTypeId, &TileTypeAccount)> {
        self.stack()?.tile(&self.traced.trace, self.step.tile)
    }

    /// The account of the layer in this tile.
    pub fn layer(&self) -> Option<&LayerTileAccount> {
        Some(self.stack()?.step(&self.traced.trace, self.step)?.1)
    }

    /// `Tile 412 of 32,400 (type 5), layer 3 of 8: conv_2`
    pub fn title(&self) -> String {
        let trace = &self.traced.trace;
        let name = trace.maps.get(self.step.node).map_or("", |map| map.layer.as_str());
        let kind = self.tile().map_or(0, |(index, _)| index.index() + 1);
        let (tile, tiles) = (group_thousands(self.step.tile + 1), group_thousands(trace.tile_count()));
        let inputs = trace.maps.iter().filter(|map| map.is_input).count();
        let layers = trace.maps.len() - inputs;
        match (self.step.node.index() + 1).checked_sub(inputs) {
            Some(layer @ 1..) => format!("Tile {tile} of {tiles}, type {kind} · layer {layer} of {layers}: {name}"),
            _ => format!("Tile {tile} of {tiles}, type {kind} · fetch the output of {name}"),
        }
    }

    /// What the step costs: `12.3 nJ of 98.1 nJ of this tile · 1,200 cycles`.
    pub fn cost_text(&self) -> String {
        let (Some(layer), Some((_, tile))) = (self.layer(), self.tile()) else { return String::new() };
        let energy = |pj: f64| Quantity::Energy.text(pj);
        format!(
            "{} of the {} that this tile takes · {}",
            energy(layer.energy_pj()),
            energy(tile.energy_pj),
            Quantity::Latency.text(layer.latency_cycles() as f64)
        )
    }

    /// Pixels of a map by origin.
    fn counts(&self, node: NodeId) -> [(Origin, u64); 4] {
        let window = self.traced.trace.window(self.step.tile, node).unwrap_or_default();
        Origin::ALL.map(|origin| {
            let pixels = match origin {
                Origin::New => window.new.pixels(),
                Origin::Again => window.again_pixels(),
                Origin::Left => window.kept_left.pixels(),
                Origin::Above => window.kept_above.pixels(),
            };
            (origin, pixels)
        })
    }

    /// The parts of a map's window, by origin.
    fn parts(&self, node: NodeId) -> Vec<(Origin, Rect)> {
        let window = self.traced.trace.window(self.step.tile, node).unwrap_or_default();
        let [columns, rows] = window.again;
        let parts = [
            (Origin::Left, window.kept_left),
            (Origin::Above, window.kept_above),
            (Origin::Again, columns),
            (Origin::Again, rows),
            (Origin::New, window.new),
        ];
        parts.into_iter().filter(|(_, part)| part.pixels() > 0).collect()
    }

    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let mut entries: Vec<LegendEntry> =
            Origin::ALL.map(|origin| (LegendMark::Chip(origin.color(theme)), origin.title().to_owned())).into();
        entries.push((LegendMark::Chip(later_color(Origin::New.color(theme), theme)), "comes later".to_owned()));
        entries.push((LegendMark::Chip(done_color(theme)), "done by earlier tiles".to_owned()));
        entries
    }

    fn layout(&self, width: i32) -> TraceLayout {
        let legend = legend_height(&self.entries(&Theme::LIGHT), width, Theme::LIGHT.note());
        let top = TITLE + legend + 10;
        let is_wide = width >= SIDE_BY_SIDE;
        let maps_width = if is_wide { width - VESSELS - BETWEEN } else { width };
        let maps = maps::MapsLayout::new(&self.traced, maps_width);
        let gauges_at = if is_wide { (width - VESSELS, top) } else { (0, top + maps.height + BETWEEN) };
        let gauges_width = if is_wide { VESSELS } else { width.min(VESSELS + 60) };
        let gauges = memory_gauges::MemoryGaugesLayout::new(&self.traced, gauges_width);
        let bottom = (top + maps.height).max(gauges_at.1 + gauges.height);
        TraceLayout { maps_at: (0, top), maps, gauges_at, gauges, height: bottom + 4 }
    }

    /// The part at a place of the figure, CSS pixels.
    pub fn hit(&self, x: f64, y: f64, width: u32) -> Option<StackHit> {
        let layout = self.layout(width.max(MINIMUM_WIDTH) as i32);
        self.hit_map(&layout.maps, (x - f64::from(layout.maps_at.0), y - f64::from(layout.maps_at.1)))
    }
}

/// Colour of pixels that earlier tiles have computed.
fn done_color(theme: &Theme) -> Color {
    mix(theme.panel, theme.modes[1], 0.22)
}

/// Colour of pixels of a layer that has not run yet in this tile.
fn later_color(color: Color, theme: &Theme) -> Color {
    mix(color, theme.panel, 0.6)
}

struct TraceLayout {
    maps_at: (i32, i32),
    maps: maps::MapsLayout,
    gauges_at: (i32, i32),
    gauges: memory_gauges::MemoryGaugesLayout,
    height: i32,
}

impl Chart for StackStep {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let layout = self.layout(width as i32);
        let mut sketch = Sketch::new(width, layout.height as u32);
        let fit = |text: String, size: f64, bold: bool| shorten(&text, width as i32, size, bold);
        sketch.text(fit(self.title(), 14.0, true), (0, 9), theme.heading());
        sketch.text(fit(self.cost_text(), 12.0, false), (0, 29), theme.note());
        draw_legend(&mut sketch, &self.entries(theme), (0, TITLE - 4), width as i32, theme.note());
        self.draw_maps(&mut sketch, theme, &layout.maps, layout.maps_at);
        self.draw_gauges(&mut sketch, theme, &layout.gauges, layout.gauges_at);
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        self.layout(width.max(MINIMUM_WIDTH) as i32).height as u32
    }

    fn table(&self) -> Table {
        table::maps_table(self)
    }

    fn regions(&self, width: u32) -> Vec<Region> {
        let layout = self.layout(width.max(MINIMUM_WIDTH) as i32);
        let mut regions = self.map_regions(&layout.maps, layout.maps_at);
        regions.extend(layout.gauges.regions(&self.traced, layout.gauges_at));
        regions
    }

    fn describe(&self) -> String {
        let counts = self.counts(self.step.node);
        let counts: Vec<String> = counts
            .iter()
            .filter(|(_, pixels)| *pixels > 0)
            .map(|(origin, pixels)| format!("{} pixels {}", group_thousands(*pixels), origin.title()))
            .collect();
        let counts = if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") };
        format!("{}. Of its map {counts}. It takes {}.", self.title(), self.cost_text())
    }
}
