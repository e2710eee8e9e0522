//! Random systems of Stream, run by the tool itself (commit ed4e12ef): after import, tiling, mapping and scheduling by
//! its published rules, times and energies are the same, tile by tile.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use fusescape::import::{File, Imported, import};
use fusescape::multicore::{
    Carrier, CoreAllocation, CoresAccount, CoresEnergyCause, CoresProblem, CoresRequest, CoresSettings, OrderRule,
    Scheduler, StackRule, TileCosts, TileGranularity, TransferReason,
};
use fusescape::rules::Rules;
use fusescape::search::Strategy;
use fusescape::workload::{Dim, LayerKind};
use fusescape_test_support::{entries, number, reference, text, texts};
use rayon::prelude::*;
use serde_json::Value;

/// Relative tolerance for floating-point sums.
const TOLERANCE: f64 = 1e-9;

/// The tool's names of [`CoresEnergyCause`].
const ENERGIES: [(CoresEnergyCause, &str); 9] = [
    (CoresEnergyCause::OnChip, "total_cn_onchip_energy"),
    (moved(Carrier::Links, TransferReason::Fetch), "total_cn_offchip_link_energy"),
    (moved(Carrier::Memories, TransferReason::Fetch), "total_cn_offchip_memory_energy"),
    (moved(Carrier::Links, TransferReason::Exchange), "total_core_to_core_link_energy"),
    (moved(Carrier::Memories, TransferReason::Exchange), "total_core_to_core_memory_energy"),
    (moved(Carrier::Links, TransferReason::Eviction), "total_eviction_to_offchip_link_energy"),
    (moved(Carrier::Memories, TransferReason::Eviction), "total_eviction_to_offchip_memory_energy"),
    (moved(Carrier::Links, TransferReason::Result), "total_sink_layer_output_offchip_link_energy"),
    (moved(Carrier::Memories, TransferReason::Result), "total_sink_layer_output_offchip_memory_energy"),
];

const fn moved(carrier: Carrier, reason: TransferReason) -> CoresEnergyCause {
    CoresEnergyCause::Moved(carrier, reason)
}

/// Fields of a document, one per line, in the layout of the tool's files; `first` begins the first line, and two spaces
/// the others.
fn document(fields: &Value, first: &str) -> String {
    let starts = std::iter::once(first).chain(std::iter::repeat(if first.is_empty() { "" } else { "  " }));
    entries(fields).zip(starts).map(|((name, value), start)| format!("{start}{name}: {value}\n")).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// Documents from the tool's input.
fn imported(input: &Value) -> Imported {
    let mapping: String = list(&input["mapping"]).iter().map(|entry| document(entry, "- ")).collect();
    let mut files = vec![
        ("system.yaml".to_owned(), document(&input["system"], "").into_bytes()),
        ("offchip.yaml".to_owned(), document(&input["offchip"], "").into_bytes()),
        ("mapping.yaml".to_owned(), mapping.into_bytes()),
        ("net.onnx".to_owned(), BASE64_STANDARD.decode(text(&input["network_onnx_base64"])).unwrap()),
    ];
    files.extend(entries(&input["cores"]).map(|(name, core)| (name.clone(), document(core, "").into_bytes())));
    let files = files.iter().map(|(name, bytes)| File { name: name.clone(), source: Box::new(&bytes[..]) });
    import(files.collect(), &Default::default()).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// Entries of the mapping for single layers.
fn of_layers(input: &Value) -> impl Iterator<Item = &Value> {
    list(&input["mapping"]).iter().filter(|entry| entry["name"] != "default")
}

/// The only entry of a tiling: `OY, 4`.
fn cut(tiling: &Value) -> (String, usize) {
    let words = &texts(tiling)[0];
    let (dim, pieces) = words.split_once(", ").unwrap();
    (dim.to_owned(), pieces.parse().unwrap())
}

fn study(input: &Value) -> CoresProblem {
    let Imported { system, workload, .. } = imported(input);
    let tiles: Vec<String> = of_layers(input)
        .map(|entry| {
            let (dim, pieces) = cut(&entry["intra_core_tiling"]);
            // Sums have D for rows there.
            let dim = if dim == "D" { "OY" } else { &dim };
            format!("{}: {dim} {pieces}", text(&entry["name"]))
        })
        .collect();
    let settings = CoresSettings {
        granularity: TileGranularity::ByHand(tiles.join("; ")),
        stacks: if input["mode"] == "lbl" { StackRule::EachLayer } else { StackRule::One },
        scheduler: Scheduler::Stream2024,
        order: Some(OrderRule::Deepest),
        strategy: Strategy::Loma,
        rules: Rules::ZIGZAG_3_8,
        ..CoresSettings::default()
    };
    let (workload, system) = (workload.unwrap(), system.unwrap());
    let request = CoresRequest { hardware: String::new(), workload, system, settings };
    CoresProblem::new(&request).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// The cores of each layer in the mapping.
fn allocation(input: &Value, study: &CoresProblem) -> CoreAllocation {
    let core = |id: &Value| study.system.cores.position(|core| core.name.ends_with(&format!(" {id}"))).unwrap();
    let of_layer = |(layer, name): (_, &String)| {
        let entry = of_layers(input).find(|entry| entry["name"] == name.as_str()).unwrap();
        let shape = study.network.layer(study.nests.layers[layer]).shape;
        let (dim, mut parts) = cut(&entry["inter_core_tiling"]);
        if dim == "K" && shape.kind == LayerKind::Depthwise {
            // At most one part per group.
            parts = parts.min(shape.size(Dim::K) as usize);
        }
        list(&entry["core_allocation"]).iter().take(parts).map(core).collect()
    };
    study.layer_names().iter_enumerated().map(of_layer).collect()
}

fn assert_close(found: f64, expected: &Value, what: &str) {
    let expected = number(expected);
    let is_close = (found - expected).abs() <= TOLERANCE * expected.abs().max(1.0);
    assert!(is_close, "{what}: {found}, the tool says {expected}");
}

fn check(case: &Value) {
    let (id, input, result) = (text(&case["id"]), &case["input"], &case["result"]);
    let study = study(input);
    let choice = allocation(input, &study);
    let found = study.account(&mut TileCosts::default(), &[], &choice, Some(OrderRule::Deepest));
    let (evaluated, account) = found.unwrap_or_else(|wrong| panic!("{id}: {wrong}"));
    assert_close(evaluated.latency_cycles, &result["latency"], &format!("{id}: latency"));
    assert_close(evaluated.energy_pj, &result["energy"], &format!("{id}: energy"));
    for (cause, name) in ENERGIES {
        assert_close(account.energy[cause], &result["energy_breakdown"][name], &format!("{id}: {name}"));
    }
    check_tiles(&id, &account, list(&result["cts"]));
}

/// Compares tile by tile; the tool lists tiles in its own order.
fn check_tiles(id: &str, account: &CoresAccount, expected: &[Value]) {
    assert_eq!(account.tiles.len(), expected.len(), "{id}");
    for run in &account.tiles {
        let place = (run.layer.index() as u64, run.number.index() as u64);
        let is_it = |tile: &&Value| (tile["layer"].as_u64(), tile["sub"].as_u64()) == (Some(place.0), Some(place.1));
        let tile = expected.iter().find(is_it).unwrap();
        let what = format!("{id}: tile {place:?}");
        assert!(account.cores[run.core].name.ends_with(&format!(" {}", tile["core"])), "{what}");
        let cost = &account.costs[run.cost];
        let figures =
            [(run.start, "start"), (run.end, "end"), (cost.cycles, "runtime"), (cost.onchip_pj, "onchip_energy")];
        for (found, name) in figures {
            assert_close(found, &tile[name], &format!("{what}: {name}"));
        }
    }
}

#[test]
fn random_systems_take_the_times_and_energies_of_the_tool_by_its_rules() {
    let cases = reference("stream/random.json");
    let cases = list(&cases);
    assert!(cases.len() > 30);
    cases.par_iter().for_each(check);
}
