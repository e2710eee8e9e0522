//! Allocations: the proved optimum of every instance; optima are not unique, so that those of the tool are only evaluated.

use crate::Report;
use fusescape_engine::ids::{TiVec, ti_vec};
use fusescape_engine::multicore::{CoreId, IterationTile, SlotId, TilePlacement, allocate, evaluate};
use fusescape_test_support::stream::{instance, integers, list};
use fusescape_test_support::{number, reference, reference_text, stream_cases, text};
use serde_json::Value;

/// Instances made for this test, with any number of cores for a tile and with one.
pub fn units() -> Report {
    let mut report = Report::new();
    for name in stream_cases("waco_units") {
        for case in list(&reference(&format!("stream/waco_units/{name}.json"))) {
            report.cases += 1;
            check(&mut report, case, false);
            if let Some(optimum) = case["optimum_with_p_fixed_to_1"].as_f64() {
                let mut instance = instance(&case["instance"]);
                instance.cycles.iter_mut().flatten().for_each(|shared| shared.truncate(1));
                let found = allocate(&instance, &mut |_| true);
                let what = || format!("{}, a core each", case["instance"]["name"]);
                report.same(&found.best.map(|best| best.cycles), &Some(optimum), what);
            }
        }
    }
    report
}

/// The instances of whole networks.
pub fn networks() -> Report {
    let mut report = Report::new();
    for name in stream_cases("waco_e2e") {
        let file: Value = serde_json::from_str(&reference_text(&format!("stream/waco_e2e/{name}.json"))).unwrap();
        for case in list(&file["waco_instances"]) {
            report.cases += 1;
            let is_alone = file["input"]["p_fixed_to_1"] == true;
            check(&mut report, case, is_alone);
        }
    }
    report
}

/// Checks an instance; `is_alone` if no tile is shared by cores.
fn check(report: &mut Report, case: &Value, is_alone: bool) {
    let name = text(&case["instance"]["name"]);
    let mut instance = instance(&case["instance"]);
    if is_alone {
        instance.cycles.iter_mut().flatten().for_each(|shared| shared.truncate(1));
    }
    let found = allocate(&instance, &mut |_| true);
    report.same(&found.is_proved(), &true, || format!("{name}: proof"));
    let Some(best) = &found.best else { return report.failures.push(format!("{name}: nothing")) };
    report.close(best.cycles, number(&case["optimum"]), 1e-12, || format!("{name}: optimum"));
    report.same(&evaluate(&instance, &best.tiles).as_ref(), &Some(best), || format!("{name}: ours"));
    let theirs = case.get("optimal_allocation").or_else(|| case.get("one_optimal_allocation"));
    if let Some(theirs) = theirs {
        let nodes = integers(&case["instance"]["nodes"]);
        let cores = integers(&case["instance"]["cores"]);
        let mut tiles: TiVec<IterationTile, TilePlacement> = ti_vec![(SlotId::default(), Vec::new()); nodes.len()];
        for row in list(theirs).map(integers) {
            let tile = IterationTile::from(nodes.iter().position(|node| *node == row[2]).unwrap());
            tiles[tile].0 = SlotId::from(row[0]);
            tiles[tile].1.push(CoreId::from(cores.iter().position(|core| *core == row[1]).unwrap()));
        }
        let evaluated = evaluate(&instance, &tiles);
        report.same(&evaluated.as_ref().map(|theirs| theirs.cycles), &case["optimum"].as_f64(), || {
            format!("{name}: theirs")
        });
        if let Some(lat) = case["evaluation"]["lat"].as_f64() {
            report
                .same(&evaluated.map(|theirs| theirs.iteration_cycles), &Some(lat), || format!("{name}: an iteration"));
        }
    }
}
