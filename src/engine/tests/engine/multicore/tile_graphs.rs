//! Many cores: tiles of layers, their work and reads, and their dependencies.

use super::schedules::{random_network, rounds};
use fusescape_engine::ids::ti_vec;
use fusescape_engine::multicore::{
    AccessFunction, AxisExpression, CutLayer, LoopCuts, NestId, TileId, TilingRules, count_edges, tile_graph,
    tile_shape,
};
use fusescape_engine::workload::{Dim, Network};
use fusescape_test_support::nests::convolution;
use fusescape_test_support::random::Lcg;
use std::collections::BTreeSet;
use std::ops::Range;

#[test]
fn edges_equal_a_test_of_every_pair_of_boxes() {
    let mut random = Lcg(5);
    for round in 0..rounds() {
        let layers = random_network(&mut random);
        let network = tile_graph(&layers, TilingRules::CORRECTED);
        let graph = &network.graph;
        let between = graph.edges().filter(|edge| edge.operand.is_some()).count() as u64;
        assert_eq!(count_edges(&layers, TilingRules::CORRECTED), between, "round {round}");
        for (index, layer) in layers.iter_enumerated() {
            let tiles = network.tiles_of(index);
            let macs: u64 = tiles.clone().map(|tile| layer.nest.macs(&network.part(tile))).sum();
            assert_eq!(macs, layer.nest.macs(&layer.nest.whole()), "round {round}: layer {index} is computed once");
            for input in &layer.nest.inputs {
                let Some(source) = input.source else { continue };
                let theirs = &layers[source].nest;
                for to in tiles.clone() {
                    for from in network.tiles_of(source) {
                        let made = elements(&theirs.output, &network.part(from));
                        let read = elements(input, &network.part(to));
                        let meet = made.iter().zip(&read).all(|(made, read)| made.iter().any(|at| read.contains(at)));
                        let is_edge =
                            graph.predecessors(to).any(|edge| edge.from == from && edge.operand == Some(input.operand));
                        assert_eq!(meet, is_edge, "round {round}: {from} -> {to}");
                    }
                }
            }
        }
    }
}

/// The second matrix of attention, and the maps of a view: every tile waits for all tiles that complete them.
#[test]
fn what_is_read_as_a_whole_is_waited_for_as_a_whole() {
    let mut random = Lcg(47);
    let mut several = 0;
    for round in 0..rounds() {
        let mut layers = random_network(&mut random);
        for layer in &mut layers {
            let computed = layer.nest.inputs.iter_mut().filter(|input| input.source.is_some());
            computed.filter(|_| random.below(2) == 0).for_each(|input| input.axes.clear());
        }
        let network = tile_graph(&layers, TilingRules::CORRECTED);
        let graph = &network.graph;
        let between = graph.edges().filter(|edge| edge.operand.is_some()).count() as u64;
        assert_eq!(count_edges(&layers, TilingRules::CORRECTED), between, "round {round}");
        for (index, layer) in layers.iter_enumerated() {
            for input in layer.nest.inputs.iter().filter(|input| input.axes.is_empty()) {
                let all: Vec<TileId> = network.tiles_of(input.source.expect("it is computed")).collect();
                let complete: Vec<TileId> = all.into_iter().filter(|tile| graph.tiles[*tile].is_final).collect();
                several += usize::from(complete.len() > 1);
                for to in network.tiles_of(index) {
                    let edges = graph.predecessors(to).filter(|edge| edge.operand == Some(input.operand));
                    let from: Vec<TileId> = edges.map(|edge| edge.from).collect();
                    assert!(complete.iter().all(|tile| from.contains(tile)), "round {round}: {to} of {complete:?}");
                }
            }
        }
    }
    assert!(several > rounds() as usize / 3, "{several}");
}

/// Channels cut in time, and each piece once more over cores: each core computes the same part of every piece.
#[test]
fn every_core_computes_its_part_of_each_piece_in_time() {
    for (in_time, over_cores) in [(1, 2), (2, 2), (2, 4), (3, 2), (4, 1)] {
        let nest = convolution(None, (2, 6, 5), 24, 1, (1, (3, 1)));
        let split = LoopCuts { in_time: vec![(Dim::OY, 2), (Dim::K, in_time)], over_cores: vec![(Dim::K, over_cores)] };
        let layers = ti_vec![CutLayer { nest, split, cores: over_cores as usize }];
        let network = tile_graph(&layers, TilingRules::CORRECTED);
        let (piece, part) = (24 / in_time, 24 / in_time / over_cores);
        for tile in network.tiles_of(NestId::from(0)) {
            let channels = &network.part(tile)[Dim::K as usize];
            assert_eq!(channels.end - channels.start, part);
            let core = channels.start % piece / part;
            assert_eq!(network.graph.tiles[tile].group.index() as u64, core, "{in_time} x {over_cores}: {channels:?}");
        }
    }
}

/// The input of every part of a layer along its columns, counted one by one; a part that reads only padding still
/// counts as one.
#[test]
fn a_part_of_a_layer_reads_the_columns_of_its_windows_that_exist() {
    for padding in 0..=2 {
        let text = format!(
            "name: one\nlayers:\n  - {{ name: in, type: input, K: 1, size: 6 x 6 }}\n  \
             - {{ name: a, type: conv, K: 1, kernel: 3 x 3, padding: {padding} }}\n"
        );
        let network = Network::from_text(&text).unwrap_or_else(|wrong| panic!("{wrong}"));
        let layer = network.layer(network.computing().next().unwrap());
        let ranges = |size: u64| (0..size).flat_map(move |start| (start + 1..=size).map(move |end| start..end));
        for outputs in ranges(layer.shape.size(Dim::OX)) {
            for taps in ranges(3) {
                let mut part = Dim::ALL.map(|dim| 0..layer.shape.size(dim));
                (part[Dim::OX as usize], part[Dim::FX as usize]) = (outputs.clone(), taps.clone());
                let exists = |column: &u64| (padding..padding + 6).contains(column);
                let columns = outputs.clone().flat_map(|at| taps.clone().map(move |tap| at + tap));
                let read: BTreeSet<u64> = columns.filter(exists).collect();
                let found = tile_shape(layer, &part, TilingRules::CORRECTED).input_limit.0;
                assert_eq!(found, (read.len() as u64).max(1), "{outputs:?}, {taps:?} behind {padding}");
            }
        }
    }
}

/// Where pieces in time do not divide a loop, the tool computes more of it, so that they do.
#[test]
fn by_the_rule_of_the_tool_layers_grow_to_whole_pieces() {
    for pieces in 1..=7 {
        let nest = convolution(None, (2, 7, 5), 4, 1, (1, (3, 1)));
        let split = LoopCuts { in_time: vec![(Dim::OY, pieces)], over_cores: Vec::new() };
        let layers = ti_vec![CutLayer { nest, split, cores: 1 }];
        let rows = |rules: TilingRules| -> Vec<u64> {
            let network = tile_graph(&layers, rules);
            let tiles = network.tiles_of(NestId::from(0)).map(|tile| network.part(tile)[Dim::OY as usize].clone());
            tiles.map(|rows| rows.end - rows.start).collect()
        };
        assert_eq!(rows(TilingRules::STREAM), vec![7_u64.div_ceil(pieces); pieces as usize]);
        assert_eq!(rows(TilingRules::CORRECTED).iter().sum::<u64>(), 7);
    }
}

/// The positions along each axis that a part of the loops touches, one by one.
fn elements(access: &AccessFunction, part: &[Range<u64>; 8]) -> Vec<Vec<i64>> {
    let along = |axis: &AxisExpression| {
        let mut places = vec![axis.offset];
        for (dim, stride) in &axis.terms {
            let steps = part[*dim as usize].clone();
            places = places.iter().flat_map(|at| steps.clone().map(move |step| at + (step * stride) as i64)).collect();
        }
        places
    };
    access.axes.iter().map(along).collect()
}
