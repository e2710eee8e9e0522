//! The accelerator: its PE array and its memories, drawn from the document and edited in place.

use super::array_panel::{ARRAY_PATHS, ArrayPanelProps};
use super::memory_panel::MemoryPanelProps;
use crate::app::platform::lazy_modules::late;
use crate::app::widgets::forms::diagnostics::DiagnosticList;
use crate::app::widgets::forms::form::{CellField, DocumentForm, Selected};
use crate::app::widgets::pointing::highlight::{Subject, pointing, use_highlight};
use crate::chart::{Quantity, group_thousands, size_text, three_digits};
use crate::form::{FieldTarget, MemoryBox, ReadWriteNumber, add_memory, memory_boxes, read_write_number, unrolled};
use crate::hardware::{Core, Memory, Operand, Port};
use crate::lazy_module;
use crate::spec::edit::Outline;
use std::rc::Rc;
use yew::prelude::*;

/// Functions whose code is fetched when a memory or the array is first opened.
#[derive(Clone, Copy)]
pub struct HardwareCode {
    pub array_panel: fn(ArrayPanelProps) -> Html,
    pub memory_panel: fn(MemoryPanelProps) -> Html,
}
lazy_module!(HardwareCode);

#[derive(Properties, PartialEq)]
pub struct HardwareDrawingProps {
    pub core: Rc<Core>,
    /// Text of its document.
    pub text: String,
}

/// The memories from the highest down to the PE array.
#[component]
pub fn HardwareDrawing(props: &HardwareDrawingProps) -> Html {
    let Ok(document) = Outline::read(&props.text) else { return html! {} };
    let boxes = memory_boxes(&document);
    let core = Some(&*props.core);
    html! {
        <>
            <div class="hierarchy" role="list" aria-label="Memories, the highest first, and the PE array">
                { for boxes.iter().rev().map(|memory| {
                    let (place, title) = (memory_class(memory), memory_title(memory, core));
                    html! { <div class={place} role="listitem" {title}>{ memory_text(memory, &document) }</div> }
                }) }
                <div class={array_class(&boxes)} role="listitem">{ array_text(&document) }</div>
            </div>
            { area_facts(core) }
        </>
    }
}

#[derive(Properties, PartialEq)]
pub struct HardwareFormProps {
    pub form: DocumentForm,
    /// The accelerator, if its document is valid.
    pub core: Option<Rc<Core>>,
    /// The item whose fields are shown.
    pub selected: Option<Selected>,
    /// Called with the item whose fields are to be shown.
    pub on_select: Callback<Option<Selected>>,
}

/// The memories from the highest down to the PE array; a click on one of them shows its fields.
#[component]
pub fn HardwareForm(props: &HardwareFormProps) -> Html {
    let form = &props.form;
    let document = &*form.document;
    let boxes = memory_boxes(document);
    let (selected, select) = (props.selected, &props.on_select);
    let highlight = use_highlight();
    let button = |place: Classes,
                  title: Option<String>,
                  own: Selected,
                  paths: &[String],
                  testid: String,
                  subject: Option<Subject>,
                  text: Html| {
        let is_lit = subject.is_some()
            && highlight
                .shown()
                .is_some_and(|shown| shown.memory == subject.as_ref().and_then(|own| own.memory.clone()));
        let is_selected = selected == Some(own);
        let wrong = paths.iter().map(|path| form.wrong_at(path).len()).sum::<usize>();
        html! {
            <button
                type="button"
                key={testid.clone()}
                class={classes!(place, is_selected.then_some("selected"), is_lit.then_some("lit"), (wrong > 0).then_some("is-wrong"))}
                {title}
                aria-expanded={is_selected.to_string()}
                onclick={select.reform(move |_: MouseEvent| (!is_selected).then_some(own))}
                onpointerenter={pointing(subject.clone())}
                onpointerleave={pointing(None)}
                onfocus={pointing(subject)}
                onblur={pointing(None)}
                data-testid={testid}
            >
                { text }
                if wrong > 0 {
                    <span class="wrong-count">{ if wrong == 1 { "1 mistake".to_owned() } else { format!("{wrong} mistakes") } }</span>
                }
            </button>
        }
    };
    let memory = |memory: &MemoryBox| {
        let index = memory.index;
        let paths = [format!("memories[{index}]")];
        let title = memory_title(memory, props.core.as_deref());
        let text = memory_text(memory, document);
        button(
            memory_class(memory),
            Some(title),
            Selected::Part(index),
            &paths,
            format!("memory-{index}"),
            Some(Subject::memory(memory.name.clone())),
            text,
        )
    };
    let array_paths = ARRAY_PATHS.map(str::to_owned);
    let shown = match selected {
        Some(Selected::Whole) => array_paths.to_vec(),
        Some(Selected::Part(index)) => vec![format!("memories[{index}]")],
        None => Vec::new(),
    };
    let on_select = select.reform(|index: Option<usize>| index.map(Selected::Part));
    let on_path = {
        let (form, select) = (form.clone(), select.clone());
        Callback::from(move |path: String| {
            let holds = |own: &str| form.document.key(&path).is_inside(&form.document.key(own));
            let memory = (0..form.document.len("memories")).find(|index| holds(&format!("memories[{index}]")));
            let array = ARRAY_PATHS.iter().any(|own| holds(own)).then_some(Selected::Whole);
            select.emit(memory.map(Selected::Part).or(array));
        })
    };
    html! {
        <>
            { bandwidth(form, &boxes) }
            <div class="hierarchy" role="group" aria-label="Memories, the highest first, and the PE array: each opens its fields">
                { for boxes.iter().rev().map(memory) }
                { button(array_class(&boxes), None, Selected::Whole, &array_paths, "array".into(), None, array_text(document)) }
            </div>
            if boxes.is_empty() {
                <button
                    type="button"
                    class="wide"
                    onclick={form.click(|document| add_memory(document, None))}
                    data-testid="memory-first"
                >
                    { "Add a memory" }
                </button>
            }
            { match selected {
                Some(Selected::Whole) => {
                    let panel = ArrayPanelProps { form: form.clone() };
                    late(move |parts: HardwareCode| (parts.array_panel)(panel.clone()))
                }
                Some(Selected::Part(index)) => match boxes.get(index) {
                    Some(memory) => {
                        let is_highest = index + 1 == boxes.len();
                        let (form, memory) = (form.clone(), memory.clone());
                        let panel = MemoryPanelProps { form, memory, is_highest, on_select };
                        late(move |parts: HardwareCode| (parts.memory_panel)(panel.clone()))
                    }
                    None => html! {},
                },
                None => html! {},
            } }
            { area_facts(props.core.as_deref()) }
            <DiagnosticList
                diagnostics={form.wrong_outside(&shown)}
                form={Some(form.clone())}
                on_path={Some(on_path)}
                testid="hardware-errors"
            />
        </>
    }
}

/// The bandwidth of the highest memory, which most often limits performance.
fn bandwidth(form: &DocumentForm, boxes: &[MemoryBox]) -> Html {
    let Some(highest) = boxes.last() else { return html! {} };
    if read_write_number(&form.document, highest.index, "width") != ReadWriteNumber::Common {
        return html! {};
    }
    let path = format!("memories[{}].width", highest.index);
    let wrong = form.wrong_at(&path);
    html! {
        <div class="field">
            <span>{ format!("{} per cycle", if highest.name == "dram" { "DRAM" } else { &highest.name }) }</span>
            <CellField
                form={form.clone()}
                place={FieldTarget::value(path)}
                label="Bits per cycle of the highest memory"
                hint="Bandwidth of the highest memory: bits that one of its ports moves in a cycle"
                testid="bandwidth"
            />
            if !wrong.is_empty() { <span class="sr-only">{ "see below" }</span> }
        </div>
    }
}

fn memory_class(memory: &MemoryBox) -> Classes {
    let (first, last) = memory.columns;
    classes!(
        "memory",
        ((first, last) != (0, 2)).then_some("narrow"),
        format!("row-{}", memory.row + 1),
        format!("from-{first}"),
        format!("to-{last}")
    )
}

fn array_class(boxes: &[MemoryBox]) -> Classes {
    classes!("array", format!("row-{}", boxes.iter().map(|memory| memory.row + 2).max().unwrap_or(1)))
}

fn memory_text(memory: &MemoryBox, document: &Outline) -> Html {
    let instances = (memory.instances > 1).then(|| format!(" × {}", group_thousands(memory.instances)));
    let size = match memory.size_bits {
        0 => document.value(&format!("memories[{}].size", memory.index)).unwrap_or_default(),
        bits => size_text(bits),
    };
    html! {
        <>
            <span class="name">{ breakable(&memory.name) }</span>
            <span class="ops">{ for memory.operands.iter().map(|operand| badge(*operand)) }</span>
            <span class="size">{ size }{ instances }</span>
        </>
    }
}

fn memory_title(memory: &MemoryBox, core: Option<&Core>) -> String {
    match core.and_then(|core| Some((core, core.memories.raw.get(core.register_count() + memory.index)?))) {
        Some((core, memory)) => describe(core, memory),
        None => memory.name.clone(),
    }
}

/// The number of PEs, the energy of a MAC, and the unrolling of a convolution: `K 32 · C 2 · OX 4 · OY 4`.
fn array_text(document: &Outline) -> Html {
    let names = document.keys("array.dimensions");
    let sizes: Vec<String> = (0..names.len())
        .map(|index| document.value(&format!("array.dimensions[{index}]")).unwrap_or_default())
        .collect();
    let product = sizes.iter().try_fold(1u64, |all, size| all.checked_mul(size.parse().ok()?));
    let pes =
        product.map_or_else(|| format!("{} PEs", sizes.join(" × ")), |all| format!("{} PEs", group_thousands(all)));
    let energy = match document.value("array.in_memory.type") {
        Some(kind) => format!("{kind}, in memory"),
        None => format!("{} / MAC", document.value("array.mac_energy").unwrap_or_default()),
    };
    let loops = |(name, size): (&String, &String)| match unrolled(document, "conv", name).0 {
        one if one.is_empty() => None,
        one if one.contains(' ') => Some(one.replace(", ", " · ")),
        one => Some(format!("{one} {size}")),
    };
    let loops: Vec<String> = names.iter().zip(&sizes).filter_map(loops).collect();
    let dimensions = || names.iter().zip(&sizes).map(|(name, size)| format!("{name} {size}"));
    let loops = if loops.is_empty() { dimensions().collect() } else { loops };
    html! {
        <>
            <b>{ pes }</b>
            <small>{ energy }</small>
            <small class="loops">{ loops.join(" · ") }</small>
        </>
    }
}

fn area_facts(core: Option<&Core>) -> Html {
    let unit = core.and_then(|core| {
        let unit = core.vector_unit.as_ref()?;
        let fed_by = &core.memories[unit.memory].name;
        Some(format!("Vector unit: {} lanes, fed by {fed_by}. ", group_thousands(unit.lanes())))
    });
    let estimates = core.and_then(Core::estimate_note).map(|note| note + ". ");
    let facts: Vec<String> = [unit, estimates, core.and_then(area_text)].into_iter().flatten().collect();
    if facts.is_empty() {
        return html! {};
    }
    html! { <p class="facts" data-testid="core-area">{ facts.concat() }</p> }
}

/// All numbers of a memory in one sentence.
fn describe(core: &Core, memory: &Memory) -> String {
    let instances =
        if memory.instances > 1 { format!(" × {}", group_thousands(memory.instances)) } else { String::new() };
    let names = core.array.iter_enumerated().filter(|(index, _)| memory.shared_over.contains(*index));
    let shared: Vec<&str> = names.map(|(_, (name, _))| name.as_str()).collect();
    let width = match (memory.read_width_bits, memory.write_width_bits) {
        (read, write) if read == write => format!("{read} bit/cycle"),
        (read, write) => format!("{read} bit/cycle read, {write} written"),
    };
    let own_width = |port: &Port| port.width_bits.map(|bits| format!(", {bits} by {}", port.name));
    let width = width + &memory.ports.iter().filter_map(own_width).collect::<String>();
    let area = memory.area_um2.map_or_else(String::new, |um2| format!("{} each; ", Quantity::Area.text(um2)));
    let estimate = memory.estimate.as_ref();
    let pj = |pj: f64, is_estimate: bool| if is_estimate { three_digits(pj) } else { pj.to_string() };
    let estimated = estimate.map_or_else(String::new, |by| format!("estimated by {}: {}; ", by.estimator, by.what()));
    format!(
        "{}: {}{instances}, {width}; a word costs {} pJ to read and {} pJ to write; {area}{estimated}{}",
        memory.name,
        size_text(memory.size_bits),
        pj(memory.read_energy_pj, estimate.is_some_and(|by| by.read_energy)),
        pj(memory.write_energy_pj, estimate.is_some_and(|by| by.write_energy)),
        if shared.is_empty() { "one for each PE".to_owned() } else { format!("shared over {}", shared.join(", ")) },
    )
}

/// The area of all instances with a stated area, and the parts without one; `None` if no area is stated.
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
    let estimates = core.estimates().filter(|(_, estimate)| estimate.area);
    let estimated: Vec<&str> = estimates.map(|(memory, _)| memory.name.as_str()).collect();
    if !estimated.is_empty() {
        text += &format!("; estimated for {}", estimated.join(", "));
    }
    Some(text)
}

/// A name with optional line breaks after underscores.
fn breakable(name: &str) -> Html {
    name.split_inclusive('_').map(|part| html! { <>{ part.to_owned() }<wbr /></> }).collect()
}

/// The letter of an operand in its colour.
pub fn badge(operand: Operand) -> Html {
    html! { <b class={operand.to_string()}>{ operand.to_string() }</b> }
}
