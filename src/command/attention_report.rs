//! A transformer on a core as JSON for a program.

use super::attention::{AttentionReport, CoresReport, PublishedReport};
use super::stamped;
use fusescape_engine::attention::published::{Array, Dataflow, Replay};
use fusescape_engine::attention::{
    Account, Block, Cause, Generation, KeyStore, Run, Split, SplitCost, StepCost, Tensor,
};
use fusescape_spec::Diagnostics;
use serde_json::{Value, json};

fn energy_json(energy: &[f64; 5]) -> Value {
    Cause::ALL.iter().map(|cause| (field(cause.name()), json!(energy[*cause as usize]))).collect()
}

/// A name as a field: `on_chip_memories`.
fn field(name: &str) -> String {
    name.to_lowercase().replace([' ', '-'], "_")
}

fn account_json(account: &Account) -> Value {
    let moved = |tensor: &Tensor| {
        let moved = account.dram[*tensor as usize];
        (field(tensor.name()), json!({ "read_bits": moved.read, "written_bits": moved.written }))
    };
    let dram: Value = Tensor::ALL.iter().map(moved).collect();
    json!({
        "schedule": account.schedule,
        "energy_pj": account.energy_pj(),
        "energy_pj_by_cause": energy_json(&account.energy),
        "latency_cycles": account.latency_cycles(),
        "bound_by": account.bound_by(),
        "dram_bits": account.dram_bits(),
        "dram": dram,
        "on_chip_bits": account.needed_bits,
        "macs": account.macs,
        "weight_macs": account.weight_macs,
    })
}

fn run_json(run: &Run) -> Value {
    json!({
        "parts": run.parts,
        "tile_tokens": run.tile,
        "weights_stay": run.resident,
        "states_stay": run.states_stay,
        "energy_pj": run.energy_pj(),
        "energy_pj_by_cause": energy_json(&run.energy),
        "latency_cycles": run.busy.cycles(),
        "bound_by": run.busy.bound_by(),
        "dram_bits": run.dram_bits(),
        "weight_bits": run.weight_bits,
        "macs": run.macs,
    })
}

fn block_json(block: &Block) -> Value {
    let parts = |run: &Option<Run>| run.as_ref().map_or_else(Vec::new, |run| run.parts.clone());
    json!({
        "queries": parts(&block.queries),
        "parts": parts(&block.parts),
        "tile_tokens": block.tile,
        "tiles": block.tiles,
        "weights_before_stay": block.weights_before_stay,
        "weights_stay": block.parts.as_ref().is_some_and(|run| run.resident),
        "schedule": block.attention.schedule,
        "energy_pj": block.energy_pj(),
        "energy_pj_by_cause": energy_json(&block.energy),
        "latency_cycles": block.latency_cycles(),
        "bound_by": block.bound_by(),
        "dram_bits": block.dram_bits(),
        "weight_bits": block.weight_bits(),
        "on_chip_bits": block.needed_bits,
        "macs": block.macs(),
    })
}

fn cost_json(cost: &StepCost) -> Value {
    json!({
        "energy_pj": cost.energy_pj(),
        "energy_pj_by_cause": energy_json(&cost.energy),
        "latency_cycles": cost.latency_cycles,
        "dram_bits": cost.dram_bits,
        "weight_bits": cost.weight_bits,
        "macs": cost.macs,
    })
}

fn tokens_json(generation: &Generation) -> Value {
    let token = |(cached, cost): &(u64, StepCost)| json!({ "cached": cached, "cost": cost_json(cost) });
    generation.tokens.iter().map(token).collect()
}

impl AttentionReport {
    /// For a program.
    pub fn json(&self) -> Value {
        let Self { request, study, layer, generation } = self;
        let attention = layer.attention.as_ref();
        let all = attention.map_or(&[][..], |attention| &attention.found.best_of);
        let schedules = all
            .iter()
            .map(|(fusion, account)| json!({ "fusion": fusion.name(), "best": account.as_ref().map(account_json) }));
        let recomputed = attention.and_then(|attention| attention.found.recomputed.as_ref());
        let of_uncounted = |(name, count): &(String, u64)| (field(name), json!(count));
        let uncounted: Value = layer.uncounted.iter().map(of_uncounted).collect();
        let runs = |runs: &[Run]| -> Value { runs.iter().map(run_json).collect() };
        let of_store = |(store, cost): &(KeyStore, Option<StepCost>)| {
            let cost = cost.as_ref().map(cost_json);
            json!({ "keys_in": store, "all_layers": cost })
        };
        let stores: Value = layer.stores.iter().map(of_store).collect();
        let found = json!({
            "hardware": study.machine.name,
            "model": study.model,
            "step": request.step,
            "bits": request.bits,
            "schedules": schedules.collect::<Vec<_>>(),
            "recomputed": recomputed.map(account_json),
            "best": attention.map(|attention| attention.best.schedule.fusion.name()),
            "best_recomputes": attention.is_some_and(|attention| attention.best.schedule.held.is_recomputed()),
            "as_good": attention.iter().flat_map(|one| &one.tied).map(|fusion| fusion.name()).collect::<Vec<_>>(),
            "priced": attention.map_or(0, |attention| attention.found.priced),
            "before": runs(&layer.before),
            "blocks_priced": layer.blocks_priced,
            "block": layer.block.as_ref().map(block_json),
            "keys_in": layer.keys_in.0,
            "keys_on_chip_bits": layer.keys_in.1,
            "all_layers_with_keys_in": stores,
            "after": runs(&layer.after),
            "not_counted": uncounted,
            "all_layers": cost_json(&layer.cost()),
            "compulsory_bytes_of_a_layer": study.compulsory(layer),
            "generation": generation.as_ref().map(|generation| json!({
                "batch": generation.sequences.batch,
                "prompt": generation.sequences.prompt,
                "chunk": generation.sequences.chunk,
                "prefill": cost_json(&generation.prefill),
                "tokens": tokens_json(generation),
                "weight_bytes": generation.weight_bytes,
                "cache_bytes": generation.cache_bytes,
                "cache_on_chip": generation.cache_on_chip,
                "chip_bytes": generation.chip_bytes,
                "dram_bytes": study.machine.dram.size_bits as f64 / 8.0,
                "peak_macs_per_cycle": generation.peak_macs,
                "dram_bytes_per_cycle": generation.dram_bytes_per_cycle,
            })),
        });
        stamped("attention", found)
    }
}

fn split_json(cost: &SplitCost) -> Value {
    json!({
        "split": cost.split,
        "energy_pj": cost.energy_pj(),
        "energy_pj_by_cause": energy_json(&cost.energy),
        "link_energy_pj": cost.link_pj,
        "latency_cycles": cost.latency_cycles,
        "interval_cycles": cost.interval_cycles,
        "link_cycles": cost.link_cycles,
        "link_bits": cost.link_bits,
        "dram_bits": cost.dram_bits,
        "macs": cost.macs,
        "cache_bytes_of_a_core": cost.cache_bytes,
        "keys_in": cost.keys_in,
    })
}

impl CoresReport {
    /// For a program.
    pub fn json(&self) -> Value {
        let refused = |(split, why): &(Split, Diagnostics)| json!({ "split": split, "why": why.to_string() });
        let found = json!({
            "hardware": self.core,
            "model": self.model,
            "step": self.request.step,
            "bits": self.request.bits,
            "cores": self.cores,
            "one_core": split_json(&self.one),
            "divided": self.costs.iter().map(split_json).collect::<Vec<_>>(),
            "not_divided": self.refused.iter().map(refused).collect::<Vec<_>>(),
        });
        stamped("attention", found)
    }
}

impl PublishedReport {
    /// For a program.
    pub fn json(&self) -> Value {
        stamped("attention", json!({ "published": self.replays.iter().map(replay_json).collect::<Vec<_>>() }))
    }
}

fn replay_json((dataflow, replay): &(Dataflow, Replay)) -> Value {
    let dram: Value = replay.dram.iter().map(|(name, bytes)| ((*name).to_owned(), json!(bytes))).collect();
    let cycles: Value = replay.steps.iter().map(|step| (step.name.to_owned(), json!(step.cycles))).collect();
    json!({
        "dataflow": dataflow.name(),
        "latency_s": replay.latency_s,
        "energy_pj": replay.energy_pj(),
        "dram_bytes": replay.dram_bytes(),
        "dram_bytes_by_tensor": dram,
        "cycles": cycles,
        "utilisation_2d": replay.utilisation(Array::TwoD),
        "utilisation_1d": replay.utilisation(Array::OneD),
        "tiles": replay.tiles,
        "spilled": replay.spilled,
    })
}
