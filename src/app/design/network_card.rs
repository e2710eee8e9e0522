//! The network: its layers as a graph or a table, edited in place, and the stacks they are cut into.

use super::layer_panel::LayerPanelProps;
use super::layer_rows::LayerRowsProps;
use super::network_graph::NetworkGraph;
use crate::app::platform::lazy_modules::late;
use crate::app::widgets::figures::save::{FileContent, Save};
use crate::app::widgets::forms::controls::segments;
use crate::app::widgets::forms::diagnostics::DiagnosticList;
use crate::app::widgets::forms::form::{DocumentForm, Selected};
use crate::app::widgets::page::figure_context::use_act;
use crate::chart::{NetworkDrawing, NetworkLayer, Quantity, TableCell, size_text};
use crate::form::{LayerNode, Stacks, add_layer, layer_graph};
use crate::lazy_module;
use crate::state::{Action, FuseChoice, ScheduleField};
use crate::workload::{Layer, LayerId, LayerKind, Network};
use std::rc::Rc;
use yew::prelude::*;

/// Functions whose code is fetched when a layer or the whole network is first opened, or the layers as a table.
#[derive(Clone, Copy)]
pub struct LayerCode {
    /// Draws the fields common to all layers.
    pub network_panel: fn(&DocumentForm) -> Html,
    pub layer_panel: fn(LayerPanelProps) -> Html,
    pub layer_rows: fn(LayerRowsProps) -> Html,
}
lazy_module!(LayerCode);

#[derive(Properties)]
pub struct NetworkFormProps {
    pub form: DocumentForm,
    /// The network, if its document is valid.
    pub network: Option<Rc<Network>>,
    pub stacks: Rc<Stacks>,
    /// The item whose fields are shown.
    pub selected: Option<Selected>,
    /// Called with the item whose fields are to be shown.
    pub on_select: Callback<Option<Selected>>,
}

impl PartialEq for NetworkFormProps {
    fn eq(&self, other: &Self) -> bool {
        let is_same = match (&self.network, &other.network) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        is_same && self.selected == other.selected && self.form == other.form && self.stacks == other.stacks
    }
}

/// The layers as a graph or a table; a click on one of them shows its fields.
#[component]
pub fn NetworkForm(props: &NetworkFormProps) -> Html {
    let act = &use_act();
    let NetworkFormProps { form, network, stacks, .. } = props;
    let selected = props.selected;
    let is_table = use_state_eq(|| false);
    let (nodes, edges) = layer_graph(&form.document);
    let (nodes, edges) = (Rc::new(nodes), Rc::new(edges));
    let select = props.on_select.reform(|layer: Option<usize>| layer.map(Selected::Part));
    let layer = match selected {
        Some(Selected::Part(layer)) if layer < nodes.len() => Some(layer),
        _ => None,
    };
    let is_network = selected == Some(Selected::Whole);
    let is_cut_known = !stacks.ends.is_empty() || !stacks.wrong.is_empty();
    let on_cut = network.clone().filter(|_| is_cut_known).map(|network| {
        let stacks = Rc::clone(stacks);
        act.reform(move |name: String| Action::EndStacksAfter(stacks.toggled(&network, &name)))
    });
    let wrong_layers: Rc<Vec<usize>> =
        Rc::new((0..nodes.len()).map(|layer| form.wrong_at(&format!("layers[{layer}]")).len()).collect());
    // Always one node: if the number of siblings changed, Yew would create the graph before it anew.
    let panel = match layer {
        None => html! {},
        Some(layer) => {
            let model = model_of(network.as_deref(), &nodes[layer].name);
            let panel = LayerPanelProps {
                form: form.clone(),
                layer,
                nodes: Rc::clone(&nodes),
                facts: model.map(describe),
                channels: model.map(|layer| layer.shape.output_channels()),
                on_select: select.clone(),
            };
            late(move |parts: LayerCode| (parts.layer_panel)(panel.clone()))
        }
    };
    let mut shown: Vec<String> = layer.iter().map(|layer| format!("layers[{layer}]")).collect();
    if is_network {
        shown.extend(["name", "batch", "precision"].map(str::to_owned));
    }
    let on_path = {
        let (form, on_select) = (form.clone(), props.on_select.clone());
        Callback::from(move |path: String| {
            let holds = |own: &str| form.document.key(&path).is_inside(&form.document.key(own));
            let layer = (0..form.document.len("layers")).find(|layer| holds(&format!("layers[{layer}]")));
            on_select.emit(Some(layer.map_or(Selected::Whole, Selected::Part)));
        })
    };
    let show_table = {
        let is_table = is_table.clone();
        Callback::from(move |table: bool| is_table.set(table))
    };
    html! {
        <>
            <div class="bar network-bar">
                { segments("Layers as", &[(false, "graph"), (true, "table")], *is_table, show_table) }
                <button
                    type="button"
                    class="link"
                    aria-expanded={is_network.to_string()}
                    onclick={props.on_select.reform(move |_: MouseEvent| (!is_network).then_some(Selected::Whole))}
                    data-testid="network-settings"
                >
                    { "name, batch, precision" }
                </button>
            </div>
            if is_network {
                {{
                    let form = form.clone();
                    late(move |parts: LayerCode| (parts.network_panel)(&form))
                }}
            }
            if nodes.is_empty() {
                <button
                    type="button"
                    class="wide"
                    onclick={form.click(|document| add_layer(document, 0, None))}
                    data-testid="layer-first"
                >
                    { "Add an input" }
                </button>
            } else if *is_table {
                {{
                    let facts = |node: &LayerNode| model_of(network.as_deref(), &node.name).map(columns);
                    let rows = LayerRowsProps {
                        nodes: Rc::clone(&nodes),
                        form: form.clone(),
                        facts: nodes.iter().map(facts).collect(),
                        wrong: wrong_layers,
                        stacks: Rc::clone(stacks),
                        selected: layer,
                        on_select: select,
                        on_cut,
                        children: panel,
                    };
                    late(move |parts: LayerCode| (parts.layer_rows)(rows.clone()))
                }}
            } else {
                <>
                    <NetworkGraph
                        nodes={Rc::clone(&nodes)}
                        edges={Rc::clone(&edges)}
                        facts={
                            let facts = |node: &LayerNode| graph_facts(network.as_deref()?, &node.name);
                            Rc::new(nodes.iter().map(facts).collect::<Vec<_>>())
                        }
                        wrong={wrong_layers}
                        stacks={Rc::clone(stacks)}
                        selected={layer}
                        on_select={select}
                        {on_cut}
                    />
                    { panel }
                </>
            }
            if !nodes.is_empty() { { save(props, &nodes, &edges) } }
            if let Some(network) = network {
                <p class="facts" data-testid="network-facts">{ facts(network, stacks.layers.len()) }</p>
            }
            if !stacks.wrong.is_empty() {
                <p class="wrong-here" role="status" data-testid="stacks-wrong">
                    { for stacks.wrong.0.iter().map(|one| html! { <>{ &one.reason }{ ". " }</> }) }
                    <button
                        type="button"
                        class="link"
                        onclick={act.reform(|_: MouseEvent| {
                            Action::Schedule(ScheduleField::Fuse(FuseChoice::Automatic))
                        })}
                        data-testid="cut-automatically"
                    >
                        { "cut automatically" }
                    </button>
                </p>
            }
            <DiagnosticList
                diagnostics={form.wrong_outside(&shown)}
                form={Some(form.clone())}
                on_path={Some(on_path)}
                testid="workload-errors"
            />
        </>
    }
}

/// Buttons that save the graph and the table.
fn save(props: &NetworkFormProps, nodes: &[LayerNode], edges: &[(usize, usize)]) -> Html {
    let layer = |node: &LayerNode| NetworkLayer {
        name: node.name.clone(),
        kind: node.kind.clone(),
        sizes: model_of(props.network.as_deref(), &node.name).map_or_else(|| [""; 4].map(TableCell::from), columns),
    };
    let place = |name: &String| nodes.iter().position(|node| node.name == *name);
    let stack = |names: &Vec<String>| names.iter().filter_map(place).collect();
    let drawing = NetworkDrawing {
        name: props.form.document.value("name").unwrap_or_else(|| "the network".to_owned()),
        layers: nodes.iter().map(layer).collect(),
        edges: edges.to_vec(),
        stacks: props.stacks.layers.iter().map(stack).collect(),
    };
    html! { <div class="save-row"><Save what={FileContent::Network(Rc::new(drawing))} /></div> }
}

fn model_of<'n>(network: Option<&'n Network>, name: &str) -> Option<&'n Layer> {
    let network = network?;
    network.ids().map(|id| network.layer(id)).find(|layer| layer.name == name)
}

/// The facts of a layer that the graph shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphLayer {
    /// `960 × 540 × 56`.
    pub map: String,
    /// One sentence with all sizes.
    pub sentence: String,
    /// Index among the layers with multiply-accumulates, which decides its colour.
    pub place: Option<usize>,
}

fn graph_facts(network: &Network, name: &str) -> Option<GraphLayer> {
    let layer = model_of(Some(network), name)?;
    let place = network.computing().position(|id| network.layer(id).name == layer.name);
    Some(GraphLayer { map: map_text(layer), sentence: format!("{}: {}", kind_text(layer), describe(layer)), place })
}

fn map_text(layer: &Layer) -> String {
    use crate::workload::Dim::{OX, OY};
    format!("{} × {} × {}", layer.shape.size(OX), layer.shape.size(OY), layer.shape.output_channels())
}

/// `output 960 × 540 × 56, 27.7 MiB · weights 1.37 KiB · 726 MMAC`.
fn describe(layer: &Layer) -> String {
    let mut text = format!("output {}, {}", map_text(layer), size_text(layer.shape.output_bits()));
    if layer.is_input() {
        return text;
    }
    if layer.shape.weight_bits() > 0 {
        text += &format!(" · weights {}", size_text(layer.shape.weight_bits()));
    }
    text + &format!(" · {}", Quantity::Macs.text(layer.shape.macs() as f64))
}

/// Output map, its size, weights and MACs.
pub fn columns(layer: &Layer) -> [TableCell; 4] {
    let is_input = layer.is_input();
    let weights = layer.shape.weight_bits();
    [
        map_text(layer).into(),
        TableCell::size(layer.shape.output_bits()),
        if weights > 0 { TableCell::size(weights) } else { "".into() },
        if is_input { "".into() } else { TableCell::of(Quantity::Macs, layer.shape.macs() as f64) },
    ]
}

fn kind_text(layer: &Layer) -> String {
    use crate::workload::Dim::{FX, FY};
    let (x, y) = (layer.shape.size(FX), layer.shape.size(FY));
    match layer.shape.kind {
        LayerKind::Conv | LayerKind::Depthwise | LayerKind::Pooling => format!("{} {x} × {y}", layer.shape.kind.name()),
        kind => kind.name().to_owned(),
    }
}

fn facts(network: &Network, stacks: usize) -> String {
    let ids: Vec<LayerId> = network.computing().collect();
    let weights: u64 = ids.iter().map(|&id| network.layer(id).shape.weight_bits()).sum();
    let largest = network.ids().map(|id| network.layer(id).shape.output_bits()).max().unwrap_or(0);
    let in_stacks = match stacks {
        0 => String::new(),
        1 => " in one stack".to_owned(),
        count => format!(" in {count} stacks"),
    };
    format!(
        "{} layers{in_stacks} · {} · {} weights · largest map {}",
        ids.len(),
        Quantity::Macs.text(network.macs() as f64),
        size_text(weights),
        size_text(largest),
    )
}
