//! The groups of a method on the network's graph.

use crate::app::design::network_card::columns;
use crate::app::widgets::figures::figure::{Drawn, Figure};
use crate::app::widgets::forms::controls::{ChoiceOption, Select};
use crate::chart::{NetworkDrawing, NetworkLayer};
use crate::explore::{FusionComparison, FusionMethod, FusionResult};
use crate::workload::{LayerId, Network};
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct FusionGraphProps {
    pub graph: Rc<NetworkDrawing>,
    pub fusions: Arc<FusionComparison>,
}

/// The graph, with one colour per group of the chosen method.
#[component]
pub fn FusionGraph(props: &FusionGraphProps) -> Html {
    let chosen = use_state_eq(|| FusionMethod::Optimal);
    let known = |method: &FusionMethod| result(&props.fusions, *method).is_some();
    let methods: Vec<FusionMethod> = FusionMethod::ALL.into_iter().filter(known).collect();
    let Some(method) = methods.iter().copied().find(|method| method == &*chosen).or(methods.last().copied()) else {
        return html! {};
    };
    let onchange = {
        let chosen = chosen.setter();
        Callback::from(move |title: String| {
            FusionMethod::ALL
                .into_iter()
                .filter(|method| method.title() == title)
                .for_each(|method| chosen.set(method));
        })
    };
    let choices: Vec<ChoiceOption> =
        methods.iter().map(|method| ChoiceOption::new(method.title().to_owned(), method.title().to_owned())).collect();
    let groups = result(&props.fusions, method).map(|result| result.groups.as_slice()).unwrap_or_default();
    html! {
        <section class="card">
            <Select label="Groups of" {choices} value={method.title()} {onchange} testid="fusion-groups-of" />
            <Figure
                title="Groups on the graph"
                hint="Layers of one colour run together; a line is a feature map that one layer reads of another."
                chart={Drawn::new(grouped(&props.graph, &props.fusions.names, groups))}
                testid="fusion-graph"
            />
        </section>
    }
}

fn result(fusions: &FusionComparison, wanted: FusionMethod) -> Option<&FusionResult> {
    let found = fusions.results.iter().find(|(method, _)| *method == wanted);
    found.and_then(|(_, result)| result.as_ref().ok())
}

/// The graph of a network as a single stack.
pub fn graph_of(network: &Network) -> NetworkDrawing {
    let ids: Vec<LayerId> = network.ids().collect();
    let place = |id: LayerId| ids.binary_search(&id).ok();
    let layer = |&id: &LayerId| {
        let layer = network.layer(id);
        NetworkLayer { name: layer.name.clone(), kind: layer.shape.kind.name().to_owned(), sizes: columns(layer) }
    };
    let edges = ids.iter().flat_map(|&to| network.inputs(to).into_iter().map(move |from| (from, to)));
    NetworkDrawing {
        name: network.name.clone(),
        layers: ids.iter().map(layer).collect(),
        edges: edges.filter_map(|(from, to)| Some((place(from)?, place(to)?))).collect(),
        stacks: Vec::new(),
    }
}

/// The graph of a network, coloured by the groups of a method.
fn grouped(graph: &NetworkDrawing, names: &[String], groups: &[Vec<usize>]) -> NetworkDrawing {
    let place = |name: &String| graph.layers.iter().position(|layer| layer.name == *name);
    let group = |group: &Vec<usize>| group.iter().filter_map(|&at| place(names.get(at)?)).collect();
    NetworkDrawing { stacks: groups.iter().map(group).collect(), ..graph.clone() }
}
