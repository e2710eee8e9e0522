//! Every figure is drawn natively, in both themes and at two widths; `target/charts/index.html` shows them all.

mod attention_trace;
mod figures;
mod loop_trace;
mod stack_trace;
mod tables;

use figures::{
    empty_figures, figures, heatmap, large_heatmap, latency_heatmap, level_matrix, mapped, million_tiles, scatter,
    tile_map,
};
use fusescape::chart::{
    AxisScale, BarCause, BarGroup, Bars, BestCell, Breakdown, Chart, CoresSweep, CountedAccesses, Curve, Curves,
    DataSizes, Heatmap, HeatmapCell, Landscape, LevelMatrix, MemoryAccesses, Pair, PlottedPoint, Quantity, Region,
    Roofline, Sketch, SketchShape, Subject, TableCell, Theme, TileTypeMap, above_best, comparisons, contrast,
    copy_table, information_table, layer_tile_table, port_table, strategy_title, svg, viridis, whole_costs,
};
use fusescape::cost::EnergyCause;
use fusescape::depth_first::{FuseDepth, PointAccount, StoringMode};
use fusescape::explore::{PointSummary, Request, Settings, Sweep, pareto_front, solve_all};
use fusescape::hardware::Operand;
use fusescape::rules::Rules;
use fusescape::spec::{find_preset, hardware_presets, workload_presets};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const WIDTHS: [u32; 2] = [360, 1100];

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
            SketchShape::Text { text, .. } => Some((text.as_str(), shape.bounds())),
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

/// Regions of figures lie within them, and a smaller region is found before the one that contains it.
#[test]
fn parts_of_figures_that_are_about_something_can_be_pointed_at() {
    let mut about = BTreeSet::new();
    for (name, chart, _) in figures() {
        for width in WIDTHS {
            let (right, bottom) = (width as i32, chart.height_for(width) as i32);
            let regions = chart.regions(width);
            for (index, Region { at: (x, y), size: (w, h), subject }) in regions.iter().enumerate() {
                assert!(*x >= 0 && *y >= 0 && *w > 0 && *h > 0, "{name}: {subject:?} has no place");
                assert!(x + w <= right + 6 && y + h <= bottom, "{name}, {width} wide: {subject:?} leaves the figure");
                assert!(*subject != Subject::default() && subject.is_about(subject), "{name}: {subject:?}");
                let (x, y) = (f64::from(*x) + f64::from(*w) / 2.0, f64::from(*y) + f64::from(*h) / 2.0);
                let found = regions.iter().rposition(|region| region.holds(x, y));
                assert!(found >= Some(index), "{name}: {subject:?} is not found at its middle");
                about.insert((name, subject.memory.is_some(), subject.layer.is_some(), subject.dim.is_some()));
            }
        }
    }
    for what in ["accesses", "loop_nest", "level_matrix", "data_sizes"] {
        assert!(about.iter().any(|(name, ..)| name.contains(what)), "{what} is about nothing: {about:?}");
    }
}

#[test]
fn what_agrees_in_something_and_contradicts_in_nothing_is_about_the_same() {
    let of = |layer: Option<&str>, memory: Option<&str>, operand: Option<Operand>| Subject {
        layer: layer.map(str::to_owned),
        memory: memory.map(str::to_owned),
        operand,
        ..Subject::default()
    };
    let cell = of(Some("conv"), Some("sram"), Some(Operand::W));
    assert!(cell.is_about(&of(None, Some("sram"), None)), "the memory");
    assert!(cell.is_about(&of(Some("conv"), None, Some(Operand::W))), "a part of it");
    assert!(!cell.is_about(&of(Some("conv"), Some("sram"), Some(Operand::I))), "another operand");
    assert!(!cell.is_about(&of(Some("fc"), Some("sram"), Some(Operand::W))), "another layer");
    assert!(!cell.is_about(&Subject::point(3)), "nothing in common");
    assert!(!Subject::default().is_about(&Subject::default()), "nothing is about nothing");
    assert_eq!(cell.text(), "layer conv, W, memory sram");
}

#[test]
fn texts_are_legible() {
    for (theme_name, theme) in themes() {
        for (name, chart, _) in figures() {
            for shape in &chart.sketch(360, &theme).shapes {
                let SketchShape::Text { text, lettering, .. } = shape else { continue };
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

/// The account of some points of FSRCNN on the Meta-prototype, with all its figures.
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
    let mut states: Vec<PlottedPoint<'_>> = summaries.iter().map(PlottedPoint::Known).collect();
    states[1] = PlottedPoint::Pending;
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
    assert_eq!(maps[0].cells[1], HeatmapCell::Pending);
    assert_eq!(maps[0].range, maps[1].range);
    let (scatter, points) = landscape.scatter();
    assert_eq!((scatter.points.len(), points.len()), (7, 7));

    let least = summaries.iter().min_by(|a, b| a.energy_pj.total_cmp(&b.energy_pj)).unwrap();
    let references: Vec<(String, &PointSummary)> = plan.strategies.iter().map(strategy_title).zip(&summaries).collect();
    let named = [references[references.len() - 1].clone(), ("this point".to_owned(), least)];
    let roofline = Roofline::of_points(&sweep.core, &named).unwrap();
    let all = Roofline::of_points(&sweep.core, &references).unwrap();
    for point in &all.points {
        let roof = (point.macs_per_byte * all.bytes_per_cycle).min(all.macs_per_cycle);
        assert!(point.macs_per_cycle <= roof * (1.0 + 1e-9), "{point:?} stands above its roof of {roof}");
    }
    let mut charts: Vec<(String, Box<dyn Chart>)> = vec![
        ("roofline".to_owned(), Box::new(roofline)),
        ("tile_map".to_owned(), Box::new(TileTypeMap::from_account(stack))),
        ("levels".to_owned(), Box::new(LevelMatrix::from_account(stack, &account.memories))),
        (
            "accesses".to_owned(),
            Box::new(MemoryAccesses::from_account(account, CountedAccesses::Elements, AxisScale::Log)),
        ),
        (
            "words".to_owned(),
            Box::new(MemoryAccesses::from_account(account, CountedAccesses::Words, AxisScale::Linear)),
        ),
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

    let layers = &stack.tile_types.raw[0].layers.raw;
    let saved: serde_json::Value = serde_json::from_str(&layer_tile_table(layers).to_json()).unwrap();
    let (row, layer) = (&saved[2], &layers[2]);
    let split = &layer.cost.as_ref().unwrap().energy;
    assert_eq!(row["energy [pJ]"], split.total_pj());
    assert_eq!(row["top memory"], "W dram, I sram_1MB_A, O sram_64KB");
    let copies: serde_json::Value = serde_json::from_str(&copy_table(layers).to_json()).unwrap();
    let actions: Vec<_> = layers.iter().flat_map(|layer| &layer.copies.actions).collect();
    assert!(!actions.is_empty());
    for (row, action) in copies.as_array().unwrap().iter().zip(actions) {
        assert_eq!(row["size [B]"], action.bits as f64 / 8.0);
        assert_eq!(row["way"], action.chain.join(" → "));
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
fn names_below_curves_are_a_power_of_two_apart_and_the_design_has_one() {
    let curve = |name: &str| Curve { name: name.to_owned(), values: vec![Some(1.0); 33] };
    let curves = Curves {
        quantity: Quantity::Bytes,
        title: "traffic".to_owned(),
        place: "buffer".to_owned(),
        place_unit: "",
        places: (0..33).map(f64::from).collect(),
        place_names: (0..33).map(|place| format!("{place} of all")).collect(),
        curves: vec![curve("one")],
        floor: None,
        design: Some(20),
        mark: "this design",
    };
    for width in [360, 500, 700, 900, 1100, 2000] {
        let sketch = curves.sketch(width, &Theme::LIGHT);
        let name = |text: &str| text.strip_suffix(" of all").and_then(|place| place.parse::<usize>().ok());
        let shown: Vec<usize> = texts(&sketch).into_iter().filter_map(|(text, _)| name(text)).collect();
        let apart = shown[1] - shown[0];
        assert!(apart.is_power_of_two() && shown.contains(&20), "{shown:?}");
        assert!(shown.windows(2).all(|pair| pair[1] - pair[0] == apart), "{shown:?}");
    }
}

#[test]
fn every_group_of_bars_is_where_it_is_drawn() {
    let group = |label: &str| BarGroup {
        label: label.to_owned(),
        is_marked: false,
        values: vec![Ok(vec![1.0, 2.0]), Err("does not fit")],
    };
    let labels = ["conv1 + conv2", "conv3 … pool9 (7 layers)", "another"];
    let bars = Bars {
        quantity: Quantity::Energy,
        title: "Energy".to_owned(),
        group: "sequence".to_owned(),
        bars: vec![("SL", "single layers"), ("FT", "temporal fusion")],
        parts: vec![BarCause::Energy(EnergyCause::Mac), BarCause::Dram],
        groups: labels.map(group).into(),
        limit: None,
    };
    for width in WIDTHS {
        let sketch = bars.sketch(width, &Theme::LIGHT);
        for (index, label) in labels.iter().enumerate() {
            let (_, (left, top, right, bottom)) = texts(&sketch).into_iter().find(|(text, _)| text == label).unwrap();
            let at = |x: i32, y: i32| bars.group_at(f64::from(x), f64::from(y), width);
            assert_eq!(at((left + right) / 2, (top + bottom) / 2), Some(index), "{label} at {width}");
        }
        let height = f64::from(bars.height_for(width));
        for (x, y) in [(10.0, 5.0), (10.0, height - 2.0), (-1.0, height / 2.0), (f64::NAN, f64::NAN)] {
            assert_eq!(bars.group_at(x, y, width), None, "{x}, {y}");
        }
    }
}

#[test]
fn a_sweep_of_systems_has_its_unit_one_notation_and_an_axis_at_both_ends() {
    let found = (0..80)
        .map(|at| Some((at % 7 != 3).then_some((1e9 * f64::from(1 + at % 5), 1e6)).ok_or("does not fit")))
        .collect();
    let systems = (0..20).map(|number| format!("system {number}")).collect();
    let sweep = CoresSweep { quantity: Quantity::EnergyDelay, systems, found };
    let bars = sweep.bars();
    for width in [300, 360, 390, 777, 1100] {
        let sketch = bars.sketch(width, &Theme::LIGHT);
        check_layout("cores_sweep", &sketch);
        let texts = texts(&sketch);
        let all = texts.iter().map(|(text, _)| *text).collect::<Vec<_>>().join(" ");
        assert!(all.starts_with("Energy-delay product by system and tile, kJ·cycles layer by layer"), "{all}");
        assert!(all.contains("in brackets: relative to layer by layer"), "{all}");
        assert!(all.contains("×)") && !all.contains('%'), "{all}");
        let ticks: Vec<i32> = texts.iter().filter(|(text, _)| *text == "0").map(|(_, at)| at.1).collect();
        assert!(ticks.len() == 2 && ticks[0].abs_diff(ticks[1]) > 1000, "{ticks:?} at {width}");
    }
}

#[test]
fn what_only_a_bound_is_known_of_is_said_as_a_share_or_a_multiple() {
    assert_eq!(above_best(104.2, 100.0), "at most 4.20 % above the best");
    assert_eq!(above_best(1_780.0, 100.0), "at most 17.8 times the best");
    assert_eq!(above_best(3.0, 0.0), "at most 3.00 times the best");
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
                SketchShape::Image { at, size, columns, colors } => Some((*at, *size, *columns, colors)),
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
    // The last line says how many more there are.
    let texts: Vec<String> = map.sketch(420, &Theme::LIGHT).shapes.iter().filter_map(text_of).collect();
    assert!(texts.iter().any(|text| text == "2×"), "{texts:?}");
    // Few cells are drawn one by one, with their values.
    let is_image = |shape: &SketchShape| matches!(shape, SketchShape::Image { .. });
    assert!(!heatmap(0).sketch(420, &Theme::LIGHT).shapes.iter().any(is_image));
}

#[test]
fn a_cell_not_computed_yet_looks_like_its_neighbour_on_a_coarser_grid() {
    let mut map = large_heatmap();
    let known = map.cell(8, 8).value().unwrap();
    map.cells[9 * 48 + 9] = HeatmapCell::Estimate(known);
    let sketch = map.sketch(420, &Theme::LIGHT);
    let colors = sketch.shapes.iter().find_map(|shape| match shape {
        SketchShape::Image { colors, .. } => Some(colors),
        _ => None,
    });
    assert_eq!(colors.unwrap()[9 * 48 + 9], colors.unwrap()[8 * 48 + 8]);
    assert_eq!(map.cell(9, 9).value(), None);
    assert_eq!(map.table().rows[9][10].text(), "");
}

#[test]
fn a_part_of_a_landscape_marks_the_best_only_where_it_lies() {
    let elsewhere = Heatmap { best: BestCell::At(None), ..heatmap(0) };
    assert_eq!(elsewhere.best(), None);
    assert_eq!(Heatmap { best: BestCell::At(Some((3, 2))), ..heatmap(0) }.best(), Some((3, 2)));
    assert_eq!(Heatmap { best: BestCell::At(Some((9, 9))), ..heatmap(0) }.best(), None);
}

fn text_of(shape: &SketchShape) -> Option<String> {
    match shape {
        SketchShape::Text { text, .. } => Some(text.clone()),
        _ => None,
    }
}

#[test]
fn of_equal_cells_the_best_is_one_that_nothing_beats() {
    let cells = [(3.0, false), (2.0, false), (2.0, true), (5.0, true)];
    let cells = cells.map(|(value, pareto)| HeatmapCell::Value { value, pareto }).to_vec();
    let map = Heatmap { widths: vec![1, 2], heights: vec![1, 2], cells, ..heatmap(0) };
    assert_eq!(map.best(), Some((0, 1)));
}

/// ZigZag, Fig. 6: the table equals the figure.
#[test]
fn the_table_of_loop_information_has_the_rows_of_figure_6() {
    let (facts, layer) = mapped("eyeriss-like", "alexnet-eyeriss", "conv2");
    for operand in 0..3 {
        let table = information_table(&facts, &layer, operand);
        assert_eq!(table.columns.len(), facts.operands[operand].1.len() + 2);
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{table:?}");
    }
    let outputs = information_table(&facts, &layer, 0);
    assert_eq!(outputs.caption, "Loop information of O (173\u{202f}056 elements, each used 1\u{202f}200 times)");
    let sizes = outputs.rows.iter().find(|row| row[0].text() == "data size in total, elements").unwrap();
    assert_eq!(sizes.last().unwrap(), &TableCell::count(173_056));
    let bytes = outputs.to_csv();
    assert!(bytes.contains("\r\nmemory size used in a unit [B],"), "{bytes}");
    let links = port_table(&layer.ports);
    assert!(
        links.rows.iter().any(|row| row[0].text().starts_with("dram") && row[1].text() == "W read to low"),
        "{links:?}"
    );
}

/// The parts of a comparison, by layer and by memory, add up to the totals of the account.
#[test]
fn comparisons_leave_nothing_out() {
    let account = |hardware: &str, tile: u64| {
        let request = Request {
            hardware: find_preset(hardware_presets(), hardware).unwrap().text.to_owned(),
            workload: find_preset(workload_presets(), "fsrcnn").unwrap().text.to_owned(),
            settings: Settings {
                tiles_x: vec![tile],
                tiles_y: vec![tile],
                modes: vec![StoringMode::FullyCached],
                ..Settings::default()
            },
        };
        let sweep = Sweep::new(&request).unwrap();
        let plan = sweep.plan();
        let solutions = solve_all(&sweep, &plan, |_| {});
        sweep
            .assembler(&plan)
            .assemble(plan.points[0].as_ref().unwrap(), &|problem| solutions[problem].as_ref())
            .unwrap()
    };
    let (a, b) = (account("meta-proto-like-df", 60), account("tpu-like-df", 45));
    for figure in comparisons(&a, &b) {
        let sum = |side: fn(&Pair) -> Option<f64>| figure.pairs().iter().filter_map(side).sum::<f64>();
        let (in_a, in_b) = (sum(|pair| pair.a), sum(|pair| pair.b));
        let whole = |account: &PointAccount| match figure.quantity {
            Quantity::Energy => account.energy_pj,
            Quantity::Latency => account.latency_cycles as f64,
            _ => account.memories.iter().map(|memory| memory.words.total()).sum(),
        };
        for (sum, whole) in [(in_a, whole(&a)), (in_b, whole(&b))] {
            assert!((sum - whole).abs() <= 1e-9 * whole, "{}: {sum} instead of {whole}", figure.title);
        }
        let by: Vec<f64> =
            figure.pairs().iter().map(|pair| (pair.b.unwrap_or(0.0) - pair.a.unwrap_or(0.0)).abs()).collect();
        assert!(by.is_sorted_by(|x, y| x >= y), "{}: what differs most comes first", figure.title);
    }
    let rows = whole_costs(&a, &b).rows;
    assert_eq!(rows.len(), 5);
    assert!(rows.iter().any(|row| row[0].text() == "Energy" && row[1] == TableCell::of(Quantity::Energy, a.energy_pj)));
}

#[test]
fn a_change_is_never_zero_per_cent() {
    let pair = |label: &str, a: f64, b: f64| Pair { label: label.to_owned(), a: Some(a), b: Some(b) };
    let pairs = vec![
        pair("equal", 0.1 + 0.2, 0.3),
        pair("less", 1e6, 1e6 - 40.0),
        pair("more", 1e6, 1e6 + 10.0),
        pair("nearly", 1e6, 1e6 + 1.0),
        pair("third", 3.0, 2.0),
        pair("double", 1.0, 2.5),
    ];
    let table = fusescape::chart::Paired::new(Quantity::Energy, "Energy", "memory", pairs).table();
    let change = |name: &str| table.rows.iter().find(|row| row[0].text() == name).unwrap()[4].text().to_owned();
    let changes = ["equal", "less", "more", "nearly", "third", "double"].map(change);
    assert_eq!(changes, ["equal", "−0.004 %", "+0.001 %", "almost equal", "−33 %", "2.50×"]);
}

/// The mark at the end of an axis has as much space as any other.
#[test]
fn the_last_mark_of_an_axis_is_not_cut_off() {
    for largest in [1e9, 1e6, 250e9, 5000.0] {
        let pair = |label: &str, a| Pair { label: label.to_owned(), a: Some(a), b: Some(a / 2.0) };
        let pairs = vec![pair("a memory with quite a long name", largest), pair("dram", largest / 3.0)];
        let figure = fusescape::chart::Paired::new(Quantity::Energy, "Energy by memory", "memory", pairs);
        for width in (240..=1400).step_by(20) {
            check_layout("paired", &figure.sketch(width, &Theme::LIGHT));
        }
    }
}

/// The note above a heatmap is never truncated, however narrow the heatmap is.
#[test]
fn the_note_above_a_heatmap_is_not_cut_off() {
    for mode in 0..3 {
        for width in 240..=420 {
            let sketch = heatmap(mode).sketch(width, &Theme::LIGHT);
            assert!(texts(&sketch).iter().all(|(text, _)| !text.contains('…')), "{width} wide: {:?}", texts(&sketch));
        }
    }
}
