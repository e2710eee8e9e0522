//! Every number of the views of many cores and of fusion that can be unfolded: its formulas give the number, down to
//! the inputs.

use super::explain::{Asked, assert_none, check, unfold};
use fusescape::chart::SequenceQuantity;
use fusescape::cost::{AccessCause, EnergyCause, LatencyCause};
use fusescape::explain::{
    CorePart, CoresNumber, ExplainedNumber, ExplainedSequences, FusionNumber, RunPart, RunPlace, SequenceNumber,
    StackAmount, TileFigure, TransferFigure, explain_cores, explain_decision, explain_fusion, explain_sequences,
};
use fusescape::explore::{
    CostStore, FusionComparison, FusionMethod, NetworkChains, OnlineProblem, Request, SequenceCosts, SequenceFinding,
    SequenceQuestion, Settings, Sharing, StackLimits, StackProblem, StackRun, Sweep, chosen_sequences, compare_fusions,
    find_sequences,
};
use fusescape::interlayer::FusionMode;
use fusescape::multicore::{
    Carrier, CoreTimeCause, CoresAccount, CoresEnergyCause, CoresProblem, CoresRequest, CoresSettings, Scheduler,
    TileCosts, TileGranularity, TileId, TransferReason,
};
use fusescape::search::{Objective, Strategy, Weights};
use fusescape::spec::{Preset, find_preset, hardware_presets, system_presets, workload_presets};
use fusescape_test_support::sample::{each_of, pairs};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::rc::Rc;

/// Tolerance for sums of floating-point numbers.
const TOLERANCE: f64 = 1e-12;
/// Limit on the numbers of a schedule that are unfolded.
const MOST: usize = 6000;

fn text(presets: &'static [Preset], id: &str) -> String {
    find_preset(presets, id).unwrap().text.to_owned()
}

fn system_account(
    system: &Preset,
    workload: &str,
    granularity: TileGranularity,
    scheduler: Scheduler,
) -> Option<CoresAccount> {
    let settings =
        CoresSettings { granularity, scheduler, strategy: Strategy::Loma, lpf_limit: 5, ..CoresSettings::default() };
    let request = CoresRequest {
        hardware: text(hardware_presets(), "tpu-like"),
        workload: text(workload_presets(), workload),
        system: system.text.to_owned(),
        settings,
    };
    // Some systems do not run every layer, and some tiles fit nowhere.
    let study = CoresProblem::new(&request).ok()?;
    let mut costs = TileCosts::default();
    let (judged, stacks) = study.best(&mut costs).ok()?;
    Some(study.account(&mut costs, &stacks, &judged.choice, Some(judged.order)).unwrap().1)
}

/// The numbers of a schedule shown on the page; of many tiles a sample.
fn shown_of_cores(account: &CoresAccount) -> Vec<(CoresNumber, f64)> {
    let energy = &account.energy;
    let computing: f64 = account.cores.iter().map(|core| core.cycles[CoreTimeCause::Computing]).sum();
    let mut all = vec![
        (CoresNumber::Latency, account.latency_cycles),
        (CoresNumber::Energy, energy.total_pj()),
        (CoresNumber::EnergyDelay, energy.total_pj() * account.latency_cycles),
        (CoresNumber::MacUse, account.macs as f64 / (account.latency_cycles * account.peak_macs_per_cycle as f64)),
        (CoresNumber::ComputingShare, computing / (account.latency_cycles * account.cores.len() as f64)),
        (CoresNumber::Peak, account.peak_bits() as f64 / 8.0),
        (CoresNumber::OnChip, energy[CoresEnergyCause::OnChip]),
    ];
    for carrier in Carrier::ALL {
        let moved = TransferReason::ALL.map(|reason| (reason, energy[CoresEnergyCause::Moved(carrier, reason)]));
        all.push((CoresNumber::Moved(carrier), moved.iter().map(|of| of.1).sum()));
        all.extend(moved.map(|(reason, pj)| (CoresNumber::MovedFor(carrier, reason), pj)));
    }
    for (core, time) in account.cores.iter_enumerated() {
        let causes = CoreTimeCause::ALL.map(|cause| (CorePart::Of(cause), time.cycles[cause]));
        let parts = causes.into_iter().chain([(CorePart::All, account.latency_cycles)]);
        all.extend(parts.map(|(part, cycles)| (CoresNumber::Time(core, part), cycles)));
    }
    for (link, time) in account.links.iter_enumerated() {
        all.push((CoresNumber::LinkBusy(link), time.busy));
        all.push((CoresNumber::LinkShare(link), time.busy / account.latency_cycles));
        for reason in TransferReason::ALL {
            let over = account.transfers.iter().filter(|run| run.reason == reason && run.links.contains(&link));
            let bits: u64 = over.map(|run| run.bits).sum();
            all.push((CoresNumber::LinkCarries(link, reason), bits as f64 / 8.0));
        }
    }
    for (memory, usage) in account.memories.iter_enumerated() {
        all.push((CoresNumber::MemoryPeak(memory), usage.peak_bits as f64 / 8.0));
        all.push((CoresNumber::MemoryShare(memory), usage.peak_bits as f64 / usage.capacity_bits as f64));
    }
    let step = account.tiles.len().div_ceil(50);
    for tile in (0..account.tiles.len()).step_by(step).map(TileId::from) {
        let run = &account.tiles[tile];
        let brought: u64 = account.brought_for(tile).iter().map(|id| account.transfers[*id].bits).sum();
        all.push((CoresNumber::Tile(tile, TileFigure::Begin), run.start));
        all.push((CoresNumber::Tile(tile, TileFigure::End), run.end));
        all.push((CoresNumber::Tile(tile, TileFigure::Takes), run.end - run.start));
        all.push((CoresNumber::Tile(tile, TileFigure::Brought), brought as f64 / 8.0));
    }
    let step = account.transfers.len().div_ceil(50).max(1);
    // Start times are cheap to explain, so all of them are included.
    let begins = account.transfers.iter_enumerated();
    all.extend(begins.map(|(id, run)| (CoresNumber::Transfer(id, TransferFigure::Begin), run.start)));
    for (id, run) in account.transfers.iter_enumerated().step_by(step) {
        all.push((CoresNumber::Transfer(id, TransferFigure::End), run.end));
        all.push((CoresNumber::Transfer(id, TransferFigure::Takes), run.end - run.start));
    }
    all
}

fn check_cores(what: &str, account: &CoresAccount) -> Vec<String> {
    let explain = |subject: ExplainedNumber| match subject {
        ExplainedNumber::Cores(number) => explain_cores(account, number),
        _ => None,
    };
    let asked = Asked::new(&explain, TOLERANCE, account.latency_cycles);
    let shown = shown_of_cores(account);
    for (number, value) in &shown {
        let explained = explain_cores(account, *number).unwrap_or_else(|| panic!("{what}: {number:?} is explained"));
        let is_same = (explained.value - value).abs() <= TOLERANCE * value.abs();
        let is_time = matches!(number, CoresNumber::Time(..));
        let is_same = is_same || is_time && (explained.value - value).abs() <= 1e-9 * account.latency_cycles;
        asked.expect(is_same, || format!("{what}: {number:?}: {value} is shown, not {}", explained.value));
    }
    unfold(what, shown.iter().map(|(number, _)| ExplainedNumber::Cores(*number)).collect(), &asked, MOST);
    asked.failures.into_inner()
}

#[test]
fn every_number_of_a_schedule_on_many_cores_comes_out_of_its_formulas() {
    let rows = TileGranularity::Rows;
    let mut cases = Vec::new();
    let networks = [("fsrcnn", rows(60)), ("resnet18", rows(56))];
    for (system, (workload, granularity)) in each_of(pairs(system_presets(), &networks), 6) {
        cases.push((system, workload, granularity, Scheduler::Corrected));
    }
    for system in ["diana", "quad-beside", "stream-1ws-1os"].map(|id| *find_preset(system_presets(), id).unwrap()) {
        let ways = [("fsrcnn", rows(30)), ("mobilenet-v1", TileGranularity::LayerByLayer)];
        for ((workload, granularity), scheduler) in pairs(&ways, &Scheduler::ALL) {
            cases.push((system, workload, granularity, scheduler));
        }
    }
    let check_case = |(system, workload, granularity, scheduler): &(Preset, &str, TileGranularity, Scheduler)| {
        let account = system_account(system, workload, granularity.clone(), *scheduler)?;
        Some(check_cores(&format!("{workload} on {}, {scheduler:?}", system.id), &account))
    };
    let found: Vec<Option<Vec<String>>> = cases.par_iter().map(check_case).collect();
    let count = found.iter().flatten().count();
    assert_none(&found.into_iter().flatten().flatten().collect::<Vec<_>>());
    assert!(2 * count > cases.len(), "{count} of {} have a schedule", cases.len());
}

/// A request with tiles of 14 × 14.
pub fn request(hardware: &str, workload: &str, objective: Objective) -> Request {
    Request {
        hardware: text(hardware_presets(), hardware),
        workload: text(workload_presets(), workload),
        settings: Settings {
            tiles_x: vec![14],
            tiles_y: vec![14],
            objective,
            lpf_limit: 5,
            strategy: Strategy::Loma,
            ..Settings::default()
        },
    }
}

fn fusions(request: &Request) -> FusionComparison {
    let limits = StackLimits { most_layers: Some(6), ..StackLimits::default() };
    let mut study = StackProblem::new(Sweep::new(request).unwrap(), limits).unwrap();
    let mut costs = CostStore::default();
    let parts = 0..study.parts();
    let runs: Vec<StackRun> = parts.flat_map(|part| study.part(&mut costs, part)).collect();
    compare_fusions(&study, &runs)
}

fn check_fusions(what: &str, fusions: &FusionComparison) -> Vec<String> {
    let mut shown = Vec::new();
    for (method, verdict) in &fusions.results {
        let Ok(verdict) = verdict else { continue };
        let stacks = &verdict.stacks;
        let of = |amount| FusionNumber::Of(*method, None, amount);
        shown.extend([
            (FusionNumber::Score(*method), stacks.score),
            (FusionNumber::Groups(*method), verdict.groups.len() as f64),
            (FusionNumber::Stacks(*method), verdict.layers.len() as f64),
            (of(StackAmount::Energy), stacks.energy_pj),
            (of(StackAmount::Cycles), stacks.latency_cycles as f64),
            (of(StackAmount::DramWords), stacks.dram_words),
            (of(StackAmount::IdealCycles), stacks.latency().ideal_cycles),
            (of(StackAmount::IdleCycles), stacks.latency().idle_pe_cycles()),
        ]);
        shown.extend(EnergyCause::ALL.map(|cause| (of(StackAmount::EnergyOf(cause)), stacks.energy()[cause])));
        shown.extend(LatencyCause::ALL.map(|cause| (of(StackAmount::CyclesOf(cause)), stacks.latency()[cause] as f64)));
        shown.extend(AccessCause::ALL.map(|cause| (of(StackAmount::DramWordsOf(cause)), stacks.dram()[cause])));
        shown.extend(verdict.optimus_bytes.map(|bytes| (FusionNumber::OptimusBytes(*method), bytes as f64)));
        if fusions.results.iter().any(|(other, verdict)| *other == FusionMethod::Optimal && verdict.is_ok()) {
            let explained = explain_fusion(fusions, FusionNumber::Gain(*method)).unwrap();
            shown.push((FusionNumber::Gain(*method), explained.value));
        }
    }
    shown.push((FusionNumber::Buffer, fusions.buffer_bytes as f64));
    shown.extend(fusions.oracle_bytes.map(|bytes| (FusionNumber::Oracle, bytes as f64)));
    let explain = |subject: ExplainedNumber| match subject {
        ExplainedNumber::Fusion(number) => explain_fusion(fusions, number),
        _ => None,
    };
    let asked = Asked::new(&explain, TOLERANCE, 0.0);
    for (number, value) in &shown {
        let explained = explain_fusion(fusions, *number).unwrap_or_else(|| panic!("{what}: {number:?} is explained"));
        let is_same = (explained.value - value).abs() <= TOLERANCE * value.abs();
        asked.expect(is_same, || format!("{what}: {number:?}: {value} is shown, not {}", explained.value));
    }
    unfold(what, shown.iter().map(|(number, _)| ExplainedNumber::Fusion(*number)).collect(), &asked, usize::MAX);
    asked.failures.into_inner()
}

#[test]
fn every_number_of_the_methods_of_fusing_comes_out_of_its_formulas() {
    let mut cases: Vec<(&str, &str, Objective)> = Vec::new();
    for hardware in hardware_presets() {
        cases.push((hardware.id, "fsrcnn", Objective::Energy));
    }
    cases.push(("edge-tpu-like-df", "mobilenet-v1", Objective::Energy));
    let weights = Weights { energy: 1.0, latency: 2.0, dram_accesses: 3.0 };
    for objective in [
        Objective::Latency,
        Objective::EnergyDelayProduct,
        Objective::DramAccesses,
        Objective::MemoryAccesses("dram".to_owned()),
        Objective::Weighted(weights),
    ] {
        cases.push(("tpu-like-df", "resnet18", objective));
    }
    let check_case = |(hardware, workload, objective): &(&str, &str, Objective)| {
        let request = request(hardware, workload, objective.clone());
        let what = format!("{workload} on {hardware}, {objective:?}");
        let mut failures = check_fusions(&what, &fusions(&request));
        let Ok(study) = OnlineProblem::new(&Sweep::new(&request).unwrap()) else { return failures };
        for step in [-8, 0, 8] {
            let decision = study.with_traffic(study.decide(step));
            let Some(found) = &decision.found else { continue };
            let explained = explain_decision(&decision).unwrap();
            assert_eq!(explained.value, found.bytes);
            let asked = Asked::new(&|_| None, TOLERANCE, 0.0);
            check(&format!("{what}, step {step}"), &explained, &asked, &mut VecDeque::new());
            failures.extend(asked.failures.into_inner());
        }
        failures
    };
    assert_none(&cases.par_iter().flat_map(check_case).collect::<Vec<_>>());
}

fn sequences(hardware: &Preset, workload: &Preset) -> Option<(NetworkChains, Vec<SequenceCosts>)> {
    let request = Request {
        hardware: hardware.text.to_owned(),
        workload: workload.text.to_owned(),
        settings: Settings::default(),
    };
    let sweep = Sweep::new(&request).ok()?;
    let SequenceFinding::Chains(chains) = find_sequences(&sweep, SequenceQuestion::Chains).ok()? else { return None };
    let cost = |&sequence| match find_sequences(&sweep, SequenceQuestion::Costs(sequence)) {
        Ok(SequenceFinding::Costs(costs)) => Some(*costs),
        _ => None,
    };
    let costs = chains.legal.iter().take(12).filter_map(cost).collect();
    Some((chains, costs))
}

#[test]
fn every_number_of_sequences_comes_out_of_its_formulas() {
    let networks = ["vgg16-e", "resnet18-main-path", "fsrcnn", "alexnet-eyeriss"]
        .map(|id| *find_preset(workload_presets(), id).unwrap());
    let pairs = pairs(hardware_presets(), &networks);
    let check_pair = |(hardware, workload): &(Preset, Preset)| {
        let (chains, costs) = sequences(hardware, workload)?;
        let mut failures = Vec::new();
        for sharing in Sharing::ALL {
            let chosen = chosen_sequences(&chains, &costs, sharing);
            let (chains, costs) = (Rc::new(chains.clone()), Rc::new(costs.clone()));
            let all = ExplainedSequences { chains, costs, chosen, listed: Vec::new() };
            let mut places = vec![RunPlace::AllApart, RunPlace::AllTogether];
            for known in all.costs.iter() {
                places.push(RunPlace::Apart(known.sequence));
                places.extend(FusionMode::ALL.map(|mode| RunPlace::Fused(known.sequence, mode)));
            }
            let parts = SequenceQuantity::ALL
                .into_iter()
                .flat_map(|quantity| std::iter::once(RunPart::Total(quantity)).chain(RunPart::of(quantity)));
            let parts: Vec<RunPart> = parts.chain([RunPart::Ctc]).collect();
            let mut roots: Vec<SequenceNumber> = vec![SequenceNumber::Fused];
            roots.extend(SequenceQuantity::ALL.map(SequenceNumber::Change));
            for place in places {
                roots.extend(parts.iter().map(|part| SequenceNumber::Of(place, *part)));
            }
            // Sequences that do not fit have no numbers.
            roots.retain(|number| explain_sequences(&all, *number).is_some());
            let explain = |subject: ExplainedNumber| match subject {
                ExplainedNumber::Sequences(number) => explain_sequences(&all, number),
                _ => None,
            };
            let asked = Asked::new(&explain, TOLERANCE, 0.0);
            let what = format!("{} on {}, {}", workload.id, hardware.id, sharing.title());
            unfold(&what, roots.into_iter().map(ExplainedNumber::Sequences).collect(), &asked, usize::MAX);
            failures.extend(asked.failures.into_inner());
        }
        Some(failures)
    };
    let found: Vec<Option<Vec<String>>> = pairs.par_iter().map(check_pair).collect();
    let count = found.iter().flatten().count();
    assert_none(&found.into_iter().flatten().flatten().collect::<Vec<_>>());
    assert!(2 * count > pairs.len(), "{count} of {} have sequences", pairs.len());
}
