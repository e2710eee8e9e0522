//! Figures with numbers of the papers, and some that are hard to draw.

use fusescape::chart::{
    AccessRow, AxisScale, BarCause, BestCell, Breakdown, Capacity, ChangeBar, Chart, ColorBar, Curves, DataSizes,
    FusionMap, GroupStrips, Heatmap, HeatmapCell, Hierarchies, HierarchyPoint, LayerData, LevelCell, LevelMatrix,
    Lines, LoopNests, MacCounts, Matrix, MatrixLevel, MemoryAccesses, NetworkDrawing, NetworkLayer, Pair, Paired,
    Panels, Quantity, Ramp, Scatter, ScatterPoint, SequenceQuantity, StackedBar, TableCell, TileTypeEntry, TileTypeMap,
    TypeLevels, partition_scatter, resource_curves, reuse_bars, sequence_bars, sequence_ctc, storage_bars,
};
use fusescape::cost::{EnergyCause, LatencySplit};
use fusescape::depth_first::{TileMap, TileRun, TileTypeId};
use fusescape::explore::{
    CostStore, DesignLayer, FusionComparison, LayerFacts, LayerRequest, MappedLayer, ONLINE_STEPS, OnlineProblem,
    Request, Resource, ResourceStep, SequenceCosts, SequenceFinding, SequenceQuestion, Settings, StackLimits,
    StackProblem, StackRun, StrategyFindings, Sweep, SweptParameter, ZigZagStrategy, compare_fusions, find_sequences,
    fusion_step,
};
use fusescape::hardware::Operand;
use fusescape::rules::Rules;
use fusescape::search::{Objective, Strategy};
use fusescape::spec::{find_preset, hardware_presets, workload_presets};
use fusescape::workload::{Dim, Network};

pub const TILES_X: [u64; 6] = [1, 4, 16, 60, 240, 960];
pub const TILES_Y: [u64; 6] = [1, 4, 18, 72, 270, 540];
pub const MODES: [&str; 3] = ["fully-recompute", "H-cached, V-recompute", "fully-cached"];

/// DeFiNES, Fig. 12, mJ.
pub const ENERGY: [[f64; 36]; 3] = [
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
pub const LATENCY: [[f64; 36]; 3] = [
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

pub fn heatmap(mode: usize) -> Heatmap {
    let cells = ENERGY[mode].iter().map(|mj| HeatmapCell::Value { value: mj * 1e9, pareto: *mj < 1.83 }).collect();
    Heatmap {
        quantity: Quantity::Energy,
        title: MODES[mode].to_owned(),
        widths: TILES_X.to_vec(),
        heights: TILES_Y.to_vec(),
        cells,
        range: Some((1.81e9, 47.29e9)),
        selected: None,
        best: BestCell::OfCells,
        contours: Vec::new(),
        ramp: Ramp::default(),
    }
}

pub fn latency_heatmap() -> Heatmap {
    let mut cells: Vec<HeatmapCell> =
        LATENCY[0].iter().map(|m| HeatmapCell::Value { value: (m * 1e6).round(), pareto: *m < 23.0 }).collect();
    cells[35] = HeatmapCell::Infeasible;
    cells[34] = HeatmapCell::Infeasible;
    cells.truncate(36);
    for pending in [5, 20, 28, 29] {
        cells[pending] = HeatmapCell::Pending;
    }
    Heatmap { quantity: Quantity::Latency, cells, range: None, selected: Some((1, 3)), ..heatmap(0) }
}

pub fn large_heatmap() -> Heatmap {
    let sizes: Vec<u64> = (1..=48).map(|k| k * 20).collect();
    let value = |k: usize| {
        let (x, y) = ((k % 48) as f64, (k / 48) as f64);
        2e9 + 4e7 * (x - 9.0).powi(2) + 2e7 * (y - 20.0).powi(2) + 5e6 * x * y
    };
    let cell = |k: usize| match k % 48 + k / 48 {
        88.. => HeatmapCell::Infeasible,
        _ => HeatmapCell::Value { value: value(k), pareto: k.is_multiple_of(97) },
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

pub fn run(start: u64, size: u64, count: u64) -> TileRun {
    TileRun { start, size, count }
}

/// Tile types by their numbers, one row of runs each.
fn types_of(rows: &[&[usize]]) -> Vec<Vec<TileTypeId>> {
    rows.iter().map(|row| row.iter().copied().map(TileTypeId::from).collect()).collect()
}

/// DeFiNES, Fig. 6: 60 × 72 on 960 × 540.
pub fn tile_map() -> TileTypeMap {
    let entry = |width, height, count| TileTypeEntry { size: (width, height), count };
    TileTypeMap {
        size: (960, 540),
        map: TileMap {
            columns: vec![run(0, 60, 1), run(60, 60, 15)],
            rows: vec![run(0, 72, 1), run(72, 72, 6), run(504, 36, 1)],
            types: types_of(&[&[0, 1], &[1, 1], &[2, 2]]),
        },
        types: vec![entry(60, 72, 1), entry(60, 72, 111), entry(60, 36, 16)],
        selected: None,
    }
}

pub fn fine_tile_map() -> TileTypeMap {
    let entry = |width, height, count| TileTypeEntry { size: (width, height), count };
    TileTypeMap {
        size: (960, 540),
        map: TileMap {
            columns: vec![run(0, 4, 1), run(4, 4, 238), run(956, 4, 1)],
            rows: vec![run(0, 72, 1), run(72, 72, 6), run(504, 36, 1)],
            types: types_of(&[&[0, 1, 2], &[3, 4, 5], &[6, 7, 8]]),
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

pub fn million_tiles() -> TileTypeMap {
    let entry = |count| TileTypeEntry { size: (1, 1), count };
    TileTypeMap {
        size: (1024, 1024),
        map: TileMap {
            columns: vec![run(0, 1, 1), run(1, 1, 1023)],
            rows: vec![run(0, 1, 1), run(1, 1, 1023)],
            types: types_of(&[&[0, 1], &[2, 3]]),
        },
        types: vec![entry(1), entry(1023), entry(1023), entry(1023 * 1023)],
        selected: None,
    }
}

pub fn level(name: &str) -> Option<MatrixLevel> {
    let depth = match name {
        "dram" => 3,
        "sram_1MB_A" | "sram_1MB_W" => 2,
        _ => 1,
    };
    Some(MatrixLevel { memory: name.to_owned(), depth })
}

pub fn level_matrix(layer_count: usize, name: impl Fn(usize) -> String, short: bool) -> LevelMatrix {
    let memory = |long: &'static str| match (short, long) {
        (true, "sram_64KB" | "sram_32KB") => level("LB"),
        (true, "sram_1MB_A" | "sram_1MB_W") => Some(MatrixLevel { memory: "GB".to_owned(), depth: 2 }),
        (true, "dram") => Some(MatrixLevel { memory: "DRAM".to_owned(), depth: 3 }),
        _ => level(long),
    };
    let tile = |title: &str, weights: &'static str| TypeLevels {
        title: title.to_owned(),
        members: title.find(':').and_then(|end| title["type ".len()..end].parse().ok()).into_iter().collect(),
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

pub fn data_sizes(cached: bool) -> DataSizes {
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

pub fn accesses(scale: AxisScale) -> MemoryAccesses {
    let row = |memory: &str, by_cause: [f64; 3]| AccessRow { memory: memory.to_owned(), by_cause: by_cause.into() };
    MemoryAccesses {
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

pub fn energy_breakdown() -> Breakdown {
    let bar = |label: &str, mj: [f64; 4]| StackedBar {
        label: label.to_owned(),
        values: mj.iter().map(|value| value * 1e9).collect(),
    };
    Breakdown {
        quantity: Quantity::Energy,
        title: "Energy".to_owned(),
        bar: "strategy".to_owned(),
        causes: EnergyCause::seen_in([]).into_iter().map(BarCause::Energy).collect(),
        bars: vec![
            bar("single-layer", [17.9, 1.2, 0.0, 0.9]),
            bar("layer-by-layer", [18.1, 1.2, 0.02, 0.9]),
            bar("H-cached, V-recompute 4 × 72", [0.46, 0.36, 0.1, 0.93]),
            bar("fully-cached 4 × 72", [0.42, 0.36, 0.13, 0.9]),
        ],
    }
}

pub fn latency_breakdown() -> Breakdown {
    let bar = |label: &str, mcycles: [f64; 6]| StackedBar {
        label: label.to_owned(),
        values: mcycles.iter().map(|value| value * 1e6).collect(),
    };
    Breakdown {
        quantity: Quantity::Latency,
        title: "Latency".to_owned(),
        bar: "strategy".to_owned(),
        causes: BarCause::of_latency(&LatencySplit::default()).map(|(cause, _)| cause).collect(),
        bars: vec![
            bar("SL", [6.4, 7.1, 16.8, 2.2, 1.1, 0.0]),
            bar("LBL", [6.4, 7.1, 12.2, 2.2, 1.1, 0.4]),
            bar("DF 4 × 72", [6.5, 7.3, 1.9, 0.4, 0.2, 2.2]),
        ],
    }
}

pub fn macs(scale: AxisScale) -> MacCounts {
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

pub fn scatter() -> Scatter {
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

/// Hierarchies with less energy for more area.
pub fn hierarchies() -> Hierarchies {
    let point = |index: u32| HierarchyPoint {
        name: format!("O: 64 B × {index}"),
        energy_pj: 4e7 / (1.0 + 0.02 * f64::from(index)) - 4e5 * f64::from(index % 7),
        latency_cycles: u64::from(135_000 + 9_000 * (index * 31 % 17)),
        area_um2: 1e6 + 1e4 * f64::from(index),
        pareto: index.is_multiple_of(5),
    };
    Hierarchies::new((0..100).map(point).collect(), Some(50))
}

/// Known energies, one that is not computed yet, and one of an infeasible hierarchy.
pub fn unrolling_matrix() -> Matrix {
    let columns = (1..=6).map(|number| (number.to_string(), format!("hierarchy {number}")));
    let cells = (0..18).map(|cell| match cell {
        7 => None,
        9 => Some(None),
        cell => Some(Some(2.1e7 * (1.0 + f64::from(cell) * 0.9))),
    });
    Matrix {
        chosen: None,
        marks_best: false,
        quantity: Quantity::Energy,
        row_title: "unrolling".to_owned(),
        column_title: "hierarchies".to_owned(),
        rows: ["OX 8 | K 8", "OX 8 | C 8", "K 8 | C 8"].map(str::to_owned).to_vec(),
        columns: columns.collect(),
        cells: cells.collect(),
    }
}

pub fn design_layer(hardware: &str, workload: &str, layer: &str) -> DesignLayer {
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
    DesignLayer::new(&request).unwrap()
}

/// A layer of two presets with its best mapping.
pub fn mapped(hardware: &str, workload: &str, layer: &str) -> (LayerFacts, MappedLayer) {
    let design_layer = design_layer(hardware, workload, layer);
    (design_layer.facts(), design_layer.best().unwrap())
}

/// The results of ZigZag's strategies for the paper's layer.
pub fn strategies() -> Vec<StrategyFindings> {
    let design_layer = design_layer("eyeriss-like", "alexnet-eyeriss", "conv2");
    ZigZagStrategy::ALL.map(|strategy| design_layer.strategy(strategy).unwrap()).to_vec()
}

pub fn trajectories() -> Lines {
    let found = strategies();
    let named = ZigZagStrategy::ALL.iter().zip(&found).map(|(of, found)| (Some(of.name()), found.trajectory.as_ref()));
    let others = found[0].space.iter().flat_map(|(space, _)| &space.trajectories).map(|of| (None, Some(of)));
    let all: Vec<_> = named.chain(others).filter_map(|(name, of)| Some((name, of?))).collect();
    assert!(all.len() > 100, "{} trajectories", all.len());
    Lines::trajectories(&all)
}

pub fn mapping_space() -> Scatter {
    let found = strategies();
    let (space, even) = found[0].space.as_ref().unwrap();
    assert!(even.as_ref().unwrap().energy_pj() >= found[0].best.as_ref().unwrap().energy_pj());
    Scatter::mapping_space(&space.points)
}

/// The layers of a preset, cut after every `per_stack` of them.
fn network(id: &str, per_stack: usize) -> NetworkDrawing {
    let preset = find_preset(workload_presets(), id).unwrap();
    let network = Network::from_text(preset.text).unwrap();
    let layers: Vec<NetworkLayer> = network
        .ids()
        .map(|id| {
            let layer = network.layer(id);
            let (x, y) = (layer.shape.size(Dim::OX), layer.shape.size(Dim::OY));
            NetworkLayer {
                name: layer.name.clone(),
                kind: layer.shape.kind.name().to_owned(),
                sizes: [
                    format!("{x} × {y} × {}", layer.shape.output_channels()).into(),
                    TableCell::size(layer.shape.output_bits()),
                    "".into(),
                    TableCell::of(Quantity::Macs, layer.shape.macs() as f64),
                ],
            }
        })
        .collect();
    let indices: Vec<usize> = (1..layers.len()).collect();
    let outline = fusescape::spec::edit::Outline::read(preset.text).unwrap();
    let (_, edges) = fusescape::form::layer_graph(&outline);
    NetworkDrawing {
        name: network.name.clone(),
        layers,
        edges,
        stacks: indices.chunks(per_stack).map(<[usize]>::to_vec).collect(),
    }
}

/// Increases and decreases, of which the increases exceed the figure.
fn change_bar() -> ChangeBar {
    let growth = |cause: EnergyCause| if cause == EnergyCause::Mac { -0.2e9 } else { 1.1e9 };
    let growths = EnergyCause::ALL.into_iter().map(|cause| (BarCause::Energy(cause), growth(cause))).collect();
    ChangeBar { quantity: Quantity::Energy, growths, whole: 1.81e9 }
}

pub fn figures() -> Vec<(&'static str, Box<dyn Chart>, Vec<&'static str>)> {
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
        ("change_bar", Box::new(change_bar()), vec![]),
        ("loop_nest", Box::new(LoopNests::new(&facts, &layer)), vec!["W", "I", "O", "spad_W", "dram", "MACs"]),
        ("loop_nest_add", Box::new(LoopNests::new(&sum_facts, &sum)), vec!["X", "Y", "O", "MACs"]),
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
        ("fusion_map", Box::new(FusionMap::new(&fusions())), vec!["conv1", "7 × 7"]),
        ("fusion_buffer", Box::new(fusion_buffer()), vec!["oracle", "this design", "2.00 MiB"]),
        ("sequence_energy", sequence_figure("energy"), vec!["SL", "FT", "FS", "DRAM", "CONV1 + CONV2"]),
        ("sequence_ctc", sequence_figure("ctc"), vec!["CTC ratio", "temporal fusion", "not for more than 4 layers"]),
        (
            "sequence_storage",
            sequence_figure("storage"),
            vec!["reuse buffers", "on-chip buffer 2.00 MiB", "8: to CONV6"],
        ),
        ("sequence_reuse", sequence_figure("reuse"), vec!["Alwani et al.", "HW-Flow-Fusion"]),
        ("sequence_partitions", sequence_figure("partitions"), vec!["partition", "best trade-offs"]),
        ("sequence_array", sequence_figure("array"), vec!["every PE busy", "this design", "32 × 32"]),
        ("online_groups", Box::new(online_groups()), vec!["on line", "exact search", "conv1"]),
        ("online_sweep", Box::new(online_sweep()), vec!["decided on line", "exact search", "at the slider"]),
        ("port_stalls", Box::new(Breakdown::port_stalls(&facts, &layer.ports)), vec!["weight", "sharing the port"]),
        ("mapping_space", Box::new(mapping_space()), vec!["even", "uneven", "energy, mJ"]),
        ("trajectories", Box::new(trajectories()), vec!["exhaustive", "other mappings"]),
        ("heatmap", Box::new(heatmap(2)), [&axes[..], &["fully-cached", "1.81", "540", "960"]].concat()),
        ("heatmap_partial", Box::new(latency_heatmap()), [&axes[..], &["1026", "22.8"]].concat()),
        ("heatmap_ratio", Box::new(ratio_heatmap()), axes.to_vec()),
        ("paired", Box::new(paired()), vec!["A, pinned", "B, at hand"]),
        ("heatmap_large", Box::new(large_heatmap()), axes.to_vec()),
        (
            "panels",
            Box::new(Panels { bar: bar.clone(), maps: vec![heatmap(0), heatmap(1), heatmap(2)] }),
            axes.to_vec(),
        ),
        ("network", Box::new(network("fsrcnn-defines", 3)), vec!["FSRCNN (DeFiNES)", "extract", "960 × 540 × 16"]),
        ("network_branches", Box::new(network("resnet18", 6)), vec!["conv1", "fc"]),
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
        ("scatter", Box::new(scatter()), vec!["energy, mJ", "latency, Mcycles"]),
        (
            "hierarchies",
            Box::new(hierarchies()),
            vec!["energy, µJ", "latency, kcycles", "up to 1.99 mm²", "19.6 µJ, 1.50 mm²"],
        ),
        ("unrolling_matrix", Box::new(unrolling_matrix()), vec!["energy, µJ: bright is little", "OX 8 | K 8", "21.0"]),
    ]
}

/// The same figures without content.
pub fn empty_figures() -> Vec<Box<dyn Chart>> {
    vec![
        Box::new(Heatmap { widths: vec![], heights: vec![], cells: vec![], range: None, ..heatmap(0) }),
        Box::new(Heatmap { cells: vec![], range: None, selected: Some((9, 9)), ..heatmap(0) }),
        Box::new(Heatmap {
            cells: vec![HeatmapCell::Value { value: f64::NAN, pareto: true }],
            range: None,
            ..heatmap(0)
        }),
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
        Box::new(MemoryAccesses { rows: vec![], ..accesses(AxisScale::Log) }),
        Box::new(Breakdown { bars: vec![], ..energy_breakdown() }),
        Box::new(MacCounts { groups: vec![], series: vec![], least: None, scale: AxisScale::Log }),
        Box::new(Scatter::default()),
        Box::new(Hierarchies::default()),
        Box::new(Matrix { rows: vec![], columns: vec![], cells: vec![], ..unrolling_matrix() }),
        Box::new(LoopNests::default()),
        Box::new(Lines::trajectories(&[])),
    ]
}

/// Two designs: one memory only in A, one only in B, one in both.
pub fn paired() -> Paired {
    let pair = |label: &str, a, b| Pair { label: label.to_owned(), a, b };
    let pairs = vec![
        pair("dram", Some(0.83e9), Some(0.84e9)),
        pair("sram_64KB", Some(0.28e9), None),
        pair("rf_of_all_processing_elements", None, Some(1.32e9)),
        pair("sram_1MB_W", Some(49_600.0), Some(50_000.0)),
        pair("MACs", Some(0.335e9), Some(0.335e9)),
    ];
    Paired::new(Quantity::Energy, "Energy by memory", "memory", pairs)
}

/// Ratios of the costs of two designs.
pub fn ratio_heatmap() -> Heatmap {
    let cell = |index: usize| HeatmapCell::Value { value: LATENCY[2][index] / LATENCY[0][index] * 1.3, pareto: false };
    Heatmap {
        quantity: Quantity::Factor,
        cells: (0..36).map(cell).collect(),
        ramp: Ramp::Diverging,
        range: Some((1.0 / 60.0, 60.0)),
        ..heatmap(2)
    }
}

/// The results of all methods for ResNet18 with a few tile sizes.
fn fusions() -> FusionComparison {
    let mut study = StackProblem::new(resnet18(), StackLimits::default()).unwrap();
    let mut costs = CostStore::default();
    let parts = 0..study.parts();
    let runs: Vec<StackRun> = parts.flat_map(|part| study.part(&mut costs, part)).collect();
    compare_fusions(&study, &runs)
}

/// A figure of VGG's sequences.
fn sequence_figure(of: &str) -> Box<dyn Chart> {
    let sweep = sweep_of("vgg16-e");
    let find = |question| find_sequences(&sweep, question).unwrap();
    let SequenceFinding::Chains(chains) = find(SequenceQuestion::Chains) else { unreachable!() };
    let sequence = chains.legal[0];
    let costs: Vec<SequenceCosts> = chains
        .legal
        .iter()
        .filter_map(|&sequence| match find(SequenceQuestion::Costs(sequence)) {
            SequenceFinding::Costs(costs) => Some(*costs),
            _ => None,
        })
        .collect();
    let all: Vec<&SequenceCosts> = costs.iter().collect();
    if of == "energy" {
        return Box::new(sequence_bars(&chains, &all, Some(sequence), SequenceQuantity::Energy));
    }
    if of == "ctc" {
        return Box::new(sequence_ctc(&chains, &all, Some(sequence)));
    }
    if of == "partitions" {
        let SequenceFinding::Partitions(found) = find(SequenceQuestion::Partitions(sequence)) else { unreachable!() };
        return Box::new(partition_scatter(&found.unwrap()));
    }
    if of == "array" {
        let step = |step| match find(SequenceQuestion::Resources(Some(sequence), Resource::Array, step)) {
            SequenceFinding::Resources(step) => *step,
            _ => unreachable!(),
        };
        let steps: Vec<ResourceStep> = Resource::Array.steps().map(step).collect();
        return Box::new(resource_curves(Resource::Array, SequenceQuantity::Latency, &steps));
    }
    let SequenceFinding::Needs(needs) = find(SequenceQuestion::Needs(sequence)) else { unreachable!() };
    if of == "storage" {
        return Box::new(storage_bars(&needs, chains.accelerator.buffer));
    }
    Box::new(reuse_bars(&needs, 8))
}

/// Traffic over buffers that are up to four times smaller or larger.
fn fusion_buffer() -> Curves {
    let sweep = resnet18();
    let steps: Vec<_> = (-2..=2).map(|step| fusion_step(&sweep, SweptParameter::Buffer, step).unwrap()).collect();
    Curves::of_fusion(SweptParameter::Buffer, &steps)
}

/// Groups for the current buffer, and for one that is four times smaller.
fn online_groups() -> GroupStrips {
    let (sweep, study) = (resnet18(), OnlineProblem::new(&resnet18()).unwrap());
    let names: Vec<String> = sweep.network.computing().map(|id| sweep.network.layer(id).name.clone()).collect();
    let (own, here, best) =
        (study.decide(0).found.unwrap(), study.decide(-8).found.unwrap(), study.exact(-8).found.unwrap());
    let strip = |title: &str, found| (title.to_owned(), "so many groups".to_owned(), found);
    GroupStrips::new(&names, vec![strip("own buffer", &own), strip("on line", &here), strip("exact search", &best)])
}

fn online_sweep() -> Curves {
    let study = OnlineProblem::new(&resnet18()).unwrap();
    let steps: Vec<_> = ONLINE_STEPS.map(|step| (study.decide(step), study.exact(step))).collect();
    Curves::of_online(&steps, -3)
}

fn resnet18() -> Sweep {
    sweep_of("resnet18")
}

fn sweep_of(network: &str) -> Sweep {
    let document = |id, presets| find_preset(presets, id).unwrap().text.to_owned();
    let request = Request {
        hardware: document("meta-proto-like-df", hardware_presets()),
        workload: document(network, workload_presets()),
        settings: Settings { tiles_x: vec![7], tiles_y: vec![7], ..Settings::default() },
    };
    Sweep::new(&request).unwrap()
}
