//! Constraint documents: all mistakes are reported at once, valid constraints hold for the mapping that is found.

use fusescape_engine::explore::{
    DesignLayer, Keep, LayerConstraints, LayerRequest, UnrollConstraint, user_constraints,
};
use fusescape_engine::hardware::Core;
use fusescape_engine::mapping::{WidthLimit, unrollings};
use fusescape_engine::search::{Limits, Objective, Outcome, Proof, Strategy, find_best_under};
use fusescape_engine::workload::{Dim, Network};
use fusescape_spec::{read_constraints, write_constraints};
use fusescape_test_support::requests::layer_request;

fn request() -> LayerRequest {
    layer_request("eyeriss-like", "alexnet-eyeriss", Some("conv2"))
}

fn documents() -> (Core, Network) {
    let LayerRequest { hardware, workload, .. } = request();
    (Core::from_text(&hardware).unwrap(), Network::from_text(&workload).unwrap())
}

/// The constraints of a document on `conv2`, and the result of a search under them.
fn searched(text: &str) -> (DesignLayer, LayerConstraints, Result<Outcome, String>) {
    let (core, network) = documents();
    let constraints = user_constraints(text, &core, &network).unwrap_or_else(|wrong| panic!("{wrong}"));
    let design_layer = DesignLayer::new(&request()).unwrap();
    let constraints = constraints.of(&design_layer).expect("constraints on this layer");
    let (limits, strategy) = (Limits::default(), Strategy::Exact);
    let outcome =
        find_best_under(&constraints.temporal, &design_layer.on_core(), &Objective::Energy, &limits, strategy, &|| {
            true
        });
    let outcome = match outcome {
        Ok(outcome) if outcome.best.is_some() => Ok(outcome),
        other => Err(constraints.explain(&design_layer, &other, (&limits, strategy)).to_string()),
    };
    (design_layer, constraints, outcome)
}

#[test]
fn the_mapping_that_is_found_is_as_the_document_asks() {
    let (design_layer, _, outcome) = searched(
        "
name: my order
layers:
  - layer: conv2
    order: [FX all, OX any, rest, C 6, K 4]
    levels:
      - { memory: spad_W, operand: W, holds: [K <= 4, C >= 2] }
      - { memory: global_buffer, operand: I, order: [C, K, OX] }
      - { memory: dram, operand: [W, O], within: [OX all] }
",
    );
    let outcome = outcome.unwrap();
    assert_eq!(outcome.proof, Proof::Optimal);
    let mapped = design_layer.mapped(&outcome).unwrap();
    let loops: Vec<(Dim, u64)> = mapped.mapping.order.iter().map(|next| (next.dim, next.size)).collect();
    assert_eq!(loops[..2].iter().map(|(dim, _)| *dim).collect::<Vec<_>>(), [Dim::FX, Dim::OX], "{loops:?}");
    assert_eq!(loops[loops.len() - 2..], [(Dim::C, 6), (Dim::K, 4)], "{loops:?}");
    let product = |dim: Dim, range: std::ops::Range<usize>| -> u64 {
        loops[range].iter().filter(|(of, _)| *of == dim).map(|(_, size)| size).product()
    };
    let [_, weights, inputs] = &mapped.mapping.ends;
    assert!(product(Dim::K, 0..weights[0]) <= 4 && product(Dim::C, 0..weights[0]) >= 2, "{mapped:?}");
    let held: Vec<Dim> = loops[inputs[0]..inputs[1]].iter().map(|(dim, _)| *dim).collect();
    let ranks: Vec<usize> =
        held.iter().filter_map(|dim| [Dim::C, Dim::K, Dim::OX].iter().position(|of| of == dim)).collect();
    assert!(ranks.is_sorted(), "{held:?}");
    // Weaker demands never cost more.
    let (_, _, free) = searched("name: free\nlayers: [{ order: [rest] }]");
    assert!(free.unwrap().best.unwrap().energy_pj <= mapped.energy_pj() * (1.0 + 1e-9));
}

#[test]
fn the_entry_with_the_name_comes_before_that_of_the_kind_and_that_for_all() {
    let all = "  - order: [K any]\n";
    let kind = "  - { kind: conv, order: [C any] }\n";
    let own = "  - { layer: conv2, order: [FX any] }\n";
    for (entries, dim) in [([all, kind, own], Dim::FX), ([kind, all, ""], Dim::C), ([all, "", ""], Dim::K)] {
        let (_, constraints, _) = searched(&format!("name: a\nlayers:\n{}", entries.concat()));
        assert_eq!(constraints.temporal.innermost[0].dim, dim, "{entries:?}");
    }
}

#[test]
fn what_excludes_everything_is_named() {
    for (entry, parts) in [
        ("order: [K 3]", &["layers[0].order", "multiply to 256: 3 does not divide"][..]),
        ("order: [FY any]", &["layers[0].order", "FY has no temporal loop"]),
        (
            "levels: [{ memory: spad_W, operand: W, holds: [K 2] }, { memory: spad_W, operand: W, holds: [K 8, C 2] }]",
            &["layers[0].levels[0].holds[0] and layers[0].levels[1].holds[0]: No mapping satisfies these together"],
        ),
        ("levels: [{ memory: spad_W, within: [K all, C all] }]", &["No mapping satisfies", "Leave"]),
        (
            "order: [K all], levels: [{ memory: spad_W, operand: W, within: [C >= 2, K <= 128] }]",
            &["layers[0].order and layers[0].levels[0].within[0]: No mapping satisfies these together"],
        ),
        (
            "even: stationary, levels: [{ memory: global_buffer, operand: I, within: [OX all, K >= 1] }, \
             { memory: global_buffer, operand: O, within: [OX 1] }]",
            &[
                "layers[0].levels[0].within[0] and layers[0].levels[1].within[0] and layers[0].even: No mapping satisfies",
            ],
        ),
    ] {
        let (_, _, outcome) = searched(&format!("name: a\nlayers: [{{ layer: conv2, {entry} }}]"));
        let said = outcome.expect_err(entry);
        for part in parts {
            assert!(said.contains(part), "`{part}` is not in `{said}`");
        }
    }
}

/// Three levels of all operands, and a layer of 3 x 3.
fn three_levels(constraints: &str) -> Result<f64, String> {
    let hardware = "name: three
array: { dimensions: { P: 4 }, mac_energy: 1 pJ }
unroll: { conv: { P: K } }
memories:
  - { name: reg, size: 64 B, operands: [W, I, O], width: 8 bit, read_energy: 0.1 pJ, write_energy: 0.1 pJ, shared_over: [] }
  - { name: glb, size: 16 KiB, operands: [W, I, O], width: 64 bit, read_energy: 5 pJ, write_energy: 5 pJ, shared_over: all }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 400 pJ, write_energy: 400 pJ, shared_over: all }
";
    let workload = "name: n
precision: { W: 8, I: 8, O_partial: 16, O: 8 }
layers:
  - { name: image, type: input, K: 8, size: 10 x 10 }
  - { name: c, type: conv, K: 16, kernel: 3 x 3 }
";
    let (core, network) = (Core::from_text(hardware).unwrap(), Network::from_text(workload).unwrap());
    let layer = Some("c".to_owned());
    let request = LayerRequest { hardware: hardware.to_owned(), workload: workload.to_owned(), layer, ..request() };
    let design_layer = DesignLayer::new(&request).unwrap_or_else(|wrong| panic!("{wrong}"));
    let constraints = user_constraints(constraints, &core, &network).unwrap_or_else(|wrong| panic!("{wrong}"));
    let found = design_layer.clone().search_under(&constraints.of(&design_layer).unwrap());
    found.map(|found| found.mapped.energy_pj()).map_err(|wrong| wrong.to_string())
}

/// All iterations of FX, and of FY, have to be at some level, for any operand and any unrolling.
#[test]
fn every_set_of_demands_that_excludes_all_is_named_once() {
    for unroll in ["", "    unroll: { P: [K <= 4] }\n"] {
        let document = |dram: &str| {
            format!(
                "name: no kernel loops
layers:
  - layer: c
{unroll}    levels:
      - {{ memory: reg, operand: [W, I, O], holds: [FX 1, FY 1] }}
      - {{ memory: glb, operand: [W, I, O], holds: [FX 1, FY 1] }}
      - {{ memory: dram, operand: [W, I, O], holds: [{dram}] }}
"
            )
        };
        let said = three_levels(&document("FX 1, FY 1")).unwrap_err();
        for (field, dim) in ["FX", "FY"].iter().enumerate() {
            let paths = [0, 1, 2].map(|level| format!("layers[0].levels[{level}].holds[{field}]"));
            let set = format!("{}: No mapping satisfies these together", paths.join(" and "));
            assert_eq!(said.matches(&set).count(), 1, "{dim}: {said}");
        }
        assert_eq!(said.matches("No mapping").count(), 2, "{said}");
        // One constraint of each set is weaker.
        three_levels(&document("FX 3, FY 3")).unwrap();
    }
}

/// The search ends before it reaches a complete mapping; the one that it then returns is still close to the best.
#[test]
fn of_too_many_partial_mappings_under_constraints_a_good_one_is_found() {
    let of = |operands: &str, order: &str| {
        format!(
            "name: a
layers:
  - layer: c
{order}    levels:
      - {{ memory: glb, operand: {operands}, within: [FY 1] }}
"
        )
    };
    let found = three_levels(&of("O", "")).unwrap();
    let strict = three_levels(&of("O", "    order: [rest, FY all]\n")).unwrap();
    assert!(found <= 1.05 * strict, "{found} pJ, and {strict} where the order is stated, too");
}

#[test]
fn everything_that_is_wrong_with_a_document_is_said_at_once() {
    let (core, network) = documents();
    let text = "
name: wrong
layers:
  - layer: conv22
    order: [FX 1, rest, KK 4, rest, K all, K all, C <= 4]
  - kind: konv
    unroll: { rows: [K 20], column: any, columns: [K 2, K 3, M any] }
    levels:
      - { memory: spad_w, operand: W, holds: [K any] }
      - { memory: spad_W, operand: [I, Z], within: [OX <= 0, Q 2] }
      - { memory: dram, operand: W }
  - { layer: conv1, kind: conv, order: [Kall] }
  - layer: conv2
    levels: [{ memory: dram, operand: X, order: [K, C, K] }]
  - layer: conv2
";
    let wrong = user_constraints(text, &core, &network).expect_err("much is wrong").to_string();
    for part in [
        "line 4: layers[0].layer: The network computes no layer `conv22`",
        "line 5: layers[0].order[0]: A loop of 1 is none",
        "line 5: layers[0].order[2]: There is no loop dimension `KK`. Did you mean `K`?",
        "`rest` stands for all other loops, so there is one",
        "`K all` is all that is left of K, so there is one",
        "line 5: layers[0].order[6]: `C <= 4` is not understood here",
        "line 6: layers[1].kind: No layer that computes is of kind `konv`. Did you mean `conv`?",
        "line 7: layers[1].unroll.rows: More than the 12 PEs of `rows` would be unrolled over",
        "line 7: layers[1].unroll.column: The array has no dimension `column`. Did you mean `columns`?",
        "K is unrolled twice here",
        "There is no loop dimension `M`",
        "layers[1].levels[0].memory: The hardware has no memory `spad_w`. Did you mean `spad_W`?",
        "`K any` is not understood here. Write for example `K 4` or `K <= 4`",
        "layers[1].levels[1].operand: `spad_W` does not hold I. Take one of",
        "There is no operand `Z`",
        "A product of loops is 1 at least",
        "There is no loop dimension `Q`",
        "line 11: layers[1].levels[2]: Nothing is demanded of this memory",
        "layers[2].kind: An entry is for a layer or for a kind of layers",
        "layers[2].order[0]: `Kall` is not understood here",
        "line 14: layers[3].levels[0].operand: This layer has no operand X. Its operands are W, I, O",
        "K stands in this order twice",
        "line 15: layers[4]: `conv2` is constrained twice",
    ] {
        assert!(wrong.contains(part), "`{part}` is not in\n{wrong}");
    }
}

#[test]
fn a_document_is_written_and_read_back_to_the_same() {
    let text = "
name: everything
about: what a document can say
layers:
  - layer: conv2
    unroll: { rows: any, columns: [K 2, C <= 4, OX any] }
    order: [FX 5, OX any, rest, K all]
    even: strict
    levels:
      - { memory: spad_W, operand: W, holds: [K 4, C <= 8, OX >= 2], within: [FX all], order: [C, K] }
      - { memory: \"a, b\", holds: K 1 }
  - kind: conv
    unroll: { rows: [] }
  - levels: [{ memory: dram, order: K }]
  - order: []
";
    let (spec, wrong) = read_constraints(text).both();
    assert!(wrong.is_empty(), "{wrong}");
    let written = write_constraints(&spec);
    let (again, wrong) = read_constraints(&written).both();
    assert!(wrong.is_empty(), "{wrong}\n{written}");
    assert_eq!(again, spec, "{written}");
}

#[test]
fn operands_end_together_as_the_document_asks() {
    let of = |even: &str| {
        let (design_layer, _, outcome) = searched(&format!("name: a\nlayers: [{{ even: {even} }}]"));
        let mapped = design_layer.mapped(&outcome.unwrap()).unwrap();
        let [outputs, _, inputs] = &mapped.mapping.ends;
        (mapped.energy_pj(), outputs[1] == inputs[1])
    };
    let ((stationary, _), (strict, is_together)) = (of("stationary"), of("strict"));
    assert!(is_together && strict > 1.05 * stationary, "{strict} {stationary}");
}

#[test]
fn unrollings_are_those_within_their_limits() {
    let of = |unroll: &str| {
        let (design_layer, constraints, _) = searched(&format!("name: a\nlayers: [{{ unroll: {unroll} }}]"));
        (design_layer, constraints.unroll)
    };
    let UnrollConstraint::Stated(stated) = of("{ rows: [FY 5, OY 2], columns: [OY 13] }").1 else { panic!("stated") };
    assert_eq!(
        stated.iter().map(|part| (part.dim, part.limit)).collect::<Vec<_>>(),
        [(Dim::FY, 5), (Dim::OY, 2), (Dim::OY, 13)]
    );
    let (design_layer, limited) = of("{ rows: [K 7, C <= 2], columns: K <= 3 }");
    let UnrollConstraint::Limited(options) = limited else { panic!("limited") };
    assert!(options.limits.iter().any(|(.., limit)| *limit == WidthLimit::Exactly(7)));
    let problem = design_layer.on_core();
    let found = unrollings(
        &design_layer.core,
        &problem.rules,
        &design_layer.problem.shape,
        design_layer.problem.levels,
        &options,
    );
    assert!(found.list.len() > 2, "{found:?}");
    for unrolling in &found.list {
        let widths: Vec<(usize, Dim, u64)> =
            unrolling.unroll.iter().map(|part| (part.array_dim.index(), part.dim, part.limit)).collect();
        assert!(widths.contains(&(0, Dim::K, 7)), "{widths:?}");
        let is_within = |&(on, dim, width): &(usize, Dim, u64)| {
            matches!((on, dim), (0, Dim::K))
                || matches!((on, dim), (0, Dim::C)) && width <= 2
                || matches!((on, dim), (1, Dim::K)) && width <= 3
        };
        assert!(widths.iter().all(is_within), "{widths:?}");
    }
}

/// With any part of the best mapping as a constraint, the best mapping is the same, and keeps that part.
#[test]
fn what_is_kept_of_the_best_mapping_leaves_it_the_best() {
    for (hardware, workload, layer) in [
        ("eyeriss-like", "alexnet-eyeriss", "conv2"),
        ("meta-proto-like", "resnet18", "conv1"),
        ("tpu-like", "mobilenet-v1", "dw2"),
    ] {
        let request = layer_request(hardware, workload, Some(layer));
        let core = Core::from_text(&request.hardware).unwrap();
        let network = Network::from_text(&request.workload).unwrap();
        let design_layer = DesignLayer::new(&request).unwrap();
        let (facts, best) = (design_layer.facts(), design_layer.mapped(&design_layer.search()).unwrap());
        for keep in Keep::ALL {
            let text = write_constraints(&keep.of(&facts, &best.mapping));
            let constraints = user_constraints(&text, &core, &network).unwrap_or_else(|wrong| panic!("{text}{wrong}"));
            let constraints = constraints.of(&design_layer).expect("constraints on this layer");
            let allowed =
                design_layer.clone().search_under(&constraints).unwrap_or_else(|wrong| panic!("{text}{wrong}"));
            let (kept, whole) = (allowed.mapped.energy_pj(), best.energy_pj());
            assert!((kept / whole - 1.0).abs() < 1e-12, "{text}{kept} pJ, {whole} pJ");
            assert_eq!(allowed.facts.unrolled, facts.unrolled, "{text}");
            if keep == Keep::Order {
                assert_eq!(allowed.mapped.mapping.order, best.mapping.order, "{text}");
            }
            if keep == Keep::Levels {
                assert_eq!(keep.of(&allowed.facts, &allowed.mapped.mapping), keep.of(&facts, &best.mapping), "{text}");
            }
        }
    }
}
