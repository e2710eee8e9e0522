//! The claims of DeFiNES' case study 1 (Section V.B, Fig. 12), from one sweep.

use crate::explore::accounts;
use fusescape_engine::depth_first::{FuseDepth, StoringMode};
use fusescape_engine::explore::{PointSummary, Request, Settings, Sweep, best_strategy};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::Strategy;
use fusescape_spec::{find_preset, hardware_presets, workload_presets};

struct Landscape {
    points: Vec<(StoringMode, (u64, u64), PointSummary)>,
}

impl Landscape {
    fn of(settings: Settings) -> Self {
        let request = Request {
            hardware: find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text.to_owned(),
            workload: find_preset(workload_presets(), "fsrcnn-defines").unwrap().text.to_owned(),
            settings,
        };
        let sweep = Sweep::new(&request).unwrap();
        let plan = sweep.plan();
        let accounts = accounts(&sweep, &plan);
        let points = accounts
            .iter()
            .zip(&plan.strategies)
            .enumerate()
            .map(|(point, (account, strategy))| (strategy.mode, strategy.tile, sweep.summarize(point, account)));
        Self { points: points.collect() }
    }

    fn best(&self, mode: StoringMode) -> (f64, (u64, u64)) {
        let of_mode = self.points.iter().filter(|(of, ..)| *of == mode);
        of_mode.map(|(_, tile, point)| (point.energy_pj, *tile)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
    }
}

fn close(ours: f64, published: f64, tolerance: f64) {
    assert!((ours - published).abs() <= tolerance, "{ours} instead of {published} +- {tolerance}");
}

#[test]
fn figure_12() {
    let landscape =
        Landscape::of(Settings { rules: Rules::DEFINES_2022, strategy: Strategy::Loma, ..Settings::default() });
    assert_eq!(landscape.points.len(), 108);

    let points: Vec<PointSummary> = landscape.points.iter().map(|(.., point)| point.clone()).collect();
    let best = best_strategy(&Settings::default(), &[], &points).unwrap().point;
    assert_eq!((landscape.points[best].0, landscape.points[best].1), (StoringMode::FullyCached, (4, 72)));

    for (mode, published_mj, tile) in [
        (StoringMode::FullyRecompute, 2.339, (16, 18)),
        (StoringMode::HCachedVRecompute, 1.851, (4, 72)),
        (StoringMode::FullyCached, 1.814, (4, 72)),
    ] {
        let (energy_pj, at) = landscape.best(mode);
        close(energy_pj / 1e9, published_mj, 0.0005);
        assert_eq!(at, tile, "{mode}");
    }

    let ratio = |of: &dyn Fn(&PointSummary) -> f64| {
        let values: Vec<f64> = points.iter().map(of).collect();
        values.iter().copied().fold(0.0, f64::max) / values.iter().copied().fold(f64::INFINITY, f64::min)
    };
    close(ratio(&|point| point.energy_pj), 26.08, 0.05);
    close(ratio(&|point| point.latency_cycles as f64), 55.5, 0.1);

    let layer_by_layer: Vec<_> = landscape.points.iter().filter(|(_, tile, _)| *tile == (960, 540)).collect();
    assert_eq!(layer_by_layer.len(), 3);
    for (.., point) in layer_by_layer {
        close(point.energy_pj / 1e9, 20.265, 0.0005);
        close(point.latency_cycles as f64 / 1e6, 29.008, 0.0005);
    }
}

/// The paper prints 19.1 mJ and 29 Mcycles, the tool computes 19.118 and 28.989. Of the orders with that energy the
/// tool takes the first, this program the fastest: 28.972 Mcycles.
#[test]
fn layer_by_layer_at_lpf_limit_8() {
    let landscape = Landscape::of(Settings {
        rules: Rules::DEFINES_2022,
        strategy: Strategy::Loma,
        lpf_limit: 8,
        fuse: vec![FuseDepth::LayerByLayer],
        ..Settings::default()
    });
    let [(.., point)] = landscape.points.as_slice() else { panic!("layer-by-layer is one point") };
    close(point.energy_pj / 1e9, 19.118, 0.0005);
    let latency = point.latency_cycles as f64 / 1e6;
    assert!(latency <= 28.9895, "{latency} is worse than the tool's 28.989");
    close(latency, 28.972, 0.0005);
}
