//! The table of designs: its documents, the requests for its pairs, and the design opened by a cell.

use fusescape::explore::{CostStore, StackAim, StackProblem, StackSearch, Sweep};
use fusescape::job::{Job, Worker};
use fusescape::link::{from_link, to_link};
use fusescape::question::{QueryEngine, RunStacks};
use fusescape::search::Objective;
use fusescape::state::{Action, Half, HierarchyObjective, ObjectiveChoice, State, Tab, TableField};
use std::rc::Rc;

fn add(state: &mut State, half: Half, id: &str) {
    state.apply(Action::InTable(half, id.to_owned(), true));
}

fn names(state: &State, half: Half) -> Vec<String> {
    state.table_documents(half).into_iter().map(|document| document.name).collect()
}

/// A state whose current accelerator is written by hand, like the pinned one.
fn with_own_documents() -> State {
    let mut state = State::first();
    let text = |state: &State, name: &str| state.design.hardware.text.replacen("Meta-prototype-like DF", name, 1);
    let pinned = text(&state, "Pinned");
    state.apply(Action::Take(Half::Hardware, pinned));
    state.apply(Action::Pin);
    state.apply(Action::preset(Half::Hardware, "meta-proto-like-df").unwrap());
    let own = text(&state, "Mine");
    state.apply(Action::Take(Half::Hardware, own));
    state
}

#[test]
fn the_table_begins_with_what_is_at_hand_and_pinned_and_a_link_keeps_what_is_chosen() {
    let mut state = with_own_documents();
    assert_eq!(names(&state, Half::Hardware), ["Mine (own)", "Pinned (pinned)"]);
    assert_eq!(names(&state, Half::Workload), ["fsrcnn-defines"]);
    add(&mut state, Half::Hardware, "tpu-like-df");
    add(&mut state, Half::Workload, "resnet18");
    state.apply(Action::InTable(Half::Hardware, "pinned".to_owned(), false));
    state.apply(Action::Table(TableField::Objective(HierarchyObjective::Latency)));
    let opened = from_link(&to_link(&state)).unwrap();
    assert_eq!(opened.table, state.table);
    for half in [Half::Hardware, Half::Workload] {
        assert_eq!(opened.table_documents(half), state.table_documents(half));
    }
    assert_eq!(names(&opened, Half::Hardware), ["Mine (own)", "tpu-like-df"]);
    // After undo it is as before.
    let plain = State::first();
    assert!(!plain.to_yaml().contains("table:"), "what nobody chose is not said");
}

#[test]
fn a_document_that_is_gone_is_told_with_its_reason() {
    let mut state = with_own_documents();
    add(&mut state, Half::Hardware, "no-such-core");
    state.apply(Action::Unpin);
    for (name, reason) in [("pinned", "pinned"), ("no-such-core", "no preset of this name")] {
        let documents = state.table_documents(Half::Hardware);
        let hardware = documents.iter().find(|document| document.name == name).unwrap();
        let wrong = state.table_request(hardware, &state.table_documents(Half::Workload)[0]).unwrap_err();
        assert!(wrong.to_string().contains(reason), "{wrong}");
    }
}

#[test]
fn a_cell_opens_its_design_and_the_table_stays() {
    let mut state = with_own_documents();
    add(&mut state, Half::Hardware, "tpu-like-df");
    add(&mut state, Half::Workload, "resnet18");
    state.apply(Action::Table(TableField::Objective(HierarchyObjective::EnergyDelayProduct)));
    let table = [Half::Hardware, Half::Workload].map(|half| names(&state, half));
    let mut open = |hardware: &str| {
        let offered = |half, id: &str| state.table_offers(half).into_iter().find(|offer| offer.id == id).map(Box::new);
        let (hardware, network) = (offered(Half::Hardware, hardware), offered(Half::Workload, "resnet18"));
        state.apply(Action::OpenFromTable { hardware: hardware.unwrap(), network: network.unwrap() });
        assert_eq!([Half::Hardware, Half::Workload].map(|half| names(&state, half)), table);
        assert_eq!((state.view.tab, state.design.workload.preset), (Tab::Landscape, Some("resnet18")));
        assert_eq!(state.design.schedule.objective, ObjectiveChoice::EnergyDelayProduct);
        state.design.hardware.clone()
    };
    assert_eq!(open("tpu-like-df").preset, Some("tpu-like-df"));
    let own = open("own");
    assert!(own.preset.is_none() && own.text.contains("name: Mine"), "{}", own.text);
}

#[test]
fn workers_find_the_joint_optimum_of_a_pair() {
    let mut state = State::first();
    add(&mut state, Half::Workload, "mccnn");
    state.apply(Action::Table(TableField::Objective(HierarchyObjective::Latency)));
    let pick = |half, name: &str| state.table_documents(half).into_iter().find(|known| known.name == name).unwrap();
    let (hardware, network) = (pick(Half::Hardware, "meta-proto-like-df"), pick(Half::Workload, "mccnn"));
    let (mut request, limits) = state.table_request(&hardware, &network).unwrap();
    assert_eq!(request.settings.objective, Objective::Latency);
    assert!(request.settings.tiles_x.len() > 2, "tile sizes suit the network");
    // Few tiles, as tests are not optimised.
    (request.settings.tiles_x, request.settings.tiles_y) = (vec![64], vec![64]);
    let request = Rc::new(request);
    let asked = Rc::new((Rc::clone(&request), limits));
    let mut search = StackSearch::new(StackAim::Optimum);
    // Each task by a worker of its own.
    while let Some(task) = search.next(Worker { number: 0, of: 4 }) {
        let question = RunStacks { request: Rc::clone(&asked), task: task.clone() };
        search.take(task, QueryEngine::default().ask(question).unwrap());
    }
    let mut study = StackProblem::new(Sweep::new(&request).unwrap(), limits).unwrap();
    let runs: Vec<_> = (0..study.parts()).flat_map(|part| study.part(&mut CostStore::default(), part)).collect();
    assert_eq!(**search.optimum().unwrap(), study.combine(&runs).unwrap());
}
