//! The best configuration of FLAT for a shape.
//!
//! The artifact contains FLAT's choices for some shapes, but not the program that made them. This search tries every
//! configuration of its space.

use super::{Dataflow, Flat, Granularity, Machine, Replay, Rules, Shape, Stationarity, replay};
use crate::spec::Diagnostics;

/// The fastest configuration; of equally fast ones that with the least energy.
///
/// # Errors
///
/// Shapes that [`replay`] refuses.
pub fn best_flat(shape: &Shape, machine: &Machine, rules: &Rules) -> Result<(Flat, Replay), Diagnostics> {
    let mut best: Option<(Flat, Replay)> = None;
    for flat in configurations(shape, machine) {
        let found = replay(&Dataflow::Flat(flat), shape, machine, rules)?;
        let better = best.as_ref().is_none_or(|(_, best)| {
            let key = |replay: &Replay| (replay.latency_s, replay.energy_pj());
            key(&found) < key(best)
        });
        if better {
            best = Some((flat, found));
        }
    }
    // There is none where the array has more rows than there are queries.
    best.map_or_else(|| Err(super::check(shape, machine).err().unwrap_or_default()), Ok)
}

fn configurations(shape: &Shape, machine: &Machine) -> impl Iterator<Item = Flat> {
    let (queries, side) = (shape.queries, machine.side);
    let groups = queries / side;
    let rows = (1..groups).filter(move |count| groups.is_multiple_of(*count)).map(move |count| count * side);
    let granularities = rows.map(Granularity::Rows).chain([Granularity::Head]);
    let stationary = |bit: bool| if bit { Stationarity::Weight } else { Stationarity::Output };
    granularities.flat_map(move |granularity| {
        (0_u32..1 << 7).map(move |bits| {
            let bit = |at: u32| bits >> at & 1 == 1;
            Flat {
                granularity,
                qk: stationary(bit(0)),
                av_product: stationary(bit(1)),
                q: bit(2),
                k: bit(3),
                scores: bit(4),
                v: bit(5),
                av: bit(6),
            }
        })
    })
}
