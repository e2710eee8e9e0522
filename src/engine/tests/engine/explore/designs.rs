//! Studies of very many designs: each row is the result of a sweep of the written-out documents, in any order and by
//! any worker; skipping dominated designs does not change the front.

use fusescape_engine::explore::study::{
    DesignEvaluator, DesignQuantity, DesignRow, DesignSampler, DesignSchedule, DesignSpace, DesignStatus, ParetoFront,
    PathRoot, StudyCosts, StudyRequest,
};
use fusescape_engine::explore::{CostStore, IncrementalSweep, Request, Settings, Sweep};
use fusescape_engine::job::{Job, Worker};
use fusescape_spec::edit::Outline;
use fusescape_spec::{Diagnostics, find_preset, hardware_presets, system_presets, workload_presets};
use fusescape_test_support::random::Lcg;
use fusescape_test_support::sample::sample_or_all;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn preset_texts(names: Vec<String>, presets: &'static [fusescape_spec::Preset]) -> Vec<(String, String)> {
    let text = |name: String| find_preset(presets, &name).ok().map(|preset| (name, preset.text.to_owned()));
    names.into_iter().filter_map(text).collect()
}

pub fn request(text: &str) -> StudyRequest {
    let [hardware, networks, systems] = StudyRequest::names(text);
    StudyRequest {
        text: text.to_owned(),
        hardware: preset_texts(hardware, hardware_presets()),
        networks: preset_texts(networks, workload_presets()),
        systems: preset_texts(systems, system_presets()),
    }
}

pub fn study(text: &str) -> Arc<DesignSpace> {
    Arc::new(DesignSpace::new(request(text)).unwrap_or_else(|wrong| panic!("{wrong}\n{text}")))
}

pub fn mistakes(text: &str) -> Diagnostics {
    DesignSpace::new(request(text)).err().unwrap_or_else(|| panic!("nothing is wrong with\n{text}"))
}

/// All rows, by one evaluator.
pub fn run(study: &Arc<DesignSpace>) -> Vec<DesignRow> {
    let mut evaluator = DesignEvaluator::new(Arc::clone(study), Arc::default());
    let mut sampler = DesignSampler::new(Arc::clone(study));
    let mut rows = Vec::new();
    while let Some(task) = sampler.next(Worker::ALONE) {
        let done = DesignSampler::run(&mut evaluator, &task, &mut || true).unwrap();
        sampler.take(task, done);
        rows.extend(sampler.completed().into_iter().flat_map(|(_, rows)| rows));
    }
    rows
}

/// The schedules of a design of a single core.
fn settings(study: &DesignSpace, row: &DesignRow) -> Settings {
    match study.schedule(&row.coordinates).unwrap() {
        DesignSchedule::DepthFirst(settings) => settings,
        DesignSchedule::OnCores(_) => panic!("a single core"),
    }
}

/// The objectives of all rows that no row dominates, by comparing each pair.
fn front_by_pairs(study: &DesignSpace, rows: &[DesignRow]) -> BTreeSet<(u64, Vec<u64>)> {
    let all: Vec<(u64, Vec<f64>)> =
        rows.iter().filter_map(|row| Some((row.design, study.objectives_of(row)?))).collect();
    let dominates = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a <= b) && a != b;
    let best = all.iter().filter(|(_, one)| !all.iter().any(|(_, other)| dominates(other, one)));
    best.map(|(design, objectives)| (*design, objectives.iter().map(|value| value.to_bits()).collect())).collect()
}

const SMALL: &str = "
name: Sizes and schedules
hardware: [meta-proto-like-df, tpu-like-df]
network: fsrcnn-60
schedule: { rows: 4, search: loma, lpf_limit: 4 }
axes:
  - { vary: hardware.memories.dram.read_energy, values: [100 pJ, 700 pJ] }
  - { vary: [schedule.columns, schedule.modes], values: [[60, fully-cached], [4, fully-recompute]] }
  - { vary: network.precision.W, values: [8, 4] }
record: [energy, latency, area, capacity, macs, dram_words, copy_energy, stall_latency]
";

#[test]
fn a_row_is_what_a_sweep_of_the_written_documents_finds() {
    let study = study(SMALL);
    let rows = run(&study);
    assert_eq!(rows.len(), 16);
    for (row, index) in rows.iter().zip(0..) {
        assert_eq!(row.design, index);
        // The last axis varies fastest.
        let at = |divisor: u64, count: u64| (index / divisor % count) as usize;
        let hardware = ["meta-proto-like-df", "tpu-like-df"][at(8, 2)];
        let hardware = Outline::read(find_preset(hardware_presets(), hardware).unwrap().text).unwrap();
        let dram = (0..hardware.len("memories"))
            .find(|item| hardware.value(&format!("memories[{item}].name")).unwrap() == "dram")
            .unwrap();
        let energy = ["100 pJ", "700 pJ"][at(4, 2)];
        let hardware = hardware.write(&format!("memories[{dram}].read_energy"), energy).unwrap().into_text();
        let network = Outline::read(find_preset(workload_presets(), "fsrcnn-60").unwrap().text).unwrap();
        let network = network.write("precision.W", ["8", "4"][at(1, 2)]).unwrap().into_text();
        assert_eq!(study.document(PathRoot::Hardware, &row.coordinates).unwrap(), hardware);
        assert_eq!(study.document(PathRoot::Network, &row.coordinates).unwrap(), network);
        let settings = settings(&study, row);
        assert_eq!((settings.tiles_x[0], settings.tiles_y[0]), ([60, 4][at(2, 2)], 4));
        let sweep = Sweep::new(&Request { hardware, workload: network, settings }).unwrap();
        let area = sweep.core.area().known_um2();
        let capacity = sweep.core.on_chip_bytes() as f64 * 8.0;
        let mut incremental = IncrementalSweep::new(sweep);
        let point = incremental.point(&mut CostStore::default(), 0, &mut || true).unwrap();
        let account = incremental.account(&mut CostStore::default(), 0).unwrap();
        let stall = account.latency[fusescape_engine::cost::LatencyCause::Stall] as f64;
        let copies =
            account.energy[fusescape_engine::cost::EnergyCause::Access(fusescape_engine::cost::AccessCause::Copy)];
        let expected = [
            Some(point.energy_pj),
            Some(point.latency_cycles as f64),
            area,
            Some(capacity),
            Some(point.macs as f64),
            Some(point.dram_words),
            Some(copies),
            Some(stall),
        ];
        assert_eq!((row.status, row.values.as_slice()), (DesignStatus::Found, &expected[..]), "{}", row.reason);
    }
}

#[test]
fn it_does_not_matter_who_evaluates_a_design_and_when() {
    let study = study(SMALL);
    let rows = run(&study);
    let shared: Arc<StudyCosts> = Arc::default();
    let mut backwards: Vec<DesignRow> = (0..study.designs())
        .rev()
        .map(|design| {
            DesignEvaluator::new(Arc::clone(&study), Arc::clone(&shared)).evaluate(design, &ParetoFront::default())
        })
        .collect();
    backwards.reverse();
    assert_eq!(rows, backwards);
}

#[test]
fn of_several_schedules_the_best_counts() {
    let text = "name: several\nhardware: tpu-like-df\nnetwork: fsrcnn-60\n\
                schedule: { columns: [4, 60], rows: [4, 60], modes: [fully-cached, fully-recompute], search: loma, \
                lpf_limit: 4, objective: OBJECTIVE }\n\
                axes: [{ vary: hardware.memories.dram.width, values: [64 bit, 128 bit] }]\n";
    for (objective, column) in [("energy", 0), ("latency", 1)] {
        let study = study(&text.replace("OBJECTIVE", objective));
        for row in run(&study) {
            let request = Request {
                hardware: study.document(PathRoot::Hardware, &row.coordinates).unwrap(),
                workload: study.document(PathRoot::Network, &row.coordinates).unwrap(),
                settings: settings(&study, &row),
            };
            let mut incremental = IncrementalSweep::new(Sweep::new(&request).unwrap());
            let points: Vec<_> = (0..incremental.strategies().len())
                .map(|point| incremental.point(&mut CostStore::default(), point, &mut || true).unwrap())
                .collect();
            assert_eq!(points.len(), 8);
            let of = |point: &fusescape_engine::explore::PointSummary| {
                [point.energy_pj, point.latency_cycles as f64][column]
            };
            let least = points.iter().map(of).fold(f64::INFINITY, f64::min);
            assert_eq!(row.values[column], Some(least));
            let (mode, tile) = row.schedule.unwrap();
            let best = points.iter().find(|point| of(point) == least).unwrap();
            let strategy = &incremental.strategies()[best.point];
            let is_best = points.iter().any(|point| {
                let strategy = &incremental.strategies()[point.point];
                of(point) == least && (strategy.mode, strategy.tile) == (mode, tile)
            });
            assert!(is_best, "{mode:?} {tile:?} instead of {strategy:?}");
        }
    }
}

/// A study with random axes, objectives and constraints.
fn random_study(random: &mut Lcg, beaten: &str, sampling: &str) -> String {
    let sizes = ["2 KiB", "8 KiB", "32 KiB", "128 KiB", "1 MiB"];
    let energies = ["1 pJ", "20 pJ", "26.56 pJ", "90 pJ", "208 pJ", "900 pJ"];
    let widths = ["32 bit", "64 bit", "256 bit"];
    let some = |random: &mut Lcg, all: &[&str]| {
        let from = random.below(2) as usize;
        let count = 2 + random.below(2) as usize;
        all[from..(from + count).min(all.len())].join(", ")
    };
    let mut axes = String::new();
    for (path, all) in [
        ("hardware.memories.sram_32KB.size", &sizes[..]),
        ("hardware.memories.sram_64KB.read_energy", &energies[..]),
        ("hardware.memories.dram.width", &widths[..]),
        ("hardware.memories.sram_1MB_A.write_energy", &energies[..]),
        ("schedule.columns", &["4", "15", "60"][..]),
        ("schedule.stacks", &["auto", "single-layer", "layer-by-layer"][..]),
    ] {
        if random.below(3) > 0 {
            axes += &format!("  - {{ vary: {path}, values: [{}] }}\n", some(random, all));
        }
    }
    let objectives = random.of(&[
        "[energy, latency]",
        "[latency]",
        "[energy]",
        "[energy, latency, capacity]",
        "[edp, capacity]",
        "[dram_words, energy]",
    ]);
    let constraints =
        random.of(&["[]", "[latency <= 300000]", "[energy <= 60 uJ]", "[energy <= 60 uJ, latency >= 150000]"]);
    let axes = if axes.is_empty() { "[]\n".to_owned() } else { format!("\n{axes}") };
    format!(
        "name: random\nhardware: meta-proto-like-df\nnetwork: fsrcnn-60\n\
         schedule: {{ rows: 15, search: loma, lpf_limit: 3, objective: {} }}\n\
         objectives: {objectives}\nconstraints: {constraints}\nbeaten: {beaten}\nsampling: {sampling}\naxes: {axes}",
        random.of(&["energy", "latency", "edp"]),
    )
}

/// As [`run`], in tasks of few designs, so that there is a front that dominates others.
fn run_in_small_tasks(study: &Arc<DesignSpace>, size: usize) -> Vec<DesignRow> {
    let mut evaluator = DesignEvaluator::new(Arc::clone(study), Arc::default());
    let mut front = ParetoFront::default();
    let designs: Vec<u64> = (0..study.designs()).collect();
    let mut rows = Vec::new();
    for task in designs.chunks(size) {
        let some: Vec<DesignRow> = task.iter().map(|&design| evaluator.evaluate(design, &front)).collect();
        for row in &some {
            if let Some(objectives) = study.objectives_of(row) {
                front.add(row.design, &objectives);
            }
        }
        rows.extend(some);
    }
    rows
}

#[test]
fn skipping_what_is_beaten_never_changes_the_front() {
    let mut statuses: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..sample_or_all(3, 8) {
        let (all, skipping) =
            (random_study(&mut Lcg(seed), "record", "grid"), random_study(&mut Lcg(seed), "skip", "grid"));
        let (all, skipping) = (study(&all), study(&skipping));
        let (every, some) = (run(&all), run_in_small_tasks(&skipping, 1 + seed as usize));
        assert_eq!(front_by_pairs(&all, &every), front_by_pairs(&skipping, &some), "{}", all.request.text);
        for (row, full) in some.iter().zip(&every) {
            *statuses.entry(row.status.name()).or_default() += 1;
            match row.status {
                DesignStatus::Beaten => {
                    assert!(matches!(full.status, DesignStatus::Found | DesignStatus::Outside), "{row:?} {full:?}")
                }
                status => assert_eq!(status, full.status, "{row:?} {full:?}"),
            }
            if row.status == DesignStatus::Found {
                assert_eq!(row.values, full.values);
            }
        }
    }
    // Else the test is void.
    assert!(
        ["beaten", "outside", "found"].iter().all(|status| statuses[status] > sample_or_all(5, 20)),
        "{statuses:?}"
    );
}

#[test]
fn the_front_is_that_of_all_pairs() {
    let study = study(&random_study(&mut Lcg(5), "record", "grid"));
    let rows = run(&study);
    let mut front = ParetoFront::default();
    for row in &rows {
        if let Some(objectives) = study.objectives_of(row) {
            front.add(row.design, &objectives);
        }
    }
    let expected: Vec<u64> = front_by_pairs(&study, &rows).into_iter().map(|(design, _)| design).collect();
    assert_eq!(front.rows().collect::<Vec<_>>(), expected);
}

#[test]
fn a_refined_front_has_all_its_neighbours() {
    for seed in 0..4 {
        let grid = study(&random_study(&mut Lcg(seed), "record", "grid"));
        let all: BTreeMap<u64, DesignRow> = run(&grid).into_iter().map(|row| (row.design, row)).collect();
        let whole = study(&random_study(&mut Lcg(seed), "record", "{ refine: 1000000 }"));
        let rows = run(&whole);
        let looked_at: BTreeSet<u64> = rows.iter().map(|row| row.design).collect();
        assert_eq!(looked_at.len(), rows.len(), "a design is looked at once");
        for row in &rows {
            assert_eq!(row, &all[&row.design]);
        }
        for (design, _) in front_by_pairs(&whole, &rows) {
            let coordinates = whole.coordinates(design);
            for axis in 0..coordinates.len() {
                for moved in [coordinates[axis].wrapping_sub(1), coordinates[axis] + 1] {
                    let mut neighbour = coordinates.clone();
                    neighbour[axis] = moved;
                    let exists = (moved as usize) < whole.axes[axis].values.len();
                    assert!(!exists || looked_at.contains(&whole.combination(&neighbour)));
                }
            }
        }
        let few = study(&random_study(&mut Lcg(seed), "record", "{ refine: 7 }"));
        assert!(run(&few).len() <= 7);
    }
}

#[test]
fn a_course_resumes_from_rows_alone() {
    let study = study(&random_study(&mut Lcg(2), "skip", "{ refine: 60 }"));
    let rows: BTreeMap<u64, DesignRow> = run(&study).into_iter().map(|row| (row.design, row)).collect();
    let mut sampler = DesignSampler::new(Arc::clone(&study));
    let mut replayed = 0;
    while let Some(task) = sampler.task() {
        let some: Vec<DesignRow> = task.designs.iter().map(|design| rows[design].clone()).collect();
        replayed += some.len();
        sampler.know(some);
        sampler.completed();
    }
    assert_eq!(replayed, rows.len());
}

#[test]
fn a_sobol_sequence_fills_every_axis_evenly() {
    let values = |count: u64| (1..=count).map(|value| format!("{value} KiB")).collect::<Vec<_>>().join(", ");
    let text = format!(
        "name: sobol\nhardware: meta-proto-like-df\nnetwork: fsrcnn-60\nsampling: {{ sobol: 100000 }}\nseed: 3\naxes:\n\
         - {{ vary: hardware.memories.2.size, values: [{}] }}\n- {{ vary: hardware.memories.3.size, values: [{}] }}\n\
         - {{ vary: hardware.memories.4.size, values: [{}] }}\n",
        values(8),
        values(16),
        values(2)
    );
    let sampled = study(&text);
    assert_eq!(sampled.designs(), 100_000);
    // Any 2^k points that begin at a multiple of 2^k lie in different intervals of 2^-k, along each axis; beyond 2^16, too.
    for start in [0, 64, 65536, 65536 + 128] {
        for (axis, count) in [8_usize, 16, 2].into_iter().enumerate() {
            let mut times = vec![0; count];
            (start..start + 64).for_each(|design| times[sampled.sampled(design)[axis] as usize] += 1);
            assert_eq!(times, vec![64 / count; count], "from {start} along axis {axis}");
        }
    }
    let other = study(&text.replace("seed: 3", "seed: 4"));
    assert!((0..64).any(|design| sampled.sampled(design) != other.sampled(design)));
}

#[test]
fn shards_have_every_design_once() {
    let axis =
        |path: &str| format!("  - {{ vary: hardware.memories.{path}.size, from: 1 KiB, to: 100 KiB, count: 100 }}\n");
    let text = format!(
        "name: shards\nhardware: meta-proto-like-df\nnetwork: fsrcnn-60\naxes:\n{}{}{}",
        axis("2"),
        axis("3"),
        axis("4")
    );
    let study = study(&text);
    assert_eq!(study.designs(), 1_000_000);
    let (tasks, size) = (study.tasks().unwrap(), study.task_designs());
    for shards in [1, 2, 7, 1000] {
        let mut next = 0;
        for shard in 1..=shards {
            let range = study.shard(shard, shards).unwrap();
            assert_eq!(range.start, next);
            next = range.end;
            let mut sampler = DesignSampler::of_tasks(Arc::clone(&study), range.clone());
            let first = sampler.task().map(|task| (task.number, task.designs[0]));
            assert_eq!(first, (!range.is_empty()).then_some((range.start, range.start * size)));
        }
        assert_eq!(next, tasks);
    }
    assert_eq!(tasks, 1_000_000_u64.div_ceil(size));
    for design in [0, 1, 99, 100, 123_456, 999_999] {
        assert_eq!(study.combination(&study.coordinates(design)), design);
    }
}

#[test]
fn a_range_has_the_values_that_a_person_expects() {
    for (range, expected) in [
        ("from: 8 KiB, to: 64 KiB, count: 4, scale: log", "8 KiB|16 KiB|32 KiB|64 KiB"),
        ("from: 8 KiB, to: 32 KiB, count: 4", "8 KiB|16 KiB|24 KiB|32 KiB"),
        ("from: 1 KiB, to: 2 KiB, count: 3, scale: log", "1 KiB|11584 bit|2 KiB"),
        ("from: 64 bit, to: 128 bit, count: 1", "64 bit"),
        ("from: 4 bit, to: 7 bit, count: 99", "4 bit|5 bit|6 bit|7 bit"),
        ("from: 16 bit, to: 256 bit, count: 5, scale: log", "16 bit|32 bit|64 bit|128 bit|256 bit"),
        ("from: 16 bit, to: 96 B, count: 3", "16 bit|49 B|96 B"),
    ] {
        let text = format!(
            "name: range\nhardware: meta-proto-like-df\nnetwork: fsrcnn-60\naxes: [{{ vary: hardware.memories.2.size, {range} }}]\n"
        );
        let study = study(&text);
        let values: Vec<&str> = study.axes[0].values.iter().map(|value| value[0].text()).collect();
        assert_eq!(values.join("|"), expected);
    }
    let text = "name: tied\nhardware: meta-proto-like-df\nnetwork: fsrcnn-60\naxes:\n  - { vary: [hardware.memories.2.read_energy, \
                hardware.memories.2.write_energy], from: [0.1 pJ, 1 pJ], to: [0.3 pJ, 3 pJ], count: 3 }\n";
    let values: Vec<String> =
        study(text).axes[0].values.iter().map(|value| format!("{} {}", value[0].text(), value[1].text())).collect();
    assert_eq!(values, ["0.1 pJ 1 pJ", "0.2 pJ 2 pJ", "0.3 pJ 3 pJ"]);
}

#[test]
fn all_mistakes_of_a_study_are_told_at_once() {
    let text = "name: wrong
hardware: [meta-proto-like-df, meta-proto-lik]
network: fsrcnn-60
schedule: { columns: 0, modes: fully-cashed, objectiv: energy }
axes:
  - { vary: hardware.memories.sram_32K.size, values: [1 KiB] }
  - { vary: hardware.memories.2.size, values: [1 KiB, 1 parsec] }
  - { vary: hardware.memories.3.size, values: [1 KiB], count: 4 }
  - { vary: hardware.memories.4.size, from: 1 KiB, to: 1 pJ, count: 4 }
  - { vary: hardwear.memories.4.size, values: [1 KiB] }
  - { vary: [hardware.memories.5.size, hardware.memories.5.width], values: [[1 KiB]] }
  - { vary: schedule.row, values: [1] }
  - { vary: hardware.memories.2.size, values: [2 KiB] }
constraints: [area < 2, energi <= 2 mJ, latency <= 2 mJ]
record: [energy, lattency]
objectives: speed
sampling: sobl
beaten: forget
";
    let wrong = mistakes(text);
    for (path, part) in [
        ("hardware[1]", "There is no document `meta-proto-lik`"),
        ("schedule.columns", "`0`"),
        ("schedule.modes", "Did you mean `fully-cached`?"),
        ("schedule.objectiv", "Did you mean `objective`?"),
        ("axes[0].vary", "Did you mean `sram_32KB`?"),
        ("axes[1].values[1]", "There is no unit `parsec` here"),
        ("axes[2].values", "`values` and `count` exclude each other"),
        ("axes[3].from", "do not measure the same"),
        ("axes[4].vary", "Did you mean `hardware`?"),
        ("axes[5].values[0]", "2 paths move together, but the number of values here is 1"),
        ("axes[6].vary", "Did you mean `schedule.rows`?"),
        ("axes[7].vary", "varies twice"),
        ("constraints[0]", "is no bound"),
        ("constraints[1]", "Did you mean `energy`?"),
        ("constraints[2]", "is not a number of cycles. Write a number of cycles."),
        ("record[1]", "Did you mean `latency`?"),
        ("objectives", "There is no quantity `speed`"),
        ("sampling", "There is no sampling `sobl`"),
        ("beaten", "neither `record` nor `skip`"),
    ] {
        let found =
            wrong.0.iter().any(|found| found.path == path && found.sentences().contains(part) && found.line.is_some());
        assert!(found, "{path}: {part} is not in\n{wrong}");
    }
}

#[test]
fn ratios_begin_and_end_above_nothing() {
    for (from, to) in [("0 KiB", "8 KiB"), ("8 KiB", "0 KiB"), ("0 KiB", "0 KiB")] {
        let axis = format!("{{ vary: hardware.memories.2.size, from: {from}, to: {to}, count: 4, scale: log }}");
        let wrong = mistakes(&format!("name: log\nhardware: meta-proto-like-df\nnetwork: fsrcnn-60\naxes: [{axis}]\n"));
        assert!(wrong.to_string().contains("make no sense"), "{wrong}");
    }
}

#[test]
fn of_very_many_values_the_least_the_most_the_first_and_the_last_are_tried() {
    let all: Vec<u64> = (1..=300).collect();
    let with = |place: usize, value: &str| -> Vec<String> {
        let mut values: Vec<String> = all.iter().map(|value| format!("{value} KiB")).collect();
        values[place] = value.to_owned();
        values
    };
    let study_of = |values: &[String]| {
        format!(
            "name: many\nhardware: meta-proto-like-df\nnetwork: fsrcnn-60\naxes:\n  - vary: hardware.memories.2.size\n    \
             values: [{}]\n",
            values.join(", ")
        )
    };
    assert_eq!(study(&study_of(&with(9, "10 KiB"))).designs(), 300);
    for place in [0, 150, 299] {
        let wrong = mistakes(&study_of(&with(place, "0 KiB")));
        assert!(wrong.0.iter().any(|found| found.path == format!("axes[0].values[{place}]")), "{wrong}");
    }
}

#[test]
fn a_study_of_nothing_is_refused() {
    let wrong = mistakes("name: none\nhardware: []\nnetwork: []\n");
    let told: Vec<String> = wrong.0.iter().map(|found| format!("{}: {}", found.path, found.sentences())).collect();
    let none = "It names no document. Write for example";
    assert_eq!(told, [format!("hardware: {none} `meta-proto-like-df`."), format!("network: {none} `resnet18`.")]);
}

#[test]
fn what_makes_no_sense_together_is_a_row_that_says_why() {
    let text = "name: granularity\nhardware: meta-proto-like-df\nnetwork: fsrcnn-60\nschedule: { search: loma, lpf_limit: 3 }\naxes:\n\
                - { vary: hardware.memories.sram_64KB.granularity, values: [64 bit, 256 bit] }\n\
                - { vary: hardware.memories.sram_64KB.width, values: [512 bit, 128 bit] }\n\
                - { vary: hardware.memories.sram_1MB_A.size, values: [1 MiB, 16 bit] }\n";
    let rows = run(&study(text));
    assert_eq!(rows.len(), 8);
    let wrong: Vec<u64> = rows.iter().filter(|row| row.status == DesignStatus::Wrong).map(|row| row.design).collect();
    assert_eq!(wrong, [6, 7], "{rows:?}");
    for row in rows {
        assert_eq!(row.reason.is_empty(), row.status == DesignStatus::Found, "{row:?}");
    }
}

#[test]
fn quantities_have_names_of_their_own() {
    let all: Vec<DesignQuantity> = DesignQuantity::all().collect();
    let names: BTreeSet<String> = all.iter().flat_map(|quantity| [quantity.name(), quantity.column()]).collect();
    // Quantities without a unit have one name.
    let equal = all.iter().filter(|quantity| quantity.name() == quantity.column()).count();
    assert_eq!(names.len(), 2 * all.len() - equal);
    for quantity in all {
        assert_eq!(DesignQuantity::from_name(&quantity.name()), Some(quantity));
        assert_eq!(DesignQuantity::from_name(&quantity.column()), Some(quantity));
    }
}

#[test]
fn more_designs_than_can_be_told_apart_are_refused() {
    let axis =
        |memory: u64| format!("  - {{ vary: hardware.memories.{memory}.size, from: 1 B, to: 9999 B, count: 9999 }}\n");
    let axes: String = (2..6).map(axis).collect();
    let wrong = mistakes(&format!("name: large\nhardware: meta-proto-like-df\nnetwork: fsrcnn-60\naxes:\n{axes}"));
    assert!(wrong.to_string().contains("more than 1125899906842624"), "{wrong}");
}

/// Found by fuzzing: three paths that exist, and lists of two values.
#[test]
fn a_list_with_too_few_values_for_its_paths_is_refused() {
    let text = "name: few\nhardware: tpu-like\nnetwork: three-convs\naxes:\n\
                - { vary: [hardware.memories.1.size, hardware.memories.2.size, network.batch], values: [[1 KiB, 1], 2] }\n";
    let found = mistakes(text);
    assert!(found.to_string().contains("3 paths move together"), "{found}");
}
