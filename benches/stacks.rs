//! Jointly optimal stacks, tile sizes and modes: the time to find them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod common;

use common::quickest;
use common::report::{Goal, Report};
use fusescape::depth_first::FuseDepth;
use fusescape::explore::{
    CostStore, IncrementalSweep, OptimalStacks, PointSummary, Request, Settings, StackLimits, StackProblem, Sweep,
    best_combination, best_strategy,
};
use fusescape::search::Objective;
use fusescape::spec::{find_preset, hardware_presets, workload_presets};
use rayon::prelude::*;
use serde_json::json;

const SIDES: [u64; 6] = [1, 2, 4, 7, 14, 28];
/// First goal for two cores in the browser; now for one core natively.
const RESNET18_MS: Goal = Goal::AtMost { must: 2000.0, stretch: 300.0 };
const MOBILENET_V1_MS: Goal = Goal::AtMost { must: 2000.0, stretch: 500.0 };

fn main() {
    let mut report = Report::new("stacks");
    for (network, objective, goal) in [
        ("resnet18", Objective::Energy, RESNET18_MS),
        ("mobilenet-v1", Objective::Energy, MOBILENET_V1_MS),
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
        report.figure(&format!("{title}, every mapping known"), ms, "ms", Goal::None, json!({}));
    }
    never_worse(&mut report);
    report.write();
}

/// All accelerators and networks of DeFiNES on the grid of its Fig. 12: the loss of the rule of thumb, the best single
/// strategy and the best combination against the optimum. None may be better.
fn never_worse(report: &mut Report) {
    let is_published = |id: &&str| id.ends_with("-like") || id.ends_with("-df");
    let accelerators: Vec<&str> = hardware_presets().iter().map(|preset| preset.id).filter(is_published).collect();
    let networks = ["fsrcnn-defines", "dmcnn-vd-defines", "mccnn-defines", "mobilenet-v1-defines", "resnet18-defines"];
    let cases: Vec<(&str, &str)> = accelerators.iter().flat_map(|&id| networks.map(|network| (id, network))).collect();
    let count = cases.len();
    let factors: Vec<f64> = cases.into_par_iter().map(|(hardware, network)| factor(hardware, network)).collect();
    let least = factors.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = (factors.iter().map(|factor| factor.ln()).sum::<f64>() / factors.len() as f64).exp();
    let most = factors.iter().copied().fold(0.0, f64::max);
    let title =
        format!("{count} pairs of accelerator and network, 6 x 6 x 3: best of the others by the optimum, least");
    report.figure(&title, least, "x", Goal::AtLeast(1.0 - 1e-9), json!({}));
    report.figure("the same, geometric mean", mean, "x", Goal::None, json!({}));
    report.figure("the same, most", most, "x", Goal::None, json!({}));
}

/// Ratio of the energy of the best point or combination to that of the optimum.
fn factor(hardware: &str, network: &str) -> f64 {
    let fuse = vec![FuseDepth::Automatic, FuseDepth::SingleLayer, FuseDepth::LayerByLayer];
    let sweep = Sweep::new(&Request {
        hardware: find_preset(hardware_presets(), hardware).unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), network).unwrap().text.to_owned(),
        settings: Settings { fuse, ..Settings::default() },
    })
    .unwrap();
    let mut store = CostStore::default();
    let mut incremental = IncrementalSweep::new(sweep.clone());
    let all = 0..incremental.strategies().len();
    let points: Vec<PointSummary> =
        all.filter_map(|point| incremental.point(&mut store, point, &mut || true).ok()).collect();
    let rule = best_combination(&sweep.settings, incremental.strategies(), &points).unwrap().energy_pj;
    let single = best_strategy(&sweep.settings, incremental.strategies(), &points).unwrap().energy_pj;
    rule.min(single) / solve(&sweep, &mut store).0.energy_pj
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
    let mut study = StackProblem::new(sweep.clone(), StackLimits::default()).unwrap();
    let mut runs = Vec::new();
    for part in 0..study.parts() {
        runs.append(&mut study.part(store, part));
    }
    (study.combine(&runs).unwrap(), study.effort().searched)
}
