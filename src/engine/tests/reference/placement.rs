//! Points whose data fit where DeFiNES's rule places them, and points whose data do not (PLACEMENT): the former cost
//! the same as by that rule, the latter do not. And the least energy and latency of points over all placements.

use crate::Report;
use crate::tiling::mode;
use fusescape_engine::depth_first::{FuseDepth, StoringMode};
use fusescape_engine::explore::{CostStore, IncrementalSweep, Request, Settings, Sweep, solve_all};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::Objective;
use fusescape_spec::{find_preset, hardware_presets, workload_presets};
use fusescape_test_support::sample::{all_cases, each_of, sample_or_all};
use fusescape_test_support::{integer, number, reference, reference_text, text};
use serde_json::Value;
use std::collections::BTreeMap;

/// The corrections of the study of placements: D1, D2, D3 and D6.
const MENDED: Rules = Rules {
    input_caches_written_free: true,
    only_first_tile_fetches_weights: true,
    corners_read_from_columns: true,
    far_columns_left_behind: true,
    lower_stack_inputs_read_in_place: true,
    caches_replaced_at_once: true,
    ..Rules::CORRECTED
};

pub fn check() -> Report {
    let mut report = Report::new();
    let cases = reference("placement/rule.json");
    let mut by_pair: BTreeMap<(String, String), Vec<&Value>> = BTreeMap::new();
    for case in cases["cases"].as_array().unwrap() {
        by_pair.entry((text(&case["hardware"]), text(&case["workload"]))).or_default().push(case);
    }
    let (mut moved, mut stayed, mut dearer) = (0, 0, 0);
    for ((hardware, workload), cases) in by_pair {
        for case in each_of(cases, 12) {
            let rule = number(&case["rule_mj"]);
            // Given with six decimals.
            let tolerance = 1e-6 / rule + 1e-9;
            let found = least_mj(&hardware, &workload, case, MENDED).unwrap_or(f64::INFINITY);
            let is_equal = (found - rule).abs() <= tolerance * rule;
            report.cases += 1;
            match case["is_legal"].as_bool().unwrap() {
                true if is_equal || found < rule => report.close(found, rule, tolerance, || format!("{case}")),
                true => {
                    dearer += 1;

                    let alone = Rules { mappings_have_whole_memories: true, ..MENDED };
                    let found = least_mj(&hardware, &workload, case, alone).unwrap_or(f64::INFINITY);
                    report.close(found, rule, tolerance, || format!("{case}"));
                }
                false if is_equal => stayed += 1,
                false => moved += 1,
            }
        }
    }
    assert_eq!(dearer, sample_or_all(3, 22), "of those that fit, so many are dearer");
    report.remarks.push(format!("of those that did not fit {moved} cost something else, {stayed} the same"));
    report.remarks.push(format!(
        "{dearer} that fit are dearer than in the study, which counts outputs by the bits in which they leave (D7), and inputs of a \
         stack that lie below their first reader (D9) nowhere: mappings beside them have less room"
    ));
    report
}

/// Least energies of the study of placements.
pub fn least_energy() -> Report {
    best_placements("placement/minimum-energy.csv", &Objective::Energy, 61)
}

/// Least latencies of the study of placements.
pub fn least_latency() -> Report {
    best_placements("placement/minimum-latency.csv", &Objective::Latency, 3)
}

/// Points with the best of all placements: no worse than the study, and better where an unrolling is narrowed, or weights
/// lie higher, which the study leaves out.
fn best_placements(file: &str, objective: &Objective, step: usize) -> Report {
    let mut report = Report::new();
    let text = reference_text(file);
    let mut cases: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    if *objective == Objective::Latency && !all_cases() {
        // A search by latency takes up to a second: many of them are left to the oracle.
        cases.retain(|case| case[1] == "three-convs");
    }
    let (mut equal, mut better, mut dearer) = (0, 0, 0);
    for case in each_of(cases, step) {
        let [hardware, workload, tile, tiles_mode, _, _, _, _, least_mj, least_cycles, rule_is, ..] = case[..] else {
            panic!("{case:?}")
        };
        let (columns, rows) = tile.split_once('x').unwrap();
        let settings = Settings {
            tiles_x: vec![columns.parse().unwrap()],
            tiles_y: vec![rows.parse().unwrap()],
            modes: vec![StoringMode::from_name(tiles_mode).unwrap()],
            fuse: vec![FuseDepth::Automatic],
            rules: MENDED,
            objective: objective.clone(),
            ..Settings::default()
        };
        let mut points = IncrementalSweep::new(sweep(hardware, workload, settings).choosing_placement());
        let point = points.point(&mut CostStore::default(), 0, &mut || true);
        let point = point.unwrap_or_else(|wrong| panic!("{case:?}: {wrong:?}"));
        // Energies are given with six decimals.
        let (found, least, tolerance) = match objective {
            Objective::Latency => (point.latency_cycles as f64, least_cycles.parse::<f64>().unwrap(), 0.0),
            _ => (point.energy_pj * 1e-9, least_mj.parse::<f64>().unwrap(), 1e-6),
        };
        report.cases += 1;
        if found <= least + tolerance {
            let is_equal = found >= least - tolerance;
            (equal, better) = (equal + usize::from(is_equal), better + usize::from(!is_equal));
            // The most that a narrower unrolling, or weights in a higher memory, have been seen to save.
            report.same(&(found >= 0.93 * least), &true, || format!("{case:?} costs only {found}"));
        } else {
            // The study counts outputs by the bits in which they leave (D7).
            dearer += 1;
            report.same(&rule_is.starts_with("overflows"), &true, || format!("{case:?} costs {found}"));
            report.close(found, least, 2e-3, || format!("{case:?}"));
        }
    }
    report.remarks.push(format!("{equal} equal, {better} better than the study, {dearer} dearer"));
    report
}

fn sweep(hardware: &str, workload: &str, settings: Settings) -> Sweep {
    let preset = |presets, id: &str| find_preset(presets, id).unwrap().text.to_owned();
    let (hardware, workload) = (preset(hardware_presets(), hardware), preset(workload_presets(), workload));
    Sweep::new(&Request { hardware, workload, settings }).unwrap()
}

/// Energy of a point, if it can be scheduled.
fn least_mj(hardware: &str, workload: &str, case: &Value, rules: Rules) -> Option<f64> {
    let tile = |axis: usize| vec![integer(&case["tile"][axis])];
    let settings = Settings {
        tiles_x: tile(0),
        tiles_y: tile(1),
        modes: vec![mode(&case["mode"])],
        fuse: vec![FuseDepth::Automatic],
        rules,
        ..Settings::default()
    };
    let sweep = sweep(hardware, workload, settings);
    let plan = sweep.plan();
    let solutions = solve_all(&sweep, &plan, |_| {});
    let point = plan.points[0].as_ref().ok()?;
    let account = sweep.assembler(&plan).assemble(point, &|problem| solutions[problem].as_ref())?;
    Some(account.energy_pj * 1e-9)
}
