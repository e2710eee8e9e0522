//! The layers of a network as a graph with its stacks: for the page, which draws it as HTML elements, and for files.

use super::layered::{Layered, Route, Spacing, lay_out};
use crate::kit::{Chart, Column, MINIMUM_WIDTH, Quantity, Sketch, Table, TableCell, Theme, mix, shorten};
use fusescape_spec::sorting::sort_by;

/// A layer as a box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkLayer {
    pub name: String,
    pub kind: String,
    /// Output map (`960 × 540 × 56`), its size, size of the weights, and MACs; empty cells where unknown.
    pub sizes: [TableCell; 4],
}

impl NetworkLayer {
    fn map(&self) -> &str {
        self.sizes[0].text()
    }
}

/// The layers as boxes, with a line from each to its readers.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkDrawing {
    pub name: String,
    /// In the order of the document.
    pub layers: Vec<NetworkLayer>,
    /// From each layer to its readers, by index.
    pub edges: Vec<(usize, usize)>,
    /// Layers of each stack, by index.
    pub stacks: Vec<Vec<usize>>,
}

/// Around the graph, CSS pixels.
pub const NETWORK_MARGIN: f64 = 10.0;
const TITLE: i32 = 26;
/// Spacing of a graph without branches, whose boxes have room for their maps, and of others.
const WIDE: Spacing = Spacing { width: 238.0, height: 26.0, between_ranks: 18.0, between_nodes: 12.0, lane: 10.0 };
const NARROW: Spacing = Spacing { width: 126.0, ..WIDE };
/// Number of pieces of a swinging edge.
const PIECES: i32 = 8;

/// Lays out a network; boxes are wide if no two stand side by side.
pub fn lay_out_network(count: usize, edges: &[(usize, usize)]) -> (Layered, Spacing) {
    let wide = lay_out(count, edges, &WIDE);
    if wide.width <= WIDE.width + 2.0 * (WIDE.lane + WIDE.between_nodes) {
        (wide, WIDE)
    } else {
        (lay_out(count, edges, &NARROW), NARROW)
    }
}

/// Upper and lower edge of the band behind each stack; none where stacks lie side by side.
pub fn stack_bands(layout: &Layered, spacing: &Spacing, stacks: &[Vec<usize>]) -> Vec<(f64, f64)> {
    let extent = |layers: &Vec<usize>| {
        let tops = || layers.iter().filter_map(|layer| layout.nodes.get(*layer)).map(|(_, top)| *top);
        Some((tops().reduce(f64::min)?, tops().reduce(f64::max)? + spacing.height))
    };
    let mut extents: Vec<(f64, f64)> = stacks.iter().filter_map(extent).collect();
    sort_by(&mut extents, |a, b| a.0.total_cmp(&b.0));
    if extents.windows(2).any(|pair| pair[0].1 > pair[1].0) { Vec::new() } else { extents }
}

impl NetworkDrawing {
    /// The width at which no text is shortened, CSS pixels.
    pub fn own_width(&self) -> u32 {
        let (layout, _) = lay_out_network(self.layers.len(), &self.edges);
        ((layout.width + 2.0 * NETWORK_MARGIN).ceil() as u32).max(MINIMUM_WIDTH)
    }

    fn stack_of(&self, layer: usize) -> Option<usize> {
        self.stacks.iter().position(|stack| stack.contains(&layer))
    }
}

impl Chart for NetworkDrawing {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        sketch.heading((&self.name, theme.heading()), ("", theme.note()));
        let (layout, spacing) = lay_out_network(self.layers.len(), &self.edges);
        // A graph that is too wide is compressed; a narrower one is centred.
        let room = f64::from(width) - 2.0 * NETWORK_MARGIN;
        let scale = (room / layout.width.max(1.0)).min(1.0);
        let left = NETWORK_MARGIN + (room - scale * layout.width) / 2.0;
        let at = |x: f64, y: f64| ((left + scale * x).round() as i32, TITLE + (NETWORK_MARGIN + y).round() as i32);
        for (top, bottom) in stack_bands(&layout, &spacing, &self.stacks) {
            let (corner, end) = (at(0.0, top - 6.0), at(layout.width, bottom + 6.0));
            let size = (end.0 - corner.0 + 16, end.1 - corner.1);
            sketch.round_rect((corner.0 - 8, corner.1), size, 4, mix(theme.panel, theme.accent, 0.15));
        }
        let line = mix(theme.panel, theme.soft, 0.7);
        for route in &layout.routes {
            sketch.line(swinging(route).into_iter().map(|(x, y)| at(x, y)).collect(), 1, line);
        }
        for (index, (layer, &(x, y))) in self.layers.iter().zip(&layout.nodes).enumerate() {
            let (corner, end) = (at(x, y), at(x + spacing.width, y + spacing.height));
            let size = (end.0 - corner.0, end.1 - corner.1);
            let computes = !matches!(layer.kind.as_str(), "input" | "pooling" | "add" | "view");
            sketch.round_rect(corner, size, 4, if computes { theme.accent } else { line });
            let group = self.stack_of(index).filter(|_| self.stacks.len() > 1);
            let inside = group.map_or(theme.panel, |group| mix(theme.panel, theme.tile_type(group % 8), 0.35));
            sketch.round_rect((corner.0 + 1, corner.1 + 1), (size.0 - 2, size.1 - 2), 3, inside);
            let letters = theme.label().color(theme.ink);
            let (map_width, middle) = (letters.width(layer.map()), corner.1 + size.1 / 2);
            let has_map = spacing.width * scale > 200.0 && !layer.map().is_empty();
            let room = size.0 - 16 - if has_map { map_width + 8 } else { 0 };
            sketch.text(shorten(&layer.name, room, letters.size, false), (corner.0 + 8, middle), letters.start());
            if has_map {
                sketch.text(layer.map(), (end.0 - 8, middle), letters.color(theme.soft).end());
            }
        }
        sketch
    }

    fn height_for(&self, _width: u32) -> u32 {
        let (layout, _) = lay_out_network(self.layers.len(), &self.edges);
        TITLE as u32 + (layout.height + 2.0 * NETWORK_MARGIN).ceil() as u32
    }

    fn table(&self) -> Table {
        let read = |layer: usize| {
            let sources =
                self.edges.iter().filter(|(_, to)| *to == layer).filter_map(|(from, _)| self.layers.get(*from));
            sources.map(|source| source.name.clone()).collect::<Vec<_>>().join(", ")
        };
        let row = |(index, layer): (usize, &NetworkLayer)| {
            let stack = self.stack_of(index).map_or(TableCell::Nothing, |stack| TableCell::count(stack as u64 + 1));
            let words = [layer.name.clone(), layer.kind.clone(), read(index)].map(TableCell::from);
            words.into_iter().chain(layer.sizes.clone()).chain([stack]).collect()
        };
        Table {
            caption: "Layers".to_owned(),
            columns: vec![
                Column::words("layer"),
                Column::words("type"),
                Column::words("reads"),
                Column::words("output map"),
                Column::measured("its size", Quantity::Bytes.base()),
                Column::measured("weights", Quantity::Bytes.base()),
                Column::numbers("MACs"),
                Column::numbers("stack"),
            ],
            rows: self.layers.iter().enumerate().map(row).collect(),
        }
    }

    fn describe(&self) -> String {
        let stacks = match self.stacks.len() {
            0 | 1 => String::new(),
            count => format!(", cut into {count} stacks"),
        };
        format!("The {} layers of {} as a graph{stacks}.", self.layers.len(), self.name)
    }
}

/// The points of an edge, with intermediate points where it swings from one column to another.
fn swinging(route: &Route) -> Vec<(f64, f64)> {
    let mut places: Vec<(f64, f64)> = Vec::new();
    for &(x, y) in &route.points {
        if let Some(&(from, above)) = places.last().filter(|(from, _)| (from - x).abs() >= 0.5) {
            for piece in 1..PIECES {
                let t = f64::from(piece) / f64::from(PIECES);
                let share = t * t * (3.0 - 2.0 * t);
                places.push((from + share * (x - from), above + t * (y - above)));
            }
        }
        places.push((x, y));
    }
    places
}
