//! Every different layer problem of five networks on ten accelerators (the machines of DeFiNES), each layer on its own
//! or layer by layer.

use super::sweeps::request;
use fusescape::depth_first::{FuseDepth, StoringMode};
use fusescape::explore::{Settings, Sweep};
use fusescape::hardware::Core;
use fusescape::mapping::{LayerOnCore, LayerProblem};
use fusescape::rules::Rules;
use fusescape::search::{Limits, Objective, Outcome, Proof, Strategy, find_best};
use serde_json::{Value, json};

const NETWORKS: [&str; 5] = ["fsrcnn", "dmcnn-vd", "mccnn", "mobilenet-v1", "resnet18"];
const MACHINES: [&str; 10] = [
    "meta-proto-like-df",
    "meta-proto-like",
    "tpu-like-df",
    "tpu-like",
    "edge-tpu-like-df",
    "edge-tpu-like",
    "ascend-like-df",
    "ascend-like",
    "tesla-npu-like-df",
    "tesla-npu-like",
];

/// An accelerator with the problems posed by the networks.
pub struct Machine {
    pub name: &'static str,
    pub core: Core,
    pub problems: Vec<Posed>,
}

/// A problem, and the first layer that poses it.
pub struct Posed {
    pub layer: String,
    pub problem: LayerProblem,
}

/// All machines.
pub fn machines() -> Vec<Machine> {
    MACHINES.into_iter().map(machine).collect()
}

fn machine(name: &'static str) -> Machine {
    let settings = Settings {
        tiles_x: vec![u64::MAX],
        tiles_y: vec![u64::MAX],
        modes: vec![StoringMode::FullyRecompute],
        fuse: vec![FuseDepth::SingleLayer, FuseDepth::LayerByLayer],
        ..Settings::default()
    };
    let sweeps = NETWORKS.map(|network| (network, Sweep::new(&request(name, network, settings.clone())).unwrap()));
    let mut problems: Vec<Posed> = Vec::new();
    for (network, sweep) in &sweeps {
        let plan = sweep.plan();
        let stacks = plan.points.iter().flatten().flat_map(|point| &point.stacks);
        for tile in stacks.flat_map(|stack| &stack.types).flat_map(|tiles| &tiles.layers) {
            let Some(problem) = tile.problem.map(|index| &plan.problems.list[index]) else { continue };
            if problems.iter().all(|posed| posed.problem != *problem) {
                let layer = format!("{network} {}, levels {:?}", sweep.network.layer(tile.layer).name, problem.levels);
                problems.push(Posed { layer, problem: problem.clone() });
            }
        }
    }
    let [(_, sweep), ..] = sweeps;
    Machine { name, core: sweep.core, problems }
}

/// The accelerators and networks of the study of searches by latency, with all mapping problems of their landscapes.
pub fn landscapes() -> Vec<Machine> {
    const MACHINES: [&str; 9] = [
        "meta-proto-like-df",
        "tpu-like-df",
        "edge-tpu-like-df",
        "ascend-like-df",
        "tesla-npu-like-df",
        "tpu-like",
        "meta-proto-like",
        "zigzag-8x8",
        "eyeriss-like",
    ];
    const NETWORKS: [&str; 4] = ["resnet18", "resnet50", "mobilenet-v2", "fsrcnn"];
    let landscape = |name: &'static str, network: &'static str| {
        let sweep = Sweep::new(&request(name, network, Settings::default())).ok()?;
        let posed = |problem: &LayerProblem| Posed { layer: network.to_owned(), problem: problem.clone() };
        let problems = sweep.plan().problems.list.raw.iter().map(posed).collect();
        Some(Machine { name, core: sweep.core, problems })
    };
    let pairs = MACHINES.into_iter().flat_map(|name| NETWORKS.map(|network| (name, network)));
    pairs.filter_map(|(name, network)| landscape(name, network)).collect()
}

/// A search of one problem.
pub struct Searched<'a> {
    pub machine: &'a Machine,
    pub posed: &'a Posed,
    pub outcome: Outcome,
    pub ms: f64,
}

/// Every `step`th problem, beginning with the first.
pub fn every(machines: &[Machine], step: usize) -> impl Iterator<Item = (&Machine, &Posed)> {
    machines.iter().flat_map(|machine| machine.problems.iter().map(move |posed| (machine, posed))).step_by(step)
}

/// Searches every `step`th problem, beginning with the first, on one thread.
pub fn search_all<'a>(
    machines: &'a [Machine],
    step: usize,
    (objective, strategy): (&Objective, Strategy),
) -> Vec<Searched<'a>> {
    every(machines, step)
        .map(|(machine, posed)| {
            let search = || {
                let layer = LayerOnCore::new(&machine.core, Rules::CORRECTED, &posed.problem);
                find_best(&layer, objective, &Limits::default(), strategy)
            };
            let (ms, outcome) = super::quickest(search);
            Searched { machine, posed, outcome, ms }
        })
        .collect()
}

/// The milliseconds of all searches.
pub fn times(searched: &[Searched<'_>]) -> Vec<f64> {
    searched.iter().map(|searched| searched.ms).collect()
}

/// The outcomes, and the slowest searches.
pub fn summary(searched: &[Searched<'_>], slowest: usize) -> Value {
    let count = |is: &dyn Fn(Proof) -> bool| searched.iter().filter(|searched| is(searched.outcome.proof)).count();
    let gap = |searched: &Searched<'_>| match searched.outcome.proof {
        Proof::Gap(gap) => gap,
        _ => 0.0,
    };
    let widest = searched.iter().filter(|searched| gap(searched) > 0.0).max_by(|a, b| gap(a).total_cmp(&gap(b)));
    let mut by_time: Vec<_> = searched.iter().collect();
    by_time.sort_by(|a, b| b.ms.total_cmp(&a.ms));
    let slow = by_time.into_iter().take(slowest).map(|Searched { machine, posed, outcome, ms }| {
        let looked_at = outcome.orders;
        format!("{}: {}: {ms:.2} ms, {looked_at} looked at, {:?}", machine.name, posed.layer, outcome.proof)
    });
    json!({
        "problems": searched.len(),
        "proved": count(&|proof| proof == Proof::Optimal),
        "proved_but_for_ties": count(&|proof| proof == Proof::OptimalButForTies),
        "with_a_gap": count(&|proof| matches!(proof, Proof::Gap(_))),
        "nothing_known": count(&|proof| proof == Proof::None),
        "largest_gap": widest.map_or(0.0, gap),
        "largest_gap_of": widest.map(|Searched { machine, posed, .. }| format!("{}: {}", machine.name, posed.layer)),
        "slowest": slow.collect::<Vec<_>>(),
    })
}
