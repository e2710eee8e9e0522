//! Tables of sweeps, of systems, and of the needs of fused layers: every number in them is explained, and its formulas
//! give it.

use super::explain::{Asked, assert_none, check, unfold};
use super::explain_systems::request;
use fusescape::chart::{
    Chart, CoresSweep, Curves, SequenceQuantity, Table, TableCell, allocations_table, partition_scatter,
    resource_curves, reuse_bars, storage_bars, traffic_bars,
};
use fusescape::explain::{
    Explained, ExplainedNumber, ExplainedSequences, SequenceCells, explain_choice, explain_online, explain_reuse,
    explain_sequences, explain_steps, explain_storage, explain_systems, explain_traffic, listed_partitions,
    listed_steps,
};
use fusescape::explore::{
    NetworkChains, OnlineProblem, Resource, ResourceStep, Sequence, SequenceFinding, SequenceQuestion, Sweep,
    SweptParameter, find_sequences, fusion_step,
};
use fusescape::search::Objective;
use fusescape::spec::{Preset, hardware_presets, workload_presets};
use fusescape_test_support::sample::{pairs, sample_or_all};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::rc::Rc;

/// Tolerance for sums of floating-point numbers.
const TOLERANCE: f64 = 1e-12;

/// Checks that every number of a table behind its first columns is explained with exactly its value; returns their
/// number.
fn check_values(
    what: &str,
    table: &Table,
    first: usize,
    rows: &[Vec<Option<Explained>>],
    failures: &mut Vec<String>,
) -> usize {
    let mut count = 0;
    for (index, row) in table.rows.iter().enumerate() {
        for (column, cell) in row.iter().enumerate().skip(first) {
            let explained = rows.get(index).and_then(|row| row.get(column)?.as_ref()).map(|explained| explained.value);
            let shown = match cell {
                TableCell::Number { value, .. } => value.parse::<f64>().ok(),
                _ => None,
            };
            count += usize::from(shown.is_some());
            if shown != explained {
                failures.push(format!("{what}: row {index}, column {column}: {shown:?} is shown, not {explained:?}"));
            }
        }
    }
    count
}

/// The same, with all formulas of existing explanations.
fn check_made(what: &str, table: &Table, first: usize, rows: &[Vec<Option<Explained>>]) -> (usize, Vec<String>) {
    let asked = Asked::new(&|_| None, TOLERANCE, 0.0);
    for explained in rows.iter().flatten().flatten() {
        asked.expect(explained.unfolds(), || format!("{what}: {} says something", explained.name));
        asked.expect(!explained.source.is_empty(), || format!("{what}: {} names its source", explained.name));
        check(what, explained, &asked, &mut VecDeque::new());
    }
    let mut failures = asked.failures.into_inner();
    let count = check_values(what, table, first, rows, &mut failures);
    (count, failures)
}

/// The same for runs listed beside sequences.
fn check_listed(
    what: &str,
    table: &Table,
    (sequences, cells): &(ExplainedSequences, SequenceCells),
) -> (usize, Vec<String>) {
    let explain = |subject: ExplainedNumber| match subject {
        ExplainedNumber::Sequences(number) => explain_sequences(sequences, number),
        _ => None,
    };
    let asked = Asked::new(&explain, TOLERANCE, 0.0);
    let all = cells.iter().flatten().flatten().map(|number| ExplainedNumber::Sequences(*number));
    unfold(what, all.collect(), &asked, usize::MAX);
    let mut failures = asked.failures.into_inner();
    let explained = |row: &Vec<Option<_>>| row.iter().map(|cell| explain_sequences(sequences, (*cell)?)).collect();
    let rows: Vec<Vec<Option<Explained>>> = cells.iter().map(explained).collect();
    let count = check_values(what, table, 1, &rows, &mut failures);
    (count, failures)
}

#[test]
fn every_number_of_other_systems_and_of_allocations_is_explained() {
    let summary = |of: usize| (1e6 / 3.0 + of as f64, 7e5 / 9.0 + of as f64);
    let found = (0..8).map(|of| match of {
        5 => None,
        6 => Some(Err("does not fit")),
        _ => Some(Ok(summary(of))),
    });
    let found: Vec<_> = found.collect();
    let systems = vec!["the one above".to_owned(), "another".to_owned()];
    let mut failures = Vec::new();
    for (quantity, _) in CoresSweep::QUANTITIES {
        let sweep = CoresSweep { quantity, systems: systems.clone(), found: found.clone() };
        let (count, wrong) = check_made("systems", &sweep.bars().table(), 2, &explain_systems(&sweep));
        assert_eq!(count, 6);
        failures.extend(wrong);
    }
    let rows = [("shared", Some(summary(0))), ("not shared", Some(summary(1))), ("not yet known", None)];
    let first = rows[0].1.map(|summary| (rows[0].0, summary));
    let explain = |(name, summary): &(&str, Option<(f64, f64)>)| {
        let explained = summary.map(|summary| explain_choice((name, summary), first).to_vec());
        std::iter::once(None).chain(explained.unwrap_or_default()).collect()
    };
    let explained: Vec<_> = rows.iter().map(explain).collect();
    let (count, wrong) = check_made("allocations", &allocations_table("", "allocation", &rows), 1, &explained);
    assert_eq!(count, 8);
    failures.extend(wrong);
    assert_none(&failures);
}

#[test]
fn every_number_of_the_sweeps_of_optimus_model_is_explained() {
    let check_pair = |(hardware, workload): &(&str, &str)| {
        let what = format!("{workload} on {hardware}");
        let sweep = Sweep::new(&request(hardware, workload, Objective::Energy)).unwrap();
        let (mut all, mut failures) = (0, Vec::new());
        for varied in SweptParameter::ALL {
            let steps: Vec<_> = varied.steps().filter_map(|step| fusion_step(&sweep, varied, step).ok()).collect();
            let table = Curves::of_fusion(varied, &steps).table();
            let (count, wrong) = check_made(&what, &table, 1, &explain_steps(varied, &steps));
            all += count;
            failures.extend(wrong);
        }
        if let Ok(study) = OnlineProblem::new(&sweep) {
            let steps = [-16, -5, 0, 8].map(|step| (study.with_traffic(study.decide(step)), study.exact(step)));
            let (count, wrong) = check_made(&what, &Curves::of_online(&steps, 0).table(), 1, &explain_online(&steps));
            all += count;
            failures.extend(wrong);
        }
        (all, failures)
    };
    let pairs = [
        ("tpu-like-df", "fsrcnn"),
        ("meta-proto-like-df", "vgg16-e"),
        ("edge-tpu-like-df", "mobilenet-v1"),
        ("tpu-like-df", "resnet18"),
    ];
    let pairs = &pairs[..sample_or_all(2, 4)];
    let found: Vec<(usize, Vec<String>)> = pairs.par_iter().map(check_pair).collect();
    assert_none(&found.iter().flat_map(|found| found.1.clone()).collect::<Vec<_>>());
    let count = found.iter().map(|found| found.0).sum::<usize>();
    assert!(count > sample_or_all(150, 300), "{count} numbers are explained");
}

fn chains(sweep: &Sweep) -> Option<Rc<NetworkChains>> {
    match find_sequences(sweep, SequenceQuestion::Chains) {
        Ok(SequenceFinding::Chains(chains)) => Some(Rc::new(chains)),
        _ => None,
    }
}

/// The needs of a sequence, and the partitions of the array for it.
fn check_sequence(what: &str, sweep: &Sweep, chains: &Rc<NetworkChains>, sequence: Sequence) -> (usize, Vec<String>) {
    let mut all = Vec::new();
    if let Ok(SequenceFinding::Needs(needs)) = find_sequences(sweep, SequenceQuestion::Needs(sequence)) {
        let buffer = chains.accelerator.buffer;
        all.push(check_made(what, &storage_bars(&needs, buffer).table(), 1, &explain_storage(&needs)));
        all.push(check_made(what, &traffic_bars(&needs).table(), 2, &explain_traffic(&needs)));
        for side in [1, 2, 8, 1024] {
            all.push(check_made(what, &reuse_bars(&needs, side).table(), 2, &explain_reuse(&needs, side)));
        }
    }
    if let Ok(SequenceFinding::Partitions(Some(found))) = find_sequences(sweep, SequenceQuestion::Partitions(sequence))
    {
        all.push(check_listed(what, &partition_scatter(&found).table(), &listed_partitions(chains, &found)));
    }
    all.into_iter().fold((0, Vec::new()), |(count, failures), (more, wrong)| (count + more, [failures, wrong].concat()))
}

/// The costs of one sequence, or of all chains, on more or less hardware.
fn check_resources(
    what: &str,
    sweep: &Sweep,
    chains: &Rc<NetworkChains>,
    of: Option<Sequence>,
) -> (usize, Vec<String>) {
    let (mut all, mut failures) = (0, Vec::new());
    for resource in Resource::ALL {
        let step = |step| match find_sequences(sweep, SequenceQuestion::Resources(of, resource, step)) {
            Ok(SequenceFinding::Resources(step)) => Some(*step),
            _ => None,
        };
        let steps: Vec<ResourceStep> = resource.steps().filter_map(step).collect();
        for quantity in SequenceQuantity::ALL {
            let table = resource_curves(resource, quantity, &steps).table();
            let (count, wrong) = check_listed(what, &table, &listed_steps(chains, resource, quantity, &steps));
            all += count;
            failures.extend(wrong);
        }
    }
    (all, failures)
}

#[test]
fn every_number_of_what_sequences_need_and_of_other_resources_is_explained() {
    let workloads = ["vgg16-e", "resnet18-main-path", "fsrcnn", "alexnet-eyeriss"];
    let pairs = pairs(&hardware_presets()[..3], &workloads);
    assert!(workloads.iter().all(|id| workload_presets().iter().any(|preset| preset.id == *id)));
    let check_pair = |(hardware, workload): &(Preset, &str)| {
        let what = format!("{workload} on {}", hardware.id);
        let sweep = Sweep::new(&request(hardware.id, workload, Objective::Energy)).unwrap();
        let Some(chains) = chains(&sweep) else { return (0, Vec::new()) };
        let sequences = chains.legal.iter().take(6).copied();
        let mut all: Vec<_> = sequences.map(|sequence| check_sequence(&what, &sweep, &chains, sequence)).collect();
        for of in [None, chains.legal.first().copied()] {
            all.push(check_resources(&what, &sweep, &chains, of));
        }
        let count = all.iter().map(|found| found.0).sum::<usize>();
        (count, all.into_iter().flat_map(|found| found.1).collect())
    };
    let found: Vec<(usize, Vec<String>)> = pairs.par_iter().map(check_pair).collect();
    assert_none(&found.iter().flat_map(|found| found.1.clone()).collect::<Vec<_>>());
    let count = found.iter().map(|found| found.0).sum::<usize>();
    assert!(count > sample_or_all(1000, 3000), "{count} numbers are explained");
}
