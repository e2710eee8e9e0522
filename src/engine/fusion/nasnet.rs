//! NASNet-A Large, 6 @ 4032 (Zoph et al., CVPR 2018), for images of 331 x 331.

use super::builder::{GraphBuilder, SquareWindow};
use super::graph::OperatorGraph;
use super::ids::{MapId, NETWORK_INPUT};

/// Two stem cells and three stages of six normal cells, with a reduction cell between stages.
pub(super) fn nasnet_a_large() -> OperatorGraph {
    const FILTERS: u64 = 4032 / 24;
    let mut net = GraphBuilder::new("NASNet-A Large", 331);
    let stem = net.conv("conv0", NETWORK_INPUT, 96, SquareWindow::valid(3).stride(2));
    // The cell's input, and the input of the cell before.
    let mut maps = (stem, stem);
    maps = reduction(&mut net, "stem1", maps, FILTERS / 4);
    maps = reduction(&mut net, "stem2", maps, FILTERS / 2);
    for stage in 0..3_u64 {
        let filters = FILTERS << stage;
        if stage > 0 {
            maps = reduction(&mut net, &format!("reduction{stage}"), maps, filters);
        }
        for cell in 1..=6 {
            maps = normal(&mut net, &format!("cell{}_{cell}", stage + 1), maps, filters);
        }
    }
    let x = net.average(maps.0);
    net.fully_connected("fc", x, 1000);
    net.finish()
}

fn normal(net: &mut GraphBuilder, cell: &str, (input, previous): (MapId, MapId), filters: u64) -> (MapId, MapId) {
    let part = |part: &str| format!("{cell}_{part}");
    let p = adjusted(net, cell, input, previous, filters);
    let h = net.conv(&part("squeeze"), input, filters, SquareWindow::same(1));
    let average = SquareWindow::same(3);
    let (a, b) = (separable(net, &part("1a"), h, filters, 5, 1), separable(net, &part("1b"), p, filters, 3, 1));
    let one = net.sum(&part("add1"), [a, b]);
    let (a, b) = (separable(net, &part("2a"), p, filters, 5, 1), separable(net, &part("2b"), p, filters, 3, 1));
    let two = net.sum(&part("add2"), [a, b]);
    let a = net.pool(&part("3a_pool"), h, average);
    let three = net.sum(&part("add3"), [a, p]);
    let (a, b) = (net.pool(&part("4a_pool"), p, average), net.pool(&part("4b_pool"), p, average));
    let four = net.sum(&part("add4"), [a, b]);
    let a = separable(net, &part("5a"), h, filters, 3, 1);
    let five = net.sum(&part("add5"), [a, h]);
    (net.concat(&part("concat"), &[p, one, two, three, four, five]), input)
}

fn reduction(net: &mut GraphBuilder, cell: &str, (input, previous): (MapId, MapId), filters: u64) -> (MapId, MapId) {
    let part = |part: &str| format!("{cell}_{part}");
    let p = adjusted(net, cell, input, previous, filters);
    let h = net.conv(&part("squeeze"), input, filters, SquareWindow::same(1));
    let halving = SquareWindow::same(3).stride(2);
    let (a, b) = (separable(net, &part("1a"), h, filters, 5, 2), separable(net, &part("1b"), p, filters, 7, 2));
    let one = net.sum(&part("add1"), [a, b]);
    let (a, b) = (net.pool(&part("2a_pool"), h, halving), separable(net, &part("2b"), p, filters, 7, 2));
    let two = net.sum(&part("add2"), [a, b]);
    let (a, b) = (net.pool(&part("3a_pool"), h, halving), separable(net, &part("3b"), p, filters, 5, 2));
    let three = net.sum(&part("add3"), [a, b]);
    let a = net.pool(&part("4a_pool"), one, SquareWindow::same(3));
    let four = net.sum(&part("add4"), [a, two]);
    let (a, b) = (separable(net, &part("5a"), one, filters, 3, 1), net.pool(&part("5b_pool"), h, halving));
    let five = net.sum(&part("add5"), [a, b]);
    (net.concat(&part("concat"), &[two, three, four, five]), input)
}

/// Depthwise and pointwise, twice; the stride is the first one's.
fn separable(net: &mut GraphBuilder, name: &str, input: MapId, filters: u64, kernel: u64, stride: u64) -> MapId {
    let mut x = net.depthwise(&format!("{name}_depthwise1"), input, SquareWindow::same(kernel).stride(stride));
    x = net.conv(&format!("{name}_pointwise1"), x, filters, SquareWindow::same(1));
    x = net.depthwise(&format!("{name}_depthwise2"), x, SquareWindow::same(kernel));
    net.conv(&format!("{name}_pointwise2"), x, filters, SquareWindow::same(1))
}

/// The output of the cell before, as large as this one's input: where it is larger, two halves of the channels out of every other
/// pixel; where only its channels differ, a convolution.
fn adjusted(net: &mut GraphBuilder, cell: &str, input: MapId, previous: MapId, filters: u64) -> MapId {
    let part = |part: &str| format!("{cell}_adjust_{part}");
    if input == previous {
        return previous;
    }
    if net.map(input).rows != net.map(previous).rows {
        let every_other = SquareWindow::same(1).stride(2);
        let halves = ["even", "odd"].map(|half| {
            let pooled = net.pool(&part(&format!("{half}_pool")), previous, every_other);
            net.conv(&part(half), pooled, filters / 2, SquareWindow::same(1))
        });
        return net.concat(&part("concat"), &halves);
    }
    if net.map(previous).channels != filters {
        return net.conv(&part("conv"), previous, filters, SquareWindow::same(1));
    }
    previous
}
