//! The memories of a core as gauges, filled to scale with their contents, and the transfers between them as arrows.
//!
//! A column stands for an operand, the highest memory at the top. A memory that several operands share is as wide as
//! their columns.

use super::{StackStep, TracedStack};
use crate::kit::{
    Color, LegendEntry, LegendMark, Quantity, Region, Sketch, Subject, Theme, draw_legend, legend_height, mix, shorten,
    text_on,
};
use fusescape_engine::cost::EnergyCause;
use fusescape_engine::depth_first::{Contents, ContentsPart, FlowEnd, LayerTileAccount, MemoryAccount, OperandFlow};
use fusescape_engine::hardware::{MemoryId, Operand};
use fusescape_engine::ids::TiVec;

/// Operands of the columns, from the left: the orders that are tried so that shared memories span neighbouring columns.
const ORDERS: [[Operand; 3]; 3] =
    [[Operand::W, Operand::I, Operand::O], [Operand::I, Operand::W, Operand::O], [Operand::I, Operand::O, Operand::W]];

const HEAD: i32 = 20;
const NAME: i32 = 16;
const TANK: i32 = 42;
const ARROWS: i32 = 44;
const ROW: i32 = NAME + TANK + ARROWS;
const ARRAY: i32 = 26;
const GAP: i32 = 8;
/// Two lines about arrows below the legend.
const NOTES: i32 = 40;

/// Places of the gauges.
pub(super) struct MemoryGaugesLayout {
    width: i32,
    order: [Operand; 3],
    /// The row of each memory, counted from the highest.
    rows: TiVec<MemoryId, i32>,
    row_count: i32,
    pub height: i32,
}

impl MemoryGaugesLayout {
    pub fn new(traced: &TracedStack, width: i32) -> Self {
        let memories = &traced.account.memories;
        let is_together = |order: &[Operand; 3]| {
            let split = |memory: &MemoryAccount| {
                let has = order.map(|operand| memory.operands.contains(&operand));
                has == [true, false, true]
            };
            !memories.iter().any(split)
        };
        let order = ORDERS.into_iter().find(is_together).unwrap_or(ORDERS[0]);
        let mut rows: TiVec<MemoryId, i32> = memories.iter().map(|_| 0).collect();
        // Memories are listed from the lowest to the highest.
        let mut next = [0; 3];
        for (id, memory) in memories.iter_enumerated().rev() {
            let row = memory.operands.iter().map(|&operand| next[operand as usize]).max().unwrap_or(0);
            if let Some(place) = rows.get_mut(id) {
                *place = row;
            }
            memory.operands.iter().for_each(|&operand| next[operand as usize] = row + 1);
        }
        let row_count = rows.iter().max().map_or(0, |row| row + 1);
        Self { width, order, rows, row_count, height: 0 }.measured()
    }

    fn measured(self) -> Self {
        let legend = legend_height(&entries(&Theme::LIGHT), self.width - 2, Theme::LIGHT.label());
        Self { height: self.array_top() + ARRAY + 8 + legend + NOTES, ..self }
    }

    /// Width of the widest arrow: four stand side by side in a column.
    fn widest(&self) -> f64 {
        f64::from((self.pitch() / 4 - 5).clamp(4, 26))
    }

    fn column_of(&self, operand: Operand) -> i32 {
        self.order.iter().position(|&other| other == operand).unwrap_or(0) as i32
    }

    fn pitch(&self) -> i32 {
        self.width / 3
    }

    /// Left edge and width of a memory.
    fn across(&self, memory: &MemoryAccount) -> (i32, i32) {
        let columns = || memory.operands.iter().map(|&operand| self.column_of(operand));
        let (first, last) = (columns().min().unwrap_or(0), columns().max().unwrap_or(0));
        (first * self.pitch() + GAP / 2, (last - first + 1) * self.pitch() - GAP)
    }

    /// Upper edge of the tank of a memory.
    fn tank_top(&self, memory: MemoryId) -> i32 {
        HEAD + self.rows.get(memory).copied().unwrap_or(0) * ROW + NAME
    }

    /// One region per memory, with its contents.
    pub fn regions(&self, traced: &TracedStack, at: (i32, i32)) -> Vec<Region> {
        let region = |(id, memory): (MemoryId, &MemoryAccount)| {
            let ((x, width), top) = (self.across(memory), self.tank_top(id) - NAME);
            let at = (at.0 + x - 2, at.1 + top);
            Region { at, size: (width + 4, NAME + TANK + 2), subject: Subject::memory(&memory.name) }
        };
        traced.account.memories.iter_enumerated().map(region).collect()
    }

    fn array_top(&self) -> i32 {
        HEAD + self.row_count * ROW
    }

    /// Upper and lower edge of a place on the gauge or array.
    fn edges(&self, place: FlowEnd) -> (i32, i32) {
        match place {
            FlowEnd::Array => (self.array_top(), self.array_top() + ARRAY),
            FlowEnd::Memory(memory) => (self.tank_top(memory) - NAME, self.tank_top(memory) + TANK),
        }
    }
}

fn part_color(part: ContentsPart, theme: &Theme) -> Color {
    match part {
        ContentsPart::Running(operand) => theme.operand(operand),
        ContentsPart::OtherWeights => mix(theme.weight, theme.panel, 0.55),
        ContentsPart::Waiting => mix(theme.input, theme.panel, 0.55),
        ContentsPart::Kept => theme.copy,
    }
}

impl StackStep {
    pub(super) fn draw_gauges(&self, sketch: &mut Sketch, theme: &Theme, layout: &MemoryGaugesLayout, at: (i32, i32)) {
        let (Some(stack), Some(layer)) = (self.stack(), self.layer()) else { return };
        let mut gauges = Sketch::new(sketch.width, sketch.height);
        for operand in layout.order {
            let middle = layout.column_of(operand) * layout.pitch() + layout.pitch() / 2;
            let letters = theme.value().bold().middle().color(theme.ink);
            gauges.text(shorten(operand_title(operand), layout.pitch() - 2, letters.size, true), (middle, 7), letters);
        }
        let flows = layer.flows();
        let scale = layout.widest() / self.most_energy().max(f64::MIN_POSITIVE);
        let contents = stack.contents(&self.traced.trace, self.step, &self.traced.account.memories);
        self.draw_arrows(&mut gauges, theme, layout, &flows, scale);
        for (id, memory) in self.traced.account.memories.iter_enumerated() {
            if let Some(contents) = contents.get(id) {
                draw_gauge(&mut gauges, theme, layout, (id, memory), contents);
            }
        }
        draw_array(&mut gauges, theme, layout, layer);
        draw_key(&mut gauges, theme, layout, self.most_energy());
        sketch.place(gauges, at);
    }

    /// The largest energy of a flow in any layer of this tile, pJ.
    fn most_energy(&self) -> f64 {
        let layers = self.tile().map(|(_, tile)| tile.layers.iter()).into_iter().flatten();
        layers.flat_map(|layer| layer.flows()).map(|flow| flow.energy_pj).fold(0.0, f64::max)
    }

    fn draw_arrows(
        &self,
        sketch: &mut Sketch,
        theme: &Theme,
        layout: &MemoryGaugesLayout,
        flows: &[OperandFlow],
        scale: f64,
    ) {
        let row = |place: FlowEnd| match place {
            FlowEnd::Array => layout.row_count,
            FlowEnd::Memory(memory) => layout.rows.get(memory).copied().unwrap_or(0),
        };
        // Down, copied down, up, copied up: four slots side by side in the column of their operand.
        for (slot, is_down, is_copy) in [(0, true, false), (1, true, true), (2, false, true), (3, false, false)] {
            for flow in
                flows.iter().filter(|flow| flow.is_copy == is_copy && (row(flow.to) > row(flow.from)) == is_down)
            {
                if flow.energy_pj <= 0.0 {
                    continue;
                }
                let (higher, lower) = if is_down { (flow.from, flow.to) } else { (flow.to, flow.from) };
                let column = self.column_for(layout, flow);
                let x = column * layout.pitch() + layout.pitch() * (2 * slot + 1) / 8;
                let (top, bottom) = (layout.edges(higher).1 + 2, layout.edges(lower).0 - 2);
                let width = ((flow.energy_pj * scale).round() as i32).max(1);
                let color = if is_copy { theme.copy } else { theme.operand(flow.stored_as) };
                sketch.arrow((x, top, bottom), width, is_down, color);
            }
        }
        self.draw_energies(sketch, theme, layout, flows);
    }

    /// The total energy of all arrows of one operand between two memories, below the higher one.
    fn draw_energies(&self, sketch: &mut Sketch, theme: &Theme, layout: &MemoryGaugesLayout, flows: &[OperandFlow]) {
        let row = |place: FlowEnd| layout.edges(place).0;
        let mut sums: Vec<((i32, i32), f64)> = Vec::new();
        for flow in flows {
            let lower = if row(flow.from) > row(flow.to) { flow.from } else { flow.to };
            let key = (self.column_for(layout, flow), row(lower));
            match sums.iter_mut().find(|(other, _)| *other == key) {
                Some((_, sum)) => *sum += flow.energy_pj,
                None => sums.push((key, flow.energy_pj)),
            }
        }
        for ((column, top), energy_pj) in sums {
            if energy_pj > 0.0 {
                let letters = theme.label().size(10.5).middle().color(theme.ink);
                let middle = column * layout.pitch() + layout.pitch() / 2;
                let text = shorten(&Quantity::Energy.text(energy_pj), layout.pitch() - 8, letters.size, false);
                let width = letters.width(&text) + 6;
                sketch.round_rect((middle - width / 2, top - 22), (width, 14), 3, theme.panel);
                sketch.text(text, (middle, top - 15), letters);
            }
        }
    }

    /// The column of a flow: that of its operand, if both ends lie in it.
    fn column_for(&self, layout: &MemoryGaugesLayout, flow: &OperandFlow) -> i32 {
        let holds = |place: FlowEnd, operand: Operand| match place {
            FlowEnd::Array => true,
            FlowEnd::Memory(memory) => {
                self.traced.account.memories.get(memory).is_some_and(|memory| memory.operands.contains(&operand))
            }
        };
        let fits = |operand: &Operand| holds(flow.from, *operand) && holds(flow.to, *operand);
        let own = Some(flow.stored_as).filter(fits);
        layout.column_of(own.or_else(|| layout.order.into_iter().find(fits)).unwrap_or(flow.stored_as))
    }
}

fn operand_title(operand: Operand) -> &'static str {
    match operand {
        Operand::W => "W weights",
        Operand::I => "I inputs",
        Operand::O => "O outputs",
    }
}

fn draw_gauge(
    sketch: &mut Sketch,
    theme: &Theme,
    layout: &MemoryGaugesLayout,
    (id, memory): (MemoryId, &MemoryAccount),
    contents: &Contents,
) {
    let ((x, width), top) = (layout.across(memory), layout.tank_top(id));
    let name = match memory.instances {
        1 => memory.name.clone(),
        count => format!("{} × {count}", memory.name),
    };
    sketch.rect((x - 2, top - NAME), (width + 4, NAME), theme.panel);
    sketch.text(shorten(&name, width, 11.5, true), (x, top - 8), theme.label().start().bold().color(theme.ink));
    sketch.rect((x, top), (width, TANK), theme.placeholder());
    let capacity = memory.size_bits.max(1) as f64;
    let mut level = 0.0;
    let inside = f64::from(TANK);
    for (part, bits) in contents.parts().filter(|(_, bits)| *bits > 0.0) {
        let y = |level: f64| top + TANK - (level.min(1.0) * inside).round() as i32;
        let next = level + bits / capacity;
        // At least a pixel of any content.
        let (from, to) = (y(level), y(next).min(y(level) - 1).max(top));
        sketch.rect((x, to), (width, from - to), part_color(part, theme));
        level = next;
    }
    // Walls, open at the top.
    for (at, size) in
        [((x - 1, top), (2, TANK)), ((x + width - 1, top), (2, TANK)), ((x - 1, top + TANK), (width + 2, 2))]
    {
        sketch.rect(at, size, theme.soft);
    }
    let letters = theme.label().size(10.5);
    let full = amount_text(contents.total(), capacity);
    let short = Quantity::Bytes.text(contents.total() / 8.0);
    let text = if letters.width(&full) + 8 <= width { full } else { shorten(&short, width - 8, letters.size, false) };
    let (wide, middle, y) = (letters.width(&text) + 8, x + width / 2, top + 11);
    sketch.round_rect((middle - wide / 2, y - 8), (wide, 16), 3, theme.panel);
    sketch.text(text, (middle, y), letters.middle().color(theme.ink));
}

/// `38.2 KiB of 64 KiB`; only the capacity if nothing of the step lies there.
fn amount_text(bits: f64, capacity: f64) -> String {
    if bits <= 0.0 {
        return Quantity::Bytes.plain(capacity / 8.0);
    }
    format!("{} of {}", Quantity::Bytes.text(bits / 8.0), Quantity::Bytes.plain(capacity / 8.0))
}

fn draw_array(sketch: &mut Sketch, theme: &Theme, layout: &MemoryGaugesLayout, layer: &LayerTileAccount) {
    let top = layout.array_top();
    let color = mix(theme.soft, theme.panel, 0.3);
    sketch.round_rect((GAP / 2, top), (layout.width - GAP, ARRAY), 4, color);
    let energy = layer
        .cost
        .as_ref()
        .map_or(0.0, |cost| EnergyCause::seen_without_access(cost.energy).map(|cause| cost.energy[cause]).sum::<f64>());
    let text = match layer.macs {
        0 => "array: idle".to_owned(),
        macs => format!("array: {}, {}", Quantity::Macs.text(macs as f64), Quantity::Energy.text(energy)),
    };
    let letters = theme.value().middle().color(text_on(color));
    sketch.text(shorten(&text, layout.width - 20, letters.size, false), (layout.width / 2, top + ARRAY / 2), letters);
}

/// Legend of the contents, except for operands.
fn entries(theme: &Theme) -> Vec<LegendEntry> {
    [ContentsPart::Kept, ContentsPart::OtherWeights, ContentsPart::Waiting]
        .map(|part| (LegendMark::Chip(part_color(part, theme)), part.title().to_owned()))
        .into()
}

fn draw_key(sketch: &mut Sketch, theme: &Theme, layout: &MemoryGaugesLayout, most_energy: f64) {
    let (top, letters) = (layout.array_top() + ARRAY + 8, theme.label().start());
    let entries = entries(theme);
    draw_legend(sketch, &entries, (2, top), layout.width - 2, letters);
    let below = top + legend_height(&entries, layout.width - 2, letters);
    let notes = [
        "Arrows are as wide as their energy; purple ones copy.".to_owned(),
        format!("The widest of this tile takes {}.", Quantity::Energy.text(most_energy)),
    ];
    for (index, note) in notes.into_iter().enumerate() {
        let note = shorten(&note, layout.width - 2, letters.size, false);
        sketch.text(note, (2, below + 10 + 18 * index as i32), letters);
    }
}
