//! The chips of Table 2, by the scheduler of June 2023; its files are of another form.

use super::read::{Case, case, cases, list, tensor_name};
use crate::Report;
use crate::common::{integer, number, reference_text, text};
use fusescape_engine::multicore::{Job, Order, SchedulingRules, schedule};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Every tile, transfer and peak, and the figures of Table 2.
pub fn late() -> Report {
    let mut report = Report::new();
    for name in cases("validation") {
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
    let mut deepest: Vec<usize> = (0..case.graph.tiles.len()).collect();
    deepest.sort_by_key(|&tile| Reverse((case.graph.tiles[tile].layer, case.graph.tiles[tile].number)));
    let mut rank = vec![0; deepest.len()];
    deepest.iter().enumerate().for_each(|(place, &tile)| rank[tile] = place);
    let order = match text(&file["candidate_selection"]).as_str() {
        "memory" => Order::Ranks(&rank),
        "latency" => Order::EarliestReady,
        other => panic!("{other}"),
    };
    let Case { graph, system, placed, prefetched, .. } = &case;
    let job = Job { graph, system, placed, order, prefetched, rules: SchedulingRules::STREAM_2023 };
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
        report.same(&(ours.span.start, ours.span.end), &(number(&theirs[5]), number(&theirs[6])), what);
    }
    for (tile, ct) in list(&file["graph_cts_in_order"]).enumerate() {
        let ours = schedule.tiles[tile].map(|span| (span.start, span.end));
        let theirs = Some((number(&ct["start"]), number(&ct["end"])));
        report.same(&ours, &theirs, || format!("{name}: tile {}.{}", ct["layer"], ct["sub"]));
    }
    for (memory, theirs) in list(&file["memories"]).enumerate() {
        let steps = &schedule.memories[memory];
        let trace: Vec<(i64, u64)> =
            list(&theirs["trace"]).map(|step| (number(&step[0]) as i64, integer(&step[1]))).collect();
        let at = steps.iter().zip(&trace).position(|(ours, theirs)| ours != theirs);
        report.same(&at, &None, || format!("{name}: {} of {}, step {at:?}", theirs["memory"], theirs["cores"]));
        report.same(&steps.len(), &trace.len(), || format!("{name}: steps of {}", theirs["name"]));
        let peak = steps.iter().map(|step| step.1).max().unwrap_or(0);
        report.same(&peak, &integer(&theirs["peak_bits"]), || format!("{name}: peak of {}", theirs["name"]));
    }
    report.close(schedule.energy.total_pj(), number(&file["energy"]), 1e-6, || format!("{name}: energy"));
    report.same(&schedule.latency_cycles, &number(&file["latency"]), || format!("{name}: latency"));
}

/// The file with the names of the others.
fn renamed(file: &Value) -> Value {
    let mut cores = file["hw_cores"].clone();
    for core in cores.as_array_mut().unwrap() {
        core["name"] = core["id"].to_string().into();
    }
    let links = list(&file["links"]).enumerate().map(|(id, link)| {
        json!({
            "id": id,
            "bandwidth_bits_per_cycle": link["bandwidth"],
            "unit_energy_cost": link["unit_energy_cost"],
            "used_by_edges": link["edges"],
        })
    });
    // Equal tensors of a layer are one.
    let mut firsts: HashMap<String, &Value> = HashMap::new();
    let first: HashMap<String, &Value> = list(&file["tensors"])
        .map(|tensor| {
            let key = format!("{}{}{}", tensor["id"][0], tensor["id"][2], tensor["ranges"]);
            (tensor["id"].to_string(), *firsts.entry(key).or_insert(&tensor["id"]))
        })
        .collect();
    let cts = list(&file["graph_cts_in_order"]).map(|ct| {
        let is_it = |row: &&Value| row["layer"] == ct["layer"] && row["core"] == ct["core"];
        let costs = list(&file["cost_table"]).find(is_it).unwrap();
        assert_eq!(number(&costs["offchip_energy_pJ"]), 0.0);
        let mut ct = ct.clone();
        ct["group"] = 0.into();
        ct["offchip_energy"] = 0.into();
        ct["too_large_operands"] = costs["too_large_operands"].clone();
        for (_, tensor) in ct["operand_tensors"].as_object_mut().unwrap() {
            *tensor = first[&tensor.to_string()].clone();
        }
        ct
    });
    json!({
        "input": { "prefetch": file["prefetch"] },
        "hardware": {
            "cores": cores,
            "links": links.collect::<Vec<_>>(),
            "routes": file["routes"],
            "offchip_core_id": file["offchip_core_id"],
        },
        "result": {
            "cts": cts.collect::<Vec<_>>(),
            "tensors": file["tensors"],
            "edges": file["edges"],
            "scheduling_order": [],
        },
    })
}
