//! Presets of systems: cores, their highest memories, and the tool's links.

use crate::Report;
use fusescape_engine::hardware::Operand;
use fusescape_engine::multicore::{CoreId, LinkId, SchedulingRules, System, TopMemoryId};
use fusescape_engine::system::CoreSystem;
use fusescape_spec::{find_preset, system_presets};
use fusescape_test_support::stream::{case, integers, list, operand};
use fusescape_test_support::{integer, number, reference, reference_text, text, texts};
use serde_json::Value;
use std::collections::BTreeMap;

/// The chips of Table 2, and the quad core of the examples.
pub fn presets() -> Report {
    let mut report = Report::new();
    // The array of DRAM, which computes nothing, has an energy that is no JSON.
    let written = reference_text("stream/validation_inputs.json").replace("Infinity", "0");
    let chips: Value = serde_json::from_str(&written).unwrap();
    for name in ["depfin", "jia", "diana"] {
        check_chip(&mut report, name, &chips[name]);
    }
    check_quad(&mut report);
    report
}

fn preset(id: &str) -> System {
    let preset = find_preset(system_presets(), id).unwrap();
    let system = CoreSystem::from_text(preset.text, "").unwrap_or_else(|wrong| panic!("{id}: {wrong}"));
    System::new(&system, SchedulingRules::STREAM_2024)
}

fn check_chip(report: &mut Report, name: &str, chip: &Value) {
    report.cases += 1;
    let ours = preset(name);
    report.same(&ours.cores.len(), &list(&chip["cores"]).count(), || format!("{name}: cores"));
    report.same(&ours.dram.index(), &(integer(&chip["offchip_core_id"]) as usize), || format!("{name}: DRAM"));
    let mut known: BTreeMap<u64, TopMemoryId> = BTreeMap::new();
    for (core, facts) in ours.cores.keys().zip(list(&chip["cores"])) {
        for memory in list(&facts["memories_low_to_high"]).filter(|memory| memory["is_top"] == true) {
            for of in texts(&memory["operands"]).iter().map(|name| operand(name)) {
                let place = ours.memory_of[core][of as usize];
                let mine = &ours.memories[place];
                let what = || format!("{name}: {of:?} of core {core}");
                if core != ours.dram {
                    report.same(&mine.capacity.0, &integer(&memory["size_bits"]), what);
                    let stated = text(&memory["name"]);
                    report.same(&mine.name.starts_with(&stated), &true, || format!("{}: {stated}", what()));
                }
                let widths = (integer(&memory["r_bw_bits"]), integer(&memory["w_bw_bits"]));
                report.same(&(mine.read_width.0, mine.write_width.0), &widths, what);
                let energies = (number(&memory["r_cost_pJ"]), number(&memory["w_cost_pJ"]));
                report.same(&(mine.read_pj, mine.write_pj), &energies, what);
                let instance = integer(&memory["shared_instance_id"]);
                report.same(known.entry(instance).or_insert(place), &place, || format!("{}, shared", what()));
            }
        }
    }
    let tops = ours.memories.len();
    report.same(&known.len(), &tops, || format!("{name}: memories"));
    let mut link_of: BTreeMap<usize, LinkId> = BTreeMap::new();
    for (index, link) in list(&chip["links"]).enumerate() {
        for edge in list(&link["edges"]).map(integers) {
            let what = || format!("{name}: from {} to {}", edge[0], edge[1]);
            let [mine] = *ours.route(CoreId::from(edge[0]), CoreId::from(edge[1])) else {
                report.failures.push(what());
                continue;
            };
            let facts = (ours.links[mine].bandwidth.0, ours.links[mine].pj_per_cycle);
            let stated = (number(&link["bandwidth_bits_per_cycle"]), number(&link["unit_energy_cost"]));
            report.same(&facts, &stated, what);
            report.same(link_of.entry(index).or_insert(mine), &mine, || format!("{}, shared", what()));
        }
    }
}

/// All memories and routes from the view of the tool's scheduler.
fn check_quad(report: &mut Report) {
    report.cases += 1;
    let theirs = case(&reference("stream/waco_e2e/b01_resnet18_tpu_quad_fused_waco.json")).system;
    let ours = preset("tpu-quad");
    let cores = ours.cores.len();
    report.same(&cores, &theirs.cores.len(), || "quad: cores".to_owned());
    // The tool has DRAM at another place among the cores, and among the memories.
    let moved = |core: CoreId| if core >= theirs.dram { core.following() } else { core };
    let place = |core: CoreId| if core == ours.dram { theirs.dram } else { moved(core) };
    for core in ours.cores.keys() {
        for of in Operand::ALL {
            let what = || format!("quad: {of:?} of {}", ours.cores[core]);
            let (mine, other) = (
                &ours.memories[ours.memory_of[core][of as usize]],
                &theirs.memories[theirs.memory_of[place(core)][of as usize]],
            );
            if core != ours.dram {
                report.same(&(&mine.name, mine.capacity.0), &(&other.name, other.capacity.0), what);
            }
            let facts = |of: &fusescape_engine::system::CoreTopMemory| {
                (of.read_width.0, of.write_width.0, of.read_pj, of.write_pj, of.cores.len())
            };
            report.same(&facts(mine), &facts(other), what);
        }
        for to in ours.cores.keys().filter(|&to| to != core) {
            let route = |system: &System, from: CoreId, to: CoreId| -> Vec<(f64, f64)> {
                let link = |link: &LinkId| (system.links[*link].bandwidth.0, system.links[*link].pj_per_cycle);
                system.route(from, to).iter().map(link).collect()
            };
            let (mine, other) = (route(&ours, core, to), route(&theirs, place(core), place(to)));
            let what = || format!("quad: from {} to {}", ours.cores[core], ours.cores[to]);
            report.same(&mine.len(), &other.len(), what);
            report.same(&mine, &other, what);
        }
    }
}
