//! The loop nest of a mapped layer as every operand sees it, with memory levels (ZigZag, Figs. 3 and 11).

use crate::kit::{
    Chart, Color, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Region, Sketch, Subject, Table, TableCell, Theme,
    draw_legend, legend_height, mix, shorten, text_on,
};
use fusescape_engine::hardware::Operand;
use fusescape_engine::workload::Dim;

/// One level of one operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NestLevel {
    /// Index in [`LoopNests::memories`]; `None` for the MAC units.
    pub memory: Option<usize>,
    /// Temporal loops, innermost first: `FX 3`.
    pub loops: Vec<String>,
    /// Loops unrolled over the units of this level: `OYu 13`.
    pub unrolled: Vec<String>,
}

/// One operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NestColumn {
    /// The layer's own name of the operand.
    pub name: String,
    /// The operand of the memories; decides the colour of the heading.
    pub operand: Operand,
    /// Its levels, the MAC units first.
    pub levels: Vec<NestLevel>,
}

/// Three nests side by side, innermost loops at the bottom. All have the same temporal loops in the same order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoopNests {
    /// Names of all memories, lowest first.
    pub memories: Vec<String>,
    /// The operands, from the left.
    pub columns: Vec<NestColumn>,
    /// Indices of memories that are too small for their contents.
    pub overfull: Vec<usize>,
}

const ROW: i32 = 24;
const HEAD: i32 = 26;
const BETWEEN: i32 = 14;
/// In columns narrower than this only the legend names memories.
const ROOM_FOR_NAMES: i32 = 190;

/// A cell: one row of one column.
#[derive(Debug, Clone, Default, PartialEq)]
struct LoopCell {
    level: usize,
    text: String,
    unrolled: bool,
}

impl NestColumn {
    /// The row that ends a level and takes no time: its unrolled loops, or a note that it has no loop at all.
    fn still(level: &NestLevel) -> Option<String> {
        match (level.unrolled.is_empty(), level.loops.is_empty()) {
            (false, _) => Some(level.unrolled.join(" | ")),
            (true, true) => Some(if level.memory.is_some() { "no loop" } else { "MACs" }.to_owned()),
            (true, false) => None,
        }
    }

    /// For each number of temporal loops the rows without time after that many loops.
    fn still_rows(&self, loops: usize) -> Vec<Vec<LoopCell>> {
        let mut rows = vec![Vec::new(); loops + 1];
        let mut done = 0;
        for (index, level) in self.levels.iter().enumerate() {
            done = (done + level.loops.len()).min(loops);
            if let Some(text) = Self::still(level) {
                rows[done].push(LoopCell { level: index, text, unrolled: !level.unrolled.is_empty() });
            }
        }
        rows
    }

    fn temporal(&self) -> impl Iterator<Item = LoopCell> + '_ {
        self.levels.iter().enumerate().flat_map(|(level, of)| {
            of.loops.iter().map(move |text| LoopCell { level, text: text.clone(), unrolled: false })
        })
    }
}

impl LoopNests {
    /// All columns row by row from the bottom, the same temporal loop of all operands in one row. Where only some
    /// columns have a row of their own, the level of the others continues.
    fn rows(&self) -> Vec<Vec<LoopCell>> {
        let loops = self.columns.iter().map(|column| column.temporal().count()).max().unwrap_or(0);
        let still: Vec<_> = self.columns.iter().map(|column| column.still_rows(loops)).collect();
        let temporal: Vec<Vec<LoopCell>> = self.columns.iter().map(|column| column.temporal().collect()).collect();
        let mut rows: Vec<Vec<LoopCell>> = Vec::new();
        for done in 0..=loops {
            let count = still.iter().map(|column| column[done].len()).max().unwrap_or(0);
            for index in 0..count {
                let row = still.iter().enumerate().map(|(column, still)| match still[done].get(index) {
                    Some(cell) => cell.clone(),
                    None => LoopCell { level: rows.last().map_or(0, |row| row[column].level), ..LoopCell::default() },
                });
                rows.push(row.collect());
            }
            if done < loops {
                rows.push(temporal.iter().map(|column| column.get(done).cloned().unwrap_or_default()).collect());
            }
        }
        rows
    }

    fn color(&self, memory: Option<usize>, theme: &Theme) -> Color {
        match memory {
            None => theme.placeholder(),
            Some(memory) if self.overfull.contains(&memory) => theme.overfull,
            Some(memory) => theme.level(memory, self.memories.len()),
        }
    }

    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let name = |(index, name): (usize, &String)| {
            let note = if self.overfull.contains(&index) { ", too small" } else { "" };
            (LegendMark::Chip(self.color(Some(index), theme)), format!("{name}{note}"))
        };
        let memories = self.memories.iter().enumerate().map(name);
        memories.chain([(LegendMark::Line(theme.ink), "end of a memory level".to_owned())]).collect()
    }

    fn top(&self, width: i32) -> i32 {
        legend_height(&self.entries(&Theme::LIGHT), width, Theme::LIGHT.note()) + 6 + HEAD
    }

    fn draw_column(
        &self,
        sketch: &mut Sketch,
        theme: &Theme,
        rows: &[Vec<LoopCell>],
        index: usize,
        (x, width): (i32, i32),
    ) {
        let column = &self.columns[index];
        let bottom = self.top(sketch.width as i32) + rows.len() as i32 * ROW;
        let heading = theme.heading().middle().color(theme.operand(column.operand));
        sketch.text(column.name.clone(), (x + width / 2, bottom - rows.len() as i32 * ROW - HEAD / 2), heading);
        for (row, cells) in rows.iter().enumerate() {
            let cell = &cells[index];
            let Some(level) = column.levels.get(cell.level) else { continue };
            let y = bottom - (row as i32 + 1) * ROW;
            let full = self.color(level.memory, theme);
            // Unrolled loops take no time, so they are paler.
            let color = if cell.unrolled { mix(full, theme.panel, 0.45) } else { full };
            sketch.rect((x, y), (width, ROW - 1), color);
            let is_last = rows.get(row + 1).is_none_or(|next| next[index].level != cell.level);
            let letters = theme.value().middle().color(text_on(color));
            let mut middle = (x + width / 2, width - 8);
            if is_last && width >= ROOM_FOR_NAMES {
                let name = level.memory.and_then(|memory| self.memories.get(memory));
                let small = letters.size(10.5).start();
                let name = shorten(name.map_or("", String::as_str), width * 2 / 5, small.size, false);
                let taken = if name.is_empty() { 0 } else { small.width(&name) + 12 };
                sketch.text(name, (x + 6, y + ROW / 2), small);
                // Long lists of unrolled loops move to the right, short ones are centred.
                let half = (width / 2 - taken).max((width - taken) / 2 - 4);
                middle = if letters.width(&cell.text) / 2 < width / 2 - taken {
                    (x + width / 2, 2 * half)
                } else {
                    (x + taken + (width - taken) / 2, width - taken - 8)
                };
            }
            let text = shorten(&cell.text, middle.1, letters.size, false);
            sketch.text(text, (middle.0, y + ROW / 2), letters);
        }
        // The ends of levels are drawn last, over everything else.
        for row in 0..rows.len() {
            let ends = rows.get(row + 1).is_some_and(|next| next[index].level != rows[row][index].level);
            if ends {
                sketch.rect((x - 3, bottom - (row as i32 + 1) * ROW - 2), (width + 6, 3), theme.ink);
            }
        }
    }
}

impl Chart for LoopNests {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        draw_legend(&mut sketch, &self.entries(theme), (0, 0), width as i32, theme.note());
        let rows = self.rows();
        let count = self.columns.len().max(1) as i32;
        let each = (width as i32 - 6 - (count - 1) * BETWEEN) / count;
        for index in 0..self.columns.len() {
            self.draw_column(&mut sketch, theme, &rows, index, (3 + index as i32 * (each + BETWEEN), each));
        }
        sketch
    }

    fn regions(&self, width: u32) -> Vec<Region> {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let rows = self.rows();
        let count = self.columns.len().max(1) as i32;
        let each = (width - 6 - (count - 1) * BETWEEN) / count;
        let top = self.top(width);
        let region = |(row, (index, cell)): (usize, (usize, &LoopCell))| {
            let column = self.columns.get(index)?;
            let memory = column.levels.get(cell.level)?.memory.and_then(|memory| self.memories.get(memory));
            let dim = cell.text.split(' ').next().filter(|_| !cell.unrolled);
            let dim = dim.and_then(|name| Dim::ALL.into_iter().find(|dim| dim.to_string() == name));
            let subject = Subject { memory: memory.cloned(), operand: Some(column.operand), dim, ..Subject::default() };
            let y = top + (rows.len() - 1 - row) as i32 * ROW;
            Some(Region { at: (3 + index as i32 * (each + BETWEEN), y), size: (each, ROW - 1), subject })
        };
        let cells = rows
            .iter()
            .enumerate()
            .rev()
            .flat_map(|(row, cells)| cells.iter().enumerate().map(move |cell| (row, cell)));
        cells.filter_map(region).collect()
    }

    fn height_for(&self, width: u32) -> u32 {
        (self.top(width.max(MINIMUM_WIDTH) as i32) + self.rows().len() as i32 * ROW + 4) as u32
    }

    fn table(&self) -> Table {
        let head = Column::words("from the outside");
        let columns = std::iter::once(head).chain(self.columns.iter().map(|c| Column::words(&c.name))).collect();
        let text = |(column, cell): (&NestColumn, &LoopCell)| {
            let memory = column.levels.get(cell.level).and_then(|level| level.memory);
            let memory = memory.and_then(|memory| self.memories.get(memory)).map_or("MAC units", String::as_str);
            if cell.text.is_empty() { memory.to_owned() } else { format!("{} in {memory}", cell.text) }
        };
        let row = |(index, cells): (usize, &Vec<LoopCell>)| {
            let texts = self.columns.iter().zip(cells).map(text).map(TableCell::from);
            std::iter::once(TableCell::count(index as u64 + 1)).chain(texts).collect()
        };
        let rows = self.rows();
        Table {
            caption: "Loops from the outermost to the innermost, and where each operand's data lies meanwhile"
                .to_owned(),
            columns,
            rows: rows.iter().rev().enumerate().map(row).collect(),
        }
    }

    fn describe(&self) -> String {
        let column = |column: &NestColumn| {
            let levels: Vec<String> = column
                .levels
                .iter()
                .filter_map(|level| {
                    let name = self.memories.get(level.memory?)?;
                    let loops = if level.loops.is_empty() { "no loop".to_owned() } else { level.loops.join(", ") };
                    Some(format!("{name} {loops}"))
                })
                .collect();
            format!("{}: {}", column.name, levels.join("; "))
        };
        let columns: Vec<String> = self.columns.iter().map(column).collect();
        let overfull: Vec<&str> =
            self.overfull.iter().filter_map(|&memory| self.memories.get(memory)).map(String::as_str).collect();
        let too_small =
            if overfull.is_empty() { String::new() } else { format!(" Too small: {}.", overfull.join(", ")) };
        format!("Temporal loops of each memory level, innermost first. {}.{too_small}", columns.join(". "))
    }
}
