//! The trace of a stack: every step of a stack as a figure.

use super::{check_layout, directory};
use fusescape::chart::{Chart, StackHit, StackStep, Theme, TracedStack, memory_trace_table, svg};
use fusescape::depth_first::{NodeId, StackTrace, StoringMode, TraceStep};
use fusescape::explore::{CostStore, IncrementalSweep, Request, Settings, Sweep};
use fusescape::question::{QueryEngine, TraceTiles};
use fusescape::spec::{find_preset, hardware_presets, workload_presets};
use std::fs;
use std::rc::Rc;
use std::sync::Arc;

/// All stacks of a design in one tile size, in the three modes.
fn stacks(hardware: &str, workload: &str, tile: (u64, u64)) -> Vec<Rc<TracedStack>> {
    let settings = Settings { tiles_x: vec![tile.0], tiles_y: vec![tile.1], lpf_limit: 4, ..Settings::default() };
    let request = Rc::new(Request {
        hardware: find_preset(hardware_presets(), hardware).unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), workload).unwrap().text.to_owned(),
        settings,
    });
    let mut incremental = IncrementalSweep::new(Sweep::new(&request).unwrap());
    let (mut store, mut engine) = (CostStore::default(), QueryEngine::default());
    let mut stacks = Vec::new();
    for (point, strategy) in incremental.strategies().to_vec().into_iter().enumerate() {
        let account = Arc::new(incremental.account(&mut store, point).unwrap());
        for stack in 0..account.stacks.len() {
            let (request, strategy) = (Rc::clone(&request), strategy.clone());
            let trace = engine.ask(TraceTiles { request, strategy, stack: stack as u32 }).unwrap();
            stacks.push(Rc::new(TracedStack::new(Arc::clone(&account), stack, trace).unwrap()));
        }
    }
    stacks
}

fn designs() -> Vec<Rc<TracedStack>> {
    [
        ("meta-proto-like-df", "fsrcnn", (4, 4)),
        ("meta-proto-like-df", "fsrcnn", (60, 72)),
        ("tpu-like-df", "mobilenet-v1", (7, 7)),
        ("edge-tpu-like-df", "resnet18", (7, 3)),
    ]
    .into_iter()
    .flat_map(|(hardware, workload, tile)| stacks(hardware, workload, tile))
    .collect()
}

/// The first tile of every type, at every layer.
fn steps(traced: &TracedStack) -> Vec<TraceStep> {
    let types = 0..traced.of().unwrap().tile_types.len();
    let tiles = types.map(|index| traced.first_step(Some(index)).tile);
    tiles.flat_map(|tile| traced.trace.maps.keys().map(move |node| TraceStep { tile, node })).collect()
}

#[test]
fn every_step_fits_its_figure_and_stays_small() {
    for traced in designs() {
        for step in steps(&traced) {
            let chart = StackStep { traced: Rc::clone(&traced), step };
            for width in [240, 326, 560, 760, 1010, 1400] {
                let sketch = chart.sketch(width, &Theme::LIGHT);
                assert_eq!((sketch.width, sketch.height), (width, chart.height_for(width)));
                check_layout(&chart.title(), &sketch);
                assert!(sketch.shapes.len() < 260 * traced.trace.maps.len() + 400, "{} shapes", sketch.shapes.len());
            }
            for table in [chart.table(), memory_trace_table(&chart)] {
                assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.caption);
            }
            let (columns, rows, _) = chart.layer().unwrap().output;
            assert!(chart.describe().contains("pixels") || columns * rows == 0, "{}", chart.describe());
        }
    }
}

#[test]
fn the_height_does_not_change_with_the_step() {
    for traced in designs() {
        let heights: Vec<u32> = steps(&traced)
            .into_iter()
            .map(|step| StackStep { traced: Rc::clone(&traced), step }.height_for(1010))
            .collect();
        assert!(heights.windows(2).all(|pair| pair[0] == pair[1]), "{heights:?}");
    }
}

#[test]
fn every_tile_row_and_every_layer_can_be_clicked() {
    let traced = stacks("meta-proto-like-df", "fsrcnn", (60, 72)).remove(2);
    let chart = StackStep { traced: Rc::clone(&traced), step: TraceStep::default() };
    let places = (0..1010).step_by(2).flat_map(|x| (0..700).step_by(2).map(move |y| (x, y)));
    let (mut tiles, mut nodes) = (vec![0; 128], vec![0; traced.trace.maps.len()]);
    for (x, y) in places {
        match chart.hit(f64::from(x), f64::from(y), 1010) {
            Some(StackHit::Tile(tile)) => tiles[tile as usize] += 1,
            Some(StackHit::Node(node)) => nodes[node.index()] += 1,
            None => {}
        }
    }
    assert!(tiles.iter().chain(&nodes).all(|&hits| hits > 0), "{tiles:?} {nodes:?}");
}

#[test]
fn another_stack_than_that_of_the_places_is_refused() {
    let all = stacks("tpu-like-df", "mobilenet-v1", (7, 7));
    let (first, second) = (&all[0], &all[1]);
    assert_ne!(first.trace.maps.len(), 0);
    let wrong = StackTrace::clone(&second.trace);
    assert!(TracedStack::new(Arc::clone(&first.account), first.stack, Rc::new(wrong)).is_none());
}

#[test]
fn a_saved_step_names_what_it_shows() {
    let traced = stacks("meta-proto-like-df", "fsrcnn", (60, 72)).remove(2);
    assert_eq!(traced.account.strategy.mode, StoringMode::FullyCached);
    let node = NodeId::from(3);
    let chart = StackStep { step: TraceStep { node, ..traced.first_step(None) }, traced };
    let document = svg(&chart, 900, &Theme::LIGHT.painted()).unwrap();
    for text in ["kept from the left", "kept from above", "sram_64KB", "W weights", "shrink"] {
        assert!(document.contains(text), "{text}");
    }
    fs::write(directory().join("motion_light_900.svg"), document).unwrap();
}
