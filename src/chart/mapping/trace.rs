//! The loops of one mapped layer, step by step: the iteration of each, the indices of every operand in each memory, and
//! the data that crosses boundaries in this step.
//!
//! Loops are at the left, outermost first. Beside them every memory has a cell for each operand that it holds: one bar
//! per axis of the operand, lit at its current indices. The width of arrows is the energy of the data that crosses in
//! this step.

mod table;

use super::layer::OPERAND_ORDER;
use crate::kit::{
    Chart, Color, LegendEntry, LegendMark, MINIMUM_WIDTH, Quantity, Region, Sketch, Subject, Table, Theme, draw_legend,
    group_thousands, legend_height, mix, shorten, text_on,
};
use fusescape_engine::cost::{IndexAxis, IndexBlock, LoopTrace};
use fusescape_engine::hardware::MemoryId;
use std::ops::Range;
use std::rc::Rc;

/// One step of the loops of a layer.
#[derive(Debug, Clone)]
pub struct LoopStep {
    pub trace: Rc<LoopTrace>,
    pub layer: Rc<str>,
    /// Number of inner loops that run through within a step.
    pub depth: usize,
    /// Index of the step.
    pub step: u64,
}

impl PartialEq for LoopStep {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.trace, &other.trace)
            && self.layer == other.layer
            && (self.depth, self.step) == (other.depth, other.step)
    }
}

/// A loop at a place of the figure, and one of its iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopHit {
    /// Index of the loop, innermost first.
    pub place: usize,
    /// Index of the iteration.
    pub index: u64,
}

/// Width below which the loops are above the memories.
const SIDE_BY_SIDE: i32 = 720;
const LOOPS: i32 = 208;
const BETWEEN: i32 = 24;
const TITLE: i32 = 46;
const LOOP: i32 = 21;
const HEAD: i32 = 20;
const NAME: i32 = 17;
const AXIS: i32 = 14;
const AMOUNT: i32 = 17;
const ARROWS: i32 = 36;
const ARRAY: i32 = 26;
const GAP: i32 = 12;
/// Width of cells below which bars have no numbers.
const ROOM_FOR_NUMBERS: i32 = 180;

/// The name of an axis: `K`, or `IY` for rows that windows slide over.
fn axis_name(axis: IndexAxis) -> String {
    match axis {
        IndexAxis::Loop(dim) => dim.to_string(),
        IndexAxis::Window { outputs: (outputs, _), .. } => outputs.to_string().replace('O', "I"),
    }
}

/// `0 to 31`, or `5`.
fn range_text(range: &Range<u64>) -> String {
    match range.end.saturating_sub(range.start) {
        0 => "none".to_owned(),
        1 => group_thousands(range.start),
        _ => format!("{} to {}", group_thousands(range.start), group_thousands(range.end - 1)),
    }
}

/// Data that crosses the boundary below a memory level in a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Crossed {
    down: u64,
    up: u64,
    down_bits: f64,
    up_bits: f64,
    down_pj: f64,
    up_pj: f64,
}

/// The lit part of a cell.
struct LitCell {
    now: IndexBlock,
    /// The part that was there before the step.
    kept: IndexBlock,
    passed: IndexBlock,
    is_new: bool,
}

impl LoopStep {
    /// The first step; `depth` is chosen so that the number of steps is easy to look through.
    pub fn new(trace: Rc<LoopTrace>, layer: Rc<str>) -> Self {
        let depth = trace.depth_for(1000);
        Self { trace, layer, depth, step: 0 }
    }

    /// `conv_2: step 13 of 64, K 2 of 8, OY 1 of 4`
    pub fn title(&self) -> String {
        let steps = self.trace.steps(self.depth);
        let step = format!("step {} of {}", group_thousands(self.step + 1), group_thousands(steps));
        let indices = self.trace.indices(self.depth, self.step);
        let outer = self.trace.order.iter().zip(indices).skip(self.depth).rev();
        let loops: Vec<String> =
            outer.map(|(next, index)| format!("{} {} of {}", next.dim, index + 1, next.size)).collect();
        format!("{}: {step}{}{}", self.layer, if loops.is_empty() { "" } else { ", " }, loops.join(", "))
    }

    /// What the step costs: `64 cycles · 1.2 nJ, 0.3 nJ of it for MACs`.
    pub fn cost_text(&self) -> String {
        let (moved, compute) = (self.trace.access_pj(self.depth, self.step), self.trace.step_compute_pj(self.depth));
        format!(
            "{} of computing · {}, {} of it in the array",
            Quantity::Latency.text(self.trace.cycles(self.depth) as f64),
            Quantity::Energy.text(moved + compute),
            Quantity::Energy.text(compute),
        )
    }

    fn crossed(&self, operand: usize, level: usize) -> Crossed {
        let (down, up) = self.trace.crossings(operand, level, self.depth, self.step);
        let Some(level) = self.trace.operands[operand].levels.get(level) else { return Crossed::default() };
        let below = &level.below;
        Crossed {
            down,
            up,
            down_bits: down as f64 * below.down.bits,
            up_bits: up as f64 * below.up.bits,
            down_pj: down as f64 * below.down.pj,
            up_pj: up as f64 * below.up.pj,
        }
    }

    /// The largest energy that crosses one boundary in one direction, on average over steps, pJ. A rare transfer may
    /// take more.
    fn most_pj(&self) -> f64 {
        let steps = self.trace.steps(self.depth) as f64;
        let levels = self.trace.operands.iter().flat_map(|of| &of.levels);
        let each = levels.flat_map(|level| [level.below.down, level.below.up]);
        each.map(|way| way.pj * way.count as f64 / steps).fold(0.0, f64::max)
    }

    fn lit(&self, operand: usize, level: usize) -> LitCell {
        let (trace, depth, step) = (&self.trace, self.depth, self.step);
        let now = trace.block(operand, level, depth, step);
        let before = trace.block_before(operand, level, depth, step);
        let is_new = before.as_ref() != Some(&now);
        let kept = before.map(|before| now.and(&before)).filter(|kept| kept.elements() > 0).unwrap_or_default();
        LitCell { kept, passed: trace.passed(operand, level, depth, step), is_new, now }
    }

    /// By operand and level, the row of the memory, counted from the top: memories that several operands share are in
    /// one row.
    fn rows(&self) -> [Vec<usize>; 3] {
        let mut ids: Vec<MemoryId> =
            self.trace.operands.iter().flat_map(|of| &of.levels).map(|level| level.memory).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut rows: [Vec<usize>; 3] =
            [0, 1, 2].map(|operand: usize| vec![0; self.trace.operands[operand].levels.len()]);
        let mut next = [0; 3];
        for id in ids.into_iter().rev() {
            let holding: Vec<(usize, usize)> = self
                .trace
                .operands
                .iter()
                .enumerate()
                .filter_map(|(operand, of)| Some((operand, of.levels.iter().position(|level| level.memory == id)?)))
                .collect();
            let row = holding.iter().map(|(operand, _)| next[*operand]).max().unwrap_or(0);
            for (operand, level) in holding {
                rows[operand][level] = row;
                next[operand] = row + 1;
            }
        }
        rows
    }

    /// The axes of an operand along which it has more than one index.
    fn axes(&self, operand: usize) -> Vec<(usize, IndexAxis, u64)> {
        let whole = self.trace.whole(operand);
        let axes = self.trace.operands[operand].axes.iter().zip(&whole.ranges).enumerate();
        axes.filter(|(_, (_, range))| range.end > 1).map(|(index, (axis, range))| (index, *axis, range.end)).collect()
    }

    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let color = theme.input;
        vec![
            (LegendMark::Chip(color), "came in this step".to_owned()),
            (LegendMark::Chip(stays(color, theme)), "lay there before".to_owned()),
            (LegendMark::Chip(passes(color, theme)), "was there within the step".to_owned()),
            (LegendMark::None, format!("arrows: energy, the widest {} or more", Quantity::Energy.text(self.most_pj()))),
        ]
    }

    fn layout(&self, width: i32) -> TurnsLayout {
        let top = TITLE + legend_height(&self.entries(&Theme::LIGHT), width, Theme::LIGHT.note()) + 10;
        let loops = self.trace.order.len() as i32 * LOOP;
        let is_wide = width >= SIDE_BY_SIDE;
        let at = if is_wide { (LOOPS + BETWEEN, top) } else { (0, top + loops + BETWEEN) };
        let room = if is_wide { width - LOOPS - BETWEEN } else { width };
        let axes = (0..self.trace.operands.len()).map(|operand| self.axes(operand).len()).max().unwrap_or(0) as i32;
        let cell = NAME + axes * AXIS + AMOUNT;
        let rows = self.rows().iter().flatten().max().map_or(0, |row| *row as i32 + 1);
        let array_top = HEAD + rows * (cell + ARROWS);
        let height = (at.1 + array_top + ARRAY).max(top + loops) + 4;
        TurnsLayout { top, loops_width: if is_wide { LOOPS } else { width }, at, room, cell, array_top, height }
    }

    /// The loop and the iteration at a place of the figure, CSS pixels.
    pub fn hit(&self, x: f64, y: f64, width: u32) -> Option<LoopHit> {
        let layout = self.layout(width.max(MINIMUM_WIDTH) as i32);
        let row = ((y - f64::from(layout.top)) / f64::from(LOOP)).floor();
        if row < 0.0 || row >= self.trace.order.len() as f64 || x > f64::from(layout.loops_width) {
            return None;
        }
        let place = self.trace.order.len() - 1 - row as usize;
        Some(LoopHit { place, index: self.index_along(place, x, &layout)? })
    }

    /// The step at which the loop is in the iteration at `x`, CSS pixels, with all other loops unchanged.
    pub fn step_along(&self, place: usize, x: f64, width: u32) -> Option<u64> {
        let layout = self.layout(width.max(MINIMUM_WIDTH) as i32);
        Some(self.step_at(LoopHit { place, index: self.index_along(place, x, &layout)? }))
    }

    fn index_along(&self, place: usize, x: f64, layout: &TurnsLayout) -> Option<u64> {
        let size = self.trace.order.get(place)?.size;
        let (from, length) = bar(layout.loops_width);
        let part = ((x - f64::from(from)) / f64::from(length.max(1))).clamp(0.0, 1.0);
        Some(((part * size as f64) as u64).min(size - 1))
    }

    /// The step at which a loop is in an iteration, with all other loops unchanged.
    pub fn step_at(&self, hit: LoopHit) -> u64 {
        let indices = self.trace.indices(self.depth, self.step);
        let (mut step, mut stride) = (0, 1);
        for (place, next) in self.trace.order.iter().enumerate().skip(self.depth) {
            let index = if place == hit.place { hit.index.min(next.size - 1) } else { indices[place] };
            step += index * stride;
            stride *= next.size;
        }
        step
    }

    fn draw_loops(&self, sketch: &mut Sketch, theme: &Theme, layout: &TurnsLayout) {
        let indices = self.trace.indices(self.depth, self.step);
        let (from, length) = bar(layout.loops_width);
        for (row, place) in (0..self.trace.order.len()).rev().enumerate() {
            let next = self.trace.order[place];
            let y = layout.top + row as i32 * LOOP;
            let is_outer = place >= self.depth;
            let ink = if is_outer { theme.ink } else { theme.soft };
            let name = format!("{} {}", next.dim, group_thousands(next.size));
            let letters = theme.label().start().size(11.5).color(ink);
            sketch.text(shorten(&name, from - 6, letters.size, false), (0, y + LOOP / 2), letters);
            sketch.rect((from, y + 4), (length, LOOP - 8), theme.placeholder());
            if !is_outer {
                let color = mix(theme.soft, theme.panel, 0.75);
                sketch.rect((from, y + 4), (length, LOOP - 8), color);
                let letters = theme.label().size(10.5).middle().color(theme.soft);
                sketch.text(
                    shorten("runs through", length - 4, letters.size, false),
                    (from + length / 2, y + LOOP / 2),
                    letters,
                );
                continue;
            }
            let (start, wide) = lit(indices[place]..indices[place] + 1, next.size, length);
            sketch.rect((from, y + 4), (start, LOOP - 8), mix(theme.accent, theme.panel, 0.7));
            sketch.rect((from + start, y + 4), (wide, LOOP - 8), theme.accent);
            let letters = theme.label().size(10.5).end().color(theme.soft);
            let text = group_thousands(indices[place] + 1);
            sketch.text(text, (layout.loops_width - 1, y + LOOP / 2), letters);
        }
    }

    fn draw_memories(&self, sketch: &mut Sketch, theme: &Theme, layout: &TurnsLayout) {
        let rows = self.rows();
        let (x, y) = layout.at;
        let pitch = layout.pitch();
        for (column, operand) in OPERAND_ORDER.into_iter().enumerate() {
            let of = &self.trace.operands[operand];
            let letters = theme.value().bold().middle().color(theme.operand(of.stored_as));
            sketch.text(of.name.clone(), (x + column as i32 * pitch + (pitch - GAP) / 2, y + 7), letters);
        }
        let scale = (f64::from(widest(pitch)), self.most_pj().max(f64::MIN_POSITIVE));
        let row_top = |row: usize| y + HEAD + row as i32 * (layout.cell + ARROWS);
        for (column, operand) in OPERAND_ORDER.into_iter().enumerate() {
            let left = x + column as i32 * pitch;
            for (level, row) in rows[operand].iter().enumerate() {
                let top = row_top(*row);
                self.draw_cell(sketch, theme, layout, (left, top), (operand, level));
                // To the next lower memory of the operand, or to the array.
                let below = level.checked_sub(1).and_then(|below| rows[operand].get(below));
                let to = below.map_or(y + layout.array_top, |row| row_top(*row));
                self.draw_arrows(sketch, theme, (left, pitch - GAP), (top + layout.cell, to), (operand, level), scale);
            }
        }
        let top = y + layout.array_top;
        let color = mix(theme.soft, theme.panel, 0.3);
        sketch.round_rect((x, top), (layout.room - 2, ARRAY), 4, color);
        let energy = Quantity::Energy.text(self.trace.step_compute_pj(self.depth));
        let text = format!("array: {} cycles, {energy}", group_thousands(self.trace.cycles(self.depth)));
        let letters = theme.value().middle().color(text_on(color));
        let text = shorten(&text, layout.room - 20, letters.size, false);
        sketch.text(text, (x + layout.room / 2, top + ARRAY / 2), letters);
    }

    fn draw_cell(
        &self,
        sketch: &mut Sketch,
        theme: &Theme,
        layout: &TurnsLayout,
        (x, y): (i32, i32),
        (operand, level): (usize, usize),
    ) {
        let of = &self.trace.operands[operand];
        let Some(at) = of.levels.get(level) else { return };
        let width = layout.pitch() - GAP;
        let color = theme.operand(of.stored_as);
        sketch.round_rect((x, y), (width, layout.cell), 4, mix(theme.placeholder(), theme.panel, 0.5));
        let letters = theme.label().start().bold().size(11.0).color(theme.ink);
        let name = if at.instances > 1.0 {
            format!("{} × {}", at.name, group_thousands(at.instances.round() as u64))
        } else {
            at.name.clone()
        };
        sketch.text(shorten(&name, width - 10, letters.size, true), (x + 5, y + NAME / 2 + 1), letters);
        let lit_now = self.lit(operand, level);
        let has_numbers = width >= ROOM_FOR_NUMBERS;
        let number = theme.label().size(10.0);
        let from = x + 26;
        let length = width - 26 - if has_numbers { 92 } else { 6 };
        for (row, (index, axis, whole)) in self.axes(operand).into_iter().enumerate() {
            let top = y + NAME + row as i32 * AXIS;
            sketch.text(axis_name(axis), (x + 5, top + AXIS / 2), number.start().color(theme.soft));
            let mut part = |block: &IndexBlock, color: Color| {
                let Some(range) = block.ranges.get(index).filter(|range| range.end > range.start) else { return };
                let (start, wide) = lit(range.clone(), whole, length);
                sketch.rect((from + start, top + 3), (wide, AXIS - 6), color);
            };
            part(&IndexBlock { ranges: vec![0..whole; index + 1] }, theme.line);
            part(&lit_now.passed, passes(color, theme));
            part(&lit_now.now, if lit_now.is_new { color } else { stays(color, theme) });
            // For a block that moves, the part that it shares with the previous one.
            let moved = lit_now.now.ranges.get(index) != lit_now.kept.ranges.get(index);
            if lit_now.is_new && moved {
                part(&lit_now.kept, stays(color, theme));
            }
            if has_numbers {
                let range = lit_now.now.ranges.get(index).cloned().unwrap_or_default();
                let letters = number.end().color(theme.ink);
                let full = format!("{} of {}", range_text(&range), group_thousands(whole));
                let text = if letters.width(&full) <= 88 { full } else { range_text(&range) };
                sketch.text(shorten(&text, 88, letters.size, false), (x + width - 4, top + AXIS / 2), letters);
            }
        }
        let bytes = |bits: f64| Quantity::Bytes.text(bits / 8.0);
        let short = bytes(at.bits);
        let full = format!("{short} of {}", Quantity::Bytes.plain(at.capacity_bits as f64 / 8.0));
        let text = if number.width(&full) + 10 <= width { full } else { short };
        let text = shorten(&text, width - 10, number.size, false);
        sketch.text(text, (x + 5, y + layout.cell - AMOUNT / 2), number.start().color(theme.soft));
    }

    fn draw_arrows(
        &self,
        sketch: &mut Sketch,
        theme: &Theme,
        (x, width): (i32, i32),
        (from, to): (i32, i32),
        (operand, level): (usize, usize),
        (widest, most_pj): (f64, f64),
    ) {
        let crossed = self.crossed(operand, level);
        let color = theme.operand(self.trace.operands[operand].stored_as);
        let (top, bottom) = (from + 2, to - 2);
        let ways = [(crossed.down, crossed.down_pj, true, 1), (crossed.up, crossed.up_pj, false, 3)];
        let has_down = self.trace.operands[operand].levels.get(level).is_some_and(|at| at.below.down.count > 0);
        let has_up = self.trace.operands[operand].levels.get(level).is_some_and(|at| at.below.up.count > 0);
        for (count, pj, is_down, slot) in ways {
            let middle = x + width * slot / 8;
            if count > 0 {
                let wide = ((pj / most_pj).min(1.0) * widest).round().max(1.0) as i32;
                sketch.arrow((middle, top, bottom), wide, is_down, color);
            } else if if is_down { has_down } else { has_up } {
                sketch.vertical((middle, top), bottom - top, theme.line);
            }
        }
        let bits = crossed.down_bits + crossed.up_bits;
        if crossed.down + crossed.up == 0 {
            return;
        }
        let letters = theme.label().size(10.0).start();
        let left = x + width / 2 + 2;
        let room = width / 2 - 2;
        let lines = [Quantity::Bytes.text(bits / 8.0), Quantity::Energy.text(crossed.down_pj + crossed.up_pj)];
        for (line, text) in lines.into_iter().enumerate() {
            let text = shorten(&text, room, letters.size, false);
            sketch.text(text, (left, from + 11 + 14 * line as i32), letters.color(theme.ink));
        }
    }
}

/// Left edge and width of the bar of a loop in a panel of loops.
fn bar(width: i32) -> (i32, i32) {
    (62, width - 62 - 50)
}

/// Left edge and width of a range on a bar; at least a pixel if it is not empty.
fn lit(range: Range<u64>, whole: u64, length: i32) -> (i32, i32) {
    let at = |index: u64| (index as f64 / whole.max(1) as f64 * f64::from(length)).round() as i32;
    let start = at(range.start).min(length - 1);
    (start, (at(range.end) - start).max(1))
}

/// Width of the widest arrow in a column.
fn widest(pitch: i32) -> i32 {
    (pitch / 8).clamp(6, 22)
}

fn stays(color: Color, theme: &Theme) -> Color {
    mix(color, theme.panel, 0.5)
}

fn passes(color: Color, theme: &Theme) -> Color {
    mix(color, theme.panel, 0.78)
}

struct TurnsLayout {
    top: i32,
    loops_width: i32,
    /// Left edge of the memories, and their width.
    at: (i32, i32),
    room: i32,
    /// Height of a cell.
    cell: i32,
    array_top: i32,
    height: i32,
}

impl TurnsLayout {
    fn pitch(&self) -> i32 {
        (self.room + GAP) / 3
    }
}

impl Chart for LoopStep {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let layout = self.layout(width as i32);
        let mut sketch = Sketch::new(width, layout.height as u32);
        let fit = |text: String, size: f64, bold: bool| shorten(&text, width as i32, size, bold);
        sketch.text(fit(self.title(), 14.0, true), (0, 9), theme.heading());
        sketch.text(fit(self.cost_text(), 12.0, false), (0, 29), theme.note());
        draw_legend(&mut sketch, &self.entries(theme), (0, TITLE - 4), width as i32, theme.note());
        self.draw_loops(&mut sketch, theme, &layout);
        self.draw_memories(&mut sketch, theme, &layout);
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        self.layout(width.max(MINIMUM_WIDTH) as i32).height as u32
    }

    fn table(&self) -> Table {
        table::table(self)
    }

    fn regions(&self, width: u32) -> Vec<Region> {
        let layout = self.layout(width.max(MINIMUM_WIDTH) as i32);
        let mut regions = Vec::new();
        for (row, next) in self.trace.order.iter().rev().enumerate() {
            let subject = Subject { dim: Some(next.dim), ..Subject::default() };
            let at = (0, layout.top + row as i32 * LOOP);
            regions.push(Region { at, size: (layout.loops_width, LOOP), subject });
        }
        let rows = self.rows();
        for (column, operand) in OPERAND_ORDER.into_iter().enumerate() {
            let of = &self.trace.operands[operand];
            for (level, row) in of.levels.iter().zip(&rows[operand]) {
                let left = layout.at.0 + column as i32 * layout.pitch();
                let top = layout.at.1 + HEAD + *row as i32 * (layout.cell + ARROWS);
                let subject =
                    Subject { memory: Some(level.name.clone()), operand: Some(of.stored_as), ..Subject::default() };
                regions.push(Region { at: (left, top), size: (layout.pitch() - GAP, layout.cell), subject });
            }
        }
        regions
    }

    fn describe(&self) -> String {
        let mut moves = Vec::new();
        for operand in OPERAND_ORDER {
            let of = &self.trace.operands[operand];
            for (level, at) in of.levels.iter().enumerate() {
                let crossed = self.crossed(operand, level);
                for (count, bits, way) in
                    [(crossed.down, crossed.down_bits, "from"), (crossed.up, crossed.up_bits, "to")]
                {
                    if count > 0 {
                        moves.push(format!("{} of {} {way} {}", Quantity::Bytes.text(bits / 8.0), of.name, at.name));
                    }
                }
            }
        }
        let moves = if moves.is_empty() { "nothing".to_owned() } else { moves.join(", ") };
        format!("{}. {}. Moved: {moves}.", self.title(), self.cost_text())
    }
}
