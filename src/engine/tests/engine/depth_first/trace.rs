//! The steps of a point, each one layer in one tile, add up to its account; and every pixel has the source that the
//! step states.

use fusescape_engine::cost::{AccessCause, EnergyCause};
use fusescape_engine::depth_first::{
    ContentsPart, DepthFirstStrategy, FuseDepth, NodeId, PointAccount, ReadId, Rect, StackAccount, StackTrace,
    StoringMode, TraceStep,
};
use fusescape_engine::explore::{CostStore, IncrementalSweep, Request, Settings, Sweep};
use fusescape_engine::rules::Rules;
use fusescape_spec::{find_preset, hardware_presets, workload_presets};

/// A design and one tile size, in all three modes.
struct Case {
    hardware: &'static str,
    workload: &'static str,
    tile: (u64, u64),
    fuse: FuseDepth,
    rules: Rules,
}

fn cases() -> Vec<Case> {
    let case = |hardware, workload, tile| Case {
        hardware,
        workload,
        tile,
        fuse: FuseDepth::Automatic,
        rules: Rules::CORRECTED,
    };
    vec![
        case("meta-proto-like-df", "fsrcnn", (60, 72)),
        case("meta-proto-like-df", "fsrcnn", (37, 50)),
        case("tpu-like-df", "fsrcnn", (240, 4)),
        case("edge-tpu-like-df", "resnet18", (7, 3)),
        case("meta-proto-like-df", "mobilenet-v1", (5, 5)),
        Case { fuse: FuseDepth::SingleLayer, ..case("tpu-like", "resnet18", (9, 9)) },
        Case { fuse: FuseDepth::LayerByLayer, ..case("meta-proto-like-df", "resnet18", (1, 1)) },
        Case { rules: Rules::DEFINES_2022, ..case("meta-proto-like-df", "fsrcnn-defines", (60, 72)) },
        Case { rules: Rules::DEFINES_2022, ..case("meta-proto-like-df", "resnet18", (8, 8)) },
    ]
}

/// Calls `check` with every stack of every case in every mode.
fn each(mut check: impl FnMut(&str, &Sweep, &DepthFirstStrategy, &PointAccount, &[StackTrace])) {
    for Case { hardware, workload, tile, fuse, rules } in cases() {
        let settings = Settings {
            tiles_x: vec![tile.0],
            tiles_y: vec![tile.1],
            fuse: vec![fuse],
            rules,
            lpf_limit: 4,
            ..Settings::default()
        };
        let request = Request {
            hardware: find_preset(hardware_presets(), hardware).unwrap().text.to_owned(),
            workload: find_preset(workload_presets(), workload).unwrap().text.to_owned(),
            settings,
        };
        let sweep = Sweep::new(&request).unwrap();
        let (mut incremental, mut store) = (IncrementalSweep::new(sweep.clone()), CostStore::default());
        for (point, strategy) in incremental.strategies().to_vec().iter().enumerate() {
            let what = format!("{workload} on {hardware}, {tile:?}, {strategy:?}");
            let account = incremental.account(&mut store, point).expect(&what);
            let traces = (0..account.stacks.len()).map(|stack| sweep.trace(strategy, stack).expect(&what));
            check(&what, &sweep, strategy, &account, &traces.collect::<Vec<_>>());
        }
    }
}

/// Every step of a stack, in order.
fn steps(trace: &StackTrace) -> impl Iterator<Item = TraceStep> + '_ {
    std::iter::successors(Some(TraceStep::default()), |step| trace.after(*step))
}

fn layers_of(stack: &StackAccount) -> impl Iterator<Item = (NodeId, &str)> {
    stack.tile_types.iter().flat_map(|tile| tile.layers.iter_enumerated().map(|(node, at)| (node, at.layer.as_str())))
}

fn close(what: &str, found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{what}: {found} is not {expected}");
}

#[test]
fn the_steps_of_a_point_add_up_to_its_account() {
    each(|what, _, _, account, traces| {
        let (mut cycles, mut macs, mut pj, mut copy_pj, mut moved_pj) = (0, 0, 0.0, 0.0, 0.0);
        let mut copied_elements = 0.0;
        for (stack, trace) in account.stacks.iter().zip(traces) {
            assert_eq!(trace.tile_count(), stack.tile_count, "{what}");
            for step in steps(trace) {
                let (_, layer) = stack.step(trace, step).expect(what);
                cycles += layer.latency_cycles();
                macs += layer.macs;
                pj += layer.energy_pj();
                let flows = layer.flows();
                moved_pj += flows.iter().map(|flow| flow.energy_pj).sum::<f64>();
                copy_pj += flows.iter().filter(|flow| flow.is_copy).map(|flow| flow.energy_pj).sum::<f64>();
                copied_elements += (layer.copies.actions.iter())
                    .map(|action| 2.0 * action.hops.len() as f64 * action.bits as f64 / action.element_bits as f64)
                    .sum::<f64>();
            }
        }
        assert_eq!((cycles, macs), (account.latency_cycles, account.macs), "{what}");
        close(what, pj, account.energy_pj);
        close(what, copy_pj, account.energy[EnergyCause::Access(AccessCause::Copy)]);
        close(what, moved_pj, AccessCause::ALL.iter().map(|&cause| account.energy[EnergyCause::Access(cause)]).sum());
        let copied: f64 = account.memories.iter().map(|memory| memory.elements[AccessCause::Copy]).sum();
        close(what, copied_elements, copied);
    });
}

#[test]
fn the_pixels_of_every_step_are_those_of_its_account() {
    each(|what, _, _, account, traces| {
        for (stack, trace) in account.stacks.iter().zip(traces) {
            for (node, layer) in layers_of(stack) {
                assert_eq!(trace.maps[node].layer, layer, "{what}");
            }
            for step in steps(trace) {
                let what = format!("{what}, {step:?}");
                let (_, tile) = stack.tile(trace, step.tile).expect(&what);
                let (_, layer) = stack.step(trace, step).expect(&what);
                let window = trace.window(step.tile, step.node).expect(&what);
                let Rect { columns, rows } = window.computed;
                assert_eq!((columns.length(), rows.length()), (layer.output.0, layer.output.1), "{what}");
                assert_eq!(window.new.pixels() + window.again_pixels(), window.computed.pixels(), "{what}");
                let (column, row) = trace.strips_of(step.tile).expect(&what);
                assert_eq!((column.output.length(), row.output.length()), tile.size, "{what}");
                let reads = trace.reads.iter_enumerated().filter(|(_, read)| read.reader == step.node);
                for ((index, read), (place, producer)) in reads.zip(layer.inputs_from.iter().enumerate()) {
                    let length = |of: fn(ReadId, &fusescape_engine::depth_first::StripTrace) -> u64| {
                        (of(index, column), of(index, row))
                    };
                    let (wide, high, _) = layer.inputs[place];
                    assert_eq!(read.producer, *producer, "{what}");
                    assert_eq!(length(|read, strip| strip.read[read].length()), (wide, high), "{what}");
                    assert_eq!(length(|read, strip| strip.cached[read]), layer.cached[place], "{what}");
                }
            }
        }
    });
}

/// The sources of the pixels of one map, tile after tile.
struct Painted {
    columns: usize,
    computed: Vec<bool>,
}

impl Painted {
    fn pixels(&self, part: Rect) -> impl Iterator<Item = usize> + use<'_> {
        let columns = part.columns.first as usize..part.columns.end.max(part.columns.first) as usize;
        let rows = part.rows.first as usize..part.rows.end.max(part.rows.first) as usize;
        rows.flat_map(move |row| columns.clone().map(move |column| row * self.columns + column))
    }
}

#[test]
fn every_pixel_comes_from_where_a_step_says() {
    each(|what, sweep, strategy, _, traces| {
        // The tool's extents and lags have no positions.
        if sweep.settings.rules.tiles_without_borders {
            return;
        }
        for trace in traces {
            let paint = |map: &fusescape_engine::depth_first::TraceMap| Painted {
                columns: map.columns as usize,
                computed: vec![false; (map.columns * map.rows) as usize],
            };
            let mut maps: Vec<Painted> = trace.maps.iter().map(paint).collect();
            // The number of the step in which a pixel of a map was last used.
            let mut seen: Vec<Vec<usize>> = maps.iter().map(|map| vec![0; map.computed.len()]).collect();
            for (number, step) in (1..).zip(steps(trace)) {
                let window = trace.window(step.tile, step.node).expect(what);
                let (map, seen) = (&mut maps[step.node.index()], &mut seen[step.node.index()]);
                assert!(map.pixels(window.new).all(|at| !map.computed[at]), "{what}, {step:?}: new");
                for part in window.again.into_iter().chain([window.kept_left, window.kept_above]) {
                    assert!(map.pixels(part).all(|at| map.computed[at]), "{what}, {step:?}: {part:?}");
                }
                for part in [window.new, window.again[0], window.again[1], window.kept_left, window.kept_above] {
                    for at in map.pixels(part) {
                        assert!(seen[at] != number, "{what}, {step:?}: a pixel lies in two parts");
                        seen[at] = number;
                    }
                }
                let computed: Vec<usize> = map.pixels(window.computed).collect();
                computed.into_iter().for_each(|at| map.computed[at] = true);
                // Data that is read is computed in this tile or kept: none is missing.
                let (column, row) = trace.strips_of(step.tile).expect(what);
                for (index, _) in trace.reads.iter_enumerated().filter(|(_, read)| read.producer == step.node) {
                    let read = Rect { columns: column.read[index], rows: row.read[index] };
                    assert!(map.pixels(read).all(|at| seen[at] == number), "{what}, {step:?}: {read:?} is not there");
                }
            }
            if strategy.mode == StoringMode::FullyCached {
                assert!(
                    steps(trace).all(|step| trace.window(step.tile, step.node).unwrap().again_pixels() == 0),
                    "{what}"
                );
            }
            let whole = &maps[trace.maps.len() - 1];
            assert!(whole.computed.iter().all(|&is_computed| is_computed), "{what}: the last map is complete");
        }
    });
}

#[test]
fn what_lies_in_a_memory_fits_it() {
    each(|what, sweep, _, account, traces| {
        // The tools let memories overflow.
        if sweep.settings.rules != Rules::CORRECTED {
            return;
        }
        for (stack, trace) in account.stacks.iter().zip(traces) {
            let types =
                stack.tile_types.iter().map(|tile| trace.tile_over(tile.first_position.0, tile.first_position.1));
            for tile in types {
                for node in trace.maps.keys() {
                    let contents = stack.contents(trace, TraceStep { tile, node }, &account.memories);
                    for (memory, contents) in account.memories.iter().zip(&contents) {
                        let is_top = memory.name == account.memories.last().unwrap().name;
                        // The model reserves no room for features that wait for a later layer (DeFiNES, Section III, step 3).
                        let total = contents.total() - contents.of(ContentsPart::Waiting);
                        assert!(
                            is_top || total <= memory.size_bits as f64 * (1.0 + 1e-9),
                            "{what}: {} of {} in {}: {:?}",
                            contents.total(),
                            memory.size_bits,
                            memory.name,
                            contents.parts().collect::<Vec<(ContentsPart, f64)>>()
                        );
                    }
                }
            }
        }
    });
}

#[test]
fn tiles_are_found_by_their_pixels_and_steps_go_back_and_forth() {
    each(|what, _, _, account, traces| {
        for (stack, trace) in account.stacks.iter().zip(traces) {
            for tile in 0..trace.tile_count() {
                let (column, row) = trace.strips_of(tile).unwrap();
                for (x, y) in [(column.output.first, row.output.first), (column.output.end - 1, row.output.end - 1)] {
                    assert_eq!(trace.tile_over(x, y), tile, "{what}");
                    assert_eq!(stack.map.type_over(x, y), stack.tile(trace, tile).map(|(of, _)| of), "{what}");
                }
            }
            for step in steps(trace) {
                assert!(trace.after(step).is_none_or(|after| trace.before(after) == Some(step)), "{what}");
            }
        }
    });
}
