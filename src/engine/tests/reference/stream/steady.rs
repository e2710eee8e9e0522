//! Steady states: iterations, tiles, and their share of the work.

use super::tiles::{cut, example_layers, layers};
use crate::Report;
use fusescape_engine::ids::TiVec;
use fusescape_engine::multicore::{
    CutLayer, NestId, SteadyState, TileId, TiledNetwork, TilingRules, steady_state, tile_graph,
};
use fusescape_engine::workload::Dim;
use fusescape_test_support::stream::{integers, list};
use fusescape_test_support::{entries, integer, number, reference, reference_text, stream_cases};
use serde_json::Value;

/// Steady states of every stack, before layers are shared among cores.
pub fn states() -> Report {
    let mut report = Report::new();
    for name in stream_cases("waco_e2e") {
        let file: Value = serde_json::from_str(&reference_text(&format!("stream/waco_e2e/{name}.json"))).unwrap();
        report.cases += 1;
        let network = Tiled::new(layers(&file, false));
        let tiles = network.tiled.graph.tiles.len();
        report.same(&tiles, &(integer(&file["before_split"]["nb_cts"]) as usize), || format!("{name}: tiles"));
        let edges = network.tiled.graph.edges().count();
        report.same(&edges, &(integer(&file["before_split"]["nb_edges"]) as usize), || format!("{name}: edges"));
        for (stack, theirs) in entries(&file["steady_state"]) {
            let stack: Vec<usize> =
                stack.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
            let ours = network.steady_state(&stack);
            let what = || format!("{name}: stack {stack:?}");
            report.same(&ours.iterations, &(integer(&theirs["iterations"]) as usize), what);
            report.same(&network.names(&ours.tiles.raw), &list(&theirs["nodes"]).map(integers).collect(), what);
            report.close(ours.mac_share, number(&theirs["mac_fraction"]), 1e-12, what);
            network.check_iterations(&mut report, &ours, &stack, &theirs["iteration_layer_counts"], &what);
        }
    }
    let file = reference("stream/steady_state.json");
    let examples = reference("stream/example_inputs.json");
    for (name, theirs) in entries(&file) {
        report.cases += 1;
        let workload = if name.starts_with("fsrcnn") { "fsrcnn" } else { "resnet18" };
        let stacks: Vec<Vec<usize>> = list(&theirs["stacks"]).map(|stack| integers(&stack["stack"])).collect();
        let described = example_layers(&examples["workloads"][workload]);
        let network = Tiled::new(cut(described, &examples["mapping"], &stacks, true, &|_| None));
        let counts = (network.tiled.graph.tiles.len(), network.tiled.graph.edges().count());
        report.same(&counts, &(integer(&theirs["nb_cts"]) as usize, integer(&theirs["nb_edges"]) as usize), || {
            name.clone()
        });
        for (stack, theirs) in stacks.iter().zip(list(&theirs["stacks"])) {
            let ours = network.steady_state(stack);
            let what = || format!("{name}: stack {stack:?}");
            report.same(&ours.all.len(), &(integer(&theirs["iterations_total"]) as usize), what);
            report.same(&ours.iterations, &(integer(&theirs["N"]) as usize), what);
            report.same(&network.names(&ours.tiles.raw), &list(&theirs["cts"]).map(integers).collect(), what);
            report.close(ours.mac_share, number(&theirs["mac_fraction"]), 1e-12, what);
            let macs: u64 = ours.all.iter().flatten().map(|&tile| network.macs(tile)).sum();
            report.same(&macs, &integer(&theirs["total_macs"]), what);
            network.check_iterations(&mut report, &ours, stack, &theirs["new_cts_per_layer_by_iteration"], &what);
        }
    }
    report
}

/// A network in tiles; layers have the numbers of the file.
struct Tiled {
    ids: TiVec<NestId, usize>,
    layers: TiVec<NestId, CutLayer>,
    tiled: TiledNetwork,
}

impl Tiled {
    fn new(layers: Vec<(usize, CutLayer)>) -> Self {
        let (ids, layers): (Vec<usize>, Vec<CutLayer>) = layers.into_iter().unzip();
        let layers = TiVec::from(layers);
        let tiled = tile_graph(&layers, TilingRules::STREAM);
        Self { ids: ids.into(), layers, tiled }
    }

    /// In the tool, every output of a pooling is computed from all channels.
    fn macs(&self, tile: TileId) -> u64 {
        let nest = &self.layers[self.tiled.graph.tiles[tile].layer].nest;
        let is_pooling = nest.size(Dim::FX) > 1 && !nest.inputs[0].is_relevant(Dim::C);
        nest.macs(&self.tiled.part(tile)) * if is_pooling { nest.size(Dim::K) } else { 1 }
    }

    fn steady_state(&self, stack: &[usize]) -> SteadyState {
        let layers: Vec<NestId> = stack.iter().filter_map(|id| self.ids.position(|other| other == id)).collect();
        steady_state(&self.tiled.graph, &layers, &|tile| self.macs(tile))
    }

    fn names(&self, tiles: &[TileId]) -> Vec<Vec<usize>> {
        let name = |&tile: &TileId| {
            let facts = &self.tiled.graph.tiles[tile];
            vec![self.ids[facts.layer], facts.number.index()]
        };
        tiles.iter().map(name).collect()
    }

    fn check_iterations(
        &self,
        report: &mut Report,
        ours: &SteadyState,
        stack: &[usize],
        theirs: &Value,
        what: &dyn Fn() -> String,
    ) {
        for (iteration, counts) in list(theirs).enumerate() {
            for &layer in stack {
                let is_it = |&&tile: &&TileId| self.ids[self.tiled.graph.tiles[tile].layer] == layer;
                let count = ours.all[iteration].iter().filter(is_it).count() as u64;
                let wanted = counts.get(layer.to_string()).map_or(0, integer);
                report.same(&count, &wanted, || format!("{}, iteration {iteration}, layer {layer}", what()));
            }
        }
    }
}
