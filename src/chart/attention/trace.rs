//! The trace of attention: the scores of one head as a matrix, with the tile of queries that meets a tile of keys; beside
//! it the data that the step moves between DRAM, chip, array and lanes; for a one-pass softmax the running values, on
//! an example; for a block its stages.

mod around;
mod flows;
mod running;
mod scores;

use crate::kit::{
    Chart, Color, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Quantity, Sketch, Table, TableCell, Theme,
    draw_legend, group_thousands, legend_height, mix, wrap_to,
};
use fusescape_engine::attention::{
    AttentionTraceStep, Block, Cascade, Fusion, KeysHeld, Pass, Place, Stage, StepWork, Tensor,
};
use fusescape_engine::explore::AttentionTrace;
use std::rc::Rc;

/// A step of the trace of attention.
#[derive(Debug, Clone)]
pub struct AttentionStep {
    pub of: Rc<AttentionTrace>,
    /// Counted from 0.
    pub number: u64,
}

impl PartialEq for AttentionStep {
    fn eq(&self, other: &Self) -> bool {
        // Comparing all steps would take longer than drawing one.
        Rc::ptr_eq(&self.of, &other.of) && self.number == other.number
    }
}

/// Narrower figures have the memories below the matrix. Title and cost always take two lines each there, so that
/// nothing below moves from step to step.
const SIDE_BY_SIDE: i32 = 680;
const BETWEEN: i32 = 28;
const TITLE: i32 = 46;
const TITLE_LINE: i32 = 18;
const COST_LINE: i32 = 15;

/// The colour of a tensor.
fn tensor_color(tensor: Tensor, theme: &Theme) -> Color {
    match tensor {
        Tensor::Queries => theme.input,
        Tensor::Keys => theme.weight,
        Tensor::Values => mix(theme.weight, theme.stall, 0.55),
        Tensor::Scores => theme.modes[1],
        Tensor::Running => theme.copy,
        Tensor::Output => theme.output,
        Tensor::Inputs => mix(theme.input, theme.panel, 0.45),
        Tensor::Weights => mix(theme.weight, theme.panel, 0.45),
    }
}

/// `1–256`, from the range `first..end`, which counts from 0.
fn span_text(first: u64, end: u64) -> String {
    match end.saturating_sub(first) {
        0 | 1 => group_thousands(end),
        _ => format!("{}–{}", group_thousands(first + 1), group_thousands(end)),
    }
}

impl AttentionStep {
    /// The tiles and the stage of the step.
    pub fn step(&self) -> Option<AttentionTraceStep> {
        self.of.steps.step(self.number)
    }

    fn work(&self) -> Option<&StepWork> {
        self.of.steps.work(self.number)
    }

    fn fusion(&self) -> Fusion {
        self.of.steps.schedule().fusion
    }

    fn is_one_pass(&self) -> bool {
        self.fusion().cascade() == Cascade::OnePass
    }

    fn block(&self) -> Option<&Block> {
        self.of.steps.block.as_ref()
    }

    /// `tokens 257–512`, the tile of tokens of a block.
    fn tokens_text(&self, step: &AttentionTraceStep) -> String {
        let steps = &self.of.steps;
        let tile = steps.tiles[step.tile];
        match steps.passes.get(step.pass) {
            Some(Pass { sequences: 2.., .. }) => {
                format!("all tokens of {} sequences", group_thousands(steps.passes[step.pass].sequences))
            }
            _ => format!("tokens {}", span_text(tile.query, tile.query + tile.size)),
        }
    }

    /// `Step 5 of 36: queries 257–512 meet keys 1–256`
    pub fn title(&self) -> String {
        let steps = &self.of.steps;
        let Some(step) = self.step() else { return String::new() };
        let tile = steps.tiles[step.tile];
        let queries = span_text(tile.query, tile.query + tile.size);
        let keys = span_text(step.keys.0, step.keys.1);
        let heads = match steps.head_tiles() {
            _ if matches!(step.stage, Stage::Queries | Stage::Behind) => ", all heads".to_owned(),
            1 => String::new(),
            _ if step.stage == Stage::Weights => String::new(),
            all => format!(", heads {} of {}", step.head_tile + 1, all),
        };
        let what = match step.stage {
            Stage::All => format!("queries {queries} meet keys {keys}"),
            Stage::Scores => format!("queries {queries} times keys {keys}"),
            Stage::Softmax => format!("softmax of queries {queries}"),
            Stage::Values => format!("queries {queries} take values {keys}"),
            Stage::Queries => format!("queries of {}", self.tokens_text(&step)),
            Stage::Weights => format!("weights of keys and values come, {}", self.tokens_text(&step)),
            Stage::Behind => format!("what follows attention, {}", self.tokens_text(&step)),
        };
        format!("Step {} of {}: {what}{heads}", group_thousands(self.number + 1), group_thousands(steps.count()))
    }

    pub fn cost_text(&self) -> String {
        let (Some(step), Some(work)) = (self.step(), self.work()) else { return String::new() };
        let cycles = work.busy.cycles();
        format!(
            "{}, {} in {} of {} · {}, bound by {}",
            Quantity::Energy.text(work.energy_pj()),
            match self.of.steps.times(&step) {
                1 => "once".to_owned(),
                times => format!("{} times", group_thousands(times)),
            },
            if self.block().is_some() { "a block" } else { "attention" },
            Quantity::Energy.text(self.of.steps.energy_pj()),
            Quantity::Latency.text(cycles as f64),
            match work.busy.bound_by() {
                name @ ("array" | "lanes") => format!("the {name}"),
                name => name.to_owned(),
            },
        )
    }

    /// What happens in the step and why, in sentences.
    pub fn story(&self) -> String {
        let steps = &self.of.steps;
        let (Some(step), Some(work)) = (self.step(), self.work()) else { return String::new() };
        let tile = steps.tiles[step.tile];
        let queries = span_text(tile.query, tile.query + tile.size);
        let keys = span_text(step.keys.0, step.keys.1);
        let comes = |tensor: Tensor| work.flows.iter().any(|flow| flow.tensor == tensor && flow.from == Place::Dram);
        let (is_first, is_last) = (step.visit == 0, step.visit + 1 == step.visits);
        if let (false, Some(block)) = (step.stage.is_attention(), self.block()) {
            return self.around_told(&step, block);
        }
        let mut told = Vec::new();
        let has_queries = self.block().is_some_and(|block| block.queries.is_some());
        let come = if has_queries { "are on the chip, where they were computed" } else { "come" };
        let has_parts = self.block().is_some_and(|block| block.parts.is_some());
        let go = if has_parts { "stay on the chip for what follows" } else { "go to DRAM" };
        match (self.fusion(), step.stage) {
            (Fusion::KeysStay, _) => {
                if comes(Tensor::Keys) || comes(Tensor::Inputs) {
                    told.push(format!(
                        "Keys and values from {keys} on come, and stay while all tiles of queries that see them pass."
                    ));
                }
                told.push(format!(
                    "Queries {queries} pass{}.",
                    if is_first {
                        ""
                    } else {
                        ", and their running maximum, denominator and numerators come back from DRAM"
                    }
                ));
            }
            (_, Stage::All) if is_first => {
                told.push(format!(
                    "Queries {queries} {come}, and stay until all keys that they see have streamed past."
                ));
            }
            (_, Stage::Scores) if is_first => {
                told.push(format!("Queries {queries} {come}, and stay until all their scores are there."));
            }
            _ => {}
        }
        told.extend(self.keys_told(&step, &keys));
        match step.stage {
            Stage::All => {
                told.push(match is_first {
                    true => "The first tile sets the maximum, the denominator and the numerators.".to_owned(),
                    false => {
                        "Where a score is larger than the running maximum, denominator and numerators are corrected by \
                              e^(old − new maximum); then this tile is added. So no score is kept."
                            .to_owned()
                    }
                });
                told.push(match (is_last, self.fusion()) {
                    (true, _) => format!(
                        "It was the last tile of keys: the numerators are divided by the denominator, once, and {go}."
                    ),
                    (false, Fusion::KeysStay) => "What runs along goes to DRAM until the next tile of keys.".to_owned(),
                    (false, _) => String::new(),
                });
            }
            Stage::Scores if self.fusion() == Fusion::None => {
                told.push("The scores go to DRAM, as a softmax needs whole rows.".to_owned());
            }
            Stage::Scores => told.push("The scores stay on the chip, until the row is whole.".to_owned()),
            Stage::Softmax => told.push(match self.fusion() {
                Fusion::None => {
                    "Scores come from DRAM, lanes compute the softmax of whole rows, and the weights go back."
                        .to_owned()
                }
                _ => "All scores of these queries are on the chip: lanes turn them into weights.".to_owned(),
            }),
            Stage::Queries | Stage::Weights | Stage::Behind => {}
            Stage::Values => told.push(match (self.fusion(), is_last) {
                (Fusion::None, _) => "The weights come from DRAM once more.".to_owned(),
                (_, true) => format!("It was the last tile of keys: the results {go}."),
                (_, false) => String::new(),
            }),
        }
        told.retain(|sentence| !sentence.is_empty());
        told.join(" ")
    }

    /// The work of a block around attention in a step.
    fn around_told(&self, step: &AttentionTraceStep, block: &Block) -> String {
        let tokens = self.tokens_text(step);
        let parts =
            |run: Option<&fusescape_engine::attention::Run>| run.map_or_else(String::new, |run| run.parts.join(", "));
        let weights = |stay: bool| if stay { "are on the chip and stay" } else { "come from DRAM for this tile" };
        match step.stage {
            Stage::Queries => format!(
                "Of {tokens} the queries of all heads are computed ({}). Inputs {}; weights {}. The queries stay on the chip, where \
                 attention reads them, head by head.",
                parts(block.queries.as_ref()),
                match block.attention.schedule.held {
                    KeysHeld::InputsStay => "are on the chip, where keys are computed of them, too",
                    _ => "come from DRAM",
                },
                weights(block.weights_before_stay),
            ),
            Stage::Weights => format!(
                "The weights that compute keys and values of a head come from DRAM, for {tokens}. Those of the other heads come when it \
                 is their turn."
            ),
            _ => format!(
                "The results of {tokens}, all heads, have not left the chip. What follows is computed of them: {}. Weights {}. What is \
                 computed last goes to DRAM.{}",
                parts(block.parts.as_ref()),
                weights(block.parts.as_ref().is_some_and(|run| run.resident)),
                if block.tiles > 1 {
                    " Meanwhile attention is at the next tile of tokens, if one is left."
                } else {
                    ""
                },
            ),
        }
    }

    /// The source of the keys and values of the step.
    fn keys_told(&self, step: &AttentionTraceStep, keys: &str) -> Option<String> {
        if self.fusion() == Fusion::KeysStay || step.stage == Stage::Softmax {
            return None;
        }
        let tensor = match step.stage {
            Stage::Scores => "Keys",
            Stage::Values => "Values",
            _ => "Keys and values",
        };
        let again = if self.block().is_some_and(|block| block.tiles == 1) { "" } else { " again" };
        Some(match self.of.steps.schedule().held {
            KeysHeld::Streamed => format!("{tensor} {keys} stream in from DRAM, and make room for the next."),
            KeysHeld::Resident => {
                let comes = self
                    .work()?
                    .flows
                    .iter()
                    .any(|flow| matches!(flow.tensor, Tensor::Keys | Tensor::Values) && flow.from == Place::Dram);
                let rest = if comes {
                    "come from DRAM, where they are not there yet, and stay"
                } else {
                    "are on the chip already"
                };
                format!("{tensor} {keys} {rest}.")
            }
            KeysHeld::Recomputed => format!("{tensor} {keys} are computed{again}, of inputs that stream in from DRAM."),
            KeysHeld::InputsStay => {
                format!("{tensor} {keys} are computed{again}, of the inputs that stay on the chip.")
            }
            KeysHeld::Kept => format!("{tensor} {keys} are on the chip since they were computed."),
        })
    }

    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let chip = |color, title: &str| (LegendMark::Chip(color), title.to_owned());
        let mut entries = vec![chip(scores::Ink::Now.color(theme), "computed in this step")];
        if self.is_one_pass() {
            entries.push(chip(scores::Ink::Done.color(theme), "done"));
        } else {
            entries.push(chip(scores::Ink::Scored.color(theme), "scores there"));
            entries.push(chip(scores::Ink::Done.color(theme), "done, with values"));
        }
        entries.push(chip(scores::Ink::Open.color(theme), "to come"));
        if self.of.steps.problem.causal {
            entries.push(chip(scores::Ink::Masked.color(theme), "masked"));
            entries.push(chip(scores::Ink::Wasted.color(theme), "computed, then masked"));
        }
        entries
    }

    fn layout(&self, width: i32) -> AttentionLayout {
        let legend = legend_height(&self.entries(&Theme::LIGHT), width, Theme::LIGHT.note());
        let title = TITLE + if width < SIDE_BY_SIDE { TITLE_LINE + COST_LINE } else { 0 };
        let around_at = (0, title);
        let legend_at = title + around::height(&self.of.steps, width);
        let top = legend_at + legend + 8;
        let is_wide = width >= SIDE_BY_SIDE;
        let left = if is_wide { (width - BETWEEN) / 2 } else { width };
        let matrix = scores::ScoreMatrix::new(&self.of.steps, left.min(460));
        let stage = self.step().map_or(Stage::All, |step| step.stage);
        let flows =
            flows::FlowLayout::new(&self.of, stage, if is_wide { width - left - BETWEEN } else { width }.min(460));
        let flows_at = if is_wide { (left + BETWEEN, top) } else { (0, top + matrix.height + BETWEEN) };
        let below = flows_at.1 + flows.height;
        let running_at = (flows_at.0, below + if is_wide { 18 } else { BETWEEN });
        let running = if self.is_one_pass() { running::HEIGHT } else { 0 };
        let bottom = (top + matrix.height).max(if running > 0 { running_at.1 + running } else { below });
        AttentionLayout {
            around_at,
            legend_at,
            matrix_at: (0, top),
            matrix,
            flows_at,
            running_at,
            running_width: flows.width,
            flows,
            height: bottom + 4,
        }
    }

    /// The query and the key at a place of the figure, CSS pixels.
    pub fn hit(&self, x: f64, y: f64, width: u32) -> Option<(u64, u64)> {
        let layout = self.layout(width.max(MINIMUM_WIDTH) as i32);
        layout.matrix.hit(&self.of.steps, (x - f64::from(layout.matrix_at.0), y - f64::from(layout.matrix_at.1)))
    }

    /// Bytes that cross the border of the chip by tensor: in this step, in all steps, and in attention or its block as
    /// a whole.
    pub fn sums(&self) -> Table {
        let steps = &self.of.steps;
        let bytes = |title: &str| Column::measured(title, Quantity::Bytes.base());
        let row = |tensor: Tensor| {
            let all = steps.dram_bits(tensor);
            let once = steps.once.dram_bits(tensor);
            let here = self.work().map_or(0, |work| work.dram_bits(tensor));
            let cell = |bits: u64| TableCell::of(Quantity::Bytes, bits as f64 / 8.0);
            (all > 0).then(|| vec![TableCell::from(tensor.name()), cell(here), cell(all - once), cell(once), cell(all)])
        };
        let what = if self.block().is_some() { "the block" } else { "attention" };
        Table {
            caption: format!(
                "To and from DRAM: all steps, for all heads and sequences, and what comes once, are {what} of a layer"
            ),
            columns: vec![
                Column::words("tensor"),
                bytes("this step"),
                bytes("all steps"),
                bytes("once"),
                bytes(if self.block().is_some() { "block of a layer" } else { "attention of a layer" }),
            ],
            rows: Tensor::ALL.into_iter().filter_map(row).collect(),
        }
    }
}

struct AttentionLayout {
    around_at: (i32, i32),
    legend_at: i32,
    matrix_at: (i32, i32),
    matrix: scores::ScoreMatrix,
    flows_at: (i32, i32),
    flows: flows::FlowLayout,
    running_at: (i32, i32),
    running_width: i32,
    height: i32,
}

impl Chart for AttentionStep {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let layout = self.layout(width as i32);
        let mut sketch = Sketch::new(width, layout.height as u32);
        let room = width as i32;
        let is_narrow = room < SIDE_BY_SIDE;
        let lines = |text: &str, size, bold| wrap_to(if is_narrow { 2 } else { 1 }, text, room, size, bold);
        for (line, y) in lines(&self.title(), 14.0, true).into_iter().zip([9, 9 + TITLE_LINE]) {
            sketch.text(line, (0, y), theme.heading());
        }
        let cost_at = 29 + if is_narrow { TITLE_LINE } else { 0 };
        for (line, y) in lines(&self.cost_text(), 12.0, false).into_iter().zip([cost_at, cost_at + COST_LINE]) {
            sketch.text(line, (0, y), theme.note());
        }
        draw_legend(&mut sketch, &self.entries(theme), (0, layout.legend_at - 4), width as i32, theme.note());
        let Some(step) = self.step() else { return sketch };
        if let Some(block) = self.block() {
            let stages = around::draw(&self.of.steps, block, step.stage, width as i32, theme);
            sketch.place(stages, layout.around_at);
        }
        sketch.place(layout.matrix.draw(&self.of.steps, &step, theme), layout.matrix_at);
        if let Some(work) = self.work() {
            sketch.place(layout.flows.draw(&self.of, work, theme), layout.flows_at);
        }
        if self.is_one_pass() {
            let running = match step.stage.is_attention() {
                true => running::draw(&step, layout.running_width, theme),
                false => running::draw_none(layout.running_width, theme),
            };
            sketch.place(running, layout.running_at);
        }
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        self.layout(width.max(MINIMUM_WIDTH) as i32).height as u32
    }

    fn table(&self) -> Table {
        let place = |place: Place| match (place, &self.of.on_chip[..]) {
            (Place::Dram, _) => self.of.dram.clone(),
            (Place::Keys, [.., (name, _)]) | (Place::Activations, [(name, _), ..]) => name.clone(),
            (Place::Array, _) => "array".to_owned(),
            (Place::Lanes, _) => "lanes".to_owned(),
            _ => String::new(),
        };
        let row = |(flow, energy): (&fusescape_engine::attention::Flow, &f64)| {
            vec![
                TableCell::from(flow.tensor.name()),
                TableCell::from(place(flow.from)),
                TableCell::from(place(flow.to)),
                TableCell::of(Quantity::Bytes, flow.read_bits.max(flow.written_bits) as f64 / 8.0),
                TableCell::of(Quantity::Energy, *energy),
            ]
        };
        let rows = self.work().into_iter().flat_map(|work| work.flows.iter().zip(&work.flow_energy));
        Table {
            caption: format!("What moves ({})", self.title()),
            columns: vec![
                Column::words("tensor"),
                Column::words("from"),
                Column::words("to"),
                Column::measured("moved", Quantity::Bytes.base()),
                Column::measured("energy", Quantity::Energy.base()),
            ],
            rows: rows.map(row).collect(),
        }
    }

    fn describe(&self) -> String {
        format!("{}. It takes {}. {}", self.title(), self.cost_text(), self.story())
    }
}
