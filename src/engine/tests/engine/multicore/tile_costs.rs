//! Tiles on cores whose memories are too small for them: streams from DRAM, and their costs.

use fusescape_engine::hardware::{MemoryId, Movement, Operand};
use fusescape_engine::mapping::{LayerOnCore, LayerProblem};
use fusescape_engine::multicore::{
    CoresProblem, CoresRequest, CoresSettings, Scheduler, TileGranularity, TileProblem, TilingRules, tile_shape,
};
use fusescape_engine::search::{Limits, find_best};
use fusescape_engine::system::ComputeCore;
use fusescape_engine::workload::{Dim, Network};
use fusescape_spec::{find_preset, system_presets};
use fusescape_test_support::random::Lcg;

/// A core with registers for some operands, and one memory or two above them, which are small.
fn hardware(random: &mut Lcg) -> String {
    let mut memories = String::new();
    for operand in Operand::ALL {
        if operand == Operand::O || random.below(3) > 0 {
            memories += &format!(
                "  - {{ name: r{operand}, size: {} B, operands: [{operand}], width: 16 bit, read_energy: 1 pJ, write_energy: 1 pJ, \
                 shared_over: [] }}\n",
                random.of(&[4, 8, 16])
            );
        }
    }
    for operands in random.of(&[&["W, I, O"][..], &["W", "I, O"], &["I", "W, O"]]) {
        memories += &format!(
            "  - {{ name: '{operands}', size: {} B, operands: [{operands}], width: 64 bit, read_energy: 9 pJ, write_energy: 8 pJ, \
             shared_over: all }}\n",
            random.of(&[64, 128, 256, 512, 1024]),
        );
    }
    format!(
        "name: small
array: {{ dimensions: {{ D1: 2, D2: 2 }}, mac_energy: 2 pJ }}
unroll: {{ conv: {{ D1: K, D2: C }} }}
memories:
{memories}  - {{ name: dram, size: 1 GiB, operands: [W, I, O], width: 32 bit, read_energy: 90 pJ, write_energy: 70 pJ, \
         shared_over: all }}
"
    )
}

fn study(random: &mut Lcg, scheduler: Scheduler) -> CoresProblem {
    let workload = format!(
        "name: one
batch: 1
precision: {{ W: 8, I: 8, O_partial: 16, O: 8 }}
layers:
  - {{ name: image, type: input, K: {}, size: {size} x {size} }}
  - {{ name: a, type: conv, K: {}, kernel: {} }}
",
        random.of(&[2, 4, 8]),
        random.of(&[4, 8, 16]),
        random.of(&["1 x 1", "3 x 3"]),
        size = random.of(&[4, 8]),
    );
    let request = CoresRequest {
        hardware: hardware(random),
        workload,
        system: find_preset(system_presets(), "quad-beside").unwrap().text.to_owned(),
        settings: CoresSettings { granularity: TileGranularity::LayerByLayer, scheduler, ..CoresSettings::default() },
    };
    CoresProblem::new(&request).unwrap_or_else(|wrong| panic!("{wrong}\n{}", request.hardware))
}

/// The highest memory of an operand on the chip, and the lowest.
fn ends_on_chip(core: &ComputeCore, operand: Operand) -> (MemoryId, MemoryId) {
    let levels = core.core.levels(operand);
    (levels[levels.len() - 2], levels[0])
}

/// As many operands of each memory as possible stay, smallest first, with room for the lowest memories of all others;
/// in the tool even where that is the same memory, and outputs count as partial sums.
fn streamed(core: &ComputeCore, problem: &TileProblem, scheduler: Scheduler) -> [bool; 3] {
    let shape = &problem.shape;
    let is_tool = scheduler == Scheduler::Stream2024;
    let output_bits = if is_tool { shape.precision.o_partial } else { shape.precision.o };
    let bits = [shape.weight_bits(), shape.all_input_bits(), shape.elements(Operand::O) * output_bits];
    let mut streamed = [false; 3];
    for (memory, description) in core.core.memories.iter_enumerated() {
        let is_here = |operand: &Operand| ends_on_chip(core, *operand).0 == memory;
        let mut here: Vec<Operand> = Operand::ALL.into_iter().filter(is_here).collect();
        here.sort_by_key(|&operand| bits[operand as usize]);
        let fits = |kept: &usize| {
            let (inside, outside) = here.split_at(*kept);
            let lowest = outside.iter().map(|&operand| ends_on_chip(core, operand).1);
            let lowest = lowest.filter(|&lowest| is_tool || lowest != memory);
            let room = lowest.map(|lowest| core.core.memories[lowest].size_bits * core.core.memories[lowest].instances);
            let taken = inside.iter().map(|&operand| bits[operand as usize]).sum::<u64>();
            taken + room.sum::<u64>() <= description.size_bits
        };
        let kept = (0..=here.len()).rev().find(fits).unwrap_or(0);
        here[kept..].iter().for_each(|&operand| streamed[operand as usize] = true);
    }
    streamed
}

#[test]
fn the_smallest_operands_stay_on_the_chip_and_leave_room_for_what_streams_past_them() {
    for scheduler in [Scheduler::Corrected, Scheduler::Stream2024] {
        let mut random = Lcg(41);
        let mut found = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let study = study(&mut random, scheduler);
            for problem in study.problems() {
                let core = &study.system.cores[problem.kind];
                let expected = streamed(core, &problem, scheduler);
                assert_eq!(problem.too_large, expected, "{scheduler:?}: {problem:?} on {:?}", core.core);
                found.insert(problem.too_large);
            }
        }
        assert_eq!(found.len(), 8, "every set of operands streams somewhere: {found:?}");
    }
}

#[test]
fn energy_of_a_tile_is_that_of_its_mapping_with_dram_apart() {
    let mut random = Lcg(43);
    let mut streams = 0;
    for _ in 0..30 {
        let study = study(&mut random, Scheduler::Corrected);
        for problem in study.problems() {
            let Ok(tile) = study.solve(&problem) else { continue };
            let core = &study.system.cores[problem.kind].core;
            let levels = Operand::ALL.map(|operand| {
                let all = core.levels(operand).len();
                if problem.too_large[operand as usize] { all } else { all - 1 }
            });
            let layer = LayerProblem::new(problem.shape, levels, problem.unroll.clone());
            let on_core = LayerOnCore::new(core, study.settings.rules, &layer);
            let settings = &study.settings;
            let objective = settings.tile_objective(problem.too_large.contains(&true));
            let best = find_best(&on_core, &objective, &Limits::default(), settings.strategy).best.unwrap();
            let cost = best.cost(&on_core).unwrap();
            let (mut dram_pj, mut chip_pj) = (0.0, cost.energy.fixed.total_pj());
            for (operand, view) in on_core.each_operand() {
                for (level, &memory) in view.memories.iter().enumerate() {
                    let description = &core.memories[memory];
                    for movement in Movement::ALL {
                        let words = cost.energy.words[operand][level][movement as usize];
                        let is_read = movement.is_read();
                        let pj = if is_read { description.read_energy_pj } else { description.write_energy_pj };
                        *(if description.name == "dram" { &mut dram_pj } else { &mut chip_pj }) += words * pj;
                    }
                }
            }
            assert!((tile.offchip_pj - dram_pj).abs() <= 1e-9 * dram_pj, "{} for {dram_pj}", tile.offchip_pj);
            assert!((tile.onchip_pj - chip_pj).abs() <= 1e-9 * chip_pj, "{} for {chip_pj}", tile.onchip_pj);
            assert_eq!(dram_pj > 0.0, problem.too_large.contains(&true));
            // Streams are read from DRAM once or more, as a whole number of bits.
            let [weights, inputs, outputs] = problem.too_large;
            let once = |streams: bool, bits: u64| if streams { bits as f64 } else { 0.0 };
            let shape = &problem.shape;
            let least_from = once(weights, shape.weight_bits()) + once(inputs, shape.all_input_bits());
            let [to, from] = [tile.offchip.to, tile.offchip.from].map(|rate| rate.0 * tile.cycles().0);
            for (bits, least) in [(to, once(outputs, shape.output_bits())), (from, least_from)] {
                assert!(bits >= least * (1.0 - 1e-9), "{bits} bits instead of {least}: {problem:?}");
                assert!((bits - bits.round()).abs() <= 1e-6, "{bits} bits: {problem:?}");
            }
            // Only partial sums are moved in both directions.
            assert!(
                (outputs || to == 0.0) && (outputs || weights || inputs || from == 0.0),
                "{to}, {from}: {problem:?}"
            );
            streams += usize::from(dram_pj > 0.0);
        }
    }
    assert!(streams > 20, "{streams}");
}

/// Rows and columns of the map from the first to the last that the windows of a tile touch, one by one.
#[test]
fn tiles_read_what_exists_of_their_windows() {
    let mut random = Lcg(47);
    let mut at_borders = 0;
    for _ in 0..500 {
        let network = Network::from_text(&format!(
            "name: one\nlayers:\n  - {{ name: image, type: input, K: 2, size: {} x {} }}\n  \
             - {{ name: a, type: conv, K: 2, kernel: {}, stride: {}, dilation: {}, padding: {} }}",
            5 + random.below(8),
            5 + random.below(8),
            random.of(&["1 x 3", "3 x 3", "2 x 5"]),
            random.of(&[1, 2]),
            random.of(&[1, 2]),
            random.of(&["none", "same", "2", "{ left: 3, top: 1, right: 0, bottom: 2 }"]),
        ));
        let Ok(network) = network else { continue };
        let layer = network.layer(1.into());
        let shape = &layer.shape;
        let mut part = Dim::ALL.map(|dim| 0..shape.size(dim));
        for dim in [Dim::OX, Dim::OY] {
            let start = random.below(shape.size(dim));
            part[dim as usize] = start..start + 1 + random.below(shape.size(dim) - start);
        }
        let touched = |outputs: Dim, kernel: Dim, [stride, dilation, padding, size]: [u64; 4]| {
            let of = |at: u64| part[kernel as usize].clone().map(move |tap| at * stride + tap * dilation);
            let exist = part[outputs as usize].clone().flat_map(of).filter_map(|at| at.checked_sub(padding));
            let exist: Vec<u64> = exist.filter(|&at| at < size).collect();
            exist.iter().max().zip(exist.iter().min()).map(|(last, first)| last - first + 1)
        };
        let columns = [shape.stride.0, shape.dilation.0, layer.padding.left, layer.input_size.0];
        let rows = [shape.stride.1, shape.dilation.1, layer.padding.top, layer.input_size.1];
        let (columns, rows) = (touched(Dim::OX, Dim::FX, columns), touched(Dim::OY, Dim::FY, rows));
        let Some(expected) = columns.zip(rows) else { continue };
        let tile = tile_shape(layer, &part, TilingRules::CORRECTED);
        assert_eq!(tile.sizes, part.clone().map(|range| range.end - range.start));
        // With dilation the outermost window may end in the padding with its last tap only.
        let found = tile.input_limit;
        assert!(found.0 >= expected.0 && found.1 >= expected.1, "{found:?}, not {expected:?}: {part:?} of {layer:?}");
        if shape.dilation == (1, 1) {
            assert_eq!(found, expected, "{part:?} of {layer:?}");
        }
        assert!(found.0 <= layer.input_size.0 && found.1 <= layer.input_size.1, "{found:?}: {part:?} of {layer:?}");
        let size = |dim: Dim| tile.sizes[dim as usize];
        let window = (size(Dim::OX) - 1) * shape.stride.0 + (size(Dim::FX) - 1) * shape.dilation.0 + 1;
        at_borders += usize::from(found.0 < window);
    }
    assert!(at_borders > 50, "{at_borders}");
}
