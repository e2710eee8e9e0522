//! The chips of Table 2, by the scheduler of June 2023; its files have another format.

use crate::Report;
use fusescape_engine::ids::{TiVec, ti_vec};
use fusescape_engine::multicore::{SchedulingProblem, SchedulingRules, TileId, TilePriority, TopMemoryId, schedule};
use fusescape_test_support::stream::{Case, case, list, renamed, tensor_name};
use fusescape_test_support::{integer, number, reference_text, stream_cases, text};
use serde_json::{Value, json};
use std::cmp::Reverse;

/// Every tile, transfer and peak, and the figures of Table 2.
pub fn late() -> Report {
    let mut report = Report::new();
    for name in stream_cases("validation") {
        // The array of DRAM, which computes nothing, has an energy that is no JSON.
        let written = reference_text(&format!("stream/validation/{name}.json")).replace(":Infinity", ":0");
        let file: Value = serde_json::from_str(&written).unwrap();
        if file.get("graph_cts_in_order").is_some() {
            check(&mut report, &name, &file);
        }
    }
    report
}

fn check(report: &mut Report, name: &str, file: &Value) {
    report.cases += 1;
    let case: Case = case(&renamed(file));
    let mut deepest: Vec<TileId> = case.graph.tiles.keys().collect();
    deepest.sort_by_key(|&tile| Reverse((case.graph.tiles[tile].layer, case.graph.tiles[tile].number)));
    let mut rank: TiVec<TileId, usize> = ti_vec![0; deepest.len()];
    deepest.iter().enumerate().for_each(|(place, &tile)| rank[tile] = place);
    let order = match text(&file["candidate_selection"]).as_str() {
        "memory" => TilePriority::Ranks(&rank),
        "latency" => TilePriority::EarliestReady,
        other => panic!("{other}"),
    };
    let Case { graph, system, placed, prefetched, .. } = &case;
    let job = SchedulingProblem { graph, system, placed, order, prefetched, rules: SchedulingRules::STREAM_2023 };
    let schedule = match schedule(job) {
        Ok(schedule) => schedule,
        Err(overfull) => return report.failures.push(format!("{name}: {overfull:?}")),
    };
    report.same(&schedule.transfers.len(), &list(&file["transfers"]).count(), || format!("{name}: transfers"));
    for (index, (ours, theirs)) in schedule.transfers.iter().zip(list(&file["transfers"])).enumerate() {
        let what = || format!("{name}: transfer {index}");
        let tensor = tensor_name(&json!([theirs[0][0], theirs[0][1], theirs[1]]));
        report.same(&case.tensor_names[ours.tensor], &tensor, what);
        let cores = [ours.from, ours.to].map(|core| case.core_ids[core]);
        report.same(&cores, &[integer(&theirs[3]), integer(&theirs[4])], what);
        report.same(&(ours.span.start.0, ours.span.end.0), &(number(&theirs[5]), number(&theirs[6])), what);
    }
    for (tile, ct) in list(&file["graph_cts_in_order"]).enumerate() {
        let ours = schedule.tiles[TileId::from(tile)].map(|span| (span.start.0, span.end.0));
        let theirs = Some((number(&ct["start"]), number(&ct["end"])));
        report.same(&ours, &theirs, || format!("{name}: tile {}.{}", ct["layer"], ct["sub"]));
    }
    for (memory, theirs) in list(&file["memories"]).enumerate() {
        let steps = &schedule.memories[TopMemoryId::from(memory)];
        let trace: Vec<(i64, u64)> =
            list(&theirs["trace"]).map(|step| (number(&step[0]) as i64, integer(&step[1]))).collect();
        let at = steps.iter().zip(&trace).position(|(ours, theirs)| ours != theirs);
        report.same(&at, &None, || format!("{name}: {} of {}, step {at:?}", theirs["memory"], theirs["cores"]));
        report.same(&steps.len(), &trace.len(), || format!("{name}: steps of {}", theirs["name"]));
        let peak = steps.iter().map(|step| step.1).max().unwrap_or(0);
        report.same(&peak, &integer(&theirs["peak_bits"]), || format!("{name}: peak of {}", theirs["name"]));
    }
    report.close(schedule.energy.total_pj(), number(&file["energy"]), 1e-6, || format!("{name}: energy"));
    report.same(&schedule.latency.0, &number(&file["latency"]), || format!("{name}: latency"));
}
