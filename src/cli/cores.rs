//! `fusescape cores`: a network on many cores (Stream), tiles solved on all cores of this machine.

use super::arguments::{Allocation, Cores, Format};
use super::documents::load;
use super::files::shown;
use super::plain::plain;
use super::{Failure, json_text, print};
use fusescape::chart::{Column, Quantity, Table, TableCell, power_text};
use fusescape::hardware::Power;
use fusescape::multicore::{
    Carrier, CoreAllocation, CoreId, CoreTimeCause, CoresRequest, CoresSettings, CoresStudy, EvaluatedAllocation,
    Evolution, Granularity, MOST_CHOICES, NestId, ScheduleObjective, SingleCore, StackAllocation, SystemAccount,
    SystemPart, TileCosts, TileCut, TileLadder, TilePoint, TileSearch, TileStage,
};
use fusescape::spec::{closest, hardware_presets, system_presets, workload_presets};
use fusescape::trace::chrome_trace;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The best schedule of a network on many cores, with the effort that it took.
struct CoresReport {
    study: CoresStudy,
    /// The search for the tile size; `None` where it is stated.
    search: Option<TileSearch>,
    /// The best core alone, with its tile size.
    single: Option<(TileCut, SingleCore)>,
    stacks: Vec<StackAllocation>,
    evaluated: EvaluatedAllocation,
    account: SystemAccount,
    problems: usize,
    elapsed: Duration,
}

/// Runs the study and prints it.
// The command line is an edge and never WebAssembly.
#[allow(clippy::disallowed_methods)]
pub fn run(options: &Cores) -> Result<(), Failure> {
    let started = Instant::now();
    let mut request = request(options)?;
    let search = if options.tiles.is_none() { Some(search_tiles(&request, options)?) } else { None };
    let best = search.as_ref().and_then(TileSearch::best);
    if let Some((cut, _)) = best {
        request = request.in_tiles(cut);
    }
    let study = CoresStudy::new(&request)?;
    for note in study.network.left_out_note(&study.system.name).into_iter().chain(study.network.density_note()) {
        super::tell(&format!("note: {note}"));
    }
    let problems = study.problems();
    let bar = progress_bar(problems.len(), "tiles solved");
    let solve = |problem: fusescape::multicore::TileProblem| {
        let solved = study.solve(&problem);
        bar.inc(1);
        (problem, solved)
    };
    let count = problems.len();
    let mut costs: TileCosts = problems.into_par_iter().map(solve).collect::<Vec<_>>().into_iter().collect();
    bar.finish_and_clear();
    let (evaluated, stacks) = choose(&study, &mut costs, options)?;
    let (evaluated, account) = study.account(&mut costs, &stacks, &evaluated.choice, Some(evaluated.order))?;
    if let Some(path) = &options.trace {
        std::fs::write(path, chrome_trace(&account)).map_err(|error| format!("{}: {error}", shown(path)))?;
    }
    let single = match &search {
        Some(search) => search.best_single().map(|(cut, single)| (cut.clone(), single.clone())),
        None => study.outcome_alone(&mut costs).map(|single| (TileCut::default(), single)),
    };
    let elapsed = started.elapsed();
    let found = CoresReport { study, search, single, stacks, evaluated, account, problems: count, elapsed };
    print(&match options.format {
        Format::Table => for_a_person(&found, options),
        Format::Json => json_text("cores", as_json(&found))?,
        Format::Csv => layers(&found, true).to_csv(),
    })
}

fn progress_bar(length: usize, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    if let Ok(style) = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}} of {{len}} {what}, {{eta}} left")) {
        bar.set_style(style);
    }
    bar
}

/// Runs the candidates of each stage of the search on all cores of this machine. Cores that a person chose are those of every candidate.
fn search_tiles(request: &CoresRequest, options: &Cores) -> Result<TileSearch, Failure> {
    let mut search = TileSearch::new(TileLadder::of(request)?, request.settings.aim);
    for stage in TileStage::ALL {
        let cuts = search.candidates(stage);
        let bar = progress_bar(cuts.len(), "tile sizes run");
        let run = |cut: TileCut| {
            let point = match &options.allocation {
                Allocation::ByHand(text) => point_by_hand(request, cut, text),
                Allocation::Best | Allocation::Genetic => TilePoint::of(request, cut),
            };
            bar.inc(1);
            point
        };
        let points: Vec<TilePoint> = cuts.into_par_iter().map(run).collect();
        bar.finish_and_clear();
        points.into_iter().for_each(|point| search.add(point));
    }
    Ok(search)
}

/// A candidate on the cores that a person chose.
fn point_by_hand(request: &CoresRequest, cut: TileCut, text: &str) -> TilePoint {
    let outcome = CoresStudy::new(&request.in_tiles(&cut)).map_err(Failure::from).and_then(|study| {
        let mut costs = TileCosts::default();
        let choice = by_hand(&study, text)?;
        let found = study.evaluate(&mut costs, &[], &choice, None)?;
        Ok(study.outcome_of(&mut costs, &found, &[]))
    });
    TilePoint { cut, outcome: outcome.map_err(|failure| failure.to_string()) }
}

fn request(options: &Cores) -> Result<CoresRequest, Failure> {
    let documents = [
        load(&options.system, system_presets()),
        load(&options.hardware, hardware_presets()),
        load(&options.workload, workload_presets()),
    ];
    let wrong: Vec<String> = documents.iter().filter_map(|found| Some(found.as_ref().err()?.to_string())).collect();
    let [Ok(system), Ok(hardware), Ok(workload)] = documents else { return Err(wrong.join("\n").into()) };
    let settings = CoresSettings {
        granularity: options.tiles.clone().unwrap_or(Granularity::LayerByLayer),
        stacks: options.stacks.clone(),
        aim: options.objective,
        scheduler: options.scheduler,
        order: options.order,
        prefetches_weights: options.prefetch_weights,
        strategy: options.strategy.strategy(),
        lpf_limit: options.lpf_limit,
        rules: options.rules.rules(),
    };
    Ok(CoresRequest { hardware, workload, system, settings })
}

/// The cores of all layers, and the allocations of the stacks that they come from.
fn choose(
    study: &CoresStudy,
    costs: &mut TileCosts,
    options: &Cores,
) -> Result<(EvaluatedAllocation, Vec<StackAllocation>), Failure> {
    let (mut best, stacks) = match &options.allocation {
        Allocation::Best => study.best(costs)?,
        Allocation::Genetic => {
            let (individuals, generations) = (options.individuals as usize, options.generations as usize);
            let front = study.evolve(costs, Evolution { individuals, generations, seed: options.seed });
            let aim = options.objective;
            let best = front.into_iter().min_by(|a, b| a.score(aim).total_cmp(&b.score(aim)));
            (best.ok_or("No allocation that evolution tried can be scheduled. Make tiles smaller.")?, Vec::new())
        }
        Allocation::ByHand(text) => {
            let choice = by_hand(study, text)?;
            // Only for the order of the tiles.
            let mut goes_on = |done: u64| done < MOST_CHOICES;
            let stacks: Vec<StackAllocation> =
                study.stacks.keys().map(|stack| study.allocate(costs, stack, true, &mut goes_on)).collect();
            (study.evaluate(costs, &stacks, &choice, None)?, stacks)
        }
    };
    if options.improve {
        // Layer by layer, until a whole round finds nothing.
        let mut idle = 0;
        let layers: Vec<NestId> = best.choice.keys().collect();
        for &layer in layers.iter().cycle() {
            if idle == layers.len() {
                break;
            }
            let next = study.improve(costs, &stacks, &best, layer);
            idle = if next == best { idle + 1 } else { 0 };
            best = next;
        }
    }
    Ok((best, stacks))
}

/// One core for all layers that it runs, or `layer: core, core; layer: core`. Layers of which nothing is said are computed by the first
/// core that runs them.
fn by_hand(study: &CoresStudy, text: &str) -> Result<CoreAllocation, Failure> {
    let (layers, outline) = (study.layer_names(), study.outline());
    let mut choice: CoreAllocation = layers.keys().map(|layer| study.able(layer)[..1].to_vec()).collect();
    let mut wrong = Vec::new();
    let core = |name: &str, wrong: &mut Vec<String>| {
        let found = outline.cores.position(|known| known == name.trim());
        if found.is_none() {
            let names = outline.cores.iter().map(String::as_str);
            let remedy = closest(name, names).map_or_else(
                || format!("Use one of {}.", outline.cores.raw.join(", ")),
                |meant| format!("Did you mean `{meant}`?"),
            );
            wrong.push(format!("There is no core `{}`. {remedy}", name.trim()));
        }
        found
    };
    if !text.contains(':') {
        if let Some(core) = core(text, &mut wrong) {
            let able = choice.iter_mut_enumerated().filter(|(layer, _)| study.able(*layer).contains(&core));
            able.for_each(|(_, cores)| *cores = vec![core]);
        }
    } else {
        for part in text.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty()) {
            let (layer, cores) = part.rsplit_once(':').unwrap_or((part, ""));
            let cores: Vec<CoreId> = cores.split(',').filter_map(|name| core(name, &mut wrong)).collect();
            match layers.position(|known| known == layer.trim()) {
                Some(layer) => choice[layer] = cores,
                None => {
                    let remedy = closest(layer.trim(), layers.iter().map(String::as_str)).map_or_else(
                        || "Use the name of a layer.".to_owned(),
                        |meant| format!("Did you mean `{meant}`?"),
                    );
                    wrong.push(format!("The network computes no layer `{}`. {remedy}", layer.trim()));
                }
            }
        }
    }
    if wrong.is_empty() { Ok(choice) } else { Err(wrong.join("\n").into()) }
}

/// Who computes each layer, and when.
fn layers(found: &CoresReport, exact: bool) -> Table {
    let unit = |name: &str, unit: &str| if exact { format!("{name}_{unit}") } else { name.to_owned() };
    let names = &found.account.cores;
    let row = |(layer, cores): (NestId, &Vec<CoreId>)| {
        let runs = found.account.tiles.iter().filter(|run| run.layer == layer);
        let (tiles, start, end) = runs.fold((0, f64::INFINITY, 0.0_f64), |(tiles, start, end), run| {
            (tiles + 1, run.start.min(start), run.end.max(end))
        });
        let cores: Vec<&str> = cores.iter().map(|&core| names[core].name.as_str()).collect();
        vec![
            found.account.layers[layer].as_str().into(),
            cores.join(", ").into(),
            TableCell::count(tiles),
            TableCell::of(Quantity::Latency, if tiles == 0 { 0.0 } else { start }),
            TableCell::of(Quantity::Latency, end),
        ]
    };
    Table {
        caption: String::new(),
        columns: vec![
            Column::words("layer"),
            Column::words("cores"),
            Column::numbers("tiles"),
            Column::numbers(unit("start", "cycles")),
            Column::numbers(unit("end", "cycles")),
        ],
        rows: found.evaluated.choice.iter_enumerated().map(row).collect(),
    }
}

/// Where the time of each core goes.
fn times(account: &SystemAccount) -> Table {
    let percent = |cycles: f64| {
        let share = if account.latency_cycles > 0.0 { cycles / account.latency_cycles * 100.0 } else { 0.0 };
        TableCell::number(format!("{share:.1} %"), share)
    };
    let row = |core: &fusescape::multicore::CoreTime| {
        let shares = CoreTimeCause::ALL.map(|cause| percent(core.cycles[cause]));
        std::iter::once(core.name.as_str().into()).chain(shares).collect()
    };
    let heading = |cause: CoreTimeCause| match cause {
        CoreTimeCause::Computing => "computes",
        CoreTimeCause::Stalling => "stalls",
        CoreTimeCause::Transferring => "waits for data",
        CoreTimeCause::Idle => "idle",
    };
    let numbers = CoreTimeCause::ALL.map(|cause| Column::numbers(heading(cause)));
    Table {
        caption: String::new(),
        columns: std::iter::once(Column::words("core")).chain(numbers).collect(),
        rows: account.cores.iter().map(row).collect(),
    }
}

fn for_a_person(found: &CoresReport, options: &Cores) -> String {
    let CoresReport { study, search, stacks, evaluated, account, problems, elapsed, .. } = found;
    let mut text = format!("{} on {}\n\n", study.network.name, study.system.name);
    if let Some(search) = search {
        text += &plain(&tile_sizes(search));
        text += "\n";
    }
    text += &plain(&layers(found, false));
    text += "\n";
    text += &plain(&times(account));
    let shown = |quantity: Quantity, value: f64| TableCell::of(quantity, value).text().to_owned();
    let part = |part: SystemPart| {
        let name = match part {
            SystemPart::Cores => "on chip",
            SystemPart::Carrier(Carrier::Links) => "links",
            SystemPart::Carrier(Carrier::Memories) => "memories",
        };
        format!("{name} {}", shown(Quantity::Energy, account.energy.of(part)))
    };
    text += &format!(
        "\nlatency {}, energy {}: {}; at most {} in use on the chip\n",
        shown(Quantity::Latency, account.latency_cycles),
        shown(Quantity::Energy, evaluated.energy_pj),
        SystemPart::ALL.map(part).join(", "),
        TableCell::size(account.peak_bits()).text(),
    );
    text += &format!(
        "MAC use {:.1} %: so much of what all arrays could multiply in that time the network needs\n",
        100.0 * study.mac_use(account.latency_cycles)
    );
    text += &against_one_core(found);
    if let Some(power) = power(found) {
        text += &format!("{}\n", power_text(&power));
    }
    let proved = stacks.iter().filter(|stack| stack.found.is_proved()).count();
    text += &format!(
        "{} tiles, {problems} different ones solved, in {:.2} s\n",
        account.tiles.len(),
        elapsed.as_secs_f64(),
    );
    if matches!(options.allocation, Allocation::Best) {
        let then = if options.improve {
            "from there layers got other cores as long as that helped"
        } else {
            "as data has to travel, others may be faster: --improve looks for one"
        };
        text += &format!(
            "{proved} of {} stacks: the allocation is proved the fastest if nothing had to travel; {then}\n",
            stacks.len()
        );
    }
    if let Some(search) = search {
        text += &format!(
            "the tiles are the best of the {} sizes that were run; that no other size is better is not proved\n",
            search.points().len()
        );
    }
    text
}

/// All tile sizes that were run, the best one marked.
fn tile_sizes(search: &TileSearch) -> Table {
    let best = search.best().map(|(cut, _)| cut);
    let row = |point: &TilePoint| {
        let mark = if Some(&point.cut) == best { "best" } else { "" };
        let numbers = match &point.outcome {
            Ok(outcome) => [
                TableCell::of(Quantity::Latency, outcome.latency_cycles),
                TableCell::of(Quantity::Energy, outcome.energy_pj),
                TableCell::count(outcome.tiles as u64),
            ],
            Err(reason) => [reason.as_str().into(), TableCell::Nothing, TableCell::Nothing],
        };
        std::iter::once(point.cut.text().into()).chain(numbers).chain([mark.into()]).collect()
    };
    Table {
        caption: String::new(),
        columns: vec![
            Column::words("tiles"),
            Column::numbers("latency"),
            Column::numbers("energy"),
            Column::numbers("count"),
            Column::words(""),
        ],
        rows: search.points().iter().map(row).collect(),
    }
}

/// How the schedule compares with the best core that computes all layers alone.
fn against_one_core(found: &CoresReport) -> String {
    let Some((cut, single)) = &found.single else {
        return "no core runs all layers alone, so that there is none to compare with\n".to_owned();
    };
    let tiles = if found.search.is_some() { format!(" in its best tiles ({})", cut.text()) } else { String::new() };
    format!(
        "against {} alone{tiles}: {:.2} times as fast, {:.2} times the energy ({}, {})\n",
        single.name,
        single.latency_cycles / found.account.latency_cycles,
        found.evaluated.energy_pj / single.energy_pj,
        TableCell::of(Quantity::Latency, single.latency_cycles).text(),
        TableCell::of(Quantity::Energy, single.energy_pj).text(),
    )
}

fn power(found: &CoresReport) -> Option<Power> {
    let CoresReport { study, evaluated, account, .. } = found;
    study.system.power(evaluated.energy_pj, account.latency_cycles, study.network.macs())
}

fn as_json(found: &CoresReport) -> Value {
    let CoresReport { study, search, single, stacks, evaluated, account, problems, elapsed } = found;
    let names =
        |cores: &[CoreId]| -> Vec<&str> { cores.iter().map(|&core| account.cores[core].name.as_str()).collect() };
    let layer =
        |(layer, cores): (NestId, &Vec<CoreId>)| json!({ "name": account.layers[layer], "cores": names(cores) });
    let stack = |stack: &StackAllocation| {
        json!({
            "layers": stack.layers.iter().map(|&layer| &account.layers[layer]).collect::<Vec<_>>(),
            "tiles_of_an_iteration": stack.tiles,
            "iterations": stack.iterations,
            "cycles": stack.found.best.as_ref().map(|best| best.cycles),
            "bound_cycles": stack.found.bound,
            "proved": stack.found.is_proved(),
        })
    };
    let core = |core: &fusescape::multicore::CoreTime| {
        let mut fields = json!({ "name": core.name });
        for cause in CoreTimeCause::ALL {
            fields[format!("{}_cycles", cause.key())] = json!(core.cycles[cause]);
        }
        fields
    };
    let mut report = json!({
        "network": study.network.name,
        "system": study.system.name,
        "latency_cycles": account.latency_cycles,
        "energy_pj": evaluated.energy_pj,
        "power": power(found),
        "edp_pj_cycles": evaluated.score(ScheduleObjective::EnergyDelay),
        "peak_on_chip_bits": account.peak_bits(),
        "mac_use": study.mac_use(account.latency_cycles),
        "tile_size": granularity_text(&study.settings.granularity),
        "tile_sizes": search.as_ref().map(|search| search.points().iter().map(tile_size).collect::<Vec<_>>()),
        "single_core": single.as_ref().map(|(cut, single)| json!({
            "core": single.name,
            "tile_size": search.as_ref().map_or_else(|| granularity_text(&study.settings.granularity), |_| cut.text()),
            "latency_cycles": single.latency_cycles,
            "energy_pj": single.energy_pj,
            "speed_up": single.latency_cycles / account.latency_cycles,
        })),
        "tiles": account.tiles.len(),
        "tiles_solved": problems,
        "transfers": account.transfers.len(),
        "layers": evaluated.choice.iter_enumerated().map(layer).collect::<Vec<_>>(),
        "stacks": stacks.iter().map(stack).collect::<Vec<_>>(),
        "cores": account.cores.iter().map(core).collect::<Vec<_>>(),
        "links": account.links.iter().map(|link| json!({ "name": link.name, "busy_cycles": link.busy })).collect::<Vec<_>>(),
        "seconds": elapsed.as_secs_f64(),
    });
    for part in SystemPart::ALL {
        report[format!("energy_{}_pj", part.key())] = json!(account.energy.of(part));
    }
    report
}

/// A tile size as `--tiles` takes it.
fn granularity_text(granularity: &Granularity) -> String {
    match granularity {
        Granularity::Rows(rows) => format!("rows {rows}"),
        Granularity::LayerByLayer => TileCut::default().text(),
        Granularity::ByHand(text) => text.clone(),
    }
}

fn tile_size(point: &TilePoint) -> Value {
    let outcome = point.outcome.as_ref();
    json!({
        "tile_size": point.cut.text(),
        "latency_cycles": outcome.ok().map(|outcome| outcome.latency_cycles),
        "energy_pj": outcome.ok().map(|outcome| outcome.energy_pj),
        "tiles": outcome.ok().map(|outcome| outcome.tiles),
        "why_none": outcome.err(),
    })
}
