//! Schedules: every start and end, every transfer, every trace, and the energies.

use crate::Report;
use fusescape_engine::hardware::Operand;
use fusescape_engine::multicore::{
    Carrier, CoreTopMemory, CoresEnergyCause, SchedulingProblem, SchedulingRules, TensorId, TileId, TilePriority,
    TopMemoryId, Transfer, TransferReason, schedule,
};
use fusescape_engine::units::Cycles;
use fusescape_test_support::stream::{Case, case, integers, list, tensor_name};
use fusescape_test_support::{integer, number, reference, reference_text, stream_cases, text};
use serde_json::Value;

/// The scheduler of December 2024, which places transfers as early as possible.
pub fn eager() -> Report {
    let mut report = Report::new();
    for directory in ["coala", "waco_e2e", "validation"] {
        for name in stream_cases(directory) {
            // Some chips of Table 2 are scheduled by the previous scheduler.
            let written = reference_text(&format!("stream/{directory}/{name}.json"));
            if !written.contains("\"graph_cts_in_order\"") {
                check(&mut report, &name, &serde_json::from_str(&written).unwrap());
            }
        }
    }
    report
}

/// Random systems, networks and allocations, each of which once showed an unknown rule.
pub fn random() -> Report {
    let mut report = Report::new();
    report.same(&stream_cases("random").len(), &RANDOM_CASES, || "number of random cases".to_owned());
    for name in stream_cases("random") {
        let known = report.failures.len();
        check(&mut report, &name, &reference(&format!("stream/random/{name}.json")));
        // Deviations after the first one say little.
        let deviations = report.failures.len() - known;
        report.failures.truncate(known + 1);
        if deviations > 1 {
            report.failures[known].push_str(&format!(" (and {} more)", deviations - 1));
        }
    }
    report
}

/// Number of these cases.
const RANDOM_CASES: usize = 100;

/// The same under the corrected rules: no data is read before it is present.
pub fn corrected() -> Report {
    let mut report = Report::new();
    let mut too_small = 0;
    for (directory, name) in
        ["coala", "random"].iter().flat_map(|of| stream_cases(of).into_iter().map(move |name| (of, name)))
    {
        let Case { graph, system, placed, rank, prefetched, .. } =
            case(&reference(&format!("stream/{directory}/{name}.json")));
        report.cases += 1;
        let (order, rules) = (TilePriority::Ranks(&rank), SchedulingRules::CORRECTED);
        let job = SchedulingProblem {
            graph: &graph,
            system: &system,
            placed: &placed,
            order,
            prefetched: &prefetched,
            rules,
        };
        let Ok(found) = schedule(job) else {
            too_small += 1;
            continue;
        };
        let end = |tile: TileId| found.tiles[tile].unwrap().end;
        let home = |tile: TileId, operand: Operand| {
            let is_streamed = placed[tile].too_large.contains(&operand);
            if is_streamed { system.dram_memory() } else { system.memory_of[placed[tile].core][operand as usize] }
        };
        let is_there = |tensor: TensorId, memory: TopMemoryId, time: Cycles<f64>| {
            let makes = |tile: TileId| {
                graph.tensor(tile, Operand::O) == Some(tensor) && home(tile, Operand::O) == memory && end(tile) <= time
            };
            let brings = |of: &Transfer| of.tensor == tensor && of.memory == memory && of.span.end <= time;
            let is_constant = !graph.tensors[tensor].is_output && memory == system.dram_memory();
            is_constant || graph.tiles.keys().any(makes) || found.transfers.iter().any(brings)
        };
        for transfer in &found.transfers {
            let is_ready = is_there(transfer.tensor, transfer.source, transfer.span.start);
            report.same(&is_ready, &true, || format!("{name}: {transfer:?} begins before the tensor is there"));
        }
        for tile in graph.tiles.keys() {
            let start = found.tiles[tile].unwrap().start;
            let constants =
                graph.tiles[tile].constants.iter().map(|&operand| (graph.tensor(tile, operand), Some(operand)));
            let computed = graph.predecessors(tile).map(|edge| (graph.tensor(edge.from, Operand::O), edge.operand));
            for (tensor, operand) in constants.chain(computed) {
                let (Some(tensor), Some(operand)) = (tensor, operand) else { continue };
                let is_ready = is_there(tensor, home(tile, operand), start);
                report.same(&is_ready, &true, || format!("{name}: tile {tile} reads {tensor} before it is there"));
            }
        }
    }
    report.same(&too_small, &TOO_SMALL, || "cases whose memories are too small".to_owned());
    report
}

/// Cases in which a memory does not hold all the data that a tile needs at a time, which only the tool's rules
/// overlook.
const TOO_SMALL: usize = 0;

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
        let is_it = |facts: &CoreTopMemory| {
            facts.name == text(&theirs["memory"])
                && core.is_none_or(|core| facts.cores.iter().any(|&of| case.core_ids[of] == core as u64))
        };
        let Some(memory) = case.system.memories.position(is_it) else {
            report.failures.push(what());
            continue;
        };
        let steps = &schedule.memories[memory];
        let peak = steps.iter().map(|step| step.1).max().unwrap_or(0);
        let mut trace: Vec<(i64, u64)> =
            list(&theirs["trace"]).map(|step| (step[0].as_i64().unwrap(), number(&step[1]).max(0.0) as u64)).collect();
        // The tool has two steps at one cycle where one of them came at a fraction of it.
        trace.reverse();
        trace.dedup_by_key(|step| step.0);
        trace.reverse();
        report.same(&peak, &trace.iter().map(|step| step.1).max().unwrap_or(0), what);
        if *steps != trace {
            let at = steps.iter().zip(&trace).position(|(ours, theirs)| ours != theirs);
            let at = at.unwrap_or(steps.len().min(trace.len()));
            report.failures.push(format!("{}: step {at}: {:?} instead of {:?}", what(), steps.get(at), trace.get(at)));
        }
    }
    let energy = &schedule.energy;
    let theirs = &result["energy_breakdown"];
    for cause in CoresEnergyCause::ALL {
        let key = match cause {
            CoresEnergyCause::OnChip => "cn_onchip_energy",
            CoresEnergyCause::Moved(Carrier::Links, TransferReason::Fetch) => "cn_offchip_link_energy",
            CoresEnergyCause::Moved(Carrier::Memories, TransferReason::Fetch) => "cn_offchip_memory_energy",
            CoresEnergyCause::Moved(Carrier::Links, TransferReason::Eviction) => "eviction_to_offchip_link_energy",
            CoresEnergyCause::Moved(Carrier::Memories, TransferReason::Eviction) => "eviction_to_offchip_memory_energy",
            CoresEnergyCause::Moved(Carrier::Links, TransferReason::Result) => "sink_layer_output_offchip_link_energy",
            CoresEnergyCause::Moved(Carrier::Memories, TransferReason::Result) => {
                "sink_layer_output_offchip_memory_energy"
            }
            CoresEnergyCause::Moved(Carrier::Links, TransferReason::Exchange) => "core_to_core_link_energy",
            CoresEnergyCause::Moved(Carrier::Memories, TransferReason::Exchange) => "core_to_core_memory_energy",
        };
        report.close(energy[cause], number(&theirs[key]), 1e-6, || format!("{name}: {key}"));
    }
    report.close(energy.total_pj(), number(&result["energy"]), 1e-6, || format!("{name}: energy"));
    report.same(&schedule.latency.0, &number(&result["latency"]), || format!("{name}: latency"));
}
