//! The published systems for attention on shapes that their papers do not show: refusals, and common properties.

use fusescape_engine::attention::Shape;
use fusescape_engine::attention::published::{
    AccessTotals, COMPULSORY, Dataflow, Flat, Granularity, Machine, Rules, Stationarity, replay,
};

fn flat(granularity: Granularity) -> Flat {
    let (qk, av_product) = (Stationarity::Output, Stationarity::Output);
    Flat { granularity, qk, av_product, q: true, k: true, scores: false, v: true, av: false }
}

fn accesses(dataflow: &Dataflow, shape: &Shape) -> Option<AccessTotals> {
    replay(dataflow, shape, &Machine::FLAT_CLOUD, &Rules::FUSEMAX_2024).ok().map(|replay| replay.accesses)
}

#[test]
fn flat_takes_rows_that_fill_the_array_and_divide_the_queries() {
    let side = Machine::FLAT_CLOUD.side;
    let shape = Shape::of_sequence(1, 1, 64, 6 * side);
    let is_legal = |rows: u64| accesses(&Dataflow::Flat(flat(Granularity::Rows(rows))), &shape).is_some();
    for arrays in 1..=7 {
        assert_eq!(is_legal(arrays * side), [1, 2, 3, 6].contains(&arrays), "{arrays} arrays");
    }
    assert!(!is_legal(0) && !is_legal(side / 2) && !is_legal(side + side / 2));
}

/// The softmax of scores from DRAM is the same for all dataflows of the products.
#[test]
fn lanes_access_their_registers_as_often_unfused_as_under_flat() {
    let side = Machine::FLAT_CLOUD.side;
    for (heads, queries) in [(1, side), (3, 2 * side)] {
        let shape = Shape::of_sequence(1, heads, 64, queries);
        let [unfused, flat] = [Dataflow::Unfused(COMPULSORY), Dataflow::Flat(flat(Granularity::Rows(side)))]
            .map(|dataflow| accesses(&dataflow, &shape).unwrap());
        assert_eq!(unfused.registers_1d, flat.registers_1d);
        assert_eq!(unfused.all_registers[1], flat.all_registers[1]);
    }
}
