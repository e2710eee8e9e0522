//! Every switch of the rules decides something.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use fusescape::cost::Evaluator;
use fusescape::depth_first::{DepthFirstStrategy, FuseDepth, Planner, StoringMode};
use fusescape::explore::{Request, Settings, Sweep, solve_all};
use fusescape::hardware::{Core, Operand};
use fusescape::mapping::{LayerOnCore, LayerProblem, allocate, temporal};
use fusescape::rules::Rules;
use fusescape::search::Limits;
use fusescape::spec::{find_preset, hardware_presets, workload_presets};
use fusescape::workload::Network;

/// Energy, latency and errors of a few points.
fn results(hardware: &str, workload: &str, settings: &Settings) -> Vec<String> {
    let request = Request { hardware: hardware.to_owned(), workload: workload.to_owned(), settings: settings.clone() };
    let sweep = Sweep::new(&request).unwrap();
    let plan = sweep.plan();
    let solutions = solve_all(&sweep, &plan, |_| {});
    let mut assembler = sweep.assembler(&plan);
    plan.points
        .iter()
        .map(|point| match point {
            Err(wrong) => wrong.to_string(),
            Ok(point) => match assembler.assemble(point, &|problem| solutions[problem].as_ref()) {
                None => "unsolved".to_owned(),
                Some(account) => format!("{} {}", account.energy_pj, account.latency_cycles),
            },
        })
        .collect()
}

/// A core with memories that inputs and weights share, of the given sizes in bytes: made to provoke what the paper's
/// machines do not.
fn odd_core(lowest: u64, middle: u64) -> String {
    format!(
        "name: odd
array: {{ dimensions: {{ D1: 4, D2: 2 }}, mac_energy: 1 pJ }}
unroll:
  conv: {{ D1: K, D2: OX }}
memories:
  - {{ name: w_reg, size: 4 B, operands: [W], width: 8 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [] }}
  - {{ name: o_reg, size: 4 B, operands: [O], width: 16 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [] }}
  - name: shared
    size: {lowest} B
    operands: [W, I, O]
    width: 32 bit
    granularity: 8 bit
    read_energy: 3 pJ
    write_energy: 3 pJ
    shared_over: all
    ports:
      rw_port_1: [W.read_to_low, W.write_from_high, I.read_to_low, I.write_from_high, O.read_to_low, O.write_from_low, O.read_to_high, O.write_from_high]
  - {{ name: w_buffer, size: 512 B, operands: [W], width: 16 bit, read_energy: 5 pJ, write_energy: 5 pJ, shared_over: all }}
  - {{ name: io_buffer, size: {middle} B, operands: [I, O], width: 32 bit, read_energy: 6 pJ, write_energy: 6 pJ, shared_over: all }}
  - name: dram
    size: 1 GiB
    operands: [W, I, O]
    width: 16 bit
    read_energy: 90 pJ
    write_energy: 90 pJ
    shared_over: all
    ports:
      rw_port_1: [W.read_to_low, I.read_to_low, O.read_to_low, O.write_from_low]
"
    )
}

const SMALL_NETWORK: &str = "name: small
layers:
  - { name: in, type: input, K: 3, size: 10 x 12 }
  - { name: a, type: conv, K: 8, kernel: 3 x 3, padding: 1 }
  - { name: b, type: conv, K: 6, kernel: 1 x 1 }
  - { name: c, type: conv, K: 4, kernel: 3 x 3, padding: 1 }";

/// Hardware, workload and settings in which some switch may matter.
fn cases() -> Vec<(String, String, Settings)> {
    let hardware = |id: &str| find_preset(hardware_presets(), id).unwrap().text.to_owned();
    let workload = |id: &str| find_preset(workload_presets(), id).unwrap().text.to_owned();
    let settings = |x: u64, y: u64| Settings {
        tiles_x: vec![x],
        tiles_y: vec![y],
        modes: vec![StoringMode::HCachedVRecompute, StoringMode::FullyCached],
        fuse: vec![FuseDepth::Automatic, FuseDepth::LayerByLayer, FuseDepth::SingleLayer],
        lpf_limit: 5,
        ..Settings::default()
    };
    let mut cases = vec![
        (hardware("tpu-like"), workload("fsrcnn-defines"), Settings { lpf_limit: 4, ..settings(60, 60) }),
        (hardware("tesla-npu-like-df"), workload("mobilenet-v1-defines"), settings(12, 9)),
    ];
    for lowest in (16..400).step_by(8) {
        for (x, y) in [(3, 4), (10, 5)] {
            let settings = Settings { lpf_limit: 6, ..settings(x, y) };
            cases.push((odd_core(lowest, 4 * lowest), SMALL_NETWORK.to_owned(), settings));
        }
    }
    cases
}

/// Each switch alone, added to what is right or taken from what the tool does, changes an energy, a latency or an error.
#[test]
fn every_switch_decides_something() {
    let cases = cases();
    let bases = [Rules::CORRECTED, Rules::DEFINES_2022];
    let computed: Vec<Vec<Vec<String>>> = bases
        .iter()
        .map(|rules| cases.iter().map(|(h, w, s)| results(h, w, &Settings { rules: *rules, ..s.clone() })).collect())
        .collect();
    // These rarely show in the best mapping; they have tests of their own.
    let visible = |name: &&str| !["double_buffer_by_operand_order", "first_column_ignores_caches"].contains(name);
    for name in Rules::CORRECTED.switches().into_iter().map(|(name, ..)| name).filter(visible) {
        let decides = bases.iter().zip(&computed).any(|(base, computed)| {
            let rules = base.with(name, *base == Rules::CORRECTED).unwrap();
            let mut switched = cases.iter().map(|(h, w, s)| results(h, w, &Settings { rules, ..s.clone() }));
            computed.iter().any(|before| *before != switched.next().unwrap())
        });
        assert!(decides, "{name} changes nothing");
    }
}

#[test]
fn switches_are_found_by_name() {
    for (name, title, value) in Rules::DEFINES_2022.switches() {
        assert!(value && !title.is_empty());
        assert_ne!(Rules::DEFINES_2022.with(name, false), Some(Rules::DEFINES_2022));
    }
    assert_eq!(Rules::CORRECTED.with("nonsense", true), None);
}

#[test]
fn double_buffers_depend_on_the_order_in_which_they_are_granted() {
    let network = Network::from_text(SMALL_NETWORK).unwrap();
    let granted = |core: &Core, rules: Rules| {
        let shape = network.layer(1).shape;
        let levels = Operand::ALL.map(|operand| core.levels(operand).len());
        let problem = LayerProblem { shape, levels, unroll: core.unroll(shape.kind).to_vec() };
        let layer = LayerOnCore::new(core, rules, &problem);
        let sizes = &layer.spatial.temporal_sizes;
        let order = temporal::limited_factors(sizes, &shape.dim_order(), 8, false).unwrap();
        let allocation = allocate(&layer, &order)?;
        Some(Evaluator::new(&layer).evaluate(&order, &allocation)?.latency.double_buffered)
    };
    let in_operand_order = Rules { double_buffer_by_operand_order: true, ..Rules::CORRECTED };
    let differs = (64..4096).any(|bytes| {
        let core = Core::from_text(&odd_core(bytes, 4096)).unwrap();
        granted(&core, Rules::CORRECTED) != granted(&core, in_operand_order)
    });
    assert!(differs);
}

#[test]
fn the_first_column_reserves_space_for_what_it_caches() {
    let core = Core::from_text(&odd_core(64, 4096)).unwrap();
    let network = Network::from_text(SMALL_NETWORK).unwrap();
    let peaks = |rules: Rules, first_column: bool| {
        let mut planner = Planner::new(&core, &network, rules, Limits::default());
        let fuse = FuseDepth::Cuts(Vec::new());
        let plan = planner.plan(&DepthFirstStrategy { tile: (3, 4), mode: StoringMode::FullyCached, fuse }).unwrap();
        let decisions = plan.stacks[0].decisions.iter().filter(|tile| tile.first.0 == first_column);
        decisions.map(|tile| (tile.caches.peak_bits, tile.caches.peak_with_h_bits.unwrap())).collect::<Vec<_>>()
    };
    let ignoring = Rules { first_column_ignores_caches: true, ..Rules::CORRECTED };
    assert!(peaks(ignoring, true).iter().all(|(peak, with_cache)| peak == with_cache));
    assert!(peaks(Rules::CORRECTED, true).iter().any(|(peak, with_cache)| peak < with_cache));
    assert_eq!(peaks(ignoring, false), peaks(Rules::CORRECTED, false));
}
