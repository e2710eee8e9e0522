//! Invoking the subsequent operator in advance (Optimus, Section 5.2): which maps of a group are buffered a few channels at a time.

use super::ids::GroupMap;
use crate::ids::{TiSlice, TiVec, ti_vec};
use crate::sorting::sort_by_key;

/// The price of a map, in elements: terms of two sums, of which the second one breaks ties of the first.
pub type MapPrice = (u64, u64);

/// The prices of a map that is buffered in full, and of one whose reader is invoked in advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct IsoaPrices {
    pub whole: MapPrice,
    pub in_advance: MapPrice,
}

/// An optimal decision for a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IsoaDecision {
    /// Buffer and traffic of the group under this decision.
    pub price: MapPrice,
    /// For each map whether it is buffered a few channels at a time.
    pub in_advance: TiVec<GroupMap, bool>,
}

/// A partial decision: the maps with readers to come that are in advance, their price, and the previous decision.
#[derive(Clone, Copy)]
struct PartialDecision {
    in_advance: u128,
    price: MapPrice,
    choice: bool,
    from: usize,
}

/// The cheapest choice of maps to be buffered a few channels at a time, no two of which are input and output of the same operator: all
/// channels of one have to be there to finish a channel of the other.
///
/// `inputs` lists for each map, in topological order, the maps that it is computed from. Algorithm 2 of the paper adds up over all
/// successors, which counts one that is reached twice more than once, and may decide on it twice; here maps are decided in
/// topological order, and partial decisions are kept apart only by maps that are still to be read. On chains this is the paper's.
/// Exponential in the number of these: the cheapest `most` partial decisions are followed, so that the result is legal, but the best only
/// where there are no more.
pub fn decide(
    inputs: &TiSlice<GroupMap, Vec<GroupMap>>,
    prices: &TiSlice<GroupMap, IsoaPrices>,
    most: usize,
) -> IsoaDecision {
    let slots = Slots::new(inputs);
    let start = PartialDecision { in_advance: 0, price: (0, 0), choice: false, from: 0 };
    // Before each map, and after the last.
    let mut history: TiVec<GroupMap, Vec<PartialDecision>> = ti_vec![vec![start]];
    for (map, prices) in prices.iter_enumerated() {
        let before = &history[map];
        let mut after: Vec<PartialDecision> = Vec::with_capacity(2 * before.len());
        let inputs: u128 = inputs[map].iter().map(|&input| slots.bit[input]).fold(0, |all, bit| all | bit);
        for (from, partial) in before.iter().enumerate() {
            let kept = partial.in_advance & !slots.freed[map];
            after.push(PartialDecision {
                in_advance: kept,
                price: sum(partial.price, prices.whole),
                choice: false,
                from,
            });
            if partial.in_advance & inputs == 0 && !slots.is_without[map] {
                let in_advance = (partial.in_advance | slots.bit[map]) & !slots.freed[map];
                after.push(PartialDecision {
                    in_advance,
                    price: sum(partial.price, prices.in_advance),
                    choice: true,
                    from,
                });
            }
        }
        after.sort_unstable_by_key(|partial| (partial.in_advance, partial.price, partial.from, partial.choice));
        after.dedup_by_key(|partial| partial.in_advance);
        if after.len() > most {
            sort_by_key(&mut after, |partial| (partial.price, partial.in_advance));
            after.truncate(most);
        }
        history.push(after);
    }
    let best =
        history.last().and_then(|last| last.iter().min_by_key(|partial| partial.price)).copied().unwrap_or(start);
    let mut in_advance = ti_vec![false; prices.len()];
    let mut partial = best;
    for map in prices.keys().rev() {
        in_advance[map] = partial.choice;
        partial = history[map][partial.from];
    }
    IsoaDecision { price: best.price, in_advance }
}

fn sum(a: MapPrice, b: MapPrice) -> MapPrice {
    (a.0 + b.0, a.1 + b.1)
}

/// Allocates a bit to every map that has readers left; a bit is free again after the last reader.
struct Slots {
    /// The map's bit; none for maps that no operator reads.
    bit: TiVec<GroupMap, u128>,
    /// The bits of the maps that this one is the last to read.
    freed: TiVec<GroupMap, u128>,
    /// Whether there is no bit left for a map that is still to be read: it is buffered in full.
    is_without: TiVec<GroupMap, bool>,
}

impl Slots {
    fn new(inputs: &TiSlice<GroupMap, Vec<GroupMap>>) -> Self {
        let mut last_reader: TiVec<GroupMap, Option<GroupMap>> = ti_vec![None; inputs.len()];
        for (map, inputs) in inputs.iter_enumerated() {
            for &input in inputs {
                last_reader[input] = Some(map);
            }
        }
        let (mut bit, mut freed, mut taken) = (ti_vec![0; inputs.len()], ti_vec![0; inputs.len()], 0_u128);
        let mut is_without = ti_vec![false; inputs.len()];
        for map in inputs.keys() {
            // The map needs a bit of its own while its inputs still have theirs.
            if last_reader[map].is_some() {
                bit[map] = 1_u128.checked_shl(taken.trailing_ones()).unwrap_or(0);
                is_without[map] = bit[map] == 0;
                taken |= bit[map];
            }
            for &input in &inputs[map] {
                if last_reader[input] == Some(map) {
                    freed[map] |= bit[input];
                }
            }
            taken &= !freed[map];
        }
        Self { bit, freed, is_without }
    }
}
