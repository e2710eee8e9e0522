//! The schedule of tiles on many cores, the transfers over each link, and the usage of memories (Stream).

mod columns;
mod draw;
mod hit;
mod lanes;
mod moment;
mod table;

use super::time_window::TimeWindow;
use crate::kit::{
    Chart, Color, LegendEntry, LegendMark, MINIMUM_WIDTH, Quantity, Sketch, Table, Theme, group_thousands,
    legend_height, mix, reason_name, three_digits,
};
use fusescape_engine::multicore::{CoreId, CoreTimeCause, CoresAccount, NestId, TileId, TopMemoryId, TransferReason};
use std::rc::Rc;

pub use hit::{Hit, HitText};
pub use lanes::CoresLanes;

/// A window of the time of a schedule: one lane per core with its tiles, one per link with its transfers, and the usage
/// of every memory.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreTimeline {
    lanes: Rc<CoresLanes>,
    window: TimeWindow,
    focus: Option<TileId>,
    cursor: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum TimelineRow {
    /// Title of the rows below it.
    Heading(&'static str),
    /// A lane of tiles.
    Core(CoreId),
    /// A lane of transfers, as an index into [`CoresLanes::links`].
    Link(usize),
    /// Usage over time.
    Memory(TopMemoryId),
}

const CORES: &str = "Cores";
const LINKS: &str = "Links";
const MEMORIES: &str = "Memories";
const HEADING: i32 = 24;
const AXIS: i32 = 18;
const SECTION: i32 = 24;
const NAME: i32 = 17;
const BETWEEN: i32 = 4;
/// Width below which names stand above the lanes, as beside them the lanes would be too short.
const NARROW: u32 = 620;
/// Lines of the legend for the names of layers.
const LAYER_LINES: i32 = 2;
const LEGEND_LINE: i32 = 20;

impl TimelineRow {
    fn height(self) -> i32 {
        match self {
            Self::Heading(_) => SECTION,
            Self::Core(_) => 22,
            Self::Link(_) => 14,
            Self::Memory(_) => 36,
        }
    }
}

/// Places of the parts; on a narrow figure the names stand above the lanes.
struct TimelineLayout {
    above: bool,
    left: i32,
    right: i32,
    /// The rows, with the upper edges of their lanes.
    rows: Vec<(TimelineRow, i32)>,
    /// Upper edge of the axis.
    axis: i32,
    bottom: i32,
}

impl CoreTimeline {
    /// The whole time of a schedule.
    pub fn new(lanes: Rc<CoresLanes>) -> Self {
        let window = TimeWindow::whole(lanes.account.latency_cycles);
        Self { lanes, window, focus: None, cursor: None }
    }

    /// Shows only a part of the time.
    pub fn with_window(self, window: TimeWindow) -> Self {
        Self { window, ..self }
    }

    /// Emphasises a tile, and the tiles and transfers related to it.
    pub fn with_focus(self, focus: Option<TileId>) -> Self {
        Self { focus: focus.filter(|tile| tile.index() < self.account().tiles.len()), ..self }
    }

    /// Draws a line at a cycle.
    pub fn with_cursor(self, cursor: Option<f64>) -> Self {
        Self { cursor, ..self }
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

    /// Width of the part of the figure that shows time, CSS pixels.
    pub fn span_width(&self, width: u32) -> f64 {
        let layout = self.layout(width);
        f64::from((layout.right - layout.left).max(1))
    }

    /// Left and upper edge, width and height of a tile, CSS pixels; `None` outside of the window.
    pub fn tile_place(&self, tile: TileId, width: u32) -> Option<(i32, i32, i32, i32)> {
        self.tile_in(&self.layout(width), tile)
    }

    fn tile_in(&self, layout: &TimelineLayout, tile: TileId) -> Option<(i32, i32, i32, i32)> {
        let run = self.account().tiles.get(tile)?;
        let row = TimelineRow::Core(run.core);
        let top = layout.rows.iter().find(|(other, _)| *other == row)?.1;
        let (from, to) = self.place(layout, (run.start, run.end))?;
        Some((from, top, to - from, row.height()))
    }

    fn account(&self) -> &CoresAccount {
        &self.lanes.account
    }

    /// Left and right edge of a span; `None` outside of the window.
    fn place(&self, layout: &TimelineLayout, span: (f64, f64)) -> Option<(i32, i32)> {
        if !self.window.shows(span) {
            return None;
        }
        let from = self.x(layout, span.0);
        Some((from.min(layout.right - 1), self.x(layout, span.1).max(from + 1).min(layout.right)))
    }

    /// Pixel of a time, clamped to the window.
    fn x(&self, layout: &TimelineLayout, time: f64) -> i32 {
        let share = ((time - self.window.start) / self.window.length()).clamp(0.0, 1.0);
        layout.left + (share * f64::from(layout.right - layout.left)).round() as i32
    }

    fn rows(&self) -> Vec<TimelineRow> {
        let account = self.account();
        let mut rows = Vec::new();
        let mut add = |heading, of: &mut dyn Iterator<Item = TimelineRow>| {
            let mut of = of.peekable();
            if of.peek().is_some() {
                rows.push(TimelineRow::Heading(heading));
                rows.extend(of);
            }
        };
        add(CORES, &mut account.cores.keys().map(TimelineRow::Core));
        add(LINKS, &mut (0..self.lanes.links.len()).map(TimelineRow::Link));
        add(MEMORIES, &mut account.memories.keys().map(TimelineRow::Memory));
        rows
    }

    /// The name of a row, and its usage or how busy it is.
    fn label(&self, row: TimelineRow) -> (&str, String) {
        let account = self.account();
        let share = |busy: f64| match account.latency_cycles {
            all if busy > 0.0 && busy < 0.005 * all => "<1 %".to_owned(),
            all if all > 0.0 => format!("{:.0} %", 100.0 * busy / all),
            _ => String::new(),
        };
        match row {
            TimelineRow::Heading(heading) => (heading, String::new()),
            TimelineRow::Core(core) => {
                let core = &account.cores[core];
                (&core.name, share(core.cycles[CoreTimeCause::Computing] + core.cycles[CoreTimeCause::Stalling]))
            }
            TimelineRow::Link(link) => {
                let link = &account.links[self.lanes.links[link].0];
                (&link.name, share(link.busy))
            }
            TimelineRow::Memory(memory) => {
                let memory = &account.memories[memory];
                let [peak, capacity] = [memory.peak_bits, memory.capacity_bits].map(|bits| bits as f64 / 8.0);
                let unit = Quantity::Bytes.unit(capacity);
                // The unit is printed once if both numbers have the same.
                let peak = match Quantity::Bytes.unit(peak) == unit {
                    true => unit.tick(peak),
                    false => Quantity::Bytes.plain(peak),
                };
                (&memory.name, format!("peak {peak} of {} {}", unit.tick(capacity), unit.name))
            }
        }
    }

    fn layout(&self, width: u32) -> TimelineLayout {
        let width = width.max(MINIMUM_WIDTH);
        let letters = Theme::LIGHT.value();
        let rows = self.rows();
        let above = width < NARROW;
        let needed = |row: &TimelineRow| match self.label(*row) {
            (_, _) if matches!(row, TimelineRow::Heading(_)) => 0,
            // Rows of memories have name and usage below each other.
            (name, fact) if matches!(row, TimelineRow::Memory(_)) => letters.width(name).max(letters.width(&fact)),
            (name, fact) => letters.width(name) + 8 + letters.width(&fact),
        };
        let longest = rows.iter().map(needed).max().unwrap_or(0);
        let left = if above { 0 } else { longest.min(width as i32 / 4) + 12 };
        let height = |entries: &[LegendEntry], room| legend_height(entries, room, Theme::LIGHT.note());
        let legend = height(&self.layer_entries(&Theme::LIGHT, width), width as i32);
        let axis = HEADING + legend + 6;
        let mut y = axis + AXIS;
        let rows = rows.into_iter().map(|row| {
            y += if above && !matches!(row, TimelineRow::Heading(_)) { NAME } else { 0 };
            let top = y;
            let legend = match row {
                TimelineRow::Heading(heading) => {
                    let room = width as i32 - legend_indent(heading);
                    (height(&self.section_entries(heading, &Theme::LIGHT), room) - LEGEND_LINE).max(0)
                }
                _ => 0,
            };
            y += row.height() + legend + BETWEEN;
            (row, top)
        });
        let rows = rows.collect();
        TimelineLayout { above, left, right: width as i32 - 1, rows, axis, bottom: y }
    }

    /// The colours of the first layers, as far as there is room.
    fn layer_entries(&self, theme: &Theme, width: u32) -> Vec<LegendEntry> {
        let used: Vec<NestId> = self.account().layers.keys().filter(|&layer| self.lanes.tiles_of[layer] > 0).collect();
        let layers = |count: usize| {
            let mut entries: Vec<LegendEntry> = (used.iter().take(count))
                .map(|&layer| (LegendMark::Chip(theme.layer(layer.index())), self.lanes.layer_name(layer).to_owned()))
                .collect();
            if count < used.len() {
                entries.push((LegendMark::None, format!("and {} more layers", used.len() - count)));
            }
            entries
        };
        let fits =
            |count: &usize| legend_height(&layers(*count), width as i32, theme.note()) <= LAYER_LINES * LEGEND_LINE;
        layers((0..=used.len().min(40)).rev().find(fits).unwrap_or(0))
    }

    /// Legend of the marks below a heading.
    fn section_entries(&self, heading: &str, theme: &Theme) -> Vec<LegendEntry> {
        match heading {
            LINKS => {
                let reasons = self.lanes.reasons.iter();
                reasons
                    .map(|&reason| (LegendMark::Chip(theme.reason(reason)), short_reason(reason).to_owned()))
                    .collect()
            }
            MEMORIES => vec![
                (LegendMark::Chip(usage_color(theme)), "in use".to_owned()),
                (LegendMark::Line(theme.soft), "capacity".to_owned()),
                (LegendMark::Dot(theme.ink), "peak".to_owned()),
            ],
            _ => Vec::new(),
        }
    }

    /// The tiles in the window, by core and start.
    fn seen(&self) -> impl Iterator<Item = TileId> {
        self.lanes.cores.iter().flat_map(|lane| lane.seen(self.window)).map(|item| item.0)
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
        table::table(self)
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

/// Where the legend of a heading begins.
fn legend_indent(heading: &str) -> i32 {
    Theme::LIGHT.note().bold().width(heading) + 16
}

/// Colour of used space in a memory.
fn usage_color(theme: &Theme) -> Color {
    mix(theme.panel, theme.accent, 0.65)
}

/// A reason for a transfer, short, beside others of its kind.
fn short_reason(reason: TransferReason) -> &'static str {
    match reason {
        TransferReason::Exchange => "exchange",
        other => reason_name(other),
    }
}

/// A number of cycles: without rounding if it is an integer.
pub(super) fn cycles(value: f64) -> String {
    match value {
        value if value.fract() != 0.0 && value < 1000.0 => three_digits(value),
        value => group_thousands(value.max(0.0).round() as u64),
    }
}
