//! The accelerator: its PE array and its memories, drawn from the document.

use crate::chart::{Quantity, group_thousands};
use crate::hardware::{ArrayDims, Core, Memory, Operand, Port};
use crate::workload::LayerKind;
use yew::prelude::*;

/// What a [`HardwareDrawing`] needs.
#[derive(Properties, PartialEq)]
pub struct HardwareDrawingProps {
    /// The accelerator.
    pub core: std::rc::Rc<Core>,
}

/// The memories from the highest down to the PE array.
#[component]
pub fn HardwareDrawing(props: &HardwareDrawingProps) -> Html {
    let core = &*props.core;
    let rows = rows(core);
    html! {
        <>
        <div class="hierarchy" role="list" aria-label="Memories, the highest first, and the PE array">
            { for (0..core.memories.len()).rev().map(|id| draw_memory(core, id, &rows)) }
            <div class={classes!("array", format!("row-{}", rows.iter().max().map_or(1, |row| row + 2)))} role="listitem">
                <b>{ format!("{} PEs", group_thousands(core.pe_count())) }</b>
                <small>{ format!("{} pJ / MAC", core.mac_energy_pj) }</small>
                <small>{ unrolling(core) }</small>
            </div>
        </div>
        if let Some(text) = area_text(core) {
            <p class="facts" data-testid="core-area">{ text }</p>
        }
        </>
    }
}

/// The area of all instances of what has one stated, and what has none; nothing where nothing is stated.
fn area_text(core: &Core) -> Option<String> {
    let area = core.area();
    let mut text = format!("Area {}", Quantity::Area.text(area.known_um2()?));
    match (area.memories_um2, area.pes_um2) {
        (Some(memories), Some(pes)) => {
            text += &format!(": memories {}, PEs {}", Quantity::Area.text(memories), Quantity::Area.text(pes));
        }
        (Some(_), None) => text += " of memories, the PEs not counted",
        _ => text += " of PEs, the memories not counted",
    }
    if area.memories_um2.is_some() && !area.unknown.is_empty() {
        text += &format!("; not stated for {}", area.unknown.join(", "));
    }
    Some(text)
}

/// Row of each memory, 0 for the highest: below everything above it that holds one of its operands.
fn rows(core: &Core) -> Vec<usize> {
    let mut next = [0usize; 3];
    let mut rows = vec![0; core.memories.len()];
    for (id, memory) in core.memories.iter().enumerate().rev() {
        let (first, last) = columns(memory);
        let row = next[first..=last].iter().copied().max().unwrap_or(0);
        rows[id] = row;
        next[first..=last].fill(row + 1);
    }
    // Registers stand together above the array.
    let lowest = next.iter().copied().max().unwrap_or(0).saturating_sub(1);
    for (id, memory) in core.memories.iter().enumerate() {
        let is_lowest_of_all = memory.operands.iter().all(|&operand| core.level_of(operand, id) == Some(0));
        let free = (0..core.memories.len())
            .all(|other| other == id || rows[other] <= rows[id] || !overlap(memory, &core.memories[other]));
        if is_lowest_of_all && free && memory.shared_over != all_dimensions(core) {
            rows[id] = lowest;
        }
    }
    rows
}

fn all_dimensions(core: &Core) -> ArrayDims {
    ArrayDims((1u32 << core.array.len()) - 1)
}

/// First and last of the columns W, I, O.
fn columns(memory: &Memory) -> (usize, usize) {
    let columns = || memory.operands.iter().map(|&operand| operand as usize);
    (columns().min().unwrap_or(0), columns().max().unwrap_or(2))
}

/// The columns that a memory fills: a memory of I or O takes the other's column too where that is free.
fn drawn_columns(core: &Core, id: usize, rows: &[usize]) -> (usize, usize) {
    const ACTIVATIONS: (usize, usize) = (Operand::I as usize, Operand::O as usize);
    let own = columns(&core.memories[id]);
    let is_alone = (0..core.memories.len())
        .filter(|&other| other != id && rows[other] == rows[id])
        .all(|other| columns(&core.memories[other]).1 < ACTIVATIONS.0);
    if own.0 >= ACTIVATIONS.0 && is_alone { ACTIVATIONS } else { own }
}

fn overlap(a: &Memory, b: &Memory) -> bool {
    let ((a_first, a_last), (b_first, b_last)) = (columns(a), columns(b));
    a_first <= b_last && b_first <= a_last
}

fn draw_memory(core: &Core, id: usize, rows: &[usize]) -> Html {
    let memory = &core.memories[id];
    let (first, last) = drawn_columns(core, id, rows);
    let place = classes!(
        "memory",
        ((first, last) != (0, 2)).then_some("narrow"),
        format!("row-{}", rows[id] + 1),
        format!("from-{first}"),
        format!("to-{last}")
    );
    let instances = (memory.instances > 1).then(|| format!(" × {}", group_thousands(memory.instances)));
    let shared: Vec<&str> = core
        .array
        .iter()
        .enumerate()
        .filter(|(index, _)| memory.shared_over.contains(*index))
        .map(|(_, (name, _))| name.as_str())
        .collect();
    let width = match (memory.read_width_bits, memory.write_width_bits) {
        (read, write) if read == write => format!("{read} bit/cycle"),
        (read, write) => format!("{read} bit/cycle read, {write} written"),
    };
    let own_width = |port: &Port| port.width_bits.map(|bits| format!(", {bits} by {}", port.name));
    let width = width + &memory.ports.iter().filter_map(own_width).collect::<String>();
    let area = memory.area_um2.map_or_else(String::new, |um2| format!("{} each; ", Quantity::Area.text(um2)));
    let title = format!(
        "{}: {}{}, {width}; a word costs {} pJ to read and {} pJ to write; {area}{}",
        memory.name,
        size_text(memory.size_bits),
        instances.as_deref().unwrap_or_default(),
        memory.read_energy_pj,
        memory.write_energy_pj,
        if shared.is_empty() { "one for each PE".to_owned() } else { format!("shared over {}", shared.join(", ")) },
    );
    html! {
        <div class={place} role="listitem" {title}>
            <span class="name">{ breakable(&memory.name) }</span>
            <span class="ops">{ for Operand::ALL.into_iter().filter(|o| memory.operands.contains(o)).map(badge) }</span>
            <span class="size">{ size_text(memory.size_bits) }{ instances }</span>
        </div>
    }
}

/// A name that may continue on the next line after an underscore.
fn breakable(name: &str) -> Html {
    name.split_inclusive('_').map(|part| html! { <>{ part.to_owned() }<wbr /></> }).collect()
}

/// The letter of an operand in its colour.
pub fn badge(operand: Operand) -> Html {
    html! { <b class={operand.to_string()}>{ operand.to_string() }</b> }
}

/// What a convolution unrolls: `K 32 · C 2 · OX 4 · OY 4`.
fn unrolling(core: &Core) -> String {
    let unroll = core.unroll(LayerKind::Conv);
    if unroll.is_empty() {
        return core.array.iter().map(|(name, size)| format!("{name} {size}")).collect::<Vec<_>>().join(" · ");
    }
    unroll.iter().map(|unroll| format!("{} {}", unroll.dim, unroll.limit)).collect::<Vec<_>>().join(" · ")
}

/// `64 KiB`; exact sizes stay exact.
pub fn size_text(bits: u64) -> String {
    if !bits.is_multiple_of(8) {
        return format!("{bits} bit");
    }
    let bytes = bits / 8;
    let units = [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.into_iter().find(|(_, size)| bytes >= *size) {
        None => format!("{bytes} B"),
        Some((name, size)) if bytes.is_multiple_of(size) => format!("{} {name}", bytes / size),
        Some((name, size)) => format!("{} {name}", crate::chart::three_digits(bytes as f64 / size as f64)),
    }
}
