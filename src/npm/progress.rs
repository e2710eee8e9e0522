//! Reports of a command's progress to JavaScript.

use fusescape_command::ProgressMonitor;
use js_sys::Function;
use std::sync::{Mutex, PoisonError};
use wasm_bindgen::JsValue;
use web_time::{Duration, Instant};

/// Least time between two reports.
const TICK: Duration = Duration::from_millis(20);

/// Calls a function with parts done, all parts, and their name.
pub struct JsProgressMonitor {
    tell: Function,
    stage: Mutex<StageCounts>,
}

#[derive(Default)]
struct StageCounts {
    done: usize,
    count: usize,
    what: String,
    told: Option<Instant>,
}

impl JsProgressMonitor {
    /// For the function `tell(done, count, what)`.
    pub fn new(tell: Function) -> Self {
        Self { tell, stage: Mutex::default() }
    }

    // This is the browser's clock in WebAssembly.
    #[allow(clippy::disallowed_methods)]
    fn change(&self, act: impl FnOnce(&mut StageCounts)) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        act(&mut stage);
        let is_over = stage.done >= stage.count;
        if is_over || stage.told.is_none_or(|told| told.elapsed() >= TICK) {
            stage.told = Some(Instant::now());
            let [done, count] = [stage.done.min(stage.count), stage.count].map(|parts| JsValue::from(parts as f64));
            // An exception of the listener does not affect the result.
            let _ = self.tell.call3(&JsValue::NULL, &done, &count, &JsValue::from(&stage.what));
        }
    }
}

impl ProgressMonitor for JsProgressMonitor {
    fn begin(&self, count: usize, what: &str) {
        self.change(|stage| *stage = StageCounts { count, what: what.to_owned(), ..StageCounts::default() });
    }

    fn advance(&self, parts: usize) {
        self.change(|stage| stage.done += parts);
    }

    fn recount(&self, count: usize) {
        self.change(|stage| stage.count = count);
    }

    fn end(&self) {}

    /// A page stops a command by terminating the worker.
    fn goes_on(&self) -> bool {
        true
    }
}
