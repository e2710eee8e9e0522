//! The account of a schedule on many cores says of every transfer whose data it carries, and which links carried that anyway.

use crate::multicore::{random_network, random_placement, random_system};
use fusescape_engine::hardware::Operand;
use fusescape_engine::ids::ti_vec;
use fusescape_engine::multicore::{
    SchedulingProblem, SchedulingRules, SystemAccount, TensorId, TileGraph, TileId, TilePriority, TilingRules,
    TransferCost, schedule, tile_graph,
};
use fusescape_test_support::random::{Lcg, oracle_cases};

/// The tile that computes a tensor, or else the first that reads it, and as which operand.
fn whose(graph: &TileGraph, tensor: TensorId) -> (TileId, Operand) {
    let having = |operand: Operand| graph.tiles.keys().find(|tile| graph.tensor(*tile, operand) == Some(tensor));
    let [read_as_weights, read_as_inputs, made] = Operand::ALL.map(|operand| Some((having(operand)?, operand)));
    made.unwrap_or_else(|| [read_as_weights, read_as_inputs].into_iter().flatten().min_by_key(|found| found.0).unwrap())
}

#[test]
fn transfers_are_of_the_tile_that_computes_their_tensor_or_of_the_first_that_reads_it() {
    let mut random = Lcg(37);
    let (mut made, mut read_by_several, mut shared) = (0, 0, 0);
    for round in 0..oracle_cases(200) {
        let layers = random_network(&mut random);
        let network = tile_graph(&layers, TilingRules::CORRECTED);
        let graph = &network.graph;
        let system = random_system(&mut random);
        let mut placed = random_placement(&mut random, &network, &system);
        placed.iter_mut().for_each(|tile| tile.too_large.clear());
        let problem = SchedulingProblem {
            graph,
            system: &system,
            placed: &placed,
            order: TilePriority::EarliestReady,
            prefetched: &[],
            rules: SchedulingRules::CORRECTED,
        };
        let Ok(found) = schedule(problem) else { continue };
        let names = (0..layers.len()).map(|layer| format!("layer {layer}")).collect();
        let account = SystemAccount::new(problem, &found, names, &ti_vec![1.0; placed.len()]);
        // The account lists them by their beginning, those of one cycle as they were decided.
        let mut transfers: Vec<usize> = (0..found.transfers.len()).collect();
        transfers.sort_by(|a, b| found.transfers[*a].span.start.0.total_cmp(&found.transfers[*b].span.start.0));
        assert_eq!(account.transfers.len(), transfers.len(), "round {round}");
        for (run, number) in account.transfers.iter().zip(transfers) {
            let transfer = &found.transfers[number];
            let (tile, operand) = whose(graph, transfer.tensor);
            let expected = (graph.tiles[tile].layer, operand, tile, graph.tensors[transfer.tensor].bits.0);
            assert_eq!((run.layer, run.operand, run.tile, run.bits), expected, "round {round}: {transfer:?}");
            let is_earlier = |link: &_| {
                found.transfers[..number].iter().any(|other| {
                    (other.tensor, other.span.start) == (transfer.tensor, transfer.span.start)
                        && system.route(other.from, other.to).contains(link)
                })
            };
            let route = system.route(transfer.from, transfer.to);
            let carried: Vec<_> = route.iter().copied().filter(is_earlier).collect();
            let TransferCost::Tensor { shared: ref found, .. } = run.cost else { panic!("{:?}", run.cost) };
            assert_eq!(*found, carried, "round {round}: {transfer:?}");
            shared += carried.len();
            made += usize::from(operand == Operand::O);
            let readers = graph.tiles.keys().filter(|tile| graph.tensor(*tile, operand) == Some(transfer.tensor));
            read_by_several += usize::from(operand != Operand::O && readers.count() > 1);
        }
    }
    assert!(made.min(read_by_several) > 300 && shared > 20, "{made}, {read_by_several}, {shared}");
}
