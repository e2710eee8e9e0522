//! `window.fusescape`: the interface of end-to-end tests.
//!
//! - `workers()`: number of workers
//! - `busy()`: how many of them are at work
//! - `killWorker(index)`: makes a worker trap, as if it had a defect
//! - `state()`: `{ status, generation, points, pointsDone, problemsSearched, elapsedMs, notices }`

use crate::app::workers::handle::Workers;
use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;

/// Installs the object. It lives as long as the page.
pub fn install(workers: &Workers) {
    let Some(window) = web_sys::window() else { return };
    let object = Object::new();
    let count = {
        let workers = workers.clone();
        Closure::<dyn Fn() -> u32>::new(move || workers.count() as u32).into_js_value()
    };
    let busy = {
        let workers = workers.clone();
        Closure::<dyn Fn() -> u32>::new(move || workers.busy() as u32).into_js_value()
    };
    let kill = {
        let workers = workers.clone();
        Closure::<dyn Fn(u32)>::new(move |slot| workers.trap(slot as usize)).into_js_value()
    };
    let state = {
        let workers = workers.clone();
        Closure::<dyn Fn() -> Object>::new(move || state(&workers)).into_js_value()
    };
    for (name, value) in [("workers", count), ("busy", busy), ("killWorker", kill), ("state", state)] {
        set(&object, name, &value);
    }
    set(&window, "fusescape", &object);
}

fn state(workers: &Workers) -> Object {
    let results = workers.last();
    let object = Object::new();
    set(&object, "status", &results.status.name().into());
    for (name, number) in [
        ("generation", f64::from(results.generation)),
        ("points", results.progress.points as f64),
        ("pointsDone", results.progress.points_done as f64),
        ("problemsSearched", results.progress.problems_searched as f64),
        ("elapsedMs", results.progress.elapsed_ms),
        ("notices", results.notices.len() as f64),
    ] {
        set(&object, name, &number.into());
    }
    object
}

fn set(object: &JsValue, name: &str, value: &JsValue) {
    // Setting a property of an ordinary object does not fail.
    let _ = Reflect::set(object, &name.into(), value);
}
