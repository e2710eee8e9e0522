//! Questions to workers: refusals, and the effect of following their remedies. A text here is the number of a question.

use super::{Grown, Room, preset};
use fusescape::hierarchy::HierarchyRequest;
use fusescape::question::{OpenHierarchy, QueryEngine, Refusal, UnrollHierarchies};
use fusescape::spec::{Diagnostics, find_preset, pool_presets, workload_presets};
use std::rc::Rc;

pub const ROOM: Room = Room {
    sources: &["src/question"],
    no_remedies: &[
        // For an empty list; all valid requests have items.
        "Ask for no {what}",
        // For a failure of the worker, not of the question.
        "Change something, so that it is tried again",
    ],
    tables: &[],
    grown,
};

fn ask(text: &str) -> Result<(), Diagnostics> {
    let (what, number) = text.split_once(' ').unwrap();
    let number: u32 = number.parse().unwrap();
    let network = |name: &str| find_preset(workload_presets(), name).unwrap().text.to_owned();
    let hierarchies = || {
        let settings = r#"{"layers":["conv1"],"budget_um2":null,"max_levels":1,"lpf_limit":6,"objective":"Energy"}"#;
        Rc::new(HierarchyRequest {
            pool: find_preset(pool_presets(), "zigzag-65nm").unwrap().text.to_owned(),
            hardware: preset("eyeriss-like").to_owned(),
            workload: network("alexnet-eyeriss"),
            settings: serde_json::from_str(settings).unwrap(),
        })
    };
    let mut engine = QueryEngine::default();
    let answered = match what {
        "hierarchy" => engine.ask(OpenHierarchy { request: hierarchies(), number }).map(drop),
        _ => {
            let hierarchies = UnrollHierarchies { request: hierarchies(), unrolling: number, hierarchies: vec![0] };
            engine.ask(hierarchies).map(drop)
        }
    };
    answered.map_err(Refusal::into_diagnostics)
}

fn grown() -> Vec<Grown> {
    ["hierarchy", "unrolling"]
        .map(|what| -> Grown { (ask, format!("{what} 99999"), "Ask for 0 to ", format!("{what} 0")) })
        .to_vec()
}
