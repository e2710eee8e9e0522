//! The gallery: every claimed number of the papers is computed and compared with its known departure; and the errors of
//! invalid entries.

use fusescape::explore::DesignLayer;
use fusescape::gallery::{ClaimEvaluator, Entry, Fidelity, entries};
use fusescape::spec::gallery_presets;
use fusescape_test_support::sample::all_cases;

/// Entries whose claims take longest to compute, left out of sample runs. Other entries compare depth-first points,
/// systems and methods as well.
const LONGEST: [&str; 4] = ["defines-case-study-3", "defines-fig-13", "defines-fig-18", "stream-fig-14"];

/// Computes all claims of the entries selected by `wanted`, and reports those that do not hold.
fn holds(wanted: impl Fn(&Entry) -> bool) {
    let wanted = |entry: &&Entry| wanted(entry) && (all_cases() || !LONGEST.contains(&entry.id));
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in entries().unwrap_or_else(|wrong| panic!("{wrong}")).iter().filter(wanted) {
        let mut evaluator = ClaimEvaluator::default();
        for claim in &entry.claims {
            count += 1;
            let (id, what) = (entry.id, &claim.what);
            match evaluator.find(entry, claim) {
                Ok(found) if found.holds => {}
                Ok(found) => wrong.push(format!(
                    "{id}: {what}: ours is {}, published {}; that is {} ({:+.3} %{}) and should be {}, \
                     {:+.3} %, give or take {:.3} %",
                    claim.text_of_ours(found.ours),
                    claim.published_text(),
                    found.departure_text(claim),
                    100.0 * found.departure,
                    if claim.published.rounds_from(found.ours) { ", which rounds to it" } else { "" },
                    claim.fidelity.name(),
                    100.0 * claim.deviation,
                    100.0 * claim.tolerance,
                )),
                Err(reason) => wrong.push(format!("{id}: {what}: {reason}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 0);
}

#[test]
fn case_studies_of_defines() {
    holds(|entry| entry.id.starts_with("defines-case-study"));
}

#[test]
fn figures_and_tables_of_defines() {
    holds(|entry| entry.paper == "DeFiNES" && !entry.id.starts_with("defines-case-study"));
}

#[test]
fn figures_and_tables_of_zigzag() {
    holds(|entry| entry.paper == "ZigZag");
}

#[test]
fn figures_and_tables_of_optimus() {
    holds(|entry| entry.paper == "Optimus");
}

#[test]
fn figures_and_tables_of_hw_flow_fusion() {
    holds(|entry| entry.paper == "HW-Flow-Fusion");
}

#[test]
fn figures_and_tables_of_stream() {
    holds(|entry| entry.paper == "Stream");
}

#[test]
fn figures_and_tables_of_fusemax() {
    holds(|entry| entry.paper == "FuseMax");
}

/// The one place where the paper states the size of its search.
#[test]
fn the_possible_groups_of_four_networks_are_those_of_optimus() {
    let entry = entries().unwrap().into_iter().find(|entry| entry.id == "optimus-table-5").unwrap();
    let mut evaluator = ClaimEvaluator::default();
    for network in ["VGG", "SqueezeNet", "ResNet50", "ResNet152"] {
        let what = format!("{network}: groups that are possible");
        let claim = entry.claims.iter().find(|claim| claim.what == what).unwrap();
        assert_eq!(claim.fidelity, Fidelity::Equal, "{network}");
        assert!(evaluator.find(&entry, claim).unwrap().holds, "{network}");
    }
}

#[test]
fn every_entry_can_be_looked_at() {
    let entries = entries().unwrap();
    assert_eq!(entries.len(), gallery_presets().len());
    for (entry, preset) in entries.iter().zip(gallery_presets()) {
        assert_eq!(entry.title, preset.title, "{}", entry.id);
        let opens = &entry.opens;
        if let (Some(layer), Some(mapping)) = (&opens.layer, &opens.mapping) {
            let design_layer = DesignLayer::new(&fusescape::explore::LayerRequest {
                hardware: opens.hardware.text().to_owned(),
                workload: opens.workload.text().to_owned(),
                layer: Some(layer.clone()),
                objective: opens.settings.objective.clone(),
                strategy: opens.settings.strategy,
                lpf_limit: opens.settings.lpf_limit,
                rules: opens.settings.rules,
                unroll: None,
            });
            assert!(design_layer.unwrap().cost(mapping).is_ok(), "{}: its mapping is valid", entry.id);
        }
    }
}

/// A known departure is checked from both sides: its disappearance is news, too.
#[test]
fn a_claim_holds_only_near_its_known_departure() {
    let entry = entries().unwrap().into_iter().find(|entry| entry.id == "defines-fig-12").unwrap();
    let claim = entry.claims.iter().find(|claim| claim.what == "most by least latency").unwrap();
    let ours = |departure: f64| claim.published.nearest(0.0) * (1.0 + departure);
    assert!(claim.holds(ours(claim.deviation)));
    assert!(!claim.holds(ours(0.0)));
    assert!(!claim.holds(ours(2.0 * claim.deviation)));
}

/// The printed digits decide, not a known departure.
#[test]
fn what_is_printed_decides_whether_a_number_rounds_to_it() {
    for (published, comparison, holding, failing) in [
        ("3.52", "tolerance: rounding", vec![3.515_001, 3.524, 3.525], vec![3.52, 3.514, 3.526]),
        ("0.80", "tolerance: rounding", vec![0.796, 0.804], vec![0.806, 0.79]),
        ("64", "tolerance: rounding", vec![63.6, 64.4], vec![64.0, 63.4]),
        ("64", "{}", vec![64.0], vec![63.99, 64.01]),
        ("17..18", "{}", vec![16.6, 17.0, 17.5, 18.4], vec![16.4, 18.6]),
        ("..1.2", "{}", vec![-3.0, 0.5, 1.2, 1.24], vec![1.26]),
        ("2..", "{}", vec![1.6, 2.0, 1e9], vec![1.4]),
        ("3.52", "deviation: 10 %, tolerance: 1 %, why: w", vec![3.85, 3.90], vec![3.52, 3.522, 3.80]),
        // A known departure has no effect on a number that rounds to the printed digits.
        ("3.52", "deviation: 0.05 %, tolerance: 1 %, why: w", vec![3.53], vec![3.521]),
        ("3.52", "deviation: 10 %, tolerance: 1 %, missing: m", vec![3.85, 3.90], vec![3.52, 3.522, 3.80]),
    ] {
        let comparison = comparison.strip_prefix("{}").map_or(format!(", {comparison}"), str::to_owned);
        let text = format!(
            "title: t\npaper: p\nplace: p\nlesson: l\nopens: {{ view: landscape, hardware: tpu-like, workload: fsrcnn }}\nclaims:\n  \
             - {{ what: w, published: {published}, unit: x, measure: energy-spread{comparison} }}\n"
        );
        let entry = Entry::from_text("entry", &text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
        let claim = &entry.claims[0];
        for ours in holding {
            assert!(claim.holds(ours), "{ours} for {published}{comparison}");
        }
        for ours in failing {
            assert!(!claim.holds(ours), "{ours} for {published}{comparison}");
        }
    }
}

#[test]
fn a_departure_has_a_cause_that_is_stated_or_an_input_that_is_missing() {
    for entry in entries().unwrap() {
        for claim in entry.claims.iter().filter(|claim| !claim.is_variation) {
            let departs = matches!(claim.fidelity, Fidelity::Departs | Fidelity::NotRecomputable);
            assert!(!departs || claim.why.len() > 8, "{}: {}", entry.id, claim.what);
        }
    }
}

#[test]
fn our_number_never_looks_like_a_published_one_that_it_departs_from() {
    let entry = entries().unwrap().into_iter().find(|entry| entry.id == "stream-table-2-jia").unwrap();
    let claim = &entry.claims[0];
    assert_eq!(claim.published_text(), "0.064 Mcycles");
    for (ours, text) in
        [(0.06382, "0.0638"), (0.06399, "0.06399"), (0.063_999_9, "0.064"), (0.064, "0.064"), (0.071, "0.071")]
    {
        assert_eq!(claim.text_of_ours(ours), format!("{text} Mcycles"));
    }
}

#[test]
fn everything_that_is_wrong_with_an_entry_is_said_at_once() {
    let text = "
title: Wrong in many ways
paper: DeFiNES
place: nowhere
opens:
  view: landscpe
  hardware: meta-proto-like-fd
  workload: fsrcnn-defines
  rules: [defines-2022, no_such_switch=true]
  tiles_x: [0..]
  lpf_limit: 11
  point: best
  order: [Q 8]
claims:
  - { what: a, published: 0, unit: mJ, measure: { energy: { of: best } } }
  - { what: b, published: 1, unit: mJ, measure: { latency: { of: best } } }
  - { what: c, published: 1, unit: furlong, measure: energy-spread }
  - { what: d, published: many, measure: { tile-types: { of: 4x0 fully-cached } } }
  - { what: e, published: 1, measure: energy-spred }
  - { what: f, published: 1, unit: x, measure: { gain: { from: best, to: bets, form: best } } }
  - { what: g, published: 1, unit: x, measure: energy-spread, deviation: 5 %, tolerance: 1 }
  - { what: h, published: 1, measure: { possible-groups: { networks: resnet-50 } } }
  - { what: i, published: 1, measure: { fused-groups: { networks: resnet50, buffer: 256 } } }
  - { what: j, published: 1, unit: x, measure: { ctc: { workload: vgg16-e, layers: CONV1, of: spacial } } }
  - { what: k, published: 1, unit: x, measure: { fused-storage: { from: 0 } } }
";
    let wrong = Entry::from_text("wrong", text).unwrap_err().0;
    let said: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    for (line, expected) in [
        (2, "`lesson` is missing"),
        (6, "Did you mean `landscape`?"),
        (7, "Did you mean `meta-proto-like-df`?"),
        (9, "`no_such_switch=true` cannot be used here"),
        (10, "opens.tiles_x"),
        (11, "`11` cannot be used here. Write 1 to 10"),
        (12, "Write a tile and a mode"),
        (13, "Write a loop and its size"),
        (15, "Nothing is a share of 0"),
        (16, "`latency` is not measured in `mJ`. Use `Mcycles` or `cycles`"),
        (17, "There is no unit `furlong`"),
        (18, "`many` is not a number"),
        (18, "Write a size of 1 or more instead of `0`"),
        (19, "Did you mean `energy-spread`?"),
        (20, "Did you mean `best`?"),
        (20, "There is no parameter `form`"),
        (21, "`1` is no share in percent"),
        (21, "Ours departs and nobody says why"),
        (22, "Did you mean `resnet50`?"),
        (23, "Write for example `128 KiB`"),
        (24, "Did you mean `spatial`?"),
        (25, "Write a whole number, 1 or more"),
        (25, "Add `to`"),
    ] {
        let found = wrong.iter().zip(&said).any(|(one, said)| one.line == Some(line) && said.contains(expected));
        assert!(found, "line {line}: {expected}\n\n{}", said.join("\n"));
    }
}
