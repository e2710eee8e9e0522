//! The layers that run together, by method: one column per method, one row per layer, one block per stack.

use crate::bars::Breakdown;
use crate::kit::{
    Chart, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Quantity, Sketch, Table, TableCell, Theme, draw_legend,
    legend_height, shorten, text_on,
};
use fusescape_engine::explore::{FusionComparison, FusionMethod, FusionResult, StackRun};

/// The stacks of every method, side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct FusionMap {
    /// Names of the layers, in topological order.
    layers: Vec<String>,
    methods: Vec<MethodGroups>,
}

#[derive(Debug, Clone, PartialEq)]
struct MethodGroups {
    title: &'static str,
    short_title: &'static str,
    stacks: Vec<GroupBlock>,
}

#[derive(Debug, Clone, PartialEq)]
struct GroupBlock {
    layers: Vec<usize>,
    tile: String,
    mode: &'static str,
}

const HEAD: i32 = 26;
const ROW: i32 = 19;
const GAP: i32 = 3;
const LONGEST_NAME: i32 = 150;

impl FusionMap {
    /// Of all methods that have a result.
    pub fn new(fusions: &FusionComparison) -> Self {
        let stack = |(run, layers): (&StackRun, &Vec<usize>)| GroupBlock {
            layers: layers.clone(),
            tile: format!("{} × {}", run.tile.0, run.tile.1),
            mode: run.mode.title(),
        };
        let method = |(method, result): (FusionMethod, &FusionResult)| MethodGroups {
            title: method.title(),
            short_title: method.short_title(),
            stacks: result.stacks.runs.iter().zip(&result.layers).map(stack).collect(),
        };
        Self { layers: fusions.names.clone(), methods: known(fusions).map(method).collect() }
    }

    /// Width of the column of layer names, and of a method.
    fn columns(&self, width: i32) -> (i32, i32) {
        let letters = Theme::LIGHT.label();
        let longest = self.layers.iter().map(|name| letters.width(name)).max().unwrap_or(0);
        let names = longest.min(LONGEST_NAME).min(width / 4) + 8;
        (names, (width - names) / self.methods.len().max(1) as i32)
    }

    /// The heading of each column: the longest of title, short title and number that fits; and the legend of the
    /// numbers.
    fn heads(&self, width: i32) -> (Vec<String>, Vec<LegendEntry>) {
        let (_, pitch) = self.columns(width);
        let fits = |title: &str| Theme::LIGHT.value().bold().width(title) <= pitch - 2 * GAP;
        let head = |method: &MethodGroups| if fits(method.title) { method.title } else { method.short_title };
        let heads: Vec<String> = self.methods.iter().map(|method| head(method).to_owned()).collect();
        if heads.iter().all(|head| fits(head)) {
            return (heads, Vec::new());
        }
        let number = |(index, method): (usize, &MethodGroups)| {
            let number = (index + 1).to_string();
            let entry = (LegendMark::None, format!("{number} {}", method.title));
            (number, entry)
        };
        self.methods.iter().enumerate().map(number).unzip()
    }

    /// Height of the headings.
    fn top(&self, width: i32) -> i32 {
        HEAD + legend_height(&self.heads(width).1, width, Theme::LIGHT.note())
    }
}

impl Chart for FusionMap {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let (names, pitch) = self.columns(width as i32);
        let (heads, entries) = self.heads(width as i32);
        let top_edge = self.top(width as i32);
        let (label, note) = (theme.label(), theme.value());
        draw_legend(&mut sketch, &entries, (0, 0), width as i32, theme.note());
        for (row, name) in self.layers.iter().enumerate() {
            let middle = top_edge + row as i32 * ROW + ROW / 2 - 1;
            sketch.text(shorten(name, names - 8, label.size, false), (0, middle), label.start());
        }
        for (column, (method, head)) in self.methods.iter().zip(heads).enumerate() {
            let left = names + column as i32 * pitch;
            sketch.text(head, (left, top_edge - HEAD / 2 - 1), theme.value().bold().start());
            for (index, stack) in method.stacks.iter().enumerate() {
                let color = theme.tile_type(index % 8);
                for (first, last) in runs_of(&stack.layers) {
                    let top = top_edge + first as i32 * ROW;
                    let size = (pitch - 2 * GAP, (last - first + 1) as i32 * ROW - 2);
                    sketch.round_rect((left, top), size, 4, color);
                    // The text in a block, as far as there is room: the tile, and below it the mode.
                    let letters = note.middle().color(text_on(color)).size(11.0);
                    let x = left + size.0 / 2;
                    let lines = [stack.tile.as_str(), stack.mode];
                    let fitting = if size.1 >= 2 * ROW - 2 { 2 } else { 1 };
                    for (line, text) in lines.into_iter().take(fitting).enumerate() {
                        if letters.width(text) <= size.0 - 4 {
                            let y = top + size.1 / 2 + (2 * line as i32 - (fitting as i32 - 1)) * 7;
                            sketch.text(text.to_owned(), (x, y), letters);
                        }
                    }
                }
            }
        }
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        (self.top(width.max(MINIMUM_WIDTH) as i32) + self.layers.len() as i32 * ROW) as u32
    }

    fn table(&self) -> Table {
        let stack_of = |method: &MethodGroups, layer: usize| {
            let index = method.stacks.iter().position(|stack| stack.layers.contains(&layer));
            index.map_or(TableCell::Nothing, |index| TableCell::count(index as u64 + 1))
        };
        let row = |(layer, name): (usize, &String)| {
            let stacks = self.methods.iter().map(|method| stack_of(method, layer));
            [TableCell::from(name.as_str())].into_iter().chain(stacks).collect()
        };
        let columns = self.methods.iter().map(|method| Column::numbers(method.title));
        Table {
            caption: "Stack of every layer".to_owned(),
            columns: [Column::words("layer")].into_iter().chain(columns).collect(),
            rows: self.layers.iter().enumerate().map(row).collect(),
        }
    }

    fn describe(&self) -> String {
        let counts = self.methods.iter().map(|method| format!("{}: {}", method.title, method.stacks.len()));
        format!(
            "Which of {} layers run together as one stack, by method. Number of stacks by {}.",
            self.layers.len(),
            counts.collect::<Vec<_>>().join(", ")
        )
    }
}

/// Runs of consecutive layers, first and last.
pub(super) fn runs_of(layers: &[usize]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &layer in layers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == layer => *last = layer,
            _ => runs.push((layer, layer)),
        }
    }
    runs
}

fn known(fusions: &FusionComparison) -> impl Iterator<Item = (FusionMethod, &FusionResult)> {
    fusions.results.iter().filter_map(|(method, result)| Some((*method, result.as_ref().ok()?)))
}

/// DRAM accesses by cause, one bar per method.
pub fn fusion_dram(fusions: &FusionComparison) -> Breakdown {
    let splits = known(fusions).map(|(method, result)| (method.title().to_owned(), result.stacks.dram()));
    Breakdown::dram_splits("method", splits.collect())
}

/// Energy by cause, one bar per method.
pub fn fusion_energy(fusions: &FusionComparison) -> Breakdown {
    let splits = known(fusions).map(|(method, result)| (method.title().to_owned(), result.stacks.energy()));
    Breakdown::energy_splits("method", splits.collect())
}

/// Latency by cause, one bar per method.
pub fn fusion_latency(fusions: &FusionComparison) -> Breakdown {
    let splits = known(fusions).map(|(method, result)| (method.title().to_owned(), result.stacks.latency()));
    Breakdown::latency_splits("method", splits.collect())
}

/// The cost of every method, by the full model and by Optimus' model.
pub fn fusion_table(fusions: &FusionComparison) -> Table {
    let row = |(method, result): &(FusionMethod, Result<FusionResult, _>)| {
        let mut row: Vec<TableCell> = vec![method.title().into()];
        match result {
            Err(_) => row.push("not possible here".into()),
            Ok(result) => row.extend([
                TableCell::count(result.groups.len() as u64),
                TableCell::count(result.layers.len() as u64),
                TableCell::of(Quantity::Energy, result.stacks.energy_pj),
                TableCell::of(Quantity::Latency, result.stacks.latency_cycles as f64),
                TableCell::of(Quantity::DramAccesses, result.stacks.dram_words),
                result
                    .optimus_bytes
                    .map_or_else(|| "does not fit".into(), |bytes| TableCell::of(Quantity::Bytes, bytes as f64)),
            ]),
        }
        row
    };
    Table {
        caption: "Methods to choose the layers that run together".to_owned(),
        columns: vec![
            Column::words("method"),
            Column::numbers("groups"),
            Column::numbers("stacks"),
            Column::measured("energy", Quantity::Energy.base()),
            Column::measured("latency", Quantity::Latency.base()),
            Column::measured("DRAM accesses", Quantity::DramAccesses.base()),
            Column::measured("DRAM by Optimus' model", Quantity::Bytes.base()),
        ],
        rows: fusions.results.iter().map(row).collect(),
    }
}
