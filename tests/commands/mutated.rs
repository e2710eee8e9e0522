//! Documents in which something was changed by chance, through every command that reads them: a number, which the same document gives
//! again after it was read and written, or what is wrong and what to do. A process gets no more than so many seconds.

use fusescape_spec::{
    Preset, find_preset, hardware_presets, lesson_presets, pool_presets, system_presets, transformer_presets,
};
use fusescape_spec::{read_hardware, read_system, read_transformer, read_workload, workload_presets};
use fusescape_spec::{write_hardware, write_system, write_transformer, write_workload};
use fusescape_test_support::random::Lcg;
use fusescape_test_support::sample::sample_or_all;
use std::path::Path;
use std::process::{Command, Output};

/// Seconds of CPU.
const MOST_SECONDS: &str = "20";

/// A kind of document.
struct Kind {
    name: &'static str,
    presets: Vec<&'static Preset>,
    /// What reads it; `FILE` stands for the document, `FOLDER` for where files go.
    commands: &'static [&'static str],
    /// The document, read and written.
    written: fn(&str) -> String,
}

fn kinds() -> Vec<Kind> {
    vec![
        Kind {
            name: "hardware",
            presets: hardware_presets().iter().collect(),
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
            presets: vec![find_preset(workload_presets(), "three-convs").unwrap()],
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
            presets: system_presets().iter().collect(),
            commands: &[
                "cores --system FILE --hardware tpu-like --workload three-convs --tiles 4",
                "export-stream --system FILE --out FOLDER",
                "validate FILE",
            ],
            written: |text| write_system(&read_system(text).both().0),
        },
        Kind {
            name: "pool",
            presets: pool_presets().iter().collect(),
            commands: &["hierarchy --pool FILE --hardware zigzag-8x8 --workload three-convs --max-levels 1"],
            // Nothing writes pools.
            written: str::to_owned,
        },
        Kind {
            name: "lesson",
            presets: lesson_presets().iter().collect(),
            commands: &["check-lesson FILE --variants 1", "validate FILE"],
            // Nothing writes lessons.
            written: str::to_owned,
        },
        Kind {
            name: "transformer",
            presets: transformer_presets().iter().collect(),
            commands: &[
                "attention --model FILE --tokens 64",
                "attention --model FILE --tokens 64 --cores 2",
                "attention --model FILE --tokens 64 --generate 4",
            ],
            written: |text| write_transformer(&read_transformer(text).both().0),
        },
    ]
}

/// What numbers are replaced with.
const NUMBERS: [&str; 12] =
    ["0", "-1", "1", "0.5", "7", "1000000", "1e308", "1e-308", "NaN", "inf", "18446744073709551615", "banana"];

/// The text with one thing changed: a number, a line that is gone or comes twice, or a letter more.
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
            // Of all numbers of the document.
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
    let out = document.with_extension("out");
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
    for Kind { name, presets, commands, written } in kinds() {
        let [file, again] = ["document", "written"].map(|what| folder.join(format!("{name}-{what}.yaml")));
        for round in 0..sample_or_all(1, 50) {
            for command in commands {
                let preset = presets[random.below(presets.len() as u64) as usize];
                let text = mutated(preset.text, &mut random);
                std::fs::write(&file, &text).unwrap();
                let Output { status, stdout, stderr } = run(command, &file);
                let (out, err) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
                let what = || format!("round {round}: {command}\n{out}\n{err}\nof {}:\n{text}", preset.id);
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
                        // What cannot be scheduled may be told in a table that is printed nevertheless.
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

/// What is printed, without how long it took.
fn untimed(text: &str) -> String {
    let is_time = |line: &&str| line.trim().strip_suffix(" s").is_some_and(|seconds| seconds.parse::<f64>().is_ok());
    let lines = text.lines().filter(|line| !is_time(line));
    lines.map(|line| line.split_once(" in ").map_or(line, |(before, _)| before)).collect::<Vec<_>>().join("\n")
}
