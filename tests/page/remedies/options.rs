//! Options of the command line: refusals, and the effect of following their remedies.

use fusescape::command::parse::{
    parse_area, parse_element_bits, parse_energy_or_latency, parse_grid, parse_hint, parse_mode, parse_objective,
    parse_order, parse_rules, parse_schedule_objective, parse_scheduler, parse_search, parse_seconds, parse_share,
    parse_sharing, parse_strategy, parse_tile, parse_tiles,
};
use fusescape::command::study::parse_shard;

/// Reads a value.
type Read = fn(&str) -> Result<(), String>;

/// A refused value, a part of the remedy, and the value after following it.
const CASES: &[(Read, &str, &str, &str)] = &[
    (|text| parse_sharing(text).map(drop), "tempral", "did you mean `temporal`?", "temporal"),
    (|text| parse_sharing(text).map(drop), "x", "use one of temporal, spatial, either", "either"),
    (|text| parse_strategy(text).map(drop), "heuristc", "did you mean `heuristic`?", "heuristic"),
    (|text| parse_search(text).map(drop), "exat", "did you mean `exact`?", "exact"),
    (|text| parse_rules(text).map(drop), "zigzag38", "did you mean `zigzag-3.8`?", "zigzag-3.8"),
    (|text| parse_tiles(text).map(drop), "0", "write 1 row or more", "1"),
    (|text| parse_order(text).map(drop), "deepst", "did you mean `deepest`?", "deepest"),
    (|text| parse_schedule_objective(text).map(drop), "latncy", "did you mean `latency`?", "latency"),
    (|text| parse_scheduler(text).map(drop), "stream-2025", "did you mean `stream-202", "stream-2023"),
    (|text| parse_hint(text).map(drop), "D1", "write DIMENSION=LOOP,LOOP such as D1=K,C", "D1=K,C"),
    (|text| parse_hint(text).map(drop), "D1=Q", "use some of B, G, K, C, OY, OX, FY, FX", "D1=OY,OX"),
    (|text| parse_share(text).map(drop), "70 %", "write a number from 0 to 1, such as 0.7", "0.7"),
    (|text| parse_seconds(text).map(drop), "soon", "write a number of seconds, such as 2.5", "2.5"),
    (|text| parse_mode(text).map(drop), "fully-cashed", "did you mean `fully-cached`?", "fully-cached"),
    (|text| parse_tile(text).map(drop), "60,70x72", "write one width and one height, such as 60x72", "60x72"),
    (|text| parse_grid(text).map(drop), "4,16", "write widths x heights, such as 4,16x18,72", "4,16x18,72"),
    (|text| parse_objective(text).map(drop), "enrgy", "did you mean `energy`?", "energy"),
    (|text| parse_objective(text).map(drop), "reads:dram", "use accesses:MEMORY or weighted:...", "accesses:dram"),
    (|text| parse_objective(text).map(drop), "weighted:enery=1", "did you mean `energy`?", "weighted:energy=1"),
    (|text| parse_objective(text).map(drop), "weighted:energy", "write for example energy=1", "weighted:energy=1"),
    (|text| parse_objective(text).map(drop), "weighted:energy=much", "write for example energy=1", "weighted:energy=1"),
    (|text| parse_energy_or_latency(text).map(drop), "speed", "use one of energy, latency, edp", "edp"),
    (|text| parse_element_bits(text).map(drop), "keys", "write for example keys=8", "keys=8"),
    (|text| parse_element_bits(text).map(drop), "keys=few", "write for example keys=8", "keys=8"),
    (|text| parse_element_bits(text).map(drop), "key=8", "did you mean `keys`?", "keys=8"),
    (|text| parse_area(text).map(drop), "3cm", "write for example 0.5mm2 or 500000um2", "500000um2"),
    (|text| parse_shard(text).map(drop), "3", "2/8", "2/8"),
];

#[test]
fn a_value_is_taken_once_its_remedy_is_followed() {
    for (read, wrong, remedy, followed) in CASES {
        let told = read(wrong).expect_err(wrong);
        assert!(told.contains(remedy), "`{wrong}`: {told}");
        assert_eq!(read(followed), Ok(()), "{followed}");
    }
}
