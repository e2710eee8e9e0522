//! Stacks, tile sizes and modes that are jointly optimal: how long it takes to find them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

mod common;

use common::quickest;
use common::report::{Goal, Report};
use fusescape::depth_first::FuseDepth;
use fusescape::explore::{CostStore, OptimalStacks, Request, Settings, StackLimits, StackStudy, Sweep};
use fusescape::search::Objective;
use fusescape::spec::{find_preset, hardware_presets, workload_presets};
use serde_json::json;

const SIDES: [u64; 6] = [1, 2, 4, 7, 14, 28];
/// On two cores in the browser; natively it has to be there long before.
const ONE_NETWORK_MS: Goal = Goal::AtMost { must: 2000.0, stretch: 1000.0 };

fn main() {
    let mut report = Report::new("stacks");
    for (network, objective, goal) in [
        ("resnet18", Objective::Energy, ONE_NETWORK_MS),
        ("mobilenet-v1", Objective::Energy, ONE_NETWORK_MS),
        ("resnet18", Objective::Latency, Goal::None),
        ("mobilenet-v1", Objective::EnergyDelayProduct, Goal::None),
    ] {
        let sweep = sweep(network, objective.clone());
        let mut known = CostStore::default();
        let (ms, (optimal, searched)) = quickest(|| {
            known = CostStore::default();
            solve(&sweep, &mut known)
        });
        let details = json!({ "score": optimal.score, "stacks": optimal.ends, "mapping_problems": searched });
        let title = format!("{network}, 6 x 6 x 3, by {objective:?}, one thread");
        report.figure(&title, ms, "ms", goal, details);
        let (ms, _) = quickest(|| solve(&sweep, &mut known));
        report.figure("the same, every mapping known", ms, "ms", Goal::None, json!({}));
    }
    report.write();
}

fn sweep(network: &str, objective: Objective) -> Sweep {
    let (tiles_x, tiles_y) = (SIDES.to_vec(), SIDES.to_vec());
    Sweep::new(&Request {
        hardware: find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), network).unwrap().text.to_owned(),
        settings: Settings { tiles_x, tiles_y, fuse: vec![FuseDepth::Automatic], objective, ..Settings::default() },
    })
    .unwrap()
}

fn solve(sweep: &Sweep, store: &mut CostStore) -> (OptimalStacks, u32) {
    let mut study = StackStudy::new(sweep.clone(), StackLimits::default()).unwrap();
    let mut runs = Vec::new();
    for part in 0..study.parts() {
        runs.append(&mut study.part(store, part));
    }
    (study.combine(&runs).unwrap(), study.effort().searched)
}
