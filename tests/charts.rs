//! Every figure is drawn natively, in both themes and at two widths; `target/charts/index.html` shows them to a person.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use fusescape::chart::{
    AccessRow, Accesses, AxisScale, Best, Breakdown, Capacity, Cause, Cell, Chart, ColorBar, Counted, DataSizes,
    Heatmap, Hierarchies, HierarchyPoint, Landscape, LayerData, Level, LevelCell, LevelMatrix, Lines, LoopNest,
    MacCounts, Matrix, PointState, Quantity, Scatter, ScatterPoint, Shape, Sketch, StackedBar, Theme, TileTypeEntry,
    TileTypeMap, TypeLevels, contrast, information_table, port_table, strategy_title, svg, viridis,
};
use fusescape::depth_first::{FuseDepth, PointAccount, StoringMode, TileMap, TileRun};
use fusescape::explore::{
    LayerFacts, LayerRequest, LayerStudy, MappedLayer, PointSummary, Request, Settings, StrategyFindings, Sweep,
    ZigZagStrategy, pareto_front, solve_all,
};
use fusescape::hardware::Operand;
use fusescape::rules::Rules;
use fusescape::search::{Objective, Strategy};
use fusescape::spec::{find_preset, hardware_presets, workload_presets};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const WIDTHS: [u32; 2] = [360, 1100];
const TILES_X: [u64; 6] = [1, 4, 16, 60, 240, 960];
const TILES_Y: [u64; 6] = [1, 4, 18, 72, 270, 540];
const MODES: [&str; 3] = ["fully-recompute", "H-cached, V-recompute", "fully-cached"];

/// DeFiNES, Fig. 12, mJ.
const ENERGY: [[f64; 36]; 3] = [
    [
        47.29, 15.82, 8.37, 6.57, 7.4, 8.41, 15.82, 5.99, 3.59, 3.09, 3.51, 3.72, 8.11, 3.43, 2.34, 2.42, 2.47, 16.93,
        6.5, 3.49, 2.48, 2.36, 13.41, 18.68, 7.6, 3.51, 2.51, 14.3, 18.25, 19.26, 8.3, 3.74, 2.59, 14.4, 19.55, 20.27,
    ],
    [
        9.62, 5.99, 5.94, 5.94, 7.24, 8.41, 3.83, 2.79, 2.79, 2.8, 3.46, 3.72, 2.63, 1.99, 1.99, 2.31, 2.45, 16.93,
        2.36, 1.85, 2.11, 2.22, 13.21, 18.68, 2.64, 2.0, 2.15, 9.31, 18.01, 19.26, 2.74, 2.16, 2.22, 13.51, 19.28,
        20.27,
    ],
    [
        5.51, 2.66, 2.61, 2.62, 2.62, 2.75, 2.44, 1.92, 1.92, 1.92, 2.04, 2.24, 2.42, 1.82, 1.82, 1.98, 2.15, 9.78,
        2.29, 1.81, 2.08, 2.15, 8.52, 17.61, 2.63, 1.99, 2.14, 9.27, 17.85, 19.06, 2.74, 2.16, 2.22, 13.51, 19.28,
        20.27,
    ],
];

/// DeFiNES, Fig. 12, Mcycles.
const LATENCY: [[f64; 36]; 3] = [
    [
        1025.9, 310.1, 168.8, 134.2, 130.9, 132.5, 310.1, 97.4, 52.0, 41.5, 40.4, 41.1, 165.1, 50.0, 29.8, 26.2, 25.6,
        33.3, 132.8, 43.9, 25.7, 22.8, 32.2, 32.2, 131.3, 41.2, 25.6, 33.5, 31.5, 29.5, 132.2, 41.6, 25.3, 30.1, 30.0,
        29.0,
    ],
    [
        488.4, 123.5, 122.7, 122.5, 127.9, 132.5, 147.9, 37.4, 37.2, 37.2, 39.8, 41.1, 91.5, 23.1, 23.1, 24.1, 25.1,
        33.3, 76.9, 19.4, 20.4, 21.3, 30.8, 32.2, 75.5, 19.4, 20.4, 27.0, 30.9, 29.5, 74.9, 19.9, 20.0, 26.9, 29.2,
        29.0,
    ],
    [
        298.6, 76.1, 74.8, 74.6, 74.5, 74.8, 75.1, 19.2, 18.9, 18.9, 19.4, 20.0, 81.3, 20.6, 20.5, 21.1, 22.4, 27.0,
        73.1, 18.5, 19.7, 20.2, 26.5, 30.1, 75.1, 19.3, 20.3, 26.9, 30.7, 29.3, 74.9, 19.9, 20.0, 26.9, 29.2, 29.0,
    ],
];

fn heatmap(mode: usize) -> Heatmap {
    let cells = ENERGY[mode].iter().map(|mj| Cell::Value { value: mj * 1e9, pareto: *mj < 1.83 }).collect();
    Heatmap {
        quantity: Quantity::Energy,
        title: MODES[mode].to_owned(),
        widths: TILES_X.to_vec(),
        heights: TILES_Y.to_vec(),
        cells,
        range: Some((1.81e9, 47.29e9)),
        selected: None,
        best: Best::OfCells,
        contours: Vec::new(),
    }
}

fn latency_heatmap() -> Heatmap {
    let mut cells: Vec<Cell> =
        LATENCY[0].iter().map(|m| Cell::Value { value: (m * 1e6).round(), pareto: *m < 23.0 }).collect();
    cells[35] = Cell::Infeasible;
    cells[34] = Cell::Infeasible;
    cells.truncate(36);
    for pending in [5, 20, 28, 29] {
        cells[pending] = Cell::Pending;
    }
    Heatmap { quantity: Quantity::Latency, cells, range: None, selected: Some((1, 3)), ..heatmap(0) }
}

fn large_heatmap() -> Heatmap {
    let sizes: Vec<u64> = (1..=48).map(|k| k * 20).collect();
    let value = |k: usize| {
        let (x, y) = ((k % 48) as f64, (k / 48) as f64);
        2e9 + 4e7 * (x - 9.0).powi(2) + 2e7 * (y - 20.0).powi(2) + 5e6 * x * y
    };
    let cell = |k: usize| match k % 48 + k / 48 {
        88.. => Cell::Infeasible,
        _ => Cell::Value { value: value(k), pareto: k.is_multiple_of(97) },
    };
    Heatmap {
        widths: sizes.clone(),
        heights: sizes,
        cells: (0..48 * 48).map(cell).collect(),
        range: None,
        selected: Some((30, 12)),
        ..heatmap(2)
    }
    .with_contours((2e9, 1.5e11))
}

fn run(start: u64, size: u64, count: u64) -> TileRun {
    TileRun { start, size, count }
}

/// DeFiNES, Fig. 6: 60 × 72 on 960 × 540.
fn tile_map() -> TileTypeMap {
    let entry = |width, height, count| TileTypeEntry { size: (width, height), count };
    TileTypeMap {
        size: (960, 540),
        map: TileMap {
            columns: vec![run(0, 60, 1), run(60, 60, 15)],
            rows: vec![run(0, 72, 1), run(72, 72, 6), run(504, 36, 1)],
            types: vec![vec![0, 1], vec![1, 1], vec![2, 2]],
        },
        types: vec![entry(60, 72, 1), entry(60, 72, 111), entry(60, 36, 16)],
        selected: None,
    }
}

fn fine_tile_map() -> TileTypeMap {
    let entry = |width, height, count| TileTypeEntry { size: (width, height), count };
    TileTypeMap {
        size: (960, 540),
        map: TileMap {
            columns: vec![run(0, 4, 1), run(4, 4, 238), run(956, 4, 1)],
            rows: vec![run(0, 72, 1), run(72, 72, 6), run(504, 36, 1)],
            types: vec![vec![0, 1, 2], vec![3, 4, 5], vec![6, 7, 8]],
        },
        types: vec![
            entry(4, 72, 1),
            entry(4, 72, 238),
            entry(4, 72, 1),
            entry(4, 72, 6),
            entry(4, 72, 1428),
            entry(4, 72, 6),
            entry(4, 36, 1),
            entry(4, 36, 238),
            entry(4, 36, 1),
        ],
        selected: Some(4),
    }
}

fn million_tiles() -> TileTypeMap {
    let entry = |count| TileTypeEntry { size: (1, 1), count };
    TileTypeMap {
        size: (1024, 1024),
        map: TileMap {
            columns: vec![run(0, 1, 1), run(1, 1, 1023)],
            rows: vec![run(0, 1, 1), run(1, 1, 1023)],
            types: vec![vec![0, 1], vec![2, 3]],
        },
        types: vec![entry(1), entry(1023), entry(1023), entry(1023 * 1023)],
        selected: None,
    }
}

fn level(name: &str) -> Option<Level> {
    let depth = match name {
        "dram" => 3,
        "sram_1MB_A" | "sram_1MB_W" => 2,
        _ => 1,
    };
    Some(Level { memory: name.to_owned(), depth })
}

fn level_matrix(layer_count: usize, name: impl Fn(usize) -> String, short: bool) -> LevelMatrix {
    let memory = |long: &'static str| match (short, long) {
        (true, "sram_64KB" | "sram_32KB") => level("LB"),
        (true, "sram_1MB_A" | "sram_1MB_W") => Some(Level { memory: "GB".to_owned(), depth: 2 }),
        (true, "dram") => Some(Level { memory: "DRAM".to_owned(), depth: 3 }),
        _ => level(long),
    };
    let tile = |title: &str, weights: &'static str| TypeLevels {
        title: title.to_owned(),
        layers: (0..layer_count)
            .map(|layer| {
                let w = if layer == 3 && !short { None } else { memory(weights) };
                let i = match layer {
                    0 => memory("dram"),
                    _ if layer + 1 == layer_count => memory("sram_1MB_A"),
                    _ => memory("sram_64KB"),
                };
                let o = match layer_count - layer {
                    1 => memory("dram"),
                    2 => memory("sram_1MB_A"),
                    _ => memory("sram_64KB"),
                };
                [w, i, o]
            })
            .collect(),
    };
    LevelMatrix {
        layers: (0..layer_count).map(name).collect(),
        types: vec![
            tile("type 1: 60 × 72, 1 tile", "dram"),
            tile("type 2: 60 × 72, 111 tiles", "sram_32KB"),
            tile("type 3: 60 × 36, 16 tiles", "sram_32KB"),
        ],
        depths: 4,
        selected: short.then_some(LevelCell { tile_type: 1, layer: 5, operand: Operand::I }),
    }
}

fn data_sizes(cached: bool) -> DataSizes {
    let sizes = [
        (6.0, 250.0),
        (250.0, 54.0),
        (54.0, 54.0),
        (54.0, 53.0),
        (53.0, 52.0),
        (52.0, 51.0),
        (51.0, 236.0),
        (236.0, 4.2),
    ];
    let layer = |(index, (input, output)): (usize, (f64, f64))| LayerData {
        layer: format!("L{}", index + 1),
        input: input * 1024.0,
        output: output * 1024.0,
        cached: if cached && index > 0 { input * 60.0 } else { 0.0 },
    };
    DataSizes {
        title: "type 2: 60 × 72, 111 tiles".to_owned(),
        layers: sizes.into_iter().enumerate().map(layer).collect(),
        capacities: vec![
            Capacity { memory: "rf_2B".to_owned(), bytes: 2.0 },
            Capacity { memory: "sram_64KB".to_owned(), bytes: 65_536.0 },
            Capacity { memory: "sram_1MB_A".to_owned(), bytes: 1_048_576.0 },
            Capacity { memory: "dram".to_owned(), bytes: 1e10 },
        ],
    }
}

fn accesses(scale: AxisScale) -> Accesses {
    let row = |memory: &str, by_cause| AccessRow { memory: memory.to_owned(), by_cause };
    Accesses {
        quantity: Quantity::Elements,
        scale,
        rows: vec![
            row("dram", [3.4e6, 15_600.0, 0.0]),
            row("sram_1MB_A", [2.5e7, 0.0, 6.1e7]),
            row("sram_1MB_W", [0.0, 0.0, 0.0]),
            row("sram_64KB", [9.1e8, 0.0, 7.7e7]),
            row("sram_32KB", [0.0, 4.4e8, 0.0]),
            row("rf_2B", [8.8e9, 0.0, 0.0]),
            row("rf_1B", [0.0, 6.4e9, 0.0]),
        ],
    }
}

fn energy_breakdown() -> Breakdown {
    let bar = |label: &str, mj: [f64; 4]| StackedBar {
        label: label.to_owned(),
        values: mj.iter().map(|value| value * 1e9).collect(),
    };
    Breakdown {
        quantity: Quantity::Energy,
        title: "Energy".to_owned(),
        bar: "strategy".to_owned(),
        causes: vec![Cause::Activation, Cause::Weight, Cause::Copy, Cause::Mac],
        bars: vec![
            bar("single-layer", [17.9, 1.2, 0.0, 0.9]),
            bar("layer-by-layer", [18.1, 1.2, 0.02, 0.9]),
            bar("H-cached, V-recompute 4 × 72", [0.46, 0.36, 0.1, 0.93]),
            bar("fully-cached 4 × 72", [0.42, 0.36, 0.13, 0.9]),
        ],
    }
}

fn latency_breakdown() -> Breakdown {
    let bar = |label: &str, mcycles: [f64; 6]| StackedBar {
        label: label.to_owned(),
        values: mcycles.iter().map(|value| value * 1e6).collect(),
    };
    Breakdown {
        quantity: Quantity::Latency,
        title: "Latency".to_owned(),
        bar: "strategy".to_owned(),
        causes: vec![Cause::Computing, Cause::IdlePes, Cause::Stall, Cause::Loading, Cause::Offloading, Cause::Copy],
        bars: vec![
            bar("SL", [6.4, 7.1, 16.8, 2.2, 1.1, 0.0]),
            bar("LBL", [6.4, 7.1, 12.2, 2.2, 1.1, 0.4]),
            bar("DF 4 × 72", [6.5, 7.3, 1.9, 0.4, 0.2, 2.2]),
        ],
    }
}

fn macs(scale: AxisScale) -> MacCounts {
    let group = |x: u64, y: u64, g: [f64; 3]| (format!("{x} × {y}"), g.map(|g| Some(g * 1e9)).to_vec());
    let mut groups = vec![
        group(1, 1, [160.0, 45.0, 6.5]),
        group(4, 4, [33.0, 14.0, 6.5]),
        group(16, 18, [11.2, 8.4, 6.5]),
        group(60, 72, [7.6, 7.0, 6.5]),
        group(240, 270, [6.8, 6.6, 6.5]),
        group(960, 540, [6.5, 6.5, 6.5]),
    ];
    groups[4].1[1] = None;
    MacCounts { scale, series: MODES.map(str::to_owned).to_vec(), groups, least: Some(6.46e9) }
}

fn scatter() -> Scatter {
    let mut points = Vec::new();
    for series in 0..3 {
        for k in 0..36 {
            points.push(ScatterPoint {
                label: format!("{} {} × {}", MODES[series], TILES_X[k % 6], TILES_Y[k / 6]),
                series,
                energy_pj: ENERGY[series][k] * 1e9,
                latency_cycles: LATENCY[series][k] * 1e6,
                pareto: false,
            });
        }
    }
    let better = |a: &ScatterPoint, b: &ScatterPoint| {
        a.energy_pj <= b.energy_pj
            && a.latency_cycles <= b.latency_cycles
            && (a.energy_pj, a.latency_cycles) != (b.energy_pj, b.latency_cycles)
    };
    let all = points.clone();
    for point in &mut points {
        point.pareto = !all.iter().any(|other| better(other, point));
    }
    Scatter { series: MODES.map(str::to_owned).to_vec(), points, selected: Some(39) }
}

/// A layer of two presets with its best mapping.
/// Hierarchies of which the dearer in area are the better in energy.
fn hierarchies() -> Hierarchies {
    let point = |index: u32| HierarchyPoint {
        name: format!("O: 64 B × {index}"),
        energy_pj: 4e7 / (1.0 + 0.02 * f64::from(index)) - 4e5 * f64::from(index % 7),
        latency_cycles: u64::from(135_000 + 9_000 * (index * 31 % 17)),
        area_um2: 1e6 + 1e4 * f64::from(index),
        pareto: index.is_multiple_of(5),
    };
    Hierarchies::new((0..100).map(point).collect(), Some(50))
}

/// Known energies, one that nobody knows yet, one of what does not fit.
fn unrolling_matrix() -> Matrix {
    let columns = (1..=6).map(|number| (number.to_string(), format!("hierarchy {number}")));
    let cells = (0..18).map(|cell| match cell {
        7 => None,
        9 => Some(None),
        cell => Some(Some(2.1e7 * (1.0 + f64::from(cell) * 0.9))),
    });
    Matrix {
        quantity: Quantity::Energy,
        row_title: "unrolling".to_owned(),
        column_title: "hierarchies".to_owned(),
        rows: ["OX 8 | K 8", "OX 8 | C 8", "K 8 | C 8"].map(str::to_owned).to_vec(),
        columns: columns.collect(),
        cells: cells.collect(),
    }
}

fn study(hardware: &str, workload: &str, layer: &str) -> LayerStudy {
    let text = |list, id| find_preset(list, id).unwrap().text.to_owned();
    let request = LayerRequest {
        hardware: text(hardware_presets(), hardware),
        workload: text(workload_presets(), workload),
        layer: Some(layer.to_owned()),
        objective: Objective::Energy,
        strategy: Strategy::default(),
        lpf_limit: 5,
        rules: Rules::CORRECTED,
        unroll: None,
    };
    LayerStudy::new(&request).unwrap()
}

/// A layer of two presets with its best mapping.
fn mapped(hardware: &str, workload: &str, layer: &str) -> (LayerFacts, MappedLayer) {
    let study = study(hardware, workload, layer);
    (study.facts(), study.best().unwrap())
}

/// What ZigZag's strategies find for the layer of the paper.
fn strategies() -> Vec<StrategyFindings> {
    let study = study("eyeriss-like", "alexnet-eyeriss", "conv2");
    ZigZagStrategy::ALL.map(|strategy| study.strategy(strategy).unwrap()).to_vec()
}

fn trajectories() -> Lines {
    let found = strategies();
    let named = ZigZagStrategy::ALL.iter().zip(&found).map(|(of, found)| (Some(of.name()), found.trajectory.as_ref()));
    let others = found[0].space.iter().flat_map(|(space, _)| &space.trajectories).map(|of| (None, Some(of)));
    let all: Vec<_> = named.chain(others).filter_map(|(name, of)| Some((name, of?))).collect();
    assert!(all.len() > 100, "{} trajectories", all.len());
    Lines::trajectories(&all)
}

fn mapping_space() -> Scatter {
    let found = strategies();
    let (space, even) = found[0].space.as_ref().unwrap();
    assert!(even.as_ref().unwrap().energy_pj() >= found[0].best.as_ref().unwrap().energy_pj());
    Scatter::mapping_space(&space.points)
}

/// Each figure with texts that must be on it at every width.
fn figures() -> Vec<(&'static str, Box<dyn Chart>, Vec<&'static str>)> {
    let axes = ["tile width X, columns", "tile height Y, rows"];
    let bar = ColorBar {
        quantity: Quantity::Energy,
        range: Some((1.81e9, 47.29e9)),
        infeasible: true,
        pareto: true,
        contours: vec![1.1, 1.5, 2.0],
    };
    let (facts, layer) = mapped("eyeriss-like", "alexnet-eyeriss", "conv2");
    let (sum_facts, sum) = mapped("tpu-like-df", "resnet18", "block1_1_add");
    vec![
        ("loop_nest", Box::new(LoopNest::new(&facts, &layer)), vec!["W", "I", "O", "spad_W", "dram", "MACs"]),
        ("loop_nest_add", Box::new(LoopNest::new(&sum_facts, &sum)), vec!["X", "Y", "O", "MACs"]),
        (
            "loop_effect",
            Box::new(Lines::effect(&facts, &layer)),
            vec!["elements accessed above the loop (log scale)", "accesses of a memory", "100 k"],
        ),
        ("loop_effect_add", Box::new(Lines::effect(&sum_facts, &sum)), vec!["X", "Y"]),
        (
            "memory_energy",
            Box::new(Breakdown::memory_energy(&facts, &layer)),
            vec!["global_buffer", "weight", "MAC units"],
        ),
        ("port_stalls", Box::new(Breakdown::port_stalls(&facts, &layer.ports)), vec!["weight", "sharing the port"]),
        ("mapping_space", Box::new(mapping_space()), vec!["even", "uneven", "energy, mJ"]),
        ("trajectories", Box::new(trajectories()), vec!["exhaustive", "other mappings"]),
        ("heatmap", Box::new(heatmap(2)), [&axes[..], &["fully-cached", "1.81", "540", "960"]].concat()),
        ("heatmap_partial", Box::new(latency_heatmap()), [&axes[..], &["1026", "22.8"]].concat()),
        ("heatmap_large", Box::new(large_heatmap()), axes.to_vec()),
        ("color_bar", Box::new(bar), vec!["Energy, mJ", "1.81", "47.3", "does not fit"]),
        ("tile_map", Box::new(tile_map()), vec!["type 2: 60 × 72, 111 tiles", "960 columns", "540 rows"]),
        ("tile_map_fine", Box::new(fine_tile_map()), vec!["type 5: 4 × 72, 1\u{202f}428 tiles"]),
        ("tile_map_million", Box::new(million_tiles()), vec!["type 4: 1 × 1, 1\u{202f}046\u{202f}529 tiles"]),
        (
            "level_matrix",
            Box::new(level_matrix(8, |k| format!("L{}", k + 1), true)),
            vec!["DRAM", "LB", "L8", "W", "type 1: 60 × 72, 1 tile"],
        ),
        (
            "level_matrix_many",
            Box::new(level_matrix(21, |k| format!("layer{}.0.conv{}", k / 4, k % 4), false)),
            vec!["layer0.0.conv0"],
        ),
        ("data_sizes", Box::new(data_sizes(false)), vec!["sram_64KB", "64 KiB", "L8", "input", "capacity"]),
        ("data_sizes_cached", Box::new(data_sizes(true)), vec!["of it cached"]),
        ("accesses_log", Box::new(accesses(AxisScale::Log)), vec!["dram", "8.80 G", "elements (log scale)"]),
        ("accesses_linear", Box::new(accesses(AxisScale::Linear)), vec!["sram_64KB", "data copy", "elements"]),
        ("energy", Box::new(energy_breakdown()), vec!["Energy by cause, mJ", "fully-cached 4 × 72", "1.81", "weight"]),
        ("latency", Box::new(latency_breakdown()), vec!["Latency by cause, Mcycles", "18.5", "stall", "idle PEs"]),
        (
            "macs_log",
            Box::new(macs(AxisScale::Log)),
            vec!["MACs (log scale)", "tile size X × Y", "nothing computed twice"],
        ),
        ("macs_linear", Box::new(macs(AxisScale::Linear)), vec!["MACs", "fully-recompute", "150 G"]),
        ("scatter", Box::new(scatter()), vec!["energy, mJ", "latency, Mcycles", "best trade-offs"]),
        (
            "hierarchies",
            Box::new(hierarchies()),
            vec!["energy, µJ", "latency, kcycles", "up to 1.99 mm²", "19.6 µJ, 1.50 mm²"],
        ),
        ("unrolling_matrix", Box::new(unrolling_matrix()), vec!["energy, µJ: bright is little", "OX 8 | K 8", "21.0"]),
    ]
}

/// The same figures without anything to show.
fn empty_figures() -> Vec<Box<dyn Chart>> {
    vec![
        Box::new(Heatmap { widths: vec![], heights: vec![], cells: vec![], range: None, ..heatmap(0) }),
        Box::new(Heatmap { cells: vec![], range: None, selected: Some((9, 9)), ..heatmap(0) }),
        Box::new(Heatmap { cells: vec![Cell::Value { value: f64::NAN, pareto: true }], range: None, ..heatmap(0) }),
        Box::new(ColorBar {
            quantity: Quantity::Latency,
            range: None,
            infeasible: false,
            pareto: false,
            contours: Vec::new(),
        }),
        Box::new(TileTypeMap { size: (0, 0), map: TileMap::default(), types: vec![], selected: None }),
        Box::new(LevelMatrix { layers: vec![], types: vec![], depths: 0, selected: None }),
        Box::new(DataSizes { title: String::new(), layers: vec![], capacities: vec![] }),
        Box::new(Accesses { rows: vec![], ..accesses(AxisScale::Log) }),
        Box::new(Breakdown { bars: vec![], ..energy_breakdown() }),
        Box::new(MacCounts { groups: vec![], series: vec![], least: None, scale: AxisScale::Log }),
        Box::new(Scatter::default()),
        Box::new(Hierarchies::default()),
        Box::new(Matrix { rows: vec![], columns: vec![], cells: vec![], ..unrolling_matrix() }),
        Box::new(LoopNest::default()),
        Box::new(Lines::trajectories(&[])),
    ]
}

fn directory() -> PathBuf {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/charts");
    fs::create_dir_all(&directory).unwrap();
    directory
}

fn themes() -> [(&'static str, Theme); 2] {
    [("light", Theme::LIGHT.painted()), ("dark", Theme::DARK.painted())]
}

/// Left, top, right and bottom edge.
type Bounds = (i32, i32, i32, i32);

fn texts(sketch: &Sketch) -> Vec<(&str, Bounds)> {
    (sketch.shapes.iter())
        .filter_map(|shape| match shape {
            Shape::Text { text, .. } => Some((text.as_str(), shape.bounds())),
            _ => None,
        })
        .collect()
}

fn check_layout(name: &str, sketch: &Sketch) {
    let (right, bottom) = (sketch.width as i32, sketch.height as i32);
    for shape in &sketch.shapes {
        let (left, top, r, b) = shape.bounds();
        assert!(
            left >= 0 && top >= 0 && r <= right && b <= bottom,
            "{name}, {right} wide: {shape:?} leaves the figure"
        );
    }
    let texts = texts(sketch);
    for (index, (text, a)) in texts.iter().enumerate() {
        for (other, b) in &texts[..index] {
            let apart = a.2 <= b.0 || b.2 <= a.0 || a.3 <= b.1 || b.3 <= a.1;
            assert!(apart, "{name}, {right} wide: `{text}` {a:?} overlaps `{other}` {b:?}");
        }
    }
}

#[test]
fn every_figure_is_complete_in_both_themes_and_at_both_widths() {
    let mut page = "<!doctype html><meta charset=\"utf-8\"><title>Figures</title>".to_owned();
    for (theme_name, theme) in themes() {
        for (name, chart, labels) in figures() {
            for width in WIDTHS {
                let document = svg(chart.as_ref(), width, &theme).unwrap();
                let file = format!("{name}_{theme_name}_{width}.svg");
                fs::write(directory().join(&file), &document).unwrap();
                writeln!(page, "<p>{file}<br><img src=\"{file}\" alt=\"{name}\">").unwrap();
                for label in &labels {
                    assert!(document.contains(&format!("\n{label}\n")), "{file}: `{label}` is missing");
                }
                assert!(!document.contains("NaN") && !document.contains("inf"), "{file} has an impossible coordinate");
                assert!(document.contains("role=\"img\" aria-label=\""), "{file} has no description");
            }
        }
    }
    fs::write(directory().join("index.html"), page).unwrap();
}

#[test]
fn texts_neither_overlap_nor_leave_the_figure() {
    for (name, chart, _) in figures() {
        for width in (240..=1400).step_by(35).chain(WIDTHS) {
            let sketch = chart.sketch(width, &Theme::LIGHT);
            assert_eq!((sketch.width, sketch.height), (width, chart.height_for(width)), "{name}");
            check_layout(name, &sketch);
        }
    }
}

#[test]
fn texts_are_legible() {
    for (theme_name, theme) in themes() {
        for (name, chart, _) in figures() {
            for shape in &chart.sketch(360, &theme).shapes {
                let Shape::Text { text, lettering, .. } = shape else { continue };
                assert!(lettering.size >= 9.0, "{name}: `{text}` is too small");
            }
        }
        for color in [theme.ink, theme.soft] {
            assert!(contrast(color, theme.panel) >= 4.5, "{theme_name}: {color:?}");
        }
        for color in [theme.accent, theme.weight, theme.input, theme.output, theme.copy] {
            assert!(contrast(color, theme.panel) >= 3.0, "{theme_name}: {color:?}");
        }
    }
}

/// The account of some points of FSRCNN on the Meta-prototype, and every figure of it.
#[test]
fn a_real_sweep_fills_every_figure() {
    let settings = Settings {
        tiles_x: vec![60, 960],
        tiles_y: vec![72, 540],
        modes: vec![StoringMode::FullyRecompute, StoringMode::FullyCached],
        rules: Rules::DEFINES_2022,
        ..Settings::default()
    };
    let request = Request {
        hardware: find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), "fsrcnn-defines").unwrap().text.to_owned(),
        settings: settings.clone(),
    };
    let sweep = Sweep::new(&request).unwrap();
    let plan = sweep.plan();
    let solutions = solve_all(&sweep, &plan, |_| {});
    let mut assembler = sweep.assembler(&plan);
    let mut account = |point: usize| {
        let plan = plan.points[point].as_ref().unwrap();
        assembler.assemble(plan, &|problem| solutions[problem].as_ref()).unwrap()
    };
    let accounts: Vec<PointAccount> = (0..plan.points.len()).map(&mut account).collect();
    let summaries: Vec<PointSummary> =
        accounts.iter().enumerate().map(|(point, account)| sweep.summarize(point, account)).collect();
    let mut states: Vec<PointState<'_>> = summaries.iter().map(PointState::Known).collect();
    states[1] = PointState::Pending;
    let landscape = Landscape {
        settings: &settings,
        strategies: &plan.strategies,
        states: &states,
        pareto: &pareto_front(&summaries),
    };

    let tile = (60, 72);
    let point = landscape.point(tile, StoringMode::FullyRecompute, &FuseDepth::Automatic).unwrap();
    let account = &accounts[point];
    let stack = &account.stacks[0];
    let labelled: Vec<(String, &PointAccount)> = plan.strategies.iter().map(strategy_title).zip(&accounts).collect();
    let maps = landscape.heatmaps(Quantity::Energy, &FuseDepth::Automatic);
    assert_eq!(maps[0].cells[1], Cell::Pending);
    assert_eq!(maps[0].range, maps[1].range);
    let (scatter, points) = landscape.scatter();
    assert_eq!((scatter.points.len(), points.len()), (7, 7));

    let mut charts: Vec<(String, Box<dyn Chart>)> = vec![
        ("tile_map".to_owned(), Box::new(TileTypeMap::from_account(stack))),
        ("levels".to_owned(), Box::new(LevelMatrix::from_account(stack, &account.memories))),
        ("accesses".to_owned(), Box::new(Accesses::from_account(account, Counted::Elements, AxisScale::Log))),
        ("words".to_owned(), Box::new(Accesses::from_account(account, Counted::Words, AxisScale::Linear))),
        ("energy".to_owned(), Box::new(Breakdown::energy(&labelled))),
        ("latency".to_owned(), Box::new(Breakdown::latency(&labelled))),
        ("macs".to_owned(), Box::new(landscape.macs(&FuseDepth::Automatic, AxisScale::Linear))),
        ("scatter".to_owned(), Box::new(scatter)),
        ("heatmap".to_owned(), Box::new(maps[1].clone())),
    ];
    for (index, tile_type) in stack.tile_types.iter().enumerate() {
        let sizes = DataSizes::from_account(index, tile_type, &account.memories);
        charts.push((format!("sizes_{index}"), Box::new(sizes)));
    }
    for (name, chart) in &charts {
        for width in WIDTHS {
            check_layout(name, &chart.sketch(width, &Theme::LIGHT));
            let document = svg(chart.as_ref(), width, &Theme::LIGHT.painted()).unwrap();
            fs::write(directory().join(format!("real_{name}_light_{width}.svg")), document).unwrap();
        }
        assert!(chart.table().rows.iter().all(|row| row.len() == chart.table().columns.len()), "{name}");
    }
}

#[test]
fn every_figure_has_a_table_and_a_sentence() {
    for (name, chart, _) in figures() {
        let table = chart.table();
        assert!(!table.caption.is_empty() && !table.rows.is_empty(), "{name}");
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{name}: ragged table");
        assert_eq!(table.to_csv().lines().count(), table.rows.len() + 1, "{name}");
        let sentence = chart.describe();
        assert!(sentence.ends_with('.') && sentence.len() > 40, "{name}: {sentence}");
    }
    let table = heatmap(2).table();
    assert_eq!(table.caption, "Energy, mJ: fully-cached");
    assert_eq!(table.rows[3], ["72", "2.29", "1.81", "2.08", "2.15", "8.52", "17.6"]);
}

#[test]
fn figures_without_data_are_drawn() {
    for chart in empty_figures() {
        for width in [0, 360, 1100] {
            let document = svg(chart.as_ref(), width, &Theme::DARK).unwrap();
            assert!(!document.contains("NaN") && !document.contains("inf"), "{}", chart.describe());
            check_layout(&chart.describe(), &chart.sketch(width, &Theme::DARK));
        }
        chart.table();
    }
}

#[test]
fn a_click_finds_the_cell_that_is_drawn_there() {
    for map in [heatmap(0), latency_heatmap(), large_heatmap()] {
        for width in [300, 360, 777, 1100] {
            for (column, row) in (0..map.widths.len()).flat_map(|x| (0..map.heights.len()).map(move |y| (x, y))) {
                let (x, y, w, h) = map.cell_place(column, row, width).unwrap();
                for (x, y) in [(x, y), (x + w - 1, y + h - 1)] {
                    let at = (f64::from(x) + 0.5, f64::from(y) + 0.5);
                    assert_eq!(map.cell_at(at.0, at.1, width), Some((column, row)), "{width}");
                }
            }
            assert_eq!(map.cell_at(1.0, 100.0, width), None);
            assert_eq!(map.cell_at(f64::from(width) / 2.0, 1.0, width), None);
        }
    }
}

#[test]
fn a_click_finds_a_layer_tile_a_tile_type_and_a_point() {
    let matrix = level_matrix(8, |k| format!("L{k}"), true);
    let cell = |x, y| matrix.cell_at(x, y, 360).map(|cell| (cell.tile_type, cell.layer, cell.operand));
    assert_eq!(cell(30.0, 60.0), Some((0, 0, Operand::W)));
    assert_eq!(cell(350.0, 110.0), Some((0, 7, Operand::O)));
    assert_eq!(cell(10.0, 60.0), None);
    let map = tile_map();
    assert_eq!(map.type_at(22.0, 4.0, 360), Some(0));
    assert_eq!(map.type_at(200.0, 100.0, 360), Some(1));
    assert_eq!(map.type_at(5.0, 5.0, 360), None);
    let scatter = scatter();
    let found = (0..360).flat_map(|x| (0..400).map(move |y| (x, y)));
    let mut found: Vec<usize> = found.filter_map(|(x, y)| scatter.point_at(f64::from(x), f64::from(y), 360)).collect();
    found.sort_unstable();
    found.dedup();
    assert!(found.len() > 80, "only {} of 108 points can be reached", found.len());
}

#[test]
fn large_figures_stay_small() {
    let map = million_tiles().sketch(1100, &Theme::LIGHT);
    assert!(map.shapes.len() < 400, "{} shapes for a million tiles", map.shapes.len());
    let heatmap = large_heatmap().sketch(360, &Theme::LIGHT);
    assert!(heatmap.shapes.len() < 4 * 48 * 48, "{} shapes for 48 × 48 cells", heatmap.shapes.len());
}

#[test]
fn many_cells_are_one_image_of_their_colours() {
    let map = large_heatmap();
    for width in [300, 420] {
        let sketch = map.sketch(width, &Theme::LIGHT);
        let images: Vec<_> = sketch
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Image { at, size, columns, colors } => Some((*at, *size, *columns, colors)),
                _ => None,
            })
            .collect();
        let [(at, size, 48, colors)] = images.as_slice() else { panic!("{} images", images.len()) };
        assert_eq!(colors.len(), 48 * 48);
        assert!(at.0 + size.0 <= width as i32 && at.1 + size.1 <= sketch.height as i32);
        let of = |column: usize, row: usize| colors[row * 48 + column];
        let (low, high) = Heatmap::shared_range(std::slice::from_ref(&map)).unwrap();
        let share = |value: f64| (value / low).ln() / (high / low).ln();
        assert_eq!(of(9, 20), viridis(share(map.cell(9, 20).value().unwrap())));
        assert_eq!(map.cell_at(f64::from(at.0) + 1.0, f64::from(at.1) + 1.0, width), Some((0, 0)));
        let last = (f64::from(at.0 + size.0) - 0.5, f64::from(at.1 + size.1) - 0.5);
        assert_eq!(map.cell_at(last.0, last.1, width), Some((47, 47)));
    }
    // The lines say how much more they stand for.
    let texts: Vec<String> = map.sketch(420, &Theme::LIGHT).shapes.iter().filter_map(text_of).collect();
    assert!(texts.iter().any(|text| text == "2×"), "{texts:?}");
    // Few cells are drawn one by one, with their values.
    let is_image = |shape: &Shape| matches!(shape, Shape::Image { .. });
    assert!(!heatmap(0).sketch(420, &Theme::LIGHT).shapes.iter().any(is_image));
}

#[test]
fn a_cell_not_computed_yet_looks_like_its_neighbour_on_a_coarser_grid() {
    let mut map = large_heatmap();
    let known = map.cell(8, 8).value().unwrap();
    map.cells[9 * 48 + 9] = Cell::Estimate(known);
    let sketch = map.sketch(420, &Theme::LIGHT);
    let colors = sketch.shapes.iter().find_map(|shape| match shape {
        Shape::Image { colors, .. } => Some(colors),
        _ => None,
    });
    assert_eq!(colors.unwrap()[9 * 48 + 9], colors.unwrap()[8 * 48 + 8]);
    assert_eq!(map.cell(9, 9).value(), None);
    assert_eq!(map.table().rows[9][10], "");
}

#[test]
fn a_part_of_a_landscape_marks_the_best_only_where_it_lies() {
    let elsewhere = Heatmap { best: Best::At(None), ..heatmap(0) };
    assert_eq!(elsewhere.best(), None);
    assert_eq!(Heatmap { best: Best::At(Some((3, 2))), ..heatmap(0) }.best(), Some((3, 2)));
    assert_eq!(Heatmap { best: Best::At(Some((9, 9))), ..heatmap(0) }.best(), None);
}

fn text_of(shape: &Shape) -> Option<String> {
    match shape {
        Shape::Text { text, .. } => Some(text.clone()),
        _ => None,
    }
}

#[test]
fn of_equal_cells_the_best_is_one_that_nothing_beats() {
    let cells = [(3.0, false), (2.0, false), (2.0, true), (5.0, true)];
    let cells = cells.map(|(value, pareto)| Cell::Value { value, pareto }).to_vec();
    let map = Heatmap { widths: vec![1, 2], heights: vec![1, 2], cells, ..heatmap(0) };
    assert_eq!(map.best(), Some((0, 1)));
}

/// ZigZag, Fig. 6: the table says what the figure says.
#[test]
fn the_table_of_loop_information_has_the_rows_of_figure_6() {
    let (facts, layer) = mapped("eyeriss-like", "alexnet-eyeriss", "conv2");
    for operand in 0..3 {
        let table = information_table(&facts, &layer, operand);
        assert_eq!(table.columns.len(), facts.operands[operand].1.len() + 2);
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{table:?}");
    }
    let outputs = information_table(&facts, &layer, 0);
    assert_eq!(outputs.caption, "O: 173\u{202f}056 elements, each used 1\u{202f}200 times");
    let sizes = outputs.rows.iter().find(|row| row[0] == "data size in total, elements").unwrap();
    assert_eq!(sizes.last().unwrap(), "173\u{202f}056");
    let links = port_table(&layer.ports);
    assert!(links.rows.iter().any(|row| row[0].starts_with("dram") && row[1] == "W read to low"), "{links:?}");
}
