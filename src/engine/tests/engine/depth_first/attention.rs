//! Products of two computed maps, and views of stored maps: sizes, and places where stacks have to end.

use fusescape_engine::depth_first::{FuseDepth, cut};
use fusescape_engine::explore::{CostStore, IncrementalSweep, Request, Settings, Sweep};
use fusescape_engine::hardware::{Core, Operand};
use fusescape_engine::rules::Rules;
use fusescape_engine::workload::{Dim, LayerId, Network};
use fusescape_spec::{find_preset, hardware_presets, read_workload, workload_presets, write_workload};

fn network(id: &str) -> Network {
    Network::from_text(find_preset(workload_presets(), id).unwrap().text).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn core(id: &str) -> Core {
    Core::from_text(find_preset(hardware_presets(), id).unwrap().text).unwrap()
}

fn layer<'n>(network: &'n Network, name: &str) -> &'n fusescape_engine::workload::Layer {
    network.layer(network.ids().find(|&id| network.layer(id).name == name).unwrap())
}

#[test]
fn attention_has_the_sizes_of_its_matrices() {
    let bert = network("bert-base-block");
    // For each of 12 heads: 128 x 64 times 64 x 128, then 128 x 128 times 128 x 64.
    let scores = layer(&bert, "scores").shape;
    assert_eq!([Dim::G, Dim::OX, Dim::C, Dim::K].map(|dim| scores.size(dim)), [12, 128, 64, 128]);
    let context = layer(&bert, "context").shape;
    assert_eq!([Dim::G, Dim::OX, Dim::C, Dim::K].map(|dim| context.size(dim)), [12, 128, 128, 64]);
    for (shape, w, i, o) in
        [(scores, 128 * 768, 128 * 768, 12 * 128 * 128), (context, 128 * 768, 12 * 128 * 128, 128 * 768)]
    {
        assert_eq!(shape.macs(), 12 * 128 * 128 * 64);
        assert_eq!([Operand::W, Operand::I, Operand::O].map(|operand| shape.elements(operand)), [w, i, o]);
    }
    let adds = 2 * 128 * 768;
    let products: u64 = 4 * 768 * 768 * 128 + 2 * 768 * 3072 * 128 + 2 * 128 * 128 * 768;
    assert_eq!(bert.macs(), products + adds);
    let gpt: u64 = 1024 * (4 * 768 * 768 + 2 * 768 * 3072) + 2 * 1024 * 1024 * 768;
    assert_eq!(network("gpt2-block").macs(), gpt + 2 * 1024 * 768);
    let decode = 4 * 768 * 768 + 2 * 768 * 3072 + 2 * 1024 * 768;
    assert_eq!(network("gpt2-block-decode").macs(), decode + 2 * 768);
}

#[test]
fn stacks_end_where_a_whole_map_is_needed() {
    let (bert, core) = (network("bert-base-block"), core("meta-proto-like-df"));
    for fuse in [FuseDepth::Automatic, FuseDepth::LayerByLayer, FuseDepth::SingleLayer] {
        let stacks = cut(&bert, &core, &fuse, &Rules::CORRECTED).unwrap();
        for id in bert.computing() {
            for stored in bert.stored_inputs(id) {
                let place = |of: LayerId| stacks.iter().position(|stack| stack.layers().contains(&of)).unwrap();
                assert!(
                    place(stored) < place(id),
                    "{fuse:?}: {} is read before it is complete",
                    bert.layer(stored).name
                );
                assert_eq!(stacks[place(stored)].nodes.last(), Some(&stored), "{fuse:?}");
            }
        }
    }
    let stored: Vec<&str> = bert.stored().map(|id| bert.layer(id).name.as_str()).collect();
    assert_eq!(stored, ["key", "value"]);
}

/// Rows of the other input may come tile by tile: the chain from the scores to the block's end is one stack.
#[test]
fn attention_is_scheduled_and_says_where_tiling_ends() {
    let document = |id: &str, presets| find_preset(presets, id).unwrap().text.to_owned();
    let request = Request {
        hardware: document("meta-proto-like-df", hardware_presets()),
        workload: document("bert-base-block", workload_presets()),
        settings: Settings {
            tiles_x: vec![16, 128],
            tiles_y: vec![1],
            fuse: vec![FuseDepth::LayerByLayer],
            ..Settings::default()
        },
    };
    let sweep = Sweep::new(&request).unwrap_or_else(|wrong| panic!("{wrong}"));
    let notes = sweep.notes().to_string();
    assert!(notes.contains("`key`, `value`"), "{notes}");
    let macs = sweep.network.macs();
    let (mut incremental, mut store) = (IncrementalSweep::new(sweep), CostStore::default());
    for point in 0..incremental.strategies().len() {
        let account = incremental.account(&mut store, point).unwrap();
        // Tokens depend on each other only through the second matrices, so nothing is computed twice.
        assert_eq!(account.macs, macs);
    }
}

#[test]
fn a_view_shows_what_earlier_layers_stored() {
    let text = "
name: concatenation
layers:
  - { name: image, type: input, K: 8, size: 16 x 16 }
  - { name: a, type: conv, K: 8, kernel: 3 x 3, padding: same }
  - { name: b, type: conv, from: image, K: 24, kernel: 1 x 1 }
  - { name: both, type: view, from: [a, b], K: 32, size: 16 x 16 }
  - { name: c, type: conv, from: both, K: 8, kernel: 1 x 1 }
";
    let network = Network::from_text(text).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!(layer(&network, "c").shape.size(Dim::C), 32);
    assert_eq!(network.computing().count(), 3, "a view computes nothing");
    let stacks = cut(&network, &core("meta-proto-like-df"), &FuseDepth::LayerByLayer, &Rules::CORRECTED).unwrap();
    let names: Vec<Vec<&str>> =
        stacks.iter().map(|stack| stack.layers().iter().map(|&id| network.layer(id).name.as_str()).collect()).collect();
    assert_eq!(names, [["a"], ["b"], ["c"]]);
    let (spec, wrong) = read_workload(text).both();
    assert!(wrong.is_empty());
    assert_eq!(read_workload(&write_workload(&spec)).both(), (spec, wrong));
}

#[test]
fn matrices_that_do_not_fit_are_explained() {
    let text = "
name: wrong
layers:
  - { name: x, type: input, K: 10, size: 7 x 1 }
  - { name: y, type: input, K: 3, size: 7 x 1 }
  - { name: odd, type: matmul, from: [x, y] }
  - { name: stated, type: matmul, from: [x, x], K: 8 }
  - { name: three, type: matmul, from: [x, x, y] }
  - { name: lost, type: view, K: 8 }
  - { name: gated, type: depthwise, from: [x, y], kernel: 1 x 1 }
";
    let wrong = Network::from_text(text).unwrap_err().to_string();
    assert!(wrong.contains("reads 3 feature maps instead of 1 or 2"), "{wrong}");
    let wrong = Network::from_text(&text.replace("[x, x, y]", "[x, x]")).unwrap_err().to_string();
    for part in [
        "`y` has 21 elements",
        "write `K: 7`",
        "The view `lost` has no feature map",
        "`y` has 21 elements, the kernels of `gated` 10",
    ] {
        assert!(wrong.contains(part), "{part} is not said:\n{wrong}");
    }
}
