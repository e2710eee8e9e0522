//! Points evaluated one at a time, in any order and by several workers, are the points of the whole sweep, to the bit.

use fusescape_engine::cost::AccessCause;
use fusescape_engine::depth_first::{
    DepthFirstStrategy, FuseDepth, NotPlanned, Planner, PointAccount, ProblemCost, ProblemId, StoringMode,
    TotalsAssembler,
};
use fusescape_engine::explore::{
    CostStore, IncrementalSweep, PointSummary, Request, SearchEffort, Settings, SharedCosts, SolvedProblems, Sweep,
    coarse_to_fine,
};
use fusescape_engine::hardware::{Core, Operand};
use fusescape_engine::ids::TiVec;
use fusescape_engine::mapping::{LayerOnCore, LayerProblem};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Objective, Strategy, Weights};
use fusescape_engine::workload::Network;
use fusescape_spec::{find_preset, hardware_presets, workload_presets};
use std::sync::Arc;

fn request(hardware: &str, workload: &str, settings: Settings) -> Request {
    Request {
        hardware: find_preset(hardware_presets(), hardware).unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), workload).unwrap().text.to_owned(),
        settings,
    }
}

fn small(fuse: FuseDepth) -> Settings {
    Settings {
        tiles_x: vec![7, 60, 960],
        tiles_y: vec![4, 50, 540],
        fuse: vec![fuse],
        lpf_limit: 4,
        ..Settings::default()
    }
}

fn incremental(request: &Request) -> IncrementalSweep {
    IncrementalSweep::new(Sweep::new(request).unwrap())
}

/// Planned as a whole, with every problem solved once, every point with its whole account; `None` where it is
/// impossible.
fn whole(sweep: &Sweep) -> Vec<Option<(PointSummary, PointAccount)>> {
    let plan = sweep.plan();
    let mut solved = SolvedProblems::solve_all(sweep, &plan);
    let mut assembler = sweep.assembler(&plan);
    let mut accounts = Vec::new();
    for (point, planned) in plan.points.iter().enumerate() {
        let outcomes = solved.outcomes_of(point);
        let account = planned
            .as_ref()
            .ok()
            .and_then(|planned| assembler.assemble(planned, &|problem| outcomes.get(&problem)?.best.as_ref()));
        accounts.push(account.map(|account| (sweep.summarize(point, &account), account)));
    }
    accounts
}

/// The mappings of a point make its product of energy and latency least together, not each its own.
#[test]
fn no_weighted_sum_leads_to_a_smaller_energy_delay_product() {
    let mut differ = 0;
    for (hardware, fuse) in [("meta-proto-like-df", FuseDepth::LayerByLayer), ("ascend-like-df", FuseDepth::Automatic)]
    {
        let of = |objective: Objective| {
            let settings = Settings {
                tiles_x: vec![14],
                tiles_y: vec![14],
                modes: vec![StoringMode::FullyCached],
                fuse: vec![fuse.clone()],
                objective,
                ..Settings::default()
            };
            let mut incremental = incremental(&request(hardware, "mobilenet-v2", settings));
            incremental.point(&mut CostStore::default(), 0, &mut || true).unwrap()
        };
        let least = of(Objective::EnergyDelayProduct);
        let slope = least.energy_pj / least.latency_cycles as f64;
        for times in [0.0, 0.3, 0.8, 0.95, 1.0, 1.05, 1.3, 3.0] {
            let weights = Weights { energy: 1.0, latency: times * slope, dram_accesses: 0.0 };
            let other = of(Objective::Weighted(weights));
            let product = other.energy_pj * other.latency_cycles as f64;
            assert!(
                least.score <= product * (1.0 + 1e-9),
                "{hardware}, {times}: {product} is less than {}",
                least.score
            );
            differ += usize::from(product > least.score * (1.0 + 1e-9));
            // The common slope of the least product is its energy by its latency.
            assert!(times != 1.0 || (product - least.score).abs() <= 1e-9 * product, "{hardware}: {product}");
        }
    }
    assert!(differ > 4, "{differ} other products");
}

#[test]
fn a_survey_finds_what_the_whole_sweep_finds() {
    for (hardware, workload, settings) in [
        ("meta-proto-like-df", "fsrcnn-defines", small(FuseDepth::Automatic)),
        (
            "meta-proto-like-df",
            "fsrcnn",
            Settings { tiles_x: vec![60], lpf_limit: 6, rules: Rules::DEFINES_2022, ..small(FuseDepth::Automatic) },
        ),
        ("tpu-like", "mccnn", Settings { tiles_x: vec![60], ..small(FuseDepth::SingleLayer) }),
        (
            "tpu-like-df",
            "mobilenet-v2",
            Settings {
                tiles_x: vec![14, 112],
                tiles_y: vec![28],
                objective: Objective::EnergyDelayProduct,
                ..small(FuseDepth::Automatic)
            },
        ),
        (
            "edge-tpu-like-df",
            "resnet18",
            Settings {
                tiles_x: vec![7],
                tiles_y: vec![3],
                objective: Objective::DramAccesses,
                ..small(FuseDepth::Automatic)
            },
        ),
        (
            "meta-proto-like-df",
            "fsrcnn-defines",
            Settings { objective: Objective::MemoryAccesses("sram_64KB".into()), ..small(FuseDepth::LayerByLayer) },
        ),
    ] {
        let request = request(hardware, workload, settings);
        let (mut incremental, mut store) = (incremental(&request), CostStore::default());
        let expected = whole(incremental.sweep());
        // Backwards, as the result must not depend on the order.
        for point in (0..expected.len()).rev() {
            let what = format!("{workload} on {hardware}, point {point}");
            let found = incremental.point(&mut store, point, &mut || true).ok();
            assert_eq!(found.as_ref(), expected[point].as_ref().map(|(summary, _)| summary), "{what}");
            let searched = incremental.effort.searched;
            let account = incremental.account(&mut store, point).ok();
            assert!(found.is_none() || incremental.effort.searched == searched, "{what}: its mappings are known");
            assert_eq!(account.as_ref(), expected[point].as_ref().map(|(_, account)| account), "{what}");
        }
    }
}

#[test]
fn workers_with_points_of_their_own_find_what_one_finds() {
    let request = request("meta-proto-like-df", "fsrcnn-defines", small(FuseDepth::Automatic));
    let (mut alone, mut store) = (incremental(&request), CostStore::default());
    for lane in coarse_to_fine(&request.settings, 3) {
        let (mut incremental, mut own) = (incremental(&request), CostStore::default());
        for point in lane {
            assert_eq!(
                incremental.point(&mut own, point as usize, &mut || true),
                alone.point(&mut store, point as usize, &mut || true),
                "{point}"
            );
        }
    }
}

#[test]
fn an_edit_of_one_memory_leaves_the_problems_below_it_known() {
    let settings = small(FuseDepth::Automatic);
    let before = request("meta-proto-like-df", "fsrcnn-defines", settings);
    let hardware = before.hardware.replace("name: sram_1MB_A", "name: sram_edited");
    assert_ne!(hardware, before.hardware);
    let after = Request { hardware, ..before.clone() };
    let mut store = CostStore::default();
    let accounts = |request: &Request, store: &mut CostStore| -> Vec<_> {
        let mut incremental = incremental(request);
        (0..incremental.strategies().len()).map(|point| incremental.account(store, point)).collect()
    };
    let effort = |request: &Request, store: &mut CostStore| {
        let mut incremental = incremental(request);
        (0..incremental.strategies().len()).for_each(|point| drop(incremental.point(store, point, &mut || true)));
        incremental.effort
    };
    let cold = effort(&before, &mut store);
    assert_eq!(cold.reused, 0);
    assert_eq!(effort(&before, &mut store), SearchEffort { searched: 0, reused: cold.searched });
    let shared = Arc::new(SharedCosts::default());
    assert_eq!(effort(&before, &mut CostStore::sharing(shared.clone())), cold);
    let again = effort(&before, &mut CostStore::sharing(shared));
    assert_eq!(again, SearchEffort { searched: 0, reused: cold.searched }, "what another store knows is reused");
    let edited = effort(&after, &mut store);
    assert!(edited.reused > 0 && edited.searched > 0, "{edited:?}");
    assert_eq!(edited, SearchEffort { searched: edited.searched, reused: cold.searched - edited.searched });
    assert_eq!(edited.searched, effort(&after, &mut CostStore::default()).searched - edited.reused);
    assert_eq!(accounts(&after, &mut store), accounts(&after, &mut CostStore::default()));
}

/// The design with one memory this many times as large.
fn resized(request: &Request, memory: usize, by: (u64, u64)) -> Request {
    let core = Core::from_text(&request.hardware).unwrap();
    let bytes = core.memories.iter().nth(memory).unwrap().size_bits / 8;
    let at = request.hardware.match_indices("    size: ").nth(memory).unwrap().0;
    let (head, tail) = request.hardware.split_at(at);
    let after = tail.find('\n').unwrap();
    let hardware = format!("{head}    size: {} B{}", (bytes * by.0 / by.1).max(1), &tail[after..]);
    Request { hardware, ..request.clone() }
}

/// The cost of a problem does not depend on the size of a memory that is more than large enough; all other parts that
/// an edit changes are searched again.
#[test]
fn an_edit_of_a_size_searches_only_where_the_memory_was_or_is_not_ample() {
    let (mut reused, mut all) = (0, 0);
    for (hardware, workload) in
        [("meta-proto-like-df", "fsrcnn"), ("tpu-like-df", "three-convs"), ("edge-tpu-like", "fsrcnn-defines")]
    {
        let settings = Settings { tiles_x: vec![7], tiles_y: vec![4], ..Settings::default() };
        let before = request(hardware, workload, settings);
        for memory in 0..incremental(&before).sweep().core.memories.len() {
            let mut store = CostStore::default();
            for by in [(1, 1), (2, 1), (16, 1), (1, 2)] {
                let after = resized(&before, memory, by);
                let (mut warm, mut cold) = (incremental(&after), incremental(&after));
                for point in 0..warm.strategies().len() {
                    let expected = cold.account(&mut CostStore::default(), point);
                    assert_eq!(warm.point(&mut store, point, &mut || true).ok().is_some(), expected.is_ok());
                    let what = format!("{workload} on {hardware}, memory {memory} by {by:?}, point {point}");
                    assert_eq!(warm.account(&mut store, point), expected, "{what}");
                }
                if by == (16, 1) {
                    (reused, all) = (reused + warm.effort.reused, all + warm.effort.reused + warm.effort.searched);
                }
            }
        }
    }
    assert!(reused > all / 2, "{reused} of {all}");
}

#[test]
fn a_combination_is_the_sum_of_its_stacks() {
    let settings = small(FuseDepth::Automatic);
    let names = fusescape_engine::workload::Network::from_text(find_preset(workload_presets(), "fsrcnn").unwrap().text)
        .unwrap();
    let second = names.layer(names.computing().nth(2).unwrap()).name.clone();
    let request =
        request("meta-proto-like-df", "fsrcnn", Settings { fuse: vec![FuseDepth::Cuts(vec![second])], ..settings });
    let (mut incremental, mut store) = (incremental(&request), CostStore::default());
    let [a, b] = [3, 13].map(|point| incremental.point(&mut store, point, &mut || true).unwrap());
    let combined = incremental.combination(&mut store, &[3, 13]).unwrap();
    let energies: Vec<f64> = combined.stacks.iter().map(|stack| stack.energy_pj).collect();
    assert_eq!(energies, [a.stacks[0].energy_pj, b.stacks[1].energy_pj]);
    assert!(incremental.combination(&mut store, &[]).is_err());
    assert!(incremental.point(&mut store, usize::MAX, &mut || true).is_err());
}

#[test]
fn a_survey_that_runs_out_of_time_goes_on_where_it_stopped() {
    let request = request("meta-proto-like-df", "fsrcnn-defines", small(FuseDepth::Automatic));
    let (mut steady, mut known) = (incremental(&request), CostStore::default());
    let (mut hasty, mut store) = (incremental(&request), CostStore::default());
    for point in 0..steady.strategies().len() {
        let expected = steady.point(&mut known, point, &mut || true);
        let mut attempts = 0;
        let found = loop {
            // One search per attempt.
            let mut searches = 0;
            let found = hasty.point(&mut store, point, &mut || std::mem::replace(&mut searches, 1) == 0);
            attempts += 1;
            if found != Err(NotPlanned::Later) {
                break found;
            }
        };
        assert_eq!(found, expected);
        assert!(attempts < 60, "{attempts} attempts for point {point}");
    }
    assert_eq!(hasty.effort.searched, steady.effort.searched);
}

/// The expression adds up problem by problem what the totals add up tile by tile.
#[test]
fn the_cost_expression_of_a_point_has_the_value_of_its_totals() {
    for (hardware, tile, mode) in [
        ("meta-proto-like-df", (4, 72), StoringMode::FullyCached),
        ("tpu-like-df", (60, 9), StoringMode::HCachedVRecompute),
        ("ascend-like-df", (16, 18), StoringMode::FullyRecompute),
    ] {
        let core = Core::from_text(find_preset(hardware_presets(), hardware).unwrap().text).unwrap();
        let network = Network::from_text(find_preset(workload_presets(), "fsrcnn-defines").unwrap().text).unwrap();
        let mut planner = Planner::new(&core, &network, Rules::CORRECTED, Limits::default(), Strategy::Exact);
        let plan = planner.plan(&DepthFirstStrategy { tile, mode, fuse: FuseDepth::Automatic }).unwrap();
        let levels = core.levels(Operand::O);
        let counted = [levels[levels.len() - 1], levels[levels.len() - 2]];
        let problems = &planner.memory.problems;
        let least = |problem: &LayerProblem| {
            Some(ProblemCost::lower_bound(&LayerOnCore::new(&core, Rules::CORRECTED, problem), counted))
        };
        let costs: TiVec<ProblemId, Option<ProblemCost>> = problems.list.iter().map(least).collect();
        let mut assembler = TotalsAssembler::new(&core, Rules::CORRECTED, problems, counted);
        let totals = assembler.totals(&plan, &|problem| costs.get(problem)?.as_ref()).unwrap();
        let found = assembler.cost_expression(&plan).total(&costs).unwrap();
        let is_close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
        assert_eq!(found.latency, totals.latency, "{hardware}");
        assert!(is_close(found.energy.total_pj(), totals.energy.total_pj()), "{hardware}");
        for (found, expected) in found.words.iter().zip(&totals.words) {
            assert!(is_close(found.total(), expected.total()) && expected.total() > 0.0, "{hardware}: {found:?}");
            assert!(is_close(found[AccessCause::Copy], expected[AccessCause::Copy]), "{hardware}: {found:?}");
        }
    }
}
