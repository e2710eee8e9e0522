//! Arrays that compute in memory: energy by activations, rows of inputs, bits, precharging, and mistakes in documents.

use fusescape_engine::cost::{EnergyCause, Evaluator, accesses};
use fusescape_engine::explore::{DesignLayer, LayerRequest};
use fusescape_engine::hardware::{Core, InMemory, MacroActivation, MacroPart, Operand, Unroll};
use fusescape_engine::mapping::{LayerOnCore, LayerOperand, LayerProblem, TemporalLoop, allocate, temporal};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::space::{SpaceOptions, SpaceSearch, explore_space};
use fusescape_engine::search::{Limits, Objective, Strategy, find_best};
use fusescape_engine::workload::{Dim, LayerShape, Network};
use std::collections::BTreeSet;

/// A core with a macro of 16 columns and 32 rows; `ARRAY` and `CELLS` stand for fields of both.
const CORE: &str = "name: macros
array:
  dimensions: { out: 16, in: 32, macros: 2 }
  in_memory: { type: digital, columns: out, rows: in, precision: 8 x 8, input_bits: 2 bit }
unroll: { conv: { out: K, in: [C 8, FX 3] } }
memories:
  - { name: cells, size: 8 bit, operands: [W], width: 8 bit, read_energy: 0 pJ, write_energy: 0.1 pJ, shared_over: [] }
  - { name: inputs, size: 512 B, operands: [I], width: 64 bit, read_energy: 0.3 pJ, write_energy: 0.3 pJ, shared_over: [out] }
  - { name: sums, size: 8 B, operands: [O], width: 32 bit, read_energy: 0.2 pJ, write_energy: 0.2 pJ, shared_over: [in] }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 90 pJ, write_energy: 90 pJ, shared_over: all }
";

const ANALOG: &str = "type: analog, adc_resolution: 6 bit";

fn core(text: &str) -> Core {
    Core::from_text(text).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn analog() -> String {
    CORE.replace("type: digital", ANALOG)
}

fn layer(fields: &str, input: &str) -> LayerShape {
    let text = format!("name: one\nlayers:\n  - {{ name: in, type: input, {input} }}\n  - {{ name: a, {fields} }}\n");
    let network = Network::from_text(&text).unwrap_or_else(|wrong| panic!("{wrong}"));
    network.layer(network.computing().next().unwrap()).shape
}

fn problem(core: &Core, shape: LayerShape, unroll: &[(usize, Dim, u64)]) -> LayerProblem {
    let part = |&(array_dim, dim, limit): &(usize, Dim, u64)| Unroll { array_dim: array_dim.into(), dim, limit };
    let levels = Operand::ALL.map(|operand| core.levels(operand).len());
    LayerProblem::new(shape, levels, unroll.iter().map(part).collect())
}

/// `size` cut in as many parts as `limit` makes necessary, as equal as whole numbers allow.
fn parts(size: u64, limit: u64) -> Vec<u64> {
    let steps = size.div_ceil(limit);
    (0..steps).map(|step| size * (step + 1) / steps - size * step / steps).collect()
}

/// Energy of a macro, activation by activation: rows are the different inputs that its columns read, one by one.
fn by_activations(array: &InMemory, shape: &LayerShape, unroll: &[(usize, Dim, u64)]) -> [f64; MacroPart::ALL.len()] {
    let inside: Vec<(usize, Dim, u64)> = unroll.iter().copied().filter(|(array_dim, ..)| *array_dim < 2).collect();
    let mut widths: Vec<Vec<u64>> = vec![vec![]];
    for &(_, dim, limit) in &inside {
        let of = parts(shape.size(dim), limit);
        widths =
            widths.into_iter().flat_map(|known| of.iter().map(move |&next| [&known[..], &[next]].concat())).collect();
    }
    let unrolled: u64 = inside.iter().map(|(_, dim, _)| shape.size(*dim)).product();
    let times = (shape.iterations() / unrolled * array.cycles()) as f64;
    let mut energy = [0.0; MacroPart::ALL.len()];
    for widths in widths {
        let width = |of: Dim| -> u64 {
            inside.iter().zip(&widths).filter(|((_, dim, _), _)| *dim == of).map(|(_, width)| width).product()
        };
        let along = |side: usize| -> u64 {
            inside.iter().zip(&widths).filter(|((of, ..), _)| *of == side).map(|(_, width)| width).product()
        };
        let mut inputs = BTreeSet::new();
        for outputs in 0..width(Dim::OX) {
            for kernel in 0..width(Dim::FX) {
                for row in 0..width(Dim::FY) {
                    let channels = width(Dim::G) * width(Dim::C);
                    inputs
                        .extend((0..channels).map(|c| (c, row, outputs * shape.stride.0 + kernel * shape.dilation.0)));
                }
            }
        }
        let rows = inputs.len() as f64;
        let cycle = array.cycle_pj(&MacroActivation { columns: along(0) as f64, rows, added_rows: along(1) });
        for (energy, part) in energy.iter_mut().zip(MacroPart::ALL) {
            *energy += times * cycle[part];
        }
    }
    energy
}

fn permutations(loops: &[TemporalLoop]) -> Vec<Vec<TemporalLoop>> {
    if loops.is_empty() {
        return vec![vec![]];
    }
    let with_first = |at: usize| {
        let mut rest = loops.to_vec();
        let first = rest.remove(at);
        permutations(&rest).into_iter().map(move |order| [&[first], &order[..]].concat())
    };
    (0..loops.len()).flat_map(with_first).collect()
}

fn is_close(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() <= 1e-9 * theirs.abs()
}

#[test]
fn energy_is_that_of_all_activations_one_by_one() {
    let shapes = [
        layer("type: conv, K: 16, kernel: 3 x 3", "K: 8, size: 12 x 10"),
        layer("type: conv, K: 37, kernel: 3 x 3", "K: 13, size: 13 x 11"),
        layer("type: conv, K: 5, kernel: 5 x 3, stride: 2", "K: 3, size: 29 x 11"),
        layer("type: depthwise, kernel: 3 x 3", "K: 9, size: 13 x 11"),
    ];
    let unrolls: [&[(usize, Dim, u64)]; 7] = [
        &[(0, Dim::K, 16), (1, Dim::C, 8)],
        &[(0, Dim::K, 16), (1, Dim::C, 8), (1, Dim::FX, 3)],
        &[(0, Dim::K, 7), (1, Dim::C, 3), (1, Dim::FY, 2), (1, Dim::FX, 3), (2, Dim::OY, 2)],
        &[(0, Dim::K, 4), (0, Dim::OX, 3), (1, Dim::C, 4), (1, Dim::FX, 3)],
        &[(0, Dim::OX, 4), (1, Dim::C, 8)],
        &[(0, Dim::G, 3), (1, Dim::FX, 3), (1, Dim::FY, 3), (2, Dim::OX, 2)],
        &[(2, Dim::K, 2)],
    ];
    for core in [core(CORE), core(&analog())] {
        let array = core.in_memory.as_ref().unwrap();
        for shape in &shapes {
            for unroll in unrolls {
                let problem = problem(&core, *shape, unroll);
                let on_core = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
                let energy = on_core.in_memory.as_ref().unwrap().energy_pj;
                let expected = by_activations(array, shape, unroll);
                for (part, expected) in MacroPart::ALL.into_iter().zip(expected) {
                    let what = format!("{part:?} of {unroll:?} on {:?}", shape.sizes);
                    assert!(is_close(energy[part], expected), "{what}: {} instead of {expected}", energy[part]);
                }
            }
        }
    }
}

#[test]
fn columns_that_would_take_more_rows_than_there_are_become_fewer() {
    let core = core(CORE);
    let used = |shape: LayerShape, unroll: &[(usize, Dim, u64)]| {
        let spatial = LayerOnCore::new(&core, Rules::CORRECTED, &problem(&core, shape, unroll)).spatial;
        spatial.loops.iter().map(|part| (part.array_dim.index(), part.dim, part.peak)).collect::<Vec<_>>()
    };
    let depthwise = || layer("type: depthwise, kernel: 3 x 3", "K: 12, size: 13 x 11");
    // Nine rows for each channel, of 32.
    assert_eq!(
        used(depthwise(), &[(0, Dim::G, 12), (1, Dim::FX, 3), (1, Dim::FY, 3)]),
        [(0, Dim::G, 3), (1, Dim::FX, 3), (1, Dim::FY, 3)]
    );
    let conv = || layer("type: conv, K: 16, kernel: 3 x 3", "K: 8, size: 18 x 10");
    // Two output columns read four pixels of eight channels; there are no rows for a third.
    assert_eq!(
        used(conv(), &[(0, Dim::OX, 8), (1, Dim::C, 8), (1, Dim::FX, 3)]),
        [(0, Dim::OX, 2), (1, Dim::C, 8), (1, Dim::FX, 3)]
    );
    // Products of one column are added up: it has no place for different outputs.
    assert_eq!(used(conv(), &[(0, Dim::K, 16), (1, Dim::OY, 8), (1, Dim::C, 4)]), [(0, Dim::K, 16), (1, Dim::C, 4)]);
}

#[test]
fn bits_enter_one_after_the_other_and_wide_weights_take_several_cells() {
    let core = core(CORE);
    let shape = |w: u64, i: u64| {
        let mut shape = layer("type: conv, K: 16, kernel: 3 x 3", "K: 8, size: 12 x 10");
        (shape.precision.w, shape.precision.i) = (w, i);
        shape
    };
    let cycles = |w: u64, i: u64, rules: Rules| {
        let problem = problem(&core, shape(w, i), &[(0, Dim::K, 16), (1, Dim::C, 8)]);
        let on_core = LayerOnCore::new(&core, rules, &problem);
        (on_core.iteration_cycles, on_core.in_memory.unwrap().energy_pj.total())
    };
    let (four, energy) = cycles(8, 8, Rules::CORRECTED);
    assert_eq!(four, 4);
    for (w, i, expected) in [(8, 4, 2), (8, 3, 2), (4, 8, 4), (16, 8, 8), (12, 2, 2)] {
        let (cycles, pj) = cycles(w, i, Rules::CORRECTED);
        assert_eq!(cycles, expected, "{w} x {i}");
        assert!(is_close(pj, energy * expected as f64 / 4.0), "{w} x {i}");
    }
    let rules = Rules::CORRECTED.with("in_memory_layer_bits_ignored", true).unwrap();
    assert_eq!(cycles(16, 4, rules), (4, energy));
}

#[test]
fn bit_lines_are_precharged_whenever_another_weight_of_a_group_takes_its_turn() {
    let core = core(&CORE.replace("size: 8 bit", "size: 32 bit"));
    let shape = layer("type: conv, K: 32, kernel: 3 x 3", "K: 8, size: 12 x 10");
    let problem = problem(&core, shape, &[(0, Dim::K, 16), (1, Dim::C, 8)]);
    let on_core = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
    let array = core.in_memory.as_ref().unwrap();
    assert_eq!(array.group_depth, 4);
    let mut seen = BTreeSet::new();
    let loops = temporal::limited_factors(&on_core.spatial.temporal_sizes, &shape.dim_order, 5, false).unwrap();
    for order in permutations(&loops) {
        let Some(allocation) = allocate(&on_core, &order) else { continue };
        let evaluator = Evaluator::new(&on_core);
        let Some(cost) = evaluator.evaluate(&order, &allocation) else { continue };
        let precharging: f64 = accesses(&evaluator, &cost).iter().map(|access| access.precharge_pj).sum();
        // Step by step: the weights change whenever a loop that indexes them advances.
        let (mut index, mut last, mut changes) = (vec![0; order.len()], None, 0_u64);
        loop {
            let weight: Vec<u64> = order
                .iter()
                .zip(&index)
                .filter(|(next, _)| matches!(next.dim, Dim::K | Dim::FX | Dim::FY))
                .map(|(_, at)| *at)
                .collect();
            if last.as_ref() != Some(&weight) {
                changes += 1;
                last = Some(weight);
            }
            let Some(at) = index.iter().zip(&order).position(|(at, next)| at + 1 < next.size) else { break };
            index[at] += 1;
            index[..at].fill(0);
        }
        let expected = array.precharge_pj() * (changes * 16 * 8) as f64;
        assert!(is_close(precharging, expected), "{order:?}: {precharging} instead of {expected}");
        let split = cost.energy.split(&on_core);
        assert!(is_close(split.total_pj(), cost.energy_pj()));
        seen.insert(changes);
    }
    assert!(seen.len() > 3, "{seen:?}");
}

/// The exact search against LOMA with all orders: no worse, with the energy of its mapping.
#[test]
fn the_exact_search_knows_precharging() {
    let core = core(&analog().replace("size: 8 bit", "size: 32 bit"));
    for (fields, input) in [
        ("type: conv, K: 32, kernel: 3 x 3", "K: 16, size: 8 x 6"),
        ("type: conv, K: 24, kernel: 1 x 1", "K: 20, size: 8 x 6"),
    ] {
        let problem = problem(&core, layer(fields, input), &[(0, Dim::K, 16), (1, Dim::C, 8)]);
        for rules in [Rules::CORRECTED, Rules::CORRECTED.with("in_memory_precharges_divided_twice", true).unwrap()] {
            let on_core = LayerOnCore::new(&core, rules, &problem);
            let best = |strategy: Strategy| {
                let limits = Limits { lpf_limit: 7, ..Limits::default() };
                find_best(&on_core, &Objective::Energy, &limits, strategy).best.unwrap()
            };
            let (exact, loma) = (best(Strategy::Exact), best(Strategy::Loma));
            assert!(exact.energy_pj <= loma.energy_pj * (1.0 + 1e-9), "{} {}", exact.energy_pj, loma.energy_pj);
            let cost = exact.cost(&on_core).unwrap();
            assert!(is_close(cost.energy_pj(), exact.energy_pj));
        }
    }
}

#[test]
fn energy_of_operations_is_no_part_of_accesses_and_area_and_clock_follow() {
    let core = core(&analog());
    let array = core.in_memory.as_ref().unwrap();
    assert!(is_close(core.area().pes_um2.unwrap(), array.area_um2().total()));
    assert!(is_close(core.clock_mhz.unwrap(), 1e3 / array.period_ns()));
    let slower = self::core(&analog().replace("array:\n", "clock: 20 MHz\narray:\n"));
    assert_eq!(slower.clock_mhz, Some(20.0));
    let request = LayerRequest {
        hardware: analog(),
        workload: "name: one\nlayers:\n  - { name: in, type: input, K: 8, size: 12 x 10 }\n  \
            - { name: a, type: conv, K: 16, kernel: 3 x 3 }\n  - { name: p, type: pooling, kernel: 2 x 2, stride: 2 }\n"
            .to_owned(),
        layer: Some("a".to_owned()),
        objective: Objective::Energy,
        strategy: Strategy::Loma,
        lpf_limit: 5,
        rules: Rules::CORRECTED,
        unroll: None,
    };
    let design_layer = DesignLayer::new(&request).unwrap_or_else(|wrong| panic!("{wrong}"));
    let (facts, mapped) = (design_layer.facts(), design_layer.best().unwrap());
    let parts: f64 = facts.in_memory.as_ref().unwrap().energy_pj.iter().map(|(_, pj)| pj).sum();
    assert!(is_close(parts, mapped.energy[EnergyCause::Mac]));
    assert!(is_close(facts.mac_pj * facts.shape.macs() as f64, parts));
    // Layers without weights do not run on it.
    let wrong = DesignLayer::new(&LayerRequest { layer: Some("p".to_owned()), ..request }).err().unwrap().to_string();
    assert!(wrong.contains("vector unit"), "{wrong}");
}

/// Each mistake with place, reason and remedy; the document with the remedy is valid.
#[test]
fn documents_that_are_wrong_say_what_to_change() {
    for (from, to, path, reason, remedied) in [
        ("type: digital", "type: analogue", "array.in_memory.type", "There is no type `analogue`", ANALOG),
        ("type: digital", "type: analog", "array.in_memory.adc_resolution", "nothing says of how many bits", ANALOG),
        ("type: digital", "type: digital, adc_resolution: 6 bit", "adc_resolution", "no converters", "type: digital"),
        ("type: digital", "type: analog, adc_resolution: 99 bit", "adc_resolution", "No converter has 99 bit", ANALOG),
        ("columns: out", "columns: output", "array.in_memory.columns", "no dimension `output`", "columns: out"),
        ("columns: out", "columns: in", "array.in_memory.rows", "both along `in`", "columns: out"),
        ("8 x 8", "8 x 6", "array.in_memory.precision", "8 x 6 bits of W x I", "8 x 4"),
        ("input_bits: 2 bit", "input_bits: 3 bit", "array.in_memory.input_bits", "3 bits", "input_bits: 4 bit"),
        ("input_bits: 2 bit", "input_bits: 16 bit", "array.in_memory.input_bits", "but it has 8", "input_bits: 8 bit"),
        ("in: 32", "in: 36", "array.dimensions.in", "36 inputs, no power of 2", "in: 64"),
        ("size: 8 bit", "size: 12 bit", "memories[0].size", "not whole weights of 8 bit", "size: 16 bit"),
        (
            "operands: [W], width",
            "operands: [W, I], width",
            "memories[0].operands",
            "something else",
            "operands: [W], width",
        ),
        (
            "0.1 pJ, shared_over: []",
            "0.1 pJ, shared_over: [out]",
            "shared_over",
            "of its own",
            "0.1 pJ, shared_over: []",
        ),
        ("unroll:", "  mac_energy: 1 pJ\nunroll:", "array.mac_energy", "follows from `in_memory`", "unroll:"),
        ("unroll:", "  pe_area: 1 um2\nunroll:", "array.pe_area", "follows from `in_memory`", "unroll:"),
    ] {
        assert!(CORE.contains(from), "{from}");
        let wrong = Core::from_text(&CORE.replacen(from, to, 1)).expect_err(to);
        let found = wrong.0.iter().find(|one| one.path.ends_with(path) && one.reason.contains(reason));
        let found = found.unwrap_or_else(|| panic!("{to}: {wrong}"));
        assert!(!found.remedy.is_empty(), "{wrong}");
        assert_eq!(wrong.0.len(), 1, "{to}: {wrong}");
        core(&CORE.replacen(from, remedied, 1));
    }
    let missing = "array: { dimensions: { D1: 4, D2: 4 }, in_memory: {} }\nmemories: []\n";
    let wrong = Core::from_text(missing).unwrap_err().to_string();
    for field in ["type", "columns", "rows", "precision", "input_bits"] {
        assert!(wrong.contains(&format!("array.in_memory.{field}")), "{field}: {wrong}");
    }
}

/// The lowest memory of W is the cells, whatever its name.
#[test]
fn weights_stay_in_their_cells() {
    let core = core(CORE);
    let shape = layer("type: conv, K: 16, kernel: 3 x 3", "K: 8, size: 12 x 10");
    let problem = problem(&core, shape, &[(0, Dim::K, 16), (1, Dim::C, 8)]);
    let on_core = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
    assert!(on_core.array_keeps(LayerOperand::First));
    assert!(!on_core.array_keeps(LayerOperand::Second) && !on_core.array_keeps(LayerOperand::Output));
}

/// Where cells hold one weight each, all orders of a blocking take the same energy; else the space of blockings is
/// refused, with a remedy.
#[test]
fn all_blockings_hold_what_the_exact_search_finds_where_cells_hold_one_weight() {
    for text in [CORE.to_owned(), analog()] {
        for (fields, input) in [
            ("type: conv, K: 32, kernel: 3 x 3", "K: 16, size: 8 x 6"),
            ("type: pointwise, K: 64", "K: 64, size: 4 x 4"),
        ] {
            let shape = layer(fields, input);
            let unroll = [(0, Dim::K, 16), (1, Dim::C, 8)];
            let core = core(&text);
            let problem = problem(&core, shape, &unroll);
            let on_core = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
            let exact = find_best(&on_core, &Objective::Energy, &Limits::default(), Strategy::Exact).best.unwrap();
            let search = SpaceSearch::new(&on_core, SpaceOptions::default()).unwrap();
            let space = explore_space(&search, |_, _| true);
            let best = space.best.unwrap();
            assert!(
                space.is_complete && (best.energy_pj / exact.energy_pj - 1.0).abs() < 1e-12,
                "{fields}: {best:?} {exact:?}"
            );
        }
    }
    let several = core(&CORE.replace("size: 8 bit, operands: [W]", "size: 32 bit, operands: [W]"));
    let problem = problem(&several, layer("type: pointwise, K: 64", "K: 64, size: 4 x 4"), &[(0, Dim::K, 16)]);
    let on_core = LayerOnCore::new(&several, Rules::CORRECTED, &problem);
    let refusal = SpaceSearch::new(&on_core, SpaceOptions::default()).err().unwrap();
    assert!(refusal.to_string().ends_with("use `exact` or `loma`"), "{refusal}");
}
