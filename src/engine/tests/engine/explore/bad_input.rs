//! All errors of bad input are reported at once, each with place, reason and remedy; nothing panics.

use fusescape_engine::depth_first::FuseDepth;
use fusescape_engine::explore::{Request, Settings, Sweep};
use fusescape_engine::hardware::Core;
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Objective, Strategy, Weights};
use fusescape_engine::workload::Network;
use fusescape_spec::{Diagnostics, find_preset, hardware_presets, workload_presets};

fn request(settings: Settings) -> Request {
    Request {
        hardware: find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), "resnet18").unwrap().text.to_owned(),
        settings,
    }
}

fn small(settings: Settings) -> Settings {
    Settings { tiles_x: vec![2], tiles_y: vec![2], ..settings }
}

fn rejected(request: &Request) -> Diagnostics {
    Sweep::new(request).err().expect("rejected")
}

#[track_caller]
fn complains(diagnostics: &Diagnostics, path: &str, reason: &str) {
    let found = diagnostics.0.iter().find(|diagnostic| diagnostic.path == path && diagnostic.reason.contains(reason));
    let found = found.unwrap_or_else(|| panic!("nothing at `{path}` about `{reason}` in:\n{diagnostics}"));
    assert!(!found.remedy.is_empty());
}

#[test]
fn everything_wrong_with_the_settings_is_said_at_once() {
    let diagnostics = rejected(&request(Settings {
        tiles_x: vec![],
        tiles_y: vec![4, 0],
        modes: vec![],
        fuse: vec![],
        objective: Objective::MemoryAccesses("sram_64K".into()),
        strategy: Strategy::Loma,
        lpf_limit: 0,
        rules: Rules::CORRECTED,
    }));
    complains(&diagnostics, "settings.tiles_x", "nothing to sweep");
    complains(&diagnostics, "settings.tiles_y", "height of 0");
    complains(&diagnostics, "settings.modes", "No overlap storing mode");
    complains(&diagnostics, "settings.fuse", "No fuse depth");
    complains(&diagnostics, "settings.objective", "no memory `sram_64K`");
    complains(&diagnostics, "settings.lpf_limit", "limit of 0");
    assert_eq!(diagnostics.0.len(), 6, "{diagnostics}");
}

#[test]
fn weights_must_weigh_something() {
    for weights in [
        Weights::default(),
        Weights { energy: -1.0, ..Weights::default() },
        Weights { latency: f64::NAN, ..Weights::default() },
        Weights { energy: 1.0, dram_accesses: 1e13, ..Weights::default() },
    ] {
        let settings = Settings { objective: Objective::Weighted(weights), ..Settings::default() };
        complains(&rejected(&request(settings)), "settings.objective", "from 0 to 1000000000000");
    }
}

#[test]
fn why_a_layer_has_no_mapping_is_a_memory_or_else_the_limit_of_the_search() {
    let mut rules = Rules::CORRECTED;
    rules.lpf_limit_below_dimensions_fails = true;
    let settings = Settings { strategy: Strategy::Loma, lpf_limit: 1, rules, ..Settings::default() };
    let limited = request(small(settings));
    let mut no_room = limited.clone();
    no_room.hardware = no_room.hardware.replace("size: 1 B", "size: 1 bit").replace("size: 2 B", "size: 1 bit");
    for (request, reason, remedy) in [
        (limited, "more than the LPF limit", "Set the LPF limit to 6 or more"),
        (no_room, "which has 1 bit", "Use smaller tiles, or a larger memory"),
    ] {
        let sweep = Sweep::new(&request).unwrap_or_else(|wrong| panic!("{wrong}"));
        let plan = sweep.plan();
        let problem = plan.problems.list.first().unwrap();
        let outcome = sweep.search(problem);
        assert!(outcome.best.is_none());
        let why = sweep.explain(problem, &outcome);
        assert!(!why.is_empty() && why.0.iter().all(|wrong| wrong.remedy == remedy), "{why}");
        assert!(why.0.iter().all(|wrong| wrong.reason.ends_with(reason)), "{why}");
    }
}

#[test]
fn wrong_documents_and_settings_are_said_together() {
    let mut request = request(Settings { lpf_limit: 99, ..Settings::default() });
    request.hardware = request.hardware.replace("size: 64 KiB", "size: 64 KB");
    request.workload = request.workload.replacen("type: conv", "type: cnov", 1);
    let diagnostics = rejected(&request);
    assert!(
        diagnostics.0.iter().any(|d| d.path.starts_with("hardware.memories[") && d.line.is_some()),
        "{diagnostics}"
    );
    assert!(diagnostics.0.iter().any(|d| d.path.starts_with("workload.layers[") && d.line.is_some()), "{diagnostics}");
    complains(&diagnostics, "settings.lpf_limit", "limit of 99");
}

#[test]
fn a_memory_too_small_for_one_tile_says_what_is_missing_where() {
    let mut request = request(small(Settings::default()));
    request.hardware = request.hardware.replace("size: 10000000000 bit", "size: 4 KiB");
    assert!(request.hardware.contains("size: 4 KiB"), "the preset states its DRAM otherwise");
    let plan = Sweep::new(&request).unwrap().plan();
    let wrong = plan.points[0].as_ref().expect_err("cannot be scheduled");
    let shortage = wrong.0.iter().find(|d| d.reason.contains("`dram`, which has 4.0 KiB")).expect("names the memory");
    assert!(shortage.reason.contains("at least") && shortage.remedy.contains("dram"), "{wrong}");
}

#[test]
fn cuts_that_are_impossible_are_explained() {
    let cuts = |names: &[&str]| {
        let fuse = vec![FuseDepth::Cuts(names.iter().map(|name| (*name).to_owned()).collect())];
        Sweep::new(&request(small(Settings { fuse, ..Settings::default() }))).err()
    };
    let first = request(Settings::default());
    let network = Sweep::new(&first).unwrap().network;
    let branch_start = network.computing().find(|&id| network.consumers(id).len() > 1).unwrap();
    let inside = network.consumers(branch_start)[0];
    let [start, inside] = [branch_start, inside].map(|id| network.layer(id).name.clone());

    complains(&cuts(&["nonsense"]).unwrap(), "settings.fuse", "no layer `nonsense`");
    complains(&cuts(&[&inside]).unwrap(), "settings.fuse", &format!("hand `{start}` on"));
    assert_eq!(cuts(&[&start]), None);
}

#[test]
fn a_tile_larger_than_every_map_is_noted_and_means_the_whole_map() {
    let settings = |tile: u64| Settings { tiles_x: vec![tile], tiles_y: vec![tile], ..Settings::default() };
    let whole = Sweep::new(&request(settings(1_000_000))).unwrap().plan();
    complains(&whole.notes, "settings.tiles_x", "1000000 wide");
    complains(&whole.notes, "settings.tiles_y", "1000000 high");
    for stack in &whole.points[0].as_ref().unwrap().stacks {
        assert_eq!(stack.types.len(), 1);
        assert_eq!(stack.types.raw[0].size, stack.output_size);
    }
    assert!(Sweep::new(&request(settings(7))).unwrap().plan().notes.is_empty());
}

#[test]
fn more_tiles_than_can_be_followed_are_refused() {
    let mut request = request(Settings { tiles_x: vec![1], ..Settings::default() });
    request.workload = "name: wide
layers:
  - { name: in, type: input, K: 1, size: 4000000 x 4 }
  - { name: a, type: conv, K: 1, kernel: 3 x 3, padding: 1 }"
        .to_owned();
    let plan = Sweep::new(&request).unwrap().plan();
    complains(plan.points[0].as_ref().expect_err("refused"), "settings.tiles_x", "side by side");
}

/// Columns of tiles are followed through every layer.
#[test]
fn more_tiles_than_can_be_followed_through_so_many_layers_are_refused() {
    let mut request = request(Settings { tiles_x: vec![1], tiles_y: vec![1], ..Settings::default() });
    let stack = |layers: usize| {
        let mut text = "name: deep\nlayers:\n  - { name: l0, type: input, K: 1, size: 60000 x 1 }\n".to_owned();
        for number in 1..=layers {
            text += &format!("  - {{ name: l{number}, type: conv, K: 1, kernel: 1 x 1 }}\n");
        }
        text
    };
    request.settings.fuse = vec![FuseDepth::Cuts(Vec::new())];
    for (layers, is_refused) in [(1, false), (100, true)] {
        request.workload = stack(layers);
        let plan = Sweep::new(&request).unwrap().plan();
        match &plan.points[0] {
            Ok(_) => assert!(!is_refused, "{layers} layers"),
            Err(refused) => {
                assert!(is_refused, "{layers} layers: {refused}");
                complains(refused, "settings.tiles_x", "side by side");
            }
        }
    }
}

/// Every accelerator runs every network, under both rules; but words of 16 bit need registers of 16 bit.
#[test]
fn all_presets_go_together() {
    for hardware in hardware_presets() {
        for workload in workload_presets() {
            for rules in [Rules::CORRECTED, Rules::DEFINES_2022] {
                let settings = Settings { tiles_x: vec![16], tiles_y: vec![8], rules, ..Settings::default() };
                let request = Request { hardware: hardware.text.into(), workload: workload.text.into(), settings };
                for point in Sweep::new(&request).unwrap().plan().points {
                    match point {
                        // Elements of 16 bit.
                        Err(wrong)
                            if ["alexnet-eyeriss", "attention-head"].contains(&workload.id)
                                && hardware.id != "eyeriss-like" =>
                        {
                            assert!(wrong.to_string().contains("needs at least 2 B in `rf_1B`"), "{wrong}");
                        }
                        // Its highest memory is on the chip, and smaller than some layers.
                        Err(wrong) if hardware.id == "zigzag-8x8" => {
                            assert!(wrong.to_string().contains("in `sram_2MiB`, which has 2.00 MiB"), "{wrong}");
                        }
                        // No layer adds there, so that branches have no end, and the tool of 2022 cuts as if each had a
                        // reader.
                        Err(wrong)
                            if rules == Rules::DEFINES_2022
                                && ["zigzag-aimc", "zigzag-dimc"].contains(&hardware.id) =>
                        {
                            assert!(wrong.to_string().contains("A stack that ends after"), "{wrong}");
                        }
                        point => {
                            point.unwrap_or_else(|wrong| panic!("{} on {}: {wrong}", workload.id, hardware.id));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn layers_that_see_nothing_but_padding_are_refused() {
    for padding in ["3", "same"] {
        let text = format!(
            "name: blind
layers:
  - {{ name: in, type: input, K: 1, size: 4 x 4 }}
  - {{ name: a, type: conv, K: 1, kernel: 2 x 2, dilation: 6, padding: {padding} }}"
        );
        let diagnostics = Network::from_text(&text).expect_err("refused");
        complains(&diagnostics, "layers[1].dilation", "fall into the padding");
    }
}

#[test]
fn more_memory_levels_than_the_tables_have_are_refused() {
    let memory = |index: usize| {
        format!(
            "  - {{ name: m{index}, size: 1 MiB, operands: [W, I, O], width: 64 bit, read_energy: 1 pJ, write_energy: \
             1 pJ, shared_over: all }}\n"
        )
    };
    let core = |count: usize| {
        let memories: String = (0..count).map(memory).collect();
        Core::from_text(&format!(
            "name: tall\narray: {{ dimensions: {{ D1: 2 }}, mac_energy: 1 pJ }}\nunroll: {{ conv: {{ D1: K }} }}\nmemories:\n{memories}"
        ))
    };
    assert!(core(8).is_ok(), "{:?}", core(8));
    complains(&core(9).expect_err("refused"), "memories", "passes 9 memories");
}

#[test]
fn every_tile_different_is_refused() {
    let mut request = request(Settings { tiles_x: vec![1], tiles_y: vec![1], ..Settings::default() });
    request.workload = "name: whole view
layers:
  - { name: in, type: input, K: 1, size: 256 x 256 }
  - { name: a, type: conv, K: 1, kernel: 255 x 255, padding: same }"
        .to_owned();
    complains(
        Sweep::new(&request).unwrap().plan().points[0].as_ref().expect_err("refused"),
        "settings",
        "kinds of columns",
    );
}

/// Infeasible layer-tiles are recognised without trying all orders of their loops.
#[test]
fn what_cannot_fit_is_found_out_at_once() {
    let mut request = request(Settings {
        strategy: Strategy::Loma,
        lpf_limit: 12,
        fuse: vec![FuseDepth::LayerByLayer],
        ..Settings::default()
    });
    request.hardware = request.hardware.replace("size: 10000000000 bit", "size: 4 KiB");
    assert!(Sweep::new(&request).unwrap().plan().points[0].is_err());
}
