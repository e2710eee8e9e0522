//! `fusescape hierarchy`: all memory hierarchies from a pool, searched on all cores.

use super::arguments::{Format, Hierarchy};
use super::documents::load;
use super::plain::plain;
use super::{Failure, json_text, print};
use fusescape::chart::{Column, Quantity, Table, TableCell};
use fusescape::hierarchy::{Exploration, HierarchyRequest, HierarchySettings, Point, Stage, Study, Widths};
use fusescape::spec::{hardware_presets, pool_presets, workload_presets};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;

/// Hierarchies a thread searches before it looks at the front again.
const SLICE: usize = 16;

/// Runs the study and prints it.
pub fn run(options: &Hierarchy) -> Result<(), Failure> {
    let study = Study::new(&request(options)?)?;
    let (exploration, elapsed) = explore(&study, options.no_pruning);
    let Some(best) = exploration.best() else {
        return Err(format!(
            "None of {} hierarchies fits. {}",
            exploration.counts().generated,
            exploration.reason().unwrap_or_default()
        )
        .into());
    };
    if options.document {
        return print(&study.document(&study.hierarchies[best.hierarchy as usize]));
    }
    print(&match options.format {
        Format::Table => for_a_person(&study, &exploration, &best, elapsed),
        Format::Json => json_text("hierarchy", as_json(&study, &exploration, &best, elapsed))?,
        Format::Csv => table(&study, exploration.front().points(), &best, true).to_csv(),
    })
}

fn request(options: &Hierarchy) -> Result<HierarchyRequest, Failure> {
    let documents = [
        load(&options.pool, pool_presets()),
        load(&options.hardware, hardware_presets()),
        load(&options.workload, workload_presets()),
    ];
    let wrong: Vec<String> = documents.iter().filter_map(|found| Some(found.as_ref().err()?.to_string())).collect();
    let [Ok(pool), Ok(hardware), Ok(workload)] = documents else { return Err(wrong.join("\n").into()) };
    let settings = HierarchySettings {
        layers: options.layer.clone(),
        budget_um2: options.budget,
        max_levels: options.max_levels,
        min_ratio: options.min_ratio,
        widths: if options.all_widths { Widths::All } else { Widths::Fitting },
        objective: options.objective.clone(),
        strategy: options.strategy.strategy(),
        lpf_limit: options.lpf_limit,
        rules: options.rules.rules(),
    };
    Ok(HierarchyRequest { pool, hardware, workload, settings })
}

/// Searches everything, with a progress bar where there is a terminal.
fn explore(study: &Study, everything: bool) -> (Exploration, Duration) {
    let mut exploration = study.exploration();
    if everything {
        exploration = exploration.of_everything();
    }
    let bar = ProgressBar::new(study.hierarchies.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len} hierarchies, {eta} left") {
        bar.set_style(style);
    }
    let all = exploration.next_to_bound(study.hierarchies.len());
    let bounds = all.into_par_iter().map(|index| study.bound(&study.hierarchies[index])).collect::<Vec<_>>();
    exploration.record_bounds(0, bounds);
    while exploration.stage() == Stage::Searching {
        let count = SLICE * rayon::current_num_threads();
        let slice = exploration.next_to_search(count);
        let front = exploration.pruning_front();
        let verdicts: Vec<_> =
            slice.into_par_iter().map(|hierarchy| study.search(hierarchy as usize, &front)).collect();
        verdicts.into_iter().for_each(|verdict| exploration.record_outcome(verdict));
        let counts = exploration.counts();
        bar.set_position((counts.searched + counts.pruned + counts.infeasible) as u64);
    }
    let elapsed = bar.elapsed();
    bar.finish_and_clear();
    (exploration, elapsed)
}

/// Points by ascending energy; a spreadsheet reads the names of columns and exact numbers, a person three digits.
fn table(study: &Study, points: &[Point], best: &Point, exact: bool) -> Table {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.energy_pj.total_cmp(&b.energy_pj).then(a.hierarchy.cmp(&b.hierarchy)));
    let row = |point: &Point| {
        let hierarchy = &study.hierarchies[point.hierarchy as usize];
        vec![
            study.name(hierarchy).into(),
            TableCell::of(Quantity::Energy, point.energy_pj),
            TableCell::of(Quantity::Latency, point.latency_cycles as f64),
            TableCell::of(Quantity::Area, point.area_um2),
            if study.is_estimated(hierarchy) { "yes" } else { "no" }.into(),
            if point.hierarchy == best.hierarchy { "*" } else { "" }.into(),
        ]
    };
    let unit = |name: &str, unit: &str| if exact { format!("{name}_{unit}") } else { name.to_owned() };
    Table {
        caption: String::new(),
        columns: vec![
            Column::words("hierarchy"),
            Column::numbers(unit("energy", "pj")),
            Column::numbers(unit("latency", "cycles")),
            Column::numbers(unit("area", "um2")),
            Column::words("estimated"),
            Column::words("best"),
        ],
        rows: points.iter().map(row).collect(),
    }
}

fn for_a_person(study: &Study, exploration: &Exploration, best: &Point, elapsed: Duration) -> String {
    let counts = exploration.counts();
    let mut text = plain(&table(study, exploration.front().points(), best, false));
    let layers: usize = study.layers.iter().map(|layer| layer.names.len()).sum();
    text += &format!(
        "\nBest trade-offs of energy, latency and area; * is best by the objective. `{}` lies above all.\n\
         {} hierarchies, {layers} layers of which {} differ: {} searched, {} pruned by bounds, {} do not fit, in {:.2} s.\n",
        study.highest().name,
        counts.generated,
        study.layers.len(),
        counts.searched,
        counts.pruned,
        counts.infeasible,
        elapsed.as_secs_f64(),
    );
    if counts.unproved > 0 {
        text +=
            &format!("For {} of those searched a better mapping may exist; all others are proved.\n", counts.unproved);
    }
    if exploration.front().points().iter().any(|p| study.is_estimated(&study.hierarchies[p.hierarchy as usize])) {
        text += "estimated: some figure comes from a fit to published ones, not from a source.\n";
    }
    text
}

fn as_json(study: &Study, exploration: &Exploration, best: &Point, elapsed: Duration) -> Value {
    let counts = exploration.counts();
    let point = |point: &Point| {
        let hierarchy = &study.hierarchies[point.hierarchy as usize];
        json!({
            "name": study.name(hierarchy),
            "energy_pj": point.energy_pj,
            "latency_cycles": point.latency_cycles,
            "area_um2": point.area_um2,
            "estimated": study.is_estimated(hierarchy),
        })
    };
    let layers = study.layer_results(&study.hierarchies[best.hierarchy as usize]).unwrap_or_default();
    json!({
        "counts": counts,
        "seconds": elapsed.as_secs_f64(),
        "best": point(best),
        "best_layers": layers.iter().map(|layer| json!({
            "title": layer.title,
            "count": layer.count,
            "energy_pj": layer.solution.energy_pj,
            "latency_cycles": layer.solution.latency_cycles,
        })).collect::<Vec<_>>(),
        "front": exploration.front().points().iter().map(point).collect::<Vec<_>>(),
    })
}
