//! Answers of a worker to the questions of views.

use fusescape::command::Unmonitored;
use fusescape::command::layer::{LayerSearchOptions, map_layers};
use fusescape::explore::{GroupSearch, LayerRequest, OnlineProblem, Request, Settings, Sweep};
use fusescape::fusion::PaperNetwork;
use fusescape::question::{
    BestMapping, DecideOnline, EvaluateMapping, FindAllowedMapping, FindBestCost, FindBestMapping, FoundCost,
    QueryEngine, Refusal, Reply, TimeSearch, Timed,
};
use fusescape::search::{Objective, Proof};
use fusescape::spec::{find_preset, hardware_presets, workload_presets};
use fusescape_test_support::requests::layer_request;
use std::cell::Cell;
use std::rc::Rc;

fn design(hardware: &str, workload: &str) -> Request {
    let document = |id, presets| find_preset(presets, id).unwrap().text.to_owned();
    Request {
        hardware: document(hardware, hardware_presets()),
        workload: document(workload, workload_presets()),
        settings: Settings { tiles_x: vec![14], tiles_y: vec![14], ..Settings::default() },
    }
}

#[test]
fn a_worker_answers_the_questions_of_the_view() {
    let mut engine = QueryEngine::default();
    let request = layer_request("eyeriss-like", "alexnet-eyeriss", None);
    let request = Rc::new(request);
    let BestMapping { facts, best } = engine.ask(FindBestMapping { request: Rc::clone(&request) }).unwrap();
    let (best, proof) = best.unwrap();
    // The first of the heaviest layers.
    assert_eq!((facts.layer.as_str(), proof), ("conv2", Proof::Optimal));
    let own = engine.ask(EvaluateMapping { request: Rc::clone(&request), mapping: best.mapping.clone() });
    assert_eq!(own, Ok(Ok(Rc::clone(&best))));
    let cost = engine.ask(FindBestCost { request: Rc::clone(&request) });
    assert_eq!(cost, Ok(FoundCost { energy_pj: best.energy_pj(), latency_cycles: best.cycles.total }));
    // A message holds any question, and its answer as bytes.
    let bytes = engine.answer(FindBestCost { request: Rc::clone(&request) }.into()).unwrap();
    assert_eq!(postcard::from_bytes::<Reply<FoundCost>>(&bytes), Ok(cost));
    let unknown = Rc::new(LayerRequest { layer: Some("conv22".into()), ..(*request).clone() });
    let Err(Refusal::Rejected(wrong)) = engine.ask(FindBestMapping { request: unknown }) else {
        panic!("conv22 was accepted")
    };
    assert_eq!(wrong.0[0].remedy, "Did you mean `conv2`?");
    let objective = Objective::MemoryAccesses("spadW".into());
    let Err(Refusal::Rejected(wrong)) =
        engine.ask(FindBestMapping { request: Rc::new(LayerRequest { objective, ..(*request).clone() }) })
    else {
        panic!("a memory that the core does not have was accepted")
    };
    assert_eq!((wrong.0[0].path.as_str(), wrong.0[0].remedy.as_str()), ("objective", "Did you mean `spad_W`?"));
}

/// The page searches unrollings one after another in one worker, the command line many at a time.
#[test]
fn a_mapping_under_constraints_is_that_of_the_command() {
    let request = Rc::new(layer_request("eyeriss-like", "alexnet-eyeriss", Some("conv3")));
    let ask = |constraints: &str| {
        let (request, constraints) = (Rc::clone(&request), constraints.to_owned());
        QueryEngine::default().ask(FindAllowedMapping { request, constraints }).unwrap()
    };
    let of_layer = |rest: &str| format!("name: Mine\nlayers:\n  - layer: conv3\n{rest}");
    for rest in [
        "    order: [K 2, rest]\n",
        "    unroll: { rows: [FY 3, K 4], columns: OY 13 }\n    order: [OX any, rest, C all]\n",
        "    unroll: { rows: [FY 3, K <= 4], columns: OY any }\n    order: [K 2, FX 3, rest, K 2]\n",
        "    unroll: { rows: any, columns: C <= 8 }\n    levels: [{ memory: spad_W, operand: W, holds: [K <= 2] }]\n",
    ] {
        let text = of_layer(rest);
        let options = LayerSearchOptions {
            layers: vec!["conv3".to_owned()],
            constraints: Some(text.clone()),
            ..LayerSearchOptions::default()
        };
        let found = map_layers(request.hardware.clone(), request.workload.clone(), &options, &Unmonitored);
        let (_, result) = found.unwrap().layers.remove(0);
        let allowed = ask(&text).unwrap().unwrap();
        assert_eq!(Ok(&*allowed.mapped), result.mapped.as_ref(), "{rest}");
        assert_eq!(allowed.facts.unrolled, result.facts.unrolled, "{rest}");
    }
    assert_eq!(ask("name: Mine\nlayers: [{ kind: depthwise, order: [rest] }]"), Ok(None));
    for (wrong, path) in [
        (of_layer("    order: [M 2, rest]\n"), "layers[0].order[0]"),
        (of_layer("    unroll: { rows: FY 3, columns: OY 13 }\n    order: [K 7, rest]\n"), "layers[0].order"),
        (of_layer("    levels: [{ memory: spad_W, operand: W, holds: [K 5] }]\n"), "layers[0].levels[0].holds[0]"),
    ] {
        assert_eq!(ask(&wrong).unwrap_err().0[0].path, path);
    }
}

#[test]
fn a_worker_answers_with_the_time_that_its_clock_tells() {
    let request = design("meta-proto-like-df", "resnet18");
    let study = OnlineProblem::new(&Sweep::new(&request).unwrap()).unwrap();
    let decided = study.with_traffic(study.decide(-6));
    thread_local!(static NOW: Cell<f64> = const { Cell::new(0.0) });
    // Every reading of the clock takes 42 ms.
    let mut with_clock = QueryEngine::with_clock(|| NOW.replace(NOW.get() + 42.0));
    let request = Rc::new(request);
    for (engine, ms) in [(&mut with_clock, Some(42.0)), (&mut QueryEngine::default(), None)] {
        let reply = engine.ask(DecideOnline { request: Rc::clone(&request), step: -6 });
        assert_eq!(reply, Ok(Timed { found: Rc::new(decided.clone()), ms }));
        let search = TimeSearch { network: PaperNetwork::SqueezeNet1_0, search: GroupSearch::Exact, run: 0 };
        let Timed { found, ms: told } = engine.ask(search).unwrap();
        assert_eq!((told, found.bound_bytes), (ms, None));
    }
    // A design that Optimus cannot express is rejected with reasons.
    let towers = "name: towers\nbatch: 1\nlayers:\n  - { name: left, type: input, K: 3, size: 16 x 16 }\n  \
                  - { name: right, type: input, K: 3, size: 16 x 16 }\n  \
                  - { name: a, type: conv, K: 4, kernel: 1 x 1, from: left }\n  \
                  - { name: b, type: conv, K: 4, kernel: 1 x 1, from: right }\n";
    let towers = Request { workload: towers.to_owned(), ..design("tpu-like", "three-convs") };
    let asked = DecideOnline { request: Rc::new(towers), step: 0 };
    let Err(Refusal::Rejected(wrong)) = QueryEngine::default().ask(asked) else {
        panic!("a reply to what cannot be expressed");
    };
    assert!(!wrong.is_empty());
}
