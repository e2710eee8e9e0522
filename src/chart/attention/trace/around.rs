//! The stages of a block for a tile of tokens: queries, attention, the parts that follow; with the energy of each per
//! layer.

use crate::kit::{Quantity, Sketch, Theme, mix, wrap};
use fusescape_engine::attention::{AttentionSteps, Block, Stage};

const TITLE: &str = "What the block does for each tile of tokens; bars: energy in a layer";
const LINE: i32 = 15;
const BAR: i32 = 7;
const BETWEEN: i32 = 9;
const BELOW: i32 = 10;
/// Room for an energy beside a name.
const ENERGY: i32 = 76;

/// A stage of a block, or a part that runs once per layer.
struct BlockRow {
    name: String,
    is_now: bool,
    energy: f64,
}

impl BlockRow {
    /// Its name on as many lines as it needs, bold or not.
    fn lines(&self, width: i32) -> Vec<String> {
        wrap(&self.name, width - ENERGY, Theme::LIGHT.value().size, true)
    }

    /// Height of its name and its bar.
    fn height(&self, width: i32) -> i32 {
        self.lines(width).len() as i32 * LINE + 2 * BAR + 1
    }
}

/// Height of the rows of a block; 0 without one.
pub(super) fn height(steps: &AttentionSteps, width: i32) -> i32 {
    let Some(block) = &steps.block else { return 0 };
    let rows: i32 = rows(steps, block, Stage::All).iter().map(|row| row.height(width)).sum();
    head(width).len() as i32 * LINE + BETWEEN + rows + BELOW
}

fn head(width: i32) -> Vec<String> {
    wrap(TITLE, width, Theme::LIGHT.note().size, false)
}

/// The rows, that of `now` marked.
fn rows(steps: &AttentionSteps, block: &Block, now: Stage) -> Vec<BlockRow> {
    let held = block.attention.schedule.held;
    let weights = |stays: bool| if stays { "weights stay" } else { "weights stream" };
    let stay = |are_there: bool, stays: &'static str, moved: &'static str| if are_there { stays } else { moved };
    let results = stay(block.parts.is_some(), "results stay on the chip", "results go to DRAM");
    let mut stages = Vec::new();
    if let Some(run) = &block.queries {
        let weights = weights(block.weights_before_stay);
        stages.push((Stage::Queries, format!("{}: {weights}, queries stay on the chip", run.parts.join(" + "))));
    }
    stages.push((Stage::Weights, "weights of keys and values, head by head".to_owned()));
    stages.push((Stage::All, format!("attention, head by head: keys {}, {results}", held.name())));
    if let Some(run) = &block.parts {
        stages.push((Stage::Behind, format!("{}: {}", run.parts.join(" + "), weights(run.resident))));
    }
    let is_of = |stage: Stage, other: Stage| stage == other || (stage.is_attention() && other.is_attention());
    let of_stage = |(stage, name): (Stage, String)| {
        let alike = steps.works().iter().filter(|steps| is_of(stage, steps.stage));
        let energy = alike.map(|steps| steps.times as f64 * steps.work.energy_pj()).sum();
        BlockRow { name, is_now: is_of(stage, now), energy }
    };
    let once = BlockRow {
        name: "once: weights and inputs that stay".to_owned(),
        is_now: false,
        energy: steps.once.energy_pj(),
    };
    stages.into_iter().map(of_stage).chain([once]).filter(|row| row.energy > 0.0).collect()
}

pub(super) fn draw(steps: &AttentionSteps, block: &Block, now: Stage, width: i32, theme: &Theme) -> Sketch {
    let mut sketch = Sketch::new(width as u32, height(steps, width) as u32);
    let rows = rows(steps, block, now);
    let most = rows.iter().map(|row| row.energy).fold(f64::MIN_POSITIVE, f64::max);
    let mut top = 0;
    for line in head(width) {
        sketch.text(line, (0, top + 8), theme.note());
        top += LINE;
    }
    top += BETWEEN;
    for row in &rows {
        let letters = if row.is_now { theme.value().bold() } else { theme.value() };
        sketch.text(Quantity::Energy.text(row.energy), (width, top + 7), letters.end());
        let mut below = top;
        for line in row.lines(width) {
            sketch.text(line, (0, below + 7), letters.start());
            below += LINE;
        }
        let length = (row.energy / most * f64::from(width)).round() as i32;
        let color = if row.is_now { theme.accent } else { mix(theme.soft, theme.panel, 0.5) };
        sketch.rect((0, below + 1), (width, BAR), theme.placeholder());
        sketch.rect((0, below + 1), (length.max(1), BAR), color);
        top += row.height(width);
    }
    sketch
}
