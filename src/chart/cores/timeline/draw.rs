//! The timeline as shapes. Lanes are images of one row, so that the time to draw does not grow with the number of
//! tiles.

use super::columns::{columns, extremes};
use super::lanes::Lane;
use super::{AXIS, CoreTimeline, HEADING, NAME, TimelineLayout, TimelineRow, cycles, legend_indent, usage_color};
use crate::cores::time_window::TimeWindow;
use crate::kit::{
    Axis, AxisScale, Color, Quantity, Sketch, Theme, draw_legend, group_thousands, mix, shorten, text_on,
};
use fusescape_engine::multicore::{CoreId, TileId, TopMemoryId, TransferId, TransferReason};

/// Limits on the emphasised tiles before and after the focused one, and on the lines to them.
const MOST_AROUND: usize = 400;
const MOST_LINES: usize = 60;
/// Tiles narrower than this have no label, CSS pixels.
const LABELLED: i32 = 22;
/// Least share of its colour for an item that is hardly ever busy.
const FAINTEST: f64 = 0.3;
/// Share of their colour that tiles unrelated to the focused one keep.
const DIMMED: f64 = 0.22;

pub(super) fn draw(chart: &CoreTimeline, width: u32, theme: &Theme) -> Sketch {
    let layout = chart.layout(width);
    let mut sketch = Sketch::new(width, layout.bottom as u32);
    let latency = chart.account().latency_cycles;
    let window = chart.window;
    let note = if window == TimeWindow::whole(latency) {
        format!("all {} cycles", cycles(latency))
    } else {
        format!("cycles {} to {} of {}", cycles(window.start), cycles(window.end), cycles(latency))
    };
    sketch.heading(("Time", theme.heading()), (&note, theme.note()));
    draw_legend(&mut sketch, &chart.layer_entries(theme, width), (0, HEADING), width as i32, theme.note());
    let marks = draw_axis(chart, &mut sketch, &layout, theme);
    for &(row, y) in &layout.rows {
        draw_label(chart, &mut sketch, &layout, theme, (row, y));
        match row {
            TimelineRow::Heading(_) => {}
            TimelineRow::Core(core) => draw_core(chart, &mut sketch, &layout, theme, (core, y)),
            TimelineRow::Link(link) => {
                let account = chart.account();
                let reason = |transfer: TransferId| account.transfers[transfer].reason as u32;
                let color = |key: u32| TransferReason::ALL.get(key as usize).map_or(theme.soft, |r| theme.reason(*r));
                let lane = &chart.lanes.links[link].1;
                draw_lane(chart, &mut sketch, &layout, theme, (lane, y, row.height()), &reason, &color);
            }
            TimelineRow::Memory(memory) => draw_memory(chart, &mut sketch, &layout, theme, (memory, y), &marks),
        }
    }
    if let Some(cursor) = chart.cursor.filter(|cursor| window.shows((*cursor, *cursor))) {
        let x = chart.x(&layout, cursor).min(layout.right - 1);
        sketch.vertical((x, layout.axis), layout.bottom - layout.axis, theme.accent);
        sketch.vertical((x + 1, layout.axis), layout.bottom - layout.axis, theme.accent);
    }
    if let Some(tile) = chart.focus {
        draw_focus(chart, &mut sketch, &layout, theme, tile);
    }
    sketch
}

/// The axis above the lanes, with a tick between any two marks; returns the places of the marks.
fn draw_axis(chart: &CoreTimeline, sketch: &mut Sketch, layout: &TimelineLayout, theme: &Theme) -> Vec<i32> {
    let window = chart.window;
    let axis = Axis::new(AxisScale::Linear, (window.start, window.end), (layout.left, layout.right));
    let marks = axis.marks(((layout.right - layout.left) / 75).clamp(3, 14) as usize);
    let step = marks.windows(2).map(|pair| pair[1] - pair[0]).next().unwrap_or(1.0);
    let unit = Quantity::Latency.unit(window.end);
    // If three digits do not tell marks apart, they are exact cycles.
    let is_fine = step < unit.factor / 100.0 || window.end >= 1000.0 * step;
    let text = |value: f64| match is_fine {
        true => group_thousands(value.round() as u64),
        false => unit.tick(value),
    };
    let mut free = 0;
    let mut places = Vec::new();
    for (index, &value) in marks.iter().enumerate() {
        let x = axis.at(value);
        places.push(x);
        let named = if index == 0 {
            format!("{} {}", text(value), if is_fine { "cycles" } else { unit.name })
        } else {
            text(value)
        };
        let half = theme.label().width(&named) / 2 + 1;
        let middle = x.min(sketch.width as i32 - half).max(half);
        if middle - half >= free {
            sketch.text(named, (middle, layout.axis + 7), theme.label().middle());
            free = middle + half + 6;
        }
        sketch.vertical((x.min(layout.right - 1), layout.axis + AXIS - 4), 6, theme.line);
    }
    places
}

/// The name of a row, and its usage or how busy it is.
fn draw_label(
    chart: &CoreTimeline,
    sketch: &mut Sketch,
    layout: &TimelineLayout,
    theme: &Theme,
    (row, y): (TimelineRow, i32),
) {
    let (name, fact) = chart.label(row);
    let (letters, soft) = (theme.value(), theme.note().end());
    let middle = y + row.height() / 2;
    let mut line = |room: i32, at: (i32, i32), end: i32| {
        let rest = room - if fact.is_empty() { 0 } else { soft.width(&fact) + 8 };
        sketch.text(shorten(name, rest, letters.size, false), at, letters);
        sketch.text(fact.clone(), (end, at.1), soft);
    };
    match row {
        TimelineRow::Heading(heading) => {
            sketch.text(heading, (0, middle + 2), theme.note().bold());
            let indent = legend_indent(heading);
            let entries = chart.section_entries(heading, theme);
            draw_legend(sketch, &entries, (indent, y + 4), sketch.width as i32 - indent, theme.note());
        }
        _ if layout.above => line(layout.right, (0, y - NAME / 2), layout.right),
        TimelineRow::Memory(_) => {
            let room = layout.left - 10;
            sketch.text(shorten(name, room, letters.size, false), (0, middle - 8), letters);
            sketch.text(shorten(&fact, room, soft.size, false), (0, middle + 8), soft.start());
        }
        _ => line(layout.left - 10, (0, middle), layout.left - 10),
    }
}

fn draw_core(
    chart: &CoreTimeline,
    sketch: &mut Sketch,
    layout: &TimelineLayout,
    theme: &Theme,
    (core, y): (CoreId, i32),
) {
    let account = chart.account();
    let lane = &chart.lanes.cores[core];
    let height = TimelineRow::Core(core).height();
    let layer = |tile: TileId| account.tiles[tile].layer.index() as u32;
    draw_lane(chart, sketch, layout, theme, (lane, y, height), &layer, &|key| theme.layer(key as usize));
    if chart.focus.is_none() {
        for &(tile, start, end) in lane.seen(chart.window) {
            // Most tiles of a long window are too narrow, which needs no layout to find out.
            let is_wide = (end - start) / chart.window.length() * f64::from(layout.right) >= f64::from(LABELLED);
            if let Some((from, to)) = chart.place(layout, (start, end)).filter(|_| is_wide) {
                draw_tile_name(chart, sketch, theme, tile, (from, to), (y, height));
            }
        }
    }
}

fn draw_tile_name(
    chart: &CoreTimeline,
    sketch: &mut Sketch,
    theme: &Theme,
    tile: TileId,
    (from, to): (i32, i32),
    (y, height): (i32, i32),
) {
    let run = &chart.account().tiles[tile];
    let letters = theme.value().size(11.0).middle().color(text_on(theme.layer(run.layer.index())));
    let names = [chart.lanes.tile_name(tile), (run.number.index() + 1).to_string()];
    if let Some(name) = names.into_iter().find(|name| letters.width(name) + 6 <= to - from) {
        sketch.text(name, ((from + to) / 2, y + height / 2), letters);
    }
}

/// The items of a lane, as an image of one row.
fn draw_lane<Id: Copy>(
    chart: &CoreTimeline,
    sketch: &mut Sketch,
    layout: &TimelineLayout,
    theme: &Theme,
    (lane, y, height): (&Lane<Id>, i32, i32),
    key: &dyn Fn(Id) -> u32,
    color: &dyn Fn(u32) -> Color,
) {
    let background = theme.placeholder();
    let count = (layout.right - layout.left).max(1) as usize;
    let spans = lane.seen(chart.window).iter().map(|&(item, start, end)| (key(item), start, end));
    let strength = if chart.focus.is_some() { DIMMED } else { 1.0 };
    let colors = columns(spans, chart.window, count).into_iter().map(|column| match column.share {
        0.0 => background,
        share => mix(background, color(column.key), strength * (FAINTEST + (1.0 - FAINTEST) * share)),
    });
    sketch.image((layout.left, y), (count as i32, height), count, colors.collect());
}

/// The usage of a memory against its capacity: minimum and maximum in every column of pixels.
fn draw_memory(
    chart: &CoreTimeline,
    sketch: &mut Sketch,
    layout: &TimelineLayout,
    theme: &Theme,
    (memory, y): (TopMemoryId, i32),
    marks: &[i32],
) {
    let height = TimelineRow::Memory(memory).height();
    let memory = &chart.account().memories[memory];
    let top = memory.capacity_bits.max(memory.peak_bits).max(1) as f64;
    let count = (layout.right - layout.left).max(1) as usize;
    for &x in marks {
        sketch.vertical((x.min(layout.right - 1), y), height, theme.grid());
    }
    sketch.horizontal((layout.left, y + height), count as i32, theme.line);
    let within = extremes(&memory.usage, chart.window, count);
    // Any usage at all gets at least a pixel.
    let level = |bits: u64| y + height - (bits as f64 / top * f64::from(height - 2)).ceil() as i32;
    let mut area = |of: &dyn Fn(&(u64, u64)) -> u64, color: Color| {
        let mut points = vec![(layout.left, y + height)];
        for (column, values) in within.iter().enumerate() {
            let (x, level) = (layout.left + column as i32, level(of(values)));
            if let Some(last) = points.last().copied().filter(|last| last.1 != level) {
                points.extend([(x, last.1), (x, level)]);
            }
        }
        points.extend(points.last().map(|last| (layout.right, last.1)));
        points.push((layout.right, y + height));
        sketch.polygon(points, color);
    };
    area(&|values| values.1, mix(theme.panel, theme.accent, 0.35));
    area(&|values| values.0, usage_color(theme));
    let capacity = level(memory.capacity_bits);
    sketch.horizontal((layout.left, capacity), count as i32, theme.soft);
    let peak = memory.usage.iter().find(|step| step.1 == memory.peak_bits && memory.peak_bits > 0);
    if let Some(time) = peak.map(|step| step.0 as f64).filter(|time| chart.window.shows((*time, *time + 1.0))) {
        let x = chart.x(layout, time).clamp(layout.left + 3, layout.right - 3);
        sketch.circle((x, level(memory.peak_bits).max(y + 3)), 3, theme.ink);
    }
}

/// A tile, the tiles that it waits for, those that wait for it, and the transfers of its inputs.
fn draw_focus(chart: &CoreTimeline, sketch: &mut Sketch, layout: &TimelineLayout, theme: &Theme, tile: TileId) {
    let account = chart.account();
    let run = account.tiles[tile];
    let top = |row: TimelineRow| layout.rows.iter().find(|(other, _)| *other == row).map(|(_, y)| *y);
    for &transfer in account.brought_for(tile).iter().take(MOST_AROUND) {
        let facts = &account.transfers[transfer];
        let rows = chart.lanes.links.iter().enumerate().filter(|(_, (link, _))| facts.links.contains(link));
        for (row, _) in rows {
            let row = TimelineRow::Link(row);
            if let (Some((from, to)), Some(y)) = (chart.place(layout, (facts.start, facts.end)), top(row)) {
                sketch.rect((from, y), ((to - from).max(2), row.height()), theme.reason(facts.reason));
            }
        }
    }
    let (before, after) = (account.waits_for(tile), chart.lanes.waiting_for(tile));
    let place = |other: TileId| chart.tile_in(layout, other);
    let Some(y) = top(TimelineRow::Core(run.core)) else { return };
    let middle = y + TimelineRow::Core(run.core).height() / 2;
    for (others, is_before) in [(before, true), (after, false)] {
        let mut lines = 0;
        for &other in others.iter().take(MOST_AROUND) {
            let facts = &account.tiles[other];
            let color = theme.layer(facts.layer.index());
            if let Some((x, y, width, height)) = place(other) {
                let width = width.max(2).min(layout.right - x);
                sketch.rect((x, y), (width, height), color);
                draw_tile_name(chart, sketch, theme, other, (x, x + width), (y, height));
            }
            let Some(their_y) = top(TimelineRow::Core(facts.core)).filter(|their_y| *their_y != y) else { continue };
            lines += 1;
            if lines <= MOST_LINES {
                let (from, to) = if is_before { (facts.end, run.start) } else { (run.end, facts.start) };
                let ends = [(from, is_before), (to, !is_before)].map(|(time, is_theirs)| {
                    let y = if is_theirs { their_y + TimelineRow::Core(run.core).height() / 2 } else { middle };
                    (chart.x(layout, time), y)
                });
                sketch.line(ends.into(), 1, theme.ink);
            }
        }
    }
    if let Some((x, y, width, height)) = place(tile) {
        let width = width.max(3).min(layout.right - x);
        sketch.rect((x, y), (width, height), theme.ink);
        let (inset, color) = (if width > 6 { 2 } else { 1 }, theme.layer(run.layer.index()));
        sketch.rect((x + inset, y + inset), (width - 2 * inset, height - 2 * inset), color);
        draw_tile_name(chart, sketch, theme, tile, (x, x + width), (y, height));
    }
}
