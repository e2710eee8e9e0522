//! Optimus: the time to find groups of operators, in the paper's setting.
//!
//! The paper's times are of its Algorithm 1 on an i7-6700 (Table 5, "bottom-up"), so the goals are for that; the exact
//! search is listed beside it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod common;

use common::quickest;
use common::report::{Goal, Report};
use fusescape_engine::fusion::{
    Ideals, OnlineFusion, PaperNetwork, Scheme, SchemeProof, Setting, algorithm1, fuse, memory_cost,
};
use serde_json::{Value, json};

/// Limit on order ideals, above which nothing is proved.
const MOST_IDEALS: usize = 4_000;
/// Larger than the paper's, so that more groups fit.
const LARGE_BUFFER_BYTES: u64 = 512 << 10;

fn main() {
    let mut report = Report::new("fusion");
    let (paper, large) = (Setting::paper(), Setting { buffer_bytes: LARGE_BUFFER_BYTES, ..Setting::paper() });
    for (network, ms, online_goal) in [
        (PaperNetwork::SqueezeNet1_0, 2.2, Goal::None),
        (PaperNetwork::ResNet50, 2.7, Goal::None),
        (PaperNetwork::ResNet152, 5.0, Goal::at_most(1.0)),
        (PaperNetwork::GoogLeNet, 28.0, Goal::None),
        (PaperNetwork::ResNet1202, 384.0, Goal::None),
        (PaperNetwork::NasNetALarge, 8713.0, Goal::None),
    ] {
        let graph = network.graph();
        for (setting, goal) in [(&paper, Goal::at_most(ms)), (&large, Goal::None)] {
            let title = format!("{}, {} KB", network.name(), setting.buffer_bytes >> 10);
            let (ms, scheme) = quickest(|| algorithm1(&graph, &memory_cost(&graph, setting)));
            report.figure(&format!("{title}, Algorithm 1"), ms, "ms", goal, details(setting, scheme.as_ref()));
            let (ms, (scheme, proof)) = quickest(|| fuse(&graph, setting, MOST_IDEALS));
            let what = if proof == SchemeProof::Optimal { "exact" } else { "too wide, cut along two orders" };
            report.figure(&format!("{title}, {what}"), ms, "ms", Goal::None, details(setting, scheme.as_ref()));
        }
        let (ms, online) = quickest(|| OnlineFusion::new(graph.clone(), large, MOST_IDEALS));
        let what = format!("{}, on-line variant prepared for up to 512 KB", network.name());
        report.figure(&what, ms, "ms", Goal::None, Value::Null);
        for (setting, goal) in [(&paper, online_goal), (&large, Goal::None)] {
            let (ms, scheme) = quickest(|| online.decide(setting.buffer_bytes));
            let what = format!("{}, {} KB, decided on line", network.name(), setting.buffer_bytes >> 10);
            report.figure(&what, ms, "ms", goal, details(setting, scheme.as_ref()));
        }
        let (ms, ideals) = quickest(|| Ideals::of(&graph, MOST_IDEALS).map(|ideals| ideals.len()));
        report.figure(&format!("{}, order ideals", network.name()), ms, "ms", Goal::None, json!({ "ideals": ideals }));
    }
    report.write();
}

fn details(setting: &Setting, scheme: Option<&Scheme>) -> Value {
    scheme.map_or(Value::Null, |scheme| json!({ "bytes": setting.bytes(scheme.cost), "groups": scheme.groups.len() }))
}
