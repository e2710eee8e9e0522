//! The score matrix of a head: queries downwards, keys to the right; marked as done, computed now, or masked.

use super::{span_text, tensor_color};
use crate::kit::{Color, Sketch, Theme, group_thousands, mix, shorten};
use fusescape_engine::attention::{AttentionSteps, AttentionTraceStep, Fusion, Stage, Tensor};
use std::ops::Range;

const STRIP: i32 = 12;
const GAP: i32 = 4;
const HEAD: i32 = 18;
const LEFT: i32 = 18;
const FOOT: i32 = 18;

/// The state of a score, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    Open,
    Masked,
    Scored,
    Done,
    Now,
    Wasted,
}

impl Ink {
    pub fn color(self, theme: &Theme) -> Color {
        let strong = theme.modes[1];
        match self {
            Self::Open => theme.placeholder(),
            Self::Masked => mix(theme.panel, theme.line, 0.12),
            Self::Scored => mix(theme.panel, strong, 0.2),
            Self::Done => mix(theme.panel, strong, 0.42),
            Self::Now => theme.accent,
            Self::Wasted => mix(theme.panel, theme.stall, 0.6),
        }
    }
}

/// Places of the parts of the matrix.
pub(super) struct ScoreMatrix {
    across: i32,
    down: i32,
    pub height: i32,
}

impl ScoreMatrix {
    pub fn new(steps: &AttentionSteps, width: i32) -> Self {
        let shape = &steps.problem.shape;
        let across = width - LEFT - 2 * (STRIP + GAP) - 14;
        let ratio = shape.queries as f64 / shape.keys.max(1) as f64;
        let down = ((f64::from(across) * ratio) as i32).clamp(28, across);
        Self { across, down, height: HEAD + STRIP + GAP + down + FOOT }
    }

    const fn left() -> i32 {
        LEFT + STRIP + GAP
    }

    const fn top() -> i32 {
        HEAD + STRIP + GAP
    }

    pub fn hit(&self, steps: &AttentionSteps, (x, y): (f64, f64)) -> Option<(u64, u64)> {
        let shape = &steps.problem.shape;
        let (across, down) = (
            (x - f64::from(Self::left())) / f64::from(self.across),
            (y - f64::from(Self::top())) / f64::from(self.down),
        );
        let is_inside = (0.0..1.0).contains(&across) && (0.0..1.0).contains(&down);
        is_inside.then_some(((down * shape.queries as f64) as u64, (across * shape.keys as f64) as u64))
    }

    pub fn draw(&self, steps: &AttentionSteps, step: &AttentionTraceStep, theme: &Theme) -> Sketch {
        let shape = &steps.problem.shape;
        let mut sketch = Sketch::new((Self::left() + self.across + STRIP + GAP + 14) as u32, self.height as u32);
        let x = |key: u64| Self::left() + (key as f64 / shape.keys as f64 * f64::from(self.across)).round() as i32;
        let y = |query: u64| Self::top() + (query as f64 / shape.queries as f64 * f64::from(self.down)).round() as i32;
        self.fill(&mut sketch, steps, step, theme);
        let tile = steps.tiles[step.tile];
        let rows = y(tile.query)..y(tile.query + tile.size).max(y(tile.query) + 2);
        let keys = x(step.keys.0)..x(step.keys.1).max(x(step.keys.0) + 2);
        // Strips: queries at the left, keys above, results at the right.
        let bar = |color: Color| mix(theme.panel, color, 0.25);
        let right = Self::left() + self.across + GAP;
        let [queries, of_keys, output] =
            [Tensor::Queries, if step.stage == Stage::Values { Tensor::Values } else { Tensor::Keys }, Tensor::Output]
                .map(|tensor| tensor_color(tensor, theme));
        sketch.rect((LEFT, Self::top()), (STRIP, self.down), bar(queries));
        match step.stage {
            Stage::Queries => sketch.hatch((LEFT, rows.start), (STRIP, rows.end - rows.start), queries),
            _ => sketch.rect((LEFT, rows.start), (STRIP, rows.end - rows.start), queries),
        }
        sketch.rect((Self::left(), HEAD), (self.across, STRIP), bar(of_keys));
        let meets_keys = step.keys.0 < step.keys.1;
        if meets_keys && step.stage != Stage::Softmax {
            sketch.rect((keys.start, HEAD), (keys.end - keys.start, STRIP), of_keys);
        }
        sketch.rect((right, Self::top()), (STRIP, self.down), bar(output));
        let written = written_until(steps, step);
        sketch.rect((right, Self::top()), (STRIP, y(written) - Self::top()), output);
        if written < tile.query + tile.size && matches!(step.stage, Stage::All | Stage::Values) {
            sketch.hatch((right, rows.start), (STRIP, rows.end - rows.start), output);
        }
        // The row of the tile of queries, and in it the tile of keys.
        let frame = |sketch: &mut Sketch, across: &Range<i32>, width: u32, color: Color| {
            let corners = [
                (across.start, rows.start),
                (across.end, rows.start),
                (across.end, rows.end),
                (across.start, rows.end),
            ];
            sketch.line(corners.into_iter().chain([corners[0]]).collect(), width, color);
        };
        frame(&mut sketch, &(x(tile.key)..x(tile.key + tile.keys)), 1, theme.soft);
        if meets_keys {
            frame(&mut sketch, &keys, 2, theme.ink);
        }
        let letters = theme.label();
        let all_keys = format!("keys {}", span_text(0, shape.keys));
        sketch.text(shorten(&all_keys, self.across, letters.size, false), (Self::left(), 7), letters.start());
        let results = "results";
        sketch.text(results, (right + STRIP, 7), letters.end());
        if self.down > 60 {
            let of_head = format!("queries {}", span_text(0, shape.queries));
            sketch.text_upwards(
                shorten(&of_head, self.down, letters.size, false),
                (7, Self::top() + self.down / 2),
                letters,
            );
        }
        let seen = format!(
            "{} of {} scores of a head",
            group_thousands(self.seen(steps)),
            group_thousands(shape.queries * shape.keys)
        );
        let note = if steps.problem.causal { format!("seen: {seen}") } else { seen };
        sketch.text(shorten(&note, self.across, letters.size, false), (Self::left(), self.height - 8), letters.start());
        sketch
    }

    fn seen(&self, steps: &AttentionSteps) -> u64 {
        let problem = &steps.problem;
        problem.unmasked_scores() / (problem.shape.batch * problem.shape.heads).max(1)
    }

    /// The scores, one row of pixels after the other; equal neighbours are one rectangle.
    fn fill(&self, sketch: &mut Sketch, steps: &AttentionSteps, step: &AttentionTraceStep, theme: &Theme) {
        let shape = &steps.problem.shape;
        let x = |key: u64| (key as f64 / shape.keys as f64 * f64::from(self.across)).round() as i32;
        let row = |pixel: i32| -> Vec<(Ink, Range<i32>)> {
            let query = ((f64::from(pixel) + 0.5) / f64::from(self.down) * shape.queries as f64) as u64;
            let query = query.min(shape.queries - 1);
            let seen = steps.problem.first_key(query)..steps.problem.keys_until(query + 1);
            parts(steps, step, query, &seen, shape.keys)
                .into_iter()
                .map(|(ink, keys)| (ink, x(keys.start)..x(keys.end)))
                .collect()
        };
        let mut first = 0;
        let mut parts = row(0);
        for pixel in 1..=self.down {
            let next = if pixel < self.down { row(pixel) } else { Vec::new() };
            if next != parts {
                for (ink, across) in &parts {
                    let at = (Self::left() + across.start, Self::top() + first);
                    sketch.rect(at, (across.end - across.start, pixel - first), ink.color(theme));
                }
                (first, parts) = (pixel, next);
            }
        }
    }
}

/// The keys of a query, from left to right, as ranges of equal state.
fn parts(
    steps: &AttentionSteps,
    step: &AttentionTraceStep,
    query: u64,
    seen: &Range<u64>,
    keys: u64,
) -> Vec<(Ink, Range<u64>)> {
    let tile = steps.tiles.partition_point(|tile| tile.query + tile.size <= query);
    let [scored, done] = reached(steps, step, tile);
    let of = steps.tiles[tile];
    let now = if tile == step.tile { step.keys.0..step.keys.1 } else { 0..0 };
    let mut edges = vec![0, seen.start, seen.end, of.key, scored, done, now.start, now.end, keys];
    edges.sort_unstable();
    edges.dedup();
    let mut parts: Vec<(Ink, Range<u64>)> = Vec::new();
    for pair in edges.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let is_seen = seen.contains(&from);
        let is_scored = from >= of.key && from < scored.max(done);
        let ink = match (now.contains(&from), is_seen) {
            (true, true) => Ink::Now,
            (true, false) => Ink::Wasted,
            (false, false) if is_scored => Ink::Wasted,
            (false, false) => Ink::Masked,
            (false, true) if from >= of.key && from < done => Ink::Done,
            (false, true) if is_scored => Ink::Scored,
            (false, true) => Ink::Open,
        };
        match parts.last_mut() {
            Some((last, keys)) if *last == ink => keys.end = to,
            _ => parts.push((ink, from..to)),
        }
    }
    parts
}

/// For a tile of queries, the ends of two ranges that begin at its first key: keys with scores, and keys whose values
/// have been weighted.
fn reached(steps: &AttentionSteps, step: &AttentionTraceStep, tile: usize) -> [u64; 2] {
    let of = steps.tiles[tile];
    let (start, end) = (of.key, of.key + of.keys);
    let before = tile < step.tile;
    let here = tile == step.tile;
    match (steps.schedule().fusion, step.stage) {
        (_, Stage::Queries | Stage::Weights) => [if before { end } else { start }; 2],
        (_, Stage::Behind) => [if before || here { end } else { start }; 2],
        (Fusion::KeysStay, _) => {
            let size = steps.schedule().keys;
            let column = step.keys.0 / size * size;
            let done = if before { (column + size).min(end) } else { column.min(end) };
            [done.max(start); 2]
        }
        (Fusion::QueriesStay, _) => {
            [if before {
                end
            } else if here {
                step.keys.0
            } else {
                start
            }; 2]
        }
        (Fusion::Rows(_), _) if before => [end; 2],
        (Fusion::Rows(_), Stage::Scores) if here => [step.keys.0, start],
        (Fusion::Rows(_), Stage::Softmax) if here => [end, start],
        (Fusion::Rows(_), _) if here => [end, step.keys.0],
        (Fusion::Rows(_), _) => [start; 2],
        (Fusion::None, Stage::Scores) => [
            if before {
                end
            } else if here {
                step.keys.0
            } else {
                start
            },
            start,
        ],
        (Fusion::None, Stage::Softmax) => [end, start],
        (Fusion::None, _) => [
            end,
            if before {
                end
            } else if here {
                step.keys.0
            } else {
                start
            },
        ],
    }
}

/// Number of queries, from the first on, whose results are in DRAM; in a block that uses them further, on the chip.
fn written_until(steps: &AttentionSteps, step: &AttentionTraceStep) -> u64 {
    let is_last = step.visit + 1 == step.visits && step.head_tile + 1 == steps.head_tiles();
    let computes = matches!(step.stage, Stage::All | Stage::Values);
    let tile = steps.tiles[step.tile];
    match steps.schedule().fusion {
        _ if step.stage == Stage::Behind => tile.query + tile.size,
        Fusion::KeysStay => {
            // Tiles whose last key is in an earlier tile of keys, or in this one if it has passed.
            let size = steps.schedule().keys;
            let last = |at: usize| (steps.tiles[at].key + steps.tiles[at].keys - 1) / size;
            let column = step.keys.0 / size;
            let passed = |at: usize| last(at) < column || (last(at) == column && at < step.tile + usize::from(is_last));
            let count = (0..steps.tiles.len()).take_while(|&at| passed(at)).count();
            steps.tiles.get(count).map_or(steps.problem.shape.queries, |tile| tile.query)
        }
        Fusion::None if !computes => 0,
        _ if computes && is_last => tile.query + tile.size,
        _ => tile.query,
    }
}
