//! The loop-information table against ZigZag (IEEE TC 2021): Fig. 6, the FIFO effect of Section III-B, the gated memory of
//! Fig. 10, the roof of Section IV-A.

use fusescape_engine::cost::{
    Evaluator, LevelInformation, LoopInformation, loop_information, port_balances, slowest_port,
};
use fusescape_engine::explore::{DesignLayer, LayerRequest, MappedLayer, TemporalMapping};
use fusescape_engine::hardware::{Core, Operand};
use fusescape_engine::mapping::{LayerOnCore, LayerProblem, TemporalLoop};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Objective, Strategy, find_best};
use fusescape_engine::workload::Dim::{self, C, FX, FY, K, OX, OY};
use fusescape_engine::workload::Network;
use fusescape_spec::{hardware_presets, workload_presets};

fn preset(list: &[fusescape_spec::Preset], id: &str) -> String {
    list.iter().find(|preset| preset.id == id).unwrap().text.to_owned()
}

/// Conv2 of AlexNet on Eyeriss.
fn conv2() -> DesignLayer {
    DesignLayer::new(&LayerRequest {
        hardware: preset(hardware_presets(), "eyeriss-like"),
        workload: preset(workload_presets(), "alexnet-eyeriss"),
        layer: Some("conv2".into()),
        objective: Objective::Energy,
        strategy: Strategy::default(),
        lpf_limit: 6,
        rules: Rules::CORRECTED,
        unroll: None,
    })
    .unwrap()
}

fn order(loops: &[(Dim, u64)]) -> Vec<TemporalLoop> {
    loops.iter().map(|&(dim, size)| TemporalLoop { dim, size }).collect()
}

/// The nest of Figs. 3 and 6. The boundaries of W and I are those of Fig. 11: 160 weights, 10 inputs and 16 outputs a PE.
fn figure_6() -> TemporalMapping {
    TemporalMapping {
        order: order(&[(K, 8), (C, 2), (FX, 5), (OX, 2), (C, 2), (OX, 13), (C, 12), (K, 32)]),
        ends: [vec![5, 7, 8], vec![6, 8], vec![3, 7, 8]],
    }
}

fn mapped(mapping: &TemporalMapping) -> MappedLayer {
    conv2().cost(mapping).unwrap_or_else(|flaws| panic!("{flaws:?}"))
}

fn of_levels<T>(information: &LoopInformation, operand: usize, of: fn(&LevelInformation) -> T) -> Vec<T> {
    information.operands[operand].levels.iter().map(of).collect()
}

#[test]
fn figure_6_of_zigzag() {
    let table = mapped(&figure_6()).information;
    assert_eq!((table.macs, table.active_pes, table.temporal_cycles), (207_667_200, 130.0, 1_597_440));
    let names_sizes_reuses = table.operands.each_ref().map(|of| (of.name.as_str(), of.size, of.reuse));
    assert_eq!(names_sizes_reuses[0], ("O", 173_056.0, 1200.0));
    assert_eq!(names_sizes_reuses[1], ("W", 307_200.0, 676.0));
    assert_eq!((names_sizes_reuses[2].0, names_sizes_reuses[2].1), ("I", 43_200.0));
    assert_eq!(format!("{:.2}", names_sizes_reuses[2].2), "4807.11");

    assert_eq!(of_levels(&table, 0, |level| level.unit_size), [1.0, 16.0, 5408.0, 173_056.0]);
    assert_eq!(of_levels(&table, 0, |level| level.total_size), [1.0, 416.0, 5408.0, 173_056.0]);
    assert_eq!(of_levels(&table, 0, |level| level.unit_macs), [1.0, 1600.0, 6_489_600.0, 207_667_200.0]);
    assert_eq!(of_levels(&table, 0, |level| level.total_macs), [1.0, 41_600.0, 6_489_600.0, 207_667_200.0]);
    let reuses = of_levels(&table, 0, |level| (level.reuse.total, level.reuse.temporal, level.reuse.spatial));
    assert_eq!(reuses, [(1.0, 1.0, 1.0), (100.0, 20.0, 5.0), (12.0, 12.0, 1.0), (1.0, 1.0, 1.0)]);
    assert_eq!(of_levels(&table, 0, |level| level.turnaround_cycles), [1, 320, 49_920, 1_597_440]);
    assert_eq!(of_levels(&table, 0, |level| level.units.unique), [26.0, 26.0, 1.0, 1.0]);
    assert_eq!(of_levels(&table, 0, |level| level.units.total), [130.0, 130.0, 1.0, 1.0]);
    assert_eq!(of_levels(&table, 0, |level| level.units.duplicate), [5.0, 5.0, 1.0, 1.0]);
    let accesses = of_levels(&table, 0, |level| level.traffic.map(|traffic| (traffic.down, traffic.up)));
    let expected =
        [Some((207_494_144.0, 207_667_200.0)), Some((1_903_616.0, 2_076_672.0)), Some((0.0, 173_056.0)), None];
    assert_eq!(accesses, expected);
    let bandwidths = of_levels(&table, 0, |level| {
        level.traffic.map(|traffic| (traffic.unit.double_buffered, traffic.above.double_buffered))
    });
    let expected =
        [Some((1.0, 1.0)), Some((16.0 / 320.0, 416.0 / 320.0)), Some((5408.0 / 49_920.0, 5408.0 / 49_920.0)), None];
    assert_eq!(bandwidths, expected);
}

#[test]
fn without_a_second_buffer_the_outermost_irrelevant_loops_leave_no_time_to_write() {
    let table = mapped(&figure_6()).information;
    let ratios = of_levels(&table, 0, |level| {
        level.traffic.map(|traffic| traffic.unit.single_buffered / traffic.unit.double_buffered)
    });
    // C 2 is outermost in the scratch pads, C 12 in the global buffer.
    let rounded: Vec<_> = ratios.iter().map(|ratio| ratio.map(f64::round)).collect();
    assert_eq!(rounded, [Some(1.0), Some(2.0), Some(12.0), None]);
}

#[test]
fn where_a_relevant_loop_is_outermost_two_of_its_parts_are_enough() {
    let table = mapped(&figure_6()).information;
    let of = |operand| of_levels(&table, operand, |level| level.effective_bits / level.precision_bits as f64);
    // Outermost in the lower levels are OX 13 for W, C 2 and C 12 for O: nothing can be gated.
    assert_eq!((of(1), of(0)), (vec![1.0, 160.0, 307_200.0], vec![1.0, 16.0, 5408.0, 173_056.0]));
    // With OX 13 outermost for O in the global buffer, one of 13 parts is in use while another is written to DRAM.
    let mapping = TemporalMapping {
        order: order(&[(K, 8), (C, 2), (FX, 5), (OX, 2), (C, 2), (OX, 13), (K, 32), (C, 12)]),
        ends: [vec![5, 6, 8], vec![6, 8], vec![3, 6, 8]],
    };
    let buffer = &mapped(&mapping).information.operands[0].levels[2];
    assert_eq!((buffer.unit_size, buffer.effective_bits), (5408.0, 2.0 * 416.0 * 16.0));
}

#[test]
fn every_loop_lowers_the_accesses_by_its_reuse() {
    let table = mapped(&figure_6()).information;
    for operand in &table.operands {
        let mut effect = operand.effect.iter().map(|step| step.accesses);
        assert!(effect.clone().is_sorted_by(|a, b| a >= b), "{}", operand.name);
        assert_eq!(effect.next_back(), Some(operand.size), "{}", operand.name);
        for (index, level) in operand.levels.iter().enumerate() {
            let last = operand.effect.iter().rfind(|step| step.level <= index).map(|step| step.accesses);
            let Some(traffic) = level.traffic else { continue };
            assert_eq!(last.unwrap_or(table.macs as f64), traffic.up.max(traffic.down), "{} {index}", operand.name);
        }
    }
}

#[test]
fn the_roof_is_what_a_level_can_still_multiply_what_it_holds_by() {
    // ZigZag, Section IV-A and Fig. 12: FX 5 and C 2 are in the scratch pads; the global buffer has room for 184 times
    // as much data, and for 76 times as much once C 2 and OX 2 are assigned to it.
    let order = order(&[(FX, 5), (C, 2), (C, 2), (OX, 2), (OX, 13), (C, 12), (K, 256)]);
    let layer = conv2();
    let on_core = layer.on_core();
    for (end, size, roof) in [(2, 300.0, 184), (4, 720.0, 76)] {
        let ends = [vec![0, 0, 7], vec![0, 7], vec![2, end, 7]];
        let cost = Evaluator::new(&on_core).validate(&order, &ends).unwrap_or_else(|flaws| panic!("{flaws:?}"));
        let level = &loop_information(&on_core, &order, &cost).operands[2].levels[2];
        assert_eq!((level.unit_size, level.roof), (size, Some(roof)));
    }
}

#[test]
fn inputs_shift_like_in_a_fifo_where_the_loop_above_moves_their_window() {
    // ZigZag, Section III-B: FX 3 in time over OX 4 in space.
    let hardware = "
name: row
array: { dimensions: { D1: 4 }, mac_energy: 1 pJ }
dataflow: row
unroll: { conv: { D1: OX } }
memories:
  - { name: reg, size: 1 KiB, operands: [O], width: 16 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [] }
  - { name: top, size: 1 MiB, operands: [I, W, O], width: 64 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all }
";
    let workload = "
name: window
batch: 1
precision: { W: 8, I: 8, O_partial: 16, O: 8 }
layers:
  - { name: image, type: input, K: 1, size: 6 x 1 }
  - { name: layer, type: conv, K: 2, kernel: 3 x 1 }
";
    let design_layer = DesignLayer::new(&LayerRequest {
        hardware: hardware.into(),
        workload: workload.into(),
        layer: None,
        objective: Objective::Energy,
        strategy: Strategy::default(),
        lpf_limit: 6,
        rules: Rules::CORRECTED,
        unroll: None,
    })
    .unwrap_or_else(|wrong| panic!("{wrong}"));
    let mapping = TemporalMapping { order: order(&[(FX, 3), (K, 2)]), ends: [vec![1, 2], vec![2], vec![2]] };
    let mapped = design_layer.cost(&mapping).unwrap_or_else(|flaws| panic!("{flaws:?}"));
    let array = &mapped.information.operands[2].levels[0];
    assert_eq!((array.reuse.total, array.reuse.with_fifo), (1.0, 2.0));
    let with_fifo: f64 = of_levels(&mapped.information, 2, |level| level.reuse.with_fifo).iter().product();
    assert_eq!(with_fifo, mapped.information.operands[2].reuse);
}

#[test]
fn the_diagonal_broadcast_of_eyeriss_reuses_inputs_in_space() {
    let table = mapped(&figure_6()).information;
    let scratch_pad = &table.operands[2].levels[1];
    assert_eq!(scratch_pad.unrolled, [(FY, 5.0), (OY, 2.0), (OY, 13.0)]);
    assert_eq!((scratch_pad.unit_size, scratch_pad.total_size), (10.0, 300.0));
    assert_eq!(scratch_pad.reuse.spatial, 130.0 / 30.0);
    assert_eq!(scratch_pad.units.unique, 30.0);
}

/// The table agrees with the counts from which energy is computed, for all presets.
#[test]
fn tables_and_costs_agree() {
    for (hardware, workload) in
        [("meta-proto-like-df", "fsrcnn"), ("tpu-like", "mobilenet-v1"), ("eyeriss-like", "alexnet-eyeriss")]
    {
        let design_layer = DesignLayer::new(&LayerRequest {
            hardware: preset(hardware_presets(), hardware),
            workload: preset(workload_presets(), workload),
            layer: None,
            objective: Objective::Energy,
            strategy: Strategy::default(),
            lpf_limit: 5,
            rules: Rules::CORRECTED,
            unroll: None,
        })
        .unwrap_or_else(|wrong| panic!("{wrong}"));
        let best = design_layer.best().unwrap_or_else(|wrong| panic!("{wrong}"));
        let again = design_layer.cost(&best.mapping).unwrap_or_else(|flaws| panic!("{flaws:?}"));
        assert_eq!(best, again, "{hardware}: a mapping written down costs what it costs");
        for operand in &best.information.operands {
            let total: f64 = operand.levels.iter().map(|level| level.reuse.total).product();
            assert!((total / operand.reuse - 1.0).abs() < 1e-9, "{hardware} {}", operand.name);
            assert!((operand.levels.last().unwrap().unit_size - operand.size).abs() < 1e-6, "{hardware}");
            let levels = operand.levels.iter().enumerate();
            let unrolled =
                levels.flat_map(|(level, of)| of.unrolled.iter().map(move |&(dim, size)| (level, dim, size)));
            let in_space = operand.effect.iter().filter(|step| step.unrolled);
            let in_space = in_space.map(|step| (step.level, step.dim, step.size));
            assert_eq!(in_space.collect::<Vec<_>>(), unrolled.collect::<Vec<_>>(), "{hardware} {}", operand.name);
        }
    }
}

#[test]
fn the_slowest_port_is_the_one_that_the_array_waits_for_longest() {
    let mut waiting = 0;
    for hardware in hardware_presets() {
        let core = Core::from_text(hardware.text).unwrap();
        let network = Network::from_text(&preset(workload_presets(), "alexnet-eyeriss")).unwrap();
        for layer in network.computing().map(|id| network.layer(id)) {
            let levels = Operand::ALL.map(|operand| core.levels(operand).len());
            let problem = LayerProblem::new(layer.shape, levels, layer.unroll_on(&core, &Rules::CORRECTED));
            let problem = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
            let Some(best) = find_best(&problem, &Objective::Energy, &Limits::default(), Strategy::Loma).best else {
                continue;
            };
            let cost = best.cost(&problem).unwrap();
            let most = port_balances(&problem, &cost).into_iter().map(|port| port.cycles).max().unwrap();
            match slowest_port(&problem, &cost) {
                Some(slowest) => assert_eq!(slowest.cycles, most, "{} on {}", layer.name, hardware.id),
                None => assert!(most <= 0, "{} on {}", layer.name, hardware.id),
            }
            waiting += usize::from(most > 0);
        }
    }
    assert!(waiting > 10, "{waiting}");
}
