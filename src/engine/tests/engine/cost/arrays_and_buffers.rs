//! Systolic arrays, and memories that are double-buffered by design.

use fusescape_engine::cost::{EnergyCause, Evaluator, LayerCost};
use fusescape_engine::hardware::{Core, Operand};
use fusescape_engine::mapping::{LayerOnCore, LayerOperand, LayerProblem, TemporalLoop, allocate, temporal};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Objective, Proof, Strategy, find_best, has_mapping};
use fusescape_engine::workload::{Dim, Network};

/// A core of 4 x 3 PEs with one buffer of so many bytes.
fn core(array: &str, buffer: &str, bytes: u64) -> Core {
    Core::from_text(&format!(
        "name: small
array: {{ dimensions: {{ D1: 4, D2: 3 }}, mac_energy: 1 pJ{array} }}
unroll: {{ conv: {{ D1: K, D2: OX }} }}
memories:
  - {{ name: o_reg, size: 4 B, operands: [O], width: 16 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [] }}
  - {{ name: buffer, size: {bytes} B, operands: [W, I, O], width: 64 bit, read_energy: 4 pJ, write_energy: 4 pJ, shared_over: all{buffer} }}
  - {{ name: dram, size: 1 GiB, operands: [W, I, O], width: 16 bit, read_energy: 90 pJ, write_energy: 90 pJ, shared_over: all }}
"
    ))
    .unwrap()
}

fn problem(core: &Core) -> LayerProblem {
    problem_with(core, 8)
}

/// A layer of so many output channels.
fn problem_with(core: &Core, channels: u64) -> LayerProblem {
    let network = Network::from_text(&format!(
        "name: one
layers: [{{ name: in, type: input, K: 4, size: 6 x 7 }}, {{ name: a, type: conv, K: {channels}, kernel: 3 x 3, padding: 1 }}]",
    ));
    let shape = network.unwrap().layer(1.into()).shape;
    let levels = Operand::ALL.map(|operand| core.levels(operand).len());
    LayerProblem::new(shape, levels, core.unroll(shape.kind).to_vec())
}

/// Every rotation of the layer's loops, both ways round.
fn orders(layer: &LayerOnCore<'_>) -> Vec<Vec<TemporalLoop>> {
    let factors = temporal::limited_factors(&layer.spatial.temporal_sizes, &layer.shape.dim_order, 9, false).unwrap();
    let rotated = (0..factors.len()).map(|by| {
        let mut order = factors.clone();
        order.rotate_left(by);
        order
    });
    rotated.flat_map(|order| [order.clone(), order.into_iter().rev().collect()]).collect()
}

fn cost(layer: &LayerOnCore<'_>, order: &[TemporalLoop]) -> Option<LayerCost> {
    Evaluator::new(layer).evaluate(order, &allocate(layer, order)?)
}

/// Energies at other precisions than the stated one are those of the table, or follow the product of both widths.
#[test]
fn multiply_accumulates_cost_what_their_precision_does() {
    let mac_pj = |array: &str, w: u64, i: u64| {
        let core = core(array, "", 4096);
        let mut problem = problem(&core);
        (problem.shape.precision.w, problem.shape.precision.i) = (w, i);
        let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let best = find_best(&layer, &Objective::Energy, &Limits::default(), Strategy::Exact).best.unwrap();
        let cost = best.cost(&layer).unwrap();
        assert_eq!(cost.energy.total_pj, best.energy_pj);
        cost.energy.fixed[EnergyCause::Mac] / problem.shape.macs() as f64
    };
    let table = ", mac_energies: { 4 x 4: 0.25 pJ, 8 x 4: 0.5 pJ }";
    let law = ", mac_precision: 8 x 8";
    for (array, w, i, expected) in [
        ("", 4, 4, 1.0),
        ("", 16, 16, 1.0),
        (table, 4, 4, 0.25),
        (table, 8, 4, 0.5),
        (table, 4, 8, 1.0),
        (law, 8, 8, 1.0),
        (law, 4, 8, 0.5),
        (law, 16, 16, 4.0),
    ] {
        assert_eq!(mac_pj(array, w, i), expected, "{w} x {i}{array}");
    }
    let wrong = Core::from_text(
        "name: wrong
array: { dimensions: { D1: 4 }, mac_energy: 1 pJ, mac_precision: 8, mac_energies: { four: 1 pJ, 4 x 4: 1 bit } }
memories:
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 16 bit, read_energy: 90 pJ, write_energy: 90 pJ, shared_over: all }",
    );
    let places: Vec<String> = wrong.unwrap_err().0.into_iter().map(|wrong| wrong.path).collect();
    assert_eq!(places, ["array.mac_precision", "array.mac_energies.four", "array.mac_energies.4 x 4"]);
}

#[test]
fn of_memory_on_the_chip_the_highest_below_dram_counts() {
    // The registers do not count: outputs have the buffer above them.
    assert_eq!(core("", "", 64).on_chip_bytes(), 64);
}

#[test]
fn the_last_results_leave_a_systolic_array_one_pe_a_cycle() {
    for (systolic, drain) in [("", 0), (", systolic: [D1]", 3), (", systolic: [D2]", 2), (", systolic: all", 5)] {
        let (with, without) = (core(systolic, "", 300), core("", "", 300));
        let problem = problem(&with);
        for (rules, expected) in
            [(Rules::CORRECTED, drain), (Rules::ZIGZAG_3_9, drain), (Rules::ZIGZAG_3_8, 0), (Rules::DEFINES_2022, 0)]
        {
            let [with, without] = [&with, &without].map(|core| LayerOnCore::new(core, rules, &problem));
            for order in orders(&with) {
                let (Some(with), Some(without)) = (cost(&with, &order), cost(&without, &order)) else { continue };
                assert_eq!(with.latency.drain_cycles, expected);
                assert_eq!(with.latency.exact_cycles() - without.latency.exact_cycles(), expected as f64);
                assert_eq!(with.energy_pj().to_bits(), without.energy_pj().to_bits());
            }
        }
        // The proof of an exact search counts the drain as well.
        let found = |core: &Core| {
            let layer = LayerOnCore::new(core, Rules::CORRECTED, &problem);
            find_best(&layer, &Objective::Latency, &Limits::default(), Strategy::Exact)
        };
        let (with, without) = (found(&with), found(&without));
        assert_eq!(with.proof, without.proof);
        assert_eq!(with.best.unwrap().latency_cycles, without.best.unwrap().latency_cycles + drain);
    }
}

/// Data that fits in half a memory fits in a double-buffered one, and data that fits there fits in a plain one, with
/// the same energy.
#[test]
fn a_double_buffered_memory_lies_between_half_of_it_and_all_of_it() {
    let mut narrower = 0;
    for bytes in (60..900).step_by(20) {
        let half = core("", "", bytes / 2);
        let (double, whole) = (core("", ", double_buffered: true", bytes), core("", "", bytes));
        let problem = problem(&double);
        let [half, double, whole] =
            [&half, &double, &whole].map(|core| LayerOnCore::new(core, Rules::CORRECTED, &problem));
        for order in orders(&double) {
            for (smaller, larger) in [(&half, &double), (&double, &whole)] {
                let Some(allocation) = allocate(smaller, &order) else { continue };
                let small = Evaluator::new(smaller).evaluate(&order, &allocation).unwrap();
                let large = Evaluator::new(larger).evaluate(&order, &allocation).unwrap();
                assert_eq!(small.energy_pj().to_bits(), large.energy_pj().to_bits());
            }
            if let Some(allocation) = allocate(&whole, &order) {
                narrower += u32::from(Evaluator::new(&double).evaluate(&order, &allocation).is_none());
            }
            let Some(cost) = cost(&double, &order) else { continue };
            let mut reserved = 0.0;
            for operand in LayerOperand::ALL {
                let level = double.operands[operand].memories.len() - 2;
                reserved += cost.amounts.bits_reserved(operand, level);
                let is_twice = cost.amounts.bits_reserved(operand, level) > cost.amounts.bits_held(operand, level);
                assert!(
                    !is_twice || cost.latency.double_buffered[operand][level],
                    "what is there twice is double-buffered"
                );
            }
            assert!(reserved <= 8.0 * bytes as f64);
        }
    }
    assert!(narrower > 0, "some mappings fit only once");
}

/// Six of ten columns take twelve bytes, as they are replaced; all ten take ten, as nothing replaces them.
#[test]
fn all_of_an_operand_fits_where_no_part_of_it_fits_twice() {
    let held = |bytes: u64| {
        let core = Core::from_text(&format!(
            "name: small
array: {{ dimensions: {{ D1: 1 }}, mac_energy: 1 pJ }}
unroll: {{ conv: {{ D1: K }} }}
memories:
  - {{ name: columns, size: {bytes} B, operands: [I], width: 8 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all,
      double_buffered: true }}
  - {{ name: dram, size: 1 GiB, operands: [W, I, O], width: 8 bit, read_energy: 90 pJ, write_energy: 90 pJ, shared_over: all }}
"
        ))
        .unwrap();
        let network = Network::from_text(
            "name: one
layers: [{ name: in, type: input, K: 1, size: 10 x 1 }, { name: a, type: conv, K: 1, kernel: 3 x 1 }]",
        );
        let shape = network.unwrap().layer(1.into()).shape;
        let levels = Operand::ALL.map(|operand| core.levels(operand).len());
        let problem = LayerProblem::new(shape, levels, core.unroll(shape.kind).to_vec());
        let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let order = [(Dim::FX, 3), (Dim::OX, 4), (Dim::OX, 2)].map(|(dim, size)| TemporalLoop { dim, size });
        let columns = LayerOperand::ALL.into_iter().find(|&operand| layer.operands[operand].memories.len() == 2);
        allocate(&layer, &order).map(|allocation| allocation.range(columns.unwrap(), 0).len())
    };
    assert_eq!([9, 10, 11, 12].map(held), [Some(1), Some(3), Some(3), Some(3)]);
}

/// The tool grants double buffers to operands that need none first, so that an operand held twice may get none.
#[test]
fn what_is_there_twice_is_double_buffered_whatever_else_is_granted() {
    let granted_as_others = Rules { forced_double_buffers_granted_as_others: true, ..Rules::CORRECTED };
    let differs = [16, 32, 64].into_iter().any(|channels| {
        (200..6000).step_by(16).any(|bytes| {
            let core = core("", ", double_buffered: true", bytes);
            let problem = problem_with(&core, channels);
            let [right, tool] =
                [Rules::CORRECTED, granted_as_others].map(|rules| LayerOnCore::new(&core, rules, &problem));
            orders(&right).iter().any(|order| {
                let granted = |layer| cost(layer, order).map(|cost| cost.latency.double_buffered);
                granted(&right) != granted(&tool)
            })
        })
    });
    assert!(differs);
}

#[test]
fn a_double_buffered_memory_is_searched_exactly() {
    for bytes in [100, 300, 2000] {
        let core = core("", ", double_buffered: true", bytes);
        let problem = problem(&core);
        let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let found = |strategy: Strategy| find_best(&layer, &Objective::Energy, &Limits::default(), strategy);
        let (exact, loma) = (found(Strategy::Exact), found(Strategy::Loma));
        assert_eq!(exact.proof, Proof::Optimal);
        assert!(has_mapping(&layer, &Limits::default(), Strategy::Exact) || exact.best.is_none());
        if let Some(loma) = loma.best {
            assert!(exact.best.unwrap().energy_pj <= loma.energy_pj);
        }
    }
}

#[test]
fn a_systolic_dimension_has_to_exist() {
    let text = "name: a\narray: { dimensions: { D1: 4 }, systolic: [D2], mac_energy: 1 pJ }\nmemories:\n  - { name: dram, \
        size: 1 GiB, operands: [W, I, O], width: 16 bit, read_energy: 90 pJ, write_energy: 90 pJ, shared_over: all }\n";
    let wrong = Core::from_text(text).unwrap_err().to_string();
    assert!(wrong.contains("array.systolic") && wrong.contains("no dimension `D2`"), "{wrong}");
}
