//! Random accelerators, layers and mappings, searched by ZigZag's own tool with LOMA: the documents from its files cost
//! the same under its rules, and errors of the tool are reported as well.

use fusescape::explore::{DesignLayer, LayerRequest};
use fusescape::import::{File, Imported, import};
use fusescape::rules::Rules;
use fusescape::search::{Objective, Strategy};
use fusescape::spec::Diagnostics;
use fusescape_test_support::{integer, reference, text};
use serde_json::Value;

/// Tolerance for sums in another order.
const EXACT: f64 = 1e-9;

fn imported(case: &Value) -> Result<Imported, Diagnostics> {
    let texts = ["accelerator", "workload", "mapping"].map(|part| (format!("{part}.yaml"), text(&case[part])));
    let files = texts.iter().map(|(name, text)| File { name: name.clone(), source: Box::new(text.as_bytes()) });
    import(files.collect(), &Default::default())
}

/// Differences from the tool in one case.
fn differences(case: &Value, rules: Rules) -> Vec<String> {
    let documents = match imported(case) {
        Ok(documents) => documents,
        Err(wrong) => return vec![format!("not imported: {wrong}")],
    };
    [("winner_energy", Objective::Energy), ("winner_latency", Objective::Latency)]
        .into_iter()
        .flat_map(|(winner, objective)| {
            let request = LayerRequest {
                hardware: documents.hardware.clone().unwrap(),
                workload: documents.workload.clone().unwrap(),
                layer: None,
                objective,
                strategy: Strategy::Loma,
                lpf_limit: integer(&case["lpf_limit"]) as usize,
                rules,
                unroll: None,
            };
            differences_of_winner(case, winner, &request)
        })
        .collect()
}

fn differences_of_winner(case: &Value, winner: &str, request: &LayerRequest) -> Vec<String> {
    let design_layer = match DesignLayer::new(request) {
        Ok(design_layer) => design_layer,
        Err(wrong) => return vec![format!("not read: {wrong}")],
    };
    let (outcome, layer) = (design_layer.search(), design_layer.on_core());
    let theirs = &case[winner];
    let Some(cost) = outcome.best.as_ref().and_then(|best| best.cost(&layer)) else {
        let wrong = design_layer.mapped(&outcome).unwrap_err().to_string();
        let said = case["tool_error"].as_str().is_some_and(|error| is_said(error, &wrong, request));
        return if said { Vec::new() } else { vec![format!("{winner}: no mapping: {wrong}")] };
    };
    if let Some(error) = case["tool_error"].as_str() {
        return vec![format!("{winner}: a mapping, where the tool says {error}")];
    }
    let mut wrong = Vec::new();
    let mut compare = |what: &str, ours: f64, theirs: &Value| {
        let Some(theirs) = theirs.as_f64() else { return };
        if (ours - theirs).abs() > EXACT * theirs.abs() {
            wrong.push(format!("{winner}: {what} {ours} instead of {theirs}"));
        }
    };
    compare("orders that fit", outcome.feasible as f64, &case["orderings_feasible"]);
    compare("energy", cost.energy_pj(), &theirs["energy_total_pJ"]);
    compare("cycles", cost.latency.exact_cycles(), &theirs["latency_total2"]);
    compare("steps", cost.latency.temporal_cycles as f64, &theirs["temporal_cycles"]);
    compare("ideal cycles", cost.latency.ideal_cycles, &theirs["ideal_cycles"]);
    wrong
}

/// Whether our message is about the tool's error, and its remedy helps.
fn is_said(error: &str, wrong: &str, request: &LayerRequest) -> bool {
    let ours = match error {
        error if error.starts_with("NoValidLoopOrderingFound") => return !wrong.contains("stops with an error"),
        error if error.contains("Reduction resulted in") => "takes a first transfer to need more cycles than it has",
        error if error.contains("is not present in user_spatial_mapping") => "passes less than one element",
        _ => return false,
    };
    let corrected = DesignLayer::new(&LayerRequest { rules: Rules::CORRECTED, ..request.clone() });
    let helps =
        wrong.contains("choose the corrected rules") && corrected.is_ok_and(|design_layer| design_layer.best().is_ok());
    wrong.starts_with("rules: ZigZag") && wrong.contains(ours) && helps
}

fn check(path: &str, rules: Rules, cases: usize) {
    let reference = reference(path);
    let all = reference["cases"].as_array().unwrap();
    assert!(all.len() == cases || std::env::var_os("FUSESCAPE_REFERENCE").is_some());
    let wrong: Vec<String> = all
        .iter()
        .flat_map(|case| differences(case, rules).into_iter().map(|wrong| format!("{} {wrong}", text(&case["id"]))))
        .collect();
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn random_layers_cost_what_zigzag_3_9_says() {
    check("zigzag/random_3_9.json", Rules::ZIGZAG_3_9, 68);
}

#[test]
fn random_layers_cost_what_zigzag_3_8_says() {
    check("zigzag/random.json", Rules::ZIGZAG_3_8, 11);
}
