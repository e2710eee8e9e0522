//! One layer of the network, as fields.

use super::network_panel::precision;
use crate::app::widgets::forms::controls::{ChoiceOption, Picker};
use crate::app::widgets::forms::form::DocumentForm;
use crate::app::widgets::forms::form_field::{FormField, WrongHere, listed_field};
use crate::form::{
    FieldTarget, LayerNode, add_layer, branch, layer_field_list, layer_inputs, remove_layer, set_inputs, set_layer_type,
};
use crate::spec::edit::Outline;
use crate::workload::LayerKind;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Clone, Properties, PartialEq)]
pub struct LayerPanelProps {
    pub form: DocumentForm,
    /// Index of the layer in the document.
    pub layer: usize,
    pub nodes: Rc<Vec<LayerNode>>,
    /// Sizes of the layer, if known.
    pub facts: Option<String>,
    /// Its output channels, if known.
    pub channels: Option<u64>,
    /// Called with the layer to show after an edit, if any.
    pub on_select: Callback<Option<usize>>,
}

/// Fields shown for a layer of any type.
const SHOWN: [&str; 4] = ["name", "type", "from", "precision"];

/// The fields of a layer. Only `shell::pieces` may name it.
pub fn layer_panel(props: LayerPanelProps) -> Html {
    let key = props.layer;
    html! { <LayerPanel {key} ..props /> }
}

/// One layer, as fields.
#[component]
fn LayerPanel(props: &LayerPanelProps) -> Html {
    let LayerPanelProps { form, layer, nodes, .. } = props;
    let path = format!("layers[{layer}]");
    let Some(node) = nodes.get(*layer) else { return html! {} };
    let fields = layer_field_list(&node.kind);
    // A field that is not allowed for this type is shown, so that its error has a place.
    let names: Vec<&str> = SHOWN.into_iter().chain(fields.iter().map(|field| field.name)).collect();
    let rest = form.wrong_besides(&path, &names);
    html! {
        <div class="panel" role="group" aria-label={format!("Layer {}", node.name)} data-testid="layer-panel">
            <WrongHere form={form.clone()} wrong={rest} />
            <div class="fields">
                <FormField
                    form={form.clone()}
                    place={FieldTarget::Layer(*layer)}
                    label="Name"
                    hint="What the layer is called; no two have the same name."
                    testid="layer-name"
                />
                { kind_field(props, &node.kind) }
                { for fields.iter().map(|field| listed_field(form, &path, field)) }
                { inputs(props, &node.kind) }
                { precision(form, &format!("{path}.precision")) }
            </div>
            if let Some(facts) = &props.facts {
                <p class="facts" data-testid="layer-facts">{ facts }</p>
            }
            { buttons(props, &node.kind) }
        </div>
    }
}

fn kind_field(props: &LayerPanelProps, kind: &str) -> Html {
    let form = &props.form;
    let path = format!("layers[{}].type", props.layer);
    let wrong = form.wrong_at(&path);
    let is_known = LayerKind::from_name(kind).is_some();
    let onchange = {
        let (form, layer, channels) = (form.clone(), props.layer, props.channels);
        Callback::from(move |kind: String| form.take(set_layer_type(&form.document, layer, &kind, channels)))
    };
    let unknown = (!is_known).then(|| kind.to_owned());
    let names = unknown.into_iter().chain(LayerKind::ALL.map(|one| one.name().to_owned()));
    let choices: Vec<ChoiceOption> = names.map(|name| ChoiceOption::new(name.clone(), name)).collect();
    html! {
        <div class="cell">
            <span class="name"><label for="layer-type" title="What the layer computes.">{ "Type" }</label></span>
            <Picker
                id="layer-type"
                {choices}
                value={kind.to_owned()}
                {onchange}
                invalid={!wrong.is_empty()}
                testid="layer-type"
            />
            <WrongHere form={form.clone()} {wrong} />
        </div>
    }
}

/// The inputs of the layer, each a choice among the other layers.
fn inputs(props: &LayerPanelProps, kind: &str) -> Html {
    let LayerPanelProps { form, layer, nodes, .. } = props;
    let layer = *layer;
    if kind == "input" {
        return html! {};
    }
    let current = layer_inputs(&form.document, layer);
    let set = {
        let form = form.clone();
        move |inputs: Vec<String>| form.take(set_inputs(&form.document, layer, &inputs))
    };
    let row = |(index, name): (usize, &String)| {
        let (set_one, without, current_one) = (set.clone(), set.clone(), current.clone());
        let onchange = {
            let current = current.clone();
            Callback::from(move |name: String| {
                let mut inputs = current.clone();
                inputs[index] = name;
                set_one(inputs);
            })
        };
        let remove = Callback::from(move |_: MouseEvent| {
            let mut inputs = current_one.clone();
            inputs.remove(index);
            without(inputs);
        });
        let unknown = (!nodes.iter().any(|node| node.name == *name)).then_some(name);
        let others = nodes.iter().enumerate().filter(|(other, node)| *other != layer && !node.name.is_empty());
        let names = unknown.into_iter().chain(others.map(|(_, node)| &node.name));
        let choices: Vec<ChoiceOption> = names.map(|name| ChoiceOption::new(name.clone(), name.clone())).collect();
        html! {
            <span class="input" key={index}>
                <Picker
                    label={format!("Input {}", index + 1)}
                    {choices}
                    value={name.clone()}
                    {onchange}
                    testid={format!("input-{index}")}
                />
                if current.len() > 1 {
                    <button type="button" class="small" aria-label={format!("Do not read {name}")} onclick={remove}>{ "×" }</button>
                }
            </span>
        }
    };
    // A layer with a window reads one map, a depthwise layer may also read its weights; sums and products read two, a
    // view any number.
    let most = match kind {
        "conv" | "pointwise" | "pooling" | "fully-connected" => 1,
        "view" => usize::MAX,
        _ => 2,
    };
    let more = nodes.iter().map(|node| &node.name).find(|name| {
        !name.is_empty() && !current.contains(name) && nodes.get(layer).is_none_or(|own| own.name != **name)
    });
    let add = {
        let (current, more, set) = (current.clone(), more.cloned(), set.clone());
        Callback::from(move |_: MouseEvent| set(current.iter().cloned().chain(more.clone()).collect()))
    };
    let wrong = form.wrong_at(&format!("layers[{layer}].from"));
    html! {
        <div class="cell whole">
            <span class="name" title="Layers whose outputs it reads; without any it reads the layer before it in the document.">
                { "Reads" }
            </span>
            <span class="inputs">
                { for current.iter().enumerate().map(row) }
                if current.len() < most {
                    <button type="button" class="small" onclick={add} disabled={more.is_none()} data-testid="input-add">
                        { "+ another" }
                    </button>
                }
            </span>
            <WrongHere form={form.clone()} {wrong} />
        </div>
    }
}

fn buttons(props: &LayerPanelProps, kind: &str) -> Html {
    let LayerPanelProps { form, layer, channels, .. } = props;
    let (layer, channels) = (*layer, *channels);
    let button = |(title, hint, testid): (&'static str, &'static str, &'static str),
                  is_possible: bool,
                  next: Option<usize>,
                  edit: fn(&Outline, usize, Option<u64>) -> Option<Outline>| {
        let (click, on_select) = (form.click(move |document| edit(document, layer, channels)), props.on_select.clone());
        let onclick = Callback::from(move |event: MouseEvent| {
            on_select.emit(next);
            click.emit(event);
        });
        html! {
            <button type="button" class="small" title={hint} {onclick} disabled={!is_possible} data-testid={testid}>
                { title }
            </button>
        }
    };
    html! {
        <div class="row tools">
            { button(("Add after", "A convolution between this layer and whoever reads it", "layer-add"), true, Some(layer + 1),
                add_layer) }
            { button(("Branch", "A copy of it beside it, and the sum of both", "layer-branch"), kind != "input", Some(layer + 1),
                |document, layer, _| branch(document, layer)) }
            { button(("Remove", "Remove it; whoever reads it reads what it reads", "layer-remove"), props.nodes.len() > 1, None,
                |document, layer, _| remove_layer(document, layer)) }
        </div>
    }
}
