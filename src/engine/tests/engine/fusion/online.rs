//! Groups that are chosen again for another buffer or another array: Optimus on a person's design.

use fusescape_engine::explore::{
    ARRAY_SIZES, ArrayDataflow, CostStore, FusionComparison, GroupSearch, GroupingTraffic, ONLINE_STEPS, OnlineProblem,
    PUBLISHED_TIMES, PaperProblem, Request, Settings, StackLimits, StackProblem, Sweep, compare_fusions,
    dataflow_request,
};
use fusescape_engine::fusion::document::operators_of;
use fusescape_engine::fusion::{PaperNetwork, Setting};
use fusescape_engine::workload::{Dim, LayerKind};
use fusescape_spec::{find_preset, hardware_presets, workload_presets};
use fusescape_test_support::fusion::is_scheme;

fn request(hardware: &str, workload: &str) -> Request {
    let document = |id, presets| find_preset(presets, id).unwrap().text.to_owned();
    Request {
        hardware: document(hardware, hardware_presets()),
        workload: document(workload, workload_presets()),
        settings: Settings { tiles_x: vec![14], tiles_y: vec![14], ..Settings::default() },
    }
}

fn fusions(request: &Request) -> FusionComparison {
    let mut study = StackProblem::new(Sweep::new(request).unwrap(), StackLimits::default()).unwrap();
    let mut store = CostStore::default();
    let runs: Vec<_> = (0..study.parts()).flat_map(|part| study.part(&mut store, part)).collect();
    compare_fusions(&study, &runs)
}

#[test]
fn groups_for_every_buffer_are_schemes_between_the_best_and_what_was_asked() {
    for (hardware, workload) in [
        ("meta-proto-like-df", "resnet18"),
        ("eyeriss-like", "mobilenet-v1"),
        ("tpu-like", "resnet50"),
        ("zigzag-8x8", "vgg16-e"),
    ] {
        let sweep = Sweep::new(&request(hardware, workload)).unwrap();
        let (study, graph) = (OnlineProblem::new(&sweep).unwrap(), operators_of(&sweep.network).unwrap());
        assert_eq!(study.buffer_bytes(0), sweep.core.on_chip_bytes());
        assert_eq!(study.buffer_bytes(4), 2 * study.buffer_bytes(0));
        let mut before: Option<f64> = None;
        for step in ONLINE_STEPS {
            let what = format!("{hardware}, {workload}, step {step}");
            let (online, exact) = (study.decide(step), study.exact(step));
            assert_eq!(exact.bound_bytes, None, "{what}");
            // Groups that fit alone also fit on line.
            assert_eq!(online.found.is_some(), exact.found.is_some(), "{what}");
            let (Some(found), Some(best)) = (online.found, exact.found) else { continue };
            assert!(is_scheme(&graph, &found.groups), "{what}");
            assert!(found.groups.iter().all(|group| group.len() <= online.largest_group), "{what}");
            assert!(found.bytes >= best.bytes && best.bytes >= exact.oracle_bytes, "{what}");
            assert!(before.is_none_or(|before| best.bytes <= before), "{what}: more buffer costs more");
            before = Some(best.bytes);
        }
        assert!(before.is_some());
        // Beyond both ends there is no change.
        assert_eq!(study.decide(i32::MIN).buffer_bytes, study.buffer_bytes(*ONLINE_STEPS.start()));
        assert_eq!(study.decide(i32::MAX).found, study.decide(*ONLINE_STEPS.end()).found);
    }
}

#[test]
fn a_group_that_others_do_not_have_is_changed() {
    let grouped = |groups: &[&[usize]]| GroupingTraffic {
        groups: groups.iter().map(|group| group.iter().map(|&layer| layer.into()).collect()).collect(),
        bytes: 1.0,
    };
    let (old, new) = (grouped(&[&[0, 1], &[2], &[3, 4]]), grouped(&[&[0, 1], &[2, 3], &[4]]));
    assert_eq!(new.changed_from(&old), [false, true, true]);
    assert_eq!(old.changed_from(&old), [false; 3]);
}

#[test]
fn networks_of_the_paper_are_searched_as_it_does_and_better() {
    for published in PUBLISHED_TIMES {
        let study = PaperProblem::new(published.network);
        let [algorithm1, exact, online] = GroupSearch::ALL.map(|search| study.search(search));
        let cost = |found: &(Option<_>, _)| -> u64 {
            let scheme: &fusescape_engine::fusion::Scheme = found.0.as_ref().unwrap();
            scheme.cost
        };
        assert!(cost(&exact) <= cost(&algorithm1), "{}", published.network.name());
        let is_wide = published.network == PaperNetwork::NasNetALarge;
        assert_eq!(exact.1.is_some(), is_wide);
        assert!(exact.1.is_none_or(|bound| bound <= cost(&exact)));
        assert!(is_wide || cost(&exact) <= cost(&online));
    }
}

/// Arrays that are unrolled by fixed loops give the same result, whatever the names of their dimensions.
#[test]
fn the_dataflow_that_a_design_has_changes_nothing() {
    let mut compared = 0;
    for hardware in ["tpu-like", "tpu-like-df"] {
        let own = request(hardware, "resnet18");
        let (other, sides) = dataflow_request(&own, ArrayDataflow::WeightStationary, 0).unwrap();
        assert_eq!(sides.0, sides.1);
        let (own, other) = (fusions(&own), fusions(&other));
        assert_eq!(own.buffer_bytes, other.buffer_bytes);
        for ((method, own), (_, other)) in own.results.iter().zip(&other.results) {
            let (Ok(own), Ok(other)) = (own, other) else {
                // A method may cut stacks that have no tile of this size.
                assert_eq!(own.as_ref().err(), other.as_ref().err(), "{hardware}, {method:?}");
                continue;
            };
            compared += 1;
            let difference = (own.stacks.energy_pj - other.stacks.energy_pj).abs();
            assert!(difference <= 1e-12 * own.stacks.energy_pj, "{hardware}, {method:?}: {difference} pJ");
            assert_eq!(own.stacks.latency_cycles, other.stacks.latency_cycles, "{hardware}, {method:?}");
            assert_eq!(
                (&own.groups, own.optimus_bytes),
                (&other.groups, other.optimus_bytes),
                "{hardware}, {method:?}"
            );
        }
    }
    assert!(compared > 6, "{compared}");
}

#[test]
fn every_accelerator_can_have_every_dataflow_and_size() {
    for preset in hardware_presets() {
        let own = request(preset.id, "resnet18");
        let pes = Sweep::new(&own).unwrap().core.pe_count();
        for (dataflow, doublings) in
            ARRAY_SIZES.into_iter().flat_map(|size| ArrayDataflow::ALL.map(|flow| (flow, size)))
        {
            let what = format!("{}, {dataflow:?}, {doublings}", preset.id);
            let (request, (rows, columns)) = dataflow_request(&own, dataflow, doublings).unwrap();
            let sweep = Sweep::new(&request).unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
            let expected = if doublings < 0 { pes >> -doublings } else { pes << doublings };
            assert_eq!((rows * columns, sweep.core.pe_count()), (expected, expected), "{what}");
            let conv = sweep.core.unroll(LayerKind::Conv);
            let along = |dim: Dim| conv.iter().filter(|part| part.dim == dim).map(|part| part.limit).product::<u64>();
            let throughput = Setting::of(&sweep.core, &sweep.network).throughput;
            match dataflow {
                ArrayDataflow::WeightStationary => {
                    assert_eq!((along(Dim::C), along(Dim::K)), (rows, columns), "{what}")
                }
                ArrayDataflow::OutputStationary => {
                    assert_eq!((along(Dim::OY), along(Dim::OX)), (rows, columns), "{what}")
                }
                ArrayDataflow::ColumnsAndChannels => {
                    assert_eq!((along(Dim::OX), along(Dim::K)), (rows, columns), "{what}")
                }
                // ResNet18's kernels have three rows.
                ArrayDataflow::RowStationary => {
                    assert_eq!((along(Dim::FY), along(Dim::OY)), (3, columns), "{what}");
                    assert!(3 * along(Dim::K) <= rows, "{what}");
                }
            }
            // Optimus' tiles follow from the array.
            assert_eq!((throughput.channels, throughput.rows), (along(Dim::K), along(Dim::OY)), "{what}");
        }
    }
}

/// Depthwise layers have windows, too: without any convolution a row of PEs has one row of a kernel.
#[test]
fn without_convolutions_kernels_of_one_row_are_unrolled() {
    let workload = "name: pointwise\nlayers: [{ name: in, type: input, K: 4, size: 8 x 8 }, { name: a, type: conv, K: 8, kernel: 1 x 1 }]";
    let own = Request { workload: workload.into(), ..request("tpu-like", "resnet18") };
    let (request, (rows, _)) = dataflow_request(&own, ArrayDataflow::RowStationary, 0).unwrap();
    let core = Sweep::new(&request).unwrap().core;
    let limits = |dim: Dim| {
        core.unroll(LayerKind::Conv).iter().filter(|part| part.dim == dim).map(|part| part.limit).sum::<u64>()
    };
    assert_eq!((limits(Dim::FY), limits(Dim::K)), (1, rows));
}

#[test]
fn designs_with_mistakes_have_no_dataflows() {
    let broken = Request { hardware: "array: 7".into(), ..request("tpu-like", "resnet18") };
    assert!(
        dataflow_request(&broken, ArrayDataflow::WeightStationary, 0).unwrap_err().0[0].path.starts_with("hardware")
    );
    let broken = Request { workload: "layers: 7".into(), ..request("tpu-like", "resnet18") };
    assert!(
        dataflow_request(&broken, ArrayDataflow::WeightStationary, 0).unwrap_err().0[0].path.starts_with("workload")
    );
}
