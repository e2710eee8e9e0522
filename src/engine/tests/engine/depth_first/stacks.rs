//! The cuts of networks, and that points which share results do not mix them up.

use crate::explore::accounts;
use fusescape_engine::depth_first::{DepthFirstStrategy, FuseDepth, StoringMode};
use fusescape_engine::explore::{Request, Settings, Sweep};
use fusescape_engine::rules::Rules;
use fusescape_spec::{find_preset, hardware_presets, workload_presets};

fn preset(id: &str) -> String {
    find_preset(hardware_presets(), id).or_else(|_| find_preset(workload_presets(), id)).unwrap().text.to_owned()
}

fn sweep(hardware: &str, workload: String) -> Sweep {
    Sweep::new(&Request { hardware: preset(hardware), workload, settings: Settings::default() }).unwrap()
}

fn strategy(fuse: FuseDepth) -> DepthFirstStrategy {
    DepthFirstStrategy { tile: (7, 7), mode: StoringMode::FullyCached, fuse }
}

fn cuts(names: &[&str]) -> DepthFirstStrategy {
    strategy(FuseDepth::Cuts(names.iter().map(|name| (*name).to_owned()).collect()))
}

fn energies(sweep: &Sweep, strategies: &[DepthFirstStrategy]) -> Vec<f64> {
    let plan = sweep.plan_strategies(strategies.to_vec());
    accounts(sweep, &plan).iter().map(|account| account.energy_pj).collect()
}

/// Regression: stacks with the same ends but other layers between them were not distinguished.
#[test]
fn points_of_one_sweep_are_what_they_are_alone() {
    let sweep = sweep("meta-proto-like-df", preset("resnet18"));
    let strategies = [
        cuts(&["block1_2_add", "block2_1_conv1", "block2_1_add"]),
        cuts(&["block1_2_add", "block2_1_add"]),
        strategy(FuseDepth::SingleLayer),
    ];
    let alone: Vec<f64> = strategies.iter().flat_map(|one| energies(&sweep, std::slice::from_ref(one))).collect();
    assert!(alone.iter().all(|energy| energy.is_finite()));
    assert_eq!(energies(&sweep, &strategies), alone);
}

/// The tool walks to a layer once for every way that leads there from the output of a stack.
#[test]
fn branches_that_the_tool_would_never_be_done_with_are_planned() {
    let mut text = "name: branches\nlayers:\n  - { name: a0, type: input, K: 2, size: 16 x 16 }\n".to_owned();
    for number in 1..=40 {
        let before = number - 1;
        text += &format!("  - {{ name: c{number}, type: conv, from: a{before}, K: 2, kernel: 3 x 3, padding: 1 }}\n");
        text += &format!("  - {{ name: a{number}, type: add, from: [c{number}, a{before}] }}\n");
    }
    let settings = Settings { rules: Rules::DEFINES_2022, ..Settings::default() };
    let request = Request { hardware: preset("meta-proto-like-df"), workload: text, settings };
    let plan = Sweep::new(&request).unwrap().plan_strategies(vec![cuts(&[])]);
    let point = plan.points[0].as_ref().unwrap();
    assert_eq!(point.stacks[0].stack.layers().len(), 80);
}

#[test]
fn a_network_with_several_outputs_runs_in_every_fuse_depth() {
    let text = "name: two heads
layers:
  - { name: in, type: input, K: 3, size: 20 x 20 }
  - { name: body, type: conv, K: 8, kernel: 3 x 3, padding: 1 }
  - { name: head1, type: conv, K: 4, kernel: 3 x 3, padding: 1, from: body }
  - { name: head2, type: conv, K: 2, kernel: 1 x 1, from: body }";
    let sweep = sweep("meta-proto-like-df", text.to_owned());
    let plan = sweep.plan_strategies(
        [FuseDepth::Automatic, FuseDepth::LayerByLayer, FuseDepth::SingleLayer].map(strategy).to_vec(),
    );
    for point in &plan.points {
        let mut layers: Vec<usize> = point
            .as_ref()
            .unwrap()
            .stacks
            .iter()
            .flat_map(|stack| stack.stack.layers())
            .map(|layer| layer.index())
            .collect();
        layers.sort_unstable();
        assert_eq!(layers, [1, 2, 3], "every layer is computed once");
    }
}

/// Layers that are fused because their weights fit also keep them there.
#[test]
fn fused_weights_stay_on_the_chip() {
    let sweep = sweep("tpu-like", preset("fsrcnn"));
    let plan = sweep.plan_strategies(vec![strategy(FuseDepth::Automatic)]);
    let point = plan.points[0].as_ref().unwrap();
    assert_eq!(point.stacks.len(), 1);
    let memory = point.stacks[0].weight_memory.map(|id| sweep.core.memories[id].name.as_str());
    assert_eq!(memory, Some("rf_128B"));
}
