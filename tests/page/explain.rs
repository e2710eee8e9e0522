//! Every number that can be unfolded: its formulas give the number, down to inputs, and it is the number shown.

use fusescape::chart::Quantity;
use fusescape::cost::{AccessCause, EnergyCause, LatencyCause};
use fusescape::depth_first::{FuseDepth, PointAccount, StoringMode};
use fusescape::explain::{
    Amount, Counted, Data, Explained, ExplainedNumber, LayerNumber, LevelFigure, NumberUnit, PointNumber, Scope,
    SizeAxis, explain_hierarchy, explain_layer, explain_point,
};
use fusescape::explore::{
    CostStore, DesignLayer, IncrementalSweep, LayerFacts, LayerRequest, MappedLayer, Request, Settings, Sweep,
    TemporalMapping,
};
use fusescape::hardware::{Core, Operand};
use fusescape::hierarchy::{Front, HierarchyProblem, HierarchyRequest, HierarchySettings, SearchOutcome};
use fusescape::mapping::TemporalLoop;
use fusescape::rules::Rules;
use fusescape::search::{Objective, Strategy};
use fusescape::spec::{Preset, find_preset, hardware_presets, pool_presets, workload_presets};
use fusescape::workload::{Dim, Network};
use fusescape_test_support::sample::{all_cases, pairs};
use rayon::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};

fn account(
    hardware: &str,
    workload: &str,
    rules: Rules,
    tile: (u64, u64),
    mode: StoringMode,
    fuse: FuseDepth,
) -> PointAccount {
    let request = Request {
        hardware: find_preset(hardware_presets(), hardware).unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), workload).unwrap().text.to_owned(),
        settings: Settings {
            tiles_x: vec![tile.0],
            tiles_y: vec![tile.1],
            modes: vec![mode],
            fuse: vec![fuse],
            rules,
            ..Settings::default()
        },
    };
    let mut incremental = IncrementalSweep::new(Sweep::new(&request).unwrap());
    incremental.account(&mut CostStore::default(), 0).unwrap()
}

/// Numbers to explain, and the tolerance of their formulas.
pub struct Asked<'a> {
    pub explain: &'a dyn Fn(ExplainedNumber) -> Option<Explained>,
    /// Largest relative difference.
    pub tolerance: f64,
    /// Times are differences of times; their rounding errors are relative to this, cycles.
    pub latest: f64,
    /// Whether a formula may consist of a single term with the same name, as in rows of the loop-information table.
    pub may_rename: bool,
    pub failures: RefCell<Vec<String>>,
}

impl<'a> Asked<'a> {
    pub fn new(explain: &'a dyn Fn(ExplainedNumber) -> Option<Explained>, tolerance: f64, latest: f64) -> Self {
        Self { explain, tolerance, latest, may_rename: false, failures: RefCell::default() }
    }

    /// Records a failure unless `holds`.
    pub fn expect(&self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.failures.borrow_mut().push(what());
        }
    }

    /// Averages of unrollings that do not divide are rounded to the intended integers.
    fn snapped(explain: &'a dyn Fn(ExplainedNumber) -> Option<Explained>) -> Self {
        Self { may_rename: true, ..Self::new(explain, 1e-9, 0.0) }
    }

    fn is_same(&self, unit: NumberUnit, a: f64, b: f64) -> bool {
        let scale = if unit == NumberUnit::Of(Quantity::Latency) { self.latest } else { 0.0 };
        (a - b).abs() <= self.tolerance * a.abs().max(b.abs()).max(scale)
    }
}

fn alike(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Checks numbers and all terms that they unfold into, up to `most`; returns their number.
pub fn unfold(what: &str, roots: Vec<ExplainedNumber>, asked: &Asked<'_>, most: usize) -> usize {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut open: VecDeque<ExplainedNumber> = roots.into();
    while let Some(subject) = open.pop_front().filter(|_| seen.len() < most) {
        if seen.insert(format!("{subject:?}")) {
            let what = format!("{what}: {subject:?}");
            let Some(explained) = (asked.explain)(subject) else {
                asked.expect(false, || format!("{what} is explained"));
                continue;
            };
            asked.expect(explained.unfolds(), || format!("{what} says something: {explained:?}"));
            check(&what, &explained, asked, &mut open);
        }
    }
    seen.len()
}

/// Checks a number and all its formulas; terms with a subject are opened later.
pub fn check(what: &str, explained: &Explained, asked: &Asked<'_>, open: &mut VecDeque<ExplainedNumber>) {
    asked.expect(explained.value.is_finite() && !explained.name.is_empty(), || format!("{what}: {explained:?}"));
    for formula in &explained.formulas {
        let value = formula.value();
        // "energy = energy" explains nothing.
        let says = !matches!(&*formula.terms, [only] if only.name == explained.name);
        asked.expect(says || asked.may_rename, || {
            format!("{what}: {} is only called {} again", explained.name, explained.name)
        });
        asked.expect(asked.is_same(explained.unit, value, explained.value), || {
            let (words, values) = (formula.in_words(), formula.with_values());
            format!("{what}: {} is {} and not {value} = {words} = {values}", explained.name, explained.value)
        });
        for term in &formula.terms {
            if let Some(subject) = term.subject {
                let full = (asked.explain)(subject).map(|full| full.value);
                let is_same = full.is_some_and(|full| asked.is_same(term.unit, full, term.value));
                asked.expect(is_same, || format!("{what}: {} is {}, not {full:?}", term.name, term.value));
                open.push_back(subject);
            }
            check(what, term, asked, open);
        }
    }
}

/// Fails with the first of these, if there are any.
pub fn assert_none(failures: &[String]) {
    let first: Vec<&str> = failures.iter().take(20).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} numbers are wrong:\n{}", failures.len(), first.join("\n"));
}

/// Every number of a point that the page shows.
fn shown_of_point(account: &PointAccount) -> Vec<(PointNumber, f64)> {
    let at = |amount| PointNumber::Of(Scope::Point, amount);
    let latency = &account.latency;
    let mut all = vec![
        (at(Amount::Energy), account.energy_pj),
        (at(Amount::Cycles), account.latency_cycles as f64),
        (at(Amount::Macs), account.macs as f64),
        (PointNumber::EnergyDelay, account.energy_pj * account.latency_cycles as f64),
        (PointNumber::MacUse, latency.ideal_cycles / account.latency_cycles as f64),
    ];
    all.extend(EnergyCause::ALL.map(|cause| (at(Amount::EnergyOf(cause)), account.energy[cause])));
    all.extend(LatencyCause::ALL.map(|cause| (at(Amount::CyclesOf(cause)), latency[cause] as f64)));
    let idle = latency[LatencyCause::Computing] as f64 - latency.ideal_cycles;
    all.push((at(Amount::IdealCycles), latency.ideal_cycles));
    all.push((at(Amount::IdleCycles), idle));
    for (index, memory) in account.memories.iter_enumerated() {
        for (counted, of) in
            [(Counted::Words, memory.words), (Counted::Elements, memory.elements), (Counted::Energy, memory.energy_pj)]
        {
            all.push((at(Amount::At(counted, index, None)), of.total()));
            all.extend(AccessCause::ALL.map(|cause| (at(Amount::At(counted, index, Some(cause))), of[cause])));
        }
    }
    for (s, stack) in account.stacks.iter().enumerate() {
        let at = |amount| PointNumber::Of(Scope::Stack(s), amount);
        all.push((at(Amount::Energy), stack.energy_pj));
        all.push((at(Amount::Cycles), stack.latency_cycles as f64));
        all.push((PointNumber::Tiles(s), stack.tile_count as f64));
        for (t, tile) in stack.tile_types.iter().enumerate() {
            let at = |amount| PointNumber::Of(Scope::Tile(s, t), amount);
            all.push((at(Amount::Energy), tile.energy_pj));
            all.push((at(Amount::Cycles), tile.latency_cycles as f64));
            all.push((PointNumber::TilesOf(s, t), tile.count as f64));
            for (l, layer) in tile.layers.iter().enumerate() {
                let place = [s, t, l];
                let at = |amount| PointNumber::Of(Scope::Layer(place), amount);
                for (data, bits) in [
                    (Data::Operand(Operand::W), layer.bits.w),
                    (Data::Operand(Operand::I), layer.bits.i),
                    (Data::Operand(Operand::O), layer.bits.o),
                    (Data::HCached, layer.bits.h_cached),
                    (Data::VCached, layer.bits.v_cached),
                ] {
                    if layer.kind.is_some() {
                        all.push((PointNumber::Size(place, data), bits as f64 / 8.0));
                    }
                }
                all.push((PointNumber::Computed(place, SizeAxis::Columns), layer.output.0 as f64));
                all.push((PointNumber::Computed(place, SizeAxis::Rows), layer.output.1 as f64));
                for &(x, y, _) in layer.inputs.iter().take(1) {
                    all.push((PointNumber::Needed(place, SizeAxis::Columns), x as f64));
                    all.push((PointNumber::Needed(place, SizeAxis::Rows), y as f64));
                }
                all.push((at(Amount::Macs), layer.macs as f64));
                all.push((at(Amount::CyclesOf(LatencyCause::Copy)), layer.copies.latency_cycles as f64));
                for (index, action) in layer.copies.actions.iter().enumerate() {
                    all.push((PointNumber::CopyEnergy(place, index), action.energy_pj));
                }
                if let Some(cost) = &layer.cost {
                    let waiting = cost.latency.total_cycles() - cost.latency[LatencyCause::Computing];
                    all.push((at(Amount::MappedEnergy), cost.energy.total_pj()));
                    all.push((at(Amount::MappedCycles), cost.latency.total_cycles() as f64));
                    all.push((at(Amount::Waiting), waiting as f64));
                    all.push((PointNumber::PesUsed(place), cost.spatial_utilization));
                }
            }
        }
    }
    all
}

fn check_point(what: &str, account: &PointAccount) {
    let shown = shown_of_point(account);
    for (number, value) in &shown {
        let explained = explain_point(account, *number).unwrap_or_else(|| panic!("{what}: {number:?} is explained"));
        assert!(alike(explained.value, *value), "{what}: {number:?}: {} is shown, not {}", value, explained.value);
    }
    let roots = shown.iter().map(|(number, _)| ExplainedNumber::Point(*number)).collect();
    let explain = |subject: ExplainedNumber| match subject {
        ExplainedNumber::Point(number) => explain_point(account, number),
        _ => None,
    };
    let asked = Asked::snapped(&explain);
    let count = unfold(what, roots, &asked, usize::MAX);
    assert_none(&asked.failures.into_inner());
    assert!(count > shown.len(), "{what}");
    // A computed number has a formula, not only text: in a chain of layers each layer has one reader.
    let is_chain = account.stacks.iter().flat_map(|stack| &stack.tile_types).all(|tile| {
        tile.layers.iter().enumerate().all(|(index, _)| {
            tile.layers.iter().flat_map(|layer| &layer.inputs_from).filter(|from| from.index() == index).count() <= 1
        })
    });
    for (number, _) in &shown {
        if let PointNumber::Computed([s, t, l], _) = number
            && is_chain
            && l + 1 < account.stacks[*s].tile_types.raw[*t].layers.len()
        {
            assert!(!explain_point(account, *number).unwrap().formulas.is_empty(), "{what}: {number:?}");
        }
    }
}

const SETS: [(&str, Rules); 4] = [
    ("corrected", Rules::CORRECTED),
    ("defines", Rules::DEFINES_2022),
    ("zigzag", Rules::ZIGZAG_3_8),
    ("zigzag-3.9", Rules::ZIGZAG_3_9),
];

#[test]
fn every_number_of_a_point_comes_out_of_its_formulas() {
    let mode = |index: usize| StoringMode::ALL[index];
    let points = [
        ("meta-proto-like-df", "fsrcnn", (60, 72), mode(2), FuseDepth::Automatic),
        ("meta-proto-like-df", "fsrcnn-defines", (60, 72), mode(0), FuseDepth::Automatic),
        ("meta-proto-like-df", "fsrcnn-defines", (16, 18), mode(1), FuseDepth::Automatic),
        ("tpu-like-df", "resnet18", (28, 28), mode(2), FuseDepth::Automatic),
        ("edge-tpu-like", "mobilenet-v1", (14, 14), mode(2), FuseDepth::Automatic),
        ("ascend-like-df", "mccnn-defines", (1, 1), mode(0), FuseDepth::LayerByLayer),
        ("tesla-npu-like-df", "mobilenet-v1-defines", (1, 1), mode(0), FuseDepth::SingleLayer),
    ];
    for ((hardware, workload, tile, mode, fuse), (set, rules)) in pairs(&points, &SETS) {
        let what = format!("{workload} on {hardware}, {set}");
        check_point(&what, &account(hardware, workload, rules, tile, mode, fuse));
    }
}

/// Every number of a mapped layer that the page shows.
fn shown_of_layer(mapped: &MappedLayer) -> Vec<(LayerNumber, f64)> {
    let mut shown = vec![
        (LayerNumber::Energy, mapped.energy_pj()),
        (LayerNumber::EnergyOf(EnergyCause::Mac), mapped.energy[EnergyCause::Mac]),
        (LayerNumber::Cycles, mapped.cycles.total as f64),
        (LayerNumber::Temporal, mapped.cycles.computing() as f64),
        (LayerNumber::Ideal, mapped.cycles.by_cause.ideal_cycles),
        (LayerNumber::Stall, mapped.cycles.by_cause[LatencyCause::Stall] as f64),
        (LayerNumber::Use, mapped.spatial_utilization() * mapped.temporal_utilization()),
        (LayerNumber::Macs, mapped.information.macs as f64),
    ];
    shown.extend((0..mapped.ports.len()).map(|port| (LayerNumber::Port(port), mapped.ports[port].cycles as f64)));
    for operand in 0..3 {
        for (level, pj) in mapped.memory_pj[operand].iter().enumerate() {
            shown.push((LayerNumber::MemoryEnergy(operand, level), *pj));
        }
        for (level, here) in mapped.information.operands[operand].levels.iter().enumerate() {
            for (figure, value) in [
                (LevelFigure::UnitSize, Some(here.unit_size)),
                (LevelFigure::TotalSize, Some(here.total_size)),
                (LevelFigure::UnitMacs, Some(here.unit_macs)),
                (LevelFigure::TotalMacs, Some(here.total_macs)),
                (LevelFigure::Reuse, Some(here.reuse.total)),
                (LevelFigure::TemporalReuse, Some(here.reuse.temporal)),
                (LevelFigure::SpatialReuse, Some(here.reuse.spatial)),
                (LevelFigure::FifoReuse, Some(here.reuse.with_fifo)),
                (LevelFigure::Down, here.traffic.map(|of| of.down)),
                (LevelFigure::Up, here.traffic.map(|of| of.up)),
                (LevelFigure::Turnaround, Some(here.turnaround_cycles as f64)),
                (LevelFigure::Units, Some(here.units.total)),
                (LevelFigure::UniqueUnits, Some(here.units.unique)),
                (LevelFigure::DuplicateUnits, Some(here.units.duplicate)),
                (LevelFigure::Bandwidth, here.traffic.map(|of| of.unit.double_buffered)),
                (LevelFigure::BandwidthAbove, here.traffic.map(|of| of.above.double_buffered)),
                (LevelFigure::SingleBandwidth, here.traffic.map(|of| of.unit.single_buffered)),
                (LevelFigure::SingleBandwidthAbove, here.traffic.map(|of| of.above.single_buffered)),
                (LevelFigure::UnitBytes, Some(here.unit_bits / 8.0)),
                (LevelFigure::EffectiveBytes, Some(here.effective_bits / 8.0)),
                (LevelFigure::Roof, here.roof.map(|roof| roof as f64)),
            ] {
                shown.extend(value.map(|value| (LayerNumber::Level(operand, level, figure), value)));
            }
        }
    }
    shown
}

fn check_layer(what: &str, facts: &LayerFacts, mapped: &MappedLayer) -> Vec<String> {
    let shown = shown_of_layer(mapped);
    let explain = |subject: ExplainedNumber| match subject {
        ExplainedNumber::Layer(number) => explain_layer(facts, mapped, number),
        _ => None,
    };
    let asked = Asked::snapped(&explain);
    for (number, value) in &shown {
        let Some(explained) = explain_layer(facts, mapped, *number) else { continue };
        asked.expect(alike(explained.value, *value), || {
            format!("{what}: {number:?} is {value}, not {}", explained.value)
        });
        if let LayerNumber::Level(_, _, figure) = number {
            let is_word = match figure {
                // A reason stands in for missing transfers, and a product of no loops is one.
                LevelFigure::Down | LevelFigure::Up => *value == 0.0,
                LevelFigure::TotalMacs | LevelFigure::Turnaround | LevelFigure::Units => *value == 1.0,
                _ => false,
            };
            asked.expect(is_word || !explained.formulas.is_empty(), || format!("{what}: {number:?} has a formula"));
        }
    }
    let roots = shown.iter().map(|(number, _)| ExplainedNumber::Layer(*number)).collect();
    unfold(what, roots, &asked, usize::MAX);
    asked.failures.into_inner()
}

/// Each layer of each network on each hardware under each set of rules; of equal layers the first.
#[test]
fn every_number_of_a_mapped_layer_comes_out_of_its_formulas() {
    let pairs: Vec<(Preset, Preset)> = pairs(hardware_presets(), workload_presets());
    let check_pair = |(hardware, workload): &(Preset, Preset)| {
        let core = Core::from_text(hardware.text).unwrap();
        let network = Network::from_text(workload.text).unwrap();
        let mut seen = Vec::new();
        let (mut count, mut failures) = (0, Vec::new());
        for id in network.computing() {
            let layer = network.layer(id);
            let unroll = layer.unroll_on(&core, &Rules::CORRECTED);
            if seen.contains(&(layer.shape, unroll.clone())) {
                continue;
            }
            seen.push((layer.shape, unroll));
            // In turn, or all.
            let sets = if all_cases() { &SETS[..] } else { &SETS[seen.len() % SETS.len()..][..1] };
            for &(set, rules) in sets {
                let request = LayerRequest {
                    hardware: String::new(),
                    workload: String::new(),
                    layer: Some(layer.name.clone()),
                    objective: Objective::Energy,
                    strategy: Strategy::Loma,
                    lpf_limit: 5,
                    rules,
                    unroll: None,
                };
                let design_layer = DesignLayer::of(core.clone(), &network, &request).unwrap();
                // Some layers do not fit.
                let Ok(mapped) = design_layer.best() else { continue };
                count += 1;
                let what = format!("{} of {} on {}, {set}", layer.name, workload.id, hardware.id);
                failures.extend(check_layer(&what, &design_layer.facts(), &mapped));
            }
        }
        (count, failures)
    };
    let found: Vec<(usize, Vec<String>)> = pairs.par_iter().map(check_pair).collect();
    let (counts, failures): (Vec<usize>, Vec<Vec<String>>) = found.into_iter().unzip();
    assert_none(&failures.concat());
    assert!(counts.iter().sum::<usize>() > if all_cases() { 1000 } else { 250 }, "{counts:?} layers are mapped");
}

/// Of 4 weights 3 arrive while others are in use: 8 cycles for each, of which its transfer takes 2, and the latency of
/// the DRAM 10.
#[test]
fn what_answers_of_memories_could_add_is_said_beside_the_stalls() {
    let note = |latency: u64| {
        let hardware = format!(
            "name: one\narray: {{ dimensions: {{ D1: 1 }}, mac_energy: 1 pJ }}\nmemories:\n  \
             - {{ name: w, size: 2 B, operands: [W], width: 8 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all }}\n  \
             - {{ name: io, size: 64 B, operands: [I, O], width: 8 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all }}\n  \
             - {{ name: dram, size: 1 MiB, operands: [W, I, O], latency: {latency} cycles, read_width: 4 bit, write_width: 64 bit, \
             read_energy: 9 pJ, write_energy: 9 pJ, shared_over: all, \
             ports: {{ w: [W.read_to_low], io: [I.read_to_low, O.read_to_low, O.write_from_low] }} }}\n"
        );
        let workload = "name: one\nprecision: { W: 8, I: 4, O: 4, O_partial: 4 }\nlayers:\n  \
             - { name: in, type: input, K: 1, size: 8 x 1 }\n  - { name: a, type: pointwise, K: 4 }\n";
        let request = LayerRequest {
            hardware,
            workload: workload.to_owned(),
            layer: None,
            objective: Objective::Energy,
            strategy: Strategy::Exact,
            lpf_limit: 6,
            rules: Rules::CORRECTED,
            unroll: None,
        };
        let order = vec![TemporalLoop { dim: Dim::OX, size: 8 }, TemporalLoop { dim: Dim::K, size: 4 }];
        let ends = [vec![2, 2], vec![1, 2], vec![2, 2]];
        let design_layer = DesignLayer::new(&request).unwrap();
        let mapped = design_layer.cost(&TemporalMapping { order, ends }).unwrap();
        explain_layer(&design_layer.facts(), &mapped, LayerNumber::Stall).unwrap().note
    };
    assert!(note(11).contains("if each transfer waited for the answer, stalls were 12 cycles longer"), "{}", note(11));
    // As long as an answer comes within the 6 remaining cycles, there is no stall.
    assert!(note(12).contains("stalls were 15 cycles longer"));
    assert!(!note(7).contains("answer"));
}

#[test]
fn what_a_hierarchy_costs_comes_out_of_its_formulas() {
    let text = |presets, id| find_preset(presets, id).unwrap().text.to_owned();
    let study = HierarchyProblem::new(&HierarchyRequest {
        pool: text(pool_presets(), "zigzag-65nm"),
        hardware: text(hardware_presets(), "zigzag-8x8"),
        workload: text(workload_presets(), "mobilenet-v2-study"),
        settings: HierarchySettings { layers: vec!["L46".to_owned()], max_levels: 1, ..HierarchySettings::default() },
    })
    .unwrap();
    let mut checked = 0;
    for index in (0..study.hierarchies.len()).step_by(7).take(6) {
        let SearchOutcome::Found(point) = study.search(index, &Front::default()) else { continue };
        let facts = study.facts(index as u32).unwrap();
        let core = Core::from_text(&facts.document).unwrap();
        let explained = explain_hierarchy(&core, &facts.layers.unwrap());
        for (explained, shown) in explained.iter().zip([point.energy_pj, point.latency_cycles as f64, point.area_um2]) {
            assert!((explained.value - shown).abs() <= 1e-6 * shown, "{index}: {shown} is shown, not {explained:#?}");
            let asked = Asked::snapped(&|_| None);
            check(&format!("hierarchy {index}"), explained, &asked, &mut VecDeque::new());
            assert_none(&asked.failures.into_inner());
            checked += 1;
        }
    }
    assert!(checked > 0);
}
