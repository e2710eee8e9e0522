//! `fusescape cores`: a network on many cores (Stream).

use super::arguments::{CoresArguments, Format};
use super::documents::load;
use super::plain::plain;
use super::progress::TerminalBar;
use super::{Failure, json_text, print};
use fusescape_chart::{Column, Quantity, Table, TableCell, power_text};
use fusescape_command::cores::{CoresReport, CoresSearchOptions, cores};
use fusescape_command::files::write;
use fusescape_command::parse::{ALLOCATIONS, AllocationChoice, STACK_RULES, TILES};
use fusescape_command::{CommandError, or_word};
use fusescape_engine::multicore::{
    Carrier, CoreId, CoreTimeCause, CoresAccount, CoresPart, CoresRequest, CoresSettings, NestId, StackRule,
    TileGranularity, TilePoint, TileSearch,
};
use fusescape_report::trace::chrome_trace;
use fusescape_spec::{hardware_presets, system_presets, workload_presets};

/// Runs the study and prints it.
pub fn run(options: &CoresArguments) -> Result<(), Failure> {
    let (settings, chosen) = options.chosen.read()?;
    let request = request(options, settings)?;
    let stacks = request.settings.stacks.clone();
    let found =
        cores(request, &chosen, &TerminalBar::default()).map_err(|failure| perhaps_words(failure, &stacks, &chosen))?;
    for note in &found.notes() {
        super::tell(&format!("note: {note}"));
    }
    if let Some(path) = &options.trace {
        write(path, &chrome_trace(&found.account))?;
    }
    print(&match options.format {
        Format::Table => for_a_person(&found, &chosen),
        Format::Json => json_text(&found.json()?)?,
        Format::Csv => layers(&found, true).to_csv(),
    })
}

/// Errors of options that take words or names, with similar words suggested.
fn perhaps_words(failure: CommandError, stacks: &StackRule, options: &CoresSearchOptions) -> CommandError {
    let CommandError::Wrong(mut wrong) = failure else { return failure };
    if let StackRule::After(names) = stacks {
        wrong = or_word(wrong, "settings.stacks", &names.concat(), &STACK_RULES);
    }
    if let Some(TileGranularity::ByHand(text)) = &options.tiles {
        wrong = or_word(wrong, "settings.tiles", text, &TILES);
    }
    if let AllocationChoice::ByHand(text) = &options.allocation {
        wrong = or_word(wrong, "allocation", text, &ALLOCATIONS);
    }
    CommandError::Wrong(wrong)
}

fn request(options: &CoresArguments, settings: CoresSettings) -> Result<CoresRequest, Failure> {
    let documents = [
        load(&options.system, system_presets()),
        load(&options.hardware, hardware_presets()),
        load(&options.workload, workload_presets()),
    ];
    let wrong: Vec<String> = documents.iter().filter_map(|found| Some(found.as_ref().err()?.to_string())).collect();
    let [Ok(system), Ok(hardware), Ok(workload)] = documents else { return Err(wrong.join("\n").into()) };
    Ok(CoresRequest { hardware, workload, system, settings })
}

/// The cores of each layer, and its times.
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

/// The time of each core by cause.
fn times(account: &CoresAccount) -> Table {
    let percent = |cycles: f64| {
        let share = if account.latency_cycles > 0.0 { cycles / account.latency_cycles * 100.0 } else { 0.0 };
        TableCell::number(format!("{share:.1} %"), share)
    };
    let row = |core: &fusescape_engine::multicore::CoreTime| {
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

fn for_a_person(found: &CoresReport, options: &CoresSearchOptions) -> String {
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
    let part = |part: CoresPart| {
        let name = match part {
            CoresPart::Cores => "on chip",
            CoresPart::Carrier(Carrier::Links) => "links",
            CoresPart::Carrier(Carrier::Memories) => "memories",
        };
        format!("{name} {}", shown(Quantity::Energy, account.energy.of(part)))
    };
    text += &format!(
        "\nlatency {}, energy {}: {}; at most {} in use on the chip\n",
        shown(Quantity::Latency, account.latency_cycles),
        shown(Quantity::Energy, evaluated.energy_pj),
        CoresPart::ALL.map(part).join(", "),
        TableCell::size(account.peak_bits()).text(),
    );
    text += &format!(
        "MAC use {:.1} %: so much of what all arrays could multiply in that time the network needs\n",
        100.0 * study.mac_use(account.latency_cycles)
    );
    text += &against_one_core(found);
    if let Some(power) = found.power() {
        text += &format!("{}\n", power_text(&power));
    }
    let proved = stacks.iter().filter(|stack| stack.found.is_proved()).count();
    text += &format!(
        "{} tiles, {problems} different ones solved, in {:.2} s\n",
        account.tiles.len(),
        elapsed.as_secs_f64(),
    );
    if matches!(options.allocation, AllocationChoice::Best) {
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
        // Evolution for every size would take too long.
        let each = if matches!(options.allocation, AllocationChoice::Genetic) {
            ", each with the allocation `best`"
        } else {
            ""
        };
        text += &format!(
            "the tiles are the best of the {} sizes that were run{each}; that no other size is better is not proved\n",
            search.points().count()
        );
    }
    text
}

/// All tile sizes that were run, with the best one marked.
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
        rows: search.points().map(row).collect(),
    }
}

/// A comparison with the best core that runs all layers alone.
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
