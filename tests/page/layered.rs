//! The layered layout: nodes are below their inputs, those of one rank side by side, and no edge crosses a node.

use fusescape::chart::{Layered, Spacing, lay_out};
use fusescape::spec::workload_presets;
use fusescape::workload::Network;
use fusescape_test_support::random::Lcg;

const SPACING: Spacing = Spacing { width: 100.0, height: 24.0, between_ranks: 16.0, between_nodes: 12.0, lane: 10.0 };

/// Points of an edge, close to each other: straight inside a rank, swinging between two, as drawn.
fn sampled(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let swing = |t: f64| 3.0 * t * t - 2.0 * t * t * t;
    let parts = points.windows(2).flat_map(|pair| {
        (0..=20).map(move |step| {
            let t = f64::from(step) / 20.0;
            (pair[0].0 + (pair[1].0 - pair[0].0) * swing(t), pair[0].1 + (pair[1].1 - pair[0].1) * t)
        })
    });
    parts.collect()
}

fn check(count: usize, edges: &[(usize, usize)]) -> Layered {
    let layout = lay_out(count, edges, &SPACING);
    assert_eq!(layout.nodes.len(), count);
    assert_eq!(layout.routes.len() + layout.left_out.len(), edges.len());
    let inside = |(x, y): (f64, f64)| {
        (-0.001..=layout.width + 0.001).contains(&x) && (-0.001..=layout.height + 0.001).contains(&y)
    };
    for (node, &(x, y)) in layout.nodes.iter().enumerate() {
        assert!(inside((x, y)) && inside((x + SPACING.width, y + SPACING.height)));
        for (other, &(x2, y2)) in layout.nodes.iter().enumerate().skip(node + 1) {
            let apart =
                (y - y2).abs() >= SPACING.height || (x - x2).abs() >= SPACING.width + SPACING.between_nodes - 0.001;
            assert!(apart, "{node} and {other}");
        }
    }
    for route in &layout.routes {
        assert!(edges.contains(&(route.from, route.to)));
        assert!(layout.ranks[route.from] < layout.ranks[route.to], "the reader is below");
        for (x, y) in sampled(&route.points) {
            assert!(inside((x, y)));
            for &(left, top) in &layout.nodes {
                let is_in = x > left && x < left + SPACING.width && y > top + 0.001 && y < top + SPACING.height - 0.001;
                assert!(!is_in, "the edge from {} to {} crosses a node", route.from, route.to);
            }
        }
    }
    layout
}

#[test]
fn every_preset_is_laid_out() {
    for preset in workload_presets() {
        let network = Network::from_text(preset.text).unwrap();
        let edges: Vec<(usize, usize)> = network
            .ids()
            .flat_map(|to| network.inputs(to).into_iter().map(move |from| (from.index(), to.index())))
            .collect();
        let layout = check(network.len(), &edges);
        assert!(layout.left_out.is_empty(), "{}", preset.id);
    }
}

#[test]
fn a_chain_is_straight_and_branches_stand_side_by_side() {
    let chain = check(4, &[(0, 1), (1, 2), (2, 3)]);
    assert_eq!(chain.width, SPACING.width);
    assert_eq!(chain.ranks, [0, 1, 2, 3]);
    // A block of ResNet with a convolution on the shortcut.
    let block = check(5, &[(0, 1), (1, 2), (0, 3), (2, 4), (3, 4)]);
    assert_eq!((block.ranks[1], block.ranks[3]), (1, 1));
    assert_ne!(block.nodes[1].0, block.nodes[3].0);
    // A shortcut without a layer runs straight beside the nodes that it skips.
    let skip = check(4, &[(0, 1), (1, 2), (2, 3), (0, 3)]);
    let lane = skip.routes.iter().find(|route| route.to == 3 && route.from == 0).unwrap();
    assert_eq!(lane.points.len(), 6);
    assert!(lane.points[1..5].iter().all(|point| (point.0 - lane.points[1].0).abs() < 1.0), "{:?}", lane.points);
}

#[test]
fn any_graph_is_laid_out_circles_and_loops_too() {
    let mut random = Lcg(7);
    for _ in 0..60 {
        let count = 1 + random.below(24) as usize;
        let mut edges: Vec<(usize, usize)> = (0..random.below(40))
            .map(|_| (random.below(count as u64) as usize, random.below(count as u64) as usize))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let layout = check(count, &edges);
        let forward = edges.iter().filter(|(from, to)| from < to).count();
        assert!(layout.routes.len() * 2 >= forward, "most edges are drawn");
    }
    assert_eq!(lay_out(0, &[], &SPACING), Layered::default());
    assert_eq!(check(1, &[]).height, SPACING.height);
}

/// Thousands of layers that all read the first one: the longest edges are left out, and reported.
#[test]
fn a_network_of_thousands_of_shortcuts_is_bounded() {
    let count = 4096;
    let edges: Vec<(usize, usize)> =
        (1..count).flat_map(|to| [(to - 1, to), (0, to)]).filter(|edge| *edge != (0, 0)).collect();
    let layout = lay_out(count, &edges, &SPACING);
    assert!(!layout.left_out.is_empty());
    assert!(layout.routes.len() >= count, "neighbours are connected");
    assert!(layout.routes.iter().map(|route| route.points.len()).sum::<usize>() < 100_000);
}
