//! Documents that are legal and huge: they are answered or refused, soon and with little memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use fusescape_engine::depth_first::{FuseDepth, StackArc, StackEnumeration, StoringMode, cut};
use fusescape_engine::explore::{
    CostStore, IncrementalSweep, Request, Settings, StackLimits, StackProblem, Sweep, compare_fusions,
};
use fusescape_spec::Diagnostics;
use fusescape_test_support::sample::sample_or_all;
use peak_alloc::PeakAlloc;
use std::fmt::Write;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Limit on the memory for a request in a worker of the page, MB.
const MOST_MEGABYTES: f32 = 1000.0;

/// Layers of the largest networks: as many as a document may have for complete tests; odd, as a comb ends with half a
/// tooth.
fn most_layers() -> usize {
    sample_or_all(1023, 4095)
}

const CORE: &str = include_str!("../../../presets/hardware/meta-proto-like-df.yaml");

/// A network on an input of `size` columns and rows; `layer` writes layers by their number.
fn network(size: u64, count: usize, layer: impl Fn(usize) -> String) -> String {
    let mut text = format!(
        "name: huge\nbatch: 1\nprecision: {{ W: 8, I: 8, O_partial: 16, O: 8 }}\nlayers:\n  - {{ name: image, type: \
         input, K: 4, size: {size} x {size} }}\n"
    );
    (0..count).for_each(|number| writeln!(text, "  - {}", layer(number)).unwrap());
    text
}

fn chain(size: u64, count: usize) -> String {
    network(size, count, |number| format!("{{ name: a{number}, type: conv, K: 4, kernel: 3 x 3, padding: 1 }}"))
}

/// Each layer reads the one before and some earlier one.
fn woven(count: usize) -> String {
    network(16, count, |number| match number {
        0 => "{ name: a0, type: pointwise, K: 4 }".to_owned(),
        _ => format!(
            "{{ name: a{number}, type: add, from: [a{}, a{}] }}",
            number - 1,
            (number * number + 7 * number) % number.max(2) / 2
        ),
    })
}

/// A chain in which every second layer is also an output.
fn comb(count: usize) -> String {
    let source = |number: usize| if number < 2 { "image".to_owned() } else { format!("a{}", (number - 2) / 2 * 2) };
    network(16, count, |number| {
        format!("{{ name: a{number}, type: pointwise, K: 4, from: [{}] }}", source(number / 2 * 2))
    })
}

/// All layers read the input.
fn wide(count: usize) -> String {
    network(16, count, |number| format!("{{ name: a{number}, type: pointwise, K: 4, from: [image] }}"))
}

fn request(workload: String, settings: Settings) -> Request {
    Request { hardware: CORE.to_owned(), workload, settings }
}

/// The result of an action, which takes little memory.
fn lean<T>(what: &str, act: impl FnOnce() -> T) -> T {
    MEMORY.reset_peak_usage();
    let result = act();
    let peak = MEMORY.peak_usage_as_mb();
    assert!(peak < MOST_MEGABYTES, "{what}: {peak} MB");
    result
}

fn text(wrong: &Diagnostics) -> String {
    wrong.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

// One after the other, as they share the memory that is counted.
#[test]
fn huge_documents_are_answered_or_refused_in_little_memory() {
    of_thousands_of_layers_the_short_stacks_are_listed();
    many_outputs_leave_few_ways();
    short_stacks_are_all_listed_and_what_other_methods_choose();
    every_method_answers_for_a_long_chain();
    cuts_through_thousands_of_outputs_are_found();
    points_times_stacks_are_counted();
    kinds_of_tiles_are_counted();
}

fn of_thousands_of_layers_the_short_stacks_are_listed() {
    for (what, workload, short) in [("a chain", chain(32, most_layers()), true), ("woven", woven(most_layers()), false)]
    {
        let study = lean(what, || {
            let sweep = Sweep::new(&request(workload, Settings::default())).unwrap();
            StackProblem::new(sweep, StackLimits::default()).unwrap()
        });
        match study.listed() {
            StackEnumeration::UpTo(most) => assert!(most > 1 || !short, "{what}: {most}"),
            StackEnumeration::Given => assert!(!short, "{what}"),
            StackEnumeration::All => panic!("{what}"),
        }
    }
}

fn many_outputs_leave_few_ways() {
    // Each layer that a tooth of the comb reads ends a stack; only its last layer may be computed with the one before
    // it.
    for (what, workload, ways) in [("a comb", comb(most_layers()), 2), ("wide", wide(most_layers()), 1)] {
        let study = lean(what, || {
            let sweep = Sweep::new(&request(workload, Settings::default())).unwrap();
            StackProblem::new(sweep, StackLimits::default()).unwrap()
        });
        assert_eq!(study.cuttings(), ways, "{what}");
    }
}

fn short_stacks_are_all_listed_and_what_other_methods_choose() {
    for count in [250, 1000, most_layers()] {
        let sweep = Sweep::new(&request(chain(32, count), Settings::default())).unwrap();
        let study = lean("short stacks", || StackProblem::new(sweep.clone(), StackLimits::default()).unwrap());
        let StackEnumeration::UpTo(most) = study.listed() else { panic!("{count}: {:?}", study.listed()) };
        let is_short = |arc: &&StackArc| arc.stack.layers().len() <= most;
        // All of at most so many layers, without duplicates.
        let expected: usize = (1..=most).map(|layers| count + 1 - layers).sum();
        assert_eq!(study.stacks().iter().filter(is_short).count(), expected, "{count} layers");
        let rule = cut(&sweep.network, &sweep.core, &FuseDepth::Automatic, &sweep.settings.rules).unwrap();
        for stack in rule {
            assert!(study.stacks().iter().any(|arc| arc.stack == stack), "{count} layers");
        }
    }
}

fn every_method_answers_for_a_long_chain() {
    let few = Settings { tiles_x: vec![32], tiles_y: vec![8], ..Settings::default() };
    let fusions = lean("all methods on a long chain", || {
        let mut study =
            StackProblem::new(Sweep::new(&request(chain(32, 600), few)).unwrap(), StackLimits::default()).unwrap();
        let mut store = CostStore::default();
        let runs: Vec<_> = (0..study.parts()).flat_map(|part| study.part(&mut store, part)).collect();
        compare_fusions(&study, &runs)
    });
    let optimal = fusions.results.last().unwrap().1.as_ref().unwrap();
    for (method, verdict) in &fusions.results {
        let verdict = verdict.as_ref().unwrap_or_else(|wrong| panic!("{method:?}: {wrong}"));
        assert_eq!(verdict.layers.iter().map(Vec::len).sum::<usize>(), 600, "{method:?}");
        assert!(verdict.stacks.energy_pj >= optimal.stacks.energy_pj, "{method:?}");
    }
}

fn cuts_through_thousands_of_outputs_are_found() {
    let sweep =
        Sweep::new(&request(comb(most_layers()), Settings { fuse: vec![FuseDepth::Automatic], ..one_point(8) }))
            .unwrap();
    let mut incremental = IncrementalSweep::new(sweep);
    let account = lean("a comb", || incremental.account(&mut CostStore::default(), 0)).unwrap();
    assert!(account.stacks.len() > most_layers() / 2, "{}", account.stacks.len());
}

fn one_point(tile: u64) -> Settings {
    Settings { tiles_x: vec![tile], tiles_y: vec![tile], modes: vec![StoringMode::FullyCached], ..Settings::default() }
}

fn kinds_of_tiles_are_counted() {
    // With tiles of one pixel nearly every tile of some hundred stacks is of a different type.
    let chain = chain(32, 4095).replace("K: 4", "K: 16");
    let sweep = Sweep::new(&request(chain, one_point(1))).unwrap();
    let point =
        lean("kinds of tiles", || IncrementalSweep::new(sweep).point(&mut CostStore::default(), 0, &mut || true));
    let wrong = text(&point.map(|_| ()).unwrap_err().reasons());
    assert!(wrong.contains("more than 1000000 layers in all") && wrong.contains("larger tiles"), "{wrong}");
}

fn points_times_stacks_are_counted() {
    let sizes: Vec<u64> = (1..=32).collect();
    let settings =
        Settings { tiles_x: sizes.clone(), tiles_y: sizes, fuse: vec![FuseDepth::SingleLayer], ..Settings::default() };
    let sweep = lean("points of many stacks", || Sweep::new(&request(chain(32, 4095), settings.clone())).map(|_| ()));
    let wrong = text(&sweep.unwrap_err());
    assert!(wrong.contains("of 4095 stacks are more than 4000000 in all. Choose at most 976"), "{wrong}");
    assert!(Sweep::new(&request(chain(32, 1000), settings)).is_ok());
}
