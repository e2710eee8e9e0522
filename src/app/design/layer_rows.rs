//! The layers as a table: the twin of the graph, edited in place.

use crate::app::widgets::forms::form::DocumentForm;
use crate::chart::TableCell;
use crate::form::{LayerNode, Stacks, layer_inputs};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Clone, Properties, PartialEq)]
pub struct LayerRowsProps {
    /// In the order of the document.
    pub nodes: Rc<Vec<LayerNode>>,
    pub form: DocumentForm,
    /// Output map, its size, weights and MACs of each layer, if known.
    pub facts: Vec<Option<[TableCell; 4]>>,
    /// Number of errors of each layer.
    pub wrong: Rc<Vec<usize>>,
    pub stacks: Rc<Stacks>,
    pub selected: Option<usize>,
    /// Called with the layer of a click.
    pub on_select: Callback<Option<usize>>,
    /// Called with a layer at which to set or remove the end of a stack.
    pub on_cut: Option<Callback<String>>,
    /// The fields of the selected layer.
    pub children: Html,
}

/// Draws [`LayerRows`]. Only `shell::pieces` may name it.
pub fn layer_rows(props: LayerRowsProps) -> Html {
    html! { <LayerRows ..props /> }
}

/// One row per layer; the selected one is followed by its fields.
#[component]
fn LayerRows(props: &LayerRowsProps) -> Html {
    let row = |(index, node): (usize, &LayerNode)| {
        let is_selected = props.selected == Some(index);
        let onclick = props.on_select.reform(move |_: MouseEvent| (!is_selected).then_some(index));
        let kernel = props.form.document.value(&format!("layers[{index}].kernel"));
        let kind =
            kernel.map_or_else(|| node.kind.clone(), |kernel| format!("{} {}", node.kind, kernel.replace('x', "×")));
        let facts = props.facts.get(index).and_then(Option::as_ref);
        let [map, bits, weights, macs] = [0, 1, 2, 3].map(|at| facts.map_or("", |facts| facts[at].text()).to_owned());
        let is_wrong = props.wrong.get(index).is_some_and(|count| *count > 0);
        html! {
            <>
                <tr class={classes!(is_selected.then_some("marked"), is_wrong.then_some("is-wrong"))}>
                    <th scope="row">
                        <button
                            type="button"
                            class="link"
                            aria-expanded={is_selected.to_string()}
                            {onclick}
                            data-testid={format!("row-{index}")}
                        >
                            { if node.name.is_empty() { "(no name)" } else { &node.name } }
                        </button>
                        if is_wrong { <span class="wrong-here">{ " !" }</span> }
                    </th>
                    <td>{ kind }</td>
                    <td class="reads">{ reads(props, index) }</td>
                    <td class="number">{ map }</td>
                    <td class="number">{ bits }</td>
                    <td class="number">{ weights }</td>
                    <td class="number">{ macs }</td>
                    <td>{ cut(props, &node.name, &node.kind) }</td>
                </tr>
                if is_selected {
                    <tr><td class="edit" colspan="8">{ props.children.clone() }</td></tr>
                }
            </>
        }
    };
    html! {
        <div class="scroll layer-rows" tabindex="0" role="group" aria-label="Layers">
            <table>
                <thead><tr>
                    <th scope="col">{ "layer" }</th>
                    <th scope="col">{ "type" }</th>
                    <th scope="col">{ "reads" }</th>
                    <th scope="col" class="number">{ "output" }</th>
                    <th scope="col" class="number">{ "map" }</th>
                    <th scope="col" class="number">{ "weights" }</th>
                    <th scope="col" class="number">{ "MACs" }</th>
                    <th scope="col">{ "stack ends" }</th>
                </tr></thead>
                <tbody data-testid="layer-rows">{ for props.nodes.iter().enumerate().map(row) }</tbody>
            </table>
        </div>
    }
}

/// The inputs of a layer, if they are not just the layer before it.
fn reads(props: &LayerRowsProps, index: usize) -> String {
    let inputs = layer_inputs(&props.form.document, index);
    let before = index.checked_sub(1).and_then(|before| props.nodes.get(before));
    match (&inputs[..], before) {
        ([one], Some(before)) if *one == before.name => "↑".to_owned(),
        _ => inputs.join(", "),
    }
}

fn cut(props: &LayerRowsProps, name: &str, kind: &str) -> Html {
    let Some(on_cut) = &props.on_cut else { return html! {} };
    if matches!(kind, "input" | "view") {
        return html! {};
    }
    let is_end = props.stacks.ends.iter().any(|end| end == name);
    let onchange = {
        let name = name.to_owned();
        on_cut.reform(move |_: Event| name.clone())
    };
    html! { <input type="checkbox" checked={is_end} {onchange} aria-label={format!("A stack ends after {name}")} /> }
}
