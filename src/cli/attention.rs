//! `fusescape attention`: a transformer on a core, one step or generation; the published dataflows.

use super::arguments::{AttentionArguments, Format};
use super::documents::{load, load_transformer};
use super::plain::plain;
use super::{Failure, json_text, print};
use fusescape_chart::{
    Chart, DIVIDED_NOTE, Quantity, Table, attention_notes, attention_schedules, attention_traffic, block_note,
    block_title, divided_sentences, divided_steps, generation_roofline, generation_room, generation_table,
    group_thousands, published_dataflows, sequences_text, step_parts,
};
use fusescape_command::Unmonitored;
use fusescape_command::attention::{AttentionReport, DivisionReport, GeneratedTokens, attention, on_cores, published};
use fusescape_engine::attention::Step;
use fusescape_engine::explore::{AttentionRequest, PublishedDataflow};
use fusescape_spec::hardware_presets;

/// Runs the command and prints its report.
pub fn run(options: &AttentionArguments) -> Result<(), Failure> {
    let (request, generated) = request(options)?;
    let chosen = &options.chosen;
    if chosen.published {
        let found = published(&request, chosen.as_published)?;
        let table = || published_dataflows(&found.replays.iter().map(PublishedDataflow::from).collect::<Vec<_>>());
        return print(&match options.format {
            Format::Table => plain(&table()) + &published_note(chosen.as_published),
            Format::Csv => table().to_csv(),
            Format::Json => json_text(&found.json()?)?,
        });
    }
    if let Some(cores) = chosen.cores() {
        let found = on_cores(request, cores, &Unmonitored)?;
        let table = || divided_steps(&found.one, &found.costs, found.model.state_space.is_some());
        return print(&match options.format {
            Format::Table => divided(&found),
            Format::Csv => table().to_csv(),
            Format::Json => json_text(&found.json()?)?,
        });
    }
    let found = attention(request, generated, &Unmonitored)?;
    print(&match options.format {
        Format::Table => for_a_person(&found),
        Format::Csv => match &found.generation {
            Some(generation) => generation_table(generation, found.study.machine.clock_mhz).to_csv(),
            None => match &found.layer.attention {
                Some(attention) => attention_schedules(attention).to_csv(),
                None => step_parts(&found.layer).to_csv(),
            },
        },
        Format::Json => json_text(&found.json()?)?,
    })
}

fn request(options: &AttentionArguments) -> Result<(AttentionRequest, Option<GeneratedTokens>), Failure> {
    let documents = [load(&options.hardware, hardware_presets()), load_transformer(&options.model, &options.size)];
    let wrong: Vec<String> = documents.iter().filter_map(|found| Some(found.as_ref().err()?.to_string())).collect();
    let [Ok(hardware), Ok(model)] = documents else { return Err(wrong.join("\n").into()) };
    let (step, bits, objective, generated) = options.chosen.read()?;
    Ok((AttentionRequest { hardware, model, step, bits, objective }, generated))
}

fn for_a_person(AttentionReport { request, study, layer, generation }: &AttentionReport) -> String {
    let Step { batch, tokens, cached, .. } = request.step;
    let titled = |table: &Table| format!("\n{}\n{}", table.caption, plain(table));
    let mut text = format!(
        "{} on {}: {} new token{}{}, {}\n",
        study.model.name,
        study.machine.name,
        group_thousands(tokens),
        if tokens == 1 { "" } else { "s" },
        if cached > 0 { format!(" after {} cached", group_thousands(cached)) } else { String::new() },
        sequences_text(batch),
    );
    if let Some(block) = &layer.block {
        text += &format!("\nBest: {}.\n{}\n", block_title(block), block_note(block, layer.layers));
    }
    if let Some(attention) = &layer.attention {
        text += &titled(&attention_schedules(attention));
        text += &titled(&attention_traffic(attention));
    }
    text += &titled(&step_parts(layer));
    let cost = layer.cost();
    let least = study.compulsory(layer).total() * layer.layers as f64;
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
        text += &format!("\n{}\n", generation_room(generation, dram_bytes, study.model.state_space.is_some()));
    }
    text
}

fn divided(found: &DivisionReport) -> String {
    let table = divided_steps(&found.one, &found.costs, found.model.state_space.is_some());
    let mut text = format!("{} on cores like {}: {}\n\n{}", found.model.name, found.core, table.caption, plain(&table));
    text += &format!("\n{}\n", divided_sentences(&found.one, &found.costs));
    if !found.refused.is_empty() {
        text += "\nNot divided:\n";
    }
    for (split, why) in &found.refused {
        let reasons: Vec<&str> = why.0.iter().map(|why| why.reason.as_str()).collect();
        text += &format!("- {}: {}\n", split.text(), reasons.join("; "));
    }
    text += &format!("\n{DIVIDED_NOTE}\n");
    text
}

fn published_note(as_published: bool) -> String {
    let rules = if as_published {
        "The rules are the artifact's, defects included."
    } else {
        "Defects of the artifact are mended: all registers and exponential functions count."
    };
    format!("\nThe artifact counts all scores, without a causal mask. FLAT is in its fastest configuration. {rules}\n")
}
