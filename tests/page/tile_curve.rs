//! The tile size of many cores: the questions of its search, and its curve.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use fusescape::chart::{Chart, Quantity, Theme, TileCurve, svg, tile_sizes_table};
use fusescape::job::{Job, Worker};
use fusescape::multicore::{CoresRequest, CoresSettings, TileSearch};
use fusescape::question::{CoresMethod, CoresSummary, QueryEngine, RunTiles};
use fusescape::spec::{find_preset, hardware_presets, system_presets};
use std::rc::Rc;

const NETWORK: &str = "
name: small
layers:
  - { name: image, type: input, K: 8, size: 24 x 20 }
  - { name: first, type: conv, K: 16, kernel: 3 x 3, padding: 1 }
  - { name: second, type: conv, K: 16, kernel: 3 x 3, padding: 1 }
";

fn request() -> Rc<CoresRequest> {
    Rc::new(CoresRequest {
        hardware: find_preset(hardware_presets(), "tpu-like").unwrap().text.to_owned(),
        workload: NETWORK.to_owned(),
        system: find_preset(system_presets(), "quad-beside").unwrap().text.to_owned(),
        settings: CoresSettings::default(),
    })
}

#[test]
fn workers_that_take_a_candidate_each_find_what_one_run_finds() {
    let request = request();
    let mut search = TileSearch::new(request.settings.objective);
    let mut given = Vec::new();
    loop {
        given.extend(std::iter::from_fn(|| search.next(Worker { number: 0, of: 3 })));
        // Each by a worker of its own, the last one first; one is stopped before it has begun.
        let Some(task) = given.pop() else { break };
        if given.len() == 1 {
            given.drain(..).for_each(|task| search.put_back(task));
        }
        let question = RunTiles { request: Rc::clone(&request), task: task.clone() };
        search.take(task, QueryEngine::default().ask(question).unwrap());
    }
    assert_eq!(search, TileSearch::of(&request).unwrap());
    let best = search.best().unwrap().1;
    let method = CoresMethod::BestTiles { by_hand: Vec::new() };
    let summary = QueryEngine::default().ask(CoresSummary { request, method }).unwrap();
    assert_eq!(summary, (best.energy_pj, best.latency_cycles));
}

#[test]
fn the_curve_marks_the_best_size_and_its_table_has_all() {
    let search = Rc::new(TileSearch::of(&request()).unwrap());
    let table = tile_sizes_table(&search);
    assert_eq!(table.rows.len(), search.points().count());
    let marked: Vec<_> = table.rows.iter().filter(|row| row[6].text() == "best").map(|row| row[0].text()).collect();
    assert_eq!(marked, [search.best().unwrap().0.text()]);
    for quantity in [Quantity::Latency, Quantity::Energy] {
        let curve = TileCurve { search: Rc::clone(&search), quantity };
        assert!(curve.describe().contains(&search.best().unwrap().0.text()), "{}", curve.describe());
        for width in [330, 900] {
            let drawn = svg(&curve, width, &Theme::LIGHT).unwrap();
            assert!(drawn.contains("rows of a tile") && drawn.contains("best size found"), "{drawn}");
        }
    }
}
