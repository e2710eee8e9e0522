//! The command line, as used by a person.

use fusescape_command::Unmonitored;
use fusescape_command::depth_first::{SweepRow, depth_first};
use fusescape_engine::explore::{CostStore, IncrementalSweep, Request, Settings, Sweep};
use fusescape_engine::search::Objective;
use fusescape_spec::{find_preset, hardware_presets, workload_presets};
use fusescape_test_support::root;
use fusescape_test_support::sample::sample_or_all;
use serde_json::{Value, json};
#[cfg(target_os = "linux")]
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::Output;

fn fusescape(arguments: &[&str]) -> Output {
    crate::program().args(arguments).output().unwrap()
}

pub fn succeeds(arguments: &[&str]) -> String {
    let output = fusescape(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

pub fn fails(arguments: &[&str]) -> String {
    let output = fusescape(arguments);
    assert!(!output.status.success(), "{arguments:?} succeeds");
    String::from_utf8(output.stderr).unwrap()
}

/// A file for one test.
fn file(name: &str, text: &str) -> String {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

const FSRCNN: [&str; 5] = ["depth-first", "--hardware", "meta-proto-like-df", "--workload", "fsrcnn-defines"];

fn fsrcnn(more: &[&'static str]) -> Vec<&'static str> {
    [&FSRCNN, more].concat()
}

/// With an example in the docs.
#[test]
fn every_command_is_described() {
    let help = succeeds(&["--help"]);
    let listed = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let commands: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"cores") && commands.contains(&"serve"), "{commands:?}");
    let docs = std::fs::read_to_string(root().join("docs/command-line.md")).unwrap();
    for command in commands.into_iter().filter(|command| *command != "help") {
        assert!(docs.contains(&format!("`{command}`")), "{command} is named");
        let example = [format!("cargo run --release -- {command}"), format!("`{command} NAME`")];
        assert!(example.iter().any(|example| docs.contains(example)), "{command} has an example");
    }
}

#[test]
fn memories_have_names_in_json() {
    let text = succeeds(&fsrcnn(&["--tile", "60x72", "--mode", "fully-cached", "--format", "json"]));
    let value: Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&Value> = value["account"]["memories"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    fn each_memory<'v>(value: &'v Value, visit: &mut dyn FnMut(&'v Value)) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(field, value)| match field.as_str() {
                "memory" => visit(value),
                _ => each_memory(value, visit),
            }),
            Value::Array(items) => items.iter().for_each(|item| each_memory(item, visit)),
            _ => {}
        }
    }
    let mut found = 0;
    each_memory(&value["account"], &mut |memory| {
        assert!(names.contains(&memory), "{memory}");
        found += 1;
    });
    assert!(found > 100, "{found}");
}

#[test]
fn one_point_as_json_is_the_published_one() {
    let published = ["--mode", "fully-cached", "--tile", "4x72", "--rules", "defines-2022", "--strategy", "loma"];
    let text = succeeds(&fsrcnn(&[&published[..], &["--format", "json"]].concat()));
    let value: Value = serde_json::from_str(&text).unwrap();
    let point = &value["points"][0];
    assert!((point["energy_pj"].as_f64().unwrap() / 1_813_734_143.38 - 1.0).abs() < 1e-9, "{point}");
    assert_eq!(point["macs"], 8_362_594_208_u64);
    assert!(point["latency_cycles"].as_u64().unwrap() <= 18_484_958);
    let stacks = value["account"]["stacks"].as_array().unwrap();
    assert_eq!(stacks.len(), 1);
    assert_eq!(stacks[0]["tile_count"], 240 * 8);
}

#[test]
fn a_grid_as_csv_has_a_line_a_point() {
    let text = succeeds(&fsrcnn(&["--mode", "fully-cached,fully-recompute", "--grid", "60,240x72", "--format", "csv"]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 4);
    assert!(lines[0].starts_with("mode,tile_x_columns,tile_y_rows,energy_pj,latency_cycles"));
    assert!(lines[1].starts_with("fully-cached,60,72,") && lines[4].starts_with("fully-recompute,240,72,"));
}

#[test]
fn ranges_of_tile_sizes_are_swept() {
    let text =
        succeeds(&fsrcnn(&["--mode", "fully-cached", "--grid", "240..960:240,60x270..540:270", "--format", "csv"]));
    let tiles: Vec<&str> = text.lines().skip(1).filter_map(|line| line.get(13..20)).collect();
    assert_eq!(tiles.len(), 5 * 2);
    assert!(tiles[0].starts_with("240,270") && tiles[8].starts_with("960,540"), "{tiles:?}");
    assert!(fails(&fsrcnn(&["--grid", "9..3x72"])).contains("ends before it begins"));
}

#[test]
fn points_one_by_one_and_problem_by_problem_give_the_same_report() {
    // If there are more cores than tile widths, the cores share problems; otherwise each has points of its own.
    let on_threads = |threads: &str, arguments: &[&str]| {
        let output = crate::program().args(arguments).env("RAYON_NUM_THREADS", threads).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let small_dram =
        succeeds(&["presets", "meta-proto-like-df"]).replace("size: 10000000000 bit", "size: 200000000 bit");
    let small_dram = file("small-dram.yaml", &small_dram);
    let machine = |hardware: &'static str| ["depth-first", "--hardware", hardware, "--workload"];
    for (design, more, format) in [
        ([&machine("meta-proto-like-df")[..], &["fsrcnn"]].concat(), ["--grid", "60,960x18,540"], "json"),
        ([&machine("tpu-like-df")[..], &["resnet18"]].concat(), ["--grid", "28,56x14"], "csv"),
        (
            vec!["depth-first", "--hardware", small_dram.as_str(), "--workload", "fsrcnn"],
            ["--grid", "60,960x18,540"],
            "table",
        ),
    ] {
        let arguments = [&design[..], &more, &["--format", format]].concat();
        let shared = on_threads("3", &arguments);
        assert!(shared.len() > 500, "{arguments:?}");
        for threads in ["1", "2"] {
            assert_eq!(on_threads(threads, &arguments), shared, "{threads} threads, {arguments:?}");
        }
    }
}

#[test]
fn the_table_marks_the_best_point() {
    let text = succeeds(&fsrcnn(&["--grid", "4,960x72", "--mode", "fully-cached"]));
    let best: Vec<&str> = text.lines().filter(|line| line.trim_end().ends_with('*')).collect();
    assert!(matches!(best.as_slice(), [line] if line.contains("4 x 72")), "{text}");
}

#[test]
fn every_objective_and_fuse_depth_is_understood() {
    for objective in
        ["energy", "latency", "edp", "dram-accesses", "accesses:sram_64KB", "weighted:energy=1,latency=100"]
    {
        succeeds(&fsrcnn(&["--tile", "240x270", "--objective", objective, "--lpf-limit", "4"]));
    }
    for stacks in ["auto", "single-layer", "layer-by-layer", "shrink,map4"] {
        succeeds(&fsrcnn(&["--tile", "240x270", "--stacks", stacks, "--lpf-limit", "4"]));
    }
}

#[test]
fn mistakes_are_explained() {
    assert!(fails(&["depth-first", "--hardware", "meta-proto", "--workload", "fsrcnn"]).contains("meta-proto-like"));
    assert!(fails(&fsrcnn(&["--tile", "0x5"])).contains("no tile size"));
    assert!(
        fails(&fsrcnn(&["--tile", "60"])).contains("60x72")
            || fails(&fsrcnn(&["--tile", "60"])).contains("widths x heights")
    );
    assert!(fails(&fsrcnn(&["--mode", "cached"])).contains("fully-cached"));
    assert!(fails(&fsrcnn(&["--objective", "speed"])).contains("edp"));
    assert!(fails(&fsrcnn(&["--stacks", "shrnk", "--tile", "4x4"])).contains("Did you mean `shrink`?"));
}

#[test]
fn every_name_that_is_mistyped_is_answered_with_the_one_that_was_meant() {
    let layer = |more: &[&'static str]| [&CONV2[..], more].concat();
    let cores = |more: &[&'static str]| {
        [&["cores", "--system", "tpu-quad", "--hardware", "tpu-like", "--workload", "mccnn"], more].concat()
    };
    let fuse =
        ["fuse", "--hardware", "meta-proto-like-df", "--workload", "fsrcnn-defines", "--sequences", "temporl"].to_vec();
    for (arguments, meant) in [
        (vec!["compar"], "compare"),
        (vec!["presets", "resnet81"], "resnet18"),
        (vec!["report", "--hardware", "tpu-lik-df"], "tpu-like-df"),
        (vec!["report", "--gallery", "defines-fig-12b"], "defines-fig-12"),
        (vec!["report", "--view", "landscap"], "landscape"),
        (vec!["compare", "tpu-lik-df", "--on", "fsrcnn"], "tpu-like-df"),
        (vec!["compare", "tpu-like-df", "--on", "fsrcn"], "fsrcnn"),
        (vec!["hierarchy", "--workload", "mobilenet-v2-study", "--pool", "zigzag-65"], "zigzag-65nm"),
        (fuse, "temporal"),
        (fsrcnn(&["--mode", "fully-cashed"]), "fully-cached"),
        (fsrcnn(&["--objective", "latncy"]), "latency"),
        (fsrcnn(&["--objective", "weighted:enery=1"]), "energy"),
        (fsrcnn(&["--objective", "accesses:sram_46KB"]), "sram_64KB"),
        (fsrcnn(&["--strategy", "exat"]), "exact"),
        (fsrcnn(&["--rules", "defines-2002"]), "defines-2022"),
        (fsrcnn(&["--stacks", "shrnk"]), "shrink"),
        (fsrcnn(&["--stacks", "optmal"]), "optimal"),
        (fsrcnn(&["--stacks", "single-layers"]), "single-layer"),
        (fsrcnn(&["--format", "jsn"]), "json"),
        (layer(&["--strategy", "heuristc"]), "heuristic"),
        (layer(&["--layer", "con2"]), "conv2"),
        (layer(&["--hint", "row=K"]), "rows"),
        (layer(&["--objective", "enrgy"]), "energy"),
        (cores(&["--allocation", "core 9"]), "core "),
        (cores(&["--allocation", "con1: core 0"]), "conv1"),
        (cores(&["--objective", "latncy"]), "latency"),
        (cores(&["--scheduler", "stream-2032"]), "stream-2023"),
        (cores(&["--order", "deepst"]), "deepest"),
        (cores(&["--tiles", "con1: K 4"]), "conv1"),
        (cores(&["--stacks", "con1"]), "conv1"),
        (cores(&["--stacks", "each-layr"]), "each-layer"),
        (cores(&["--tiles", "layer-by-lyer"]), "layer-by-layer"),
        (cores(&["--allocation", "gentic"]), "genetic"),
        (vec!["cores", "--system", "tpu-quda", "--workload", "mccnn"], "tpu-quad"),
    ] {
        let said = fails(&arguments);
        let asks = ["Did you mean `", "did you mean `", "similar value exists: '", "similar subcommand exists: '"];
        assert!(asks.iter().any(|asks| said.contains(&format!("{asks}{meant}"))), "{arguments:?}: {said}");
    }
}

/// As in JSON results and in reports.
#[test]
fn the_program_says_its_version_and_its_commit() {
    let said = succeeds(&["--version"]);
    let stated: Value = serde_json::from_str(&succeeds(&[&CONV2[..], &["--json"]].concat())).unwrap();
    let (version, commit) = (&stated["made_by"]["version"], &stated["made_by"]["commit"]);
    let expected = match commit.as_str() {
        Some(commit) => format!("fusescape {} (commit {commit})\n", version.as_str().unwrap()),
        None => format!("fusescape {}\n", version.as_str().unwrap()),
    };
    assert_eq!(said, expected);
}

#[test]
fn presets_can_be_printed_and_validated() {
    let list = succeeds(&["presets"]);
    for name in ["tesla-npu-like-df", "resnet18", "resnet18-defines"] {
        assert!(list.contains(name));
        let path = file(&format!("{name}.yaml"), &succeeds(&["presets", name]));
        assert!(succeeds(&["validate", &path]).contains(if name.starts_with("tesla") { "1024 PEs" } else { "layers" }));
    }
    assert!(fails(&["presets", "nonsense"]).contains("no preset `nonsense`"));
}

#[test]
fn validate_says_everything_that_is_wrong() {
    let path = file("wrong.yaml", "name: x\nlayers:\n  - { name: a, type: cnov, K: 0 }\n  - { name: a, typ: add }\n");
    let errors = fails(&["validate", &path]);
    for part in ["line 3", "line 4", "conv", "Two layers are called `a`"] {
        assert!(errors.contains(part), "`{part}` is missing in:\n{errors}");
    }
    assert!(fails(&["validate", "no-such-file.yaml"]).contains("no-such-file.yaml"));
}

const CONV2: [&str; 7] = ["layer", "--hardware", "eyeriss-like", "--workload", "alexnet-eyeriss", "--layer", "conv2"];

#[test]
fn a_layer_is_printed_as_a_loop_nest_with_its_memories() {
    let text = succeeds(&CONV2);
    let nest: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("  loop")).collect();
    let heading: Vec<&str> = nest[0].split_whitespace().collect();
    assert_eq!(heading, ["loop", "W", "I", "O"]);
    let loops: u64 = nest[1..]
        .iter()
        .take_while(|line| !line.is_empty())
        .map(|line| line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap())
        .product();
    assert_eq!(loops, 1_597_440, "ideal cycles of ZigZag, Fig. 6");
    assert!(text.contains("130 of 168 PEs"), "{text}");
}

#[test]
fn the_best_unrolling_is_no_worse_than_the_stated_one() {
    let run = |more: &[&'static str]| -> Value {
        let arguments =
            [&["--objective", "latency", "--strategy", "loma", "--lpf-limit", "4", "--json"], more].concat();
        serde_json::from_str(&succeeds(&[&CONV2[..], &arguments].concat())).unwrap()
    };
    let (stated, best) = (run(&[]), run(&["--unroll", "search", "--loops-per-dimension", "2"]));
    let (stated, best) = (&stated["layers"][0], &best["layers"][0]);
    assert!(best["latency_cycles"].as_u64().unwrap() <= stated["latency_cycles"].as_u64().unwrap());
    let unrollings = &best["search"]["unrollings"];
    assert!(unrollings["searched"].as_u64().unwrap() < unrollings["legal"].as_u64().unwrap(), "{unrollings}");
    assert!(stated["search"]["unrollings"].is_null());
    assert_eq!(best["macs"], 207_667_200);
}

#[test]
fn a_dram_that_states_no_ports_is_said_to_do_two_things_at_once() {
    let preset = find_preset(hardware_presets(), "fusemax-like").unwrap().text;
    let told = |text: &str| {
        let hardware = file("ports.yaml", text);
        let output = fusescape(&["layer", "--hardware", &hardware, "--workload", "three-convs", "--layer", "conv1"]);
        String::from_utf8(output.stderr).unwrap()
    };
    let said = told(preset);
    assert_eq!(
        said.matches("`dram` of FuseMax-like states no ports, and so reads and writes at once").count(),
        1,
        "{said}"
    );
    // Following the advice is enough.
    let ports = said.split("Write `").nth(1).unwrap().split('`').next().unwrap();
    let (before, dram) = preset.split_once("- name: dram\n").unwrap();
    let said = told(&format!("{before}- name: dram\n    {ports}\n{dram}"));
    assert!(!said.contains("states no ports"), "{said}");
}

#[test]
fn an_unrolling_wider_than_the_array_is_told_by_all_who_take_less() {
    let tpu = find_preset(hardware_presets(), "tpu-like").unwrap().text;
    let wide = file("wide.yaml", &tpu.replace("conv: { D1: K, D2: C }", "conv: { D1: K 96, D2: C }"));
    let small = ["--hardware", &wide, "--workload", "three-convs"];
    let note = "note: hardware.unroll.conv.D1: `K 96` is wider than `D1` of TPU-like, which has 32 PEs: these are taken. Write 32, or \
        no number.\n";
    for command in
        [&["layer"][..], &["depth-first", "--tile", "8x8"], &["cores", "--system", "quad-beside", "--tiles", "4"]]
    {
        let output = fusescape(&[command, &small[..]].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && told.matches(note).count() == 1, "{command:?}: {told}");
    }
    // A layer with its own unrolling, for hardware with its dataflow.
    let own = "name: own\nlayers:\n  - { name: a, type: input, K: 64, size: 8 x 8 }\n  \
        - { name: b, type: conv, K: 64, kernel: 1 x 1, unroll: { tpu: { D2: C 64 } } }\n";
    let own = file("own-unroll.yaml", own);
    let told = fusescape(&["layer", "--hardware", "tpu-like", "--workload", &own]).stderr;
    let told = String::from_utf8(told).unwrap();
    assert!(
        told.contains("workload.layers.b.unroll.D2: `C 64` is wider than `D2` of TPU-like, which has 32 PEs"),
        "{told}"
    );
}

#[test]
fn what_is_small_has_units_that_show_it() {
    let tiny = "name: tiny\nlayers: [{ name: a, type: input, K: 3, size: 1 x 1 }, { name: fc, type: fully-connected, K: 3 }]\n";
    let tiny = file("tiny.yaml", tiny);
    let text = succeeds(&["layer", "--hardware", "tpu-like", "--workload", &tiny]);
    for part in ["fc: 9 MACs\n", "9 of 1024 PEs", "utilisation: 0.879 % of the PEs, 20.0 % of the time", "[nJ]"] {
        assert!(text.contains(part), "`{part}` is not in {text}");
    }
    let small = ["--hardware", "tpu-like", "--workload", "three-convs", "--tile", "8x8"];
    let text = succeeds(&[&["depth-first"], &small[..], &["--mode", "fully-cached"]].concat());
    for part in ["energy [µJ]", "latency [kcycles]", "MAC [MMACs]", "DRAM [k accesses]"] {
        assert!(text.contains(part), "`{part}` is not in {text}");
    }
    // No number of a memory with accesses is 0.
    let memories = text.split("[accesses]\n").nth(1).unwrap();
    assert!(["4.14 M", "369 k", "744", "512"].iter().all(|number| memories.contains(number)), "{memories}");
    assert!(succeeds(&[&["fuse"], &small[..]].concat()).contains("latency [kcycles]"));
}

#[test]
fn who_names_no_stacks_learns_what_the_optimal_ones_cost() {
    let grid = |workload: &'static str, grid: &'static str, stacks: &[&'static str]| {
        let options = ["depth-first", "--hardware", "meta-proto-like-df", "--workload", workload, "--grid", grid];
        succeeds(&[&options[..], &["--mode", "fully-cached"], stacks].concat())
    };
    let small = |stacks: &[&'static str]| grid("resnet18", "14,28x14", stacks);
    let optimum = small(&["--stacks", "optimal"]);
    let costs = optimum.split("\noptimal: ").nth(1).and_then(|rest| rest.split(';').next()).unwrap();
    let told = small(&[]);
    let hint = told.lines().last().unwrap();
    assert!(
        hint.starts_with("The stacks are those of DeFiNES' rule (auto)") && hint.ends_with("--stacks optimal"),
        "{hint}"
    );
    for number in costs.split(", ").map(|part| part.split(' ').next().unwrap()) {
        assert!(hint.contains(number), "{number} is not in {hint}");
    }
    assert!(optimum.contains("given: data lies in the lowest memories that hold it"), "{optimum}");
    assert!(grid("fsrcnn", "60,240x72", &[]).contains("no other cut costs less"));
    assert!(!small(&["--stacks", "auto"]).contains("DeFiNES' rule"));
}

#[test]
fn a_layer_is_searched_under_constraints() {
    let orders =
        "name: a\nlayers: [{ layer: conv2, order: [FX all, rest, K 4], levels: [{ memory: spad_W, holds: C 2 }] }]\n";
    let path = file("constraints.yaml", orders);
    let text = succeeds(&[&CONV2[..], &["--constraints", &path]].concat());
    for part in ["proved optimal under the constraints", "with the constraints it scores", "130 of 168 PEs"] {
        assert!(text.contains(part), "`{part}` is not in {text}");
    }
    let nest: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("  loop")).skip(1).collect();
    let loops: Vec<&str> = nest.iter().take_while(|line| !line.is_empty()).map(|line| line[..7].trim()).collect();
    assert_eq!((loops.first(), loops.last()), (Some(&"K 4"), Some(&"FX 5")), "{text}");
    let path = file("excluding.yaml", "name: a\nlayers: [{ unroll: { rows: K 4, columns: any }, order: [K 101] }]\n");
    let errors = fails(&[&CONV2[..], &["--constraints", &path]].concat());
    assert!(errors.contains("layers[0].order: ") && errors.contains("101 does not divide"), "{errors}");
    let path = file("wrong-constraints.yaml", "name: a\nlayers: [{ layer: conv22, order: [K 4] }]\n");
    assert!(fails(&[&CONV2[..], &["--constraints", &path]].concat()).contains("Did you mean"));
    let path = file("constraints-again.yaml", orders);
    assert!(
        fails(&[&CONV2[..], &["--constraints", &path, "--strategy", "iterative"]].concat())
            .starts_with("constraints: ")
    );
}

#[test]
fn a_layer_that_does_not_exist_is_answered_with_the_closest() {
    let arguments: Vec<&str> = CONV2.iter().map(|word| if *word == "conv2" { "conv22,conv9" } else { word }).collect();
    let text = fails(&arguments);
    assert!(
        text.contains("no layer `conv22`") && text.contains("no layer `conv9`") && text.contains("Did you mean"),
        "{text}"
    );
    assert!(fails(&[&CONV2[..], &["--strategy", "guess"]].concat()).contains("use one of"));
}

#[test]
fn the_front_of_a_layer_begins_with_the_least_energy_and_ends_with_the_least_latency() {
    let run = |more: &[&'static str]| -> Value {
        serde_json::from_str(&succeeds(&[&CONV2[..], &["--json"], more].concat())).unwrap()
    };
    let found = run(&["--front"]);
    let front = &found["layers"][0]["search"]["front"];
    assert_eq!(front["proof"], json!("Optimal"));
    let mappings = front["mappings"].as_array().unwrap();
    let (cheapest, fastest) = (&mappings[0], mappings.last().unwrap());
    assert!(mappings.len() > 1 && mappings.iter().any(|mapping| mapping["is_corner"] == json!(true)), "{front}");
    assert_eq!(cheapest["energy_pj"], found["layers"][0]["energy_pj"]);
    assert_eq!(fastest["latency_cycles"], run(&["--objective", "latency"])["layers"][0]["latency_cycles"]);
    assert_eq!(run(&[])["layers"][0]["search"]["front"], Value::Null);
    assert!(succeeds(&[&CONV2[..], &["--front"]].concat()).contains("front of energy and latency, proved"));
    assert!(fails(&[&CONV2[..], &["--front", "--strategy", "loma"]].concat()).starts_with("front: "));
}

#[test]
fn a_search_that_is_given_no_time_gives_a_mapping_and_says_how_far_it_may_be_from_the_best() {
    let run = |seconds: &'static str| -> Value {
        serde_json::from_str(&succeeds(&[&CONV2[..], &["--seconds", seconds, "--json"]].concat())).unwrap()
    };
    let (none, enough) = (run("0"), run("60"));
    let search = |result: &Value| result["layers"][0]["search"]["orders"].clone();
    let energy = |result: &Value| result["layers"][0]["energy_pj"].as_f64().unwrap();
    assert_eq!((&search(&none)["stopped"], &search(&enough)["stopped"]), (&json!("OutOfTime"), &json!("Exhausted")));
    assert_eq!(search(&enough)["proof"], json!("Optimal"));
    let gap = search(&none)["proof"]["Gap"].as_f64().unwrap();
    assert!(energy(&none) * (1.0 - gap) <= energy(&enough) && energy(&enough) <= energy(&none));
    assert!(fails(&[&CONV2[..], &["--seconds=-1"]].concat()).contains("number of seconds"));
    assert!(fails(&[&CONV2[..], &["--seconds", "1", "--strategy", "iterative"]].concat()).starts_with("seconds: "));
}

#[test]
fn hierarchies_are_counted_searched_and_printed() {
    let study =
        ["hierarchy", "--workload", "mobilenet-v2-study", "--layer", "L46", "--max-levels", "1", "--budget", "1.05mm2"];
    let with = |more: &[&'static str]| succeeds(&[&study, more].concat());
    let table = with(&[]);
    for part in ["hierarchies, 1 layers", "pruned by bounds", "`sram_2MiB` lies above all", "estimated", "*"] {
        assert!(table.contains(part), "{part} is not in\n{table}");
    }
    let json: Value =
        serde_json::from_str(&with(&["--strategy", "loma", "--lpf-limit", "3", "--format", "json"])).unwrap();
    let (counts, front) = (&json["counts"], json["front"].as_array().unwrap());
    let sum = ["searched", "pruned", "infeasible"].iter().map(|name| counts[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!(counts["generated"].as_u64().unwrap(), sum);
    let least = front.iter().map(|point| point["energy_pj"].as_f64().unwrap()).fold(f64::INFINITY, f64::min);
    assert_eq!(json["best"]["energy_pj"].as_f64().unwrap(), least);
    assert_eq!(json["best_layers"].as_array().unwrap().len(), 1);
    // Searching everything finds the same front.
    let all: Value =
        serde_json::from_str(&with(&["--strategy", "loma", "--lpf-limit", "3", "--format", "json", "--no-pruning"]))
            .unwrap();
    assert_eq!(all["front"], json["front"]);
    assert_eq!(all["counts"]["pruned"], 0);
    // So does searching for the best alone.
    let only: Value = serde_json::from_str(&with(&["--only-best", "--format", "json"])).unwrap();
    let exact: Value = serde_json::from_str(&with(&["--format", "json"])).unwrap();
    assert_eq!((&only["best"], &only["best_layers"]), (&exact["best"], &exact["best_layers"]));
    assert_eq!(only["front"].as_array().unwrap().len(), 1);
    assert!(with(&["--only-best"]).contains("trade-offs of energy, latency and area were not asked for"));
    assert!(fails(&[&study[..], &["--only-best", "--no-pruning"]].concat()).contains("cannot be used with"));
    let csv = with(&["--strategy", "loma", "--lpf-limit", "3", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 1 + front.len());
    assert!(csv.starts_with("hierarchy,energy_pj,latency_cycles,area_um2,estimated,best"));
    let document = file("hierarchy.yaml", &with(&["--strategy", "loma", "--lpf-limit", "3", "--document"]));
    assert!(succeeds(&["validate", &document]).contains("64 PEs"));
    let pool = file("pool.yaml", &succeeds(&["presets", "zigzag-65nm"]));
    assert!(succeeds(&["validate", &pool]).contains("6 memories, 16 variants"));
}

#[test]
fn mistakes_about_hierarchies_are_explained() {
    let study = ["hierarchy", "--workload", "mobilenet-v2-study"];
    for (more, part) in [
        (&["--layer", "L47"][..], "Did you mean"),
        (&["--budget", "1"], "0.5mm2"),
        (&["--budget", "0.5mm2"], "Allow more area"),
        (&["--objective", "dram-accesses"], "Choose energy, latency or their product"),
        (&["--pool", "zigzag"], "zigzag-65nm"),
    ] {
        let said = fails(&[&study, more].concat());
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
}

#[test]
fn the_whole_mapping_space_of_a_layer_can_be_walked_through() {
    let run = |strategy: &'static str| -> Value {
        let arguments = ["--strategy", strategy, "--lpf-limit", "7", "--json"];
        serde_json::from_str(&succeeds(&[&CONV2[..], &arguments].concat())).unwrap()
    };
    let (exhaustive, heuristic) = (run("exhaustive"), run("heuristic"));
    let (all, kept) = (&exhaustive["layers"][0], &heuristic["layers"][0]);
    assert_eq!(all["energy_pj"], kept["energy_pj"]);
    assert!(kept["search"]["space"]["mappings"].as_u64() < all["search"]["space"]["mappings"].as_u64());
    assert!(all["search"]["space"]["is_complete"].as_bool().unwrap());
    let iterative = run("iterative");
    assert!(iterative["layers"][0]["energy_pj"].as_f64() >= all["energy_pj"].as_f64());
    let text = succeeds(&[&CONV2[..], &["--strategy", "exhaustive", "--lpf-limit", "7"]].concat());
    assert!(text.contains("the best even one costs"), "{text}");
    assert!(
        fails(&[&CONV2[..], &["--strategy", "heuristic", "--objective", "edp"]].concat()).contains("minimises energy")
    );
    assert!(fails(&[&CONV2[..], &["--min-utilization", "70"]].concat()).contains("from 0 to 1"));
    let refused = succeeds_or_says(&[&CONV2[..], &["--strategy", "heuristic", "--rules", "defines-2022"]].concat());
    assert!(refused.contains("use the corrected rules"), "{refused}");
}

/// The output, whether or not the command succeeds.
fn succeeds_or_says(arguments: &[&str]) -> String {
    String::from_utf8(fusescape(arguments).stdout).unwrap()
}

#[test]
fn hints_keep_the_unrolling_to_some_loops() {
    let arguments =
        ["--unroll", "search", "--objective", "latency", "--strategy", "loma", "--lpf-limit", "4", "--json"];
    let hints = ["--hint", "rows=K", "--hint", "columns=OX,OY"];
    let text = succeeds(&[&CONV2[..], &arguments, &hints].concat());
    let value: Value = serde_json::from_str(&text).unwrap();
    for unrolled in value["layers"][0]["unrolled"].as_array().unwrap() {
        let allowed: &[&str] = if unrolled[0] == "rows" { &["K"] } else { &["OX", "OY"] };
        assert!(allowed.contains(&unrolled[2].as_str().unwrap()), "{unrolled}");
    }
    assert!(fails(&[&CONV2[..], &["--hint", "D9=K"]].concat()).contains("use one of rows, columns"));
    assert!(fails(&[&CONV2[..], &["--hint", "rows=Q"]].concat()).contains("no loop `Q`"));
}

#[test]
fn links_are_made_and_opened() {
    let link = succeeds(&["link", "make", "--gallery", "defines-fig-9", "--site", "https://example.org/"]);
    assert!(link.starts_with("https://example.org/#1") && link.len() < 120, "{link}");
    let opened = succeeds(&["link", "open", link.trim()]);
    assert!(opened.contains("point: 60 x 72") && opened.contains("gallery: defines-fig-9"), "{opened}");

    let own = file("own-core.yaml", "name: mine\n# nothing else\n");
    let link = succeeds(&["link", "make", "--hardware", &own, "--workload", "resnet18", "--view", "mapping"]);
    let (saved, folder) = (file("state.fusescape", &link), PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("opened"));
    let opened = succeeds(&["link", "open", &saved, "--into", folder.to_str().unwrap()]);
    assert!(opened.contains("hardware: mine (by hand") && opened.contains("workload: resnet18"), "{opened}");
    assert_eq!(std::fs::read_to_string(folder.join("hardware.yaml")).unwrap(), "name: mine\n# nothing else\n");

    let wrong = fails(&["link", "open", "1AAAA"]);
    assert!(wrong.contains("damaged") && wrong.contains("Copy the whole address"), "{wrong}");
    assert!(fails(&["link", "make", "--gallery", "defines-fig-12b"]).contains("Did you mean `defines-fig-12`?"));
}

#[test]
fn sequences_are_printed_as_tables() {
    fn fuse(more: &[&'static str]) -> Vec<&'static str> {
        [&["fuse", "--hardware", "meta-proto-like-df", "--workload", "vgg16-e", "--sequences"], more].concat()
    }
    let text = succeeds(&fuse(&["--format", "json"]));
    let value: Value = serde_json::from_str(&text).unwrap();
    let tables = value["tables"].as_array().unwrap();
    // Sequences, the storage of one, and energy, latency and volume over array, buffer and registers.
    assert!(tables.len() >= 5 + 9, "{text}");
    let sequences = tables[0]["rows"].as_array().unwrap();
    let chosen: Vec<&Value> = sequences.iter().filter(|row| row["chosen"] != "no").collect();
    assert!(!chosen.is_empty() && chosen.iter().all(|row| row["chosen"] == "Temporal fusion"));
    assert!(chosen.iter().all(|row| row["energy FT [pJ]"].as_f64() < row["energy SL [pJ]"].as_f64()));
    let spatial = succeeds(&fuse(&["spatial"]));
    assert!(spatial.contains("Spatial fusion |") && !spatial.contains("Temporal fusion |"), "{spatial}");
    assert!(succeeds(&fuse(&["--format", "csv"])).starts_with("layers,chosen,energy SL [pJ],"));
    assert!(fails(&fuse(&["diagonal"])).contains("temporal, spatial, either"));
}

#[test]
fn a_network_on_many_cores_takes_the_best_or_any_allocation_and_leaves_a_trace() {
    let quad = ["cores", "--system", "quad-beside", "--hardware", "tpu-like", "--workload", "mccnn", "--tiles", "8"];
    let run = |more: &[&str]| -> Value {
        let text = succeeds(&[&quad[..], &["--format", "json"], more].concat());
        serde_json::from_str(&text).unwrap()
    };
    let cycles = |found: &Value| found["latency_cycles"].as_f64().unwrap();
    let trace = file("cores-trace.json", "");
    let best = run(&["--trace", &trace]);
    let events: Value = serde_json::from_str(&std::fs::read_to_string(&trace).unwrap()).unwrap();
    let computed = events["traceEvents"].as_array().unwrap().iter().filter(|event| event["ph"] == "X").count();
    assert!(computed as u64 >= best["tiles"].as_u64().unwrap());
    for core in best["cores"].as_array().unwrap() {
        let parts = ["computing_cycles", "stalling_cycles", "transferring_cycles", "idle_cycles"];
        let sum: f64 = parts.iter().map(|part| core[part].as_f64().unwrap()).sum();
        assert!((sum / cycles(&best) - 1.0).abs() < 1e-9, "{core}");
    }
    let alone = run(&["--allocation", "core 2"]);
    assert!(alone["layers"].as_array().unwrap().iter().all(|layer| layer["cores"] == json!(["core 2"])));
    assert!(cycles(&best) < cycles(&alone), "four cores against one");
    assert!(cycles(&run(&["--allocation", "core 2", "--improve"])) < cycles(&alone));
    let few = ["--allocation", "genetic", "--individuals", "4", "--generations", "2"];
    let of_seed = |seed: &str| run(&[&few[..], &["--seed", seed]].concat())["latency_cycles"].clone();
    let first: Vec<Value> = ["1", "2", "3", "4"].map(of_seed).to_vec();
    assert_eq!(run(&few)["latency_cycles"], first[0], "a seed says all");
    assert!(first.iter().any(|other| *other != first[0]), "{first:?}: no seed counts");
    let said = |more: &[&str]| succeeds(&[&quad[..], more].concat());
    let proved = "proved the fastest if nothing had to travel";
    assert!(said(&[]).contains(proved) && said(&[]).contains("--improve"));
    assert!(!said(&["--improve"]).contains("--improve looks"), "it has looked");
    assert!(!said(&["--allocation", "core 2"]).contains(proved), "nobody searched for what was chosen by hand");
    let csv = succeeds(&[&quad[..], &["--format", "csv"]].concat());
    assert_eq!(csv.lines().count(), 1 + best["layers"].as_array().unwrap().len());
    let wrong = fails(&[&quad[..], &["--allocation", "conv9: core 0; conv1: core 9"]].concat());
    assert!(wrong.contains("no layer `conv9`") && wrong.contains("no core `core 9`"), "{wrong}");
}

#[test]
fn a_system_is_printed_and_validated() {
    let text = succeeds(&["presets", "diana"]);
    let said = succeeds(&["validate", &file("diana.yaml", &text)]);
    assert!(said.contains("the system `DIANA`: 4 cores"), "{said}");
    let wrong =
        fails(&["validate", &file("wrong-system.yaml", &text.replace("[digital, pooling,", "[digita, pooling,"))]);
    assert!(wrong.contains("Did you mean `digital`?"), "{wrong}");
}

#[test]
fn evolution_of_more_than_memory_can_hold_is_refused() {
    let cores = ["cores", "--system", "tpu-quad", "--workload", "fsrcnn", "--allocation", "genetic"];
    for (option, limit) in [("--individuals", "2..=1000"), ("--generations", "0..=10000")] {
        for value in ["18446744073709551615", "400000000", "99999999999999999999"] {
            let said = fails(&[&cores[..], &[option, value]].concat());
            assert!(said.contains(limit) || said.contains("too large"), "{option} {value}: {said}");
        }
    }
}

#[test]
fn a_layer_that_fits_nowhere_is_named_with_its_reason_where_a_script_looks() {
    // Has space only for the smaller of the two layers.
    let hardware = file(
        "small-dram.yaml",
        "name: small\narray:\n  dimensions: {D1: 2}\n  mac_energy: 1 pJ\nmemories:\n  - {name: dram, size: 1 KiB, \
         operands: [W, I, O], width: 64 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all}\n",
    );
    let workload = file(
        "two-sizes.yaml",
        "name: two\nlayers:\n  - {name: image, type: input, K: 1, size: 8 x 8}\n  \
         - {name: small, type: conv, K: 2, kernel: 3 x 3}\n  - {name: large, type: conv, K: 2000, kernel: 3 x 3}\n",
    );
    let output = fusescape(&["layer", "--hardware", &hardware, "--workload", &workload]);
    let wrong = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{wrong}");
    assert!(
        wrong.contains("1 of 2 layers cannot be mapped") && wrong.contains("large: ") && wrong.contains("dram"),
        "{wrong}"
    );
    let output = fusescape(&["layer", "--hardware", &hardware, "--workload", &workload, "--layer", "large"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn designs_are_compared_by_the_best_schedule_of_each() {
    let cores = ["meta-proto-like-df", "tpu-like-df"];
    let networks = sample_or_all("fsrcnn-60,three-convs", "fsrcnn,three-convs");
    let text = succeeds(&[&["compare"], &cores[..], &["--on", networks, "--format", "json"]].concat());
    let compared: Value = serde_json::from_str(&text).unwrap();
    let designs = compared["designs"].as_array().unwrap();
    assert_eq!(designs.len(), 4);
    for design in designs {
        let (core, network) = (design["hardware"].as_str().unwrap(), design["workload"].as_str().unwrap());
        let alone =
            ["depth-first", "--hardware", core, "--workload", network, "--stacks", "optimal", "--format", "json"];
        let alone: Value = serde_json::from_str(&succeeds(&alone)).unwrap();
        for number in ["energy_pj", "latency_cycles", "score"] {
            assert_eq!(design[number], alone[number], "{core}, {network}: {number}");
        }
    }
}

#[test]
fn a_table_of_designs_has_the_best_core_first_and_a_figure() {
    let figure = file("designs.svg", "");
    let arguments = ["compare", "tpu-like-df", "meta-proto-like-df", "--on", "fsrcnn", "--figure", &figure];
    let text = succeeds(&arguments);
    let best: Vec<f64> =
        text.lines().filter_map(|line| line.split(" x").next()?.split_whitespace().last()?.parse().ok()).collect();
    assert!(best.len() == 2 && best[0] == 1.0 && best[1] > 1.0, "{text}");
    let svg = std::fs::read_to_string(&figure).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("tpu-like-df") && svg.contains("fsrcnn"));
    let wrong = fails(&["compare", "tpu-like-df", "nonsense", "--on", "nonsense,fsrcnn"]);
    assert_eq!(wrong.matches("nonsense").count() / 2, 2, "{wrong}");
}

#[test]
fn a_mapping_that_was_found_is_priced_again_from_its_document() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("own-mapping");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("mapping.yaml");
    let file = file.to_str().unwrap();
    let design = ["layer", "--hardware", "eyeriss-like", "--workload", "alexnet-eyeriss", "--layer", "conv2,conv3"];
    let run = |more: &[&str]| {
        let output = crate::program().args(design).args(more).output().unwrap();
        (output.status.success(), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let costs = |json: &[u8]| -> Vec<(String, u64)> {
        let value: serde_json::Value = serde_json::from_slice(json).unwrap();
        let of =
            |layer: &serde_json::Value| (layer["energy_pj"].to_string(), layer["latency_cycles"].as_u64().unwrap());
        value["layers"].as_array().unwrap().iter().map(of).collect()
    };
    let (ok, found, said) = run(&["--strategy", "loma", "--json", "--save-mapping", file]);
    assert!(ok, "{said}");
    let (ok, priced, said) = run(&["--mapping", file, "--json"]);
    assert!(ok, "{said}");
    assert_eq!(costs(&priced), costs(&found));
    let (_, table, _) = run(&["--mapping", file]);
    assert!(String::from_utf8_lossy(&table).contains("made by hand"));
    // It replaces a search.
    assert!(!run(&["--mapping", file, "--strategy", "loma"]).0);
    // Names of files are those of the system, which need not be UTF-8.
    #[cfg(target_os = "linux")]
    {
        let named = folder.join(std::ffi::OsStr::from_bytes(b"mapping-\xff.yaml"));
        std::fs::copy(file, &named).unwrap();
        let output = crate::program().args(design).arg("--mapping").arg(&named).output().unwrap();
        assert_eq!(output.stdout, table);
    }
    let text = std::fs::read_to_string(file).unwrap();
    std::fs::write(file, text.replace("layer: conv3", "layer: conv9")).unwrap();
    let (ok, _, said) = run(&["--mapping", file]);
    assert!(!ok && said.contains("The network computes no layer `conv9`") && said.contains("line "), "{said}");
}

/// By the energy-delay product, mappings are chosen for all stacks together, so that a combination is not the sum of
/// its stacks as at their points.
#[test]
fn the_best_combination_has_the_figures_of_its_account() {
    let request = Request {
        hardware: find_preset(hardware_presets(), "ascend-like-df").unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), "mobilenet-v2").unwrap().text.to_owned(),
        settings: Settings {
            tiles_x: vec![4, 112],
            tiles_y: vec![1, 28],
            objective: Objective::EnergyDelayProduct,
            ..Settings::default()
        },
    };
    let sweep = Sweep::new(&request).unwrap();
    let report = depth_first(&sweep, &Unmonitored).unwrap();
    let shown = report.combination.unwrap();
    let account = IncrementalSweep::new(sweep).combination(&mut CostStore::default(), &shown.points).unwrap();
    assert_eq!(shown.latency_cycles, account.latency.total_cycles());
    let energy_pj = account.energy.total_pj();
    assert!((shown.energy_pj - energy_pj).abs() <= 1e-9 * energy_pj, "{} is not {energy_pj}", shown.energy_pj);
    let of_stack = |(stack, &point): (usize, &usize)| match &report.findings.rows[point] {
        SweepRow::Done { summary, .. } => summary.stacks[stack].latency_cycles,
        SweepRow::Failed { .. } => panic!("a point that cannot be"),
    };
    let stacks: u64 = shown.points.iter().enumerate().map(of_stack).sum();
    assert_ne!(stacks, shown.latency_cycles, "the stacks as at their points have the same sum");
}
