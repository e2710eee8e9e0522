//! Runs of studies, and their result files: refusals, and the effect of following their remedies. A text here is a
//! sequence of actions in an empty folder: `run SAMPLING SHARD FILE`, `merge FILE FILES`, `write FILE`, `lock FILE`
//! like a run that writes it.

use super::{Grown, Room, preset};
use fusescape::command::study::{StudyFailure, merge, parse_shard, run};
use fusescape::command::{CommandError, Unmonitored};
use fusescape::explore::study::{DesignSpace, StudyRequest};
use fusescape::spec::{Diagnostics, find_preset, workload_presets};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

pub const ROOM: Room = Room {
    sources: &["src/command/study"],
    no_remedies: &[
        // For files that no version of this program writes.
        "A column too many",
        "The shards have {rows} of {} designs. Run those again that were ended.",
    ],
    tables: &[],
    grown,
};

const STUDY: &str = "\
name: Small
hardware: meta-proto-like-df
network: three-convs
schedule: { columns: 16, rows: 16, search: loma, lpf_limit: 3 }
axes:
  - { vary: hardware.memories.sram_32KB.size, from: 1 KiB, to: 16 KiB, count: 16 }
  - { vary: hardware.memories.dram.read_energy, from: 100 pJ, to: 260 pJ, count: 17 }
objectives: [energy, latency]
sampling: SAMPLING
";

fn study(sampling: &str) -> DesignSpace {
    let sampling = if sampling == "refine" { "{ refine: 16 }" } else { sampling };
    let network = find_preset(workload_presets(), "three-convs").unwrap().text.to_owned();
    DesignSpace::new(StudyRequest {
        text: STUDY.replace("SAMPLING", sampling),
        hardware: vec![("meta-proto-like-df".to_owned(), preset("meta-proto-like-df").to_owned())],
        networks: vec![("three-convs".to_owned(), network)],
        ..StudyRequest::default()
    })
    .unwrap()
}

/// The result, computed once.
fn done(text: &str) -> Result<(), Diagnostics> {
    static KNOWN: Mutex<BTreeMap<String, Result<(), Diagnostics>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap();
    known.entry(text.to_owned()).or_insert_with(|| do_all(text)).clone()
}

fn do_all(text: &str) -> Result<(), Diagnostics> {
    static FOLDERS: AtomicUsize = AtomicUsize::new(0);
    let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("shards-{number}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut locks = Vec::new();
    let told = text.lines().try_for_each(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["run", sampling, shard, out] => run(
                &Arc::new(study(sampling)),
                parse_shard(shard).unwrap(),
                &folder.join(out),
                &Arc::default(),
                &Unmonitored,
            )
            .map(drop),
            ["merge", out, ..] => {
                let shards: Vec<PathBuf> = words[2..].iter().map(|shard| folder.join(shard)).collect();
                merge(&shards, &folder.join(out)).map(drop)
            }
            ["write", out] => {
                let out = folder.join(out);
                fs::create_dir_all(out.parent().unwrap()).unwrap();
                fs::write(out, "something else").unwrap();
                Ok(())
            }
            ["lock", out] => {
                let parts = folder.join(format!("{out}.parts"));
                fs::create_dir_all(&parts).unwrap();
                let lock = fs::File::create(parts.join("lock")).unwrap();
                lock.try_lock().unwrap();
                locks.push(lock);
                Ok(())
            }
            _ => panic!("{line}"),
        }
    });
    fs::remove_dir_all(&folder).unwrap();
    told.map_err(|failure| match failure {
        StudyFailure::NoResult(CommandError::Wrong(wrong)) => wrong,
        other => panic!("{other}"),
    })
}

const CASES: &[(&str, &str, &str)] = &[
    (
        "run grid 1/2 a.csv",
        "Name a file that ends with .parquet; `study merge` writes CSV as well",
        "run grid 1/2 a.parquet\nrun grid 2/2 b.parquet\nmerge m.csv a.parquet b.parquet",
    ),
    ("run refine 1/2 a.parquet", "Sample by `grid` or `sobol`", "run grid 1/2 a.parquet"),
    ("run refine 1/2 a.parquet", "or run it on one machine", "run refine 1/1 a.parquet"),
    ("merge m.parquet", "Name result files", "run grid 1/1 a.parquet\nmerge m.parquet a.parquet"),
    (
        "run grid 1/1 a.parquet\nwrite m.parquet\nmerge m.parquet a.parquet",
        "Name another file",
        "run grid 1/1 a.parquet\nwrite m.parquet\nmerge n.parquet a.parquet",
    ),
    (
        "lock a.parquet\nrun grid 1/1 a.parquet",
        "Wait until it has ended, or name another file",
        "run grid 1/1 a.parquet",
    ),
    ("run grid 1/1 a/b.parquet", "Make it, or name a file in a folder that is there", "run grid 1/1 b.parquet"),
    ("write a.parquet\nrun grid 1/1 a.parquet", "or remove this one", "run grid 1/1 a.parquet"),
    (
        "write a.parquet.parts/study.txt\nrun grid 1/1 a.parquet",
        "Name another file",
        "write a.parquet.parts/study.txt\nrun grid 1/1 b.parquet",
    ),
    ("write a.parquet.parts/study.txt\nrun grid 1/1 a.parquet", "or remove this folder", "run grid 1/1 a.parquet"),
    (
        "run refine 1/1 a.parquet\nmerge m.csv a.parquet",
        "For CSV, run it with an `--out` that ends with .csv",
        "run refine 1/1 m.csv",
    ),
    (
        "run grid 1/2 a.parquet\nmerge m.parquet a.parquet",
        "Name the results of all shards",
        "run grid 1/2 a.parquet\nrun grid 2/2 b.parquet\nmerge m.parquet a.parquet b.parquet",
    ),
    (
        "run grid 2/2 b.parquet\nmerge m.parquet b.parquet",
        "Name the results of all shards",
        "run grid 1/2 a.parquet\nrun grid 2/2 b.parquet\nmerge m.parquet b.parquet a.parquet",
    ),
    (
        "run grid 1/1 a.parquet\nmerge m.parquet a.parquet a.parquet",
        "Name each shard once, all of one division",
        "run grid 1/1 a.parquet\nmerge m.parquet a.parquet",
    ),
];

fn grown() -> Vec<Grown> {
    let grown = |&(wrong, remedy, followed): &(&str, &'static str, &str)| -> Grown {
        (done, wrong.to_owned(), remedy, followed.to_owned())
    };
    CASES.iter().map(grown).collect()
}
