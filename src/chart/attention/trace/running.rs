//! The running values of a one-pass softmax on an example: one query with made-up scores, tile of keys by tile of keys.

use crate::kit::{Sketch, Theme, shorten, three_digits};
use fusescape_engine::attention::{AttentionTraceStep, Running};

pub(super) const HEIGHT: i32 = 158;
const TOP: i32 = 38;
const PLOT: i32 = 64;
/// Scores of a tile in the example.
const SCORES: u64 = 6;

/// Made-up scores of a tile of keys, from about -3 to 3; the same ones in every drawing.
fn example(visit: u64) -> Vec<f64> {
    let score = |at: u64| {
        // SplitMix64: pseudo-random bits of a number.
        let mut bits = (visit * SCORES + at).wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        let parts = (0..4).map(|part| ((bits >> (16 * part)) & 0xFFFF) as f64 / 65536.0);
        2.0 * (parts.sum::<f64>() - 2.0)
    };
    (0..SCORES).map(score).collect()
}

/// An empty space of the same size, where there are no running values.
pub(super) fn draw_none(width: i32, theme: &Theme) -> Sketch {
    let mut sketch = Sketch::new(width as u32, HEIGHT as u32);
    sketch.text(shorten("What runs along, for one query", width, 12.0, true), (0, 8), theme.value().bold());
    let text = "no softmax in this step: it is of a whole tile of tokens";
    sketch.text(shorten(text, width, 12.0, false), (0, 24), theme.label().start());
    sketch.rect((0, TOP), (width, PLOT), theme.placeholder());
    sketch
}

pub(super) fn draw(step: &AttentionTraceStep, width: i32, theme: &Theme) -> Sketch {
    let mut sketch = Sketch::new(width as u32, HEIGHT as u32);
    let (visits, now) = (step.visits, step.visit);
    let mut before = Running::default();
    let mut running = Running::default();
    let bottom = TOP + PLOT;
    let y = |score: f64| bottom - ((score.clamp(-3.4, 4.0) + 3.4) / 7.4 * f64::from(PLOT)).round() as i32;
    let x = |visit: u64| (f64::from(width) * (visit as f64 / visits as f64)).round() as i32;
    let fit = |text: &str| shorten(text, width, 12.0, false);
    sketch.text(shorten("What runs along, for one query", width, 12.0, true), (0, 8), theme.value().bold());
    sketch.text(fit("dots: made-up scores; the line: their maximum so far"), (0, 24), theme.label().start());
    sketch.rect((0, TOP), (width, PLOT), theme.placeholder());
    let mut last_pixel = -1;
    for visit in 0..=now {
        let scores = example(visit);
        before = running;
        running = running.after(&scores);
        let (from, to) = (x(visit), x(visit + 1).max(x(visit) + 1));
        if from > last_pixel || visit == now {
            for (at, score) in scores.iter().enumerate() {
                let middle = from + ((to - from) * (2 * at as i32 + 1)) / (2 * SCORES as i32);
                let color = if visit == now { theme.accent } else { theme.modes[0] };
                let middle = middle.clamp(3, width - 4);
                sketch.circle((middle, y(*score)), if visit == now { 3 } else { 2 }, color);
            }
            last_pixel = from;
        }
        let line = y(running.maximum);
        if visit > 0 && running.maximum > before.maximum {
            sketch.rect((from - 1, line), (2, y(before.maximum) - line), theme.copy);
        }
        sketch.rect((from, line - 1), (to - from, 2), theme.copy);
    }
    let digits = |number: f64| if number.abs() < 1e-9 { "0".to_owned() } else { three_digits(number) };
    let tile = format!("tile {} of {}", now + 1, visits);
    let maximum = if now == 0 {
        format!("{tile}: the maximum is {}", digits(running.maximum))
    } else if running.maximum > before.maximum {
        format!("{tile}: the maximum rises from {} to {}", digits(before.maximum), digits(running.maximum))
    } else {
        format!("{tile}: the maximum stays {}", digits(running.maximum))
    };
    let added = running.denominator - before.denominator * running.correction;
    let (denominator, factor) = if now == 0 {
        let why =
            if visits > 1 { "nothing to correct yet" } else { "all keys are one tile: nothing is ever corrected" };
        (format!("denominator {}", digits(running.denominator)), why.to_owned())
    } else {
        let corrected = format!("{} × {}", digits(before.denominator), digits(running.correction));
        let sum = format!("denominator {corrected} + {} = {}", digits(added), digits(running.denominator));
        let why = match running.maximum > before.maximum {
            true => format!("numerators × {}, too: e^(old − new maximum)", digits(running.correction)),
            false => "numerators × 1: nothing to correct".to_owned(),
        };
        (sum, why)
    };
    for (line, text) in [maximum, denominator, factor].iter().enumerate() {
        sketch.text(fit(text), (0, bottom + 14 + 16 * line as i32), theme.note().color(theme.ink));
    }
    sketch
}
