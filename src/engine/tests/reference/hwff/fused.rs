//! HW-Flow-Fusion: shares of the hardware, fused schedules, and which layers run together.

use super::{PARAMETERS, accelerator, cases, compare, mapping_numbers, published, sequence};
use crate::Report;
use fusescape_engine::interlayer::{
    Accelerator, ChainCost, ChainLayer, FusedSchedule, FusionMode, PeArray, RegisterFile, ScheduleStep,
    SingleLayerSchedule, bottom_weight_refetches, legal_sequences, partitions, schedule_chain, sub_arrays, tile_count,
};
use fusescape_test_support::{integer, text};
use serde_json::{Value, json};
use std::ops::Range;

fn mode(value: &Value) -> FusionMode {
    if value == "spatial" { FusionMode::Spatial } else { FusionMode::Temporal }
}

fn sides(array: &PeArray) -> Value {
    json!([array.columns, array.rows])
}

fn sections(registers: RegisterFile) -> Value {
    json!([registers.weights, registers.inputs, registers.sums])
}

/// Section 4.3: parts of the array, and of the register files.
pub fn partition() -> Report {
    let mut report = Report::new();
    for case in cases("partition") {
        report.cases += 1;
        let (expected, what) = (&case["expected"], text(&case["id"]));
        let array = accelerator(&case).array;
        let layers = sequence(&published(&case["input"]["network"]), &case["input"]["layers"]);
        let parts = |layer: &ChainLayer| -> Value { sub_arrays(layer, array).iter().map(sides).collect() };
        let parts: Value = layers.iter().map(parts).collect();
        report.same(&parts, &expected["subarrays_per_layer"], || format!("{what}: parts"));
        let pairs = partitions(&layers, array);
        report.same(&json!(pairs.len()), &expected["n_legal_pairs"], || format!("{what}: number of pairs"));
        let pairs: Value = pairs.iter().map(|pair| pair.iter().map(sides).collect::<Value>()).collect();
        report.same(&pairs, &expected["legal_pairs"], || format!("{what}: pairs"));
    }
    for case in cases("rf_split") {
        report.cases += 1;
        let registers = accelerator(&case).registers.split(integer(&case["input"]["N"]));
        report.same(&sections(registers), &case["expected"]["rf"], || text(&case["id"]));
    }
    report
}

/// Section 4.4: the sequences that the walk finds.
pub fn walk() -> Report {
    let mut report = Report::new();
    for case in cases("walk") {
        report.cases += 1;
        let chain = published(&case["input"]["network"]);
        let most = integer(&case["input"]["max_layers"]) as usize;
        let names =
            |sequence: Range<usize>| -> Value { chain.layers()[sequence].iter().map(|layer| &*layer.name).collect() };
        let sequences: Value =
            legal_sequences(&chain, accelerator(&case).buffer, most).into_iter().map(names).collect();
        report.same(&sequences, &case["expected"], || text(&case["id"]));
        if case["paper"].is_array() {
            report.same(&sequences, &case["paper"], || format!("{}: the pairs of Table 7", text(&case["id"])));
        }
    }
    report
}

/// The fused pairs of Table 7.
pub fn fused() -> Report {
    let mut report = Report::new();
    for case in cases("fused_hw1") {
        report.cases += 1;
        let (input, expected, what) = (&case["input"], &case["expected"], text(&case["id"]));
        let accelerator = accelerator(&case);
        let layers = sequence(&published(&input["network"]), &input["layers"]);
        let schedule = FusedSchedule::best(&layers, mode(&input["mode"]), &accelerator, &PARAMETERS).unwrap();
        let (tile, cost, bottom) = (&schedule.tile, &schedule.cost, layers.last().unwrap());
        let energy = cost.energy(&accelerator, &PARAMETERS.report);
        let ours = json!({
            "Tox": tile.columns, "Toy": tile.rows, "Tof": tile.output_maps, "n_tiles": tile_count(bottom, tile),
            "buffer": schedule.buffers.total(),
            "V_in": cost.volume.inputs, "V_w": cost.volume.weights, "V_out": cost.volume.outputs,
            "V_w_refetch": cost.volume.weights + bottom_weight_refetches(bottom, tile),
            "V": cost.volume.total(), "compute_cycles": cost.compute_cycles, "buf_array_bytes": cost.array.total(),
            "energy_pJ": energy.picojoules(), "bursts": cost.bursts(&PARAMETERS),
            "latency_search": cost.latency_in_sequence(&PARAMETERS),
            "latency_port": cost.latency_overlapped(&PARAMETERS),
            "ops": cost.operations, "macs": cost.macs, "ctc": cost.ctc(&PARAMETERS),
        });
        compare(&mut report, &ours, expected, &what);
        let arrays: Value = schedule.arrays.iter().map(sides).collect();
        report.same(&arrays, &expected["arrays"], || format!("{what}: arrays"));
        report.same(&sections(schedule.registers), &expected["rf"], || format!("{what}: registers"));
        for (ours, theirs) in schedule.mappings.iter().zip(expected["maps"].as_array().unwrap()) {
            compare(&mut report, &mapping_numbers(ours), theirs, &format!("{what}: mapping"));
        }
        let apart: u128 = singles(&layers, &accelerator)
            .iter()
            .map(|cost| cost.energy(&accelerator, &PARAMETERS.report).total())
            .sum();
        let improves = json!(energy.total() < apart);
        report.same(&improves, &expected["improves_energy_over_single"], || format!("{what}: improves"));
    }
    report
}

fn singles(layers: &[ChainLayer], accelerator: &Accelerator) -> Vec<ChainCost> {
    layers.iter().map(|layer| SingleLayerSchedule::best(layer, accelerator, &PARAMETERS).unwrap().cost).collect()
}

/// The costs of layers one after another: energy and latencies of each, added up.
#[derive(Default)]
struct Totals {
    energy: u128,
    in_sequence: u64,
    overlapped: u64,
    compute: u64,
    volume: u64,
}

impl Totals {
    fn of<'a>(costs: impl IntoIterator<Item = &'a ChainCost>, accelerator: &Accelerator) -> Self {
        let mut totals = Self::default();
        for cost in costs {
            totals.energy += cost.energy(accelerator, &PARAMETERS.report).total();
            totals.in_sequence += cost.latency_in_sequence(&PARAMETERS);
            totals.overlapped += cost.latency_overlapped(&PARAMETERS);
            totals.compute += cost.compute_cycles;
            totals.volume += cost.volume.total();
        }
        totals
    }

    fn picojoules(&self) -> f64 {
        self.energy as f64 / 100.0
    }

    fn numbers(&self) -> Value {
        json!({
            "energy_pJ": self.picojoules(), "latency_search": self.in_sequence, "latency_port": self.overlapped,
            "compute_cycles": self.compute, "volume": self.volume,
        })
    }
}

/// Table 5: the pairs of Table 7 added up, one by one and fused in both ways.
pub fn table_5() -> Report {
    let mut report = Report::new();
    for case in cases("table5") {
        report.cases += 1;
        let (what, accelerator) = (text(&case["id"]), accelerator(&case));
        let chain = published(&case["input"]["network"]);
        let pairs = legal_sequences(&chain, accelerator.buffer, 2);
        let fused = |mode| -> Vec<ChainCost> {
            let best = |pair: &Range<usize>| {
                FusedSchedule::best(&chain.layers()[pair.clone()], mode, &accelerator, &PARAMETERS).unwrap().cost
            };
            pairs.iter().map(best).collect()
        };
        let single: Vec<ChainCost> =
            pairs.iter().flat_map(|pair| singles(&chain.layers()[pair.clone()], &accelerator)).collect();
        let totals = [single, fused(FusionMode::Temporal), fused(FusionMode::Spatial)]
            .map(|costs| Totals::of(&costs, &accelerator));
        let expected = &case["expected"];
        let numbers = |totals: &Totals| {
            json!({
                "energy": totals.picojoules(), "latency_search": totals.in_sequence, "latency_port": totals.overlapped,
                "volume": totals.volume,
            })
        };
        for (totals, name) in totals.iter().zip(["single", "temporal", "spatial"]) {
            compare(&mut report, &numbers(totals), &expected["totals"][name], &format!("{what} {name}"));
        }
        let [single, temporal, spatial] = &totals;
        for (of, to, name) in
            [(temporal, single, "temporal"), (spatial, single, "spatial"), (spatial, temporal, "spatial_over_temporal")]
        {
            let ratio = |of: u64, to: u64| of as f64 / to as f64;
            let ratios = json!({
                "energy": of.picojoules() / to.picojoules(), "volume": ratio(of.volume, to.volume),
                "latency_search": ratio(of.in_sequence, to.in_sequence),
                "latency_port": ratio(of.overlapped, to.overlapped),
            });
            compare(&mut report, &ratios, &expected["ratios"][name], &format!("{what} {name}"));
        }
    }
    report
}

/// Figs. 16 to 19: whole networks in sequences of up to four layers.
pub fn scaling() -> Report {
    let mut report = Report::new();
    for case in cases("scaling") {
        report.cases += 1;
        let (input, expected, what) = (&case["input"], &case["expected"], text(&case["id"]));
        let (accelerator, chain) = (accelerator(&case), published(&input["network"]));
        let most = integer(&input["max_layers"]) as usize;
        let ends = |range: &Range<usize>| json!([chain.layers()[range.start].name, chain.layers()[range.end - 1].name]);
        let sequences: Value = legal_sequences(&chain, accelerator.buffer, most).iter().map(ends).collect();
        report.same(&sequences, &expected["walk"], || format!("{what}: walk"));
        let steps = schedule_chain(&chain, mode(&input["mode"]), most, &accelerator, &PARAMETERS).unwrap();
        let range = |step: &ScheduleStep| match step {
            ScheduleStep::Single(layer, _) => *layer..layer + 1,
            ScheduleStep::Fused(layers, _) => layers.clone(),
        };
        let selected: Value = steps.iter().map(|step| ends(&range(step))).collect();
        report.same(&selected, &expected["selected"], || format!("{what}: selected"));
        let fused: Vec<(Range<usize>, &FusedSchedule)> = steps
            .iter()
            .filter_map(|step| match step {
                ScheduleStep::Single(..) => None,
                ScheduleStep::Fused(layers, schedule) => Some((layers.clone(), schedule)),
            })
            .collect();
        let tiles: Value = fused
            .iter()
            .map(|(_, schedule)| json!([schedule.tile.columns, schedule.tile.rows, schedule.tile.output_maps]))
            .collect();
        report.same(&tiles, &expected["fused_tiles"], || format!("{what}: tiles"));
        let arrays: Value =
            fused.iter().map(|(_, schedule)| schedule.arrays.iter().map(sides).collect::<Value>()).collect();
        report.same(&arrays, &expected["fused_arrays"], || format!("{what}: arrays"));
        let total = Totals::of(steps.iter().map(ScheduleStep::cost), &accelerator);
        compare(&mut report, &total.numbers(), &expected["total"], &format!("{what}: total"));
        let part = Totals::of(fused.iter().map(|(_, schedule)| &schedule.cost), &accelerator);
        compare(&mut report, &part.numbers(), &expected["fused_part"], &format!("{what}: fused"));
        let apart = |(layers, _): &(Range<usize>, _)| singles(&chain.layers()[layers.clone()], &accelerator);
        let apart: Vec<ChainCost> = fused.iter().flat_map(apart).collect();
        let apart = Totals::of(&apart, &accelerator).numbers();
        compare(&mut report, &apart, &expected["same_layers_single"], &format!("{what}: the same one by one"));
    }
    report
}
