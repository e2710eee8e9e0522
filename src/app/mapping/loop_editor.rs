//! An editable loop nest: loops move in and out, memory levels end earlier or later; by pointer, buttons and keys.

use super::dragging::{DraggedItem, Dragging, use_dragging};
use crate::app::widgets::pointing::highlight::{Subject, pointing, use_highlight};
use crate::chart::{OPERAND_ORDER, memories_of, stored_as};
use crate::explore::{LayerFacts, MappingEdit, TemporalMapping};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct LoopEditorProps {
    pub facts: Rc<LayerFacts>,
    /// The current mapping.
    pub mapping: TemporalMapping,
    /// Whether it was made by hand.
    pub is_own: bool,
    /// Called with the mapping after every edit.
    pub on_edit: Callback<TemporalMapping>,
    /// Called to return to the best mapping.
    pub on_reset: Callback<()>,
}

#[component]
pub fn LoopEditor(props: &LoopEditorProps) -> Html {
    let held = use_state_eq(|| None::<usize>);
    // A loop moved by keyboard keeps the focus.
    use_effect_with((*held, props.mapping.clone()), |(held, _)| {
        let page = web_sys::window().and_then(|window| window.document());
        let row = held.and_then(|place| page?.get_element_by_id(&format!("loop-{place}")));
        if let Some(row) = row.and_then(|row| row.dyn_into::<HtmlElement>().ok()) {
            // A row that is shown can be focused.
            let _ = row.focus();
        }
    });
    let edit = |edit: MappingEdit| props.mapping.edited(&props.facts, edit);
    let on_edit = &props.on_edit;
    let button = |edited: Option<TemporalMapping>, text: &'static str, label: String, testid: String| {
        let disabled = edited.is_none();
        let on_edit = on_edit.clone();
        let onclick = Callback::from(move |_: MouseEvent| edited.iter().cloned().for_each(|next| on_edit.emit(next)));
        html! {
            <button type="button" class="small" {onclick} {disabled} aria-label={label.clone()} title={label} data-testid={testid}>
                { text }
            </button>
        }
    };
    let onkeydown = {
        let (mapping, facts, on_edit, held) =
            (props.mapping.clone(), Rc::clone(&props.facts), on_edit.clone(), held.clone());
        let count = mapping.order.len();
        move |place: usize| {
            let (mapping, facts, on_edit, held) = (mapping.clone(), Rc::clone(&facts), on_edit.clone(), held.clone());
            Callback::from(move |event: KeyboardEvent| {
                let target = match event.key().as_str() {
                    "ArrowUp" => place + 1,
                    "ArrowDown" if place > 0 => place - 1,
                    _ => return,
                };
                event.prevent_default();
                if target >= count {
                    return;
                }
                if event.alt_key() || event.shift_key() {
                    let Some(next) = mapping.edited(&facts, MappingEdit::Outwards(place.min(target))) else { return };
                    on_edit.emit(next);
                }
                held.set(Some(target));
            })
        }
    };
    let drop = {
        let (mapping, facts, on_edit) = (props.mapping.clone(), Rc::clone(&props.facts), on_edit.clone());
        Callback::from(move |edit: MappingEdit| {
            mapping.edited(&facts, edit).iter().for_each(|next| on_edit.emit(next.clone()))
        })
    };
    let dragging = use_dragging(drop);
    let highlight = use_highlight();
    let order = &props.mapping.order;
    let row = |place: usize| {
        let next = order[place];
        let name = format!("{} {}", next.dim, next.size);
        let subject = Subject { dim: Some(next.dim), ..Subject::default() };
        html! {
            <tr
                data-loop={place.to_string()}
                class={classes!(dragging.mark(place), highlight.has_dim(next.dim).then_some("lit"))}
                onpointerenter={pointing(Some(subject.clone()))}
                onpointerleave={pointing(None)}
            >
                <th
                    scope="row"
                    class="movable"
                    title="Drag it to another place"
                    onpointerdown={dragging.take(DraggedItem::Loop(place))}
                    onpointermove={dragging.moved()}
                    onpointerup={dragging.released()}
                    onpointercancel={dragging.given_up()}
                    id={format!("loop-{place}")}
                    tabindex="0"
                    onkeydown={onkeydown(place)}
                    onfocus={pointing(Some(subject))}
                    onblur={pointing(None)}
                    aria-label={format!("{name}, loop {} of {} from the innermost", place + 1, order.len())}
                    data-testid={format!("loop-{place}")}
                >
                    { &name }
                </th>
                <td class="stepper">
                    { button(edit(MappingEdit::Outwards(place)), "↑", format!("Move {name} outwards"), format!("outwards-{place}")) }
                    { button(
                        place.checked_sub(1).and_then(|below| edit(MappingEdit::Outwards(below))),
                        "↓", format!("Move {name} inwards"), format!("inwards-{place}"),
                    ) }
                    { button(edit(MappingEdit::Split(place)), "split", format!("Split {name}"), format!("split-{place}")) }
                    { button(edit(MappingEdit::Join(place)), "join", format!("Join {name} with the loop above"), format!("join-{place}")) }
                </td>
                { for OPERAND_ORDER.map(|operand| cell(&props.facts, &props.mapping, operand, place, &dragging)) }
            </tr>
        }
    };
    html! {
        <div class="loop-editor" data-testid="loop-editor">
            <div class="row">
                <button
                    type="button"
                    onclick={props.on_reset.reform(|_: MouseEvent| ())}
                    disabled={!props.is_own}
                    data-testid="mapping-reset"
                >
                    { "Back to the best" }
                </button>
            </div>
            <div class="scroll" tabindex="0" role="group" aria-label="Loops and boundaries">
                <table>
                    <caption>
                        { "Loops from the outermost. Drag a loop to another place, or the thick end of a memory level to \
                           another loop. Keys on a loop: ↑ ↓ go to another, with Alt or Shift move it; Ctrl Z undoes." }
                    </caption>
                    <thead>
                        <tr>
                            <th scope="col">{ "loop" }</th>
                            <th scope="col">{ "order" }</th>
                            { for OPERAND_ORDER.map(|operand| html! {
                                <th scope="col">{ operand_badge(&props.facts, operand) }{ "lies in" }</th>
                            }) }
                        </tr>
                    </thead>
                    <tbody>{ for (0..order.len()).rev().map(row) }</tbody>
                    <tfoot>
                        <tr>
                            <th scope="row" colspan="2">{ "Levels end after" }</th>
                            { for OPERAND_ORDER.map(|operand| html! {
                                <td>{ for (0..props.mapping.ends[operand].len() - 1).rev().map(|level| {
                                    let memory = &props.facts.operands[operand].1[level];
                                    let end = props.mapping.ends[operand][level];
                                    let name = &props.facts.operands[operand].0;
                                    html! {
                                        <div class="boundary">
                                            { button(edit(MappingEdit::Lower(operand, level)), "−",
                                                format!("{name}: fewer loops in {memory}"), format!("lower-{name}-{level}")) }
                                            <span data-testid={format!("end-{name}-{level}")}>{ end }</span>
                                            { button(edit(MappingEdit::Raise(operand, level)), "+",
                                                format!("{name}: more loops in {memory}"), format!("raise-{name}-{level}")) }
                                            <small>{ memory }</small>
                                        </div>
                                    }
                                }) }</td>
                            }) }
                        </tr>
                    </tfoot>
                </table>
            </div>
        </div>
    }
}

/// The memory of an operand while this loop runs; the upper border of the last loop of a level is a handle for the end
/// of the level.
fn cell(facts: &LayerFacts, mapping: &TemporalMapping, operand: usize, place: usize, dragging: &Dragging) -> Html {
    let ends = &mapping.ends[operand];
    let level = ends.iter().position(|&end| place < end).unwrap_or(ends.len().saturating_sub(1));
    let last = ends[..ends.len().saturating_sub(1)].iter().rposition(|&end| end == place + 1);
    let memory = facts.operands[operand].1.get(level).cloned().unwrap_or_default();
    let memories = memories_of(facts);
    let rank = memories.iter().position(|name| *name == memory).unwrap_or(0);
    // One of five shades, from the lowest memory to the highest.
    let shade = if memories.len() > 1 { rank * 4 / (memories.len() - 1) } else { 0 };
    let shade = format!("level-{shade}");
    let Some(ended) = last else { return html! { <td class={shade}>{ memory }</td> } };
    let title = facts.operands[operand].1.get(ended).map(|name| format!("Drag the end of {name}"));
    html! {
        <td
            class={classes!(shade, "level-end", "movable")}
            {title}
            onpointerdown={dragging.take(DraggedItem::End { operand, level: ended })}
            onpointermove={dragging.moved()}
            onpointerup={dragging.released()}
            onpointercancel={dragging.given_up()}
            data-testid={format!("drag-end-{operand}-{ended}")}
        >
            { memory }
        </td>
    }
}

/// The name of an operand in its colour.
pub fn operand_badge(facts: &LayerFacts, operand: usize) -> Html {
    let color = stored_as(facts, operand).to_string();
    html! { <span class="tops"><b class={color}>{ &facts.operands[operand].0 }</b></span> }
}
