//! The change from one point to another by cause: a bar with increases to the right and decreases to the left.

use crate::kit::{BarCause, Chart, Column, MINIMUM_WIDTH, Quantity, Sketch, Table, TableCell, Theme};

/// Increases and decreases of one quantity, by cause.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeBar {
    pub quantity: Quantity,
    /// Change by cause, in base units; negative for a decrease.
    pub growths: Vec<(BarCause, f64)>,
    /// The total before the change, in base units.
    pub whole: f64,
}

/// The share of the total that fits to the left of the zero line; twice as much fits to the right. Longer bars are cut
/// off and marked.
const LEFT_SHARE: f64 = 0.5;
const HEIGHT: i32 = 18;
const BAR: i32 = 12;
/// Width of the mark of a bar that is cut off.
const CUT: i32 = 5;

impl ChangeBar {
    /// Draws the parts of one sign, from the middle outwards.
    fn draw_side(&self, sketch: &mut Sketch, theme: &Theme, sign: f64) {
        let middle = zero(sketch);
        let scale = f64::from(middle) / (LEFT_SHARE * self.whole.abs().max(f64::MIN_POSITIVE));
        let room = f64::from(if sign > 0.0 { sketch.width as i32 - middle } else { middle } - 1);
        let mut sum = 0.0;
        for (cause, growth) in self.growths.iter().filter(|(_, growth)| growth * sign > 0.0) {
            let place = |sum: f64| (sum * scale).min(room).round() as i32;
            let (from, to) = (place(sum), place(sum + growth.abs()));
            sum += growth.abs();
            let left = if sign > 0.0 { middle + from } else { middle - to };
            if to > from {
                sketch.rect((left, (HEIGHT - BAR) / 2), (to - from, BAR), theme.cause(*cause));
            }
        }
        if sum * scale > room {
            let at = if sign > 0.0 { middle + room as i32 - 2 * CUT } else { middle - room as i32 + CUT };
            for step in [0, 2] {
                let x = at + step * 2;
                sketch.line(vec![(x, HEIGHT - 3), (x + CUT, 3)], 2, theme.panel);
            }
        }
    }
}

/// Horizontal place of the zero line.
fn zero(sketch: &Sketch) -> i32 {
    sketch.width as i32 / 3
}

impl Chart for ChangeBar {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let mut sketch = Sketch::new(width.max(MINIMUM_WIDTH), HEIGHT as u32);
        let width = sketch.width as i32;
        sketch.rect((0, HEIGHT / 2), (width, 1), theme.grid());
        for sign in [1.0, -1.0] {
            self.draw_side(&mut sketch, theme, sign);
        }
        sketch.rect((zero(&sketch), 0), (1, HEIGHT), theme.soft);
        sketch
    }

    fn height_for(&self, _: u32) -> u32 {
        HEIGHT as u32
    }

    fn table(&self) -> Table {
        let largest = self.growths.iter().map(|(_, growth)| growth.abs()).fold(0.0, f64::max);
        let unit = self.quantity.unit(largest);
        let row = |(cause, growth): &(BarCause, f64)| vec![cause.name().into(), TableCell::scaled(unit, *growth)];
        Table {
            caption: format!("What changes: {}", self.quantity.name()),
            columns: vec![Column::words("cause"), Column::scaled("change", self.quantity, unit)],
            rows: self.growths.iter().map(row).collect(),
        }
    }

    fn describe(&self) -> String {
        let text = |(cause, growth): &(BarCause, f64)| {
            let way = if *growth < 0.0 { "less" } else { "more" };
            format!("{} {} {way}", cause.name(), self.quantity.text(growth.abs()))
        };
        let seen: Vec<String> = self.growths.iter().filter(|(_, growth)| *growth != 0.0).map(text).collect();
        match seen.is_empty() {
            true => format!("No cause of {} changes.", self.quantity.name()),
            false => format!("Change of {} by cause: {}.", self.quantity.name(), seen.join(", ")),
        }
    }
}
