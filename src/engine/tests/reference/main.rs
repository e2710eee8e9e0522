//! The public tools' results, case by case. Each category prints how many cases it checked and the worst relative
//! deviation, and fails when it has none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod attention;
mod exact;
mod hwff;
mod optimus;
mod placement;
mod points;
mod search;
mod single_layer;
mod stream;
mod tiling;
mod zigzag;

use libtest_mimic::{Arguments, Trial};

/// The result of a category.
pub struct Report {
    cases: usize,
    values: usize,
    worst: f64,
    failures: Vec<String>,
    remarks: Vec<String>,
}

impl Report {
    fn new() -> Self {
        Self { cases: 0, values: 0, worst: 0.0, failures: Vec::new(), remarks: Vec::new() }
    }

    /// Fails unless so many cases were checked.
    fn of_cases(mut self, cases: usize) -> Self {
        let found = self.cases;
        self.same(&found, &cases, || "number of cases".to_owned());
        self
    }

    /// Fails unless so many cases were checked, where they are those of the repository.
    fn of_cases_here(self, cases: usize) -> Self {
        if std::env::var_os("FUSESCAPE_REFERENCE").is_some() { self } else { self.of_cases(cases) }
    }

    /// Compares one number; `what` names it where it is wrong.
    fn close(&mut self, ours: f64, theirs: f64, tolerance: f64, what: impl Fn() -> String) {
        let deviation = if ours == theirs { 0.0 } else { (ours - theirs).abs() / theirs.abs().max(f64::MIN_POSITIVE) };
        self.values += 1;
        self.worst = self.worst.max(deviation);
        if deviation > tolerance || deviation.is_nan() {
            self.failures.push(format!("{}: {ours} instead of {theirs}", what()));
        }
    }

    /// Compares any other values.
    fn same<T: PartialEq + std::fmt::Debug>(&mut self, ours: &T, theirs: &T, what: impl Fn() -> String) {
        self.values += 1;
        if ours != theirs {
            self.failures.push(format!("{}: {ours:?} instead of {theirs:?}", what()));
        }
    }
}

/// Checks all cases of a category.
type Check = fn() -> Report;

fn main() {
    let categories: [(&str, Check); 52] = [
        ("define/single_layer", single_layer::check),
        ("define/search", search::check),
        ("define/tiling", tiling::check),
        ("define/points", points::check),
        ("exact/energy", exact::energy),
        ("exact/latency", exact::latency),
        ("exact/brute_force", exact::brute_force),
        ("hwff/networks", hwff::networks),
        ("hwff/single_layer", hwff::single_layer),
        ("hwff/fusion_buffers", hwff::fusion_buffers),
        ("hwff/reuse_buffers", hwff::reuse_buffers),
        ("hwff/multi_tiling", hwff::multi_tiling),
        ("hwff/partition", hwff::fused::partition),
        ("hwff/walk", hwff::fused::walk),
        ("hwff/fused", hwff::fused::fused),
        ("hwff/table_5", hwff::fused::table_5),
        ("hwff/scaling", hwff::fused::scaling),
        ("hwff/table_7", hwff::table_7),
        ("optimus/networks", optimus::networks),
        ("attention/attention", attention::attention),
        ("attention/linear", attention::linear),
        ("attention/area", attention::area),
        ("attention/flat_buffer", attention::flat_buffer),
        ("attention/transformers", attention::transformers),
        ("optimus/groups", optimus::groups),
        ("optimus/random", optimus::random),
        ("optimus/schemes", optimus::schemes),
        ("placement/rule", placement::check),
        ("placement/least_energy", placement::least_energy),
        ("placement/least_latency", placement::least_latency),
        ("stream/coala", stream::coala::eager),
        ("stream/random", stream::coala::random),
        ("stream/corrected", stream::coala::corrected),
        ("stream/genetic", stream::genetic::search),
        ("stream/steady_state", stream::steady::states),
        ("stream/systems", stream::systems::presets),
        ("stream/tiles", stream::tiles::graphs),
        ("stream/waco_units", stream::waco::units),
        ("stream/waco_networks", stream::waco::networks),
        ("stream/validation", stream::validation::late),
        ("zigzag/single_layer", zigzag::single_layer::check),
        ("zigzag/search", zigzag::search::check),
        ("zigzag/in_memory", zigzag::in_memory::check),
        ("zigzag/comparison", zigzag::comparison::check),
        ("zigzag/spatial", zigzag::spatial::check),
        ("zigzag/network", zigzag::network::check),
        ("zigzag/spatial_generation", zigzag::spatial_generation::check),
        ("zigzag_3_9/single_layer", zigzag::single_layer::check_3_9),
        ("zigzag_3_9/search", zigzag::search::check_3_9),
        ("zigzag_3_9/spatial", zigzag::spatial::check_3_9),
        ("zigzag_3_9/network", zigzag::network::check_3_9),
        ("zigzag_3_9/spatial_generation", zigzag::spatial_generation::check_3_9),
    ];
    let trials = categories
        .into_iter()
        .map(|(name, check)| {
            Trial::test(name, move || {
                #[allow(clippy::disallowed_methods, reason = "a test is native, and tells how long it took")]
                let start = std::time::Instant::now();
                let report = check();
                println!(
                    "{name}: {} cases, {} values, worst relative deviation {:.1e}, {:.3} s",
                    report.cases,
                    report.values,
                    report.worst,
                    start.elapsed().as_secs_f64()
                );
                for remark in &report.remarks {
                    println!("{name}: {remark}");
                }
                if report.cases == 0 {
                    return Err("no case found".into());
                }
                if report.failures.is_empty() {
                    return Ok(());
                }
                let shown: Vec<&str> = report.failures.iter().take(40).map(String::as_str).collect();
                Err(format!("{} deviations:\n{}", report.failures.len(), shown.join("\n")).into())
            })
        })
        .collect();
    // The times are printed above.
    let arguments = std::env::args().filter(|given| given != "--report-time");
    libtest_mimic::run(&Arguments::from_iter(arguments), trials).exit();
}
