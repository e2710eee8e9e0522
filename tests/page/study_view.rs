//! Documents and figures of the view of studies: suggested documents, axes by a click, figures of many designs, files
//! of results.

use bytes::Bytes;
use fusescape::chart::{
    Brush, Chart, HeatmapAxes, StudyTable, design_lines, design_scatter, designs_listed, heatmap, heatmap_selection,
};
use fusescape::explore::study::{
    DesignEvaluator, DesignRow, DesignSampler, DesignSchedule, DesignSpace, DesignStatus, PathRoot, StudyRequest,
    TiledSchedule,
};
use fusescape::form::{study_of_system, suggested_study, variables, with_axis, with_values};
use fusescape::hardware::Core;
use fusescape::job::{Job, Worker};
use fusescape::multicore::{CoresSettings, OrderRule, ScheduleObjective, Scheduler, StackRule, TileGranularity};
use fusescape::results::{ResultFile, UnreadFile, columns, csv_of, row_cells, rows_of_csv};
use fusescape::rules::Rules;
use fusescape::search::Strategy;
use fusescape::spec::edit::Outline;
use fusescape::spec::{find_preset, hardware_presets, system_presets, workload_presets};
use fusescape::state::{Design, State};
use fusescape::system::CoreSystem;
use fusescape_test_support::sample::{each_of, sample_or_all};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

const NETWORK: &str = "three-convs";

fn study_on(hardware: &str, text: String) -> Result<DesignSpace, String> {
    let preset = |presets, name: &str| (name.to_owned(), find_preset(presets, name).unwrap().text.to_owned());
    let request = StudyRequest {
        text,
        hardware: vec![preset(hardware_presets(), hardware)],
        networks: vec![preset(workload_presets(), NETWORK)],
        ..StudyRequest::default()
    };
    DesignSpace::new(request).map_err(|wrong| wrong.to_string())
}

fn suggested(hardware: &str) -> String {
    let text = find_preset(hardware_presets(), hardware).unwrap().text;
    let (core, document) = (Core::from_text(text).unwrap(), Outline::read(text).unwrap());
    let settings = Design::first().request().unwrap().remove(0).settings;
    suggested_study([hardware, NETWORK], Some(&core), &document, Some(&settings), None)
}

#[test]
fn every_accelerator_has_a_study_that_is_suggested() {
    for preset in hardware_presets() {
        let study = study_on(preset.id, suggested(preset.id)).unwrap_or_else(|wrong| panic!("{}: {wrong}", preset.id));
        assert!(study.axes.iter().all(|axis| axis.values.len() > 1), "{}", preset.id);
        assert!(study.designs() <= 49, "{}: {}", preset.id, study.designs());
    }
}

#[test]
fn an_axis_may_be_added_for_every_number_of_every_accelerator() {
    let mut added = 0;
    for preset in each_of(hardware_presets().iter().collect(), 2) {
        let document = Outline::read(preset.text).unwrap();
        let base = format!("name: all\nhardware: {}\nnetwork: {NETWORK}\n", preset.id);
        for variable in variables("hardware", &document) {
            let text = with_axis(&base, &variable).unwrap_or_else(|| panic!("{}: {variable:?}", preset.id));
            let study =
                study_on(preset.id, text).unwrap_or_else(|wrong| panic!("{}: {variable:?}: {wrong}", preset.id));
            // The document of each design has the value at its place, and no other changes.
            let last = study.coordinates(study.combinations() - 1);
            let changed = study.document(PathRoot::Hardware, &last).unwrap();
            let differences = fusescape::spec::differences(preset.text, &changed);
            assert!(differences.len() <= 1, "{}: {variable:?}: {differences:?}", preset.id);
            added += 1;
        }
    }
    assert!(added > sample_or_all(200, 400), "{added}");
}

#[test]
fn axes_are_added_behind_those_that_are_there_however_these_are_written() {
    let axes = |text: &str| study_on("meta-proto-like-df", text.to_owned()).unwrap().axes.len();
    let begin = format!("name: it\nhardware: meta-proto-like-df\nnetwork: {NETWORK}\n");
    for written in [
        String::new(),
        "axes: []\n".to_owned(),
        "axes:\n  - { vary: schedule.rows, values: [4, 8] }\n".to_owned(),
        "axes:\n  - vary: schedule.rows\n    values: [4, 8]\nobjectives: [energy]\n".to_owned(),
        "axes: [{ vary: schedule.rows, values: [4, 8] }]".to_owned(),
    ] {
        let text = format!("{begin}{written}");
        let more = with_values(&text, "schedule.objective", &["energy", "latency"]).unwrap();
        assert_eq!(axes(&more), usize::from(written.contains("vary")) + 1, "{more}");
    }
}

/// A study with words, sizes and tied values, and all its rows.
fn designs() -> (Arc<DesignSpace>, Vec<DesignRow>) {
    let text = format!(
        "name: figures\nhardware: meta-proto-like-df\nnetwork: {NETWORK}\n\
         schedule: {{ columns: 16, rows: 16, search: loma, lpf_limit: 3 }}\n\
         constraints: [capacity <= 1.5 MiB]\nobjectives: [energy, latency]\nrecord: [energy, latency, utilization, capacity]\n\
         axes:\n  - {{ vary: hardware.memories.sram_64KB.size, from: 64 B, to: 64 KiB, count: 20, scale: log }}\n  \
         - {{ vary: schedule.stacks, values: [auto, layer-by-layer] }}\n  \
         - {{ vary: [hardware.memories.sram_1MB_A.size, hardware.memories.sram_1MB_A.read_energy], \
         values: [[256 KiB, 100 pJ], [512 KiB, 200 pJ], [1 MiB, 300 pJ]] }}\n"
    );
    let study = Arc::new(study_on("meta-proto-like-df", text).unwrap());
    let mut evaluator = DesignEvaluator::new(Arc::clone(&study), Arc::default());
    let mut sampler = DesignSampler::new(Arc::clone(&study));
    let mut rows = Vec::new();
    while let Some(task) = sampler.next(Worker::ALONE) {
        let done = DesignSampler::run(&mut evaluator, &task, &mut || true).unwrap();
        sampler.take(task, done);
        rows.extend(sampler.completed().into_iter().flat_map(|(_, rows)| rows));
    }
    (study, rows)
}

fn table(study: &Arc<DesignSpace>, rows: &[DesignRow]) -> StudyTable {
    let mut table = StudyTable::new(Arc::clone(study));
    rows.iter().for_each(|row| table.add(row));
    table
}

#[test]
fn figures_of_designs_show_just_what_their_rows_say() {
    let (study, rows) = designs();
    assert_eq!(rows.len(), 120);
    let table = table(&study, &rows);
    let value = |row: &DesignRow, name: &str| {
        let at = study.quantities.iter().position(|quantity| quantity.name() == name).unwrap();
        row.values[at]
    };
    let found: Vec<usize> = (0..rows.len()).filter(|&row| rows[row].status == DesignStatus::Found).collect();
    assert_eq!(table.found().collect::<Vec<_>>(), found);
    assert!(found.len() > 20 && found.len() < rows.len(), "{}", found.len());
    // The front by comparing all pairs.
    let objectives = |row: usize| [value(&rows[row], "energy").unwrap(), value(&rows[row], "latency").unwrap()];
    let beats = |a: usize, b: usize| {
        let (a, b) = (objectives(a), objectives(b));
        a[0] <= b[0] && a[1] <= b[1] && a != b
    };
    let front: Vec<usize> =
        found.iter().copied().filter(|&row| !found.iter().any(|&other| beats(other, row))).collect();
    assert_eq!(table.front(), front);

    let dimension = |name: &str| table.dimensions().position(|shown| shown.name == name).unwrap();
    let (energy, latency, size) = (dimension("energy"), dimension("latency"), dimension("sram_64KB.size"));
    assert_eq!(table.dimension(dimension("schedule.stacks")).unwrap().text(1.0), "layer-by-layer");
    assert_eq!(table.read(size, "8 KiB"), Some(8192.0));
    assert_eq!(table.read(dimension("schedule.stacks"), "layer-by-layer"), Some(1.0));
    assert_eq!(table.read(size, "much"), None);

    // A selection contains the rows within all of its ranges.
    let half = (4096.0, 65536.0);
    let brush = Brush::default().with(size, (half.1, half.0)).with(dimension("schedule.stacks"), (0.0, 0.0));
    let is_within = |row: usize| {
        let coordinates = &rows[row].coordinates;
        let bytes = fusescape::spec::measure(study.axes[0].values[coordinates[0] as usize][0].text()).unwrap().1 / 8.0;
        bytes >= half.0 && coordinates[1] == 0
    };
    for &row in &found {
        assert_eq!(brush.holds(&table, row), is_within(row), "{row}");
    }

    let scatter = design_scatter(&table, (latency, energy), &brush, None).unwrap();
    assert!(scatter.joins_front);
    let drawn: BTreeSet<usize> = scatter.marks.iter().map(|mark| mark.row).collect();
    assert!(front.iter().all(|row| drawn.contains(row)));
    for mark in &scatter.marks {
        assert_eq!([mark.y, mark.x], objectives(mark.row));
        assert_eq!((mark.on_front, mark.is_within), (front.contains(&mark.row), is_within(mark.row)));
    }
    // A design that is not drawn is at the place of another one.
    for row in found.iter().filter(|row| !drawn.contains(row)) {
        let [y, x] = objectives(*row);
        let near = scatter.marks.iter().any(|mark| (mark.x / x).ln().abs() < 0.02 && (mark.y / y).ln().abs() < 0.02);
        assert!(near, "{row}");
    }
    let first = &scatter.marks[0];
    let places = (0..900).flat_map(|x| (0..500).step_by(2).map(move |y| (f64::from(x), f64::from(y))));
    let hit = places.into_iter().filter_map(|(x, y)| scatter.row_at(x, y, 900)).any(|row| row == first.row);
    assert!(hit, "a mark can be clicked");

    let all: Vec<usize> = (0..table.dimensions().count()).collect();
    let lines = design_lines(&table, &all, &brush, None);
    assert_eq!(lines.lines.len(), found.len());
    for line in &lines.lines {
        assert!(line.values.iter().enumerate().all(|(at, value)| *value == table.value(at, line.row)));
    }

    // The best over the third axis, by all rows.
    let axes = HeatmapAxes { x: 0, y: 1, shown: energy, is_gain: false };
    let matrix = heatmap(&table, axes, &Brush::default()).unwrap();
    assert_eq!((matrix.columns.len(), matrix.rows.len()), (10, 2), "twenty values share ten cells");
    for column in 0..10 {
        for up in 0..2 {
            let is_here = |row: &usize| {
                let at = &rows[*row].coordinates;
                at[0] as usize / 2 == column && at[1] as usize == up
            };
            let energies = found.iter().filter(|row| is_here(row)).map(|&row| objectives(row)[0]);
            let least = energies.min_by(f64::total_cmp);
            assert_eq!(matrix.cells[up * 10 + column], least.map(Some), "{column}, {up}");
            let chosen = heatmap_selection(&table, axes, (column, up), &Brush::default());
            for row in &found {
                assert_eq!(chosen.holds(&table, *row), is_here(row));
            }
        }
    }
    for chart in [&scatter as &dyn Chart, &lines, &matrix] {
        assert!(!chart.table().rows.is_empty() && chart.describe().len() > 20);
    }
    assert_eq!(designs_listed(&table, &front).rows.len(), front.len());
}

#[test]
fn values_have_the_unit_of_the_document() {
    let preset = find_preset(hardware_presets(), "meta-proto-like-df").unwrap();
    let variables = variables("hardware", &Outline::read(preset.text).unwrap());
    let named = |path: &str| variables.iter().find(|variable| variable.path == path).unwrap();
    let base = format!("name: it\nhardware: {}\nnetwork: {NETWORK}\n", preset.id);
    let text = with_axis(&base, named("hardware.memories.dram.width")).unwrap();
    let text = with_axis(&text, named("hardware.memories.sram_64KB.size")).unwrap();
    let study = Arc::new(study_on(preset.id, text).unwrap());
    let stated: Vec<&str> = study.axes[0].values.iter().map(|value| value[0].text()).collect();
    assert_eq!(stated, ["16 bit", "32 bit", "64 bit", "128 bit", "256 bit"]);
    // Tables and figures agree with the document.
    let table = StudyTable::new(Arc::clone(&study));
    for (axis, name) in [(0, "dram.width"), (1, "sram_64KB.size")] {
        let shown = table.dimension(table.of_axis(axis).unwrap()).unwrap();
        assert_eq!(shown.name, name);
        for (value, number) in study.axes[axis].values.iter().zip(table.axis_values(axis)) {
            assert_eq!(shown.text(*number), value[0].text());
            assert_eq!(table.read(table.of_axis(axis).unwrap(), value[0].text()), Some(*number));
        }
    }
    let width = table.dimension(table.of_axis(0).unwrap()).unwrap();
    assert_eq!(width.column().name(), "dram.width [bit]");
    // A value in bytes is accepted for bits, too.
    assert_eq!(table.read(table.of_axis(0).unwrap(), "8 B"), Some(64.0));
}

#[test]
fn numbers_of_a_system_vary_in_a_study_of_that_system() {
    let text_of = |presets, name: &str| find_preset(presets, name).unwrap().text;
    for preset in each_of(system_presets().iter().collect(), 3) {
        let hardware = text_of(hardware_presets(), "tpu-like");
        let system = CoreSystem::from_text(preset.text, hardware).unwrap();
        let beside = system.takes_beside.then_some("tpu-like");
        let settings = CoresSettings {
            granularity: TileGranularity::ByHand("rows 4, columns 60; stack 2: rows 8".to_owned()),
            stacks: StackRule::After(vec!["conv1".to_owned()]),
            order: Some(OrderRule::Slots),
            objective: ScheduleObjective::EnergyDelay,
            scheduler: Scheduler::Stream2024,
            strategy: Strategy::Loma,
            lpf_limit: 4,
            rules: Rules::ZIGZAG_3_8,
            ..CoresSettings::default()
        };
        let scheduled = TiledSchedule { settings, searches_tiles: false };
        let numbers = variables("system", &Outline::read(preset.text).unwrap());
        assert!(!numbers.is_empty(), "{}", preset.id);
        // As many axes at a time as a study may have combinations.
        for (schedule, variables) in [None, Some(&scheduled)].into_iter().cycle().zip(numbers.chunks(20)) {
            let mut text = study_of_system((&system.name, preset.id), beside, NETWORK, schedule);
            for variable in variables {
                text = with_axis(&text, variable).unwrap_or_else(|| panic!("{}: {variable:?}", preset.id));
            }
            let study = DesignSpace::new(StudyRequest {
                text,
                hardware: beside.map(|name| (name.to_owned(), hardware.to_owned())).into_iter().collect(),
                networks: vec![(NETWORK.to_owned(), text_of(workload_presets(), NETWORK).to_owned())],
                systems: vec![(preset.id.to_owned(), preset.text.to_owned())],
            })
            .unwrap_or_else(|wrong| panic!("{}: {wrong}", preset.id));
            let names: Vec<&String> = study.axes.iter().flat_map(|axis| &axis.names).collect();
            assert_eq!(names, variables.iter().map(|variable| &variable.path).collect::<Vec<_>>());
            let coordinates = study.sampled(0);
            let DesignSchedule::OnCores(found) = study.schedule(&coordinates).unwrap() else { panic!("on cores") };
            assert!(schedule.is_none_or(|schedule| found == *schedule), "{found:?}");
            assert_eq!(found.searches_tiles, schedule.is_none());
            // The document has the values at their places, and no other changes.
            let changed = study.document(PathRoot::System, &coordinates).unwrap();
            let differences = fusescape::spec::differences(preset.text, &changed);
            let differing =
                study.axes.iter().zip(variables).filter(|(axis, own)| axis.values[0][0].text() != own.value);
            assert_eq!(differences.len(), differing.count(), "{}: {differences:?}", preset.id);
        }
    }
}

#[test]
fn results_come_back_from_the_files_that_hold_them() {
    let (study, rows) = designs();
    let text = csv_of(&study, rows.iter());
    assert_eq!(rows_of_csv(&study, &text).unwrap(), rows);
    let other = Rc::new(study_on("meta-proto-like-df", suggested("meta-proto-like-df")).unwrap());
    assert!(rows_of_csv(&other, &text).unwrap_err().0.contains("has no column"));
    let broken = text.replacen("found", "fond", 1);
    assert!(rows_of_csv(&study, &broken).unwrap_err().0.starts_with("Line "));

    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("view.parquet");
    let _ = std::fs::remove_file(&path);
    let run = fusescape::command::study::run;
    run(&study, fusescape::command::study::Shard::WHOLE, &path, &Arc::default(), &fusescape::command::Unmonitored)
        .unwrap();
    let bytes = Bytes::from(std::fs::read(&path).unwrap());
    let (read, file) = ResultFile::open("it", bytes.clone()).unwrap();
    assert_eq!(read.request, study.request);
    let mut all = Vec::new();
    file.rows(&read, &mut |some| -> Result<(), UnreadFile> {
        all.extend(some);
        Ok(())
    })
    .unwrap();
    assert_eq!(all, rows);
    let names = columns(&study);
    assert!(all.iter().all(|row| row_cells(&study, &names, row).len() == names.len()));
    let cut = ResultFile::open("it", bytes.slice(..bytes.len() / 2));
    assert!(cut.is_err_and(|why| why.0.starts_with("it: ")));
}

#[test]
fn links_and_files_keep_the_study_that_a_person_wrote() {
    let mut state = State::first();
    state.study.text = "name: mine\nhardware: design\nnetwork: design\n".to_owned();
    assert_eq!(fusescape::link::from_link(&fusescape::link::to_link(&state)).unwrap(), state);
    assert_eq!(State::from_yaml(&state.to_yaml()).unwrap(), state);
}
