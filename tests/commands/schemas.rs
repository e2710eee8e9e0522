//! The JSON of commands matches `docs/schema/` field by field; the schemas are made from the types of reports.

use crate::generated::{is_generated, laid_out};
use fusescape_command::schema;
use fusescape_test_support::root;
use jsonschema::{Validator, draft202012};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Small runs of every command, such that each part of its schema occurs.
const COMMANDS: [&str; 26] = [
    "depth-first SMALL --grid 60,960x72,540",
    "depth-first SMALL --tile 240x270 --mode fully-cached --objective weighted:energy=1,latency=9",
    "depth-first SMALL --tile 240x270 --mode fully-cached --objective accesses:sram_64KB --stacks shrink",
    "depth-first SMALL --tile 240x270 --mode fully-cached --stacks single-layer --rules defines-2022",
    "depth-first SMALL --tile 240x270 --stacks optimal",
    "fuse SMALL --tile 240x270 --mode fully-cached",
    "fuse --hardware meta-proto-like-df --workload mccnn --sequences --format json",
    "compare meta-proto-like-df TINY --on fsrcnn LOMA --tile 240x270 --format json",
    "layer CONV2 --strategy loma --lpf-limit 3",
    "layer CONV2 --seconds 0",
    "layer CONV2 --strategy loma --lpf-limit 3 --constraints ORDER",
    "layer CONV2 --strategy heuristic --lpf-limit 4",
    "layer CONV2 --unroll search --loops-per-dimension 1 LOMA",
    "layer --hardware TINY --workload fsrcnn --layer shrink --strategy iterative --json",
    "layer --hardware GUESSED --workload fsrcnn --layer shrink --strategy loma --lpf-limit 3 --json",
    "layer --hardware zigzag-aimc --workload fsrcnn --layer shrink LOMA --json",
    "layer --hardware zigzag-dimc --workload fsrcnn --layer shrink LOMA --json",
    "hierarchy --workload mobilenet-v2-study --layer L46 --max-levels 1 LOMA --format json",
    "attention --tokens 64 --generate 2 --format json",
    "attention --hardware TINY_BUFFER --model bert-base --tokens 8192 --format json",
    "attention --model bert-base --tokens 64 --cores 4 --format json",
    "attention --model mamba-130m --tokens 64 --generate 2 --format json",
    "attention --model bert-base --tokens 1024 --published --format json",
    "cores --system quad-beside --hardware tpu-like --workload mccnn --tiles 8 LOMA --format json",
    "study show STUDY --json",
    "study front RESULTS --format json",
];

/// Abbreviations of several words in these.
const SHORT: [(&str, &str); 3] = [
    ("SMALL", "--hardware meta-proto-like-df --workload fsrcnn LOMA --format json"),
    ("CONV2", "--hardware eyeriss-like --workload alexnet-eyeriss --layer conv2 --json"),
    ("LOMA", "--strategy loma --lpf-limit 3"),
];

/// A core on which nothing fits.
const TINY: &str = "name: tiny\narray:\n  dimensions: {D1: 2}\n  mac_energy: 1 pJ\nmemories:\n  \
                    - {name: dram, size: 64 bit, operands: [W, I, O], width: 64 bit, read_energy: 1 pJ, \
                    write_energy: 1 pJ, shared_over: all}\n";

/// A core without room for a row of scores.
const TINY_BUFFER: &str = "name: tiny\narray:\n  dimensions: {D1: 2}\n  mac_energy: 1 pJ\nmemories:\n  \
                           - {name: sram, size: 8 KiB, operands: [W, I, O], width: 64 bit, read_energy: 1 pJ, \
                           write_energy: 1 pJ, shared_over: all}\n  \
                           - {name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 9 pJ, \
                           write_energy: 9 pJ, shared_over: all}\n";

/// A core whose memory is estimated.
const GUESSED: &str = "name: guessed\narray:\n  dimensions: {D1: 2}\n  mac_energy: 1 pJ\nmemories:\n  \
                       - {name: sram, size: 16 MiB, operands: [W, I, O], width: 64 bit, estimate: sram-65nm, shared_over: all}\n";

/// A constraint that some mapping satisfies.
const ORDER: &str = "name: order\nlayers:\n  - order: [FX any, rest]\n";

/// A study with an axis of each kind.
const STUDY: &str = "name: study\nhardware: meta-proto-like-df\nnetwork: [three-convs, fsrcnn-60]\n\
                     schedule: { search: loma, lpf_limit: 3 }\naxes:\n\
                     - { vary: hardware.memories.dram.width, values: [32 bit, 64 bit] }\n\
                     - { vary: schedule.modes, values: [fully-cached, fully-recompute] }\nconstraints: [capacity <= 1 GiB]\n";

fn folder() -> PathBuf {
    root().join("docs/schema")
}

/// All schemas by the value of `schema` in a document, such as `fusescape/layer/1`.
fn schemas() -> BTreeMap<String, Value> {
    let files = std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path());
    let read = |path: PathBuf| {
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let name = schema["properties"]["schema"]["const"].as_str().unwrap().to_owned();
        let file = name.replacen("fusescape/", "", 1).replace('/', "-") + ".json";
        assert_eq!(path.file_name().unwrap().to_str(), Some(file.as_str()), "a file is named after its schema");
        (name, schema)
    };
    files.map(read).collect()
}

/// The output of a command, whether or not the result is complete.
fn printed(command: &str, files: &[(&str, String)]) -> Value {
    let text = SHORT.iter().fold(command.to_owned(), |text, (short, long)| text.replace(short, long));
    let output = crate::program()
        .args(text.split(' ').map(|word| files.iter().find(|(name, _)| *name == word).map_or(word, |(_, path)| path)))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{text}: {why}\n{said}"))
}

#[test]
fn every_command_prints_json_as_its_schema_says_and_every_schema_is_used() {
    let files =
        [("TINY_BUFFER", TINY_BUFFER), ("TINY", TINY), ("GUESSED", GUESSED), ("ORDER", ORDER)].map(|(name, text)| {
            let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("schema-{name}.yaml"));
            std::fs::write(&path, text).unwrap();
            (name, path.to_str().unwrap().to_owned())
        });
    let results = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("schema-results.parquet");
    let _ = std::fs::remove_file(&results);
    let study = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("schema-study.yaml");
    std::fs::write(&study, STUDY).unwrap();
    let [results, study] = [results, study].map(|path| path.to_str().unwrap().to_owned());
    let run = ["study", "run", &study, "--out", &results];
    assert!(crate::program().args(run).output().unwrap().status.success());
    let files = [&files[..], &[("RESULTS", results), ("STUDY", study)]].concat();
    let schemas = schemas();
    let validator = |schema| draft202012::new(schema).unwrap();
    let validators: BTreeMap<&str, Validator> =
        schemas.iter().map(|(name, schema)| (name.as_str(), validator(schema))).collect();
    let mut used = BTreeSet::new();
    for command in COMMANDS {
        let found = printed(command, &files);
        let name = found["schema"].as_str().unwrap();
        let validator = validators.get(name).unwrap_or_else(|| panic!("{command}: docs/schema lacks {name}"));
        let wrong: Vec<String> =
            validator.iter_errors(&found).map(|wrong| format!("{} at {}", wrong, wrong.instance_path())).collect();
        let first = wrong.iter().take(3).map(|wrong| wrong.chars().take(600).collect()).collect::<Vec<String>>();
        assert!(wrong.is_empty(), "{command}: {}", first.join("\n"));
        let mut longer = found.clone();
        longer["unlisted"] = Value::Null;
        assert!(!validator.is_valid(&longer), "{name} allows fields that it does not list");
        used.insert(name.to_owned());
    }
    assert_eq!(used, schemas.into_keys().collect(), "commands above print every schema");
}

#[test]
fn schemas_are_those_of_the_types_of_reports() {
    for (kind, schema) in schema::schemas() {
        is_generated(&folder().join(format!("{kind}-1.json")), &laid_out(schema.as_value()));
    }
    is_generated(&root().join("docs/options.json"), &laid_out(&schema::options()));
}

#[test]
fn every_kind_of_report_has_a_schema() {
    let mut kinds = BTreeSet::new();
    each_file(&root().join("src/command"), &mut |text| {
        for kind in text.split("const KIND: &'static str = \"").skip(1) {
            kinds.insert(format!("fusescape/{}/1", kind.split('"').next().unwrap()));
        }
    });
    assert_eq!(kinds, schemas().into_keys().collect());
}

/// Calls `visit` with the text of each file in a folder, recursively.
fn each_file(folder: &Path, visit: &mut impl FnMut(&str)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { each_file(&path, visit) } else { visit(&std::fs::read_to_string(path).unwrap()) }
    }
}

#[test]
fn schemas_describe_every_field_and_allow_no_other() {
    for (name, schema) in schemas() {
        assert!(draft202012::meta::is_valid(&schema), "{name} is no schema");
        objects(&schema, &mut |object| {
            let Some(fields) = object["properties"].as_object() else { return };
            assert_eq!(object["additionalProperties"], false, "{name}: {:?} is open", fields.keys());
            for (field, described) in fields {
                let says = ["description", "$ref", "const"].iter().any(|key| !described[*key].is_null());
                // A variant of an enum is an object with one field, whose description is that of the object.
                let is_variant = fields.len() == 1 && object["description"].is_string();
                assert!(says || is_variant, "{name}: nothing describes {field}");
            }
        });
    }
}

/// Calls `visit` with each object of a schema, including itself.
fn objects(schema: &Value, visit: &mut impl FnMut(&Value)) {
    match schema {
        Value::Object(fields) => {
            visit(schema);
            fields.values().for_each(|value| objects(value, visit));
        }
        Value::Array(values) => values.iter().for_each(|value| objects(value, visit)),
        _ => {}
    }
}
