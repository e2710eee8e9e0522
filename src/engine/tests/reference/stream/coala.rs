//! Schedules: every start and end, every transfer, every trace, and the energies.

use crate::Report;
use fusescape_engine::multicore::{
    Carrier, SchedulingProblem, SchedulingRules, SystemEnergyCause, TileId, TilePriority, TopMemory, TransferReason,
    schedule,
};
use fusescape_test_support::stream::{case, integers, list, tensor_name};
use fusescape_test_support::{integer, number, reference_text, stream_cases, text};
use serde_json::Value;

/// The scheduler of December 2024, which places transfers as early as possible.
pub fn eager() -> Report {
    let mut report = Report::new();
    for directory in ["coala", "waco_e2e", "validation"] {
        for name in stream_cases(directory) {
            // Some chips of Table 2 are of the scheduler before.
            let written = reference_text(&format!("stream/{directory}/{name}.json"));
            if !written.contains("\"graph_cts_in_order\"") {
                check(&mut report, &name, &serde_json::from_str(&written).unwrap());
            }
        }
    }
    report
}

fn check(report: &mut Report, name: &str, file: &Value) {
    report.cases += 1;
    let case = case(file);
    let result = &file["result"];
    let job = SchedulingProblem {
        graph: &case.graph,
        system: &case.system,
        placed: &case.placed,
        order: TilePriority::Ranks(&case.rank),
        prefetched: &case.prefetched,
        rules: SchedulingRules::STREAM_2024,
    };
    let schedule = match schedule(job) {
        Ok(schedule) => schedule,
        Err(overfull) => return report.failures.push(format!("{name}: {overfull:?}")),
    };
    let theirs = list(&result["transfers"]).count();
    report.same(&schedule.transfers.len(), &theirs, || format!("{name}: transfers"));
    for (index, (ours, theirs)) in schedule.transfers.iter().zip(list(&result["transfers"])).enumerate() {
        let what = || format!("{name}: transfer {index}");
        report.same(&case.tensor_names[ours.tensor], &tensor_name(&theirs["tensor"]), what);
        let cores = [ours.from, ours.to].map(|core| case.core_ids[core]);
        report.same(&cores, &[integer(&theirs["src"]), integer(&theirs["dst"])], what);
        report.same(&(ours.span.start.0, ours.span.end.0), &(number(&theirs["start"]), number(&theirs["end"])), what);
        let links = case.system.route(ours.from, ours.to);
        let ids: Vec<String> = links.iter().map(|&link| case.system.links[link].name.clone()).collect();
        let theirs_ids: Vec<String> = integers(&theirs["links"]).iter().map(ToString::to_string).collect();
        report.same(&ids, &theirs_ids, what);
        report.close(ours.link_pj, number(&theirs["link_energy"]), 1e-6, what);
        report.close(ours.memory_pj, number(&theirs["memory_energy"]), 1e-6, what);
    }
    for (tile, ct) in list(&result["cts"]).enumerate() {
        let ours = schedule.tiles[TileId::from(tile)].map(|span| (span.start.0, span.end.0));
        let theirs = Some((number(&ct["start"]), number(&ct["end"])));
        report.same(&ours, &theirs, || format!("{name}: tile {}.{}", ct["layer"], ct["sub"]));
    }
    let streams: Vec<(f64, f64)> =
        schedule.streams.iter().map(|stream| (stream.span.start.0, stream.span.end.0 - stream.span.start.0)).collect();
    let blocks: Vec<(f64, f64)> =
        list(&result["blocks"]).map(|block| (number(&block["start"]), number(&block["duration"]))).collect();
    report.same(&streams, &blocks, || format!("{name}: streams"));
    for theirs in list(&result["memories"]) {
        let core = integers(&theirs["cores"]).first().copied();
        let what = || format!("{name}: {} of core {core:?}", theirs["memory"]);
        let is_it = |facts: &TopMemory| {
            facts.name == text(&theirs["memory"])
                && core.is_none_or(|core| facts.cores.iter().any(|&of| case.core_ids[of] == core as u64))
        };
        let Some(memory) = case.system.memories.position(is_it) else {
            report.failures.push(what());
            continue;
        };
        let steps = &schedule.memories[memory];
        let peak = steps.iter().map(|step| step.1).max().unwrap_or(0);
        report.same(&peak, &integer(&theirs["peak_bits"]), what);
        let mut trace: Vec<(i64, u64)> =
            list(&theirs["trace"]).map(|step| (step[0].as_i64().unwrap(), integer(&step[1]))).collect();
        // Theirs has two steps at one cycle where one of them came at a fraction of it.
        trace.reverse();
        trace.dedup_by_key(|step| step.0);
        trace.reverse();
        if *steps != trace {
            let at = steps.iter().zip(&trace).position(|(ours, theirs)| ours != theirs);
            let at = at.unwrap_or(steps.len().min(trace.len()));
            report.failures.push(format!("{}: step {at}: {:?} instead of {:?}", what(), steps.get(at), trace.get(at)));
        }
    }
    let energy = &schedule.energy;
    let theirs = &result["energy_breakdown"];
    for cause in SystemEnergyCause::ALL {
        let key = match cause {
            SystemEnergyCause::OnChip => "cn_onchip_energy",
            SystemEnergyCause::Moved(Carrier::Links, TransferReason::Fetch) => "cn_offchip_link_energy",
            SystemEnergyCause::Moved(Carrier::Memories, TransferReason::Fetch) => "cn_offchip_memory_energy",
            SystemEnergyCause::Moved(Carrier::Links, TransferReason::Eviction) => "eviction_to_offchip_link_energy",
            SystemEnergyCause::Moved(Carrier::Memories, TransferReason::Eviction) => {
                "eviction_to_offchip_memory_energy"
            }
            SystemEnergyCause::Moved(Carrier::Links, TransferReason::Result) => "sink_layer_output_offchip_link_energy",
            SystemEnergyCause::Moved(Carrier::Memories, TransferReason::Result) => {
                "sink_layer_output_offchip_memory_energy"
            }
            SystemEnergyCause::Moved(Carrier::Links, TransferReason::Exchange) => "core_to_core_link_energy",
            SystemEnergyCause::Moved(Carrier::Memories, TransferReason::Exchange) => "core_to_core_memory_energy",
        };
        report.close(energy[cause], number(&theirs[key]), 1e-6, || format!("{name}: {key}"));
    }
    report.close(energy.total_pj(), number(&result["energy"]), 1e-6, || format!("{name}: energy"));
    report.same(&schedule.latency.0, &number(&result["latency"]), || format!("{name}: latency"));
}
