//! `fusescape compare`: several cores and networks in one table, each pair with its best schedule.

use super::arguments::{Compare, Format};
use super::depth_first::{settings, tell_notes};
use super::documents::load;
use super::plain::{in_unit, unit_of};
use super::progress::TerminalBar;
use super::{Failure, Incomplete, json_text, print};
use fusescape_chart::{ComparedDesign, Matrix, Quantity, Theme, designs_matrix, designs_table, svg};
use fusescape_command::Report;
use fusescape_command::compare::{Comparison, Design};
use fusescape_command::depth_first::sweep;
use fusescape_command::files::write;
use fusescape_command::optimal::optimal;
use fusescape_engine::depth_first::FuseDepth;
use fusescape_engine::explore::OptimalStacks;
use fusescape_engine::search::Objective;
use fusescape_engine::ties;
use fusescape_spec::{hardware_presets, workload_presets};

/// Width of the figure in CSS pixels.
const WIDTH: u32 = 720;

/// Finds the best schedule of every pair and prints the table.
pub fn run(options: &Compare) -> Result<(), Failure> {
    let hardware: Vec<_> = options.hardware.iter().map(|name| load(name, hardware_presets())).collect();
    let workloads: Vec<_> = options.on.iter().map(|name| load(name, workload_presets())).collect();
    let wrong: Vec<String> =
        hardware.iter().chain(&workloads).filter_map(|text| Some(text.as_ref().err()?.to_string())).collect();
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    let named = |names: &[String], texts: Vec<Result<String, Failure>>| -> Vec<(String, String)> {
        names.iter().cloned().zip(texts.into_iter().filter_map(Result::ok)).collect()
    };
    let (hardware, workloads) = (named(&options.hardware, hardware), named(&options.on, workloads));
    let mut designs = Vec::new();
    for (workload, network) in &workloads {
        for (core, text) in &hardware {
            let best = best(options, text, network).map_err(|why| why.to_string());
            designs.push(ComparedDesign { hardware: core.clone(), workload: workload.clone(), best: Some(best) });
        }
    }
    let objective = settings(&options.tried, FuseDepth::Automatic)?.objective;
    if let Some(path) = &options.figure {
        let figure = figure(options, &objective, &designs);
        let text = svg(&figure, WIDTH, &Theme::LIGHT).map_err(|error| error.to_string())?;
        write(path, &text)?;
    }
    print(&match options.tried.format {
        Format::Table => text(&objective, &designs),
        Format::Json => {
            let designs = designs.iter().filter_map(for_program).collect();
            json_text(&Comparison { objective: &objective, designs }.json()?)?
        }
        Format::Csv => designs_table(&designs).to_csv(),
    })?;
    let reasons: Vec<String> = designs.iter().filter_map(reason).collect();
    match reasons.len() {
        0 => Ok(()),
        failed if failed == designs.len() => Err(reasons.join("\n").into()),
        _ => Err(Incomplete(reasons.join("\n")).into()),
    }
}

/// The jointly optimal stacks, tile sizes and modes of a network on a core.
fn best(options: &Compare, hardware: &str, workload: &str) -> Result<OptimalStacks, Failure> {
    let sweep = sweep(hardware.to_owned(), workload.to_owned(), settings(&options.tried, FuseDepth::Automatic)?)?;
    tell_notes(&sweep, &options.tried, &format!("{} on {}: ", sweep.network.name, sweep.core.name));
    Ok(optimal(&sweep, options.tried.chosen.limits(), &TerminalBar::default())?.optimal)
}

/// The reason why a design has no schedule.
fn reason(design: &ComparedDesign) -> Option<String> {
    let why = design.best.as_ref()?.as_ref().err()?;
    Some(format!("{} on {}: {why}", design.workload, design.hardware))
}

fn for_program(design: &ComparedDesign) -> Option<Design<'_>> {
    Some(Design::new((&design.hardware, &design.workload), design.best.as_ref()?))
}

/// For a person: one block per network, the best core first.
fn text(objective: &Objective, designs: &[ComparedDesign]) -> String {
    let minimised = quantity(objective).map_or("what is asked for", |quantity| quantity.name());
    let mut out = format!("The least {}, with stacks, tiles and modes chosen jointly\n", minimised.to_lowercase());
    let score = |design: &ComparedDesign| design.optimum().map_or(f64::INFINITY, |best| best.score);
    for designs in designs.chunk_by(|a, b| a.workload == b.workload) {
        let figures = |design: &ComparedDesign| {
            let best = design.optimum();
            best.map_or([f64::INFINITY; 3], |best| {
                objective.figures(best.score, best.energy_pj, best.latency_cycles as f64)
            })
        };
        let designs = ties::ranked(designs, |design| (figures(design), ()));
        let least = score(designs[0]);
        let found = || designs.iter().filter_map(|design| design.optimum());
        let energy = unit_of(Quantity::Energy, found().map(|best| best.energy_pj));
        let latency = unit_of(Quantity::Latency, found().map(|best| best.latency_cycles as f64));
        out += &format!(
            "\n{:<26} {:>12} {:>17} {:>12} {:>7}\n",
            designs[0].workload,
            format!("energy [{}]", energy.name),
            format!("latency [{}]", latency.name),
            "of the best",
            "stacks"
        );
        for design in designs {
            let Some(best) = design.optimum() else {
                out += &format!("  {:<24} impossible\n", design.hardware);
                continue;
            };
            out += &format!(
                "  {:<24} {:>12} {:>17} {:>12} {:>7}\n",
                design.hardware,
                in_unit(energy, best.energy_pj),
                in_unit(latency, best.latency_cycles as f64),
                format!("{:.2} x", best.score / least),
                best.runs.len(),
            );
        }
    }
    out
}

/// The quantity of the objective; `None` for a sum of several.
fn quantity(objective: &Objective) -> Option<Quantity> {
    match objective {
        Objective::Energy => Some(Quantity::Energy),
        Objective::Latency => Some(Quantity::Latency),
        Objective::EnergyDelayProduct => Some(Quantity::EnergyDelay),
        Objective::DramAccesses => Some(Quantity::DramAccesses),
        Objective::MemoryAccesses(_) | Objective::Weighted(_) => None,
    }
}

/// The objective for each core and network; energy, if it is no single quantity.
fn figure(options: &Compare, objective: &Objective, designs: &[ComparedDesign]) -> Matrix {
    let quantity = quantity(objective);
    let value = |best: &OptimalStacks| if quantity.is_some() { best.score } else { best.energy_pj };
    designs_matrix(quantity.unwrap_or(Quantity::Energy), (&options.hardware, &options.on), designs, value)
}
