//! Studies on the command line: results that survive any end of a run, shards, files of unknown origin.

use crate::command_line::{fails, succeeds};
use fusescape_command::study::{
    MergeReport, ResultWriter, RunReport, Shard, StudyFailure, front_of_file, merge, open, rows,
};
use fusescape_command::study_front::StudyFront;
use fusescape_command::{ProgressMonitor, Unmonitored};
use fusescape_engine::explore::study::{DesignRow, DesignSpace, DesignStatus, PathRoot, StudyRequest};
use fusescape_results::parquet::DIGESTS;
use fusescape_results::rows_of_csv;
use fusescape_spec::{find_preset, hardware_presets, workload_presets};
use fusescape_test_support::random::Lcg;
use fusescape_test_support::root;
use fusescape_test_support::sample::sample_or_all;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Designs in three tasks, with a few microseconds of searches each.
const STUDY: &str = "name: Small
hardware: meta-proto-like-df
network: three-convs
schedule: { columns: 16, rows: 16, search: loma, lpf_limit: 3 }
axes:
  - { vary: hardware.memories.sram_32KB.size, from: 1 KiB, to: 16 KiB, count: 16 }
  - { vary: hardware.memories.sram_64KB.size, from: 1 KiB, to: 8 KiB, count: 8 }
  - { vary: hardware.memories.dram.width, values: [32 bit, 64 bit, 128 bit] }
  - { vary: hardware.memories.sram_64KB.read_energy, from: 10 pJ, to: 40 pJ, count: 2 }
objectives: [energy, latency, capacity]
sampling: SAMPLING
beaten: skip
";

fn request(text: String) -> StudyRequest {
    let preset = |presets, name: &str| (name.to_owned(), find_preset(presets, name).unwrap().text.to_owned());
    StudyRequest {
        text,
        hardware: vec![preset(hardware_presets(), "meta-proto-like-df")],
        networks: vec![preset(workload_presets(), "three-convs")],
        ..StudyRequest::default()
    }
}

fn study(sampling: &str) -> Arc<DesignSpace> {
    Arc::new(DesignSpace::new(request(STUDY.replace("SAMPLING", sampling))).unwrap())
}

/// A run without cached costs.
fn run(
    study: &Arc<DesignSpace>,
    shard: Shard,
    out: &Path,
    monitor: &dyn ProgressMonitor,
) -> Result<RunReport, StudyFailure> {
    fusescape_command::study::run(study, shard, out, &Arc::default(), monitor)
}

/// Links, memories, cores and tiles vary; some designs search for the best tile size.
const ON_CORES: &str = "\
name: On many cores
hardware: tpu-like
system: [quad-beside, tpu-quad]
network: three-convs
schedule: { stacks: one, objective: edp, search: loma, lpf_limit: 3 }
axes:
  - { vary: [system.links.0.width, hardware.memories.sram_2MB.size], values: [[16 bit, 8 KiB], [128 bit, 64 KiB]] }
  - { vary: schedule.tiles, values: [best, 4, 'rows 4, channels 8'] }
record: [energy, latency, edp, utilization, peak_on_chip, onchip_energy, links_energy, memories_energy]
";

/// Columns, and their names in the command's JSON.
const FIELDS: [(&str, &str); 8] = [
    ("energy_pj", "energy_pj"),
    ("latency_cycles", "latency_cycles"),
    ("edp_pj_cycles", "edp_pj_cycles"),
    ("utilization", "mac_use"),
    ("peak_on_chip_bits", "peak_on_chip_bits"),
    ("onchip_energy_pj", "energy_onchip_pj"),
    ("links_energy_pj", "energy_links_pj"),
    ("memories_energy_pj", "energy_memories_pj"),
];

#[test]
fn a_design_on_many_cores_is_what_the_command_for_cores_finds() {
    let folder = folder("on-cores");
    let [document, results] = ["study.yaml", "results.csv"].map(|name| folder.join(name));
    std::fs::write(&document, ON_CORES).unwrap();
    let _ = std::fs::remove_file(&results);
    succeeds(&["study", "run", text(&document), "--out", text(&results)]);
    let study = fusescape_command::study::read(ON_CORES.to_owned(), &folder, &[]).unwrap();
    let rows = rows_of_csv(&study, &std::fs::read_to_string(&results).unwrap()).unwrap();
    assert_eq!(rows.len(), 12);
    for row in &rows {
        assert_eq!(row.status, DesignStatus::Found, "{}", row.reason);
        let [hardware, network, system] = [PathRoot::Hardware, PathRoot::Network, PathRoot::System].map(|part| {
            let path = folder.join(format!("{}.yaml", part.name()));
            std::fs::write(&path, study.document(part, &row.coordinates).unwrap()).unwrap();
            path
        });
        let tiles = ["best", "4", "rows 4, channels 8"][row.coordinates[2] as usize];
        let documents =
            ["cores", "--system", text(&system), "--hardware", text(&hardware), "--workload", text(&network)];
        let options =
            ["--tiles", tiles, "--stacks", "one", "--objective", "edp", "--strategy", "loma", "--lpf-limit", "3"];
        let found = succeeds(&[&documents[..], &options[..], &["--format", "json"]].concat());
        let found: serde_json::Value = serde_json::from_str(&found).unwrap();
        for (quantity, value) in study.quantities.iter().zip(&row.values) {
            let column = quantity.column();
            let field = FIELDS.iter().find(|(known, _)| *known == column).unwrap().1;
            assert_eq!(*value, found[field].as_f64(), "{column} of design {}", row.design);
        }
        assert_eq!(row.tiles.as_deref(), found["tile_sizes"].is_array().then(|| found["tile_size"].as_str().unwrap()));
    }
}

#[test]
#[allow(clippy::disallowed_methods)]
fn a_run_that_is_killed_at_any_moment_resumes_to_the_same_file() {
    let folder = folder("killed");
    let document = folder.join("study.yaml");
    for (sampling, kills) in [("grid", sample_or_all(3, 12)), ("{ refine: 700 }", sample_or_all(2, 8))] {
        std::fs::write(&document, STUDY.replace("SAMPLING", sampling)).unwrap();
        let undisturbed = folder.join("undisturbed.parquet");
        let _ = std::fs::remove_file(&undisturbed);
        let begun = Instant::now();
        succeeds(&["study", "run", text(&document), "--out", text(&undisturbed)]);
        let whole = begun.elapsed();
        let killed = folder.join("killed.parquet");
        let _ = std::fs::remove_file(&killed);
        let mut random = Lcg(7);
        for kill in 0..kills {
            if killed.exists() {
                std::fs::remove_file(&killed).unwrap();
            }
            let mut run = crate::program()
                .args(["study", "run", text(&document), "--out", text(&killed)])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            // At a random time in each of equal parts of the run, whatever the speed of the machine.
            let share = (kill as f64 + random.below(1000) as f64 / 1000.0) / kills as f64;
            std::thread::sleep(whole.mul_f64(share).min(Duration::from_secs(20)));
            let _ = run.kill();
            run.wait().unwrap();
        }
        // Twice, as complete results are kept.
        for _ in 0..2 {
            succeeds(&["study", "run", text(&document), "--out", text(&killed)]);
        }
        assert!(std::fs::read(&killed).unwrap() == std::fs::read(&undisturbed).unwrap(), "{sampling}");
        let left = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = left.filter(|name| name.to_str().unwrap().ends_with(".parts")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn merged_shards_are_the_whole_study() {
    let folder = folder("shards");
    let whole = study("grid");
    let undivided = folder.join("whole.parquet");
    run(&whole, Shard::WHOLE, &undivided, &Unmonitored).unwrap();
    let shards: Vec<PathBuf> = (1..=3).map(|index| folder.join(format!("{index}.parquet"))).collect();
    for (index, path) in (1..).zip(&shards) {
        run(&whole, Shard { index, count: 3 }, path, &Unmonitored).unwrap();
    }
    let merged = folder.join("merged.parquet");
    let backwards: Vec<PathBuf> = shards.iter().rev().cloned().collect();
    assert_eq!(merge(&backwards, &merged).unwrap(), MergeReport { designs: whole.designs(), is_checked: true });
    // The number of skipped designs differs; the front does not.
    let [one, other] = [&undivided, &merged].map(|path| front_of_file(path).unwrap());
    assert!(!one.rows.is_empty());
    assert_eq!(one.rows, other.rows);
    assert_eq!(one.designs.values().sum::<u64>(), whole.designs());
    for (some, why) in [
        (vec![shards[0].clone(), shards[2].clone()], "are in none of these files"),
        (vec![shards[1].clone(), shards[2].clone()], "are in none of these files"),
        (vec![shards[0].clone(), shards[0].clone(), shards[1].clone(), shards[2].clone()], "another file has, too"),
        (vec![shards[0].clone(), undivided.clone()], "another file has, too"),
    ] {
        let failure = merge(&some, &folder.join("not.parquet")).unwrap_err().to_string();
        assert!(failure.contains(why), "{failure}");
    }
    let failure = merge(&shards, &merged).unwrap_err().to_string();
    assert!(failure.contains("There is a file"), "{failure}");
    let refined = study("{ refine: 500 }");
    let failure = run(&refined, Shard { index: 1, count: 2 }, &folder.join("no.parquet"), &Unmonitored).unwrap_err();
    assert!(failure.to_string().contains("cannot be divided"), "{failure}");
}

#[test]
fn results_of_two_studies_are_not_mixed() {
    let folder = folder("mixed");
    let (one, other) = (study("{ sobol: 10 }"), study("{ sobol: 11 }"));
    let paths = [folder.join("one.parquet"), folder.join("other.parquet")];
    run(&one, Shard::WHOLE, &paths[0], &Unmonitored).unwrap();
    run(&other, Shard::WHOLE, &paths[1], &Unmonitored).unwrap();
    let failure = merge(&paths, &folder.join("both.parquet")).unwrap_err().to_string();
    assert!(failure.contains("another study"), "{failure}");
    let failure = run(&other, Shard::WHOLE, &paths[0], &Unmonitored).unwrap_err().to_string();
    assert!(failure.contains("There is a file"), "{failure}");
    let begun = folder.join("begun.parquet.parts");
    std::fs::create_dir_all(&begun).unwrap();
    std::fs::write(begun.join("study.txt"), "another one").unwrap();
    let failure = run(&other, Shard::WHOLE, &folder.join("begun.parquet"), &Unmonitored).unwrap_err().to_string();
    assert!(failure.contains("parts of another study"), "{failure}");
}

#[test]
fn csv_has_the_rows_of_parquet() {
    let folder = folder("csv");
    let study = study("{ sobol: 20 }");
    let [parquet, csv, merged] = ["rows.parquet", "rows.csv", "merged.csv"].map(|name| folder.join(name));
    run(&study, Shard::WHOLE, &parquet, &Unmonitored).unwrap();
    run(&study, Shard::WHOLE, &csv, &Unmonitored).unwrap();
    merge(std::slice::from_ref(&parquet), &merged).unwrap();
    let rows = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(rows, std::fs::read_to_string(&merged).unwrap());
    let lines: Vec<&str> = rows.lines().collect();
    assert_eq!(lines.len(), 21);
    assert!(lines[0].starts_with("design,hardware.memories.sram_32KB.size,hardware.memories.sram_32KB.size [bit],"));
    assert!(lines[0].ends_with("energy_pj,latency_cycles,capacity_bits,status,reason"));
    let bits = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[1].to_owned(), cells[2].parse::<f64>().unwrap())
    };
    for line in &lines[1..] {
        let (written, bits) = bits(line);
        assert_eq!(fusescape_spec::write_size(bits as u64), written);
    }
    let failure = run(&study, Shard { index: 1, count: 2 }, &folder.join("half.csv"), &Unmonitored).unwrap_err();
    assert!(failure.to_string().contains("CSV"), "{failure}");
}

#[test]
fn a_damaged_file_is_an_error() {
    let folder = folder("damaged");
    let study = study("{ sobol: 12 }");
    let path = folder.join("rows.parquet");
    run(&study, Shard::WHOLE, &path, &Unmonitored).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let whole = front_of_file(&path).unwrap().rows;
    let damaged = folder.join("damaged.parquet");
    // Bytes without effect may change, but no row may. If the key of the digests changes, the file is reported as
    // unchecked.
    let is_whole = |file: &[u8], found: &StudyFront| {
        let is_named = file.windows(DIGESTS.len()).any(|name| name == DIGESTS.as_bytes());
        found.rows == whole && found.is_checked == is_named
    };
    // Messages of panics in the library are of no interest here.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut random = Lcg(3);
    let mut errors = 0;
    for case in 0..sample_or_all(90, 400) {
        let mut other = bytes.clone();
        match case % 3 {
            0 => other.truncate(random.below(bytes.len() as u64) as usize),
            1 => {
                let at = random.below(bytes.len() as u64) as usize;
                other[at] ^= 1 << random.below(8);
            }
            _ => {
                // In the pages and their headers, which come first.
                let at = random.below(bytes.len().min(2000) as u64) as usize;
                other[at] = random.below(256) as u8;
            }
        }
        std::fs::write(&damaged, &other).unwrap();
        match front_of_file(&damaged) {
            Ok(found) => assert!(is_whole(&other, &found), "case {case}"),
            Err(_) => errors += 1,
        }
    }
    for at in (0..bytes.len()).step_by(sample_or_all(100, 10)) {
        let mut other = bytes.clone();
        other[at] ^= 1 << random.below(8);
        std::fs::write(&damaged, &other).unwrap();
        if let Ok(found) = front_of_file(&damaged) {
            assert!(is_whole(&other, &found), "byte {at}");
        }
    }
    std::panic::set_hook(hook);
    assert!(errors > sample_or_all(30, 133), "{errors}");
    assert!(!whole.is_empty());
    for (content, why) in [("", ""), ("PAR1PAR1", ""), ("a text, no table", "")] {
        std::fs::write(&damaged, content).unwrap();
        let failure = fails(&["study", "front", text(&damaged)]);
        assert!(failure.contains("damaged.parquet") && failure.contains(why), "{failure}");
    }
}

/// All rows of a result file.
fn all_rows(study: &DesignSpace, path: &Path) -> Vec<DesignRow> {
    let mut all = Vec::new();
    let file = fusescape_command::study::open_part(study, path).unwrap();
    file.rows(study, &mut |rows| -> Result<(), StudyFailure> {
        all.extend(rows);
        Ok(())
    })
    .unwrap();
    all
}

#[test]
fn of_two_runs_that_write_the_same_results_one_waits_for_the_other() {
    let folder = folder("two-writers");
    let document = folder.join("study.yaml");
    std::fs::write(&document, STUDY.replace("SAMPLING", "grid")).unwrap();
    let [alone, out] = ["alone.parquet", "out.parquet"].map(|name| folder.join(name));
    succeeds(&["study", "run", text(&document), "--out", text(&alone)]);
    let whole = study("grid");
    let begin = || {
        let mut run = crate::program();
        run.args(["study", "run", text(&document), "--out", text(&out)]).stdout(Stdio::null()).stderr(Stdio::piped());
        run.spawn().unwrap()
    };
    for _ in 0..sample_or_all(2, 60) {
        let _ = std::fs::remove_file(&out);
        let ended = [begin(), begin()].map(|run| run.wait_with_output().unwrap());
        assert!(ended.iter().any(|one| one.status.success()));
        for one in ended.iter().filter(|one| !one.status.success()) {
            let said = String::from_utf8_lossy(&one.stderr);
            let is_told = said.contains("Another run is writing these results") || said.contains("There is a file");
            assert!(is_told, "{said}");
        }
        assert!(all_rows(&whole, &out) == all_rows(&whole, &alone));
        assert!(!folder.join("out.parquet.parts").exists());
    }
}

#[test]
fn a_damaged_part_is_computed_again() {
    let folder = folder("damaged-part");
    let whole = study("grid");
    let [alone, out, parts] = ["alone.parquet", "out.parquet", "out.parquet.parts"].map(|name| folder.join(name));
    run(&whole, Shard::WHOLE, &alone, &Unmonitored).unwrap();
    let mut random = Lcg(5);
    for case in 0..sample_or_all(1, 60) {
        let _ = std::fs::remove_file(&out);
        // Ended after its first part.
        let monitor = StopsAfter(AtomicUsize::new(whole.task_designs() as usize + 1));
        run(&whole, Shard::WHOLE, &out, &monitor).unwrap_err();
        let part = parts.join("000000000.parquet");
        let mut bytes = std::fs::read(&part).unwrap();
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] ^= 1 << random.below(8);
        std::fs::write(&part, bytes).unwrap();
        run(&whole, Shard::WHOLE, &out, &Unmonitored).unwrap();
        assert!(all_rows(&whole, &out) == all_rows(&whole, &alone), "case {case}, byte {at}");
    }
}

/// Stops a run after a number of designs.
struct StopsAfter(AtomicUsize);

impl ProgressMonitor for StopsAfter {
    fn begin(&self, _: usize, _: &str) {}

    fn advance(&self, parts: usize) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(parts)));
    }

    fn recount(&self, _: usize) {}

    fn end(&self) {}

    fn goes_on(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

#[test]
fn no_row_has_what_no_design_can_have() {
    let folder = folder("impossible");
    let study = study("{ sobol: 4 }");
    let csv = folder.join("rows.csv");
    run(&study, Shard::WHOLE, &csv, &Unmonitored).unwrap();
    let rows = std::fs::read_to_string(&csv).unwrap();
    let names: Vec<&str> = rows.lines().next().unwrap().split(',').collect();
    let line = rows.lines().position(|line| line.contains(",found,")).unwrap();
    let with = |column: &str, cell: &str| -> String {
        let place = names.iter().position(|name| *name == column).unwrap();
        let change = |(index, text): (usize, &str)| {
            let mut cells: Vec<&str> = text.split(',').collect();
            if index == line {
                cells[place] = cell;
            }
            cells.join(",") + "\n"
        };
        rows.lines().enumerate().map(change).collect()
    };
    for (column, cell) in [
        ("energy_pj", "NaN"),
        ("energy_pj", "-1"),
        ("latency_cycles", "inf"),
        ("capacity_bits", "-inf"),
        ("status", "fonud"),
        ("design", "99999999"),
    ] {
        let (reason, _) = rows_of_csv(&study, &with(column, cell)).unwrap_err();
        assert!(reason.starts_with(&format!("Line {}, column `{column}`: ", line + 1)), "{reason}");
    }
}

#[test]
fn no_result_file_has_a_design_that_cannot_be_or_is_there_twice() {
    let folder = folder("impossible-rows");
    let study = study("{ sobol: 4 }");
    let rows = rows(&study, vec![0, 1, 2, 3], &Arc::default(), &Unmonitored).unwrap();
    let written = |rows: Vec<DesignRow>| {
        let path = folder.join("rows.parquet");
        let mut file = ResultWriter::new(&study, 0..1, &path, &folder).unwrap();
        file.add(rows).unwrap();
        file.end().unwrap().persist_over().unwrap();
        path
    };
    assert_eq!(front_of_file(&written(rows.clone())).unwrap().missing, 0);
    let twice = [rows.clone(), vec![rows[2].clone()]].concat();
    let mut worthless = rows;
    worthless[1].values[0] = Some(-1.0);
    for (rows, why) in [(twice, "Row 5: design 2 is there twice"), (worthless, "Row 2: column `energy_pj`: ")] {
        let failure = front_of_file(&written(rows)).err().unwrap().to_string();
        assert!(failure.contains(why), "{failure}");
    }
}

#[test]
fn what_nobody_could_check_is_never_called_checked() {
    let folder = folder("unchecked");
    let study = study("{ sobol: 4 }");
    let [alone, older, merged] = ["alone.parquet", "older.parquet", "merged.parquet"].map(|name| folder.join(name));
    run(&study, Shard::WHOLE, &alone, &Unmonitored).unwrap();
    let mut file = ResultWriter::new(&study, 0..1, &older, &folder).unwrap();
    file.leave_unchecked();
    let (_, checked) = open(&alone).unwrap();
    checked.rows(&study, &mut |rows| file.add(rows)).unwrap();
    file.end_checked().unwrap().persist_new().unwrap();
    assert!(!merge(std::slice::from_ref(&older), &merged).unwrap().is_checked);
    assert!(run(&study, Shard::WHOLE, &older, &Unmonitored).unwrap().is_unchecked);
    for path in [&older, &merged] {
        let found = front_of_file(path).unwrap();
        assert!(!found.is_checked && found.notes()[0].contains("has no digests"), "{:?}", found.notes());
        assert!(all_rows(&study, path) == all_rows(&study, &alone));
    }
    assert!(front_of_file(&alone).unwrap().is_checked);
}

#[test]
fn the_front_of_a_shard_says_what_is_missing() {
    let folder = folder("front-of-shard");
    let study = study("grid");
    let path = folder.join("1.parquet");
    run(&study, Shard { index: 1, count: 3 }, &path, &Unmonitored).unwrap();
    let found = front_of_file(&path).unwrap();
    let (all, there) = (study.designs(), found.designs.values().sum::<u64>());
    assert!(found.missing > 0 && found.missing == all - there);
    assert!(found.notes()[0].starts_with(&format!("{} of {all} designs are missing", found.missing)));
}

#[test]
fn results_go_to_a_folder_that_is_there() {
    let folder = folder("no-folder");
    let failure =
        run(&study("{ sobol: 4 }"), Shard::WHOLE, &folder.join("not/there.parquet"), &Unmonitored).unwrap_err();
    assert!(failure.to_string().contains("There is no folder"), "{failure}");
    assert!(!folder.join("not").exists());
}

#[test]
fn the_example_of_the_documentation_is_shown_and_run() {
    let documentation = std::fs::read_to_string(root().join("docs/studies.md")).unwrap();
    let example = documentation.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let file = std::fs::read_to_string(root().join("docs/studies/buffers.yaml")).unwrap();
    let without_comments = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with("about"));
        lines.map(|line| line.split(" #").next().unwrap().trim_end().to_owned()).collect()
    };
    assert_eq!(without_comments(example), without_comments(&file));
    let shown = succeeds(&["study", "show", "docs/studies/buffers.yaml"]);
    assert!(shown.starts_with("Buffers for ResNet18: 105 designs, about "), "{shown}");
    assert!(shown.contains("only where capacity <= 6 MiB"), "{shown}");
    let on_cores = documentation.split("```yaml\n").nth(3).unwrap().split("```").next().unwrap();
    let file_on_cores = std::fs::read_to_string(root().join("docs/studies/cores.yaml")).unwrap();
    assert_eq!(without_comments(on_cores), without_comments(&file_on_cores));
    let study = fusescape_command::study::read(file_on_cores, &root().join("docs/studies"), &[]).unwrap();
    assert_eq!(study.designs(), 60);
    let folder = folder("example");
    let document = folder.join("study.yaml");
    // The same with a size that takes no time.
    let small = file
        .replace("resnet18", "three-convs")
        .replace("28", "16")
        .replace("fully-cached }", "fully-cached, search: loma, lpf_limit: 3 }");
    std::fs::write(&document, small).unwrap();
    let results = folder.join("results.parquet");
    let done = succeeds(&["study", "run", text(&document), "--out", text(&results)]);
    assert!(done.contains("found"), "{done}");
    let front: Value =
        serde_json::from_str(&succeeds(&["study", "front", text(&results), "--format", "json"])).unwrap();
    let rows = front["front"].as_array().unwrap();
    assert!(!rows.is_empty() && front["schema"] == "fusescape/study-front/1", "{front}");
    assert!(rows.iter().all(|row| row["capacity_bits"].as_f64().unwrap() <= 6.0 * 8.0 * 1024.0 * 1024.0));
    let table = succeeds(&["study", "front", text(&results)]);
    assert_eq!(table.lines().count(), 4 + rows.len(), "{table}");
}

#[test]
fn a_study_says_what_is_wrong_with_it() {
    let folder = folder("wrong");
    let document = folder.join("study.yaml");
    std::fs::write(&document, STUDY.replace("SAMPLING", "sobl").replace("dram.width", "drum.width")).unwrap();
    let failure = fails(&["study", "show", text(&document)]);
    assert!(failure.contains("Did you mean `dram`?") && failure.contains("There is no sampling `sobl`"), "{failure}");
    for shard in ["0/2", "3/2", "2", "x/y"] {
        let failure = fails(&["study", "run", text(&document), "--out", "x.parquet", "--shard", shard]);
        assert!(failure.contains("is no shard"), "{failure}");
    }
}
