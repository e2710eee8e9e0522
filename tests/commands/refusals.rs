//! Impossible accelerators, studies, lessons and results, each from an earlier bug: rejected with place, reason and
//! remedy, before anything is computed.

use crate::command_line::{fails, succeeds};
use fusescape_spec::{Preset, find_preset, hardware_presets, lesson_presets};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A preset with one part replaced.
fn changed(presets: &'static [Preset], id: &str, part: &str, other: &str) -> String {
    let text = find_preset(presets, id).unwrap().text;
    assert!(text.contains(part), "{part} is not in {id}");
    text.replacen(part, other, 1)
}

/// Checks that the command fails, with all of these texts.
fn refused(arguments: &[&str], expected: &[&str]) {
    let said = fails(arguments);
    for part in expected {
        assert!(said.contains(part), "{arguments:?} say no `{part}`:\n{said}");
    }
}

#[test]
fn cores_that_a_system_leaves_out_are_those_of_a_document_that_can_be_read() {
    let folder = folder("unread-cores");
    for (index, (part, other, expected)) in [
        ("mac_energy: 0.04 pJ", "mac_energy: banana", "array.mac_energy: `banana` does not start with a number"),
        ("mac_energy: 0.04 pJ", "mac_energi: 0.04 pJ", "array.mac_energi: There is no field"),
        ("mac_energy: 0.04 pJ", "mac_energy: -1 pJ", "array.mac_energy: "),
        ("mac_energy: 0.04 pJ", "mac_energy: inf pJ", "array.mac_energy: "),
        ("memories:", "clock: -200 MHz\nmemories:", "clock: "),
    ]
    .into_iter()
    .enumerate()
    {
        let hardware = file(&folder, &format!("{index}.yaml"), changed(hardware_presets(), "tpu-like", part, other));
        let out = folder.join(index.to_string());
        let of = ["--system", "quad-beside", "--hardware", &hardware, "--workload", "three-convs"];
        refused(&[&["cores"][..], &of].concat(), &[expected]);
        refused(&[&["export-stream"][..], &of, &["--out", out.to_str().unwrap()]].concat(), &[expected]);
        assert!(!out.exists());
    }
}

#[test]
fn what_would_never_end_is_counted_first() {
    let folder = folder("never-ends");
    let limit = "lpf_limit: An LPF limit of 18446744073709551615. Write 1 to 12";
    let study = "name: s\nsystem: quad-beside\nhardware: tpu-like\nnetwork: three-convs\n\
        schedule: { search: loma, lpf_limit: 18446744073709551615 }\n\
        axes:\n  - { vary: system.links.0.width, values: [16 bit, 128 bit] }\n\
        record: [energy]\nobjectives: [energy]\n";
    refused(&["study", "show", &file(&folder, "study.yaml", study)], &[limit]);
    let of = ["--hardware", "tpu-like", "--workload", "three-convs", "--strategy", "loma"];
    refused(&[&["layer"][..], &of, &["--lpf-limit", "18446744073709551615"]].concat(), &["Write 1 to 12"]);
    let generation = ["attention", "--model", "gpt2-small", "--tokens", "100000", "--generate", "4", "--chunk", "1"];
    refused(&generation, &["chunk: A prompt of 100000 tokens in chunks of 1. Write at least 391"]);
    let generation = ["attention", "--model", "gpt2-small", "--tokens", "16", "--generate", "18446744073709551615"];
    refused(&generation, &["generate: The size is 18446744073709551615. Write 0 to 16777216"]);
}

#[test]
fn energies_have_a_range_wherever_they_are_stated() {
    let of = ["attention", "--model", "gpt2-small", "--tokens", "16", "--cores", "4", "--link-energy", "1e308"];
    refused(&of, &["cores.link_pj: This is too large to be counted. Write at most 10000000000 pJ (10 mJ)"]);
    let of = ["layer", "--hardware", "tpu-like", "--workload", "three-convs", "--objective"];
    refused(&[&of[..], &["weighted:energy=1e308"]].concat(), &["from 0 to 1000000000000"]);
}

/// Three layers of which none fits: there is nothing to sum up.
#[test]
fn no_energy_is_less_than_nothing() {
    let folder = folder("less-than-nothing");
    let hardware = changed(hardware_presets(), "tpu-like", "size: 128 B", "size: 1 bit");
    let out = crate::program()
        .args(["layer", "--workload", "three-convs", "--hardware", &file(&folder, "tiny.yaml", hardware)])
        .output()
        .unwrap();
    let said = String::from_utf8(out.stdout).unwrap();
    assert_eq!((out.status.code(), said.matches("no mapping: ").count()), (Some(1), 3), "{said}");
    assert!(!said.contains("-0.0") && !said.contains("0 layers") && !said.contains("optimal"), "{said}");
}

#[test]
fn what_says_nothing_or_the_same_twice_is_refused() {
    let folder = folder("nonsense");
    let study = "name: s\nhardware: tpu-like\nnetwork: three-convs\nschedule: { columns: [8, {}], rows: 8 }\n\
        axes:\n  - { vary: hardware.memories.dram.width, values: [32 bit, 64 bit] }\n\
        record: [energy]\nobjectives: [energy]\n";
    let study = file(&folder, "study.yaml", study);
    refused(&["study", "show", &study], &["line 4: schedule.columns: `[8, {}]` is no list of single values"]);
    let lesson =
        |part: &str, other: &str| file(&folder, "lesson.yaml", changed(lesson_presets(), "why-fuse", part, other));
    refused(
        &["check-lesson", &lesson("dram 0..10", "dram 99..10")],
        &["steps[0].answers[0].when: No number lies in `dram 99..10`. Write an upper limit above the lower one"],
    );
    refused(
        &["check-lesson", &lesson("dram 0..10", "dram 10..10")],
        &["steps[0].answers[0].when: No number lies in `dram 10..10`. Write an upper limit above the lower one"],
    );
    refused(&["attention", "--bits", "keys=8,keys=9"], &["`keys` is there twice: keep one"]);
    let tiny = file(&folder, "tiny.yaml", changed(hardware_presets(), "fusemax-like", "size: 16 MiB", "size: 1 KiB"));
    let of = ["attention", "--model", "gpt2-small", "--tokens", "16", "--hardware", &tiny];
    refused(&of, &["does not fit on the chip", "Take fewer tokens, or enlarge the highest memories on the chip"]);
}

#[test]
fn files_that_are_no_results_are_told_for_what_they_are() {
    let folder = folder("no-results");
    let text = file(&folder, "rows.csv", "design,energy_pj\n1,2\n");
    refused(&["study", "front", &text], &["This is no Parquet file", "its CSV cannot be read back"]);
    let begun = file(&folder, "begun.parquet", b"PAR1 and nothing of it");
    refused(&["study", "front", &begun], &["The file is damaged. Remove it, and run the study again."]);
    refused(&["import", &begun], &["results of a study", "Open it in the view Study"]);
    let study = file(
        &folder,
        "study.yaml",
        "name: s\nhardware: tpu-like\nnetwork: three-convs\naxes: [{ vary: hardware.memories.dram.width, values: [32 bit] }]\n\
         record: [energy]\nobjectives: [energy]\n",
    );
    assert!(succeeds(&["import", &study]).contains("axes: [{ vary: "));
    let nowhere = folder.join("not/there.parquet");
    refused(&["study", "run", &study, "--out", nowhere.to_str().unwrap()], &["There is no folder"]);
    assert!(!folder.join("not").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_takes_no_more_is_said_and_leaves_nothing_behind() {
    let folder = folder("no-room");
    let no_room = "There is no room left on the disk. Make room, then run it again.";
    let layer = ["layer", "--hardware", "tpu-like", "--workload", "three-convs", "--layer", "conv2"];
    refused(&[&layer[..], &["--save-mapping", "/dev/full"]].concat(), &[no_room]);
    let full = fs::File::create("/dev/full").unwrap();
    let printed = crate::program().arg("presets").stdout(full).output().unwrap();
    assert!(!printed.status.success());
    assert_eq!(String::from_utf8(printed.stderr).unwrap().trim_end(), no_room);

    let study = file(
        &folder,
        "study.yaml",
        "name: s\nhardware: tpu-like\nnetwork: three-convs\nschedule: { columns: 8, rows: 8, modes: fully-cached }\n\
         axes: [{ vary: schedule.columns, values: [4, 8] }]\nrecord: [energy]\nobjectives: [energy]\n",
    );
    let out = folder.join("rows.parquet");
    let run = ["study", "run", &study, "--out", out.to_str().unwrap()];
    // A limit of 1 KiB on files, in place of a full disk.
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\""]).arg(crate::program().get_program()).args(run);
    let limited = limited.output().unwrap();
    let said = String::from_utf8(limited.stderr).unwrap();
    assert!(!limited.status.success() && said.contains("larger than the system lets it be"), "{said}");
    let parts = fs::read_dir(folder.join("rows.parquet.parts")).unwrap().map(|entry| entry.unwrap().path());
    assert!(!out.exists() && parts.into_iter().all(|part| part.extension().is_none_or(|end| end != "parquet")));
    succeeds(&run);
    assert!(out.exists() && !folder.join("rows.parquet.parts").exists());
}

#[test]
fn grading_tells_what_a_receipt_says_that_cannot_be() {
    let folder = folder("odd-receipts");
    let receipt = |name: &str, student: &str, choice: u32| {
        let text = format!(
            "{{\"fusescape_receipt\": 1, \"title\": \"Another title\", \"lesson\": \"ports-and-stalls\", \"student\": \"{student}\", \
             \"answers\": {{\"1\": [{{\"choice\": {choice}}}]}}}}"
        );
        file(&folder, name, text);
    };
    receipt("1.json", "Ada", 0);
    receipt("2.json", "ada", 9);
    receipt("3.json", "A\u{200b}da", 1);
    let table = succeeds(&["grade", folder.to_str().unwrap()]);
    let lines: Vec<&str> = table.lines().skip(1).collect();
    assert!(lines.iter().all(|line| line.contains(",Ports and stalls,")), "{table}");
    assert!(lines[0].ends_with("step 1: there is no answer 0"), "{table}");
    assert!(lines[1].contains("step 1: there is no answer 9") && lines[1].contains("looks like `Ada`"), "{table}");
    assert!(!lines[2].contains("there is no answer") && lines[2].contains("looks like `Ada`"), "{table}");
}
