//! The loops of a layer as they turn: every step as a figure.

use super::{check_layout, directory};
use fusescape::chart::{Chart, LoopHit, LoopStep, Theme, svg};
use fusescape::cost::LoopTrace;
use fusescape::explore::LayerRequest;
use fusescape::question::{FindBestMapping, QueryEngine, TraceLoops};
use fusescape::rules::Rules;
use fusescape::search::{Objective, Strategy};
use fusescape::spec::{find_preset, hardware_presets, workload_presets};
use std::fs;
use std::rc::Rc;

/// The loops of the best mapping of a layer, step by step.
fn trace(hardware: &str, workload: &str, layer: Option<&str>) -> Rc<LoopTrace> {
    let request = Rc::new(LayerRequest {
        hardware: find_preset(hardware_presets(), hardware).unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), workload).unwrap().text.to_owned(),
        layer: layer.map(str::to_owned),
        objective: Objective::Energy,
        strategy: Strategy::Loma,
        lpf_limit: 6,
        rules: Rules::CORRECTED,
        unroll: None,
    });
    let mut engine = QueryEngine::default();
    let best = engine.ask(FindBestMapping { request: Rc::clone(&request) }).unwrap().best.unwrap().0;
    engine.ask(TraceLoops { request, mapping: best.mapping.clone() }).unwrap().unwrap()
}

fn designs() -> Vec<Rc<LoopTrace>> {
    vec![
        trace("meta-proto-like", "resnet18", None),
        trace("meta-proto-like", "resnet18", Some("conv1")),
        trace("tpu-like", "mobilenet-v1", None),
        trace("edge-tpu-like", "resnet18", Some("fc")),
        trace("zigzag-aimc", "resnet18", None),
    ]
}

#[test]
fn every_step_fits_its_figure_at_every_depth() {
    for trace in designs() {
        for depth in 0..=trace.order.len() {
            let steps = trace.steps(depth);
            for step in [0, 1, steps / 3, steps - 1].into_iter().filter(|step| *step < steps) {
                let chart = LoopStep { trace: Rc::clone(&trace), layer: "layer".into(), depth, step };
                for width in [240, 326, 560, 760, 1010, 1400] {
                    let sketch = chart.sketch(width, &Theme::LIGHT);
                    assert_eq!((sketch.width, sketch.height), (width, chart.height_for(width)));
                    check_layout(&chart.title(), &sketch);
                }
                let table = chart.table();
                assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.caption);
                assert!(chart.describe().contains("Moved: "), "{}", chart.describe());
            }
        }
    }
}

#[test]
fn the_first_figure_has_few_steps_and_every_loop_can_be_dragged() {
    for trace in designs() {
        let chart = LoopStep::new(Rc::clone(&trace), "layer".into());
        assert!(trace.steps(chart.depth) <= 1000 && chart.step == 0);
        for width in [326, 1010] {
            let mut hits = vec![Vec::new(); trace.order.len()];
            for (x, y) in (0..width).flat_map(|x| (0..700).step_by(7).map(move |y| (x, y))) {
                if let Some(LoopHit { place, index }) = chart.hit(f64::from(x), f64::from(y), width as u32) {
                    hits[place].push(index);
                }
            }
            for (next, hits) in trace.order.iter().zip(&hits) {
                let (first, last) = (hits.iter().min(), hits.iter().max());
                assert_eq!((first, last), (Some(&0), Some(&(next.size - 1))), "{next:?} at {width}");
            }
        }
        for step in [0, trace.steps(chart.depth) / 2] {
            let chart = LoopStep { step, ..chart.clone() };
            for place in chart.depth..trace.order.len() {
                let last = trace.order[place].size - 1;
                let moved = chart.step_at(LoopHit { place, index: last });
                let mut expected = trace.indices(chart.depth, step);
                expected[place] = last;
                assert_eq!(trace.indices(chart.depth, moved), expected);
            }
        }
    }
}

#[test]
fn a_saved_step_names_what_it_shows() {
    let chart = LoopStep::new(trace("meta-proto-like", "resnet18", None), "conv".into());
    for (name, theme) in [("light", Theme::LIGHT.painted()), ("dark", Theme::DARK.painted())] {
        for width in [360, 1010] {
            let document = svg(&LoopStep { step: 5, ..chart.clone() }, width, &theme).unwrap();
            for text in ["came in this step", "dram", "IY"] {
                assert!(document.contains(text), "{text}");
            }
            fs::write(directory().join(format!("turns_{name}_{width}.svg")), document).unwrap();
        }
    }
}
