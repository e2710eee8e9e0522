//! Who computes what when on many cores, what travels over which link, and how full memories are (Stream).

mod columns;
mod draw;
mod hit;
mod lanes;

use super::legend::{Entry, Mark, legend_height};
use super::scale::{Quantity, group_thousands, three_digits};
use super::sketch::Sketch;
use super::{Chart, Column, MINIMUM_WIDTH, Table, TableCell, Theme, TimeWindow};
use crate::multicore::{Reason, SystemAccount};
use std::rc::Rc;

pub use hit::{Hit, HitText};
pub(super) use lanes::REASONS;
pub use lanes::SystemLanes;

/// A window of the time of a schedule: a lane a core with its tiles, one a link with its transfers, and the usage of every memory.
#[derive(Debug, Clone)]
pub struct CoreTimeline {
    lanes: Rc<SystemLanes>,
    window: TimeWindow,
    focus: Option<u32>,
}

impl PartialEq for CoreTimeline {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.lanes, &other.lanes) && self.window == other.window && self.focus == other.focus
    }
}

/// What a row shows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Row {
    /// What the rows below it are.
    Heading(&'static str),
    /// A core, by index.
    Core(usize),
    /// A link that carries something, as an index into [`SystemLanes::links`].
    Link(usize),
    /// A memory, by index.
    Memory(usize),
}

const HEADING: i32 = 24;
const AXIS: i32 = 18;
const SECTION: i32 = 24;
const NAME: i32 = 17;
const BETWEEN: i32 = 4;
/// Beside names as wide as this lanes would be too short, so that names stand above them.
const NARROW: u32 = 620;
/// Lines of the legend that name layers.
const LAYER_LINES: i32 = 2;
const LEGEND_LINE: i32 = 20;
/// Rows of the table, one a tile; of more tiles it is a summary.
const MOST_ROWS: usize = 1000;

impl Row {
    fn height(self) -> i32 {
        match self {
            Self::Heading(_) => SECTION,
            Self::Core(_) => 22,
            Self::Link(_) => 14,
            Self::Memory(_) => 36,
        }
    }
}

/// Where things lie; on a narrow figure the names stand above the lanes.
struct Layout {
    above: bool,
    left: i32,
    right: i32,
    /// The rows, with the upper edges of their lanes.
    rows: Vec<(Row, i32)>,
    /// Upper edge of the axis.
    axis: i32,
    bottom: i32,
}

impl CoreTimeline {
    /// All of a schedule.
    pub fn new(lanes: Rc<SystemLanes>) -> Self {
        let window = TimeWindow::whole(lanes.account.latency_cycles);
        Self { lanes, window, focus: None }
    }

    /// A part of its time.
    pub fn with_window(self, window: TimeWindow) -> Self {
        Self { window, ..self }
    }

    /// With a tile, and all that it has to do with, brought out.
    pub fn with_focus(self, focus: Option<u32>) -> Self {
        Self { focus: focus.filter(|tile| (*tile as usize) < self.account().tiles.len()), ..self }
    }

    /// The part of the time that is shown.
    pub fn window(&self) -> TimeWindow {
        self.window
    }

    /// The cycle at a place, CSS pixels from the left edge of the figure.
    pub fn time_at(&self, x: f64, width: u32) -> f64 {
        let layout = self.layout(width);
        let share = (x - f64::from(layout.left)) / f64::from((layout.right - layout.left).max(1));
        self.window.start + share.clamp(0.0, 1.0) * self.window.length()
    }

    /// How wide the part of the figure is that shows time, CSS pixels.
    pub fn span_width(&self, width: u32) -> f64 {
        let layout = self.layout(width);
        f64::from((layout.right - layout.left).max(1))
    }

    /// Left and upper edge, width and height of a tile, CSS pixels, where it is in the window.
    pub fn tile_place(&self, tile: u32, width: u32) -> Option<(i32, i32, i32, i32)> {
        self.tile_in(&self.layout(width), tile)
    }

    fn tile_in(&self, layout: &Layout, tile: u32) -> Option<(i32, i32, i32, i32)> {
        let run = self.account().tiles.get(tile as usize)?;
        let row = Row::Core(run.core as usize);
        let top = layout.rows.iter().find(|(other, _)| *other == row)?.1;
        let (from, to) = self.place(layout, (run.start, run.end))?;
        Some((from, top, to - from, row.height()))
    }

    fn account(&self) -> &SystemAccount {
        &self.lanes.account
    }

    /// Left and right edge of a span; nothing outside of the window.
    fn place(&self, layout: &Layout, span: (f64, f64)) -> Option<(i32, i32)> {
        if !self.window.shows(span) {
            return None;
        }
        let from = self.x(layout, span.0);
        Some((from.min(layout.right - 1), self.x(layout, span.1).max(from + 1).min(layout.right)))
    }

    /// Where a time is, held within the window.
    fn x(&self, layout: &Layout, time: f64) -> i32 {
        let share = ((time - self.window.start) / self.window.length()).clamp(0.0, 1.0);
        layout.left + (share * f64::from(layout.right - layout.left)).round() as i32
    }

    fn rows(&self) -> Vec<Row> {
        let account = self.account();
        let mut rows = Vec::new();
        let mut add = |heading, of: &mut dyn Iterator<Item = Row>| {
            let mut of = of.peekable();
            if of.peek().is_some() {
                rows.push(Row::Heading(heading));
                rows.extend(of);
            }
        };
        add("Cores", &mut (0..account.cores.len()).map(Row::Core));
        add("Links", &mut (0..self.lanes.links.len()).map(Row::Link));
        add("Memories", &mut (0..account.memories.len()).map(Row::Memory));
        rows
    }

    /// The name of a row, and how full or busy it is.
    fn label(&self, row: Row) -> (&str, String) {
        let account = self.account();
        let share = |busy: f64| match account.latency_cycles {
            all if busy > 0.0 && busy < 0.005 * all => "<1 %".to_owned(),
            all if all > 0.0 => format!("{:.0} %", 100.0 * busy / all),
            _ => String::new(),
        };
        match row {
            Row::Heading(heading) => (heading, String::new()),
            Row::Core(core) => {
                let core = &account.cores[core];
                (&core.name, share(core.computing + core.stalling))
            }
            Row::Link(link) => {
                let link = &account.links[self.lanes.links[link].0];
                (&link.name, share(link.busy))
            }
            Row::Memory(memory) => {
                let memory = &account.memories[memory];
                let unit = Quantity::Bytes.unit(memory.capacity_bits as f64 / 8.0);
                let [peak, capacity] =
                    [memory.peak_bits, memory.capacity_bits].map(|bits| unit.tick(bits as f64 / 8.0));
                (&memory.name, format!("peak {peak} of {capacity} {}", unit.name))
            }
        }
    }

    fn layout(&self, width: u32) -> Layout {
        let width = width.max(MINIMUM_WIDTH);
        let letters = Theme::LIGHT.value();
        let rows = self.rows();
        let above = width < NARROW;
        let needed = |row: &Row| match self.label(*row) {
            (_, _) if matches!(row, Row::Heading(_)) => 0,
            // Memories have both below each other.
            (name, fact) if matches!(row, Row::Memory(_)) => letters.width(name).max(letters.width(&fact)),
            (name, fact) => letters.width(name) + 8 + letters.width(&fact),
        };
        let longest = rows.iter().map(needed).max().unwrap_or(0);
        let left = if above { 0 } else { longest.min(width as i32 / 4) + 12 };
        let legend = legend_height(&self.entries(&Theme::LIGHT, width), width as i32, Theme::LIGHT.note());
        let axis = HEADING + legend + 6;
        let mut y = axis + AXIS;
        let rows = rows.into_iter().map(|row| {
            y += if above && !matches!(row, Row::Heading(_)) { NAME } else { 0 };
            let top = y;
            y += row.height() + BETWEEN;
            (row, top)
        });
        let rows = rows.collect();
        Layout { above, left, right: width as i32 - 1, rows, axis, bottom: y }
    }

    /// What colours mean: the first layers, as far as there is room, and why something travels.
    fn entries(&self, theme: &Theme, width: u32) -> Vec<Entry> {
        let used: Vec<u32> =
            (0..self.account().layers.len() as u32).filter(|layer| self.lanes.tiles_of[*layer as usize] > 0).collect();
        let layers = |count: usize| {
            let mut entries: Vec<Entry> = (used.iter().take(count))
                .map(|&layer| (Mark::Chip(theme.layer(layer as usize)), self.lanes.layer_name(layer).to_owned()))
                .collect();
            if count < used.len() {
                entries.push((Mark::None, format!("and {} more layers", used.len() - count)));
            }
            entries
        };
        let fits =
            |count: &usize| legend_height(&layers(*count), width as i32, theme.note()) <= LAYER_LINES * LEGEND_LINE;
        let mut entries = layers((0..=used.len().min(40)).rev().find(fits).unwrap_or(0));
        let reasons = self.lanes.reasons.iter();
        entries.extend(reasons.map(|&reason| (Mark::Line(theme.reason(reason)), reason_name(reason).to_owned())));
        entries
    }

    /// The tiles in the window, by core and start.
    fn seen(&self) -> impl Iterator<Item = u32> {
        self.lanes.cores.iter().flat_map(|lane| lane.seen(self.window)).map(|item| item.0)
    }

    fn tile_rows(&self) -> Table {
        let account = self.account();
        let row = |tile: u32| {
            let run = account.tiles[tile as usize];
            let ends = |other: &u32| account.tiles[*other as usize].end;
            let last = account.waits_for(tile as usize).iter().max_by(|a, b| ends(a).total_cmp(&ends(b)));
            let bits = account.brought_for(tile as usize).iter().map(|run| account.transfers[*run as usize].bits).sum();
            vec![
                account.cores[run.core as usize].name.as_str().into(),
                self.lanes.layer_name(run.layer).into(),
                TableCell::count(u64::from(run.number) + 1),
                cycles_cell(run.start),
                cycles_cell(run.end),
                cycles_cell(run.end - run.start),
                last.map_or(TableCell::Nothing, |&last| self.lanes.tile_name(last).into()),
                TableCell::size(bits),
            ]
        };
        Table {
            caption: "Tiles".to_owned(),
            columns: vec![
                Column::words("core"),
                Column::words("layer"),
                Column::numbers("tile"),
                Column::plain("begins", "cycles"),
                Column::plain("ends", "cycles"),
                Column::plain("takes", "cycles"),
                Column::words("waits last for"),
                Column::measured("brought for it", Quantity::Bytes.base()),
            ],
            rows: self.seen().map(row).collect(),
        }
    }

    fn summary(&self) -> Table {
        let account = self.account();
        let mut rows = Vec::new();
        for (core, lane) in account.cores.iter().zip(&self.lanes.cores) {
            let mut parts = vec![(0_u64, f64::INFINITY, f64::NEG_INFINITY, 0.0); account.layers.len()];
            for &(tile, start, end) in lane.seen(self.window) {
                let Some(part) = parts.get_mut(account.tiles[tile as usize].layer as usize) else { continue };
                *part = (part.0 + 1, part.1.min(start), part.2.max(end), part.3 + end - start);
            }
            let parts = parts.into_iter().enumerate().filter(|(_, part)| part.0 > 0);
            rows.extend(parts.map(|(layer, (count, first, last, busy))| {
                vec![
                    core.name.as_str().into(),
                    self.lanes.layer_name(layer as u32).into(),
                    TableCell::count(count),
                    cycles_cell(first),
                    cycles_cell(last),
                    cycles_cell(busy),
                ]
            }));
        }
        Table {
            caption: "Tiles by core and layer; a shorter time lists them one by one".to_owned(),
            columns: vec![
                Column::words("core"),
                Column::words("layer"),
                Column::numbers("tiles"),
                Column::plain("first begins", "cycles"),
                Column::plain("last ends", "cycles"),
                Column::plain("take together", "cycles"),
            ],
            rows,
        }
    }
}

impl Chart for CoreTimeline {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        draw::draw(self, width.max(MINIMUM_WIDTH), theme)
    }

    fn height_for(&self, width: u32) -> u32 {
        self.layout(width).bottom as u32
    }

    fn table(&self) -> Table {
        if self.seen().nth(MOST_ROWS).is_none() { self.tile_rows() } else { self.summary() }
    }

    fn describe(&self) -> String {
        let account = self.account();
        let count = |count: usize, what: &str| {
            format!("{} {what}{}", group_thousands(count as u64), if count == 1 { "" } else { "s" })
        };
        format!(
            "Timeline of {} on {}, with {} over {}: cycles {} to {} of {}.",
            count(account.tiles.len(), "tile"),
            count(account.cores.len(), "core"),
            count(account.transfers.len(), "transfer"),
            count(self.lanes.links.len(), "link"),
            cycles(self.window.start),
            cycles(self.window.end),
            cycles(account.latency_cycles),
        )
    }
}

/// Why something travels.
pub(super) fn reason_name(reason: Reason) -> &'static str {
    match reason {
        Reason::Fetch => "fetch",
        Reason::Exchange => "exchange between cores",
        Reason::Eviction => "eviction",
        Reason::Result => "result",
    }
}

/// A number of cycles: exact where it is whole.
pub(super) fn cycles(value: f64) -> String {
    match value {
        value if value.fract() != 0.0 && value < 1000.0 => three_digits(value),
        value => group_thousands(value.max(0.0).round() as u64),
    }
}

fn cycles_cell(value: f64) -> TableCell {
    TableCell::number(cycles(value), value)
}
