//! `fusescape attention`: a transformer on a core, one step or generation; the published dataflows.

use super::arguments::{Attention, Format};
use super::documents::load;
use super::plain::plain;
use super::{Failure, json_text, print};
use fusescape::attention::published::{Dataflow, Replay, Rules};
use fusescape::attention::{Cause, Generation, LayerSchedule, Run, Step, StepCost, Tensor};
use fusescape::chart::{
    Chart, Quantity, Table, attention_notes, attention_schedules, attention_traffic, generation_roofline,
    generation_room, generation_table, group_thousands, published_dataflows, sequences_text, step_parts,
};
use fusescape::command::stamped;
use fusescape::explore::{AttentionRequest, AttentionStudy};
use fusescape::spec::{hardware_presets, transformer_presets};
use serde_json::{Value, json};

/// Runs the study and prints it.
pub fn run(options: &Attention) -> Result<(), Failure> {
    let study = AttentionStudy::new(&request(options)?)?;
    if options.published {
        let rules = if options.as_published { Rules::FUSEMAX_2024 } else { Rules::CORRECTED };
        let table = published_dataflows(&study.published_dataflows(&rules)?);
        return print(&match options.format {
            Format::Table => plain(&table) + &published_note(options),
            Format::Csv => table.to_csv(),
            Format::Json => {
                json_text(&stamped("attention", json!({ "published": replays_json(&study.published(&rules)?) })))?
            }
        });
    }
    let layer = study.layer()?;
    let generation = options.generate.map(|generated| study.generation(generated, options.chunk)).transpose()?;
    print(&match options.format {
        Format::Table => for_a_person(options, &study, &layer, generation.as_ref()),
        Format::Csv => match &generation {
            Some(generation) => generation_table(generation, study.machine.clock_mhz).to_csv(),
            None => attention_schedules(&layer).to_csv(),
        },
        Format::Json => json_text(&stamped("attention", as_json(&study, options, &layer, generation.as_ref())))?,
    })
}

fn request(options: &Attention) -> Result<AttentionRequest, Failure> {
    let documents = [load(&options.hardware, hardware_presets()), load(&options.model, transformer_presets())];
    let wrong: Vec<String> = documents.iter().filter_map(|found| Some(found.as_ref().err()?.to_string())).collect();
    let [Ok(hardware), Ok(model)] = documents else { return Err(wrong.join("\n").into()) };
    Ok(AttentionRequest {
        hardware,
        model,
        step: step(options),
        bits: options.bits,
        objective: options.objective.clone(),
    })
}

const fn step(options: &Attention) -> Step {
    Step { batch: options.batch, tokens: options.tokens, cached: options.cached, sees_itself: !options.blind }
}

fn for_a_person(
    options: &Attention,
    study: &AttentionStudy,
    layer: &LayerSchedule,
    generation: Option<&Generation>,
) -> String {
    let titled = |table: &Table| format!("\n{}\n{}", table.caption, plain(table));
    let mut text = format!(
        "{} on {}: {} new token{}{}, {}\n",
        study.model.name,
        study.machine.name,
        group_thousands(options.tokens),
        if options.tokens == 1 { "" } else { "s" },
        if options.cached > 0 { format!(" after {} cached", group_thousands(options.cached)) } else { String::new() },
        sequences_text(options.batch),
    );
    text += &titled(&attention_schedules(layer));
    text += &titled(&attention_traffic(layer));
    text += &titled(&step_parts(layer));
    let cost = layer.cost();
    let least = study.model.compulsory(&step(options), options.bits).total() * layer.layers as f64;
    text += &format!(
        "\nAll {} layers: {}, {}, {} MACs; {} to and from DRAM, of which {} are compulsory.\n",
        layer.layers,
        Quantity::Energy.text(cost.energy_pj()),
        Quantity::Latency.text(cost.latency_cycles as f64),
        Quantity::Macs.compact(cost.macs as f64),
        Quantity::Bytes.text(cost.dram_bits as f64 / 8.0),
        Quantity::Bytes.text(least),
    );
    text += &attention_notes(layer).join("\n");
    text += "\n";
    if let Some(generation) = generation {
        text += &titled(&generation_table(generation, study.machine.clock_mhz));
        if let Some(roofline) = generation_roofline(std::slice::from_ref(generation)) {
            text += &titled(&roofline.table());
        }
        let dram_bytes = study.machine.dram.size_bits as f64 / 8.0;
        text += &format!("\n{}\n", generation_room(generation, dram_bytes));
    }
    text
}

fn published_note(options: &Attention) -> String {
    let rules = if options.as_published {
        "The rules are the artifact's, defects included."
    } else {
        "Defects of the artifact are mended: all registers and exponential functions count."
    };
    format!("\nThe artifact counts all scores, without a causal mask. FLAT is in its fastest configuration. {rules}\n")
}

fn energy_json(energy: &[f64; 5]) -> Value {
    Cause::ALL.iter().map(|cause| (field(cause.name()), json!(energy[*cause as usize]))).collect()
}

/// A name as a field: `on_chip_memories`.
fn field(name: &str) -> String {
    name.to_lowercase().replace([' ', '-'], "_")
}

fn run_json(run: &Run) -> Value {
    json!({
        "parts": run.parts,
        "tile_tokens": run.tile,
        "weights_stay": run.resident,
        "energy_pj": run.energy_pj(),
        "energy_pj_by_cause": energy_json(&run.energy),
        "latency_cycles": run.busy.cycles(),
        "bound_by": run.busy.bound_by(),
        "dram_bits": run.dram_bits,
        "weight_bits": run.weight_bits,
        "macs": run.macs,
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

fn as_json(
    study: &AttentionStudy,
    options: &Attention,
    layer: &LayerSchedule,
    generation: Option<&Generation>,
) -> Value {
    let schedules = layer.attention.best_of.iter().map(|(fusion, account)| {
        let account = account.as_ref().map(|account| {
            let dram: Value = Tensor::ALL
                .iter()
                .map(|tensor| {
                    let moved = account.dram[*tensor as usize];
                    (field(tensor.name()), json!({ "read_bits": moved.read, "written_bits": moved.written }))
                })
                .collect();
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
            })
        });
        json!({ "fusion": fusion.name(), "best": account })
    });
    let of_uncounted = |(name, count): &(String, u64)| (field(name), json!(count));
    let uncounted: Value = layer.uncounted.iter().map(of_uncounted).collect();
    let runs = |runs: &[Run]| -> Value { runs.iter().map(run_json).collect() };
    json!({
        "model": study.model,
        "step": step(options),
        "bits": options.bits,
        "schedules": schedules.collect::<Vec<_>>(),
        "best": layer.best.schedule.fusion.name(),
        "as_good": layer.tied.iter().map(|fusion| fusion.name()).collect::<Vec<_>>(),
        "priced": layer.attention.priced,
        "before": runs(&layer.before),
        "after": runs(&layer.after),
        "not_counted": uncounted,
        "all_layers": cost_json(&layer.cost()),
        "compulsory_bytes_of_a_layer": study.model.compulsory(&step(options), options.bits),
        "generation": generation.map(|generation| json!({
            "batch": generation.sequences.batch,
            "prompt": generation.sequences.prompt,
            "chunk": generation.sequences.chunk,
            "prefill": cost_json(&generation.prefill),
            "tokens": tokens_json(generation),
            "weight_bytes": generation.weight_bytes,
            "cache_bytes": generation.cache_bytes,
            "chip_bytes": generation.chip_bytes,
            "dram_bytes": study.machine.dram.size_bits as f64 / 8.0,
            "peak_macs_per_cycle": generation.peak_macs,
            "dram_bytes_per_cycle": generation.dram_bytes_per_cycle,
        })),
    })
}

fn replays_json(replays: &[(Dataflow, Replay)]) -> Value {
    use fusescape::attention::published::Array;
    let one = |(dataflow, replay): &(Dataflow, Replay)| {
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
    };
    replays.iter().map(one).collect()
}
