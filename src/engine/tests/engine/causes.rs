//! Tables by cause of energy and latency: the order of the lists, and what is written of them.

use fusescape_engine::cost::{AccessCause, ByCause, EnergyCause, EnergySplit, LatencyCause, LatencySplit};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

fn split() -> (EnergySplit, ByCause, LatencySplit) {
    let mut next = 0;
    let mut number = || {
        next += 1;
        next
    };
    let energy = EnergySplit::from_fn(|_| number() as f64 / 7.0);
    let accesses = ByCause::from_fn(|_| number() as f64 / 7.0);
    (energy, accesses, LatencySplit::from_fn(1000, |_| number()))
}

fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(table: &T) {
    assert_eq!(&postcard::from_bytes::<T>(&postcard::to_allocvec(table).unwrap()).unwrap(), table);
    assert_eq!(&serde_json::from_str::<T>(&serde_json::to_string(table).unwrap()).unwrap(), table);
}

#[test]
fn tables_come_back_from_files_and_messages() {
    let (energy, accesses, latency) = split();
    comes_back(&energy);
    comes_back(&accesses);
    comes_back(&latency);
    assert!(serde_json::from_str::<ByCause>(r#"{"activation": 1.0}"#).is_err(), "a cause is missing");
}

#[test]
fn lists_hold_every_cause_once_in_the_order_of_its_table() {
    let (energy, accesses, latency) = split();
    let rises = |values: &[f64]| values.windows(2).all(|pair| pair[0] < pair[1]);
    assert!(rises(&EnergyCause::ALL.map(|cause| energy[cause])));
    assert!(rises(&AccessCause::ALL.map(|cause| accesses[cause])));
    assert!(rises(&LatencyCause::ALL.map(|cause| latency[cause] as f64)));
    assert_eq!(latency.total_cycles(), LatencyCause::ALL.iter().map(|&cause| latency[cause]).sum::<u64>());
}
