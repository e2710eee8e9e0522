//! `fusescape hierarchy`: all memory hierarchies from a pool.

use super::arguments::{Format, HierarchyArguments};
use super::documents::load;
use super::plain::plain;
use super::progress::TerminalBar;
use super::{Failure, json_text, print};
use fusescape_chart::{Column, Quantity, Table, TableCell};
use fusescape_command::hierarchy::{HierarchyReport, hierarchies};
use fusescape_engine::hierarchy::{HierarchyCost, HierarchyRequest, Sought};
use fusescape_spec::{hardware_presets, pool_presets, workload_presets};

/// Runs the study and prints it.
pub fn run(options: &HierarchyArguments) -> Result<(), Failure> {
    let found = hierarchies(&request(options)?, options.chosen.everything, &TerminalBar::default())?;
    if options.document {
        return print(&found.best_document());
    }
    print(&match options.format {
        Format::Table => for_a_person(&found),
        Format::Json => json_text(&found.json()?)?,
        Format::Csv => table(&found, true).to_csv(),
    })
}

fn request(options: &HierarchyArguments) -> Result<HierarchyRequest, Failure> {
    let documents = [
        load(&options.pool, pool_presets()),
        load(&options.hardware, hardware_presets()),
        load(&options.workload, workload_presets()),
    ];
    let wrong: Vec<String> = documents.iter().filter_map(|found| Some(found.as_ref().err()?.to_string())).collect();
    let [Ok(pool), Ok(hardware), Ok(workload)] = documents else { return Err(wrong.join("\n").into()) };
    Ok(HierarchyRequest { pool, hardware, workload, settings: options.chosen.settings()? })
}

/// Points by ascending energy; for a spreadsheet with column names and exact numbers, for a person with three digits.
fn table(HierarchyReport { study, exploration, best, .. }: &HierarchyReport, exact: bool) -> Table {
    let mut points = exploration.front().points().to_vec();
    points.sort_by(|a, b| a.energy_pj.total_cmp(&b.energy_pj).then(a.hierarchy.cmp(&b.hierarchy)));
    let row = |point: &HierarchyCost| {
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

fn for_a_person(found: &HierarchyReport) -> String {
    let HierarchyReport { study, exploration, elapsed, .. } = found;
    let counts = exploration.counts();
    let mut text = plain(&table(found, false));
    let layers: usize = study.layers.iter().map(|layer| layer.names.len()).sum();
    text += &format!(
        "\n{} `{}` lies above all.\n\
         {} hierarchies, {layers} layers of which {} differ: {} searched, {} pruned by bounds, {} do not fit, in {:.2} s.\n",
        match study.settings.sought {
            Sought::Front => "Best trade-offs of energy, latency and area; * is best by the objective.",
            Sought::Best => "The best by the objective; trade-offs of energy, latency and area were not asked for.",
        },
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
