//! Randomly mutated documents, through every command that reads them: the result is a number, which the document also
//! gives after being read and written, or an error with a remedy. The CPU time of a process is limited.

use fusescape_spec::{
    Preset, find_preset, hardware_presets, lesson_presets, pool_presets, system_presets, transformer_presets,
};
use fusescape_spec::{read_hardware, read_system, read_transformer, read_workload, workload_presets};
use fusescape_spec::{write_hardware, write_system, write_transformer, write_workload};
use fusescape_state::{Action, ScheduleField, State};
use fusescape_test_support::random::Lcg;
use fusescape_test_support::sample::sample_or_all;
use std::path::Path;
use std::process::{Command, Output};

/// Limit on the CPU time, seconds.
const MOST_SECONDS: &str = "20";

/// A kind of document.
struct Kind {
    name: &'static str,
    texts: Vec<String>,
    /// Commands that read it; `FILE` stands for the document, `FOLDER` for the output folder.
    commands: &'static [&'static str],
    /// The document after reading and writing.
    written: fn(&str) -> String,
}

const MAPPING: &str = "name: By hand
layers:
  - layer: conv2
    unroll: { D1: K 32, D2: C 32 }
    loops:
      - { loop: FX 3, W: rf_128B, I: sram_2MB, O: rf_1KB }
      - { loop: FY 3, W: rf_128B, I: sram_2MB, O: rf_1KB }
      - { loop: OX 16, W: rf_128B, I: sram_2MB, O: sram_2MB }
      - { loop: OY 16, W: rf_128B, I: sram_2MB, O: dram }
";

const CONSTRAINTS: &str = "name: Some orders
layers:
  - layer: conv2
    order: [FX all, rest, OX 2]
    levels:
      - { memory: rf_128B, operand: W, holds: FY 3 }
      - { memory: sram_2MB, operand: [I, O], within: [FX all], order: [OX, OY] }
";

const STUDY: &str = "name: Some designs
hardware: tpu-like
network: three-convs
schedule: { columns: 8, rows: 8, modes: fully-cached }
axes:
  - { vary: hardware.memories.sram_2MB.size, from: 64 KiB, to: 2 MiB, count: 2, scale: log }
  - { vary: schedule.columns, values: [4, 8] }
constraints: [capacity <= 6 MiB]
record: [energy, latency, dram_words]
objectives: [energy, latency, capacity]
";

/// The initial state of the page, with one tile size.
fn small_state() -> State {
    let mut state = State::first();
    state.apply(Action::Schedule(ScheduleField::TilesX("60".to_owned())));
    state.apply(Action::Schedule(ScheduleField::TilesY("72".to_owned())));
    state
}

fn texts(presets: &[Preset]) -> Vec<String> {
    presets.iter().map(|preset| preset.text.to_owned()).collect()
}

fn kinds() -> Vec<Kind> {
    vec![
        Kind {
            name: "hardware",
            texts: texts(hardware_presets()),
            commands: &[
                "depth-first --hardware FILE --workload three-convs --tile 8x8",
                "layer --hardware FILE --workload three-convs",
                "fuse --hardware FILE --workload three-convs --tile 8x8",
                "cores --system quad-beside --hardware FILE --workload three-convs --tiles 4",
                "attention --hardware FILE --model gpt2-small --tokens 64",
                "hierarchy --hardware FILE --workload three-convs --max-levels 1",
                "compare FILE tpu-like --on three-convs --tile 8x8",
                "export-zigzag --hardware FILE --workload three-convs --out FOLDER",
                "export-timeloop --hardware FILE --workload three-convs --out FOLDER",
                "export-stream --system quad-beside --hardware FILE --out FOLDER",
                "validate FILE",
            ],
            written: |text| write_hardware(&read_hardware(text).both().0),
        },
        Kind {
            name: "workload",
            texts: vec![find_preset(workload_presets(), "three-convs").unwrap().text.to_owned()],
            commands: &[
                "depth-first --hardware tpu-like --workload FILE --tile 8x8",
                "layer --hardware tpu-like --workload FILE",
                "fuse --hardware tpu-like --workload FILE --tile 8x8",
                "cores --system quad-beside --hardware tpu-like --workload FILE --tiles 4",
                "hierarchy --hardware zigzag-8x8 --workload FILE --max-levels 1",
                "compare tpu-like --on FILE --tile 8x8",
                "export-zigzag --hardware tpu-like --workload FILE --out FOLDER",
                "validate FILE",
            ],
            written: |text| write_workload(&read_workload(text).both().0),
        },
        Kind {
            name: "system",
            texts: texts(system_presets()),
            commands: &[
                "cores --system FILE --hardware tpu-like --workload three-convs --tiles 4",
                "export-stream --system FILE --out FOLDER",
                "validate FILE",
            ],
            written: |text| write_system(&read_system(text).both().0),
        },
        Kind {
            name: "pool",
            texts: texts(pool_presets()),
            commands: &["hierarchy --pool FILE --hardware zigzag-8x8 --workload three-convs --max-levels 1"],
            // Pools are never written.
            written: str::to_owned,
        },
        Kind {
            name: "lesson",
            texts: texts(lesson_presets()),
            commands: &["check-lesson FILE --variants 1", "validate FILE"],
            // Lessons are never written.
            written: str::to_owned,
        },
        Kind {
            name: "transformer",
            texts: texts(transformer_presets()),
            commands: &[
                "attention --model FILE --tokens 64",
                "attention --model FILE --tokens 64 --cores 2",
                "attention --model FILE --tokens 64 --generate 4",
            ],
            written: |text| write_transformer(&read_transformer(text).both().0),
        },
        Kind {
            name: "mapping",
            texts: vec![MAPPING.to_owned()],
            commands: &[
                "layer --hardware tpu-like --workload three-convs --layer conv2 --mapping FILE",
                "export-timeloop --hardware tpu-like --workload three-convs --layer conv2 --mapping FILE --out FOLDER",
            ],
            written: str::to_owned,
        },
        Kind {
            name: "constraints",
            texts: vec![CONSTRAINTS.to_owned()],
            commands: &["layer --hardware tpu-like --workload three-convs --layer conv2 --constraints FILE"],
            written: str::to_owned,
        },
        Kind {
            name: "study",
            texts: vec![STUDY.to_owned()],
            commands: &["study show FILE", "study run FILE --out FOLDER"],
            written: str::to_owned,
        },
        Kind {
            name: "state",
            texts: vec![small_state().to_yaml()],
            commands: &["link open FILE", "report FILE", "validate FILE"],
            written: |text| State::from_yaml(text).unwrap().to_yaml(),
        },
    ]
}

/// Replacements for numbers.
const NUMBERS: [&str; 12] =
    ["0", "-1", "1", "0.5", "7", "1000000", "1e308", "1e-308", "NaN", "inf", "18446744073709551615", "banana"];

/// The text with one mutation: another number, a line that is missing or duplicated, or an additional letter.
fn mutated(text: &str, random: &mut Lcg) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let line = random.below(lines.len() as u64) as usize;
    match random.below(5) {
        0 => drop(lines.remove(line)),
        1 => lines.insert(line, lines[line].clone()),
        2 => {
            let letters: Vec<usize> = lines[line].match_indices(char::is_alphabetic).map(|(at, _)| at).collect();
            if !letters.is_empty() {
                lines[line].insert(letters[random.below(letters.len() as u64) as usize], 'x');
            }
        }
        _ => {
            // Among all numbers of the document.
            let begins = |line: &str, at: usize| !line[..at].ends_with(|c: char| c.is_ascii_digit() || c == '.');
            let mut numbers = Vec::new();
            for (number, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#')) {
                let digits = line.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at);
                numbers.extend(digits.filter(|&at| begins(line, at)).map(|at| (number, at)));
            }
            let (number, at) = numbers[random.below(numbers.len() as u64) as usize];
            let line = &mut lines[number];
            let end = line[at..].find(|c: char| !c.is_ascii_digit() && c != '.').map_or(line.len(), |end| at + end);
            line.replace_range(at..end, random.of(&NUMBERS));
        }
    }
    lines.join("\n") + "\n"
}

/// Runs a command on a document.
fn run(command: &str, document: &Path) -> Output {
    let out = document.with_extension("out.parquet");
    // A study does not overwrite results.
    std::fs::remove_file(&out).or_else(|_| std::fs::remove_dir_all(&out)).ok();
    let words = command.split(' ').map(|word| match word {
        "FILE" => document.to_str().unwrap(),
        "FOLDER" => out.to_str().unwrap(),
        word => word,
    });
    let program = crate::program();
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -t \"$0\" && exec \"$@\"", MOST_SECONDS]).arg(program.get_program()).args(words);
    limited.current_dir(fusescape_test_support::root()).output().unwrap()
}

#[test]
fn changed_documents_give_a_number_or_a_reason() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutated");
    std::fs::create_dir_all(&folder).unwrap();
    let mut random = Lcg(40);
    let (mut numbers, mut refusals) = (0, 0);
    for Kind { name, texts, commands, written } in kinds() {
        let [file, again] = ["document", "written"].map(|what| folder.join(format!("{name}-{what}.yaml")));
        for round in 0..sample_or_all(1, 50) {
            for command in commands {
                let text = mutated(&texts[random.below(texts.len() as u64) as usize], &mut random);
                std::fs::write(&file, &text).unwrap();
                let Output { status, stdout, stderr } = run(command, &file);
                let (out, err) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
                let what = || format!("round {round}: {command}\n{out}\n{err}\nof:\n{text}");
                let mut words = out.split(|c: char| c.is_whitespace() || c == ',');
                assert!(!words.any(|word| ["inf", "-inf", "NaN", "-0.0000"].contains(&word)), "{}", what());
                match status.code() {
                    Some(0) => {
                        std::fs::write(&again, written(&text)).unwrap();
                        let repeated = run(command, &again);
                        assert!(repeated.status.success(), "{}", what());
                        let said = String::from_utf8(repeated.stdout).unwrap();
                        assert_eq!(untimed(&said.replace("-written.", "-document.")), untimed(&out), "{}", what());
                        numbers += 1;
                    }
                    Some(1 | 2) => {
                        // An infeasible result may be part of a table that is still printed.
                        assert!(!err.contains("panicked"), "{}", what());
                        assert!(err.trim_end().ends_with(['.', '?', '`', ')']), "{}", what());
                        refusals += 1;
                    }
                    _ => panic!("{status}: {}", what()),
                }
            }
        }
    }
    assert!(numbers > 0 && refusals > 0, "{numbers} numbers, {refusals} refusals");
}

/// The output without times.
fn untimed<'a>(text: &'a str) -> String {
    let is_time = |line: &&str| line.trim().strip_suffix(" s").is_some_and(|seconds| seconds.parse::<f64>().is_ok());
    let lines = text.lines().filter(|line| !is_time(line));
    let before = |line: &'a str| {
        [" in ", ", about "].iter().filter_map(|time| line.find(time)).min().map_or(line, |at| &line[..at])
    };
    lines.map(before).collect::<Vec<_>>().join("\n")
}
