//! The exact search on every layer of the reference data: never worse than LOMA under the same rules, for all rules.

use crate::Report;
use crate::zigzag;
use fusescape_engine::hardware::{Core, Operand};
use fusescape_engine::mapping::{LayerOnCore, LayerProblem};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Objective, Proof, Strategy, find_best};
use fusescape_engine::workload::Network;
use fusescape_test_support::sample::all_cases;
use fusescape_test_support::{core, problem, reference, text};

pub fn energy() -> Report {
    let mut report = Report::new();
    for (set, (name, rules)) in Rules::SETS.into_iter().enumerate() {
        let (mut unproved, mut double_buffered) = (0, 0);
        for (id, core, problem) in wanted(&cases(), set, 2) {
            let layer = LayerOnCore::new(core, rules, problem);
            let proof = compare(&mut report, &format!("{id} {name}"), &layer, &Objective::Energy, &Limits::default());
            unproved += usize::from(!matches!(proof, Some(Proof::Optimal | Proof::OptimalButForTies)));
            double_buffered += usize::from(layer.forces_double_buffers);
        }
        // Every least energy is proved, except where LOMA is the search because a memory is double-buffered by design.
        report.same(&unproved, &double_buffered, || format!("{name}: not proved"));
        report.remarks.push(format!("{name}: {double_buffered} left to LOMA"));
    }
    report
}

/// Small layers whose least energy a separate cost model found by every order of prime factors with every placement:
/// columns that several lanes need at different steps are read once for each. Where nothing fits, there is no least
/// energy.
pub fn brute_force() -> Report {
    let mut report = Report::new();
    for case in reference("exact/energy.json")["cases"].as_array().unwrap() {
        report.cases += 1;
        let id = text(&case["id"]);
        let core = Core::from_text(&text(&case["hardware"])).unwrap();
        let network = Network::from_text(&text(&case["workload"])).unwrap();
        let layer = network.layer(network.computing().next().unwrap());
        let levels = Operand::ALL.map(|operand| core.levels(operand).len());
        let problem = LayerProblem::new(layer.shape, levels, layer.unroll_on(&core, &Rules::CORRECTED));
        let on_core = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let found = find_best(&on_core, &Objective::Energy, &Limits::default(), Strategy::Exact);
        let ours = found.best.map(|best| best.energy_pj);
        report.same(&ours.is_some(), &case["energy_pJ"].is_number(), || format!("{id}: whether it fits"));
        if let (Some(ours), Some(theirs)) = (ours, case["energy_pJ"].as_f64()) {
            report.close(ours, theirs, 1e-9, || format!("{id}: least energy"));
        }
    }
    report.of_cases_here(46)
}

/// A layer of the reference data on its core.
type Case = (String, Core, LayerProblem);

/// Each case under one of the sets of rules, by `shift`; under every set in complete tests.
fn wanted(cases: &[Case], set: usize, shift: usize) -> impl Iterator<Item = &Case> {
    let is_wanted = move |number: usize| all_cases() || (number + set) % Rules::SETS.len() == shift;
    cases.iter().enumerate().filter(move |(number, _)| is_wanted(*number)).map(|(_, case)| case)
}

/// Every layer of the reference data on its core.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let hardware = reference("define/hardware.json");
    for file in ["define/single_layer.json", "define/search.json"] {
        for case in reference(file)["cases"].as_array().unwrap() {
            let input = &case["input"];
            let core = core(&hardware[text(&input["accelerator"])]);
            let problem = problem(&core, input);
            cases.push((text(&case["id"]), core, problem));
        }
    }
    let hardware = zigzag::reference("zigzag/hardware.json");
    for file in ["zigzag/single_layer.json", "zigzag/search.json"] {
        for case in zigzag::reference(file)["cases"].as_array().unwrap() {
            let input = &case["input"];
            let core = zigzag::core(&hardware[text(&input["accelerator"])]);
            let layer = zigzag::Layer::new(input);
            let problem = layer.problem(&core, layer.unroll(&core, &input["spatial_mapping_reduced"]));
            cases.push((text(&case["id"]), core, problem));
        }
    }
    assert_eq!(cases.len(), 154);
    cases
}

fn compare(
    report: &mut Report,
    what: &str,
    layer: &LayerOnCore<'_>,
    objective: &Objective,
    limits: &Limits,
) -> Option<Proof> {
    report.cases += 1;
    let loma = find_best(layer, objective, limits, Strategy::Loma).best;
    let exact = find_best(layer, objective, limits, Strategy::Exact);
    let Some(loma) = loma else { return Some(exact.proof) };
    let Some(best) = exact.best else {
        report.failures.push(format!("{what}: LOMA has a mapping"));
        return None;
    };
    let Some(cost) = best.cost(layer) else {
        report.failures.push(format!("{what}: no mapping of this layer"));
        return None;
    };
    let [ours, theirs] = [cost, loma.cost(layer).unwrap()].map(|cost| objective.score(layer, &cost));
    report.values += 1;
    if ours > theirs * (1.0 + 1e-9) {
        report.failures.push(format!("{what} {objective:?}: {ours} is above LOMA's {theirs}"));
    }
    Some(exact.proof)
}

/// With latency in the objective some results are not proved within the limits; these must still be no worse. Every
/// case counts.
pub fn latency() -> Report {
    let mut report = Report::new();
    let cases = cases();
    // Few steps, so that much depends on the bounds and on the first mapping of the search.
    let limits = Limits { max_branches: 2000, ..Limits::default() };
    for (shift, objective) in [Objective::Latency, Objective::EnergyDelayProduct].into_iter().enumerate() {
        for (set, (name, rules)) in Rules::SETS.into_iter().enumerate() {
            let (mut proved, mut count) = (0, 0);
            for (id, core, problem) in wanted(&cases, set, shift) {
                let layer = LayerOnCore::new(core, rules, problem);
                let proof = compare(&mut report, &format!("{id} {name}"), &layer, &objective, &limits);
                proved += usize::from(proof == Some(Proof::Optimal));
                count += 1;
            }
            report.remarks.push(format!("{objective:?}, {name}: {proved} of {count} proved"));
        }
    }
    report
}
