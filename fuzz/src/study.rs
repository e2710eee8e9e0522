//! Fields of the page, one section of the input per field: they give requests or diagnostics, never a panic. The first
//! section holds the choices; lines of `%` separate sections.

use super::{HARDWARE, WORKLOAD, check_rejected, check_state};
use fusescape::depth_first::StoringMode;
use fusescape::explore::{DesignLayer, Sweep};
use fusescape::hierarchy::HierarchyProblem;
use fusescape::multicore::{CoresProblem, OrderRule, ScheduleObjective, Scheduler, TileCosts};
use fusescape::rules::Rules;
use fusescape::search::Strategy;
use fusescape::spec::{find_preset, hardware_presets, is_hidden_in_lines, system_presets};
use fusescape::state::{FuseChoice, Half, LPF_LIMITS, ObjectiveChoice, StackChoice, State, TileChoice};
use fusescape::state::{read_allocation, write_allocation};

/// A pool with few hierarchies, as the input does not restrict them.
const POOL: &str = "name: small
memories:
  - name: rf
    size: 64 B
    replication: [per_pe, shared]
    variants:
      - { width: 8 bit, read_energy: 0.88 pJ, write_energy: 0.98 pJ, area: 4740.06 um2 }
      - { width: 64 bit, estimate: sram-65nm }
  - { name: sram, size: 16 KiB, replication: [shared], variants: [{ width: 128 bit, estimate: sram-65nm }] }
";

/// Limit of planned points; more take longer without covering more.
const PLANNED: usize = 16;

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (state, is_kept) = filled(text);
    // Links do not keep longer fields, and take long to write.
    if is_kept && text.len() < 1 << 18 {
        check_state(&state);
    }
    sweep(&state);
    layer(&state);
    cores(&state);
    hierarchies(&state);
}

/// A state with the fields filled in, and whether to check how it is kept.
fn filled(text: &str) -> (State, bool) {
    let mut sections = text.split("\n%\n");
    let choices = sections.next().unwrap_or_default().as_bytes().to_vec();
    let choice = |index: usize, of: usize| choices.get(index).map_or(0, |byte| usize::from(*byte) % of);
    // Links and drafts leave out invisible characters of a field.
    let mut next = || sections.next().unwrap_or_default().replace(is_hidden_in_lines, "");
    let mut state = State::first();
    state.design.pick(Half::Hardware, find_preset(hardware_presets(), "tpu-like").unwrap());
    state.design.workload.write(WORKLOAD.to_owned());
    let schedule = &mut state.design.schedule;
    schedule.fuse = FuseChoice::ALL[choice(0, 4)].0;
    schedule.objective = ObjectiveChoice::ALL[choice(1, 6)].0;
    schedule.strategy = Strategy::Loma;
    schedule.lpf_limit = *LPF_LIMITS.start();
    schedule.rules = [Rules::CORRECTED, Rules::DEFINES_2022, Rules::ZIGZAG_3_8, Rules::ZIGZAG_3_9][choice(2, 4)];
    schedule.modes = StoringMode::ALL[..choice(3, 4)].to_vec();
    (schedule.tiles_x, schedule.tiles_y, schedule.cuts) = (next(), next(), next());
    (schedule.most_layers, schedule.most_tiles, schedule.memory) = (next(), next(), next());
    schedule.weights = [next(), next(), next()];
    let cores = &mut state.cores;
    cores.preset = Some(system_presets()[choice(4, system_presets().len())].id.to_owned());
    cores.granularity = TileChoice::ALL[choice(5, 3)].0;
    cores.stacks = StackChoice::ALL[choice(6, 4)].0;
    cores.objective = ScheduleObjective::ALL[choice(7, 3)];
    cores.scheduler = Scheduler::ALL[choice(8, 3)];
    cores.order = OrderRule::ALL.get(choice(9, 4)).copied();
    cores.prefetches = choice(10, 2) == 1;
    (cores.rows, cores.tiles, cores.ends, cores.allocation) = (next(), next(), next(), next());
    let hierarchy = &mut state.hierarchy;
    hierarchy.pool = POOL.to_owned();
    hierarchy.pool_preset = None;
    hierarchy.budget = next();
    hierarchy.max_levels = choice(11, 7);
    hierarchy.min_ratio = [0, 1, 8, u64::MAX][choice(12, 4)];
    hierarchy.all_widths = choice(13, 2) == 1;
    hierarchy.layer = Some(next()).filter(|layer| !layer.is_empty());
    state.mapping.layer = Some(next()).filter(|layer| !layer.is_empty());
    (state, choice(14, 4) == 0)
}

fn sweep(state: &State) {
    match state.design.request() {
        Err(wrong) => check_rejected(&wrong, &["settings"]),
        Ok(requests) => {
            for request in requests {
                match Sweep::new(&request) {
                    Err(wrong) => check_rejected(&wrong, &["settings", "hardware", "workload"]),
                    Ok(sweep) => {
                        let strategies = sweep.settings.strategies();
                        let plan = sweep.plan_strategies(strategies.into_iter().take(PLANNED).collect());
                        let wrong = plan.points.iter().filter_map(|point| point.as_ref().err());
                        wrong.for_each(|wrong| check_rejected(wrong, &["settings", "hardware", "workload", "fuse"]));
                    }
                }
            }
        }
    }
}

fn layer(state: &State) {
    let Some(request) = state.layer_request() else { return };
    match DesignLayer::new(&request) {
        Err(wrong) => check_rejected(&wrong, &["layer", "objective", "lpf_limit", "hardware", "workload"]),
        Ok(study) => {
            let _ = study.facts();
            match study.best() {
                Err(wrong) => assert!(!wrong.is_empty()),
                Ok(best) => assert!(best.energy_pj().is_finite(), "{}", best.energy_pj()),
            }
        }
    }
}

fn cores(state: &State) {
    let lines = read_allocation(&state.cores.allocation);
    let written = write_allocation(lines.iter().map(|(layer, cores)| (layer.as_str(), cores.as_slice())));
    assert_eq!(read_allocation(&written), lines);
    let schedule = &state.design.schedule;
    let request = state.cores.request(HARDWARE, WORKLOAD, (schedule.strategy, 2), schedule.rules);
    let study = match request.and_then(|request| CoresProblem::new(&request)) {
        Ok(study) => study,
        Err(wrong) => return check_rejected(&wrong, &["settings", "system", "workload"]),
    };
    let able = study.overview().able;
    let first = able.iter().map(|able| able.iter().copied().take(1).collect()).collect();
    let choice = study.with(&first, &lines).unwrap_or(first);
    match study.evaluate(&mut TileCosts::default(), &[], &choice, study.settings.order) {
        Err(wrong) => check_rejected(&wrong, &["allocation", "settings"]),
        Ok(judged) => assert!(judged.energy_pj.is_finite() && judged.latency_cycles.is_finite(), "{judged:?}"),
    }
}

fn hierarchies(state: &State) {
    let schedule = &state.design.schedule;
    let request = state.hierarchy.request(HARDWARE, WORKLOAD, (schedule.strategy, 2), schedule.rules);
    match request.and_then(|request| HierarchyProblem::new(&request)) {
        Err(wrong) => check_rejected(&wrong, &["settings"]),
        Ok(study) => assert!(!study.hierarchies.is_empty()),
    }
}
