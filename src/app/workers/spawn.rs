//! The start of a worker, and its end by the browser: a browser that runs out of memory ends workers silently.
//!
//! Every worker holds a Web Lock for its lifetime (`www/worker.js`), which the page requests as well: it gets the lock
//! when the worker is gone. Without such locks (a page that came by HTTP from another machine) the end of a worker goes
//! unnoticed.

use crate::app::platform::missing::called_once;
use crate::worker::Notice;
use js_sys::{Function, Math, Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};

/// Time after which a worker that is not ready is taken to wait for its files, milliseconds.
pub const START_MS: u32 = 10_000;

/// Starts a worker on the module that the page compiled.
///
/// `tell` is called with every message, and `on_error` when its files cannot be fetched or run. Returns it with the
/// name of its lock.
///
/// # Errors
/// If the browser does not allow a worker to start.
pub fn spawn(
    module: &JsValue,
    on_message: &Closure<dyn FnMut(MessageEvent)>,
    on_error: &Closure<dyn FnMut(Event)>,
) -> Result<(Worker, String), JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options("./worker.js", &options)?;
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    let (first, lock) = (Object::new(), new_lock());
    Reflect::set(&first, &"module".into(), module)?;
    Reflect::set(&first, &"lock".into(), &lock.as_str().into())?;
    worker.post_message(&first)?;
    Ok((worker, lock))
}

/// A unique name, as locks are shared by all pages of this address.
fn new_lock() -> String {
    let number = || (Math::random() * f64::from(u32::MAX)) as u32;
    format!("fusescape {} {}", number(), number())
}

/// Calls `call` when the worker that holds a lock is gone. The worker holds it since before it reports that it is
/// ready.
pub fn when_gone(lock: &str, call: Box<dyn FnOnce()>) {
    let ask = || {
        let locks = Reflect::get(&web_sys::window()?.navigator(), &"locks".into()).ok()?;
        let request: Function = Reflect::get(&locks, &"request".into()).ok()?.dyn_into().ok()?;
        request.call2(&locks, &lock.into(), &called_once(call)).ok()
    };
    // Without locks it is never called. Only a page without an origin is denied one, and it has no worker.
    let _ = ask();
}

/// The message about a worker that is gone.
pub fn gone() -> Notice {
    Notice::Failed("the browser has ended it, perhaps for want of memory".to_owned())
}
