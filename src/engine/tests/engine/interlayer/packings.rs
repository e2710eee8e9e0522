//! HW-Flow-Fusion beyond the paper's examples: refusals, packings, and properties of its choice of sequences.

use fusescape_engine::hardware::Core;
use fusescape_engine::interlayer::{
    Accelerator, Chain, ChainLayer, FusedSchedule, FusionMode, LayerBlock, Parameters, PeArray, REGISTER_BYTES,
    RegisterFile, RowStationary, ScheduleStep, SingleLayerSchedule, groups_of, legal_sequences, partitions,
    schedule_chain, sub_arrays,
};
use fusescape_engine::workload::Network;
use fusescape_spec::{find_preset, hardware_presets, workload_presets};
use fusescape_test_support::sample::sample_or_all;

const PARAMETERS: Parameters = Parameters::AS_PUBLISHED;
const VGG16_E: &str = "vgg16-e";
const RESNET18: &str = "resnet18-main-path";

/// One of the paper's networks.
fn chain(preset: &str) -> Chain {
    let document = find_preset(workload_presets(), preset).unwrap().text;
    Chain::new(&Network::from_text(document).unwrap_or_else(|wrong| panic!("{wrong}"))).unwrap()
}

#[test]
fn what_is_no_chain_is_refused_with_every_reason() {
    let network = Network::from_text(
        "name: wrong
batch: 2
layers:
  - { name: in, type: input, K: 4, size: 16 x 16 }
  - { name: a, type: conv, K: 4, kernel: 3 x 3, padding: 1 }
  - { name: grouped, type: conv, K: 4, kernel: 3 x 3, padding: 1, groups: 2 }
  - { name: wide, type: conv, K: 4, kernel: 3 x 3, padding: 2, dilation: 2 }
  - { name: sum, type: add, from: [a, wide] }",
    )
    .unwrap();
    let refused = Chain::new(&network).unwrap_err().to_string();
    for reason in [
        "`a` has a batch of more than one",
        "`grouped` has groups",
        "`wide` is dilated",
        "`sum` is of type add",
        "`sum` does not read the layer before it, and only that",
    ] {
        assert!(refused.contains(reason), "{reason} is missing in:\n{refused}");
    }
}

/// Whether rectangles fit into the free cells of an array: the first free cell is covered by one of them or stays free.
fn fits_cell_by_cell(array: PeArray, covered: &mut [bool], cell: usize, left: &[PeArray]) -> bool {
    let (columns, rows) = (array.columns as usize, array.rows as usize);
    if left.is_empty() {
        return true;
    }
    if cell == columns * rows {
        return false;
    }
    for index in 0..left.len() {
        let (width, height) = (left[index].columns as usize, left[index].rows as usize);
        let (column, row) = (cell % columns, cell / columns);
        if column + width > columns || row + height > rows {
            continue;
        }
        let cells: Vec<usize> = (row..row + height)
            .flat_map(|row| (column..column + width).map(move |column| row * columns + column))
            .collect();
        if cells.iter().any(|&cell| covered[cell]) {
            continue;
        }
        cells.iter().for_each(|&cell| covered[cell] = true);
        let mut rest = left.to_vec();
        rest.remove(index);
        let fits = fits_cell_by_cell(array, covered, cell + 1, &rest);
        cells.iter().for_each(|&cell| covered[cell] = false);
        if fits {
            return true;
        }
    }
    fits_cell_by_cell(array, covered, cell + 1, left)
}

/// Table 2 and Section 4.3.1: one PE for every column of the kernel, and as many rows.
#[test]
fn an_array_is_as_large_as_a_kernel_or_has_no_mapping() {
    let chain = chain(VGG16_E);
    let layer = &chain.layers()[0];
    let side = layer.x.kernel;
    for (columns, rows) in [(side - 1, side), (side, side - 1), (side, side), (side + 1, side), (side, side + 1)] {
        let block = LayerBlock { rows: 1, input_maps: 1, output_maps: 1 };
        let mapping = RowStationary::new(layer, block, PeArray { columns, rows }, RegisterFile::of(REGISTER_BYTES));
        assert_eq!(mapping.is_some(), columns >= side && rows >= side, "{columns} x {rows}");
    }
}

#[test]
fn partitions_of_two_layers_are_all_that_fit() {
    let chain = chain(VGG16_E);
    let layers = &chain.layers()[1..3];
    for (columns, rows) in [(6, 4), (8, 3), (6, 6), (9, 6), (4, 12)] {
        let array = PeArray { columns, rows };
        let [first, second] = [0, 1].map(|layer: usize| sub_arrays(&layers[layer], array));
        let mut expected = Vec::new();
        for &first in &first {
            for &second in &second {
                if fits_cell_by_cell(array, &mut vec![false; (columns * rows) as usize], 0, &[first, second]) {
                    expected.push(vec![first, second]);
                }
            }
        }
        assert!(!first.is_empty() && !second.is_empty(), "{array:?}");
        assert_eq!(partitions(layers, array), expected, "{array:?}");
    }
}

#[test]
fn partitions_of_more_layers_fit_and_no_part_can_grow() {
    let array = PeArray { columns: 12, rows: 8 };
    let chain = chain(VGG16_E);
    for layers in [3, 4].map(|count| &chain.layers()[..count]).into_iter().take(sample_or_all(1, 2)) {
        let partitions = partitions(layers, array);
        assert!(!partitions.is_empty());
        let fits = |parts: &[PeArray]| fits_cell_by_cell(array, &mut [false; 96], 0, parts);
        for parts in &partitions {
            assert!(fits(parts), "{parts:?}");
            for (index, part) in parts.iter().enumerate() {
                for larger in sub_arrays(&layers[index], array) {
                    let grows = larger != *part && larger.columns >= part.columns && larger.rows >= part.rows;
                    let mut with_larger = parts.clone();
                    with_larger[index] = larger;
                    assert!(!grows || !fits(&with_larger), "{parts:?} could be {with_larger:?}");
                }
            }
        }
    }
}

/// Sides of an array may be any number: with many divisors, or so large that finding them takes time.
#[test]
fn partitions_of_any_array_are_few_enough_to_wait_for() {
    let chain = chain(VGG16_E);
    for (columns, rows) in [(5040, 5040), (55_440, 720_720), (1 << 47, 8)] {
        let array = PeArray { columns, rows };
        for layers in [&chain.layers()[..2], &chain.layers()[..3], &chain.layers()[..4]] {
            let partitions = partitions(layers, array);
            assert!(!partitions.is_empty() && partitions.len() < 40_000, "{array:?}: {}", partitions.len());
            for parts in &partitions {
                assert_eq!(parts.len(), layers.len());
                assert!(parts.iter().map(|part| part.columns * part.rows).sum::<u64>() <= columns * rows, "{parts:?}");
            }
        }
    }
}

#[test]
fn the_chosen_sequences_never_cost_more_than_single_layers_and_cover_every_layer() {
    let energy = |cost: &fusescape_engine::interlayer::ChainCost, accelerator: &Accelerator| {
        cost.energy(accelerator, &PARAMETERS.report).total()
    };
    for preset in [VGG16_E, RESNET18] {
        let chain = chain(preset);
        for accelerator in &Accelerator::PUBLISHED {
            for mode in [FusionMode::Temporal, FusionMode::Spatial] {
                let steps = schedule_chain(&chain, mode, 2, accelerator, &PARAMETERS).unwrap();
                let mut next = 0;
                for step in &steps {
                    let layers = match step {
                        ScheduleStep::Single(layer, _) => *layer..layer + 1,
                        ScheduleStep::Fused(layers, schedule) => {
                            assert!(schedule.buffers.total() <= accelerator.buffer);
                            layers.clone()
                        }
                    };
                    assert_eq!(layers.start, next);
                    next = layers.end;
                }
                assert_eq!(next, chain.layers().len());
                let single =
                    |layer: &ChainLayer| SingleLayerSchedule::best(layer, accelerator, &PARAMETERS).unwrap().cost;
                let apart: u128 = chain.layers().iter().map(|layer| energy(&single(layer), accelerator)).sum();
                let together: u128 = steps.iter().map(|step| energy(step.cost(), accelerator)).sum();
                assert!(together <= apart, "{together} > {apart}");
                let macs = |costs: u64| assert_eq!(costs, chain.layers().iter().map(ChainLayer::macs).sum::<u64>());
                macs(steps.iter().map(|step| step.cost().macs).sum());
            }
        }
    }
}

#[test]
fn nothing_fits_into_a_buffer_of_a_few_bytes() {
    let chain = chain(RESNET18);
    let tiny = Accelerator { buffer: 16, ..Accelerator::PUBLISHED[0] };
    assert_eq!(legal_sequences(&chain, tiny.buffer, 4), Vec::new());
    assert_eq!(SingleLayerSchedule::best(&chain.layers()[0], &tiny, &PARAMETERS), None);
    assert_eq!(FusedSchedule::best(&chain.layers()[..2], FusionMode::Temporal, &tiny, &PARAMETERS), None);
    assert_eq!(schedule_chain(&chain, FusionMode::Temporal, 2, &tiny, &PARAMETERS), None);
}

#[test]
fn a_network_with_shortcuts_falls_into_chains_that_nobody_else_reads() {
    let document = find_preset(workload_presets(), "resnet18").unwrap();
    let network = Network::from_text(document.text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let hardware = find_preset(hardware_presets(), "meta-proto-like-df").unwrap();
    let core = Core::from_text(hardware.text).unwrap_or_else(|wrong| panic!("{wrong}"));
    for (layers, chain) in Chain::parts(&network) {
        assert_eq!(layers.len(), chain.layers().len());
        for pair in layers.windows(2) {
            assert_eq!((network.inputs(pair[1]), network.consumers(pair[0])), (vec![pair[0]], vec![pair[1]]));
        }
    }
    let groups = groups_of(&network, &core).unwrap();
    let mut all: Vec<_> = groups.concat();
    all.sort_unstable();
    assert_eq!(all, network.computing().collect::<Vec<_>>());
    assert!(groups.iter().any(|group| group.len() > 1));
}

#[test]
fn where_nothing_follows_anything_there_are_no_groups() {
    let network = Network::from_text(
        "name: lone
layers:
  - { name: in, type: input, K: 4, size: 16 x 16 }
  - { name: a, type: depthwise, kernel: 3 x 3, padding: 1 }
  - { name: b, type: conv, K: 8, kernel: 3 x 3, padding: 1 }",
    )
    .unwrap_or_else(|wrong| panic!("{wrong}"));
    let hardware = find_preset(hardware_presets(), "tpu-like").unwrap();
    let core = Core::from_text(hardware.text).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!(groups_of(&network, &core), None);
}

#[test]
fn the_largest_energies_still_make_groups() {
    let hardware = find_preset(hardware_presets(), "tpu-like").unwrap().text;
    let lines = hardware.lines().map(|line| match line.split_once("_energy: ") {
        Some((field, _)) => format!("{field}_energy: 1e10 pJ\n"),
        None => format!("{line}\n"),
    });
    let absurd: String = lines.collect();
    assert_ne!(absurd, hardware);
    let core = Core::from_text(&absurd).unwrap_or_else(|wrong| panic!("{wrong}"));
    let document = find_preset(workload_presets(), "vgg16-e").unwrap();
    let network = Network::from_text(document.text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let mut all = groups_of(&network, &core).unwrap().concat();
    all.sort_unstable();
    assert_eq!(all, network.computing().collect::<Vec<_>>());
}
