//! The timeline of many cores: nothing overlaps or leaves it, every drawn item is found at its place, and its trace is
//! complete. `target/charts/timeline_*.svg` are for viewing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, dead_code)]

use fusescape::chart::{
    Chart, CoreTimeline, CoresLanes, Hit, Quantity, Sketch, SketchShape, Theme, TimeWindow, core_time, layer_color,
    link_table, memory_table, svg, system_energy,
};
use fusescape::hardware::Operand;
use fusescape::ids::{TiVec, ti_vec};
use fusescape::multicore::{
    CoreId, CoreLink, CoreTopMemory, CoresAccount, CoresEnergy, CoresSchedule, Edge, GroupId, LinkId, NestId,
    PlacedTile, SchedulingProblem, SchedulingRules, StartConstraint, System, TensorId, Tile, TileGraph, TileId,
    TileNumber, TilePriority, TileTensor, TimeSpan, TopMemoryId, Transfer, TransferReason, TransferWaits, schedule,
};
use fusescape::trace::chrome_trace;
use fusescape::units::{Bits, BitsPerCycle, Cycles};
use fusescape_test_support::reference_text;
use fusescape_test_support::sample::each_of;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

const WIDTHS: [u32; 4] = [330, 390, 900, 1440];
const CASES: [&str; 4] = [
    "coala/a03_conv3_evict",
    "coala/a12_branch_broadcast",
    "coala/a05_toolarge_dram",
    "waco_e2e/b01_resnet18_tpu_quad_fused_waco",
];

/// The schedule of a case of the public tool, with layers named by numbers.
fn account(name: &str) -> Arc<CoresAccount> {
    let case = fusescape_test_support::stream::case(
        &serde_json::from_str(&reference_text(&format!("stream/{name}.json"))).unwrap(),
    );
    let job = SchedulingProblem {
        graph: &case.graph,
        system: &case.system,
        placed: &case.placed,
        order: TilePriority::Ranks(&case.rank),
        prefetched: &case.prefetched,
        rules: SchedulingRules::STREAM_2024,
    };
    let found = schedule(job).unwrap();
    let layers = NestId::first(case.graph.tiles.iter().map(|tile| tile.layer.index()).max().unwrap() + 1);
    let computing: TiVec<TileId, f64> = case.placed.iter().map(|placed| 0.8 * placed.cycles.0).collect();
    Arc::new(CoresAccount::new(job, &found, layers.map(|layer| format!("conv\"{layer}")).collect(), &computing))
}

/// A chain of layers, `count` tiles in all, one after another on two cores; every second tile sends its output.
fn long_account(count: usize) -> Arc<CoresAccount> {
    let layer = |tile: usize| tile * 40 / count;
    let tiles = (0..count).map(|tile| Tile {
        layer: NestId::from(layer(tile)),
        number: TileNumber::from(tile),
        group: GroupId::default(),
        tensors: [None, None, Some(TensorId::from(tile))],
        constants: [].into(),
        is_final: true,
    });
    let tensors = ti_vec![TileTensor { bits: Bits(64), uses: 1, is_output: true }; count];
    let edge = |(from, to): (TileId, TileId)| Edge { from, to, operand: Some(Operand::I) };
    let edges = TileId::first(count).zip(TileId::first(count).skip(1)).map(edge);
    let graph = TileGraph::new(tiles.collect(), tensors, edges.collect());
    let memory = |core: CoreId| CoreTopMemory {
        name: "buffer".to_owned(),
        capacity: Bits(8192),
        read_width: Bits(64),
        write_width: Bits(64),
        read_pj: 1.0,
        write_pj: 1.0,
        cores: vec![core],
    };
    let system = System {
        cores: ["core 0", "core 1", "dram"].map(str::to_owned).into_iter().collect(),
        memory_of: TopMemoryId::first(3).map(|memory| [memory; 3]).collect(),
        memories: CoreId::first(3).map(memory).collect(),
        links: ti_vec![CoreLink { name: "bus".to_owned(), bandwidth: BitsPerCycle(8.0), pj_per_cycle: 1.0 }],
        routes: ti_vec![ti_vec![vec![LinkId::default()]; 3]; 3],
        dram: CoreId::from(2),
    };
    let core = |tile: usize| CoreId::from(tile % 2);
    let placed: TiVec<TileId, PlacedTile> =
        (0..count).map(|tile| PlacedTile { core: core(tile), cycles: Cycles(30.0), ..PlacedTile::default() }).collect();
    let span = |tile: usize| TimeSpan { start: Cycles(40.0 * tile as f64), end: Cycles(40.0 * tile as f64 + 30.0) };
    let transfer = |tile: usize| Transfer {
        tensor: TensorId::from(tile),
        source: TopMemoryId::from(tile % 2),
        begin: StartConstraint::Ready,
        waits: TransferWaits::default(),
        from: core(tile),
        to: core(tile + 1),
        memory: TopMemoryId::from((tile + 1) % 2),
        span: TimeSpan { start: span(tile).end, end: span(tile).end + Cycles(8.0) },
        reason: TransferReason::Exchange,
        link_pj: 8.0,
        memory_pj: 2.0,
    };
    let usage: Vec<(i64, u64)> = (0..count as i64).map(|tile| (40 * tile, 64 * (1 + tile as u64 % 100))).collect();
    let found = CoresSchedule {
        tiles: (0..count).map(|tile| Some(span(tile))).collect(),
        begins: ti_vec![StartConstraint::Ready; count],
        awaited: Vec::new(),
        transfers: (0..count - 1).map(transfer).collect(),
        streams: Vec::new(),
        memories: ti_vec![usage.clone(), usage, Vec::new()],
        contents: Vec::new(),
        energy: CoresEnergy::default(),
        latency: span(count - 1).end,
    };
    let job = SchedulingProblem {
        graph: &graph,
        system: &system,
        placed: &placed,
        order: TilePriority::EarliestReady,
        prefetched: &[],
        rules: SchedulingRules::CORRECTED,
    };
    let layers = (0..40).map(|layer| format!("layer{layer}_conv")).collect();
    Arc::new(CoresAccount::new(job, &found, layers, &ti_vec![20.0; count]))
}

fn timeline(account: &Arc<CoresAccount>) -> CoreTimeline {
    CoreTimeline::new(Rc::new(CoresLanes::new(Arc::clone(account))))
}

/// The whole, a part, a short time, and each with a focused tile.
fn views(account: &Arc<CoresAccount>) -> Vec<(String, CoreTimeline)> {
    let whole = timeline(account);
    let all = account.latency_cycles;
    let windows = [("whole", 0.0, 1.0), ("part", 0.31, 0.2), ("moment", 0.52, 0.01)];
    let mut views = Vec::new();
    for (name, start, share) in windows {
        let window = TimeWindow::whole(all).zoomed(share, start * all, all);
        let view = whole.clone().with_window(window);
        views.push((name.to_owned(), view.clone()));
        views.push((format!("{name}_focus"), view.with_focus(Some(TileId::from(account.tiles.len() / 2)))));
    }
    views
}

/// Left, top, right and bottom edge.
type Bounds = (i32, i32, i32, i32);

fn check_layout(name: &str, sketch: &Sketch) {
    let (right, bottom) = (sketch.width as i32, sketch.height as i32);
    let mut texts: Vec<(&str, Bounds)> = Vec::new();
    for shape in &sketch.shapes {
        let bounds = shape.bounds();
        let is_inside = bounds.0 >= 0 && bounds.1 >= 0 && bounds.2 <= right && bounds.3 <= bottom;
        assert!(is_inside, "{name}, {right} wide: {shape:?} leaves the figure");
        if let SketchShape::Text { text, lettering, .. } = shape {
            assert!(lettering.size >= 9.0, "{name}: `{text}` is too small");
            texts.push((text, bounds));
        }
    }
    for (index, (text, a)) in texts.iter().enumerate() {
        for (other, b) in &texts[..index] {
            let apart = a.2 <= b.0 || b.2 <= a.0 || a.3 <= b.1 || b.3 <= a.1;
            assert!(apart, "{name}, {right} wide: `{text}` {a:?} overlaps `{other}` {b:?}");
        }
    }
}

#[test]
fn texts_neither_overlap_nor_leave_the_timeline() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/charts");
    fs::create_dir_all(&directory).unwrap();
    for case in CASES.iter().copied().chain(["long"]) {
        let account = if case == "long" { long_account(3000) } else { account(case) };
        let file = case.rsplit('/').next().unwrap();
        for (name, view) in views(&account) {
            for width in WIDTHS.into_iter().chain((240..1440).step_by(130)) {
                let sketch = view.sketch(width, &Theme::LIGHT);
                assert_eq!((sketch.width, sketch.height), (width, view.height_for(width)), "{case} {name}");
                check_layout(&format!("{case} {name}"), &sketch);
            }
            for width in [390, 1440] {
                for (theme_name, theme) in [("light", Theme::LIGHT.painted()), ("dark", Theme::DARK.painted())] {
                    let document = svg(&view, width, &theme).unwrap();
                    assert!(!document.contains("NaN") && !document.contains("inf"), "{case} {name}");
                    fs::write(directory.join(format!("timeline_{file}_{name}_{theme_name}_{width}.svg")), document)
                        .unwrap();
                }
            }
            let table = view.table();
            assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{case} {name}");
            assert!(view.describe().ends_with('.'), "{}", view.describe());
        }
        for (name, figure) in [("time", core_time(&account)), ("energy", system_energy(&account))] {
            check_layout(name, &figure.sketch(390, &Theme::LIGHT));
            fs::write(directory.join(format!("timeline_{file}_{name}.svg")), svg(&figure, 900, &Theme::LIGHT).unwrap())
                .unwrap();
        }
    }
}

/// Wherever a tile is drawn, a pointer finds it.
#[test]
fn what_is_drawn_is_what_is_found() {
    for case in CASES {
        let account = account(case);
        for (name, view) in views(&account) {
            for width in WIDTHS {
                // A sample of many.
                let step = 1 + account.tiles.len() / 200;
                for (index, tile) in account.tiles.iter_enumerated().step_by(step) {
                    let Some((left, top, extent, height)) = view.tile_place(index, width) else {
                        assert!(!view.window().shows((tile.start, tile.end)), "{case} {name}: {tile:?}");
                        continue;
                    };
                    if extent < 4 {
                        continue;
                    }
                    let at = (f64::from(left + extent / 2), f64::from(top + height / 2));
                    let hit = view.hit(at.0, at.1, width);
                    assert_eq!(hit, Some(Hit::Tile(index)), "{case} {name}, {width} wide: {tile:?}");
                    let text = view.text(hit.unwrap());
                    assert!(text.title.contains(&account.layers[tile.layer]), "{text:?}");
                    assert_eq!(text.lines[0], ("on", account.cores[tile.core].name.clone()));
                }
                assert_eq!(view.hit(f64::from(width) / 2.0, 3.0, width), None, "above all lanes is nothing");
            }
        }
    }
}

#[test]
fn links_and_memories_are_found_where_they_are_drawn() {
    let account = long_account(400);
    let view = timeline(&account).with_window(TimeWindow { start: 4000.0, end: 4200.0 });
    let height = view.height_for(900);
    let hits: Vec<Hit> = (0..height).filter_map(|y| view.hit(880.0, f64::from(y), 900)).collect();
    let transfer = hits.iter().find_map(|hit| if let Hit::Transfer(index) = hit { Some(*index) } else { None });
    let transfer = &account.transfers[transfer.unwrap()];
    let time = view.time_at(880.0, 900);
    assert!(transfer.start <= time + 1.0 && transfer.end >= time - 1.0, "{transfer:?} at {time}");
    let memories: Vec<TopMemoryId> =
        hits.iter().filter_map(|hit| if let Hit::Memory(memory, _) = hit { Some(*memory) } else { None }).collect();
    assert!(TopMemoryId::first(2).all(|memory| memories.contains(&memory)));
    let text = view.text(Hit::Memory(TopMemoryId::default(), 4001.0));
    assert_eq!(text.lines[0], ("at cycle", "4\u{202f}001".to_owned()));
    assert_eq!(text.lines[1], ("in use", "8 B".to_owned()));
}

/// A hundred thousand tiles take no more shapes than fit on a screen.
#[test]
fn many_tiles_cost_no_more_shapes_than_pixels() {
    let account = long_account(100_000);
    let view = timeline(&account);
    let sketch = view.sketch(1440, &Theme::LIGHT);
    assert!(sketch.shapes.len() < 200, "{} shapes", sketch.shapes.len());
    let images: Vec<_> = sketch
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            SketchShape::Image { colors, .. } => Some(colors),
            _ => None,
        })
        .collect();
    assert_eq!(images.len(), 3, "two cores and a link");
    // Both cores are about equally busy throughout, at the end with another layer than at the beginning.
    for colors in &images[..2] {
        assert!(colors.iter().all(|color| *color != Theme::LIGHT.placeholder()));
        assert_ne!(colors[0], colors[colors.len() - 1]);
    }
    // Single tiles of a quarter of the size have their own colour.
    let near = view.with_window(TimeWindow { start: 1000.0, end: 1100.0 });
    let solid = |color| {
        near.sketch(1440, &Theme::LIGHT).shapes.iter().any(|shape| match shape {
            SketchShape::Image { colors, .. } => colors.contains(&color),
            _ => false,
        })
    };
    assert!(solid(Theme::LIGHT.layer(0)));
    assert_ne!(layer_color(0), layer_color(1));
}

#[test]
fn a_focused_tile_shows_whom_it_waits_for_and_what_is_brought() {
    let account = long_account(400);
    let view = timeline(&account).with_window(TimeWindow { start: 4000.0, end: 4400.0 });
    let [before, tile] = [104, 105].map(TileId::from);
    assert_eq!(account.waits_for(tile), [before]);
    let brought = account.brought_for(tile);
    assert_eq!(brought.len(), 1);
    let transfer = &account.transfers[brought[0]];
    assert_eq!((transfer.tile, transfer.end), (before, 40.0 * 104.0 + 38.0));
    let focused = view.clone().with_focus(Some(tile)).sketch(1440, &Theme::LIGHT);
    let lines = focused.shapes.iter().filter(|shape| matches!(shape, SketchShape::Line { .. })).count();
    assert_eq!(lines, 2, "from the tile before, and to the tile after");
    let exchange = Theme::LIGHT.reason(TransferReason::Exchange);
    let is_reason = |shape: &&SketchShape| matches!(shape, SketchShape::Rect { color, size, .. } if *color == exchange && size.1 == 14);
    assert_eq!(focused.shapes.iter().filter(is_reason).count(), 1);
    let text = view.text(Hit::Tile(tile));
    let line = |name: &str| text.lines.iter().find(|line| line.0 == name).unwrap().1.clone();
    assert_eq!(line("waits for"), "layer10_conv 105");
    assert_eq!(line("waited for by"), "layer10_conv 107");
    assert_eq!(line("from other cores"), "8 B");
    assert!(
        text.sentence().starts_with("layer10_conv 106 of 10: on core 1, time 4\u{202f}200 to"),
        "{}",
        text.sentence()
    );
}

#[test]
fn keys_lead_to_every_tile() {
    let account = account("waco_e2e/b01_resnet18_tpu_quad_fused_waco");
    let lanes = CoresLanes::new(Arc::clone(&account));
    let first = lanes.first_in(TimeWindow::whole(account.latency_cycles)).unwrap();
    assert!(account.tiles.iter().all(|tile| tile.start >= account.tiles[first].start));
    // Up to the first core, from there down, and along every core.
    let mut top = first;
    while let Some(above) = lanes.beside(top, -1) {
        top = above;
    }
    let mut seen = 0;
    let mut row = Some(top);
    while let Some(mut tile) = row {
        row = lanes.beside(tile, 1);
        while let Some(before) = lanes.step(tile, -1) {
            assert!(account.tiles[before].end <= account.tiles[tile].start);
            tile = before;
        }
        seen += 1;
        while let Some(after) = lanes.step(tile, 1) {
            tile = after;
            seen += 1;
        }
    }
    assert_eq!(seen, account.tiles.len());
    for tile in account.tiles.keys() {
        for &after in lanes.waiting_for(tile) {
            assert!(account.waits_for(after).contains(&tile));
        }
    }
    let waiting: usize = account.tiles.keys().map(|tile| lanes.waiting_for(tile).len()).sum();
    assert_eq!(waiting, account.tiles.keys().map(|tile| account.waits_for(tile).len()).sum::<usize>());
}

#[test]
fn the_table_lists_tiles_as_long_as_a_person_would_read_them() {
    let account = long_account(4000);
    let whole = timeline(&account);
    let summary = whole.table();
    assert_eq!(summary.rows.len(), 80, "a row for each of two cores and forty layers");
    assert_eq!(summary.rows[0][2].text(), "50");
    let part = whole.with_window(TimeWindow { start: 0.0, end: 20_000.0 }).table();
    assert_eq!((part.caption.as_str(), part.rows.len()), ("Tiles", 500));
    assert!(
        part.to_csv().starts_with("core,layer,tile,begins [cycles],ends [cycles],takes [cycles],"),
        "{}",
        part.to_csv()
    );
}

/// The inputs of a tile have arrived when it begins; only streams arrive during it.
#[test]
fn what_is_brought_for_a_tile_is_there_in_time() {
    let mut brought = 0;
    for case in CASES {
        let account = account(case);
        for (index, tile) in account.tiles.iter_enumerated() {
            for &transfer in account.brought_for(index) {
                let run = &account.transfers[transfer];
                assert!(run.end <= tile.start || run.start == tile.start, "{case}: {run:?} for {tile:?}");
                assert_eq!(run.to, account.cores[tile.core].name, "{case}: {run:?} for {tile:?}");
                brought += 1;
            }
        }
    }
    assert!(brought > 100, "{brought}");
}

/// Energies and times are shown without loss.
#[test]
fn figures_add_up_to_the_account() {
    for case in CASES {
        let account = account(case);
        for bar in core_time(&account).bars {
            let all: f64 = bar.values.iter().sum();
            assert!((all - account.latency_cycles).abs() <= 1e-9 * all, "{case}: {bar:?}");
        }
        let energy: f64 = system_energy(&account).bars.iter().flat_map(|bar| &bar.values).sum();
        assert!((energy - account.energy.total_pj()).abs() <= 1e-9 * energy, "{case}");
        assert_eq!(system_energy(&account).quantity, Quantity::Energy);
        let links = link_table(&account);
        assert_eq!(links.rows.len(), account.links.len());
        assert!(links.rows.iter().all(|row| row.len() == links.columns.len()));
        assert_eq!(memory_table(&account).rows.len(), account.memories.len());
    }
}

/// A trace viewer needs complete events: unchanged names, every tile once, threads without overlapping slices, arrows
/// with two ends.
#[test]
fn a_trace_is_complete() {
    for case in CASES {
        let account = account(case);
        let trace: serde_json::Value = serde_json::from_str(&chrome_trace(&account)).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        let of = |kind: &'static str, process: u64| {
            events.iter().filter(move |event| event["ph"] == kind && event["pid"] == process)
        };
        let mut tiles: Vec<(String, f64, f64)> = of("X", 1)
            .map(|event| {
                let number = |key: &str| event[key].as_f64().unwrap();
                let core = number("tid") as usize;
                assert!(account.cores.len() > core);
                (event["name"].as_str().unwrap().to_owned(), number("ts"), number("ts") + number("dur"))
            })
            .collect();
        let name = |layer: NestId, number: TileNumber| format!("{} {}", account.layers[layer], number.index() + 1);
        let mut expected: Vec<(String, f64, f64)> =
            account.tiles.iter().map(|tile| (name(tile.layer, tile.number), tile.start, tile.end)).collect();
        let by_name = |a: &(String, f64, f64), b: &(String, f64, f64)| (&a.0, a.1).partial_cmp(&(&b.0, b.1)).unwrap();
        tiles.sort_by(by_name);
        expected.sort_by(by_name);
        assert_eq!(tiles.len(), expected.len(), "{case}");
        for (ours, theirs) in tiles.iter().zip(&expected) {
            assert_eq!((&ours.0, ours.1), (&theirs.0, theirs.1), "{case}");
            assert!((ours.2 - theirs.2).abs() < 1e-6, "{case}: {ours:?} {theirs:?}");
        }
        let mut threads: HashMap<u64, f64> = HashMap::new();
        for event in of("X", 2) {
            let start = event["ts"].as_f64().unwrap();
            let free = threads.entry(event["tid"].as_u64().unwrap()).or_insert(0.0);
            assert!(start >= *free - 1e-6, "{case}: {event} overlaps");
            *free = start + event["dur"].as_f64().unwrap();
        }
        let named = of("M", 2).filter(|event| event["name"] == "thread_name").count();
        assert_eq!(named, threads.len(), "{case}: every thread has a name");
        let hops: usize = account.transfers.iter().filter(|run| run.end > run.start).map(|run| run.links.len()).sum();
        assert_eq!(of("X", 2).count(), hops, "{case}");
        let waits: usize = account.tiles.keys().map(|tile| account.waits_for(tile).len()).sum();
        assert_eq!((of("s", 1).count(), of("f", 1).count()), (waits, waits), "{case}");
        let steps: usize = account.memories.iter().map(|memory| memory.usage.len()).sum();
        assert_eq!(of("C", 3).count(), steps, "{case}");
    }
    let many = chrome_trace(&long_account(30_000));
    assert!(!many.contains("\"ph\":\"s\""), "so many arrows would stop a viewer");
}

#[test]
fn the_cursor_tells_at_every_event_which_tile_runs_where_and_how_many_transfers_are_under_way() {
    for name in CASES {
        let account = account(name);
        let lanes = CoresLanes::new(Arc::clone(&account));
        let mut times: Vec<f64> = account.tiles.iter().flat_map(|run| [run.start, run.end]).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        for time in each_of(times.clone(), 5) {
            let table = lanes.moment(time);
            let text = |row: usize| table.rows[row][2].text().to_owned();
            for core in account.cores.keys() {
                let runs =
                    |run: &&fusescape::multicore::ComputedTile| run.core == core && run.start <= time && time < run.end;
                let running: Vec<_> = account.tiles.iter().filter(runs).collect();
                assert!(running.len() <= 1, "{name}: {time}");
                match running.first() {
                    Some(run) => {
                        let tile = format!("{} {} of ", account.layers[run.layer], run.number.index() + 1);
                        assert!(text(core.index()).starts_with(&tile), "{name} at {time}: {}", text(core.index()));
                    }
                    None => assert!(["waits", "is do"].contains(&&text(core.index())[..5]), "{name} at {time}"),
                }
            }
            let used = account
                .links
                .keys()
                .filter(|link| account.transfers.iter().any(|run| run.links.contains(link) && run.end > run.start));
            for (place, link) in used.enumerate() {
                let runs = |run: &&fusescape::multicore::TransferRun| {
                    run.links.contains(&link) && run.start <= time && time < run.end
                };
                let count = account.transfers.iter().filter(runs).count();
                let told = text(account.cores.len() + place);
                let listed = if told == "nothing" { 0 } else { told.split("; ").count() };
                assert_eq!(listed, count, "{name} at {time}: {told}");
            }
        }
        // From event to event through all of them, and back.
        let mut forth = vec![times[0]];
        while let Some(next) = lanes.event(*forth.last().unwrap(), true) {
            forth.push(next);
        }
        assert_eq!(forth, times, "{name}");
        let mut back = vec![*times.last().unwrap()];
        while let Some(next) = lanes.event(*back.last().unwrap(), false) {
            back.push(next);
        }
        back.reverse();
        assert_eq!(back, times, "{name}");
    }
}
