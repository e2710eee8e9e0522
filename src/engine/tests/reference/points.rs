//! Whole points end to end: the tool's energy, and at most its latency, as the best of tied orders is taken here.

use crate::Report;
use crate::tiling::mode;
use fusescape_engine::cost::{AccessCause, EnergyCause, LatencyCause};
use fusescape_engine::depth_first::{Assembler, DepthFirstStrategy, FuseDepth, Planner, PointAccount};
use fusescape_engine::mapping::LayerOnCore;
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Objective, Solution, Strategy, find_best};
use fusescape_test_support::{core, hardware_spec, integer, network, number, reference, text};
use serde_json::Value;

const ENERGY: f64 = 1e-6;

pub fn check() -> Report {
    let mut report = Report::new();
    let (hardware, workloads) = (reference("define/hardware.json"), reference("define/workloads.json"));
    for case in reference("define/points.json")["cases"].as_array().unwrap() {
        report.cases += 1;
        let account = account(&hardware, &workloads, case);
        compare(&account, case, &mut report);
    }
    report
}

fn account(hardware: &Value, workloads: &Value, case: &Value) -> PointAccount {
    let accelerator = &hardware[text(&case["accelerator"])];
    assert_eq!(hardware_spec(accelerator).dataflow, text(&case["mapping_folder"]));
    let core = core(accelerator);
    let network = network(&workloads[text(&case["workload"])]);
    let limits = Limits { lpf_limit: integer(&case["lpf_limit"]) as usize, ..Limits::default() };
    let repaired = case["cut_at_layer_id_0_defect_repaired"].as_bool().unwrap();
    let rules = Rules { cut_after_first_layer_ignored: !repaired, ..Rules::DEFINES_2022 };
    let fuse = match case["stack_cuts"].as_str() {
        Some("automatic") => FuseDepth::Automatic,
        _ => {
            let cuts = case["stack_cuts_after_layers"].as_array().unwrap();
            FuseDepth::Cuts(cuts.iter().map(Value::to_string).filter(|id| !id.starts_with('-')).collect())
        }
    };
    let tile = (integer(&case["tile_x"]), integer(&case["tile_y"]));
    let mut planner = Planner::new(&core, &network, rules, limits, Strategy::Loma);
    let plan = planner
        .plan(&DepthFirstStrategy { tile, mode: mode(&case["storing"]), fuse })
        .unwrap_or_else(|wrong| panic!("{wrong}"));
    let solutions: Vec<Solution> = planner
        .memory
        .problems
        .list
        .iter()
        .map(|problem| {
            let layer = LayerOnCore::new(&core, rules, problem);
            find_best(&layer, &Objective::Energy, &limits, Strategy::Loma).best.unwrap()
        })
        .collect();
    Assembler::new(&core, &network, rules, &planner.memory.problems)
        .assemble(&plan, &|problem| solutions.get(problem.index()))
        .unwrap()
}

fn compare(account: &PointAccount, case: &Value, report: &mut Report) {
    let id = text(&case["id"]);
    report.close(account.energy_pj, number(&case["energy_total_pJ"]), ENERGY, || format!("{id}: energy"));
    report.same(&account.macs, &integer(&case["MACs"]), || format!("{id}: MACs"));
    let split = &case["energy_split_pJ"];
    for (field, cause) in [
        ("layer_activation", EnergyCause::Access(AccessCause::Activation)),
        ("layer_weight", EnergyCause::Access(AccessCause::Weight)),
        ("MAC", EnergyCause::Mac),
        ("data_copy", EnergyCause::Access(AccessCause::Copy)),
    ] {
        report.close(account.energy[cause], number(&split[field]), ENERGY, || format!("{id}: {field} energy"));
    }
    report.same(&(account.latency.ideal_cycles as u64), &integer(&case["ideal_cycles"]), || {
        format!("{id}: ideal cycles")
    });
    report.same(&account.latency[LatencyCause::Computing], &integer(&case["temporal_cycles"]), || {
        format!("{id}: temporal cycles")
    });
    report.same(&account.latency[LatencyCause::Copy], &integer(&case["latency_total1_split"]["data_copy"]), || {
        format!("{id}: copy cycles")
    });
    let theirs = integer(&case["latency_total1_cycles"]);
    let ours = account.latency_cycles;
    report.same(&(ours <= theirs), &true, || format!("{id}: latency {ours} instead of {theirs} or less"));
    if ours < theirs {
        report.remarks.push(format!(
            "{id}: latency {ours} instead of {theirs}, with equal energy, computing and copy cycles: a faster order of those tied"
        ));
    }
}
