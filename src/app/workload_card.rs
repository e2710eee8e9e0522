//! The network: its layers as a graph, drawn from the document.

use super::hardware_card::size_text;
use crate::chart::Quantity;
use crate::workload::{Layer, LayerKind, Network};
use std::rc::Rc;
use yew::prelude::*;

/// What a [`NetworkDrawing`] needs.
#[derive(Properties)]
pub struct NetworkDrawingProps {
    /// The network.
    pub network: Rc<Network>,
    /// The stacks of the opened point, as names of layers.
    pub stacks: Vec<Vec<String>>,
}

impl PartialEq for NetworkDrawingProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.network, &other.network) && self.stacks == other.stacks
    }
}

/// Boxes on a line, and arcs where a layer reads another than the one before it.
#[component]
pub fn NetworkDrawing(props: &NetworkDrawingProps) -> Html {
    let network = &*props.network;
    let ids: Vec<usize> = network.computing().collect();
    html! {
        <>
            <div class="scroll network">{ draw_graph(network, &ids, &props.stacks) }</div>
            <p class="facts" data-testid="network-facts">{ facts(network, &ids, props.stacks.len()) }</p>
            <details class="twin">
                <summary>{ "layers" }</summary>
                <div class="scroll">{ layer_table(network, &ids) }</div>
            </details>
        </>
    }
}

const HEIGHT: usize = 24;
/// Arcs over more layers than this are no higher.
const HIGHEST_ARC: usize = 4;

/// Width of a box and of the gap between two: short networks fit into the card, others scroll.
fn box_and_gap(count: usize) -> (usize, usize) {
    if count <= 8 { (30, 6) } else { (20, 5) }
}

fn draw_graph(network: &Network, ids: &[usize], stacks: &[Vec<String>]) -> Html {
    let place = |id: usize| ids.iter().position(|&other| other == id);
    let arcs: Vec<(usize, usize)> = ids
        .iter()
        .enumerate()
        .flat_map(|(to, &id)| network.sources(id).into_iter().filter_map(place).map(move |from| (from, to)))
        .filter(|(from, to)| to - from > 1)
        .collect();
    let (wide, gap) = box_and_gap(ids.len());
    let top = 8 + 9 * arcs.iter().map(|(from, to)| (to - from).min(HIGHEST_ARC)).max().unwrap_or(0);
    let left = |index: usize| 6 + index * (wide + gap);
    let (width, height) = (left(ids.len()) + 2, top + HEIGHT + 10);
    let stack_boxes = stacks.iter().filter_map(|layers| {
        let of = |name: &String| ids.iter().position(|&id| network.layer(id).name == *name);
        let (first, last) = (of(layers.first()?)?, layers.iter().filter_map(of).max()?);
        Some(html! {
            <rect
                class="stack"
                x={(left(first) - 2).to_string()}
                y={(top - 6).to_string()}
                width={(left(last) + wide + 4 - left(first)).to_string()}
                height={(HEIGHT + 12).to_string()}
                rx="7"
            />
        })
    });
    let arc = |&(from, to): &(usize, usize)| {
        let (x, y) = (left(from) + wide / 2, left(to) + wide / 2);
        // A curve rises to three quarters of the height of its control points.
        let bow = top as i64 - 12 * (to - from).min(HIGHEST_ARC) as i64;
        html! { <path class="arc" d={format!("M {x} {top} C {x} {bow} {y} {bow} {y} {top}")} /> }
    };
    let links = (1..ids.len()).filter(|&to| network.sources(ids[to]).contains(&ids[to - 1])).map(|to| {
        let middle = (top + HEIGHT / 2).to_string();
        html! {
            <line class="arc" x1={(left(to) - gap).to_string()} x2={left(to).to_string()} y1={middle.clone()} y2={middle} />
        }
    });
    let boxes = ids.iter().enumerate().map(|(index, &id)| {
        let layer = network.layer(id);
        html! {
            <g class={classes!("layer", layer.shape.kind.name())}>
                <title>{ describe(layer) }</title>
                <rect
                    x={left(index).to_string()}
                    y={top.to_string()}
                    width={wide.to_string()}
                    height={HEIGHT.to_string()}
                    rx="6"
                />
                <text x={(left(index) + wide / 2).to_string()} y={(top + 16).to_string()}>
                    { if wide < 30 { (index + 1).to_string() } else { format!("L{}", index + 1) } }
                </text>
            </g>
        }
    });
    html! {
        <svg
            class="graph"
            width={width.to_string()}
            height={height.to_string()}
            viewBox={format!("0 0 {width} {height}")}
            role="img"
            aria-label={format!("{}: {} layers{}", network.name, ids.len(), stacks_text(stacks.len()))}
        >
            { for stack_boxes }
            { for links }
            { for arcs.iter().map(arc) }
            { for boxes }
        </svg>
    }
}

fn stacks_text(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => " in one stack".to_owned(),
        count => format!(" in {count} stacks"),
    }
}

fn describe(layer: &Layer) -> String {
    let (x, y, channels) = output(layer);
    format!(
        "{}: {}, output {x} × {y} × {channels}, {}",
        layer.name,
        kind(layer),
        Quantity::Macs.text(layer.shape.macs() as f64)
    )
}

fn kind(layer: &Layer) -> String {
    use crate::workload::Dim::{FX, FY};
    let (x, y) = (layer.shape.size(FX), layer.shape.size(FY));
    match layer.shape.kind {
        LayerKind::Conv | LayerKind::Depthwise | LayerKind::Pooling => format!("{} {x} × {y}", layer.shape.kind.name()),
        kind => kind.name().to_owned(),
    }
}

fn output(layer: &Layer) -> (u64, u64, u64) {
    use crate::workload::Dim::{OX, OY};
    (layer.shape.size(OX), layer.shape.size(OY), layer.shape.output_channels())
}

fn facts(network: &Network, ids: &[usize], stacks: usize) -> String {
    let weights: u64 = ids.iter().map(|&id| network.layer(id).shape.weight_bits()).sum();
    let largest = network.ids().map(|id| network.layer(id).shape.output_bits()).max().unwrap_or(0);
    format!(
        "{} layers{} · {} · {} weights · largest map {}",
        ids.len(),
        stacks_text(stacks),
        Quantity::Macs.text(network.macs() as f64),
        size_text(weights),
        size_text(largest),
    )
}

fn layer_table(network: &Network, ids: &[usize]) -> Html {
    let row = |(index, &id): (usize, &usize)| {
        let layer = network.layer(id);
        let (x, y, channels) = output(layer);
        let from: Vec<String> = network.sources(id).into_iter().map(|id| network.layer(id).name.clone()).collect();
        html! {
            <tr>
                <th scope="row">{ format!("L{}", index + 1) }</th>
                <td>{ &layer.name }</td>
                <td>{ kind(layer) }</td>
                <td class="number">{ format!("{x} × {y} × {channels}") }</td>
                <td class="number">{ Quantity::Macs.text(layer.shape.macs() as f64) }</td>
                <td class="number">{ size_text(layer.shape.weight_bits()) }</td>
                <td>{ from.join(", ") }</td>
            </tr>
        }
    };
    html! {
        <table>
            <thead><tr>
                <th scope="col">{ "no." }</th><th>{ "layer" }</th><th>{ "type" }</th><th class="number">{ "output" }</th>
                <th class="number">{ "MACs" }</th><th class="number">{ "weights" }</th><th>{ "reads" }</th>
            </tr></thead>
            <tbody>{ for ids.iter().enumerate().map(row) }</tbody>
        </table>
    }
}
