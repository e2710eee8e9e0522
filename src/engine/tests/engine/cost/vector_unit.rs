//! A vector unit beside the array: softmax, activations, additions and pooling on its lanes.

use super::layer_by_elements::is_close;
use fusescape_engine::cost::EnergyCause;
use fusescape_engine::depth_first::PointAccount;
use fusescape_engine::explore::{Request, Settings, Sweep};
use fusescape_engine::hardware::{Core, Operand};
use fusescape_engine::mapping::{LayerOnCore, LayerProblem};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Objective, Solution, Strategy, find_best};
use fusescape_engine::workload::{Dim, LayerKind, LayerShape, Network, Operation, Operations};

/// Registers of the lanes and the memories above them, the same for both cores.
fn memories(registers_over: &str, width: u64) -> [String; 2] {
    let registers = format!(
        "  - {{ name: regs, size: 96 bit, operands: [I, O], width: {} bit, read_energy: 1 pJ, write_energy: 2 pJ, \
         shared_over: {registers_over} }}
",
        2 * width
    );
    let above = format!(
        "  - {{ name: buffer, size: 600 B, operands: [W, I, O], width: {width} bit, read_energy: 4 pJ, write_energy: 5 pJ, \
         shared_over: all }}
  - {{ name: dram, size: 1 GiB, operands: [W, I, O], width: {width} bit, read_energy: 90 pJ, write_energy: 91 pJ, \
         shared_over: all }}
"
    );
    [registers, above]
}

/// A core with a vector unit beside an array that is independent of it.
fn with_unit(lanes: u64, width: u64, operations: &str) -> Core {
    let [registers, above] = memories("[]", width);
    let registers = registers.replace("  - ", "    - ");
    let core = Core::from_text(&format!(
        "name: with a unit
array: {{ dimensions: {{ D1: 3, D2: 2 }}, mac_energy: 7 pJ }}
unroll: {{ conv: {{ D1: K }} }}
memories:
  - {{ name: pe, size: 8 B, operands: [W, O], width: 16 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [] }}
{above}vector_unit:
  lanes: {lanes}
  memory: buffer
  registers:
{registers}  operations: {operations}
"
    ));
    core.unwrap()
}

/// A core whose array is the lanes.
fn of_lanes(lanes: u64, width: u64) -> Core {
    let [registers, above] = memories("[]", width);
    let core = Core::from_text(&format!(
        "name: lanes only
array: {{ dimensions: {{ lanes: {lanes} }}, mac_energy: 0 pJ }}
memories:
{registers}{above}"
    ));
    core.unwrap()
}

fn network(layers: &str) -> Network {
    Network::from_text(&format!("name: some\nlayers:\n{layers}")).unwrap()
}

fn shape_of(network: &Network, name: &str) -> LayerShape {
    network.layer(network.ids().find(|&id| network.layer(id).name == name).unwrap()).shape
}

fn best(core: &Core, shape: LayerShape, objective: &Objective) -> Option<(Solution, f64, u64, f64)> {
    let unit = with_unit(lanes_of(core), 8, "{}").vector_unit.unwrap();
    let levels = Operand::ALL.map(|operand| core.levels(operand).len());
    let problem = LayerProblem::new(shape, levels, unit.unroll(&shape));
    let layer = LayerOnCore::new(core, Rules::CORRECTED, &problem);
    let best = find_best(&layer, objective, &Limits::default(), Strategy::Exact).best?;
    let cost = best.cost(&layer).unwrap();
    let fixed: f64 = EnergyCause::without_access().map(|cause| cost.energy.fixed[cause]).sum();
    Some((best, cost.energy.total_pj - fixed, cost.latency.total_cycles(), fixed))
}

fn lanes_of(core: &Core) -> u64 {
    core.vector_unit.as_ref().map_or_else(|| core.pe_count(), |unit| unit.lanes())
}

/// Layers on lanes cost the same as on an array of as many PEs with the same memories, where these layers have other
/// types.
#[test]
fn lanes_cost_what_an_array_with_their_memories_does() {
    let network = network(
        "  - { name: in, type: input, K: 12, size: 6 x 5 }
  - { name: other, type: input, K: 12, size: 6 x 5 }
  - { name: sum, type: reduction, from: in, groups: 3 }
  - { name: exp, type: elementwise, from: in, operations: { exp: 1 } }
  - { name: product, type: pairwise, from: [in, other], operations: { multiply: 1 } }
  - { name: pool, type: pooling, from: in, kernel: 3 x 2, stride: 2 }
  - { name: add, type: add, from: [in, other] }
",
    );
    let kinds = [
        ("sum", LayerKind::Pointwise),
        ("exp", LayerKind::Pooling),
        ("product", LayerKind::Add),
        ("pool", LayerKind::Pooling),
        ("add", LayerKind::Add),
    ];
    let fast = "{ add: { cycles: 1 }, exp: { cycles: 1 } }";
    for lanes in [1, 5, 8, 64] {
        for width in [8, 24, 64] {
            let (unit, array) = (with_unit(lanes, width, fast), of_lanes(lanes, width));
            for (name, kind) in kinds {
                let shape = shape_of(&network, name);
                let same = LayerShape { kind, dim_order: kind.dim_order(), operations: Operations::default(), ..shape };
                for objective in [Objective::Energy, Objective::Latency] {
                    let (_, energy, cycles, _) = best(&unit, shape, &objective).unwrap();
                    let (_, expected_energy, expected_cycles, _) = best(&array, same, &objective).unwrap();
                    let what = format!("{name} on {lanes} lanes, {width} bit, {objective:?}");
                    match objective {
                        Objective::Energy => assert!(is_close(energy, expected_energy), "{what}"),
                        _ => assert_eq!(cycles, expected_cycles, "{what}"),
                    }
                }
            }
        }
    }
}

/// Lanes that need four cycles for an operation, and memories with a quarter of the bandwidth: everything takes four
/// times as long.
#[test]
fn slow_operations_give_memories_time() {
    let network = network(
        "  - { name: in, type: input, K: 8, size: 4 x 4 }
  - { name: exp, type: elementwise, from: in, operations: { exp: 1, add: 1 } }
  - { name: sum, type: reduction, from: in }
",
    );
    for name in ["exp", "sum"] {
        let shape = shape_of(&network, name);
        let precision = fusescape_engine::workload::Precision { w: 0, i: 32, o_partial: 32, o: 32 };
        let shape = LayerShape { precision, ..shape };
        let cycles = |each: u64, width: u64| {
            let core = with_unit(4, width, &format!("{{ exp: {{ cycles: {each} }}, add: {{ cycles: {each} }} }}"));
            best(&core, shape, &Objective::Latency).unwrap().2
        };
        for width in [8, 4, 2] {
            assert_eq!(cycles(4, width), 4 * cycles(1, 4 * width), "{name}, {width} bit");
        }
    }
}

#[test]
fn operations_cost_what_is_stated_or_published() {
    let network = network(
        "  - { name: in, type: input, K: 6, size: 4 x 4 }
  - { name: gelu, type: elementwise, from: in, operations: { exp: 1, add: 2, multiply: 3 } }
",
    );
    let shape = shape_of(&network, "gelu");
    let fixed = |operations: &str| best(&with_unit(4, 8, operations), shape, &Objective::Energy).unwrap().3;
    let published = 6.0 * 17.1645 + 2.0 * 8.3395 + 3.0 * 17.1645;
    assert!((fixed("{}") / (96.0 * published) - 1.0).abs() < 1e-12);
    let stated = fixed("{ exp: { energy: 5 pJ }, add: { energy: 0.5 pJ, cycles: 2 }, multiply: { energy: 2 pJ } }");
    assert!((stated / (96.0 * 12.0) - 1.0).abs() < 1e-12);
    let unit = with_unit(4, 8, "{ add: { cycles: 2 } }").vector_unit.unwrap();
    assert_eq!(unit.cycles(&shape.operations), 6 + 2 * 2 + 3);
    assert_eq!(
        shape.operations.each().collect::<Vec<_>>(),
        [(Operation::Add, 2), (Operation::Multiply, 3), (Operation::Exp, 1)]
    );
    assert_eq!(shape.macs(), 0);
}

const SOFTMAX: &str = "  - { name: in, type: input, K: 4, size: 8 x 6 }
  - { name: scores, type: pointwise, from: in, K: 24 }
  - { name: max, type: reduction, from: scores, groups: 2, operations: { max: 1 } }
  - { name: exp, type: pairwise, from: [scores, max], operations: { add: 1, exp: 1 } }
  - { name: sum, type: reduction, from: exp, groups: 2 }
  - { name: divide, type: pairwise, from: [exp, sum], operations: { divide: 1 } }
  - { name: out, type: pointwise, from: divide, K: 4 }
";

#[test]
fn softmax_has_a_statistic_for_each_group_of_channels() {
    let network = network(SOFTMAX);
    let max = shape_of(&network, "max");
    assert_eq!([max.output_channels(), max.input_channels()], [2, 24]);
    let exp = shape_of(&network, "exp");
    assert_eq!([exp.size(Dim::G), exp.size(Dim::K)], [2, 12]);
    assert_eq!([exp.channels_of_input(0), exp.channels_of_input(1)], [24, 2]);
    assert_eq!(exp.all_input_bits(), (24 + 2) * 48 * 8);
    let reads = network.ids().find(|&id| network.layer(id).name == "exp").map(|id| network.reads(id)).unwrap();
    assert_eq!(reads.iter().map(|read| read.channels.clone()).collect::<Vec<_>>(), [0..24, 0..2]);
}

#[test]
fn without_a_vector_unit_softmax_is_left_out_and_named() {
    let network = network(SOFTMAX);
    let without = network.clone().without_vector_unit();
    let left_out = without.left_out().iter().map(|(id, _)| without.layer(*id).name.as_str());
    assert_eq!(left_out.collect::<Vec<_>>(), ["max", "exp", "sum", "divide"]);
    let computing: Vec<&str> = without.computing().map(|id| without.layer(id).name.as_str()).collect();
    assert_eq!(computing, ["scores", "out"]);
    let out = without.ids().last().unwrap();
    let read: Vec<&str> = without.reads(out).iter().map(|read| without.layer(read.layer).name.as_str()).collect();
    assert_eq!(read, ["scores"]);
    assert_eq!(without.needed_whole().count(), 0);
    let note = without.left_out_note("the core").unwrap().to_string();
    let counted = "`max`, `exp`, `sum`, `divide` are not counted, which take 2304 add, 1152 max, 1152 divide, 1152 exp";
    assert!(note.contains(counted), "{note}");
    assert!(network.left_out_note("the core").is_none());
}

/// Accounts of all points of a sweep.
fn accounts(hardware: &str, layers: &str) -> Vec<PointAccount> {
    let workload = format!("name: some\nlayers:\n{layers}");
    let settings = Settings { tiles_x: vec![8, 3, 1], tiles_y: vec![6, 2], ..Settings::default() };
    let request = Request { hardware: hardware.to_owned(), workload, settings };
    let sweep = Sweep::new(&request).unwrap_or_else(|wrong| panic!("{wrong}"));
    crate::explore::accounts(&sweep, &sweep.plan())
}

fn hardware(unit: &str) -> String {
    format!(
        "name: some
array: {{ dimensions: {{ D1: 4, D2: 2 }}, mac_energy: 7 pJ }}
unroll: {{ pointwise: {{ D1: K, D2: C }} }}
memories:
  - {{ name: low, size: 64 B, operands: [I, O], width: 16 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all }}
  - {{ name: buffer, size: 1 KiB, operands: [W, I, O], width: 32 bit, read_energy: 4 pJ, write_energy: 5 pJ, shared_over: all }}
  - {{ name: dram, size: 1 GiB, operands: [W, I, O], width: 32 bit, read_energy: 90 pJ, write_energy: 91 pJ, shared_over: all }}
{unit}"
    )
}

const UNIT: &str = "vector_unit:
  lanes: 8
  memory: buffer
  registers:
    - { name: regs, size: 96 bit, operands: [I, O], width: 32 bit, read_energy: 1 pJ, write_energy: 2 pJ, shared_over: [] }
";

#[test]
fn what_is_left_out_costs_nothing_and_changes_nothing() {
    let plain = "  - { name: in, type: input, K: 4, size: 8 x 6 }
  - { name: scores, type: pointwise, from: in, K: 24 }
  - { name: out, type: pointwise, from: scores, K: 4 }
";
    let of = |account: &PointAccount| (account.energy_pj, account.latency_cycles, account.energy, account.latency);
    let without: Vec<_> = accounts(&hardware(""), SOFTMAX).iter().map(of).collect();
    assert_eq!(without, accounts(&hardware(""), plain).iter().map(of).collect::<Vec<_>>());
    assert!(without.iter().all(|(.., energy, _)| energy[EnergyCause::Vector] == 0.0));
}

#[test]
fn every_point_does_all_operations_of_a_softmax_once() {
    let accounts = accounts(&hardware(UNIT), SOFTMAX);
    let each = [0.028036, 8.3395 + 6.0 * 17.1645, 8.3395, 36.251153].iter().sum::<f64>();
    for account in &accounts {
        let off = |cause: EnergyCause, pj: f64| (account.energy[cause] / pj - 1.0).abs();
        assert!(off(EnergyCause::Vector, 24.0 * 48.0 * each) < 1e-12, "{:?}", account.energy);
        assert!(off(EnergyCause::Mac, 2.0 * 4.0 * 24.0 * 48.0 * 7.0) < 1e-12, "{:?}", account.energy);
        let names: Vec<&str> = account.memories.iter().map(|memory| memory.name.as_str()).collect();
        assert_eq!(names, ["regs", "low", "buffer", "dram"]);
        assert!(account.memories.raw[0].words.total() > 0.0);
    }
    // Fused, scores never leave the chip: 24 channels of 48 pixels, written by one layer and read by others.
    let dram = |account: &PointAccount| account.memories.raw[3].elements.total();
    let fused = accounts.iter().map(dram).fold(f64::INFINITY, f64::min);
    let io = 2.0 * 4.0 * 48.0 + 2.0 * 4.0 * 24.0;
    assert_eq!(fused, io);
}

#[test]
fn everything_wrong_with_a_vector_unit_is_told_at_once() {
    let wrong = Core::from_text(&hardware(
        "vector_unit:
  lanes: 0
  memory: bufer
  registers:
    - { name: low, size: 0 bit, operands: [I], width: 32 bit, read_energy: 1 pJ, write_energy: 2 pJ, shared_over: [D1] }
  operations: { expp: { cycles: 1 }, add: { energy: -1 pJ, cycles: 0 } }
",
    ))
    .unwrap_err()
    .to_string();
    for part in [
        "vector_unit.lanes: A vector unit of 0 lanes",
        "vector_unit.memory: There is no memory `bufer`",
        "Did you mean `buffer`?",
        "vector_unit.registers: The lanes have no registers",
        "vector_unit.registers[0].size",
        "vector_unit.registers[0].shared_over",
        "memories[0].name: Two memories are called `low`",
        "vector_unit.operations.expp: There is no operation `expp`",
        "vector_unit.operations.add.cycles: `add` takes a lane 0 cycles",
        "vector_unit.operations.add.energy",
    ] {
        assert!(wrong.contains(part), "{part} is not in:\n{wrong}");
    }
    let fed_by_registers = hardware(&UNIT.replace("memory: buffer", "memory: weights")).replace(
        "  - { name: dram,",
        "  - { name: weights, size: 64 B, operands: [W], width: 32 bit, read_energy: 4 pJ, write_energy: 5 pJ, shared_over: all }
  - { name: dram,",
    );
    let wrong = Core::from_text(&fed_by_registers).unwrap_err().to_string();
    assert!(wrong.contains("`weights` cannot feed the lanes"), "{wrong}");
}

#[test]
fn networks_say_what_is_wrong_with_their_operations() {
    let said = |layers: &str, parts: &[&str]| {
        let inputs =
            "  - { name: in, type: input, K: 4, size: 8 x 6 }\n  - { name: two, type: input, K: 3, size: 8 x 6 }\n";
        let wrong = Network::from_text(&format!("name: some\nlayers:\n{inputs}{layers}")).unwrap_err().to_string();
        for part in parts {
            assert!(wrong.contains(part), "{part} is not in:\n{wrong}");
        }
    };
    said(
        "  - { name: a, type: elementwise, from: in, operations: { epx: 1, exp: 70000 } }
  - { name: b, type: reduction, from: in, groups: 3 }
  - { name: c, type: pairwise, from: [in, two] }
",
        &[
            "There is no operation `epx`",
            "`a` does 70000 of `exp` to each element",
            "3 groups do not divide 4 channels",
            "`c` combines maps that do not meet",
        ],
    );
    said(
        "  - { name: d, type: pairwise, from: in }
  - { name: e, type: conv, K: 4, kernel: 1 x 1, from: in, operations: { add: 1 } }
",
        &["`d` (pairwise) reads 1 feature maps instead of 2", "A layer of type `conv` has no `operations`"],
    );
}
