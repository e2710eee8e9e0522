//! DRAM, the chip, the array and the lanes, one below the other; between them the data that a step moves, by tensor.

use super::tensor_color;
use crate::kit::{Quantity, Sketch, Theme, mix, shorten, text_on};
use fusescape_engine::attention::{Place, Stage, StepWork, Tensor};
use fusescape_engine::explore::AttentionTrace;

const BOX: i32 = 26;
const CHIP: i32 = 40;
const ARROWS: i32 = 78;
const NOTE: i32 = 34;
const WIDEST: f64 = 18.0;
const APART: i32 = 10;
/// Smallest width of the array and of the lanes.
const NARROWEST: i32 = 100;

/// The two places that a column of arrows connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Border {
    Dram,
    Array,
    Lanes,
}

impl Border {
    fn of(from: Place, to: Place) -> Option<(Self, bool)> {
        match (from, to) {
            (Place::Dram, _) => Some((Self::Dram, true)),
            (_, Place::Dram) => Some((Self::Dram, false)),
            (_, Place::Array) => Some((Self::Array, true)),
            (Place::Array, _) => Some((Self::Array, false)),
            (_, Place::Lanes) => Some((Self::Lanes, true)),
            (Place::Lanes, _) => Some((Self::Lanes, false)),
            _ => None,
        }
    }
}

/// Places of all parts; the same in every step of attention, and in every step of each other stage of a block, so that
/// only the arrows change.
pub(super) struct FlowLayout {
    pub width: i32,
    pub height: i32,
    /// Tensors that cross each border in any of these steps.
    columns: [Vec<Tensor>; 3],
    /// The largest energy of a flow in any of these steps, pJ.
    most: f64,
}

impl FlowLayout {
    pub fn new(of: &AttentionTrace, stage: Stage, width: i32) -> Self {
        let is_such = |other: Stage| other == stage || (other.is_attention() && stage.is_attention());
        let such = || of.steps.works().iter().filter(|steps| is_such(steps.stage)).map(|steps| &steps.work);
        let flows = || such().flat_map(|work| work.flows.iter().zip(&work.flow_energy));
        let columns = [Border::Dram, Border::Array, Border::Lanes].map(|border| {
            let crosses = |tensor: &Tensor| {
                flows().any(|(flow, _)| {
                    flow.tensor == *tensor && Border::of(flow.from, flow.to).is_some_and(|(at, _)| at == border)
                })
            };
            Tensor::ALL.into_iter().filter(crosses).collect()
        });
        let most = flows().map(|(_, energy)| *energy).fold(0.0, f64::max);
        Self { width, height: 2 * ARROWS + 2 * BOX + CHIP + NOTE, columns, most }
    }

    /// Width of the array: proportional to the columns below the chip, but wide enough for its number, as are the
    /// lanes.
    fn array_width(&self) -> i32 {
        let [_, array, lanes] = self.counts();
        let share = (self.width - APART) / (array + lanes) * array;
        share.clamp(NARROWEST, (self.width - APART - NARROWEST).max(NARROWEST))
    }

    fn counts(&self) -> [i32; 3] {
        self.columns.each_ref().map(|columns| columns.len().max(1) as i32)
    }

    /// Left edge of the columns of a border, and the width of one.
    fn across(&self, border: Border) -> (i32, i32) {
        let [dram, array, lanes] = self.counts();
        let split = self.array_width();
        match border {
            Border::Dram => (0, (self.width / dram).min(120)),
            Border::Array => (0, split / array),
            Border::Lanes => (split + APART, (self.width - APART - split) / lanes),
        }
    }

    pub fn draw(&self, of: &AttentionTrace, work: &StepWork, theme: &Theme) -> Sketch {
        let mut sketch = Sketch::new(self.width as u32, self.height as u32);
        let chip = BOX + ARROWS;
        let bottom = chip + CHIP + ARROWS;
        place(&mut sketch, theme, (0, 0), (self.width, BOX), &of.dram);
        let names: Vec<&str> = of.on_chip.iter().map(|(name, _)| name.as_str()).collect();
        place(&mut sketch, theme, (0, chip), (self.width, CHIP), "");
        let middle = self.width / 2;
        let letters = theme.value().middle().color(text_on(mix(theme.soft, theme.panel, 0.3)));
        let names = shorten(&names.join(" and "), self.width - 12, 12.0, true);
        sketch.text(names, (middle, chip + 12), letters.bold());
        let steps = &of.steps;
        let needed = steps.block.as_ref().map_or(steps.account.needed_bits, |block| block.needed_bits);
        let needed: u64 = needed.iter().sum();
        let size: u64 = of.on_chip.iter().map(|(_, size)| size).sum();
        let bytes = |bits: u64| Quantity::Bytes.text(bits as f64 / 8.0);
        let what = if steps.block.is_some() { "block" } else { "schedule" };
        let held = match of.kept_bits {
            0 => format!("the {what} needs {} of {}", bytes(needed), bytes(size)),
            kept => format!("needs {}, keys and values {}, of {}", bytes(needed), bytes(kept), bytes(size)),
        };
        sketch.text(shorten(&held, self.width - 12, 11.0, false), (middle, chip + 28), letters.size(11.0));
        let array = self.array_width();
        let busy = format!("array: {}", Quantity::Macs.text(work.macs as f64));
        place(&mut sketch, theme, (0, bottom), (array, BOX), &busy);
        let lanes = match (of.has_lanes, work.lane_operations()) {
            (false, _) => "no lanes".to_owned(),
            (true, operations) => {
                let count = Quantity::Macs.compact(operations as f64);
                let whole = format!("lanes: {count} operations");
                let has_room = theme.value().width(&whole) < self.width - array - APART - 8;
                if has_room { whole } else { format!("lanes: {count}") }
            }
        };
        place(&mut sketch, theme, (array + APART, bottom), (self.width - array - APART, BOX), &lanes);
        for (border, at, top) in
            [(Border::Dram, 0, BOX), (Border::Array, 1, chip + CHIP), (Border::Lanes, 2, chip + CHIP)]
        {
            for (column, &tensor) in self.columns[at].iter().enumerate() {
                self.column(&mut sketch, theme, work, (border, tensor), (column as i32, top));
            }
        }
        let note = format!("The widest arrow of such steps takes {}.", Quantity::Energy.text(self.most));
        let letters = theme.label().start();
        sketch.text(
            shorten("Arrows are as wide as their energy.", self.width, letters.size, false),
            (0, bottom + BOX + 10),
            letters,
        );
        sketch.text(shorten(&note, self.width, letters.size, false), (0, bottom + BOX + 25), letters);
        sketch
    }

    /// The transfer of a tensor over a border: its name, arrows, and bytes.
    fn column(
        &self,
        sketch: &mut Sketch,
        theme: &Theme,
        work: &StepWork,
        (border, tensor): (Border, Tensor),
        (column, top): (i32, i32),
    ) {
        let (left, pitch) = self.across(border);
        let middle = left + column * pitch + pitch / 2;
        let mut bits = 0;
        for (flow, energy) in work.flows.iter().zip(&work.flow_energy).filter(|(flow, _)| flow.tensor == tensor) {
            let Some((_, is_down)) = Border::of(flow.from, flow.to).filter(|(at, _)| *at == border) else { continue };
            bits += flow.read_bits.max(flow.written_bits);
            let most = f64::from(pitch / 2 - 4).clamp(2.0, WIDEST);
            let width = ((energy / self.most.max(f64::MIN_POSITIVE) * most).round() as i32).max(1);
            let x = middle + if is_down { -pitch / 5 } else { pitch / 5 };
            sketch.arrow((x, top + 19, top + ARROWS - 19), width, is_down, tensor_color(tensor, theme));
        }
        let letters = theme.label().size(10.5);
        let name = if tensor == Tensor::Running { "running" } else { tensor.name() };
        let shade = if bits > 0 { theme.ink } else { mix(theme.soft, theme.panel, 0.35) };
        let name = shorten(name, pitch - 2, letters.size, false);
        sketch.text(name, (middle, top + 9), letters.color(shade));
        if bits > 0 {
            let amount = shorten(&Quantity::Bytes.text(bits as f64 / 8.0), pitch - 1, letters.size, false);
            sketch.text(amount, (middle, top + ARROWS - 9), letters.color(theme.ink));
        }
    }
}

fn place(sketch: &mut Sketch, theme: &Theme, at: (i32, i32), size: (i32, i32), name: &str) {
    let color = mix(theme.soft, theme.panel, 0.3);
    sketch.round_rect(at, size, 4, color);
    let letters = theme.value().middle().color(text_on(color));
    let text = shorten(name, size.0 - 8, letters.size, false);
    sketch.text(text, (at.0 + size.0 / 2, at.1 + size.1 / 2), letters);
}
