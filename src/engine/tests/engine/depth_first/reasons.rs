//! Every placement has reasons: for each memory that data bypasses there is a sentence whose numbers are those of the
//! data.

use fusescape_engine::depth_first::{FuseDepth, PointAccount, StoringMode, TileTypeAccount};
use fusescape_engine::explore::{CostStore, IncrementalSweep, Request, Settings, Sweep};
use fusescape_engine::hardware::{Core, Operand};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::bytes;
use fusescape_spec::{find_preset, hardware_presets, workload_presets};

fn account(hardware: &str, workload: &str, rules: Rules, tile: (u64, u64), mode: StoringMode) -> (Core, PointAccount) {
    let hardware = find_preset(hardware_presets(), hardware).unwrap().text.to_owned();
    let core = Core::from_text(&hardware).unwrap();
    let request = Request {
        hardware,
        workload: find_preset(workload_presets(), workload).unwrap().text.to_owned(),
        settings: Settings {
            tiles_x: vec![tile.0],
            tiles_y: vec![tile.1],
            modes: vec![mode],
            fuse: vec![FuseDepth::Automatic],
            rules,
            ..Settings::default()
        },
    };
    (core, IncrementalSweep::new(Sweep::new(&request).unwrap()).account(&mut CostStore::default(), 0).unwrap())
}

/// Names of the memories below the one called `chosen`.
fn passed<'a>(core: &'a Core, operand: Operand, chosen: &str) -> Vec<&'a str> {
    let names = core.levels(operand).iter().map(|&id| core.memories[id].name.as_str());
    names.take_while(|name| *name != chosen).collect()
}

/// The bits of `52.1 KiB`, within the last digit.
fn bits(text: &str) -> f64 {
    let (number, unit) = text.split_once(' ').unwrap();
    let size = match unit {
        "B" => 1.0,
        "KiB" => 1024.0,
        "MiB" => 1_048_576.0,
        _ => 1_073_741_824.0,
    };
    number.parse::<f64>().unwrap() * size * 8.0
}

/// The needed and the available bits of a sentence that says that data does not fit.
fn balance(reason: &str) -> Option<(f64, f64)> {
    let (_, rest) = reason.split_once(" fit into ")?;
    let (_, needs) = rest.split_once(" needs ").or_else(|| rest.split_once(" need "))?;
    let (_, has) = rest.rsplit_once(" room for ")?;
    Some((bits(needs.split(", ").next()?), bits(has)))
}

/// Whether a sentence gives the reason why data is not in a memory.
fn is_about(reason: &str, memory: &str) -> bool {
    let fits = [": ", " beside "].map(|next| reason.contains(&format!(" into {memory}{next}")));
    fits.contains(&true) || reason.contains(&format!(" lie in {memory}, "))
}

fn check_layers(what: &str, core: &Core, stack_output: &str, tile: &TileTypeAccount) -> usize {
    let mut sentences = 0;
    for layer in &tile.layers {
        let what = format!("{what}: {}: {:?}", layer.layer, layer.reasons);
        for (operand, top) in
            [(Operand::W, &layer.top_memory.w), (Operand::I, &layer.top_memory.i), (Operand::O, &layer.top_memory.o)]
        {
            let Some(top) = top else { continue };
            // Fetched stack inputs are in the memories of inputs.
            let operand = if layer.kind.is_none() { Operand::I } else { operand };
            let begins = |reason: &&String| reason.starts_with(&format!("{operand} "));
            let mine: Vec<&String> = layer.reasons.iter().filter(begins).collect();
            if operand == Operand::O && layer.layer == stack_output {
                assert!(
                    mine.iter().any(|reason| reason.contains("the output of the stack") && reason.contains(top)),
                    "{what}"
                );
                continue;
            }
            if mine.iter().any(|reason| reason.starts_with("W comes from")) {
                assert!(mine[0].contains(top), "{what}");
                continue;
            }
            for memory in passed(core, operand, top) {
                let here: Vec<&&String> = mine.iter().filter(|reason| is_about(reason, memory)).collect();
                assert_eq!(here.len(), 1, "{operand} passes over {memory} on its way to {top}. {what}");
                sentences += 1;
                let size = &core.memories.iter().find(|other| other.name == memory).unwrap();
                let Some((needs, has)) = balance(here[0]) else {
                    let of_part = size.instances > 1 && here[0].contains(&size.instances.to_string());
                    assert!(of_part || here[0].contains("no mapping fits"), "{what}");
                    continue;
                };
                assert!(needs > has * 0.999, "{what}");
                assert!(here[0].ends_with(&bytes(size.size_bits)) || operand == Operand::W, "{what}");
                // The sentence is about the data that is shown.
                let own = match operand {
                    Operand::I => layer.bits.i.max(if layer.kind.is_none() { layer.bits.o } else { 0 }),
                    Operand::O => layer.bits.o + if here[0].contains(" beside I: ") { layer.bits.i } else { 0 },
                    Operand::W => 0,
                };
                let others = ["maps of other layers", "the caches", "kept weights"];
                let is_alone = !others.iter().any(|other| here[0].contains(other));
                if operand != Operand::W && is_alone {
                    let says = |word: &str| here[0].contains(&format!("{word} {}", bytes(own)));
                    assert!(says("needs") || says("need"), "{own} bits: {what}");
                }
            }
        }
    }
    sentences
}

fn check_caches(what: &str, core: &Core, tile: &TileTypeAccount) -> usize {
    let mut sentences = 0;
    let caches = &tile.caches;
    for (begins, memories) in
        [("Columns cached", [&caches.h_read, &caches.h_write]), ("Rows cached", [&caches.v_read, &caches.v_write])]
    {
        for top in memories.into_iter().flatten() {
            for memory in passed(core, Operand::O, top) {
                let here =
                    caches.reasons.iter().filter(|reason| reason.starts_with(begins) && is_about(reason, memory));
                let here: Vec<&String> = here.collect();
                assert!(!here.is_empty(), "{what}: {begins} in {top}, not in {memory}: {:?}", caches.reasons);
                for (needs, has) in here.iter().filter_map(|reason| balance(reason)) {
                    assert!(needs > has * 0.999, "{what}: {here:?}");
                }
                sentences += 1;
            }
        }
    }
    sentences
}

#[test]
fn every_memory_that_data_passes_over_has_a_reason() {
    let (mut layers, mut caches) = (0, 0);
    for (hardware, workload, tile) in [
        ("meta-proto-like-df", "fsrcnn", (60, 72)),
        ("meta-proto-like-df", "fsrcnn-defines", (4, 72)),
        ("tpu-like-df", "resnet18", (28, 28)),
        ("edge-tpu-like-df", "mobilenet-v1", (14, 14)),
        ("ascend-like", "dmcnn-vd", (48, 48)),
    ] {
        for mode in StoringMode::ALL {
            for (set, rules) in [("corrected", Rules::CORRECTED), ("defines", Rules::DEFINES_2022)] {
                let (core, account) = account(hardware, workload, rules, tile, mode);
                for (index, stack) in account.stacks.iter().enumerate() {
                    for (number, tile_type) in stack.tile_types.iter().enumerate() {
                        let what =
                            format!("{workload} on {hardware}, {set}, {}, stack {index}, type {number}", mode.name());
                        layers += check_layers(&what, &core, stack.layers.last().unwrap(), tile_type);
                        caches += check_caches(&what, &core, tile_type);
                    }
                }
            }
        }
    }
    assert!(layers > 1000 && caches > 100, "{layers} and {caches} memories were passed over");
}

/// DeFiNES, Fig. 10: in tile type 3, L6 has room for its input in LB, but not for its output beside it.
#[test]
fn what_takes_the_room_is_named() {
    let (_, account) =
        account("meta-proto-like-df", "fsrcnn-defines", Rules::DEFINES_2022, (60, 72), StoringMode::FullyRecompute);
    let layers = account.stacks.iter().flat_map(|stack| &stack.tile_types).flat_map(|tile| &tile.layers);
    let found = layers.filter(|layer| layer.kind.is_some()).find_map(|layer| {
        let reason = layer.reasons.iter().find(|reason| reason.contains(" beside I: "))?;
        Some((layer.clone(), reason.clone()))
    });
    let (layer, reason) = found.expect("an output that has no room beside the input");
    let all = bytes(layer.bits.i + layer.bits.o);
    assert_eq!(
        reason,
        format!(
            "O does not fit into sram_64KB beside I: together they need {all}, of which I takes {}, and there is room for 64.0 KiB",
            bytes(layer.bits.i)
        )
    );
}
