//! Tables by cause of energy and latency: the order of the lists, and their texts.

use fusescape_engine::cost::{AccessCause, ByCause, EnergyCause, EnergySplit, LatencyCause, LatencySplit};
use fusescape_engine::interlayer::ChainEnergyCause;
use fusescape_engine::multicore::{Carrier, CoreTimeCause, CoresEnergy, CoresEnergyCause, CoresPart, TransferReason};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;

fn split() -> (EnergySplit, ByCause, LatencySplit) {
    let mut next = 0;
    let mut number = || {
        next += 1;
        next
    };
    let energy = EnergySplit::from_fn(|_| number() as f64 / 7.0);
    let accesses = ByCause::from_fn(|_| number() as f64 / 7.0);
    (energy, accesses, LatencySplit::from_fn(1000.0, |_| number()))
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

#[test]
fn lists_of_many_cores_and_of_chains_hold_every_cause_once() {
    fn all_differ<T: Eq + Hash>(causes: impl IntoIterator<Item = T>) -> bool {
        causes.into_iter().try_fold(HashSet::new(), |mut seen, cause| seen.insert(cause).then_some(seen)).is_some()
    }
    assert!(all_differ(CoresEnergyCause::ALL) && all_differ(CoreTimeCause::ALL) && all_differ(ChainEnergyCause::ALL));
    assert!(all_differ(CoresPart::ALL) && all_differ(Carrier::ALL) && all_differ(TransferReason::ALL));
}

#[test]
fn the_parts_of_a_system_share_all_causes_of_its_energy() {
    let by_part: Vec<CoresEnergyCause> = CoresPart::ALL.into_iter().flat_map(CoresPart::causes).collect();
    assert_eq!(by_part, CoresEnergyCause::ALL);
    let mut energy = CoresEnergy::default();
    (1..).zip(CoresEnergyCause::ALL).for_each(|(pj, cause)| energy[cause] = f64::from(pj));
    assert_eq!(energy.total_pj(), (1..=CoresEnergyCause::ALL.len()).sum::<usize>() as f64);
    comes_back(&energy);
}
