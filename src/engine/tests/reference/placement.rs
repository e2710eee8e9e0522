//! Points whose data fit where DeFiNES's rule places them, and points whose data do not (PLACEMENT): the former cost
//! the same as by that rule, the latter do not.

use crate::Report;
use crate::tiling::mode;
use fusescape_engine::depth_first::FuseDepth;
use fusescape_engine::explore::{Request, Settings, Sweep, solve_all};
use fusescape_engine::rules::Rules;
use fusescape_spec::{find_preset, hardware_presets, workload_presets};
use fusescape_test_support::sample::{each_of, sample_or_all};
use fusescape_test_support::{integer, number, reference, text};
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
    let preset = |presets, id: &str| find_preset(presets, id).unwrap().text.to_owned();
    let (hardware, workload) = (preset(hardware_presets(), hardware), preset(workload_presets(), workload));
    let sweep = Sweep::new(&Request { hardware, workload, settings }).unwrap();
    let plan = sweep.plan();
    let solutions = solve_all(&sweep, &plan, |_| {});
    let point = plan.points[0].as_ref().ok()?;
    let account = sweep.assembler(&plan).assemble(point, &|problem| solutions[problem].as_ref())?;
    Some(account.energy_pj * 1e-9)
}
