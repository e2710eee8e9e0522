//! Mapping documents: results of a search are written and read back to the same bits, and all mistakes are reported at
//! once.

use fusescape_engine::explore::{DesignLayer, LayerRequest, mapping_document, user_mappings};
use fusescape_engine::hardware::Core;
use fusescape_engine::rules::Rules;
use fusescape_engine::search::Strategy;
use fusescape_engine::workload::Network;
use fusescape_spec::{LayerMappingSpec, read_mapping, write_mapping};
use fusescape_test_support::requests::layer_request;

fn documents(request: &LayerRequest) -> (Core, Network) {
    (Core::from_text(&request.hardware).unwrap(), Network::from_text(&request.workload).unwrap())
}

#[test]
fn a_document_of_what_was_found_costs_the_same_to_the_bit() {
    for (hardware, workload) in [
        ("eyeriss-like", "alexnet-eyeriss"),
        ("meta-proto-like-df", "mobilenet-v2-study"),
        ("tpu-like", "bert-base-block"),
    ] {
        for (rules, strategy) in [(Rules::CORRECTED, Strategy::Exact), (Rules::ZIGZAG_3_8, Strategy::Loma)] {
            let request = LayerRequest { rules, strategy, lpf_limit: 4, ..layer_request(hardware, workload, None) };
            let (core, network) = documents(&request);
            let design_layers: Vec<DesignLayer> = network
                .computing()
                .map(|id| {
                    let layer = Some(network.layer(id).name.clone());
                    DesignLayer::of(core.clone(), &network, &LayerRequest { layer, ..request.clone() }).unwrap()
                })
                .collect();
            let found: Vec<_> = design_layers
                .iter()
                .filter_map(|design_layer| Some((design_layer, design_layer.best().ok()?)))
                .collect();
            assert!(!found.is_empty());
            let spec =
                mapping_document("found", found.iter().map(|(design_layer, best)| (*design_layer, &best.mapping)));
            let text = write_mapping(&spec);
            assert_eq!(read_mapping(&text).both(), (spec, Default::default()));
            let again =
                user_mappings(&text, &core, &network, &request).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
            assert_eq!(again.len(), found.len());
            for ((design_layer, priced), (before, best)) in again.iter().zip(&found) {
                assert_eq!(design_layer.problem, before.problem);
                assert_eq!(priced, best, "{hardware}: {}", design_layer.layer);
            }
        }
    }
}

/// A layer small enough to map by hand, and its document with these loops.
fn toy(loops: &str) -> (LayerRequest, String) {
    let hardware = "
name: toy
array: { dimensions: { D1: 4, D2: 2 }, mac_energy: 1 pJ }
unroll: { conv: { D1: K, D2: C } }
memories:
  - { name: reg, size: 4 B, operands: [W], width: 8 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [] }
  - { name: sram, size: 112 B, operands: [W, I, O], width: 64 bit, read_energy: 5 pJ, write_energy: 5 pJ, shared_over: all }
  - { name: dram, size: 1 MiB, operands: [W, I, O], width: 64 bit, read_energy: 50 pJ, write_energy: 50 pJ, shared_over: all }
";
    let workload = "
name: toy
batch: 1
precision: { W: 8, I: 8, O_partial: 16, O: 8 }
layers:
  - { name: in, type: input, K: 4, size: 6 x 4 }
  - { name: a, type: conv, K: 8, kernel: 1 x 1 }
";
    let request = LayerRequest {
        hardware: hardware.to_owned(),
        workload: workload.to_owned(),
        ..layer_request("tpu-like", "fsrcnn", None)
    };
    (request, format!("name: by hand\nlayers:\n  - layer: a\n    loops:\n{loops}"))
}

fn complaints(request: &LayerRequest, text: &str) -> Vec<String> {
    let (core, network) = documents(request);
    let wrong = user_mappings(text, &core, &network, request).err().unwrap_or_default();
    wrong.0.iter().map(ToString::to_string).collect()
}

const LOOPS: &str = "      - { loop: C 2, W: reg, I: sram, O: sram }
      - { loop: OX 6, W: sram, I: sram, O: sram }
      - { loop: K 2, W: sram, I: dram, O: dram }
      - { loop: OY 4, W: dram, I: dram, O: dram }
";

#[test]
fn a_mapping_by_hand_is_priced_as_the_loops_say() {
    let (request, text) = toy(LOOPS);
    let (core, network) = documents(&request);
    let priced = user_mappings(&text, &core, &network, &request).unwrap_or_else(|wrong| panic!("{wrong}"));
    let [(design_layer, mapped)] = &priced[..] else { panic!("one layer") };
    // Output first, then W and I; reusing loops move down by themselves: OX is at the registers of weights.
    assert_eq!(mapped.mapping.ends, [vec![2, 4], vec![2, 4, 4], vec![3, 4]]);
    assert_eq!(mapped.cycles.computing(), 2 * 6 * 2 * 4);
    // Reads of the registers of weights: one word per cycle and PE.
    let reg = &mapped.words[1][0];
    assert_eq!(reg.iter().copied().fold(0.0, f64::max), 96.0 * 8.0);
    let spec = mapping_document("again", [(design_layer, &mapped.mapping)]);
    let again = user_mappings(&write_mapping(&spec), &core, &network, &request).unwrap();
    assert_eq!(&again[0].1, mapped);
    // Another unrolling has other loops in time.
    let wide = text.replace("    loops:", "    unroll: { D1: OX 3, D2: OY 2 }\n    loops:");
    let said = complaints(&request, &wide);
    assert!(
        said.iter().any(|one| one.contains("The loops of OX multiply to 6, but the layer has 2 of it in time")),
        "{said:#?}"
    );
}

#[test]
fn an_order_alone_is_placed_as_loma_places_it() {
    let (request, text) =
        toy("      - { loop: OX 6 }\n      - { loop: OY 4 }\n      - { loop: C 2 }\n      - { loop: K 2 }\n");
    let (core, network) = documents(&request);
    let priced = user_mappings(&text, &core, &network, &request).unwrap_or_else(|wrong| panic!("{wrong}"));
    let best =
        DesignLayer::new(&LayerRequest { strategy: Strategy::Loma, lpf_limit: 12, ..request }).unwrap().best().unwrap();
    assert!(priced[0].1.energy_pj() >= best.energy_pj());
    assert_eq!(priced[0].1.mapping.order.iter().map(|next| next.size).product::<u64>(), 96);
}

#[test]
fn everything_that_is_wrong_with_a_mapping_document_is_said_with_its_line() {
    let (request, text) = toy(LOOPS);
    let said = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        complaints(&request, &text.replace(from, to))
    };
    for (from, to, expected) in [
        ("layer: a", "layer: b", "line 3: layers[0].layer: The network computes no layer `b`"),
        (
            "OX 6",
            "OX 5",
            "line 4: layers[0].loops: The loops of OX multiply to 5, but the layer has 6 of it in time. Let the sizes",
        ),
        ("loop: OX 6", "loop: OZ 6", "line 6: layers[0].loops[1].loop: There is no loop dimension `OZ`"),
        ("K 2", "K 1", "layers[0].loops[2].loop: A loop of 1 is none"),
        ("K 2", "K", "`K` is no loop with a size"),
        (
            "W: reg, ",
            "",
            "line 5: layers[0].loops[0]: No memory holds this loop for W. State one, for example `W: reg`",
        ),
        ("W: reg", "W: regs", "layers[0].loops[0].W: W has no memory `regs`. Did you mean `reg`?"),
        ("W: reg", "X: reg", "layers[0].loops[0].X: This layer has no operand X. Its operands are I, O, W"),
        ("OX 6, W: sram, I: sram", "OX 6, W: reg, I: dram", ""),
        (
            "K 2, W: sram, I: dram, O: dram",
            "K 2, W: sram, I: dram, O: sram",
            "`sram` has 112 B, but O and W and I would need",
        ),
        (
            "OY 4, W: dram",
            "OY 4, W: reg",
            "layers[0].loops[3].W: `reg` lies below `sram`, which holds a loop inside of this one",
        ),
        ("    loops:", "    unroll: { D3: K }\n    loops:", "layers[0].unroll.D3: The array has no dimension `D3`"),
        ("    loops:", "    unroll: { D1: Q }\n    loops:", "layers[0].unroll.D1: There is no loop dimension `Q`"),
        ("    loops:", "    unroll: { D1: K 9 }\n    loops:", "More than the 4 PEs of `D1` would be unrolled over"),
        ("    loops:", "    lops: 1\n    loops:", "lops"),
    ] {
        let said = said(from, to);
        assert_eq!(said.is_empty(), expected.is_empty(), "{to}: {said:#?}");
        assert!(expected.is_empty() || said.iter().any(|one| one.contains(expected)), "{to}: {expected}\n{said:#?}");
    }
    // All mistakes at once.
    let all = complaints(
        &request,
        &text.replace("OX 6", "OX 5").replace("W: reg", "W: regs").replace("K 2, W: sram", "K 2, W: rg"),
    );
    assert_eq!(all.len(), 3, "{all:#?}");
    let none = complaints(&request, "name: x\nlayers: []\n");
    assert!(none[0].contains("The document maps no layer"), "{none:#?}");
    let twice = format!("{text}{}", text.split_once("layers:\n").unwrap().1);
    assert!(complaints(&request, &twice)[0].contains("`a` is mapped twice"));
    assert_eq!(read_mapping("").both().0.layers, Vec::<LayerMappingSpec>::new());
}
