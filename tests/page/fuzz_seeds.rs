//! Seeds for fuzzing: small inputs of every kind, which are read without errors and have the properties that fuzzing
//! checks, and the words of documents. `tools/fuzz` has them written into the folder that FUSESCAPE_SEEDS names.

use crate::properties;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fusescape::command::Unmonitored;
use fusescape::command::study::{Shard, run};
use fusescape::embed::{EmbedOptions, Reaction, answer};
use fusescape::explore::study::{DesignSpace, StudyRequest};
use fusescape::explore::{DesignLayer, LayerRequest, mapping_document};
use fusescape::gallery::Entry;
use fusescape::hardware::Core;
use fusescape::import::{File, import, zigzag};
use fusescape::lesson::{Draw, Lesson};
use fusescape::link::from_link;
use fusescape::pool::Pool;
use fusescape::rules::Rules;
use fusescape::search::{Objective, Strategy};
use fusescape::spec::{
    Diagnostics, Preset, gallery_presets, hardware_presets, lesson_presets, pool_presets, system_presets,
    transformer_presets, workload_presets, write_mapping,
};
use fusescape::state::State;
use fusescape::system::CoreSystem;
use fusescape::transformer::Transformer;
use fusescape::workload::Network;
use fusescape_test_support::onnx::Is::{Int, Ints, Text};
use fusescape_test_support::onnx::{FLOAT, Graph, INT8};
use fusescape_test_support::sample::sample_or_all;
use miniz_oxide::inflate::decompress_to_vec;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

type Seed = (String, Vec<u8>);

/// The folder for seeds, if requested.
fn folder() -> Option<std::path::PathBuf> {
    std::env::var_os("FUSESCAPE_SEEDS").map(Into::into)
}

/// The property that all bytes of a kind must have.
fn property_of(kind: &str) -> fn(&[u8]) {
    match kind {
        "accelforge" => properties::accelforge::holds,
        "constraints" => properties::constraints::holds,
        "designs" => properties::designs::holds,
        "embed" => properties::embed::holds,
        "gallery" => properties::gallery::holds,
        "link" => properties::link::holds,
        "mapping" => properties::mapping::holds,
        "onnx" => properties::onnx::holds,
        "pool" => properties::pool::holds,
        "receipt" => properties::receipt::holds,
        "results" => properties::results::holds,
        "state" => properties::state::holds,
        "study" => properties::study::holds,
        "system" => properties::system::holds,
        "timeloop" => properties::timeloop::holds,
        "transformer" => properties::transformer::holds,
        "yaml" => properties::yaml::holds,
        other => panic!("nothing is asked of `{other}`"),
    }
}

fn save(kind: &str, seeds: &[Seed]) {
    let holds = property_of(kind);
    seeds.iter().for_each(|(_, bytes)| holds(bytes));
    let Some(folder) = folder().map(|folder| folder.join(kind)) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    seeds.iter().for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).unwrap());
}

/// The words that readers of a kind know, in libFuzzer's format: mutations insert them.
fn save_words(kind: &str, words: &BTreeSet<String>) {
    // Words other than fields: units, limits of numbers, and punctuation of documents.
    const MORE: [&str; 24] = [
        "0",
        "1",
        "-1",
        "0.5",
        "1e308",
        "1e-308",
        "NaN",
        "18446744073709551615",
        "1125899906842624",
        "1125899906842625",
        " bit",
        " KiB",
        " GiB",
        " pJ",
        " nJ",
        " um2",
        " cycles",
        ": ",
        "- ",
        ", ",
        "{ ",
        " }",
        "[",
        "]",
    ];
    let Some(folder) = folder() else { return };
    std::fs::create_dir_all(&folder).unwrap();
    let words = words.iter().map(String::as_str).chain(MORE);
    let lines: Vec<String> = words.map(|word| format!("\"{word}\"\n")).collect();
    std::fs::write(folder.join(format!("{kind}.dict")), lines.concat()).unwrap();
}

/// A word that no reader knows.
const UNKNOWN: &str = "zzzzzzzzzz";

/// All words that could replace some text of a kind, from the remedies of its reader.
fn known_words<'t>(texts: impl IntoIterator<Item = &'t str>, wrong: impl Fn(&str) -> Diagnostics) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let (mut tried, mut known) = (BTreeSet::new(), BTreeSet::new());
    for text in texts {
        for word in text.split(|letter| !is_part(letter)).filter(|word| !word.is_empty()) {
            if tried.insert(word) {
                let at = word.as_ptr() as usize - text.as_ptr() as usize;
                let changed = [&text[..at], UNKNOWN, &text[at + word.len()..]].concat();
                wrong(&changed).0.iter().for_each(|wrong| known.extend(listed(&wrong.remedy)));
            }
        }
    }
    known
}

/// The words of a remedy that lists all of them.
fn listed(remedy: &str) -> Vec<String> {
    const BEFORE: [&str; 3] = ["the fields here are ", "Use one of ", "Use "];
    let Some(list) = BEFORE.iter().find_map(|before| Some(remedy.split_once(before)?.1)) else { return Vec::new() };
    let words = list
        .split(", ")
        .flat_map(|part| part.split(" or "))
        .flat_map(|part| part.split(" and "))
        .map(|word| word.trim_matches('`'));
    words
        .filter(|word| *word != UNKNOWN && !word.is_empty() && !word.contains([' ', '"', '\\']))
        .map(str::to_owned)
        .collect()
}

fn imports(name: &str, bytes: &[u8]) {
    let file = File { name: name.to_owned(), source: Box::new(bytes) };
    let imported = import(vec![file], &Default::default()).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
    assert!(!imported.reports.is_empty());
}

fn texts(presets: &'static [Preset]) -> impl Iterator<Item = &'static str> {
    presets.iter().map(|preset| preset.text)
}

fn seeds_of(presets: &'static [Preset]) -> Vec<Seed> {
    presets.iter().map(|preset| (preset.id.to_owned(), preset.text.as_bytes().to_vec())).collect()
}

#[test]
fn documents() {
    let mut seeds = [hardware_presets(), workload_presets()].map(seeds_of).concat();
    for (hardware, workload) in [("tpu-like", "fsrcnn"), ("eyeriss-like", "bert-base-block")] {
        let text = |presets: &'static [Preset], id| presets.iter().find(|preset| preset.id == id).unwrap().text;
        let core = Core::from_text(text(hardware_presets(), hardware)).unwrap();
        let network = Network::from_text(text(workload_presets(), workload)).unwrap();
        let files = zigzag::write(&core, &network);
        imports("accelerator.yaml", files.accelerator.as_bytes());
        imports("layers.yaml", files.workload.as_bytes());
        for (name, file) in [("accelerator", files.accelerator), ("mapping", files.mapping), ("layers", files.workload)]
        {
            seeds.push((format!("{workload}-{name}"), file.into_bytes()));
        }
    }
    save("yaml", &seeds);
    let mut words = known_words(texts(hardware_presets()), |text| Core::from_text(text).err().unwrap_or_default());
    words.extend(known_words(texts(workload_presets()), |text| Network::from_text(text).err().unwrap_or_default()));
    assert!(
        ["read_width", "shared_over", "depthwise", "dilation"].iter().all(|word| words.contains(*word)),
        "{words:?}"
    );
    save_words("yaml", &words);
}

#[test]
fn mappings() {
    let network = Network::from_text(properties::WORKLOAD).unwrap();
    let mut seeds = Vec::new();
    for id in network.computing() {
        let layer = network.layer(id).name.clone();
        let request = LayerRequest {
            hardware: properties::HARDWARE.to_owned(),
            workload: properties::WORKLOAD.to_owned(),
            layer: Some(layer.clone()),
            objective: Objective::Energy,
            strategy: Strategy::Loma,
            lpf_limit: 4,
            rules: Rules::CORRECTED,
            unroll: None,
        };
        let design_layer = DesignLayer::new(&request).unwrap();
        let Ok(best) = design_layer.best() else { continue };
        let text = write_mapping(&mapping_document("best", [(&design_layer, &best.mapping)]));
        let order: String = text.lines().map(|line| line.split(", W:").next().unwrap().to_owned() + "\n").collect();
        for (name, text) in [("placed", text.clone()), ("cut", text[..text.len() / 2].to_owned()), ("order", order)] {
            seeds.push((format!("{layer}-{name}"), text.into_bytes()));
        }
    }
    assert!(seeds.len() > 2);
    save("mapping", &seeds);
}

#[test]
fn constraints() {
    let network = Network::from_text(properties::WORKLOAD).unwrap();
    let core = Core::from_text(properties::HARDWARE).unwrap();
    let memory = &core.memories.iter().last().unwrap().name;
    let (array, _) = &core.array.iter().next().unwrap();
    let mut seeds = Vec::new();
    for layer in network.computing().map(|id| &network.layer(id).name).take(3) {
        let text = format!(
            "name: seed\nlayers:\n  - layer: {layer}\n    unroll: {{ {array}: [K 2, C <= 3, OX any] }}\n\
             \x20   order: [FX all, K 2, OX any, rest, C all]\n\
             \x20   levels: [{{ memory: {memory}, operand: O, holds: [K <= 4, C 2], within: K >= 2, order: [K, C] }}]\n\
             \x20 - order: [OX any]\n    even: strict\n"
        );
        seeds.push((format!("{layer}-cut"), text.as_bytes()[..text.len() / 2].to_vec()));
        seeds.push((layer.clone(), text.into_bytes()));
    }
    save("constraints", &seeds);
}

#[test]
fn systems() {
    let beside = hardware_presets()[0].text;
    let wrong = |text: &str| CoreSystem::from_text(text, beside).err().unwrap_or_default();
    for text in texts(system_presets()) {
        assert_eq!(wrong(text), Diagnostics::default());
    }
    save("system", &seeds_of(system_presets()));
    let words = known_words(texts(system_presets()), wrong);
    assert!(["offchip", "ports", "mesh", "runs", "shared"].iter().all(|word| words.contains(*word)), "{words:?}");
    save_words("system", &words);
}

#[test]
fn files_of_timeloop() {
    use crate::timeloop_files::{ARCHITECTURE, ENERGIES, MAPPING, PROBLEM};
    let parts = [("architecture", ARCHITECTURE), ("problem", PROBLEM)];
    let whole = [ARCHITECTURE, PROBLEM, MAPPING, ENERGIES].concat();
    for (name, text) in parts.into_iter().chain([("whole", whole.as_str())]) {
        imports(name, text.as_bytes());
    }
    let mut seeds: Vec<Seed> = parts.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).to_vec();
    seeds.push(("whole".to_owned(), whole.into_bytes()));
    save("timeloop", &seeds);
}

#[test]
fn files_of_accelforge() {
    use crate::accelforge_files::{ARCHITECTURE, MAPPING, WORKLOAD};
    let parts = [("architecture", ARCHITECTURE), ("workload", WORKLOAD)];
    let whole = [ARCHITECTURE, WORKLOAD, MAPPING].concat();
    for (name, text) in parts.into_iter().chain([("whole", whole.as_str())]) {
        imports(name, text.as_bytes());
    }
    let mut seeds: Vec<Seed> = parts.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).to_vec();
    seeds.push(("whole".to_owned(), whole.into_bytes()));
    save("accelforge", &seeds);
}

/// Large pools have too many hierarchies to try, so the first memories of each are seeds, too.
#[test]
fn pools() {
    let wrong = |text: &str| Pool::from_text(text).err().unwrap_or_default();
    let mut seeds = seeds_of(pool_presets());
    for preset in pool_presets() {
        let starts: Vec<usize> = preset.text.match_indices("\n  - name:").map(|(at, _)| at + 1).collect();
        for (count, end) in starts.iter().enumerate().skip(1) {
            seeds.push((format!("{}-{count}", preset.id), preset.text.as_bytes()[..*end].to_vec()));
        }
    }
    for (name, text) in &seeds {
        assert_eq!(wrong(std::str::from_utf8(text).unwrap()), Diagnostics::default(), "{name}");
    }
    save("pool", &seeds);
    let words = known_words(texts(pool_presets()), wrong);
    assert!(["variants", "per_dimension", "estimate"].iter().all(|word| words.contains(*word)), "{words:?}");
    save_words("pool", &words);
}

#[test]
fn entries_and_lessons() {
    save("gallery", &[gallery_presets(), lesson_presets()].map(seeds_of).concat());
    let wrong = |text: &str| Entry::from_text("", text).err().unwrap_or_default();
    let mut words = known_words(texts(gallery_presets()), wrong);
    words.extend(known_words(texts(lesson_presets()), |text| {
        Lesson::from_text(text, Draw::Student("")).err().unwrap_or_default()
    }));
    assert!(["claims", "tolerance", "answers", "single-layer"].iter().all(|word| words.contains(*word)), "{words:?}");
    save_words("gallery", &words);
}

#[test]
fn transformers() {
    save("transformer", &seeds_of(transformer_presets()));
    let wrong = |text: &str| Transformer::from_text(text).err().unwrap_or_default();
    let words = known_words(texts(transformer_presets()), wrong);
    assert!(["feed_forward", "heads", "rms"].iter().all(|word| words.contains(*word)), "{words:?}");
    save_words("transformer", &words);
}

/// Every kind of answer to every step.
#[test]
fn receipts() {
    let answers = [
        json!({ "choice": 1 }),
        json!({ "number": 1.5 }),
        json!({ "curve": [1.0, 2.0, 3.0, 4.0, 5.0] }),
        json!({ "values": [3, 2] }),
        json!({ "mapping": { "order": ["OX 4", "K 2"], "ends": [[1, 2], [2], [0, 2]] } }),
    ];
    let by_step: BTreeMap<String, _> = (1..=4).map(|step| (step.to_string(), answers.clone())).collect();
    let lesson = properties::receipt::lesson().key();
    let receipt = json!({ "fusescape_receipt": 1, "lesson": lesson, "student": "Ada", "answers": by_step });
    save("receipt", &[("all".to_owned(), receipt.to_string().into_bytes())]);
}

/// Studies of many designs, and results of one.
#[test]
fn studies() {
    let text = "name: seed\nhardware: tpu-like\nnetwork: tiny\n\
                schedule: { columns: whole, rows: [4, 8], modes: fully-cached, search: loma, lpf_limit: 3 }\naxes:\n\
                - { vary: hardware.memories.1.size, from: 1 KiB, to: 64 KiB, count: 4, scale: log }\n\
                - { vary: [hardware.memories.2.read_energy, network.batch], values: [[1 pJ, 1], [2 pJ, 2]] }\n\
                - { vary: schedule.stacks, values: [auto, single-layer] }\n\
                constraints: [capacity <= 9 MiB, latency >= 1 cycle]\nrecord: [area, dram_words]\n\
                objectives: [energy, latency]\nsampling: SAMPLING\nseed: 3\nbeaten: skip\n";
    let samplings = ["grid", "{ sobol: 9 }", "{ refine: 9 }"];
    let on_cores = "name: cores\nhardware: tpu-like\nsystem: pair\nnetwork: tiny\n\
                    schedule: { tiles: 4, stacks: [a], order: deepest, scheduler: stream-2024, search: loma, lpf_limit: 3 }\n\
                    axes:\n- { vary: system.links.0.width, values: [64 bit, 128 bit] }\n\
                    - { vary: schedule.tiles, values: [4, 'rows 2, channels 2', 'OY 2; a: K 2', layer-by-layer] }\n\
                    record: [peak_on_chip, links_energy]\n";
    let one = samplings.iter().enumerate();
    let one = one.map(|(index, sampling)| (format!("study{index}"), text.replace("SAMPLING", sampling)));
    let all = one.chain([("cores".to_owned(), on_cores.to_owned())]);
    let seeds: Vec<Seed> = all.map(|(name, text)| (name, text.into_bytes())).collect();
    let request = |text: &str| StudyRequest {
        text: text.to_owned(),
        hardware: vec![("tpu-like".to_owned(), properties::HARDWARE.to_owned())],
        networks: vec![("tiny".to_owned(), properties::WORKLOAD.to_owned())],
        systems: vec![("pair".to_owned(), properties::SYSTEM.to_owned())],
    };
    for (name, seed) in &seeds {
        let study = DesignSpace::new(request(std::str::from_utf8(seed).unwrap()));
        assert!(study.is_ok(), "{name}: {}", study.err().unwrap_or_default());
    }
    save("designs", &seeds);
    let wrong = |text: &str| DesignSpace::new(request(text)).err().unwrap_or_default();
    let words = known_words(seeds.iter().map(|(_, seed)| std::str::from_utf8(seed).unwrap()), wrong);
    assert!(["vary", "objectives", "columns", "stall_latency"].iter().all(|word| words.contains(*word)), "{words:?}");
    save_words("designs", &words);
    let results = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("seed.parquet");
    let _ = std::fs::remove_file(&results);
    let study = DesignSpace::new(request(&text.replace("SAMPLING", "{ sobol: 9 }"))).unwrap();
    run(&Arc::new(study), Shard::WHOLE, &results, &Arc::default(), &Unmonitored).unwrap();
    save("results", &[("rows".to_owned(), std::fs::read(results).unwrap())]);
}

/// The content of the page's fields, in the order of the target; the first section chooses.
#[test]
fn requests() {
    let fields = |choices: &str, sections: &[&str]| {
        let text = [&[choices], sections].concat().join("\n%\n");
        assert!(text.len() < 1000);
        text.into_bytes()
    };
    let sweep = ["1 4 8", "1..8:2", "b, d", "3", "200", "sram_64KB", "1", "0.5", "0"];
    let cores = ["2", "OY 4, OX 2; a: K 2", "b, d", "a: 0 1\nb: 1\nd: 0"];
    let rest = ["1.2 mm²", "a", "b"];
    let all = [&sweep[..], &cores[..], &rest[..]].concat();
    let choices = [
        "\0\0\0\u{3}\0\0\0\0\0\0\0\u{2}\u{2}\0",
        "\u{3}\u{5}\u{1}\u{1}\u{4}\u{2}\u{3}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}",
        "\u{2}\u{3}\u{2}\u{2}\u{6}\u{1}\u{1}\u{2}\u{2}\u{2}\0\u{1}\0\0",
    ];
    let seed = |(index, choices): (usize, &&str)| (format!("study{index}"), fields(choices, &all));
    save("study", &choices.iter().enumerate().map(seed).collect::<Vec<_>>());
    let words = ["\\x0A%\\x0A", "\\x0A", "..", "OX", "OY", "B", "G", "K", "a: ", "; ", "all", "mm2"];
    save_words("study", &words.map(str::to_owned).into());
}

/// An address, and messages that are accepted.
#[test]
fn messages() {
    let messages = [
        json!({ "fusescape": 1, "type": "get", "id": 7 }),
        json!({ "fusescape": 1, "type": "set", "id": "a", "link": "1AwDZHA", "view": "cores", "metric": "edp" }),
        json!({ "fusescape": 1, "type": "set", "hardware": "tpu-like", "workload": "fsrcnn" }),
        json!({ "fusescape": 1, "type": "set", "hardware": hardware_presets()[0].text }),
        json!({ "fusescape": 1, "type": "set", "workload": workload_presets()[0].text, "view": "landscape" }),
    ];
    let queries =
        ["?view=landscape", "view=cores&controls=hardware,network%2Ctext&theme=dark", "?theme=auto&view=mapping"];
    let mut seeds = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let (message, query) = (message.to_string(), queries[index % queries.len()]);
        assert!(EmbedOptions::from_query(query).1.is_empty());
        assert!(matches!(answer(&message, &State::first()), Reaction::Tell(_) | Reaction::Show(..)), "{message}");
        seeds.push((format!("message{index}"), format!("{query}\n{message}").into_bytes()));
    }
    let whole = messages.map(|message| message.to_string()).join("\n");
    seeds.push(("messages".to_owned(), format!("{}\n{whole}", queries[0]).into_bytes()));
    save("embed", &seeds);
    let mut words = known_words([queries[1]], |query| EmbedOptions::from_query(query).1);
    words.extend(known_words([whole.lines().next().unwrap()], refused));
    words.extend(known_words([whole.lines().nth(1).unwrap()], refused));
    assert!(["trade-off", "controls", "metric", "macs"].iter().all(|word| words.contains(*word)), "{words:?}");
    save_words("embed", &words);
}

/// The error sent to a host.
fn refused(message: &str) -> Diagnostics {
    let mut wrong = Diagnostics::default();
    if let Reaction::Refuse(refusal) = answer(message, &State::first()) {
        for error in refusal["errors"].as_array().unwrap() {
            wrong.add("", "", error["remedy"].as_str().unwrap());
        }
    }
    wrong
}

#[test]
fn links() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/links/links.txt");
    let (mut seeds, mut states) = (Vec::new(), Vec::new());
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let (name, link) = line.split_once(' ').unwrap();
        let state = from_link(link).unwrap();
        states.push((format!("{name}-state"), state.to_yaml().into_bytes()));
        // The target compresses its input.
        let packed = URL_SAFE_NO_PAD.decode(&link[1..]).unwrap();
        seeds.push((name.to_owned(), decompress_to_vec(&packed[..packed.len() - 2]).unwrap()));
        seeds.push((format!("{name}-link"), link.as_bytes().to_vec()));
    }
    save("link", &seeds);
    save("state", &states);
    let written: Vec<String> = states.into_iter().map(|(_, state)| String::from_utf8(state).unwrap()).collect();
    let wrong = |text: &str| State::from_yaml(text).err().unwrap_or_default();
    let words = known_words(written.iter().map(String::as_str), wrong);
    assert!(["tile_widths", "pinned", "slots", "allocation"].iter().all(|word| words.contains(*word)), "{words:?}");
    save_words("state", &words);
}

#[test]
fn models_of_all_operators() {
    let seeds: Vec<(String, Vec<u8>)> =
        models().iter().enumerate().map(|(index, graph)| (format!("model{index}"), graph.model())).collect();
    seeds.iter().for_each(|(name, bytes)| imports(name, bytes));
    save("onnx", &seeds);
}

/// Small models that contain every operator.
fn models() -> Vec<Graph> {
    let image = || Graph::default().input("x", &[-1, 4, 8, 8]);
    let pads = ("pads", Ints(&[1, 1, 1, 1]));
    let convolutions = image()
        .conv("x", "a", [4, 4, 3, 3], &[pads, ("strides", Ints(&[2, 2])), ("dilations", Ints(&[1, 1]))])
        .conv("a", "b", [4, 1, 3, 3], &[("group", Int(4)), ("auto_pad", Text("SAME_UPPER"))])
        .node("BatchNormalization", &["b", "a", "a", "a", "a"], &["c"], &[])
        .node("Relu", &["c"], &["d"], &[])
        .node("Add", &["a", "d"], &["e"], &[])
        .node("MaxPool", &["e"], &["f"], &[("kernel_shape", Ints(&[2, 2])), ("ceil_mode", Int(1))])
        .weights("t", FLOAT, &[4, 2, 4, 4])
        .node("ConvTranspose", &["f", "t"], &["g"], &[("strides", Ints(&[2, 2]))])
        .node("GlobalAveragePool", &["g"], &["h"], &[])
        .node("Flatten", &["h"], &["i"], &[])
        .dense("i", "j", 2, 3);
    let arranging = image()
        .ints("p", &[0, 0, 1, 1, 0, 0, 1, 1])
        .node("Pad", &["x", "p"], &["a"], &[])
        .conv("a", "b", [4, 4, 3, 3], &[])
        .node("Concat", &["x", "b"], &["c"], &[("axis", Int(1))])
        .ints("s", &[3, 5])
        .node("Split", &["c", "s"], &["d", "e"], &[("axis", Int(1))])
        .floats("z", &[1.0, 1.0, 2.0, 2.0])
        .node("Resize", &["d", "", "z"], &["f"], &[])
        .ints("n", &[0])
        .ints("m", &[2])
        .node("Slice", &["f", "n", "m", "m"], &["g"], &[])
        .conv("g", "h", [4, 3, 1, 1], &[])
        .node("DepthToSpace", &["h"], &["i"], &[("blocksize", Int(2))])
        .node("Transpose", &["i"], &["j"], &[("perm", Ints(&[0, 2, 3, 1]))])
        .node("ReduceMean", &["j"], &["k"], &[("axes", Ints(&[1, 2])), ("keepdims", Int(0))])
        .dense("k", "l", 1, 2);
    let attention = Graph::default()
        .input("x", &[1, 6, 8])
        .dense("x", "q", 8, 8)
        .dense("x", "k", 8, 8)
        .node("Shape", &["x"], &["shape"], &[])
        .ints("one", &[1])
        .node("Gather", &["shape", "one"], &["t"], &[])
        .ints("heads", &[2, 4])
        .node("Concat", &["one", "t", "heads"], &["split"], &[("axis", Int(0))])
        .node("Reshape", &["q", "split"], &["qh"], &[])
        .node("Reshape", &["k", "split"], &["kh"], &[])
        .node("Transpose", &["qh"], &["qt"], &[("perm", Ints(&[0, 2, 1, 3]))])
        .node("Transpose", &["kh"], &["kt"], &[("perm", Ints(&[0, 2, 3, 1]))])
        .node("MatMul", &["qt", "kt"], &["scores"], &[])
        .node("Softmax", &["scores"], &["soft"], &[])
        .node("Sigmoid", &["x"], &["gate"], &[])
        .node("Mul", &["x", "gate"], &["gated"], &[])
        .weights("w", INT8, &[8, 3])
        .node("MatMulInteger", &["gated", "w"], &["y"], &[]);
    let mut models = vec![convolutions, arranging, attention];
    models.extend(models_of_products());
    models
}

/// Small models of attention with caches, recurrent layers, volumes and products of all kinds.
fn models_of_products() -> Vec<Graph> {
    let grouped = Graph::default()
        .input("x", &[1, 2, 8])
        .input("past", &[1, 2, 3, 2])
        .dense("x", "q", 8, 8)
        .dense("x", "k", 8, 4)
        .ints("of_q", &[1, 2, 4, 2])
        .ints("of_k", &[1, 2, 2, 2])
        .node("Reshape", &["q", "of_q"], &["q4"], &[])
        .node("Reshape", &["k", "of_k"], &["k4"], &[])
        .node("Transpose", &["q4"], &["qt"], &[("perm", Ints(&[0, 2, 1, 3]))])
        .node("Transpose", &["k4"], &["kt"], &[("perm", Ints(&[0, 2, 1, 3]))])
        .node("Concat", &["past", "kt"], &["all"], &[("axis", Int(2))])
        .ints("two", &[2])
        .node("Unsqueeze", &["all", "two"], &["alone"], &[])
        .ints("many", &[1, 2, 2, 5, 2])
        .node("Expand", &["alone", "many"], &["copies"], &[])
        .ints("heads", &[1, 4, 5, 2])
        .node("Reshape", &["copies", "heads"], &["keys"], &[])
        .node("Transpose", &["keys"], &["columns"], &[("perm", Ints(&[0, 1, 3, 2]))])
        .node("MatMul", &["qt", "columns"], &["scores"], &[])
        .node(
            "GroupQueryAttention",
            &["q", "k", "k", "past", "past"],
            &["y", "k_all", "v_all"],
            &[("num_heads", Int(4)), ("kv_num_heads", Int(2))],
        );
    let recurrent = Graph::default()
        .input("x", &[3, 1, 4])
        .weights("W", FLOAT, &[2, 20, 4])
        .weights("R", FLOAT, &[2, 20, 5])
        .node("LSTM", &["x", "W", "R"], &["a", "last"], &[("direction", Text("bidirectional"))])
        .node("Transpose", &["a"], &["b"], &[("perm", Ints(&[0, 2, 1, 3]))])
        .ints("rows", &[3, 1, 10])
        .node("Reshape", &["b", "rows"], &["c"], &[])
        .weights("W2", INT8, &[1, 9, 10])
        .weights("R2", INT8, &[1, 9, 3])
        .node("GRU", &["c", "W2", "R2"], &["d"], &[("layout", Int(0))]);
    let volumes = Graph::default()
        .input("x", &[1, 2, 4, 6, 6])
        .weights("w", FLOAT, &[4, 2, 3, 3, 3])
        .node("Conv", &["x", "w"], &["a"], &[("pads", Ints(&[1, 1, 1, 1, 1, 1])), ("strides", Ints(&[1, 2, 1]))])
        .node("MaxPool", &["a"], &["b"], &[("kernel_shape", Ints(&[2, 2, 2])), ("ceil_mode", Int(1))])
        .node("GlobalAveragePool", &["b"], &["c"], &[]);
    let products = Graph::default()
        .input("x", &[1, 6, 8])
        .weights("B", INT8, &[8, 1, 4])
        .weights("s", FLOAT, &[8])
        .node("MatMulNBits", &["x", "B", "s"], &["a"], &[("K", Int(8)), ("N", Int(8)), ("bits", Int(4))])
        .node("Einsum", &["a", "x"], &["b"], &[("equation", Text("bik,bjk->bij"))])
        .weights("w", FLOAT, &[2, 4, 6])
        .node("Einsum", &["a", "w"], &["c"], &[("equation", Text("...d,dhk->...hk"))])
        .weights("qkv", FLOAT, &[8, 24])
        .node("Attention", &["a", "qkv"], &["d"], &[("num_heads", Int(2))])
        .node("MultiHeadAttention", &["a", "d", "d"], &["e"], &[("num_heads", Int(4))])
        .weights("many", FLOAT, &[3, 8, 4])
        .node("MatMul", &["e", "many"], &["f"], &[])
        .node("QuantizeLinear", &["f", "s"], &["g"], &[])
        .node("DequantizeLinear", &["g", "s"], &["h"], &[])
        .dense("h", "i", 4, 4);
    vec![grouped, recurrent, volumes, products]
}

#[test]
fn models_of_products_that_are_changed_anywhere_get_an_answer() {
    let mut random = fusescape_test_support::random::Lcg(3);
    for graph in models_of_products() {
        let model = graph.model();
        for _ in 0..sample_or_all(150, 1000) {
            let mut changed = model.clone();
            for _ in 0..1 + random.below(4) {
                let at = random.below(changed.len() as u64) as usize;
                let byte = [random.below(256), u64::from(changed[at]) + 1, 0, 0x7f, 0xff][random.below(5) as usize];
                changed[at] = byte as u8;
            }
            properties::onnx::holds(&changed);
        }
    }
}
