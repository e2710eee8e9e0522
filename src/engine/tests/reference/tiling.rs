//! Tiling, back-calculation, placement and copies, without search: every size, count, level and copy.

use crate::Report;
use fusescape_engine::depth_first::{
    CopyAction, CopyKind, CopyRoutes, DepthFirstStrategy, FuseDepth, Hop, LayerTilePlan, Planner, ProblemId, ReadPlan,
    StackPlan, StoringMode, TilePlan,
};
use fusescape_engine::hardware::{Core, MemoryId, Operand};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Strategy};
use fusescape_engine::workload::Network;
use fusescape_test_support::{core, integer, network, number, reference, text, texts};
use serde_json::Value;

pub fn check() -> Report {
    let mut report = Report::new();
    let (hardware, workloads) = (reference("define/hardware.json"), reference("define/workloads.json"));
    for case in reference("define/tiling.json")["cases"].as_array().unwrap() {
        report.cases += 1;
        let core = core(&hardware[text(&case["accelerator"])]);
        let network = network(&workloads[text(&case["workload"])]);
        let limits = Limits { lpf_limit: integer(&case["lpf_limit"]) as usize, ..Limits::default() };
        let mut planner = Planner::new(&core, &network, Rules::DEFINES_2022, limits, Strategy::Loma);
        let strategy = DepthFirstStrategy {
            tile: (integer(&case["tile_x"]), integer(&case["tile_y"])),
            mode: mode(&case["storing"]),
            fuse: FuseDepth::Automatic,
        };
        let plan = planner.plan(&strategy).unwrap_or_else(|wrong| panic!("{wrong}"));
        // Where even the input is cut off alone, the tool has a first stack that only copies it from DRAM to DRAM.
        let theirs: Vec<&Value> = case["stacks"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|stack| stack["layers"].as_array().unwrap().iter().any(|id| id.as_i64().is_some_and(|id| id >= 0)))
            .collect();
        let id = text(&case["id"]);
        report.same(&plan.stacks.len(), &theirs.len(), || format!("{id}: stacks"));
        for (index, (ours, theirs)) in plan.stacks.iter().zip(theirs).enumerate() {
            let problems = |problem: ProblemId| planner.memory.problems.list[problem].levels;
            let check =
                Check { core: &core, network: &network, what: format!("{id} stack {index}"), levels: &problems };
            check.stack(ours, theirs, &mut report);
        }
    }
    report
}

pub fn mode(value: &Value) -> StoringMode {
    match text(value).as_str() {
        "fully_recompute" => StoringMode::FullyRecompute,
        "H_cached_V_recompute" => StoringMode::HCachedVRecompute,
        "fully_cached" => StoringMode::FullyCached,
        other => panic!("unknown storing mode {other}"),
    }
}

struct Check<'a> {
    core: &'a Core,
    network: &'a Network,
    what: String,
    levels: &'a dyn Fn(ProblemId) -> [usize; 3],
}

impl Check<'_> {
    fn name(&self, memory: Option<MemoryId>) -> Option<String> {
        memory.map(|id| self.core.memories[id].name.clone())
    }

    fn stack(&self, ours: &StackPlan, theirs: &Value, report: &mut Report) {
        let what = &self.what;
        let layers: Vec<String> = ours.stack.layers().iter().map(|&id| self.network.layer(id).name.clone()).collect();
        let ids = |value: &Value| -> Vec<String> {
            let ids = value.as_array().unwrap().iter().filter_map(Value::as_i64);
            ids.filter(|id| *id >= 0).map(|id| id.to_string()).collect()
        };
        report.same(&layers, &ids(&theirs["layers"]), || format!("{what}: layers"));
        let tiles: u64 = ours.types.iter().map(|tile| tile.count).sum();
        report.same(&tiles, &integer(&theirs["number_of_tiles"]), || format!("{what}: tiles"));
        let decisions = theirs["cache_decisions"].as_array().unwrap();
        for theirs in decisions {
            self.decision(ours, theirs, report);
        }
        let types = theirs["tile_types"].as_array().unwrap();
        report.same(&ours.types.len(), &types.len(), || format!("{what}: tile types"));
        for (index, (ours, theirs)) in ours.types.iter().zip(types).enumerate() {
            self.tile(ours, theirs, &format!("{what} type {index}"), report);
        }
    }

    fn decision(&self, ours: &StackPlan, theirs: &Value, report: &mut Report) {
        let size = (integer(&theirs["tile_OX"]), integer(&theirs["tile_OY"]));
        let first = (theirs["first_column"].as_bool().unwrap(), theirs["first_row"].as_bool().unwrap());
        let what = |field: &str| format!("{} tile {size:?} first {first:?}: {field}", self.what);
        let Some(decided) = ours.decisions.iter().find(|tile| tile.size == size && tile.first == first) else {
            report.failures.push(what("not decided"));
            return;
        };
        let decision = &decided.caches;
        let number = |field: &str| theirs[field].as_u64();
        for (field, ours) in [
            ("largest_alive_bits", Some(decision.peak_bits)),
            ("peak_with_H_bits", decision.peak_with_h_bits),
            ("peak_with_H_and_V_bits", decision.peak_with_both_bits),
            ("sum_H_cache_input_bits", Some(decision.h_cache_bits)),
            ("sum_V_cache_input_bits", Some(decision.v_cache_bits)),
            ("sum_HV_overlap_bits", Some(decision.hv_cache_bits)),
            ("stack_weights_bits", Some(ours.weight_bits)),
        ] {
            report.same(&ours, &number(field), || what(field));
        }
        for (field, ours) in
            [("IO_memory", Some(decision.io_memory)), ("H_memory", decision.h_memory), ("V_memory", decision.v_memory)]
        {
            report.same(&self.name(ours), &theirs[field].as_str().map(str::to_owned), || what(field));
        }
        // A stack without weights has no decision about them.
        if let Some(memory) = theirs["W_memory"].as_str() {
            report.same(&self.name(Some(decision.w_memory)).as_deref(), &Some(memory), || what("W_memory"));
        }
        for (node, &(x, y)) in ours.assumed_sizes(decided).iter_enumerated().skip(ours.stack.input_count) {
            let layer = &self.network.layer(ours.stack.nodes[node]).name;
            let sizes = &theirs["output_size_per_layer"][layer];
            report.same(&(x, y), &(integer(&sizes[0]), integer(&sizes[1])), || what(&format!("size of {layer}")));
        }
    }

    fn tile(&self, ours: &TilePlan, theirs: &Value, what: &str, report: &mut Report) {
        let pair = |value: &Value| (integer(&value[0]), integer(&value[1]));
        report
            .same(&ours.size, &(integer(&theirs["tile_OX"]), integer(&theirs["tile_OY"])), || format!("{what}: size"));
        report.same(&ours.count, &integer(&theirs["count"]), || format!("{what}: count"));
        report.same(&ours.first_position, &pair(&theirs["first_position"]), || format!("{what}: position"));
        report.same(&ours.weights_from_top, &theirs["weights_start_in_DRAM"].as_bool().unwrap(), || {
            format!("{what}: weights from DRAM")
        });
        for (field, memory) in [
            ("H_cache_write_memory", ours.caches.h_write),
            ("H_cache_read_memory", ours.caches.h_read),
            ("V_cache_write_memory", ours.caches.v_write),
            ("V_cache_read_memory", ours.caches.v_read),
        ] {
            let theirs = theirs[field].as_str().map(str::to_owned);
            report.same(&self.name(memory), &theirs, || format!("{what}: {field}"));
        }
        let layers = theirs["layers"].as_array().unwrap();
        report.same(&ours.layers.len(), &layers.len(), || format!("{what}: layers"));
        for (layer, theirs) in ours.layers.iter().zip(layers) {
            let what = format!("{what} layer {}", theirs["layer"]);
            self.layer(layer, ours.reads_of(layer), theirs, &what, report);
            self.copies(ours.copies_before(layer), &theirs["copies_before_layer"], &what, report);
        }
    }

    fn layer(&self, ours: &LayerTilePlan, reads: &[ReadPlan], theirs: &Value, what: &str, report: &mut Report) {
        report.same(&ours.is_input, &theirs["is_stack_input"].as_bool().unwrap(), || format!("{what}: is input"));
        let dims = &theirs["dims"];
        let size = |dim: &str| dims[dim].as_u64().unwrap_or(1);
        report.same(&ours.computed, &(size("OX"), size("OY")), || format!("{what}: computed"));
        report.same(&ours.channels, &(size("K") * size("G")), || format!("{what}: channels"));
        let o_memory = ours.top[Operand::O as usize];
        report.same(&self.name(o_memory), &Some(text(&theirs["O_memory"])), || format!("{what}: O memory"));
        if !ours.is_input {
            self.computing_layer(ours, reads, theirs, what, report);
        }
    }

    fn copies(&self, ours: &[CopyAction], theirs: &Value, what: &str, report: &mut Report) {
        let actions = theirs["actions"].as_array().unwrap();
        report.same(&ours.len(), &actions.len(), || format!("{what}: copies"));
        for (index, (ours, theirs)) in ours.iter().zip(actions).enumerate() {
            self.copy(ours, theirs, &format!("{what} copy {index}"), report);
        }
        let cost = CopyRoutes::new(self.core, Rules::DEFINES_2022).cost(ours);
        report.close(cost.energy_pj, number(&theirs["energy_pJ"]), 1e-9, || format!("{what}: copy energy"));
        report.same(&cost.latency.0, &integer(&theirs["latency_cycles"]), || format!("{what}: copy latency"));
    }

    fn computing_layer(
        &self,
        ours: &LayerTilePlan,
        reads: &[ReadPlan],
        theirs: &Value,
        what: &str,
        report: &mut Report,
    ) {
        report.same(&self.name(ours.top[Operand::I as usize]), &Some(text(&theirs["I_memory"])), || {
            format!("{what}: I memory")
        });
        let needed = theirs["inputs_needed"].as_object().unwrap();
        let along = |entry: &Value, names: [&str; 2]| names.iter().find_map(|name| entry[*name].as_u64()).unwrap_or(0);
        for (name, entry) in needed {
            let theirs = (along(entry, ["IX", "OX"]), along(entry, ["IY", "OY"]));
            report.same(&ours.needed, &theirs, || format!("{what}: needed {name}"));
        }
        for (input, name) in needed.keys().enumerate() {
            let read = |field: &str| theirs[field][name]["size"].as_u64().unwrap_or(0);
            let theirs = (read("H_cache_columns_read"), read("V_cache_rows_read"));
            report.same(&reads[input].cached, &theirs, || format!("{what}: cached {name}"));
        }
        let written = |field: &str| theirs[field]["size"].as_u64().unwrap_or(0);
        let theirs_written = (written("H_cache_columns_written"), written("V_cache_rows_written"));
        report.same(&ours.written, &theirs_written, || format!("{what}: written"));
        let extra = &theirs["extra_levels_after_failure"];
        let extra = (integer(&extra["I"]) as usize, integer(&extra["O"]) as usize);
        report.same(&ours.extra_levels, &extra, || format!("{what}: extra"));
        let levels = (self.levels)(ours.problem.unwrap());
        for (name, available) in theirs["levels_available"].as_object().unwrap() {
            let operand = match name.as_str() {
                "W" => Operand::W,
                "O" => Operand::O,
                _ => Operand::I,
            };
            let ours: Vec<String> = self.core.levels(operand)[..levels[operand as usize]]
                .iter()
                .map(|&id| self.core.memories[id].name.clone())
                .collect();
            report.same(&ours, &texts(available), || format!("{what}: levels of {name}"));
        }
    }

    fn copy(&self, ours: &CopyAction, theirs: &Value, what: &str, report: &mut Report) {
        let kind = match ours.kind {
            CopyKind::StackInput => "stack_input",
            CopyKind::InputFromOutput => "input_from_predecessor_output",
            CopyKind::ReadHCache => "read_H_cache",
            CopyKind::ReadVCache => "read_V_cache",
            CopyKind::WriteHCache => "write_H_cache",
            CopyKind::WriteVCache => "write_V_cache",
        };
        report.same(&kind, &theirs["kind"].as_str().unwrap(), || format!("{what}: kind"));
        report.same(&ours.bits.0, &integer(&theirs["bits"]), || format!("{what}: bits"));
        if let Some(layer) = theirs["for_layer"].as_i64() {
            report.same(&self.network.layer(ours.layer).name, &layer.to_string(), || format!("{what}: layer"));
        }
        let hops: Vec<Hop> = CopyRoutes::new(self.core, Rules::DEFINES_2022).hops(ours).collect();
        let mut chain: Vec<String> = hops.iter().map(|hop| self.core.memories[hop.from.0].name.clone()).collect();
        chain.push(self.core.memories[ours.destination.0].name.clone());
        report.same(&chain, &texts(&theirs["chain"]), || format!("{what}: chain"));
        let cycles: Vec<u64> = hops.iter().map(|hop| hop.cycles.0).collect();
        let theirs_cycles: Vec<u64> = theirs["hop_cycles"].as_array().unwrap().iter().map(integer).collect();
        report.same(&cycles, &theirs_cycles, || format!("{what}: hops"));
        report.close(
            hops.iter().map(|hop| hop.read_pj + hop.write_pj).sum(),
            number(&theirs["energy_pJ"]),
            1e-9,
            || format!("{what}: energy"),
        );
    }
}
