//! Every switch of the rules has an effect.

use fusescape_engine::cost::Evaluator;
use fusescape_engine::depth_first::{DepthFirstStrategy, FuseDepth, Planner, StoringMode};
use fusescape_engine::explore::{DesignLayer, LayerRequest, MappedLayer, Request, Settings, Sweep, solve_all};
use fusescape_engine::hardware::{Core, Movement, Operand, Unroll};
use fusescape_engine::mapping::{LayerOnCore, LayerProblem, TemporalLoop, allocate, temporal};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Objective, Strategy};
use fusescape_engine::workload::{Dim, Network};
use fusescape_spec::{find_preset, hardware_presets, workload_presets};

/// Energy, latency, ideal latency and errors of a few points.
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
                Some(account) => {
                    format!("{} {} {}", account.energy_pj, account.latency_cycles, account.latency.ideal_cycles)
                }
            },
        })
        .collect()
}

/// A core with memories that inputs and weights share, of the given sizes in bytes: for effects that do not occur on
/// the paper's machines.
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
      rw_port_1: [W.read_to_low, W.write_from_high, I.read_to_low, I.write_from_high,
        O.read_to_low, O.write_from_low, O.read_to_high, O.write_from_high]
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

/// Hardware, workload and settings in which some switch may have an effect.
fn cases() -> Vec<(String, String, Settings)> {
    let hardware = |id: &str| find_preset(hardware_presets(), id).unwrap().text.to_owned();
    let workload = |id: &str| find_preset(workload_presets(), id).unwrap().text.to_owned();
    let settings = |x: u64, y: u64| Settings {
        tiles_x: vec![x],
        tiles_y: vec![y],
        modes: vec![StoringMode::HCachedVRecompute, StoringMode::FullyCached],
        fuse: vec![FuseDepth::Automatic, FuseDepth::LayerByLayer, FuseDepth::SingleLayer],
        strategy: Strategy::Loma,
        lpf_limit: 5,
        ..Settings::default()
    };
    let mut cases = vec![
        (hardware("tpu-like"), workload("fsrcnn-defines"), Settings { lpf_limit: 4, ..settings(60, 60) }),
        (hardware("tesla-npu-like-df"), workload("mobilenet-v1-defines"), settings(12, 9)),
        (
            hardware("tesla-npu-like-df"),
            "name: product
layers: [{ name: in, type: input, K: 4, size: 64 x 1 }, { name: a, type: pointwise, K: 4 }]"
                .to_owned(),
            settings(64, 1),
        ),
    ];
    for lowest in (16..400).step_by(8) {
        for (x, y) in [(3, 4), (10, 5)] {
            let settings = Settings { lpf_limit: 6, ..settings(x, y) };
            cases.push((odd_core(lowest, 4 * lowest), SMALL_NETWORK.to_owned(), settings));
        }
    }
    cases
}

/// Layers on cores, each with some orders of its loops, in which some switch may have an effect.
fn layers() -> Vec<(Core, LayerProblem, Vec<Vec<TemporalLoop>>)> {
    let network = Network::from_text(
        "name: layers
layers:
  - { name: in, type: input, K: 4, size: 10 x 12 }
  - { name: padded, type: conv, K: 7, kernel: 3 x 3, padding: 1 }
  - { name: pointwise, type: conv, K: 4, kernel: 1 x 1, from: [in] }
  - { name: strided, type: conv, K: 10, kernel: 3 x 2, stride: 2, from: [in] }
  - { name: dilated, type: conv, K: 4, kernel: 3 x 3, dilation: 2, from: [in] }
  - { name: holes, type: conv, K: 4, kernel: 2 x 2, stride: 3, dilation: 2, padding: 1, from: [in] }
  - { name: add, type: add, from: [in, pointwise] }",
    )
    .unwrap();
    let unroll = |array_dim: usize, dim: Dim, limit: u64| Unroll { array_dim: array_dim.into(), dim, limit };
    let unrolls = [
        vec![unroll(0, Dim::K, 4), unroll(1, Dim::OX, 2)],
        vec![unroll(0, Dim::OX, 4), unroll(1, Dim::OX, 2)],
        vec![unroll(0, Dim::C, 4), unroll(1, Dim::K, 2)],
        vec![unroll(0, Dim::C, 1), unroll(1, Dim::OY, 2)],
        vec![unroll(0, Dim::OX, 4), unroll(1, Dim::FX, 2)],
    ];
    let mut layers = Vec::new();
    // A memory of outputs that is not shared over the first dimension of the array.
    let with_middle = |text: String| {
        let middle = "  - { name: o_middle, size: 24 B, operands: [O], width: 16 bit, read_energy: 2 pJ, \
            write_energy: 2 pJ, shared_over: [D2] }\n";
        text.replacen("  - name: shared\n", &format!("{middle}  - name: shared\n"), 1)
    };
    let sizes = [24, 40, 64, 128, 300];
    let systolic = odd_core(300, 3000).replacen("{ dimensions:", "{ systolic: all, dimensions:", 1);
    let doubled = |lowest: u64| {
        odd_core(lowest, 8 * lowest).replacen("    operands:", "    double_buffered: true\n    operands:", 1)
    };
    let slow = odd_core(300, 3000).replace("    operands:", "    latency: 3 cycles\n    operands:");
    let in_memory = odd_core(300, 3000).replacen(
        "mac_energy: 1 pJ",
        "in_memory: { type: analog, columns: D1, rows: D2, precision: 4 x 4, input_bits: 2 bit, adc_resolution: 5 bit }",
        1,
    );
    // A lowest memory whose port transfers one output at a time.
    let narrow =
        odd_core(300, 3000).replacen("shared_over: [] }\n  - name: shared", "shared_over: [D1] }\n  - name: shared", 1);
    let odd =
        [with_middle(odd_core(300, 3000)), systolic, slow, doubled(100), doubled(200), doubled(400), in_memory, narrow];
    let cores = sizes.map(|lowest| odd_core(lowest, 8 * lowest)).into_iter().chain(odd);
    for core in cores.map(|text| Core::from_text(&text).unwrap()) {
        for shape in network.computing().map(|id| network.layer(id).shape) {
            for unroll in &unrolls {
                let levels = Operand::ALL.map(|operand| core.levels(operand).len());
                let problem = LayerProblem::new(shape, levels, unroll.clone());
                let sizes = LayerOnCore::new(&core, Rules::CORRECTED, &problem).spatial.temporal_sizes;
                let mut order = temporal::limited_factors(&sizes, &shape.dim_order, 8, false).unwrap();
                let mut orders = Vec::new();
                for _ in 0..order.len() {
                    order.rotate_left(1);
                    orders.push(order.clone());
                    orders.push(order.iter().rev().copied().collect());
                }
                layers.push((core.clone(), problem, orders));
            }
        }
    }
    layers
}

/// The levels of the loops, energy and latency of each order.
fn mapped(core: &Core, rules: Rules, problem: &LayerProblem, orders: &[Vec<TemporalLoop>]) -> Vec<String> {
    let layer = LayerOnCore::new(core, rules, problem);
    let result = |order: &Vec<TemporalLoop>| {
        let allocation = allocate(&layer, order)?;
        let cost = Evaluator::new(&layer).evaluate(order, &allocation)?;
        Some(format!("{:?} {} {}", cost.merged, cost.energy_pj(), cost.latency.exact_cycles()))
    };
    orders.iter().map(|order| result(order).unwrap_or_default()).collect()
}

/// Each switch alone, toggled in the corrected rules or in those of a tool, changes a mapping, an energy, a latency or
/// an error.
#[test]
fn every_switch_decides_something() {
    let layers = layers();
    let results_of =
        |rules: Rules| layers.iter().map(move |(core, problem, orders)| mapped(core, rules, problem, orders));
    let bases = Rules::SETS.map(|(_, rules)| (rules, results_of(rules).collect::<Vec<_>>()));
    let decides_a_layer =
        |name: &str| bases.iter().any(|(base, results)| !results_of(turned(base, name)).eq(results.iter().cloned()));
    // Switches without effect on a layer with a given order have one on searches or networks.
    let names = Rules::CORRECTED.switches().into_iter().map(|(name, ..)| name);
    let left: Vec<&str> = names.filter(|name| !decides_a_layer(name)).collect();
    let cases = cases();
    // These rarely have an effect on the best mapping; they have tests of their own.
    let shown_elsewhere = [
        "granules_beyond_words",
        "first_column_ignores_caches",
        "round_instances_by_agreement",
        "double_buffer_by_operand_order",
        "double_buffers_by_rounded_shares",
        "double_buffers_beside_parts",
        "forced_double_buffers_granted_as_others",
        "whole_outputs_copied",
        "other_maps_take_no_room",
        "stack_inputs_placed_alone",
        "kept_weights_counted_together",
        "input_caches_written_free",
        "only_first_tile_fetches_weights",
        "mappings_have_whole_memories",
        "corners_read_from_columns",
        "far_columns_left_behind",
        "lower_stack_inputs_read_in_place",
        "caches_replaced_at_once",
    ];
    for name in left.into_iter().filter(|name| !shown_elsewhere.contains(name)) {
        let decides = cases.iter().any(|(hardware, workload, settings)| {
            let under = |rules: Rules| results(hardware, workload, &Settings { rules, ..settings.clone() });
            [Rules::CORRECTED, Rules::DEFINES_2022].iter().any(|base| under(*base) != under(turned(base, name)))
        });
        assert!(decides, "{name} changes nothing");
    }
}

/// The first layer of a network, mapped.
fn best_mapping(hardware: &str, workload: &str, rules: Rules) -> MappedLayer {
    let request = LayerRequest {
        hardware: hardware.to_owned(),
        workload: workload.to_owned(),
        layer: None,
        objective: Objective::Energy,
        strategy: Strategy::Exact,
        lpf_limit: 6,
        rules,
        unroll: None,
    };
    DesignLayer::new(&request).unwrap().best().unwrap()
}

#[test]
fn pes_that_work_in_a_single_cycle_are_not_all_of_them() {
    let share = |rules: Rules, kernel: u64| {
        let hardware = find_preset(hardware_presets(), "tpu-like").unwrap().text;
        let workload = &format!(
            "name: tiny
layers: [{{ name: a, type: input, K: 3, size: {kernel} x 1 }}, {{ name: fc, type: fully-connected, K: 3 }}]"
        );
        let mapped = best_mapping(hardware, workload, rules);
        (mapped.cycles.computing(), mapped.spatial_utilization())
    };
    // 3 x 3 of 32 x 32 PEs.
    assert_eq!(share(Rules::CORRECTED, 1), (1, 9.0 / 1024.0));
    assert_eq!(share(Rules::CORRECTED, 5), (5, 9.0 / 1024.0));
    for published in [Rules::DEFINES_2022, Rules::ZIGZAG_3_8, Rules::ZIGZAG_3_9] {
        assert_eq!(share(published, 1), (1, 1.0));
        assert_eq!(share(published, 5), (5, 0.2));
    }
}

/// Kernels of 2 with a dilation of 2, 3 columns apart, read columns 1, 2 and 4 of 5 after one column of padding.
#[test]
fn columns_that_windows_leave_out_are_not_read() {
    let reads = |rules: Rules| {
        let hardware = "name: two levels
array: { dimensions: { D1: 1 }, mac_energy: 1 pJ }
memories:
  - { name: buffer, size: 1 MiB, operands: [W, I, O], width: 8 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 8 bit, read_energy: 100 pJ, write_energy: 100 pJ, shared_over: all }
";
        let workload = "name: holes
layers:
  - { name: in, type: input, K: 1, size: 5 x 1 }
  - { name: a, type: conv, K: 1, kernel: 2 x 1, stride: 3, dilation: 2, padding: { left: 1, right: 0, top: 0, bottom: 0 } }
";
        best_mapping(hardware, workload, rules).words[2][1][Movement::ReadToLow as usize]
    };
    assert_eq!(reads(Rules::CORRECTED), 3.0);
    assert_eq!(reads(Rules::ZIGZAG_3_9), 4.0);
}

/// 5 inputs of 8 bit are one word of 40 bit, or three parts of 16 bit, which are 1.2 words.
#[test]
fn a_full_word_is_one_word_whatever_its_parts() {
    let reads = |rules: Rules, inputs: u64| {
        let hardware = "name: two levels
array: { dimensions: { D1: 1 }, mac_energy: 1 pJ }
memories:
  - { name: buffer, size: 1 MiB, operands: [W, I, O], width: 400 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 40 bit, granularity: 16 bit, read_energy: 900 pJ,
      write_energy: 900 pJ, shared_over: all }
";
        let workload = &format!(
            "name: one
layers: [{{ name: in, type: input, K: {inputs}, size: 1 x 1 }}, {{ name: a, type: fully-connected, K: 1 }}]"
        );
        best_mapping(hardware, workload, rules).words[2][1][Movement::ReadToLow as usize]
    };
    for (inputs, right, published) in [(5, 1.0, 1.2), (10, 2.0, 2.0), (11, 2.4, 2.8), (15, 3.0, 3.6), (4, 0.8, 0.8)] {
        assert!((reads(Rules::CORRECTED, inputs) - right).abs() < 1e-12, "{inputs} inputs");
        let alone = Rules { granules_beyond_words: true, ..Rules::CORRECTED };
        assert!((reads(alone, inputs) - published).abs() < 1e-12, "{inputs} inputs");
    }
}

/// 3 / 2 x 9 / 5 x 5 / 3 PEs are 4.5, except for a rounding error that only ZigZag rounds away first.
#[test]
fn numbers_of_instances_depend_on_how_they_are_rounded() {
    let core = Core::from_text(&odd_core(4096, 1 << 16)).unwrap();
    let network = Network::from_text(
        "name: two
layers: [{ name: in, type: input, K: 9, size: 5 x 1 }, { name: a, type: conv, K: 3, kernel: 1 x 1 }]",
    );
    let shape = network.unwrap().layer(1.into()).shape;
    let levels = Operand::ALL.map(|operand| core.levels(operand).len());
    let unroll = [(0, Dim::K), (0, Dim::C), (1, Dim::OX)].map(|(array_dim, dim)| Unroll {
        array_dim: array_dim.into(),
        dim,
        limit: 2,
    });
    let problem = LayerProblem::new(shape, levels, unroll.to_vec());
    let sizes = LayerOnCore::new(&core, Rules::ZIGZAG_3_8, &problem).spatial.temporal_sizes;
    let order = temporal::limited_factors(&sizes, &shape.dim_order, 8, false).unwrap();
    let energy = |rules: Rules| mapped(&core, rules, &problem, std::slice::from_ref(&order));
    assert_ne!(energy(Rules::ZIGZAG_3_8), energy(turned(&Rules::ZIGZAG_3_8, "round_instances_by_agreement")));
}

/// The rules with one switch toggled.
fn turned(rules: &Rules, name: &str) -> Rules {
    let (_, _, value) = rules.switches().into_iter().find(|(other, ..)| *other == name).unwrap();
    rules.with(name, !value).unwrap()
}

#[test]
fn switches_are_found_by_name() {
    for (name, title, corrected) in Rules::CORRECTED.switches() {
        assert!(!corrected && !title.is_empty());
        let on = |rules: &Rules| rules.switches().into_iter().any(|(other, _, value)| other == name && value);
        assert!([Rules::DEFINES_2022, Rules::ZIGZAG_3_8, Rules::ZIGZAG_3_9].iter().any(on), "{name} is on in no tool");
        assert_ne!(turned(&Rules::CORRECTED, name), Rules::CORRECTED);
    }
    assert_eq!(Rules::CORRECTED.with("nonsense", true), None);
}

#[test]
fn known_combinations_have_a_name() {
    for (name, rules) in Rules::SETS {
        assert_eq!(rules.set_name(), Some(name));
    }
    assert_eq!(turned(&Rules::ZIGZAG_3_8, "fractions_of_words_free").set_name(), None);
}

#[test]
fn double_buffers_depend_on_the_order_in_which_they_are_granted_and_on_rounding() {
    let network = Network::from_text(SMALL_NETWORK).unwrap();
    let granted = |core: &Core, rules: Rules| {
        let shape = network.layer(1.into()).shape;
        let levels = Operand::ALL.map(|operand| core.levels(operand).len());
        let problem = LayerProblem::new(shape, levels, core.unroll(shape.kind).to_vec());
        let layer = LayerOnCore::new(core, rules, &problem);
        let sizes = &layer.spatial.temporal_sizes;
        let order = temporal::limited_factors(sizes, &shape.dim_order, 8, false).unwrap();
        let allocation = allocate(&layer, &order)?;
        Some(Evaluator::new(&layer).evaluate(&order, &allocation)?.latency.double_buffered)
    };
    let in_operand_order = Rules { double_buffer_by_operand_order: true, ..Rules::CORRECTED };
    let by_shares = Rules { double_buffers_by_rounded_shares: true, ..Rules::CORRECTED };
    let beside_parts = Rules { double_buffers_beside_parts: true, ..Rules::CORRECTED };
    for other in [in_operand_order, by_shares, beside_parts] {
        let differs = (64..4096).any(|bytes| {
            let core = Core::from_text(&odd_core(bytes, 4096)).unwrap();
            granted(&core, Rules::CORRECTED) != granted(&core, other)
        });
        assert!(differs, "{other:?}");
    }
}

#[test]
fn the_first_column_reserves_space_for_what_it_caches() {
    let core = Core::from_text(&odd_core(64, 4096)).unwrap();
    let network = Network::from_text(SMALL_NETWORK).unwrap();
    let peaks = |rules: Rules, first_column: bool| {
        let mut planner = Planner::new(&core, &network, rules, Limits::default(), Strategy::Loma);
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
